//! How views along time show what waits, and where nothing was recorded: strokes over a part of a picture.

use glam::Vec2;

use callscape_base::units::{Cost, ThreadId, Time, TimeRange};
use callscape_facts::gaps::Gaps;
use callscape_facts::trace::{Columns, Trace, Wait, Why};
use callscape_layout::geometry::Color;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Corner, Fill, Rect, Sheet};
use callscape_look::ink::Ink;

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
pub(crate) enum Strokes {
    Upright,
    Level,
    Grid,
}

/// Hands the strokes over `part` to `see`. They stand at even distances on the whole picture, so that neighbours go on in
/// each other.
pub(crate) fn strokes(part: Rect, strokes: Strokes, stroke: f32, mut see: impl FnMut(Rect)) {
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
pub(crate) fn hatch(part: Rect, why: Why, stroke: f32, ink: Color, sheet: &mut Sheet) {
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

/// What is said where nothing was recorded.
pub(crate) const NOT_RECORDED: &str = "recording switched off";

/// The distance of slanted strokes along x, in strokes.
const SLANTED_STEP: f32 = 8.0;

/// Gaps narrower than this, in strokes, are plain: slanted strokes would not be seen.
const NARROW: f32 = 3.0;

/// Draws slanted strokes over `part` where nothing was recorded.
pub(crate) fn hatch_gap(part: Rect, stroke: f32, ink: &Ink, sheet: &mut Sheet) {
    let [red, green, blue, alpha] = ink.weak;
    // Light adds up linearly: of light strokes less is as strong.
    let [below, strokes] = match green > ink.paper[1] {
        true => [0.04, 0.3],
        false => [0.12, 0.55],
    };
    let weak = |share: f32| [red, green, blue, alpha * share];
    sheet.fills.push(Fill {
        rect: part,
        color: weak(below),
    });
    if part.size().min_element() < NARROW * stroke {
        return;
    }
    // What of a stroke is seen, and half a pixel in which it fades.
    let edge = stroke * 0.5 + 0.5;
    let across = Vec2::splat(std::f32::consts::FRAC_1_SQRT_2) * edge;
    let inside = Rect::new(part.min + across, part.max - across);
    let (mesh, color) = (&mut sheet.mesh, weak(strokes));
    slanted(inside, stroke * SLANTED_STEP, |ends| {
        let first = mesh.corners.len() as u32;
        for end in ends {
            mesh.corners.extend([-1.0, 1.0].map(|side| Corner {
                at: end + across * side,
                across: Vec2::new(side * edge, edge),
                color,
            }));
        }
        let corners = [0, 1, 2, 1, 3, 2].map(|it| first + it);
        mesh.triangles.extend(corners);
    });
}

/// Hands the ends of strokes over `part` to `see`, from the upper right to the lower left. They lie where `x + y` is a
/// multiple of `step`, so that strokes of adjacent parts line up.
pub fn slanted(part: Rect, step: f32, mut see: impl FnMut([Vec2; 2])) {
    let mut sum = ((part.min.x + part.min.y) / step).ceil() * step;
    while sum < part.max.x + part.max.y {
        let left = part.min.x.max(sum - part.max.y);
        let right = part.max.x.min(sum - part.min.y);
        see([right, left].map(|x| Vec2::new(x, sum - x)));
        sum += step;
    }
}

/// The gaps of a recording within a rectangle that shows a range of time.
pub(crate) struct ShownGaps<'a> {
    pub gaps: &'a Gaps,
    pub range: TimeRange,
    pub rect: Rect,
    /// How wide strokes are, in pixels.
    pub stroke: f32,
    pub ink: &'a Ink,
}

impl ShownGaps<'_> {
    /// Draws them, where `x_of` says where times lie, and writes what they are into those with room for letters of `em`
    /// pixels. A gap is a pixel wide at least; of those that share one the first is drawn. O(pixels × log gaps).
    pub(crate) fn draw(&self, x_of: impl Fn(Time) -> f32, em: f32, sheet: &mut Sheet) {
        let (range, rect) = (self.range, self.rect);
        if rect.size().min_element() <= 0.0 {
            return;
        }
        let pixel = range.length().ns() as f64 / f64::from(rect.size().x);
        for gap in self.gaps.seen(range, Cost::from_ns(pixel as u64)) {
            let left = x_of(gap.start).min(rect.max.x - 1.0).max(rect.min.x);
            let right = x_of(gap.end).max(left + 1.0).min(rect.max.x);
            let part = Rect::new(Vec2::new(left, rect.min.y), Vec2::new(right, rect.max.y));
            hatch_gap(part, self.stroke, self.ink, sheet);
            let fits = (text::width(NOT_RECORDED) + 2.0) * em <= right - left;
            if em > 0.0 && fits && em <= rect.size().y {
                let ground = Rect::new(
                    Vec2::new(left + em * 0.5, rect.min.y),
                    Vec2::new(
                        left + (text::width(NOT_RECORDED) + 1.5) * em,
                        rect.min.y + em * 1.5,
                    ),
                );
                let at = Vec2::new(left + em, rect.min.y + em * 0.75);
                sheet.write(NOT_RECORDED, at, em, self.ink.text, ground);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_model::theme::Theme;

    fn range(start: u64, end: u64) -> TimeRange {
        TimeRange::new(Time::from_ns(start), Time::from_ns(end))
    }

    /// What is drawn of gaps over a hundred pixels by forty that begin at (50, 10) and show the first 1000 nanoseconds.
    fn drawn(gaps: &[(u64, u64)], em: f32) -> Sheet {
        let gaps = Gaps::of(gaps.iter().map(|&(a, b)| range(a, b)).collect());
        let ink = Ink::of(Theme::Light);
        let shown = ShownGaps {
            gaps: &gaps,
            range: range(0, 1000),
            rect: Rect::new(Vec2::new(50.0, 10.0), Vec2::new(150.0, 50.0)),
            stroke: 1.0,
            ink: &ink,
        };
        let mut sheet = Sheet::default();
        shown.draw(|time| 50.0 + time.ns() as f32 * 0.1, em, &mut sheet);
        sheet
    }

    #[test]
    fn gaps_are_hatched_where_they_lie_and_nowhere_else() {
        assert_eq!(drawn(&[], 8.0), Sheet::default());
        let sheet = drawn(&[(200, 600), (900, 1200)], 0.0);
        let along: Vec<_> = sheet
            .fills
            .iter()
            .map(|it| (it.rect.min.x, it.rect.max.x))
            .collect();
        assert_eq!(along, [(70.0, 110.0), (140.0, 150.0)]);
        let is_inside = |at: Vec2| sheet.fills.iter().any(|it| it.rect.contains(at));
        let corners = &sheet.mesh.corners;
        // A stroke in each eight pixels of the width and the height together.
        assert!(corners.len() > 4 * 12, "{}", corners.len());
        let nearly = Vec2::splat(0.01);
        for corner in corners {
            let is_near = is_inside(corner.at + nearly) || is_inside(corner.at - nearly);
            assert!(is_near, "{}", corner.at);
        }
        let corners = sheet.mesh.corners.len() as u32;
        assert!(sheet.mesh.triangles.iter().all(|&it| it < corners));
    }

    #[test]
    fn narrow_gaps_are_a_pixel_wide_and_plain() {
        let many: Vec<_> = (0..10_000).map(|it| (it * 2, it * 2 + 1)).collect();
        let sheet = drawn(&many, 8.0);
        assert!(sheet.fills.len() <= 101, "{}", sheet.fills.len());
        assert!(sheet.fills.iter().all(|it| it.rect.size().x >= 0.99));
        assert!(sheet.mesh.corners.is_empty() && sheet.texts.is_empty());
    }

    #[test]
    fn what_a_gap_is_stands_in_it_where_there_is_room() {
        let sheet = drawn(&[(0, 900)], 5.0);
        assert_eq!(sheet.letters, NOT_RECORDED);
        assert!(drawn(&[(0, 300)], 5.0).letters.is_empty());
    }
}
