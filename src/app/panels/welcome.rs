//! The middle of the window while there is nothing to see, or something to wait for.

use egui::{Align2, Context as Egui};

use super::context::Context;
use crate::escape;
use crate::state::ask::OpenAsk;
use crate::state::loading::Loading;
use crate::views::style;
use crate::views::widgets::card;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    match &context.desk.state.loading {
        Some(loading) if loading.is_slow() => progress(ctx, loading, context),
        None if context.desk.state.document.is_none() => nothing(ctx, context),
        _ => {}
    }
}

fn progress(ctx: &Egui, loading: &Loading, context: &mut Context<'_>) {
    let (step, done, total) = loading.progress().state();
    card(ctx, "progress", Align2::CENTER_CENTER, context.free, |ui| {
        ui.set_width(320.0f32.min(context.free.width() * 0.8).max(0.0));
        ui.label(style::title(format!(
            "Opening {}",
            escape::name(&loading.name)
        )));
        ui.label(style::weak(step));
        // An unknown total shows as a bar that moves without a number.
        let bar = if total > 0 {
            egui::ProgressBar::new((done as f64 / total as f64) as f32).show_percentage()
        } else {
            egui::ProgressBar::new(1.0).animate(true)
        };
        ui.add(bar.desired_height(14.0));
        ui.add_space(4.0);
        if ui.button("Cancel").on_hover_text("Escape").clicked() {
            context.asks.push(OpenAsk::CancelLoading);
        }
    });
}

fn nothing(ctx: &Egui, context: &mut Context<'_>) {
    card(ctx, "nothing", Align2::CENTER_CENTER, context.free, |ui| {
        ui.set_width(380.0f32.min(context.free.width() * 0.8).max(0.0));
        ui.label(egui::RichText::new("Nothing is open").heading());
        ui.add_space(2.0);
        ui.label("Drop a source directory, a recording of it, or both on this window.");
        ui.label(style::weak(
            "Or start it with them: callscape SOURCE_DIR TRACE. Recordings are what tracers and \
             profilers write: Chrome's trace events, uftrace and others, compressed or not.",
        ));
        ui.label(style::weak("F1 shows all keys."));
    });
}
