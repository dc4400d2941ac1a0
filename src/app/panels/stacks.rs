//! The card at the top left: what runs now, thread by thread, outermost call first.

use egui::{Align2, Context as Egui};

use super::super::command::Command;
use super::super::document::Document;
use super::super::style;
use super::widgets::{MARGIN, card};
use super::{Context, table, text};
use crate::facts::trace::Trace;
use crate::filter::selection::{CallOf, Pointed};
use crate::units::{CallId, ThreadId, Time};
use crate::views::landscape::{ArcMode, thread_color};
use crate::views::tip::{row_name, stack_rows};

/// More threads, and more calls of one, would not be read while they change.
const MAX_THREADS: usize = 6;
const MAX_FRAMES: usize = 12;
/// In a landscape so low, in points, it would be all that is seen.
const LEAST_ROOM: f32 = 90.0;
/// What of the height it takes at most: less in a landscape so narrow, in points, that it would hide a third of it.
const HEIGHT: f32 = 0.6;
const NARROW: f32 = 700.0;
const HEIGHT_IN_NARROW: f32 = 0.35;
/// Between two rows, in points.
const SPACING: f32 = 1.0;
/// In a low window fewer, and the others are counted: the innermost are read first.
const LEAST_FRAMES: usize = 4;
/// So many rows are there beside them.
const BESIDE_FRAMES: f32 = 3.0;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    let Some(document) = &context.bench.document else {
        return;
    };
    let Some(resolved) = document.resolved() else {
        return;
    };
    // Of a profile nothing runs at a time.
    if !context.bench.shown.stacks || document.playback.is_none() {
        return;
    }
    let trace = &resolved.recording.trace;
    let time = document.selection.time;
    let free = context.free;
    if free.height() < LEAST_ROOM {
        return;
    }
    card(ctx, "stacks", Align2::LEFT_TOP, free, |ui| {
        ui.set_width(200.0f32.min(free.width() * 0.3).max(0.0));
        ui.label(style::title("Running now")).on_hover_text(
            "The call stack of each thread, the way over the landscape (K hides this)",
        );
        let share = match free.width() < NARROW {
            true => HEIGHT_IN_NARROW,
            false => HEIGHT,
        };
        let row = ui.text_style_height(&egui::TextStyle::Body) + SPACING;
        // Beside the thread's name, how many calls are left out, and the room below.
        let least = (LEAST_FRAMES as f32 + BESIDE_FRAMES) * row;
        let height = (free.height() * share - 4.0 * MARGIN)
            .max(least.min(free.height() - 6.0 * MARGIN))
            .max(60.0);
        let most = ((height / row - BESIDE_FRAMES) as usize).clamp(LEAST_FRAMES, MAX_FRAMES);
        egui::ScrollArea::vertical()
            .max_height(height)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = SPACING;
                threads(ui, document, trace, time, most, context);
            });
    });
}

fn threads(
    ui: &mut egui::Ui,
    document: &Document,
    trace: &Trace,
    time: Time,
    most: usize,
    context: &mut Context<'_>,
) {
    let mut stack = Vec::new();
    let mut shown = 0;
    let mut running = 0;
    // What one has chosen is read first.
    let chosen = document.selection.chosen;
    let chosen = chosen.call.map(|of| of.thread).or(chosen.thread);
    let chosen = chosen.filter(|thread| thread.index() < trace.threads().len());
    let others = trace.thread_ids().filter(|&thread| Some(thread) != chosen);
    for thread in chosen.into_iter().chain(others) {
        let info = &trace.threads()[thread.index()];
        if time < info.start || info.end < time {
            continue;
        }
        trace.stack_at(thread, time, &mut stack);
        if stack.is_empty() {
            continue;
        }
        running += 1;
        if shown == MAX_THREADS {
            continue;
        }
        shown += 1;
        heading(ui, thread, document.thread_name(thread), context);
        frames(ui, document, trace, thread, &stack, most, context);
        ui.add_space(4.0);
    }
    if running == 0 {
        ui.label(style::weak("nothing"));
    } else if running > shown {
        let more = (running - shown) as u64;
        ui.label(style::weak(text::counted(
            more,
            "more thread",
            "more threads",
        )));
    }
}

/// The thread's name, and the colour of its way over the landscape.
fn heading(ui: &mut egui::Ui, thread: ThreadId, name: &str, context: &Context<'_>) {
    let settings = &context.bench.settings;
    let [r, g, b] = thread_color(settings.theme, thread);
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        if settings.arcs != ArcMode::None {
            let size = egui::vec2(16.0, 12.0);
            let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
            let bar = rect.shrink2(egui::vec2(0.0, 4.0));
            let color = egui::Rgba::from_rgb(r, g, b);
            ui.painter().rect_filled(bar, 2, color);
        }
        ui.add(egui::Label::new(style::weak(name).small()).truncate());
    });
}

fn frames(
    ui: &mut egui::Ui,
    document: &Document,
    trace: &Trace,
    thread: ThreadId,
    stack: &[CallId],
    most: usize,
    context: &mut Context<'_>,
) {
    let rows = stack_rows(trace, thread, stack);
    let (outer, rows) = rows.split_at(rows.len().saturating_sub(most));
    let outer: usize = outer.iter().map(|row| row.calls).sum();
    if outer > 0 {
        let outer = text::counted(outer as u64, "outer call", "outer calls");
        ui.label(style::weak(outer).small());
    }
    let Some(resolved) = document.resolved() else {
        return;
    };
    let meant = document.meant(&document.selection.pointed);
    for &row in rows {
        let id = row.call;
        let of = CallOf { thread, call: id };
        let call = trace.call(thread, id);
        let function = resolved.recording.functions.get(call.function);
        let whole = row_name(function.name, row);
        let mut name = egui::RichText::new(table::fitting(ui, &whole));
        if meant.call() == Some(of)
            || (meant.call().is_none() && meant.holds_function(call.function))
        {
            name = name.background_color(ui.visuals().widgets.hovered.weak_bg_fill);
        }
        let label = egui::Label::new(name)
            .truncate()
            .sense(egui::Sense::click());
        let response = ui.add(label);
        let module = document.module_of(call.function);
        let pointed = Pointed {
            module,
            function: Some(call.function),
            call: Some(of),
            thread: Some(thread),
            ..Pointed::default()
        };
        if response.hovered() {
            context.pointed = pointed;
        }
        if response.clicked() {
            context.commands.push(Command::Choose(pointed));
        }
        if response.double_clicked() {
            context.commands.extend(module.map(Command::FlyTo));
        }
        response.on_hover_ui(|ui| {
            ui.label(function.name);
            let since = time_open(call.start, document.selection.time);
            ui.label(style::weak(since));
        });
    }
}

fn time_open(start: Time, now: Time) -> String {
    format!("for {} so far", now.since(start))
}
