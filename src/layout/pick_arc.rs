//! Picking arcs: the one nearest to a pixel, on the same curves as the renderer's, without a GPU.

use glam::{Vec2, Vec3};

use super::geometry::Arcs;
use super::spline;

/// Each arc is followed in so many steps, as the renderer draws it.
const STEPS: usize = 24;

/// A place on an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcHit {
    /// Index of the arc.
    pub arc: usize,
    /// Pixels from the middle of the arc.
    pub distance: f32,
    pub point: Vec3,
}

/// The arc nearest to `at`, of those that come nearer than `reach` pixels; of equals the last, which is drawn
/// over the others. `project` gives the pixel of a place in the world, none behind the eye.
/// O(arcs × steps).
pub fn pick(
    arcs: &Arcs,
    at: Vec2,
    reach: f32,
    project: impl Fn(Vec3) -> Option<Vec2>,
) -> Option<ArcHit> {
    let mut best: Option<ArcHit> = None;
    for (index, arc) in arcs.arcs.iter().enumerate() {
        let mut before: Option<(Vec2, Vec3)> = None;
        for step in 0..=STEPS {
            let world = spline::point(arcs, arc, step as f32 / STEPS as f32);
            let here = project(world).map(|pixel| (pixel, world));
            if let (Some((from, world_from)), Some((to, world_to))) = (before, here) {
                let along = to - from;
                let share =
                    ((at - from).dot(along) / along.length_squared().max(1e-6)).clamp(0.0, 1.0);
                let distance = at.distance(from + along * share);
                let limit = best.map_or(reach, |hit| hit.distance);
                if distance <= limit {
                    best = Some(ArcHit {
                        arc: index,
                        distance,
                        point: world_from.lerp(world_to, share),
                    });
                }
            }
            before = here;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::Arc;

    fn arcs(points: &[&[Vec3]]) -> Arcs {
        let mut arcs = Arcs::default();
        for points in points {
            arcs.arcs.push(Arc {
                first_point: arcs.points.len() as u32,
                points: points.len() as u32,
                width: 1.0,
                from: [0.0; 4],
                to: [0.0; 4],
                outlined: false,
                pulse: -1.0,
            });
            arcs.points.extend_from_slice(points);
        }
        arcs
    }

    #[test]
    fn the_nearest_arc_is_picked_and_none_beyond_reach() {
        let line =
            |y: f32| -> Vec<Vec3> { (0..5).map(|i| Vec3::new(i as f32 * 25.0, y, 0.0)).collect() };
        let (low, high) = (line(0.0), line(10.0));
        let arcs = arcs(&[&low, &high, &low[..2], &[]]);
        let flat = |at: Vec3| Some(at.truncate());
        let hit = pick(&arcs, Vec2::new(50.0, 7.0), 6.0, flat).expect("near the second");
        assert_eq!(hit.arc, 1);
        assert!((hit.distance - 3.0).abs() < 1e-4);
        assert!(hit.point.distance(Vec3::new(50.0, 10.0, 0.0)) < 1e-3);
        assert_eq!(pick(&arcs, Vec2::new(50.0, 40.0), 6.0, flat), None);
        // Of arcs that lie on each other the one drawn last.
        let hit = pick(&arcs, Vec2::new(10.0, -1.0), 6.0, flat).expect("on two");
        assert_eq!(hit.arc, 2);
        assert_eq!(pick(&arcs, Vec2::ZERO, 6.0, |_| None), None);
    }
}
