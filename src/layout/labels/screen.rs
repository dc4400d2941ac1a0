//! Names that stand over their blocks on the screen: only what is asked for, nothing over anything else.

mod districts;

use std::fmt::Write;
use std::ops::Range;

use glam::{Vec2, Vec3};

pub use self::districts::Site;
use self::districts::{Key, PAD, half};
use super::flat::{FlatLabels, Quad};
use super::occupied::Occupied;
use super::{Covered, Eye, text};
use crate::geometry::{BlockLook, ScreenLabel};
use callscape_base::units::ModuleId;

/// Why a name is shown; earlier ones are more important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    Hovered,
    Selected,
    /// It is around what is selected.
    Around,
    Found,
    Running,
    /// It has most of what colours say.
    StandsOut,
    /// How often something was called.
    Counted,
    /// A district whose name would lie across where it has its place.
    District,
    /// A district whose own name is too small.
    Distant,
}

/// What a name is of: it stays where the room is contested as long as it is of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Module(ModuleId),
    /// From a module to a module.
    Relation(ModuleId, ModuleId),
}

/// A name to be shown if there is room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request<'a> {
    pub of: Subject,
    pub name: &'a str,
    /// Of a district, its name within what holds it.
    pub own: &'a str,
    pub reason: Reason,
    /// What the name stands over, in world space.
    pub top: Vec3,
    /// Of a district, where its name may lie.
    pub site: Option<Site>,
}

/// How far above its block a name stands, and how far around it nothing else may, in em.
const GAP: f32 = 0.6;
const PADDING: f32 = 0.55;
/// What was not shown before comes where there is so much more room than it needs, in em.
const COMES: f32 = 0.4;
/// Counts are smaller than names by this.
pub const COUNT: f32 = 0.82;
/// Letters of names on districts, as shares of an em: large ones where they fit.
const SIZES: [f32; 2] = [COUNT, 0.71];
/// Less of a name, in em, says nothing.
const LEAST_SHORT: f32 = 2.4;
/// Names at the side are shortened to so much, in em.
const KEY_WIDTH: f32 = 18.0;
/// So many labels are made at first, with room for so many bytes each.
const MADE: usize = 192;
const ROOMY_TEXT: usize = 64;
/// What a plate that is not on a district is of.
const NO_BLOCK: u32 = u32::MAX;
/// Names longer than this, in em, are shortened.
const WIDEST: f32 = 26.0;

/// A request, its name as a range of all.
#[derive(Clone, Copy, Debug)]
struct Asked {
    of: Subject,
    reason: Reason,
    /// Its place among what was shown before.
    turn: usize,
    top: Vec3,
    site: Option<Site>,
    name: (usize, usize),
    own: (usize, usize),
}

impl Asked {
    /// Whether its name may stand farther from its block, at the end of a stem.
    fn may_move(&self) -> bool {
        matches!(
            self.reason,
            Reason::Around | Reason::Found | Reason::Running | Reason::StandsOut
        )
    }
}

/// Where names go that have no room over the middle of their blocks, in halves of their widths and in their heights.
fn elsewhere() -> impl Iterator<Item = Vec2> {
    let rows = (0..7).map(|row| -(row as f32));
    rows.flat_map(|y| [0.0, 0.9, -0.9].map(|x| Vec2::new(x, y)))
}

/// The names on the screen.
#[derive(Debug, Default)]
pub struct ScreenLabels {
    /// The labels shown, then spare ones whose texts keep their memory.
    labels: Vec<ScreenLabel>,
    shown: usize,
    asked: Vec<Asked>,
    /// The names that are asked for, one after the other.
    names: String,
    subjects: Vec<Subject>,
    /// Which of the places that it may have each has.
    steps: Vec<u8>,
    steps_before: Vec<u8>,
    reasons: Vec<Reason>,
    /// What was shown the last time: it stays when the room is contested.
    before: Vec<Subject>,
    order: Vec<u32>,
    taken: Vec<(Vec2, Vec2)>,
    /// What names on districts lie beside: all of these, and names on the ground.
    occupied: Occupied,
    /// What the next picture has on the ground is among that.
    is_beside: bool,
    key: Key,
    /// Room for a name that is shortened.
    short: String,
}

impl ScreenLabels {
    pub fn labels(&self) -> &[ScreenLabel] {
        &self.labels[..self.shown]
    }

    /// What they are of, and why they are shown.
    pub fn subjects(&self) -> impl Iterator<Item = (Subject, Reason)> {
        let subjects = self.subjects.iter().copied();
        subjects.zip(self.reasons.iter().copied())
    }

