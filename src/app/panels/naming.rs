//! The card that asks for the name of a file to write.

use egui::{Align2, Context as Egui, TextEdit, Ui};

use super::context::Context;
use crate::command::FileAsk;
use crate::naming::Written;
use crate::presenting::film_wish::{FilmOf, FilmWish, SIZES};
use callscape_views::style;
use callscape_views::widgets::{is_new, opened_card};

const WIDTH: f32 = 460.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let Some(card) = context.desk.naming else {
        return;
    };
    let is_new = is_new(ctx, "naming");
    let (title, about) = match card.what {
        Written::Session => (
            "Save the session",
            "Opens the same files again, with the same display.",
        ),
        Written::Pack => (
            "Share",
            "One file for another machine: structure without text, recordings, session and scene.",
        ),
        Written::Page => (
            "Share as a page",
            "One file that plays in a browser: structure without text, recordings, session and scene.",
        ),
        Written::Film(_) => (
            "Make a film",
            "A file that ends in .mp4, .webm or .gif; drawing goes on beside the window.",
        ),
    };
    let room = context.free;
    opened_card(ctx, "naming", Align2::CENTER_CENTER, room, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        ui.label(style::title(title));
        ui.label(style::weak(about));
        if let Written::Film(wish) = card.what {
            film(ui, wish, &card.films, context);
        }
        let mut path = card.path.clone();
        let field = TextEdit::singleline(&mut path)
            .hint_text("File")
            .desired_width(f32::INFINITY);
        let field = ui.add(field);
        if is_new {
            field.request_focus();
        }
        if field.changed() {
            context.asks.push(FileAsk::NameFile(path));
        }
        let is_entered = field.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
        ui.horizontal(|ui| {
            let done = match card.what {
                Written::Film(_) => "Make",
                _ => "Save",
            };
            if ui.button(done).clicked() || is_entered {
                context.asks.push(FileAsk::WriteNamed);
            }
            if ui.button("Cancel").on_hover_text("Escape").clicked() {
                context.asks.push(FileAsk::LeaveName);
            }
        });
    });
}

/// What the film is of, how long it is, and its size.
fn film(ui: &mut Ui, wish: FilmWish, films: &[(FilmOf, f64)], context: &mut Context<'_>) {
    let mut next = wish;
    for &(of, seconds) in films {
        let title = format!("{}, {seconds:.0} s", of.title());
        ui.radio_value(&mut next.of, of, title);
    }
    ui.horizontal(|ui| {
        for size in SIZES {
            let title = format!("{} × {}", size[0], size[1]);
            ui.radio_value(&mut next.size, size, title);
        }
    });
    if next != wish {
        context.asks.push(FileAsk::FilmAs(next));
    }
}
