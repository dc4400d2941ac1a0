//! Names that lie on districts in the picture where those on the ground are too small: whole where there is room, else
//! shortened, else a number with the name at the side of the picture.

use std::fmt::Write;
use std::ops::Range;

use glam::Vec2;

use super::{Asked, COUNT, NO_BLOCK, ScreenLabels};
use crate::labels::flat::Quad;
use crate::labels::occupied::Occupied;
use crate::labels::text;

/// Letters of names on districts, as shares of an em: large ones where they fit.
const SIZES: [f32; 2] = [COUNT, 0.71];
/// Around letters on districts, in em.
const PAD: Vec2 = Vec2::new(0.3, 0.72);
/// Less of a name, in em, says nothing.
const LEAST_SHORT: f32 = 2.4;
/// How far up the district, and along it, names are tried.
const UP: [f32; 4] = [0.0, 0.33, 0.66, 1.0];
const ALONG: [f32; 3] = [0.0, 0.5, 1.0];
/// Names at the side are shortened to so much, in em, and lie so far from the edge of the picture.
const KEY_WIDTH: f32 = 18.0;
const KEY_MARGIN: f32 = 0.8;
/// What is at the side is of no block, and not of what plates are of.
const ASIDE: u32 = NO_BLOCK - 1;

/// Where the name of a district may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    pub block: u32,
    /// The corners of its top on the screen, from the one where its name begins, along its edge and around.
    pub corners: [Vec2; 4],
    /// It is large enough to be named whatever it takes.
    pub is_large: bool,
}

impl Site {
    /// The top of a district whose corners are these, in order around it.
    pub fn of(block: u32, mut corners: [Vec2; 4], is_large: bool) -> Site {
        // Names begin at the left end of the side that is nearest.
        let low = |at: usize| corners[at].y + corners[(at + 1) % 4].y;
        let nearest = (1..4).fold(0, |best, at| if low(at) > low(best) { at } else { best });
        corners.rotate_left(nearest);
        if corners[1].x < corners[0].x {
            let [a, b, c, d] = corners;
            corners = [b, a, d, c];
        }
        Site {
            block,
            corners,
            is_large,
        }
    }

    /// The middles of a name so large that lies on it.
    fn places(&self, half: Vec2) -> impl Iterator<Item = Vec2> {
        let [a, b, c, d] = self.corners;
        let deep = a.distance(d).min(b.distance(c));
        let least_up = half.y / deep.max(1e-3);
        let places = UP.into_iter().flat_map(move |up| {
            let up = least_up + (1.0 - 2.0 * least_up) * up;
            let (from, to) = (a.lerp(d, up), b.lerp(c, up));
            let room = to.x - from.x - 2.0 * half.x;
            ALONG.into_iter().filter_map(move |along| {
                let x = from.x + half.x + room * along;
                let share = (x - from.x) / (to.x - from.x).max(1e-3);
                (room >= 0.0).then_some(Vec2::new(x, from.y + (to.y - from.y) * share))
            })
        });
        places.filter(move |_| least_up <= 0.5)
    }

    /// How wide a name on it may be.
    pub fn width(&self) -> f32 {
        let [a, b, c, d] = self.corners;
        (b.x - a.x).min(c.x - d.x)
    }
}

/// A name among all that are asked for.
fn of((from, to): (usize, usize)) -> Range<usize> {
    from..to
}

/// Half of what a name takes.
fn half(name: &str, em: f32) -> Vec2 {
    Vec2::new(text::width(name) * 0.5 + PAD.x, PAD.y) * em
}

/// Where names at the side go on, by side: from the right upper corner down, then from the left one.
#[derive(Debug, Default)]
pub(super) struct Key {
    next: [f32; 2],
    numbers: u32,
    /// What the picture shows: names at the side do not lie over it.
    ground: Option<Quad>,
}

impl Key {
    pub(super) fn of(ground: Option<[Vec2; 4]>) -> Key {
        Key {
            ground: ground.map(Quad::new),
            ..Key::default()
        }
    }

    /// The middle of a name so large at the side.
    fn place(
        &mut self,
        half: Vec2,
        em: f32,
        [low, high]: [Vec2; 2],
        taken: &Occupied,
    ) -> Option<Vec2> {
        let margin = KEY_MARGIN * em;
        for (side, next) in self.next.iter_mut().enumerate() {
            let x = match side {
                0 => high.x - margin - half.x,
                _ => low.x + margin + half.x,
            };
            *next = next.max(low.y + margin + half.y);
            while *next + half.y < high.y - margin {
                let middle = Vec2::new(x, *next);
                *next += 2.0 * half.y;
                let (min, max) = (middle - half, middle + half);
                let quad = Quad::of_plate(min, max);
                let is_over = self.ground.is_some_and(|ground| ground.overlaps(&quad));
                if !is_over && taken.is_free(&quad, ASIDE, false) {
                    return Some(middle);
                }
            }
        }
        None
    }
}

impl ScreenLabels {
    /// Lays the name of a district on it where there is room; else its own name within what holds it, a part of that, or
    /// a number with the name at the side, where it is large.
    pub(super) fn lay(&mut self, request: &Asked, site: &Site, em: f32, room: [Vec2; 2]) {
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
