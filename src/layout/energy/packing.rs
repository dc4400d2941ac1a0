//! Packs parts that nothing connects into rows.

use glam::Vec2;

/// How much wider than high it all is, as far as the parts allow: as a window is.
const WIDE: f32 = 1.8;

/// The top left corner of each rectangle, `gap` apart, and the size of all. The highest come first, and low ones are below
/// each other in one row. O(n log n).
pub(super) fn pack(sizes: &[Vec2], gap: f32) -> (Vec<Vec2>, Vec2) {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| {
        let (one, other) = (sizes[a], sizes[b]);
        let by_width = other.x.total_cmp(&one.x);
        other.y.total_cmp(&one.y).then(by_width).then(a.cmp(&b))
    });
    let area: f32 = sizes.iter().map(|it| (it.x + gap) * (it.y + gap)).sum();
    let widest = sizes.iter().map(|it| it.x).fold(0.0, f32::max);
    let right = widest.max((area * WIDE).sqrt());
    let mut corners = vec![Vec2::ZERO; sizes.len()];
    let mut all = Vec2::ZERO;
    // The row with its lower edge, and the column in it with its right edge and how far down it is full.
    let (mut top, mut bottom) = (0.0_f32, 0.0_f32);
    let (mut left, mut end, mut full) = (0.0_f32, 0.0_f32, 0.0_f32);
    for (place, number) in order.into_iter().enumerate() {
        let size = sizes[number];
        let is_below = place > 0 && full + size.y <= bottom && left + size.x <= end;
        if place == 0 {
            (bottom, end) = (size.y, size.x);
        } else if !is_below {
            left = end + gap;
            if left + size.x > right {
                (left, top) = (0.0, bottom + gap);
                bottom = top + size.y;
            }
            (end, full) = (left + size.x, top);
        }
        corners[number] = Vec2::new(left, full);
        all = all.max(corners[number] + size);
        full += size.y + gap;
    }
    (corners, all)
}
