//! A reminder of the keys while flying, and how fast one flies.

use egui::{Align2, Context as Egui};

use super::super::camera::Mode;
use super::super::style;
use super::widgets::card;
use super::{Context, versus};

/// Over the captions of two runs where `is_split`.
pub fn show(ctx: &Egui, is_split: bool, context: &mut Context<'_>) {
    let camera = &context.bench.camera;
    if camera.mode() != Mode::Fly || context.bench.document.is_none() {
        return;
    }
    let mut free = context.free;
    if is_split {
        free.max.y -= versus::CAPTIONS;
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
