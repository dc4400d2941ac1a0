//! A file as it is shown: its text, how wide its lines are, and its miniature.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use super::columns::{Columns, width};
use super::miniature::Ink;
use callscape_base::escape;
use callscape_source::syntax::{Class, Span};
use callscape_source::text::{SourceText, TextError, TextTree};
use callscape_state::document::source::TreeFile;

/// In longer lines, in bytes, the column of every so many bytes is kept: nothing looks at all of them again.
const LONG: usize = 4096;

/// What has been read of a file.
#[derive(Debug)]
pub(super) struct Page {
    /// Where it lies, without links.
    pub located: PathBuf,
    pub text: SourceText,
    /// The columns of the widest line.
    pub columns: u32,
    pub ink: Ink,
    /// The file was changed after the recording was made.
    pub is_newer: bool,
    /// Of long lines, bytes with their columns.
    long: BTreeMap<u32, Vec<(u32, u32)>>,
    tab: u32,
}

impl Page {
    /// Reads a file, with tab stops every `tab` columns, for what was recorded at a time. O(its size).
    pub(super) fn read(
        file: &TreeFile,
        tab: u32,
        recorded: Option<SystemTime>,
    ) -> Result<Page, String> {
        let tree = TextTree::new(&file.root);
        let tree = tree.map_err(|error| format!("{}: {error}", file.root.display()))?;
        let said = |error: TextError| error.to_string();
        let located = tree.locate(&file.path).map_err(said)?;
        let text = tree.read(&file.path).map_err(said)?;
        let is_newer = recorded.is_some_and(|recorded| text.is_newer_than(recorded));
        Ok(Page {
            is_newer,
            ..Page::of(located, text, tab)
        })
    }

    pub(super) fn of(located: PathBuf, text: SourceText, tab: u32) -> Page {
        let mut long = BTreeMap::new();
        let mut columns = 0;
        for number in 1..=text.lines() {
            let line = text.line(number).unwrap_or_default();
            let kept = (line.len() > LONG).then(Vec::new);
            let mut kept = kept;
            let (mut wide, mut next) = (0, LONG);
            let mut at = Columns::of(line, tab);
            loop {
                let byte = at.byte();
                let Some((column, letter)) = at.next() else {
                    break;
                };
                wide = column + width(letter);
                if let Some(kept) = &mut kept
                    && byte >= next
                {
                    kept.push((byte as u32, column));
                    next = byte + LONG;
                }
            }
            wide = wide.max(at.column());
            columns = columns.max(wide);
            long.extend(kept.map(|kept| (number, kept)));
        }
        Page {
            located,
            ink: Ink::of(&text, tab),
            is_newer: false,
            text,
            columns,
            long,
            tab,
        }
    }

    /// What of line `number` is seen in the columns from `first` up to `end`, left out. `spans` are those of the line's part of
    /// the text. O(what is seen), and no more than 4 KiB beside it.
    pub(super) fn shown(&self, number: u32, (first, end): (u32, u32), spans: &[Span]) -> ShownLine {
        let mut shown = ShownLine::default();
        let Some(range) = self.text.range(number) else {
            return shown;
        };
        let line = self.text.text().get(range.clone()).unwrap_or_default();
        let kept = self.long.get(&number).map_or(&[][..], Vec::as_slice);
        let before = kept.partition_point(|&(_, column)| column <= first);
        let (byte, column) = before.checked_sub(1).map_or((0, 0), |it| kept[it]);
        let mut at = Columns::from(line, (byte as usize, column), self.tab);
        let mut span = spans.partition_point(|span| span.bytes.end <= range.start + byte as usize);
        loop {
            let place = range.start + at.byte();
            let Some((column, letter)) = at.next() else {
                break;
            };
            if column >= end {
                shown.goes_on = true;
                break;
            }
            let wide = at.column().saturating_sub(column);
            let hidden = first.saturating_sub(column).min(wide);
            if hidden == wide {
                continue;
            }
            while spans.get(span).is_some_and(|it| it.bytes.end <= place) {
                span += 1;
            }
            let class = spans.get(span).filter(|it| it.bytes.contains(&place));
            let class = class.map_or(Class::Plain, |it| it.class);
            shown.add(letter, wide - hidden, class);
        }
        shown
    }

