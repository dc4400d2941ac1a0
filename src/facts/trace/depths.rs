//! What a flame chart shows of a thread on so many pixel columns: the calls that are wide enough to be boxes, and
//! for each column and depth how much of it calls cover, how many start there and of which function they are.

use std::ops::Range;

use super::block::{BLOCK, partition};
use super::detail::{Columns, Walk};
use super::long::long_calls;
use super::pieces::{Borders, Cut, Piece, Pieces};
use super::runs::{self, SHORTEST};
use super::store::{Calls, Cursor, Facts, NONE, Store, place};
use crate::units::{CallId, Cost, FunctionId, Time, TimeRange};

/// What of a thread a flame chart shows.
#[derive(Clone, Debug)]
pub struct FlameOf {
    pub columns: Columns,
    pub depths: Range<u32>,
    /// Calls that last so long are bars. At least a nanosecond.
    pub least: Cost,
    /// So many columns together are one cell: less work where calls are many. At least one.
    pub columns_of_cell: u32,
    /// The times of cells are cut up to half a column beside the borders of columns where calls are many, and up to a
    /// quarter where they are very many: then the work is for columns and depths only, however many calls there
    /// are. Else they are exact.
    pub is_near: bool,
}

impl FlameOf {
    /// The columns of the cells.
    fn cells(&self) -> Columns {
        let count = self.columns.count();
        let range = TimeRange::new(self.columns.start(0), self.columns.start(count));
        Columns::new(range, count.div_ceil(self.columns_of_cell.max(1)))
    }
}

/// A call that lasts long enough to be a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub depth: u32,
    /// It is open at some time of the columns `first..last` of the cells.
    pub first: u32,
    pub last: u32,
    pub call: CallId,
    pub function: FunctionId,
    pub start: Time,
    pub end: Time,
}

/// The calls of one depth in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthCell {
    /// For how long a call is open.
    pub open: Cost,
    /// Calls that start in the column.
    pub started: u32,
    /// The function of the last call of the depth that starts before the column and is open in the window; where there
    /// is none, one that starts in the column.
    pub function: Option<FunctionId>,
}

/// What a flame chart shows of some depths of a thread; keeps its memory from picture to picture.
#[derive(Debug, Default)]
pub struct Flame {
    /// In order of depth, then time.
    pub bars: Vec<Bar>,
    /// The columns of the cells; none before the first picture.
    pub columns: Option<Columns>,
    /// By column, all depths of it.
    pub cells: Vec<DepthCell>,
    /// The depths of the cells.
    pub depths: Range<u32>,
    /// Whether the cells hold anything: where something is left out they do in windows of few calls only, unless they
    /// are found exactly.
    pub is_counted: bool,
    /// Whether the cells are of one column each and what is counted in them is what happens in these.
    pub is_exact: bool,
    /// Calls that start in the columns and are left out; known where the cells are.
    pub left_out: u64,
    last: Vec<u32>,
    current: Vec<u32>,
    around: Vec<Placed>,
    room: Room,
}

impl Flame {
    /// The cell of a column and depth; none where it has not been asked for.
    pub fn cell(&self, column: u32, depth: u32) -> Option<&DepthCell> {
        let row = self
            .depths
            .contains(&depth)
            .then(|| depth - self.depths.start)?;
        let of_column = column as usize * self.depths.len();
        self.cells.get(of_column + row as usize)
    }
}

/// What a flame chart leaves out (Bohnet's thesis, section 6.1.1).
#[derive(Clone, Copy)]
pub struct LeaveOut<'a> {
    /// Module removal: whether calls of a function are left out. What they called moves up.
    pub removes: &'a dyn Fn(FunctionId) -> bool,
    /// Call tree removal: whether all that a call triggered is left out.
    pub cuts_below: &'a dyn Fn(FunctionId, CallId) -> bool,
}

/// Where a call is drawn, and the calls that it made.
#[derive(Clone, Copy, Debug)]
struct Placed {
    call: u32,
    /// Depth as drawn; none when it is left out.
    depth: Option<u32>,
    /// Depth of its subcalls; none when they are left out.
    below: Option<u32>,
}

