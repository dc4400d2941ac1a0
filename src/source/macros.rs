//! Macros of C and C++ that a grammar, which expands none, takes for something else.

/// Overwrites with spaces the macros that stand where only an attribute makes sense, so that the syntax tree of
/// what is left has the same places. In capitals only, they are told by their neighbours:
///
/// - `class EXPORT Name {` between the keyword and the name;
/// - `void f() LOCKS_EXCLUDED(mutex) {` between the parameters and the body;
/// - `API_FUNC Type f(` and `DEPRECATED("…") Type f(` at the start of a line, before a declaration.
///
/// A type in capitals, `BOOL f(`, stays in C; in C++ it goes too, where a function needs no type and
/// a constructor behind a macro would have one. O(n).
pub(crate) fn blank(source: &mut [u8], is_cpp: bool) {
    let mut gap = Gap::default();
    let mut at = 0;
    while let Some(start) = next_capitals(source, at) {
        let end = word_end(source, start);
        let is_macro = is_capitals(&source[start..end])
            .then(|| {
                attribute_end(
                    source,
                    start,
                    end,
                    &Before::of(source, start, &mut gap),
                    is_cpp,
                )
            })
            .flatten();
        if let Some(macro_end) = is_macro {
            let blanked = source[start..macro_end].iter_mut();
            for byte in blanked.filter(|byte| **byte != b'\n') {
                *byte = b' ';
            }
        }
        at = is_macro.unwrap_or(end);
    }
}

/// The next word from `at` on, which is no middle of a word, that begins as one in capitals does.
fn next_capitals(source: &[u8], at: usize) -> Option<usize> {
    let mut is_inside = false;
    let pairs = source.get(at..)?.windows(2);
    let place = pairs.into_iter().position(|pair| {
        let (first, second) = (CLASS[usize::from(pair[0])], CLASS[usize::from(pair[1])]);
        let begins = first & BEGINS_CAPITALS != 0 && second & CAPITALS != 0 && !is_inside;
        is_inside = first & WORD != 0;
        begins
    });
    place.map(|place| at + place)
}

/// White space that has been looked through last: a row of blanked macros is looked through once.
#[derive(Default)]
struct Gap {
    start: usize,
    end: usize,
    has_line_break: bool,
}

impl Gap {
    /// The white space before `at`.
    fn go_to(&mut self, source: &[u8], at: usize) {
        let mut gap = Gap {
            start: at,
            end: at,
            has_line_break: false,
        };
        loop {
            if gap.start == self.end && self.start < self.end {
                gap.start = self.start;
                gap.has_line_break |= self.has_line_break;
            }
            match source[..gap.start].last() {
                Some(byte) if byte.is_ascii_whitespace() => {
                    gap.has_line_break |= *byte == b'\n';
                    gap.start -= 1;
                }
                _ => break,
            }
        }
        *self = gap;
    }
}

/// What stands before a word.
struct Before {
    has_class_keyword: bool,
    /// A closing parenthesis, or words that may follow the one of a parameter list.
    has_parameters: bool,
    /// Whether anything else than white space and what may stand before a declaration stands before it on its line.
    is_inside_line: bool,
}

/// Words that are told are no longer.
const LONGEST_WORD: usize = 12;

impl Before {
    fn of(source: &[u8], at: usize, gap: &mut Gap) -> Before {
        gap.go_to(source, at);
        let text = &source[at.saturating_sub(HORIZON).min(gap.start)..gap.start];
        let word = last_word(text);
        let mut parameters = text;
        while let word @ (b"const" | b"noexcept" | b"override" | b"final") = last_word(parameters) {
            parameters = parameters[..parameters.len() - word.len()].trim_ascii_end();
        }
        let mut line = text;
        let mut is_inside_line = !gap.has_line_break;
        while is_inside_line && !line.is_empty() {
            let word = last_word(line);
            let specifiers: [&[u8]; 6] = [
                b"static",
                b"inline",
                b"extern",
                b"constexpr",
                b"explicit",
                b"virtual",
            ];
            if !specifiers.contains(&word) {
                break;
            }
            let before = &line[..line.len() - word.len()];
            line = before.trim_ascii_end();
            is_inside_line = !before[line.len()..].contains(&b'\n');
        }
        Before {
            has_class_keyword: matches!(word, b"class" | b"struct" | b"union"),
            has_parameters: parameters.ends_with(b")"),
            is_inside_line: is_inside_line && !line.is_empty(),
        }
    }
}

/// The word at the end of a text; its end, where it is longer than any that is told.
fn last_word(text: &[u8]) -> &[u8] {
    let word = text.iter().rev().take(LONGEST_WORD);
    let length = word.take_while(|&&byte| is_word(byte)).count();
    &text[text.len() - length..]
}

/// Farther than this from a macro nothing is looked for that would tell what it is.
const HORIZON: usize = 300;

