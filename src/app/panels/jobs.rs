//! How far work is that goes on beside the window.

use egui::{Align2, Context as Egui};

use super::context::Context;
use crate::open_views::Views;
use callscape_base::progress::Progress;
use callscape_state::ask::CancelAsk;
use callscape_views::rows;
use callscape_views::style;
use callscape_views::widgets::{Icon, card, icon_button};

pub(super) fn show(ctx: &Egui, views: &Views, context: &mut Context<'_>) {
    let slow: Vec<&Progress> = context.desk.slow().chain(views.slow()).collect();
    if slow.is_empty() {
        return;
    }
    card(ctx, "jobs", Align2::CENTER_BOTTOM, context.free, |ui| {
        ui.set_width(280.0f32.min(context.free.width() * 0.8).max(0.0));
        for progress in slow {
            let (step, done, total) = progress.state();
            ui.horizontal(|ui| {
                ui.add(egui::Spinner::new().size(12.0));
                // How far it is stays in sight however long the name is of what is worked on.
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if icon_button(ui, Icon::Close, false, "Cancel").clicked() {
                        context.asks.push(CancelAsk::Everything);
                    }
                    match total {
                        0 if done > 0 => {
                            ui.label(style::weak(callscape_views::text::count(done)));
                        }
                        0 => {}
                        total => {
                            let share = done as f64 / total as f64 * 100.0;
                            ui.label(style::weak(format!("{share:.0} %")));
                        }
                    }
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        let said = rows::fitting(ui, &step);
                        ui.add(egui::Label::new(style::weak(said)).truncate())
                            .on_hover_text(step);
                    });
                });
            });
        }
    });
}
