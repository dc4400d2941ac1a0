//! What is told of an address.

use crate::demangle::demangle_with_arguments;

/// A frame at an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub symbol: String,
    pub inlined: bool,
    /// Empty where it is not known.
    pub file: String,
    /// From 1; 0 where it is not known.
    pub line: u32,
}

impl Told {
    pub(super) fn of_symbol(name: &[u8]) -> Told {
        Told {
            symbol: demangle_with_arguments(&String::from_utf8_lossy(name)),
            inlined: false,
            file: String::new(),
            line: 0,
        }
    }
}
