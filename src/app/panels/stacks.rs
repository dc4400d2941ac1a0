//! The card at the top left: what runs now, thread by thread, outermost call first.

use egui::{Align2, Context as Egui};

use super::context::Context;
use callscape_base::escape;
use callscape_base::units::{ThreadId, Time};
use callscape_facts::trace::Trace;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_model::arcs::ArcMode;
use callscape_model::arguments::shortened;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::city::thread_color;
use callscape_state::document::Document;
use callscape_views::style;
use callscape_views::tip::{StackRow, row_name, stack_rows};
use callscape_views::widgets::{MARGIN, card};
use callscape_views::{rows, text};

/// More threads, and more calls of one, would not be read while they change.
const MAX_THREADS: usize = 6;
const MAX_FRAMES: usize = 12;
/// Characters of the arguments of a call.
const MOST_OF_ARGUMENTS: usize = 400;
/// A thread has room for so many of its calls, or is counted with those that have none: the innermost are read first.
const LEAST_FRAMES: usize = 2;
/// In a landscape so low, in points, it would be all that is seen.
const LEAST_ROOM: f32 = 90.0;
/// Its width in points unless names are longer, and how much of the landscape it takes at most.
const WIDTH: f32 = 200.0;
const MOST_WIDTH: f32 = 0.36;
/// What of the height it takes at most: less in a landscape so narrow, in points, that it would hide a third of it.
const HEIGHT: f32 = 0.6;
const NARROW: f32 = 700.0;
const HEIGHT_IN_NARROW: f32 = 0.35;
/// In a low window it takes more of it, for so many rows of text.
const LEAST_ROWS: f32 = 7.0;
/// Between two rows, and below a thread, in points.
const SPACING: f32 = 1.0;
const BELOW: f32 = 4.0;
/// The bar in the colour of a thread's way.
const SWATCH: egui::Vec2 = egui::vec2(16.0, 12.0);

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    let Some(resolved) = document.resolved() else {
        return;
    };
    // Of a profile nothing runs at a time, of memory alone no calls are known, and commits last no time.
    let has_stacks = document.profile().is_none() && resolved.recording.played.is_none();
    if !context.desk.state.cards.stacks || !has_stacks {
        return;
    }
    let trace = &resolved.recording.trace;
    let time = document.selection.time;
    let free = context.free;
    if free.height() < LEAST_ROOM {
        return;
    }
    card(ctx, "stacks", Align2::LEFT_TOP, free, |ui| {
        let running = running(document, trace, time);
        ui.set_width(width(ui, document, &running.0, free.width()));
        ui.label(style::title("Running now")).on_hover_text(
            "The call stack of each thread, as a path over the landscape (K hides this)",
        );
        let share = match free.width() < NARROW {
            true => HEIGHT_IN_NARROW,
            false => HEIGHT,
        };
        let row = ui.text_style_height(&egui::TextStyle::Body) + SPACING;
        let least = (LEAST_ROWS * row).min(free.height() - 6.0 * MARGIN);
        let height = (free.height() * share - 4.0 * MARGIN).max(least).max(60.0);
        egui::ScrollArea::vertical()
            .max_height(height)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = SPACING;
                threads(ui, document, running, height, context);
            });
    });
}

/// As wide as the longest name that ran, from [`WIDTH`] up to [`MOST_WIDTH`] of the landscape: while it plays it does not
/// become narrower again.
fn width(ui: &egui::Ui, document: &Document, running: &[Running], free: f32) -> f32 {
    let id = egui::Id::unique("width of what runs").with(document.generation());
    let mut widest: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(WIDTH);
    let font = egui::TextStyle::Body.resolve(ui.style());
    for row in running
        .iter()
        .flat_map(|it| it.rows.iter().rev().take(MAX_FRAMES))
    {
        let name = row_name(&escape::name(document.function_name(row.function)), *row);
        let galley = ui
            .painter()
            .layout_no_wrap(name, font.clone(), egui::Color32::PLACEHOLDER);
        widest = widest.max(galley.size().x.ceil() + 2.0);
    }
    ui.data_mut(|data| data.insert_temp(id, widest));
    widest.min((free * MOST_WIDTH).max(0.0))
}

/// A thread in which something runs.
struct Running {
    thread: ThreadId,
    /// Outermost call first.
    rows: Vec<StackRow>,
}

