//! The card in which one chooses A and B.

use std::path::Path;

use egui::{Align, Align2, Context as Egui, Layout, ScrollArea, Ui};

use super::context::Context;
use crate::command::PairAsk;
use callscape_base::escape;
use callscape_views::style;
use callscape_views::widgets::{Icon, begin_keys_here, icon_button, opened_card};

/// In points.
const WIDTH: f32 = 480.0;

const TITLES: [&str; 2] = ["A, before", "B, after"];

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    if !context.desk.pair.is_open {
        return;
    }
    let room = context.free;
    // It grows downwards alone, so that nothing moves away below the pointer.
    let below = room.with_min_y(room.top() + room.height() * 0.08);
    opened_card(ctx, "pair", Align2::CENTER_TOP, below, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        ui.horizontal(|ui| {
            ui.label(style::title("Compare two runs"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                    context.asks.push(PairAsk::Toggle);
                }
            });
        });
        ui.label(style::weak(
            "Each side is one recording, or several runs of the same program, which separate noise from real \
             differences.",
        ));
        ui.add_space(4.0);
        ScrollArea::vertical().id_salt("pair").show(ui, |ui| {
            side(ui, 0, context);
            side(ui, 1, context);
            typed(ui, context);
            beside(ui, context);
        });
        ui.add_space(6.0);
        buttons(ui, context);
    });
}

/// The recordings of a side, and what adds another.
fn side(ui: &mut Ui, side: usize, context: &mut Context<'_>) {
    let pair = context.desk.pair;
    ui.horizontal(|ui| {
        ui.label(style::title(TITLES[side]));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if context.desk.welcome.no_dialog.is_none() && ui.button("Choose…").clicked() {
                context.asks.push(PairAsk::Choose(side));
            }
        });
    });
    if pair.sides[side].is_empty() {
        ui.label(style::weak("No recording yet"));
    }
    for (number, path) in pair.sides[side].iter().enumerate() {
        ui.horizontal(|ui| {
            if icon_button(ui, Icon::Close, false, "Remove").clicked() {
                context.asks.push(PairAsk::Remove(side, number));
            }
            let name = egui::Label::new(file_name(path)).truncate();
            ui.add(name).on_hover_text(shown(path));
        });
    }
    ui.add_space(4.0);
}

/// A path by hand.
fn typed(ui: &mut Ui, context: &mut Context<'_>) {
    let pair = context.desk.pair;
    if let Some(reason) = context.desk.welcome.no_dialog {
        ui.label(style::weak(reason).small());
    }
    ui.horizontal(|ui| {
        let to = ["Add to A", "Add to B"][pair.side_to_fill()];
        let mut path = pair.path.clone();
        let edit = egui::TextEdit::singleline(&mut path)
            .hint_text("The path of a recording")
            .desired_width((ui.available_width() - 90.0).max(40.0));
        let field = ui.add(edit);
        if field.changed() {
            context.asks.push(PairAsk::Path(path));
        }
        let is_entered = field.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
        if ui.button(to).clicked() || is_entered {
            context.asks.push(PairAsk::AddPath);
        }
    });
}

/// Files next to those chosen, and recent recordings: a click adds one to the side that is to be filled.
fn beside(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let pair = desk.pair;
    let has_any = !pair.sides.iter().all(Vec::is_empty);
    let recent = desk.welcome.recent.iter();
    let recent = recent.filter_map(|it| it.recordings.first().filter(|it| it.exists()));
    let (title, paths): (&str, Vec<&std::path::PathBuf>) = match has_any {
        true => ("In the same folder", pair.beside().collect()),
        false => ("Recent recordings", recent.take(6).collect()),
    };
    if paths.is_empty() {
        return;
    }
    let side = pair.side_to_fill();
    ui.add_space(4.0);
    ui.label(style::weak(format!(
        "{title}: click to add to {}",
        ["A", "B"][side]
    )));
    for path in paths {
        let button = egui::Button::selectable(false, file_name(path))
            .truncate()
            .min_size(egui::vec2(ui.available_width(), 0.0));
        if ui.add(button).on_hover_text(shown(path)).clicked() {
            context.asks.push(PairAsk::Add(side, vec![path.clone()]));
        }
    }
}

fn buttons(ui: &mut Ui, context: &mut Context<'_>) {
    let can = context.desk.pair.can_compare();
    ui.horizontal(|ui| {
        let swap = ui.button("Swap");
        if swap.on_hover_text("A becomes B, and B becomes A").clicked() {
            context.asks.push(PairAsk::Swap);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let compare = ui.add_enabled(can, egui::Button::new("Compare"));
            begin_keys_here(&compare);
            let compare = compare.on_disabled_hover_text("Add a recording to A and one to B");
            if compare.clicked() {
                context.asks.push(PairAsk::Compare);
            }
        });
    });
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    escape::name(&name.to_string_lossy()).into_owned()
}

fn shown(path: &Path) -> String {
    escape::name(&path.display().to_string()).into_owned()
}
