//! Scanning JSON (RFC 8259) in a window of a stream: values are taken apart in place or skipped, without
//! recursion and without copies.

use super::text;

/// Why a scan stopped before the end of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The bytes at hand end inside the value.
    Incomplete,
    /// The byte at this index of the bytes at hand is none that can stand there.
    Malformed(usize),
}

type Scan<T> = Result<T, Stop>;

/// A value, as its bytes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// What stands between the quotes, escapes not resolved.
    Text(&'a [u8]),
    /// A number, `true`, `false`, `null`, or a word that JSON does not know, such as `NaN`.
    Word(&'a [u8]),
    /// An object or array, skipped.
    Nested,
}

impl<'a> Value<'a> {
    /// The bytes of a text or word.
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Value::Text(bytes) | Value::Word(bytes) => Some(bytes),
            Value::Nested => None,
        }
    }

    /// A line number or the like: digits, quoted or not.
    pub(crate) fn unsigned(self) -> Option<u32> {
        std::str::from_utf8(self.bytes()?).ok()?.parse().ok()
    }
}

/// A position in the bytes at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at }
    }

    /// How many of the bytes are done with.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// All bytes at hand.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next byte that is no white space.
    #[inline]
    pub(crate) fn peek(&mut self) -> Scan<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte > b' ' {
                return Ok(byte);
            }
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Err(Stop::Malformed(self.at));
            }
            self.at += 1;
        }
        Err(Stop::Incomplete)
    }

    /// Moves past `wanted`, which must be the next byte that is no white space.
    #[inline]
    pub(crate) fn expect(&mut self, wanted: u8) -> Scan<()> {
        if self.peek()? != wanted {
            return Err(Stop::Malformed(self.at));
        }
        self.at += 1;
        Ok(())
    }

    /// The content of a string whose opening quote is the next byte that is no white space.
    #[inline]
    pub(crate) fn text(&mut self) -> Scan<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        let mut from = start;
        loop {
            let at = find_quote_or_escape(self.bytes, from).ok_or(Stop::Incomplete)?;
            if self.bytes[at] == b'"' {
                self.at = at + 1;
                return Ok(&self.bytes[start..at]);
            }
            // The escaped byte, which may be a quote.
            from = at + 2;
        }
    }

    /// The next key and the colon behind it: its first eight bytes as a number, and all of it.
    #[inline]
    pub(crate) fn key(&mut self) -> Scan<(u64, &'a [u8])> {
        let key = self.text()?;
        // Behind a key of less than eight bytes stand other bytes: they are masked away.
        let start = self.at - 1 - key.len();
        let word = match self.bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
            Some(word) if key.len() < 8 => u64::from_le_bytes(*word) & ((1 << (key.len() * 8)) - 1),
            _ => packed(key),
        };
        self.expect(b':')?;
        Ok((word, key))
    }

    /// A run of bytes that no delimiter interrupts: a number or a word.
    #[inline]
    fn word(&mut self) -> Scan<&'a [u8]> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let length = rest
            .iter()
            .position(|&byte| DELIMITERS[usize::from(byte)])
            .ok_or(Stop::Incomplete)?;
        if length == 0 {
            return Err(Stop::Malformed(start));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// The next value. Objects and arrays are skipped.
    #[inline]
    pub(crate) fn value(&mut self) -> Scan<Value<'a>> {
        match self.peek()? {
            b'"' => self.text().map(Value::Text),
            b'{' | b'[' => {
                let mut skip = Skip::default();
                self.at += skip.over(&self.bytes[self.at..]).ok_or(Stop::Incomplete)?;
                Ok(Value::Nested)
            }
            _ => self.word().map(Value::Word),
        }
    }

    /// Moves past the comma before a further member or element (`true`), or past `close` (`false`).
    /// The comma may be missing before the first, and one too many before `close` is forgiven.
    #[inline]
    pub(crate) fn next(&mut self, close: u8) -> Scan<bool> {
        let mut byte = self.peek()?;
        if byte == b',' {
            self.at += 1;
            byte = self.peek()?;
        }
        if byte == close {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }
}

/// What ends a number or word.
pub(crate) const DELIMITERS: [bool; 256] = {
    let mut delimiters = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        delimiters[byte] = byte <= b' ' as usize
            || matches!(byte as u8, b',' | b'}' | b']' | b':' | b'"' | b'{' | b'[');
        byte += 1;
    }
    delimiters
};

