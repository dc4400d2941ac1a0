//! Slice and dice: Shneiderman, "Tree Visualization with Tree-Maps: 2-d Space-Filling Approach", 1992.

use super::Rect;

/// Divides `rect` among `weights`, which are positive, in their order: slices from west to east when it
/// is wider than high, from south to north else. O(n).
pub(super) fn slice(weights: &[f32], rect: Rect, mut place: impl FnMut(usize, Rect)) {
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let eastward = rect.width() >= rect.height();
    let mut before = 0.0;
    let mut free = rect;
    for (at, &weight) in weights.iter().enumerate() {
        before += f64::from(weight);
        let share = if at + 1 == weights.len() {
            1.0
        } else {
            (before / total).min(1.0)
        };
        let mut slice = free;
        if eastward {
            slice.east = rect.west + rect.width() * share;
            free.west = slice.east;
        } else {
            slice.north = rect.south + rect.height() * share;
            free.south = slice.north;
        }
        place(at, slice);
    }
}
