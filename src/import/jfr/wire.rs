//! The numbers and texts of a chunk, taken from its bytes in place.

use std::borrow::Cow;

/// Bytes that are read from their front. What is not there is none, and ends the reading of what it is part of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub &'a [u8]);

/// A text, or the key of one in the pool of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    Here(Cow<'a, str>),
    Pooled(u64),
}

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    /// A compressed number: seven bits a byte, the lowest first, all eight of the ninth.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..8 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Some(number);
            }
        }
        Some(number | u64::from(self.byte()?) << 56)
    }

    /// A count of things of which each takes a byte or more.
    pub(super) fn count(&mut self) -> Option<u64> {
        let count = self.number()?;
        (count <= self.0.len() as u64).then_some(count)
    }

    pub(super) fn text(&mut self) -> Option<Text<'a>> {
        let here = |text| Some(Text::Here(text));
        match self.byte()? {
            0 | 1 => here("".into()),
            2 => Some(Text::Pooled(self.number()?)),
            3 => {
                let length = self.number()?;
                here(String::from_utf8_lossy(self.take(length)?))
            }
            4 => {
                let length = self.count()?;
                let units = (0..length).map(|_| Some(self.number()? as u16));
                let units: Vec<u16> = units.collect::<Option<_>>()?;
                here(String::from_utf16_lossy(&units).into())
            }
            5 => {
                let length = self.number()?;
                let bytes = self.take(length)?;
                // Latin-1 is the beginning of Unicode.
                here(bytes.iter().map(|&byte| char::from(byte)).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_read_and_what_is_cut_is_none() {
        let mut bytes = Bytes(b"\x96\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03\x02hi\x04\x01\xe9\x01\x05\x01\xe9\x02\x07\x00");
        assert_eq!(bytes.number(), Some(150));
        assert_eq!(bytes.number(), Some(u64::MAX));
        let here = |text: &'static str| Some(Text::Here(text.into()));
        assert_eq!(bytes.text(), here("hi"));
        assert_eq!(bytes.text(), here("é"));
        assert_eq!(bytes.text(), here("é"));
        assert_eq!(bytes.text(), Some(Text::Pooled(7)));
        assert_eq!(bytes.text(), here(""));
        assert_eq!(bytes.number(), None);
        assert_eq!(Bytes(b"\x03\x05hi").text(), None);
        assert_eq!(Bytes(b"\x04\xff\x7f").text(), None);
        assert_eq!(Bytes(b"\xff\xff").number(), None);
    }
}
