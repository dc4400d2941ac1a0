//! What tests of several views need.

use std::time::Duration;

use egui::{RawInput, Rect, Shape, TextureId};

use super::{Pane, View};
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks};

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
