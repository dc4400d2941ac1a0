//! The time axis: where a time lies along x, zooming and panning to single nanoseconds, and round times to
//! write along it.

use std::fmt::Write;

use glam::Vec2;

use super::geometry::Color;
use super::labels::text;
use super::sheet::{Fill, Rect, Sheet, TextRun};
use callscape_base::units::{Time, TimeRange};
use callscape_facts::trace::Columns;

/// What is seen of time is at least so long, in nanoseconds.
const SHORTEST: f64 = 4.0;

/// A stretch of time laid from `left` over `width` pixels.
///
/// Above one nanosecond a pixel what is shown begins and ends at whole nanoseconds, so that every pixel column
/// is a column of [`Columns`]; closer it moves by fractions of a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeAxis {
    left: f32,
    width: f32,
    /// What can be seen: the recording from its first to its last event.
    limits: TimeRange,
    /// The first visible moment: nanoseconds, and 0 to 1 nanoseconds more.
    start: u64,
    part: f64,
    /// Nanoseconds from the first to the last visible moment.
    length: f64,
}

impl TimeAxis {
    /// All of `limits`, in no place yet.
    pub fn new(limits: TimeRange) -> TimeAxis {
        let mut axis = TimeAxis {
            left: 0.0,
            width: 1.0,
            limits,
            start: 0,
            part: 0.0,
            length: 0.0,
        };
        axis.set_range(limits);
        axis
    }

    /// Lays it from `left` over `width` pixels.
    pub fn place(&mut self, left: f32, width: f32) {
        let width = width.round().max(1.0);
        if (self.left, self.width) != (left, width) {
            (self.left, self.width) = (left, width);
            self.clamp();
        }
    }

    pub fn left(&self) -> f32 {
        self.left
    }

    pub fn width(&self) -> f32 {
        self.width
    }

    pub fn limits(&self) -> TimeRange {
        self.limits
    }

    /// Nanoseconds of one pixel.
    pub fn ns_per_pixel(&self) -> f64 {
        self.length / f64::from(self.width)
    }

    /// The first moment shown, as nanoseconds and a fraction, and the length.
    fn shown(&self) -> (u64, f64, f64) {
        if self.length < f64::from(self.width) {
            return (self.start, self.part, self.length);
        }
        // Columns are pixels.
        let length = self.length.round();
        let start = self.start.saturating_add(u64::from(self.part >= 0.5));
        let latest = self.limits.end.ns().saturating_sub(length as u64);
        (start.min(latest.max(self.limits.start.ns())), 0.0, length)
    }

    /// The visible range, rounded outwards to whole nanoseconds.
    pub fn range(&self) -> TimeRange {
        let (start, part, length) = self.shown();
        let end = (part + length).ceil() as u64;
        TimeRange {
            start: Time::from_ns(start),
            end: Time::from_ns(start.saturating_add(end)),
        }
    }

    /// Shows `range`, as far as it can be shown.
    pub fn set_range(&mut self, range: TimeRange) {
        let length = range.length().ns() as f64;
        let missing = (SHORTEST - length).max(0.0) as u64;
        self.start = range.start.ns().saturating_sub(missing / 2);
        self.part = 0.0;
        self.length = length;
        self.clamp();
    }

    /// Moves and shortens what is shown into the limits.
    fn clamp(&mut self) {
        let longest = (self.limits.length().ns() as f64).max(SHORTEST);
        self.length = self.length.clamp(SHORTEST, longest);
        let whole = self.length.ceil();
        let latest = self.limits.end.ns().saturating_sub(whole as u64);
        if (self.start, self.part) > (latest, whole - self.length) {
            (self.start, self.part) = (latest, whole - self.length);
        }
        if self.start < self.limits.start.ns() {
            (self.start, self.part) = (self.limits.start.ns(), 0.0);
        }
    }

    /// Where `time` lies, in pixels; may be far outside.
    pub fn x_of(&self, time: Time) -> f32 {
        let (start, part, length) = self.shown();
        let offset = (i128::from(time.ns()) - i128::from(start)) as f64 - part;
        self.left + (offset / length * f64::from(self.width)) as f32
    }

    /// As [`x_of`](Self::x_of), moved to the nearer edge where it is outside.
    pub fn x_within(&self, time: Time) -> f32 {
        self.x_of(time).clamp(self.left, self.left + self.width)
    }

    /// The nanosecond that `x` lies in, within the limits.
    pub fn time_at(&self, x: f32) -> Time {
        let (start, part, length) = self.shown();
        let offset = f64::from(x - self.left) / f64::from(self.width) * length;
        let ns = i128::from(start) + (part + offset).floor() as i128;
        let ns = ns.clamp(0, i128::from(u64::MAX)) as u64;
        Time::from_ns(ns).clamp(self.limits.start, self.limits.end)
    }

