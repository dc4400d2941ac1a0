//! The calls of a window that last long: those around a whole run of calls that lasts half as long, which the runs
//! tell, and those that start where even the shortest runs last longer.

use std::ops::Range;

use super::block::partition;
use super::entries::Facts;
use super::pieces::{Cut, Pieces};
use super::raw_call::BLOCK;
use super::runs::{SHORTEST, TOP_LEVEL};
use super::store::{Calls, Cursor, place};

/// Hands calls less deep than `below` that are open at some time of `window` and last at least `least` nanoseconds to
/// `see`, at each depth in order of start, some of them twice and others among them; with what says the pair of one.
///
/// A call that lasts so long and starts in one run of less than half that length is around all of the next, and so not as
/// deep as any call that starts there: what is around all of a run is looked at where that is not known already. Calls
/// that start in longer runs are gone through, and before them all open ones are looked at.
/// O(window / least × (calls of a shortest run + log n)), however many calls there are.
pub(super) fn long_calls(
    calls: Calls<'_>,
    window: Range<u64>,
    least: u64,
    below: u32,
    see: impl FnMut(u32, &Facts, &mut dyn FnMut() -> u32),
) {
    let [first, last] = [window.start, window.end].map(|t| calls.started_before(t));
    let mut search = Search {
        cursor: Cursor::new(calls),
        least,
        see,
        stack: Vec::new(),
        costs: Vec::new(),
    };
    search.look(first, 0..below);
    let mut pieces = Pieces::new(calls, Cut::Exact);
    let whole = pieces.whole();
    let mut next = first.saturating_sub(1) / SHORTEST;
    // A call that starts with one run and ends with the next may end before the last calls of it, which start then.
    let half = least.div_ceil(2);
    // All open calls that are less deep have been seen.
    let (mut known, mut level, mut was_long) = (0, TOP_LEVEL, false);
    while next < whole && next * SHORTEST < last {
        let fits = |level: usize| next.is_multiple_of(1 << level) && next + (1 << level) <= whole;
        while !fits(level) {
            level -= 1;
        }
        let mut length = |level: usize| {
            let (start, end) = pieces.span(level, next >> level);
            end - start
        };
        let mut is_long = length(level) >= half;
        while level > 0 && is_long {
            level -= 1;
            is_long = length(level) >= half;
        }
        let (page, place) = pieces.page(level, next >> level);
        let (lowest, around) = (page.lowest(place), page.around(place));
        if is_long {
            // What started before may end in it.
            if !was_long {
                search.look(next * SHORTEST, known..below);
            }
            search.one_by_one(next * SHORTEST..(next + 1) * SHORTEST);
            known = around;
        } else {
            if lowest.min(below) > known {
                search.look(next * SHORTEST, known..lowest.min(below));
            }
            known = lowest;
        }
        was_long = is_long;
        next += 1 << level;
        level = (level + 1).min(TOP_LEVEL);
    }
    // Behind the last whole run.
    let rest = next * SHORTEST;
    if rest < last {
        search.look(rest, known..below);
        search.one_by_one(rest..last);
    }
    search.look(last, 0..below);
}

struct Search<'a, S> {
    cursor: Cursor<'a>,
    least: u64,
    see: S,
    stack: Vec<(u32, Facts)>,
    costs: Vec<u64>,
}

impl<S: FnMut(u32, &Facts, &mut dyn FnMut() -> u32)> Search<'_, S> {
    /// Sees the calls around call `position`, and those that end right before it, of some depths.
    fn look(&mut self, position: u32, depths: Range<u32>) {
        self.stack.clear();
        let stack = &mut self.stack;
        self.cursor
            .visit_stack_below(position, depths.end, |call, facts| {
                if facts.depth >= depths.start {
                    stack.push((call.0, facts));
                }
                facts.depth > depths.start
            });
        for (call, facts) in self.stack.iter().rev() {
            (self.see)(*call, facts, &mut || self.cursor.pair(*call));
        }
    }

    /// Sees those of some calls that last long.
    fn one_by_one(&mut self, calls: Range<u32>) {
        let mut next = calls.start;
        while next < calls.end {
            let (index, local) = place(next);
            let last = (local + (calls.end - next) as usize).min(BLOCK);
            let block = *self.cursor.block(index);
            let of_block = local..last.min(block.len).max(local);
            block.unpack_costs(of_block, &mut self.costs);
            let open = self.cursor.calls.open_in_block(index);
            let mut open = &open[partition(open.len(), |i| open[i].call < next)..];
            for (call, &cost) in (next..).zip(&self.costs) {
                let mut lasts = cost;
                // What is open at the end of the block has no cost there.
                if let [of_call, rest @ ..] = open
                    && of_call.call == call
                {
                    lasts = of_call.end.saturating_sub(of_call.start);
                    open = rest;
                }
                if lasts >= self.least {
                    let facts = self.cursor.facts(call);
                    (self.see)(call, &facts, &mut || self.cursor.pair(call));
                }
            }
            next = (index * BLOCK + last) as u32;
        }
    }
}
