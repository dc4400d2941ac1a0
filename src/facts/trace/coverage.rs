//! For how long functions are open and on top of the stack, by pixel column.
//!
//! A sweep from left to right: the few calls around the edges of columns are gone through one by one, and of runs
//! of calls in between is known what they add up to. A first picture takes runs as a whole at the edges too.

mod rows;

use std::ops::Range;

use rayon::prelude::*;

use self::rows::Rows;
pub use self::rows::{Coverage, Without};
use super::block::partition;
use super::detail::Columns;
use super::entries::{Facts, NONE};
use super::pieces::{Borders, Cut, Piece, Pieces};
use super::raw_call::BLOCK;
use super::runs::{self, SHORTEST};
use super::store::{Calls, Cursor, Store, place};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};

/// How coverage is measured.
#[derive(Clone, Copy)]
pub enum Measure<'a> {
    /// Exactly, by all cores, until it says that it is to stop.
    Exact(&'a (dyn Fn() -> bool + Sync)),
    /// Exactly, by the calling thread alone: waits for nobody.
    Here,
    /// By the calling thread alone, with work for columns and threads only, however many calls there are: sums of times
    /// whose borders lie up to half a column beside those of the columns, and where calls are few on them. A row of
    /// several functions has what these have one by one, all together. Exact where something is left out.
    Near,
}

/// Memory to measure coverage with that is kept from picture to picture.
#[derive(Debug, Default)]
pub struct CoverageRoom {
    /// What has been measured, in order of row, then column.
    pub cells: Vec<Coverage>,
    found: Vec<Coverage>,
    ends: Vec<usize>,
}

/// A call of the sweep's stack, at its depth.
#[derive(Clone, Copy)]
struct Open {
    row: u32,
    key: u32,
    /// The row that is on top while the call is.
    top: u32,
    /// What it triggers is left out.
    is_cut: bool,
    /// No other call of the key is around it.
    outermost: bool,
    /// Not known of what runs have left open.
    end: u64,
    /// Up to when its time is counted, among calls.
    since: u64,
    /// Among runs: time of it and of all around it that is not counted yet.
    pending: u64,
}

/// How a call is shown: its row and key, the row that is on top while it is, and whether what it triggers is left out.
struct ShownCall {
    row: u32,
    key: u32,
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

/// The sweep over one thread.
struct Sweep<'a> {
    thread: ThreadId,
    cursor: Cursor<'a>,
    pieces: Pieces<'a>,
    piece: Option<Piece>,
    /// Nothing has been gone through: what is open is not known.
    is_new: bool,
    /// The last piece was a run, or nothing.
    in_runs: bool,
    /// Among calls: those gone through, up to when, and up to when that is what counts.
    position: u32,
    now: u64,
    until: u64,
    /// The calls around the next one, as far as they are known: of those that end right here some may still
    /// make a call that takes no time.
    stack: Vec<Open>,
    /// Among calls: so many of them have not ended.
    open: usize,
    /// Of so many of them it is known when they end.
    known: usize,
    /// By key how many of its calls are on the stack.
    counts: Vec<u32>,
    unpacked: Unpacked,
    room: runs::Unpacked,
    left: Vec<u64>,
    new: Vec<(u32, Facts)>,
}

