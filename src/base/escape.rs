//! Names from inputs are data, also for terminals: what would steer one is shown as an escape.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character steers a terminal or the direction of the text around it: control characters, separators of lines
/// and paragraphs, and the marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode Standard
/// Annex 9, table 4).
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped_but(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |c: char| !steers(c) || is_kept(c);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if is_shown(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            // Writing to a string does not fail.
            c => drop(write!(shown, "\\u{{{:x}}}", u32::from(c))),
        }
    }
    Cow::Owned(shown)
}

/// A name as people may see it, on one line.
pub fn name(text: &str) -> Cow<'_, str> {
    escaped_but(text, |_| false)
}

/// Text of several lines as people may see it: lines and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped_but(text, |c| matches!(c, '\n' | '\t'))
}

/// Text as data in a file of text that a terminal may show: what steers is written as `\u{…}`, and so are the signs that
/// the format gives a meaning. [`undata`] gives each text back; of a text that has such an escape itself, the backslash
/// is written so.
pub fn data(text: &str, is_sign: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |c: char| steers(c) || is_sign(c);
    if !text.contains(is_escaped) && !text.contains("\\u{") {
        return Cow::Borrowed(text);
    }
    let mut data = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match is_escaped(c) || text[at..].starts_with("\\u{") {
            // Writing to a string does not fail.
            true => drop(write!(data, "\\u{{{:x}}}", u32::from(c))),
            false => data.push(c),
        }
    }
    Cow::Owned(data)
}

/// The text that [`data`] has written. Escapes of what it never escapes stay.
pub fn undata(data: &str, is_sign: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !data.contains("\\u{") {
        return Cow::Borrowed(data);
    }
    let mut text = String::with_capacity(data.len());
    let mut rest = data;
    while let Some(at) = rest.find("\\u{") {
        let (before, behind) = (&rest[..at], &rest[at + 3..]);
        text.push_str(before);
        let code = behind.split_once('}').and_then(|(code, behind)| {
            let is_code =
                (1..=6).contains(&code.len()) && code.bytes().all(|it| it.is_ascii_hexdigit());
            let code = is_code.then(|| u32::from_str_radix(code, 16).ok())??;
            let c = char::from_u32(code).filter(|&c| steers(c) || is_sign(c) || c == '\\')?;
            Some((c, behind))
        });
        match code {
            Some((c, behind)) => {
                text.push(c);
                rest = behind;
            }
            None => {
                text.push_str("\\u{");
                rest = behind;
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// A text in JSON with what steers in it, which are its strings, as the escapes of JSON: the same document. Line breaks
/// between its values stay.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| steers(c) && c != '\n';
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_escaped(c) {
            // All of them are in the basic plane, and writing to a string does not fail.
            true => drop(write!(shown, "\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether spreadsheets compute a text, apostrophes before it left aside. Numbers stay what they are.
fn is_computed(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && !is_number()
}

/// Text as a cell of a table in CSV, as [`data`]. Spreadsheets compute what begins with some signs, and leave alone what begins with
/// an apostrophe. One before such a text gets another, so that [`undata`] and then [`uncell`] give each text back. Source: OWASP,
/// *CSV Injection*.
pub fn cell(text: &str) -> Cow<'_, str> {
    let text = data(text, |_| false);
    match is_computed(&text) {
        true => Cow::Owned(format!("'{text}")),
        false => text,
    }
}

/// The text that [`cell`] has made a cell of, once [`undata`] has read its escapes.
pub fn uncell(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_computed(text) => text,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for formula in [
            "=1+1",
            "+1+1",
            "-[Object name]",
            "@SUM(1)",
            "＝1",
            "-inf",
            "-",
        ] {
            assert_eq!(cell(formula), format!("'{formula}"));
        }
        for plain in ["", "main", "a=b", "'a", "-5", "+1.5e3", " x", "operator-"] {
            assert_eq!(cell(plain), plain);
        }
        for text in [
            "-[Object name]",
            "'=1",
            "''=1",
            "'-5",
            "'",
            "'a",
            "main",
            "-5",
            "",
        ] {
            assert_eq!(uncell(&cell(text)), text);
        }
    }

    #[test]
    fn json_steers_nothing_and_is_the_same_document() {
        for code in (0..=0x3000).filter_map(char::from_u32) {
            let text = format!("a{code}b");
            let document = serde_json::json!([text, {"of": 1}]);
            let plain = serde_json::to_string_pretty(&document).expect("memory");
            let shown = json(&plain);
            assert!(!shown.contains(|c| steers(c) && c != '\n'), "{shown:?}");
            let read: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
            assert_eq!(read, document);
        }
        assert!(matches!(json("[\n\"größer\"]"), Cow::Borrowed(_)));
    }

    #[test]
    fn data_steer_nothing_and_come_back() {
        let pieces = [
            "a", "\\", "u{", "1b}", "\\u{1b}", "\\u{5c}", "}", "\u{1b}", "\n", ";", "\u{9b}",
            "\u{202e}", "é", "=", "'", "\t", "u{61}",
        ];
        let is_sign = |c: char| c == ';';
        let mut random = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..6 {
                random = random
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                text += pieces[(random >> 33) as usize % pieces.len()];
            }
            let written = data(&text, is_sign);
            assert!(
                !written.contains(|c: char| steers(c) || c == ';'),
                "{written:?}"
            );
            assert_eq!(undata(&written, is_sign), text, "{written:?}");
            let written = cell(&text);
            assert!(!written.contains(steers), "{written:?}");
            let read = undata(&written, |_| false);
            assert_eq!(uncell(&read), text, "{written:?}");
        }
        for plain in ["C:\\users", "a\\u", "std::vec<T>", "größer"] {
            assert!(matches!(data(plain, is_sign), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn what_steers_a_terminal_is_shown_and_all_else_stays() {
        let plain = "std::vec::Vec<T>::push · größer · 関数 · 🙂";
        assert!(matches!(name(plain), Cow::Borrowed(_)));
        assert_eq!(name("a\u{1b}]0;x\u{7}b"), "a\\u{1b}]0;x\\u{7}b");
        assert_eq!(name("a\u{202e}b\u{2069}"), "a\\u{202e}b\\u{2069}");
        assert_eq!(name("a\u{9b}31m\u{7f}"), "a\\u{9b}31m\\u{7f}");
        assert_eq!(name("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(lines("a\nb\tc\r"), "a\nb\tc\\r");
        for code in (0..=0x3000).filter_map(char::from_u32) {
            let text = code.to_string();
            assert!(!name(&text).chars().any(steers), "{code:?}");
        }
    }
}
