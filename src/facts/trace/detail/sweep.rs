//! Columns of few calls, gone through call by call.

use super::super::block::partition;
use super::super::entries::OpenCall;
use super::super::store::{Calls, place};
use super::best::Best;

/// Up to so many calls a column, all calls are gone through: finding out which need not be would cost
/// more.
pub(super) const SWEPT: u32 = if cfg!(test) { 6 } else { 300 };

/// Goes through calls one by one, and through the columns with them.
pub(super) struct Sweep<'a> {
    calls: Calls<'a>,
    /// The calls gone through, all that start before the last column's end.
    position: u32,
    /// The stack there by depth: call, start and end.
    open: Vec<(u32, u64, u64)>,
    /// Of the calls of one block from `first` on: their starts, costs and depths.
    first: u32,
    starts: Vec<u64>,
    costs: Vec<u64>,
    depths: Vec<u64>,
    depth_base: u32,
    /// The calls of the block that are open at its end, which have no cost among these.
    open_at_end: &'a [OpenCall],
}

impl<'a> Sweep<'a> {
    pub(super) fn new(calls: Calls<'a>, position: u32) -> Sweep<'a> {
        let mut open = Vec::new();
        calls.visit_stack(position, |call, facts| {
            open.push((call.0, facts.start, facts.end));
            true
        });
        open.reverse();
        Sweep {
            calls,
            position,
            open,
            first: 0,
            starts: Vec::new(),
            costs: Vec::new(),
            depths: Vec::new(),
            depth_base: 0,
            open_at_end: &[],
        }
    }

    /// Reads the calls from `position` up to `to`, as far as they are of one block.
    fn read(&mut self, to: u32) {
        let (index, local) = place(self.position);
        let block = self.calls.block(index);
        let end = (local + (to - self.position) as usize).min(block.len);
        let range = local..end.max(local);
        block.unpack_starts(range.clone(), &mut self.starts);
        block.unpack_costs(range.clone(), &mut self.costs);
        block.unpack_depths(range, &mut self.depths);
        self.first = self.position;
        self.depth_base = block.depth_base;
        let open = self.calls.open_in_block(index);
        self.open_at_end = &open[partition(open.len(), |i| open[i].call < self.position)..];
    }

    /// Sees the longest by depth of a column. No call from `to` on starts in it.
    pub(super) fn see_column(&mut self, start: u64, end: u64, to: u32, best: &mut Best) {
        best.found.clear();
        for (depth, &(call, from, until)) in (0..).zip(&self.open) {
            if until > start {
                best.see(depth, until.saturating_sub(from), call);
            }
        }
        while self.position < to {
            let mut i = (self.position - self.first) as usize;
            if i >= self.starts.len() {
                self.read(to);
                i = 0;
                if self.starts.is_empty() {
                    // Damaged.
                    self.position = to;
                    return;
                }
            }
            if self.starts[i] >= end {
                return;
            }
            let calls = self.starts[i..]
                .iter()
                .zip(&self.costs[i..])
                .zip(&self.depths[i..]);
            for ((&from, &cost), &depth) in calls {
                if from >= end {
                    break;
                }
                let call = self.position;
                let depth = self.depth_base.wrapping_add(depth as u32);
                let mut until = from.saturating_add(cost);
                if let [open, rest @ ..] = self.open_at_end
                    && open.call == call
                {
                    until = open.end;
                    self.open_at_end = rest;
                }
                self.open.truncate(depth as usize);
                self.open.push((call, from, until));
                best.see(depth, until.saturating_sub(from), call);
                self.position += 1;
            }
        }
    }
}
