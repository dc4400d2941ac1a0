//! Squarified tiling: Bruls, Huizing, van Wijk, "Squarified Treemaps", 2000.

use super::Rect;

/// Divides `rect` among `weights`, which are positive and stand in falling order: rectangles of areas
/// proportional to the weights, as square as a row by row filling makes them. The heaviest comes to lie
/// in the south-west. `place` gets the place in `weights` and the rectangle. O(n).
pub fn squarify(weights: &[f32], rect: Rect, mut place: impl FnMut(usize, Rect)) {
    let mut free = rect;
    let mut rest: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let mut first = 0;
    while first < weights.len() {
        let (width, height) = (free.width(), free.height());
        let side = width.min(height);
        // Areas are in units of weight: the side squared, in these units, decides the aspect ratios.
        let side_squared = side / width.max(height).max(f64::MIN_POSITIVE) * rest;
        let heaviest = f64::from(weights[first]);
        let mut row = heaviest;
        let mut end = first + 1;
        let mut worst = worst_aspect(heaviest, heaviest, row, side_squared);
        while end < weights.len() {
            let weight = f64::from(weights[end]);
            let next = worst_aspect(heaviest, weight, row + weight, side_squared);
            if next > worst {
                break;
            }
            worst = next;
            row += weight;
            end += 1;
        }
        let share = if end == weights.len() {
            1.0
        } else {
            row / rest
        };
        // The row stands along the shorter side, so that it cuts a strip off the longer one.
        let strip = if width >= height {
            free.cut_west(share)
        } else {
            free.cut_south(share)
        };
        place_row(
            &weights[first..end],
            row,
            strip,
            width >= height,
            |at, rect| {
                place(first + at, rect);
            },
        );
        rest -= row;
        first = end;
    }
}

/// The worst aspect ratio in a row of total weight `row` along a side.
fn worst_aspect(heaviest: f64, lightest: f64, row: f64, side_squared: f64) -> f64 {
    let row_squared = row * row;
    (side_squared * heaviest / row_squared).max(row_squared / (side_squared * lightest))
}

fn place_row(
    weights: &[f32],
    row: f64,
    strip: Rect,
    northward: bool,
    mut place: impl FnMut(usize, Rect),
) {
    let mut before = 0.0;
    let mut free = strip;
    for (at, &weight) in weights.iter().enumerate() {
        before += f64::from(weight);
        let share = if at + 1 == weights.len() {
            1.0
        } else {
            before / row
        };
        let mut rect = free;
        if northward {
            rect.north = strip.south + strip.height() * share;
            free.south = rect.north;
        } else {
            rect.east = strip.west + strip.width() * share;
            free.west = rect.east;
        }
        place(at, rect);
    }
}
