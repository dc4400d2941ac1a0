//! What stands before costs: lines and addresses, each of which may be told by how far it is from the one before.

use super::words::{number, words};

/// The positions of a cost line.
#[derive(Debug)]
pub(super) struct Positions {
    /// How many there are.
    count: usize,
    /// Which of them is the line; none where lines are not told.
    line: Option<usize>,
    /// The last line.
    last: Option<u64>,
}

impl Default for Positions {
    /// Lines alone, as where a file does not say.
    fn default() -> Positions {
        Positions {
            count: 1,
            line: Some(0),
            last: None,
        }
    }
}

impl Positions {
    /// What a header says: `instr line`.
    pub(super) fn of(text: &[u8]) -> Positions {
        let count = words(text).count();
        match count {
            0 => Positions::default(),
            _ => Positions {
                count,
                line: words(text).position(|word| word == b"line"),
                last: None,
            },
        }
    }

    /// Takes the positions that stand first, and gives the line; none where there is none that can be read.
    pub(super) fn read<'a>(&mut self, words: &mut impl Iterator<Item = &'a [u8]>) -> Option<u32> {
        let mut line = None;
        for at in 0..self.count {
            let word = words.next()?;
            if Some(at) == self.line {
                line = match word.split_first() {
                    Some((b'*', b"")) => self.last,
                    Some((b'+', rest)) => number(rest)
                        .zip(self.last)
                        .and_then(|(more, last)| last.checked_add(more)),
                    Some((b'-', rest)) => number(rest)
                        .zip(self.last)
                        .and_then(|(less, last)| last.checked_sub(less)),
                    _ => number(word),
                };
                self.last = line;
            }
        }
        line.and_then(|line| u32::try_from(line).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_be_told_by_how_far_they_are_from_the_last() {
        let mut positions = Positions::of(b"instr line");
        let mut read = |text: &str| {
            let mut words = words(text.as_bytes());
            let line = positions.read(&mut words);
            (line, words.count())
        };
        assert_eq!(read("0x400 16 3"), (Some(16), 1));
        assert_eq!(read("+3 +4 1 2"), (Some(20), 2));
        assert_eq!(read("+3 * 1"), (Some(20), 1));
        assert_eq!(read("* -19"), (Some(1), 0));
        assert_eq!(read("* -2 9"), (None, 1));
        assert_eq!(read("* +2 9"), (None, 1));
        assert_eq!(read("* 7 9"), (Some(7), 1));
        assert_eq!(read("+1"), (None, 0));
        assert_eq!(read("* 99999999999 1"), (None, 1));
        let mut words = [&b"0x10"[..], b"5"].into_iter();
        assert_eq!(Positions::of(b"instr").read(&mut words), None);
        assert_eq!(words.next(), Some(&b"5"[..]));
    }
}
