//! The rows of the call store's tables.

use bytemuck::{Pod, Zeroable};

use super::call::FunctionMetrics;
use callscape_base::units::Cost;

/// Stands for no row and for no function.
pub(super) const NONE: u32 = u32::MAX;

/// A block of a thread.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BlockEntry {
    /// Where its bytes lie in the data.
    pub offset: u64,
    /// When its first call starts.
    pub start: u64,
    /// The cost of the direct subcalls that have ended by the end of this block, of the innermost open
    /// call that started in an earlier block.
    pub survivor_children: u64,
    pub size: u32,
    pub checksum: u32,
    /// The first of its open calls in the thread's table of these.
    pub first_open: u32,
    /// The innermost call that is open before its first call, in the same table; or NONE.
    pub innermost: u32,
}

/// A call that is open at the end of its block.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct OpenCall {
    pub start: u64,
    pub end: u64,
    /// The cost of its direct subcalls.
    pub children: u64,
    /// The same, of those that have ended by the end of its block.
    pub children_in_block: u64,
    pub call: u32,
    /// The call around it, which is in this table before it; or NONE.
    pub parent: u32,
    pub triggered: u32,
    pub pair: u32,
    pub depth: u32,
    /// 1 when a call of the same function encloses it.
    pub nested: u32,
}

/// A summary: of 16 blocks, or of all blocks before a checkpoint.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct NodeEntry {
    pub offset: u64,
    pub size: u32,
    pub checksum: u32,
}

/// A call that is the longest of its depth in a run of blocks.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LongestCall {
    pub cost: u64,
    pub call: u32,
    pub depth: u32,
}

/// A caller (NONE for an outermost call) and a callee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Pair {
    pub caller: u32,
    pub callee: u32,
}

/// What calls of a function add up to; what of it was waiting is kept with the waits.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MetricsRow {
    pub calls: u64,
    pub total: u64,
    pub self_cost: u64,
}

impl From<&FunctionMetrics> for MetricsRow {
    fn from(metrics: &FunctionMetrics) -> MetricsRow {
        MetricsRow {
            calls: metrics.calls,
            total: metrics.total.ns(),
            self_cost: metrics.self_cost.ns(),
        }
    }
}

impl From<&MetricsRow> for FunctionMetrics {
    fn from(row: &MetricsRow) -> FunctionMetrics {
        FunctionMetrics {
            calls: row.calls,
            total: Cost::from_ns(row.total),
            self_cost: Cost::from_ns(row.self_cost),
            ..FunctionMetrics::default()
        }
    }
}

/// The facts of one call, wherever they stand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    pub start: u64,
    pub end: u64,
    pub depth: u32,
    pub triggered: u32,
}

impl OpenCall {
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            start: self.start,
            end: self.end,
            depth: self.depth,
            triggered: self.triggered,
        }
    }
}