    /// Shows `factor` times as much detail, the time at `x` staying where it is.
    pub fn zoom(&mut self, x: f32, factor: f32) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let longest = (self.limits.length().ns() as f64).max(SHORTEST);
        let length = (self.length / f64::from(factor)).clamp(SHORTEST, longest);
        let share = (f64::from(x - self.left) / f64::from(self.width)).clamp(0.0, 1.0);
        let moved = self.part + share * (self.length - length);
        self.length = length;
        self.shift(moved);
    }

    /// Moves what is shown by `dx` pixels: to the right, earlier times come in from the left.
    pub fn pan(&mut self, dx: f32) {
        if dx.is_finite() {
            self.shift(self.part - f64::from(dx) * self.ns_per_pixel());
        }
    }

    /// Moves the first visible moment to `offset` nanoseconds after the whole nanosecond it is in.
    fn shift(&mut self, offset: f64) {
        let whole = offset.floor();
        let start = i128::from(self.start) + whole as i128;
        if start < 0 {
            (self.start, self.part) = (0, 0.0);
        } else {
            self.start = u64::try_from(start).unwrap_or(u64::MAX);
            self.part = offset - whole;
        }
        self.clamp();
    }

    /// The visible time cut into columns, a pixel each or, closer, a nanosecond each; and where they begin
    /// and end along x.
    pub fn columns(&self) -> (Columns, [f32; 2]) {
        let range = self.range();
        if self.length >= f64::from(self.width) {
            let edges = [self.left, self.left + self.width];
            (Columns::new(range, self.width as u32), edges)
        } else {
            let columns = Columns::new(range, u32::MAX);
            (columns, [self.x_of(range.start), self.x_of(range.end)])
        }
    }

    /// Round times at least `spacing` pixels apart.
    pub fn ticks(&self, spacing: f32) -> Ticks {
        let least = self.ns_per_pixel() * f64::from(spacing.max(1.0));
        Ticks::new(self.range(), round_step(least))
    }

    /// Round times, as far apart as letters of `em` pixels need, that lie within `rect`: each with its x.
    fn ticks_within(&self, rect: Rect, em: f32) -> impl Iterator<Item = (Time, f32)> {
        let axis = *self;
        let ticks = self
            .ticks(em * 8.5)
            .map(move |time| (time, axis.x_of(time).round()));
        ticks.filter(move |&(_, x)| rect.min.x <= x && x <= rect.max.x)
    }

    /// Draws thin lines through `rect` at round times. `em` is the height of letters in pixels.
    pub fn draw_grid(&self, sheet: &mut Sheet, rect: Rect, em: f32, color: Color) {
        let line = (em / 11.0).round().max(1.0);
        for (_, x) in self.ticks_within(rect, em) {
            let rect = Rect::new(Vec2::new(x, rect.min.y), Vec2::new(x + line, rect.max.y));
            sheet.fills.push(Fill { rect, color });
        }
    }

    /// Draws a line and round times along the upper edge of `rect`. `em` is the height of letters in pixels.
    pub fn draw(&self, sheet: &mut Sheet, rect: Rect, em: f32, colors: AxisColors) {
        let line = (em / 11.0).round().max(1.0);
        let ticks = self.ticks(em * 8.5);
        let edge = Vec2::new(rect.max.x, rect.min.y + line);
        sheet.fills.push(Fill {
            rect: Rect::new(rect.min, edge),
            color: colors.line,
        });
        let middle = rect.min.y + line + (rect.size().y - line) * 0.5;
        let mut free = rect.min.x;
        if let Some(origin) = ticks.origin() {
            let at = Vec2::new(rect.min.x, middle);
            let write = |letters: &mut String| ticks.write_origin(origin, letters);
            let clip = Rect::new(rect.min, rect.max);
            free = write_within(sheet, at, clip, em, colors.strong, write).unwrap_or(free) + em;
        }
        for (time, x) in self.ticks_within(rect, em) {
            let tick = Vec2::new(x + line, rect.min.y + em * 0.45);
            sheet.fills.push(Fill {
                rect: Rect::new(Vec2::new(x, rect.min.y), tick),
                color: colors.line,
            });
            let at = Vec2::new(x + em * 0.35, middle);
            if at.x >= free {
                let write = |letters: &mut String| ticks.write(time, letters);
                write_within(sheet, at, rect, em, colors.text, write);
            }
        }
    }
}

/// Writes what `write` gives from `at` on where it fits into `clip`: gives back where it ends.
pub fn write_within(
    sheet: &mut Sheet,
    at: Vec2,
    clip: Rect,
    em: f32,
    color: Color,
    write: impl FnOnce(&mut String),
) -> Option<f32> {
    let start = sheet.letters.len();
    write(&mut sheet.letters);
    let end = at.x + text::width(&sheet.letters[start..]) * em;
    if end > clip.max.x {
        sheet.letters.truncate(start);
        return None;
    }
    sheet.texts.push(TextRun {
        letters: start as u32..sheet.letters.len() as u32,
        at,
        em,
        color,
        clip,
    });
    Some(end)
}

