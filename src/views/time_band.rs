//! The band of stretches over the views along time, which lies and looks alike in all of them.

use std::sync::Arc;

use glam::Vec2;

use super::tip::Tip;
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::layout::axis::TimeAxis;
use crate::layout::geometry::Color;
use crate::layout::sheet::{Fill, Rect, Sheet};
use crate::model::band::{Band, Stretch};
use crate::render::ink::Ink;
use crate::units::{FunctionId, TimeRange};

/// Of a row, in points.
const ROW: f32 = 8.0;
/// Above and below all rows, in points.
const MARGIN: f32 = 2.0;
/// It has at most this share of the height of a view.
const SHARE: f32 = 0.2;
/// A stretch is as near as so many pixels to be pointed at.
const NEAR: f32 = 1.5;

/// A band on a sheet.
#[derive(Clone, Debug, Default)]
pub struct TimeBand {
    band: Option<Arc<Band>>,
    rect: Rect,
}

impl TimeBand {
    /// Takes another band, or none; whether it is another one.
    pub fn take(&mut self, band: Option<&Arc<Band>>) -> bool {
        let is_same = match (&self.band, band) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            self.band = band.cloned();
        }
        !is_same
    }

    /// What its stretches are; nothing without a band.
    pub fn title(&self) -> &'static str {
        self.band.as_ref().map_or("", |band| band.title)
    }

    /// How high it is in a view that is so high, in pixels; 0 without a band.
    pub fn height(&self, of_view: f32, scale: f32) -> f32 {
        let rows = self.band.as_ref().map_or(0, |band| band.rows.len());
        if rows == 0 {
            return 0.0;
        }
        let wanted = (ROW * rows as f32 + 2.0 * MARGIN) * scale;
        wanted.min(of_view * SHARE).floor()
    }

    /// Where it lies from now on, in pixels; its times along x are those of the axis.
    pub fn place(&mut self, rect: Rect) {
        self.rect = rect;
    }

    /// Where a row begins and ends along y.
    fn edges(&self, band: &Band, row: usize) -> [f32; 2] {
        let margin = (self.rect.size().y * 0.06).floor();
        let height = self.rect.size().y - 2.0 * margin;
        let edge = |row: usize| {
            let share = row as f32 / band.rows.len().max(1) as f32;
            (self.rect.min.y + margin + height * share).round()
        };
        [edge(row), edge(row + 1)]
    }

    /// Where a stretch lies along x, a pixel at least.
    fn along(&self, axis: &TimeAxis, range: TimeRange) -> [f32; 2] {
        let [left, right] = [range.start, range.end].map(|time| axis.x_of(time));
        let left = left.max(self.rect.min.x);
        [left, right.max(left + 1.0).min(self.rect.max.x)]
    }

    /// Draws its stretches, each in the colour that its function has. O(stretches in sight), of those that share a pixel
    /// the first.
    pub fn draw(&self, sheet: &mut Sheet, axis: &TimeAxis, color_of: impl Fn(FunctionId) -> Color) {
        let Some(band) = &self.band else { return };
        let gap = if self.rect.size().y > 3.0 * band.rows.len() as f32 {
            1.0
        } else {
            0.0
        };
        for row in 0..band.rows.len() {
            let [top, bottom] = self.edges(band, row);
            let mut drawn_to = f32::NEG_INFINITY;
            for stretch in band.within(row, axis.range()) {
                let [left, right] = self.along(axis, stretch.range);
                if right <= drawn_to || right <= left {
                    continue;
                }
                let left = left.max(drawn_to);
                drawn_to = right;
                let rect = Rect::new(Vec2::new(left, top), Vec2::new(right, bottom - gap));
                let color = color_of(stretch.function);
                sheet.fills.push(Fill { rect, color });
            }
        }
    }

    /// Outlines the stretches of the calls that are pointed at and chosen.
    pub fn mark(
        &self,
        sheet: &mut Sheet,
        axis: &TimeAxis,
        selection: &Selection,
        ink: &Ink,
        line: f32,
    ) {
        let Some(band) = &self.band else { return };
        let meant = [
            (selection.pointed.call, ink.pointed),
            (selection.chosen.call, ink.chosen),
        ];
        let meant = meant.map(|(call, color)| Some((call?, color)));
        for (of, color) in meant.into_iter().flatten() {
            for row in 0..band.rows.len() {
                let in_sight = band.within(row, axis.range()).iter();
                for stretch in in_sight.filter(|it| call_of(it) == of) {
                    let [left, right] = self.along(axis, stretch.range);
                    let [top, bottom] = self.edges(band, row);
                    let rect = Rect::new(Vec2::new(left, top), Vec2::new(right, bottom));
                    sheet.outline(rect, line, color);
                }
            }
        }
    }

    /// The stretch at a point.
    pub fn at(&self, axis: &TimeAxis, at: Vec2) -> Option<&Stretch> {
        let band = self.band.as_ref().filter(|_| self.rect.contains(at))?;
        let is_in = |row: &usize| {
            let [top, bottom] = self.edges(band, *row);
            top <= at.y && at.y < bottom
        };
        let row = (0..band.rows.len()).find(is_in)?;
        let stretch = band.nearest(row, axis.time_at(at.x))?;
        let [left, right] = self.along(axis, stretch.range);
        (left - NEAR <= at.x && at.x <= right + NEAR).then_some(stretch)
    }

    /// What is said of a stretch, whose module has this path.
    pub fn tip(stretch: &Stretch, module: Option<String>) -> Tip {
        let mut tip = Tip {
            title: stretch.name.clone(),
            lines: module.into_iter().collect(),
        };
        let TimeRange { start, end } = stretch.range;
        tip.lines.push(format!("from {start} to {end}"));
        tip.lines
            .push("a click limits every view to it, and another one no longer does".to_owned());
        tip
    }
}

/// What pointing at a stretch means, but for time and module.
pub fn pointed(stretch: &Stretch) -> Pointed {
    Pointed {
        function: Some(stretch.function),
        call: Some(call_of(stretch)),
        thread: Some(stretch.thread),
        ..Pointed::default()
    }
}

fn call_of(stretch: &Stretch) -> CallOf {
    CallOf {
        thread: stretch.thread,
        call: stretch.call,
    }
}
