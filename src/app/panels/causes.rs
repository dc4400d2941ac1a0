//! The first thing that is seen of two runs: why they differ.

use egui::{Align, Align2, Context as Egui, Layout, Ui};

use super::context::Context;
use crate::command::PairAsk;
use callscape_base::escape;
use callscape_state::runs::Runs;
use callscape_views::style;
use callscape_views::widgets::{Icon, card, icon_button};

/// In points.
const WIDTH: f32 = 400.0;

/// A smaller landscape would be covered by it.
const LEAST: egui::Vec2 = egui::vec2(320.0, 240.0);

/// Shows the card over the landscape, which is `context.free`; whether it is to be seen.
pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) -> bool {
    let desk = context.desk;
    let document = desk.state.document.as_ref();
    let Some(runs) = document.and_then(|it| it.runs.as_ref()) else {
        return false;
    };
    let room = context.free;
    if !desk.causes.is_open(desk.state) || room.width() < LEAST.x || room.height() < LEAST.y {
        return false;
    }
    card(ctx, "causes", Align2::LEFT_TOP, room, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.6));
        head(ui, context);
        causes(ui, context);
        ui.add_space(2.0);
        rest(ui, runs, context);
    });
    true
}

fn head(ui: &mut Ui, context: &mut Context<'_>) {
    let lines = &context.desk.causes.causes().lines;
    let title = match lines.difference.is_empty() {
        true => "Why the two runs differ".to_owned(),
        false => format!("Why B differs by {}", lines.difference),
    };
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let about = "Close; it stays closed for these runs";
            if icon_button(ui, Icon::Close, false, about).clicked() {
                context.asks.push(PairAsk::CloseCauses);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(style::title(title)).truncate());
            });
        });
    });
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
        // Lines break at narrow spaces, but not within a number.
        let what = escape::name(&line.what).replace('\u{202f}', "\u{a0}");
        let text = format!("{}. {what}: {share}", number + 1);
        let button = egui::Button::selectable(false, text)
            .wrap()
            .min_size(egui::vec2(ui.available_width(), 0.0));
        let about = format!(
            "{}\nClick to select it in every view",
            escape::name(&line.way)
        );
        if ui.add(button).on_hover_text(about).clicked() {
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
        let add = ui.button("Add runs…");
        let about = "Adds repeated runs to A or B, so that noise is known";
        if add.on_hover_text(about).clicked() {
            context.asks.push(PairAsk::Toggle);
        }
    });
}
