//! What can be counted in a picture of a view: how much of it is used, and what is wrong with its labels.

use egui::epaint::ClippedShape;
use egui::{Color32, Pos2, Rect, Shape, pos2, vec2};
use glam::Vec2;

use callscape_layout::sheet::{Mesh, Sheet};
use callscape_look::theme::decoded;

/// The least that a letter is high, in pixels of a picture of 1080 lines or less.
const LEAST_EM: f32 = 11.0;

/// The least contrast of letters on what is behind them (Web Content Accessibility Guidelines 2.2, criterion 1.4.3).
const LEAST_CONTRAST: f32 = 4.5;

/// Letters of the embedded typeface are this wide on average, in ems.
const WIDTH: f32 = 0.5;

/// Linear, not transparent.
type Opaque = [f32; 3];

/// The counts of one picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// The share of the picture that lies between its outermost things.
    pub used: f32,
    pub labels: usize,
    /// Labels of which a part is left out.
    pub cut: usize,
    /// Labels of less than 11 pixels.
    pub small: usize,
    /// Labels with a contrast below 4.5 : 1.
    pub pale: usize,
    /// Labels that stick out of the picture.
    pub outside: usize,
}

impl Counts {
    /// The worst of two pictures, and all labels of both.
    pub(super) fn with(self, other: Counts) -> Counts {
        Counts {
            used: self.used.min(other.used),
            labels: self.labels + other.labels,
            cut: self.cut + other.cut,
            small: self.small + other.small,
            pale: self.pale + other.pale,
            outside: self.outside + other.outside,
        }
    }
}

/// A picture, gone through in the order in which it is painted.
pub(super) struct Seen {
    size: Rect,
    scale: f32,
    ground: Opaque,
    /// What covers whole areas, and its colour with straight alpha.
    areas: Vec<(Area, [f32; 4])>,
    bounds: Rect,
    counts: Counts,
}

enum Area {
    Rect(Rect),
    Circle(Pos2, f32),
    Triangle([Vec2; 3]),
}

impl Area {
    fn contains(&self, at: Pos2) -> bool {
        match *self {
            Area::Rect(rect) => rect.contains(at),
            Area::Circle(center, radius) => center.distance(at) <= radius,
            Area::Triangle([a, b, c]) => {
                let at = Vec2::new(at.x, at.y);
                let sides = [(a, b), (b, c), (c, a)].map(|(a, b)| (b - a).perp_dot(at - a));
                sides.iter().all(|it| *it >= 0.0) || sides.iter().all(|it| *it <= 0.0)
            }
        }
    }
}

impl Seen {
    /// Of a picture of `size` points with `scale` pixels each.
    pub(super) fn new(size: egui::Vec2, scale: f32, ground: Color32) -> Seen {
        let [r, g, b, _] = linear(ground);
        Seen {
            size: Rect::from_min_size(Pos2::ZERO, size),
            scale,
            ground: [r, g, b],
            areas: Vec::new(),
            bounds: Rect::NOTHING,
            counts: Counts::default(),
        }
    }

    pub(super) fn counts(self) -> Counts {
        let used = self.bounds.intersect(self.size);
        let used = if used.is_positive() {
            used.area() / self.size.area()
        } else {
            0.0
        };
        Counts {
            used,
            ..self.counts
        }
    }

