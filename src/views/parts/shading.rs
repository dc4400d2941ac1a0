//! The cells of an overview along time: how dark each is for how much of its column is covered.

use callscape_facts::trace::{Columns, Coverage};

/// How dark a cell is when its row is on the stack all the time and never on top.
pub(crate) const ON_STACK: f32 = 0.32;

/// The shade of a share of a column: small shares are seen, and equal factors look alike.
pub(crate) fn shade_of(share: f32) -> f32 {
    share.clamp(0.0, 1.0).sqrt()
}

/// Turns coverage into pixels, and keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Shader {
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
    pub(crate) fn shade(
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
            // A row's cells stand together, those of a line too.
            let (mut end, mut row) = (1, first.row);
            while let Some(cell) = rest.get(end) {
                if cell.row != row {
                    if line_of(cell.row) != line {
                        break;
                    }
                    row = cell.row;
                }
                end += 1;
            }
            let (cells, behind) = rest.split_at(end);
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
