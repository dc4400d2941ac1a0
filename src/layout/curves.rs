//! Curves as triangles: lines of graphs, arrow heads, boxes with round corners. Tessellated by `lyon_tessellation`, once
//! when they change and not once a frame.
//!
//! A route is a row of points. From each to the next it goes level at both ends, as a curve between columns does, and
//! straight where both are equally high.

use std::f32::consts::{FRAC_PI_2, SQRT_2};

use glam::Vec2;
use lyon_tessellation::math::{Point, point};
use lyon_tessellation::path::{Path, Polygon};
use lyon_tessellation::{
    BuffersBuilder, FillOptions, FillTessellator, FillVertex, LineCap, LineJoin, Side,
    StrokeOptions, StrokeTessellator, StrokeVertex, VertexBuffers,
};

use super::geometry::Color;
use super::sheet::{Corner, Mesh, Rect};

/// How far triangles may be from the curve, in pixels.
const EXACT: f32 = 0.12;

/// Half of the pixel over which an edge fades.
const FADE: f32 = 0.5;

/// The point at `t`, from 0 to 1, of the curve from one point to another.
pub fn on_curve(from: Vec2, to: Vec2, t: f32) -> Vec2 {
    let s = 1.0 - t;
    let along = 1.5 * t * s + t * t * t;
    let aside = t * t * (3.0 - 2.0 * t);
    from + (to - from) * Vec2::new(along, aside)
}

/// Adds the points of a route to `points`, no two farther apart than `step`, but never more than 64 a piece.
pub fn flatten(route: &[Vec2], step: f32, points: &mut Vec<Vec2>) {
    points.extend(route.first());
    for pair in route.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let count = match (from.y - to.y).abs() < 0.01 {
            true => 1,
            false => (from.distance(to) * 1.2 / step.max(0.01))
                .ceil()
                .clamp(1.0, 64.0) as u32,
        };
        points.extend((1..=count).map(|it| on_curve(from, to, it as f32 / count as f32)));
    }
}

/// Makes triangles, and keeps its memory.
#[derive(Default)]
pub struct Pen {
    strokes: StrokeTessellator,
    fills: FillTessellator,
    buffers: VertexBuffers<Corner, u32>,
}

impl std::fmt::Debug for Pen {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Pen")
    }
}

fn at(of: Vec2) -> Point {
    point(of.x, of.y)
}

fn vec(of: Point) -> Vec2 {
    Vec2::new(of.x, of.y)
}

fn mixed(from: Color, to: Color, share: f32) -> Color {
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * share)
}

