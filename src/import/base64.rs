//! Base 64. Specification: <https://www.rfc-editor.org/rfc/rfc4648>, section 4.

/// The value of a digit of base 64.
pub(crate) fn digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// The bytes that a text of base 64 stands for.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for digits in text.chunks(4) {
        let bits = digits
            .iter()
            .try_fold(0, |bits, &byte| Some(bits << 6 | digit(byte)?))?;
        let [_, a, b, c] = (bits << (6 * (4 - digits.len()))).to_be_bytes();
        bytes.extend(&[a, b, c][..digits.len() - 1]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        for (text, expected) in [
            ("", Some(&b""[..])),
            ("Zg==", Some(b"f")),
            ("Zm8", Some(b"fo")),
            ("Zm9v", Some(b"foo")),
            ("/+8=", Some(b"\xff\xef")),
            ("Z", Some(b"")),
            ("Zm*v", None),
        ] {
            assert_eq!(bytes(text).as_deref(), expected, "{text}");
        }
    }
}
