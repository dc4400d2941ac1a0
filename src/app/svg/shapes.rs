//! What egui paints as vector graphics: shapes before they are cut into triangles.

use egui::emath::Rot2;
use egui::epaint::{
    CircleShape, ClippedShape, ColorMode, CubicBezierShape, EllipseShape, PathShape, PathStroke,
    QuadraticBezierShape, RectShape, StrokeKind, TextShape,
};
use egui::{Color32, FontFamily, Mesh, Pos2, Rect, Shape, Stroke, TextureId};
use glam::Vec2;

use super::{At, Ink, Lettering, Sides, Svg, number, paint, plate};
use callscape_layout::sheet::Sheet;
use callscape_look::image::Image;
use callscape_model::theme::Theme;
use callscape_views::style;

/// What textures show.
pub(crate) struct Textures<'a> {
    /// The one that the sheet of a view is drawn on, and pixels of the sheet for a point.
    pub sheet: Option<(TextureId, &'a Sheet, f32)>,
    pub theme: Theme,
    /// A picture of all that is painted: what other textures show is cut out of it.
    pub painted: &'a mut dyn FnMut() -> Option<Image>,
}

/// Letters that follow one another along a ring, and the middle of the last one with its width.
#[derive(Default)]
struct Bent {
    text: String,
    places: Vec<At>,
    last: Option<(Pos2, f32, Lettering)>,
}

/// A feathered edge is no wider, in points.
const FEATHER: f32 = 2.0;

fn ink(color: Color32) -> Ink {
    color.to_srgba_unmultiplied()
}

fn sides(of: Rect) -> Sides {
    [of.min.x, of.min.y, of.max.x, of.max.y]
}

fn point(of: Pos2) -> String {
    format!("{} {}", number(of.x), number(of.y))
}

fn area(fill: Color32, stroke: &Stroke) -> String {
    let mut style = match fill {
        Color32::TRANSPARENT => " fill=\"none\"".to_owned(),
        _ => paint("fill", ink(fill)),
    };
    if stroke.width > 0.0 && stroke.color.a() > 0 {
        style.push_str(&paint("stroke", ink(stroke.color)));
        style.push_str(&format!(" stroke-width=\"{}\"", number(stroke.width)));
    }
    style
}

/// The colour of what changes along its way is that in its middle.
fn plain(stroke: &PathStroke, bounds: Rect) -> Stroke {
    let color = match &stroke.color {
        ColorMode::Solid(color) => *color,
        ColorMode::UV(color) => color(bounds, bounds.center()),
    };
    Stroke::new(stroke.width, color)
}

fn turned(angle: f32, about: Pos2) -> String {
    match angle {
        0.0 => String::new(),
        _ => format!(
            " transform=\"rotate({} {})\"",
            number(angle.to_degrees()),
            point(about)
        ),
    }
}

impl Svg {
    /// Adds what is painted, in points.
    pub(crate) fn shapes(&mut self, shapes: &[ClippedShape], textures: &mut Textures<'_>) {
        let mut bent = Bent::default();
        let mut picture = None;
        for it in shapes {
            let clip = Some(sides(it.clip_rect));
            if !it.clip_rect.is_positive() {
                continue;
            }
            self.shape(&it.shape, clip, &mut bent, (textures, &mut picture));
        }
        self.unbend(&mut bent);
    }

