//! Names that may be shown: of districts and on roofs, in the order of their claims to a place.

use glam::Vec4;

use super::places::{EM, Place};
use crate::geometry::{Block, BlockKind};
use crate::labels::{Eye, may_show};
use callscape_base::units::ModuleId;

/// The height of the baseline over the strip's lower edge, as a share of the strip.
const BASELINE: f32 = 0.30;

/// From here on a district is worth a name on the screen where its own cannot be read.
const NAMED: f32 = 4.5;

/// So is one that covers more of the picture than this.
const LARGE: f32 = 0.002;

/// Names on roofs: so high as a share of their depth, and at most so high in pixels.
pub(super) const ROOF_EM: f32 = 0.5;
pub(super) const ROOF_LARGEST: f32 = 18.0;
pub(super) const ROOF_MARGIN: f32 = 0.08;
/// Their letters are seen from this height of the em square on, in pixels.
pub(super) const ROOF_VISIBLE: f32 = 8.0;
/// At least a short word has to fit: in em of the smallest letters.
const ROOF_LETTERS: f32 = 1.5;

/// What was shown counts as so much larger: of two names that contend for a place, one does not give way at once, nor
/// come back at once.
const STAYS: f32 = 1.3;

/// A name that may be shown this time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub block: u32,
    /// In world units: the highest em square, where the name begins, and how high over the southern edge.
    pub em: f32,
    pub margin: f32,
    pub baseline: f32,
    /// The height of the em square on the screen, in pixels.
    pub pixels: f32,
    pub is_roof: bool,
    pub joined: u32,
    pub was_shown: bool,
    importance: u8,
}

impl Candidate {
    /// The larger and more important come first: the less of this.
    fn rank(&self) -> (u64, u32) {
        let stays = if self.was_shown { STAYS } else { 1.0 };
        // The bits of numbers that are not negative are in the order of the numbers.
        let size = (self.pixels * stays).to_bits();
        (
            !(u64::from(self.importance) << 32 | u64::from(size)),
            self.block,
        )
    }
}

/// The names that may be shown to one eye, found in parts where there are many.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    found: Vec<Candidate>,
    /// Their ranks and places, in order, once all are found.
    order: Vec<((u64, u32), u32)>,
    /// The place that is looked at next.
    next: usize,
    are_all: bool,
}

impl Candidates {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.order.clear();
        (self.next, self.are_all) = (0, false);
    }

    /// Whether all have been found, and are in order.
    pub(super) fn are_all(&self) -> bool {
        self.are_all
    }

    /// One by its rank; none behind the last.
    pub(super) fn get(&self, rank: usize) -> Option<&Candidate> {
        let &(_, at) = self.order.get(rank)?;
        self.found.get(at as usize)
    }

    /// In order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Candidate> {
        (0..self.order.len()).filter_map(|rank| self.get(rank))
    }

    /// Finds them and puts them in order, as far as there is work `left`. `before` are the blocks whose names
    /// are shown.
    pub(super) fn find(
        &mut self,
        places: &[Place],
        blocks: &[Block],
        eye: &Eye,
        before: &[u32],
        importance: &impl Fn(u32, ModuleId) -> Option<u8>,
        left: &mut u32,
    ) {
        if self.are_all {
            return;
        }
        let planes = eye.side_planes();
        while let Some(place) = places.get(self.next) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let Some(block) = blocks.get(place.block as usize) else {
                break;
            };
            let top = block.max.with_z(place.subtree_top);
            let distance = eye.position.clamp(block.min, top).distance(eye.position);
            let nearest = eye.focal / distance.max(1e-3);
            let side = (block.max.x - block.min.x).min(block.max.y - block.min.y);
            let may_name_roofs = side * ROOF_EM * nearest >= ROOF_VISIBLE;
            let ground = (block.max - block.min).truncate().element_product();
            let least = LARGE * eye.size.element_product();
            let may_be_large = ground * nearest * nearest >= least;
            let may_name = place.subtree_em * nearest >= NAMED || may_be_large;
            if !(may_name || may_name_roofs) || !may_show(&planes, block.min, top) {
                self.next = place.subtree_end as usize;
                continue;
            }
            let strip = place.em / EM;
            let at = pixels_at(block, eye);
            let pixels = place.em * at;
            let covers = || eye.top_of(block).map_or(0.0, |top| eye.share_of(top));
            let is_large = may_be_large && place.em > 0.0 && covers() >= LARGE;
            if (pixels >= NAMED || is_large)
                && let Some(importance) = importance(place.block, block.module)
            {
                self.found.push(Candidate {
                    block: place.block,
                    em: place.em,
                    margin: place.margin,
                    baseline: strip * BASELINE,
                    pixels,
                    is_roof: false,
                    joined: place.joined,
                    was_shown: before.binary_search(&place.block).is_ok(),
                    importance,
                });
            }
            if may_name_roofs {
                // What stands on it itself; districts on it have places of their own.
                let mut child = place.block as usize + 1;
                while let Some(of) = blocks
                    .get(child)
                    .filter(|_| child < block.subtree_end as usize)
                {
                    *left = left.saturating_sub(1);
                    if of.kind != BlockKind::Terrace {
                        self.found
                            .extend(roof(child as u32, of, eye, &planes, before, importance));
                    }
                    child = (of.subtree_end as usize).max(child + 1);
                }
            }
            self.next += 1;
        }
        let ranks = self.found.iter().map(Candidate::rank);
        self.order.extend(ranks.zip(0..));
        self.order.sort_unstable();
        self.are_all = true;
    }
}

/// The name of what stands on a terrace, on its roof, where it is large enough.
fn roof(
    index: u32,
    block: &Block,
    eye: &Eye,
    planes: &[Vec4; 4],
    before: &[u32],
    importance: &impl Fn(u32, ModuleId) -> Option<u8>,
) -> Option<Candidate> {
    let size = block.max - block.min;
    let at = pixels_at(block, eye);
    let em = (size.y * ROOF_EM).min(ROOF_LARGEST / at.max(1e-6));
    let fits = size.x * at > ROOF_LETTERS * ROOF_VISIBLE;
    let is_seen = em * at >= ROOF_VISIBLE && fits && may_show(planes, block.min, block.max);
    let importance = importance(index, block.module).filter(|_| is_seen)?;
    Some(Candidate {
        block: index,
        em,
        margin: size.x.min(size.y) * ROOF_MARGIN,
        baseline: size.y * ROOF_MARGIN + em * 0.22,
        pixels: em * at,
        is_roof: true,
        joined: 0,
        was_shown: before.binary_search(&index).is_ok(),
        importance,
    })
}

/// How many pixels a unit on top of a block takes, foreshortened; at the end of the top that is nearest.
fn pixels_at(block: &Block, eye: &Eye) -> f32 {
    let min = block.min.with_z(block.max.z);
    let at = eye.position.clamp(min, min.with_x(block.max.x));
    let distance = at.distance(eye.position).max(1e-3);
    let tilt = ((eye.position.z - block.max.z) / distance).clamp(0.0, 1.0);
    eye.focal / distance * tilt.sqrt()
}
