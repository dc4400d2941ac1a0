//! Districts that are named over them on the screen, where their own names cannot be read.

use super::Lettering;
use crate::facts::hierarchy::Hierarchy;
use crate::layout::geometry::Block;
use crate::layout::labels::Eye;
use crate::layout::labels::flat::{District, FlatLabels};
use crate::layout::labels::screen::{COUNT, Reason, Request, ScreenLabels, Subject, plate};
use crate::layout::labels::text::width;
use crate::layout::pick::{Picker, Scene};

/// So many at a time.
const MOST: usize = 16;
/// So many of the names on the screen are remembered.
const MOST_SHOWN: usize = 48;
/// So many of the largest districts are asked whether they are to be.
const MOST_ASKED: usize = 64;
/// Names on districts written more strongly than this are read: while they are named on the screen, and before.
const SAID: f32 = 0.95;
const SAID_NOW: f32 = 0.35;
/// What takes more of the ground of what it stands on than this is not told from it by a name.
const MOST_OF_ANOTHER: f32 = 0.55;
/// Seen from the side on which its own name lies, a district is named where it is so high on the screen, in em.
const DEEP: f32 = 2.4;
/// The same where it is named already.
const DEEP_STILL: f32 = 2.1;

/// What decides which districts are named over them.
pub(super) struct Unsaid<'a> {
    hierarchy: &'a Hierarchy,
    scene: &'a Scene<'a>,
    /// None while blocks are on their way: what stands before what is known only of those at rest.
    picker: Option<&'a Picker>,
    flat: &'a FlatLabels,
    eye: &'a Eye,
    lettering: &'a Lettering,
    /// What was named on the screen the last time.
    shown: [Option<(Subject, Reason)>; MOST_SHOWN],
}

impl<'a> Unsaid<'a> {
    pub fn new(
        hierarchy: &'a Hierarchy,
        scene: &'a Scene<'a>,
        picker: Option<&'a Picker>,
        (flat, screen): (&'a FlatLabels, &ScreenLabels),
        (eye, lettering): (&'a Eye, &'a Lettering),
    ) -> Unsaid<'a> {
        let mut shown = [None; MOST_SHOWN];
        for (shown, of) in shown.iter_mut().zip(screen.subjects()) {
            *shown = Some(of);
        }
        Unsaid {
            hierarchy,
            scene,
            picker,
            flat,
            eye,
            lettering,
            shown,
        }
    }

    /// The names, those of the largest districts first.
    pub fn requests(self) -> impl Iterator<Item = Request<'a>> {
        let districts = self.flat.districts(self.scene.blocks, self.eye);
        let districts = districts.take(MOST_ASKED);
        districts
            .filter_map(move |district| self.request(district))
            .take(MOST)
    }

    fn request(&self, district: District) -> Option<Request<'a>> {
        let (eye, em) = (self.eye, self.lettering.em);
        let block = self.scene.blocks.get(district.block as usize)?;
        let of = Subject::Module(block.module);
        let reason = match district.is_begun {
            true => Reason::Distant,
            false => Reason::District,
        };
        let shown = || self.shown.iter().flatten();
        let was_shown = shown().any(|shown| shown.0 == of);
        if district.strength > if was_shown { SAID } else { SAID_NOW } {
            return None;
        }
        let may = self.lettering.is_still || shown().any(|&shown| shown == (of, reason));
        if district.is_begun && !(may && self.is_told_apart(&district, block)) {
            return None;
        }
        let name = self.hierarchy.name(block.module);
        let [from, to] = district.edge.map(|end| eye.project(end));
        let (from, to) = (from?, to?);
        let needed = (width(name) + 1.0) * em * if was_shown { 1.0 } else { 1.1 };
        let long = from.distance(to);
        if long < needed {
            return None;
        }
        let [begin, end] = district.edge;
        let share = match district.is_begun {
            true => (0.5 * needed / long).min(0.5),
            false => 0.5,
        };
        let mut top = begin.lerp(end, share);
        if district.is_begun {
            // It is large enough itself, and neither hidden nor over a name that is read.
            let half = plate(name, em * COUNT);
            let far_side = eye.project(top.with_y(block.max.y))?;
            let deep = from.lerp(to, share).distance(far_side);
            if deep < if was_shown { DEEP_STILL } else { DEEP } * em {
                return None;
            }
            let shows =
                |picker: &Picker| picker.shows(self.scene, district.block, top, eye.position);
            let is_seen = self.picker.is_none_or(shows);
            top = top.lerp(top.with_y(block.max.y), half.y / deep);
            let middle = eye.project(top)?;
            let place = (middle - half, middle + half);
            let looks = self.scene.looks;
            if !is_seen || self.flat.is_read_under(place, district.block, eye, looks) {
                return None;
            }
        }
        Some(Request {
            of,
            name,
            reason,
            top,
        })
    }

    /// Whether it is not nearly all of another, beside whose name its own says nothing new.
    fn is_told_apart(&self, district: &District, block: &Block) -> bool {
        let ground = |block: &Block| (block.max - block.min).truncate().element_product();
        let on = self.scene.parents.get(district.block as usize);
        let on = on.and_then(|&on| self.scene.blocks.get(on as usize));
        on.is_none_or(|on| ground(block) < MOST_OF_ANOTHER * ground(on))
    }
}