    /// The rectangles that they take, and before them those that are covered, by their corners.
    pub fn plates(&self) -> &[(Vec2, Vec2)] {
        &self.taken
    }

    /// Takes what is asked for, and the order in which it is looked at.
    fn ask<'a>(&mut self, requests: impl IntoIterator<Item = Request<'a>>) {
        self.asked.clear();
        self.names.clear();
        // Nothing where there is so much room already.
        self.asked.reserve(2 * MADE);
        self.names.reserve(2 * MADE * ROOMY_TEXT);
        for request in requests {
            let start = self.names.len();
            // Those that were shown keep their turn, and with it their place.
            let turn = self.before.iter().position(|of| *of == request.of);
            self.names.push_str(request.name);
            let end = self.names.len();
            self.names.push_str(request.own);
            self.asked.push(Asked {
                of: request.of,
                reason: request.reason,
                turn: turn.unwrap_or(usize::MAX),
                top: request.top,
                site: request.site,
                name: (start, end),
                own: (end, self.names.len()),
            });
        }
        self.order.clear();
        self.order.reserve(2 * MADE);
        self.order.extend(0..self.asked.len() as u32);
        let asked = &self.asked;
        self.order.sort_unstable_by_key(|&index| {
            let request = &asked[index as usize];
            (request.reason, request.turn, index)
        });
    }

    /// Has the next names on districts lie beside those that are read on the ground, and those at the side of the picture
    /// beside `ground`, the corners of what it shows.
    pub fn lie_beside(
        &mut self,
        flat: &FlatLabels,
        eye: &Eye,
        looks: &[BlockLook],
        ground: Option<[Vec2; 4]>,
    ) {
        self.is_beside = true;
        self.occupied.begin(eye.size.y);
        for (block, is_on_roof, quad) in flat.read(eye, looks) {
            match is_on_roof {
                true => self.occupied.add_roof(block, quad),
                false => self.occupied.add(block, quad),
            }
        }
        self.key = Key::of(ground);
    }

    /// Shows what of `requests` has room within the corners `room` and beside what is `covered`, more important ones
    /// and those already shown first, then in the order given. `em` is the height of the letters in pixels.
    pub fn update<'a>(
        &mut self,
        requests: impl IntoIterator<Item = Request<'a>>,
        eye: &Eye,
        room: [Vec2; 2],
        covered: &Covered,
        em: f32,
    ) {
        let [low, high] = room;
        std::mem::swap(&mut self.before, &mut self.subjects);
        std::mem::swap(&mut self.steps_before, &mut self.steps);
        self.subjects.clear();
        self.steps.clear();
        self.reasons.clear();
        self.subjects.reserve(MADE);
        self.reasons.reserve(MADE);
        self.steps.reserve(MADE);
        self.shown = 0;
        self.taken.clear();
        self.taken.reserve(MADE);
        self.taken.extend_from_slice(covered.rectangles());
        if !std::mem::take(&mut self.is_beside) {
            self.occupied.begin(eye.size.y);
            self.key = Key::default();
        }
        for &(min, max) in covered.rectangles() {
            self.occupied.add(NO_BLOCK, Quad::of_plate(min, max));
        }
        self.ask(requests);
        for place in 0..self.order.len() {
            let request = self.asked[self.order[place] as usize];
            if self.subjects.contains(&request.of) {
                continue;
            }
            self.make_room();
            if let Some(site) = &request.site {
                self.lay(&request, site, em, room);
                continue;
            }
            let Some(over) = eye.project(request.top) else {
                continue;
            };
            let name = &self.names[request.name.0..request.name.1];
            let label = &mut self.labels[self.shown];
            if name.is_empty() || !text::shorten(name, WIDEST, &mut label.text) {
                continue;
            }
            // What was not shown needs some room more, so that nothing comes and goes where there is hardly any.
            let was_shown = self.before.is_empty() || self.before.contains(&request.of);
            let air = Vec2::splat(if was_shown { 0.0 } else { COMES * em });
            let is_count = request.reason == Reason::Counted;
            let is_small = request.reason >= Reason::StandsOut;
            let em = if is_small { em * COUNT } else { em };
            let half = plate(&label.text, em);
            // A count lies on its arc.
            let down = if is_count { half.y } else { -GAP * em };
            let (mut at, mut step) = (over + Vec2::new(0.0, down), 0);
            if !is_count {
                // What one means, and what runs, keeps its name in the picture as long as it is in it itself.
                let inside = over.cmpge(low + air).all() && over.cmple(high - air).all();
                if !inside {
                    continue;
                }
                let within = |at: Vec2| {
                    let x = at.x.min(high.x - half.x).max(low.x + half.x);
                    Vec2::new(x, at.y.max(low.y + 2.0 * half.y))
                };
                at = within(at);
                at.x = beside(covered, at, half, over.x).unwrap_or(at.x);
                // Names that crowd stand beside or over each other, and off the names of districts if they can.
                if request.may_move() {
                    let room = half * Vec2::new(1.0, 2.0) + Vec2::new(0.0, 0.3 * em);
                    let places = || elsewhere().map(|by| within(at + room * by));
                    let clear = || (places().zip(0..)).filter(|it| self.is_clear(it.0, half, air));
                    // Where it stood it stays.
                    let before = self.steps_before.get(request.turn);
                    let same = before.and_then(|&step| clear().find(|it| it.1 == step));
                    let best =
                        same.or_else(|| clear().find(|it| self.is_off_districts(it.0, half)));
                    (at, step) = best.or_else(|| clear().next()).unwrap_or((at, 0));
                }
            }
            let (min, max) = (at - Vec2::new(half.x, 2.0 * half.y), at + half.with_y(0.0));
            let on_screen = min.cmpge(low).all() && max.cmple(high).all();
            let is_free = self.is_clear(at, half, air);
            if !(is_free && (on_screen || request.reason <= Reason::Selected)) {
                continue;
            }
            let label = &mut self.labels[self.shown];
            (label.at, label.em) = (at, em);
            label.emphasized = request.reason <= Reason::Selected;
            label.is_quiet = false;
            let is_far = !is_count && over.y - at.y > 2.0 * GAP * em;
            label.stem = is_far.then_some(over);
            self.take(&request, (min, max));
            self.steps[self.shown - 1] = step;
        }
    }

    /// Whether nothing is near where a plate, half as large, would stand on the middle of its lower edge.
    fn is_clear(&self, at: Vec2, half: Vec2, air: Vec2) -> bool {
        let (min, max) = (at - Vec2::new(half.x, 2.0 * half.y), at + half.with_y(0.0));
        let (min, max) = (min - air, max + air);
        let mut taken = self.taken.iter();
        taken
            .all(|&(other_min, other_max)| min.cmpge(other_max).any() || max.cmple(other_min).any())
    }

    /// Whether it would stand on no name of a district.
    fn is_off_districts(&self, at: Vec2, half: Vec2) -> bool {
        let (min, max) = (at - Vec2::new(half.x, 2.0 * half.y), at + half.with_y(0.0));
        self.occupied
            .is_free(&Quad::of_plate(min, max), NO_BLOCK, true)
    }

    /// Makes room for one label more.
    fn make_room(&mut self) {
        // Many at a time, with room for their texts: names take turns, and later frames take no memory.
        while self.shown == self.labels.len() || self.labels.len() < MADE {
            self.labels.push(ScreenLabel {
                text: String::with_capacity(ROOMY_TEXT),
                at: Vec2::ZERO,
                em: 0.0,
                emphasized: false,
                is_quiet: false,
                stem: None,
            });
        }
    }

    /// The label after the last one shown is shown, and takes this place.
    fn take(&mut self, request: &Asked, (min, max): (Vec2, Vec2)) {
        self.taken.push((min, max));
        self.occupied.add(NO_BLOCK, Quad::of_plate(min, max));
        self.subjects.push(request.of);
        self.reasons.push(request.reason);
        self.steps.push(0);
        self.shown += 1;
    }
}

