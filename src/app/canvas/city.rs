//! Brings the renderers of the landscapes up to date with the state.

use glam::Vec2;

use crate::feed::Feed;
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, ThreadId};
use callscape_filter::selection::Selection;
use callscape_layout::labels::Covered;
use callscape_look::camera::Camera;
use callscape_look::pose::FreeArea;
use callscape_look::quality::Quality;
use callscape_model::moment::Moment;
use callscape_render::gpu::Gpu;
use callscape_render::renderer::{Frame, Renderer};
use callscape_state::city::Lettering;
use callscape_state::document::Document;
use callscape_state::{Stamps, State};
use callscape_views::Surface;

/// Letters on the screen are so many points high.
const LETTERS: f32 = 13.0;
/// Names of search results shown over the landscape.
const MAX_NAMES_FOUND: usize = 12;

/// How well a landscape is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharpness {
    pub quality: Quality,
    /// A picture that would only be better is drawn again too.
    pub may_settle: bool,
    /// Names may be chosen over several frames where they are many.
    pub may_spread: bool,
}

/// What a renderer has of a landscape, and what its picture shows.
#[derive(Default)]
pub(super) struct Drawn {
    frame: Option<Frame>,
    /// The moment that the renderer has; none when it has nothing of the present blocks.
    shown: Option<Option<Moment>>,
    /// The call relations that stand out among the arcs that the renderer has.
    marked: Option<[Marked; 2]>,
    has_blocks: bool,
    /// What the renderer was last brought up to date with.
    stamps: Stamps,
    /// What lay over the picture.
    covered: Covered,
    /// Names are being chosen, which takes more frames.
    names_wait: bool,
    /// Names were chosen for a picture that stays as it is.
    was_still: bool,
    /// Colours were on their way when the renderer got its looks.
    was_fading: bool,
}

/// A call relation, and the thread of a hop of a hyperarc.
type Marked = (Option<(ModuleId, ModuleId)>, Option<ThreadId>);

impl Drawn {
    /// Of the last picture.
    pub(super) fn camera(&self) -> Option<Camera> {
        self.frame.map(|frame| frame.camera)
    }

    /// Names are being chosen.
    pub(super) fn names_wait(&self) -> bool {
        self.names_wait
    }

    /// A frame has been drawn, if there is one.
    pub(super) fn note(&mut self, frame: Option<Frame>) {
        self.frame = frame.or(self.frame);
    }
}

impl Drawn {
    /// Hands over what is new of blocks and their colours; whether something is.
    fn blocks(&mut self, feed: &mut Feed<'_>, stamps: Stamps) -> bool {
        let before = self.stamps;
        let mut is_new = false;
        if before.blocks != stamps.blocks || !self.has_blocks {
            feed.blocks();
            self.has_blocks = true;
            self.shown = None;
            is_new = true;
        }
        let share = feed.city.way().map_or(1.0, |(_, share)| share);
        if feed.renderer.move_on(share) {
            // Arcs go along with the blocks that they join.
            self.shown = None;
            is_new = true;
        }
        if before.looks != stamps.looks {
            feed.looks();
            is_new = true;
        }
        if before.left != stamps.left {
            self.shown = None;
        }
        is_new
    }

    /// Hands over what a moment shows: what glows, and the arcs; whether something is new.
    fn moment(
        &mut self,
        feed: &mut Feed<'_>,
        (session, selection): (&Session, &Selection),
        moment: Option<Moment>,
    ) -> bool {
        let mut is_new = false;
        if feed
            .city
            .outline(&session.hierarchy, selection.marked.as_ref())
        {
            feed.looks();
            is_new = true;
        }
        feed.city.point(selection);
        if feed.city.is_outdated() {
            self.shown = None;
        }
        if self.shown != Some(moment) {
            self.shown = Some(moment);
            feed.city.show(session, moment);
            feed.changed_looks();
            self.marked = None;
            is_new = true;
        }
        let is_fading = feed.city.is_fading();
        if is_fading || self.was_fading {
            feed.fading_looks();
            is_new = true;
        }
        self.was_fading = is_fading;
        let marks = [&selection.pointed, &selection.chosen]
            .map(|of| (of.relation, of.thread.filter(|_| of.relation.is_some())));
        if self.marked != Some(marks) {
            self.marked = Some(marks);
            feed.arcs(selection);
            is_new = true;
        }
        is_new | feed.focus()
    }
}

