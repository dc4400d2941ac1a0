//! For how long functions are open and on top of the stack, by pixel column.
//!
//! A sweep from left to right: the few calls around the edges of columns are gone through one by one, and runs
//! of calls in between count by their shares.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{BLOCK, partition};
use super::detail::Columns;
use super::shares::{self, LENGTHS, LEVELS, Lists, SHORTEST};
use super::store::{CHECKPOINT_BLOCKS, Calls, Cursor, Facts, GROUP_BLOCKS, NONE, Store, place};
use crate::units::{CallId, Cost, FunctionId, ThreadId};

/// For how long the functions of a row were open and on top in a column, summed over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    pub row: u32,
    pub column: u32,
    /// The time during which at least one call of a function of the row was open on a thread.
    pub open: Cost,
    /// The time during which the innermost open call of a thread was one of the row: its self cost.
    pub top: Cost,
}

/// What coverage leaves out (Bohnet's thesis, section 6.1.1).
#[derive(Clone, Copy)]
pub struct Without<'a> {
    /// Whether all calls of a thread are left out.
    pub hides: &'a (dyn Fn(ThreadId) -> bool + Sync),
    /// Module removal: whether the calls of a function are. The call around one then is on top in its place.
    pub removes: &'a (dyn Fn(FunctionId) -> bool + Sync),
    /// Call tree removal: whether all that a call triggered is. It then is on top itself.
    pub cuts_below: &'a (dyn Fn(FunctionId, ThreadId, CallId) -> bool + Sync),
}

/// Columns that are worth more than one thread.
const SPREAD: u32 = if cfg!(test) { 10 } else { 200 };

/// What a row has gathered in the column gone through. Differences wrap and come out right.
#[derive(Clone, Copy, Default)]
struct Shares {
    open: u64,
    top: u64,
    seen: bool,
}

/// The rows, and what they have gathered in one column.
struct Rows<'a> {
    store: &'a Store,
    /// By function; any other number for a function without a row.
    row_of: &'a [u32],
    shares: Vec<Shares>,
    seen: Vec<u32>,
    without: Option<&'a Without<'a>>,
    /// No row has several functions: what shares know of a function is what they know of the row.
    single: bool,
}

impl<'a> Rows<'a> {
    fn new(
        store: &'a Store,
        row_of: &'a [u32],
        rows: u32,
        without: Option<&'a Without<'a>>,
    ) -> Rows<'a> {
        let mut shares = vec![Shares::default(); rows as usize];
        let mut single = true;
        for &row in row_of.iter().take(store.functions) {
            if let Some(shares) = shares.get_mut(row as usize) {
                single &= !std::mem::replace(&mut shares.seen, true);
            }
        }
        for shares in &mut shares {
            shares.seen = false;
        }
        Rows {
            store,
            row_of,
            shares,
            seen: Vec::new(),
            without,
            // Of sums that are no numbers there are no differences.
            single: single && !store.overflows && without.is_none(),
        }
    }

    /// The row of the callee of `pair`; NONE for a function without one.
    #[inline]
    fn row(&self, pair: u32) -> u32 {
        self.row_of(self.store.callee(pair).index())
    }

    #[inline]
    fn row_of(&self, function: usize) -> u32 {
        let row = self.row_of.get(function).copied().unwrap_or(NONE);
        if (row as usize) < self.shares.len() {
            row
        } else {
            NONE
        }
    }

    #[inline]
    fn add(&mut self, row: u32, open: u64, top: u64) {
        if let Some(shares) = self.shares.get_mut(row as usize) {
            if self.store.overflows {
                shares.open = shares.open.saturating_add(open);
                shares.top = shares.top.saturating_add(top);
            } else {
                shares.open = shares.open.wrapping_add(open);
                shares.top = shares.top.wrapping_add(top);
            }
            if !shares.seen {
                shares.seen = true;
                self.seen.push(row);
            }
        }
    }

    /// Hands out what the column gathered, and forgets it.
    fn take(&mut self, column: u32, out: &mut Vec<Coverage>) {
        for row in self.seen.drain(..) {
            let shares = std::mem::take(&mut self.shares[row as usize]);
            if shares.open > 0 {
                out.push(Coverage {
                    row,
                    column,
                    open: Cost::from_ns(shares.open),
                    top: Cost::from_ns(shares.top),
                });
            }
        }
    }
}

