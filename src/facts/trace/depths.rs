//! What a flame chart shows of a thread on so many pixel columns: the calls that are wider than a column, and
//! for each column and depth how much of it calls cover and how many start there.
//!
//! Per depth there is at most one open call at a time, so that the time covered before *t* is the cost of all
//! calls that start before *t* minus what the calls open at *t* still last. Sums of costs by depth over runs
//! of calls, and over runs of runs, answer this for any *t*; they are made once from the blocks and kept
//! in memory, less than half a byte a call.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{BLOCK, RUN, partition};
use super::detail::{Columns, Walk};
use super::store::{Calls, Cursor, Facts, Store, place};
use crate::units::{CallId, Cost, FunctionId, Time};

/// A call that is open where a column begins, as every call is that is longer than a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub depth: u32,
    /// It is open at some time of the columns `first..last`.
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
}

/// What a flame chart shows of some depths of a thread; keeps its memory from picture to picture.
#[derive(Debug, Default)]
pub struct Flame {
    /// In order of depth, then column.
    pub bars: Vec<Bar>,
    /// By depth, all columns of it.
    pub cells: Vec<DepthCell>,
    /// Whether the cells hold anything: in windows of many calls they do once sums by depth are known, and
    /// nothing is left out.
    pub is_counted: bool,
    /// Calls that start in the columns and are left out; known where the cells are.
    pub left_out: u64,
    current: Vec<u32>,
    sorted: Vec<Bar>,
    before: Vec<DepthCell>,
    behind: Vec<DepthCell>,
    around: Vec<Placed>,
    inside: Vec<Placed>,
    new: Vec<(u32, Facts)>,
    unpacked: Unpacked,
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

/// Windows of fewer calls are gone through call by call.
const FEW: u32 = if cfg!(test) { 40 } else { 1 << 18 };

/// Runs that make one of the next level.
const FAN: usize = if cfg!(test) { 2 } else { 4 };

/// Costs wrap where they are differences, and come out right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    cost: u64,
    calls: u32,
    depth: u32,
}

/// The sums of runs, one after the other, each in order of depth.
#[derive(Debug, Default)]
struct Level {
    sums: Vec<Sum>,
    ends: Vec<usize>,
}

impl Level {
    fn of(&self, run: usize) -> &[Sum] {
        let end = |run: usize| self.ends.get(run).copied().unwrap_or(self.sums.len());
        let start = run.checked_sub(1).map_or(0, end);
        self.sums.get(start..end(run)).unwrap_or_default()
    }

    /// Appends a run: what `add` hands over, by depth.
    fn push(&mut self, scratch: &mut Vec<Sum>, sums: impl Iterator<Item = Sum>) {
        let lowest = scratch.len();
        debug_assert_eq!(lowest, 0);
        scratch.extend(sums);
        scratch.sort_unstable_by_key(|sum| sum.depth);
        for sum in scratch.drain(..) {
            let start = self.ends.last().copied().unwrap_or(0);
            match self.sums[start..].last_mut() {
                Some(last) if last.depth == sum.depth => {
                    last.cost = last.cost.saturating_add(sum.cost);
                    last.calls = last.calls.saturating_add(sum.calls);
                }
                _ => self.sums.push(sum),
            }
        }
        self.ends.push(self.sums.len());
    }

    fn append(&mut self, other: &Level) {
        let base = self.sums.len();
        self.sums.extend_from_slice(&other.sums);
        self.ends.extend(other.ends.iter().map(|end| base + end));
    }
}

/// Sums of one thread.
#[derive(Debug, Default)]
struct ThreadSums {
    levels: Vec<Level>,
}

/// Sums by depth of all threads.
#[derive(Debug, Default)]
pub(super) struct DepthSums {
    threads: Vec<ThreadSums>,
}

impl DepthSums {
    /// O(calls), on all cores.
    pub fn new(store: &Store) -> DepthSums {
        let threads = store.all_calls().map(|calls| ThreadSums::new(&calls));
        DepthSums {
            threads: threads.collect(),
        }
    }
}

