//! What went wrong or was repaired: cards at the bottom right, until dismissed.

use egui::collapsing_header::CollapsingState;
use egui::{Align, Align2, Context as Egui, Layout, Ui};

use super::super::command::Command;
use super::super::style;
use super::super::workbench::Message;
use super::Context;
use super::widgets::{Icon, MARGIN, icon_button};

/// More lines scroll.
const MAX_HEIGHT: f32 = 160.0;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    let messages = &context.bench.messages;
    if messages.is_empty() {
        return;
    }
    let within = context.free.shrink(MARGIN);
    egui::Area::new(egui::Id::unique("messages"))
        .fixed_pos(within.right_bottom())
        .pivot(Align2::RIGHT_BOTTOM)
        .constrain(false)
        .show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = 8.0;
            for (index, message) in messages.iter().enumerate() {
                egui::Frame::popup(ui.style())
                    .inner_margin(10)
                    .show(ui, |ui| {
                        ui.set_width(320.0f32.min(within.width() - 20.0));
                        card(ui, index, message, context);
                    });
            }
        });
}

/// A message in full, or as its title, which opens.
fn card(ui: &mut Ui, index: usize, message: &Message, context: &mut Context<'_>) {
    let mut title = style::title(&message.title);
    if message.is_error {
        title = title.color(ui.visuals().error_fg_color);
    }
    let id = ui.make_persistent_id((&message.title, "message"));
    let header = CollapsingState::load_with_default_open(ui.ctx(), id, message.is_open);
    let (_, header, _) = header
        .show_header(ui, |ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Dismiss").clicked() {
                    context.commands.push(Command::DismissMessage(index));
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(egui::Label::new(title).truncate());
                });
            });
        })
        .body_unindented(|ui| {
            egui::ScrollArea::vertical()
                .max_height(MAX_HEIGHT)
                .show(ui, |ui| {
                    for line in &message.lines {
                        ui.add(egui::Label::new(line).selectable(true).wrap());
                    }
                });
        });
    header.response.on_hover_text(&message.title);
}
