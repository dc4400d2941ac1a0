//! Bytes as text, whatever its encoding.

use std::borrow::Cow;

/// What the bytes from 0x80 on are in Windows-1252, where they are not what they are in Latin-1.
/// <https://encoding.spec.whatwg.org/index-windows-1252.txt>
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text that bytes are, control characters and all, and whether they are no UTF-8. Such bytes are Windows-1252, which
/// Latin-1 is a part of, unless they show to be damaged UTF-8: then what is none is replaced.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => match older(bytes) {
            Some(text) => (Cow::Owned(text), true),
            None => (String::from_utf8_lossy(bytes), true),
        },
    }
}

/// The text that bytes which are no UTF-8 are in Windows-1252; `None` if they show to be damaged UTF-8.
pub fn older(bytes: &[u8]) -> Option<String> {
    is_windows_1252(bytes).then(|| bytes.iter().map(|&it| character(it)).collect())
}

fn character(byte: u8) -> char {
    let special = WINDOWS_1252.get(usize::from(byte).wrapping_sub(0x80));
    special.copied().unwrap_or(char::from(byte))
}

/// Whether bytes that are no UTF-8 may be Windows-1252: characters of several bytes are next to never so by accident, and
/// neither are bytes that it has no character for, nor the last one.
fn is_windows_1252(bytes: &[u8]) -> bool {
    let is_character = |&byte: &u8| !matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d | 0xff);
    bytes.iter().all(is_character) && bytes.utf8_chunks().all(|part| part.valid().is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_older_encodings_are_read_and_damage_is_replaced() {
        for (bytes, text, is_other) in [
            (&b"caf\xc3\xa9"[..], "café", false),
            (b"caf\xe9", "café", true),
            (b"na\xefve \x96 \x80", "naïve – €", true),
            (b"a\tb\0", "a\tb\0", false),
            // Damaged UTF-8.
            (b"caf\xc3\xa9 \xe9", "café \u{fffd}", true),
            (b"\xff\xfe", "\u{fffd}\u{fffd}", true),
            (b"a\x81", "a\u{fffd}", true),
        ] {
            assert_eq!(decode(bytes), (text.into(), is_other), "{bytes:?}");
        }
    }
}
