//! A choice of names: the important and the largest first, nothing over anything else.

use glam::Vec3;

use super::around::Around;
use super::candidates::{Candidate, Candidates, ROOF_LARGEST, ROOF_MARGIN, ROOF_VISIBLE};
use super::places::EM;
use super::quads::{BAND, Quad};
use super::written::{LINE, Names, Written, name_of};
use crate::geometry::{Block, FlatLabel};
use crate::labels::{Eye, ease, text};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

/// A long name may be set smaller than its strip allows, down to this share, before it is shortened.
const SMALLEST: f32 = 0.62;

/// Letters are seen from this height of the em square on the screen on, in pixels, and in full from
/// `LEGIBLE`.
const VISIBLE: f32 = 7.0;
const LEGIBLE: f32 = 8.5;

/// The same on roofs.
const ROOF_LEGIBLE: f32 = 8.8;
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
    pub(super) fn begin(&mut self, eye: &Eye, turned: bool) {
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
    pub(super) fn lay(
        &mut self,
        hierarchy: &Hierarchy,
        blocks: &[Block],
        eye: &Eye,
        written: &mut [Written],
        around: &Around<
            '_,
            impl Fn(u32, [Vec3; 2], &[Vec3]) -> usize,
            impl Fn(u32, ModuleId) -> Option<u8>,
        >,
        left: &mut u32,
    ) -> bool {
        let across = ease(ACROSS, ALONG, eye.right.x.abs());
        while let Some(&candidate) = self.candidates.get(self.next) {
            if self.laid >= around.most || across == 0.0 {
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
            let lines = match candidate.is_roof {
                true => self.set_roof(
                    (hierarchy, around.name),
                    block,
                    &candidate,
                    eye,
                    written,
                    rise,
                ),
                false => self.set(
                    (hierarchy, around.name),
                    block,
                    &candidate,
                    eye,
                    written,
                    rise,
                ),
            };
            let Some(lines) = lines else {
                continue;
            };
            *left = left.saturating_sub(LAID * lines as u32);
            let mut seen = SAMPLES;
            for label in &self.labels[self.laid..self.laid + lines] {
                let width = text::width(&label.text) * label.em;
                let points: [Vec3; SAMPLES] = std::array::from_fn(|sample| {
                    let along = (sample as f32 + 0.5) / SAMPLES as f32 * width;
                    // What stands before a name hides its feet first.
                    label.origin + label.right * along + Vec3::Z * rise
                });
                let line = [points[0], points[SAMPLES - 1]];
                seen = seen.min((around.seen)(candidate.block, line, &points));
            }
            // What was shown goes a little later than what was not comes.
            let least = if candidate.was_shown { 0.35 } else { 0.6 };
            let share = ease(least, 1.0, seen as f32 / SAMPLES as f32) * across;
            if share > 0.0 && self.labels[self.laid].opacity > 0.0 {
                self.keep(lines, share);
            }
        }
        true
    }

    /// Keeps the labels of the name that was just laid, in this share of their strength.
    fn keep(&mut self, lines: usize, share: f32) {
        for place in self.laid..self.laid + lines {
            self.labels[place].opacity *= share;
            for band in self.quads[place].bands(self.bands.len()) {
                self.bands[band].push(place as u32);
            }
        }
        self.laid += lines;
    }

    /// The name of a block as it was written last, or written anew.
    fn written<'a>(
        names: Names<'_, '_>,
        block: &Block,
        candidate: &Candidate,
        written: &'a mut [Written],
    ) -> &'a mut Written {
        let written = &mut written[candidate.block as usize % KEPT];
        if written.of != candidate.block + 1 {
            written.of = candidate.block + 1;
            name_of(names, block.module, candidate.joined, &mut written.text);
            written.width = text::width(&written.text);
            written.longest = text::longest_word(&written.text);
            written.is_fit = false;
        }
        written
    }

    /// Lays the name of what stands on a terrace on its roof, on as many lines as make it largest, and gives how many;
    /// none when it cannot be read, does not fit the screen, or lies over what is already laid.
    fn set_roof(
        &mut self,
        names: Names<'_, '_>,
        block: &Block,
        candidate: &Candidate,
        eye: &Eye,
        written: &mut [Written],
        rise: f32,
    ) -> Option<usize> {
        let written = Self::written(names, block, candidate, written);
        let at = candidate.pixels / candidate.em;
        let size = (block.max - block.min).truncate();
        let size = size - 2.0 * ROOF_MARGIN * size.min_element();
        if written.highest(size) * at < ROOF_VISIBLE {
            return None;
        }
        written.fit(size);
        let em = written.em.min(ROOF_LARGEST / at.max(1e-6));
        let pixels = em * at;
        if pixels < ROOF_VISIBLE {
            return None;
        }
        let count = written.lines.count();
        let room = block.max.x - block.min.x - 2.0 * candidate.margin;
        let mut opacity = ease(ROOF_VISIBLE, ROOF_LEGIBLE, pixels);
        self.quads.truncate(self.laid);
        for (line, text) in written.lines.of(&written.text).enumerate() {
            let below = (count - 1 - line) as f32 * LINE * em;
            let place = Line {
                low: candidate.margin + 0.22 * em + below,
                room,
                width: text::width(text) * em,
                em,
                rise,
            };
            let (origin, quad, space) = self.slide(block, candidate, &place, eye)?;
            if self.is_taken(&quad) {
                return None;
            }
            self.quads.push(quad);
            opacity = opacity.min(space);
            let label = self.label(self.laid + line, block, candidate);
            (label.origin, label.em) = (origin, em);
            label.text.clear();
            label.text.push_str(text);
        }
        let labels = &mut self.labels[self.laid..self.laid + count];
        labels.iter_mut().for_each(|label| label.opacity = opacity);
        Some(count)
    }

    /// Lays the name of a district in the strip of its terrace, and gives the number of its lines, 1; none when it does
    /// not fit its place, the screen or what is already laid.
    fn set(
        &mut self,
        names: Names<'_, '_>,
        block: &Block,
        candidate: &Candidate,
        eye: &Eye,
        written: &mut [Written],
        rise: f32,
    ) -> Option<usize> {
        let written = Self::written(names, block, candidate, written);
        let room = block.max.x - block.min.x - 2.0 * candidate.margin;
        let em = (room / written.width.max(0.1)).max(candidate.em * SMALLEST);
        let em = em.min(candidate.em);
        let pixels = em * candidate.pixels / candidate.em;
        if pixels < VISIBLE {
            return None;
        }
        let label = self.label(self.laid, block, candidate);
        let width = match written.width <= room / em {
            true => {
                label.text.clone_from(&written.text);
                written.width
            }
            false if text::shorten_at_words(&written.text, room / em, &mut label.text) => {
                text::width(&label.text)
            }
            false => return None,
        };
        let place = Line {
            low: candidate.baseline,
            room,
            width: width * em,
            em,
            rise,
        };
        let (origin, quad, space) = self.slide(block, candidate, &place, eye)?;
        if self.is_taken(&quad) {
            return None;
        }
        self.quads.truncate(self.laid);
        self.quads.push(quad);
        let label = &mut self.labels[self.laid];
        (label.origin, label.em) = (origin, em);
        label.opacity = ease(VISIBLE, LEGIBLE, pixels) * space;
        Some(1)
    }

    /// The label with this number, for a name on `block`; its text, place and strength are still to be set.
    fn label(&mut self, number: usize, block: &Block, candidate: &Candidate) -> &mut FlatLabel {
        if number == self.labels.len() {
            self.labels.push(FlatLabel {
                text: String::with_capacity(ROOMY_TEXT),
                module: block.module,
                block: candidate.block,
                origin: Vec3::ZERO,
                right: Vec3::X,
                up: Vec3::Y,
                em: 0.0,
                opacity: 0.0,
                is_on_roof: false,
            });
        }
        let sign = if self.turned { -1.0 } else { 1.0 };
        let label = &mut self.labels[number];
        (label.module, label.block) = (block.module, candidate.block);
        label.is_on_roof = candidate.is_roof;
        (label.right, label.up) = (Vec3::X * sign, Vec3::Y * sign);
        label
    }

    /// Where a line of a name begins, the part of the screen that it takes, and how strongly it is written, 0 to 1: where
    /// the picture cuts the line's room it slides along it, and goes by degrees. None where nothing of it is left.
    fn slide(
        &self,
        block: &Block,
        candidate: &Candidate,
        line: &Line,
        eye: &Eye,
    ) -> Option<(Vec3, Quad, f32)> {
        let &Line {
            low,
            room,
            width,
            em,
            rise,
        } = line;
        let sign = if self.turned { -1.0 } else { 1.0 };
        let (right, up) = (Vec3::X * sign, Vec3::Y * sign);
        // Turned, the letters of a district stand on the line that their tops would reach.
        let y = match (self.turned, candidate.is_roof) {
            (false, _) => block.min.y + low,
            (true, false) => block.min.y + candidate.em / EM - low,
            (true, true) => block.max.y - low,
        };
        let x = match self.turned {
            true => block.max.x - candidate.margin,
            false => block.min.x + candidate.margin,
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
        (space > 0.0).then_some((origin, quad, space))
    }

    /// Whether a name is already where this one would lie.
    fn is_taken(&self, quad: &Quad) -> bool {
        let mut near = quad
            .bands(self.bands.len())
            .flat_map(|band| &self.bands[band]);
        near.any(|&other| quad.overlaps(&self.quads[other as usize]))
    }
}

/// A line of a name, in world units.
struct Line {
    /// From the edge of the block to the baseline.
    low: f32,
    /// How long it may be, and how long it is.
    room: f32,
    width: f32,
    em: f32,
    /// How far its block has risen.
    rise: f32,
}