impl ThreadSums {
    fn new(calls: &Calls<'_>) -> ThreadSums {
        let blocks = calls.tables.blocks.len();
        let parts: Vec<Level> = (0..blocks)
            .into_par_iter()
            .map(|index| level_of_block(calls, index))
            .collect();
        let mut lowest = Level::default();
        for part in &parts {
            lowest.append(part);
        }
        let mut levels = vec![lowest];
        while let Some(last) = levels.last()
            && last.ends.len() >= FAN
        {
            let mut next = Level::default();
            let mut scratch = Vec::new();
            for run in 0..last.ends.len() / FAN {
                let inside = run * FAN..(run + 1) * FAN;
                let sums = inside.flat_map(|run| last.of(run).iter().copied());
                next.push(&mut scratch, sums);
            }
            levels.push(next);
        }
        ThreadSums { levels }
    }

    /// Hands the sums over the runs `range` to `add`: lists that together are of all of them.
    fn visit(&self, range: Range<usize>, mut add: impl FnMut(&[Sum])) {
        let mut next = range.start;
        while next < range.end {
            let mut level = 0;
            let mut length = 1;
            while level + 1 < self.levels.len()
                && next.is_multiple_of(length * FAN)
                && next + length * FAN <= range.end
            {
                level += 1;
                length *= FAN;
            }
            add(self.levels[level].of(next / length));
            next += length;
        }
    }
}

/// The runs of one block.
fn level_of_block(calls: &Calls<'_>, index: usize) -> Level {
    let block = calls.block(index);
    let mut level = Level::default();
    let mut by_depth: Vec<Sum> = Vec::new();
    let mut scratch = Vec::new();
    let mut open = calls.open_in_block(index).iter().peekable();
    for run in (0..block.len).step_by(RUN) {
        by_depth.clear();
        let end = (run + RUN).min(block.len);
        let mut add = |depth: u32, cost: u64, calls: u32| {
            let place = depth.wrapping_sub(block.depth_base) as usize;
            if place >= by_depth.len() {
                by_depth.resize(place + 1, Sum::default());
            }
            if let Some(sum) = by_depth.get_mut(place) {
                sum.cost = sum.cost.saturating_add(cost);
                sum.calls += calls;
            }
        };
        for i in run..end {
            add(block.depth(i), block.cost(i), 1);
        }
        // What is open at the end of the block has no cost there.
        while let Some(open) = open.next_if(|open| place(open.call).1 < end) {
            add(open.depth, open.end.saturating_sub(open.start), 0);
        }
        let sums = by_depth.iter().zip(0..).filter(|(sum, _)| sum.calls > 0);
        let sums = sums.map(|(sum, place)| Sum {
            depth: block.depth_base.wrapping_add(place),
            ..*sum
        });
        level.push(&mut scratch, sums);
    }
    // A damaged block has no calls; the runs behind it keep their places.
    let runs = calls.len() as usize - (index * BLOCK).min(calls.len() as usize);
    while level.ends.len() < runs.min(BLOCK).div_ceil(RUN) {
        level.push(&mut scratch, std::iter::empty());
    }
    level
}

/// What calls of some depths have of the columns on both sides of a column's start. Going from left to right, a
/// column gets its last share at its end, and is then written: cells of one column lie far from each other.
struct Cells<'a> {
    depths: Range<u32>,
    /// All depths are one row.
    is_sum: bool,
    count: usize,
    cells: &'a mut [DepthCell],
    before: &'a mut Vec<DepthCell>,
    behind: &'a mut Vec<DepthCell>,
}

/// Adds to a cell; differences wrap and come out right.
#[inline]
fn add(cells: &mut [DepthCell], row: usize, cost: u64, calls: u32) {
    if let Some(cell) = cells.get_mut(row) {
        cell.open = Cost::from_ns(cell.open.ns().wrapping_add(cost));
        cell.started = cell.started.wrapping_add(calls);
    }
}

