//! The tour: nine stops on the demo, at each of which the user does something himself. Whether it is done is seen from
//! the state, so that it makes no difference by which key or button.

use std::time::Duration;

use callscape_analysis::session::Inputs;
use callscape_base::units::{Time, TimeRange};
use callscape_filter::selection::Pointed;
use callscape_look::pose::Pose;
use callscape_model::surface::Surface;
use callscape_state::State;
use callscape_state::ask::PlayAsk;
use callscape_state::document::Document;

/// So long it says that a stop is done before it goes on.
const PAUSE: Duration = Duration::from_millis(900);
/// Of a turn of the camera, in radians, and of its distance, as a share: less is no looking about.
const TURN: f32 = 0.1;
const NEARER: f32 = 0.1;

/// What is done at a stop.
pub(crate) struct Stop {
    pub title: &'static str,
    /// Why one does it.
    pub about: &'static str,
    pub mouse: &'static str,
    /// Ids of actions in braces stand for their keys.
    pub keys: &'static str,
    is_done: fn(&Document, &Seen, &State) -> bool,
}

/// What was shown when a stop began, as far as it matters.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    pose: Pose,
    chosen: Pointed,
    /// The time that is shown, the last one while it plays.
    time: Time,
    range: Option<TimeRange>,
    surface: Surface,
    views: usize,
    left_out: usize,
}

impl Seen {
    fn of(document: &Document, state: &State) -> Seen {
        Seen {
            pose: state
                .moving
                .camera
                .destination()
                .unwrap_or(state.moving.camera.pose()),
            chosen: document.selection.chosen,
            time: document.selection.time,
            range: document.selection.range,
            surface: state.settings.surface,
            views: state.panes.open_views().len(),
            left_out: document.filters.steps().len(),
        }
    }
}

fn is_playing(document: &Document) -> bool {
    let playback = document.playback.as_ref();
    playback.is_some_and(|it| it.is_playing())
}

/// The stops in their order.
pub(crate) static STOPS: [Stop; 9] = [
    Stop {
        title: "Look around",
        about: "Each block is a file or a function of Lua, sized by its code. Districts are folders.",
        mouse: "Drag to turn, right-drag to move, scroll to zoom.",
        keys: "{camera.top} shows the view from above, {camera.isometric} from a corner, {camera.home} everything.",
        is_done: |_, seen, state| {
            let now = state
                .moving
                .camera
                .destination()
                .unwrap_or(state.moving.camera.pose());
            let turned = (now.forward() - seen.pose.forward()).length() > TURN;
            let moved = now.target.distance(seen.pose.target) > NEARER * seen.pose.distance;
            let zoomed = (now.distance / seen.pose.distance).ln().abs() > NEARER;
            turned || moved || zoomed
        },
    },
    Stop {
        title: "Select a function",
        about: "Its arcs stand out, and a panel lists its callers and callees.",
        mouse: "Click a block. Double-click also flies there.",
        keys: "{search.open}, then a name such as luaH_get, and Enter.",
        is_done: |document, seen, _| {
            let chosen = document.selection.chosen;
            chosen.module.is_some() && chosen.module != seen.chosen.module
        },
    },
    Stop {
        title: "Play",
        about: "A recorded run of Lua plays over its own code: blocks rise and glow while they run.",
        mouse: "Click the triangle at the bottom left.",
        keys: "{play.play}",
        is_done: |document, _, _| is_playing(document),
    },
    Stop {
        title: "Step",
        about: "You can also step through time, backward and forward.",
        mouse: "Click the buttons next to the triangle, or click the time bar.",
        keys: "{play.step} and {play.step-back}; {play.play} pauses.",
        is_done: |document, seen, _| !is_playing(document) && document.selection.time != seen.time,
    },
    Stop {
        title: "Limit the time",
        about: "Every view then shows and counts only that part of the run.",
        mouse: "Hold Shift and drag along the time bar at the bottom.",
        keys: "{range.start} starts the range at the time shown, {range.end} ends it there.",
        is_done: |document, seen, _| {
            let range = document.selection.range;
            range.is_some() && range != seen.range
        },
    },
    Stop {
        title: "Compare",
        about: "Colours compare all modules at once: which ones take the time, and which are called often?",
        mouse: "Settings, Colour: select self cost, for example.",
        keys: "{palette.open}, then “colour by self”, and Enter.",
        is_done: |_, seen, state| state.settings.surface != seen.surface,
    },
    Stop {
        title: "Open a view",
        about: "Other views show the same data differently; a selection applies to all of them.",
        mouse: "Views, at the top right: select Functions, for example.",
        keys: "{functions} opens Functions, {flame} the call stacks.",
        is_done: |_, seen, state| state.panes.open_views().len() > seen.views,
    },
    Stop {
        title: "Exclude something",
        about: "Exclude code that gets in the way of your question. Its callers then call its callees directly.",
        mouse: "Right-click a block: Exclude the module.",
        keys: "{filter.module} excludes the selection.",
        is_done: |document, seen, _| document.filters.steps().len() > seen.left_out,
    },
    Stop {
        title: "Undo",
        about: "Every change of the display can be undone, so you can try anything.",
        mouse: "Click the arrow that bends to the left, at the top left.",
        keys: "{step.undo}; {step.list} lists all changes.",
        is_done: |document, seen, _| document.filters.steps().len() < seen.left_out,
    },
];

