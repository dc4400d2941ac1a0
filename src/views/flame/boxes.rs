//! What is drawn of one thread: calls that are wide enough as boxes, all others as the share of each pixel column
//! that calls of a depth cover.

use std::ops::Range;

use super::BOX;
use crate::facts::trace::{Bar, Columns, DepthCell, Flame, LeaveOut, Trace};
use crate::filter::filters::FilterRules;
use crate::filter::selection::CallOf;
use crate::layout::axis::TimeAxis;
use crate::layout::geometry::Color;
use crate::layout::sheet::Raster;
use crate::units::{Cost, ThreadId};

/// What is drawn of one thread.
#[derive(Debug, Default)]
pub struct Content {
    made_for: Option<(TimeAxis, Range<u32>)>,
    flame: Flame,
}

/// What is there at all is at least so opaque.
const FAINTEST: f32 = 0.16;

impl Content {
    /// Finds what to draw of `depths`; does nothing where that is known.
    pub fn measure(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        axis: &TimeAxis,
        depths: Range<u32>,
        rules: &FilterRules,
    ) {
        let is_known = |(of, known): &(TimeAxis, Range<u32>)| {
            of == axis && known.start <= depths.start && depths.end <= known.end
        };
        let is_missing = !self.flame.is_counted && trace.knows_depths() && rules.is_empty();
        if !is_missing && self.made_for.as_ref().is_some_and(is_known) {
            return;
        }
        let columns = axis.columns().0;
        if rules.is_empty() {
            trace.flame(thread, columns, depths.clone(), &mut self.flame);
        } else {
            let leave_out = LeaveOut {
                removes: &|function| rules.removes(function),
                cuts_below: &|function, call| rules.cuts_below(function, CallOf { thread, call }),
            };
            trace.flame_without(thread, columns, depths.clone(), &leave_out, &mut self.flame);
        }
        self.made_for = Some((*axis, depths));
    }

    /// Has to be measured again.
    pub fn forget(&mut self) {
        self.made_for = None;
    }

    /// Calls that start in the visible time and are left out; none where they have not been counted.
    pub fn left_out(&self) -> Option<u64> {
        self.flame.is_counted.then_some(self.flame.left_out)
    }

    /// The bars of some depths, in order of depth, then column.
    pub fn bars(&self, depths: Range<u32>) -> &[Bar] {
        let bars = &self.flame.bars;
        let before = |depth: u32| bars.partition_point(|bar| bar.depth < depth);
        let start = before(depths.start);
        &bars[start..before(depths.end).max(start)]
    }

    /// The bars at a depth and in a column.
    pub fn at(&self, depth: u32, column: u32) -> impl Iterator<Item = &Bar> {
        let bars = self.bars(depth..depth.saturating_add(1));
        let after = bars.partition_point(|bar| bar.first <= column);
        // Of one depth no more than two reach into a column from its left edge on and over its right.
        let near = bars[after.saturating_sub(2)..after].iter();
        near.filter(move |bar| column < bar.last)
    }

    /// The bar of the call that made the one of `bar`; none where it is too narrow to have a bar of its own.
    /// O(log bars).
    pub fn around(&self, bar: &Bar) -> Option<&Bar> {
        let depth = bar.depth.checked_sub(1)?;
        let bars = self.bars(depth..bar.depth);
        let after = bars.partition_point(|it| it.start <= bar.start);
        let found = bars[..after].last()?;
        (bar.end <= found.end).then_some(found)
    }

    /// How much calls of a depth cover of a column.
    pub fn cell(&self, depth: u32, column: u32, count: u32) -> DepthCell {
        let start = self.made_for.as_ref().map_or(0, |(_, depths)| depths.start);
        let row = depth.checked_sub(start);
        let cell = row.and_then(|row| {
            let at = row as usize * count as usize + column as usize;
            self.flame.cells.get(at)
        });
        cell.copied().unwrap_or_default()
    }

    /// Draws the calls that are no boxes of their own. Alpha is the share of a column that calls of the depth
    /// cover; the colour is that of the call that is open where the column begins, or of the one before.
    pub fn shade(
        &self,
        columns: Columns,
        depths: Range<u32>,
        axis: &TimeAxis,
        colors: &[(Color, [u8; 4])],
        raster: &mut Raster,
    ) {
        let count = columns.count();
        raster.size = [count, depths.len() as u32];
        raster.pixels.clear();
        raster.pixels.resize(count as usize * depths.len(), [0; 4]);
        let widest = f64::from(BOX) * axis.ns_per_pixel();
        let length = |k: u32| columns.start(k + 1).since(columns.start(k));
        let even = length(0).ns() as f32;
        for (depth, pixels) in depths
            .clone()
            .zip(raster.pixels.chunks_mut(count.max(1) as usize))
        {
            let mut bars = self.bars(depth..depth + 1).iter().peekable();
            let mut color = bars
                .peek()
                .and_then(|bar| colors.get(bar.function.index()))
                .map_or([128; 4], |color| color.1);
            let mut covered = 0;
            for (k, pixel) in (0..).zip(pixels) {
                while let Some(bar) = bars.next_if(|bar| bar.first <= k) {
                    color = colors
                        .get(bar.function.index())
                        .map_or(color, |color| color.1);
                    if bar.end.since(bar.start).ns() as f64 >= widest {
                        covered = covered.max(bar.last);
                    }
                }
                if k < covered {
                    continue;
                }
                let cell = self.cell(depth, k, count);
                if cell.open == Cost::ZERO && cell.started == 0 {
                    continue;
                }
                let share = (cell.open.ns() as f32 / even.max(1.0)).min(1.0);
                let alpha = FAINTEST + (1.0 - FAINTEST) * share;
                let [r, g, b, _] = color;
                *pixel = [r, g, b, (alpha * 255.0) as u8];
            }
        }
    }
}
