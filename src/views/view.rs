//! What a view is to the rest of the program, and what it is shown with.

use glam::Vec2;
use serde_json::{Map, Value};

use crate::parts::pane::{Pane, Picture, Surface};
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_filter::filters::Filters;
use callscape_filter::selection::Selection;
use callscape_model::theme::Theme;
use callscape_state::State;
use callscape_state::action::Line;
use callscape_state::ask::{Asks, ViewAsk};
use callscape_state::panes::ViewLine;

/// A line of the registry: what is known of a view, and what opens it.
pub struct Entry {
    pub line: ViewLine,
    /// Its own keys, beside those that all views have.
    pub keys: &'static [Line],
    pub open: fn() -> Box<dyn View>,
}

/// What a session file keeps of the views; each takes and adds its own names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedViews {
    pub shown: Map<String, Value>,
    /// Of the run that is shown alone: its times and threads are not those of the other.
    pub of_run: Map<String, Value>,
    /// Of two runs.
    pub runs: Map<String, Value>,
}

/// A view of one document: whoever holds it makes it anew with another, and brings it to where the one before was with
/// [`save`](View::save) and [`restore`](View::restore).
pub trait View {
    /// Brings it up to date with the state. May begin work on other threads; does not wait for it.
    fn update(&mut self, state: &State, asks: &mut Asks);

    /// What is to be drawn on `surface`, for the window, a film or a picture.
    fn picture(&mut self, _state: &State, _surface: Surface) -> Picture<'_> {
        Picture::Nothing
    }

    /// Its widgets in a pane.
    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>);

    /// Widgets of its own in the strip of two runs, while it is open.
    fn strip(&mut self, _ui: &mut egui::Ui, _state: &State) {}

    /// Does what was asked of it.
    fn on(&mut self, _ask: ViewAsk, _state: &State, _asks: &mut Asks) {}

    /// The id of its field for text, so that keys which move through its rows reach it while one types.
    fn field(&self) -> Option<&'static str> {
        None
    }

    /// Whether it will show more without anything being done: something is still being worked out.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Whether its own legend says what is left out because it is called too often.
    fn says_called_often(&self) -> bool {
        false
    }

    /// Whether it shows numbers that only looking at every call finds.
    fn wants_counts(&self) -> bool {
        false
    }

    /// How far work is that takes long enough to be shown outside of the view.
    fn progress(&self) -> Option<&Progress> {
        None
    }

    /// Stops that work.
    fn cancel(&mut self) {}

    /// What a session file keeps of it, and what goes on of it in another document of the same inputs.
    fn save(&self, _state: &State, _out: &mut SavedViews) {}

    /// What of that is kept for other inputs as well: how the user likes it, and no name of anything in them.
    fn save_habits(&self, _out: &mut SavedViews) {}

    /// Brings it to where a session file has it; how many names mean nothing.
    fn restore(&mut self, _from: &SavedViews, _state: &State) -> usize {
        0
    }

    /// What the record of frames says of it.
    fn log(&self, _line: &mut Map<String, Value>) {}
}

/// What a view that draws on a sheet is shown with.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub session: &'a Session,
    /// The recording that is shown, as an index into the session's.
    pub recording: usize,
    pub selection: &'a Selection,
    /// What is left out of every view.
    pub filters: &'a Filters,
    pub theme: Theme,
    /// Of the sheet, in physical pixels.
    pub size: Vec2,
    /// Physical pixels of one point: letters of 12 points are 12 times this high.
    pub scale: f32,
}

/// What views along time say of a recording without times.
pub const NO_TIMES: &str =
    "This profile holds weights and no times: there is nothing to lay along time";
