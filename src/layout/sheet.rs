//! Flat geometry of the views that are not a landscape: what an overview, a flame chart or a graph puts on its
//! sheet. In physical pixels, x to the right and y down from the sheet's top left corner.

use std::ops::Range;

use glam::Vec2;

use super::geometry::Color;

/// An axis-aligned rectangle; `min` is its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub min: Vec2,
    pub max: Vec2,
}

impl Rect {
    pub const fn new(min: Vec2, max: Vec2) -> Rect {
        Rect { min, max }
    }

    pub fn size(self) -> Vec2 {
        self.max - self.min
    }

    pub fn contains(self, point: Vec2) -> bool {
        point.cmpge(self.min).all() && point.cmplt(self.max).all()
    }
}

/// A rectangle of one colour. Edges between pixels are drawn by how much of the pixel they cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    pub rect: Rect,
    pub color: Color,
}

/// A picture stretched over a rectangle without smoothing: a pixel of the sheet shows the cell that its
/// middle lies in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raster {
    pub rect: Rect,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Row by row from the top left: red, green, blue encoded as sRGB, and alpha, not multiplied in.
    pub pixels: Vec<[u8; 4]>,
}

/// Letters in one line, cut off at the edges of `clip`.
#[derive(Clone, Debug, PartialEq)]
pub struct TextRun {
    /// Into [`Sheet::letters`].
    pub letters: Range<u32>,
    /// The left end of the line's middle between ascent and descent.
    pub at: Vec2,
    /// Height of the em square.
    pub em: f32,
    pub color: Color,
    pub clip: Rect,
}

/// A corner of triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corner {
    pub at: Vec2,
    /// How far it is from the middle of the line that it belongs to, and how far from there nothing of the line is seen:
    /// what is less than a pixel away from that fades. For what does not fade 0 and 1.
    pub across: Vec2,
    pub color: Color,
}

/// Triangles with edges that fade over a pixel, drawn in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub corners: Vec<Corner>,
    /// Three corners each.
    pub triangles: Vec<u32>,
}

impl Mesh {
    /// Takes everything off and keeps the memory.
    pub fn clear(&mut self) {
        self.corners.clear();
        self.triangles.clear();
    }

    /// Leaves the first so many corners and what they are corners of.
    pub fn truncate(&mut self, corners: usize, triangles: usize) {
        self.corners.truncate(corners);
        self.triangles.truncate(triangles);
    }
}

/// Everything on a sheet, drawn in the order of the fields: pictures, fills, triangles, texts, marks over them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    pub rasters: Vec<Raster>,
    pub fills: Vec<Fill>,
    /// Curves, arrow heads, boxes with round corners.
    pub mesh: Mesh,
    pub texts: Vec<TextRun>,
    /// All texts one after the other.
    pub letters: String,
    /// Time markers, outlines of what is pointed at or chosen.
    pub marks: Vec<Fill>,
}

impl Sheet {
    /// Takes everything off the sheet and keeps the memory.
    pub fn clear(&mut self) {
        self.rasters.clear();
        self.fills.clear();
        self.mesh.clear();
        self.texts.clear();
        self.letters.clear();
        self.marks.clear();
    }

    /// Writes `text` with its left end and vertical middle at `at`.
    pub fn write(&mut self, text: &str, at: Vec2, em: f32, color: Color, clip: Rect) {
        let start = self.letters.len() as u32;
        self.letters.push_str(text);
        self.texts.push(TextRun {
            letters: start..self.letters.len() as u32,
            at,
            em,
            color,
            clip,
        });
    }

    /// Marks the edge of `rect` with lines of `width` pixels that lie inside it.
    pub fn outline(&mut self, rect: Rect, width: f32, color: Color) {
        let Rect { min, max } = rect;
        let sides = [
            Rect::new(min, Vec2::new(max.x, min.y + width)),
            Rect::new(Vec2::new(min.x, max.y - width), max),
            Rect::new(
                Vec2::new(min.x, min.y + width),
                Vec2::new(min.x + width, max.y - width),
            ),
            Rect::new(
                Vec2::new(max.x - width, min.y + width),
                Vec2::new(max.x, max.y - width),
            ),
        ];
        let sides = sides
            .into_iter()
            .filter(|side| side.size().min_element() > 0.0);
        self.marks.extend(sides.map(|rect| Fill { rect, color }));
    }
}
