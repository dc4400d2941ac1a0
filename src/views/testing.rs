//! What tests of several views need.

use std::path::{Path, PathBuf};
use std::time::Duration;

use egui::{RawInput, Rect, Shape, TextureId};

use super::{Entry, Pane, View, all};
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks};
use callscape_state::document::Document;
use callscape_state::panes::ViewId;

/// What is open: these inputs, or the demo.
pub(crate) fn state(inputs: &Inputs) -> State {
    let mut state = State::new(all(), Box::new(|| Box::new(|| ())));
    state.tell_time(Duration::ZERO);
    let document = Document::open(inputs, None, &state.settings, &Progress::new());
    state.show(document.expect("inputs that can be read"), |_, _| ());
    state
}

/// These recordings, or the demo, with a view of this line open.
pub(crate) fn opened(recordings: Vec<PathBuf>, entry: &'static Entry) -> State {
    let mut state = state(&Inputs {
        recordings,
        ..Inputs::default()
    });
    state.panes.open(ViewId::of(&entry.line));
    state
}

/// A file of the data of tests.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")).join(name)
}

pub(crate) fn document(state: &State) -> &Document {
    state.document.as_ref().expect("something is open")
}

/// Until nothing more is worked out; what was found may be what something else waited for.
pub(crate) fn wait(view: &mut dyn View, state: &State) {
    let mut idle = 0;
    while idle < 2 {
        view.update(state, &mut Asks::default());
        idle = if view.is_waiting() { 0 } else { idle + 1 };
        if idle == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A frame of a view's widgets in a window: what is drawn, what the pointer is on, and what was asked.
pub(crate) fn frame(
    ctx: &egui::Context,
    view: &mut dyn View,
    state: &State,
    (window, picture): (Rect, Option<TextureId>),
    input: RawInput,
) -> (Vec<Shape>, Pointed, Vec<Ask>) {
    let input = RawInput {
        screen_rect: Some(window),
        ..input
    };
    let mut asks = Asks::default();
    let mut pointed = Pointed::default();
    let mut output = ctx.run_ui(input, |ui| {
        let mut pane = Pane {
            state,
            asks: &mut asks,
            pictures: [picture; 2],
            window,
            room: window,
            pointed: Pointed::default(),
            offer: Default::default(),
            placed: None,
        };
        view.ui(ui, &mut pane);
        pointed = pane.pointed;
    });
    output.textures_delta.clear();
    let shapes = output.shapes.into_iter().map(|clipped| clipped.shape);
    (shapes.collect(), pointed, asks.take())
}
