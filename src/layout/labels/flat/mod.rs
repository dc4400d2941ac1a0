//! Names that lie flat like the lettering of a map: of districts in the southern margin of their terrace, of functions,
//! files and collapsed modules on their roofs where these are large on the screen.

mod around;
mod candidates;
mod places;
mod quads;
mod round;
#[cfg(test)]
mod tests;
mod written;

use glam::{Vec2, Vec3};

use self::places::Place;
pub(super) use self::quads::{BAND, Quad};
use self::round::{ACROSS, ALONG, KEPT, Round};
use self::written::Written;
use super::{Eye, text};
use crate::geometry::{Block, BlockLook, FlatLabel};
pub use around::Around;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

/// A district that is large enough to be named on the screen.
#[derive(Clone, Copy, Debug)]
pub struct District {
    pub block: u32,
    /// How strongly its own name is written, 0 to 1.
    pub strength: f32,
    /// Names lie along it, and not across.
    pub is_along: bool,
}

/// So much work is done for the names of a picture at a time, where there may be left some for the next: about what
/// a place costs that is looked at and left out.
pub const SPREAD: u32 = 800;
/// The same while the camera rests: names then stand where they stood, and only what runs changes their order.
pub const SPREAD_AT_REST: u32 = 300;
/// Where names lie farther than this from where they lay when they were chosen, as a share of the picture, one looks
/// from somewhere else.
const NEAR: f32 = 0.25;
/// From this strength on a name that may be there or not is.
const DECIDED: f32 = 0.5;
/// Names give way to plates this far around them, in pixels: as long as plates stay so near nothing changes.
const AIR: f32 = 6.0;

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
    /// What they have given way to, with the air around it, and seen from where; none since others were chosen.
    plates: Vec<(Vec2, Vec2)>,
    given_way: Option<Eye>,
    /// The districts that were large enough for a name, the largest first, and how strongly their own are written.
    districts: Vec<(u32, f32)>,
    /// Whether names would lie across.
    is_across: bool,
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

    /// Names that are on their way between being seen and read are in full strength, or not there.
    pub fn decide(&mut self) {
        let mut kept = 0;
        for place in 0..self.chosen {
            if self.labels[place].opacity >= DECIDED {
                self.labels[place].opacity = 1.0;
                self.labels.swap(kept, place);
                kept += 1;
            }
        }
        (self.chosen, self.shown) = (kept, kept);
        for (_, strength) in &mut self.districts {
            *strength = if *strength < DECIDED { 0.0 } else { 1.0 };
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
            impl Fn(u32, ModuleId) -> Option<u8>,
        >,
        work: u32,
    ) -> bool {
        let across = (ACROSS + ALONG) * 0.5 + if self.is_across { 0.02 } else { -0.02 };
        self.is_across = eye.right.x.abs() < across;
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
        round.candidates.find(
            &self.places,
            blocks,
            &eye,
            &self.before,
            &around.importance,
            &mut left,
        );
        if !round.candidates.are_all()
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
        self.given_way = None;
        self.before.clear();
        self.before
            .extend(self.labels[..self.chosen].iter().map(|label| label.block));
        self.before.sort_unstable();
        self.districts.clear();
        // What was laid stands in the same order.
        let mut laid = self.labels[..self.chosen].iter().peekable();
        self.districts
            .extend(round.candidates.iter().filter_map(|candidate| {
                let mut strength = 0.0;
                while let Some(label) = laid.next_if(|label| label.block == candidate.block) {
                    strength = label.opacity;
                }
                (!candidate.is_roof).then_some((candidate.block, strength))
            }));
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

    /// The districts that are large enough to be named on the screen, the largest first.
    pub fn districts(&self) -> impl Iterator<Item = District> {
        let is_along = !self.is_across;
        let districts = self.districts.iter();
        districts.map(move |&(block, strength)| District {
            block,
            strength,
            is_along,
        })
    }

    /// Where names lie that are read, each with its block and whether that is a roof, and the air about them.
    pub(super) fn read(
        &self,
        eye: &Eye,
        looks: &[BlockLook],
    ) -> impl Iterator<Item = (u32, bool, Quad)> {
        let read = self.labels[..self.chosen].iter();
        let read = read.filter(|label| label.opacity > 0.4);
        read.filter_map(move |label| {
            let quad = quad_of(label, eye, looks)?.with_air(AIR);
            Some((label.block, label.is_on_roof, quad))
        })
    }

    /// Whether the name of a module that `is_meant` would give way to a plate from `min` to `max`.
    pub fn would_hide(
        &self,
        (min, max): (Vec2, Vec2),
        is_meant: impl Fn(ModuleId) -> bool,
        eye: &Eye,
        looks: &[BlockLook],
    ) -> bool {
        let plate = Quad::of_plate(min - AIR, max + AIR);
        let mut labels = self.labels[..self.chosen].iter();
        labels.any(|label| {
            is_meant(label.module)
                && quad_of(label, eye, looks).is_some_and(|quad| quad.overlaps(&plate))
        })
    }

    /// Takes away names that, from `eye`, lie under the rectangles `plates`, given by their corners; others that were
    /// taken away come back. `looks` as in [`Around`].
    pub fn give_way(&mut self, plates: &[(Vec2, Vec2)], eye: &Eye, looks: &[BlockLook]) {
        let is_within = |(plate, air): (&(Vec2, Vec2), &(Vec2, Vec2))| {
            plate.0.cmpge(air.0).all() && plate.1.cmple(air.1).all()
        };
        if self.given_way.replace(*eye) == Some(*eye)
            && plates.len() == self.plates.len()
            && plates.iter().zip(&self.plates).all(is_within)
        {
            return;
        }
        let air = |&(min, max): &(Vec2, Vec2)| (min - AIR, max + AIR);
        self.plates.clear();
        self.plates.extend(plates.iter().map(air));
        if plates.is_empty() {
            self.shown = self.chosen;
            return;
        }
        let (mut kept, mut place) = (0, 0);
        while place < self.chosen {
            // The lines of a name stand one after the other, and go together.
            let block = self.labels[place].block;
            let lines = self.labels[place..self.chosen].iter();
            let lines = lines.take_while(|label| label.block == block).count();
            let mut quads = self.labels[place..place + lines]
                .iter()
                .filter_map(|label| quad_of(label, eye, looks));
            let is_covered = quads.any(|quad| {
                let mut plates = self.plates.iter();
                plates.any(|&(min, max)| quad.overlaps(&Quad::of_plate(min, max)))
            });
            if !is_covered {
                for line in 0..lines {
                    self.labels.swap(kept + line, place + line);
                }
                kept += lines;
            }
            place += lines;
        }
        self.shown = kept;
    }
}

/// Where a name lies on the screen.
fn quad_of(label: &FlatLabel, eye: &Eye, looks: &[BlockLook]) -> Option<Quad> {
    let look = looks.get(label.block as usize);
    let rise = look.map_or(0.0, |look| look.rise);
    let width = text::width(&label.text) * label.em;
    let origin = label.origin + Vec3::Z * rise;
    Quad::of_name(origin, label.right * width, label.up * label.em, eye)
}
