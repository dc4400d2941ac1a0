//! The card that offers what a crash has left.

use egui::{Align2, Context as Egui};

use super::context::Context;
use crate::command::FileAsk;
use callscape_base::escape;
use callscape_base::units::grouped;
use callscape_views::style;
use callscape_views::widgets::card;

const WIDTH: f32 = 380.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let Some(left) = context.desk.rescue.offered() else {
        return;
    };
    let bookmarks = match left.bookmarks() {
        0 => String::new(),
        1 => ", with 1 bookmark".to_owned(),
        many => format!(", with {} bookmarks", grouped(many as u64)),
    };
    let line = format!("{}{bookmarks}", escape::name(left.title()));
    let room = context.free;
    card(ctx, "rescue", Align2::CENTER_TOP, room, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        ui.label(style::title("Callscape ended unexpectedly"));
        ui.add(egui::Label::new(line).truncate());
        ui.label(style::weak(
            "The session was saved less than a minute before.",
        ));
        ui.horizontal(|ui| {
            let open = ui.button("Open the session");
            if open.on_hover_text("Restores the session.").clicked() {
                context.asks.push(FileAsk::OpenLeft);
            }
            let discard = ui.button("Discard");
            if discard
                .on_hover_text("Deletes the saved session.")
                .clicked()
            {
                context.asks.push(FileAsk::DiscardLeft);
            }
        });
    });
}