/// A call of the sweep's stack.
#[derive(Clone, Copy)]
struct Open {
    row: u32,
    /// The row that is on top while the call is.
    top: u32,
    depth: u32,
    /// What it triggers is left out.
    is_cut: bool,
    /// No other call of the row is around it.
    outermost: bool,
    start: u64,
    end: u64,
    /// Up to when its time is counted.
    since: u64,
}

/// How a call is shown: its row, the row that is on top while it is, and whether what it triggers is left out.
struct Shown {
    row: u32,
    top: u32,
    is_cut: bool,
}

/// Calls of a block, column by column.
#[derive(Default)]
struct Unpacked {
    block: Option<usize>,
    /// By slot.
    rows: Vec<u32>,
    starts: Vec<u64>,
    costs: Vec<u64>,
    depths: Vec<u64>,
    slots: Vec<u64>,
}

/// The shares of a block that is gone through in parts.
#[derive(Default)]
struct BlockShares<'a> {
    block: Option<usize>,
    levels: [Option<Lists<'a>>; LEVELS],
    /// The rows of the functions that the block has.
    rows: Vec<u32>,
}

/// The sweep over one thread.
struct Sweep<'a> {
    thread: ThreadId,
    cursor: Cursor<'a>,
    /// The calls gone through, and up to when.
    position: u32,
    now: u64,
    /// The calls around the next one, as far as they are known: of those that end right here some may still
    /// make a call that takes no time.
    stack: Vec<Open>,
    /// So many of them have not ended.
    open: usize,
    /// By row how many of its calls are on the stack.
    counts: Vec<u32>,
    unpacked: Unpacked,
    shares: BlockShares<'a>,
    lists: shares::Unpacked,
    new: Vec<(u32, Facts)>,
}

