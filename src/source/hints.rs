//! Where in a text something may stand that a query asks for.
//!
//! Of the nodes of a syntax tree four in five stand below one whose text has neither a keyword nor a sign of what is
//! asked for: they need not be walked. A query file lists the words and signs without which nothing stands that it
//! asks for, on lines that begin with `; found by:` and, for texts that count only where they span lines,
//! `; found over lines by:`. A language whose file has no such lines is walked whole.

use std::ops::Range;

/// The words and signs of one language.
#[derive(Debug)]
pub(crate) struct Hints {
    /// By byte: [`WORD`], [`BEGINS_WORD`] and [`BEGINS_SIGN`].
    classes: [u8; 256],
    /// Letters as [`folded`] has them: some languages do not tell small ones and capitals apart.
    words: Vec<u64>,
    /// Those that are longer than that.
    long_words: Vec<Vec<u8>>,
    signs: Vec<Sign>,
}

/// Stands in words.
const WORD: u8 = 1;
/// Begins some word that is looked for, in either case.
const BEGINS_WORD: u8 = 2;
const BEGINS_SIGN: u8 = 4;

#[derive(Debug)]
struct Sign {
    text: Vec<u8>,
    is_over_lines: bool,
    /// A brace that opens no list of values.
    is_block: bool,
}

/// Stands for a brace before which no `=`, comma, colon or opening bracket stands.
const BLOCK: &str = "{!";

/// What a here-document begins with: its text is on the lines after.
const HERE: &[u8] = b"<<";

const EVERYWHERE: &str = "; found by:";
const OVER_LINES: &str = "; found over lines by:";

/// Where the words and signs stand in one text: bytes, in order.
#[derive(Debug, Default)]
pub(crate) struct Places {
    everywhere: Vec<usize>,
    over_lines: Vec<usize>,
}

impl Hints {
    /// Those that the text of a query lists; none where it lists none.
    pub(crate) fn of(query: &str) -> Option<Hints> {
        let listed = |prefix| {
            let lines = query
                .lines()
                .filter_map(move |line| line.strip_prefix(prefix));
            lines.flat_map(str::split_whitespace)
        };
        let mut hints = Hints {
            classes: [0; 256],
            words: Vec::new(),
            long_words: Vec::new(),
            signs: Vec::new(),
        };
        for byte in (0..=u8::MAX).filter(|&byte| is_word(byte)) {
            hints.classes[usize::from(byte)] = WORD;
        }
        let all = listed(EVERYWHERE).map(|text| (text, false));
        for (text, is_over_lines) in all.chain(listed(OVER_LINES).map(|text| (text, true))) {
            let is_block = text == BLOCK;
            let bytes = text.as_bytes();
            let bytes = if is_block { b"{" } else { bytes };
            let first = bytes[0];
            if bytes.iter().all(|&byte| is_word(byte)) && !is_over_lines {
                match folded(bytes) {
                    Some(word) => hints.words.push(word),
                    None => hints.long_words.push(bytes.to_ascii_lowercase()),
                }
                for first in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
                    hints.classes[usize::from(first)] |= BEGINS_WORD;
                }
            } else {
                hints.classes[usize::from(first)] |= BEGINS_SIGN;
                hints.signs.push(Sign {
                    text: bytes.to_vec(),
                    is_over_lines,
                    is_block,
                });
            }
        }
        let lists_nothing =
            hints.words.is_empty() && hints.long_words.is_empty() && hints.signs.is_empty();
        (!lists_nothing).then_some(hints)
    }

    /// Finds all of them in `text`; those in `within`, in order and apart, where that is given. O(n): sorting what is in
    /// order but for a few takes one pass.
    pub(crate) fn find(&self, text: &[u8], within: Option<&[Range<usize>]>, places: &mut Places) {
        places.everywhere.clear();
        places.over_lines.clear();
        let whole = 0..text.len();
        let within = within.unwrap_or(std::slice::from_ref(&whole));
        let mut here = 0..0;
        for range in within {
            self.find_in(text, range, &mut here, places);
        }
        // The texts of here-documents were noted ahead.
        places.everywhere.sort();
        places.over_lines.sort();
    }

    fn find_in(
        &self,
        text: &[u8],
        range: &Range<usize>,
        here: &mut Range<usize>,
        places: &mut Places,
    ) {
        let class = |at: usize| {
            text.get(at)
                .map_or(0, |&byte| self.classes[usize::from(byte)])
        };
        let mut at = range.start;
        while at < range.end {
            let first = class(at);
            if first & BEGINS_SIGN != 0 {
                self.sign(text, at, here, places);
            }
            let start = at;
            at += 1;
            if first & WORD == 0 {
                continue;
            }
            while class(at) & WORD != 0 {
                at += 1;
            }
            if first & BEGINS_WORD != 0 {
                let word = &text[start..at];
                let is_hint = match folded(word) {
                    Some(word) => self.words.contains(&word),
                    None => {
                        let mut long = self.long_words.iter();
                        long.any(|hint| hint.eq_ignore_ascii_case(word))
                    }
                };
                if is_hint {
                    places.everywhere.push(start);
                }
            }
        }
    }

    /// `here` is the rest of the line on which the last here-document began: a line may begin many.
    fn sign(&self, text: &[u8], at: usize, here: &mut Range<usize>, places: &mut Places) {
        let first = text[at];
        for sign in self.signs.iter().filter(|sign| sign.text[0] == first) {
            // Most signs are of one byte or two: no call to compare them.
            let rest = text[at + 1..].iter().zip(&sign.text[1..]);
            let equal = rest.take_while(|(a, b)| a == b).count() + 1;
            if equal < sign.text.len() || sign.is_block && opens_values(&text[..at]) {
                continue;
            }
            let places = match sign.is_over_lines {
                true => &mut places.over_lines,
                false => &mut places.everywhere,
            };
            places.push(at);
            if sign.text.starts_with(HERE) && !here.contains(&at) {
                let line = memchr::memchr(b'\n', &text[at..]);
                *here = at..line.map_or(text.len(), |line| at + line + 1);
                places.push(here.end);
            }
        }
    }
}

