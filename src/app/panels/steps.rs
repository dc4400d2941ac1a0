//! The list of what was changed of what is shown: a click goes back to it, or forth.

use egui::{Align2, Context as Egui, ScrollArea, Ui};

use super::context::Context;
use super::ring;
use callscape_state::ask::{CardAsk, StepAsk};
use callscape_views::style;
use callscape_views::widgets::{Icon, icon_button, opened_card};

const WIDTH: f32 = 260.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let state = context.desk.state;
    if !state.cards.steps || state.document.is_none() {
        return;
    }
    opened_card(
        ctx,
        "list of changes",
        Align2::LEFT_TOP,
        context.free,
        |ui| {
            ui.set_width(WIDTH.min(context.free.width() * 0.8).max(0.0));
            ui.horizontal(|ui| {
                ui.label(style::title("Changes"));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let close = "Close (Ctrl + H, Escape)";
                    if icon_button(ui, Icon::Close, false, close).clicked() {
                        context.asks.push(CardAsk::ToggleSteps);
                    }
                    both(ui, context);
                });
            });
            list(ui, context);
        },
    );
}

/// Undo and redo.
pub(super) fn both(ui: &mut Ui, context: &mut Context<'_>) {
    let steps = &context.desk.state.steps;
    let (done, mut all) = (steps.done(), steps.all());
    let name = |number: Option<usize>| {
        let step = number.and_then(|number| steps.all().nth(number));
        step.map_or(String::new(), |step| format!(": {}", step.name))
    };
    let undo = format!("Undo{} (Ctrl + Z)", name(done.checked_sub(1)));
    let redo = format!("Redo{} (Ctrl + Shift + Z)", name(Some(done)));
    let is_more = all.nth(done).is_some();
    let mut buttons = [
        (Icon::Undo, done > 0, StepAsk::Undo, undo),
        (Icon::Redo, is_more, StepAsk::Redo, redo),
    ];
    if ui.layout().prefer_right_to_left() {
        buttons.reverse();
    }
    for (icon, is_enabled, ask, tooltip) in buttons {
        ui.add_enabled_ui(is_enabled, |ui| {
            let button = icon_button(ui, icon, false, &tooltip);
            if ask == StepAsk::Undo {
                ring::mark(&button, "undo");
            }
            if button.clicked() {
                context.asks.push(ask);
            }
        });
    }
}

fn list(ui: &mut Ui, context: &mut Context<'_>) {
    let steps = &context.desk.state.steps;
    let (done, all) = (steps.done(), steps.all().len());
    if all == 0 {
        let none = "Everything you exclude, collapse, select, colour or open from now on is listed here. Click an \
                    entry to go back to it. The recording and the disk are not touched.";
        ui.label(style::weak(none));
        return;
    }
    let room = (context.free.height() - 90.0).clamp(60.0, 360.0);
    let height = ui.spacing().interact_size.y;
    ScrollArea::vertical()
        .max_height(room)
        .stick_to_bottom(true)
        .show_rows(ui, height, all + 1, |ui, rows| {
            let from = rows.start.saturating_sub(1);
            let mut names = steps.all().skip(from).map(|step| step.name.as_str());
            for number in rows {
                let name = match number {
                    0 => "As opened",
                    _ => names.next().unwrap_or_default(),
                };
                let name = match number > done {
                    true => style::weak(name),
                    false => egui::RichText::new(name),
                };
                let button = egui::Button::selectable(number == done, name)
                    .truncate()
                    .min_size(egui::vec2(ui.available_width(), 0.0));
                let about = match number > done {
                    true => "Undone. Click to redo all up to here",
                    false => "Click to undo everything after it",
                };
                if ui.add(button).on_hover_text(about).clicked() {
                    context.asks.push(StepAsk::GoTo(number));
                }
            }
        });
}