impl<'a> Sweep<'a> {
    /// A sweep that begins at `from`.
    fn new(thread: ThreadId, calls: Calls<'a>, rows: &Rows<'_>, from: u64) -> Sweep<'a> {
        let mut sweep = Sweep {
            thread,
            cursor: Cursor::new(calls),
            position: calls.started_before(from),
            now: from,
            stack: Vec::new(),
            open: 0,
            counts: vec![0; rows.shares.len()],
            unpacked: Unpacked::default(),
            shares: BlockShares::default(),
            lists: shares::Unpacked::default(),
            new: Vec::new(),
        };
        let mut stack = Vec::new();
        let position = sweep.position;
        sweep.cursor.visit_stack(position, |call, facts| {
            stack.push((call.0, facts));
            true
        });
        for (call, facts) in stack.into_iter().rev() {
            let pair = sweep.cursor.pair(call);
            let since = facts.end.min(from);
            let shown = sweep.shown(rows, call, pair, rows.row(pair));
            sweep.enter(shown, facts.depth, facts.start..facts.end, since);
        }
        sweep
    }

    /// How a call is shown that the last of the stack made, and that has a row of its own.
    #[inline]
    fn shown(&self, rows: &Rows<'_>, call: u32, pair: u32, row: u32) -> Shown {
        match rows.without {
            Some(without) => self.shown_without(without, rows.store.callee(pair), call, row),
            None => Shown {
                row,
                top: row,
                is_cut: false,
            },
        }
    }

    fn shown_without(
        &self,
        without: &Without<'_>,
        function: FunctionId,
        call: u32,
        row: u32,
    ) -> Shown {
        let above = self.stack.last().map_or(NONE, |above| above.top);
        if self.stack.last().is_some_and(|above| above.is_cut) {
            return Shown {
                row: NONE,
                top: above,
                is_cut: true,
            };
        }
        let is_cut = (without.cuts_below)(function, self.thread, CallId(call));
        let is_removed = (without.removes)(function);
        let [row, top] = if is_removed {
            [NONE, above]
        } else {
            [row, row]
        };
        Shown { row, top, is_cut }
    }

    fn enter(&mut self, shown: Shown, depth: u32, times: Range<u64>, since: u64) {
        let row = shown.row;
        let count = self.counts.get_mut(row as usize);
        let outermost = count.is_some_and(|count| {
            *count += 1;
            *count == 1
        });
        let is_open = self.open == self.stack.len() && times.end > since;
        self.open += usize::from(is_open);
        self.stack.push(Open {
            row,
            top: shown.top,
            is_cut: shown.is_cut,
            depth,
            outermost,
            start: times.start,
            end: times.end,
            since: if is_open { since } else { times.end },
        });
    }

    /// Counts the time up to `t` for the innermost open call.
    fn advance(&mut self, rows: &mut Rows<'_>, t: u64) {
        if let Some(top) = self.open.checked_sub(1) {
            rows.add(self.stack[top].top, 0, t.saturating_sub(self.now));
        }
        self.now = t;
    }

    /// Ends the innermost open call.
    fn exit(&mut self, rows: &mut Rows<'_>) {
        let Some(top) = self.open.checked_sub(1) else {
            return;
        };
        self.advance(rows, self.stack[top].end.max(self.now));
        self.open = top;
        let ended = &mut self.stack[top];
        if ended.outermost {
            rows.add(ended.row, self.now - ended.since, 0);
        }
        ended.since = self.now;
    }

    /// Takes a call off the stack.
    fn pop(&mut self) -> Option<Open> {
        let popped = self.stack.pop()?;
        self.open = self.open.min(self.stack.len());
        if let Some(count) = self.counts.get_mut(popped.row as usize) {
            *count -= 1;
        }
        Some(popped)
    }

    /// Ends all calls at `depth` and deeper.
    fn leave(&mut self, rows: &mut Rows<'_>, depth: u32) {
        while self.stack.last().is_some_and(|last| last.depth >= depth) {
            if self.open == self.stack.len() {
                self.exit(rows);
            }
            self.pop();
        }
    }

    /// Goes on to `t`, up to which no call starts.
    fn go_to(&mut self, rows: &mut Rows<'_>, t: u64) {
        while self.open > 0 && self.stack[self.open - 1].end <= t {
            self.exit(rows);
        }
        self.advance(rows, t);
    }

    /// Goes on to `t` and counts the time until then for all open calls.
    fn settle(&mut self, rows: &mut Rows<'_>, t: u64) {
        self.go_to(rows, t);
        for open in &mut self.stack[..self.open] {
            if open.outermost {
                rows.add(open.row, t - open.since, 0);
            }
            open.since = t;
        }
    }

    /// Goes through the calls that start before `t`.
    fn column(&mut self, rows: &mut Rows<'_>, t: u64) {
        let to = t.checked_sub(1).map_or(0, |last| self.cursor.started(last));
        while self.position < to {
            let (index, local) = place(self.position);
            // Up to the start of a call that starts in the column as well.
            let last = (to - 1) / SHORTEST as u32 * SHORTEST as u32;
            if rows.single && local.is_multiple_of(SHORTEST) && self.position < last {
                self.skip(rows, last);
            } else {
                let run = if rows.single { SHORTEST } else { BLOCK };
                let end = to.min((self.position / run as u32 + 1) * run as u32);
                self.step(rows, index, local..local + (end - self.position) as usize);
            }
        }
        self.settle(rows, t);
    }

    /// Goes through calls of a block one by one.
    fn step(&mut self, rows: &mut Rows<'_>, index: usize, range: Range<usize>) {
        let mut unpacked = std::mem::take(&mut self.unpacked);
        let block = *self.cursor.block(index);
        if !rows.single && unpacked.block != Some(index) {
            unpacked.block = Some(index);
            unpacked.rows.clear();
            unpacked
                .rows
                .extend(block.pairs().map(|pair| rows.row(pair)));
        }
        let calls = range.start..range.end.min(block.len).max(range.start);
        block.unpack_starts(calls.clone(), &mut unpacked.starts);
        block.unpack_costs(calls.clone(), &mut unpacked.costs);
        block.unpack_depths(calls.clone(), &mut unpacked.depths);
        block.unpack_slots(calls, &mut unpacked.slots);
        let first = (index * BLOCK + range.start) as u32;
        let open = self.cursor.calls.open_in_block(index);
        let mut open = &open[partition(open.len(), |i| open[i].call < first)..];
        let times = unpacked.starts.iter().zip(&unpacked.costs);
        let places = unpacked.depths.iter().zip(&unpacked.slots);
        for (call, ((&start, &cost), (&depth, &slot))) in (first..).zip(times.zip(places)) {
            let depth = block.depth_base.wrapping_add(depth as u32);
            self.leave(rows, depth);
            self.advance(rows, start.max(self.now));
            let mut end = start.saturating_add(cost);
            // What is open at the end of the block has no cost there.
            if let [of_call, rest @ ..] = open
                && of_call.call == call
            {
                end = of_call.end;
                open = rest;
            }
            let row = if rows.single {
                rows.row(block.pair_in(slot as usize))
            } else {
                unpacked.rows.get(slot as usize).copied().unwrap_or(NONE)
            };
            let pair = if rows.without.is_some() {
                block.pair_in(slot as usize)
            } else {
                NONE
            };
            let shown = self.shown(rows, call, pair, row);
            self.enter(shown, depth, start..end, self.now);
        }
        self.position = (index * BLOCK + range.end) as u32;
        self.unpacked = unpacked;
    }

    /// Goes past the calls up to `to`, with what the shares of their runs say.
    fn skip(&mut self, rows: &mut Rows<'_>, to: u32) {
        let from = self.position;
        let (index, local) = place(from);
        let block = self.cursor.block(index);
        let (start, depth) = (block.start(local), block.depth(local));
        self.leave(rows, depth);
        self.advance(rows, start.max(self.now));
        self.add_shares(rows, from..to);
        let (index, local) = place(to);
        let block = self.cursor.block(index);
        let (start, depth) = (block.start(local), block.depth(local));
        // Of the calls around call `to` those inside are new; those further out have been there before.
        let mut new = std::mem::take(&mut self.new);
        new.clear();
        self.cursor.visit_stack(to + 1, |call, facts| {
            let is_new = call.0 >= from;
            if is_new && call.0 < to {
                new.push((call.0, facts));
            }
            is_new
        });
        let kept = depth.saturating_sub(new.len() as u32);
        while self.stack.last().is_some_and(|last| last.depth >= kept) {
            // All that it costs is among the shares; up to `since` it has been counted.
            if let Some(ended) = self.pop().filter(|ended| ended.outermost) {
                rows.add(ended.row, ended.start.wrapping_sub(ended.since), 0);
            }
        }
        for (call, facts) in new.drain(..).rev() {
            let pair = self.cursor.pair(call);
            let shown = self.shown(rows, call, pair, rows.row(pair));
            self.enter(shown, facts.depth, facts.start..facts.end, facts.start);
        }
        self.new = new;
        self.now = start.max(self.now);
        self.position = to;
    }

    /// Adds the shares of the runs of `calls`.
    fn add_shares(&mut self, rows: &mut Rows<'_>, calls: Range<u32>) {
        let (mut next, to) = (calls.start as usize, calls.end as usize);
        let mut lists = std::mem::take(&mut self.lists);
        while next < to {
            let long = [CHECKPOINT_BLOCKS, GROUP_BLOCKS]
                .into_iter()
                .find(|blocks| {
                    let length = blocks * BLOCK;
                    next.is_multiple_of(length) && next + length <= to
                });
            if let Some(blocks) = long {
                let index = next / (blocks * BLOCK);
                let shares = self.cursor.calls.shares(blocks, index);
                shares.visit(0..1, &mut lists, |function, open, top| {
                    rows.add(rows.row_of(function as usize), open, top);
                });
                next += blocks * BLOCK;
                continue;
            }
            let index = next / BLOCK;
            let (local, end) = (next % BLOCK, (to - index * BLOCK).min(BLOCK));
            if local == 0 && end == BLOCK {
                let shares = self.cursor.block(index).shares(0);
                shares.visit(0..1, &mut lists, |function, open, top| {
                    rows.add(rows.row_of(function as usize), open, top);
                });
            } else {
                self.add_part(rows, index, local..end, &mut lists);
            }
            next = index * BLOCK + end;
        }
        self.lists = lists;
    }

    /// Adds the shares of the runs of a part of a block.
    fn add_part(
        &mut self,
        rows: &mut Rows<'_>,
        index: usize,
        part: Range<usize>,
        lists: &mut shares::Unpacked,
    ) {
        let block = self.cursor.block(index);
        let shares = &mut self.shares;
        if shares.block != Some(index) {
            shares.block = Some(index);
            shares.levels = [None; LEVELS];
            shares.rows.clear();
            block.shares(0).visit(0..1, lists, |function, _, _| {
                shares.rows.push(rows.row_of(function as usize));
            });
        }
        let (mut next, end) = (part.start, part.end);
        for_each_run(&mut next, end, |level, runs| {
            let of_level = shares.levels[level].get_or_insert_with(|| block.shares(level));
            of_level.visit(runs, lists, |place, open, top| {
                let row = shares.rows.get(place as usize).copied();
                rows.add(row.unwrap_or(NONE), open, top);
            });
        });
    }
}

