//! The text in miniature: a row of pixels for each line, its layout kept.
//!
//! Source: S. G. Eick, J. L. Steffen, E. E. Sumner Jr., *Seesoft: A Tool for Visualizing Line Oriented Software Statistics*, IEEE
//! Transactions on Software Engineering 18(11), 1992; section 6.4.1 of Bohnet's thesis puts it beside the text.

use egui::{Color32, ColorImage, TextureHandle};

use super::columns::Columns;
use callscape_model::theme::Theme;
use callscape_source::text::SourceText;

/// So many columns of a line are told apart; what lies further right is not seen.
pub(super) const COLUMNS: usize = 120;

/// No more rows are kept, whatever the text: as many pixels as a screen is high.
const MOST_ROWS: u32 = 8192;

/// The text in miniature, and what it was made for.
pub(super) struct Miniature {
    pub(super) key: MiniatureKey,
    pub(super) scale: Scale,
    pub(super) texture: TextureHandle,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) struct MiniatureKey {
    pub(super) revision: u64,
    pub(super) size: [u32; 2],
    pub(super) theme: Theme,
    pub(super) is_beside: bool,
}

impl Miniature {
    pub(super) fn scale(&self) -> Scale {
        self.scale
    }
}

/// Where letters stand in a text: by row and column, the share of its lines that have one there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ink {
    /// How many lines are a row.
    lines_a_row: u32,
    lines: u32,
    rows: Vec<[u8; COLUMNS]>,
}

impl Ink {
    /// O(letters in the first columns of each line).
    pub(super) fn of(text: &SourceText, tab: u32) -> Ink {
        let lines = text.lines();
        let lines_a_row = lines.div_ceil(MOST_ROWS).max(1);
        let mut rows = Vec::with_capacity(lines.div_ceil(lines_a_row) as usize);
        let mut counts = [0_u32; COLUMNS];
        for line in 1..=lines {
            for (column, letter) in Columns::of(text.line(line).unwrap_or_default(), tab) {
                let Some(count) = counts.get_mut(column as usize) else {
                    break;
                };
                *count += u32::from(!letter.is_whitespace());
            }
            if line % lines_a_row == 0 || line == lines {
                let of = (line - 1) % lines_a_row + 1;
                rows.push(counts.map(|count| (count * 255 / of) as u8));
                counts = [0; COLUMNS];
            }
        }
        Ink {
            lines_a_row,
            lines,
            rows,
        }
    }

    /// How much of a column is covered in the lines from `first`, from 1, up to `end`, left out; 0 to 1.
    fn share(&self, first: u32, end: u32, column: usize) -> f32 {
        let row = |line: u32| ((line.max(1) - 1) / self.lines_a_row.max(1)) as usize;
        let rows = self.rows.get(row(first)..=row(end.max(first + 1) - 1));
        let rows = rows.unwrap_or_default();
        let sum: u32 = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|&it| u32::from(it))
            .sum();
        sum as f32 / (255 * rows.len().max(1)) as f32
    }
}

/// Where the lines of a text, or the rows of two beside each other, are in a miniature of some height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// All there are.
    pub rows: u32,
    /// In pixels.
    pub height: u32,
}

impl Scale {
    /// A pixel a row, or several rows a pixel where they do not fit.
    pub(super) fn of(rows: u32, room: u32) -> Scale {
        let height = rows.min(room);
        Scale { rows, height }
    }

    /// How many rows are a pixel, at most.
    pub(super) fn rows_a_pixel(self) -> u32 {
        self.rows.div_ceil(self.height.max(1)).max(1)
    }

    /// The rows of a pixel, from 0: the first, and one past the last.
    pub(super) fn rows_of(self, pixel: u32) -> (u32, u32) {
        let at = |pixel: u32| {
            let rows = u64::from(pixel) * u64::from(self.rows);
            (rows / u64::from(self.height.max(1))) as u32
        };
        let first = at(pixel).min(self.rows);
        (
            first,
            at(pixel + 1).max(first + 1).min(self.rows.max(first)),
        )
    }

    /// Where a row begins, from 0, in pixels.
    pub(super) fn pixel_of(self, row: f64) -> f64 {
        match self.rows {
            0 => 0.0,
            rows => row * f64::from(self.height) / f64::from(rows),
        }
    }

    /// The row at a place in pixels.
    pub(super) fn row_at(self, pixel: f64) -> f64 {
        match self.height {
            0 => 0.0,
            height => (pixel * f64::from(self.rows) / f64::from(height)).max(0.0),
        }
    }
}

