//! Picking arcs: the one that is seen at a pixel, or else the nearest, on the same ribbons as the renderer's,
//! without a GPU.

use glam::{Vec2, Vec3, Vec4};

use super::emphasis::Focus;
use super::geometry::{Arc, Arcs, BlockLook, Fineness};
use super::labels::Eye;
use super::spline;

/// As `shaders/arcs.wgsl` has them: the narrowest ribbon in pixels, and from which width on they grow more slowly.
const LEAST: f32 = 1.3;
const STOUT: f32 = 7.0;
const GROWTH: f32 = 0.12;
/// So much nearer an arc counts as it is: a block that it lies on does not hide it.
const NEARER: f32 = 1.001;

/// A place on an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcHit {
    /// Index of the arc.
    pub arc: usize,
    /// Pixels from the ribbon; 0 on it.
    pub distance: f32,
    pub point: Vec3,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Pick<'a> {
    pub eye: &'a Eye,
    /// In physical pixels from the top left.
    pub at: Vec2,
    /// Where no ribbon is at the place itself, the nearest counts up to so many pixels away.
    pub reach: f32,
    /// Pixels that lines are drawn as wide as one.
    pub scale: f32,
    /// The place of the block that is seen there: arcs behind it are not found.
    pub block: Option<Vec3>,
    pub focus: &'a Focus,
    /// Of the blocks that arcs run between.
    pub looks: &'a [BlockLook],
}

impl Pick<'_> {
    /// How far the ends of an arc stand over its first and last control points.
    fn rises(&self, arc: &Arc) -> [f32; 2] {
        arc.ends
            .map(|end| self.looks.get(end as usize).map_or(0.0, |look| look.rise))
    }
}

/// A cut through the ribbon, as the vertex shader makes it.
#[derive(Clone, Copy, Debug)]
struct Rib {
    on: Vec3,
    /// The corners to both sides in clip space, and how far they are from the middle in pixels.
    corners: [Vec4; 2],
    reach: f32,
    /// Half the width in pixels.
    half: f32,
}

fn rib(arcs: &Arcs, arc: &Arc, t: f32, pick: &Pick<'_>) -> Rib {
    let (eye, scale) = (pick.eye, pick.scale);
    let on = spline::evaluate(arcs, arc, pick.rises(arc), t);
    let to_eye = eye.position - on.at;
    let pixel = to_eye.length().max(1e-3) / eye.focal;
    let sideways = on.tangent.cross(to_eye);
    let side = sideways / sideways.length_squared().max(1e-12).sqrt();
    let taper = if arc.outlined {
        1.0
    } else {
        1.4 + (0.45 - 1.4) * t
    };
    let plain = arc.width * taper / pixel;
    let stout = STOUT * scale;
    let wanted = if plain > stout {
        stout + (plain - stout) * GROWTH
    } else {
        plain
    };
    let width = wanted.max(LEAST * scale);
    let border = if arc.outlined {
        scale + 0.12 * width
    } else {
        0.0
    };
    let half = 0.5 * width + border;
    let reach = half + 1.0;
    let corner = |sign: f32| {
        let world = on.at + side * (sign * reach * pixel);
        eye.clip_from_world * world.extend(1.0)
    };
    Rib {
        on: on.at,
        corners: [corner(-1.0), corner(1.0)],
        reach,
        half,
    }
}

/// The arc seen at a pixel: of several the one drawn last; else the nearest within reach. What is too faint to be
/// told apart is not found. O(arcs) to leave out those elsewhere.
pub fn pick(arcs: &Arcs, pick: &Pick<'_>) -> Option<ArcHit> {
    let depth = |at: Vec3| (pick.eye.clip_from_world * at.extend(1.0)).w;
    let hidden_from = pick.block.map_or(f32::INFINITY, depth) * NEARER;
    // Outlined arcs are drawn over cords, and those over the others, whatever their order.
    let layer = |arc: &Arc| (arc.outlined, arc.is_cord);
    let mut best: Option<(ArcHit, (bool, bool))> = None;
    for (index, arc) in arcs.arcs.iter().enumerate() {
        if !pick.focus.is_picked(arc) || !may_be_near(arcs, arc, pick) {
            continue;
        }
        let is_over = best.is_none_or(|(hit, of)| hit.distance > 0.0 || layer(arc) >= of);
        if !is_over {
            continue;
        }
        if let Some(hit) = on_ribbon(arcs, arc, index, pick, hidden_from)
            && best.is_none_or(|(old, _)| hit.distance <= old.distance)
        {
            best = Some((hit, layer(arc)));
        }
    }
    best.map(|(hit, _)| hit)
}

