//! Patterns that mark what differs.

/// What is marked on a block by a pattern, for who does not see or print the colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Mark {
    #[default]
    None,
    /// Only after a change: stripes that rise to the right.
    Added,
    /// Only before a change: crossed stripes.
    Gone,
    /// Less than before: stripes that run level.
    Less,
    /// More than before: stripes that run from south to north, and up.
    More,
}
