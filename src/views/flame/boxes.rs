//! What is drawn of one thread: calls that are wide enough as boxes, all others as the share of each pixel column
//! that calls of a depth cover.

use std::ops::Range;

use glam::Vec2;

use crate::parts::hatching;
use callscape_base::units::{Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::{Bar, Columns, DepthCell, Flame, FlameOf, LeaveOut, Trace, Wait};
use callscape_filter::filters::FilterRules;
use callscape_filter::selection::CallOf;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::sheet::{Raster, Rect};

/// Calls at least this many pixels wide are boxes of their own.
pub(super) const BOX: f32 = 3.0;

/// What to find of a lane, with this many columns in a cell.
pub(super) fn flame_of(axis: &TimeAxis, depths: Range<u32>, columns_of_cell: u32) -> FlameOf {
    let widest = f64::from(BOX) * f64::from(columns_of_cell.min(2));
    FlameOf {
        columns: axis.columns().0,
        depths,
        // Those that are boxes, whichever way their edges are rounded; in a first picture of many calls the narrowest
        // are drawn by what they cover, as what is narrower.
        least: Cost::from_ns((0.9 * widest * axis.ns_per_pixel()).max(1.0) as u64),
        columns_of_cell,
        is_near: true,
    }
}

/// Hands on what the rules leave out of a thread; none where they leave out nothing.
pub(super) fn with_rules<T>(
    rules: &FilterRules,
    thread: ThreadId,
    find: impl FnOnce(Option<&LeaveOut<'_>>) -> T,
) -> T {
    if rules.is_empty() {
        return find(None);
    }
    find(Some(&LeaveOut {
        removes: &|function| rules.removes(function),
        cuts_below: &|function, call| rules.cuts_below(function, CallOf { thread, call }),
    }))
}

/// What is drawn of one thread.
#[derive(Debug, Default)]
pub(super) struct Content {
    made_for: Option<(TimeAxis, Range<u32>)>,
    flame: Flame,
    /// The waits that are wide enough for boxes, in order of time.
    waits: Vec<Wait>,
}

/// What is there at all is at least so opaque.
const FAINTEST: f32 = 0.16;

impl Content {
    /// Finds what to draw of `depths` in the time of a frame; does nothing where that is known.
    pub(super) fn measure(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        axis: &TimeAxis,
        depths: Range<u32>,
        columns_of_cell: u32,
        rules: &FilterRules,
    ) {
        let is_known = |(of, known): &(TimeAxis, Range<u32>)| {
            of == axis && known.start <= depths.start && depths.end <= known.end
        };
        if self.made_for.as_ref().is_some_and(is_known) {
            return;
        }
        let of = flame_of(axis, depths.clone(), columns_of_cell);
        with_rules(rules, thread, |leave_out| match leave_out {
            None => trace.flame(thread, &of, &mut self.flame),
            Some(leave_out) => trace.flame_without(thread, &of, leave_out, &mut self.flame),
        });
        self.made_for = Some((*axis, depths));
        self.find_waits(trace, thread, axis);
    }

    /// Finds the waits that are at least as wide as boxes. O(columns × log waits).
    fn find_waits(&mut self, trace: &Trace, thread: ThreadId, axis: &TimeAxis) {
        self.waits.clear();
        if trace.knows_waiting() {
            let least = Cost::from_ns((f64::from(BOX) * axis.ns_per_pixel()).max(1.0) as u64);
            let columns = axis.columns().0;
            hatching::find(trace, thread, columns, least, |wait| self.waits.push(wait));
        }
    }

    /// Hands the waits wide enough to be seen to `see`, each with the bar of the innermost call around it that has one.
    /// O(waits × depths × log bars).
    pub(super) fn waits(&self, mut see: impl FnMut(&Wait, &Bar)) {
        let depths = self.made_for.as_ref().map_or(0..0, |it| it.1.clone());
        for wait in &self.waits {
            let mut innermost = None;
            for depth in depths.clone() {
                let bars = self.bars(depth..depth + 1);
                let after = bars.partition_point(|bar| bar.start <= wait.start);
                // What is around another call has a bar too.
                match bars[..after].last().filter(|bar| wait.start < bar.end) {
                    Some(bar) => innermost = Some(bar),
                    None => break,
                }
            }
            if let Some(bar) = innermost {
                see(wait, bar);
            }
        }
    }

    /// Takes what has been found exactly.
    pub(super) fn refine(&mut self, axis: TimeAxis, depths: Range<u32>, flame: Flame) {
        self.flame = flame;
        self.made_for = Some((axis, depths));
    }

    /// Whether there is nothing more to find.
    pub(super) fn is_exact(&self) -> bool {
        self.flame.is_exact
    }

    /// The columns of the cells.
    pub(super) fn columns(&self) -> Columns {
        let none = || Columns::new(TimeRange::new(Time::ZERO, Time::ZERO), 0);
        self.flame.columns.unwrap_or_else(none)
    }

    /// Has to be measured again.
    pub(super) fn forget(&mut self) {
        self.made_for = None;
    }

    /// Calls that start in the visible time and are left out; none where they have not been counted.
    pub(super) fn left_out(&self) -> Option<u64> {
        self.flame.is_counted.then_some(self.flame.left_out)
    }

    /// The bars of some depths, in order of depth, then column.
    pub(super) fn bars(&self, depths: Range<u32>) -> &[Bar] {
        let bars = &self.flame.bars;
        let before = |depth: u32| bars.partition_point(|bar| bar.depth < depth);
        let start = before(depths.start);
        &bars[start..before(depths.end).max(start)]
    }

    /// The bars at a depth and in a column, of `columns`.
    pub(super) fn at(&self, depth: u32, column: u32, columns: u32) -> impl Iterator<Item = &Bar> {
        let cells = u64::from(self.columns().count());
        let cell = |column: u32| u64::from(column) * cells / u64::from(columns.max(1));
        let first = cell(column) as u32;
        let end = cell(column + 1).max(u64::from(first) + 1) as u32;
        let bars = self.bars(depth..depth.saturating_add(1));
        let after = bars.partition_point(|bar| bar.first < end);
        // Those of one depth end in the order in which they start.
        bars[..after]
            .iter()
            .rev()
            .take_while(move |bar| first < bar.last)
    }

    /// The bar of the call that made the one of `bar`; none where it is too narrow to have a bar of its own.
    /// O(log bars).
    pub(super) fn around(&self, bar: &Bar) -> Option<&Bar> {
        let depth = bar.depth.checked_sub(1)?;
        let bars = self.bars(depth..bar.depth);
        let after = bars.partition_point(|it| it.start <= bar.start);
        let found = bars[..after].last()?;
        (bar.end <= found.end).then_some(found)
    }

    /// How much calls of a depth cover of a column.
    fn cell(&self, depth: u32, column: u32) -> DepthCell {
        let cell = self.flame.cell(column, depth);
        cell.copied().unwrap_or_default()
    }

    /// The columns of a depth that a box covers at least in part.
    fn covered(&self, depth: u32, axis: &TimeAxis) -> Covered<'_> {
        Covered {
            bars: self.bars(depth..depth + 1),
            widest: f64::from(BOX) * axis.ns_per_pixel(),
            until: 0,
        }
    }

    /// Hands the stretches of `depth` to `see` in which calls too narrow for boxes are of functions that are
    /// `meant`, which is asked with the function of the calls around them too: columns of cells, from the first to
    /// the one behind the last.
    pub(super) fn narrow(
        &self,
        depth: u32,
        axis: &TimeAxis,
        meant: impl Fn(FunctionId, Option<FunctionId>) -> bool,
        mut see: impl FnMut(Range<u32>),
    ) {
        let count = self.columns().count();
        let mut covered = self.covered(depth, axis);
        let mut begun = None;
        for k in 0..count {
            let cell = self.cell(depth, k);
            let around = || {
                let above = depth.checked_sub(1)?;
                self.cell(above, k).function
            };
            let is_there = cell.open > Cost::ZERO || cell.started > 0;
            let is_meant = !covered.holds(k)
                && is_there
                && cell
                    .function
                    .is_some_and(|function| meant(function, around()));
            if is_meant {
                begun = begun.or(Some(k));
            } else if let Some(first) = begun.take() {
                see(first..k);
            }
        }
        if let Some(first) = begun {
            see(first..count);
        }
    }

    /// Draws the calls that are no boxes of their own. Alpha is the share of a column that calls of the depth
    /// cover; the colour is that of the last call that starts before the column.
    pub(super) fn shade(
        &self,
        depths: Range<u32>,
        axis: &TimeAxis,
        colors: &[(Color, [u8; 4])],
        raster: &mut Raster,
    ) {
        let columns = self.columns();
        let count = columns.count();
        raster.size = [count, depths.len() as u32];
        raster.pixels.clear();
        raster.pixels.resize(count as usize * depths.len(), [0; 4]);
        let even = columns.start(1).since(columns.start(0)).ns() as f32;
        for (depth, pixels) in depths
            .clone()
            .zip(raster.pixels.chunks_mut(count.max(1) as usize))
        {
            let mut covered = self.covered(depth, axis);
            for (k, pixel) in (0..).zip(pixels) {
                if covered.holds(k) {
                    continue;
                }
                let cell = self.cell(depth, k);
                if cell.open == Cost::ZERO && cell.started == 0 {
                    continue;
                }
                let share = (cell.open.ns() as f32 / even.max(1.0)).min(1.0);
                let alpha = FAINTEST + (1.0 - FAINTEST) * share;
                let color = cell.function.and_then(|it| colors.get(it.index()));
                let [r, g, b, _] = color.map_or([128; 4], |color| color.1);
                *pixel = [r, g, b, (alpha * 255.0) as u8];
            }
        }
    }
}

/// Goes through the columns of a depth, from left to right, and knows which a box covers.
struct Covered<'a> {
    bars: &'a [Bar],
    /// Boxes last at least this long, in nanoseconds.
    widest: f64,
    until: u32,
}

impl Covered<'_> {
    fn holds(&mut self, column: u32) -> bool {
        while let [bar, rest @ ..] = self.bars
            && bar.first <= column
        {
            if bar.end.since(bar.start).ns() as f64 >= self.widest {
                self.until = self.until.max(bar.last);
            }
            self.bars = rest;
        }
        column < self.until
    }
}

/// The box of a call, within the sheet along x; none where it is narrower than a box.
pub(super) fn box_of(
    bar: &Bar,
    axis: &TimeAxis,
    rows: f32,
    row: f32,
    gap: f32,
    width: f32,
) -> Option<Rect> {
    let (start, end) = (axis.x_of(bar.start), axis.x_of(bar.end));
    if end - start < BOX {
        return None;
    }
    // What stands beside it begins at a small distance.
    let beside = gap.min((end - start) * 0.2);
    let top = rows + row * bar.depth as f32;
    let min = Vec2::new(start.max(-BOX), top);
    let max = Vec2::new((end - beside).min(width + BOX), top + row - gap);
    (max.x > 0.0 && min.x < width).then_some(Rect::new(min, max))
}