/// The colours of an axis.
#[derive(Clone, Copy, Debug)]
pub struct AxisColors {
    pub line: Color,
    pub text: Color,
    /// Of the time that ticks count from.
    pub strong: Color,
}

const SECOND: u64 = 1_000_000_000;

/// Round numbers of seconds past ten of them.
const LONG_STEPS: [u64; 15] = [
    10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18_000, 36_000, 86_400, 172_800,
];

/// The shortest round step of at least `least` nanoseconds.
fn round_step(least: f64) -> u64 {
    let mut decade = 1;
    while decade < 10 * SECOND {
        for step in [decade, 2 * decade, 5 * decade] {
            if step as f64 >= least && step < 10 * SECOND {
                return step;
            }
        }
        decade *= 10;
    }
    let long = LONG_STEPS.into_iter().map(|step| step * SECOND);
    let fits = |step: &u64| *step as f64 >= least;
    long.into_iter().find(fits).unwrap_or_else(|| {
        let mut step = 500_000 * SECOND;
        while (step as f64) < least && step < u64::MAX / 10 {
            step *= 2;
        }
        step
    })
}

/// Round times in a range, in order.
#[derive(Clone, Debug)]
pub struct Ticks {
    step: u64,
    next: u64,
    end: u64,
    /// Nanoseconds and name of the unit that they are written in.
    unit: (u64, &'static str),
    /// What they count from, where whole times would be long; a multiple of `far`.
    origin: Option<u64>,
    far: u64,
}

/// A tick is written with so many steps at most.
const MOST_STEPS: u64 = 100_000;

impl Ticks {
    fn new(range: TimeRange, step: u64) -> Ticks {
        let (start, end) = (range.start.ns(), range.end.ns());
        let mut far = step;
        while far < (end - start).saturating_mul(5) {
            far = far.saturating_mul(10);
        }
        // A power of ten, so that what is written in front is short.
        far = 10u64.saturating_pow((far - 1).max(1).ilog10() + 1);
        let origin = (end / step > MOST_STEPS).then(|| start / far * far);
        let largest = origin.map_or(end, |_| step.saturating_mul(9));
        let unit = match largest {
            0..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "µs"),
            1_000_000..SECOND => (1_000_000, "ms"),
            _ if step.is_multiple_of(3600 * SECOND) => (3600 * SECOND, "h"),
            _ if step.is_multiple_of(60 * SECOND) => (60 * SECOND, "min"),
            _ => (SECOND, "s"),
        };
        Ticks {
            step,
            next: start.div_ceil(step).saturating_mul(step),
            end,
            unit,
            origin,
            far,
        }
    }

    /// The time that the ticks count from; none where they count from the recording's first event.
    pub fn origin(&self) -> Option<Time> {
        self.origin.map(Time::from_ns)
    }

    /// Appends a tick's time: `12.5 ms`, `+40 ns` from the origin.
    pub fn write(&self, time: Time, out: &mut String) {
        let sign = if self.origin.is_some() { "+" } else { "" };
        let ns = time.ns() - self.origin.unwrap_or(0).min(time.ns());
        out.push_str(sign);
        write_amount(ns, self.unit, self.step, out);
    }

    /// Appends the time that the ticks count from, in full.
    pub fn write_origin(&self, origin: Time, out: &mut String) {
        let unit = match origin.ns() {
            0..1_000_000 => (1_000, "µs"),
            1_000_000..SECOND => (1_000_000, "ms"),
            _ => (SECOND, "s"),
        };
        write_amount(origin.ns(), unit, self.far, out);
    }
}

impl Iterator for Ticks {
    type Item = Time;

    fn next(&mut self) -> Option<Time> {
        let time = self.next;
        let is_in = time <= self.end;
        // Past the largest time there is none.
        self.next = time.saturating_add(self.step);
        if self.next == u64::MAX {
            self.end = 0;
        }
        is_in.then(|| Time::from_ns(time))
    }
}