    fn shape(
        &mut self,
        shape: &Shape,
        clip: Option<Sides>,
        bent: &mut Bent,
        (textures, picture): (&mut Textures<'_>, &mut Option<Image>),
    ) {
        if let Shape::Vec(shapes) = shape {
            for shape in shapes {
                self.shape(shape, clip, bent, (&mut *textures, &mut *picture));
            }
            return;
        }
        if let Shape::Text(text) = shape
            && bent.goes_on_with(text)
        {
            return bent.add(text);
        }
        self.unbend(bent);
        self.clip_to(clip);
        match shape {
            Shape::Noop | Shape::Vec(_) | Shape::Callback(_) => {}
            Shape::Text(text) if is_letter(text) => bent.add(text),
            Shape::Text(text) => self.galley(text),
            Shape::Rect(rect) => self.box_of(rect, textures, picture),
            Shape::Mesh(mesh) if mesh.texture_id != TextureId::default() => {
                self.texture(mesh.texture_id, mesh.calc_bounds(), textures, picture);
            }
            Shape::Mesh(mesh) => self.triangles(&sharp(mesh), &mesh.indices),
            Shape::Band(band) => {
                let [mut above, mut below] = [0, 1].map(|_| Vec::with_capacity(band.points.len()));
                let turn = Rot2::from_angle(band.angle);
                for it in &band.points {
                    let at = |y: f32| (turn * egui::vec2(it.x, y)).to_pos2();
                    above.push(at(it.y.min));
                    below.push(at(it.y.max));
                }
                above.extend(below.into_iter().rev());
                self.points(&above, true, &area(band.fill, &band.stroke));
            }
            _ => self.plain_shape(shape),
        }
    }

    fn plain_shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Circle(CircleShape {
                center,
                radius,
                fill,
                stroke,
            }) => {
                let [x, y, r] = [center.x, center.y, *radius].map(number);
                let style = area(*fill, stroke);
                self.add(&format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{style}"));
            }
            Shape::Ellipse(EllipseShape {
                center,
                radius,
                fill,
                stroke,
                angle,
            }) => {
                let [x, y, rx, ry] = [center.x, center.y, radius.x, radius.y].map(number);
                let style = area(*fill, stroke) + &turned(*angle, *center);
                self.add(&format!(
                    "ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\"{style}"
                ));
            }
            Shape::LineSegment { points, stroke } => {
                self.points(points, false, &area(Color32::TRANSPARENT, stroke));
            }
            Shape::Path(PathShape {
                points,
                closed,
                fill,
                stroke,
            }) => {
                let stroke = plain(stroke, shape.visual_bounding_rect());
                self.points(points, *closed, &area(*fill, &stroke));
            }
            Shape::QuadraticBezier(QuadraticBezierShape {
                points: [from, by, to],
                closed,
                fill,
                stroke,
            }) => {
                let way = format!("M{}Q{} {}", point(*from), point(*by), point(*to));
                self.curve(
                    way,
                    *closed,
                    *fill,
                    &plain(stroke, shape.visual_bounding_rect()),
                );
            }
            Shape::CubicBezier(CubicBezierShape {
                points: [from, first, second, to],
                closed,
                fill,
                stroke,
            }) => {
                let [from, first, second, to] = [from, first, second, to].map(|it| point(*it));
                let way = format!("M{from}C{first} {second} {to}");
                self.curve(
                    way,
                    *closed,
                    *fill,
                    &plain(stroke, shape.visual_bounding_rect()),
                );
            }
            _ => {}
        }
    }

    fn curve(&mut self, way: String, is_closed: bool, fill: Color32, stroke: &Stroke) {
        let end = if is_closed { "Z" } else { "" };
        self.path(&format!("{way}{end}"), &area(fill, stroke));
    }

    fn points(&mut self, points: &[Pos2], is_closed: bool, style: &str) {
        if !points.iter().all(|it| it.is_finite()) {
            return;
        }
        let way: Vec<String> = points.iter().map(|it| point(*it)).collect();
        let end = if is_closed { "Z" } else { "" };
        self.path(&format!("M{}{end}", way.join("L")), style);
    }

    fn box_of(&mut self, it: &RectShape, textures: &mut Textures<'_>, picture: &mut Option<Image>) {
        if let Some(brush) = &it.brush {
            return self.texture(brush.fill_texture_id, it.rect, textures, picture);
        }
        let by = match it.stroke_kind {
            StrokeKind::Inside => -0.5 * it.stroke.width,
            StrokeKind::Middle => 0.0,
            StrokeKind::Outside => 0.5 * it.stroke.width,
        };
        let radius = f32::from(it.corner_radius.nw.max(it.corner_radius.se));
        let mut style = turned(it.angle, it.rect.center());
        if it.blur_width > 0.0 {
            style.push_str(&format!(
                " style=\"filter:blur({}px)\"",
                number(0.5 * it.blur_width)
            ));
        }
        if !it.rect.is_finite() {
            return;
        }
        if it.fill.a() > 0 && it.rect.is_positive() {
            let fill = paint("fill", ink(it.fill)) + &style;
            self.rect(sides(it.rect), radius, &fill);
        }
        if it.stroke.width > 0.0 && it.stroke.color.a() > 0 {
            let stroke = area(Color32::TRANSPARENT, &it.stroke) + &style;
            self.rect(sides(it.rect.expand(by)), (radius + by).max(0.0), &stroke);
        }
    }

