//! How far work is that goes on beside the window.

use egui::{Align2, Context as Egui};

use super::super::ask::CancelAsk;
use super::super::style;
use super::Context;
use super::widgets::{Icon, card, icon_button};
use crate::progress::Progress;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    let exporting = context.bench.work.exporting.as_ref();
    let exporting = exporting.filter(|job| job.is_slow());
    let slow = context.bench.jobs.slow();
    let slow: Vec<&Progress> = slow.chain(exporting.map(|job| &job.progress)).collect();
    if slow.is_empty() {
        return;
    }
    card(ctx, "jobs", Align2::CENTER_BOTTOM, context.free, |ui| {
        ui.set_width(280.0f32.min(context.free.width() * 0.8).max(0.0));
        for progress in slow {
            let (step, done, total) = progress.state();
            ui.horizontal(|ui| {
                let said = match total {
                    0 if done > 0 => format!("{step}: {}", super::text::count(done)),
                    0 => step,
                    total => format!("{step}: {:.0} %", done as f64 / total as f64 * 100.0),
                };
                ui.add(egui::Spinner::new().size(12.0));
                ui.add(egui::Label::new(style::weak(said)).truncate());
                if icon_button(ui, Icon::Close, false, "Cancel").clicked() {
                    context.asks.push(CancelAsk::Everything);
                }
            });
        }
    });
}
