//! The picture of the landscape, or of both, as it is seen, for the clipboard.

use egui::{Rect, Vec2};

use crate::canvas::{Canvas, PictureOf, landscapes};
use crate::panels::context::Layout;
use callscape_look::image::Image;
use callscape_render::gpu::GpuError;
use callscape_views::Split;

/// What is seen of the landscape, or of both; none where nothing is. `own` is the side of the run that plays:
/// 0 for A; what is between two landscapes has the colour `gap`.
pub(super) fn seen(
    canvas: &Canvas,
    layout: &Layout,
    own: usize,
    gap: egui::Color32,
) -> Option<Result<Image, GpuError>> {
    let placed = layout.placed?;
    let place = placed.place;
    let read = |of: PictureOf| -> Result<Image, GpuError> {
        match canvas.read(of) {
            Some(read) => read,
            None => Err(GpuError::Failed("nothing is drawn yet".to_owned())),
        }
    };
    let picture = || -> Result<Image, GpuError> {
        let mut of = landscapes();
        let Some(split) = &placed.split else {
            return Ok(part(&read(of[0])?, place.drawn, place.seen));
        };
        of.rotate_left(own);
        let [a, b] = of.map(read);
        Ok(joined(&[a?, b?], split, gap))
    };
    Some(picture())
}

fn pixels(by: Vec2) -> [u32; 2] {
    [by.x, by.y].map(|side| side.round().max(0.0) as u32)
}

/// What of a picture that is drawn on `place` is in `seen`.
fn part(image: &Image, place: Rect, seen: Rect) -> Image {
    let scale = image.width as f32 / place.width().max(1.0);
    let corner = (seen.min - place.min) * scale;
    image.part(pixels(corner), pixels(seen.size() * scale))
}

/// Both as they stand beside each other, or to both sides of the divider.
fn joined(images: &[Image; 2], split: &Split, gap: egui::Color32) -> Image {
    let mut seen = split.seen;
    if split.places[0] == split.places[1] {
        seen[0].max.x = split.at;
        seen[1].min.x = split.at;
    }
    let all = seen[0].union(seen[1]);
    let scale = images[0].width as f32 / split.places[0].width().max(1.0);
    let [width, height] = pixels(all.size() * scale);
    let [r, g, b, _] = gap.to_array();
    let mut joined = Image {
        width,
        height,
        rgba: [r, g, b, 255].repeat(width as usize * height as usize),
    };
    for side in [0, 1] {
        let part = part(&images[side], split.places[side], seen[side]);
        joined.put(&part, pixels((seen[side].min - all.min) * scale));
    }
    joined
}

#[cfg(test)]
mod tests {
    use egui::{Color32, pos2, vec2};

    use super::*;

    fn plain(value: u8) -> Image {
        Image {
            width: 8,
            height: 4,
            rgba: vec![value; 8 * 4 * 4],
        }
    }

    fn row(image: &Image) -> Vec<u8> {
        let pixels = image.rgba.chunks_exact(4);
        pixels
            .take(image.width as usize)
            .map(|pixel| pixel[0])
            .collect()
    }

    #[test]
    fn both_landscapes_are_copied_beside_each_other_and_to_both_sides_of_a_divider() {
        let images = [plain(1), plain(2)];
        let at = |left: f32| Rect::from_min_size(pos2(left, 10.0), vec2(4.0, 2.0));
        let places = [at(0.0), at(5.0)];
        let beside = Split {
            places,
            seen: places,
            at: 4.5,
        };
        let picture = joined(&images, &beside, Color32::from_gray(9));
        assert_eq!([picture.width, picture.height], [18, 4]);
        assert_eq!(
            row(&picture),
            [[1; 8].as_slice(), &[9; 2], &[2; 8]].concat()
        );
        let wipe = Split {
            places: [at(0.0); 2],
            seen: [at(0.0); 2],
            at: 1.0,
        };
        let picture = joined(&images, &wipe, Color32::BLACK);
        assert_eq!([picture.width, picture.height], [8, 4]);
        assert_eq!(row(&picture), [1, 1, 2, 2, 2, 2, 2, 2]);
    }
}
