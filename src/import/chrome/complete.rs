//! A call as a recording of Chrome gives it whole.

use std::cmp::Reverse;

use bytemuck::{Pod, Zeroable};

/// A call of which start and end are known: a complete event, or a begin with its end.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Complete {
    pub start: i64,
    pub end: i64,
    pub offset: u64,
    /// The place of its thread.
    pub thread: u32,
    pub function: u32,
}

impl Complete {
    /// Of calls that start together the longer is the outer one.
    pub(crate) fn key(&self) -> (u32, i64, Reverse<i64>) {
        (self.thread, self.start, Reverse(self.end))
    }
}