impl Cells<'_> {
    #[inline]
    fn row(&self, depth: u32) -> usize {
        match depth.checked_sub(self.depths.start) {
            Some(_) if depth >= self.depths.end => usize::MAX,
            Some(_) if self.is_sum => 0,
            Some(row) => row as usize,
            None => usize::MAX,
        }
    }

    /// Adds to the column before the start.
    #[inline]
    fn add_before(&mut self, depth: u32, cost: u64, calls: u32) {
        let row = self.row(depth);
        add(self.before, row, cost, calls);
    }

    /// Adds to the column that begins there.
    #[inline]
    fn add_behind(&mut self, depth: u32, cost: u64, calls: u32) {
        let row = self.row(depth);
        add(self.behind, row, cost, calls);
    }

    /// Adds to the column before the start, and takes from the one that begins there.
    #[inline]
    fn shift(&mut self, depth: u32, cost: u64, calls: u32) {
        let row = self.row(depth);
        add(self.before, row, cost, calls);
        add(self.behind, row, cost.wrapping_neg(), calls.wrapping_neg());
    }

    /// Adds the sums of a run to the column before the start.
    fn add_run(&mut self, sums: &[Sum]) {
        let from = sums.partition_point(|sum| sum.depth < self.depths.start);
        for sum in &sums[from..] {
            if sum.depth >= self.depths.end {
                break;
            }
            self.add_before(sum.depth, sum.cost, sum.calls);
        }
    }

    /// Goes on to the next start, from the one of column `k`.
    fn advance(&mut self, k: usize) {
        if let Some(column) = k.checked_sub(1) {
            let row = self.cells.chunks_exact_mut(self.count.max(1));
            for (row, cell) in row.zip(&*self.before) {
                if *cell != DepthCell::default() {
                    row[column] = *cell;
                }
            }
        }
        std::mem::swap(self.before, self.behind);
        self.behind.fill(DepthCell::default());
    }
}

/// Room to unpack calls into.
#[derive(Debug, Default)]
struct Unpacked {
    costs: Vec<u64>,
    depths: Vec<u64>,
}

/// Hands depth, cost and number of the calls `range` to `add`: of each, or for `is_sum` of all that lie in a block
/// at once, whose depths do not matter.
fn each_call(
    cursor: &mut Cursor<'_>,
    range: Range<u32>,
    is_sum: bool,
    unpacked: &mut Unpacked,
    mut add: impl FnMut(u32, u64, u32),
) {
    let mut next = range.start;
    while next < range.end {
        let (index, local) = place(next);
        let block = *cursor.block(index);
        let first = next - local as u32;
        let end = (range.end - first).min(BLOCK as u32) as usize;
        let calls = local..end.min(block.len).max(local);
        block.unpack_costs(calls.clone(), &mut unpacked.costs);
        if is_sum {
            let cost = unpacked.costs.iter();
            let cost = cost.fold(0u64, |sum, cost| sum.wrapping_add(*cost));
            add(block.depth_base, cost, calls.len() as u32);
        } else {
            block.unpack_depths(calls, &mut unpacked.depths);
            for (&cost, &depth) in unpacked.costs.iter().zip(&unpacked.depths) {
                add(block.depth_base.wrapping_add(depth as u32), cost, 1);
            }
        }
        let open = cursor.calls.open_in_block(index);
        let from = partition(open.len(), |i| open[i].call < next);
        let inside = open[from..].iter();
        for open in inside.take_while(|open| open.call < first + end as u32) {
            add(open.depth, open.end.saturating_sub(open.start), 0);
        }
        next = first + end as u32;
    }
}

/// The bars under construction.
struct Bars<'a> {
    columns: Columns,
    first_depth: u32,
    bars: &'a mut Vec<Bar>,
    /// By depth the last bar.
    current: &'a mut Vec<u32>,
}

