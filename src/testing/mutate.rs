//! Damage that a number decides: the same number gives the same damage everywhere.

use super::random::Random;

/// Numbers at the ends of what their types hold, as text.
const EXTREMES: [&str; 14] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
    "1e308",
    "-9223372036854775808",
];

/// Bytes that end what stands before them in one of the text formats.
const ENDS: &[u8] = b"\n{}[],;";

/// The longest block that is moved, dropped or repeated.
const LONGEST: usize = 4096;

/// `bytes` with damage of one kind as a rule, of four at most, some of which take from `other`.
pub fn damaged(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..[1, 1, 1, 2, 4][random.index(5)] {
        match random.index(10) {
            0 => flip(&mut bytes, random),
            1 => bytes.truncate(random.index(bytes.len() + 1)),
            2 => drop(bytes.drain(block(&bytes, random))),
            3 => repeat(&mut bytes, random),
            4 => relocate(&mut bytes, random),
            5 | 6 => replace_number(&mut bytes, random),
            7 => replace_word(&mut bytes, random),
            8 => splice(&mut bytes, other, random),
            _ => overwrite(&mut bytes, random),
        }
    }
    bytes
}

/// A part of the bytes; every other time one that ends where something of a text ends.
fn block(bytes: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let start = random.index(bytes.len());
    let longest = [8, 64, LONGEST][random.index(3)].min(bytes.len() - start);
    let end = start + random.index(longest + 1);
    if random.index(2) == 0 {
        return start..end;
    }
    let next = |from: usize| {
        let rest = &bytes[from..];
        let found = rest.iter().position(|byte| ENDS.contains(byte));
        found.map_or(bytes.len(), |at| from + at + 1)
    };
    let start = next(start);
    start..next(end.max(start))
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..1 + random.index(8) {
        let at = random.index(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.index(8);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, more: impl IntoIterator<Item = u8>) {
    bytes.splice(at..at, more);
}

fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let block = block(bytes, random);
    let times = [1, 1, 2, 20][random.index(4)];
    let more = bytes[block.clone()].repeat(times);
    insert(bytes, block.end, more);
}

fn relocate(bytes: &mut Vec<u8>, random: &mut Random) {
    let block: Vec<u8> = bytes.drain(block(bytes, random)).collect();
    let at = random.index(bytes.len() + 1);
    insert(bytes, at, block);
}

/// Puts another number in the place of one that stands there in digits.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let from = random.index(bytes.len());
    let digit = bytes[from..].iter().position(u8::is_ascii_digit);
    let Some(start) = digit.map(|at| from + at) else {
        return replace_word(bytes, random);
    };
    let rest = bytes[start..].iter();
    let length = rest.take_while(|byte| byte.is_ascii_digit()).count();
    let number = EXTREMES[random.index(EXTREMES.len())];
    bytes.splice(start..start + length, number.bytes());
}

/// Puts another binary number in the place of some bytes: fixed, or of as many bytes as it needs (LEB128).
fn replace_word(bytes: &mut Vec<u8>, random: &mut Random) {
    let number = match random.index(5) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << 63,
        3 => u64::from(u32::MAX),
        _ => random.next() >> random.index(64),
    };
    let size = [1, 2, 4, 8][random.index(4)];
    let at = random.index(bytes.len());
    let end = (at + size).min(bytes.len());
    let word: Vec<u8> = match random.index(3) {
        0 => number.to_be_bytes()[8 - size..].to_vec(),
        1 => number.to_le_bytes()[..size].to_vec(),
        _ => {
            let mut left = number;
            let mut word = Vec::new();
            while left >= 0x80 {
                word.push(left as u8 | 0x80);
                left >>= 7;
            }
            word.push(left as u8);
            word
        }
    };
    bytes.splice(at..end, word);
}

/// The end of another input, or a block of it, behind or within this one.
fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.index(bytes.len() + 1);
    if random.index(2) == 0 {
        bytes.truncate(at);
        bytes.extend_from_slice(&other[random.index(other.len() + 1)..]);
    } else {
        insert(bytes, at, other[block(other, random)].to_vec());
    }
}

fn overwrite(bytes: &mut [u8], random: &mut Random) {
    let block = block(bytes, random);
    let with = [0, 0xff, b' ', b'9'].get(random.index(5)).copied();
    for byte in &mut bytes[block] {
        *byte = with.unwrap_or_else(|| random.next() as u8);
    }
}