/// Whether an arc can come near the pixel: a curve stays within the hull of its control points.
fn may_be_near(arcs: &Arcs, arc: &Arc, pick: &Pick<'_>) -> bool {
    let first = arc.first_point as usize;
    let points = arcs.points.get(first..first + arc.points as usize);
    let Some(points) = points.filter(|points| points.len() > 1) else {
        return false;
    };
    let [rise, rise_at_end] = pick.rises(arc);
    let highest = rise.max(rise_at_end);
    let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    let mut nearest = f32::INFINITY;
    for point in points {
        for rise in [0.0, highest] {
            let world = *point + Vec3::Z * rise;
            let Some(at) = pick.eye.project(world) else {
                return true;
            };
            min = min.min(at);
            max = max.max(at);
            nearest = nearest.min(world.distance(pick.eye.position));
        }
    }
    // A curve may come nearer to the eye than the points that it runs between.
    let widest = arc.width * 1.4 * pick.eye.focal / nearest.max(1e-3);
    let stout = STOUT * pick.scale;
    let margin = pick.reach + stout + widest.min(stout + widest * GROWTH) * 2.0;
    pick.at.cmpge(min - margin).all() && pick.at.cmple(max + margin).all()
}

fn on_ribbon(
    arcs: &Arcs,
    arc: &Arc,
    index: usize,
    pick: &Pick<'_>,
    hidden_from: f32,
) -> Option<ArcHit> {
    let high = pick.eye.position.z.abs().max(1e-3);
    let segments = arc.segments(&Fineness::new(pick.eye.focal / high));
    let mut near: Option<ArcHit> = None;
    let mut before = rib(arcs, arc, 0.0, pick);
    for segment in 1..=segments {
        let after = rib(arcs, arc, segment as f32 / segments as f32, pick);
        // As the index buffer has them: 0 1 2, 2 1 3.
        let [a, b] = before.corners;
        let [c, d] = after.corners;
        let of_before = [[-before.reach, before.half], [before.reach, before.half]];
        let of_after = [[-after.reach, after.half], [after.reach, after.half]];
        for (corners, across) in [
            ([a, b, c], [of_before[0], of_before[1], of_after[0]]),
            ([c, b, d], [of_after[0], of_before[1], of_after[1]]),
        ] {
            let Some((shares, w)) = within(corners, pick) else {
                continue;
            };
            let value = |of: usize| {
                let corners = across.iter().zip(shares);
                corners
                    .map(|(corner, share)| corner[of] * share)
                    .sum::<f32>()
            };
            if value(0).abs() <= value(1) && w <= hidden_from {
                return Some(ArcHit {
                    arc: index,
                    distance: 0.0,
                    point: before.on.lerp(after.on, 0.5),
                });
            }
        }
        let ends = [before.on, after.on].map(|on| pick.eye.project(on));
        if let [Some(from), Some(to)] = ends {
            let along = to - from;
            let share = (pick.at - from).dot(along) / along.length_squared().max(1e-6);
            let share = share.clamp(0.0, 1.0);
            let half = before.half + (after.half - before.half) * share;
            let distance = pick.at.distance(from + along * share) - half;
            // Beside the ribbon, not on it: a block may hide that.
            let distance = distance.max(1e-3);
            let point = before.on.lerp(after.on, share);
            let w = (pick.eye.clip_from_world * point.extend(1.0)).w;
            let limit = near.map_or(pick.reach, |hit| hit.distance);
            if distance <= limit && w <= hidden_from {
                near = Some(ArcHit {
                    arc: index,
                    distance,
                    point,
                });
            }
        }
        before = after;
    }
    near
}

