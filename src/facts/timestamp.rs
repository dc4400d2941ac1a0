//! Times as recordings have them.

/// Nanoseconds on the recording's own clock, of any origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_ns(ns: i64) -> Timestamp {
        Timestamp(ns)
    }

    pub const fn ns(self) -> i64 {
        self.0
    }

    /// The same bits without sign: differences wrap and come out right.
    pub(crate) const fn bits(self) -> u64 {
        self.0 as u64
    }

    pub(crate) const fn from_bits(bits: u64) -> Timestamp {
        Timestamp(bits as i64)
    }
}
