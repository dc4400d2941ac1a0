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
pub fn blank(source: &mut [u8], is_cpp: bool) {
    let mut before = Before::default();
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        if !is_word(byte) {
            before.feed(byte);
            at += 1;
            continue;
        }
        let end = word_end(source, at);
        let may_be_macro = byte.is_ascii_uppercase() || byte == b'_';
        let is_macro = (may_be_macro && is_capitals(&source[at..end]))
            .then(|| attribute_end(source, at, end, &before, is_cpp))
            .flatten();
        match is_macro {
            Some(macro_end) => {
                for byte in &mut source[at..macro_end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                // Nothing that counts has been seen: the next word has the same neighbour before it.
                at = macro_end;
            }
            None => {
                before.word(&source[at..end]);
                at = end;
            }
        }
    }
}

/// What stands before a word.
#[derive(Default)]
struct Before {
    has_class_keyword: bool,
    /// A closing parenthesis, or a word that may follow the one of a parameter list.
    has_parameters: bool,
    /// Whether only white space stands before it on its line.
    is_inside_line: bool,
}

impl Before {
    fn feed(&mut self, byte: u8) {
        if byte == b'\n' {
            self.is_inside_line = false;
        } else if !byte.is_ascii_whitespace() {
            self.has_class_keyword = false;
            self.has_parameters = byte == b')';
            self.is_inside_line = true;
        }
    }

    fn word(&mut self, word: &[u8]) {
        self.has_class_keyword = matches!(word, b"class" | b"struct" | b"union");
        self.has_parameters =
            matches!(word, b"const" | b"noexcept" | b"override" | b"final") && self.has_parameters;
        // What may stand before a macro at the start of a declaration.
        let specifiers: [&[u8]; 6] = [
            b"static",
            b"inline",
            b"extern",
            b"constexpr",
            b"explicit",
            b"virtual",
        ];
        self.is_inside_line |= !specifiers.contains(&word);
    }
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

/// Whether a byte may stand in a word, by byte: every byte of a text is asked for.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
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
pub fn is_capitals(word: &[u8]) -> bool {
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
