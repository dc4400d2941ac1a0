//! What to draw of a window on so many pixel columns, whatever the number of calls.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{BLOCK, Block, GROUP, LongestCalls, RUN, partition};
use super::store::{CHECKPOINT_BLOCKS, Calls, Cursor, Facts, GROUP_BLOCKS, LongestCall, NONE};
use crate::units::{CallId, Time, TimeRange};

/// A call that stands for all calls of its depth in some columns of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    pub depth: u32,
    /// Its columns are `first..end`.
    pub first: u32,
    pub end: u32,
    pub call: CallId,
}

/// A window cut into columns: column *k* holds the times from `start(k)` up to `start(k + 1)`.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    range: TimeRange,
    count: u32,
}

impl Columns {
    /// `count` columns of equal length over `range`, or as many as `range` has nanoseconds.
    pub fn new(range: TimeRange, count: u32) -> Columns {
        let most = u32::try_from(range.length().ns()).unwrap_or(u32::MAX);
        Columns {
            range,
            count: count.min(most),
        }
    }

    pub fn count(self) -> u32 {
        self.count
    }

    /// When column `k` begins; `k` may be the number of columns.
    pub fn start(self, k: u32) -> Time {
        let length = u128::from(self.range.length().ns());
        let offset = length * u128::from(k) / u128::from(self.count.max(1));
        Time::from_ns(self.range.start.ns().saturating_add(offset as u64))
    }
}

/// The longest call found so far at one depth.
#[derive(Clone, Copy)]
struct Found {
    cost: u64,
    call: u32,
    /// Nothing in the part of a block that is searched next can take its place.
    settled: bool,
}

impl Found {
    /// Every call takes its place.
    const NOTHING: Found = Found {
        cost: 0,
        call: NONE,
        settled: false,
    };

    /// Whether a call of `cost` takes its place: of equals the first does.
    #[inline]
    fn yields_to(&self, cost: u64, call: impl FnOnce() -> u32) -> bool {
        self.cost < cost || (self.cost == cost && call() < self.call)
    }

    /// Sees a call, whose number is asked for where it matters only.
    #[inline]
    fn see(&mut self, cost: u64, call: impl Fn() -> u32) {
        if self.yields_to(cost, &call) {
            (self.cost, self.call) = (cost, call());
        }
    }
}

/// The longest calls of one column by depth.
struct Best {
    deepest: u32,
    /// Depths less than this have one call in the whole column, which has been found.
    covered: u32,
    /// By depth.
    found: Vec<Found>,
}

impl Best {
    /// The place of the calls of `depth`; none where they are too deep to matter.
    #[inline]
    fn at(&mut self, depth: u32) -> Option<&mut Found> {
        if depth > self.deepest {
            return None;
        }
        let depth = depth as usize;
        if self.found.len() <= depth {
            self.found.resize(depth + 1, Found::NOTHING);
        }
        self.found.get_mut(depth)
    }

    #[inline]
    fn see(&mut self, depth: u32, cost: u64, call: u32) {
        if let Some(found) = self.at(depth) {
            found.see(cost, || call);
        }
    }

    fn see_all(&mut self, calls: &[LongestCall]) {
        for call in calls {
            self.see(call.depth, call.cost, call.call);
        }
    }

    /// Looks which depths are settled in `part` of a block whose longest calls by depth are `longest`,
    /// after those of them that lie in the part have been seen. Whether all are.
    fn settle(&mut self, longest: &[LongestCall], part: &Range<usize>) -> bool {
        let mut all = true;
        for call in longest {
            let is_covered = call.depth < self.covered;
            if let Some(found) = self.at(call.depth) {
                found.settled = is_covered
                    || part.contains(&(call.call as usize))
                    || !found.yields_to(call.cost, || call.call);
                all &= found.settled;
            }
        }
        all
    }
}

/// Looks for the longest calls of columns, from left to right.
struct Search<'a> {
    calls: Calls<'a>,
    /// The block searched last. The next column begins where the last one ends.
    last: Option<(usize, Block<'a>, LongestCalls<'a>)>,
}

