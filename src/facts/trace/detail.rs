//! What to draw of a window on so many pixel columns, whatever the number of calls.

use std::ops::Range;

use super::block::{BLOCK, GROUP, LongestCalls, RUN, partition};
use super::store::{CHECKPOINT_BLOCKS, Calls, Cursor, Facts, GROUP_BLOCKS, LongestCall};
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

/// The longest calls of one column by depth.
struct Best {
    deepest: u32,
    /// By depth.
    found: Vec<Option<(u64, u32)>>,
}

impl Best {
    #[inline]
    fn see(&mut self, depth: u32, cost: u64, call: u32) {
        if depth > self.deepest {
            return;
        }
        let depth = depth as usize;
        if self.found.len() <= depth {
            self.found.resize(depth + 1, None);
        }
        let found = &mut self.found[depth];
        // Of equals the first.
        if found.is_none_or(|(longest, first)| longest < cost || (longest == cost && call < first))
        {
            *found = Some((cost, call));
        }
    }

    fn see_all(&mut self, calls: &[LongestCall]) {
        for call in calls {
            self.see(call.depth, call.cost, call.call);
        }
    }
}

/// Looks for the longest calls, mostly in one block.
struct Search<'a> {
    cursor: Cursor<'a>,
    longest: Option<(usize, LongestCalls<'a>)>,
}

impl<'a> Search<'a> {
    /// The longest calls of a run of blocks: run `index` of those of `length` blocks.
    fn of_blocks(&self, length: usize, index: usize) -> &'a [LongestCall] {
        let tables = self.cursor.calls.tables;
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

    /// Sees the longest by depth of the calls `from..to`.
    fn see_range(&mut self, from: u32, to: u32, best: &mut Best) {
        let (mut next, to) = (from as usize, to as usize);
        while next < to {
            let spans = |blocks: usize| {
                let length = blocks * BLOCK;
                next.is_multiple_of(length) && next + length <= to
            };
            let lengths = [CHECKPOINT_BLOCKS, GROUP_BLOCKS, 1];
            if let Some(length) = lengths.into_iter().find(|&blocks| spans(blocks)) {
                best.see_all(self.of_blocks(length, next / BLOCK / length));
                next += length * BLOCK;
            } else {
                let end = to.min((next / BLOCK + 1) * BLOCK);
                self.see_in_block(next, end, best);
                next = end;
            }
        }
    }

    /// The same of calls of one block.
    fn see_in_block(&mut self, from: usize, to: usize, best: &mut Best) {
        let index = from / BLOCK;
        let calls = self.cursor.calls;
        let block = *self.cursor.block(index);
        if self.longest.as_ref().is_none_or(|(of, _)| *of != index) {
            self.longest = block.longest().map(|longest| (index, longest));
        }
        let Some((_, longest)) = &self.longest else {
            return;
        };
        let first = index * BLOCK;
        let see = |best: &mut Best, i: usize| {
            if let Some((cost, _)) = block.ended(i) {
                best.see(block.depth(i), cost, (first + i) as u32);
            }
        };
        let (mut next, to_local) = (from - first, to - first);
        while next < to_local {
            if next.is_multiple_of(RUN) && next + RUN <= to_local {
                for (i, depth, cost) in longest.in_run(next / RUN) {
                    best.see(depth, cost, (first + i) as u32);
                }
                next += RUN;
            } else if next.is_multiple_of(GROUP) && next + GROUP <= to_local {
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
        let open = calls.open_in_block(index);
        let open = &open[partition(open.len(), |i| (open[i].call as usize) < from)..];
        for open in open.iter().take_while(|open| (open.call as usize) < to) {
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
    pub fn new(calls: Calls<'a>, columns: Columns) -> Walk<'a> {
        Walk {
            cursor: Cursor::new(calls),
            columns,
            from: calls.started_before(columns.start(0).ns()),
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
        let mut search = Search {
            cursor: Cursor::new(*self),
            longest: None,
        };
        let mut best = Best {
            deepest,
            found: Vec::new(),
        };
        // By depth.
        let mut strips: Vec<Vec<Strip>> = Vec::new();
        let mut walk = Walk::new(*self, columns);
        for k in 0..columns.count() {
            let (start, started) = walk.column(k);
            best.found.clear();
            for (call, facts) in walk.open() {
                if facts.end > start {
                    best.see(facts.depth, facts.end.saturating_sub(facts.start), *call);
                }
            }
            search.see_range(started.start, started.end, &mut best);
            for (depth, found) in best.found.iter().enumerate() {
                let Some((_, call)) = *found else {
                    continue;
                };
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
        strips.concat()
    }
}
