//! The panels over the landscape: each a function that shows a part of the workbench and hands on what
//! the user asks for. They change nothing themselves.

mod details;
mod flying;
mod help;
mod legend;
mod messages;
mod playback;
mod search;
mod settings;
mod stacks;
mod text;
mod tooltip;
mod top;
mod welcome;
mod widgets;

use egui::{Rect, Ui};

use super::command::Command;
use super::workbench::Workbench;

pub use search::FIELD as SEARCH_FIELD;

/// What a panel has to show things with.
struct Context<'a> {
    bench: &'a Workbench,
    /// What the user asked for in this frame.
    commands: &'a mut Vec<Command>,
    /// What the panels cover no part of, in points.
    free: Rect,
}

/// Numbers about the frames drawn, for the readout of frame times.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    pub frames: u64,
    /// Milliseconds from one frame to the next, and of that on the CPU, smoothed.
    pub interval_ms: f32,
    pub cpu_ms: f32,
    pub adapter: String,
}

/// Shows all panels, adds what the user asked for to `commands`, and gives back what they leave free of
/// the window, in points.
pub fn show(
    ui: &mut Ui,
    bench: &Workbench,
    timings: &Timings,
    commands: &mut Vec<Command>,
) -> Rect {
    let mut context = Context {
        bench,
        commands,
        free: ui.max_rect(),
    };
    top::show(ui, &mut context);
    playback::show(ui, &mut context);
    legend::show(ui, &mut context);
    details::show(ui, &mut context);
    context.free = ui.available_rect_before_wrap();
    let ctx = ui.ctx().clone();
    stacks::show(&ctx, &mut context);
    settings::show(&ctx, &mut context);
    flying::show(&ctx, &mut context);
    welcome::show(&ctx, &mut context);
    messages::show(&ctx, &mut context);
    search::show_results(&ctx, &mut context);
    help::show(&ctx, &mut context);
    tooltip::show(&ctx, &mut context);
    if bench.shown.timings {
        widgets::card(
            &ctx,
            "timings",
            egui::Align2::CENTER_TOP,
            context.free,
            |ui| {
                ui.label(text::timings(timings));
            },
        );
    }
    context.free
}
