//! What is asked before something takes the place of what is open.

use egui::{Align2, Context as Egui};

use super::context::Context;
use crate::command::ReplaceAsk;
use crate::pair::{Question, Replacement};
use callscape_base::escape;
use callscape_state::document::name_of;
use callscape_views::style;
use callscape_views::widgets::{begin_keys_here, opened_card};

const WIDTH: f32 = 420.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let desk = context.desk;
    let (Some(question), Some(document)) = (desk.question, &desk.state.document) else {
        return;
    };
    let room = context.free;
    opened_card(ctx, "question", Align2::CENTER_CENTER, room, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        let title = format!("Open {}", escape::name(&title(question)));
        ui.add(egui::Label::new(style::title(title)).truncate());
        let open = escape::name(&document.name()).into_owned();
        ui.add(egui::Label::new(style::weak(format!("{open} is open."))).wrap());
        ui.add_space(6.0);
        ui.horizontal_wrapped(|ui| {
            let mut answer = |label: &str, about: &str, ask| {
                let button = ui.button(label).on_hover_text(about);
                if button.clicked() {
                    context.asks.push(ask);
                }
                button
            };
            let about = "Compares it with what is open, over the same source tree";
            let second = (!question.second.is_empty())
                .then(|| answer("Add as second run (B)", about, ReplaceAsk::AsSecond));
            let instead = answer(
                "Open instead",
                "Closes what is open; Undo opens it again",
                ReplaceAsk::Instead,
            );
            answer("Cancel", "Escape", ReplaceAsk::Keep);
            begin_keys_here(&second.unwrap_or(instead));
        });
    });
}

/// What is to be opened, by name.
fn title(question: &Question) -> String {
    match &question.replacement {
        Replacement::Inputs(inputs) => name_of(inputs),
        Replacement::Demo => "the demo".to_owned(),
        Replacement::Paths(paths) => {
            let names = paths.iter().filter_map(|path| path.file_name());
            let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
            names.join(", ")
        }
    }
}
