//! What is under the pointer: name, kind, lines of code, calls and cost.

use egui::{Align2, Context as Egui, Id, Ui};

use super::context::Context;
use super::details;
use callscape_base::escape;
use callscape_base::units::{Cost, ModuleId};
use callscape_facts::hierarchy::ModuleKind;
use callscape_filter::selection::CallOf;
use callscape_model::arguments::shortened;
use callscape_model::imports::is_part_of_file;
use callscape_model::measure;
use callscape_state::document::Document;
use callscape_views::style;
use callscape_views::text;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    let (pointed, Some(at)) = (document.selection.pointed, desk.state.moving.pointer.at) else {
        return;
    };
    if pointed.module.is_none() && pointed.relation.is_none() {
        return;
    }
    let at = at + desk.state.moving.viewport.origin;
    let at = egui::pos2(at.x, at.y) / ctx.pixels_per_point();
    let room = ctx.content_rect().shrink(6.0);
    // To the side of the pointer where there is more room.
    let left = at.x > room.center().x + room.width() * 0.2;
    let below = at.y < room.center().y + room.height() * 0.2;
    let pivot = match (left, below) {
        (false, true) => Align2::LEFT_TOP,
        (true, true) => Align2::RIGHT_TOP,
        (false, false) => Align2::LEFT_BOTTOM,
        (true, false) => Align2::RIGHT_BOTTOM,
    };
    let away = egui::vec2(
        if left { -14.0 } else { 14.0 },
        if below { 16.0 } else { -10.0 },
    );
    egui::Area::new(Id::unique("module tooltip"))
        .order(egui::Order::Tooltip)
        .interactable(false)
        .fixed_pos(at + away)
        .pivot(pivot)
        .fade_in(false)
        .show(ctx, |ui| {
            egui::Frame::popup(ui.style())
                .inner_margin(8)
                .show(ui, |ui| {
                    ui.set_max_width(340.0f32.min(room.width() * 0.6).max(0.0));
                    ui.spacing_mut().item_spacing.y = 2.0;
                    match (pointed.relation, pointed.module) {
                        (Some(relation), _) => {
                            of_relation(ui, document, relation);
                            let moments = &desk.state.work.moments;
                            let moments = moments.between(relation.0, relation.1);
                            of_sums(ui, document, relation, moments);
                        }
                        (None, Some(module)) => {
                            of_module(ui, document, module);
                            of_call(ui, document, pointed.call);
                        }
                        (None, None) => {}
                    }
                });
        });
}

fn of_module(ui: &mut Ui, document: &Document, module: ModuleId) {
    let facts = document.city.module_facts(&document.session, module);
    ui.add(egui::Label::new(style::title(escape::name(document.module_name(module)))).wrap());
    let mut what = facts.kind.name().to_owned();
    if !facts.language.is_empty() {
        what = format!("{what} · {}", facts.language);
    }
    if let Some(then) = details::then(document, module) {
        ui.label(style::weak(format!("{what} · {then}")).small());
        return;
    }
    if facts.kind != ModuleKind::External && facts.loc > 0 {
        let lines = text::counted(u64::from(facts.loc), "line of code", "lines of code");
        what = format!("{what} · {lines}");
    }
    ui.label(style::weak(what).small());
    let own = document.show_cost(facts.self_cost);
    let cost = match facts.total {
        Some(total) => {
            format!("{} in total, {own} self", document.show_cost(total))
        }
        None => format!("{own} self"),
    };
    let difference = document.city.metrics().difference();
    if document.runs.is_some() {
        for (measure, title, both) in details::of_both(document, module, facts.total.is_some()) {
            // The measure that is compared follows, with how many times it is.
            if difference.is_some_and(|it| it.measure != measure) {
                ui.label(style::weak(format!("{title}: {both}")).small());
            }
        }
    } else if facts.calls > 0 {
        let calls = text::counted(facts.calls, "call", "calls");
        let failed = match document.failed_of(module) {
            0 => String::new(),
            failed => format!(" · {}", text::counted(failed, "error", "errors")),
        };
        ui.label(style::weak(format!("{calls}{failed} · {cost}")).small());
    } else if document.resolved().is_some() && !document.counts_calls() {
        ui.label(style::weak(cost).small());
    }
    if let Some(Some(left)) = document
        .left_of(module)
        .filter(|_| document.counts_calls() && document.runs.is_none())
    {
        let calls = text::counted(left.calls, "call", "calls");
        let own = document.show_cost(left.self_cost);
        let line = format!("displayed: {calls} · {own} self");
        ui.label(style::weak(line).small());
    }
    if let Some(covered) = facts.covered {
        let line = format!("coverage {}", measure::covered(covered));
        ui.label(style::weak(line).small());
    }
    if let Some(text) = difference.and_then(|it| it.text(module)) {
        ui.label(style::weak(text).small());
    }
}

