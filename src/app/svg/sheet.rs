//! A sheet as vector graphics: what [`SheetRenderer`](callscape_render::sheet::SheetRenderer) draws of it.

use glam::Vec2;

use super::{Ink, Sides, Svg, paint};
use callscape_layout::geometry::Color;
use callscape_layout::sheet::{Fill, Mesh, Rect, Sheet};
use callscape_look::image::Image;
use callscape_look::theme::{Palette, decoded, encoded};
use callscape_model::theme::Theme;

/// Edges fade over a pixel: they are half a pixel before what is not seen at all.
const FADE: f32 = 0.5;

/// What sheets are drawn on.
pub(crate) fn plate(theme: Theme) -> Ink {
    let [r, g, b] = Palette::of(theme).plate.map(encoded);
    [r, g, b, 255]
}

/// A colour that looks on the plate of a theme as on the sheet. There light is mixed, in a file its codes are.
fn ink(color: Color, theme: Theme) -> Ink {
    let plate = Palette::of(theme).plate;
    let alpha = color[3].clamp(0.0, 1.0);
    // Of each part what is behind it and what comes of both, as codes.
    let parts = [0, 1, 2].map(|part| {
        let mixed = color[part] * alpha + plate[part] * (1.0 - alpha);
        [plate[part], mixed].map(|it| f32::from(encoded(it)))
    });
    let needed = parts.map(|[behind, mixed]| match mixed > behind {
        true => (mixed - behind) / (255.0 - behind),
        false => (behind - mixed) / behind.max(1.0),
    });
    let opacity = needed.into_iter().fold(alpha, f32::max).max(1e-3);
    let code = |it: f32| it.round().clamp(0.0, 255.0) as u8;
    let [r, g, b] = parts.map(|[behind, mixed]| code(behind + (mixed - behind) / opacity));
    [r, g, b, code(opacity.min(1.0) * 255.0)]
}

fn sides(of: Rect) -> Sides {
    [of.min.x, of.min.y, of.max.x, of.max.y]
}

impl Svg {
    /// Adds a sheet as it is drawn in a theme, whose plate is behind it.
    pub(crate) fn sheet(&mut self, sheet: &Sheet, theme: Theme) {
        for raster in &sheet.rasters {
            let [width, height] = raster.size;
            if raster.pixels.len() != width as usize * height as usize || raster.pixels.is_empty() {
                continue;
            }
            let mixed = raster.pixels.iter().map(|&[r, g, b, a]| {
                let [r, g, b] = [r, g, b].map(decoded);
                ink([r, g, b, f32::from(a) / 255.0], theme)
            });
            let rgba = mixed.flatten().collect();
            let image = Image {
                width,
                height,
                rgba,
            };
            self.image(sides(raster.rect), &image);
        }
        self.fills(&sheet.fills, theme);
        let mesh = &sheet.mesh;
        let inks = mesh.corners.iter().map(|it| ink(it.color, theme));
        let corners: Vec<(Vec2, Ink)> = edges(mesh).into_iter().zip(inks).collect();
        self.triangles(&corners, &mesh.triangles);
        for run in &sheet.texts {
            let range = run.letters.start as usize..run.letters.end as usize;
            let text = sheet.letters.get(range).unwrap_or_default();
            // Hardly a letter is wider than it is high.
            let is_within = run.at.x + text.chars().count() as f32 * run.em <= run.clip.max.x
                && run.at.x >= run.clip.min.x
                && run.at.y - run.em >= run.clip.min.y
                && run.at.y + run.em <= run.clip.max.y;
            self.clip_to((!is_within).then(|| sides(run.clip)));
            self.line(text, run.at.to_array(), run.em, ink(run.color, theme));
        }
        self.clip_to(None);
        self.fills(&sheet.marks, theme);
    }

    fn fills(&mut self, fills: &[Fill], theme: Theme) {
        for fill in fills {
            let size = fill.rect.size();
            if size.is_finite() && size.min_element() > 0.0 && fill.color[3] > 0.0 {
                self.rect(
                    sides(fill.rect),
                    0.0,
                    &paint("fill", ink(fill.color, theme)),
                );
            }
        }
    }
}

/// Where corners are once edges that fade are sharp ones.
fn edges(mesh: &Mesh) -> Vec<Vec2> {
    let mut slopes = vec![Vec2::ZERO; mesh.corners.len()];
    for of in mesh.triangles.chunks_exact(3) {
        let at = |corner: usize| mesh.corners.get(of[corner] as usize);
        let (Some(a), Some(b), Some(c)) = (at(0), at(1), at(2)) else {
            continue;
        };
        let (along, aside) = (b.at - a.at, c.at - a.at);
        let area = along.perp_dot(aside);
        let [rise, side] = [b.across.x - a.across.x, c.across.x - a.across.x];
        let slope = (along * side - aside * rise).perp() / area;
        if slope.is_finite() {
            let slope = slope.normalize_or_zero();
            of.iter().for_each(|&it| slopes[it as usize] += slope);
        }
    }
    let corners = mesh.corners.iter().zip(slopes);
    let moved = corners.map(|(it, slope)| {
        let over = (it.across.x.abs() - (it.across.y - FADE)).max(0.0);
        it.at - slope.normalize_or_zero() * over * it.across.x.signum()
    });
    moved.collect()
}
