//! Glyphs as distances to their outline, in one texture: sharp at every scale and angle.
//!
//! The distance field of Valve's "Improved Alpha-Tested Magnification" (Green, SIGGRAPH 2007), from the
//! exact distance transform of Felzenszwalb and Huttenlocher (2012) of a larger raster.

use std::collections::HashMap;

use glyphon::{CacheKey, SwashContent, cosmic_text::CacheKeyFlags, fontdb};

use super::text::Fonts;

/// Texels of the em square.
const EM: f32 = 56.0;
/// Distances reach so many texels to both sides of the outline.
const SPREAD: usize = 7;
/// Pixels of the raster along a texel.
const FINER: usize = 4;
/// Side of the texture: room for some 1,400 letters, or half as many ideographs.
const SIDE: u32 = 2048;

/// Where a glyph stands in the texture and about its pen position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Glyph {
    /// Left, top, right, bottom in the texture, 0 to 1.
    pub uv: [f32; 4],
    /// Left and bottom of the quad from the pen on the baseline, its width and height, in ems.
    pub left: f32,
    pub bottom: f32,
    pub width: f32,
    pub height: f32,
}

/// Names a glyph.
pub(crate) type Key = (fontdb::ID, u16, fontdb::Weight);

/// The texture and what is in it.
pub(crate) struct Glyphs {
    texture: wgpu::Texture,
    pub view: wgpu::TextureView,
    /// None: a blank, or one for which there was no room.
    known: HashMap<Key, Option<Glyph>>,
    /// Where the next glyph of the current row goes, and how high the row is.
    pen: [u32; 2],
    row: u32,
}

impl Glyphs {
    pub(crate) fn new(device: &wgpu::Device) -> Glyphs {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("glyphs"),
            size: wgpu::Extent3d {
                width: SIDE,
                height: SIDE,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::R8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        Glyphs {
            view: texture.create_view(&Default::default()),
            texture,
            known: HashMap::new(),
            pen: [0, 0],
            row: 0,
        }
    }

    /// The glyph, drawn into the texture when it is new; none when there is nothing to see.
    pub(crate) fn get(
        &mut self,
        queue: &wgpu::Queue,
        fonts: &mut Fonts,
        key: Key,
    ) -> Option<Glyph> {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let glyph = self.draw(queue, fonts, key);
        self.known.insert(key, glyph);
        glyph
    }

    fn draw(
        &mut self,
        queue: &wgpu::Queue,
        fonts: &mut Fonts,
        (font, id, weight): Key,
    ) -> Option<Glyph> {
        let size = EM * FINER as f32;
        let flags = CacheKeyFlags::DISABLE_HINTING;
        let (key, ..) = CacheKey::new(font, id, size, (0.0, 0.0), weight, flags);
        let raster = fonts.rasters.get_image_uncached(&mut fonts.system, key)?;
        let placement = raster.placement;
        let (width, height) = (placement.width as usize, placement.height as usize);
        let mut coverage = raster.data;
        if raster.content == SwashContent::Color {
            // Of letters in colour, such as emoji, their outline.
            coverage = coverage.chunks_exact(4).map(|rgba| rgba[3]).collect();
        }
        if width == 0 || height == 0 || coverage.len() < width * height {
            return None;
        }
        let field = Field::of(&coverage, width, height);
        let (columns, rows) = (field.width as u32, field.height as u32);
        if self.pen[0] + columns > SIDE {
            self.pen = [0, self.pen[1] + self.row];
            self.row = 0;
        }
        if columns > SIDE || self.pen[1] + rows > SIDE {
            return None;
        }
        let [x, y] = self.pen;
        self.pen[0] += columns;
        self.row = self.row.max(rows);
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                origin: wgpu::Origin3d { x, y, z: 0 },
                ..self.texture.as_image_copy()
            },
            &field.texels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(columns),
                rows_per_image: None,
            },
            wgpu::Extent3d {
                width: columns,
                height: rows,
                depth_or_array_layers: 1,
            },
        );
        let side = SIDE as f32;
        let [x, y] = [x as f32, y as f32];
        let (columns, rows) = (columns as f32, rows as f32);
        let finer = FINER as f32;
        let spread = SPREAD as f32;
        let top = placement.top as f32 / finer + spread;
        Some(Glyph {
            uv: [x, y, x + columns, y + rows].map(|texels| texels / side),
            left: (placement.left as f32 / finer - spread) / EM,
            bottom: (top - rows) / EM,
            width: columns / EM,
            height: rows / EM,
        })
    }
}