/// The arguments of the call that is pointed at.
fn of_call(ui: &mut Ui, document: &Document, call: Option<CallOf>) {
    /// Characters of them.
    const MOST: usize = 400;
    let trace = document.resolved().map(|it| &it.recording.trace);
    let Some((trace, of)) = trace.zip(call) else {
        return;
    };
    let arguments = shortened(&trace.arguments(of.thread, of.call), MOST);
    if !arguments.is_empty() {
        let line = style::weak(escape::name(&arguments)).small();
        ui.add(egui::Label::new(line).wrap());
    }
}

/// The calls from one module to another that are shown.
fn of_relation(ui: &mut Ui, document: &Document, (from, to): (ModuleId, ModuleId)) {
    let name = |module| escape::name(document.module_name(module));
    let title = format!("{} to {}", name(from), name(to));
    ui.add(egui::Label::new(style::title(title)).wrap());
    let own = document.runs.as_ref().map_or(0, |runs| runs.side());
    let mut landscapes = [Some(&document.city), document.other_city.as_ref()];
    if own == 1 {
        landscapes.reverse();
    }
    for (landscape, letter) in landscapes.into_iter().zip(["A: ", "B: "]) {
        let letter = document.runs.as_ref().map_or("", |_| letter);
        let mut relations = landscape.into_iter().flat_map(|it| it.relations());
        if let Some(found) = relations.find(|it| (it.from, it.to) == (from, to)) {
            let is_inferred = || {
                let chosen = document.city.chosen();
                chosen.is_some_and(|it| is_part_of_file(&document.session.hierarchy, it))
            };
            let inherits = || {
                let imports = document.city.metrics().imports();
                imports.is_some_and(|it| it.inherits(from, to))
            };
            // Of a profile that does not count calls their weight; without a recording nothing has a time.
            let calls = match document.resolved() {
                Some(_) if details::is_history(document) => {
                    text::counted(found.calls, "change", "changes")
                }
                Some(_) if document.counts_calls() => text::counted(found.calls, "call", "calls"),
                Some(_) => {
                    let cost = document.show_cost(Cost::from_ns(found.calls));
                    format!("sum of cost {cost}")
                }
                None if inherits() => "inherits, inferred by name".to_owned(),
                None if is_inferred() => {
                    text::counted(found.calls, "inferred call", "inferred calls")
                }
                None => text::counted(found.calls, "import", "imports"),
            };
            let step = match found.step_calls {
                0 => String::new(),
                step => format!(", {} of them in the last step", text::count(step)),
            };
            ui.label(style::weak(format!("{letter}{calls}{step}")).small());
        }
    }
}

/// What all calls from one module to another add up to, whatever the time: of two runs of both, of one with the moments
/// that they go on.
fn of_sums(ui: &mut Ui, document: &Document, (from, to): (ModuleId, ModuleId), moments: &[Cost]) {
    let mut lines = Vec::new();
    if let Some(runs) = &document.runs {
        let change = runs.between(&document.session, from, to);
        lines = details::of_both_relations(document, &change);
    } else if document.resolved().is_some() {
        let (calls, cost) = document
            .calls
            .between(&document.session.hierarchy, from, to);
        if details::is_history(document) {
            let changes = text::counted(calls, "change", "changes");
            lines.push(format!("in all {changes}"));
        } else if document.counts_calls() && calls > 0 {
            let calls = text::counted(calls, "call", "calls");
            let cost = document.show_cost(cost);
            lines.push(format!("in all {calls}, sum of cost {cost}"));
        }
    }
    // Commits take no time.
    if !details::is_history(document) {
        lines.extend(details::once(document, moments));
    }
    if document.playback.is_some() {
        let what = match details::is_history(document) {
            true => "changes",
            false => "calls",
        };
        lines.push(format!("Click to list the {what}"));
    }
    for line in lines {
        ui.label(style::weak(line).small());
    }
}
