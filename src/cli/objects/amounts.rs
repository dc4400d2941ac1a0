//! Amounts as text.

use callscape_base::units::{Cost, Unit};

/// An amount of bytes; a dash if unknown.
pub(super) fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or("-".into(), |it| Unit::Bytes.show(Cost::from_ns(it)))
}
