//! The words of callgrind's lines: names, which may be compressed to numbers, and numbers.

use std::collections::HashMap;

use crate::decimal;
use callscape_facts::hashing::BuildFast;

/// Stands for no name.
pub(super) const NONE: u32 = u32::MAX;

/// Names of one kind: objects, files or functions.
#[derive(Default)]
pub(super) struct Names {
    texts: Vec<Box<[u8]>>,
    places: HashMap<Box<[u8]>, u32, BuildFast>,
    /// By compressed id.
    ids: HashMap<u64, u32, BuildFast>,
}

impl Names {
    fn place(&mut self, text: &[u8]) -> u32 {
        if let Some(&known) = self.places.get(text) {
            return known;
        }
        let place = self.texts.len() as u32;
        self.texts.push(text.into());
        self.places.insert(text.into(), place);
        place
    }

    /// The name in `(id) name`, `(id)` or `name`, and whether it is an id that was not given a name before.
    pub(super) fn read(&mut self, text: &[u8]) -> (u32, bool) {
        let Some((id, name)) = compressed(text) else {
            return (self.place(text), false);
        };
        if !name.is_empty() {
            let place = self.place(name);
            self.ids.insert(id, place);
            return (place, false);
        }
        if let Some(&known) = self.ids.get(&id) {
            return (known, false);
        }
        let place = self.place(text);
        self.ids.insert(id, place);
        (place, true)
    }

    pub(super) fn text(&self, place: u32) -> &[u8] {
        self.texts.get(place as usize).map_or(b"", |text| text)
    }
}

/// `(id) name` taken apart; none of a name alone, which may be in parentheses too.
fn compressed(text: &[u8]) -> Option<(u64, &[u8])> {
    let inside = text.strip_prefix(b"(")?;
    let close = memchr::memchr(b')', inside)?;
    let id = number(&inside[..close])?;
    Some((id, inside[close + 1..].trim_ascii()))
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// A decimal number, or a hexadecimal one behind `0x`; none where there is none or it does not fit.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        // `from_str_radix` takes a sign.
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).ok()
        }
        None if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

/// A number as [`number`] reads it, which may be negative.
pub(super) fn signed(text: &[u8]) -> Option<i64> {
    let (sign, size) = match text.strip_prefix(b"-") {
        Some(size) => (-1, size),
        None => (1, text),
    };
    Some(sign * i64::try_from(number(size)?).ok()?)
}

/// A number as [`number`] reads it, or the whole number next to one with decimals, and whether it had any.
pub(super) fn rounded(text: &[u8]) -> Option<(u64, bool)> {
    if memchr::memchr(b',', text).is_some() {
        let plain = decimal::plain(std::str::from_utf8(text).ok()?, true)?;
        return rounded(plain.as_bytes());
    }
    let Some(point) = memchr::memchr(b'.', text) else {
        return Some((number(text)?, false));
    };
    let (whole, decimals) = (&text[..point], &text[point + 1..]);
    if text.starts_with(b"0x") || !decimals.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let up = u64::from(decimals.first().is_some_and(|&digit| digit >= b'5'));
    let rest = decimals.iter().any(|&digit| digit != b'0');
    Some((number(whole)?.checked_add(up)?, rest))
}
