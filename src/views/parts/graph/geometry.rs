//! Where everything of a graph is at a moment, also on the way from one layout to the next.

use std::collections::HashMap;

use glam::Vec2;

use super::laid::Laid;
use callscape_facts::hierarchy::Hierarchy;
use callscape_layout::curves::flatten;
use callscape_layout::layered::Key;
use callscape_layout::sheet::Rect;

/// Lines on their way have so many points.
const POINTS: usize = 24;

/// How far points of lines lie apart at most, in points.
const STEP: f32 = 6.0;

/// Where boxes, frames and lines are, and how much of each is seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Geometry {
    pub boxes: Vec<(Rect, f32)>,
    pub frames: Vec<(Rect, f32)>,
    /// As rows of points, from caller to callee.
    pub lines: Vec<(Vec<Vec2>, f32)>,
}

/// The points of a line, and how much of it is to be seen.
type Faded = (Vec<Vec2>, f32);

impl Geometry {
    /// As it is laid out.
    pub(crate) fn of(laid: &Laid) -> Geometry {
        let line = |route: &Vec<Vec2>| {
            let mut points = Vec::new();
            match laid.graph.is_straight() {
                true => points.clone_from(route),
                false => flatten(route, STEP, &mut points),
            }
            (points, 1.0)
        };
        Geometry {
            boxes: laid.layout.nodes.iter().map(|&it| (it, 1.0)).collect(),
            frames: laid.layout.clusters.iter().map(|&it| (it, 1.0)).collect(),
            lines: laid.layout.routes.iter().map(line).collect(),
        }
    }

    /// Where everything of `laid` comes from: where it was in `before`, or where that was which it was in or which was in
    /// it; what is new comes from nowhere. O(lines × lines).
    pub(crate) fn before(
        laid: &Laid,
        before: (&Laid, &Geometry),
        hierarchy: &Hierarchy,
    ) -> Geometry {
        let (old, places) = before;
        let boxes = old.graph.boxes.iter().map(|it| it.key);
        let boxes: HashMap<Key, usize> = boxes.zip(0..).collect();
        let frames = old.graph.frames.iter().map(|it| it.key);
        let frames: HashMap<Key, usize> = frames.zip(0..).collect();
        let known = |key: Key| {
            let of_box = boxes.get(&key).and_then(|&it| places.boxes.get(it));
            let of_frame = frames.get(&key).and_then(|&it| places.frames.get(it));
            of_box.or(of_frame).map(|it| it.0)
        };
        let now = Geometry::of(laid);
        let is_in = |outer: Option<callscape_base::units::ModuleId>,
                     inner: Option<callscape_base::units::ModuleId>| {
            outer
                .zip(inner)
                .is_some_and(|(outer, inner)| hierarchy.contains(outer, inner))
        };
        // By box the one before that it was in.
        let around = |at: usize| {
            let module = laid.graph.boxes[at].of.module();
            let old = old.graph.boxes.iter().zip(&places.boxes);
            let found = old.filter(|(of, _)| is_in(of.of.module(), module));
            found.map(|(_, place)| place.0).next()
        };
        let box_of = |(at, &(rect, _)): (usize, &(Rect, f32))| match known(laid.graph.boxes[at].key)
            .or_else(|| around(at))
        {
            Some(place) => (place, 1.0),
            None => (rect, 0.0),
        };
        let frame_of =
            |(at, &(rect, _)): (usize, &(Rect, f32))| match known(laid.graph.frames[at].key) {
                Some(place) => (place, 1.0),
                None => (rect, 0.0),
            };
        let line_of = |(at, (points, _)): (usize, &(Vec<Vec2>, f32))| {
            let line = &laid.graph.lines[at];
            let same = |a: usize, b: usize| {
                let (a, b) = (&laid.graph.boxes[a], &old.graph.boxes[b]);
                if a.key == b.key {
                    return 2;
                }
                let [x, y] = [a.of.module(), b.of.module()];
                i32::from(is_in(x, y) || is_in(y, x))
            };
            let all = old.graph.lines.iter().zip(&places.lines);
            let alike = all.filter_map(|(of, place)| {
                let [from, to] = [
                    same(line.from as usize, of.from as usize),
                    same(line.to as usize, of.to as usize),
                ];
                (from * to > 0).then_some((from + to, place))
            });
            match alike.max_by_key(|it| it.0) {
                Some((_, (points, seen))) => (points.clone(), *seen),
                None => (points.clone(), 0.0),
            }
        };
        Geometry {
            boxes: now.boxes.iter().enumerate().map(box_of).collect(),
            frames: now.frames.iter().enumerate().map(frame_of).collect(),
            lines: now.lines.iter().enumerate().map(line_of).collect(),
        }
    }

    /// On the way to another place of the same.
    pub(crate) fn between(&self, other: &Geometry, share: f32) -> Geometry {
        let mix = |a: f32, b: f32| a + (b - a) * share;
        let rect = |(a, b): (&(Rect, f32), &(Rect, f32))| {
            let rect = Rect::new(a.0.min.lerp(b.0.min, share), a.0.max.lerp(b.0.max, share));
            (rect, mix(a.1, b.1))
        };
        let line = |(a, b): (&Faded, &Faded)| {
            let [from, to] = [&a.0, &b.0].map(|it| spread(it));
            let points = from.iter().zip(&to).map(|(a, b)| a.lerp(*b, share));
            (points.collect(), mix(a.1, b.1))
        };
        Geometry {
            boxes: self.boxes.iter().zip(&other.boxes).map(rect).collect(),
            frames: self.frames.iter().zip(&other.frames).map(rect).collect(),
            lines: self.lines.iter().zip(&other.lines).map(line).collect(),
        }
    }
}

/// So many points that lie equally far apart on a line.
fn spread(points: &[Vec2]) -> Vec<Vec2> {
    let Some(&first) = points.first() else {
        return Vec::new();
    };
    let length: f32 = points.windows(2).map(|it| it[0].distance(it[1])).sum();
    let step = length / (POINTS - 1) as f32;
    let mut spread = vec![first];
    let (mut gone, mut next) = (0.0, step);
    for pair in points.windows(2) {
        let piece = pair[0].distance(pair[1]);
        while piece > 0.0 && next <= gone + piece && spread.len() < POINTS - 1 {
            spread.push(pair[0].lerp(pair[1], (next - gone) / piece));
            next += step;
        }
        gone += piece;
    }
    let last = points[points.len() - 1];
    spread.resize(POINTS - 1, last);
    spread.push(last);
    spread
}

/// How far a place is from a line.
pub(super) fn distance(points: &[Vec2], at: Vec2) -> f32 {
    let pieces = points.windows(2).map(|pair| {
        let along = pair[1] - pair[0];
        let share = (at - pair[0]).dot(along) / along.length_squared().max(1e-9);
        at.distance(pair[0] + along * share.clamp(0.0, 1.0))
    });
    pieces.fold(f32::MAX, f32::min)
}
