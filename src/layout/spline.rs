//! The curve that arcs are drawn along, for whoever needs a point of it on the CPU.

use glam::Vec3;

use super::geometry::{Arc, Arcs};

/// A place on an arc.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OnSpline {
    pub at: Vec3,
    /// Where it goes on to; of any length.
    pub tangent: Vec3,
}

/// The point at `t` (0 at the caller, 1 at the callee) of the clamped uniform cubic B-spline that `arc` is
/// drawn along, its ends over its first and last control point by `rises`.
pub fn point(arcs: &Arcs, arc: &Arc, rises: [f32; 2], t: f32) -> Vec3 {
    evaluate(arcs, arc, rises, t).at
}

/// The same with the direction; as `shaders/arcs.wgsl` evaluates it. Nothing of an arc without control points.
/// De Boor's algorithm: <https://en.wikipedia.org/wiki/De_Boor%27s_algorithm>
pub fn evaluate(arcs: &Arcs, arc: &Arc, rises: [f32; 2], t: f32) -> OnSpline {
    let first = arc.first_point as usize;
    let points = arcs.points.get(first..first + arc.points as usize);
    let t = t.clamp(0.0, 1.0);
    let spans = (arc.points as usize).saturating_sub(3).max(1);
    let u = t * spans as f32;
    let k = (u as usize).min(spans - 1);
    // Lower degrees are raised, which is exact.
    let raised = |a: Vec3, b: Vec3| a.lerp(b, 2.0 / 3.0);
    let mut d = match *points.unwrap_or_default() {
        [] => return OnSpline::default(),
        [a] => [a; 4],
        [a, b] => [a, a.lerp(b, 1.0 / 3.0), a.lerp(b, 2.0 / 3.0), b],
        [a, b, c] => [a, raised(a, b), raised(c, b), c],
        ref points => [points[k], points[k + 1], points[k + 2], points[k + 3]],
    };
    let knot = |index: usize| index.saturating_sub(3).min(spans) as f32;
    let mut tangent = Vec3::ZERO;
    for r in 1..=3 {
        tangent = d[3] - d[2];
        for j in (r..=3).rev() {
            let (left, right) = (knot(k + j), knot(k + j + 4 - r));
            d[j] = d[j - 1].lerp(d[j], (u - left) / (right - left));
        }
    }
    let [rise, rise_at_end] = rises;
    let rising = rise_at_end - rise;
    OnSpline {
        at: d[3] + Vec3::Z * (rise + rising * t),
        tangent: tangent + Vec3::Z * (rising / spans as f32 / 3.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(points: Vec<Vec3>) -> Arcs {
        let arc = Arc {
            points: points.len() as u32,
            ..Arc::default()
        };
        Arcs {
            arcs: vec![arc],
            points,
            ..Arcs::default()
        }
    }

    #[test]
    fn a_curve_meets_its_ends_and_stays_among_its_control_points() {
        for count in 2..12 {
            let points: Vec<Vec3> = (0..count)
                .map(|i| Vec3::new(i as f32, (i * i % 5) as f32, (i * 7 % 3) as f32))
                .collect();
            let arcs = arcs(points.clone());
            let at = |t| point(&arcs, &arcs.arcs[0], [0.0; 2], t);
            assert!(at(0.0).distance(points[0]) < 1e-4);
            assert!(at(1.0).distance(points[count - 1]) < 1e-4);
            for step in 0..=50 {
                let on = at(step as f32 / 50.0);
                assert!(
                    on.x >= -1e-4 && on.x <= count as f32 - 1.0 + 1e-4,
                    "{count} {on}"
                );
                assert!(on.y >= -1e-4 && on.y <= 4.0 + 1e-4, "{count} {on}");
            }
        }
    }

    #[test]
    fn four_points_are_a_bezier_curve() {
        let points = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        let arcs = arcs(points.clone());
        let t: f32 = 0.3;
        let s = 1.0 - t;
        let bezier = points[0] * s * s * s
            + points[1] * 3.0 * s * s * t
            + points[2] * 3.0 * s * t * t
            + points[3] * t * t * t;
        assert!(point(&arcs, &arcs.arcs[0], [0.0; 2], t).distance(bezier) < 1e-5);
    }
}
