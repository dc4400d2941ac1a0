//! A choice of names: the important and the largest first, nothing over anything else.

use glam::Vec3;

use super::around::Around;
use super::candidates::{Candidate, Candidates, ROOF_LETTERS, ROOF_VISIBLE};
use super::places::EM;
use super::quads::{BAND, Quad};
use super::written::{Written, name_of};
use crate::facts::hierarchy::Hierarchy;
use crate::layout::geometry::{Block, FlatLabel};
use crate::layout::labels::{Eye, ease, text};
use crate::units::ModuleId;

/// A long name may be set smaller than its strip allows, down to this share, before it is shortened.
const SMALLEST: f32 = 0.62;

/// Letters are seen from this height of the em square on the screen on, in pixels, and in full from
/// `LEGIBLE`.
const VISIBLE: f32 = 7.0;
const LEGIBLE: f32 = 8.5;

/// The same on roofs.
const ROOF_LEGIBLE: f32 = 10.0;
/// A name on a roof that has to be shortened to less than so many em says nothing.
const ROOF_SHORTEST: f32 = 6.5;
/// With so many times the room that it needs at least, a name on a roof is there in full.
const ROOMY: f32 = 1.15;

/// A bound on what a frame costs; names are large enough to be read, so fewer fit.
const MOST: usize = 1000;

/// Seen from the side, names lie across: they fade from the one to the other, as a share of their length that runs to
/// the right on the screen.
pub(super) const ACROSS: f32 = 0.38;
pub(super) const ALONG: f32 = 0.5;

/// So many em before and behind the edge of the picture a name fades.
const EDGE: f32 = 1.0;

/// At so many places along a name it is looked whether something stands before it.
const SAMPLES: usize = 8;

/// What a name that is laid costs, as so many places that are looked at.
const LAID: u32 = 4;

/// Texts of labels begin with room for so many bytes: they take turns, and seldom need more.
const ROOMY_TEXT: usize = 96;

/// So many names are kept as they were written, each in a place by its block.
pub(super) const KEPT: usize = 4096;

/// A choice of names, made for one eye, in parts where there are many.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// None where no choice is under way.
    pub eye: Option<Eye>,
    pub candidates: Candidates,
    /// The rank of the candidate that is laid next.
    next: usize,
    /// The labels laid, then spare ones whose texts keep their memory.
    pub labels: Vec<FlatLabel>,
    pub laid: usize,
    quads: Vec<Quad>,
    /// By band of the screen, the quads in it.
    bands: Vec<Vec<u32>>,
    /// Whether names are turned to be read from the north.
    turned: bool,
}

impl Round {
    /// Forgets the choice before and begins one for `eye`.
    pub fn begin(&mut self, eye: &Eye, turned: bool) {
        self.eye = Some(*eye);
        self.turned = turned;
        self.candidates.clear();
        self.quads.clear();
        (self.next, self.laid) = (0, 0);
        let bands = (eye.size.y / BAND).clamp(0.0, 1e4) as usize + 1;
        self.bands.resize_with(bands, Vec::new);
        self.bands.iter_mut().for_each(Vec::clear);
    }

    /// Lays the candidates in their order, as long as there is work `left`; whether all have been.
    pub fn lay(
        &mut self,
        hierarchy: &Hierarchy,
        blocks: &[Block],
        eye: &Eye,
        written: &mut [Written],
        around: &Around<
            '_,
            impl Fn(u32, [Vec3; 2], &[Vec3]) -> usize,
            impl Fn(u32, ModuleId) -> u8,
        >,
        left: &mut u32,
    ) -> bool {
        let across = ease(ACROSS, ALONG, eye.right.x.abs());
        while let Some(&candidate) = self.candidates.get(self.next) {
            if self.laid == MOST || across == 0.0 {
                break;
            }
            if *left == 0 {
                return false;
            }
            *left = left.saturating_sub(1);
            self.next += 1;
            let Some(block) = blocks.get(candidate.block as usize) else {
                continue;
            };
            let look = around.looks.get(candidate.block as usize);
            let rise = look.map_or(0.0, |look| look.rise);
            if let Some(width) = self.set(hierarchy, block, &candidate, eye, written, rise) {
                *left = left.saturating_sub(LAID);
                let label = &mut self.labels[self.laid];
                let points: [Vec3; SAMPLES] = std::array::from_fn(|sample| {
                    let along = (sample as f32 + 0.5) / SAMPLES as f32 * width;
                    // What stands before a name hides its feet first.
                    label.origin + label.right * along + Vec3::Z * rise
                });
                let line = [points[0], points[SAMPLES - 1]];
                let seen = (around.seen)(candidate.block, line, &points);
                let share = seen as f32 / SAMPLES as f32;
                // What was shown goes a little later than what was not comes.
                let least = if candidate.was_shown { 0.35 } else { 0.6 };
                label.opacity *= ease(least, 1.0, share) * across;
                if label.opacity > 0.0 {
                    self.keep();
                }
            }
        }
        true
    }

    /// Keeps the label that was just laid.
    fn keep(&mut self) {
        let Some(quad) = self.quads.last() else {
            return;
        };
        let place = self.quads.len() as u32 - 1;
        for band in quad.bands(self.bands.len()) {
            self.bands[band].push(place);
        }
        self.laid += 1;
    }