impl Pen {
    /// Draws a route of this width, in colours that go over from one end to the other.
    pub fn route(&mut self, mesh: &mut Mesh, route: &[Vec2], width: f32, colors: [Color; 2]) {
        if route.len() < 2 || !route.iter().all(|it| it.is_finite()) {
            return;
        }
        let mut path = Path::builder();
        path.begin(at(route[0]));
        for pair in route.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            if (from.y - to.y).abs() < 0.01 {
                path.line_to(at(to));
            } else {
                let half = Vec2::new((to.x - from.x) * 0.5, 0.0);
                path.cubic_bezier_to(at(from + half), at(to - half), at(to));
            }
        }
        path.end(false);
        self.stroke(mesh, &path.build(), width, colors);
    }

    /// Draws straight lines from point to point.
    pub fn line(&mut self, mesh: &mut Mesh, points: &[Vec2], width: f32, colors: [Color; 2]) {
        if points.len() < 2 || !points.iter().all(|it| it.is_finite()) {
            return;
        }
        let mut path = Path::builder();
        path.begin(at(points[0]));
        for &point in &points[1..] {
            path.line_to(at(point));
        }
        path.end(false);
        self.stroke(mesh, &path.build(), width, colors);
    }

    fn stroke(&mut self, mesh: &mut Mesh, path: &Path, width: f32, colors: [Color; 2]) {
        if !(width > 0.0 && width.is_finite()) {
            return;
        }
        let options = StrokeOptions::tolerance(EXACT)
            .with_line_width(width + 2.0 * FADE)
            .with_line_join(LineJoin::Miter)
            .with_line_cap(LineCap::Butt);
        // What it has in common with others is clear as it goes along: that is the distance first.
        let corner = |vertex: StrokeVertex<'_, '_>| {
            let edge = vertex.line_width() * 0.5;
            let side = match vertex.side() {
                Side::Positive => edge,
                Side::Negative => -edge,
            };
            Corner {
                at: vec(vertex.position()),
                across: Vec2::new(side, edge),
                color: [vertex.advancement(), 0.0, 0.0, 0.0],
            }
        };
        let made = self.strokes.tessellate_path(
            path,
            &options,
            &mut BuffersBuilder::new(&mut self.buffers, corner),
        );
        let length = self.buffers.vertices.iter().map(|it| it.color[0]);
        let length = length.fold(0.0, f32::max).max(1e-6);
        for corner in &mut self.buffers.vertices {
            corner.color = mixed(colors[0], colors[1], corner.color[0] / length);
        }
        self.hand_over(mesh, made.is_ok());
    }

    /// Draws an arrow head with its tip at `tip`, this long and half as wide to each side, that points along `way`, which
    /// has the length 1.
    pub fn head(&mut self, mesh: &mut Mesh, tip: Vec2, way: Vec2, length: f32, color: Color) {
        let aside = way.perp() * length * 0.46;
        let back = tip - way * length;
        self.polygon(
            mesh,
            &[tip, back + aside, back + way * length * 0.22, back - aside],
            color,
        );
    }

    /// Fills a polygon whose corners go round it; its edge fades over a pixel.
    pub fn polygon(&mut self, mesh: &mut Mesh, corners: &[Vec2], color: Color) {
        if corners.len() < 3 || !corners.iter().all(|it| it.is_finite()) {
            return;
        }
        let outwards = outwards(corners);
        let inner = corners.iter().zip(&outwards);
        let inner: Vec<Point> = inner.map(|(&it, &out)| at(it - out * FADE)).collect();
        let polygon = Polygon {
            points: &inner,
            closed: true,
        };
        let solid = Vec2::new(0.0, 1.0);
        let corner = |vertex: FillVertex<'_>| Corner {
            at: vec(vertex.position()),
            across: solid,
            color,
        };
        let made = self.fills.tessellate_polygon(
            polygon,
            &FillOptions::tolerance(EXACT),
            &mut BuffersBuilder::new(&mut self.buffers, corner),
        );
        self.hand_over(mesh, made.is_ok());
        // Around it a band that fades, of the very same points: no seam is seen.
        let first = mesh.corners.len() as u32;
        for ((&it, &out), &inner) in corners.iter().zip(&outwards).zip(&inner) {
            for (at, across) in [(vec(inner), solid), (it + out * FADE, Vec2::ONE)] {
                mesh.corners.push(Corner { at, across, color });
            }
        }
        let count = corners.len() as u32;
        for number in 0..count {
            let [a, b] = [number, (number + 1) % count].map(|it| first + 2 * it);
            mesh.triangles.extend([a, a + 1, b, b, a + 1, b + 1]);
        }
    }

    /// Fills a box with round corners.
    pub fn fill_box(&mut self, mesh: &mut Mesh, rect: Rect, radius: f32, color: Color) {
        let corners = rounded(rect, radius);
        self.polygon(mesh, &corners, color);
    }

    /// Draws the outline of a box with round corners, `width` wide and inside of the box.
    pub fn outline_box(
        &mut self,
        mesh: &mut Mesh,
        rect: Rect,
        radius: f32,
        width: f32,
        color: Color,
    ) {
        let inside = Rect::new(rect.min + width * 0.5, rect.max - width * 0.5);
        let corners = rounded(inside, radius - width * 0.5);
        if corners.is_empty() {
            return;
        }
        let mut path = Path::builder();
        path.begin(at(corners[0]));
        for &corner in &corners[1..] {
            path.line_to(at(corner));
        }
        path.end(true);
        self.stroke(mesh, &path.build(), width, [color; 2]);
    }

    /// Moves what was made to a mesh; what lyon gives up on is left out.
    fn hand_over(&mut self, mesh: &mut Mesh, is_whole: bool) {
        if is_whole {
            let first = mesh.corners.len() as u32;
            mesh.corners.append(&mut self.buffers.vertices);
            mesh.triangles
                .extend(self.buffers.indices.iter().map(|it| it + first));
        }
        self.buffers.vertices.clear();
        self.buffers.indices.clear();
    }
}