/// Where the next quote or backslash stands from `from` on. 32 bytes at a time where the processor has a
/// cheap way: then most texts in a trace end in the first, and nothing depends on their length.
#[inline]
pub(crate) fn find_quote_or_escape(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    #[cfg(target_arch = "x86_64")]
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<32>) {
        // SAFETY: SSE2 is a part of every x86-64.
        let found = unsafe { quotes_and_escapes(chunk) };
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 32;
    }
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero; of bytes above the first such, perhaps one too many.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        let quotes = zeros(word ^ (ONES * b'"' as u64));
        let escapes = zeros(word ^ (ONES * b'\\' as u64));
        let found = quotes | escapes;
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    let found = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    Some(at + found)
}

/// A bit for each byte that is a quote or backslash.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn quotes_and_escapes(chunk: &[u8; 32]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };
    let (words, _) = chunk.as_chunks::<8>();
    let word = |at: usize| words.get(at).map_or(0, |word| i64::from_le_bytes(*word));
    let bits = |first: usize| {
        let bytes = _mm_set_epi64x(word(first + 1), word(first));
        let quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
        let escapes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
        _mm_movemask_epi8(_mm_or_si128(quotes, escapes)) as u32
    };
    bits(0) | bits(2) << 16
}

/// A short key as a number, so that keys are told apart by one comparison each; see [`Cursor::key`].
pub(crate) const fn packed(key: &[u8]) -> u64 {
    let mut packed = 0;
    let mut at = 0;
    while at < key.len() && at < 8 {
        packed |= (key[at] as u64) << (at * 8);
        at += 1;
    }
    packed
}

/// Skips one value, however deeply nested and over however many windows. Brackets are counted, not paired:
/// what is skipped is not judged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skip {
    depth: u64,
    in_text: bool,
    escaped: bool,
    /// Inside a number or word at the outermost level.
    in_word: bool,
}

impl Skip {
    /// How many of `bytes` belong to the value, when it ends in them; all of them do when it does not.
    pub(crate) fn over(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_text {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
                if bytes[at] == b'\\' {
                    self.escaped = true;
                } else {
                    self.in_text = false;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                at += 1;
                continue;
            }
            match bytes[at] {
                b'"' if self.in_word => return Some(at),
                b'"' => self.in_text = true,
                b'{' | b'[' if self.in_word => return Some(at),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth == 0 => return Some(at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                b',' | b':' | 0..=b' ' if self.depth == 0 && self.in_word => return Some(at),
                b',' | b':' if self.depth == 0 => return Some(at),
                0..=b' ' => {}
                _ => self.in_word = self.depth == 0,
            }
            at += 1;
        }
        None
    }
}

/// The text that a string's content stands for, and whether JSON forbids something in it: bytes that are no UTF-8, and
/// half surrogate pairs, which are replaced; control characters, and backslashes that begin no escape, such as those of
/// `C:\pkg`, which stay.
pub(crate) fn unescape(content: &[u8]) -> (String, bool) {
    let (decoded, mut repaired) = text::decode(content);
    let mut text = String::with_capacity(decoded.len());
    let mut chars = decoded.chars();
    while let Some(next) = chars.next() {
        if next != '\\' {
            repaired |= next < ' ';
            text.push(next);
            continue;
        }
        let behind = chars.clone();
        let escaped = match chars.next() {
            Some(plain @ ('"' | '\\' | '/')) => plain,
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') if hex4(&mut chars.clone()).is_some() => {
                let character = unicode(&mut chars);
                repaired |= character.is_none();
                character.unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => {
                chars = behind;
                repaired = true;
                '\\'
            }
        };
        text.push(escaped);
    }
    (text, repaired)
}

/// The character of the four hexadecimal digits behind `\u`, and of the second half of a surrogate pair.
fn unicode(chars: &mut std::str::Chars<'_>) -> Option<char> {
    let mut ahead = chars.clone();
    let high = hex4(&mut ahead)?;
    *chars = ahead.clone();
    if !(0xd800..0xdc00).contains(&high) {
        return char::from_u32(high);
    }
    if ahead.next() != Some('\\') || ahead.next() != Some('u') {
        return None;
    }
    let low = hex4(&mut ahead).filter(|low| (0xdc00..0xe000).contains(low))?;
    *chars = ahead;
    char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
}

fn hex4(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut value = 0;
    for _ in 0..4 {
        value = value * 16 + chars.next()?.to_digit(16)?;
    }
    Some(value)
}
