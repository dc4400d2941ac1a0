//! What a view is to the rest of the program, and what it is shown with.

use serde_json::{Map, Value};

use super::parts::along_time::{self, AlongTime};
use super::parts::pane::{Pane, Picture, Surface};
use callscape_base::progress::Progress;
use callscape_filter::selection::CallOf;
use callscape_state::State;
use callscape_state::action::Line;
use callscape_state::ask::{Asks, GraphKey, TableKey, ViewAsk};
use callscape_state::document::Document;
use callscape_state::document::source::SourceLine;
use callscape_state::own::Own;
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

    /// Does what was asked of it: what it does is below, and what it leaves out there it does not do.
    fn on(&mut self, ask: ViewAsk, state: &State, asks: &mut Asks) {
        let Some(document) = &state.document else {
            if let ViewAsk::Do(own) = ask {
                self.act(own, state, asks);
            }
            return;
        };
        match ask {
            ViewAsk::Zoom { at, factor } => {
                if let Some(view) = self.along_time() {
                    view.zoom(at, factor);
                }
            }
            ViewAsk::Pan(by) => {
                if let Some(view) = self.along_time() {
                    view.pan(by);
                }
            }
            ViewAsk::Along(key) => {
                if let Some(view) = self.along_time() {
                    along_time::press(view, key, state);
                }
            }
            ViewAsk::ShowAll => self.show_all(document),
            ViewAsk::ShowRange => self.show_range(document),
            ViewAsk::ByModules => self.by_modules(document),
            ViewAsk::Fit(call) => self.show_call(call, true, document),
            ViewAsk::Reveal(call) => self.show_call(call, false, document),
            ViewAsk::Press(key) => self.press(key, document, asks),
            ViewAsk::Graph(key) => self.graph_key(key, document, asks),
            ViewAsk::ShowLine(line) => self.show_line(line),
            ViewAsk::Do(own) => self.act(own, state, asks),
        }
    }

    /// Itself, as what moves along time.
    fn along_time(&mut self) -> Option<&mut dyn AlongTime> {
        None
    }

    /// Shows all that there is, in the range that limits what is shown.
    fn show_all(&mut self, _document: &Document) {}

    /// Shows all of the range that was just chosen.
    fn show_range(&mut self, _document: &Document) {}

    /// Shows modules as the cut has them.
    fn by_modules(&mut self, _document: &Document) {}

    /// Brings a call into sight, or all of it where it `fits`.
    fn show_call(&mut self, _call: CallOf, _fits: bool, _document: &Document) {}

    /// A key over it as a table.
    fn press(&mut self, _key: TableKey, _document: &Document, _asks: &mut Asks) {}

    /// A key over it as a graph.
    fn graph_key(&mut self, _key: GraphKey, _document: &Document, _asks: &mut Asks) {}

    /// Brings a line of the source into sight.
    fn show_line(&mut self, _line: SourceLine) {}

    /// One of its own actions.
    fn act(&mut self, _own: Own, _state: &State, _asks: &mut Asks) {}

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
