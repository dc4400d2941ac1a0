//! The landscape: modules, the code running in them, and their calls. The view that the camera moves in.

mod beside;
mod objects;
mod two;

use egui::{Color32, Pos2, Rect};

use super::{Entry, Pane, Picture, Place, Placed, Surface, View};
use callscape_state::State;
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange,
};
use callscape_state::panes::{Kind, Needs, Side, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "landscape",
        title: "Landscape",
        key: '1',
        about: "modules, the code running in them, and their calls",
        help: "landscape",
        side: Side::Centre,
        kind: Kind::Plain,
        needs: Needs::Nothing,
        // The structure overview. Call relations and time are AVID's arcs and cels over it.
        offers: &[Function, Module, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Landscape),
};

/// All that it shows is the city of the state.
struct Landscape;

impl View for Landscape {
    fn update(&mut self, _state: &State, _asks: &mut Asks) {}

    fn picture(&mut self, _state: &State, _surface: Surface) -> Picture<'_> {
        Picture::City
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        let seen = ui.max_rect();
        let drawn = as_far_as(pane.window, pane.room, seen);
        let split = two::split(pane.state, seen, drawn);
        match (&split, pane.pictures) {
            (Some(split), [Some(own), Some(second)]) => two::draw(ui, split, [own, second], pane),
            (None, [Some(own), _]) => {
                let uv = Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0));
                ui.painter().image(own, drawn, uv, Color32::WHITE);
                let chosen = objects::show(ui, Place { seen, drawn }, pane.state);
                if let Some(module) = chosen {
                    pane.asks.push(SelectAsk::Select(Some(module)));
                }
                beside::show(ui, Place { seen, drawn }, pane.state);
            }
            _ => {}
        }
        let place = match &split {
            Some(split) => Place {
                seen: split.seen[0],
                drawn: split.places[0],
            },
            None => Place { seen, drawn },
        };
        pane.placed = Some(Placed { place, split });
    }
}

/// `seen`, and where it reaches the edge of `room` as far as `window` goes.
fn as_far_as(window: Rect, room: Rect, seen: Rect) -> Rect {
    let to = |seen: f32, room: f32, window: f32| {
        if (seen - room).abs() < 0.6 {
            window
        } else {
            seen
        }
    };
    Rect::from_min_max(
        egui::pos2(
            to(seen.left(), room.left(), window.left()),
            to(seen.top(), room.top(), window.top()),
        ),
        egui::pos2(
            to(seen.right(), room.right(), window.right()),
            to(seen.bottom(), room.bottom(), window.bottom()),
        ),
    )
}