impl Places {
    /// To be asked for ranges in order of their start.
    pub(crate) fn walk(&self) -> PlacesWalk<'_> {
        PlacesWalk {
            everywhere: &self.everywhere,
            over_lines: &self.over_lines,
        }
    }
}

/// The places that are still to come.
pub(crate) struct PlacesWalk<'a> {
    everywhere: &'a [usize],
    over_lines: &'a [usize],
}

impl PlacesWalk<'_> {
    /// Whether anything may stand in `start..end` of `text`. No later range may start before this one.
    pub(crate) fn has(&mut self, text: &[u8], start: usize, end: usize) -> bool {
        let is_in = |places: &mut &[usize]| {
            while places.first().is_some_and(|&place| place < start) {
                *places = &places[1..];
            }
            places.first().is_some_and(|&place| place < end)
        };
        is_in(&mut self.everywhere)
            || is_in(&mut self.over_lines)
                && text
                    .get(start..end)
                    .is_some_and(|text| memchr::memchr(b'\n', text).is_some())
    }
}

/// A word of up to eight bytes as a number, small letters and capitals the same.
fn folded(word: &[u8]) -> Option<u64> {
    // This bit of letters says which they are; all other bytes of words differ without it, too.
    let folded = |folded, &byte| folded << 8 | u64::from(byte | 0x20);
    (word.len() <= 8).then(|| word.iter().fold(0, folded))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn opens_values(before: &[u8]) -> bool {
    let before = before.trim_ascii_end().last();
    before.is_some_and(|byte| b"=,:([{".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_signs_are_found_where_they_stand() {
        let query = "; found by: if {! && <<\n; found over lines by: \"\n(if) @branch\n";
        let hints = Hints::of(query).expect("listed");
        let text = b"If iffy && x = { 1 } f() {\n\"\n\" a <<b c\n&&";
        let mut places = Places::default();
        hints.find(text, None, &mut places);
        assert_eq!(places.everywhere, [0, 8, 25, 33, 39, 39]);
        assert_eq!(places.over_lines, [27, 29]);
        let mut walk = places.walk();
        assert!(walk.has(text, 0, 2));
        assert!(!walk.has(text, 3, 7));
        assert!(!walk.has(text, 11, 20));
        assert!(walk.has(text, 27, 30));
        assert!(!walk.has(text, 29, 30));
        assert!(walk.has(text, 31, 40));
        hints.find(text, Some(&[3..10, 25..30]), &mut places);
        assert_eq!(places.everywhere, [8, 25]);
        assert_eq!(places.over_lines, [27, 29]);
        assert!(Hints::of("(if) @branch").is_none());
        let hints = Hints::of("; found by: define_method xor").expect("listed");
        hints.find(b"Define_Method define_methods XOR x_r", None, &mut places);
        assert_eq!(places.everywhere, [0, 29]);
    }
}
