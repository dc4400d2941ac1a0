//! Bytes of a text format as text.

use std::borrow::Cow;

pub(crate) use callscape_base::encoding::decode;

/// The text that bytes of a line are, and whether it is sound: UTF-8 without control characters but tabs.
pub(crate) fn checked(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let (text, is_other) = decode(bytes);
    let is_sound = !is_other && !text.contains(|it: char| it.is_control() && it != '\t');
    (text, is_sound)
}
