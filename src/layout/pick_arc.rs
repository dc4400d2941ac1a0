//! Picking arcs: the one nearest to a pixel, on the same curves as the renderer's, without a GPU.

use glam::{Vec2, Vec3};

use super::geometry::{Arc, Arcs};

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
        let points = points(arcs, arc);
        let mut before: Option<(Vec2, Vec3)> = None;
        for step in 0..=STEPS {
            let world = spline(points, step as f32 / STEPS as f32);
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

fn points<'a>(arcs: &'a Arcs, arc: &Arc) -> &'a [Vec3] {
    let first = arc.first_point as usize;
    let end = first + arc.points as usize;
    arcs.points.get(first..end).unwrap_or_default()
}

/// A clamped uniform cubic B-spline at `t`, 0 to 1, by de Boor's algorithm; a line where there are too few
/// points for one.
fn spline(points: &[Vec3], t: f32) -> Vec3 {
    let t = t.clamp(0.0, 1.0);
    let [first, .., last] = points else {
        return points.first().copied().unwrap_or_default();
    };
    let Some(spans) = points.len().checked_sub(3).filter(|&spans| spans > 0) else {
        return first.lerp(*last, t);
    };
    let u = t * spans as f32;
    let k = (u as usize).min(spans - 1);
    let mut d = [points[k], points[k + 1], points[k + 2], points[k + 3]];
    for r in 1..=3 {
        for j in (r..=3).rev() {
            let knot = |at: isize| at.clamp(0, spans as isize) as f32;
            let left = knot(k as isize + j as isize - 3);
            let right = knot(k as isize + j as isize + 1 - r as isize);
            d[j] = d[j - 1].lerp(d[j], (u - left) / (right - left));
        }
    }
    d[3]
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_spline_meets_its_ends_and_stays_on_the_line_of_its_points() {
        let points: Vec<Vec3> = (0..7).map(|i| Vec3::new(i as f32, 2.0, 3.0)).collect();
        assert_eq!(spline(&points, 0.0), points[0]);
        assert!(spline(&points, 1.0).distance(points[6]) < 1e-5);
        for step in 0..=40 {
            let at = spline(&points, step as f32 / 40.0);
            assert!((at.y - 2.0).abs() < 1e-5 && (at.z - 3.0).abs() < 1e-5);
        }
        // The middle of Bézier's cubic, which four points make.
        let bow = [[0.0, 0.0], [0.0, 4.0], [4.0, 4.0], [4.0, 0.0]];
        let bow = bow.map(|[x, y]| Vec3::new(x, y, 0.0));
        assert!(spline(&bow, 0.5).distance(Vec3::new(2.0, 3.0, 0.0)) < 1e-5);
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