impl Bars<'_> {
    /// Sees a call that is open where column `k` begins; for the number of columns, where the last ends.
    fn see(&mut self, k: u32, call: u32, facts: &Facts, function: impl FnOnce() -> FunctionId) {
        let Some(current) = self
            .current
            .get_mut((facts.depth - self.first_depth) as usize)
        else {
            return;
        };
        let last = (k + 1).min(self.columns.count());
        if let Some(bar) = self.bars.get_mut(*current as usize)
            && bar.call.0 == call
        {
            bar.last = last;
            return;
        }
        *current = self.bars.len() as u32;
        let starts_before = k > 0
            && facts.start < self.columns.start(k).ns()
            && facts.start >= self.columns.start(k - 1).ns();
        self.bars.push(Bar {
            depth: facts.depth,
            first: if starts_before { k - 1 } else { k },
            last,
            call: CallId(call),
            function: function(),
            start: Time::from_ns(facts.start),
            end: Time::from_ns(facts.end),
        });
    }
}

/// Puts bars, which of each depth stand in order, in order of depth.
fn sort_by_depth(first: u32, bars: &mut Vec<Bar>, places: &mut [u32], sorted: &mut Vec<Bar>) {
    places.fill(0);
    let row = |bar: &Bar| (bar.depth - first) as usize;
    for bar in &*bars {
        places[row(bar)] += 1;
    }
    let mut before = 0;
    for place in &mut *places {
        before += std::mem::replace(place, before);
    }
    sorted.clone_from(bars);
    for bar in &*bars {
        let place = &mut places[row(bar)];
        sorted[*place as usize] = *bar;
        *place += 1;
    }
    std::mem::swap(bars, sorted);
}

