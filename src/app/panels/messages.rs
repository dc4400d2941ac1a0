//! What went wrong or was repaired: cards at the bottom right, until dismissed.

use egui::{Align2, Context as Egui};

use super::super::command::Command;
use super::super::style;
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
                        ui.set_width(340.0f32.min(within.width() - 20.0));
                        ui.spacing_mut().item_spacing.y = 4.0;
                        ui.horizontal(|ui| {
                            let layout = egui::Layout::right_to_left(egui::Align::Center);
                            ui.with_layout(layout, |ui| {
                                if icon_button(ui, Icon::Close, false, "Dismiss").clicked() {
                                    context.commands.push(Command::DismissMessage(index));
                                }
                                let layout = egui::Layout::left_to_right(egui::Align::Center);
                                ui.with_layout(layout, |ui| {
                                    let mut title = style::title(&message.title);
                                    if message.is_error {
                                        title = title.color(ui.visuals().error_fg_color);
                                    }
                                    ui.add(egui::Label::new(title).truncate());
                                });
                            });
                        });
                        egui::ScrollArea::vertical()
                            .id_salt(index)
                            .max_height(MAX_HEIGHT)
                            .show(ui, |ui| {
                                for line in &message.lines {
                                    let text = egui::RichText::new(line);
                                    ui.add(egui::Label::new(text).selectable(true).wrap());
                                }
                            });
                    });
            }
        });
}
