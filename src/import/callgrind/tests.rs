//! Tests of the parts of the format.

use super::*;

#[test]
fn names_are_decompressed() {
    let mut names = Names::default();
    let (main, _) = names.read(b"(1) main");
    assert_eq!(names.read(b"(1)"), (main, false));
    assert_eq!(names.read(b"main"), (main, false));
    let (below, unknown) = names.read(b"(below main)");
    assert!(below != main && !unknown);
    let (other, unknown) = names.read(b"(7)");
    assert!(unknown && names.text(other) == b"(7)");
    assert_eq!(names.read(b"(7)"), (other, false));
    let (again, _) = names.read(b"(1) other");
    assert_eq!(
        (names.read(b"(1)"), names.text(again)),
        ((again, false), &b"other"[..])
    );
}

#[test]
fn numbers_are_decimal_or_hexadecimal() {
    for (text, expected) in [
        ("12", Some(12)),
        ("0x1f", Some(31)),
        ("0", Some(0)),
        ("", None),
        ("0x", None),
        ("+1", None),
        ("0x+1", None),
        ("1.5", None),
        ("99999999999999999999", None),
    ] {
        assert_eq!(words::number(text.as_bytes()), expected, "{text}");
    }
}
