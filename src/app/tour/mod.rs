//! The tour: stops on the demo, at each of which the user does something, or has it done. Whether it is done is seen from
//! the state, so that it makes no difference by which key or button.

mod desk;
mod seen;
mod stops;

use std::time::Duration;

use self::seen::{Now, Outside, Seen, is_playing};
pub(crate) use self::stops::{STOPS, Stop};
use crate::command::Command;
use callscape_analysis::session::Inputs;
use callscape_state::State;
use callscape_state::ask::PlayAsk;
use callscape_state::document::Document;

/// So long it says that a stop is done before it goes on.
const PAUSE: Duration = Duration::from_millis(900);

/// Where the tour is.
#[derive(Debug, Default)]
pub struct Tour {
    at: Option<At>,
    /// Something else was open before, which is opened again.
    comes_back: bool,
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

    /// What does what is to be done at the stop; nothing where it is done, or where there is no stop.
    pub fn step(&self, document: &Document, state: &State) -> Vec<Command> {
        let at = self.at.as_ref().filter(|at| at.done.is_none());
        let stop = at.and_then(|at| STOPS.get(at.stop));
        stop.map_or_else(Vec::new, |stop| (stop.does)(document, state))
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
    pub(crate) fn note(&mut self, state: &mut State, outside: Outside) {
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
            at.seen = Some(Seen::of(document, state, outside));
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
        let now = Now {
            document,
            state,
            outside,
        };
        if (stop.is_done)(&now, seen) {
            at.done = Some(state.now());
            return;
        }
        // What was given up since makes no difference to what is still to be done.
        if is_playing(document) {
            seen.time = document.selection.time;
        }
        seen.views = seen.views.min(state.panes.open_views().len());
        seen.outside.bookmarks = seen.outside.bookmarks.min(outside.bookmarks);
        if stop.title != stops::UNDO {
            seen.left_out = seen.left_out.min(document.filters.steps().len());
        } else {
            seen.left_out = seen.left_out.max(document.filters.steps().len());
        }
    }
}

#[cfg(test)]
mod tests;
