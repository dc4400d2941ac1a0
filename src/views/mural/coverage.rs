//! The mural's cells: what covers them, and their shades.

use std::sync::mpsc::{Receiver, channel};

use super::Lines;
use crate::facts::trace::{Columns, Coverage, Trace};
use crate::layout::axis::TimeAxis;

/// Windows of up to so many calls are measured within a frame, larger ones beside the frames.
const AT_ONCE: u64 = 200_000;

/// What the cells of a window are covered with.
#[derive(Clone, Debug)]
pub(super) struct Covered {
    pub axis: TimeAxis,
    pub lines: Lines,
    /// In order of row, then column.
    pub coverage: Vec<Coverage>,
}

/// Measures windows. While a large one is measured on a thread of its own, what was measured before stays to
/// be drawn where it belongs.
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
            Err(std::sync::mpsc::TryRecvError::Empty) => return false,
            // Nothing comes any more: it is measured again.
            Err(std::sync::mpsc::TryRecvError::Disconnected) => {}
        }
        self.running = None;
        true
    }

    /// Sees to it that a window is measured; `seen_rows` gives the row by function, of `rows`.
    pub fn measure(
        &mut self,
        trace: &Trace,
        axis: &TimeAxis,
        lines: &Lines,
        seen_rows: &[u32],
        rows: u32,
    ) {
        let is_for = |covered: &Covered| (&covered.axis, &covered.lines) == (axis, lines);
        if self.covered.as_ref().is_some_and(is_for) {
            return;
        }
        let range = axis.range();
        let calls = trace.thread_ids().map(|thread| {
            let [before, after] = [range.start, range.end].map(|time| trace.started(thread, time));
            u64::from(after.saturating_sub(before))
        });
        let columns = axis.columns().0;
        let mut covered = Covered {
            axis: *axis,
            lines: *lines,
            coverage: Vec::new(),
        };
        if calls.sum::<u64>() <= AT_ONCE {
            self.running = None;
            if let Some(known) = self.covered.take() {
                // Its memory is used again.
                covered.coverage = known.coverage;
            }
            trace.coverage(columns, seen_rows, rows, &mut covered.coverage);
            self.covered = Some(covered);
        } else if self.running.is_none() {
            let (sender, receiver) = channel();
            let (trace, seen_rows) = (trace.clone(), seen_rows.to_vec());
            std::thread::spawn(move || {
                trace.coverage(columns, &seen_rows, rows, &mut covered.coverage);
                // Nobody waits for it any more when the view is gone.
                let _ = sender.send(covered);
            });
            self.running = Some(receiver);
        }
    }
}

/// How dark a cell is when its row is on the stack all the time and never on top.
const ON_STACK: f32 = 0.32;

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