/// The corners of a box with round ones, round it; none of a box without an area.
fn rounded(rect: Rect, radius: f32) -> Vec<Vec2> {
    let size = rect.size();
    let is_there = rect.min.is_finite() && rect.max.is_finite() && size.min_element() > 0.0;
    if !is_there {
        return Vec::new();
    }
    let radius = radius.clamp(0.0, size.min_element() * 0.5);
    // A piece this long strays no farther than is allowed.
    let pieces = (FRAC_PI_2 * (radius / EXACT).sqrt() * 0.36)
        .ceil()
        .clamp(1.0, 24.0) as u32;
    let pieces = if radius < 0.5 { 0 } else { pieces };
    let mut corners = Vec::with_capacity(4 * (pieces as usize + 1));
    let Rect { min, max } = rect;
    let middles = [
        max - radius,
        Vec2::new(min.x + radius, max.y - radius),
        min + radius,
        Vec2::new(max.x - radius, min.y + radius),
    ];
    for (quarter, middle) in (0_u8..).zip(middles) {
        for piece in 0..=pieces {
            let share = match pieces {
                0 => 0.5,
                _ => piece as f32 / pieces as f32,
            };
            let angle = FRAC_PI_2 * (f32::from(quarter) + share);
            let out = match pieces {
                0 => Vec2::from_angle(angle) * radius * SQRT_2,
                _ => Vec2::from_angle(angle) * radius,
            };
            corners.push(middle + out);
        }
    }
    corners
}

