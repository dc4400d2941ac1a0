//! What is seen of the window at a stop.

use callscape_base::units::{Time, TimeRange};
use callscape_filter::selection::Pointed;
use callscape_look::pose::Pose;
use callscape_model::surface::Surface;
use callscape_state::State;
use callscape_state::document::Document;

/// What was shown when a stop began, as far as it matters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(super) pose: Pose,
    pub(super) chosen: Pointed,
    /// The time that is shown, the last one while it plays.
    pub(super) time: Time,
    pub(super) range: Option<TimeRange>,
    pub(super) surface: Surface,
    pub(super) views: usize,
    pub(super) left_out: usize,
    pub(super) outside: Outside,
}

/// What the window shows beside the state, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outside {
    /// The card is open in which two runs are chosen.
    pub compares: bool,
    pub bookmarks: usize,
}

impl Seen {
    pub(super) fn of(document: &Document, state: &State, outside: Outside) -> Seen {
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
            outside,
        }
    }
}

/// What there is now.
pub(crate) struct Now<'a> {
    pub(super) document: &'a Document,
    pub(super) state: &'a State,
    pub(super) outside: Outside,
}

pub(super) fn is_playing(document: &Document) -> bool {
    let playback = document.playback.as_ref();
    playback.is_some_and(|it| it.is_playing())
}
