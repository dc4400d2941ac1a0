//! All keys, over everything else.

use egui::{Align, Context as Egui, Id, Layout, Ui};

use super::context::Context;
use crate::command::TourAsk;
use crate::keys::{self, HelpPage};
use callscape_state::ask::CardAsk;
use callscape_views::style;

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
        ui.label(egui::RichText::new("Keys").heading());
        ui.add_space(6.0);
        egui::ScrollArea::vertical()
            .max_height((room.height() - 150.0).max(80.0))
            .show(ui, |ui| {
                ui.columns(columns, |uis| {
                    for (index, page) in keys::help().iter().enumerate() {
                        if let Some(ui) = uis.get_mut(index % columns) {
                            section(ui, page);
                        }
                    }
                });
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
