//! Protocol buffers taken apart in place. Specification: <https://protobuf.dev/programming-guides/encoding/>.
//! Lengths are held against the bytes at hand; nothing recurses.

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Value::Number(number) => Some(number),
            Value::Bytes(_) => None,
        }
    }

    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            Value::Number(_) => None,
        }
    }
}

/// The fields of a message, in their order. Ends at the first that is none; `rest` is not empty then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Fields<'a> {
        Fields { rest: message }
    }

    /// What could not be read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u32, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<(u32, Value<'a>)> {
        let mut at = 0;
        let key = varint(self.rest, &mut at)?;
        let number = u32::try_from(key >> 3).ok().filter(|&number| number > 0)?;
        let mut take = |length: u64| {
            let length = usize::try_from(length).ok()?;
            let end = at.checked_add(length)?;
            let bytes = self.rest.get(at..end)?;
            at = end;
            Some(bytes)
        };
        let value = match key & 7 {
            1 => Value::Number(u64::from_le_bytes(take(8)?.try_into().ok()?)),
            5 => Value::Number(u32::from_le_bytes(take(4)?.try_into().ok()?).into()),
            0 => Value::Number(varint(self.rest, &mut at)?),
            2 => {
                let length = varint(self.rest, &mut at)?;
                let end = at.checked_add(usize::try_from(length).ok()?)?;
                let bytes = self.rest.get(at..end)?;
                at = end;
                Value::Bytes(bytes)
            }
            _ => return None,
        };
        self.rest = &self.rest[at..];
        Some((number, value))
    }
}

/// Whether bytes are a text: messages have tags, lengths and numbers that no text has.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let is_sign = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    head.iter().all(is_sign)
}

/// The number at `at`, at most ten bytes long, which `at` is moved past.
#[inline]
pub(crate) fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    // Most are tags and lengths of one byte.
    let first = *bytes.get(*at)?;
    if first < 0x80 {
        *at += 1;
        return Some(first.into());
    }
    longer_varint(bytes, at)
}

fn longer_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for (place, &byte) in bytes.get(*at..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            *at += place + 1;
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_and_damage_ends_them() {
        let message = b"\x08\x96\x01\x12\x02hi\x19\x01\0\0\0\0\0\0\0\x25\x02\0\0\0";
        let fields: Vec<_> = Fields::new(message).collect();
        let expected = [
            (1, Value::Number(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Number(1)),
            (4, Value::Number(2)),
        ];
        assert_eq!(fields, expected);
        for damaged in [
            &b"\x12\x03hi"[..],
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\x08",
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x0b",
            b"\x00\x00",
        ] {
            let mut fields = Fields::new(damaged);
            assert_eq!(fields.next(), None);
            assert_eq!(fields.rest(), damaged);
        }
    }
}
