//! Names that lie flat like the lettering of a map: of districts in the southern margin of their terrace, of functions,
//! files and collapsed modules on their roofs where these are large on the screen.

mod places;
mod quads;
#[cfg(test)]
mod tests;

use glam::{Vec2, Vec3, Vec4};

use self::places::{EM, Place};
use self::quads::{BAND, Quad};
use super::{Eye, ease, may_show, text};
use crate::facts::hierarchy::Hierarchy;
use crate::layout::geometry::{Block, BlockKind, BlockLook, FlatLabel};
use crate::units::ModuleId;

/// The height of the baseline over the strip's lower edge, as a share of the strip.
const BASELINE: f32 = 0.30;

/// A long name may be set smaller than its strip allows, down to this share, before it is shortened.
const SMALLEST: f32 = 0.62;

/// Letters are seen from this height of the em square on the screen on, in pixels, and in full from
/// `LEGIBLE`.
const VISIBLE: f32 = 7.0;
/// From here on a district is worth a name on the screen where its own cannot be read.
const NAMED: f32 = 4.5;
const LEGIBLE: f32 = 8.5;

/// A bound on what a frame costs; names are large enough to be read, so fewer fit.
const MOST: usize = 1000;

/// The same for roofs: as a share of their depth, and in pixels, as large as it becomes. A name that has to be shortened
/// to less than so many em says nothing.
const ROOF_SHORTEST: f32 = 6.5;
/// At least some letters have to fit: in em of the smallest letters.
const ROOF_LETTERS: f32 = 3.5;
/// With so many times the room that it needs at least, a name on a roof is there in full.
const ROOMY: f32 = 1.15;
const ROOF_EM: f32 = 0.3;
const ROOF_MARGIN: f32 = 0.08;
const ROOF_LARGEST: f32 = 15.0;
const ROOF_VISIBLE: f32 = 8.5;
const ROOF_LEGIBLE: f32 = 10.0;

/// What was shown counts as so much larger: of two names that contend for a place, one does not give way at once, nor
/// come back at once.
const STAYS: f32 = 1.3;

/// Seen from the side, names lie across: they fade from the one to the other, as a share of their length that runs to
/// the right on the screen.
const ACROSS: f32 = 0.38;
const ALONG: f32 = 0.5;

/// So many em before and behind the edge of the picture a name fades.
const EDGE: f32 = 1.0;

/// At so many places along a name it is looked whether something stands before it.
const SAMPLES: usize = 8;

/// A name that may be shown this time.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    block: u32,
    /// In world units: the highest em square, where the name begins, and how high over the southern edge.
    em: f32,
    margin: f32,
    baseline: f32,
    /// The height of the em square on the screen, in pixels.
    pixels: f32,
    is_roof: bool,
    joined: u32,
    was_shown: bool,
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

/// A name as it was written last, kept for the next time.
#[derive(Clone, Debug, Default)]
struct Written {
    /// The block that it is of plus one; 0 for none.
    of: u32,
    text: String,
    /// In em.
    width: f32,
}

/// Texts of labels begin with room for so many bytes: they take turns, and seldom need more.
const ROOMY_TEXT: usize = 96;

/// So many names are kept, each in a place by its block.
const KEPT: usize = 4096;

/// What is known about blocks apart from their places at rest.
pub struct Around<'a, S, I> {
    pub looks: &'a [BlockLook],
    /// How many of some points along a line on the top of a block show.
    pub seen: S,
    /// How important a block, which stands for a module, is; 0 is like all others.
    pub importance: I,
}

/// So much work is done for the names of a picture at a time, where there may be left some for the next: about what
/// a place costs that is looked at and left out.
pub const SPREAD: u32 = 1_200;
/// What a name costs that is laid, beside that.
const LAID: u32 = 4;
/// Where names lie farther than this from where they lay when they were chosen, as a share of the picture, one looks
/// from somewhere else.
const NEAR: f32 = 0.25;

/// A choice of names, made for one eye, in parts where there are many.
#[derive(Debug, Default)]
struct Round {
    /// None where no choice is under way.
    eye: Option<Eye>,
    /// The place that is looked at next; then the candidates are all there.
    next_place: usize,
    is_found: bool,
    candidates: Vec<Candidate>,
    /// Their ranks and places, in order, and which is laid next.
    order: Vec<((u64, u32), u32)>,
    next: usize,
    /// The labels laid, then spare ones whose texts keep their memory.
    labels: Vec<FlatLabel>,
    laid: usize,
    quads: Vec<Quad>,
    /// By band of the screen, the quads in it.
    bands: Vec<Vec<u32>>,
    /// Whether names are turned to be read from the north.
    turned: bool,
}

