//! Conditional compilation: `#if` in the middle of a statement or an expression, which no grammar can read.

use std::ops::Range;

use super::languages::Preprocessor;

/// One `#if … #elif … #else … #endif`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conditional {
    /// The lines of the directives, in bytes: of `#if`, of each `#elif` and `#else`, of `#endif`.
    directives: Vec<Range<usize>>,
    /// Which branch alone is ever compiled, where the condition says so: `#if 0`.
    only: Option<usize>,
}

impl Conditional {
    /// The text of branch `index`, between two directives.
    fn branch(&self, index: usize) -> Range<usize> {
        self.directives[index].end..self.directives[index + 1].start
    }
}

impl Conditional {
    /// The lines of its directives, in order.
    pub(crate) fn directives(&self) -> impl Iterator<Item = &Range<usize>> {
        self.directives.iter()
    }

    /// Whether one of its directives stands in one of these ranges, which are in order and do not overlap.
    pub(crate) fn is_torn_in(&self, ranges: &[Range<usize>]) -> bool {
        self.directives.iter().any(|directive| {
            let after = ranges.partition_point(|range| range.end <= directive.start);
            let range = ranges.get(after);
            range.is_some_and(|range| range.start < directive.end)
        })
    }
}

/// Files with more conditionals than this stay as they are: they are generated.
const MOST: usize = 100_000;

/// The conditionals of a file, those inside others too. One that is not closed is left out. O(n).
pub(crate) fn find(source: &[u8], preprocessor: Preprocessor) -> Vec<Conditional> {
    let mut open: Vec<Conditional> = Vec::new();
    let mut closed: Vec<Conditional> = Vec::new();
    let mut start = 0;
    // Whether a comment is closed anywhere behind what has been seen.
    let mut closes_comments = true;
    while start < source.len() && closed.len() < MOST {
        let end = line_end(source, start);
        let mut line = start..end;
        let text = source[line.clone()].trim_ascii_start();
        let Some(directive) = text.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
            start = end;
            continue;
        };
        // A directive goes on behind a backslash, and up to where a comment behind it ends.
        let mut last = line.clone();
        while last.end < source.len() {
            let end = if source[last.clone()].trim_ascii_end().ends_with(b"\\") {
                last.end
            } else if closes_comments && opens_comment(&source[last.clone()]) {
                match memchr::memmem::find(&source[last.end..], b"*/") {
                    Some(length) => last.end + length + 2,
                    None => {
                        closes_comments = false;
                        break;
                    }
                }
            } else {
                break;
            };
            last = end..line_end(source, end);
            line.end = last.end;
        }
        start = line.end;
        let word_end = directive.iter().position(|b| !b.is_ascii_alphabetic());
        let (word, condition) = directive.split_at(word_end.unwrap_or(directive.len()));
        match word {
            b"if" | b"ifdef" | b"ifndef" => open.push(Conditional {
                directives: vec![line],
                only: only_branch(word, condition, preprocessor),
            }),
            b"elif" | b"else" | b"elifdef" | b"elifndef" => {
                if let Some(conditional) = open.last_mut() {
                    conditional.directives.push(line);
                }
            }
            b"endif" => {
                if let Some(mut conditional) = open.pop() {
                    conditional.directives.push(line);
                    closed.push(conditional);
                }
            }
            _ => {}
        }
    }
    closed
}

/// How many lines a directive may go on behind backslashes.
const MOST_LINES: usize = 100;

/// Takes away what stands on the lines of directives: no decision stands there that the program takes. `places` are in
/// order of start. O(n).
pub(crate) fn leave_out_directives(source: &[u8], places: &mut Vec<Range<usize>>) {
    let mut line = 0..0;
    let mut is_directive = false;
    places.retain(|place| {
        if !line.contains(&place.start) {
            let between = &source[line.end..place.start];
            let start = memchr::memrchr(b'\n', between).map_or(line.end, |at| line.end + at + 1);
            line = start..line_end(source, place.start);
            is_directive = is_of_directive(source, start);
        }
        !is_directive
    });
}

/// Whether the line that begins here is one of a directive.
fn is_of_directive(source: &[u8], mut start: usize) -> bool {
    for _ in 0..MOST_LINES {
        let mut line = source[start..].iter();
        if line.find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'#') {
            return true;
        }
        let Some(before) = source[..start].strip_suffix(b"\\\n") else {
            return false;
        };
        start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    }
    false
}

