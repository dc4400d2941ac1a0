//! Attributes and ids of the binary form.

use crate::protobuf::{Fields, Value};

/// The key of an attribute, and the message of its value.
pub(super) fn attribute(value: Value<'_>) -> Option<(&str, &[u8])> {
    let (mut key, mut content) = ("", &[][..]);
    for (number, value) in Fields::new(value.bytes()?) {
        match (number, value) {
            (1, Value::Bytes(bytes)) => key = std::str::from_utf8(bytes).ok()?,
            (2, Value::Bytes(any)) => content = any,
            _ => {}
        }
    }
    Some((key, content))
}

/// Bytes as the JSON form writes them.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |number: u8| char::from(b"0123456789abcdef"[usize::from(number)]);
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}
