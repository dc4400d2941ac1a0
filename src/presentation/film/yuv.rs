//! Pixels as video encoders take them: BT.709 luma and chroma of limited range, chroma at half the resolution.

use rayon::prelude::*;

use callscape_look::image::Image;

/// Pairs of rows that a thread takes at a time.
const ROWS_AT_ONCE: usize = 32;

/// Three planes: luma of `width` × `height`, two chroma planes of half the sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Planes {
    pub width: usize,
    pub height: usize,
    pub y: Vec<u8>,
    pub u: Vec<u8>,
    pub v: Vec<u8>,
}

impl Planes {
    /// Of a picture with even sides.
    pub(super) fn new([width, height]: [u32; 2]) -> Planes {
        let (width, height) = (width as usize, height as usize);
        Planes {
            width,
            height,
            y: vec![0; width * height],
            u: vec![0; width * height / 4],
            v: vec![0; width * height / 4],
        }
    }

    /// Takes the pixels of `image`, whose sides are those of the planes.
    ///
    /// ITU-R BT.709-6, item 3, with 16 fractional bits; luma 16 to 235, chroma 16 to 240.
    pub(super) fn fill(&mut self, image: &Image) {
        let width = self.width;
        let pairs = image.rgba.par_chunks_exact(width * 8);
        let luma = self.y.par_chunks_exact_mut(width * 2);
        let chroma = self.u.par_chunks_exact_mut(width / 2);
        let chroma = chroma.zip(self.v.par_chunks_exact_mut(width / 2));
        let rows = pairs.zip(luma).zip(chroma).with_min_len(ROWS_AT_ONCE);
        rows.for_each(|((pixels, luma), (us, vs))| pair_of_rows(pixels, luma, us, vs));
    }
}

/// Two rows of pixels.
fn pair_of_rows(pixels: &[u8], luma: &mut [u8], us: &mut [u8], vs: &mut [u8]) {
    for (pixel, luma) in pixels.chunks_exact(4).zip(luma) {
        *luma = luma_of(pixel);
    }
    let (upper, lower) = pixels.split_at(pixels.len() / 2);
    let squares = upper.chunks_exact(8).zip(lower.chunks_exact(8));
    for ((above, below), (u, v)) in squares.zip(us.iter_mut().zip(vs)) {
        let sum = |part: usize| {
            let [a, b] = [above, below].map(|it| i32::from(it[part]) + i32::from(it[part + 4]));
            a + b
        };
        let (r, g, b) = (sum(0), sum(1), sum(2));
        // Four pixels are summed: two bits more.
        *u = (((-6596 * r - 22188 * g + 28784 * b + (1 << 17)) >> 18) + 128) as u8;
        *v = (((28784 * r - 26145 * g - 2639 * b + (1 << 17)) >> 18) + 128) as u8;
    }
}

fn luma_of(pixel: &[u8]) -> u8 {
    let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(i32::from);
    (((11966 * r + 40254 * g + 4064 * b + (1 << 15)) >> 16) + 16) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition with real numbers.
    fn exact([r, g, b]: [u8; 3]) -> [f64; 3] {
        let [r, g, b] = [r, g, b].map(|part| f64::from(part) / 255.0);
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        [
            16.0 + 219.0 * y,
            128.0 + 224.0 * (b - y) / 1.8556,
            128.0 + 224.0 * (r - y) / 1.5748,
        ]
    }

    #[test]
    fn colours_are_those_of_the_standard() {
        let colors = [
            [0, 0, 0],
            [255, 255, 255],
            [255, 0, 0],
            [0, 255, 0],
            [0, 0, 255],
            [18, 52, 86],
            [200, 100, 50],
        ];
        for color in colors {
            let mut planes = Planes::new([4, 2]);
            let [r, g, b] = color;
            planes.fill(&Image {
                width: 4,
                height: 2,
                rgba: [r, g, b, 255].repeat(8),
            });
            let wanted = exact(color);
            for (plane, wanted) in [&planes.y, &planes.u, &planes.v].into_iter().zip(wanted) {
                for &found in plane {
                    assert!((f64::from(found) - wanted).abs() <= 0.75, "{color:?}");
                }
            }
        }
    }
}