/// Where the macro `source[at..end]` and its arguments end, when it is an attribute.
fn attribute_end(
    source: &[u8],
    at: usize,
    end: usize,
    before: &Before,
    is_cpp: bool,
) -> Option<usize> {
    let horizon = source.len().min(at + HORIZON);
    let ahead = &source[..horizon];
    let with_arguments = match ahead.get(skip_white(ahead, end)) {
        Some(b'(') => closing(ahead, skip_white(ahead, end))?,
        _ => end,
    };
    let next = skip_white(ahead, with_arguments);
    let next_byte = *ahead.get(next)?;
    let is_attribute = if before.has_class_keyword {
        is_word(next_byte) && opens_class(ahead, word_end(ahead, next))
    } else if before.has_parameters {
        next_byte == b'{' || is_capitals(&ahead[next..word_end(ahead, next)])
    } else if !before.is_inside_line && (is_word(next_byte) || is_cpp && next_byte == b'~') {
        let is_same_line = !ahead[end..next].contains(&b'\n');
        let least = if with_arguments > end {
            0
        } else if is_cpp && is_same_line {
            1
        } else {
            2
        };
        words_before_parameters(&ahead[next..]).is_some_and(|words| words >= least)
    } else {
        false
    };
    is_attribute.then_some(with_arguments)
}

/// Whether what follows the name of a class is its body or its bases.
fn opens_class(source: &[u8], name_end: usize) -> bool {
    let next = skip_white(source, name_end);
    match source.get(next) {
        Some(b'{') => true,
        Some(b':') => source.get(next + 1) != Some(&b':'),
        _ => source[next.min(source.len())..].starts_with(b"final"),
    }
}

/// How many words stand before the next opening parenthesis; none when anything else than a type and a name does.
fn words_before_parameters(source: &[u8]) -> Option<usize> {
    let mut words = 0;
    let mut at = 0;
    loop {
        match *source.get(at)? {
            b'(' => {
                // A name in parentheses, which keeps a macro of that name from being expanded: `void (f) (int a)`.
                let name_end = word_end(source, at + 1);
                let is_name = name_end > at + 1
                    && source.get(name_end) == Some(&b')')
                    && source.get(skip_white(source, name_end + 1)) == Some(&b'(');
                return Some(words + usize::from(is_name));
            }
            byte if is_word(byte) => {
                words += 1;
                at = word_end(source, at);
            }
            b'*' | b'&' | b':' | b'<' | b'>' | b',' | b'~' => at += 1,
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => return None,
        }
    }
}

/// Stands in words.
const WORD: u8 = 1;
/// Stands in words in capitals.
const CAPITALS: u8 = 2;
/// Begins them.
const BEGINS_CAPITALS: u8 = 4;

/// What a byte is, by byte: every byte of a text is asked for.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => WORD,
            b'0'..=b'9' => WORD | CAPITALS,
            b'A'..=b'Z' | b'_' => WORD | CAPITALS | BEGINS_CAPITALS,
            _ => 0,
        };
        byte += 1;
    }
    table
};

fn is_word(byte: u8) -> bool {
    CLASS[usize::from(byte)] & WORD != 0
}

fn word_end(source: &[u8], start: usize) -> usize {
    let mut end = start;
    while source.get(end).is_some_and(|&byte| is_word(byte)) {
        end += 1;
    }
    end
}

fn skip_white(source: &[u8], start: usize) -> usize {
    let mut end = start;
    while source.get(end).is_some_and(u8::is_ascii_whitespace) {
        end += 1;
    }
    end
}

/// One past the parenthesis that closes the one at `open`.
fn closing(source: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in source.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a word is written as macros are: at least two capitals, no small letters.
pub(crate) fn is_capitals(word: &[u8]) -> bool {
    let capitals = word.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    capitals >= 2 && !word.iter().any(u8::is_ascii_lowercase) && !word[0].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(source: &str, is_cpp: bool) -> String {
        let mut source = source.as_bytes().to_vec();
        blank(&mut source, is_cpp);
        let text = String::from_utf8(source).expect("blanks are ASCII");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_go_where_only_an_attribute_makes_sense() {
        for (source, expected) in [
            ("class EXPORT A { }", "class A { }"),
            ("class EXPORT(x) A : B { }", "class A : B { }"),
            ("struct POINT p = { 0 };", "struct POINT p = { 0 };"),
            ("class EXPORT;", "class EXPORT;"),
            ("void f() LOCKS(mu) { }", "void f() { }"),
            ("void f() const A_B LOCKS(mu) { }", "void f() const { }"),
            ("x = c ? (int) FOO : BAR;", "x = c ? (int) FOO : BAR;"),
            ("API int f(int a) {", "int f(int a) {"),
            ("DEPRECATED(\"x\") int f(int a) {", "int f(int a) {"),
            ("API int (f) (int a) {", "int (f) (int a) {"),
            ("static API int f(int a) {", "static int f(int a) {"),
            ("TEST(Foo, Bar) { }", "TEST(Foo, Bar) { }"),
            ("int x = FOO(1);", "int x = FOO(1);"),
        ] {
            assert_eq!(blanked(source, true), expected);
            assert_eq!(blanked(source, false), expected);
        }
        assert_eq!(blanked("BOOL f(int a) {", false), "BOOL f(int a) {");
        assert_eq!(
            blanked("CONSTEXPR A(int a) : b(a) {}", true),
            "A(int a) : b(a) {}"
        );
        assert_eq!(
            blanked("constexpr INLINE A(int a) {}\nCONSTEXPR ~A() {}", true),
            "constexpr A(int a) {} ~A() {}"
        );
        assert_eq!(blanked("BOOL\nf (int a) {", true), "BOOL f (int a) {");
    }

    #[test]
    fn places_stay_the_same() {
        let mut source = b"A\nAPI(\n)\nint f(int)".to_vec();
        blank(&mut source, true);
        assert_eq!(source, b"A\n    \n \nint f(int)");
    }
}
