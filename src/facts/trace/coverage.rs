//! For how long functions are open and on top of the stack, by pixel column.
//!
//! A sweep from left to right: calls are gone through one by one where a column begins or ends in the
//! midst of a block, and whole blocks in between count by their summaries.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{BLOCK, partition};
use super::detail::Columns;
use super::relations::Frame;
use super::store::{Calls, Cursor, GROUP_BLOCKS, NONE, Store, place};
use super::summary::Summary;
use crate::units::Cost;

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
    /// No row has several functions: what a summary knows of a function is what it knows of the row.
    single: bool,
}

impl<'a> Rows<'a> {
    fn new(store: &'a Store, row_of: &'a [u32], rows: u32) -> Rows<'a> {
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
            // Of sums that are no numbers there are no differences.
            single: single && !store.overflows,
        }
    }

    /// The row of the callee of `pair`; NONE for a function without one.
    fn row(&self, pair: u32) -> u32 {
        let callee = self.store.callee(pair).index();
        let row = self.row_of.get(callee).copied().unwrap_or(NONE);
        if (row as usize) < self.shares.len() {
            row
        } else {
            NONE
        }
    }

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

    fn add_summary(&mut self, summary: Summary<'_>) {
        for (pair, [cost, children, nested]) in summary.costs() {
            if cost > 0 {
                let (open, top) = (cost.wrapping_sub(nested), cost.wrapping_sub(children));
                self.add(self.row(pair), open, top);
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

/// An open call of the sweep.
#[derive(Clone, Copy)]
struct Open {
    row: u32,
    /// No other call of the row is around it.
    outermost: bool,
    end: u64,
    /// Up to when its time is counted.
    since: u64,
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

/// The sweep over one thread.
struct Sweep<'a> {
    cursor: Cursor<'a>,
    /// The calls gone through, and up to when.
    position: u32,
    now: u64,
    open: Vec<Open>,
    /// By row how many of its calls are open.
    counts: Vec<u32>,
    unpacked: Unpacked,
}

impl<'a> Sweep<'a> {
    /// A sweep that begins at `from`.
    fn new(calls: Calls<'a>, rows: &Rows<'_>, from: u64) -> Sweep<'a> {
        let mut sweep = Sweep {
            cursor: Cursor::new(calls),
            position: calls.started_before(from),
            now: from,
            open: Vec::new(),
            counts: vec![0; rows.shares.len()],
            unpacked: Unpacked::default(),
        };
        let mut stack = Vec::new();
        let position = sweep.position;
        sweep.cursor.visit_stack(position, |call, facts| {
            stack.push((call.0, facts.end));
            true
        });
        for (call, end) in stack.into_iter().rev().filter(|&(_, end)| end > from) {
            let row = rows.row(sweep.cursor.pair(call));
            sweep.enter(row, end);
        }
        sweep
    }

    fn enter(&mut self, row: u32, end: u64) {
        let count = self.counts.get_mut(row as usize);
        let outermost = count.is_some_and(|count| {
            *count += 1;
            *count == 1
        });
        self.open.push(Open {
            row,
            outermost,
            end,
            since: self.now,
        });
    }

    /// Counts the time up to `t` for the innermost open call.
    fn advance(&mut self, rows: &mut Rows<'_>, t: u64) {
        if let Some(top) = self.open.last() {
            rows.add(top.row, 0, t.saturating_sub(self.now));
        }
        self.now = t;
    }

    /// Ends the innermost open call.
    fn exit(&mut self, rows: &mut Rows<'_>) {
        let Some(top) = self.open.last().copied() else {
            return;
        };
        self.advance(rows, top.end.max(self.now));
        self.open.pop();
        if top.outermost {
            rows.add(top.row, self.now - top.since, 0);
        }
        if let Some(count) = self.counts.get_mut(top.row as usize) {
            *count -= 1;
        }
    }

    /// Goes on to `t`, up to which no call starts.
    fn go_to(&mut self, rows: &mut Rows<'_>, t: u64) {
        while self.open.last().is_some_and(|top| top.end <= t) {
            self.exit(rows);
        }
        self.advance(rows, t);
    }

    /// Goes on to `t` and counts the time until then for all open calls.
    fn settle(&mut self, rows: &mut Rows<'_>, t: u64) {
        self.go_to(rows, t);
        for open in &mut self.open {
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
            let last = place(to - 1).0;
            if rows.single && local == 0 && index < last {
                self.skip(rows, index..last);
            } else {
                let end = to.min(((index + 1) * BLOCK) as u32);
                self.step(rows, index, local..local + (end - self.position) as usize);
            }
        }
        self.settle(rows, t);
    }

    /// Goes through calls of a block one by one.
    fn step(&mut self, rows: &mut Rows<'_>, index: usize, range: Range<usize>) {
        let mut unpacked = std::mem::take(&mut self.unpacked);
        let block = *self.cursor.block(index);
        if unpacked.block != Some(index) {
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
            let depth = block.depth_base.wrapping_add(depth as u32) as usize;
            while self.open.len() > depth {
                self.exit(rows);
            }
            self.advance(rows, start.max(self.now));
            let mut end = start.saturating_add(cost);
            // What is open at the end of the block has no cost there.
            if let [of_call, rest @ ..] = open
                && of_call.call == call
            {
                end = of_call.end;
                open = rest;
            }
            let row = unpacked.rows.get(slot as usize).copied();
            self.enter(row.unwrap_or(NONE), end);
        }
        self.position = (index * BLOCK + range.end) as u32;
        self.unpacked = unpacked;
    }

    /// Goes past whole blocks by what their summaries say of them, up to the start of another.
    fn skip(&mut self, rows: &mut Rows<'_>, blocks: Range<usize>) {
        let calls = self.cursor.calls;
        let [from, to] = [blocks.start, blocks.end].map(|index| calls.block_start(index));
        self.go_to(rows, from.max(self.now));
        let before = calls.frames_before(blocks.start, 0);
        let after = calls.frames_before(blocks.end, 0);
        // Calls around all of it stay as they are: open, and not counted yet.
        let first = (blocks.start * BLOCK) as u32;
        let around = after.partition_point(|frame| frame.call < first);
        while self.open.len() > around {
            self.settle_innermost(rows, from);
        }
        // What has ended by the end, less what had passed of it at the start.
        let mut next = blocks.start;
        while next < blocks.end {
            let group = next.is_multiple_of(GROUP_BLOCKS) && next + GROUP_BLOCKS <= blocks.end;
            if group {
                rows.add_summary(calls.group(next / GROUP_BLOCKS).1);
                next += GROUP_BLOCKS;
            } else {
                rows.add_summary(calls.block(next).summary());
                next += 1;
            }
        }
        let mut passed = |frames: &[Frame], t: u64, sign: fn(u64) -> u64| {
            let mut inner = 0u64;
            // Of the calls around, the innermost alone may have been on top in between.
            let innermost = around.saturating_sub(1);
            for (depth, frame) in frames.iter().enumerate().skip(innermost).rev() {
                let cost = frame.end.min(t).saturating_sub(frame.start);
                let top = cost.saturating_sub(frame.children.saturating_add(inner));
                let open = if depth < around || frame.nested {
                    0
                } else {
                    cost
                };
                inner = cost;
                rows.add(rows.row(frame.pair), sign(open), sign(top));
            }
        };
        passed(&before, from, u64::wrapping_neg);
        passed(&after, to, |cost| cost);
        self.now = to;
        for frame in &after[around..] {
            self.enter(rows.row(frame.pair), frame.end);
        }
        self.position = (blocks.end * BLOCK) as u32;
    }

    /// Takes the innermost open call off the stack, its time counted until `t`.
    fn settle_innermost(&mut self, rows: &mut Rows<'_>, t: u64) {
        let Some(top) = self.open.pop() else { return };
        if top.outermost {
            rows.add(top.row, t - top.since.min(t), 0);
        }
        if let Some(count) = self.counts.get_mut(top.row as usize) {
            *count -= 1;
        }
    }
}

impl Store {
    pub fn coverage(&self, columns: Columns, row_of: &[u32], rows: u32, out: &mut Vec<Coverage>) {
        let count = columns.count();
        let pieces = if count < SPREAD {
            1
        } else {
            2 * rayon::current_num_threads() as u32
        };
        let edge = |piece: u32| (u64::from(count) * u64::from(piece) / u64::from(pieces)) as u32;
        let found: Vec<Vec<Coverage>> = (0..pieces)
            .into_par_iter()
            .map(|piece| self.coverage_of(columns, edge(piece)..edge(piece + 1), row_of, rows))
            .collect();
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
        row_of: &[u32],
        rows: u32,
    ) -> Vec<Coverage> {
        let mut found = Vec::new();
        let mut rows = Rows::new(self, row_of, rows);
        let from = columns.start(range.start).ns();
        let mut sweeps: Vec<Sweep<'_>> = self
            .all_calls()
            .map(|calls| Sweep::new(calls, &rows, from))
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