/// The names of the districts of one layout, and which of them are shown.
#[derive(Debug, Default)]
pub struct FlatLabels {
    places: Vec<Place>,
    round: Round,
    /// The names are to be chosen for something else than they were.
    is_old: bool,
    /// For which eye names were chosen last.
    eye: Option<Eye>,
    /// The labels chosen, those before `shown` shown, then spare ones whose texts keep their memory.
    labels: Vec<FlatLabel>,
    chosen: usize,
    shown: usize,
    /// The districts that were large enough for a name, the largest first.
    districts: Vec<u32>,
    /// The blocks whose names were chosen the last time, in order.
    before: Vec<u32>,
    /// Whether names are turned to be read from the north.
    turned: bool,
    /// Names by the lower digits of their blocks.
    written: Vec<Written>,
}

impl FlatLabels {
    /// Prepares the names for new blocks. O(n).
    pub fn new(blocks: &[Block]) -> FlatLabels {
        FlatLabels {
            places: places::find(blocks),
            ..FlatLabels::default()
        }
    }

    pub fn labels(&self) -> &[FlatLabel] {
        &self.labels[..self.shown]
    }

    /// Decides for each name, by the block that it lies on, whether it is written in the other ink.
    pub fn ink(&mut self, is_inverted: impl Fn(u32) -> bool) {
        for label in &mut self.labels[..self.chosen] {
            label.is_inverted = is_inverted(label.block);
        }
    }

    /// Whether the name of `module` is shown in full strength.
    pub fn is_read(&self, module: ModuleId) -> bool {
        let mut labels = self.labels().iter();
        labels.any(|label| label.module == module && label.opacity > 0.9)
    }

    /// What names are chosen by is no longer as it was.
    pub fn outdate(&mut self) {
        self.is_old = true;
    }

    /// Whether the names are those for what [`outdate`](Self::outdate) told of last.
    pub fn is_settled(&self) -> bool {
        !self.is_old && self.round.eye.is_none()
    }

    /// Chooses what is shown from `eye`: what is large enough to read and not hidden, the important and the largest
    /// first, nothing over anything else. Works in proportion to what is on the screen, not to all.
    ///
    /// A choice may be spread over several calls: of each about `work`, [`SPREAD`] or as much as there is. Until it is
    /// made the names of the one before stay where they lie; for a view from somewhere else all is done at once. Whether
    /// others have been chosen.
    pub fn update(
        &mut self,
        hierarchy: &Hierarchy,
        blocks: &[Block],
        eye: &Eye,
        around: &Around<
            '_,
            impl Fn(u32, [Vec3; 2], &[Vec3]) -> usize,
            impl Fn(u32, ModuleId) -> u8,
        >,
        work: u32,
    ) -> bool {
        let is_near = self.is_near(eye);
        let mut left = if is_near { work } else { u32::MAX };
        if left == u32::MAX {
            self.round.eye = None;
            self.is_old = true;
        }
        if self.round.eye.is_none() {
            if !std::mem::take(&mut self.is_old) {
                return false;
            }
            // Seen from due east or west names keep the side that they had.
            if eye.right.x.abs() > 0.2 {
                self.turned = eye.right.x < 0.0;
            }
            self.written.resize_with(KEPT, Written::default);
            self.round.begin(eye, self.turned);
        }
        let round = &mut self.round;
        let Some(eye) = round.eye else {
            return false;
        };
        round.find(
            &self.places,
            blocks,
            &eye,
            &self.before,
            &around.importance,
            &mut left,
        );
        if !round.is_found
            || !round.lay(
                hierarchy,
                blocks,
                &eye,
                &mut self.written,
                around,
                &mut left,
            )
        {
            return false;
        }
        round.eye = None;
        self.eye = Some(eye);
        std::mem::swap(&mut self.labels, &mut round.labels);
        (self.chosen, self.shown) = (round.laid, round.laid);
        self.before.clear();
        self.before
            .extend(self.labels[..self.chosen].iter().map(|label| label.block));
        self.before.sort_unstable();
        let order = round
            .order
            .iter()
            .map(|&(_, at)| &round.candidates[at as usize]);
        self.districts.clear();
        self.districts
            .extend(order.filter(|it| !it.is_roof).map(|it| it.block));
        true
    }

