//! How many lines a change adds and removes, as `git log --numstat` counts them.

use imara_diff::{InternedInput, Token, sources::byte_lines};

use super::myers;

/// In so many bytes git looks for a zero to tell whether a file is binary.
const LOOKED_AT: usize = 8000;

/// Longer lines count as equally long.
const LENGTHS: usize = 256;

/// What a change does to the lines of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub added: u32,
    pub removed: u32,
    /// Lines after the change.
    pub lines: u32,
    /// One of the two versions is binary: nothing is counted.
    pub is_binary: bool,
    /// One of the two could not be read, and is taken for binary.
    pub is_unread: bool,
}

pub(super) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(LOOKED_AT)]).is_some()
}

/// The lines of a text; 0 of a binary file.
pub(super) fn lines(bytes: &[u8]) -> u32 {
    if is_binary(bytes) {
        return 0;
    }
    lines_of(bytes)
}

/// Compares two versions as git does unless told otherwise. O(n d) for d differences, and bounded where d is large.
pub(super) fn counted(before: &[u8], after: &[u8]) -> Counted {
    if is_binary(before) || is_binary(after) {
        return Counted {
            lines: lines(after),
            is_binary: true,
            ..Counted::default()
        };
    }
    let start = same_start(before, after);
    let end = same_end(&before[start..], &after[start..]);
    let old = &before[start..before.len() - end];
    let new = &after[start..after.len() - end];
    let [removed, added] = match (old.is_empty(), new.is_empty()) {
        (true, _) => [0, lines_of(new)],
        (_, true) => [lines_of(old), 0],
        _ => compared(old, new, [&before[..start], &before[before.len() - end..]]),
    };
    Counted {
        added,
        removed,
        lines: lines(after),
        ..Counted::default()
    }
}

/// The lines removed and added between two parts that stand between the same two others.
fn compared(old: &[u8], new: &[u8], around: [&[u8]; 2]) -> [u32; 2] {
    let mut input = InternedInput::new(byte_lines(old), byte_lines(new));
    let numbers = |tokens: &[Token]| -> Vec<u32> { tokens.iter().map(|it| it.0).collect() };
    let sides = [numbers(&input.before), numbers(&input.after)];
    let mut occurs = [(); 2].map(|()| vec![0; input.interner.num_tokens() as usize]);
    for (side, occurs) in sides.iter().zip(&mut occurs) {
        side.iter().for_each(|&it| occurs[it as usize] += 1);
    }
    // Without equal lines there is nothing to be found.
    if !occurs[0].iter().zip(&occurs[1]).any(|(a, b)| a.min(b) > &0) {
        return sides.map(|side| side.len() as u32);
    }
    // How often a line stands around them counts; most lines there have another length than all of these.
    let mut lengths = [false; LENGTHS];
    for line in byte_lines(old).chain(byte_lines(new)) {
        lengths[line.len().min(LENGTHS - 1)] = true;
    }
    let mut lines = sides.each_ref().map(Vec::len);
    for line in around.into_iter().flat_map(byte_lines) {
        lines.iter_mut().for_each(|it| *it += 1);
        if lengths[line.len().min(LENGTHS - 1)] {
            let at = input.interner.intern(line).0 as usize;
            for occurs in &mut occurs {
                if at < occurs.len() {
                    occurs[at] += 1;
                }
            }
        }
    }
    myers::removed_and_added(&sides[0], &sides[1], &occurs, lines)
}

fn lines_of(part: &[u8]) -> u32 {
    let ends = memchr::memchr_iter(b'\n', part).count();
    let last = !part.is_empty() && part.last() != Some(&b'\n');
    u32::try_from(ends + usize::from(last)).unwrap_or(u32::MAX)
}

/// Bytes of the whole lines that both begin with.
fn same_start(before: &[u8], after: &[u8]) -> usize {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    memchr::memrchr(b'\n', &before[..same]).map_or(0, |end| end + 1)
}

/// Bytes of the whole lines that both end with.
fn same_end(before: &[u8], after: &[u8]) -> usize {
    let pairs = before.iter().rev().zip(after.iter().rev());
    let same = pairs.take_while(|(a, b)| a == b).count();
    let is_start = |bytes: &[u8]| same == bytes.len() || bytes[bytes.len() - same - 1] == b'\n';
    if is_start(before) && is_start(after) {
        return same;
    }
    let tail = &before[before.len() - same..];
    memchr::memchr(b'\n', tail).map_or(0, |end| same - end - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_git_counts_them() {
        let counts = |before: &str, after: &str| {
            let it = counted(before.as_bytes(), after.as_bytes());
            (it.added, it.removed, it.lines)
        };
        assert_eq!(counts("", ""), (0, 0, 0));
        assert_eq!(counts("", "a\nb"), (2, 0, 2));
        assert_eq!(counts("a\nb\n", ""), (0, 2, 0));
        assert_eq!(counts("a", "a\n"), (1, 1, 1));
        assert_eq!(counts("a\r\nb\n", "a\nb\n"), (1, 1, 2));
        assert_eq!(counts("a\na\nb\n", "a\nb\n"), (0, 1, 2));
        assert_eq!(counts("b\nc\n", "a\nb\nc\n"), (1, 0, 3));
        assert_eq!(counts("xa\n", "a\n"), (1, 1, 1));
        assert_eq!(counts("a\nx\nb\n", "a\ny\nz\nb\n"), (2, 1, 4));
        assert!(counted(b"a\0", b"a\n").is_binary);
    }
}
