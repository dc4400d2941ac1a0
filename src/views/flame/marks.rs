//! What is pointed at and chosen in the call stacks, the time and the range.

use glam::Vec2;

use super::super::Scope;
use super::super::mural::mark_times;
use super::{BOX, FlameView, box_of};
use crate::filter::selection::{CallOf, Meant};
use crate::layout::sheet::{Fill, Rect};
use crate::model::navigate;
use crate::render::ink::Ink;
use crate::units::{CallId, FunctionId};

/// How strongly what is meant is tinted where calls are too narrow for boxes.
const NARROW_TINT: f32 = 0.7;

impl FlameView {
    /// The range, the time, and what is pointed at and chosen.
    pub(super) fn mark(&mut self, scope: &Scope<'_>) {
        let ink = Ink::of(scope.theme);
        let (top, axis, width) = (self.top(), self.axis, self.size.x);
        let line = self.scale.round().max(1.0);
        let hierarchy = &scope.session.hierarchy;
        let selection = scope.selection;
        let sheet = &mut self.sheet;
        sheet.marks.clear();
        for (of, color, thick, tint) in [
            (&selection.pointed, ink.pointed, line, 0.16),
            (&selection.chosen, ink.chosen, 2.0 * line, 0.2),
        ] {
            let meant = Meant::new(of, hierarchy, &self.modules);
            if meant.is_nothing() {
                continue;
            }
            let is_relation = meant.call().is_none() && of.relation.is_some();
            let [r, g, b, a] = color;
            for placed in &self.placed {
                let rows = top + placed.rows - self.scroll;
                let (Some(content), lane) =
                    (self.contents.get(placed.lane), &self.lanes[placed.lane])
                else {
                    continue;
                };
                if rows > self.size.y || top + placed.bottom - self.scroll < top {
                    continue;
                }
                for bar in content.bars(0..placed.depths) {
                    let this = CallOf {
                        thread: lane.thread,
                        call: bar.call,
                    };
                    let is_call = meant.call() == Some(this);
                    let is_meant = if is_relation {
                        meant.holds_call(this, bar.function, || Some(content.around(bar)?.function))
                    } else {
                        is_call || meant.holds_function(bar.function)
                    };
                    if !is_meant {
                        continue;
                    }
                    let above = rows + placed.row * bar.depth as f32;
                    let below = above + placed.row;
                    if below < top || above > self.size.y {
                        continue;
                    }
                    let Some(rect) = box_of(bar, &axis, rows, placed.row, 0.0, width) else {
                        continue;
                    };
                    let rect = Rect::new(Vec2::new(rect.min.x, rect.min.y.max(top)), rect.max);
                    // The one call stands out from others of its function, and these from all the rest.
                    let around = if is_call { thick } else { line };
                    sheet.outline(rect, around.min(rect.size().min_element() * 0.4), color);
                    let color = [r, g, b, a * tint];
                    sheet.marks.push(Fill { rect, color });
                }
                let (columns, edges) = axis.columns();
                let pixels = (edges[1] - edges[0]) / columns.count().max(1) as f32;
                let of_cell = (edges[1] - edges[0]) / content.columns().count().max(1) as f32;
                let x = |k: u32| edges[0] + k as f32 * of_cell;
                let depth_at = |y: f32| ((y - rows) / placed.row).clamp(0.0, placed.depths as f32);
                let in_sight = depth_at(top) as u32..depth_at(self.size.y).ceil() as u32;
                // Of a call that is too narrow for a box.
                let unknown = CallOf {
                    thread: lane.thread,
                    call: CallId(u32::MAX),
                };
                let is_meant = |function: FunctionId, caller: Option<FunctionId>| {
                    if is_relation {
                        meant.holds_call(unknown, function, || caller)
                    } else {
                        meant.holds_function(function)
                    }
                };
                for depth in in_sight {
                    let above = (rows + placed.row * depth as f32).max(top);
                    let below = rows + placed.row * (depth + 1) as f32;
                    content.narrow(depth, &axis, is_meant, |at| {
                        let min = Vec2::new(x(at.start), above);
                        let rect = Rect::new(min, Vec2::new(x(at.end), below));
                        // No letters stand there.
                        let color = [r, g, b, a * NARROW_TINT];
                        sheet.marks.push(Fill { rect, color });
                    });
                }
                let narrow = meant.call().filter(|of| of.thread == lane.thread);
                if let (Some(of), Some(source)) = (narrow, &self.source)
                    && self.rules.is_empty()
                    && navigate::exists(&source.trace, of)
                {
                    let call = source.trace.call(of.thread, of.call);
                    let [left, right] = [call.start, call.end].map(|time| axis.x_of(time));
                    let above = rows + placed.row * call.depth as f32;
                    let is_seen = right >= 0.0 && left <= width && call.depth < placed.depths;
                    if right - left < BOX && is_seen && above >= top {
                        // Whole columns: that is what one points at.
                        let column = |x: f32| ((x - edges[0]) / pixels).floor();
                        let edge = |column: f32| edges[0] + column * pixels;
                        let [left, right] = [edge(column(left)), edge(column(right) + 1.0)];
                        let max = Vec2::new(right.max(left + BOX), above + placed.row);
                        let rect = Rect::new(Vec2::new(left, above), max);
                        sheet.outline(rect, line, color);
                        let color = [r, g, b, a * NARROW_TINT];
                        sheet.marks.push(Fill { rect, color });
                    }
                }
            }
        }
        let below = Rect::new(Vec2::new(0.0, top), self.size);
        mark_times(sheet, &axis, selection, below, line, &ink);
    }
}
