//! How much goes on along time: calls, and how deep they nest.

use std::fmt::Write;

use glam::Vec2;

use super::super::ink::Ink;
use crate::facts::trace::{Columns, Flame, Thread, Trace};
use crate::layout::axis::{TimeAxis, write_within};
use crate::layout::sheet::{Fill, Rect, Sheet};
use crate::units::Cost;

/// A bar of the curves is so wide, in letters.
const BAR: f32 = 0.3;

/// By bar.
#[derive(Debug, Default)]
pub struct Profile {
    columns: Option<Columns>,
    /// Calls that start, of all threads.
    calls: Vec<u64>,
    /// Calls that are open, on average, summed over threads.
    open: Vec<f32>,
    is_counted: bool,
    /// By thread.
    flames: Vec<Flame>,
}

impl Profile {
    /// Counts what happens in the visible time, exactly.
    pub fn measure(&mut self, trace: &Trace, axis: &TimeAxis, em: f32) {
        let bars = (axis.width() / (em * BAR).max(1.0)).ceil() as u32;
        let columns = Columns::new(axis.range(), bars.max(1));
        self.columns = Some(columns);
        self.calls.clear();
        self.calls.resize(columns.count() as usize, 0);
        self.open.clear();
        self.open.resize(columns.count() as usize, 0.0);
        self.is_counted = true;
        self.flames
            .resize_with(trace.threads().len(), Flame::default);
        let range = axis.range();
        let runs = |info: &Thread| info.start <= range.end && range.start <= info.end;
        let infos = trace.threads().iter();
        let flames = trace.thread_ids().zip(infos).zip(&mut self.flames);
        let running = flames.filter(|((_, info), _)| info.calls > 0 && runs(info));
        let mut running: Vec<_> = running
            .map(|((thread, _), flame)| (thread, flame))
            .collect();
        // Not on all cores: those are busy where the cells are measured.
        for (thread, flame) in &mut running {
            trace.flame_sum(*thread, columns, flame);
        }
        for (_, flame) in running {
            self.is_counted &= flame.is_counted;
            for (k, cell) in flame.cells.iter().enumerate() {
                self.calls[k] += u64::from(cell.started);
                self.open[k] += cell.open.ns() as f32;
            }
        }
        for (k, open) in self.open.iter_mut().enumerate() {
            let length = columns.start(k as u32 + 1).since(columns.start(k as u32));
            *open /= length.ns().max(1) as f32;
        }
    }
}

impl Profile {
    /// Draws both curves over `rect`, one below the other, their names and largest values over `names`.
    pub fn draw(
        &self,
        sheet: &mut Sheet,
        axis: &TimeAxis,
        rect: Rect,
        beside: f32,
        em: f32,
        ink: &Ink,
    ) {
        let Some(columns) = self.columns.filter(|_| self.is_counted) else {
            return;
        };
        let height = rect.size().y;
        if height < em {
            return;
        }
        let is_one = height < em * 3.2;
        let gap = (em * 0.25).round();
        let most_calls = self.calls.iter().copied().max().unwrap_or(0);
        let most_open = self.open.iter().copied().fold(0.0, f32::max);
        let lane = |from: f32, to: f32| {
            let top = rect.min.y + (height * from).round() + gap;
            let bottom = rect.min.y + (height * to).round();
            Rect::new(Vec2::new(rect.min.x, top), Vec2::new(rect.max.x, bottom))
        };
        let (first, second) = if is_one {
            (lane(0.0, 1.0), None)
        } else {
            (lane(0.0, 0.5), Some(lane(0.5, 1.0)))
        };
        let share = |value: f32, most: f32| if most > 0.0 { value / most } else { 0.0 };
        let calls = |k: usize| share(self.calls[k] as f32, most_calls as f32);
        curve(sheet, axis, columns, first, calls, ink);
        let column = columns.start(1).since(columns.start(0));
        let line = |sheet: &mut Sheet, lane: Rect, write: &dyn Fn(&mut String)| {
            let clip = Rect::new(Vec2::new(0.0, lane.min.y), Vec2::new(beside, lane.max.y));
            let at = Vec2::new(em * 0.5, (lane.min.y + lane.max.y) * 0.5);
            write_within(sheet, at, clip, em * 0.9, ink.weak, |letters| {
                write(letters)
            });
        };
        line(sheet, first, &|letters| {
            letters.push_str("calls, up to ");
            write_rate(most_calls, column, letters);
        });
        if let Some(second) = second {
            let open = |k: usize| share(self.open[k], most_open);
            curve(sheet, axis, columns, second, open, ink);
            line(sheet, second, &|letters| {
                // Writing to a string does not fail.
                let _ = write!(
                    letters,
                    "open calls, up to {most_open:.*}",
                    usize::from(most_open < 10.0)
                );
            });
        }
    }
}

/// A filled curve of shares, 0 to 1, by column.
fn curve(
    sheet: &mut Sheet,
    axis: &TimeAxis,
    columns: Columns,
    rect: Rect,
    share: impl Fn(usize) -> f32,
    ink: &Ink,
) {
    let height = rect.size().y;
    let count = columns.count();
    let base = Vec2::new(rect.max.x, rect.max.y + 1.0);
    sheet.fills.push(Fill {
        rect: Rect::new(Vec2::new(rect.min.x, rect.max.y), base),
        color: ink.grid,
    });
    let x = |k: u32| axis.x_within(columns.start(k));
    let mut k = 0;
    while k < count {
        let value = share(k as usize);
        let mut end = k + 1;
        // What looks the same is one rectangle.
        while end < count && (share(end as usize) - value).abs() * height < 0.25 {
            end += 1;
        }
        if value > 0.0 {
            let top = rect.max.y - (height * value).max(1.0);
            sheet.fills.push(Fill {
                rect: Rect::new(Vec2::new(x(k), top), Vec2::new(x(end), rect.max.y)),
                color: ink.curve,
            });
        }
        k = end;
    }
}

/// Appends calls in a length of time as calls per second.
fn write_rate(calls: u64, length: Cost, out: &mut String) {
    let rate = calls as f64 / length.seconds().max(1e-9);
    let (value, unit) = match rate {
        0.0..1e3 => (rate, ""),
        1e3..1e6 => (rate * 1e-3, " k"),
        1e6..1e9 => (rate * 1e-6, " M"),
        _ => (rate * 1e-9, " G"),
    };
    let decimals = usize::from(value < 10.0);
    // Writing to a string does not fail.
    let _ = write!(out, "{value:.decimals$}{unit}/s");
}
