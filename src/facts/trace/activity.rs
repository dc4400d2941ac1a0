//! When functions were last open, seen from a point in time.

use super::StackRoom;
use super::block::partition;
use super::raw_call::BLOCK;
use super::store::{CHECKPOINT_BLOCKS, Calls, GROUP_BLOCKS, Store, place};
use super::summary::Summary;
use callscape_base::units::{Cost, FunctionId, ThreadId, Time};

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
    room: [Vec<u64>; 3],
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
    /// Since when the thread at hand waits: what is open then has done nothing since.
    until: u64,
    room: &'a mut [Vec<u64>; 3],
}

impl LastOpen<'_> {
    fn see(&mut self, pair: u32, end: u64) {
        let callee = self.store.callee(pair);
        if let Some(time) = self.times.get_mut(callee.index()) {
            if *time == 0 {
                self.seen.push(callee.0);
            }
            *time = (*time).max(end.min(self.until).saturating_add(1));
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
                match calls.block(next).summary() {
                    Some(summary) => self.see_summary((calls.block_start(next), summary)),
                    None => self.see_calls(calls, next, BLOCK, calls.depth_before(next + 1)),
                }
                next += 1;
            }
        }
    }

    /// Sees the ends of the first `len` calls of a block that have ended by its end, and of calls of earlier blocks that
    /// end in it or are deeper than the `around` outermost.
    fn see_calls(&mut self, calls: &Calls<'_>, index: usize, len: usize, around: u32) {
        let block = calls.block(index);
        let range = 0..len.min(block.len);
        let [mut starts, mut costs, mut slots] = std::mem::take(self.room);
        block.unpack_starts(range.clone(), &mut starts);
        block.unpack_costs(range.clone(), &mut costs);
        block.unpack_slots(range, &mut slots);
        let first = (index * BLOCK) as u32;
        let mut open = calls.open_in_block(index);
        let times = starts.iter().zip(&costs);
        for (call, ((&start, &cost), &slot)) in (first..).zip(times.zip(&slots)) {
            match open {
                // It has not ended here.
                [of_call, rest @ ..] if of_call.call == call => open = rest,
                _ => self.see(block.pair_in(slot as usize), start.saturating_add(cost)),
            }
        }
        *self.room = [starts, costs, slots];
        let least = block.depth_base.min(around);
        for open in calls
            .open_before(index)
            .take_while(|open| open.depth >= least)
        {
            self.see(open.pair, open.end);
        }
    }
}

impl Store {
    pub(crate) fn activity(&self, t: Time, horizon: Cost, recent: &mut Recent) {
        let from = (t - horizon).ns();
        let Recent {
            times,
            seen,
            found,
            stack,
            room,
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
            until: u64::MAX,
            room,
        };
        for (thread, calls) in (0..).map(ThreadId).zip(self.all_calls()) {
            let since = self.waits_since(thread, t);
            last.until = since.map_or(u64::MAX, Time::ns);
            let position = calls.started(t.ns());
            let Some((to, local)) = position.checked_sub(1).map(place) else {
                continue;
            };
            // A block before the one in which `from` lies has no end after `from`.
            let blocks = calls.tables.blocks.len();
            let first = partition(blocks, |index| calls.block_start(index) <= from);
            let first = first.saturating_sub(1);
            last.see_blocks(&calls, first.min(to), to);
            // And calls that are still open.
            last.see_calls(&calls, to, local + 1, u32::MAX);
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
