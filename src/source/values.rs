//! Long lists of values: tables that a generator has written, of which nobody asks for the syntax.
//!
//! A syntax tree takes hundreds of bytes a token: a picture of 14 MB as an array of C takes 2.3 GB. What stands between
//! the first value and the last makes no difference to what stands around it.

use std::borrow::Cow;

/// Shorter lists are left as they are.
const LONG: usize = 1 << 14;

/// More tokens than this are no text that a person wrote: their tree would take some gigabytes.
pub(crate) const MOST_TOKENS: usize = 6_000_000;

/// Smaller texts have too few tokens to be counted.
const SMALL: usize = 1 << 20;

/// A bracket that is open.
struct Open {
    at: usize,
    /// Of the commas directly inside of it.
    first: usize,
    last: usize,
}

/// The text with spaces instead of all values but the first and the last of each long list between brackets in which
/// nothing but numbers, plain strings, commas and further brackets stands; places and lines stay. Comments of C stay,
/// where they are such. O(n).
pub(crate) fn without_long_lists(text: Cow<'_, [u8]>, has_c_comments: bool) -> Cow<'_, [u8]> {
    if text.len() < LONG {
        return text;
    }
    let mut blanked: Vec<std::ops::Range<usize>> = Vec::new();
    let mut comments: Vec<std::ops::Range<usize>> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    loop {
        if open.is_empty() {
            match memchr::memchr3(b'{', b'[', b'(', text.get(at..).unwrap_or_default()) {
                Some(bracket) => at += bracket,
                None => break,
            }
        }
        let Some(&byte) = text.get(at) else { break };
        let mut next = at + 1;
        match byte {
            b'{' | b'[' | b'(' => open.push(Open {
                at,
                first: 0,
                last: 0,
            }),
            b'}' | b']' | b')' => {
                if let Some(list) = open.pop()
                    && at - list.at >= LONG
                    && list.first < list.last
                {
                    // What has been blanked inside of it is blanked once more.
                    while blanked.pop_if(|inner| inner.start > list.at).is_some() {}
                    blanked.push(list.first + 1..list.last + 1);
                }
            }
            b',' => {
                if let Some(list) = open.last_mut() {
                    list.last = at;
                    if list.first == 0 {
                        list.first = at;
                    }
                }
            }
            b'"' => match string_end(&text, next) {
                Some(end) => next = end,
                None => open.clear(),
            },
            b'/' if has_c_comments => match comment_end(&text, at) {
                Some(end) => {
                    if !open.is_empty() {
                        comments.push(at..end);
                    }
                    next = end;
                }
                None => open.clear(),
            },
            _ if is_of_value(byte) => {}
            // More than values stands in all lists that are open.
            _ => open.clear(),
        }
        at = next;
    }
    if blanked.is_empty() {
        return text;
    }
    let mut text = text.into_owned();
    let mut comments = comments.into_iter().peekable();
    for list in blanked {
        let mut at = list.start;
        while at < list.end {
            while comments.next_if(|comment| comment.end <= at).is_some() {}
            let comment = comments.peek().filter(|comment| comment.start < list.end);
            let end = comment.map_or(list.end, |comment| comment.start.max(at));
            let values = text[at..end].iter_mut();
            for byte in values.filter(|byte| !matches!(byte, b'\n' | b'\r')) {
                *byte = b' ';
            }
            at = comment.map_or(list.end, |comment| comment.end);
        }
    }
    text.into()
}

/// Digits of any base with their prefixes and suffixes, signs and white space.
fn is_of_value(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
        || byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'x' | b'X' | b'o' | b'u' | b'U' | b'l' | b'L' | b'_' | b'.' | b'+' | b'-'
        )
}

/// One past the quote that closes a string; none where it goes on over lines or may hold an expression.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'\n' | b'{' | b'$' => return None,
            _ => at += 1,
        }
    }
}

/// One past the comment that begins at `at`, if one does.
fn comment_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at + 1)? {
        b'/' => Some(memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |line| at + line)),
        b'*' => memchr::memmem::find(&text[at + 2..], b"*/").map(|end| at + 2 + end + 2),
        _ => None,
    }
}

/// Whether a text has so many tokens that its tree would not fit: words, and what is neither white space nor word.
pub(crate) fn has_too_many_tokens(text: &[u8]) -> bool {
    if text.len() < SMALL {
        return false;
    }
    let mut tokens = 0;
    let mut is_in_word = false;
    for &byte in text {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let begins = is_word && !is_in_word || !is_word && !byte.is_ascii_whitespace();
        tokens += usize::from(begins);
        is_in_word = is_word;
    }
    tokens > MOST_TOKENS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ends_of_long_lists_stay() {
        let values = "0x1f,\n -2.5e3, \"a, }\", {1,2}, 'c', /* d,\n e */ ".repeat(2000);
        let values = values.replace("'c', ", "");
        let source =
            format!("int a[] = {{ 7, {values} 8 }}, b[] = {{ 1, 2 }};\nint f() {{ g(); }}\n");
        let text = without_long_lists(source.as_bytes().into(), true);
        assert_eq!(text.len(), source.len());
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines(&text), lines(source.as_bytes()));
        let text = String::from_utf8(text.into_owned()).expect("spaces are ASCII");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words[..6], ["int", "a[]", "=", "{", "7,", "/*"]);
        let rest = words.join(" ").replace("/* d, e */ ", "");
        assert_eq!(rest, "int a[] = { 7, 8 }, b[] = { 1, 2 }; int f() { g(); }");
        // With anything else in it, and without comments, a list stays.
        for (source, has_comments) in [
            (source.replace("8 }", "z }"), true),
            (source.clone(), false),
        ] {
            let text = without_long_lists(source.as_bytes().into(), has_comments);
            assert_eq!(text, source.as_bytes());
        }
    }

    #[test]
    fn texts_of_any_shape_keep_their_length() {
        let mut state = 3u64;
        for round in 0..200u32 {
            let bytes = b"{}[](),\"/*\\\n 1f$'";
            let source: Vec<u8> = (0..LONG * 2)
                .map(|_| {
                    state = state
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    let most = if round.is_multiple_of(2) {
                        bytes.len()
                    } else {
                        9
                    };
                    bytes[(state >> 33) as usize % most]
                })
                .collect();
            let text = without_long_lists(source.as_slice().into(), round.is_multiple_of(3));
            assert_eq!(text.len(), source.len());
        }
    }

    #[test]
    fn tokens_are_words_and_signs() {
        assert!(!has_too_many_tokens(&b"word ".repeat(MOST_TOKENS)));
        assert!(has_too_many_tokens(&b"w;".repeat(MOST_TOKENS / 2 + 1)));
    }
}