    /// Flat geometry, in pixels.
    pub(super) fn sheet(&mut self, sheet: &Sheet) {
        let rect = |it: callscape_layout::sheet::Rect| {
            Rect::from_min_max(pos2(it.min.x, it.min.y), pos2(it.max.x, it.max.y))
        };
        for raster in &sheet.rasters {
            self.bounds |= rect(raster.rect);
        }
        for fill in &sheet.fills {
            self.area(Area::Rect(rect(fill.rect)), rect(fill.rect), fill.color);
        }
        self.mesh(&sheet.mesh);
        for text in &sheet.texts {
            let letters = &sheet.letters[text.letters.start as usize..text.letters.end as usize];
            let width = letters.chars().count() as f32 * WIDTH * text.em;
            let whole = Rect::from_min_size(
                pos2(text.at.x, text.at.y - text.em / 2.0),
                vec2(width, text.em),
            );
            let shown = whole.intersect(rect(text.clip)).intersect(self.size);
            if shown.is_positive() {
                let is_cut = letters.contains('…');
                self.label(whole, shown, text.em, is_cut, text.color);
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh) {
        for corners in mesh.triangles.chunks_exact(3) {
            let corners = [0, 1, 2].map(|k| mesh.corners[corners[k] as usize]);
            let at = corners.map(|it| it.at);
            let bounds = Rect::from_points(&at.map(|it| pos2(it.x, it.y)));
            self.area(Area::Triangle(at), bounds, corners[0].color);
        }
    }

    fn area(&mut self, area: Area, bounds: Rect, color: [f32; 4]) {
        if color[3] > 0.0 && bounds.intersects(self.size) {
            // What covers everything is the ground.
            if !bounds.contains_rect(self.size) {
                self.bounds |= bounds;
            }
            self.areas.push((area, color));
        }
    }

    /// Widgets, in points.
    pub(super) fn shapes(&mut self, shapes: &[ClippedShape]) {
        for shape in shapes {
            self.shape(&shape.shape, shape.clip_rect);
        }
    }

    fn shape(&mut self, shape: &Shape, clip: Rect) {
        match shape {
            Shape::Vec(all) => all.iter().for_each(|it| self.shape(it, clip)),
            Shape::Rect(it) => {
                let seen = it.rect.intersect(clip);
                if seen.is_positive() {
                    self.area(Area::Rect(seen), seen, linear(it.fill));
                }
            }
            Shape::Circle(it) => {
                let bounds = Rect::from_center_size(it.center, vec2(2.0, 2.0) * it.radius);
                let area = Area::Circle(it.center, it.radius);
                self.area(area, bounds, linear(it.fill));
            }
            Shape::Text(text) => {
                let whole = text.visual_bounding_rect();
                let shown = whole.intersect(clip);
                let letters = &text.galley.job.text;
                if !shown.is_positive() || letters.trim().is_empty() {
                    return;
                }
                let format = text.galley.job.sections.first().map(|it| &it.format);
                let em = format.map_or(LEAST_EM, |it| it.font_id.size);
                let own = format.map_or(Color32::PLACEHOLDER, |it| it.color);
                let own = match own {
                    Color32::PLACEHOLDER => text.fallback_color,
                    own => own,
                };
                let color = text.override_text_color.unwrap_or(own);
                let color = color.gamma_multiply(text.opacity_factor);
                // A row that is scrolled half out of sight is not cut.
                let is_cut = text.galley.elided || whole.width() > shown.width() + 1.0;
                self.label(whole, shown, em * self.scale, is_cut, linear(color));
            }
            // Lines and curves cover no letters.
            _ => self.bounds |= shape.visual_bounding_rect().intersect(clip),
        }
    }

    fn label(&mut self, whole: Rect, shown: Rect, em: f32, is_cut: bool, color: [f32; 4]) {
        self.bounds |= shown;
        let behind = self.behind(shown.center());
        let contrast = contrast(over(color, behind), behind);
        let sticks_out = whole.min.x < self.size.min.x - 1.0 || whole.max.y > self.size.max.y + em;
        let counts = &mut self.counts;
        counts.labels += 1;
        counts.cut += usize::from(is_cut);
        counts.small += usize::from(em < LEAST_EM * self.scale - 0.01);
        counts.pale += usize::from(contrast < LEAST_CONTRAST);
        counts.outside += usize::from(sticks_out);
    }

    /// The colour that is to be seen at a point.
    fn behind(&self, at: Pos2) -> Opaque {
        let areas = self.areas.iter().filter(|(area, _)| area.contains(at));
        areas.fold(self.ground, |behind, (_, color)| over(*color, behind))
    }
}

fn over([r, g, b, alpha]: [f32; 4], behind: Opaque) -> Opaque {
    let [x, y, z] = behind;
    [(r, x), (g, y), (b, z)].map(|(of, behind)| of * alpha + behind * (1.0 - alpha))
}

fn linear(color: Color32) -> [f32; 4] {
    let [r, g, b, a] = color.to_srgba_unmultiplied();
    let [r, g, b] = [r, g, b].map(decoded);
    [r, g, b, f32::from(a) / 255.0]
}

/// By the Web Content Accessibility Guidelines 2.2.
fn contrast(a: Opaque, b: Opaque) -> f32 {
    let luminance = |[r, g, b]: Opaque| 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    let [a, b] = [luminance(a), luminance(b)];
    a.max(b) / a.min(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_layout::sheet::{Fill, Rect as Flat};

    #[test]
    fn each_fault_of_a_label_is_counted() {
        let mut sheet = Sheet::default();
        let all = Flat::new(Vec2::ZERO, Vec2::splat(100.0));
        sheet.fills.push(Fill {
            rect: Flat::new(Vec2::ZERO, Vec2::new(50.0, 100.0)),
            color: [0.0, 0.0, 0.0, 1.0],
        });
        let (black, white) = ([0.0, 0.0, 0.0, 1.0], [1.0; 4]);
        sheet.write("fine", Vec2::new(5.0, 20.0), 12.0, white, all);
        sheet.write("pale", Vec2::new(5.0, 40.0), 12.0, black, all);
        sheet.write("c…t", Vec2::new(5.0, 60.0), 12.0, white, all);
        sheet.write("small", Vec2::new(5.0, 80.0), 9.0, white, all);
        sheet.write("outside", Vec2::new(-9.0, 90.0), 12.0, white, all);
        let mut seen = Seen::new(vec2(100.0, 100.0), 1.0, Color32::WHITE);
        seen.sheet(&sheet);
        let counts = seen.counts();
        let expected = Counts {
            used: 0.5,
            labels: 5,
            cut: 1,
            small: 1,
            pale: 1,
            outside: 1,
        };
        assert_eq!(counts, expected);
    }
}
