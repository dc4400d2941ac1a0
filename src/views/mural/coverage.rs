//! The mural's cells: what covers them, and their shades.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::Lines;
use super::profile::Profile;
use crate::facts::trace::{Columns, Coverage, Thread, Trace, Without};
use crate::filter::filters::FilterRules;
use crate::filter::selection::CallOf;
use crate::layout::axis::TimeAxis;

/// Windows of up to so many calls are measured within a frame, larger ones beside the frames.
const AT_ONCE: u64 = 60_000;

/// Of a larger window a frame measures so many columns of all its threads together, to be shown meanwhile.
const COARSE: u32 = 64;
const FEWEST: u32 = 4;

/// A picture whose columns are up to so many times as wide as those wanted is still better than a coarse one.
const STRETCHED: f64 = 16.0;

/// What is to be measured.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub trace: &'a Trace,
    pub axis: TimeAxis,
    pub lines: Lines,
    /// By function its row, of `rows`.
    pub seen_rows: &'a [u32],
    pub rows: u32,
    /// No row has several functions.
    pub rows_are_functions: bool,
    pub rules: &'a FilterRules,
    /// Of the curves along time.
    pub bars: u32,
}

impl Wanted<'_> {
    fn threads(&self) -> u32 {
        let range = self.axis.range();
        let runs =
            |info: &&Thread| info.calls > 0 && info.start <= range.end && range.start <= info.end;
        let threads = self.trace.threads().iter().filter(runs);
        threads.count().max(1) as u32
    }

    fn calls(&self) -> u64 {
        let range = self.axis.range();
        let calls = self.trace.thread_ids().map(|thread| {
            let times = [range.start, range.end];
            let [before, after] = times.map(|time| self.trace.started(thread, time));
            u64::from(after.saturating_sub(before))
        });
        calls.sum()
    }

    /// Measures so many columns and bars, into memory that was used before.
    fn measure(&self, columns: Columns, bars: u32, mut coverage: Vec<Coverage>) -> Covered {
        let (trace, rules) = (self.trace, self.rules);
        if rules.is_empty() {
            trace.coverage(columns, self.seen_rows, self.rows, &mut coverage);
        } else {
            let without = Without {
                hides: &|thread| rules.hides(thread),
                removes: &|function| rules.removes(function),
                cuts_below: &|function, thread, call| {
                    rules.cuts_below(function, CallOf { thread, call })
                },
            };
            let (rows, seen) = (self.rows, self.seen_rows);
            trace.coverage_without(columns, seen, rows, &without, &mut coverage);
        }
        let knows_depths = trace.knows_depths();
        let mut profile = Profile::default();
        profile.measure(trace, Columns::new(self.axis.range(), bars), rules);
        Covered {
            axis: self.axis,
            lines: self.lines,
            columns,
            coverage,
            profile,
            knows_depths,
            is_exact: columns.count() == self.axis.columns().0.count(),
        }
    }
}

/// What the cells of a window are covered with.
#[derive(Debug)]
pub(super) struct Covered {
    pub axis: TimeAxis,
    pub lines: Lines,
    pub columns: Columns,
    /// In order of row, then column.
    pub coverage: Vec<Coverage>,
    pub profile: Profile,
    knows_depths: bool,
    /// A column for each pixel, not fewer.
    is_exact: bool,
}

impl Covered {
    fn is_for(&self, wanted: &Wanted<'_>) -> bool {
        (&self.axis, &self.lines) == (&wanted.axis, &wanted.lines)
            && self.is_exact
            && self.knows_depths == wanted.trace.knows_depths()
    }

    /// Whether it shows all of a window, and with some detail.
    fn serves(&self, wanted: &Wanted<'_>) -> bool {
        let [own, range] = [self.axis.range(), wanted.axis.range()];
        let column = own.length().ns() as f64 / f64::from(self.columns.count().max(1));
        own.start <= range.start
            && range.end <= own.end
            && column <= STRETCHED * wanted.axis.ns_per_pixel()
    }
}

/// Measures windows. While a large one is measured on a thread of its own, what was measured before stays to
/// be drawn where it belongs, or fewer columns are where that would show nothing.
#[derive(Debug, Default)]
pub(super) struct Measuring {
    covered: Option<Covered>,
    running: Option<Receiver<Covered>>,
}

