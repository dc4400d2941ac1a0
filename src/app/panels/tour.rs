//! The card of the tour: what is to be done at a stop, by mouse and by keys.

use egui::{Align2, Context as Egui, Ui};

use super::context::Context;
use super::ring;
use crate::command::{PaletteAsk, TourAsk};
use crate::keys;
use crate::tour::{Card, STOPS, Stop};
use callscape_state::ask::CardAsk;
use callscape_views::style;
use callscape_views::widgets::opened_card;

const WIDTH: f32 = 380.0;

/// With less height for all, in points, a card does not say why one does something.
const LEAST_WITH_REASON: f32 = 260.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let Some(shown) = context.desk.tour.card() else {
        return;
    };
    let room = context.free;
    if let Card::At(number, false) = shown
        && let Some(stop) = STOPS.get(number)
    {
        ring::show(ctx, stop.at, context);
    }
    opened_card(ctx, "tour", Align2::CENTER_BOTTOM, room, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        match shown {
            Card::Waits => {
                ui.label(style::title(format!("A tour in {} stops", STOPS.len())));
                ui.label(style::weak("The demo is being opened."));
                leave(ui, context);
            }
            Card::At(number, is_done) => {
                if let Some(stop) = STOPS.get(number) {
                    at(ui, number, stop, is_done, context);
                }
            }
            Card::End => end(ui, context),
        }
    });
}

fn at(ui: &mut Ui, number: usize, stop: &Stop, is_done: bool, context: &mut Context<'_>) {
    ui.horizontal(|ui| {
        ui.label(style::title(stop.title));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(style::weak(format!("{} of {}", number + 1, STOPS.len())));
        });
    });
    progress(ui, number + usize::from(is_done), context);
    // Large letters in a low window leave room for what is to be done.
    if context.free.height() >= LEAST_WITH_REASON {
        ui.label(stop.about);
        ui.add_space(2.0);
    }
    if is_done {
        ui.label(style::title("Done."));
    } else {
        ui.label(style::weak(stop.mouse));
        ui.label(style::weak(format!(
            "Keyboard: {}",
            keys::with_keys(stop.keys)
        )));
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        leave(ui, context);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let go = ui.button("Go on");
            let about = "Does it for you, and goes on to the next stop";
            if go.on_hover_text(about).clicked() {
                context.asks.push(TourAsk::Go);
            }
            let skip = ui.button("Skip");
            if skip.on_hover_text("To the next stop").clicked() {
                context.asks.push(TourAsk::Skip);
            }
        });
    });
}

/// A bar with a part for each stop.
fn progress(ui: &mut Ui, behind: usize, context: &Context<'_>) {
    let colors = style::colors(context.desk.state.settings.theme);
    let size = egui::vec2(ui.available_width(), 4.0);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let step = rect.width() / STOPS.len() as f32;
    for number in 0..STOPS.len() {
        let left = rect.left() + step * number as f32;
        let part = egui::Rect::from_x_y_ranges(left..=left + step - 3.0, rect.y_range());
        let color = match number < behind {
            true => colors.accent,
            false => ui.visuals().weak_text_color().gamma_multiply(0.35),
        };
        ui.painter().rect_filled(part, 2.0, color);
    }
    ui.add_space(2.0);
}

fn leave(ui: &mut Ui, context: &mut Context<'_>) {
    let button = ui.button("Leave the tour");
    let about = "Escape. Restart the tour from the help (F1), the menu or the welcome panel";
    if button.on_hover_text(about).clicked() {
        context.asks.push(TourAsk::Leave);
    }
}

fn end(ui: &mut Ui, context: &mut Context<'_>) {
    ui.label(style::title("That was the tour"));
    ui.label("The palette finds every action by name; right-click lists an item's actions.");
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let close = ui.button("Close").on_hover_text("Escape");
        if close.clicked() {
            context.asks.push(TourAsk::Leave);
        }
        let palette = ui.button("Palette").on_hover_text("Ctrl + P");
        if palette.clicked() {
            context.asks.push(TourAsk::Leave);
            context.asks.push(PaletteAsk::Toggle);
        }
        let help = ui.button("All keys").on_hover_text("F1");
        if help.clicked() {
            context.asks.push(TourAsk::Leave);
            context.asks.push(CardAsk::ToggleHelp);
        }
    });
}