    /// The column of a byte of line `number`.
    pub(super) fn column_of(&self, number: u32, byte: usize) -> u32 {
        let line = self.text.line(number).unwrap_or_default();
        let mut at = Columns::of(line, self.tab);
        while at.byte() < byte && at.next().is_some() {}
        at.column()
    }
}

/// A part of a line as people may see it: tabs widened, and what steers text written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShownLine {
    pub text: String,
    /// Up to which byte of `text` which class reaches.
    pub classes: Vec<(usize, Class)>,
    /// More of the line lies further right.
    pub goes_on: bool,
}

impl ShownLine {
    /// Adds a letter that takes `wide` columns.
    fn add(&mut self, letter: char, wide: u32, class: Class) {
        match letter {
            '\t' => self.text.extend(std::iter::repeat_n(' ', wide as usize)),
            letter if escape::steers(letter) => {
                let shown = escape::name(letter.encode_utf8(&mut [0; 4])).into_owned();
                let hidden = shown.len().saturating_sub(wide as usize);
                self.text.push_str(shown.get(hidden..).unwrap_or_default());
            }
            letter => self.text.push(letter),
        }
        let end = self.text.len();
        match self.classes.last_mut() {
            Some((last, of)) if *of == class => *last = end,
            _ => self.classes.push((end, class)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, tab: u32) -> Page {
        let text = SourceText::of(text.as_bytes().to_vec()).expect("text");
        Page::of(PathBuf::from("/a.c"), text, tab)
    }

    fn seen(page: &Page, line: u32, columns: (u32, u32)) -> String {
        page.shown(line, columns, &[]).text
    }

    #[test]
    fn a_part_of_a_line_is_that_part_of_the_whole() {
        let hard = "\tif (a)\t{ größer(); \u{202e}x\u{7} }\tend";
        let long = format!("{}\t{}", "ab\tcü ".repeat(4000), "z".repeat(9000));
        for tab in [1, 2, 4, 8] {
            let page = page(&format!("{hard}\r\n\n{long}"), tab);
            for line in [1, 2, 3, 4] {
                let whole: Vec<char> = seen(&page, line, (0, u32::MAX)).chars().collect();
                let wide = whole.len() as u32;
                assert!(wide <= page.columns);
                let places = [0, 1, 5, 17, 30, 4095, 4096, 9000, 25_001, 40_000];
                for first in places {
                    for more in [1, 3, 80] {
                        let from = (first as usize).min(whole.len());
                        let to = (from + more).min(whole.len());
                        let part: String = whole[from..to].iter().collect();
                        // What begins before the end and goes on behind it is seen whole.
                        let found = seen(&page, line, (first, first + more as u32));
                        let is_cut = found.starts_with(&part) && found.len() < part.len() + 16;
                        assert!(is_cut, "{line} {first} {more}: {found:?} {part:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_steers_text_is_written_out() {
        let page = page("a\u{202e}b\u{1}c\u{1b}[31m", 4);
        assert_eq!(seen(&page, 1, (0, 99)), "a\\u{202e}b\\u{1}c\\u{1b}[31m");
        assert_eq!(seen(&page, 9, (0, 99)), "");
    }

    #[test]
    fn classes_are_those_of_the_bytes() {
        let page = page("\tint ab;\n", 4);
        let span = |bytes, class| Span { bytes, class };
        let spans = [span(1..4, Class::Type), span(5..7, Class::Function)];
        let shown = page.shown(1, (0, 99), &spans);
        assert_eq!(shown.text, "    int ab;");
        let expected = [
            (4, Class::Plain),
            (7, Class::Type),
            (8, Class::Plain),
            (10, Class::Function),
            (11, Class::Plain),
        ];
        assert_eq!(shown.classes, expected);
        let part = page.shown(1, (5, 9), &spans);
        assert_eq!((part.text.as_str(), part.goes_on), ("nt a", true));
        assert_eq!(part.classes[0], (2, Class::Type));
    }

    #[test]
    fn bytes_have_columns() {
        let page = page("\ta\tü b\n", 4);
        for (byte, column) in [(0, 0), (1, 4), (2, 5), (3, 8), (5, 9), (6, 10), (99, 11)] {
            assert_eq!(page.column_of(1, byte), column);
        }
        assert_eq!(page.column_of(7, 3), 0);
    }
}
