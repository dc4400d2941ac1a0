//! Squarified tiling: Bruls, Huizing, van Wijk, "Squarified Treemaps", 2000.

use super::rect::{Rect, smaller};

/// Divides `rect` among `weights`, which are positive and stand in falling order: rectangles of areas
/// proportional to the weights, as square as a row by row filling makes them. The heaviest comes to lie
/// in the south-west. `place` gets the place in `weights` and the rectangle. O(n).
///
/// A row of total weight *r* along a side *s* is *k·r/s* thick, *k* being area by weight; the worst aspect ratio in it
/// is the larger of *s²·h/(k·r²)* of its heaviest and *k·r²/(s²·l)* of its lightest. While the row grows the first
/// falls and the second rises, so it takes the next, *l*, as long as the second with it is no larger than the first
/// without it: as long as *(r·(r + l))² ≤ (s²/k)²·h·l*, which takes no division.
pub(super) fn squarify(weights: &[f32], rect: Rect, mut place: impl FnMut(usize, Rect)) {
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let area_by_weight = rect.width() * rect.height() / total;
    let weight_by_area = area_by_weight.recip();
    let mut free = rect;
    let mut first = 0;
    while let Some(&heaviest) = weights.get(first) {
        let (width, height) = (free.width(), free.height());
        let is_wide = width >= height;
        let side = if is_wide { height } else { width };
        let heaviest = f64::from(heaviest);
        let mut row = heaviest;
        let mut end = first + 1;
        let side_squared = side * side * weight_by_area;
        let limit = side_squared * side_squared * heaviest;
        for &weight in &weights[end..] {
            let weight = f64::from(weight);
            let next = row + weight;
            let product = row * next;
            if product * product > limit * weight {
                break;
            }
            row = next;
            end += 1;
        }
        // The row stands along the shorter side, so that it cuts a strip off the longer one.
        let by_row = (row * side).recip();
        let (from, to) = if is_wide {
            (free.west, free.east)
        } else {
            (free.south, free.north)
        };
        let cut = if end == weights.len() {
            to
        } else {
            smaller(from + row * row * area_by_weight * by_row, to)
        };
        let along = side * side * by_row;
        let (row_from, row_to) = if is_wide {
            (free.south, free.north)
        } else {
            (free.west, free.east)
        };
        let mut before = 0.0;
        let mut edge = row_from;
        for (at, &weight) in (first..end).zip(&weights[first..end]) {
            before += f64::from(weight);
            let next = smaller(row_from + before * along, row_to);
            let next = if at + 1 == end { row_to } else { next };
            // One call for both directions, or it would not be inlined.
            let rect = if is_wide {
                [from, edge, cut, next]
            } else {
                [edge, from, next, cut]
            };
            let [west, south, east, north] = rect;
            place(
                at,
                Rect {
                    west,
                    south,
                    east,
                    north,
                },
            );
            edge = next;
        }
        if is_wide {
            free.west = cut;
        } else {
            free.south = cut;
        }
        first = end;
    }
}