impl Calls<'_> {
    /// What to draw of `depths`; of all of them together without bars for `is_sum`.
    fn flame(
        &self,
        sums: Option<&ThreadSums>,
        columns: Columns,
        depths: Range<u32>,
        is_sum: bool,
        leave_out: Option<&LeaveOut<'_>>,
        out: &mut Flame,
    ) {
        let count = columns.count();
        let sums = sums.filter(|_| leave_out.is_none());
        out.left_out = 0;
        out.around.clear();
        out.bars.clear();
        out.cells.clear();
        let rows = if is_sum { 1 } else { depths.len() };
        out.cells
            .resize(rows * count as usize, DepthCell::default());
        out.current.clear();
        out.current.resize(rows, u32::MAX);
        for cells in [&mut out.before, &mut out.behind] {
            cells.clear();
            cells.resize(rows, DepthCell::default());
        }
        let window = [0, count].map(|k| self.started_before(columns.start(k).ns()));
        let is_few = window[1] - window[0] < FEW;
        out.is_counted = is_few || sums.is_some();
        let sums = sums.filter(|_| !is_few);
        let mut cells = Cells {
            depths: depths.clone(),
            is_sum,
            count: count as usize,
            cells: &mut out.cells,
            before: &mut out.before,
            behind: &mut out.behind,
        };
        let mut bars = Bars {
            columns,
            first_depth: depths.start,
            bars: &mut out.bars,
            current: &mut out.current,
        };
        let mut walk = Walk::new(*self, columns, 0);
        let mut cursor = Cursor::new(*self);
        // The edge of a run nearest to the calls that start before the column.
        let mut edge_before = 0;
        for k in 0..=count {
            let (start, started) = walk.column(k);
            let open = walk.open();
            let seen = match leave_out {
                Some(leave_out) => {
                    let around = &mut out.around;
                    for (place, (call, _)) in open.iter().enumerate() {
                        if around.get(place).is_none_or(|known| known.call != *call) {
                            around.truncate(place);
                            let function = self.store.callee(cursor.pair(*call));
                            around.push(Placed::new(around, *call, function, leave_out));
                        }
                    }
                    around.truncate(open.len());
                    if k == 0 {
                        out.inside.clone_from(around);
                    }
                    0..open.len()
                }
                None => {
                    let within = |depth: u32| (depth as usize).min(open.len());
                    within(depths.start)..within(depths.end)
                }
            };
            for place in seen {
                let (call, mut facts) = open[place];
                if leave_out.is_some() {
                    match out.around.get(place).and_then(|placed| placed.depth) {
                        Some(depth) => facts.depth = depth,
                        None => continue,
                    }
                }
                if facts.end <= start || !depths.contains(&facts.depth) {
                    continue;
                }
                let lasts = facts.end - start;
                cells.shift(facts.depth, lasts.wrapping_neg(), 0);
                if !is_sum {
                    let function = || self.store.callee(cursor.pair(call));
                    bars.see(k, call, &facts, function);
                }
            }
            // Those that start where the column begins are open there, and are among its calls.
            let (index, local) = place(started.start);
            let at_start = if !is_sum
                && k < count
                && started.start < self.len()
                && cursor.block(index).start(local) <= start
            {
                cursor.started(start)
            } else {
                started.start
            };
            if at_start > started.start {
                out.new.clear();
                cursor.visit_stack(at_start, |call, facts| {
                    let is_new = call.0 >= started.start;
                    if is_new {
                        out.new.push((call.0, facts));
                    }
                    is_new
                });
                for (call, mut facts) in out.new.drain(..).rev() {
                    if let Some(leave_out) = leave_out {
                        let function = self.store.callee(cursor.pair(call));
                        out.around.truncate(facts.depth as usize);
                        let placed = Placed::new(&out.around, call, function, leave_out);
                        out.around.push(placed);
                        match placed.depth {
                            Some(depth) => facts.depth = depth,
                            None => continue,
                        }
                    }
                    if facts.end > start && depths.contains(&facts.depth) {
                        let function = || self.store.callee(cursor.pair(call));
                        bars.see(k, call, &facts, function);
                    }
                }
            }
            if let (Some(leave_out), true) = (leave_out, is_few && k < count) {
                for call in started {
                    let facts = cursor.facts(call);
                    let function = self.store.callee(cursor.pair(call));
                    out.inside.truncate(facts.depth as usize);
                    let placed = Placed::new(&out.inside, call, function, leave_out);
                    out.inside.push(placed);
                    match placed.depth {
                        Some(depth) => {
                            cells.add_behind(depth, facts.end.saturating_sub(facts.start), 1);
                        }
                        None => out.left_out += 1,
                    }
                }
            } else if is_few && k < count {
                each_call(
                    &mut cursor,
                    started,
                    is_sum,
                    &mut out.unpacked,
                    |depth, cost, calls| {
                        cells.add_behind(depth, cost, calls);
                    },
                );
            } else if let Some(sums) = sums {
                // Sums up to the nearest edge of a run; between it and the column's start, call by call.
                let position = started.start;
                let edge = (position as usize + RUN / 2) / RUN;
                let edge = if edge * RUN > self.len() as usize {
                    position as usize / RUN
                } else {
                    edge
                };
                let at = (edge * RUN) as u32;
                let (between, is_past) = (at.min(position)..at.max(position), at > position);
                each_call(
                    &mut cursor,
                    between,
                    is_sum,
                    &mut out.unpacked,
                    |depth, cost, calls| {
                        let (cost, calls) = if is_past {
                            (cost.wrapping_neg(), calls.wrapping_neg())
                        } else {
                            (cost, calls)
                        };
                        cells.shift(depth, cost, calls);
                    },
                );
                if k > 0 {
                    sums.visit(edge_before..edge, |sums| cells.add_run(sums));
                }
                edge_before = edge;
            }
            cells.advance(k as usize);
        }
        sort_by_depth(
            depths.start,
            &mut out.bars,
            &mut out.current,
            &mut out.sorted,
        );
    }
}