    /// Whether the names chosen last lie nearly where they lay then.
    fn is_near(&self, eye: &Eye) -> bool {
        let Some(before) = self.eye.filter(|before| before.size == eye.size) else {
            return false;
        };
        let moved = |label: &FlatLabel| {
            let places = [&before, eye].map(|eye| eye.project(label.origin));
            let [Some(before), Some(now)] = places else {
                return f32::INFINITY;
            };
            before.distance(now) / eye.size.max_element()
        };
        let chosen = &self.labels[..self.chosen];
        let some = [chosen.first(), chosen.get(chosen.len() / 2), chosen.last()];
        some.iter()
            .all(|label| label.is_some_and(|label| moved(label) < NEAR))
    }

    /// The districts that are large enough to be named on the screen, the largest first, where their own names would
    /// lie across, or behind what stands in them; none otherwise. Of each the block, and the edge of its top that is
    /// nearest.
    pub fn unsaid(&self, blocks: &[Block], eye: &Eye) -> impl Iterator<Item = (u32, [Vec3; 2])> {
        let is_across = eye.right.x.abs() < (ACROSS + ALONG) * 0.5;
        let is_turned = self.turned;
        let districts = self.districts.iter();
        let districts = districts.filter(move |_| is_across || is_turned);
        districts.filter_map(move |&district| {
            let block = blocks.get(district as usize)?;
            let (min, max) = (block.min.with_z(block.max.z), block.max);
            let edge = match is_across {
                true => {
                    let x = eye.position.x.clamp(min.x, max.x);
                    [min.with_x(x), max.with_x(x)]
                }
                false => [min.with_y(max.y), max],
            };
            Some((district, edge))
        })
    }

    /// Takes away names that, from `eye`, lie under the rectangles `plates`, given by their corners; others that were
    /// taken away come back. `looks` as in [`Around`].
    pub fn give_way(&mut self, plates: &[(Vec2, Vec2)], eye: &Eye, looks: &[BlockLook]) {
        if plates.is_empty() {
            self.shown = self.chosen;
            return;
        }
        let mut kept = 0;
        for place in 0..self.chosen {
            let label = &self.labels[place];
            let rise = looks
                .get(label.block as usize)
                .map_or(0.0, |look| look.rise);
            let width = text::width(&label.text) * label.em;
            let origin = label.origin + Vec3::Z * rise;
            let quad = Quad::of_name(origin, label.right * width, label.up * label.em, eye);
            let is_covered = quad.is_some_and(|quad| {
                plates.iter().any(|&(min, max)| {
                    let plate = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
                    quad.overlaps(&Quad::new(plate))
                })
            });
            if !is_covered {
                self.labels.swap(kept, place);
                kept += 1;
            }
        }
        self.shown = kept;
    }
}

impl Round {
    /// Forgets the choice before and begins one for `eye`.
    fn begin(&mut self, eye: &Eye, turned: bool) {
        self.eye = Some(*eye);
        self.turned = turned;
        self.candidates.clear();
        self.order.clear();
        self.quads.clear();
        (self.next_place, self.is_found) = (0, false);
        (self.next, self.laid) = (0, 0);
        let bands = (eye.size.y / BAND).clamp(0.0, 1e4) as usize + 1;
        self.bands.resize_with(bands, Vec::new);
        self.bands.iter_mut().for_each(Vec::clear);
    }