/// By corner of a polygon where a line that runs a distance of 1 outside of it has its corner; sharp ones are cut off.
fn outwards(corners: &[Vec2]) -> Vec<Vec2> {
    let count = corners.len();
    let next = |at: usize| corners[(at + 1) % count];
    let area: f32 = (0..count).map(|at| corners[at].perp_dot(next(at))).sum();
    let side = |at: usize| {
        let along = (next(at) - corners[at]).normalize_or_zero();
        let out = Vec2::new(along.y, -along.x);
        if area < 0.0 { -out } else { out }
    };
    let outwards = (0..count).map(|at| {
        let [before, after] = [side((at + count - 1) % count), side(at)];
        let both = before + after;
        // Of a corner without an angle the one side that there is.
        let length = both.length_squared();
        if length < 1e-4 {
            return after;
        }
        let most = 4.0;
        let out = both * (2.0 / length);
        out.clamp_length_max(most)
    });
    outwards.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::trace::random::random_numbers;

    const BLACK: Color = [0.0, 0.0, 0.0, 1.0];

    /// How much a mesh covers, in pixels: what fades counts in part.
    fn covered(mesh: &Mesh) -> f32 {
        let triangles = mesh.triangles.chunks_exact(3).map(|corners| {
            let [a, b, c] = [0, 1, 2].map(|it| mesh.corners[corners[it] as usize]);
            let area = (b.at - a.at).perp_dot(c.at - a.at).abs() * 0.5;
            // In many pieces, as coverage is not linear.
            const PIECES: u32 = 24;
            let mut sum = 0.0;
            for i in 0..PIECES {
                for j in 0..PIECES - i {
                    let at = |it: u32| (it as f32 + 1.0 / 3.0) / PIECES as f32;
                    let (u, v) = (at(i), at(j));
                    let across = a.across * (1.0 - u - v) + b.across * u + c.across * v;
                    let most = (2.0 * across.y - 1.0).clamp(0.0, 1.0);
                    sum += (across.y - across.x.abs()).clamp(0.0, 1.0).min(most);
                }
            }
            area * sum / (PIECES * (PIECES + 1) / 2) as f32
        });
        triangles.sum()
    }

    #[test]
    fn a_box_covers_its_area_whatever_its_corners() {
        let mut pen = Pen::default();
        for seed in 0..200 {
            let mut below = random_numbers(seed);
            let mut number = |most: u64| below(most * 16) as f32 / 16.0;
            let min = Vec2::new(number(300) - 100.0, number(200));
            let size = Vec2::new(3.0 + number(200), 3.0 + number(80));
            let radius = number(12);
            let mut mesh = Mesh::default();
            pen.fill_box(&mut mesh, Rect::new(min, min + size), radius, BLACK);
            let round = radius.min(size.min_element() * 0.5);
            let expected = size.x * size.y - (4.0 - std::f32::consts::PI) * round * round;
            let found = covered(&mesh);
            let allowed = 1.5 + expected * 0.01;
            assert!(
                (found - expected).abs() < allowed,
                "seed {seed}: {found}, not {expected}"
            );
        }
    }

    #[test]
    fn a_line_covers_its_width_times_its_length() {
        let mut pen = Pen::default();
        for seed in 0..200 {
            let mut below = random_numbers(seed);
            let mut number = |most: u64| below(most * 16) as f32 / 16.0;
            let mut route = vec![Vec2::new(number(50), number(200))];
            for _ in 0..1 + seed % 4 {
                let last = route[route.len() - 1];
                route.push(last + Vec2::new(40.0 + number(80), number(160) - 80.0));
            }
            let width = 0.2 + number(9);
            let mut mesh = Mesh::default();
            pen.route(&mut mesh, &route, width, [BLACK; 2]);
            let mut points = Vec::new();
            flatten(&route, 1.0, &mut points);
            let length: f32 = points.windows(2).map(|it| it[0].distance(it[1])).sum();
            // What is thinner than a pixel is paler.
            let expected = width * length;
            let found = covered(&mesh);
            let allowed = 0.05 * expected + 2.0;
            assert!(
                (found - expected).abs() < allowed,
                "seed {seed}: {found}, not {expected}"
            );
        }
    }

    #[test]
    fn a_line_goes_over_from_one_colour_to_the_other() {
        let mut mesh = Mesh::default();
        let [red, blue] = [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5]];
        let route = [Vec2::ZERO, Vec2::new(100.0, 0.0), Vec2::new(200.0, 60.0)];
        Pen::default().route(&mut mesh, &route, 3.0, [red, blue]);
        let mut along = mesh.corners.clone();
        along.sort_by(|a, b| a.at.x.total_cmp(&b.at.x));
        assert_eq!(along[0].color, red);
        assert_eq!(along[along.len() - 1].color, blue);
    }

    #[test]
    fn a_route_is_level_at_its_points_and_stays_between_them() {
        let route = [Vec2::ZERO, Vec2::new(40.0, 90.0), Vec2::new(140.0, 90.0)];
        let mut points = Vec::new();
        flatten(&route, 2.0, &mut points);
        assert_eq!((points[0], points[points.len() - 1]), (route[0], route[2]));
        assert!(
            points
                .windows(2)
                .all(|it| it[0].x < it[1].x && it[0].y <= it[1].y)
        );
        let slope = |from: Vec2, to: Vec2| ((to.y - from.y) / (to.x - from.x)).abs();
        assert!(slope(points[0], points[1]) < 0.2);
        assert!(points.iter().all(|it| it.y <= 90.0));
    }

    #[test]
    fn what_is_no_shape_has_no_triangles() {
        let mut pen = Pen::default();
        let mut mesh = Mesh::default();
        let nan = Vec2::new(f32::NAN, 1.0);
        pen.route(&mut mesh, &[], 2.0, [BLACK; 2]);
        pen.route(&mut mesh, &[Vec2::ZERO], 2.0, [BLACK; 2]);
        pen.route(&mut mesh, &[Vec2::ZERO, nan], 2.0, [BLACK; 2]);
        pen.line(&mut mesh, &[Vec2::ZERO, Vec2::ONE], 0.0, [BLACK; 2]);
        pen.line(
            &mut mesh,
            &[Vec2::ZERO, Vec2::ONE],
            f32::INFINITY,
            [BLACK; 2],
        );
        pen.fill_box(&mut mesh, Rect::new(Vec2::ONE, Vec2::ZERO), 2.0, BLACK);
        pen.outline_box(&mut mesh, Rect::new(Vec2::ZERO, nan), 2.0, 1.0, BLACK);
        pen.polygon(&mut mesh, &[Vec2::ZERO, Vec2::ONE], BLACK);
        assert_eq!(mesh, Mesh::default());
        pen.polygon(&mut mesh, &[Vec2::ONE; 5], BLACK);
        assert!(mesh.corners.iter().all(|it| it.at.is_finite()));
    }
}