impl<'a> Sweep<'a> {
    fn new(
        thread: ThreadId,
        calls: Calls<'a>,
        rows: &Rows<'_>,
        borders: &Borders,
        cut: Cut,
    ) -> Sweep<'a> {
        let mut pieces = Pieces::new(calls, cut);
        let piece = pieces.next(borders);
        Sweep {
            thread,
            cursor: Cursor::new(calls),
            pieces,
            piece,
            is_new: true,
            in_runs: true,
            position: 0,
            now: 0,
            until: 0,
            stack: Vec::new(),
            open: 0,
            known: 0,
            counts: vec![0; rows.keys()],
            unpacked: Unpacked::default(),
            room: runs::Unpacked::default(),
            left: Vec::new(),
            new: Vec::new(),
        }
    }

    /// How a call is shown that the last of the stack made, and that has a row of its own.
    #[inline]
    fn shown(&self, rows: &Rows<'_>, call: u32, pair: u32, row: u32) -> ShownCall {
        match rows.without {
            Some(without) => self.shown_without(without, rows.store.callee(pair), call, row),
            None => ShownCall {
                row,
                key: rows.key(rows.store.callee(pair).0, row),
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
    ) -> ShownCall {
        let above = self.stack.last().map_or(NONE, |above| above.top);
        if self.stack.last().is_some_and(|above| above.is_cut) {
            return ShownCall {
                row: NONE,
                key: NONE,
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
        ShownCall {
            row,
            key: row,
            top,
            is_cut,
        }
    }

    /// Puts a call on the stack.
    fn push(&mut self, shown: ShownCall, end: u64, since: u64) {
        let count = self.counts.get_mut(shown.key as usize);
        let outermost = count.is_some_and(|count| {
            *count += 1;
            *count == 1
        });
        self.stack.push(Open {
            row: shown.row,
            key: shown.key,
            top: shown.top,
            is_cut: shown.is_cut,
            outermost,
            end,
            since,
            pending: 0,
        });
    }

    fn enter(&mut self, shown: ShownCall, end: u64, since: u64) {
        let is_open = self.open == self.stack.len() && end > since;
        self.open += usize::from(is_open);
        self.push(shown, end, if is_open { since } else { end });
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
        if let Some(count) = self.counts.get_mut(popped.key as usize) {
            *count -= 1;
        }
        Some(popped)
    }

    /// Ends all calls at `depth` and deeper.
    fn leave(&mut self, rows: &mut Rows<'_>, depth: u32) {
        while self.stack.len() > depth as usize {
            if self.open == self.stack.len() {
                self.exit(rows);
            }
            self.pop();
        }
    }

    /// Goes on to `t`, up to which no call starts, and counts the time until then for all open calls.
    fn settle(&mut self, rows: &mut Rows<'_>, t: u64) {
        if t < self.now {
            return;
        }
        while self.open > 0 && self.stack[self.open - 1].end <= t {
            self.exit(rows);
        }
        self.advance(rows, t);
        for open in &mut self.stack[..self.open] {
            if open.outermost {
                rows.add(open.row, t - open.since, 0);
            }
            open.since = t;
        }
    }

    /// Counts what is pending.
    fn settle_runs(&mut self, rows: &mut Rows<'_>) {
        let mut pending = 0u64;
        for open in self.stack.iter_mut().rev() {
            pending = pending.saturating_add(std::mem::take(&mut open.pending));
            if open.outermost && pending > 0 {
                rows.add(open.row, pending, 0);
            }
        }
    }

    /// Goes on among calls from `position` and `now`, whatever has been before.
    fn begin_calls(&mut self, rows: &mut Rows<'_>, position: u32, now: u64) {
        self.settle_runs(rows);
        let mut new = std::mem::take(&mut self.new);
        new.clear();
        let known = self.known as u32;
        self.cursor.visit_stack(position, |call, facts| {
            let is_new = facts.depth >= known;
            if is_new {
                new.push((call.0, facts));
            }
            is_new
        });
        while self.stack.len() > self.known {
            self.pop();
        }
        for (call, facts) in new.drain(..).rev() {
            let pair = self.cursor.pair(call);
            let shown = self.shown(rows, call, pair, rows.row(pair));
            self.push(shown, facts.end, now);
        }
        self.new = new;
        for open in &mut self.stack {
            open.since = open.end.min(now);
        }
        self.open = self.stack.partition_point(|open| open.end > now);
        (self.position, self.now) = (position, now);
        (self.is_new, self.in_runs) = (false, false);
    }

    /// Goes past a run.
    fn pass(&mut self, rows: &mut Rows<'_>, level: usize, run: u32, start: u64, end: u64) {
        if self.is_new {
            self.begin_calls(rows, (run << level) * SHORTEST, start);
        }
        if !self.in_runs {
            self.settle(rows, start);
            self.in_runs = true;
            self.known = self.stack.len();
        }
        let (page, place) = self.pieces.page(level, run);
        let lowest = page.lowest(place) as usize;
        // What ends in it has been around all of the runs before.
        while self.stack.len() > lowest {
            let Some(ended) = self.pop() else { break };
            if ended.pending > 0 {
                if ended.outermost {
                    rows.add(ended.row, ended.pending, 0);
                }
                if let Some(around) = self.stack.last_mut() {
                    around.pending = around.pending.saturating_add(ended.pending);
                }
            }
        }
        self.known = self.known.min(self.stack.len());
        if let Some(around) = self.stack.last_mut() {
            around.pending = around.pending.saturating_add(end - start);
        }
        let (page, place) = self.pieces.page(level, run);
        page.shares(place, &mut self.room, |function, open, top| {
            rows.add(rows.row_of(function as usize), open, top);
        });
        let entries = page.depths(place);
        let left_open = (page.around(place) as usize).saturating_sub(lowest);
        let end = (entries.start + left_open).min(entries.end);
        let mut left = std::mem::take(&mut self.left);
        page.lasts(entries.start..end, &mut left);
        for &function in &left {
            let function = function.wrapping_sub(1) as u32;
            let row = rows.row_of(function as usize);
            let shown = ShownCall {
                row,
                key: rows.key(function, row),
                top: row,
                is_cut: false,
            };
            self.push(shown, u64::MAX, 0);
        }
        self.left = left;
    }

    /// Goes through column `k`.
    fn column(&mut self, rows: &mut Rows<'_>, borders: &Borders, k: usize) {
        let end_of_column = borders.start(k + 1);
        while let Some(piece) = self.piece {
            match piece {
                Piece::Run { column, .. } if column > k => break,
                Piece::Run {
                    level,
                    run,
                    start,
                    end,
                    ..
                } => self.pass(rows, level, run, start, end),
                Piece::Calls {
                    from,
                    to,
                    start,
                    end,
                } => {
                    if start >= end_of_column {
                        break;
                    }
                    if self.in_runs {
                        let from_window = borders.start(0);
                        let before = from_window.checked_sub(1);
                        let before = before.map_or(0, |t| self.cursor.started(t));
                        let position = before.clamp(from, to);
                        self.begin_calls(rows, position, start.max(from_window));
                    }
                    self.until = end;
                    let before = end_of_column.saturating_sub(1);
                    let before = self.cursor.started(before).min(to);
                    while self.position < before {
                        let (index, local) = place(self.position);
                        let end = (local + (before - self.position) as usize).min(BLOCK);
                        self.step(rows, index, local..end);
                    }
                    if self.position < to {
                        break;
                    }
                }
            }
            self.piece = self.pieces.next(borders);
        }
        if self.in_runs {
            self.settle_runs(rows);
        } else {
            self.settle(rows, end_of_column.min(self.until));
        }
    }

    /// Goes through calls of a block one by one.
    fn step(&mut self, rows: &mut Rows<'_>, index: usize, range: Range<usize>) {
        let mut unpacked = std::mem::take(&mut self.unpacked);
        let block = *self.cursor.block(index);
        if !rows.by_function && unpacked.block != Some(index) {
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
            let pair = if rows.by_function || rows.without.is_some() {
                block.pair_in(slot as usize)
            } else {
                NONE
            };
            let row = if rows.by_function {
                rows.row(pair)
            } else {
                unpacked.rows.get(slot as usize).copied().unwrap_or(NONE)
            };
            let shown = self.shown(rows, call, pair, row);
            self.enter(shown, end, self.now);
        }
        self.position = (index * BLOCK + range.end) as u32;
        self.unpacked = unpacked;
    }
}

impl Store {
    /// Whether all was measured; not where it was to stop.
    pub(crate) fn coverage(
        &self,
        columns: Columns,
        row_of: &[u32],
        rows: u32,
        without: Option<&Without<'_>>,
        measure: Measure<'_>,
        room: &mut CoverageRoom,
    ) -> bool {
        let count = columns.count();
        let CoverageRoom {
            cells: out,
            found,
            ends,
        } = room;
        found.clear();
        let is_sum = matches!(measure, Measure::Near);
        let new_rows = || Rows::new(self, row_of, rows, without, is_sum);
        let never = || false;
        let is_whole = match measure {
            Measure::Here => {
                self.coverage_of(columns, 0..count, new_rows(), Cut::Exact, &never, found)
            }
            Measure::Near => {
                let cut = Cut::near(columns, 1);
                self.coverage_of(columns, 0..count, new_rows(), cut, &never, found)
            }
            Measure::Exact(stops) => {
                let pieces = 4 * rayon::current_num_threads() as u32;
                let edge = |at: u32| (u64::from(count) * u64::from(at) / u64::from(pieces)) as u32;
                let of_piece = |at| {
                    let mut found = Vec::new();
                    let range = edge(at)..edge(at + 1);
                    self.coverage_of(columns, range, new_rows(), Cut::Exact, stops, &mut found)
                        .then_some(found)
                };
                let pieces = (0..pieces).into_par_iter();
                let pieces: Option<Vec<_>> = pieces.map(of_piece).collect();
                found.extend(pieces.iter().flatten().flatten());
                pieces.is_some()
            }
        };
        // From order of column into order of row, then column.
        ends.clear();
        ends.resize(rows as usize + 1, 0);
        for coverage in &*found {
            ends[coverage.row as usize + 1] += 1;
        }
        let mut sum = 0;
        for end in &mut *ends {
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
        for coverage in &*found {
            let place = &mut ends[coverage.row as usize];
            out[*place] = *coverage;
            *place += 1;
        }
        is_whole
    }

    /// What the columns of `range` are covered with, in order of column.
    fn coverage_of(
        &self,
        columns: Columns,
        range: Range<u32>,
        mut rows: Rows<'_>,
        cut: Cut,
        stops: &(dyn Fn() -> bool + Sync),
        found: &mut Vec<Coverage>,
    ) -> bool {
        let cut = if rows.by_function { cut } else { Cut::Calls };
        let mut borders = Borders::default();
        borders.set(columns, range.clone());
        let mut sweeps: Vec<Sweep<'_>> = self
            .all_calls()
            .zip((0..).map(ThreadId))
            .filter(|&(_, thread)| rows.without.is_none_or(|it| !(it.hides)(thread)))
            .map(|(calls, thread)| Sweep::new(thread, calls, &rows, &borders, cut))
            .filter(|sweep| sweep.piece.is_some())
            .collect();
        for (place, column) in range.enumerate() {
            if stops() {
                return false;
            }
            for sweep in &mut sweeps {
                sweep.column(&mut rows, &borders, place);
            }
            rows.take(column, found);
        }
        true
    }
}
