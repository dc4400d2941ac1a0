//! As much of Thrift's compact protocol as it takes to look at a schema before it is decoded: what lies in it as deep as
//! it says is gone through by a function that calls itself.
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>,
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>

/// Tables are flat, and what others write is seldom ten deep.
const DEEPEST: usize = 100;

/// Types of fields.
const STOP: u8 = 0;
const I32: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// The fields of a file's metadata and of an element of its schema.
const SCHEMA: i64 = 2;
const NUM_CHILDREN: i64 = 5;

/// Structs in structs that are skipped.
const DEEPEST_SKIPPED: u32 = 16;

/// A number of seven bits a byte, the lowest first.
pub fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = bytes.split_first()?;
        *bytes = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// A number with its sign in the lowest bit.
pub fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    let number = varint(bytes)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

/// The number and type of the next field; type [`STOP`] at the end of the struct.
fn field(bytes: &mut &[u8], last: &mut i64) -> Option<(i64, u8)> {
    let (&head, behind) = bytes.split_first()?;
    *bytes = behind;
    let (delta, kind) = (head >> 4, head & 15);
    if kind != STOP {
        *last = match delta {
            0 => zigzag(bytes)?,
            delta => last.checked_add(delta.into())?,
        };
    }
    Some((*last, kind))
}

/// How many elements a list has, and their type.
fn list(bytes: &mut &[u8]) -> Option<(u64, u8)> {
    let (&head, behind) = bytes.split_first()?;
    *bytes = behind;
    let count = match head >> 4 {
        15 => varint(bytes)?,
        count => count.into(),
    };
    Some((count, head & 15))
}

fn skip(bytes: &mut &[u8], kind: u8, depth: u32) -> Option<()> {
    let mut pass = |count: usize| {
        *bytes = bytes.get(count..)?;
        Some(())
    };
    match kind {
        // Truth values are in their types.
        1 | 2 => Some(()),
        3 => pass(1),
        4..=6 => varint(bytes).map(|_| ()),
        7 => pass(8),
        8 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            *bytes = bytes.get(length..)?;
            Some(())
        }
        LIST | 10 if depth < DEEPEST_SKIPPED => {
            let (count, kind) = list(bytes)?;
            for _ in 0..count {
                match kind {
                    1 | 2 => *bytes = bytes.get(1..)?,
                    kind => skip(bytes, kind, depth + 1)?,
                }
            }
            Some(())
        }
        STRUCT if depth < DEEPEST_SKIPPED => {
            let mut last = 0;
            loop {
                match field(bytes, &mut last)? {
                    (_, STOP) => return Some(()),
                    (_, kind) => skip(bytes, kind, depth + 1)?,
                }
            }
        }
        _ => None,
    }
}

/// Whether the schema in a file's metadata is flat enough to be decoded.
pub fn is_flat_enough(metadata: &[u8]) -> bool {
    let mut bytes = metadata;
    let mut last = 0;
    loop {
        match field(&mut bytes, &mut last) {
            Some((SCHEMA, LIST)) => return depth(&mut bytes).is_some(),
            Some((_, STOP)) | None => return false,
            Some((_, kind)) => {
                if skip(&mut bytes, kind, 0).is_none() {
                    return false;
                }
            }
        }
    }
}

/// Goes through the elements of a schema, each before what lies in it; none where that is too deep.
fn depth(bytes: &mut &[u8]) -> Option<()> {
    let (count, kind) = list(bytes)?;
    // By level how many elements are still to come.
    let mut open: Vec<u64> = Vec::new();
    for _ in 0..count {
        if kind != STRUCT {
            return None;
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        let (mut children, mut last) = (0, 0);
        loop {
            match field(bytes, &mut last)? {
                (_, STOP) => break,
                (NUM_CHILDREN, I32) => children = u64::try_from(zigzag(bytes)?).ok()?,
                (_, kind) => skip(bytes, kind, 0)?,
            }
        }
        if children > 0 {
            open.push(children);
        }
        if open.len() > DEEPEST {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The metadata of a file whose schema is groups in groups.
    fn nested(levels: u8) -> Vec<u8> {
        // Version 1, then a list of structs.
        let mut bytes = vec![0x15, 2, 0x19, 0xfc, levels];
        for _ in 0..levels {
            // An empty name, one child.
            bytes.extend([0x48, 0, 0x15, 2, 0]);
        }
        bytes
    }

    #[test]
    fn groups_in_groups_are_counted() {
        assert!(is_flat_enough(&nested(20)));
        assert!(is_flat_enough(&nested(100)));
        assert!(!is_flat_enough(&nested(101)));
        assert!(!is_flat_enough(&nested(20)[..50]));
        assert!(!is_flat_enough(&[]));
    }

    #[test]
    fn numbers_are_read_to_their_last_bit() {
        let mut bytes: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(varint(&mut bytes), Some(u64::MAX));
        let mut bytes: &[u8] = &[3, 0x80];
        assert_eq!(zigzag(&mut bytes), Some(-2));
        assert_eq!(zigzag(&mut bytes), None);
    }
}
