//! All keys, and the formats of recordings, over everything else.

use egui::{Align, Context as Egui, Id, Layout, Ui};

use super::context::Context;
use crate::command::TourAsk;
use crate::keys::{self, HelpPage};
use callscape_import::known::{KNOWN, Known};
use callscape_state::ask::CardAsk;
use callscape_views::style;

/// What the help is about.
#[derive(Clone, Copy, PartialEq)]
enum Page {
    Keys,
    Formats,
}

/// The column of keys, in points.
const KEY_WIDTH: f32 = 104.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    if !context.desk.state.cards.help {
        return;
    }
    let room = ctx.content_rect();
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(18);
    let modal = egui::Modal::new(Id::unique("help")).frame(frame);
    let modal = modal.show(ctx, |ui| {
        let columns = if room.width() > 760.0 { 2 } else { 1 };
        let width: f32 = if columns == 2 { 740.0 } else { 380.0 };
        ui.set_width(width.min(room.width() - 70.0).max(0.0));
        ui.set_max_height((room.height() - 60.0).max(0.0));
        ui.spacing_mut().interact_size.y = 20.0;
        let id = Id::unique("help page");
        let mut page = ui.data(|data| data.get_temp(id)).unwrap_or(Page::Keys);
        ui.horizontal(|ui| {
            for (other, title) in [(Page::Keys, "Keys"), (Page::Formats, "Formats")] {
                let title = egui::RichText::new(title).heading();
                ui.selectable_value(&mut page, other, title);
            }
        });
        ui.data_mut(|data| data.insert_temp(id, page));
        ui.add_space(6.0);
        egui::ScrollArea::vertical()
            // A search that finds little moves nothing.
            .auto_shrink([false, page == Page::Keys])
            .max_height((room.height() - 150.0).max(80.0))
            .show(ui, |ui| match page {
                Page::Formats => formats(ui),
                Page::Keys => ui.columns(columns, |uis| {
                    for (index, page) in keys::help().iter().enumerate() {
                        if let Some(ui) = uis.get_mut(index % columns) {
                            section(ui, page);
                        }
                    }
                }),
            });
        ui.horizontal(|ui| {
            if ui.button("Close").on_hover_text("F1, Escape").clicked() {
                context.asks.push(CardAsk::ToggleHelp);
            }
            let tour = ui.button("Take the tour");
            let about = "Nine hands-on steps with the demo";
            if tour.on_hover_text(about).clicked() {
                context.asks.push(TourAsk::Begin);
            }
        });
    });
    if modal.backdrop_response.clicked() {
        context.asks.push(CardAsk::ToggleHelp);
    }
}

fn section(ui: &mut Ui, page: &HelpPage) {
    ui.label(style::title(page.title));
    ui.spacing_mut().item_spacing.y = 2.0;
    for line in &page.lines {
        ui.horizontal_top(|ui| {
            let size = egui::vec2(KEY_WIDTH, ui.spacing().interact_size.y);
            let left = Layout::left_to_right(Align::Min);
            ui.allocate_ui_with_layout(size, left, |ui| {
                ui.set_min_width(KEY_WIDTH);
                ui.label(line.keys.as_str());
            });
            let text = ui.add(egui::Label::new(style::weak(line.text)).wrap());
            if !line.actions.is_empty() {
                text.on_hover_ui(|ui| {
                    for action in &line.actions {
                        ui.push_id(action.id, |ui| {
                            ui.label(action.title);
                            ui.label(style::weak(action.about));
                        });
                    }
                });
            }
        });
    }
    ui.add_space(12.0);
}

/// What can be opened: who writes it, how to make one, and what can be expected of it.
fn formats(ui: &mut Ui) {
    let id = Id::unique("formats searched for");
    let mut word: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let field = egui::TextEdit::singleline(&mut word).hint_text("Language, program or format");
    ui.add(field.desired_width(240.0));
    ui.add_space(6.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    let mut last = "";
    let found = KNOWN.iter().enumerate();
    for (at, known) in found.filter(|(_, known)| known.has(word.trim())) {
        if known.kind() != last {
            last = known.kind();
            ui.label(egui::RichText::new(last).heading().size(16.0));
            ui.add_space(4.0);
        }
        ui.push_id(at, |ui| format(ui, known));
    }
    if last.is_empty() {
        ui.label(style::weak("No format has it in its name"));
    }
    ui.data_mut(|data| data.insert_temp(id, word));
}

fn format(ui: &mut Ui, known: &Known) {
    ui.horizontal_wrapped(|ui| {
        ui.label(style::title(known.by));
        ui.label(style::weak(known.holds));
    });
    ui.horizontal_top(|ui| {
        if ui.small_button("Copy").clicked() {
            ui.ctx().copy_text(known.make.to_owned());
        }
        let make = egui::RichText::new(known.make).monospace();
        ui.add(egui::Label::new(make).wrap());
    });
    let room = known.room.text();
    let said = format!("{room}; compared with: {}", known.compared);
    ui.label(style::weak(said).small());
    ui.add_space(10.0);
}