/// Cuts a part of a block, both ends of which are edges of runs, into runs that are as long as possible: hands
/// over their level and their numbers.
fn for_each_run(next: &mut usize, end: usize, mut see: impl FnMut(usize, Range<usize>)) {
    while *next < end {
        let fits =
            |&level: &usize| next.is_multiple_of(LENGTHS[level]) && *next + LENGTHS[level] <= end;
        // Level 0 is the whole block, whose functions have no places.
        let Some(level) = (1..LEVELS).find(fits) else {
            return;
        };
        let length = LENGTHS[level];
        let longer = LENGTHS[level - 1];
        let limit = end.min((*next / longer + 1) * longer);
        let last = limit / length;
        see(level, *next / length..last);
        *next = last * length;
    }
}

impl Store {
    pub fn coverage(
        &self,
        columns: Columns,
        row_of: &[u32],
        rows: u32,
        without: Option<&Without<'_>>,
        out: &mut Vec<Coverage>,
    ) {
        let count = columns.count();
        let piece = |columns_of: Range<u32>| {
            let rows = Rows::new(self, row_of, rows, without);
            self.coverage_of(columns, columns_of, rows)
        };
        let found: Vec<Vec<Coverage>> = if count < SPREAD {
            // Other threads may be at work on a finer picture, and would come to this one after it.
            vec![piece(0..count)]
        } else {
            let pieces = 2 * rayon::current_num_threads() as u32;
            let edge = |at: u32| (u64::from(count) * u64::from(at) / u64::from(pieces)) as u32;
            let pieces = (0..pieces).into_par_iter();
            pieces.map(|at| piece(edge(at)..edge(at + 1))).collect()
        };
        // From order of column into order of row, then column.
        let mut ends = vec![0; rows as usize + 1];
        for coverage in found.iter().flatten() {
            ends[coverage.row as usize + 1] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let nothing = Coverage {
            row: 0,
            column: 0,
            open: Cost::ZERO,
            top: Cost::ZERO,
        };
        out.clear();
        out.resize(sum, nothing);
        for coverage in found.iter().flatten() {
            let place = &mut ends[coverage.row as usize];
            out[*place] = *coverage;
            *place += 1;
        }
    }

    /// What the columns of `range` are covered with, in order of column.
    fn coverage_of(
        &self,
        columns: Columns,
        range: Range<u32>,
        mut rows: Rows<'_>,
    ) -> Vec<Coverage> {
        let mut found = Vec::new();
        let from = columns.start(range.start).ns();
        let mut sweeps: Vec<Sweep<'_>> = self
            .all_calls()
            .zip((0..).map(ThreadId))
            .filter(|&(_, thread)| rows.without.is_none_or(|it| !(it.hides)(thread)))
            .map(|(calls, thread)| Sweep::new(thread, calls, &rows, from))
            .collect();
        for column in range {
            for sweep in &mut sweeps {
                sweep.column(&mut rows, columns.start(column + 1).ns());
            }
            rows.take(column, &mut found);
        }
        found
    }
}
