//! Segments of rings as triangles, with edges that fade over a pixel.

use std::f32::consts::TAU;

use egui::epaint::{Mesh, Vertex, WHITE_UV};
use egui::{Color32, Pos2, pos2};

/// Along an edge a corner stands every so many points.
const STEP: f32 = 5.0;

/// A part of a ring, in points and turns from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arc {
    pub inner: f32,
    pub outer: f32,
    pub from: f32,
    pub to: f32,
}

impl Arc {
    /// With a gap to its neighbours, where there is room for one.
    pub(super) fn with_gap(self, gap: f32) -> Arc {
        let turns = gap / (TAU * self.outer.max(1.0));
        let by = turns.min((self.to - self.from) * 0.25);
        let thick = gap.min((self.outer - self.inner) * 0.25);
        // A whole ring has no neighbour.
        let by = if self.to - self.from > 0.9999 {
            0.0
        } else {
            by
        };
        Arc {
            inner: self.inner,
            outer: self.outer - thick,
            from: self.from,
            to: self.to - by,
        }
    }

    /// What of it is `by` points from all edges; none where nothing is, or it could not be seen.
    pub(super) fn inside(self, by: f32) -> Option<Arc> {
        /// Less than this is no frame, in points.
        const LEAST: f32 = 4.0;
        let turns = by / (TAU * ((self.inner + self.outer) * 0.5).max(1.0));
        // A whole ring has no ends.
        let turns = if self.to - self.from > 0.9999 {
            0.0
        } else {
            turns
        };
        let inside = Arc {
            inner: self.inner + by,
            outer: self.outer - by,
            from: self.from + turns,
            to: self.to - turns,
        };
        let has_room = inside.outer - inside.inner >= LEAST && inside.length() >= LEAST;
        has_room.then_some(inside)
    }

    /// The place on it, from the inside out and from one end to the other.
    pub(super) fn place(self, center: Pos2, out: f32, along: f32) -> Pos2 {
        let radius = self.inner + (self.outer - self.inner) * out;
        let turn = self.from + (self.to - self.from) * along;
        on(center, radius, turn)
    }

    /// How long its middle is.
    pub(super) fn length(self) -> f32 {
        TAU * (self.inner + self.outer) * 0.5 * (self.to - self.from)
    }
}

fn on(center: Pos2, radius: f32, turn: f32) -> Pos2 {
    let (sin, cos) = (turn * TAU).sin_cos();
    pos2(center.x + radius * sin, center.y - radius * cos)
}

/// Adds a part of a ring to a mesh; `pixel` is the size of one in points.
pub(super) fn add(mesh: &mut Mesh, center: Pos2, arc: Arc, color: Color32, pixel: f32) {
    let turns = arc.to - arc.from;
    if turns <= 0.0 || arc.outer <= arc.inner {
        return;
    }
    let half = pixel * 0.5;
    let is_whole = turns > 0.9999;
    let steps = ((TAU * arc.outer * turns / STEP).ceil() as usize).clamp(1, 256);
    let steps = if is_whole { steps.max(48) } else { steps };
    // Columns of corners: faded ends, unless the ring is closed.
    let fade = half / (TAU * arc.outer.max(1.0));
    let mut columns: Vec<(f32, f32)> = Vec::with_capacity(steps + 3);
    if is_whole {
        columns.extend((0..=steps).map(|k| (arc.from + turns * k as f32 / steps as f32, 1.0)));
    } else {
        let fade = fade.min(turns * 0.5);
        columns.push((arc.from - fade, 0.0));
        let (from, width) = (arc.from + fade, turns - 2.0 * fade);
        columns.extend((0..=steps).map(|k| (from + width * k as f32 / steps as f32, 1.0)));
        columns.push((arc.to + fade, 0.0));
    }
    let thick = arc.outer - arc.inner;
    // What is thinner than a pixel is paler, not wider.
    let solid = match thick < pixel {
        true => 2.0 * thick / (thick + pixel),
        false => 1.0,
    };
    let by = half.min(thick * 0.5);
    let rows = [
        (arc.inner - half, 0.0),
        (arc.inner + by, solid),
        (arc.outer - by, solid),
        (arc.outer + half, 0.0),
    ];
    let first = mesh.vertices.len() as u32;
    for (turn, across) in &columns {
        for (radius, along) in rows {
            // The middle has no inner edge.
            let along = if arc.inner <= 0.0 && along == 0.0 && radius < arc.outer {
                1.0
            } else {
                along
            };
            mesh.vertices.push(Vertex {
                pos: on(center, radius.max(0.0), *turn),
                uv: WHITE_UV,
                color: color.linear_multiply(across * along),
            });
        }
    }
    for column in 0..columns.len() as u32 - 1 {
        for row in 0..rows.len() as u32 - 1 {
            let a = first + column * 4 + row;
            let (b, c, d) = (a + 1, a + 4, a + 5);
            mesh.indices.extend([a, b, c, b, d, c]);
        }
    }
}

