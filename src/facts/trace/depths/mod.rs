//! What a flame chart shows of a thread on so many pixel columns: the calls that are wide enough to be boxes, and
//! for each column and depth how much of it calls cover, how many start there and of which function they are.

mod cell;
mod pass;

use std::ops::Range;

use super::block::partition;
use super::detail::{Columns, Walk};
use super::entries::{Facts, NONE};
use super::long::long_calls;
use super::pieces::{Borders, Cut, Piece, Pieces};
use super::store::{Calls, Cursor, Store};
use callscape_base::units::{CallId, Cost, FunctionId, Time, TimeRange};
pub use cell::DepthCell;
use pass::{Cells, Pass, Room};

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
        let mut pass = Pass::new(*self, cells, room);
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
mod tests;
