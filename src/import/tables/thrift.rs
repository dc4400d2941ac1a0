//! As much of Thrift's compact protocol as it takes to look at a schema before it is decoded. The decoder calls itself for
//! each group in a group, so that a schema which is too deep would end the program.
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>,
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>

/// Tables are flat, and what others write is seldom ten deep.
const DEEPEST: usize = 100;

/// Types of fields.
const STOP: u8 = 0;
const I8: u8 = 3;
const I32: u8 = 5;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// The fields of a file's metadata, up to its schema.
const VERSION: i64 = 1;
const SCHEMA: i64 = 2;

/// What a field holds, by its number. The decoder goes by the number alone, whatever type stands before the field; where
/// they differ, it would go on at another byte than this module.
#[derive(Clone, Copy)]
enum Holds {
    Type(u8),
    Struct(&'static [(i64, Holds)]),
}

const NUMBER: Holds = Holds::Type(I32);
const BYTE: Holds = Holds::Type(I8);
const TEXT: Holds = Holds::Type(BINARY);
const NOTHING: Holds = Holds::Struct(&[]);
const TIME: Holds = Holds::Struct(&[(
    2,
    Holds::Struct(&[(1, NOTHING), (2, NOTHING), (3, NOTHING)]),
)]);

/// Of an element of a schema. Truth values are in the types of their fields, and need no look.
const ELEMENT: &[(i64, Holds)] = &[
    (1, NUMBER),
    (2, NUMBER),
    (3, NUMBER),
    (4, TEXT),
    (NUM_CHILDREN, NUMBER),
    (6, NUMBER),
    (7, NUMBER),
    (8, NUMBER),
    (9, NUMBER),
    (10, Holds::Struct(LOGICAL_TYPE)),
];
const NUM_CHILDREN: i64 = 5;
const LOGICAL_TYPE: &[(i64, Holds)] = &[
    (1, NOTHING),
    (2, NOTHING),
    (3, NOTHING),
    (4, NOTHING),
    (5, Holds::Struct(&[(1, NUMBER), (2, NUMBER)])),
    (6, NOTHING),
    (7, TIME),
    (8, TIME),
    (10, Holds::Struct(&[(1, BYTE)])),
    (11, NOTHING),
    (12, NOTHING),
    (13, NOTHING),
    (14, NOTHING),
    (15, NOTHING),
    (16, Holds::Struct(&[(1, BYTE)])),
    (17, Holds::Struct(&[(1, TEXT)])),
    (18, Holds::Struct(&[(1, TEXT), (2, NUMBER)])),
];

/// Structs in structs that are skipped.
const DEEPEST_SKIPPED: u32 = 16;

/// A number of seven bits a byte, the lowest first.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
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
pub(super) fn zigzag(bytes: &mut &[u8]) -> Option<i64> {
    varint(bytes).map(unzigzag)
}

/// The number whose sign is the lowest bit.
pub(super) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
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
        // The decoder takes no more of it.
        i16::try_from(*last).ok()?;
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
        I8 => pass(1),
        4 | I32 | 6 => varint(bytes).map(|_| ()),
        7 => pass(8),
        BINARY => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            *bytes = bytes.get(length..)?;
            Some(())
        }
        LIST | 10 if depth < DEEPEST_SKIPPED => {
            let (count, kind) = list(bytes)?;
            // A truth value in a list is a byte, which the decoder does not skip.
            if matches!(kind, 1 | 2) {
                return None;
            }
            for _ in 0..count {
                skip(bytes, kind, depth + 1)?;
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

/// Passes a field; none where it is of another type than the decoder takes it for.
fn pass(bytes: &mut &[u8], (number, kind): (i64, u8), of: &[(i64, Holds)]) -> Option<()> {
    match of.iter().find(|it| it.0 == number) {
        Some((_, Holds::Type(expected))) if *expected != kind => None,
        Some((_, Holds::Struct(of))) => {
            if kind != STRUCT {
                return None;
            }
            let mut last = 0;
            loop {
                match field(bytes, &mut last)? {
                    (_, STOP) => return Some(()),
                    field => pass(bytes, field, of)?,
                }
            }
        }
        _ => skip(bytes, kind, 0),
    }
}

/// Whether the schema in a file's metadata is flat enough to be decoded. It stands behind the version alone, as everyone
/// writes it.
pub(super) fn is_flat_enough(metadata: &[u8]) -> bool {
    let mut bytes = metadata;
    let mut last = 0;
    loop {
        match field(&mut bytes, &mut last) {
            Some((SCHEMA, LIST)) => return depth(&mut bytes).is_some(),
            Some((VERSION, I32)) => {
                if varint(&mut bytes).is_none() {
                    return false;
                }
            }
            _ => return false,
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
                (NUM_CHILDREN, I32) => {
                    let number = i32::try_from(zigzag(bytes)?).ok()?;
                    children = u64::try_from(number).ok()?;
                }
                field => pass(bytes, field, ELEMENT)?,
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

    /// The decoder takes fields for what their numbers say, and meets deep groups where their types say something else.
    #[test]
    fn fields_of_other_types_hide_no_groups() {
        // A deep schema as a set or in a field whose number wraps around, and behind it a flat one.
        let flat = &[&[0x09, 0x04], &nested(20)[3..]].concat()[..];
        let deep = &nested(120)[3..];
        for head in [&[0x15, 2, 0x1a][..], &[0x15, 2, 0x09, 0x84, 0x80, 0x08]] {
            assert!(!is_flat_enough(&[head, deep, flat].concat()), "{head:x?}");
        }
        // A version that is a list by its type alone.
        assert!(!is_flat_enough(&[&[0x19, 0x05], &nested(20)[2..]].concat()));
        // Children as numbers of 16 bits.
        let mut hidden = vec![0x15, 2, 0x19, 0xfc, 120];
        for _ in 0..120 {
            hidden.extend([0x48, 0, 0x14, 2, 0]);
        }
        assert!(!is_flat_enough(&hidden));
        // A logical type that is none, and one that is.
        let with = |logical: &[u8]| {
            let mut bytes = vec![0x15, 2, 0x19, 0x1c, 0x48, 0];
            bytes.extend(logical);
            bytes.push(0);
            bytes
        };
        assert!(is_flat_enough(&with(&[
            0x6c, 0x8c, 0x11, 0x1c, 0x1c, 0, 0, 0, 0
        ])));
        assert!(!is_flat_enough(&with(&[0x6c, 0x18, 1, 0, 0])));
        assert!(!is_flat_enough(&with(&[0x69, 0x05])));
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
