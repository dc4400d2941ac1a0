//! A reminder of the keys while flying, and how fast one flies.

use egui::{Align2, Context as Egui};

use super::context::Context;
use callscape_state::camera::Mode;
use callscape_views::pane::CAPTIONS;
use callscape_views::style;
use callscape_views::widgets::card;

/// Over the captions of two runs where `is_split`.
pub(super) fn show(ctx: &Egui, is_split: bool, context: &mut Context<'_>) {
    let camera = &context.desk.state.moving.camera;
    if camera.mode() != Mode::Fly || context.desk.state.document.is_none() {
        return;
    }
    let mut free = context.free;
    if is_split {
        free.max.y -= CAPTIONS;
    }
    card(ctx, "flying", Align2::CENTER_BOTTOM, free, |ui| {
        ui.horizontal(|ui| {
            ui.label("W A S D  Q E");
            ui.label(style::weak("fly"));
            ui.label("Drag");
            ui.label(style::weak("look"));
            ui.label("Wheel");
            let speed = camera.speed() / camera.reach();
            ui.label(style::weak(format!(
                "speed: across in {:.1} s",
                1.0 / speed
            )));
            ui.label("Tab");
            ui.label(style::weak("back to orbit"));
        });
    });
}
