//! Names that stand over districts on the screen where those written on the ground cannot be read.

use super::lettering::Lettering;
use callscape_analysis::session::Session;
use callscape_layout::geometry::Block;
use callscape_layout::labels::Eye;
use callscape_layout::labels::flat::{District, FlatLabels};
use callscape_layout::labels::screen::{COUNT, Reason, Request, ScreenLabels, Subject, plate};
use callscape_layout::labels::text::width;
use callscape_layout::pick::{Picker, Scene};

/// Districts named at a time, and in a single picture.
const MOST: usize = 24;
const MOST_IN_A_PICTURE: usize = 60;
/// How many of the names on the screen are remembered.
const MOST_SHOWN: usize = 64;
/// How many districts are looked at for each that is named, the largest first.
const ASKED: usize = 6;
/// A name appears when the one on the ground is fainter than this.
const APPEARS_BELOW: f32 = 0.35;
/// It goes when that is stronger than this: both are there for a while, so that none flickers.
const GOES_ABOVE: f32 = 0.95;
/// A child that covers more of its parent than this gets no name of its own.
const MOST_OF_PARENT: f32 = 0.55;
/// A district is named where it reaches this far up the screen from the side on which its own name lies, in em.
const LEAST_DEPTH: f32 = 2.4;
/// The same where it is named already.
const LEAST_DEPTH_SHOWN: f32 = 2.1;

/// What decides which districts are named over them.
pub(super) struct Overhead<'a> {
    session: &'a Session,
    scene: &'a Scene<'a>,
    /// None while blocks are on their way: what stands before what is known only of those at rest.
    picker: Option<&'a Picker>,
    flat: &'a FlatLabels,
    eye: &'a Eye,
    lettering: &'a Lettering,
    /// What was named on the screen the last time.
    shown: [Option<(Subject, Reason)>; MOST_SHOWN],
}

impl<'a> Overhead<'a> {
    pub(super) fn new(
        session: &'a Session,
        scene: &'a Scene<'a>,
        picker: Option<&'a Picker>,
        (flat, screen): (&'a FlatLabels, &ScreenLabels),
        (eye, lettering): (&'a Eye, &'a Lettering),
    ) -> Overhead<'a> {
        let mut shown = [None; MOST_SHOWN];
        for (shown, of) in shown.iter_mut().zip(screen.subjects()) {
            *shown = Some(of);
        }
        Overhead {
            session,
            scene,
            picker,
            flat,
            eye,
            lettering,
            shown,
        }
    }

    /// The names, those of the largest districts first.
    pub(super) fn requests(self) -> impl Iterator<Item = Request<'a>> {
        let districts = self.flat.districts(self.scene.blocks, self.eye);
        let most = match self.lettering.is_single {
            true => MOST_IN_A_PICTURE,
            false => MOST,
        };
        let districts = districts.take(most * ASKED);
        districts
            .filter_map(move |district| self.request(district))
            .take(most)
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
        if district.strength > if was_shown { GOES_ABOVE } else { APPEARS_BELOW } {
            return None;
        }
        let may = self.lettering.is_still || shown().any(|&shown| shown == (of, reason));
        if district.is_begun && !(may && self.is_distinct(&district, block)) {
            return None;
        }
        let name = self.session.module_name(block.module);
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
            if deep
                < if was_shown {
                    LEAST_DEPTH_SHOWN
                } else {
                    LEAST_DEPTH
                } * em
            {
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

    /// Whether its name says something new: a district that covers nearly all of its parent has the parent's.
    fn is_distinct(&self, district: &District, block: &Block) -> bool {
        let ground = |block: &Block| (block.max - block.min).truncate().element_product();
        let on = self.scene.parents.get(district.block as usize);
        let on = on.and_then(|&on| self.scene.blocks.get(on as usize));
        on.is_none_or(|on| ground(block) < MOST_OF_PARENT * ground(on))
    }
}
