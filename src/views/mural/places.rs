//! Where the parts of the temporal overview lie, and which rows lie on which lines of its picture.

use glam::Vec2;

use super::rows::NO_ROW;
use callscape_layout::sheet::Rect;

/// Heights and widths in points.
pub(super) const LETTERS: f32 = 11.6;
const AXIS: f32 = 20.0;
const BAR: f32 = 4.0;
const LEGEND: f32 = 18.0;

/// A view that is smaller has no room for a legend, in points.
const LEAST_WITH_LEGEND: Vec2 = Vec2::new(420.0, 260.0);

/// Where the parts of the view lie, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Places {
    pub size: Vec2,
    pub em: f32,
    pub line: f32,
    /// Names of rows, then the colours of their modules.
    pub names: Rect,
    pub bar: Rect,
    /// Where the band lies that stands over all views along time; empty where there is none.
    pub band: Rect,
    pub profile: Rect,
    pub plot: Rect,
    pub axis: Rect,
    /// What the shades mean; empty where there is no room.
    pub legend: Rect,
}

impl Places {
    /// With so many pixels for the band.
    pub(super) fn new(size: Vec2, scale: f32, band: f32) -> Places {
        let scale = scale.max(0.1);
        let px = |points: f32| (points * scale).round();
        let size = size.max(Vec2::splat(1.0));
        let gutter = (size.x * 0.17)
            .clamp(px(56.0), px(190.0))
            .min(size.x * 0.5)
            .round();
        let axis = px(AXIS).min(size.y * 0.3).round();
        let legend = if size.cmpge(LEAST_WITH_LEGEND * scale).all() {
            px(LEGEND)
        } else {
            0.0
        };
        let high = size.y - axis - legend - band;
        let profile = if high < px(110.0) {
            0.0
        } else {
            (high * 0.17).clamp(px(28.0), px(72.0)).round()
        };
        let (left, top) = (gutter + px(BAR), band + profile);
        let bottom = (band + high).max(top);
        Places {
            size,
            em: LETTERS * scale,
            line: px(1.0).max(1.0),
            names: Rect::new(Vec2::new(0.0, top), Vec2::new(gutter, bottom)),
            bar: Rect::new(Vec2::new(gutter, top), Vec2::new(left - px(1.0), bottom)),
            band: Rect::new(Vec2::new(left, 0.0), Vec2::new(size.x, band)),
            profile: Rect::new(Vec2::new(left, band), Vec2::new(size.x, top)),
            plot: Rect::new(Vec2::new(left, top), Vec2::new(size.x, bottom)),
            axis: Rect::new(Vec2::new(left, bottom), Vec2::new(size.x, size.y - legend)),
            legend: Rect::new(Vec2::new(0.0, size.y - legend), size),
        }
    }
}

/// Which rows lie on which lines of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lines {
    /// The first row that is seen, and how many are.
    pub first: f64,
    pub rows: f64,
    /// Lines of the picture: a row each, or a pixel each with several rows.
    pub count: u32,
    /// The row of the first line where lines are rows.
    pub row: u32,
    /// Where the first line begins and the last ends.
    pub top: f32,
    pub bottom: f32,
    pub are_pixels: bool,
}

impl Lines {
    pub(super) fn new(first: f64, rows: f64, plot: Rect) -> Lines {
        let height = plot.size().y.max(1.0);
        let high = f64::from(height) / rows.max(1e-9);
        let are_pixels = rows > f64::from(height);
        if are_pixels {
            return Lines {
                first,
                rows,
                count: height as u32,
                row: 0,
                top: plot.min.y,
                bottom: plot.max.y,
                are_pixels,
            };
        }
        let (from, to) = (first.floor(), (first + rows).ceil());
        Lines {
            first,
            rows,
            count: (to - from) as u32,
            row: from as u32,
            top: plot.min.y - ((first - from) * high) as f32,
            bottom: plot.min.y + ((to - first) * high) as f32,
            are_pixels,
        }
    }

    /// The line of a row; `count` or more for a row that is not seen.
    pub(super) fn of(&self, row: u32) -> u32 {
        let line = if self.are_pixels {
            let line = ((f64::from(row) - self.first) * f64::from(self.count) / self.rows).floor();
            if line < 0.0 { f64::from(NO_ROW) } else { line }
        } else {
            return row.wrapping_sub(self.row);
        };
        line.min(f64::from(NO_ROW)) as u32
    }

    /// Where a row begins and ends along y.
    pub(super) fn edges(&self, row: u32) -> [f32; 2] {
        let (first, count, rows) = if self.are_pixels {
            (self.first, f64::from(self.count), self.rows)
        } else {
            (
                f64::from(self.row),
                f64::from(self.bottom - self.top),
                f64::from(self.count),
            )
        };
        [f64::from(row), f64::from(row) + 1.0]
            .map(|row| self.top + ((row - first) / rows * count) as f32)
    }

    /// The rows at `y`.
    pub(super) fn at(&self, y: f32) -> std::ops::Range<u32> {
        let share = f64::from((y - self.top) / (self.bottom - self.top).max(1.0));
        let line = (share * f64::from(self.count)).floor().max(0.0);
        if self.are_pixels {
            let row =
                |line: f64| (self.first + line * self.rows / f64::from(self.count)).ceil() as u32;
            row(line)..row(line + 1.0)
        } else {
            let row = self.row + line as u32;
            row..row + 1
        }
    }
}
