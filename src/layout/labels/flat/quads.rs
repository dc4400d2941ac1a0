//! Where names lie on the screen: quadrilaterals, the bands that they are sought in, and whether they overlap.

use glam::{Vec2, Vec3};

use crate::layout::labels::Eye;

/// The height of a band of the screen in which contenders for a place are sought, in pixels.
pub(super) const BAND: f32 = 48.0;

/// The bands of the screen that a quadrilateral lies in.
pub(super) fn bands_of(quad: &[Vec2; 4], bands: usize) -> std::ops::RangeInclusive<usize> {
    let band = |y: f32| ((y / BAND).max(0.0) as usize).min(bands.saturating_sub(1));
    let low = quad
        .iter()
        .map(|corner| corner.y)
        .fold(f32::INFINITY, f32::min);
    let high = quad.iter().map(|corner| corner.y).fold(0.0, f32::max);
    band(low)..=band(high)
}

impl Eye {
    /// The part of the line from `start` along `direction`, `length` long, that lies on the picture: from
    /// and to, as lengths. None when nothing does.
    pub(super) fn visible(&self, start: Vec3, direction: Vec3, length: f32) -> Option<(f32, f32)> {
        let (mut from, mut to) = (0.0f32, length);
        for plane in self.side_planes() {
            let at_start = plane.dot(start.extend(1.0));
            let slope = plane.dot(direction.extend(0.0));
            if slope.abs() < 1e-12 {
                if at_start <= 0.0 {
                    return None;
                }
            } else if slope > 0.0 {
                from = from.max(-at_start / slope);
            } else {
                to = to.min(-at_start / slope);
            }
        }
        (from < to).then_some((from, to))
    }
}

/// Whether two convex quadrilaterals overlap: no side of either separates them.
pub(super) fn overlap(a: &[Vec2; 4], b: &[Vec2; 4]) -> bool {
    let left = |quad: &[Vec2; 4]| quad.iter().fold(f32::INFINITY, |x, at| x.min(at.x));
    let right = |quad: &[Vec2; 4]| quad.iter().fold(f32::NEG_INFINITY, |x, at| x.max(at.x));
    if right(a) <= left(b) || right(b) <= left(a) {
        return false;
    }
    let separated = |of: &[Vec2; 4]| {
        (0..4).any(|side| {
            let normal = (of[(side + 1) % 4] - of[side]).perp();
            let range = |quad: &[Vec2; 4]| {
                let along = quad.map(|corner| corner.dot(normal));
                let lowest = along.iter().copied().fold(f32::INFINITY, f32::min);
                (
                    lowest,
                    along.iter().copied().fold(f32::NEG_INFINITY, f32::max),
                )
            };
            let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
            a_high <= b_low || b_high <= a_low
        })
    };
    !separated(a) && !separated(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f32, y: f32, turn: f32) -> [Vec2; 4] {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .map(|(a, b)| Vec2::new(x, y) + Vec2::from_angle(turn).rotate(Vec2::new(a, b)))
    }

    #[test]
    fn quadrilaterals_overlap_unless_a_line_separates_them() {
        assert!(overlap(&square(0.0, 0.0, 0.0), &square(0.5, 0.5, 0.7)));
        assert!(!overlap(&square(0.0, 0.0, 0.0), &square(1.0, 0.0, 0.0)));
        // Their bounding boxes overlap, they do not.
        assert!(!overlap(&square(0.0, 0.0, 0.8), &square(0.75, 0.75, 0.8)));
        assert!(overlap(&square(0.0, 0.0, 0.0), &square(0.2, 0.2, 0.0)));
    }
}