impl<'a> Search<'a> {
    /// The longest calls of a run of blocks: run `index` of those of `length` blocks.
    fn of_blocks(&self, length: usize, index: usize) -> &'a [LongestCall] {
        let tables = self.calls.tables;
        let blocks = tables.blocks.len();
        let before = match length {
            1 => 0,
            GROUP_BLOCKS => blocks,
            _ => blocks + blocks / GROUP_BLOCKS,
        };
        let ends = &tables.longest_ends;
        let end = |at: usize| ends.get(at).map_or(0, |&end| end as usize);
        let start = (before + index).checked_sub(1).map_or(0, end);
        tables
            .longest
            .get(start..end(before + index))
            .unwrap_or_default()
    }

    /// Sees the longest by depth of the calls `range`. Blocks are read with `cursor`.
    fn see_range(&mut self, range: Range<u32>, cursor: &mut Cursor<'a>, best: &mut Best) {
        let (start, end) = (range.start as usize, range.end as usize);
        let whole = start.div_ceil(BLOCK)..end / BLOCK;
        let parts = if whole.start <= whole.end {
            [start..whole.start * BLOCK, whole.end * BLOCK..end]
        } else {
            [start..end, end..end]
        };
        // What is known without a look into a block first: it settles most depths of the parts.
        self.see_blocks(whole, best);
        // For few calls that would cost more than it saves.
        let settles = range.len() >= GROUP;
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        if settles {
            for part in parts.clone() {
                let longest = self.of_blocks(1, part.start / BLOCK).iter();
                let inside = longest.filter(|call| part.contains(&(call.call as usize)));
                inside.for_each(|call| best.see(call.depth, call.cost, call.call));
            }
        }
        for part in parts {
            let index = part.start / BLOCK;
            if !(settles && best.settle(self.of_blocks(1, index), &part)) {
                self.see_part(part, cursor, best);
            }
        }
    }

    /// The same of whole blocks.
    fn see_blocks(&self, blocks: Range<usize>, best: &mut Best) {
        let mut next = blocks.start;
        while next < blocks.end {
            let fits = |length: usize| next.is_multiple_of(length) && next + length <= blocks.end;
            let lengths = [CHECKPOINT_BLOCKS, GROUP_BLOCKS];
            let length = lengths
                .into_iter()
                .find(|&length| fits(length))
                .unwrap_or(1);
            best.see_all(self.of_blocks(length, next / length));
            next += length;
        }
    }

    /// The same of calls of one block, but for depths that are settled.
    fn see_part(&mut self, part: Range<usize>, cursor: &mut Cursor<'a>, best: &mut Best) {
        let index = part.start / BLOCK;
        if self.last.as_ref().is_none_or(|(of, ..)| *of != index) {
            let block = *cursor.block(index);
            self.last = block.longest().map(|longest| (index, block, longest));
        }
        let Some((_, block, longest)) = &self.last else {
            return;
        };
        let first = index * BLOCK;
        // A call that is open at the end of the block has no cost here, and comes below.
        let see = |best: &mut Best, i: usize| {
            if let Some(found) = best.at(block.depth(i))
                && !found.settled
            {
                found.see(block.cost(i), || (first + i) as u32);
            }
        };
        let (mut next, end) = (part.start - first, part.end - first);
        while next < end {
            if next.is_multiple_of(RUN) && next + RUN <= end {
                for entry in longest.in_run(next / RUN) {
                    if let Some(found) = best.at(longest.depth(entry))
                        && !found.settled
                    {
                        found.see(longest.cost(entry), || (first + longest.call(entry)) as u32);
                    }
                }
                next += RUN;
            } else if next.is_multiple_of(GROUP) && next + GROUP <= end {
                for i in longest.in_group(next / GROUP) {
                    see(best, i);
                }
                next += GROUP;
            } else {
                see(best, next);
                next += 1;
            }
        }
        // What is open at the end of the block has no length there.
        let open = self.calls.open_in_block(index);
        let open = &open[partition(open.len(), |i| (open[i].call as usize) < part.start)..];
        for open in open
            .iter()
            .take_while(|open| (open.call as usize) < part.end)
        {
            best.see(open.depth, open.end.saturating_sub(open.start), open.call);
        }
    }
}

/// Goes through columns from left to right.
pub(super) struct Walk<'a> {
    cursor: Cursor<'a>,
    columns: Columns,
    /// Calls that start before the next column, and before the last.
    from: u32,
    known: u32,
    /// The stack at `known`, outermost first.
    open: Vec<(u32, Facts)>,
    new: Vec<(u32, Facts)>,
}

