//! How wide a name is, and how to shorten it. The renderer shapes the letters; here a table of widths
//! is enough to see what fits.

use crate::escape;

/// The width of a text in em, a little generous.
pub fn width(text: &str) -> f32 {
    text.chars().map(advance).sum()
}

fn advance(letter: char) -> f32 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.30,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ' ' | '-' | '/' | '"' => 0.40,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.95,
        'A'..='Z' | '_' | '&' | '+' | '<' | '>' | '=' | '#' | '~' => 0.70,
        // Wide scripts: from Hangul Jamo on most letters are square.
        '\u{1100}'.. => 1.0,
        _ => 0.60,
    }
}

/// Writes `text`, as people may see it, into `out`, with `…` in place of its middle where it is wider than `limit` em. False
/// when not even a few letters fit.
pub fn shorten(text: &str, limit: f32, out: &mut String) -> bool {
    out.clear();
    let text = &*escape::name(text);
    if width(text) <= limit {
        out.push_str(text);
        return true;
    }
    let room = limit - advance('…');
    // The beginning says more than the end, but endings tell siblings apart.
    let head_room = room * 0.6;
    let (mut head, mut head_width) = (0, 0.0);
    for (at, letter) in text.char_indices() {
        if head_width + advance(letter) > head_room {
            break;
        }
        head_width += advance(letter);
        head = at + letter.len_utf8();
    }
    let (mut tail, mut tail_width) = (text.len(), 0.0);
    for (at, letter) in text.char_indices().rev() {
        if at < head || head_width + tail_width + advance(letter) > room {
            break;
        }
        tail_width += advance(letter);
        tail = at;
    }
    if text[..head].chars().count() < 2 {
        return false;
    }
    out.push_str(text[..head].trim_end());
    out.push('…');
    out.push_str(text[tail..].trim_start());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_name_fits_and_keeps_both_ends() {
        let name = "test_a_very_long_name_with_über_and_漢字_inside.py";
        let mut out = String::new();
        for tenth in 0..300 {
            let limit = tenth as f32 / 10.0;
            if shorten(name, limit, &mut out) {
                assert!(width(&out) <= limit + 1e-4, "{out} in {limit}");
                if out != name {
                    let (head, tail) = out.split_once('…').expect("shortened");
                    assert!(name.starts_with(head) && name.ends_with(tail));
                }
            } else {
                assert!(limit < 3.5, "{limit}");
            }
        }
        assert!(shorten("lib", 9.0, &mut out));
        assert_eq!(out, "lib");
        assert!(!shorten("", -1.0, &mut out));
    }
}
