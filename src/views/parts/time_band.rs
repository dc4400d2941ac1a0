//! The band of stretches over the views along time, which lies and looks alike in all of them.

use std::sync::Arc;

use glam::Vec2;

use super::beside::Beside;
use super::tip::Tip;
use callscape_base::units::{FunctionId, TimeRange};
use callscape_filter::selection::{CallOf, Pointed, Selection};
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::band::{Band, Stretch};

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
pub(crate) struct TimeBand {
    band: Option<Arc<Band>>,
    rect: Rect,
    /// What the view beside this one shows.
    pub beside: Beside,
}

impl TimeBand {
    /// Takes another band, or none; whether it is another one.
    pub(crate) fn take(&mut self, band: Option<&Arc<Band>>) -> bool {
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
    pub(crate) fn title(&self) -> &'static str {
        self.band.as_ref().map_or("", |band| band.title)
    }

    /// How high it is in a view that is so high, in pixels; 0 without a band.
    pub(crate) fn height(&self, of_view: f32, scale: f32) -> f32 {
        let rows = self.band.as_ref().map_or(0, |band| band.rows.len());
        if rows == 0 {
            return 0.0;
        }
        let wanted = (ROW * rows as f32 + 2.0 * MARGIN) * scale;
        wanted.min(of_view * SHARE).floor()
    }

    /// Where it lies from now on, in pixels; its times along x are those of the axis.
    pub(crate) fn place(&mut self, rect: Rect) {
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
    pub(crate) fn draw(
        &self,
        sheet: &mut Sheet,
        axis: &TimeAxis,
        color_of: impl Fn(FunctionId) -> Color,
    ) {
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
                let is_hidden = left < drawn_to && right - drawn_to < 1.0;
                if is_hidden || right <= left {
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
    pub(crate) fn mark(
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
    pub(crate) fn at(&self, axis: &TimeAxis, at: Vec2) -> Option<&Stretch> {
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
    pub(crate) fn tip(stretch: &Stretch, module: Option<String>) -> Tip {
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
pub(crate) fn pointed(stretch: &Stretch) -> Pointed {
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

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::{CallId, ThreadId, Time};

    fn range(start: u64, end: u64) -> TimeRange {
        TimeRange::new(Time::from_ns(start), Time::from_ns(end))
    }

    fn stretch(number: u32, (start, end): (u64, u64)) -> Stretch {
        Stretch {
            name: format!("stretch {number}"),
            range: range(start, end),
            thread: ThreadId(0),
            call: CallId(number),
            function: FunctionId(number),
        }
    }

    /// Two rows over a thousand nanoseconds, 500 pixels wide and 20 high from (100, 10) on.
    fn band() -> (TimeBand, TimeAxis) {
        let band = Band {
            title: "numbers",
            rows: vec![
                vec![stretch(0, (0, 400)), stretch(1, (500, 1000))],
                vec![
                    stretch(2, (500, 501)),
                    stretch(3, (501, 502)),
                    stretch(4, (600, 900)),
                ],
            ],
        };
        let mut axis = TimeAxis::new(range(0, 1000));
        axis.place(100.0, 500.0);
        let mut shown = TimeBand::default();
        assert!(shown.take(Some(&Arc::new(band))));
        shown.place(Rect::new(Vec2::new(100.0, 10.0), Vec2::new(600.0, 30.0)));
        (shown, axis)
    }

    #[test]
    fn a_point_is_in_the_stretch_that_is_drawn_there() {
        let (band, axis) = band();
        let mut sheet = Sheet::default();
        // The colour says which.
        band.draw(&mut sheet, &axis, |function| {
            [function.0 as f32, 0.0, 0.0, 1.0]
        });
        let drawn: Vec<u32> = sheet.fills.iter().map(|it| it.color[0] as u32).collect();
        assert_eq!(drawn, [0, 1, 2, 4], "two share a pixel");
        for fill in &sheet.fills {
            let middle = (fill.rect.min + fill.rect.max) * 0.5;
            let found = band.at(&axis, middle).expect("a stretch");
            // Where a pixel is more than one stretch, time says which is meant.
            let drawn = fill.color[0] as u32;
            let is_shared = drawn == 2 && found.function.0 == 3;
            assert!(found.function.0 == drawn || is_shared, "{drawn}");
        }
        for outside in [(340.0, 15.0), (590.0, 25.0), (50.0, 15.0), (200.0, 31.0)] {
            let at = Vec2::new(outside.0, outside.1);
            assert_eq!(band.at(&axis, at), None, "{outside:?}");
        }
    }

    #[test]
    fn what_is_out_of_sight_is_not_drawn_and_the_chosen_call_is_outlined() {
        let (band, mut axis) = band();
        axis.set_range(range(550, 950));
        let mut sheet = Sheet::default();
        band.draw(&mut sheet, &axis, |_| [1.0; 4]);
        assert_eq!(sheet.fills.len(), 2);
        let inside = |rect: &Rect| rect.min.x >= 100.0 && rect.max.x <= 600.0;
        assert!(sheet.fills.iter().all(|fill| inside(&fill.rect)));
        let mut selection = Selection::default();
        let ink = Ink::of(callscape_model::theme::Theme::Light);
        band.mark(&mut sheet, &axis, &selection, &ink, 1.0);
        assert!(sheet.marks.is_empty());
        selection.chosen.call = Some(CallOf {
            thread: ThreadId(0),
            call: CallId(4),
        });
        band.mark(&mut sheet, &axis, &selection, &ink, 1.0);
        assert_eq!(sheet.marks.len(), 4, "the sides of one");
    }

    #[test]
    fn without_a_band_there_is_no_room_for_it() {
        let (mut shown, _) = band();
        assert_eq!(shown.height(1000.0, 1.0), 20.0);
        assert_eq!(shown.height(50.0, 1.0), 10.0, "a fifth of a low view");
        assert!(shown.take(None) && !shown.take(None));
        assert_eq!(shown.height(1000.0, 1.0), 0.0);
    }
}
