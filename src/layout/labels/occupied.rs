//! What of a picture names take already, found by bands of the screen.

use super::flat::{BAND, Quad};

/// Bands begin with room for so many: later frames take no memory.
const ROOMY: usize = 256;

/// Quadrilaterals on the screen, each of a block, and whether it is a name on a roof.
#[derive(Debug, Default)]
pub(super) struct Occupied {
    quads: Vec<(u32, bool, Quad)>,
    /// By band of the screen, the quadrilaterals in it.
    bands: Vec<Vec<u32>>,
}

impl Occupied {
    /// Nothing is taken of a picture so high.
    pub(super) fn begin(&mut self, height: f32) {
        self.quads.clear();
        self.quads.reserve(8 * ROOMY);
        let bands = (height / BAND).clamp(0.0, 1e4) as usize + 1;
        self.bands.resize_with(bands, || Vec::with_capacity(ROOMY));
        self.bands.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn add(&mut self, of: u32, quad: Quad) {
        self.push((of, false, quad));
    }

    /// A name on a roof.
    pub(super) fn add_roof(&mut self, of: u32, quad: Quad) {
        self.push((of, true, quad));
    }

    fn push(&mut self, (of, is_roof, quad): (u32, bool, Quad)) {
        for band in quad.bands(self.bands.len()) {
            self.bands[band].push(self.quads.len() as u32);
        }
        self.quads.push((of, is_roof, quad));
    }

    /// Whether nothing but what is of the block `own` lies where `quad` does, or `over_roofs` names on these.
    pub(super) fn is_free(&self, quad: &Quad, own: u32, over_roofs: bool) -> bool {
        let near = quad.bands(self.bands.len());
        let mut near = near.filter_map(|band| self.bands.get(band)).flatten();
        near.all(|&at| {
            let (of, is_roof, other) = &self.quads[at as usize];
            *of == own || *is_roof && over_roofs || !quad.overlaps(other)
        })
    }
}