    /// Lays the candidates in their order, as long as there is work `left`; whether all have been.
    fn lay(
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
        while let Some(&(_, at)) = self.order.get(self.next) {
            if self.laid == MOST || across == 0.0 {
                break;
            }
            if *left == 0 {
                return false;
            }
            *left = left.saturating_sub(1);
            self.next += 1;
            let candidate = self.candidates[at as usize];
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
                    let letter = label.right * along + label.up * label.em * 0.35;
                    label.origin + letter + Vec3::Z * rise
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

    /// Finds the candidates and puts them in order, as far as there is work `left`. `before` are the blocks whose names
    /// are shown.
    fn find(
        &mut self,
        places: &[Place],
        blocks: &[Block],
        eye: &Eye,
        before: &[u32],
        importance: &impl Fn(u32, ModuleId) -> u8,
        left: &mut u32,
    ) {
        if self.is_found {
            return;
        }
        let planes = eye.side_planes();
        while let Some(place) = places.get(self.next_place) {
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
            let may_name = place.subtree_em * nearest >= NAMED;
            if !(may_name || may_name_roofs) || !may_show(&planes, block.min, top) {
                self.next_place = place.subtree_end as usize;
                continue;
            }
            let strip = place.em / EM;
            let pixels = place.em * pixels_at(block, eye);
            if pixels >= NAMED {
                self.candidates.push(Candidate {
                    block: place.block,
                    em: place.em,
                    margin: place.margin,
                    baseline: strip * BASELINE,
                    pixels,
                    is_roof: false,
                    joined: place.joined,
                    was_shown: before.binary_search(&place.block).is_ok(),
                    importance: importance(place.block, block.module),
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
                        self.candidates.extend(roof(
                            child as u32,
                            of,
                            eye,
                            &planes,
                            before,
                            importance,
                        ));
                    }
                    child = (of.subtree_end as usize).max(child + 1);
                }
            }
            self.next_place += 1;
        }
        let ranks = self.candidates.iter().map(Candidate::rank);
        self.order.extend(ranks.zip(0..));
        self.order.sort_unstable();
        self.is_found = true;
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
        let needed = written.width.max(0.1);
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
        let label = &mut self.labels[self.laid];
        // A roof that hardly has room for its name, at the smallest, fades: names that come at once are seen to jump.
        let mut roomy = 1.0;
        if is_roof {
            let least = needed.min(ROOF_SHORTEST);
            let most = room / smallest.min(candidate.em);
            let wide = (block.max.x - block.min.x) * at / ROOF_VISIBLE;
            roomy =
                ease(least, least * ROOMY, most) * ease(ROOF_LETTERS, ROOF_LETTERS * ROOMY, wide);
            if roomy == 0.0 {
                return None;
            }
        }
        if pixels < visible {
            return None;
        }
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
        label.opacity = ease(visible, legible, pixels) * space * roomy;
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

/// The name of what stands on a terrace, on its roof, where it is large enough.
fn roof(
    index: u32,
    block: &Block,
    eye: &Eye,
    planes: &[Vec4; 4],
    before: &[u32],
    importance: &impl Fn(u32, ModuleId) -> u8,
) -> Option<Candidate> {
    let size = block.max - block.min;
    let at = pixels_at(block, eye);
    let em = (size.y * ROOF_EM).min(ROOF_LARGEST / at.max(1e-6));
    let fits = size.x * at > ROOF_LETTERS * ROOF_VISIBLE;
    (em * at >= ROOF_VISIBLE && fits && may_show(planes, block.min, block.max)).then(|| Candidate {
        block: index,
        em,
        margin: size.x.min(size.y) * ROOF_MARGIN,
        baseline: size.y * ROOF_MARGIN + em * 0.22,
        pixels: em * at,
        is_roof: true,
        joined: 0,
        was_shown: before.binary_search(&index).is_ok(),
        importance: importance(index, block.module),
    })
}

/// No more modules are named with one: the innermost say most.
const MOST_JOINED: u32 = 16;

/// Writes the name of a module, and before it those of `joined` modules that it is all there is of: `src/main/java`.
/// A name that says nothing beyond the one before it is left out, such as that of the class in a file of its name.
fn name_of(hierarchy: &Hierarchy, module: ModuleId, joined: u32, name: &mut String) {
    name.clear();
    // The outermost is named first: recursion would be as deep as the tree.
    for above in (0..=joined.min(MOST_JOINED) as usize).rev() {
        let Some(of) = hierarchy.ancestors(module).nth(above) else {
            continue;
        };
        let part = hierarchy.name(of);
        let before = name.rsplit('/').next().unwrap_or_default();
        let stem = before.rsplit_once('.').map_or(before, |(stem, _)| stem);
        if !name.is_empty() && stem == part {
            continue;
        }
        if !name.is_empty() {
            name.push('/');
        }
        name.push_str(part);
    }
}

/// How many pixels a unit on top of a block takes, foreshortened; at the end of the top that is nearest.
fn pixels_at(block: &Block, eye: &Eye) -> f32 {
    let min = block.min.with_z(block.max.z);
    let at = eye.position.clamp(min, min.with_x(block.max.x));
    let distance = at.distance(eye.position).max(1e-3);
    let tilt = ((eye.position.z - block.max.z) / distance).clamp(0.0, 1.0);
    eye.focal / distance * tilt.sqrt()
}
