//! When functions were last open, seen from a point in time.

use super::StackRoom;
use super::block::partition;
use super::store::{CHECKPOINT_BLOCKS, Calls, GROUP_BLOCKS, Store, place};
use super::summary::Summary;
use crate::units::{Cost, FunctionId, Time};

/// Which functions were open lately, and room to find that out in: asked again, it takes no new memory, and no more
/// work than those functions do.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// By function, one more than the latest end seen of its calls; 0 for none.
    times: Vec<u64>,
    /// The functions seen, and what is found of them.
    seen: Vec<u32>,
    found: Vec<(FunctionId, Time)>,
    stack: StackRoom,
}

impl Recent {
    /// The functions, and when each was open last, in order of function.
    pub fn found(&self) -> &[(FunctionId, Time)] {
        &self.found
    }

    /// Takes what was found in another way, in order of function.
    pub fn find(&mut self, found: impl IntoIterator<Item = (FunctionId, Time)>) {
        self.found.clear();
        self.found.extend(found);
    }
}

/// Sees ends of calls.
struct LastOpen<'a> {
    store: &'a Store,
    times: &'a mut [u64],
    seen: &'a mut Vec<u32>,
}

impl LastOpen<'_> {
    fn see(&mut self, pair: u32, end: u64) {
        let callee = self.store.callee(pair);
        if let Some(time) = self.times.get_mut(callee.index()) {
            if *time == 0 {
                self.seen.push(callee.0);
            }
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
    pub fn activity(&self, t: Time, horizon: Cost, recent: &mut Recent) {
        let from = (t - horizon).ns();
        let Recent {
            times,
            seen,
            found,
            stack,
        } = recent;
        for function in seen.drain(..) {
            times[function as usize] = 0;
        }
        if times.len() != self.functions {
            times.clear();
            times.resize(self.functions, 0);
        }
        let mut last = LastOpen {
            store: self,
            times,
            seen,
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
            stack.visit(calls, position, |call, facts| {
                last.see(calls.pair(call.0), facts.end);
                true
            });
        }
        // A call with an end after `from` that has started by `t` overlaps the range; one without has
        // neither been open at `from` nor started since.
        seen.sort_unstable();
        found.clear();
        found.extend(seen.iter().filter_map(|&function| {
            let end = times[function as usize].checked_sub(1);
            let end = end.filter(|&end| end > from)?;
            Some((FunctionId(function), Time::from_ns(end).min(t)))
        }));
    }
}
