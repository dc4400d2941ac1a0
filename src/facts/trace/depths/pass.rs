//! Goes through the pieces of a thread and sums up what depths have of columns.

use std::ops::Range;

use super::super::block::partition;
use super::super::pieces::{Borders, Pieces};
use super::super::runs::{self, SHORTEST};
use super::super::store::{Calls, Cursor, place};
use super::cell::DepthCell;
use crate::trace::entries::{Facts, NONE};
use crate::trace::raw_call::BLOCK;
use callscape_base::units::{Cost, FunctionId};

/// Room to unpack calls and runs into.
#[derive(Debug, Default)]
pub(super) struct Room {
    runs: runs::Unpacked,
    starts: Vec<u64>,
    costs: Vec<u64>,
    depths: Vec<u64>,
    slots: Vec<u64>,
    /// The ends of the calls around the next one, by depth.
    stack: Vec<u64>,
    pub facts: Vec<(u32, Facts)>,
}

/// The cells under construction.
pub(super) struct Cells<'a> {
    pub borders: &'a Borders,
    pub depths: Range<u32>,
    /// All depths are one row.
    pub is_sum: bool,
    pub cells: &'a mut [DepthCell],
    /// By row the function of the last call so far; NONE without one.
    pub last: &'a mut [u32],
    /// Columns that have taken that.
    pub ready: usize,
    /// The column of the last call.
    pub column: usize,
}

impl Cells<'_> {
    fn rows(&self) -> usize {
        self.last.len()
    }

    #[inline]
    pub(super) fn row(&self, depth: u32) -> Option<usize> {
        if self.is_sum {
            Some(0)
        } else {
            let row = depth.checked_sub(self.depths.start)? as usize;
            (row < self.last.len()).then_some(row)
        }
    }

    /// Every column up to this takes the functions before it.
    #[inline]
    pub(super) fn reach(&mut self, column: usize) {
        while self.ready <= column {
            let start = self.ready * self.rows();
            if let Some(cells) = self.cells.get_mut(start..start + self.last.len()) {
                for (cell, &last) in cells.iter_mut().zip(&*self.last) {
                    cell.function = (last != NONE).then_some(FunctionId(last));
                }
            }
            self.ready += 1;
        }
    }

    /// Sees calls of a row in a column, the last of them of `function`.
    #[inline]
    pub(super) fn see(
        &mut self,
        column: usize,
        row: usize,
        open: u64,
        started: u32,
        function: u32,
    ) {
        let place = column * self.rows() + row;
        let Some(cell) = self.cells.get_mut(place) else {
            return;
        };
        cell.open = Cost::from_ns(cell.open.ns().saturating_add(open));
        cell.started = cell.started.saturating_add(started);
        if function != NONE {
            cell.function = cell.function.or(Some(FunctionId(function)));
            self.last[row] = function;
        }
    }

    /// So many calls of a row are open from `from` to `to`, which begins not before the last call.
    pub(super) fn open(&mut self, row: usize, from: u64, to: u64, calls: u64) {
        if from >= to {
            return;
        }
        let mut column = self.borders.column(from, self.column);
        let mut from = from;
        while from < to {
            let end = self.borders.start(column + 1).min(to);
            let open = (end - from).saturating_mul(calls);
            self.see(column, row, open, 0, NONE);
            (from, column) = (end, column + 1);
        }
    }
}

/// Goes through the pieces of a thread.
pub(super) struct Pass<'a, 'b> {
    calls: Calls<'a>,
    cursor: Cursor<'a>,
    pub cells: Cells<'b>,
    room: &'b mut Room,
    /// The call for which the stack is known.
    position: Option<u32>,
}

impl<'a, 'b> Pass<'a, 'b> {
    pub(super) fn new(calls: Calls<'a>, cells: Cells<'b>, room: &'b mut Room) -> Pass<'a, 'b> {
        Pass {
            calls,
            cursor: Cursor::new(calls),
            cells,
            room,
            position: None,
        }
    }

    /// What is around the calls where the window begins gives the first columns their functions.
    pub(super) fn begin(&mut self) {
        let window = self.cells.borders.window();
        let position = self.calls.started_before(window.start);
        self.read_stack(position);
        if self.cells.is_sum {
            return;
        }
        let facts = std::mem::take(&mut self.room.facts);
        for (call, facts) in facts.iter().filter(|(_, facts)| facts.end > window.start) {
            if let Some(row) = self.cells.row(facts.depth) {
                let pair = self.cursor.pair(*call);
                self.cells.last[row] = self.calls.store.callee(pair).0;
            }
        }
        self.room.facts = facts;
    }

    /// Reads the calls around call `position` and those that end right before it.
    fn read_stack(&mut self, position: u32) {
        let facts = &mut self.room.facts;
        facts.clear();
        self.cursor.visit_stack(position, |call, of_call| {
            facts.push((call.0, of_call));
            true
        });
        let stack = &mut self.room.stack;
        stack.clear();
        stack.extend(facts.iter().rev().map(|(_, facts)| facts.end));
        self.position = Some(position);
    }

