//! Straight lines from box to box.

use std::collections::HashSet;

use glam::Vec2;

use crate::layered::{Edge, Spacing};
use crate::sheet::Rect;

/// So much of a box a line may be beside its middle.
const ASIDE: f32 = 0.35;

/// By edge where it begins and ends; nothing for edges from a box to itself, and those that name no box or are not drawn.
/// Lines between the same two boxes are beside each other. O(edges).
pub(super) fn routes(edges: &[Edge], nodes: &[Rect], spacing: &Spacing) -> Vec<Vec<Vec2>> {
    let drawn = edges.iter().filter(|it| it.is_drawn);
    let known: HashSet<(u32, u32)> = drawn.map(|it| (it.from, it.to)).collect();
    let route = |edge: &Edge| {
        let ends = [edge.from, edge.to].map(|it| nodes.get(it as usize).copied());
        let [Some(from), Some(to)] = ends else {
            return Vec::new();
        };
        if edge.from == edge.to || !edge.is_drawn {
            return Vec::new();
        }
        let aside = match known.contains(&(edge.to, edge.from)) {
            true => (edge.width.max(0.0) + spacing.edge) * 0.5 + spacing.edge * 0.5,
            false => 0.0,
        };
        straight(from, to, aside)
    };
    edges.iter().map(route).collect()
}

/// From the edge of one box to that of another, `aside` to the right of the way between their middles.
fn straight(from: Rect, to: Rect, aside: f32) -> Vec<Vec2> {
    let middle = |of: Rect| (of.min + of.max) * 0.5;
    let way = (middle(to) - middle(from)).normalize_or_zero();
    let low = from.size().min_element().min(to.size().min_element());
    let aside = way.perp() * aside.min(ASIDE * low);
    let [a, b] = [middle(from) + aside, middle(to) + aside];
    vec![
        a + way * leaving(from, a, way),
        b - way * leaving(to, b, -way),
    ]
}

/// How far it is from a place in a box to its edge.
fn leaving(rect: Rect, at: Vec2, way: Vec2) -> f32 {
    let far = |low: f32, high: f32, at: f32, way: f32| match way {
        way if way > 1e-6 => (high - at) / way,
        way if way < -1e-6 => (low - at) / way,
        _ => f32::MAX,
    };
    let x = far(rect.min.x, rect.max.x, at.x, way.x);
    let y = far(rect.min.y, rect.max.y, at.y, way.y);
    let least = x.min(y).max(0.0);
    if least == f32::MAX { 0.0 } else { least }
}
