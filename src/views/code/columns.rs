//! The columns that the letters of a line stand in, tabs widened.

use callscape_base::escape;

/// How many columns a letter takes, but a tab.
pub(super) fn width(letter: char) -> u32 {
    match escape::steers(letter) {
        // Written out, as in `\u{202e}`.
        true => escape::name(letter.encode_utf8(&mut [0; 4])).len() as u32,
        false => 1,
    }
}

/// The letters of a line, each with the column that it begins in.
#[derive(Clone, Debug)]
pub(super) struct Columns<'a> {
    rest: &'a str,
    byte: usize,
    column: u32,
    tab: u32,
}

impl<'a> Columns<'a> {
    pub(super) fn of(line: &'a str, tab: u32) -> Columns<'a> {
        Columns {
            rest: line,
            byte: 0,
            column: 0,
            tab: tab.max(1),
        }
    }

    /// The same from a byte on, which is in this column.
    pub(super) fn from(line: &'a str, (byte, column): (usize, u32), tab: u32) -> Columns<'a> {
        Columns {
            rest: line.get(byte..).unwrap_or_default(),
            byte,
            column,
            tab: tab.max(1),
        }
    }

    /// The column of the next letter, or how wide the line is.
    pub(super) fn column(&self) -> u32 {
        self.column
    }

    /// Where the next letter begins in the line.
    pub(super) fn byte(&self) -> usize {
        self.byte
    }
}

impl Iterator for Columns<'_> {
    type Item = (u32, char);

    fn next(&mut self) -> Option<(u32, char)> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        let column = self.column;
        self.byte += letter.len_utf8();
        self.rest = letters.as_str();
        self.column = column.saturating_add(match letter {
            '\t' => self.tab - column % self.tab,
            letter => width(letter),
        });
        Some((column, letter))
    }
}