/// What runs at a time, what is chosen first, and in how many more threads something does.
fn running(document: &Document, trace: &Trace, time: Time) -> (Vec<Running>, usize) {
    let mut stack = Vec::new();
    let mut running = Vec::new();
    let mut left_out = 0;
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
        if running.len() == MAX_THREADS {
            left_out += 1;
            continue;
        }
        let rows = stack_rows(trace, thread, &stack);
        running.push(Running { thread, rows });
    }
    (running, left_out)
}

fn threads(
    ui: &mut egui::Ui,
    document: &Document,
    (mut running, mut left_out): (Vec<Running>, usize),
    height: f32,
    context: &mut Context<'_>,
) {
    if running.is_empty() {
        ui.label(style::weak("nothing"));
        return;
    }
    let row = ui.text_style_height(&egui::TextStyle::Body) + SPACING;
    let small = ui.text_style_height(&egui::TextStyle::Small) + SPACING;
    // Its name, how many calls are left out, and the room below.
    let beside = small.max(SWATCH.y + SPACING) + small + BELOW + SPACING;
    let room = height - row;
    let fit = (room / (beside + LEAST_FRAMES as f32 * row)) as usize;
    let shown = running.len().min(fit.max(1));
    left_out += running.len() - shown;
    running.truncate(shown);
    let rows = (room - shown as f32 * beside) / row;
    let wanted = running.iter().map(|of| of.rows.len().min(MAX_FRAMES));
    let most = fair(wanted, (rows as usize).max(LEAST_FRAMES * shown));
    for of in &running {
        heading(ui, of.thread, document.thread_name(of.thread), context);
        frames(ui, document, of, most, context);
        ui.add_space(BELOW);
    }
    if left_out > 0 {
        let more = text::counted(left_out as u64, "more thread", "more threads");
        ui.label(style::weak(more));
    }
}

/// The most that each may have so that all together have no more than `room`, where those that want less leave the rest to
/// the others.
fn fair(wanted: impl Iterator<Item = usize> + Clone, room: usize) -> usize {
    let taken = |most: usize| wanted.clone().map(|one| one.min(most)).sum::<usize>();
    (1..=MAX_FRAMES)
        .take_while(|&most| taken(most) <= room)
        .last()
        .unwrap_or(1)
}

/// The thread's name, and the colour of its way over the landscape.
fn heading(ui: &mut egui::Ui, thread: ThreadId, name: &str, context: &Context<'_>) {
    let settings = &context.desk.state.settings;
    let [r, g, b] = thread_color(settings.theme, thread);
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        if settings.arcs != ArcMode::None {
            let (rect, _) = ui.allocate_exact_size(SWATCH, egui::Sense::hover());
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
    of: &Running,
    most: usize,
    context: &mut Context<'_>,
) {
    let Some(trace) = document.resolved().map(|it| &it.recording.trace) else {
        return;
    };
    let thread = of.thread;
    let (outer, rows) = of.rows.split_at(of.rows.len().saturating_sub(most));
    let outer: usize = outer.iter().map(|row| row.calls).sum();
    if outer > 0 {
        let outer = text::counted(outer as u64, "outer call", "outer calls");
        ui.label(style::weak(outer).small());
    }
    let meant = document.meant(&document.selection.pointed);
    for &row in rows {
        let id = row.call;
        let of = CallOf { thread, call: id };
        let call = trace.call(thread, id);
        let function = document.function_name(call.function);
        let whole = row_name(&escape::name(function), row);
        let mut name = egui::RichText::new(rows::fitting(ui, &whole));
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
            context.asks.push(SelectAsk::Choose(pointed));
        }
        if response.double_clicked() {
            context.asks.extend(module.map(CameraAsk::FlyTo));
        }
        response.on_hover_ui(|ui| {
            ui.label(style::name(function));
            let since = time_open(call.start, document.selection.time);
            ui.label(style::weak(since));
            let arguments = shortened(&trace.arguments(thread, id), MOST_OF_ARGUMENTS);
            if !arguments.is_empty() {
                ui.label(style::weak(escape::name(&arguments)));
            }
        });
    }
}

fn time_open(start: Time, now: Time) -> String {
    format!("running for {}", now.since(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_shared_fairly() {
        let of = |wanted: &[usize], room| fair(wanted.iter().copied(), room);
        assert_eq!(of(&[12], 7), 7);
        assert_eq!(of(&[12], 40), MAX_FRAMES);
        assert_eq!(of(&[2, 9, 9], 12), 5);
        assert_eq!(of(&[2, 2, 2], 6), MAX_FRAMES);
        assert_eq!(of(&[5, 5], 0), 1);
    }
}
