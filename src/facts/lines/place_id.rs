//! Places while they are built.

/// A place while it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub(super) u32);

impl PlaceId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}