/// A name among all that are asked for.
fn of((from, to): (usize, usize)) -> Range<usize> {
    from..to
}

impl ScreenLabels {
    /// Lays the name of a district on it where there is room; else its own name within what holds it, a part of that, or
    /// a number with the name at the side, where it is large.
    fn lay(&mut self, request: &Asked, site: &Site, em: f32, room: [Vec2; 2]) {
        let (name, own) = (of(request.name), of(request.own));
        if SIZES
            .iter()
            .any(|size| self.write(&name, em * size) && self.put(request, site, room))
        {
            return;
        }
        if !site.is_large {
            return;
        }
        let em = em * SIZES[1];
        if self.write(&own, em) && self.put(request, site, room) {
            return;
        }
        let label = &mut self.labels[self.shown];
        let limit = site.width() / em - 2.0 * PAD.x;
        if limit >= LEAST_SHORT
            && text::shorten(&self.names[own], limit, &mut label.text)
            && self.is_new()
            && self.put(request, site, room)
        {
            return;
        }
        self.put_number(request, site, em, room);
    }

    /// Writes the next label; whether no other says the same.
    fn write(&mut self, name: &Range<usize>, em: f32) -> bool {
        let label = &mut self.labels[self.shown];
        label.text.clear();
        label.text.push_str(&self.names[name.clone()]);
        label.em = em;
        self.is_new()
    }

