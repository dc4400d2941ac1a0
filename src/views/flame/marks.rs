//! What is pointed at and chosen in the call stacks, the time and the range.

use glam::Vec2;

use super::super::Scope;
use super::FlameView;
use super::boxes::{BOX, Content, box_of};
use super::lanes::Placed;
use crate::parts::drawing::mark_times;
use callscape_base::units::{CallId, FunctionId, ThreadId};
use callscape_facts::trace::Call;
use callscape_filter::selection::{CallOf, Meant};
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::navigate;

/// How strongly what is meant is tinted where calls are too narrow for boxes.
const NARROW_TINT: f32 = 0.7;

/// A selection, and how it is marked.
struct Marking<'a> {
    meant: &'a Meant<'a>,
    /// A call relation is meant, and not one call of it.
    is_relation: bool,
    color: Color,
    /// How wide the outline of one call is, and that of others of its function, in pixels.
    thick: f32,
    line: f32,
    /// The share of the colour that boxes are tinted with.
    tint: f32,
}

/// A lane that marks are drawn on.
struct MarkedLane<'a> {
    placed: &'a Placed,
    thread: ThreadId,
    content: &'a Content,
    axis: &'a TimeAxis,
    /// Of the sheet.
    size: Vec2,
    /// Where the first lane begins, and where the depths of this one do, in pixels.
    top: f32,
    rows: f32,
}

impl FlameView {
    /// The range, the time, and what is pointed at and chosen.
    pub(super) fn mark(&mut self, scope: &Scope<'_>) {
        let ink = Ink::of(scope.theme);
        let (axis, top) = (self.head(), self.top());
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
            let marking = Marking {
                is_relation: meant.call().is_none() && of.relation.is_some(),
                meant: &meant,
                color,
                thick,
                line,
                tint,
            };
            for placed in &self.placed {
                let rows = top + placed.rows - self.scroll;
                let Some(content) = self.contents.get(placed.lane) else {
                    continue;
                };
                if rows > self.size.y || top + placed.bottom - self.scroll < top {
                    continue;
                }
                let lane = MarkedLane {
                    placed,
                    thread: self.lanes[placed.lane].thread,
                    content,
                    axis: &self.axis,
                    size: self.size,
                    top,
                    rows,
                };
                lane.mark_boxes(&marking, sheet);
                lane.mark_cells(&marking, sheet);
                let call = meant.call().filter(|of| of.thread == lane.thread);
                if let (Some(of), Some(source)) = (call, &self.source)
                    && self.rules.is_empty()
                    && navigate::exists(&source.trace, of)
                {
                    let call = source.trace.call(of.thread, of.call);
                    lane.mark_narrow_call(&call, &marking, sheet);
                }
            }
        }
        self.band.mark(sheet, &self.axis, selection, &ink, line);
        let below = Rect::new(Vec2::new(0.0, axis), self.size);
        mark_times(sheet, &self.axis, selection, below, line, &ink);
        let beside = &self.band.beside;
        beside.mark(sheet, &self.axis, below, line, &ink);
    }
}

impl MarkedLane<'_> {
    /// Outlines the boxes of what is meant.
    fn mark_boxes(&self, marking: &Marking<'_>, sheet: &mut Sheet) {
        let (meant, content, placed) = (marking.meant, self.content, self.placed);
        let [r, g, b, a] = marking.color;
        for bar in content.bars(0..placed.depths) {
            let this = CallOf {
                thread: self.thread,
                call: bar.call,
            };
            let is_call = meant.call() == Some(this);
            let is_meant = if marking.is_relation {
                meant.holds_call(this, bar.function, || Some(content.around(bar)?.function))
            } else {
                is_call || meant.holds_function(bar.function)
            };
            if !is_meant {
                continue;
            }
            let above = self.rows + placed.row * bar.depth as f32;
            let below = above + placed.row;
            if below < self.top || above > self.size.y {
                continue;
            }
            let Some(rect) = box_of(bar, self.axis, self.rows, placed.row, 0.0, self.size.x) else {
                continue;
            };
            let rect = Rect::new(Vec2::new(rect.min.x, rect.min.y.max(self.top)), rect.max);
            // The one call stands out from others of its function, and these from all the rest.
            let around = match is_call {
                true => marking.thick,
                false => marking.line,
            };
            let around = around.min(rect.size().min_element() * 0.4);
            sheet.outline(rect, around, marking.color);
            let color = [r, g, b, a * marking.tint];
            sheet.marks.push(Fill { rect, color });
        }
    }

    /// Tints the cells of what is meant.
    fn mark_cells(&self, marking: &Marking<'_>, sheet: &mut Sheet) {
        let (meant, content, placed) = (marking.meant, self.content, self.placed);
        let [r, g, b, a] = marking.color;
        let edges = self.axis.columns().1;
        let of_cell = (edges[1] - edges[0]) / content.columns().count().max(1) as f32;
        let x = |k: u32| edges[0] + k as f32 * of_cell;
        let depth_at = |y: f32| ((y - self.rows) / placed.row).clamp(0.0, placed.depths as f32);
        let in_sight = depth_at(self.top) as u32..depth_at(self.size.y).ceil() as u32;
        // Of a call that is too narrow for a box.
        let unknown = CallOf {
            thread: self.thread,
            call: CallId(u32::MAX),
        };
        let is_meant = |function: FunctionId, caller: Option<FunctionId>| {
            if marking.is_relation {
                meant.holds_call(unknown, function, || caller)
            } else {
                meant.holds_function(function)
            }
        };
        for depth in in_sight {
            let above = (self.rows + placed.row * depth as f32).max(self.top);
            let below = self.rows + placed.row * (depth + 1) as f32;
            content.narrow(depth, self.axis, is_meant, |at| {
                let min = Vec2::new(x(at.start), above);
                let rect = Rect::new(min, Vec2::new(x(at.end), below));
                // No letters stand there.
                let color = [r, g, b, a * NARROW_TINT];
                sheet.marks.push(Fill { rect, color });
            });
        }
    }

    /// Outlines the one call that is meant where it is too narrow for a box.
    fn mark_narrow_call(&self, call: &Call, marking: &Marking<'_>, sheet: &mut Sheet) {
        let placed = self.placed;
        let [r, g, b, a] = marking.color;
        let (columns, edges) = self.axis.columns();
        let pixels = (edges[1] - edges[0]) / columns.count().max(1) as f32;
        let [left, right] = [call.start, call.end].map(|time| self.axis.x_of(time));
        let above = self.rows + placed.row * call.depth as f32;
        let is_seen = right >= 0.0 && left <= self.size.x && call.depth < placed.depths;
        if right - left < BOX && is_seen && above >= self.top {
            // Whole columns: that is what one points at.
            let column = |x: f32| ((x - edges[0]) / pixels).floor();
            let edge = |column: f32| edges[0] + column * pixels;
            let [left, right] = [edge(column(left)), edge(column(right) + 1.0)];
            let max = Vec2::new(right.max(left + BOX), above + placed.row);
            let rect = Rect::new(Vec2::new(left, above), max);
            sheet.outline(rect, marking.line, marking.color);
            let color = [r, g, b, a * NARROW_TINT];
            sheet.marks.push(Fill { rect, color });
        }
    }
}