    /// Lays a name, and gives its width in world units; none when it does not fit its place, the screen or what is
    /// already laid.
    fn set(
        &mut self,
        hierarchy: &Hierarchy,
        block: &Block,
        candidate: &Candidate,
        eye: &Eye,
        written: &mut [Written],
        rise: f32,
    ) -> Option<f32> {
        if self.laid == self.labels.len() {
            self.labels.push(FlatLabel {
                text: String::with_capacity(ROOMY_TEXT),
                module: block.module,
                block: candidate.block,
                origin: Vec3::ZERO,
                right: Vec3::X,
                up: Vec3::Y,
                em: 0.0,
                opacity: 0.0,
                is_inverted: false,
            });
        }
        let &Candidate {
            margin, is_roof, ..
        } = candidate;
        let written = &mut written[candidate.block as usize % KEPT];
        if written.of != candidate.block + 1 {
            written.of = candidate.block + 1;
            name_of(hierarchy, block.module, candidate.joined, &mut written.text);
            written.width = text::width(&written.text);
        }
        let name = written.text.as_str();
        let room = block.max.x - block.min.x - 2.0 * margin;
        let Size { em, legible, roomy } = size(block, candidate, written.width, room)?;
        let label = &mut self.labels[self.laid];
        let width = match written.width <= room / em {
            // As it is.
            true => written.width,
            false if text::shorten(name, room / em, &mut label.text) => text::width(&label.text),
            false => return None,
        };
        let is_whole = written.width <= room / em;
        let width = width * em;

        // The baseline runs through the strip; where the picture cuts it, the name slides along it.
        let sign = if self.turned { -1.0 } else { 1.0 };
        let right = Vec3::X * sign;
        let up = Vec3::Y * sign;
        let low = candidate.baseline;
        // Turned, the letters stand on the line that their tops would reach.
        let y = match (self.turned, is_roof) {
            (false, _) => block.min.y + low,
            (true, false) => block.min.y + candidate.em / EM - low,
            (true, true) => block.max.y - low,
        };
        let x = if self.turned {
            block.max.x - margin
        } else {
            block.min.x + margin
        };
        let start = Vec3::new(x, y, block.max.z);
        let risen = Vec3::Z * rise;
        let (from, to) = eye.visible(start + risen, right, room)?;
        let slack = to - from - width;
        let origin = start + right * from.min(room - width).max(0.0);
        let quad = Quad::of_name(origin + risen, right * width, up * em, eye)?;
        // At the edge of the picture a name goes by degrees, not at once; what fits to the digit fits.
        let beyond = (room - (to - from)).max(0.0);
        let space = ease(-em * EDGE, em * EDGE, slack).max(1.0 - beyond / (em * EDGE));
        if space <= 0.0 || self.is_taken(&quad) {
            return None;
        }
        self.quads.truncate(self.laid);
        self.quads.push(quad);
        let label = &mut self.labels[self.laid];
        if is_whole {
            label.text.clone_from(&written.text);
        }
        (label.module, label.block) = (block.module, candidate.block);
        label.is_inverted = false;
        (label.origin, label.right, label.up, label.em) = (origin, right, up, em);
        label.opacity = legible * space * roomy;
        Some(width)
    }

    /// Whether a name is already where this one would lie.
    fn is_taken(&self, quad: &Quad) -> bool {
        let mut near = quad
            .bands(self.bands.len())
            .flat_map(|band| &self.bands[band]);
        near.any(|&other| quad.overlaps(&self.quads[other as usize]))
    }
}

/// How large a name is written, in world units, and how opaque: as it can be read, and as a roof has room for it.
struct Size {
    em: f32,
    legible: f32,
    roomy: f32,
}

/// The size of a name that is `width` ems wide where there is `room`; none where it would be too small to be read.
fn size(block: &Block, candidate: &Candidate, width: f32, room: f32) -> Option<Size> {
    let is_roof = candidate.is_roof;
    let needed = width.max(0.1);
    let (visible, legible) = match is_roof {
        true => (ROOF_VISIBLE, ROOF_LEGIBLE),
        false => (VISIBLE, LEGIBLE),
    };
    let at = candidate.pixels / candidate.em;
    let smallest = match is_roof {
        true => legible / at,
        false => candidate.em * SMALLEST,
    };
    let em = candidate.em.min((room / needed).max(smallest));
    let pixels = em * at;
    // A roof that hardly has room for its name, at the smallest, fades: names that come at once are seen to jump.
    let mut roomy = 1.0;
    if is_roof {
        let least = needed.min(ROOF_SHORTEST);
        let most = room / smallest.min(candidate.em);
        let wide = (block.max.x - block.min.x) * at / ROOF_VISIBLE;
        roomy = ease(least, least * ROOMY, most) * ease(ROOF_LETTERS, ROOF_LETTERS * ROOMY, wide);
        if roomy == 0.0 {
            return None;
        }
    }
    if pixels < visible {
        return None;
    }
    Some(Size {
        em,
        legible: ease(visible, legible, pixels),
        roomy,
    })
}
