//! What waits in the mural, hatched in the row of the call that waits; and where nothing was recorded, in all rows.

use glam::Vec2;

use super::places::{Lines, Places};
use super::rows::{NO_ROW, Rows};
use crate::parts::hatching::{self, ShownGaps};
use callscape_base::units::{CallId, Cost, Time, TimeRange};
use callscape_facts::gaps::Gaps;
use callscape_facts::trace::{Columns, StackRoom, Trace, Why};
use callscape_filter::filters::FilterRules;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::sheet::{Rect, Sheet};
use callscape_look::ink::Ink;

/// Narrower ones are not seen, in pixels.
const NARROWEST: f64 = 3.0;

/// How many times are looked at for all threads together, and the least for each.
const LOOKS: u32 = 20_000;
const FEWEST: u32 = 16;

/// The waits that are seen.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// By row.
    found: Vec<(u32, TimeRange, Why)>,
    stack: Vec<CallId>,
    room: StackRoom,
    are_known: bool,
}

impl Waits {
    /// Whether the trace says when its threads wait.
    pub(super) fn are_known(&self) -> bool {
        self.are_known
    }

    /// Finds them. O(looks × log waits + waits seen × (log calls + depth)).
    pub(super) fn find(
        &mut self,
        trace: &Trace,
        axis: &TimeAxis,
        rows: &Rows,
        rules: &FilterRules,
    ) {
        self.found.clear();
        self.are_known = trace.knows_waiting();
        if !self.are_known {
            return;
        }
        let range = axis.range();
        let is_seen = |start: Time, end: Time| start <= range.end && range.start <= end;
        let infos = || trace.thread_ids().zip(trace.threads());
        let seen = || {
            infos().filter(|(thread, info)| is_seen(info.start, info.end) && !rules.hides(*thread))
        };
        let threads = seen().count().max(1) as u32;
        let most = axis.columns().0.count();
        let count = (LOOKS / threads).max(FEWEST).min(most);
        let columns = Columns::new(range, count);
        let wide = NARROWEST * axis.ns_per_pixel() * f64::from(most) / f64::from(count.max(1));
        let least = Cost::from_ns(wide.max(1.0) as u64);
        for (thread, _) in seen() {
            let (found, stack, room) = (&mut self.found, &mut self.stack, &mut self.room);
            hatching::find(trace, thread, columns, least, |wait| {
                trace.stack_within(thread, wait.start, stack, room);
                let mut open = stack.iter().rev();
                let row = open.find_map(|&call| {
                    let function = trace.call(thread, call).function;
                    let row = *rows.row_of.get(function.index())?;
                    (row != NO_ROW && !rules.removes(function)).then_some(row)
                });
                if let Some(row) = row {
                    found.push((row, TimeRange::new(wait.start, wait.end), wait.why));
                }
            });
        }
    }

    pub(super) fn draw(
        &self,
        axis: &TimeAxis,
        lines: &Lines,
        places: &Places,
        ink: Color,
        sheet: &mut Sheet,
    ) {
        let plot = places.plot;
        for &(row, range, why) in &self.found {
            let [top, bottom] = lines.edges(row);
            let [left, right] = [range.start, range.end].map(|time| axis.x_within(time));
            let min = Vec2::new(left, top).max(plot.min);
            let max = Vec2::new(right, bottom.max(top + places.line)).min(plot.max);
            if min.x < max.x && min.y < max.y {
                hatching::hatch(Rect::new(min, max), why, places.line, ink, sheet);
            }
        }
    }
}

/// Hatches where nothing was recorded.
pub(super) fn draw_gaps(
    gaps: Option<&Gaps>,
    axis: &TimeAxis,
    places: &Places,
    ink: &Ink,
    sheet: &mut Sheet,
) {
    let Some(gaps) = gaps else { return };
    let shown = ShownGaps {
        gaps,
        range: axis.range(),
        rect: places.plot,
        stroke: places.line,
        ink,
    };
    // The legend says what they are.
    shown.draw(|time| axis.x_within(time), 0.0, sheet);
}
