//! Where two texts of the same length differ, as a parser wants to be told.

use tree_sitter::{InputEdit, Point};

/// Differences with fewer equal bytes between them are one.
const APART: usize = 32;

/// Calls `edit` for each place where `new` differs from `old`, in order. Nothing where the lengths differ: then the
/// texts are not of the same lines. O(n).
pub(crate) fn between(old: &[u8], new: &[u8], mut edit: impl FnMut(&InputEdit)) {
    if old.len() != new.len() {
        return;
    }
    let mut place = Place::default();
    let mut at = 0;
    while let Some(start) = differs(old, new, at) {
        let mut end = start + 1;
        while let Some(more) = differs(old, new, end).filter(|more| more - end < APART) {
            end = more + 1;
        }
        at = end;
        let start_position = place.go(new, start);
        let end_position = place.go(new, end);
        edit(&InputEdit {
            start_byte: start,
            old_end_byte: end,
            new_end_byte: end,
            start_position,
            old_end_position: end_position,
            new_end_position: end_position,
        });
    }
}

/// The first place from `at` on where the texts, of one length, differ.
fn differs(old: &[u8], new: &[u8], at: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    let mut at = at;
    while at + BLOCK <= old.len() && old[at..at + BLOCK] == new[at..at + BLOCK] {
        at += BLOCK;
    }
    let mut pairs = old[at..].iter().zip(&new[at..]);
    pairs
        .position(|(old, new)| old != new)
        .map(|more| at + more)
}

/// A place that only goes forward, and its line.
#[derive(Default)]
struct Place {
    at: usize,
    row: usize,
    line_start: usize,
}

impl Place {
    fn go(&mut self, text: &[u8], to: usize) -> Point {
        let passed = &text[self.at..to];
        self.row += memchr::memchr_iter(b'\n', passed).count();
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.line_start = self.at + last + 1;
        }
        self.at = to;
        Point::new(self.row, to - self.line_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_told_once_and_in_order() {
        let old = "line 1\nline 2 { }\n".repeat(9) + "end";
        let mut new = old.clone().into_bytes();
        new[3] = b'x';
        new[20] = b'x';
        new[100] = b'x';
        let last = new.len() - 1;
        new[last] = b'x';
        let mut told = Vec::new();
        between(old.as_bytes(), &new, |edit| {
            assert_eq!(edit.old_end_byte, edit.new_end_byte);
            let position = |at: usize| {
                let before = &new[..at];
                let row = before.iter().filter(|byte| **byte == b'\n').count();
                let start = before.iter().rposition(|byte| *byte == b'\n');
                Point::new(row, at - start.map_or(0, |start| start + 1))
            };
            assert_eq!(edit.start_position, position(edit.start_byte));
            assert_eq!(edit.new_end_position, position(edit.new_end_byte));
            told.push(edit.start_byte..edit.new_end_byte);
        });
        assert_eq!(told, [3..21, 100..101, last..last + 1]);
        between(b"same", b"same", |_| panic!("nothing differs"));
        between(b"longer", b"long", |_| panic!("not of the same lines"));
    }
}