/// Where the pixel lies in a triangle given in clip space: the shares of its corners, corrected for perspective, and
/// the distance along the line of sight. None outside. Corners may lie behind the eye, as those of arcs near by do:
/// what of the triangle is in front is found. After Olano and Greer, "Triangle Scan Conversion using 2D Homogeneous
/// Coordinates", 1997.
fn within(corners: [Vec4; 3], pick: &Pick<'_>) -> Option<([f32; 3], f32)> {
    // From the pixel, each times its distance.
    let [a, b, c] = corners.map(|corner| {
        let from_top_left = Vec2::new(corner.w + corner.x, corner.w - corner.y);
        from_top_left * 0.5 * pick.eye.size - pick.at * corner.w
    });
    let parts = [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)];
    let all: f32 = parts.iter().sum();
    let is_inside = parts.iter().all(|&part| part * all.signum() >= 0.0);
    if !is_inside || all == 0.0 {
        return None;
    }
    let shares = parts.map(|part| part / all);
    let weighed = corners.iter().zip(shares);
    let met: Vec4 = weighed.map(|(corner, share)| *corner * share).sum();
    // Before the near plane nothing is drawn.
    (met.w > 1e-3 && met.z <= met.w).then_some((shares, met.w))
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;

    fn arcs(points: &[&[Vec3]]) -> Arcs {
        let mut arcs = Arcs::default();
        for points in points {
            arcs.arcs.push(Arc {
                first_point: arcs.points.len() as u32,
                points: points.len() as u32,
                width: 1.0,
                opacity: 1.0,
                ..Arc::default()
            });
            arcs.points.extend_from_slice(points);
        }
        arcs
    }

    /// Straight from far above: a unit of the plane z = 0 is about a pixel, y downward.
    fn eye() -> Eye {
        let size = Vec2::new(200.0, 200.0);
        let flat = Mat4::from_scale(Vec3::new(2.0 / size.x, -2.0 / size.y, 1e-6));
        Eye {
            position: Vec3::new(100.0, 100.0, 1e4),
            right: Vec3::X,
            clip_from_world: Mat4::from_translation(Vec3::new(-1.0, 1.0, 0.0)) * flat,
            size,
            focal: 1e4,
        }
    }

    #[test]
    fn the_nearest_arc_is_picked_and_none_beyond_reach() {
        let line =
            |y: f32| -> Vec<Vec3> { (0..5).map(|i| Vec3::new(i as f32 * 25.0, y, 0.0)).collect() };
        let (low, high) = (line(0.0), line(10.0));
        let mut arcs = arcs(&[&low, &high, &low[..2], &[]]);
        let eye = eye();
        let focus = Focus::default();
        let at = |arcs: &Arcs, at: Vec2, reach: f32| {
            let looked_for = Pick {
                eye: &eye,
                at,
                reach,
                scale: 1.0,
                block: None,
                focus: &focus,
                looks: &[],
            };
            pick(arcs, &looked_for)
        };
        let hit = at(&arcs, Vec2::new(50.0, 7.0), 6.0).expect("near the second");
        assert_eq!(hit.arc, 1);
        assert!((hit.distance - 2.35).abs() < 0.05, "{hit:?}");
        assert!(hit.point.distance(Vec3::new(50.0, 10.0, 0.0)) < 1e-2);
        assert_eq!(at(&arcs, Vec2::new(50.0, 40.0), 6.0), None);
        // Of arcs that lie on each other the one drawn last.
        let hit = at(&arcs, Vec2::new(10.0, 0.0), 6.0).expect("on two");
        assert_eq!((hit.arc, hit.distance), (2, 0.0));
        arcs.arcs[0].is_cord = true;
        let hit = at(&arcs, Vec2::new(10.0, 0.0), 6.0).expect("on two");
        assert_eq!(hit.arc, 0, "cords lie over threads");
        // What is too faint is not found.
        for arc in &mut arcs.arcs {
            arc.opacity = 0.1;
        }
        assert_eq!(at(&arcs, Vec2::new(10.0, 0.0), 6.0), None);
    }
}