    fn is_new(&self) -> bool {
        let (shown, next) = self.labels.split_at(self.shown);
        let next = next.first().map(|label| &label.text);
        shown.iter().all(|label| Some(&label.text) != next)
    }

    /// Shows a number on a district and its name at the side, where there is room for both.
    fn put_number(&mut self, request: &Asked, site: &Site, em: f32, room: [Vec2; 2]) {
        let number = self.key.numbers + 1;
        let label = &mut self.labels[self.shown];
        label.text.clear();
        // Nothing can fail that is written to memory.
        let _ = write!(label.text, "{number}");
        label.em = em;
        let before = self.key.next;
        // Where there is no room at all, the name of a part of it gives way.
        let on_it = self.place(site, room, false);
        let Some(on_it) = on_it.or_else(|| self.place(site, room, true)) else {
            return;
        };
        let mut short = std::mem::take(&mut self.short);
        let label = &mut self.labels[self.shown];
        if text::shorten(&self.names[of(request.name)], KEY_WIDTH, &mut short) {
            let _ = write!(label.text, " {short}");
        }
        self.short = short;
        let half = half(&label.text, em);
        let Some(beside) = self.key.place(half, em, room, &self.occupied) else {
            self.key.next = before;
            return;
        };
        self.key.numbers = number;
        self.show(request, beside);
        self.make_room();
        let label = &mut self.labels[self.shown];
        label.text.clear();
        let _ = write!(label.text, "{number}");
        label.em = em;
        self.show(request, on_it);
    }

    /// Where the next label has room on a district, or has it `over_roofs`.
    fn place(&self, site: &Site, [low, high]: [Vec2; 2], over_roofs: bool) -> Option<Vec2> {
        let label = &self.labels[self.shown];
        let half = half(&label.text, label.em);
        let mut places = site.places(half);
        places.find(|&middle| {
            let (min, max) = (middle - half, middle + half);
            let is_inside = min.cmpge(low).all() && max.cmple(high).all();
            let quad = Quad::of_plate(min, max);
            is_inside && self.occupied.is_free(&quad, site.block, over_roofs)
        })
    }

    /// Shows the next label on a district, where it has room.
    fn put(&mut self, request: &Asked, site: &Site, room: [Vec2; 2]) -> bool {
        let place = self.place(site, room, false);
        if let Some(middle) = place {
            self.show(request, middle);
        }
        place.is_some()
    }

    /// Shows the next label about this place.
    fn show(&mut self, request: &Asked, middle: Vec2) {
        let label = &mut self.labels[self.shown];
        let half = half(&label.text, label.em);
        label.at = middle + half.with_x(0.0);
        (label.emphasized, label.is_quiet, label.stem) = (false, true, None);
        self.take(request, (middle - half, middle + half));
    }
}

/// The corners of the plate of a name that stands over a point of the screen, where nothing is in its way.
pub fn plate_over(over: Vec2, name: &str, em: f32) -> (Vec2, Vec2) {
    let half = plate(name, em);
    let foot = over - Vec2::new(0.0, GAP * em);
    (
        foot - Vec2::new(half.x, 2.0 * half.y),
        foot + half.with_y(0.0),
    )
}

/// Half the width and the height of the plate of a name in letters so high.
pub fn plate(name: &str, em: f32) -> Vec2 {
    Vec2::new(text::width(name) * 0.5 + PADDING, 0.5 + PADDING) * em
}

/// Where the middle of a name goes that would lie under what is `covered`: to the side of it, as long as it still
/// stands over its block at `over`.
fn beside(covered: &Covered, at: Vec2, half: Vec2, over: f32) -> Option<f32> {
    let (top, bottom) = (at.y - 2.0 * half.y, at.y);
    let hidden = covered.rectangles().iter().find(|(min, max)| {
        at.x - half.x < max.x && at.x + half.x > min.x && top < max.y && bottom > min.y
    });
    let &(min, max) = hidden?;
    let sides = [min.x - half.x, max.x + half.x];
    let near = sides.into_iter().filter(|x| (x - over).abs() < half.x);
    near.min_by(|a, b| (a - over).abs().total_cmp(&(b - over).abs()))
}

#[cfg(test)]
mod tests;