    /// What a texture shows: a sheet as it is, anything else as pixels.
    fn texture(
        &mut self,
        id: TextureId,
        rect: Rect,
        textures: &mut Textures<'_>,
        picture: &mut Option<Image>,
    ) {
        if let Some((_, sheet, scale)) = textures.sheet.filter(|it| it.0 == id) {
            let to = [rect.min.x, rect.min.y];
            let theme = textures.theme;
            let [right, bottom] = [rect.max.x, rect.max.y];
            self.rect(
                [to[0], to[1], right, bottom],
                0.0,
                &paint("fill", plate(theme)),
            );
            return self.moved(to, 1.0 / scale, |svg| svg.sheet(sheet, theme));
        }
        if picture.is_none() {
            *picture = (textures.painted)();
        }
        let Some(whole) = picture.as_ref().filter(|_| rect.is_finite()) else {
            return;
        };
        let scale = whole.width as f32 / self.size[0];
        let pixels = |of: f32| (of.max(0.0) * scale).round() as u32;
        let corner = [rect.min.x, rect.min.y].map(pixels);
        let end = [rect.max.x, rect.max.y].map(pixels);
        let size = [0, 1].map(|side| end[side].saturating_sub(corner[side]));
        let part = whole.part(corner, size);
        if part.width > 0 && part.height > 0 {
            let [left, top] = corner.map(|it| it as f32 / scale);
            let [wide, high] = [part.width, part.height].map(|it| it as f32 / scale);
            self.image([left, top, left + wide, top + high], &part);
        }
    }

    /// Writes the lines of a text, in parts that look alike.
    fn galley(&mut self, it: &TextShape) {
        for part in parts(it) {
            self.text(&part.text, &[part.at], &part.letters);
        }
    }

    /// Writes the letters that were collected along a ring.
    fn unbend(&mut self, bent: &mut Bent) {
        let of = std::mem::take(bent);
        if let Some((_, _, letters)) = &of.last {
            self.text(&of.text, &of.places, letters);
        }
    }
}

/// A part of a text that looks alike.
struct Part {
    text: String,
    at: At,
    letters: Lettering,
}

