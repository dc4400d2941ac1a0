//! What of a picture names take already, found by bands of the screen.

use super::flat::{BAND, Quad};

/// Quadrilaterals on the screen, each of a block.
#[derive(Debug, Default)]
pub(super) struct Occupied {
    quads: Vec<(u32, Quad)>,
    /// By band of the screen, the quadrilaterals in it.
    bands: Vec<Vec<u32>>,
}

impl Occupied {
    /// Nothing is taken of a picture so high.
    pub(super) fn begin(&mut self, height: f32) {
        self.quads.clear();
        let bands = (height / BAND).clamp(0.0, 1e4) as usize + 1;
        self.bands.resize_with(bands, Vec::new);
        self.bands.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn add(&mut self, of: u32, quad: Quad) {
        for band in quad.bands(self.bands.len()) {
            self.bands[band].push(self.quads.len() as u32);
        }
        self.quads.push((of, quad));
    }

    /// Whether nothing but what is of the block `own` lies where `quad` does.
    pub(super) fn is_free(&self, quad: &Quad, own: u32) -> bool {
        let near = quad.bands(self.bands.len());
        let mut near = near.filter_map(|band| self.bands.get(band)).flatten();
        near.all(|&at| {
            let (of, other) = &self.quads[at as usize];
            *of == own || !quad.overlaps(other)
        })
    }
}
