//! Where names lie on the screen: quadrilaterals, the bands that they are sought in, and whether they overlap.

use glam::{Vec2, Vec3};

use crate::labels::Eye;

/// The height of a band of the screen in which contenders for a place are sought, in pixels.
pub(in crate::labels) const BAND: f32 = 48.0;

/// A quadrilateral on the screen, convex, and the upright box about it.
#[derive(Clone, Copy, Debug)]
pub(in crate::labels) struct Quad {
    corners: [Vec2; 4],
    min: Vec2,
    max: Vec2,
}

impl Quad {
    pub(in crate::labels) fn new(corners: [Vec2; 4]) -> Quad {
        let [a, b, c, d] = corners;
        Quad {
            corners,
            min: a.min(b).min(c.min(d)),
            max: a.max(b).max(c.max(d)),
        }
    }

    /// Where the letters of a name lie: from the start of its baseline on, `along` to its end and `up` by an em. None
    /// where a part of it is behind the eye.
    pub(super) fn of_name(start: Vec3, along: Vec3, up: Vec3, eye: &Eye) -> Option<Quad> {
        let (low, high) = (start - up * 0.22, start + up * 0.76);
        let corners = [low, low + along, high + along, high].map(|corner| eye.project(corner));
        let [Some(a), Some(b), Some(c), Some(d)] = corners else {
            return None;
        };
        Some(Quad::new([a, b, c, d]))
    }

    /// Wider by so much on all sides.
    pub(super) fn with_air(self, air: f32) -> Quad {
        let middle = (self.min + self.max) * 0.5;
        let outward = |corner: Vec2| corner + (corner - middle).signum() * air;
        Quad::new(self.corners.map(outward))
    }

    /// An upright rectangle.
    pub(in crate::labels) fn of_plate(min: Vec2, max: Vec2) -> Quad {
        Quad::new([min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)])
    }

    /// The bands of the screen that it lies in, of so many.
    pub(in crate::labels) fn bands(&self, bands: usize) -> std::ops::RangeInclusive<usize> {
        let band = |y: f32| ((y / BAND).max(0.0) as usize).min(bands.saturating_sub(1));
        band(self.min.y)..=band(self.max.y.max(0.0))
    }

    /// Whether two overlap: no side of either separates them.
    pub(in crate::labels) fn overlaps(&self, other: &Quad) -> bool {
        self.max.cmpgt(other.min).all()
            && other.max.cmpgt(self.min).all()
            && overlap(&self.corners, &other.corners)
    }
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
fn overlap(a: &[Vec2; 4], b: &[Vec2; 4]) -> bool {
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
        let overlap = |a: &[Vec2; 4], b: &[Vec2; 4]| {
            let is_boxed = Quad::new(*a).overlaps(&Quad::new(*b));
            assert_eq!(is_boxed, super::overlap(a, b));
            is_boxed
        };
        assert!(overlap(&square(0.0, 0.0, 0.0), &square(0.5, 0.5, 0.7)));
        assert!(!overlap(&square(0.0, 0.0, 0.0), &square(1.0, 0.0, 0.0)));
        // Their bounding boxes overlap, they do not.
        assert!(!overlap(&square(0.0, 0.0, 0.8), &square(0.75, 0.75, 0.8)));
        assert!(overlap(&square(0.0, 0.0, 0.0), &square(0.2, 0.2, 0.0)));
    }
}
