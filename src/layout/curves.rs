//! Curves as triangles: lines of graphs, arrow heads, boxes with round corners. Tessellated by `lyon_tessellation`, once
//! when they change and not once a frame.
//!
//! A route is a row of points. From each to the next it goes level at both ends, as a curve between columns does, and
//! straight where both are equally high.

use glam::Vec2;
use lyon_tessellation::geom::Box2D;
use lyon_tessellation::math::{Point, point};
use lyon_tessellation::path::Path;
use lyon_tessellation::path::builder::BorderRadii;
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

    /// Fills a polygon whose corners go round it.
    pub fn polygon(&mut self, mesh: &mut Mesh, corners: &[Vec2], color: Color) {
        if corners.len() < 3 || !corners.iter().all(|it| it.is_finite()) {
            return;
        }
        let mut path = Path::builder();
        path.begin(at(corners[0]));
        for &corner in &corners[1..] {
            path.line_to(at(corner));
        }
        path.end(true);
        self.fill(mesh, &path.build(), color);
    }

    /// Fills a box with round corners.
    pub fn fill_box(&mut self, mesh: &mut Mesh, rect: Rect, radius: f32, color: Color) {
        if let Some(path) = rounded(rect, radius) {
            self.fill(mesh, &path, color);
        }
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
        if let Some(path) = rounded(inside, radius - width * 0.5) {
            self.stroke(mesh, &path, width, [color; 2]);
        }
    }

    /// Fills what is inside of a path; its edge fades over a pixel around it.
    fn fill(&mut self, mesh: &mut Mesh, path: &Path, color: Color) {
        let options = FillOptions::tolerance(EXACT);
        let corner = |vertex: FillVertex<'_>| Corner {
            at: vec(vertex.position()),
            across: Vec2::new(0.0, 1.0),
            color,
        };
        let made = self.fills.tessellate_path(
            path,
            &options,
            &mut BuffersBuilder::new(&mut self.buffers, corner),
        );
        self.hand_over(mesh, made.is_ok());
        // From the edge outwards: the inner side of the line is covered already.
        let edge = StrokeOptions::tolerance(EXACT).with_line_width(2.0);
        let corner = |vertex: StrokeVertex<'_, '_>| {
            let is_out = vertex.side() == Side::Negative;
            Corner {
                at: match is_out {
                    true => vec(vertex.position_on_path() + vertex.normal() * FADE),
                    false => vec(vertex.position_on_path()),
                },
                across: Vec2::new(if is_out { 1.0 } else { 0.5 }, 1.0),
                color,
            }
        };
        let made = self.strokes.tessellate_path(
            path,
            &edge,
            &mut BuffersBuilder::new(&mut self.buffers, corner),
        );
        self.hand_over(mesh, made.is_ok());
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

/// The outline of a box with round corners; none of a box without an area.
fn rounded(rect: Rect, radius: f32) -> Option<Path> {
    let size = rect.size();
    let is_there = rect.min.is_finite() && rect.max.is_finite() && size.min_element() > 0.0;
    if !is_there {
        return None;
    }
    let radius = radius.clamp(0.0, size.min_element() * 0.5);
    let mut path = Path::builder();
    path.add_rounded_rectangle(
        &Box2D::new(at(rect.min), at(rect.max)),
        &BorderRadii::new(radius),
        lyon_tessellation::path::Winding::Positive,
    );
    Some(path.build())
}
