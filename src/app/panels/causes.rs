//! The first thing that is seen of two runs: why they differ.

use egui::{Align, Align2, Context as Egui, Layout, Rect, Ui, Vec2};

use super::context::Context;
use crate::command::PairAsk;
use callscape_base::escape;
use callscape_state::runs::Runs;
use callscape_views::style;
use callscape_views::widgets::{Icon, card, icon_button};

/// In points.
const WIDTH: f32 = 400.0;

/// A smaller landscape would be covered by it.
const LEAST: Vec2 = egui::vec2(320.0, 240.0);

/// A card over the landscape, which has `room`; whether that is enough.
pub(super) fn first_card(
    ctx: &Egui,
    id: &'static str,
    room: Rect,
    add: impl FnOnce(&mut Ui),
) -> bool {
    let is_enough = room.width() >= LEAST.x && room.height() >= LEAST.y;
    if is_enough {
        card(ctx, id, Align2::LEFT_TOP, room, |ui| {
            ui.set_width(WIDTH.min(room.width() * 0.6));
            add(ui);
        });
    }
    is_enough
}

/// The title of a card, and the button that closes it; whether that was clicked.
pub(super) fn head_of(ui: &mut Ui, title: String, about: &str) -> bool {
    let mut is_closed = false;
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            is_closed = icon_button(ui, Icon::Close, false, about).clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(style::title(title)).truncate());
            });
        });
    });
    is_closed
}

/// A sentence of a card; whether it was clicked.
pub(super) fn sentence(ui: &mut Ui, text: &str, about: String) -> bool {
    // Lines break at narrow spaces, but not within a number.
    let text = text.replace('\u{202f}', "\u{a0}");
    let button = egui::Button::selectable(false, text)
        .wrap()
        .min_size(egui::vec2(ui.available_width(), 0.0));
    ui.add(button).on_hover_text(about).clicked()
}

/// Shows the card over the landscape, which is `context.free`; whether it is to be seen.
pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) -> bool {
    let desk = context.desk;
    let document = desk.state.document.as_ref();
    let Some(runs) = document.and_then(|it| it.runs.as_ref()) else {
        return false;
    };
    desk.causes.is_open(desk.state)
        && first_card(ctx, "causes", context.free, |ui| {
            if !runs.revised().is_empty() {
                let title = "What differs between A and B".to_owned();
                if head_of(ui, title, "Close; it stays closed for these revisions") {
                    context.asks.push(PairAsk::CloseCauses);
                }
                for line in runs.revised() {
                    ui.add(egui::Label::new(line).wrap());
                }
                return;
            }
            head(ui, context);
            causes(ui, context);
            ui.add_space(2.0);
            rest(ui, runs, context);
        })
}

fn head(ui: &mut Ui, context: &mut Context<'_>) {
    let lines = &context.desk.causes.causes().lines;
    let title = match lines.difference.is_empty() {
        true => "Why the two runs differ".to_owned(),
        false => format!("Why B differs by {}", lines.difference),
    };
    if head_of(ui, title, "Close; it stays closed for these runs") {
        context.asks.push(PairAsk::CloseCauses);
    }
}

/// The first causes: a click shows one everywhere.
fn causes(ui: &mut Ui, context: &mut Context<'_>) {
    let card = context.desk.causes;
    if card.first().is_empty() {
        let hint = match card.is_waiting() {
            true => "Looking for what differs in the call trees …",
            false => "No causes found: the runs do not differ, or were measured differently.",
        };
        ui.label(style::weak(hint));
    }
    for (number, line) in card.first().iter().enumerate() {
        let share = percent(line.explains);
        let text = format!("{}. {}: {share}", number + 1, escape::name(&line.what));
        let about = format!(
            "{}\nClick to select it in every view",
            escape::name(&line.way)
        );
        if sentence(ui, &text, about) {
            context.asks.push(PairAsk::Cause(Some(number)));
        }
    }
}

/// A share of the difference; negative of what makes it smaller.
fn percent(share: f64) -> String {
    match share * 100.0 {
        it if it.abs() < 0.5 => "less than 1 %".to_owned(),
        it => format!("{it:.0} %").replace('-', "−"),
    }
}

/// What the causes leave unexplained, and why.
fn rest(ui: &mut Ui, runs: &Runs, context: &mut Context<'_>) {
    let card = context.desk.causes;
    let all = card.causes().lines.lines.len();
    let told: f64 = card.first().iter().map(|it| it.explains).sum();
    let rest = percent(1.0 - told);
    let noise = match runs.counted_runs() {
        [1, _] | [_, 1] => {
            "With one run on a side, noise is unknown: repeated runs separate it from real differences."
        }
        _ => "Differences that may be noise are not listed.",
    };
    if all > 0 {
        let left = match all - card.first().len() {
            0 => format!("The rest, {rest}, is in changes too small to list. "),
            1 => format!("One more cause and small changes explain the rest, {rest}. "),
            more => format!("{more} more causes and small changes explain the rest, {rest}. "),
        };
        ui.label(style::weak(format!("{left}{noise}")).small());
    }
    ui.horizontal(|ui| {
        if all > 0 && ui.button("All causes").clicked() {
            context.asks.push(PairAsk::Cause(None));
        }
        // A page has no other files.
        if cfg!(target_arch = "wasm32") {
            return;
        }
        let add = ui.button("Add runs…");
        let about = "Adds repeated runs to A or B, so that noise is known";
        if add.on_hover_text(about).clicked() {
            context.asks.push(PairAsk::Toggle);
        }
    });
}
