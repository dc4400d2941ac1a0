//! How a lane of the call stacks is drawn: its cells, its boxes with their names, and its heading.

use std::fmt::Write;
use std::ops::Range;

use glam::Vec2;

use super::boxes::{Content, box_of};
use super::lanes::{Lane, Placed};
use crate::parts::hatching::{self, ShownGaps};
use callscape_analysis::session::Session;
use callscape_base::units::push_grouped_by;
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};
use callscape_look::ink::Ink;

/// Names written at most: more would not be read.
const MOST_NAMES: usize = 2500;

/// Smaller letters are not written, in points.
const LEAST: f32 = 11.0;

/// What all lanes of a picture are drawn with.
pub(super) struct LanePainter<'a> {
    pub session: &'a Session,
    /// The place of the recording in the session.
    pub place: usize,
    pub recording: &'a Recording,
    pub axis: &'a TimeAxis,
    /// By function.
    pub colors: &'a [(Color, [u8; 4])],
    /// Of threads.
    pub names: &'a [String],
    pub ink: &'a Ink,
    /// Of the sheet, in pixels.
    pub size: Vec2,
    /// Pixels of a point.
    pub scale: f32,
    /// The height of letters, in pixels.
    pub em: f32,
    /// Where the first lane begins before it is scrolled, and how far they are scrolled, in pixels.
    pub top: f32,
    pub scroll: f32,
}