impl Store {
    pub(super) fn flame(
        &self,
        sums: Option<&DepthSums>,
        thread: usize,
        columns: Columns,
        depths: Option<Range<u32>>,
        leave_out: Option<&LeaveOut<'_>>,
        out: &mut Flame,
    ) {
        let deepest = self.infos.get(thread).map_or(0, |info| info.max_depth);
        let is_sum = depths.is_none();
        let depths = depths.unwrap_or(0..u32::MAX);
        let depths = depths.start.min(deepest)..depths.end.min(deepest);
        let sums = sums.and_then(|sums| sums.threads.get(thread));
        let Some(calls) = self.all_calls().nth(thread) else {
            return;
        };
        calls.flame(sums, columns, depths, is_sum, leave_out, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::builder::{Timestamp, TraceBuilder};
    use crate::facts::functions::Function;
    use crate::facts::trace::{Call, Trace};
    use crate::units::{ThreadId, TimeRange};
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

    #[test]
    fn cells_count_every_nanosecond_and_call_and_bars_are_all_long_calls() {
        let mut flame = Flame::default();
        let mut many = 0;
        for seed in 0..150 {
            let trace = random_trace(seed);
            if seed % 4 > 0 {
                trace.sum_depths();
            }
            let end = trace.duration().ns();
            for part in 0..4 {
                let from = end * (seed * 3 + part) % (end / 2 + 1);
                let to = [end + 1, end, from + (end - from) / 3, from + 9][part as usize];
                let range = TimeRange::new(Time::from_ns(from), Time::from_ns(to));
                let columns = Columns::new(range, 1 + ((seed + part) * 7 % 60) as u32);
                let count = columns.count() as usize;
                let depths = (seed % 3) as u32 * 2..[3, 9, 1000][part as usize % 3];
                for thread in trace.thread_ids() {
                    trace.flame(thread, columns, depths.clone(), &mut flame);
                    let calls = all_calls(&trace, thread);
                    let deepest = trace.threads()[thread.index()].max_depth;
                    let depths = depths.start.min(deepest)..depths.end.min(deepest);
                    let of = |k: usize| columns.start(k as u32).ns();
                    let mut expected = vec![DepthCell::default(); depths.len() * count];
                    for call in calls.iter().filter(|call| depths.contains(&call.depth)) {
                        for k in 0..count {
                            let row = (call.depth - depths.start) as usize;
                            let cell = &mut expected[row * count + k];
                            let open = call
                                .end
                                .ns()
                                .min(of(k + 1))
                                .saturating_sub(call.start.ns().max(of(k)));
                            cell.open += Cost::from_ns(open);
                            let starts = (of(k)..of(k + 1)).contains(&call.start.ns());
                            cell.started += u32::from(starts);
                        }
                    }
                    if flame.is_counted && part == 0 {
                        let mut sum = Flame::default();
                        trace.flame_sum(thread, columns, &mut sum);
                        for (k, cell) in sum.cells.iter().enumerate() {
                            let overlap = |call: &Call| {
                                let end = call.end.ns().min(of(k + 1));
                                end.saturating_sub(call.start.ns().max(of(k)))
                            };
                            assert_eq!(cell.open.ns(), calls.iter().map(overlap).sum::<u64>());
                        }
                        assert_eq!(sum.cells.len(), count);
                    }
                    if flame.is_counted {
                        assert_eq!(flame.cells, expected, "seed {seed}, part {part}");
                        many += 1;
                    } else {
                        assert!(seed % 4 == 0 && calls.len() >= FEW as usize);
                    }
                    let order = |bar: &Bar| (bar.depth, bar.first, bar.call);
                    assert!(flame.bars.is_sorted_by_key(order), "seed {seed}");
                    for bar in &flame.bars {
                        let call = calls[bar.call.index()];
                        assert_eq!(
                            (call.start, call.end, call.depth),
                            (bar.start, bar.end, bar.depth)
                        );
                        assert_eq!(call.function, bar.function);
                    }
                    for (id, call) in (0..).zip(&calls) {
                        let crosses =
                            (0..count).find(|&k| call.start.ns() <= of(k) && of(k) < call.end.ns());
                        if let Some(k) = crosses.filter(|_| depths.contains(&call.depth)) {
                            let mut bars = flame.bars.iter().filter(|bar| bar.call.0 == id);
                            let bar = bars
                                .next()
                                .expect("every call that crosses a column's start");
                            assert_eq!(bars.next(), None, "once");
                            assert!(
                                bar.first as usize <= k && k < bar.last as usize,
                                "seed {seed}"
                            );
                        }
                    }
                }
            }
        }
        assert!(many > 300, "{many}");
    }
}
