//! When functions were last open, seen from a point in time.

use super::block::partition;
use super::store::{CHECKPOINT_BLOCKS, Calls, GROUP_BLOCKS, Store, place};
use super::summary::Summary;
use crate::units::{Cost, FunctionId, Time};

/// By function, one more than the latest end seen of its calls; 0 for none.
struct LastOpen<'a> {
    store: &'a Store,
    times: Vec<u64>,
}

impl LastOpen<'_> {
    fn see(&mut self, pair: u32, end: u64) {
        let callee = self.store.callee(pair);
        if let Some(time) = self.times.get_mut(callee.index()) {
            *time = (*time).max(end.saturating_add(1));
        }
    }

    fn see_summary(&mut self, (base, summary): (u64, Summary<'_>)) {
        for entry in summary.entries() {
            if let Some(since) = entry.sums.last_end.checked_sub(1) {
                self.see(entry.pair, base.saturating_add(since));
            }
        }
    }

    /// Sees the ends in the blocks `from..to`, and maybe earlier ones.
    fn see_blocks(&mut self, calls: &Calls<'_>, from: usize, to: usize) {
        let checkpoint = to / CHECKPOINT_BLOCKS;
        let mut next = from;
        if from + CHECKPOINT_BLOCKS <= checkpoint * CHECKPOINT_BLOCKS {
            self.see_summary(calls.checkpoint(checkpoint));
            next = checkpoint * CHECKPOINT_BLOCKS;
        }
        while next < to {
            if next.is_multiple_of(GROUP_BLOCKS) && next + GROUP_BLOCKS <= to {
                self.see_summary(calls.group(next / GROUP_BLOCKS));
                next += GROUP_BLOCKS;
            } else {
                self.see_summary((calls.block_start(next), calls.block(next).summary()));
                next += 1;
            }
        }
    }
}

impl Store {
    pub fn activity(&self, t: Time, horizon: Cost) -> Vec<(FunctionId, Time)> {
        let from = (t - horizon).ns();
        let mut last = LastOpen {
            store: self,
            times: vec![0; self.functions],
        };
        for calls in self.all_calls() {
            let position = calls.started(t.ns());
            let Some((to, local)) = position.checked_sub(1).map(place) else {
                continue;
            };
            // A block before the one in which `from` lies has no end after `from`.
            let blocks = calls.tables.blocks.len();
            let first = partition(blocks, |index| calls.block_start(index) <= from);
            let first = first.saturating_sub(1);
            last.see_blocks(&calls, first.min(to), to);
            let block = calls.block(to);
            for i in 0..=local {
                if let Some((cost, _)) = block.ended(i) {
                    last.see(block.pair(i), block.start(i).saturating_add(cost));
                }
            }
            // Calls of earlier blocks that end in this one, and calls that are still open.
            for open in calls
                .open_before(to)
                .take_while(|open| open.depth >= block.depth_base)
            {
                last.see(open.pair, open.end);
            }
            calls.visit_stack(position, |call, facts| {
                last.see(calls.pair(call.0), facts.end);
                true
            });
        }
        // A call with an end after `from` that has started by `t` overlaps the range; one without has
        // neither been open at `from` nor started since.
        let seen = last.times.iter().enumerate();
        seen.filter_map(|(function, &time)| {
            let end = time.checked_sub(1).filter(|&end| end > from)?;
            Some((FunctionId(function as u32), Time::from_ns(end).min(t)))
        })
        .collect()
    }
}
