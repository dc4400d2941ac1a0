//! All keys, over everything else.

use egui::{Context as Egui, Id};

use super::super::command::Command;
use super::super::keys::HELP;
use super::super::style;
use super::Context;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    if !context.bench.shown.help {
        return;
    }
    let room = ctx.content_rect();
    let modal = egui::Modal::new(Id::unique("help")).show(ctx, |ui| {
        let columns = if room.width() > 760.0 { 2 } else { 1 };
        ui.set_width((room.width() - 60.0).min(if columns == 2 { 720.0 } else { 380.0 }));
        ui.label(egui::RichText::new("Keys").heading());
        ui.add_space(4.0);
        egui::ScrollArea::vertical()
            .max_height((room.height() - 120.0).max(80.0))
            .show(ui, |ui| {
                ui.columns(columns, |uis| {
                    for (index, (title, keys)) in HELP.iter().enumerate() {
                        let Some(ui) = uis.get_mut(index % columns) else {
                            continue;
                        };
                        ui.label(style::title(*title));
                        egui::Grid::new(title)
                            .num_columns(2)
                            .spacing([12.0, 4.0])
                            .show(ui, |ui| {
                                for (key, meaning) in *keys {
                                    ui.label(*key);
                                    ui.add(egui::Label::new(style::weak(*meaning)).wrap());
                                    ui.end_row();
                                }
                            });
                        ui.add_space(10.0);
                    }
                });
            });
        ui.add_space(4.0);
        if ui.button("Close").on_hover_text("F1, Escape").clicked() {
            context.commands.push(Command::ToggleHelp);
        }
    });
    if modal.backdrop_response.clicked() {
        context.commands.push(Command::ToggleHelp);
    }
}