fn parts(it: &TextShape) -> Vec<Part> {
    let (galley, turn) = (&it.galley, Rot2::from_angle(it.angle));
    let job = &galley.job;
    let section_at = |byte: usize| {
        let mut sections = job.sections.iter();
        let place =
            sections.position(|it| (it.byte_range.start.0..it.byte_range.end.0).contains(&byte));
        place.unwrap_or(job.sections.len().saturating_sub(1))
    };
    let mut letters = job.text.char_indices();
    let mut parts = Vec::new();
    let glyphs = || galley.rows.iter().flat_map(|row| &row.row.glyphs);
    // Letters that go from right to left are laid out in another order than that of the text: the viewer orders them.
    let is_ordered = galley.rows.len() > 1 || galley.elided || {
        let mut text = job.text.chars();
        glyphs().all(|it| text.next() == Some(it.chr))
    };
    for row in &galley.rows {
        // The section of the open part, its text, where it begins and ends, and how low it is.
        let mut open: Option<(usize, String, [f32; 2], f32)> = None;
        let mut close = |open: Option<(usize, String, [f32; 2], f32)>| {
            let Some((section, text, [from, to], base)) = open else {
                return;
            };
            let Some(format) = job.sections.get(section).map(|it| &it.format) else {
                return;
            };
            let own = match format.color {
                Color32::PLACEHOLDER => it.fallback_color,
                own => own,
            };
            let color = it.override_text_color.unwrap_or(own);
            let at = it.pos + turn * (row.pos.to_vec2() + egui::vec2(from, base));
            let length = to - from;
            parts.push(Part {
                text: match is_ordered {
                    true => text,
                    false => job.text.clone(),
                },
                at: At {
                    at: [at.x, at.y],
                    turn: it.angle.to_degrees(),
                },
                letters: Lettering {
                    em: format.font_id.size,
                    ink: ink(color.gamma_multiply(it.opacity_factor)),
                    is_fixed: format.font_id.family == FontFamily::Monospace,
                    weight: if format.font_id.family == style::semi_bold() {
                        600
                    } else {
                        500
                    },
                    is_slanted: format.italics,
                    is_underlined: format.underline.width > 0.0 || it.underline.width > 0.0,
                    // As wide as here, whichever font the viewer has.
                    length: is_ordered.then_some(length),
                },
            });
        };
        for glyph in &row.row.glyphs {
            let byte = letters.next().map_or(job.text.len(), |it| it.0);
            let section = section_at(byte);
            let end = glyph.pos.x + glyph.advance_width;
            if let Some((.., [first, to], _)) = open.as_mut().filter(|_| !is_ordered) {
                (*first, *to) = (first.min(glyph.pos.x), to.max(end));
                continue;
            }
            if glyph.chr == '\t' {
                close(open.take());
                continue;
            }
            match &mut open {
                Some((of, text, [_, to], base)) if *of == section && *base == glyph.pos.y => {
                    text.push(glyph.chr);
                    *to = end;
                }
                _ => {
                    close(open.take());
                    let from = glyph.pos.x;
                    let text = glyph.chr.to_string();
                    open = Some((section, text, [from, end], glyph.pos.y));
                }
            }
        }
        close(open);
        if row.ends_with_newline {
            letters.next();
        }
    }
    parts
}

/// Whether a text is one letter that is turned: names along rings are written so.
fn is_letter(it: &TextShape) -> bool {
    it.angle != 0.0 && it.galley.text().chars().count() == 1
}

impl Bent {
    /// Where the middle of a letter is.
    fn middle(it: &TextShape) -> Pos2 {
        it.pos + Rot2::from_angle(it.angle) * (it.galley.size() * 0.5)
    }

    /// Whether a letter begins where the last one ended.
    fn goes_on_with(&self, it: &TextShape) -> bool {
        let Some((last, width, _)) = self.last.as_ref().filter(|_| is_letter(it)) else {
            return false;
        };
        let away = last.distance(Bent::middle(it));
        (away - 0.5 * (width + it.galley.size().x)).abs() < 1.5
    }

    fn add(&mut self, it: &TextShape) {
        for part in parts(it) {
            self.text.push_str(&part.text);
            self.places.push(part.at);
            self.last = Some((Bent::middle(it), it.galley.size().x, part.letters));
        }
    }
}

/// Corners with sharp edges where a mesh fades over a pixel: what is transparent there goes half the way to what is not.
fn sharp(mesh: &Mesh) -> Vec<(Vec2, Ink)> {
    let corners = mesh.vertices.iter();
    let mut corners: Vec<(Vec2, Ink)> = corners
        .map(|it| (Vec2::new(it.pos.x, it.pos.y), ink(it.color)))
        .collect();
    let mut near: Vec<Option<(f32, usize)>> = vec![None; corners.len()];
    for of in mesh.indices.chunks_exact(3) {
        for (&clear, &solid) in of.iter().flat_map(|a| of.iter().map(move |b| (a, b))) {
            let [a, b] = [clear, solid].map(|it| it as usize);
            if let (Some(from), Some(to)) = (corners.get(a), corners.get(b))
                && from.1[3] == 0
                && to.1[3] > 0
            {
                let away = from.0.distance(to.0);
                if away <= FEATHER && near[a].is_none_or(|it| away < it.0) {
                    near[a] = Some((away, b));
                }
            }
        }
    }
    for (clear, near) in near.into_iter().enumerate() {
        if let Some((_, solid)) = near {
            let (at, ink) = corners[solid];
            corners[clear] = ((corners[clear].0 + at) * 0.5, ink);
        }
    }
    corners
}
