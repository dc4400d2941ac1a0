//! Short lines that go by themselves: what is to be known, and what was done, which can be undone.

use egui::{Align2, Context as Egui};

use super::context::Context;
use callscape_base::escape;
use callscape_views::widgets::card;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    if let Some((line, _)) = context.desk.state.notice() {
        card(ctx, "notice", Align2::CENTER_TOP, context.free, |ui| {
            ui.label(line);
        });
    }
    let Some(done) = context.desk.done else {
        return;
    };
    let room = context.free;
    card(ctx, "done", Align2::CENTER_BOTTOM, room, |ui| {
        ui.horizontal(|ui| {
            let line = egui::Label::new(escape::lines(&done.line)).extend();
            ui.add(line);
            if let Some(undo) = &done.undo
                && ui.button("Undo").clicked()
            {
                context.asks.push(undo.clone());
            }
        });
    });
}
