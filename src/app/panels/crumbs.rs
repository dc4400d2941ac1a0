//! The strip below the top bar while something is left out: each step, and what it leaves.

use egui::Ui;

use super::context::Context;
use crate::escape;
use crate::facts::frequency::{Frequency, percent};
use crate::filter::filters::FilterStep;
use crate::state::ask::{CancelAsk, FilterAsk};
use crate::state::document::Document;
use crate::views::style;
use crate::views::text;
use crate::views::widgets::{Icon, paint};

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    if document.filters.is_empty() {
        return;
    }
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(12, 4));
    let panel = egui::Panel::top("crumbs").frame(frame).resizable(false);
    panel.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(6.0, 4.0);
            ui.spacing_mut().interact_size.y = 22.0;
            ui.spacing_mut().button_padding.y = 2.0;
            ui.label(style::weak("Left out"));
            for (index, &step) in document.filters.steps().iter().enumerate() {
                let (text, about) = describe(document, step);
                let response = ui.button(format!("{text}     "));
                let mut cross = response.rect;
                cross.min.x = cross.max.x - cross.height();
                paint(
                    ui,
                    Icon::Close,
                    cross.shrink(4.0),
                    ui.visuals().weak_text_color(),
                );
                if response
                    .on_hover_text(format!("{about}. Click to bring it back"))
                    .clicked()
                {
                    context.asks.push(FilterAsk::Remove(index));
                }
            }
            ui.label(style::weak(left(document, context)));
            if context.desk.state.work.counting.is_some()
                && ui
                    .button("Stop")
                    .on_hover_text("What is narrow stays uncounted")
                    .clicked()
            {
                context.asks.push(CancelAsk::Counting);
            }
            if ui.button("Undo").on_hover_text("Ctrl + Z").clicked() {
                context.asks.push(FilterAsk::Undo);
            }
            if document.filters.can_redo()
                && ui
                    .button("Redo")
                    .on_hover_text("Ctrl + Shift + Z")
                    .clicked()
            {
                context.asks.push(FilterAsk::Redo);
            }
        });
    });
}

/// A step in a word or two, and in full.
fn describe(document: &Document, step: FilterStep) -> (String, String) {
    let module = |module| {
        let hierarchy = &document.session.hierarchy;
        [hierarchy.name(module), &hierarchy.path(module)]
            .map(|it| escape::name(it).into_owned())
            .into()
    };
    match step {
        FilterStep::HideThread(thread) => {
            let name = document.thread_name(thread);
            let name = name.strip_prefix("thread ").unwrap_or(name);
            (
                format!("thread {name}"),
                format!("All calls of the thread {name}"),
            )
        }
        FilterStep::RemoveModule(of) => {
            let (name, path) = module(of);
            (
                name,
                format!(
                    "The calls of the functions of {path}; what they called is called by their callers"
                ),
            )
        }
        FilterStep::RemoveBelow(of) => {
            let (name, path) = module(of);
            (
                format!("below {name}"),
                format!("All that the functions of {path} triggered"),
            )
        }
        FilterStep::RemoveFrequent(limit) => frequent(document, limit),
        FilterStep::RemoveBelowCall(of) => {
            let function = document.resolved().map(|resolved| {
                let trace = &resolved.recording.trace;
                let threads = trace.threads().get(of.thread.index());
                let exists = threads.is_some_and(|it| u64::from(of.call.0) < it.calls);
                if !exists {
                    return String::new();
                }
                let function = trace.call(of.thread, of.call).function;
                let name = resolved.recording.functions.get(function).name;
                escape::name(name).into_owned()
            });
            let name = function.unwrap_or_default();
            let (text, about) = (
                format!("below one call of {name}"),
                format!("All that one call of {name} triggered"),
            );
            let Some(runs) = &document.runs else {
                return (text, about);
            };
            let own = runs.letter();
            match runs.call_of_other(&document.session, of) {
                Some(_) => {
                    let said = "in both runs: the call that is reached through the same functions, as \
                                the same of its caller's calls";
                    (text, format!("{about}, {said}"))
                }
                None => (
                    format!("{text}, in {own} alone"),
                    format!("{about}, in {own} alone: the other run has no such call"),
                ),
            }
        }
    }
}

/// What goes for being called often.
fn frequent(document: &Document, limit: Frequency) -> (String, String) {
    let text = format!("called more than {limit}");
    let Some(found) = document.filters.frequent(limit) else {
        return (text, "Being counted".to_owned());
    };
    let functions = text::counted(found.functions.len() as u64, "function", "functions");
    let share = percent(found.share());
    let about = format!(
        "{functions} left out: {share} of the calls. What they called is called by their callers"
    );
    (text, about)
}

/// How much is left.
fn left(document: &Document, context: &Context<'_>) -> String {
    if let Some(job) = &context.desk.state.work.counting {
        let (_, done, all) = job.progress.state();
        let share = 100.0 * done as f64 / all.max(1) as f64;
        return format!("counting what is left: {share:.0} %");
    }
    if let Some(profile) = document.profile() {
        let table = document.functions.as_ref();
        let Some(left) = table.and_then(|it| it.left_of(|_| true)) else {
            return String::new();
        };
        let all = profile.weight().ns().max(1) as f64;
        let share = 100.0 * left.self_cost.ns() as f64 / all;
        return match profile.contexts() {
            Some(_) => format!("{share:.1} % of the weight left"),
            None => "of functions and relations: the recording tells no call paths".to_owned(),
        };
    }
    let all = document
        .resolved()
        .map_or(0, |it| it.recording.trace.calls());
    match document.calls_left {
        Some(left) => {
            let out = all.saturating_sub(left);
            let (left, out) = (text::count(left), text::count(out));
            let of_range = if document.selection.range.is_some() {
                " by these and the range"
            } else {
                ""
            };
            format!("{left} calls left, {out} left out{of_range}")
        }
        None => "not counted".to_owned(),
    }
}
