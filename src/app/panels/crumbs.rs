//! The strip below the top bar while something is left out: each step, and what it leaves.

use egui::Ui;

use super::context::Context;
use callscape_base::escape;
use callscape_facts::frequency::{Frequency, percent};
use callscape_filter::filters::FilterStep;
use callscape_state::ask::{CancelAsk, FilterAsk};
use callscape_state::document::Document;
use callscape_state::stepping::left_out;
use callscape_views::style;
use callscape_views::text;
use callscape_views::widgets::{Icon, paint};

pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
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
            ui.label(style::weak("Excluded"));
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
                    .on_hover_text(format!("{about}. Click to include them again"))
                    .clicked()
                {
                    context.asks.push(FilterAsk::Remove(index));
                }
            }
            ui.label(style::weak(left(document, context)));
            if context.desk.state.work.counting.is_some()
                && ui
                    .button("Stop")
                    .on_hover_text("The remaining narrow calls stay uncounted")
                    .clicked()
            {
                context.asks.push(CancelAsk::Counting);
            }
        });
    });
}

/// A step in a word or two, and in full.
fn describe(document: &Document, step: FilterStep) -> (String, String) {
    let text = left_out(document, step);
    let path = |module| escape::name(&document.session.hierarchy.path(module)).into_owned();
    let about = match step {
        FilterStep::HideThread(_) => format!("All calls of the {text}"),
        FilterStep::RemoveModule(of) => format!(
            "The calls of the functions of {}; their callees are attributed to their callers",
            path(of)
        ),
        FilterStep::RemoveBelow(of) => format!("All descendant calls of the functions of {}", path(of)),
        FilterStep::RemoveFrequent(limit) => frequent(document, limit),
        FilterStep::RemoveNotMarked => {
            "The calls of functions that are not marked; their callees are attributed to their callers"
                .to_owned()
        }
        FilterStep::RemoveBelowCall(of) => {
            let one = text.strip_prefix("below ").unwrap_or(&text);
            let about = format!("All descendant calls of {one}");
            let Some(runs) = &document.runs else {
                return (text, about);
            };
            let own = runs.letter();
            match runs.call_of_other(&document.session, of) {
                Some(_) => {
                    let said = "in both runs: the call reached through the same functions, at the same position among \
                                its caller's calls";
                    format!("{about}, {said}")
                }
                None => {
                    let about = format!("{about}, only in {own}: the other run has no such call");
                    return (format!("{text}, only in {own}"), about);
                }
            }
        }
    };
    (text, about)
}

/// What goes for being called often.
fn frequent(document: &Document, limit: Frequency) -> String {
    let Some(found) = document.filters.frequent(limit) else {
        return "Being counted".to_owned();
    };
    let functions = text::counted(found.functions.len() as u64, "function", "functions");
    let share = percent(found.share());
    format!(
        "{functions} excluded: {share} of the calls. Their callees are attributed to their callers"
    )
}

/// How much is left.
fn left(document: &Document, context: &Context<'_>) -> String {
    if let Some(job) = &context.desk.state.work.counting {
        let (_, done, all) = job.progress.state();
        let share = 100.0 * done as f64 / all.max(1) as f64;
        return format!("counting the remaining calls: {share:.0} %");
    }
    if let Some(profile) = document.profile() {
        let table = document.functions.as_ref();
        let Some(left) = table.and_then(|it| it.left_of(|_| true)) else {
            return String::new();
        };
        let all = profile.size().max(1) as f64;
        let share = 100.0 * left.self_cost.weight() as f64 / all;
        return match profile.contexts() {
            Some(_) => format!("{share:.1} % of the weight remaining"),
            None => "of functions and relations: the recording has no call paths".to_owned(),
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
            format!("{left} calls remaining, {out} excluded{of_range}")
        }
        None => "not counted".to_owned(),
    }
}