/// Distances to an outline, 128 on it, more inside.
struct Field {
    width: usize,
    height: usize,
    texels: Vec<u8>,
}

impl Field {
    /// From a raster of coverage, `FINER` times larger.
    fn of(coverage: &[u8], width: usize, height: usize) -> Field {
        let columns = width.div_ceil(FINER) + 2 * SPREAD;
        let rows = height.div_ceil(FINER) + 2 * SPREAD;
        let (wide, high) = (columns * FINER, rows * FINER);
        let mut inside = vec![false; wide * high];
        for y in 0..height {
            for x in 0..width {
                let at = (y + SPREAD * FINER) * wide + x + SPREAD * FINER;
                inside[at] = coverage[y * width + x] >= 128;
            }
        }
        let to_inside = squared_distances(&inside, wide, high, true);
        let to_outside = squared_distances(&inside, wide, high, false);
        let mut texels = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                // The mean of the four pixels about the middle of the texel.
                let mut distance = 0.0;
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let y = row * FINER + FINER / 2 - 1 + dy;
                    let at = y * wide + column * FINER + FINER / 2 - 1 + dx;
                    distance += to_outside[at].sqrt() - to_inside[at].sqrt();
                }
                let texels_away = distance / (4 * FINER) as f32;
                let value = 128.0 + texels_away * 127.0 / SPREAD as f32;
                texels.push(value.clamp(0.0, 255.0) as u8);
            }
        }
        Field {
            width: columns,
            height: rows,
            texels,
        }
    }
}

/// The square of each pixel's distance to the nearest pixel with `inside == wanted`.
fn squared_distances(inside: &[bool], width: usize, height: usize, wanted: bool) -> Vec<f32> {
    // More than any distance in the raster, and small enough to be added exactly.
    const FAR: f32 = 1e9;
    let mut distances: Vec<f32> = inside
        .iter()
        .map(|&is| if is == wanted { 0.0 } else { FAR })
        .collect();
    let longest = width.max(height);
    let mut line = vec![0.0; longest];
    let mut envelope = Envelope::default();
    for x in 0..width {
        for y in 0..height {
            line[y] = distances[y * width + x];
        }
        envelope.transform(&mut line[..height]);
        for y in 0..height {
            distances[y * width + x] = line[y];
        }
    }
    for row in distances.chunks_exact_mut(width) {
        envelope.transform(row);
    }
    distances
}

/// The lower envelope of parabolas over a line.
#[derive(Default)]
struct Envelope {
    /// Where each parabola has its tip, how high the tip is, and from where on it is the lowest.
    tips: Vec<(f32, f32, f32)>,
}

impl Envelope {
    /// Replaces each value by the least of value plus squared distance along the line.
    fn transform(&mut self, line: &mut [f32]) {
        self.tips.clear();
        for (place, &value) in line.iter().enumerate() {
            let place = place as f32;
            let mut from = f32::NEG_INFINITY;
            while let Some(&(tip, height, begin)) = self.tips.last() {
                from = ((value + place * place) - (height + tip * tip)) / (2.0 * (place - tip));
                if from > begin {
                    break;
                }
                self.tips.pop();
                from = f32::NEG_INFINITY;
            }
            self.tips.push((place, value, from));
        }
        let mut lowest = 0;
        for (place, value) in line.iter_mut().enumerate() {
            let place = place as f32;
            while self
                .tips
                .get(lowest + 1)
                .is_some_and(|&(.., from)| from < place)
            {
                lowest += 1;
            }
            if let Some(&(tip, height, _)) = self.tips.get(lowest) {
                *value = height + (place - tip) * (place - tip);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_nearest_pixel() {
        let (width, height) = (13, 9);
        let inside: Vec<bool> = (0..width * height)
            .map(|at| at * 2_654_435_761_usize % 97 < 9)
            .collect();
        for wanted in [true, false] {
            let found = squared_distances(&inside, width, height, wanted);
            for (at, &distance) in found.iter().enumerate() {
                let nearest = (0..width * height)
                    .filter(|&other| inside[other] == wanted)
                    .map(|other| {
                        let dx = (at % width).abs_diff(other % width);
                        let dy = (at / width).abs_diff(other / width);
                        (dx * dx + dy * dy) as f32
                    })
                    .fold(f32::INFINITY, f32::min);
                assert_eq!(distance, nearest, "pixel {at}, wanted {wanted}");
            }
        }
    }
}
