//! The views: one folder each, and one line in the registry.
//!
//! A view reads the shared state and changes nothing of it: what the user asks for is queued, and carried out before the
//! next frame. Nobody outside of a view's folder knows more of it than its line.

pub mod along_time;
pub mod both_along_time;
pub mod calls;
pub mod differences;
mod drawing;
pub mod flame;
pub mod functions;
pub mod landscape;
pub mod mural;
pub mod pane;
pub mod rows;
mod shading;
pub mod style;
pub mod text;
pub mod timelines;
pub mod tip;
pub mod widgets;

use serde_json::{Map, Value};

pub use self::pane::{Pane, Picture, Place, Placed, Split, Surface};
use crate::analysis::session::Session;
use crate::filter::filters::Filters;
use crate::filter::selection::Selection;
use crate::model::theme::Theme;
use crate::progress::Progress;
use crate::state::State;
use crate::state::action::Line;
use crate::state::ask::{Asks, ViewAsk};
use crate::state::panes::{ViewId, ViewLine};
use glam::Vec2;

/// A line of the registry: what is known of a view, and what opens it.
pub struct Entry {
    pub line: ViewLine,
    /// Its own keys, beside those that all views have.
    pub keys: &'static [Line],
    pub open: fn() -> Box<dyn View>,
}

/// To add a view is to add a folder here and a line to this table. In the order of their keys; the first is the one that
/// the camera moves in.
pub static REGISTRY: [&Entry; 7] = [
    &landscape::ENTRY,
    &mural::ENTRY,
    &flame::ENTRY,
    &functions::ENTRY,
    &calls::ENTRY,
    &differences::ENTRY,
    &timelines::ENTRY,
];

/// All views.
pub fn all() -> Vec<ViewId> {
    REGISTRY
        .iter()
        .map(|entry| ViewId::of(&entry.line))
        .collect()
}

/// The view that the camera moves in.
pub fn main() -> ViewId {
    ViewId::of(&REGISTRY[0].line)
}

/// The view with this id, as session files, scenes and the command line name it.
pub fn named(id: &str) -> Option<ViewId> {
    all().into_iter().find(|view| view.id() == id)
}

/// What a session file keeps of the views; each takes and adds its own names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedViews {
    pub shown: Map<String, Value>,
    /// Of two runs.
    pub runs: Map<String, Value>,
}

/// A view of what is open.
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

    /// As at first: other inputs are open.
    fn reset(&mut self) {}

    /// What a session file keeps of it.
    fn save(&self, _state: &State, _out: &mut SavedViews) {}

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_and_keys_name_one_view_and_stand_in_order() {
        let views = all();
        let ids: BTreeSet<_> = views.iter().map(|view| view.id()).collect();
        let keys: BTreeSet<_> = views.iter().map(|view| view.line().key).collect();
        assert_eq!((ids.len(), keys.len()), (views.len(), views.len()));
        assert!(views.is_sorted());
        for view in views {
            assert_eq!(named(view.id()), Some(view));
        }
    }

    #[test]
    fn an_arrangement_opens_the_views_that_it_names() {
        use crate::state::panes::{Arrangement, PaneWish, Panes};
        let mut panes = Panes::new(all());
        let named_views = |panes: &Panes| -> Vec<(&str, bool)> {
            let open = panes.open.iter();
            open.map(|it| (it.view.id(), it.is_visible)).collect()
        };
        let view = |id: &str| Arrangement::View(id.to_owned());
        let wanted = Arrangement::Column {
            shares: vec![1.0, 1.0],
            parts: vec![
                Arrangement::Tabs {
                    active: 1,
                    parts: vec![view("calls"), view("functions")],
                },
                view("no such view"),
                view("flame"),
            ],
        };
        panes.arrange(&wanted);
        let expected = [("flame", true), ("functions", true), ("calls", false)];
        assert_eq!(named_views(&panes), expected);
        assert_eq!(panes.wishes, [PaneWish::Arrange(wanted)]);
        panes.arrange(&view("no such view"));
        assert_eq!(named_views(&panes), [("landscape", true)]);
    }
}
