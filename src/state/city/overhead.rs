//! Names that stand over districts on the screen where those written on the ground cannot be read.

use super::lettering::Lettering;
use callscape_analysis::session::Session;
use callscape_layout::geometry::Block;
use callscape_layout::labels::Eye;
use callscape_layout::labels::flat::{District, FlatLabels};
use callscape_layout::labels::screen::{COUNT, Reason, Request, ScreenLabels, Site, Subject};
use callscape_layout::labels::text::width;
use callscape_layout::pick::{Picker, Scene};

/// Districts named at a time, and in a single picture.
const MOST: usize = 160;
const MOST_IN_A_PICTURE: usize = 600;
/// How many of the names on the screen are remembered.
const MOST_SHOWN: usize = 200;
/// How many districts are looked at for each that is named, the largest first.
const ASKED: usize = 2;
/// A name appears when the one on the ground is fainter than this.
const APPEARS_BELOW: f32 = 0.35;
/// It goes when that is stronger than this: both are there for a while, so that none flickers.
const GOES_ABOVE: f32 = 0.95;
/// A child that covers more of its parent than this gets no name of its own.
const MOST_OF_PARENT: f32 = 0.55;
/// A district that covers more of the picture than this is named in any case.
const LARGE: f32 = 0.002;
/// One that was not named has to have so many times the room that its name takes.
const ROOM: f32 = 1.1;
/// Where along the sides of a district it is looked whether it is seen.
const SAMPLES: [f32; 3] = [0.5, 0.15, 0.85];

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
        let districts = self.flat.districts();
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
        let reason = match district.is_along {
            true => Reason::Distant,
            false => Reason::District,
        };
        let shown = || self.shown.iter().flatten();
        let was_shown = shown().any(|shown| shown.0 == of);
        if district.strength > if was_shown { GOES_ABOVE } else { APPEARS_BELOW } {
            return None;
        }
        let may = self.lettering.is_still || shown().any(|&shown| shown == (of, reason));
        if district.is_along && !may {
            return None;
        }
        let corners = eye.top_of(block)?;
        // Parts and numbers would come and go while one looks around.
        let rests = self.lettering.is_still || was_shown;
        let is_large = rests && eye.share_of(corners) >= LARGE;
        let name = self.session.module_name(block.module);
        let site = Site::of(district.block, corners, is_large);
        let holds = if was_shown { 1.0 } else { ROOM } * (width(name) + 1.0) * em * COUNT;
        let is_wanted = is_large || self.is_distinct(&district, block) && site.width() >= holds;
        if !is_wanted {
            return None;
        }
        // Nothing hides all of the side where one looks for its name.
        let (min, max) = (block.min.with_z(block.max.z), block.max);
        let around = [min, min.with_x(max.x), max, max.with_x(min.x)];
        let shows = |picker: &Picker| {
            SAMPLES.into_iter().any(|along| {
                let sides = [(0, 1), (1, 2), (2, 3), (3, 0)];
                sides.iter().any(|&(from, to)| {
                    let on = around[from].lerp(around[to], along);
                    picker.shows(self.scene, district.block, on, eye.position)
                })
            })
        };
        let top = (min + max) * 0.5;
        self.picker.is_none_or(shows).then_some(Request {
            of,
            name,
            own: self.session.hierarchy.name(block.module),
            reason,
            top,
            site: Some(site),
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