impl Placed {
    fn new(stack: &[Placed], call: u32, function: FunctionId, leave_out: &LeaveOut<'_>) -> Placed {
        let above = stack.last().map_or(Some(0), |caller| caller.below);
        let is_removed = (leave_out.removes)(function);
        let depth = above.filter(|_| !is_removed);
        let below = if (leave_out.cuts_below)(function, CallId(call)) {
            None
        } else {
            above.map(|depth| depth + u32::from(!is_removed))
        };
        Placed { call, depth, below }
    }
}

/// How a flame chart is found.
#[derive(Clone, Copy)]
pub(super) enum Find<'a> {
    /// In the time of a frame.
    AtOnce,
    /// All of it, however long that takes, until it says that it is to stop.
    Exactly(&'a dyn Fn() -> bool),
}

/// So many pieces or calls are gone through before it is asked again whether to stop.
const UNASKED: u32 = 4096;

/// Where something is left out, windows of fewer calls are gone through call by call.
const FEW: u32 = if cfg!(test) { 40 } else { 1 << 14 };

/// Where calls are very many, borders are displaced by half of what they are where they are many.
const FINER: u64 = 2;

/// Room to unpack calls and runs into.
#[derive(Debug, Default)]
struct Room {
    runs: runs::Unpacked,
    starts: Vec<u64>,
    costs: Vec<u64>,
    depths: Vec<u64>,
    slots: Vec<u64>,
    /// The ends of the calls around the next one, by depth.
    stack: Vec<u64>,
    facts: Vec<(u32, Facts)>,
}

/// The cells under construction.
struct Cells<'a> {
    borders: &'a Borders,
    depths: Range<u32>,
    /// All depths are one row.
    is_sum: bool,
    cells: &'a mut [DepthCell],
    /// By row the function of the last call so far; NONE without one.
    last: &'a mut [u32],
    /// Columns that have taken that.
    ready: usize,
    /// The column of the last call.
    column: usize,
}