impl<'a> Walk<'a> {
    /// Begins at column `first`.
    pub fn new(calls: Calls<'a>, columns: Columns, first: u32) -> Walk<'a> {
        Walk {
            cursor: Cursor::new(calls),
            columns,
            from: calls.started_before(columns.start(first).ns()),
            known: 0,
            open: Vec::new(),
            new: Vec::new(),
        }
    }

    /// When column `k`, the next, begins, and the calls that start in it.
    pub fn column(&mut self, k: u32) -> (u64, Range<u32>) {
        // The calls around the start of the column, innermost first: those that are new since the last
        // column and, further out, those that were there already.
        let (known, new) = (self.known, &mut self.new);
        new.clear();
        if self.from > known {
            self.cursor.visit_stack(self.from, |call, facts| {
                let is_new = call.0 >= known;
                if is_new {
                    new.push((call.0, facts));
                }
                is_new
            });
        }
        if let Some((_, outermost)) = new.last() {
            let kept = self
                .open
                .partition_point(|(_, facts)| facts.depth < outermost.depth);
            self.open.truncate(kept);
        }
        self.open.extend(new.iter().rev());
        self.known = self.from;
        let end = self.columns.start(k + 1).ns();
        let to = end
            .checked_sub(1)
            .map_or(0, |last| self.cursor.started(last));
        self.from = to.max(self.known);
        (self.columns.start(k).ns(), self.known..self.from)
    }

    /// The calls around the start of the last column; some of them have ended by then.
    pub fn open(&self) -> &[(u32, Facts)] {
        &self.open
    }
}

impl Calls<'_> {
    /// For each column and each depth below `max_depth` the longest call that overlaps the column, of
    /// equals the first; neighbouring columns with the same call in one strip. In order of depth, then
    /// column.
    pub fn strips(&self, columns: Columns, max_depth: u32) -> Vec<Strip> {
        let Some(deepest) = max_depth.checked_sub(1) else {
            return Vec::new();
        };
        let count = columns.count();
        let started = [0, count].map(|k| self.started(columns.start(k).ns()));
        let calls = started[1].saturating_sub(started[0]);
        // Fewer calls are looked through before other threads have woken up.
        let pieces = if (calls / count.max(1)) as usize >= GROUP {
            (2 * rayon::current_num_threads() as u32).min(count)
        } else {
            1
        };
        let edge = |piece: u32| (u64::from(count) * u64::from(piece) / u64::from(pieces)) as u32;
        let strips = |piece| self.strips_of(columns, edge(piece)..edge(piece + 1), deepest);
        if pieces == 1 {
            return strips(0).concat();
        }
        let pieces: Vec<_> = (0..pieces).into_par_iter().map(strips).collect();
        let depths = pieces.iter().map(Vec::len).max().unwrap_or(0);
        let mut all: Vec<Strip> = Vec::with_capacity(pieces.iter().flatten().map(Vec::len).sum());
        for depth in 0..depths {
            for strips in pieces.iter().filter_map(|piece| piece.get(depth)) {
                let mut strips = strips.as_slice();
                // What reaches over the edge of a piece is one strip.
                if let (Some(last), [first, rest @ ..]) = (all.last_mut(), strips)
                    && (last.depth, last.call, last.end) == (first.depth, first.call, first.first)
                {
                    last.end = first.end;
                    strips = rest;
                }
                all.extend_from_slice(strips);
            }
        }
        all
    }

    /// The strips in `range` of the columns, by depth.
    fn strips_of(&self, columns: Columns, range: Range<u32>, deepest: u32) -> Vec<Vec<Strip>> {
        let mut search = Search {
            calls: *self,
            last: None,
        };
        let mut best = Best {
            deepest,
            covered: 0,
            found: Vec::new(),
        };
        // By depth.
        let mut strips: Vec<Vec<Strip>> = Vec::new();
        let mut walk = Walk::new(*self, columns, range.start);
        for k in range {
            let (start, started) = walk.column(k);
            let end = columns.start(k + 1).ns();
            best.found.clear();
            best.covered = 0;
            for (call, facts) in walk.open() {
                if facts.end > start {
                    best.see(facts.depth, facts.end.saturating_sub(facts.start), *call);
                }
                if facts.end >= end {
                    best.covered = facts.depth.saturating_add(1);
                }
            }
            search.see_range(started, &mut walk.cursor, &mut best);
            for (depth, found) in best.found.iter().enumerate() {
                let call = found.call;
                if call == NONE {
                    continue;
                }
                if strips.len() <= depth {
                    strips.resize(depth + 1, Vec::new());
                }
                let strips = &mut strips[depth];
                match strips.last_mut() {
                    Some(last) if last.call.0 == call && last.end == k => last.end = k + 1,
                    _ => strips.push(Strip {
                        depth: depth as u32,
                        first: k,
                        end: k + 1,
                        call: CallId(call),
                    }),
                }
            }
        }
        strips
    }
}
