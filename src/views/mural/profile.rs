//! How much goes on along time: calls, and how deep they nest.

use std::fmt::Write;

use glam::Vec2;

use callscape_base::units::{Cost, ThreadId, TimeRange};
use callscape_facts::trace::{Columns, Flame, Thread, Trace};
use callscape_filter::filters::FilterRules;
use callscape_filter::selection::CallOf;
use callscape_layout::axis::{TimeAxis, write_within};
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;

/// A bar of the curves is so wide, in letters.
const BAR: f32 = 0.3;

/// The number of bars over a time axis.
pub(super) fn bars(axis: &TimeAxis, em: f32) -> u32 {
    ((axis.width() / (em * BAR).max(1.0)).ceil() as u32).max(1)
}

/// By bar.
#[derive(Debug, Default)]
pub(super) struct Profile {
    columns: Option<Columns>,
    /// Calls that start, of all threads.
    calls: Vec<u64>,
    /// Calls that are open, on average, summed over threads.
    open: Vec<f32>,
    flame: Flame,
}

impl Profile {
    /// Counts what happens in `columns`, without what `rules` leave out: exactly, or where it is near and nothing is
    /// left out with borders up to half a column beside.
    pub(super) fn measure(
        &mut self,
        trace: &Trace,
        columns: Columns,
        is_near: bool,
        rules: &FilterRules,
    ) {
        self.columns = Some(columns);
        self.calls.clear();
        self.calls.resize(columns.count() as usize, 0);
        self.open.clear();
        self.open.resize(columns.count() as usize, 0.0);
        let range = TimeRange::new(columns.start(0), columns.start(columns.count()));
        let runs = |info: &Thread| info.start <= range.end && range.start <= info.end;
        for (thread, info) in trace.thread_ids().zip(trace.threads()) {
            if info.calls == 0 || !runs(info) || rules.hides(thread) {
                continue;
            }
            if rules.leaves_threads_whole() {
                trace.flame_sum(thread, columns, is_near, &mut self.flame);
                for (k, cell) in self.flame.cells.iter().enumerate() {
                    self.calls[k] += u64::from(cell.started);
                    self.open[k] += cell.open.ns() as f32;
                }
            } else {
                self.count_left(trace, thread, columns, rules);
            }
        }
        for (k, open) in self.open.iter_mut().enumerate() {
            let length = columns.start(k as u32 + 1).since(columns.start(k as u32));
            *open /= length.ns().max(1) as f32;
        }
    }

    /// Counts the calls of a thread that are left, one by one.
    fn count_left(
        &mut self,
        trace: &Trace,
        thread: ThreadId,
        columns: Columns,
        rules: &FilterRules,
    ) {
        let count = columns.count();
        let range = TimeRange::new(columns.start(0), columns.start(count));
        // By call around: its depth, and whether what it triggered is left out.
        let mut around: Vec<(u32, bool)> = Vec::new();
        let mut column = 0;
        trace.calls_in(thread, range, u32::MAX, |id, call| {
            while around.pop_if(|(depth, _)| *depth >= call.depth).is_some() {}
            let is_below = around.last().is_some_and(|&(_, is_cut)| is_cut);
            let of = CallOf { thread, call: id };
            around.push((call.depth, is_below || rules.cuts_below(call.function, of)));
            if is_below || rules.removes(call.function) || call.start >= range.end {
                return;
            }
            // Calls come in order of start.
            while column + 1 < count && columns.start(column + 1) <= call.start {
                column += 1;
            }
            if call.start >= range.start {
                self.calls[column as usize] += 1;
            }
            for k in column..count {
                let (from, to) = (columns.start(k), columns.start(k + 1));
                if call.end <= from {
                    break;
                }
                let open = call.end.min(to).since(call.start.max(from));
                self.open[k as usize] += open.ns() as f32;
            }
        });
    }
}

impl Profile {
    /// Draws both curves over `rect`, one below the other, their names and largest values over `names`.
    pub(super) fn draw(
        &self,
        sheet: &mut Sheet,
        axis: &TimeAxis,
        rect: Rect,
        beside: f32,
        em: f32,
        ink: &Ink,
    ) {
        let Some(columns) = self.columns else {
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
            write_within(sheet, at, clip, em * 0.95, ink.weak, |letters| {
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
                let digits = match most_open {
                    many if many >= 10.0 => 0,
                    some if some >= 0.1 => 1,
                    // Samples cover little of a long time.
                    _ => 4,
                };
                // Writing to a string does not fail.
                let _ = write!(letters, "mean open, up to {most_open:.digits$}");
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
