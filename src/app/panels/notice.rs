//! A short line that goes by itself.

use egui::{Align2, Context as Egui};

use super::context::Context;
use callscape_views::widgets::card;

pub(super) fn show(ctx: &Egui, context: &Context<'_>) {
    let Some((line, _)) = context.desk.state.notice() else {
        return;
    };
    card(ctx, "notice", Align2::CENTER_TOP, context.free, |ui| {
        ui.label(line);
    });
}