/// What a landscape is drawn for.
pub(super) struct Wanted {
    /// 0 for the landscape, 1 for that of a second run.
    pub which: usize,
    /// All but the module of a spot is dimmed, if there is a spot.
    pub spot: Option<Option<ModuleId>>,
    pub surface: Surface,
    pub sharpness: Sharpness,
}

impl Drawn {
    /// Brings the renderer of a landscape up to date, and gives the frame to draw; none when the picture would be the
    /// same, or only better and it may not settle now.
    pub(super) fn next_frame(
        &mut self,
        (gpu, renderer): (&Gpu, &mut Renderer),
        state: &mut State,
        wanted: &Wanted,
    ) -> Option<Frame> {
        let &Wanted {
            which,
            spot,
            surface,
            sharpness,
        } = wanted;
        let drawn = self;
        let mut frame = Frame {
            camera: state.moving.camera.camera(),
            size: surface.size,
            theme: state.settings.theme,
            hovered: [None; 2],
            selected: [None; 2],
            quality: sharpness.quality,
        };
        let shown = surface.size[0] as f32 / state.moving.viewport.size.x.max(1.0);
        let (covered, corner) = (state.moving.covered, state.corner(which));
        let (is_searching, stamps) = (state.search.is_open, state.stamps());
        let Some(document) = &mut state.document else {
            return (surface.is_new || drawn.frame != Some(frame)).then_some(frame);
        };
        let meant = [&document.selection.pointed, &document.selection.chosen]
            .map(|of| document.meant(of).modules());
        let moments = [document.moment(), document.moment_of_other()];
        let Document {
            found,
            city,
            other_city,
            session,
            selection,
            ..
        } = document;
        let (city, moment) = match which {
            0 => (city, moments[0]),
            _ => (other_city.as_mut()?, moments[1]),
        };
        let found = names_found(is_searching, found);
        renderer.set_scale(surface.scale * shown);
        let is_still = sharpness.may_settle
            && !drawn.names_wait
            && drawn.shown == Some(moment)
            && drawn.camera() == Some(frame.camera);
        let mut is_stale = surface.is_new | renderer.set_spot(spot);
        is_stale |= drawn.stamps.names != stamps.names;
        is_stale |= std::mem::replace(&mut drawn.covered, covered) != covered;
        is_stale |= !std::mem::replace(&mut drawn.was_still, is_still) && is_still;
        let mut feed = Feed {
            gpu,
            renderer,
            city,
        };
        is_stale |= drawn.blocks(&mut feed, stamps);
        drawn.stamps = stamps;
        is_stale |= drawn.moment(&mut feed, (session, selection), moment) | drawn.names_wait;
        let outlined = meant.map(|modules| modules.map(|module| feed.city.displayed(module?)));
        [frame.hovered, frame.selected] = outlined;
        if !is_stale && drawn.frame == Some(frame) {
            let is_better = sharpness.may_settle && !feed.renderer.settled();
            return is_better.then_some(frame);
        }
        let mut free = state.moving.viewport.free;
        if which == 1 {
            // The panels above and below are the same; what lies west and east is another.
            (free.min.x, free.max.x) = (FreeArea::WINDOW.min.x, FreeArea::WINDOW.max.x);
        }
        // What is hovered here has a tooltip of its own.
        let mut named = selection.clone();
        if state.moving.pointer.at.is_some() {
            named.pointed.module = None;
        }
        feed.city.spread_names(sharpness.may_spread);
        let scale = surface.scale * shown;
        let lettering = Lettering {
            size: Vec2::new(frame.size[0] as f32, frame.size[1] as f32),
            free,
            covered: covered.seen_from(corner, shown),
            em: LETTERS * scale,
            scale,
            is_still,
            is_single: false,
        };
        feed.names(session, &named, found, &frame.camera, &lettering);
        drawn.names_wait = !feed.city.names_are_settled();
        Some(frame)
    }
}

/// The results of an open search that are named over the landscape.
fn names_found(is_open: bool, results: &[ModuleId]) -> &[ModuleId] {
    match is_open {
        true => &results[..results.len().min(MAX_NAMES_FOUND)],
        false => &[],
    }
}
