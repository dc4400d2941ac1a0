//! How wide a name is, and how to shorten it. The renderer shapes the letters; here a table of widths
//! is enough to see what fits.

use callscape_base::escape;

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

/// Writes `text`, as people may see it, into `out`, with `…` in place of its middle where it is wider than `limit` em. Of a
/// name with its place, as in `read (lexer.c)`, the name is kept as long as possible. False when not even a few letters fit.
pub fn shorten(text: &str, limit: f32, out: &mut String) -> bool {
    out.clear();
    let text = &*escape::name(text);
    if width(text) <= limit {
        out.push_str(text);
        return true;
    }
    let room = limit - advance('…');
    let place = text.find(" (").filter(|_| text.ends_with(')'));
    let name = place.map_or(text, |at| &text[..at]);
    let of_name = width(name);
    let (text, head_room) = match place {
        Some(_) if of_name <= room => (text, of_name),
        // The beginning says more than the end, but endings tell siblings apart.
        _ => (name, room * 0.6),
    };
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

/// What stands behind the last dot of a name and is no longer than this, in bytes, is a file's ending.
const LONGEST_ENDING: usize = 4;

/// Where a name may be broken, as ends of its words: behind `_`, `-`, `.`, `:`, `/`, `,` and spaces, before `(`, `<` and
/// `[`, and where a capital follows a small letter or a digit. In order; the last is its end.
fn word_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, letter) = letters.next()?;
            let end = at + letter.len_utf8();
            let Some(&(_, next)) = letters.peek() else {
                return Some(end);
            };
            let is_joint = |of: char| matches!(of, '_' | '-' | '.' | ':' | '/' | ',' | ' ');
            // The ending of a file's name stays with it.
            if letter == '.' && text.len() - end <= LONGEST_ENDING && !text[end..].contains('.') {
                continue;
            }
            let is_hump = next.is_uppercase() && (letter.is_lowercase() || letter.is_numeric());
            let opens = matches!(next, '(' | '<' | '[');
            // Wide scripts have no spaces.
            let is_wide = letter >= '\u{2e80}';
            if (is_joint(letter) && !is_joint(next)) || is_hump || opens || is_wide {
                return Some(end);
            }
        }
    })
}

/// The width of the longest word of a name, in em.
pub fn longest_word(text: &str) -> f32 {
    let mut start = 0;
    let widths = word_ends(text).map(|end| {
        let word = width(&text[start..end]);
        start = end;
        word
    });
    widths.fold(0.0, f32::max)
}

/// The same as [`shorten`], with whole words left out of the middle; false when not even the first word fits.
pub fn shorten_at_words(text: &str, limit: f32, out: &mut String) -> bool {
    out.clear();
    let text = &*escape::name(text);
    let all = width(text);
    if all <= limit {
        out.push_str(text);
        return true;
    }
    let room = limit - advance('…');
    // The beginning says more than the end, but endings tell siblings apart.
    let (mut head, mut tail) = (0, text.len());
    for end in word_ends(text) {
        if width(&text[..end]) > room * 0.7 && head > 0 || width(&text[..end]) > room {
            break;
        }
        head = end;
    }
    if head == 0 {
        return false;
    }
    let left = room - width(&text[..head]);
    for end in word_ends(text) {
        if end >= head && width(&text[end..]) <= left {
            tail = end;
            break;
        }
    }
    out.push_str(text[..head].trim_end());
    out.push('…');
    out.push_str(text[tail..].trim_start());
    true
}

/// The most lines that [`wrap`] makes of a name.
pub const MOST_LINES: usize = 4;

/// A name on one or more lines, broken between words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lines {
    /// Where each line ends, in bytes.
    ends: [usize; MOST_LINES],
    count: usize,
    /// Of the widest line, in em.
    pub width: f32,
}

impl Lines {
    pub fn count(&self) -> usize {
        self.count
    }

