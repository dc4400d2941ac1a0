//! The calls of a block, column by column, before they are packed.

use super::raw_call::{BLOCK, GROUP, RawCall};
use super::summary::Entry;

/// The calls of a block, by slot the place of its pair among the entries, and these.
pub(super) struct Encoded<'a> {
    pub calls: &'a [RawCall],
    pub order: &'a [u32],
    pub entries: &'a [Entry],
}

/// Stands in the column of triggered calls for a call that is open at the end of its block. A call that
/// is not triggers less than a block.
pub(super) const OPEN: u64 = BLOCK as u64;

/// The calls of a block, column by column.
#[derive(Debug, Default)]
pub(super) struct CallColumns {
    pub group_starts: Vec<u64>,
    pub lowest: Vec<u64>,
    pub deltas: Vec<u64>,
    pub costs: Vec<u64>,
    pub triggered: Vec<u32>,
    pub depths: Vec<u32>,
    pub slots: Vec<u32>,
    pub nested: Vec<u32>,
    /// Of calls that start and end where others do, instead of costs: the time between the end of a call and the next
    /// start; and when, since the block begins, those end that no call of the block follows.
    pub gaps: Vec<u64>,
    pub until: u64,
}

/// A block is kept in steps where at most one start in `IN_STEPS` differs from the one before: calls of a sampled
/// recording start and end together.
const IN_STEPS: usize = 4;

impl CallColumns {
    /// Whether the calls, which have been filled in, start and end together; then their gaps are there.
    pub(super) fn find_steps(&mut self, block: &Encoded<'_>, base: u64) -> bool {
        let calls = block.calls;
        let changes = calls.windows(2).filter(|two| two[0].start != two[1].start);
        if changes.count() * IN_STEPS >= calls.len() {
            return false;
        }
        let end = |call: &RawCall| call.start.wrapping_add(call.cost);
        let next = |i: usize, call: &RawCall| calls.get(i + 1 + call.triggered as usize);
        let ended = || calls.iter().enumerate().filter(|(_, call)| call.ended());
        let last = ended().filter(|&(i, call)| next(i, call).is_none());
        self.until = last
            .map(|(_, call)| end(call).wrapping_sub(base))
            .max()
            .unwrap_or(0);
        let until = base.wrapping_add(self.until);
        self.gaps.clear();
        self.gaps.resize(calls.len(), 0);
        for (i, call) in ended() {
            let next = next(i, call).map_or(until, |next| next.start);
            self.gaps[i] = next.wrapping_sub(end(call));
        }
        true
    }

    pub(super) fn fill(&mut self, block: &Encoded<'_>, base: u64, depth_base: u32) {
        let len = block.calls.len();
        self.group_starts.clear();
        self.lowest.clear();
        self.deltas.resize(len, 0);
        self.costs.resize(len, 0);
        for column in [
            &mut self.triggered,
            &mut self.depths,
            &mut self.slots,
            &mut self.nested,
        ] {
            column.resize(len, 0);
        }
        let deltas = self.deltas.chunks_mut(GROUP);
        let costs = self.costs.chunks_mut(GROUP);
        let triggered = self.triggered.chunks_mut(GROUP);
        let depths = self.depths.chunks_mut(GROUP);
        let slots = self.slots.chunks_mut(GROUP);
        let nested = self.nested.chunks_mut(GROUP);
        let columns = deltas
            .zip(costs)
            .zip(triggered.zip(depths))
            .zip(slots.zip(nested));
        for (group, columns) in block.calls.chunks(GROUP).zip(columns) {
            let (((deltas, costs), (triggered, depths)), (slots, nested)) = columns;
            let first = group[0].start;
            let mut lowest = u32::MAX;
            let times = deltas.iter_mut().zip(costs);
            let small = triggered
                .iter_mut()
                .zip(depths)
                .zip(slots.iter_mut().zip(nested));
            for ((call, (delta, cost)), ((triggered, depth), (slot, nested))) in
                group.iter().zip(times).zip(small)
            {
                *delta = call.start.wrapping_sub(first);
                *cost = call.cost;
                *triggered = call.triggered.min(OPEN as u32);
                *depth = call.depth - depth_base;
                *slot = block.order.get(call.slot as usize).copied().unwrap_or(0);
                *nested = u32::from(call.nested);
                lowest = lowest.min(*depth);
            }
            self.group_starts.push(first.wrapping_sub(base));
            self.lowest.push(u64::from(lowest));
        }
    }
}
