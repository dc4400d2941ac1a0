//! Names that lie on districts in the picture where those on the ground are too small: whole where there is room, else
//! shortened, else a number with the name at the side of the picture.

use glam::Vec2;

use crate::labels::flat::Quad;
use crate::labels::occupied::Occupied;
use crate::labels::text;

/// Around letters on districts, in em.
pub(super) const PAD: Vec2 = Vec2::new(0.3, 0.72);
/// How far up the district, and along it, names are tried.
const UP: [f32; 4] = [0.0, 0.33, 0.66, 1.0];
const ALONG: [f32; 3] = [0.0, 0.5, 1.0];
/// Names at the side lie so far from the edge of the picture, in em.
const KEY_MARGIN: f32 = 0.8;
/// What is at the side is of no block, and not of what plates are of.
const ASIDE: u32 = u32::MAX - 1;

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
    pub(super) fn places(&self, half: Vec2) -> impl Iterator<Item = Vec2> {
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

/// Half of what a name takes.
pub(super) fn half(name: &str, em: f32) -> Vec2 {
    Vec2::new(text::width(name) * 0.5 + PAD.x, PAD.y) * em
}

/// Where names at the side go on, by side: from the right upper corner down, then from the left one.
#[derive(Debug, Default)]
pub(super) struct Key {
    pub next: [f32; 2],
    pub numbers: u32,
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
    pub(super) fn place(
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
