//! How views along time show what waits: strokes over a part of a picture.

use glam::Vec2;

use crate::facts::trace::{Columns, Trace, Wait, Why};
use crate::layout::geometry::Color;
use crate::layout::sheet::{Fill, Rect, Sheet};
use crate::units::{Cost, ThreadId, Time};

/// The distance of strokes, in strokes.
const STEP: f32 = 5.0;

/// Hands the waits of a thread that last at least `least`, which is more than a column, to `see`: each holds the middle of
/// a column. O(columns × log waits).
pub fn find(
    trace: &Trace,
    thread: ThreadId,
    columns: Columns,
    least: Cost,
    mut see: impl FnMut(Wait),
) {
    let mut until = Time::ZERO;
    for k in 0..columns.count() {
        let (start, end) = (columns.start(k), columns.start(k + 1));
        let middle = start + Cost::from_ns(end.since(start).ns() / 2);
        if middle < until {
            continue;
        }
        let wait = trace.wait_at(thread, middle);
        if let Some(wait) = wait.filter(|wait| wait.end.since(wait.start) >= least) {
            until = wait.end;
            see(wait);
        }
    }
}

/// How strokes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strokes {
    Upright,
    Level,
    Grid,
}

/// Hands the strokes over `part` to `see`. They stand at even distances on the whole picture, so that neighbours go on in
/// each other.
pub fn strokes(part: Rect, strokes: Strokes, stroke: f32, mut see: impl FnMut(Rect)) {
    let step = stroke * STEP;
    if strokes != Strokes::Level {
        let mut x = (part.min.x / step).ceil() * step;
        while x < part.max.x {
            let end = (x + stroke).min(part.max.x);
            see(Rect::new(
                Vec2::new(x, part.min.y),
                Vec2::new(end, part.max.y),
            ));
            x += step;
        }
    }
    if strokes != Strokes::Upright {
        let mut y = part.min.y + stroke;
        while y < part.max.y {
            let end = (y + stroke).min(part.max.y);
            see(Rect::new(
                Vec2::new(part.min.x, y),
                Vec2::new(part.max.x, end),
            ));
            y += step;
        }
    }
}

/// Strokes over `part`: upright where a thread was pre-empted, level where it waits for something, a grid where nobody
/// knows.
pub fn hatch(part: Rect, why: Why, stroke: f32, ink: Color, sheet: &mut Sheet) {
    // A name over it stays legible. Light adds up linearly: of light strokes less is as strong.
    let [red, green, blue, alpha] = ink;
    let strength = if green > 0.5 { 0.2 } else { 0.5 };
    let color = [red, green, blue, alpha * strength];
    let run = match why {
        Why::Preempted => Strokes::Upright,
        Why::Voluntary => Strokes::Level,
        Why::Unknown => Strokes::Grid,
    };
    strokes(part, run, stroke, |rect| {
        sheet.fills.push(Fill { rect, color });
    });
}
