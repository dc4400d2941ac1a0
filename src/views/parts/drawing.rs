//! What views along time draw alike on their sheets.

use glam::Vec2;

use callscape_base::units::Time;
use callscape_filter::selection::Selection;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::hues::encoded;
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};
use callscape_look::ink::Ink;

/// Makes `raster` one colour.
pub(crate) fn paint_plain(raster: &mut Raster, rect: Rect, color: Color) {
    raster.rect = rect;
    raster.size = [1, 1];
    raster.pixels.clear();
    raster.pixels.push(encoded(color));
}

/// Marks the chosen range by paling what is outside of it, the time of all views and the time pointed at, and where marked
/// functions run first.
pub(crate) fn mark_times(
    sheet: &mut Sheet,
    axis: &TimeAxis,
    selection: &Selection,
    rect: Rect,
    line: f32,
    ink: &Ink,
) {
    let mut flags = Vec::new();
    let mut part = |from: f32, to: f32, color: Color| {
        let (from, to) = (from.max(rect.min.x), to.min(rect.max.x));
        if from < to {
            let rect = Rect::new(Vec2::new(from, rect.min.y), Vec2::new(to, rect.max.y));
            sheet.marks.push(Fill { rect, color });
        }
    };
    if let Some(range) = selection.range {
        let [from, to] = [range.start, range.end].map(|time| axis.x_within(time));
        part(rect.min.x, from, ink.outside);
        part(to, rect.max.x, ink.outside);
        part(from - line, from, ink.line);
        part(to, to + line, ink.line);
    }
    let mut at = |time: Time, width: f32, color: Color| {
        let x = axis.x_of(time);
        if x >= rect.min.x - 1.0 && x <= rect.max.x + 1.0 {
            let x = (x - width * 0.5).round();
            let x = x.min(rect.max.x - width).max(rect.min.x);
            part(x, x + width, color);
        }
    };
    let marked = selection.marked.as_ref();
    let mut drawn_to = f32::NEG_INFINITY;
    for first in marked.map_or(&[][..], |it| it.within(axis.range())) {
        let x = axis.x_of(first.time).round();
        // Of those that share a pixel one is drawn.
        if x - drawn_to >= line {
            drawn_to = x;
            flags.push(x);
        }
    }
    if let Some(time) = selection.pointed.time {
        at(time, line, ink.pointed_time);
    }
    at(selection.time, (line * 1.5).round(), ink.time);
    // A flag where a marked function runs first, at the top.
    for x in flags {
        for (wide, high) in [(line, 13.0 * line), (5.0 * line, 4.0 * line)] {
            let left = (x - (wide * 0.5).floor()).max(rect.min.x);
            let place = Rect::new(
                Vec2::new(left, rect.min.y),
                Vec2::new((left + wide).min(rect.max.x), rect.min.y + high),
            );
            if place.min.x < place.max.x {
                sheet.marks.push(Fill {
                    rect: place,
                    color: ink.text,
                });
            }
        }
    }
}