/// Appends `ns` in `unit` with as many decimals as multiples of `step` have.
fn write_amount(ns: u64, (unit, name): (u64, &str), step: u64, out: &mut String) {
    let mut decimals = 0;
    let mut scale = 1u128;
    while decimals < 9 && !(u128::from(step) * scale).is_multiple_of(u128::from(unit)) {
        decimals += 1;
        scale *= 10;
    }
    let part = u128::from(ns % unit) * scale / u128::from(unit);
    // Writing to a string does not fail.
    let _ = match decimals {
        0 => write!(out, "{} {name}", ns / unit),
        _ => write!(out, "{}.{part:0decimals$} {name}", ns / unit),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> TimeRange {
        TimeRange::new(Time::from_ns(start), Time::from_ns(end))
    }

    fn labels(range: TimeRange, width: f32) -> Vec<String> {
        let mut axis = TimeAxis::new(range);
        axis.place(0.0, width);
        let ticks = axis.ticks(100.0);
        let written = ticks.clone().map(|time| {
            let mut text = String::new();
            ticks.write(time, &mut text);
            text
        });
        written.collect()
    }

    #[test]
    fn ticks_are_round_and_say_their_unit() {
        assert_eq!(
            labels(range(0, 81_206_275), 500.0),
            ["0 ms", "20 ms", "40 ms", "60 ms", "80 ms"]
        );
        assert_eq!(labels(range(0, 4), 300.0), ["0 ns", "2 ns", "4 ns"]);
        assert_eq!(
            labels(range(0, 24_000 * SECOND), 500.0),
            ["0 h", "2 h", "4 h", "6 h"]
        );
        assert_eq!(
            labels(range(1_000_000_000, 1_000_500_000), 300.0),
            ["1.0000 s", "1.0002 s", "1.0004 s"]
        );
        let deep = range(12_345_678_900, 12_345_679_000);
        assert_eq!(labels(deep, 300.0), ["+900 ns", "+950 ns", "+1000 ns"]);
        let mut axis = TimeAxis::new(deep);
        axis.place(0.0, 300.0);
        let ticks = axis.ticks(100.0);
        let mut origin = String::new();
        ticks.write_origin(ticks.origin().expect("far from the start"), &mut origin);
        assert_eq!(origin, "12.345678 s");
    }

    #[test]
    fn the_time_under_the_pointer_stays_while_zooming_in_and_out() {
        let mut axis = TimeAxis::new(range(0, 1_000_000_000_000));
        axis.place(100.0, 800.0);
        let x = 357.0;
        let before = axis.time_at(x);
        for _ in 0..200 {
            axis.zoom(x, 1.25);
            let drift = axis.x_of(before) - x;
            let pixel = (1.0 / axis.ns_per_pixel()) as f32;
            assert!(drift.abs() <= pixel + 1.0, "{drift} at {:?}", axis.range());
        }
        assert!(axis.range().length().ns() <= 6, "{:?}", axis.range());
        for _ in 0..200 {
            axis.zoom(x, 0.8);
        }
        assert_eq!(axis.range(), range(0, 1_000_000_000_000));
    }

    #[test]
    fn what_is_shown_stays_within_the_recording() {
        for (start, end) in [(0, 0), (0, 3), (0, 100_000), (5, u64::MAX)] {
            let limits = range(start, end);
            let mut axis = TimeAxis::new(limits);
            axis.place(0.0, 640.0);
            for (x, factor) in [
                (640.0, 40.0),
                (0.0, 0.3),
                (320.0, 1e9),
                (9.0, 0.0),
                (1.0, f32::NAN),
            ] {
                axis.zoom(x, factor);
                for dx in [-1e9, 1e9, 0.25, -0.25, f32::INFINITY] {
                    axis.pan(dx);
                    let shown = axis.range();
                    assert!(shown.start >= limits.start, "{shown:?} of {limits:?}");
                    let slack = limits.start.ns().saturating_add(SHORTEST as u64);
                    assert!(shown.end.ns() <= end.max(slack), "{shown:?} of {limits:?}");
                    assert!(axis.columns().0.count() <= 640);
                    assert!(limits.contains(axis.time_at(320.0)));
                }
            }
        }
    }

    #[test]
    fn slow_panning_is_not_lost() {
        let mut axis = TimeAxis::new(range(0, 100_000));
        axis.place(0.0, 1000.0);
        axis.set_range(range(50_000, 60_000));
        for _ in 0..100 {
            axis.pan(-0.01);
        }
        assert_eq!(axis.range().start.ns(), 50_010);
        axis.set_range(range(50_000, 50_010));
        for _ in 0..100 {
            axis.pan(-1.0);
        }
        assert_eq!(axis.range().start.ns(), 50_001);
    }

    #[test]
    fn columns_are_pixels_or_nanoseconds() {
        let mut axis = TimeAxis::new(range(0, 100_000));
        axis.place(10.0, 1000.0);
        let (columns, edges) = axis.columns();
        assert_eq!((columns.count(), edges), (1000, [10.0, 1010.0]));
        axis.set_range(range(500, 520));
        let (columns, edges) = axis.columns();
        assert_eq!((columns.count(), edges), (20, [10.0, 1010.0]));
        axis.pan(-25.0);
        let (columns, edges) = axis.columns();
        assert_eq!((columns.count(), edges), (21, [-15.0, 1035.0]));
    }
}