impl Cells<'_> {
    fn rows(&self) -> usize {
        self.last.len()
    }

    #[inline]
    fn row(&self, depth: u32) -> Option<usize> {
        if self.is_sum {
            Some(0)
        } else {
            let row = depth.checked_sub(self.depths.start)? as usize;
            (row < self.last.len()).then_some(row)
        }
    }

    /// Every column up to this takes the functions before it.
    #[inline]
    fn reach(&mut self, column: usize) {
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
    fn see(&mut self, column: usize, row: usize, open: u64, started: u32, function: u32) {
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
    fn open(&mut self, row: usize, from: u64, to: u64, calls: u64) {
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
struct Pass<'a, 'b> {
    calls: Calls<'a>,
    cursor: Cursor<'a>,
    cells: Cells<'b>,
    room: &'b mut Room,
    /// The call for which the stack is known.
    position: Option<u32>,
}

impl<'a> Pass<'a, '_> {
    /// What is around the calls where the window begins gives the first columns their functions.
    fn begin(&mut self) {
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

    fn run(&mut self, pieces: &mut Pieces<'a>, level: usize, run: u32, length: u64, column: usize) {
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
    fn one_by_one(&mut self, from: u32, to: u32, start: u64, end: u64) {
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

/// How cells have been filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filled {
    Exactly,
    Nearly,
    Stopped,
}

/// The bars under construction.
struct Bars<'a> {
    borders: &'a Borders,
    depths: Range<u32>,
    least: u64,
    bars: &'a mut Vec<Bar>,
    /// By depth the last call seen.
    current: &'a mut Vec<u32>,
}

impl Bars<'_> {
    /// Sees a call that is open at some time of the window, or right where it ends.
    fn see(&mut self, call: u32, facts: &Facts, function: impl FnOnce() -> FunctionId) {
        let window = self.borders.window();
        let lasts = facts.end.saturating_sub(facts.start);
        if lasts < self.least || facts.end <= window.start || facts.start >= window.end {
            return;
        }
        let Some(row) = facts.depth.checked_sub(self.depths.start) else {
            return;
        };
        let Some(current) = self.current.get_mut(row as usize) else {
            return;
        };
        if std::mem::replace(current, call) == call {
            return;
        }
        let count = self.borders.count();
        let column = |t: u64| partition(count, |k| self.borders.start(k) <= t);
        self.bars.push(Bar {
            depth: facts.depth,
            first: column(facts.start).saturating_sub(1) as u32,
            last: column(facts.end - 1) as u32,
            call: CallId(call),
            function: function(),
            start: Time::from_ns(facts.start),
            end: Time::from_ns(facts.end),
        });
    }
}

impl Calls<'_> {
    /// Whether all was found; not where it was to stop.
    fn flame(
        &self,
        of: &FlameOf,
        leave_out: Option<&LeaveOut<'_>>,
        find: Find<'_>,
        out: &mut Flame,
    ) -> bool {
        let columns = of.cells();
        let borders = Borders::new(columns);
        let rows = of.depths.len();
        out.left_out = 0;
        out.bars.clear();
        out.columns = Some(columns);
        out.cells.clear();
        out.cells
            .resize(rows * borders.count(), DepthCell::default());
        out.depths.clone_from(&of.depths);
        for of_row in [&mut out.last, &mut out.current] {
            of_row.clear();
            of_row.resize(rows, NONE);
        }
        let window = borders.window();
        out.is_counted = true;
        out.is_exact = columns.count() == of.columns.count();
        if window.is_empty() {
            return true;
        }
        let never = || false;
        let stops = match find {
            Find::AtOnce => &never,
            Find::Exactly(stops) => stops,
        };
        let mut is_whole = true;
        match leave_out {
            Some(leave_out) => {
                let started = [window.start, window.end].map(|t| self.started_before(t));
                let is_few = started[1] - started[0] < FEW;
                if is_few || matches!(find, Find::Exactly(_)) {
                    let started = started[0]..started[1];
                    is_whole = self.flame_of_few(of, &borders, started, leave_out, stops, out);
                } else {
                    (out.is_counted, out.is_exact) = (false, false);
                    self.bars(of, &borders, Some(leave_out), out);
                }
            }
            None => {
                self.bars(of, &borders, None, out);
                let cut = match find {
                    Find::AtOnce if of.is_near => Cut::near(columns, FINER),
                    Find::AtOnce | Find::Exactly(_) => Cut::Exact,
                };
                let cells = Cells {
                    borders: &borders,
                    depths: of.depths.clone(),
                    is_sum: false,
                    cells: &mut out.cells,
                    last: &mut out.last,
                    ready: 0,
                    column: 0,
                };
                let filled = self.fill(cells, cut, stops, &mut out.room);
                is_whole = filled != Filled::Stopped;
                out.is_exact &= filled == Filled::Exactly;
            }
        }
        out.bars.sort_unstable_by_key(|bar| (bar.depth, bar.call));
        out.bars.dedup_by_key(|bar| (bar.depth, bar.call));
        is_whole
    }

    /// Fills the cells.
    fn fill(
        &self,
        cells: Cells<'_>,
        cut: Cut,
        stops: &dyn Fn() -> bool,
        room: &mut Room,
    ) -> Filled {
        let borders = cells.borders;
        let mut pass = Pass {
            calls: *self,
            cursor: Cursor::new(*self),
            cells,
            room,
            position: None,
        };
        pass.begin();
        let mut pieces = Pieces::new(*self, cut);
        let mut unasked = 0;
        while let Some(piece) = pieces.next(borders) {
            unasked += 1;
            if unasked % UNASKED == 0 && stops() {
                return Filled::Stopped;
            }
            match piece {
                Piece::Run {
                    level,
                    run,
                    start,
                    end,
                    column,
                } => pass.run(&mut pieces, level, run, end - start, column),
                Piece::Calls {
                    from,
                    to,
                    start,
                    end,
                } => pass.one_by_one(from, to, start, end),
            }
        }
        if let Some(last) = borders.count().checked_sub(1) {
            pass.cells.reach(last);
        }
        if pieces.is_displaced() {
            Filled::Nearly
        } else {
            Filled::Exactly
        }
    }

    /// Finds the calls that last long enough.
    fn bars(
        &self,
        of: &FlameOf,
        borders: &Borders,
        leave_out: Option<&LeaveOut<'_>>,
        out: &mut Flame,
    ) {
        let least = of.least.ns().max(1);
        let mut bars = Bars {
            borders,
            depths: of.depths.clone(),
            least,
            bars: &mut out.bars,
            current: &mut out.current,
        };
        let Some(leave_out) = leave_out else {
            let (window, below) = (borders.window(), of.depths.end);
            long_calls(*self, window, least, below, |call, facts, pair| {
                bars.see(call, facts, || self.store.callee(pair()));
            });
            return;
        };
        // Each is open at one of some times that are closer together.
        let window = borders.window();
        let range = TimeRange::new(Time::from_ns(window.start), Time::from_ns(window.end));
        let looks = (window.end - window.start) / least + 1;
        let looks = Columns::new(range, u32::try_from(looks).unwrap_or(u32::MAX));
        let mut walk = Walk::new(*self, looks, 0);
        let mut cursor = Cursor::new(*self);
        let around = &mut out.around;
        around.clear();
        for k in 0..=looks.count() {
            walk.column(k);
            let open = walk.open();
            for (place, (call, facts)) in open.iter().enumerate() {
                if around.get(place).is_none_or(|known| known.call != *call) {
                    around.truncate(place);
                    let function = self.store.callee(cursor.pair(*call));
                    around.push(Placed::new(around, *call, function, leave_out));
                }
                if let Some(depth) = around.get(place).and_then(|placed| placed.depth) {
                    let facts = Facts { depth, ..*facts };
                    bars.see(*call, &facts, || self.store.callee(cursor.pair(*call)));
                }
            }
            around.truncate(open.len());
        }
    }

    /// Goes through the calls `started` of a window, and those around them, one by one. Whether it got to the end.
    fn flame_of_few(
        &self,
        of: &FlameOf,
        borders: &Borders,
        started: Range<u32>,
        leave_out: &LeaveOut<'_>,
        stops: &dyn Fn() -> bool,
        out: &mut Flame,
    ) -> bool {
        let window = borders.window();
        let mut cursor = Cursor::new(*self);
        let facts = &mut out.room.facts;
        facts.clear();
        cursor.visit_stack(started.start, |call, of_call| {
            facts.push((call.0, of_call));
            true
        });
        facts.reverse();
        let mut bars = Bars {
            borders,
            depths: of.depths.clone(),
            least: of.least.ns().max(1),
            bars: &mut out.bars,
            current: &mut out.current,
        };
        let mut cells = Cells {
            borders,
            depths: of.depths.clone(),
            is_sum: false,
            cells: &mut out.cells,
            last: &mut out.last,
            ready: 0,
            column: 0,
        };
        let around = &mut out.around;
        around.clear();
        for &(call, of_call) in &*facts {
            let function = self.store.callee(cursor.pair(call));
            let placed = Placed::new(around, call, function, leave_out);
            around.push(placed);
            let Some(depth) = placed.depth else { continue };
            if let Some(row) = cells.row(depth)
                && of_call.end > window.start
            {
                cells.last[row] = function.0;
            }
        }
        for (placed, &(call, of_call)) in around.iter().zip(&*facts) {
            let Some(depth) = placed.depth else { continue };
            let of_call = Facts { depth, ..of_call };
            bars.see(call, &of_call, || self.store.callee(cursor.pair(call)));
            if let Some(row) = cells.row(depth) {
                cells.open(row, window.start, of_call.end.min(window.end), 1);
            }
        }
        for call in started {
            if call % UNASKED == 0 && stops() {
                return false;
            }
            let of_call = cursor.facts(call);
            let function = self.store.callee(cursor.pair(call));
            around.truncate(of_call.depth as usize);
            let placed = Placed::new(around, call, function, leave_out);
            around.push(placed);
            let Some(depth) = placed.depth else {
                out.left_out += 1;
                continue;
            };
            let of_call = Facts { depth, ..of_call };
            bars.see(call, &of_call, || function);
            if let Some(row) = cells.row(depth) {
                cells.column = borders.column(of_call.start, cells.column);
                cells.reach(cells.column);
                cells.see(cells.column, row, 0, 1, function.0);
                cells.open(row, of_call.start, of_call.end.min(window.end), 1);
            }
        }
        if let Some(last) = borders.count().checked_sub(1) {
            cells.reach(last);
        }
        true
    }
}

impl Store {
    /// Whether all was found; not where it was to stop.
    pub(super) fn flame(
        &self,
        thread: usize,
        of: &FlameOf,
        leave_out: Option<&LeaveOut<'_>>,
        find: Find<'_>,
        out: &mut Flame,
    ) -> bool {
        let deepest = self.infos.get(thread).map_or(0, |info| info.max_depth);
        let Some(calls) = self.all_calls().nth(thread) else {
            return true;
        };
        let first = of.depths.start.min(deepest);
        let of = FlameOf {
            depths: first..of.depths.end.clamp(first, deepest.max(first)),
            ..of.clone()
        };
        calls.flame(&of, leave_out, find, out)
    }

    /// The cells of all depths together.
    pub(super) fn flame_sum(
        &self,
        thread: usize,
        columns: Columns,
        is_near: bool,
        out: &mut Flame,
    ) {
        let borders = Borders::new(columns);
        out.bars.clear();
        out.columns = Some(columns);
        out.cells.clear();
        out.cells.resize(borders.count(), DepthCell::default());
        out.depths = 0..1;
        (out.is_counted, out.is_exact) = (true, !is_near);
        out.left_out = 0;
        out.last.clear();
        out.last.push(NONE);
        let Some(calls) = self.all_calls().nth(thread) else {
            return;
        };
        if borders.window().is_empty() {
            return;
        }
        let cells = Cells {
            borders: &borders,
            depths: 0..u32::MAX,
            is_sum: true,
            cells: &mut out.cells,
            last: &mut out.last,
            ready: 0,
            column: 0,
        };
        let cut = if is_near {
            Cut::near(columns, FINER)
        } else {
            Cut::Exact
        };
        calls.fill(cells, cut, &|| false, &mut out.room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::builder::{Timestamp, TraceBuilder};
    use crate::facts::functions::Function;
    use crate::facts::trace::{Call, Trace};
    use crate::units::ThreadId;
    use crate::warnings::{Place, Reporter};

    fn random_trace(seed: u64) -> Trace {
        let mut state = seed.wrapping_mul(2).wrapping_add(1);
        let mut below = move |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % limit
        };
        let reporter = Reporter::new();
        let place = || Place::file("random");
        let mut builder = TraceBuilder::new(&reporter);
        let functions = ["a", "b", "c", "d"].map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        });
        for thread in 0..1 + below(2) {
            let id = builder.thread("p", &thread.to_string());
            let (deepest, step) = (1 + below(40) as usize, 1 + below(9));
            let mut now = 0;
            for _ in 0..below(900) {
                now += below(step) as i64;
                let time = Timestamp::from_ns(now);
                let open = builder.open_calls(id);
                if open == 0 || (open < deepest && below(9) < 5) {
                    builder.enter(id, time, functions[below(4) as usize], place);
                } else {
                    builder.exit(id, time, None, place);
                }
            }
        }
        builder.finish(place).1
    }

    fn all_calls(trace: &Trace, thread: ThreadId) -> Vec<Call> {
        let calls = trace.threads()[thread.index()].calls as u32;
        (0..calls)
            .map(|id| trace.call(thread, CallId(id)))
            .collect()
    }

    /// What the definition says of cells that are cut at `borders`: open, started, and the functions of the last
    /// calls before them.
    fn direct(
        calls: &[Call],
        borders: &[u64],
        depths: &Range<u32>,
    ) -> Vec<(u64, u32, Option<FunctionId>)> {
        let mut cells = Vec::new();
        for border in borders.windows(2) {
            let (from, to) = (border[0], border[1]);
            for depth in depths.clone() {
                let of_depth = calls.iter().filter(|call| call.depth == depth);
                let open = of_depth.clone().map(|call| {
                    let end = call.end.ns().min(to);
                    end.saturating_sub(call.start.ns().max(from))
                });
                let starts = |call: &&Call| (from..to).contains(&call.start.ns());
                let is_seen =
                    |call: &Call| call.end.ns() > borders[0] || call.start.ns() >= borders[0];
                let before = of_depth
                    .clone()
                    .rfind(|call| call.start.ns() < from && is_seen(call));
                cells.push((
                    open.sum(),
                    of_depth.clone().filter(starts).count() as u32,
                    before.map(|call| call.function),
                ));
            }
        }
        cells
    }

    #[test]
    fn cells_count_every_nanosecond_and_call_and_bars_are_all_long_calls() {
        let mut flame = Flame::default();
        let (mut functions, mut displaced) = (0, 0);
        for seed in 0..60 {
            let trace = random_trace(seed);
            let end = trace.duration().ns();
            for part in 0..4 {
                let from = end * (seed * 3 + part) % (end / 2 + 1);
                let to = [end + 1, end, from + (end - from) / 3, from + 9][part as usize];
                let range = TimeRange::new(Time::from_ns(from), Time::from_ns(to));
                let columns = Columns::new(range, 1 + ((seed + part) * 7 % 60) as u32);
                let count = columns.count() as usize;
                let depths = (seed % 3) as u32 * 2..[3, 9, 1000][part as usize % 3];
                let of = |k: usize| columns.start(k as u32).ns();
                let borders: Vec<u64> = (0..=count).map(of).collect();
                let column = (to - from) / columns.count().max(1) as u64;
                let of = FlameOf {
                    columns,
                    depths: depths.clone(),
                    least: Cost::from_ns(1 + column * (seed % 4)),
                    columns_of_cell: 1,
                    is_near: false,
                };
                for thread in trace.thread_ids() {
                    trace.flame(thread, &of, &mut flame);
                    let calls = all_calls(&trace, thread);
                    let deepest = trace.threads()[thread.index()].max_depth;
                    let depths = depths.start.min(deepest)..depths.end.min(deepest);
                    let expected = direct(&calls, &borders, &depths);
                    assert_eq!(flame.cells.len(), expected.len());
                    let place = |at: usize| format!("seed {seed}, part {part}, cell {at}");
                    for (at, (cell, expected)) in flame.cells.iter().zip(&expected).enumerate() {
                        let found = (cell.open.ns(), cell.started);
                        assert_eq!(found, (expected.0, expected.1), "{}", place(at));
                        if expected.2.is_some() {
                            assert_eq!(cell.function, expected.2, "{}", place(at));
                            functions += 1;
                        }
                        assert!(cell.open == Cost::ZERO || cell.function.is_some());
                    }
                    let long = calls.iter().zip(0..).filter(|(call, _)| {
                        depths.contains(&call.depth)
                            && call.end.since(call.start) >= of.least
                            && call.start.ns() < to
                            && call.end.ns() > from
                    });
                    let mut expected: Vec<(u32, u32, Call)> =
                        long.map(|(call, id)| (call.depth, id, *call)).collect();
                    expected.sort_by_key(|(depth, id, _)| (*depth, *id));
                    let expected = if count == 0 { Vec::new() } else { expected };
                    assert_eq!(flame.bars.len(), expected.len(), "{}", place(0));
                    for (bar, (depth, id, call)) in flame.bars.iter().zip(expected) {
                        assert_eq!((bar.depth, bar.call), (depth, CallId(id)));
                        assert_eq!((bar.start, bar.end), (call.start, call.end));
                        assert_eq!(bar.function, call.function);
                        let overlaps = |k: &usize| {
                            borders[*k] < call.end.ns() && call.start.ns() < borders[*k + 1]
                        };
                        let mut over = (0..count).filter(overlaps);
                        assert_eq!(over.next(), Some(bar.first as usize), "{}", place(0));
                        let last = over.next_back().map_or(bar.first + 1, |k| k as u32 + 1);
                        assert_eq!(bar.last, last, "{}", place(0));
                    }
                    // Near: what is before a border is that up to no more than half a column beside it.
                    let near = FlameOf {
                        is_near: true,
                        ..of.clone()
                    };
                    let (exact, rows) = (flame.cells.clone(), depths.len());
                    trace.flame(thread, &near, &mut flame);
                    let open_before = |row: usize, t: u64| -> u64 {
                        let of_row = calls
                            .iter()
                            .filter(|call| call.depth == depths.start + row as u32);
                        let open =
                            of_row.map(|call| call.end.ns().min(t).saturating_sub(call.start.ns()));
                        open.sum()
                    };
                    for row in 0..rows {
                        let mut sum = 0;
                        for k in 0..count {
                            sum += flame.cells[k * rows + row].open.ns();
                            displaced += usize::from(
                                flame.cells[k * rows + row].open != exact[k * rows + row].open,
                            );
                            let half = column.div_ceil(2) + 1;
                            let most = open_before(row, borders[k + 1] + half)
                                .saturating_sub(open_before(row, from.saturating_sub(half)));
                            let least = open_before(row, borders[k + 1].saturating_sub(half))
                                .saturating_sub(open_before(row, from + half));
                            assert!(
                                (least..=most).contains(&sum),
                                "{}: {least} to {most}, {sum}",
                                place(k * rows + row)
                            );
                        }
                    }
                    let mut sum = Flame::default();
                    trace.flame_sum(thread, columns, false, &mut sum);
                    let all = direct(&calls, &borders, &(0..deepest));
                    for (k, cell) in sum.cells.iter().enumerate() {
                        let of_column = &all[k * deepest as usize..(k + 1) * deepest as usize];
                        let open = of_column.iter().map(|cell| cell.0).sum::<u64>();
                        let started = of_column.iter().map(|cell| cell.1).sum::<u32>();
                        assert_eq!(
                            (cell.open.ns(), cell.started),
                            (open, started),
                            "{}",
                            place(k)
                        );
                    }
                }
            }
        }
        assert!(
            functions > 1000 && displaced > 100,
            "{functions} {displaced}"
        );
    }

    #[test]
    fn what_is_left_out_is_found_exactly_however_many_calls_there_are() {
        let mut flame = Flame::default();
        let (mut uncounted, mut stopped) = (0, 0);
        for seed in 0..40 {
            let trace = random_trace(seed);
            let range = trace.range();
            let columns = Columns::new(range, 1 + (seed * 7 % 50) as u32);
            let of = FlameOf {
                columns,
                depths: 0..1000,
                least: Cost::from_ns(1 + seed % 5),
                columns_of_cell: 1,
                is_near: true,
            };
            let removes = |function: FunctionId| function.0 == (seed % 4) as u32;
            let cuts_below = |function: FunctionId, call: CallId| {
                function.0 == (seed % 3) as u32 && call.0.is_multiple_of(3)
            };
            let leave_out = LeaveOut {
                removes: &removes,
                cuts_below: &cuts_below,
            };
            for thread in trace.thread_ids() {
                trace.flame_without(thread, &of, &leave_out, &mut flame);
                uncounted += usize::from(!flame.is_counted);
                let never = || false;
                assert!(trace.flame_exactly(thread, &of, Some(&leave_out), &never, &mut flame));
                assert!(flame.is_counted && flame.is_exact);
                // By call around: its depth, and where its subcalls are drawn.
                let mut around: Vec<(u32, Option<u32>)> = Vec::new();
                let mut left = Vec::new();
                for (call, id) in all_calls(&trace, thread).into_iter().zip(0..) {
                    while around.pop_if(|(depth, _)| *depth >= call.depth).is_some() {}
                    let above = around.last().map_or(Some(0), |&(_, below)| below);
                    let depth = above.filter(|_| !removes(call.function));
                    let is_cut = cuts_below(call.function, CallId(id));
                    let below = above.map(|at| at + u32::from(depth.is_some()));
                    around.push((call.depth, below.filter(|_| !is_cut)));
                    left.extend(depth.map(|depth| Call { depth, ..call }));
                }
                let borders: Vec<u64> = (0..=columns.count())
                    .map(|k| columns.start(k).ns())
                    .collect();
                let expected = direct(&left, &borders, &flame.depths.clone());
                assert_eq!(flame.cells.len(), expected.len());
                for (cell, expected) in flame.cells.iter().zip(expected) {
                    let found = (cell.open.ns(), cell.started);
                    assert_eq!(found, (expected.0, expected.1), "seed {seed}");
                }
                let always = || true;
                let is_whole =
                    trace.flame_exactly(thread, &of, Some(&leave_out), &always, &mut flame);
                stopped += usize::from(!is_whole);
            }
        }
        assert!(uncounted > 10 && stopped > 10, "{uncounted} {stopped}");
    }
}