/// Where the tour is.
#[derive(Debug, Default)]
pub struct Tour {
    at: Option<At>,
}

#[derive(Debug)]
struct At {
    /// The number of stops that are behind.
    stop: usize,
    /// None before the demo is there.
    seen: Option<Seen>,
    /// When the stop was done, since the start.
    done: Option<Duration>,
}

/// What the tour shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    /// The demo is being opened.
    Waits,
    /// At the stop with this number; whether it is done.
    At(usize, bool),
    /// After the last one.
    End,
}

fn is_demo(document: &Document) -> bool {
    document.inputs == Inputs::default()
}

impl Tour {
    pub fn begin(&mut self) {
        self.at = Some(At {
            stop: 0,
            seen: None,
            done: None,
        });
    }

    /// Whether it was under way.
    pub fn leave(&mut self) -> bool {
        self.at.take().is_some()
    }

    /// Goes on, whatever was done.
    pub fn skip(&mut self) {
        if let Some(at) = &mut self.at {
            (at.stop, at.seen, at.done) = (at.stop + 1, None, None);
            if at.stop > STOPS.len() {
                self.at = None;
            }
        }
    }

    /// What is to be shown of it; nothing while there is no tour.
    pub fn card(&self) -> Option<Card> {
        let at = self.at.as_ref()?;
        Some(match (at.stop, &at.seen) {
            (stop, _) if stop >= STOPS.len() => Card::End,
            (0, None) => Card::Waits,
            (stop, _) => Card::At(stop, at.done.is_some()),
        })
    }

    /// Whether it goes on by itself soon.
    pub fn is_moving(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.done.is_some())
    }

    /// Looks at what was done, once a frame. Other inputs end the tour.
    pub fn note(&mut self, state: &mut State) {
        let Some(at) = &mut self.at else { return };
        let Some(document) = &state.document else {
            return;
        };
        if !is_demo(document) {
            // What is being opened may be the demo.
            if state.opening.loading.is_none() {
                self.at = None;
            }
            return;
        }
        let Some(stop) = STOPS.get(at.stop) else {
            return;
        };
        let Some(seen) = &mut at.seen else {
            // One begins at rest.
            let is_first = at.stop == 0;
            let plays = is_playing(document);
            at.seen = Some(Seen::of(document, state));
            if is_first && plays {
                state.execute(PlayAsk::PlayOrPause);
            }
            return;
        };
        if let Some(done) = at.done {
            if state.now().saturating_sub(done) >= PAUSE {
                self.skip();
            }
            return;
        }
        if (stop.is_done)(document, seen, state) {
            at.done = Some(state.now());
            return;
        }
        // What was given up since makes no difference to what is still to be done.
        if is_playing(document) {
            seen.time = document.selection.time;
        }
        seen.views = seen.views.min(state.panes.open_views().len());
        if at.stop + 1 < STOPS.len() {
            seen.left_out = seen.left_out.min(document.filters.steps().len());
        } else {
            seen.left_out = seen.left_out.max(document.filters.steps().len());
        }
    }
}

#[cfg(test)]
mod tests;
