//! Calls on their way into a block, and how many go into a group, a run and a block.

/// Calls in every block of a thread but the last.
pub(crate) const BLOCK: usize = 1 << BLOCK_BITS;
/// Few in unit tests, so that a small trace has many blocks, summaries and checkpoints.
pub(super) const BLOCK_BITS: u32 = if cfg!(test) { 4 } else { 12 };

/// Calls whose starts count from one group base.
pub(super) const GROUP: usize = if cfg!(test) { 4 } else { 64 };
/// Calls in a run of groups.
pub(super) const RUN: usize = if cfg!(test) { 8 } else { 512 };

/// A call on its way into a block: 32 bytes, for a block of them is gone through several times.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawCall {
    /// Nanoseconds on the recording's own clock.
    pub start: u64,
    /// Zero until it has ended.
    pub cost: u64,
    pub depth: u32,
    /// `RawCall::OPEN` until it has ended.
    pub triggered: u32,
    /// The place of its pair among those of its block, in order of the first call.
    pub slot: u32,
    /// A call of the same function encloses it.
    pub nested: bool,
}

impl RawCall {
    pub(super) const OPEN: u32 = u32::MAX;

    pub(super) fn ended(&self) -> bool {
        self.triggered != RawCall::OPEN
    }
}