/// What a row of pixels looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowLook {
    /// Of the letters.
    pub ink: Color32,
    /// Behind them, as wide as the miniature.
    pub behind: Color32,
}

/// The picture: `line_of` gives the line, from 1, in a row of the text; `look` what lines from the first up to the end, left
/// out, look like. Letters are as wide as `width` pixels leave them.
pub(super) fn picture(
    ink: &Ink,
    scale: Scale,
    width: u32,
    line_of: impl Fn(u32) -> Option<u32>,
    mut look: impl FnMut(u32, u32) -> RowLook,
) -> ColorImage {
    let size = [width as usize, scale.height as usize];
    let mut pixels = vec![Color32::TRANSPARENT; size[0] * size[1]];
    for (pixel, row) in pixels.chunks_exact_mut(size[0].max(1)).enumerate() {
        let (first, end) = scale.rows_of(pixel as u32);
        let lines = (first..end).filter_map(&line_of);
        let Some((first, last)) = lines.fold(None, |found: Option<(u32, u32)>, line| {
            Some(found.map_or((line, line), |(first, _)| (first, line)))
        }) else {
            continue;
        };
        let RowLook { ink: color, behind } = look(first, last + 1);
        for (x, to) in row.iter_mut().enumerate() {
            let column = x * COLUMNS / size[0].max(1);
            let share = ink.share(first, last + 1, column);
            // Few letters are seen too.
            *to = behind.blend(color.gamma_multiply(share.sqrt()));
        }
    }
    ColorImage::new(size, pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> SourceText {
        SourceText::of(text.as_bytes().to_vec()).expect("text")
    }

    const LOOK: RowLook = RowLook {
        ink: Color32::WHITE,
        behind: Color32::TRANSPARENT,
    };

    #[test]
    fn layout_is_kept() {
        let text = text("ab\n\n  c d\n\tx\n");
        let ink = Ink::of(&text, 4);
        let scale = Scale::of(4, 100);
        let picture = picture(
            &ink,
            scale,
            COLUMNS as u32,
            |row| Some(row + 1),
            |_, _| LOOK,
        );
        assert_eq!(picture.size, [COLUMNS, 4]);
        let columns = |line: usize| -> Vec<usize> {
            let row = &picture.pixels[line * COLUMNS..(line + 1) * COLUMNS];
            (0..COLUMNS).filter(|&x| row[x].a() > 0).collect()
        };
        assert_eq!(columns(0), [0, 1]);
        assert!(columns(1).is_empty());
        assert_eq!(columns(2), [2, 4]);
        assert_eq!(columns(3), [4]);
    }

    #[test]
    fn several_lines_a_row_are_as_dark_as_they_are_many() {
        let half = "xxxx\n\n".repeat(1000);
        let ink = Ink::of(&text(&half), 4);
        let scale = Scale::of(2000, 100);
        assert_eq!(scale.rows_a_pixel(), 20);
        let picture = picture(
            &ink,
            scale,
            COLUMNS as u32,
            |row| Some(row + 1),
            |_, _| LOOK,
        );
        for row in picture.pixels.chunks_exact(COLUMNS) {
            let alpha = f32::from(row[0].a()) / 255.0;
            assert!((0.6..0.8).contains(&alpha), "{alpha}");
            assert_eq!(row[4].a(), 0);
        }
    }

    #[test]
    fn every_row_has_a_pixel_and_every_pixel_rows() {
        for rows in [0, 1, 7, 99, 100, 101, 1000, 99_999, 4_000_000] {
            for room in [1, 50, 100, 900] {
                let scale = Scale::of(rows, room);
                assert!(scale.height <= room);
                let mut next = 0;
                for pixel in 0..scale.height {
                    let (first, end) = scale.rows_of(pixel);
                    assert_eq!(first, next, "{rows} rows in {room}");
                    assert!(end > first && end - first <= scale.rows_a_pixel());
                    next = end;
                }
                assert_eq!(next, rows);
            }
        }
        let scale = Scale::of(1000, 100);
        assert_eq!(scale.pixel_of(500.0), 50.0);
        assert_eq!(scale.row_at(50.0), 500.0);
        assert_eq!(Scale::of(0, 100).row_at(3.0), 0.0);
    }

    #[test]
    fn a_text_of_any_length_takes_little_memory() {
        let ink = Ink::of(&text(&"x\n".repeat(100_000)), 4);
        assert!(ink.rows.len() <= MOST_ROWS as usize);
        assert_eq!(ink.lines, 100_000);
        assert_eq!(Ink::of(&text(""), 4).rows.len(), 0);
        assert_eq!(Ink::default().share(1, 2, 0), 0.0);
    }
}