/// Whether a comment begins on this line that does not end on it.
fn opens_comment(line: &[u8]) -> bool {
    memchr::memmem::rfind(line, b"/*").is_some_and(|open| {
        memchr::memmem::find(&line[open + 2..], b"*/").is_none()
            && memchr::memmem::find(&line[..open], b"//").is_none()
    })
}

fn line_end(source: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &source[start..]).map_or(source.len(), |length| start + length + 1)
}

fn only_branch(word: &[u8], condition: &[u8], preprocessor: Preprocessor) -> Option<usize> {
    let condition = condition.trim_ascii();
    let first = condition
        .split(|b| !(b.is_ascii_alphanumeric() || *b == b'_'))
        .next();
    let is_cpp = preprocessor == Preprocessor::Cpp;
    match (word, first.unwrap_or_default()) {
        (b"if", b"0") => Some(1),
        (b"if", b"1") => Some(0),
        (b"ifdef", b"__cplusplus") => Some(usize::from(!is_cpp)),
        (b"ifndef", b"__cplusplus") => Some(usize::from(is_cpp)),
        (b"if", b"defined")
            if condition.ends_with(b"__cplusplus") || condition.ends_with(b"(__cplusplus)") =>
        {
            Some(usize::from(!is_cpp))
        }
        _ => None,
    }
}

/// The text with one branch of each conditional, all else overwritten with spaces; and what was overwritten, but for
/// the directives. The branch is the first, or the last where `is_last` says so; none where that would be one without text, as the
/// second of an `#if` without `#else`.
pub(crate) fn choose(
    source: &[u8],
    conditionals: &[Conditional],
    is_last: bool,
) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut text = source.to_vec();
    let mut blanked: Vec<Range<usize>> = Vec::new();
    for conditional in conditionals {
        let branches = conditional.directives.len() - 1;
        let chosen = match conditional.only {
            Some(only) => only,
            None if is_last => branches - 1,
            None => 0,
        };
        for branch in (0..branches).filter(|&branch| branch != chosen) {
            blanked.push(conditional.branch(branch));
        }
        for directive in &conditional.directives {
            blank(&mut text[directive.clone()]);
        }
    }
    blanked.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    // Of those inside one another the outer counts.
    let mut end = 0;
    blanked.retain(|range| {
        let is_outer = range.end > end;
        end = end.max(range.end);
        is_outer
    });
    for range in &blanked {
        blank(&mut text[range.clone()]);
    }
    (text, blanked)
}

fn blank(text: &mut [u8]) {
    for byte in text.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_branch_of_each_conditional_stays_where_it_is() {
        let source = b"a\n#if X\nb\n# elif Y \\\n  && Z\nc\n#ifdef W\nd\n#endif\n#else\ne\n#endif\nf\n#if 0\ng\n#endif\n#endif\n#if U\n";
        let conditionals = find(source, Preprocessor::C);
        assert_eq!(conditionals.len(), 3);
        let words = |is_last| {
            let (text, _) = choose(source, &conditionals, is_last);
            assert_eq!(text.len(), source.len());
            let text = String::from_utf8(text).expect("a literal");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(false), "a b f #endif #if U");
        assert_eq!(words(true), "a e f #endif #if U");
    }

    #[test]
    fn a_directive_ends_with_the_comment_behind_it() {
        let source = b"#if A /* a\nb */\nc\n#else /* d */ // /* e\nf\n#endif /* g\n\nh */ \ni";
        let conditionals = find(source, Preprocessor::C);
        let (text, blanked) = choose(source, &conditionals, false);
        assert_eq!(
            String::from_utf8_lossy(text.trim_ascii()),
            "c\n                     \n \n           \n\n     \ni"
        );
        assert_eq!(blanked.len(), 1);
        assert_eq!(&source[blanked[0].clone()], b"f\n");
    }

    #[test]
    fn decisions_of_directives_are_left_out() {
        let source = b"a && b\n  # if c && d \\\n && e\nf && g && h";
        let mut places: Vec<_> = memchr::memmem::find_iter(source, b"&&")
            .map(|at| at..at + 2)
            .collect();
        assert_eq!(places.len(), 5);
        leave_out_directives(source, &mut places);
        assert_eq!(places, [2..4, 31..33, 36..38]);
    }

    #[test]
    fn what_only_one_language_sees_is_left_to_it() {
        let source = b"#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
        for (preprocessor, expected) in
            [(Preprocessor::C, ""), (Preprocessor::Cpp, "extern \"C\" {")]
        {
            let conditionals = find(source, preprocessor);
            let (text, _) = choose(source, &conditionals, false);
            assert_eq!(String::from_utf8_lossy(text.trim_ascii()), expected);
        }
    }
}