    /// The lines of `text`, the name that was wrapped.
    pub fn of<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let mut start = 0;
        self.ends[..self.count].iter().filter_map(move |&end| {
            let line = text.get(start..end);
            start = end;
            line
        })
    }
}

/// Breaks a name into at most `most` lines of even width: the widest is as narrow as can be, to a twentieth of an em.
/// O(letters).
pub fn wrap(text: &str, most: usize) -> Lines {
    let most = most.clamp(1, MOST_LINES);
    let all = width(text);
    // No line is narrower than the even share, and one line takes all: the narrowest limit in between is sought.
    let (mut low, mut high) = (all / most as f32, all);
    let mut best = fill(text, f32::INFINITY, most).unwrap_or_default();
    while most > 1 && high - low > 0.05 {
        let limit = (low + high) * 0.5;
        match fill(text, limit, most) {
            Some(lines) => {
                high = lines.width.min(limit);
                best = lines;
            }
            None => low = limit,
        }
    }
    best
}

/// Fills lines no wider than `limit` with words; none where `most` lines do not take all.
fn fill(text: &str, limit: f32, most: usize) -> Option<Lines> {
    let mut lines = Lines::default();
    let (mut start, mut last) = (0, 0);
    for end in word_ends(text) {
        if width(&text[start..end]) > limit {
            if last == start || lines.count + 1 >= most {
                return None;
            }
            lines.ends[lines.count] = last;
            lines.count += 1;
            lines.width = lines.width.max(width(&text[start..last]));
            start = last;
            if width(&text[start..end]) > limit {
                return None;
            }
        }
        last = end;
    }
    lines.ends[lines.count] = last;
    lines.count += 1;
    lines.width = lines.width.max(width(&text[start..last]));
    Some(lines)
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

    #[test]
    fn of_a_name_and_its_place_the_name_is_kept() {
        let (name, mut out) = ("read_numeral (lexer.c)", String::new());
        assert!(shorten(name, 11.0, &mut out));
        assert!(out.starts_with("read_numeral…"), "{out}");
        assert!(shorten(name, 6.0, &mut out));
        assert!(out.ends_with("al") && !out.contains('('), "{out}");
    }

    #[test]
    fn a_name_is_shortened_by_whole_words() {
        let mut out = String::new();
        for (name, limit, expected) in [
            ("poll_read_priv", 20.0, "poll_read_priv"),
            ("poll_read_priv", 7.0, "poll_…priv"),
            ("parseHttpResponseBody", 11.0, "parseHttp…Body"),
            ("std::vec::Vec<T>", 7.0, "std::…<T>"),
        ] {
            assert!(shorten_at_words(name, limit, &mut out), "{name}");
            assert_eq!(out, expected);
            assert!(width(&out) <= limit);
        }
        assert!(!shorten_at_words("incomprehensible", 6.0, &mut out));
    }

    #[test]
    fn lines_of_a_name_break_between_words_and_are_as_even_as_can_be() {
        for (name, most, expected) in [
            ("run", 3, &["run"][..]),
            ("poll_read_priv", 2, &["poll_", "read_priv"]),
            ("poll_read_priv", 3, &["poll_", "read_", "priv"]),
            ("drop_in_place", 1, &["drop_in_place"]),
            ("", 2, &[][..]),
        ] {
            let lines = wrap(name, most);
            let found: Vec<_> = lines.of(name).filter(|line| !line.is_empty()).collect();
            assert_eq!(found, expected);
        }
        let mut letters = 7_u32;
        for _ in 0..2000 {
            let mut name = String::new();
            for _ in 0..letters % 30 {
                letters = letters.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                name.push(
                    ['a', 'i', 'W', '_', ':', '.', '<', '漢', '7'][(letters >> 8) as usize % 9],
                );
            }
            letters = letters.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut before = f32::INFINITY;
            for most in 1..=MOST_LINES {
                let lines = wrap(&name, most);
                assert_eq!(lines.of(&name).collect::<String>(), name);
                assert!(lines.count() <= most && lines.width <= before + 0.1);
                before = lines.width;
            }
        }
    }
}
