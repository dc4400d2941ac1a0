//! What to draw of a window on so many pixel columns, whatever the number of calls.

mod best;
mod sweep;

use std::ops::Range;

use rayon::prelude::*;

use self::best::Best;
use self::sweep::{SWEPT, Sweep};
use super::block::{LongestCalls, TopCalls, partition};
use super::entries::{Facts, LongestCall, NONE, OpenCall};
use super::raw_call::{BLOCK, GROUP, RUN};
use super::store::{CHECKPOINT_BLOCKS, Calls, Cursor, GROUP_BLOCKS};
use callscape_base::units::{CallId, Time, TimeRange};

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

/// Looks for the longest calls of columns, from left to right.
struct Search<'a> {
    calls: Calls<'a>,
    cursor: Cursor<'a>,
    /// The block searched last, and what is known of its longest calls. The next column begins where
    /// the last one ends.
    top: Option<(usize, TopCalls<'a>)>,
    longest: Option<(usize, LongestCalls<'a>)>,
    /// The calls that were open before a block, outermost first, and which block.
    around: Vec<&'a OpenCall>,
    around_block: usize,
    unsettled: Vec<u32>,
}

/// What of a block belongs to a column.
struct Part {
    block: usize,
    /// The calls that start in the column.
    inside: Range<usize>,
    /// When the column begins; the calls of the block before `inside` may reach into it. None where
    /// there are none.
    begins: Option<u64>,
}

impl<'a> Search<'a> {
    fn new(calls: Calls<'a>) -> Search<'a> {
        Search {
            calls,
            cursor: Cursor::new(calls),
            top: None,
            longest: None,
            around: Vec::new(),
            around_block: usize::MAX,
            unsettled: Vec::new(),
        }
    }

    /// The number of calls that start before `t`.
    fn started_before(&mut self, t: u64) -> u32 {
        t.checked_sub(1).map_or(0, |t| self.cursor.started(t))
    }

    /// Sees the longest by depth of a column: from `start` to `end`, with the calls `range` starting in it.
    fn see_column(&mut self, start: u64, end: u64, range: Range<u32>, best: &mut Best) {
        best.found.clear();
        best.covered = 0;
        let (from, to) = (range.start as usize, range.end as usize);
        let mut parts: [Option<Part>; 2] = [None, None];
        let mut whole = 0..0;
        if let Some(last) = from.checked_sub(1) {
            let block = last / BLOCK;
            let block_end = (block + 1) * BLOCK;
            self.see_open(block, from, start, end, best);
            parts[0] = Some(Part {
                block,
                inside: from..to.min(block_end),
                begins: Some(start),
            });
            whole = block + 1..(to / BLOCK).max(block + 1);
        } else {
            whole.end = to / BLOCK;
        }
        if whole.end * BLOCK < to {
            parts[1] = Some(Part {
                block: whole.end,
                inside: whole.end * BLOCK..to,
                begins: None,
            });
        }
        self.see_blocks(whole, best);
        for part in parts.iter().flatten() {
            // What is open at the end of its block has no length there.
            let open = self.calls.open_in_block(part.block);
            let open =
                &open[partition(open.len(), |i| (open[i].call as usize) < part.inside.start)..];
            let inside = open
                .iter()
                .take_while(|open| (open.call as usize) < part.inside.end);
            for open in inside {
                best.see(open.depth, open.end.saturating_sub(open.start), open.call);
            }
            if !self.see_top(part, best) {
                self.see_rest(part, best);
            }
        }
    }

    /// Sees the calls that start before call `from` of `block` and are open at the end of their own.
    fn see_open(&mut self, block: usize, from: usize, start: u64, end: u64, best: &mut Best) {
        if self.around_block != block {
            self.around_block = block;
            let mut new: Vec<&OpenCall> = Vec::new();
            for open in self.calls.open_before(block) {
                let known = self.around.get(open.depth as usize);
                if known.is_some_and(|known| known.call == open.call) {
                    self.around.truncate(open.depth as usize + 1);
                    break;
                }
                new.push(open);
            }
            let kept = new
                .last()
                .map_or(self.around.len(), |outermost| outermost.depth as usize);
            let kept = if new.is_empty() && self.calls.open_before(block).next().is_none() {
                0
            } else {
                kept
            };
            self.around.truncate(kept);
            self.around.extend(new.iter().rev());
        }
        let own = self.calls.open_in_block(block).iter();
        let own = own.take_while(|open| (open.call as usize) < from);
        for open in self.around.iter().copied().chain(own) {
            if open.end > start {
                best.see(open.depth, open.end.saturating_sub(open.start), open.call);
                if open.end >= end {
                    best.covered = open.depth.saturating_add(1);
                }
            }
        }
    }

    /// Sees the longest of the calls of a part that have ended by the end of its block, depth by depth
    /// as far as the longest of all calls of the depth that the block has may be longer than what was
    /// found. Whether they are all found; else `unsettled` says which depths are not.
    fn see_top(&mut self, part: &Part, best: &mut Best) -> bool {
        self.unsettled.clear();
        let before = part.inside.start;
        for longest in self.of_blocks(1, part.block) {
            let depth = longest.depth;
            if depth < best.covered {
                continue;
            }
            let Some(found) = best.at(depth) else {
                continue;
            };
            if !found.yields_to(longest.cost, || longest.call) {
                continue;
            }
            if part.inside.contains(&(longest.call as usize)) {
                found.see(longest.cost, || longest.call);
                continue;
            }
            if self
                .top
                .as_ref()
                .is_none_or(|(block, _)| *block != part.block)
            {
                let top = self.cursor.block(part.block).top();
                self.top = top.map(|top| (part.block, top));
            }
            let Some((_, top)) = &self.top else {
                return true;
            };
            let (entries, all) = top.of(depth);
            let first = part.block * BLOCK;
            let mut settled = all;
            for entry in entries {
                let (cost, local) = (top.cost(entry), top.call(entry));
                let call = first + local;
                let is_found = if part.inside.contains(&call) {
                    true
                } else if let Some(begins) = part.begins
                    && call < before
                {
                    let block = self.cursor.block(part.block);
                    let triggered = block.ended(local).map_or(0, |(_, triggered)| triggered);
                    call + triggered as usize + 1 >= before
                        && block.start(local).saturating_add(cost) > begins
                } else {
                    false
                };
                if is_found || !found.yields_to(cost, || call as u32) {
                    if is_found {
                        found.see(cost, || call as u32);
                    }
                    settled = true;
                    break;
                }
            }
            if !settled {
                self.unsettled.push(depth);
            }
        }
        self.unsettled.is_empty()
    }

    /// Sees the calls of a part of unsettled depths.
    fn see_rest(&mut self, part: &Part, best: &mut Best) {
        if let Some(begins) = part.begins {
            let first = (part.block * BLOCK) as u32;
            self.cursor
                .visit_stack(part.inside.start as u32, |call, facts| {
                    let is_of_block = call.0 >= first;
                    if is_of_block && facts.end > begins {
                        best.see(facts.depth, facts.end.saturating_sub(facts.start), call.0);
                    }
                    is_of_block
                });
        }
        for found in &mut best.found {
            found.settled = true;
        }
        for &depth in &self.unsettled {
            if let Some(found) = best.at(depth) {
                found.settled = false;
            }
        }
        self.see_part(part.inside.clone(), best);
        for found in &mut best.found {
            found.settled = false;
        }
    }

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

    /// Sees the longest by depth of the calls of whole blocks.
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

    /// The same of calls of one block that have ended by its end, but for depths that are settled.
    fn see_part(&mut self, part: Range<usize>, best: &mut Best) {
        if part.is_empty() {
            return;
        }
        let index = part.start / BLOCK;
        let block = *self.cursor.block(index);
        if self.longest.as_ref().is_none_or(|(of, _)| *of != index) {
            self.longest = block.longest().map(|longest| (index, longest));
        }
        let Some((_, longest)) = &self.longest else {
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
    pub(super) fn new(calls: Calls<'a>, columns: Columns, first: u32) -> Walk<'a> {
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
    pub(super) fn column(&mut self, k: u32) -> (u64, Range<u32>) {
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
    pub(super) fn open(&self) -> &[(u32, Facts)] {
        &self.open
    }
}

impl Calls<'_> {
    /// For each column and each depth below `max_depth` the longest call that overlaps the column, of
    /// equals the first; neighbouring columns with the same call in one strip. In order of depth, then
    /// column.
    pub(crate) fn strips(&self, columns: Columns, max_depth: u32) -> Vec<Strip> {
        let Some(deepest) = max_depth.checked_sub(1) else {
            return Vec::new();
        };
        let count = columns.count();
        /// Calls of a window that are worth more than one thread.
        const SPREAD: usize = if cfg!(test) { 50 } else { 100_000 };
        let started = [0, count].map(|k| self.started(columns.start(k).ns()));
        let calls = started[1].saturating_sub(started[0]);
        // Fewer calls are looked through before other threads have woken up.
        let pieces = if calls as usize >= SPREAD {
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
        let mut best = Best {
            deepest,
            covered: 0,
            found: Vec::new(),
        };
        let mut search = Search::new(*self);
        let mut from = search.started_before(columns.start(range.start).ns());
        let to = search.started_before(columns.start(range.end).ns());
        // By depth.
        let mut strips: Vec<Vec<Strip>> = Vec::new();
        if to - from.min(to) < SWEPT * (range.end - range.start) {
            let mut sweep = Sweep::new(*self, from);
            for k in range {
                let (start, end) = (columns.start(k).ns(), columns.start(k + 1).ns());
                sweep.see_column(start, end, to, &mut best);
                add(&best, k, &mut strips);
            }
        } else {
            for k in range {
                let (start, end) = (columns.start(k).ns(), columns.start(k + 1).ns());
                let to = search.started_before(end).max(from);
                search.see_column(start, end, from..to, &mut best);
                from = to;
                add(&best, k, &mut strips);
            }
        }
        strips
    }
}

/// Adds what was found in column `k`.
fn add(best: &Best, k: u32, strips: &mut Vec<Vec<Strip>>) {
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