impl Measuring {
    /// What has been measured last.
    pub fn covered(&self) -> Option<&Covered> {
        self.covered.as_ref()
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub fn forget(&mut self) {
        (self.covered, self.running) = (None, None);
    }

    /// Takes what has been measured meanwhile. Whether there is something new.
    pub fn take(&mut self) -> bool {
        let Some(running) = &self.running else {
            return false;
        };
        match running.try_recv() {
            Ok(covered) => self.covered = Some(covered),
            Err(TryRecvError::Empty) => return false,
            // Nothing comes any more: it is measured again.
            Err(TryRecvError::Disconnected) => {}
        }
        self.running = None;
        true
    }

    /// Sees to it that a window is measured.
    pub fn measure(&mut self, wanted: &Wanted<'_>) {
        if self.covered.as_ref().is_some_and(|it| it.is_for(wanted)) {
            return;
        }
        let columns = wanted.axis.columns().0;
        if wanted.calls() <= AT_ONCE {
            self.running = None;
            let known = self.covered.take().map(|known| known.coverage);
            let memory = known.unwrap_or_default();
            self.covered = Some(wanted.measure(columns, wanted.bars, memory));
            return;
        }
        // Where calls have to be gone through one by one, fewer columns are no less work.
        let is_cheap = wanted.rules.is_empty() && wanted.rows_are_functions;
        if is_cheap && !self.covered.as_ref().is_some_and(|it| it.serves(wanted)) {
            let few = (COARSE / wanted.threads()).clamp(FEWEST, columns.count().max(1));
            let coarse = Columns::new(wanted.axis.range(), few);
            self.covered = Some(wanted.measure(coarse, few.min(wanted.bars), Vec::new()));
        }
        if self.running.is_none() {
            let (sender, receiver) = channel();
            let trace = wanted.trace.clone();
            let (seen_rows, rules) = (wanted.seen_rows.to_vec(), wanted.rules.clone());
            let (axis, lines, rows, bars) = (wanted.axis, wanted.lines, wanted.rows, wanted.bars);
            let rows_are_functions = wanted.rows_are_functions;
            std::thread::spawn(move || {
                let wanted = Wanted {
                    trace: &trace,
                    axis,
                    lines,
                    seen_rows: &seen_rows,
                    rows,
                    rows_are_functions,
                    rules: &rules,
                    bars,
                };
                // Nobody waits for it any more when the view is gone.
                let _ = sender.send(wanted.measure(columns, bars, Vec::new()));
            });
            self.running = Some(receiver);
        }
    }
}

/// How dark a cell is when its row is on the stack all the time and never on top.
pub const ON_STACK: f32 = 0.32;

/// The shade of a share of a column: small shares are seen, and equal factors look alike.
pub fn shade_of(share: f32) -> f32 {
    share.clamp(0.0, 1.0).sqrt()
}

/// Turns coverage into pixels, and keeps its memory.
#[derive(Debug, Default)]
pub struct Shader {
    /// By column: one by its length in nanoseconds.
    scales: Vec<f32>,
    /// By column of one line: nanoseconds open and on top.
    line: Vec<[f32; 2]>,
    touched: Vec<u32>,
}

impl Shader {
    /// Makes the pixels of the cells. `line_of` gives the line of a row and does not fall; what rows of one
    /// line cover adds up, to all of the column at most. The colour is that of the line, `colors`; alpha is
    /// the shade of the share in which it is on top and, lighter, on a stack.
    pub fn shade(
        &mut self,
        columns: Columns,
        coverage: &[Coverage],
        line_of: impl Fn(u32) -> u32,
        colors: &[[u8; 3]],
        pixels: &mut Vec<[u8; 4]>,
    ) {
        let count = columns.count();
        pixels.clear();
        pixels.resize(count as usize * colors.len(), [0; 4]);
        self.scales.clear();
        self.scales.extend((0..count).map(|k| {
            let length = columns.start(k + 1).since(columns.start(k)).ns();
            1.0 / length.max(1) as f32
        }));
        self.line.clear();
        self.line.resize(count as usize, [0.0; 2]);
        let mut rest = coverage;
        while let Some(first) = rest.first() {
            let line = line_of(first.row);
            let is_of_line = |cell: &Coverage| line_of(cell.row) == line;
            // Most rows have a line of their own, and a row's cells stand together.
            let end = rest.partition_point(is_of_line);
            let (cells, behind) = rest.split_at(end.max(1));
            rest = behind;
            let Some(&[r, g, b]) = colors.get(line as usize) else {
                continue;
            };
            self.touched.clear();
            for cell in cells {
                let Some([open, top]) = self.line.get_mut(cell.column as usize) else {
                    continue;
                };
                if *open == 0.0 {
                    self.touched.push(cell.column);
                }
                *open += cell.open.ns() as f32;
                *top += cell.top.ns() as f32;
            }
            let start = line as usize * count as usize;
            for &column in &self.touched {
                let [open, top] = std::mem::take(&mut self.line[column as usize]);
                let scale = self.scales[column as usize];
                let alpha =
                    ON_STACK * shade_of(open * scale) + (1.0 - ON_STACK) * shade_of(top * scale);
                // Whatever is there at all is seen.
                pixels[start + column as usize] = [r, g, b, (alpha * 255.0).ceil() as u8];
            }
        }
    }
}