impl LanePainter<'_> {
    fn y(&self, at: f32) -> f32 {
        self.top + at - self.scroll
    }

    pub(super) fn is_in_sight(&self, placed: &Placed) -> bool {
        self.y(placed.bottom) >= self.top && self.y(placed.top) <= self.size.y
    }

    pub(super) fn depths_in_sight(&self, placed: &Placed) -> Range<u32> {
        let rows = self.y(placed.rows);
        let seen = |at: f32| ((at - rows) / placed.row).clamp(0.0, placed.depths as f32);
        seen(self.top).floor() as u32..seen(self.size.y).ceil() as u32
    }

    /// Paints what is too narrow for boxes.
    pub(super) fn paint_cells(
        &self,
        placed: &Placed,
        depths: Range<u32>,
        content: &Content,
        cells: &mut Raster,
    ) {
        let rows = self.y(placed.rows);
        let [left, right] = self.axis.columns().1;
        cells.rect = Rect::new(
            Vec2::new(left, rows + placed.row * depths.start as f32),
            Vec2::new(right, rows + placed.row * depths.end as f32),
        );
        content.shade(depths, self.axis, self.colors, cells);
    }

    /// Paints the boxes of calls and the lines between depths, and writes the names of functions where there is room.
    pub(super) fn paint_boxes(
        &self,
        (lane, placed): (&Lane, &Placed),
        depths: Range<u32>,
        content: &Content,
        sheet: &mut Sheet,
        name: &mut String,
    ) {
        let rows = self.y(placed.rows);
        let gap = if placed.row >= 5.0 * self.scale {
            self.scale.round().max(1.0)
        } else {
            0.0
        };
        if gap > 0.0 {
            for depth in depths.clone() {
                let bottom = rows + placed.row * (depth + 1) as f32;
                let rect = Rect::new(Vec2::new(0.0, bottom - gap), Vec2::new(self.size.x, bottom));
                sheet.fills.push(Fill {
                    rect,
                    color: self.ink.paper,
                });
            }
        }
        let letters = (placed.row * 0.8).min(self.em);
        let is_written = letters >= LEAST * self.scale && !lane.is_collapsed;
        for bar in content.bars(depths) {
            let Some(rect) = box_of(bar, self.axis, rows, placed.row, gap, self.size.x) else {
                continue;
            };
            let Some(&(color, _)) = self.colors.get(bar.function.index()) else {
                continue;
            };
            sheet.fills.push(Fill { rect, color });
            let pad = letters * 0.35;
            let room = (rect.size().x - 2.0 * pad) / letters;
            if is_written && room >= 3.0 && sheet.texts.len() < MOST_NAMES {
                let full = self.session.function_name(self.place, bar.function);
                if text::shorten(full, room, name) {
                    let at = Vec2::new(rect.min.x + pad, (rect.min.y + rect.max.y) * 0.5);
                    sheet.write(name, at, letters, self.ink.on_module, rect);
                }
            }
        }
    }

    /// Hatches what waits within its call.
    pub(super) fn paint_waits(
        &self,
        placed: &Placed,
        depths: Range<u32>,
        content: &Content,
        sheet: &mut Sheet,
    ) {
        let rows = self.y(placed.rows);
        let stroke = self.scale.round().max(1.0);
        let ink = self.ink.on_module;
        content.waits(|wait, bar| {
            if !depths.contains(&bar.depth) {
                return;
            }
            let Some(row) = box_of(bar, self.axis, rows, placed.row, stroke, self.size.x) else {
                return;
            };
            let left = self.axis.x_of(wait.start).max(row.min.x).max(0.0);
            let right = self.axis.x_of(wait.end).min(row.max.x).min(self.size.x);
            if left >= right {
                return;
            }
            let part = Rect::new(Vec2::new(left, row.min.y), Vec2::new(right, row.max.y));
            hatching::hatch(part, wait.why, stroke, ink, sheet);
        });
    }

    /// Hatches where nothing was recorded.
    pub(super) fn paint_gaps(&self, placed: &Placed, sheet: &mut Sheet) {
        let top = self.y(placed.rows).max(self.top);
        let bottom = self.y(placed.rows) + placed.row * placed.depths as f32;
        let shown = ShownGaps {
            gaps: &self.recording.gaps,
            range: self.axis.range(),
            rect: Rect::new(
                Vec2::new(0.0, top),
                Vec2::new(self.size.x, bottom.min(self.size.y)),
            ),
            stroke: self.scale.round().max(1.0),
            ink: self.ink,
        };
        shown.draw(|time| self.axis.x_of(time), self.em, sheet);
    }

    /// Writes the name of the thread, and how many calls it has, over its depths.
    pub(super) fn paint_heading(
        &self,
        (lane, placed): (&Lane, &Placed),
        content: &Content,
        sheet: &mut Sheet,
        line: &mut String,
    ) {
        let (em, ink) = (self.em, self.ink);
        let heading = Rect::new(
            Vec2::new(0.0, self.y(placed.top)),
            Vec2::new(self.size.x, self.y(placed.rows)),
        );
        sheet.fills.push(Fill {
            rect: heading,
            color: ink.heading,
        });
        let info = &self.recording.trace.threads()[lane.thread.index()];
        line.clear();
        let sign = if lane.is_collapsed { "▶" } else { "▼" };
        let name = self.names.get(lane.thread.index());
        let name = name.map_or("", String::as_str);
        // Writing to a string does not fail.
        let _ = write!(line, "{sign}  {name}");
        let at = Vec2::new(em * 0.6, (heading.min.y + heading.max.y) * 0.5);
        let from = at.x + (text::width(line) + 1.5) * em;
        let clip = Rect::new(Vec2::new(0.0, self.top), heading.max);
        sheet.write(line, at, em, ink.text, clip);
        line.clear();
        write_count(info.calls, "call", line);
        let _ = write!(line, "  ·  depth {}", info.max_depth);
        if self.recording.kind == RecordingKind::Sampled {
            line.push_str("  ·  sampled");
            if let Some(interval) = self.recording.known_to() {
                let _ = write!(line, ", begins and ends known to {interval}");
            }
        }
        match content.left_out() {
            Some(0) => {}
            Some(left_out) => {
                line.push_str("  ·  ");
                write_count(left_out, "call", line);
                line.push_str(" left out here");
            }
            // Only what is a box is known.
            None => line.push_str("  ·  some left out, and what is narrow"),
        }
        let at = Vec2::new(from, at.y);
        if at.x + text::width(line) * em < self.size.x {
            sheet.write(line, at, em * 0.95, ink.weak, clip);
        }
    }
}

/// Appends `1 234 calls`.
pub(super) fn write_count(count: u64, noun: &str, out: &mut String) {
    push_grouped_by(out, count, '\u{2009}');
    out.push(' ');
    out.push_str(noun);
    if count != 1 {
        out.push('s');
    }
}