/// The outline of a part of a ring, as lines of `width` points that lie inside it.
pub(super) fn outline(
    mesh: &mut Mesh,
    center: Pos2,
    arc: Arc,
    width: f32,
    color: Color32,
    pixel: f32,
) {
    let width = width.min((arc.outer - arc.inner) * 0.5);
    let (mut out, mut within) = (arc, arc);
    out.inner = arc.outer - width;
    within.outer = arc.inner + width;
    add(mesh, center, out, color, pixel);
    add(mesh, center, within, color, pixel);
    if arc.to - arc.from < 0.9999 {
        let turns = width / (TAU * ((arc.inner + arc.outer) * 0.5).max(1.0));
        let by = turns.min((arc.to - arc.from) * 0.5);
        let (mut first, mut last) = (arc, arc);
        first.to = arc.from + by;
        last.from = arc.to - by;
        add(mesh, center, first, color, pixel);
        add(mesh, center, last, color, pixel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_is_as_far_from_all_edges_and_large_enough_to_be_seen() {
        let arc = Arc {
            inner: 50.0,
            outer: 80.0,
            from: 0.1,
            to: 0.4,
        };
        let inside = arc.inside(3.0).expect("there is room");
        assert_eq!((inside.inner, inside.outer), (53.0, 77.0));
        assert!((arc.length() - inside.length() - 6.0).abs() < 1e-3);
        let to = 1.0;
        let from = 0.0;
        let whole = Arc { from, to, ..arc }.inside(3.0).expect("there is room");
        assert_eq!((whole.from, whole.to), (0.0, 1.0));
        assert_eq!(Arc { outer: 59.0, ..arc }.inside(3.0), None);
        assert_eq!(Arc { to: 0.11, ..arc }.inside(3.0), None);
        assert_eq!(Arc { to: 0.1, ..arc }.inside(3.0), None);
    }

    #[test]
    fn a_part_of_a_ring_has_its_area_and_finite_corners() {
        for (inner, outer, from, to) in [
            (0.0, 40.0, 0.0, 1.0),
            (50.0, 80.0, 0.1, 0.4),
            (200.0, 230.0, 0.7, 0.700_1),
            (90.0, 90.5, 0.2, 0.9),
        ] {
            let arc = Arc {
                inner,
                outer,
                from,
                to,
            };
            let mut mesh = Mesh::default();
            add(&mut mesh, pos2(300.0, 300.0), arc, Color32::WHITE, 1.0);
            assert!(mesh.is_valid());
            // Triangles weighted by how opaque their corners are.
            let area: f32 = mesh
                .indices
                .chunks_exact(3)
                .map(|it| {
                    let [a, b, c] = [it[0], it[1], it[2]].map(|it| mesh.vertices[it as usize]);
                    assert!(a.pos.is_finite());
                    let (x, y) = (b.pos - a.pos, c.pos - a.pos);
                    let opaque = [a, b, c]
                        .into_iter()
                        .map(|it| f32::from(it.color.a()) / 255.0);
                    (x.x * y.y - x.y * y.x).abs() * 0.5 * opaque.sum::<f32>() / 3.0
                })
                .sum();
            let expected = std::f32::consts::PI * (outer * outer - inner * inner) * (to - from);
            let edge = outer * 0.05 + 2.0;
            assert!(
                (area - expected).abs() < expected * 0.03 + edge,
                "{arc:?}: {area} {expected}"
            );
        }
        let mut mesh = Mesh::default();
        let none = Arc {
            inner: 5.0,
            outer: 5.0,
            from: 0.3,
            to: 0.3,
        };
        add(&mut mesh, pos2(0.0, 0.0), none, Color32::WHITE, 1.0);
        assert!(mesh.is_empty());
    }
}
