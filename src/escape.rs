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

/// Whether spreadsheets compute a text, apostrophes before it left aside. Numbers stay what they are.
fn is_computed(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) && !is_number()
}

/// Text as a cell of a table in CSV. Spreadsheets compute what begins with some signs, and leave alone what begins with
/// an apostrophe. One before such a text gets another, so that [`uncell`] gives each text back. Source: OWASP,
/// *CSV Injection*.
pub fn cell(text: &str) -> Cow<'_, str> {
    match is_computed(text) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// The text that [`cell`] has made a cell of.
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
            "\t=1",
            "\r=1",
            "\n=1",
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