    pub(super) fn run(
        &mut self,
        pieces: &mut Pieces<'a>,
        level: usize,
        run: u32,
        length: u64,
        column: usize,
    ) {
        self.position = None;
        let (page, place) = pieces.page(level, run);
        let cells = &mut self.cells;
        cells.reach(column);
        let lowest = page.lowest(place);
        let entries = page.depths(place);
        if cells.is_sum {
            let around = length.saturating_mul(u64::from(lowest));
            let inside = page.open_of(entries, &mut self.room.runs);
            let started = SHORTEST << level;
            cells.see(column, 0, around.saturating_add(inside), started, NONE);
            return;
        }
        let around = lowest.clamp(cells.depths.start, cells.depths.end) - cells.depths.start;
        let start = column * cells.rows();
        if let Some(cells) = cells.cells.get_mut(start..start + around as usize) {
            for cell in cells {
                cell.open = Cost::from_ns(cell.open.ns().saturating_add(length));
            }
        }
        let first = entries.start + cells.depths.start.saturating_sub(lowest) as usize;
        let last = entries.start + cells.depths.end.saturating_sub(lowest) as usize;
        let entries = first.min(entries.end)..last.min(entries.end);
        let mut row = around as usize;
        page.each_depth(entries, &mut self.room.runs, |at| {
            cells.see(column, row, at.open, at.started, at.last);
            row += 1;
        });
    }

    /// Goes through the calls `from..to` one by one, and what happens until `end`.
    pub(super) fn one_by_one(&mut self, from: u32, to: u32, start: u64, end: u64) {
        let window = self.cells.borders.window();
        let (start, end) = (start.max(window.start), end.min(window.end));
        let before = window.start.checked_sub(1);
        let before = before.map_or(0, |t| self.cursor.started(t));
        let mut next = before.clamp(from, to);
        if self.position != Some(next) {
            self.read_stack(next);
        }
        let stack = std::mem::take(&mut self.room.stack);
        if self.cells.is_sum {
            // Ends further out are no earlier.
            let whole = stack.partition_point(|&of_call| of_call >= end);
            self.cells.open(0, start, end, whole as u64);
            for &of_call in &stack[whole..] {
                self.cells.open(0, start, of_call, 1);
            }
        } else {
            let depths = self.cells.depths.clone();
            let seen =
                (depths.start as usize).min(stack.len())..(depths.end as usize).min(stack.len());
            for (row, &of_call) in stack[seen].iter().enumerate() {
                self.cells.open(row, start, of_call.min(end), 1);
            }
        }
        self.room.stack = stack;
        while next < to {
            let (index, local) = place(next);
            let last = (local + (to - next) as usize).min(BLOCK);
            if !self.of_block(index, local..last, end) {
                return;
            }
            next = (index * BLOCK + last) as u32;
        }
        self.position = Some(to);
    }

    /// Goes through calls of a block; whether none starts behind the window.
    fn of_block(&mut self, index: usize, calls: Range<usize>, end: u64) -> bool {
        let window = self.cells.borders.window();
        let block = *self.cursor.block(index);
        let room = &mut *self.room;
        let first = (index * BLOCK + calls.start) as u32;
        let calls = calls.start..calls.end.min(block.len).max(calls.start);
        block.unpack_starts(calls.clone(), &mut room.starts);
        block.unpack_costs(calls.clone(), &mut room.costs);
        block.unpack_depths(calls.clone(), &mut room.depths);
        block.unpack_slots(calls, &mut room.slots);
        let open = self.cursor.calls.open_in_block(index);
        let mut open = &open[partition(open.len(), |i| open[i].call < first)..];
        let cells = &mut self.cells;
        let times = room.starts.iter().zip(&room.costs);
        let places = room.depths.iter().zip(&room.slots);
        for (call, ((&start, &cost), (&depth, &slot))) in (first..).zip(times.zip(places)) {
            if start >= window.end {
                return false;
            }
            let depth = block.depth_base.wrapping_add(depth as u32);
            let mut ends = start.saturating_add(cost);
            // What is open at the end of the block has no cost there.
            if let [of_call, rest @ ..] = open
                && of_call.call == call
            {
                ends = of_call.end;
                open = rest;
            }
            room.stack.truncate(depth as usize);
            room.stack.push(ends);
            if start < window.start {
                continue;
            }
            let Some(row) = cells.row(depth) else {
                continue;
            };
            cells.column = cells.borders.column(start, cells.column);
            cells.reach(cells.column);
            let function = if cells.is_sum {
                NONE
            } else {
                let pair = block.pair_in(slot as usize);
                self.calls.store.callee(pair).0
            };
            cells.see(cells.column, row, 0, 1, function);
            cells.open(row, start, ends.min(end), 1);
        }
        true
    }
}
