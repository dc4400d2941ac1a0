//! The panel at the right: facts of the selected module, who calls it and whom it calls.

use egui::{Role, Sense, Ui};

use super::context::Context;
use super::trend::trend;
use crate::command::RecordAsk;
use crate::recording::chosen;
use callscape_analysis::comparison::amounts::{Change, Measure};
use callscape_base::escape;
use callscape_base::units::{Cost, ModuleId};
use callscape_facts::hierarchy::{Module, ModuleKind};
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::Pointed;
use callscape_model::imports::file_of;
use callscape_model::measure;
use callscape_model::metric::Metric;
use callscape_state::ask::{CallWalk, CameraAsk, CutAsk, EditAsk, FilterAsk, SelectAsk, ShowAsk};
use callscape_state::details::Neighbour;
use callscape_state::document::Document;
use callscape_views::style;
use callscape_views::text;
use callscape_views::widgets::{Icon, fact, icon_button, tell};

/// Longer lists are cut: what follows is called least.
const MAX_NEIGHBOURS: usize = 200;

pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    let Some(module) = document.selection.chosen.module else {
        return;
    };
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::same(12));
    let width = ui.available_width();
    let panel = egui::Panel::right("details")
        .frame(frame)
        .default_size(280.0f32.min(width * 0.45))
        .size_range(200.0f32.min(width * 0.45)..=width * 0.6)
        .resizable(true);
    panel.show(ui, |ui| {
        let hierarchy = &document.session.hierarchy;
        let of = hierarchy.module(module);
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Clear the selection (Escape)").clicked() {
                    context.asks.push(SelectAsk::Select(None));
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let name = style::name(document.module_name(module)).heading();
                    ui.add(egui::Label::new(name).truncate());
                });
            });
        });
        ui.add(egui::Label::new(style::weak(escape::name(&hierarchy.path(module))).small()).wrap());
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| buttons(ui, document, module, context));
        ui.add_space(4.0);
        // In a low window, facts outside the scroll area would overlap the legend.
        egui::ScrollArea::vertical()
            .auto_shrink(false)
            .min_scrolled_height(0.0)
            .show(ui, |ui| {
                egui::Grid::new("facts")
                    .num_columns(2)
                    .spacing([14.0, 4.0])
                    .show(ui, |ui| facts(ui, document, module, &of));
                if document.resolved().is_none() {
                    return imports(ui, document, module, context);
                }
                super::changes::show(ui, document, module, context);
                super::arguments::show(ui, context);
                let neighbours = &document.neighbours;
                list(ui, true, &neighbours.callers, document, context);
                list(ui, false, &neighbours.callees, document, context);
            });
    });
}

/// What can be done with the module.
fn buttons(ui: &mut Ui, document: &Document, module: ModuleId, context: &mut Context<'_>) {
    let hierarchy = &document.session.hierarchy;
    let known = document.city.module_facts(&document.session, module);
    let is_called = known.calls > 0;
    if ui
        .button("Fly there")
        .on_hover_text("F, double-click")
        .clicked()
    {
        context.asks.push(CameraAsk::FlyTo(module));
    }
    if !hierarchy.is_leaf(module) && module != ModuleId::ROOT {
        let label = if document.cut.is_collapsed(module) {
            "Expand"
        } else {
            "Collapse"
        };
        if ui.button(label).on_hover_text("C").clicked() {
            let command = CutAsk::CollapseOrExpand(Some(module));
            context.asks.push(command);
        }
    }
    if context.desk.state.line_of_chosen().is_some() {
        if ui.button("Show code").on_hover_text("Ctrl + L").clicked() {
            context.asks.push(ShowAsk::Code);
        }
        // A browser starts no editors.
        if !cfg!(target_arch = "wasm32")
            && ui
                .button("Open in editor")
                .on_hover_text("Ctrl + Enter")
                .clicked()
        {
            context.asks.push(EditAsk::Chosen);
        }
    }
    if document.playback.is_some()
        && ui
            .add_enabled(is_called, egui::Button::new("Next call"))
            .on_hover_text("Next call (N); previous call (Shift + N)")
            .clicked()
    {
        let command = SelectAsk::GoToCall(CallWalk::NextOfFunction);
        context.asks.push(command);
    }
    if let Some(parent) = hierarchy.parent(module)
        && ui
            .button("Parent")
            .on_hover_text("Select the module around it")
            .clicked()
    {
        context.asks.push(SelectAsk::Select(Some(parent)));
    }
    if document.resolved().is_some() && module != ModuleId::ROOT {
        leave_out(ui, module, context);
    }
    if !cfg!(target_arch = "wasm32")
        && chosen(&document.base.hierarchy, document.without_map(module)).is_some()
    {
        record(ui, module, context);
    }
}

/// Recording the module again, alone or not at all.
fn record(ui: &mut Ui, module: ModuleId, context: &mut Context<'_>) {
    ui.menu_button("Record", |ui| {
        for (label, is_only, tooltip) in [
            ("Only this…", true, "A recording of nothing else"),
            ("Without this…", false, "A recording of everything else"),
        ] {
            let button = egui::Button::new(label).min_size(egui::vec2(190.0, 0.0));
            if ui.add(button).on_hover_text(tooltip).clicked() {
                context.asks.push(RecordAsk::Choose { module, is_only });
            }
        }
    });
}

/// What of the module can be left out of every view.
fn leave_out(ui: &mut Ui, module: ModuleId, context: &mut Context<'_>) {
    ui.menu_button("Exclude", |ui| {
        let steps = [
            (
                "The module",
                "X",
                FilterStep::RemoveModule(module),
                "Its callees are then attributed to its callers",
            ),
            (
                "Its descendant calls",
                "Shift + X",
                FilterStep::RemoveBelow(module),
                "All calls that its calls make, directly or indirectly",
            ),
        ];
        for (label, key, step, tooltip) in steps {
            let button = egui::Button::new(label)
                .shortcut_text(key)
                .min_size(egui::vec2(190.0, 0.0));
            if ui.add(button).on_hover_text(tooltip).clicked() {
                context.asks.push(FilterAsk::Add(step));
            }
        }
    });
}

fn facts(ui: &mut Ui, document: &Document, module: ModuleId, of: &Module<'_>) {
    fact(ui, "Kind", of.kind.name());
    if !of.language.is_empty() {
        fact(ui, "Language", of.language);
    }
    if of.kind != ModuleKind::External {
        let title = match is_history(document) {
            true => "Lines at most",
            false => "Lines of code",
        };
        fact(ui, title, text::count(u64::from(of.loc)));
    }
    if let Some(then) = then(document, module) {
        fact(ui, "At this date", then);
    }
    if of.line > 0 {
        fact(ui, "Lines", format!("{} to {}", of.line, of.end_line));
    }
    if of.bytes > 0 {
        fact(ui, "Size", text::bytes(of.bytes));
    }
    let facts = document.city.module_facts(&document.session, module);
    if facts.modules > 0 {
        fact(ui, "Modules inside", text::count(u64::from(facts.modules)));
    }
    if let Some(covered) = facts.covered {
        fact(ui, "Coverage", measure::covered(covered));
    }
    let metrics = document.city.metrics();
    if let Some(numbers) = metrics.numbers() {
        let measure = metrics.measure();
        for (column, index) in numbers.columns.iter().zip(0..) {
            let value = metrics.number(index, module);
            if let Some(value) = value {
                let show = |value| measure.text(Metric::Own(index), value);
                let name = escape::name(&column.name);
                fact(ui, &name, show(value));
                if let Some(of) = metrics.trend(index, module) {
                    trend(ui, &name, of, show);
                }
            }
        }
    }
    if let Some(imports) = document.city.metrics().imports() {
        let hierarchy = &document.session.hierarchy;
        let file = file_of(hierarchy, module);
        let files = |count: usize| text::counted(count as u64, "file", "files");
        let imported = imports.imported_by(hierarchy, file).len();
        let of_file = if file == module { "" } else { ", its file" };
        fact(ui, &format!("Imports{of_file}"), files(imported));
        let importing = imports.importing(hierarchy, file).len();
        fact(ui, &format!("Imported by{of_file}"), files(importing));
        if let Some(cycle) = imports.cycle_of(file) {
            fact(ui, "Import cycle", format!("of {}", files(cycle.len())));
        }
    }
    let both: Vec<_> = of_both(document, module, facts.total.is_some()).collect();
    if !both.is_empty() {
        for (_, title, both) in both {
            fact(ui, &format!("{title}, A and B"), both);
        }
    } else if document.resolved().is_some() {
        let counts_calls = document.counts_calls();
        let left = document.left_of(module);
        // Of what is limited how much of all is left.
        let of = |all: String, left: Option<String>| match (document.is_limited(), left) {
            (false, _) => all,
            (true, Some(left)) => format!("{left} of {all}"),
            (true, None) => format!("… of {all}"),
        };
        let left = left.flatten();
        if counts_calls {
            let calls = left.map(|left| text::count(left.calls));
            let title = if is_history(document) {
                "Changes"
            } else {
                "Calls"
            };
            fact(ui, title, of(text::count(facts.calls), calls));
        }
        // Commits take no time.
        if (facts.calls > 0 || !counts_calls) && !is_history(document) {
            let show = |cost: Cost| document.show_cost(cost);
            if let Some(total) = facts.total {
                let left = left.map(|left| show(left.total));
                fact(ui, "Total cost", of(show(total), left));
            }
            let left = left.map(|left| show(left.self_cost));
            fact(ui, "Self cost", of(show(facts.self_cost), left));
        }
    }
    shown_by_landscape(ui, document, module);
}

/// Whether what plays is the history of a tree: its calls are changes.
pub(super) fn is_history(document: &Document) -> bool {
    document.city.metrics().played().is_some()
}

/// Lines and changes of a file at the displayed date of a history; none if the module is not one of its files.
pub(super) fn then(document: &Document, module: ModuleId) -> Option<String> {
    let metrics = document.city.metrics();
    let commits = metrics
        .played()?
        .commits_at(document.playback.as_ref()?.time());
    let state = metrics.file_after(module, commits)?;
    Some(match state.lines {
        None => "not there".to_owned(),
        Some(lines) => {
            let lines = text::counted(lines.into(), "line", "lines");
            let changes = text::counted(state.changes.into(), "change", "changes");
            format!("{lines}, {changes}")
        }
    })
}

/// The values that its height and its colour show.
fn shown_by_landscape(ui: &mut Ui, document: &Document, module: ModuleId) {
    let settings = document.city.settings();
    let metrics = document.city.metrics();
    let measure = metrics.measure();
    for (what, metric) in [
        ("Height", settings.height),
        ("Colour", settings.surface.metric()),
    ] {
        let metric = match metric {
            // A map of a history has files as large as they ever were.
            Some(Metric::LinesOfCode) if is_history(document) => Metric::LastLines,
            Some(metric) => metric,
            None => continue,
        };
        let value = metrics.value(&document.session.hierarchy, metric, module);
        let mut text = match metric.is_known(value) {
            true => measure.text(metric, value),
            false => "none".to_owned(),
        };
        if is_history(document) && metric.is_of_history() {
            text.push_str(" at the last commit");
        }
        fact(ui, what, format!("{}: {text}", measure.title(metric)));
    }
}

/// What two runs have of a module; nothing of one run. Of several functions the sum of totals would count moments more
/// than once.
pub(super) fn of_both(
    document: &Document,
    module: ModuleId,
    has_total: bool,
) -> impl Iterator<Item = (Measure, &'static str, String)> {
    let measures = [
        ("Calls", Measure::Calls, document.counts_calls()),
        ("Total", Measure::Total, has_total),
        ("Self", Measure::SelfCost, true),
    ];
    let known = measures.into_iter().filter(|(.., is_known)| *is_known);
    known.filter_map(move |(title, measure, _)| {
        let difference = document.city.metrics().difference()?;
        Some((measure, title, difference.both(module, measure)?))
    })
}

/// What two runs have of a relation, as lines; nothing of one run.
pub(super) fn of_both_relations(document: &Document, change: &Change) -> Vec<String> {
    let Some(runs) = &document.runs else {
        return Vec::new();
    };
    let measures = [
        ("calls", Measure::Calls, document.counts_calls()),
        ("sum of cost", Measure::Total, true),
    ];
    let known = measures.into_iter().filter(|(.., is_known)| *is_known);
    let line = |(title, measure, _): (&str, Measure, bool)| {
        let both = runs.difference.both_of(change, measure)?;
        Some(format!("{title}: {both}"))
    };
    known.filter_map(line).collect()
}

/// Which files import what is chosen, which it imports, and with which it forms a cycle.
fn imports(ui: &mut Ui, document: &Document, module: ModuleId, context: &mut Context<'_>) {
    let Some(imports) = document.city.metrics().imports() else {
        return;
    };
    let hierarchy = &document.session.hierarchy;
    let file = file_of(hierarchy, module);
    let cycle = imports.cycle_of(file).unwrap_or_default().iter();
    let cycle: Vec<ModuleId> = cycle.copied().filter(|&it| it != file).collect();
    let of_file = if file == module { "It" } else { "Its file" };
    for (of, title, files) in [
        ("It", "inherits from", imports.bases_of(hierarchy, module)),
        (
            "It",
            "is inherited by",
            imports.derived_from(hierarchy, module),
        ),
        (of_file, "imported by", imports.importing(hierarchy, file)),
        (of_file, "imports", imports.imported_by(hierarchy, file)),
        (of_file, "is in a cycle with", cycle),
    ] {
        if files.is_empty() {
            continue;
        }
        ui.add_space(8.0);
        ui.label(style::title(format!("{of} {title}")));
        for &file in files.iter().take(MAX_NEIGHBOURS) {
            let name = &*escape::name(hierarchy.name(file));
            let folder = hierarchy.parent(file).map(|it| hierarchy.name(it));
            let response = row(ui, name, &escape::name(folder.unwrap_or_default()));
            if response.hovered() {
                context.pointed = Pointed::at_module(Some(file));
            }
            if response.clicked() {
                context.asks.push(SelectAsk::Select(Some(file)));
            }
            if response.double_clicked() {
                context.asks.push(CameraAsk::FlyTo(file));
            }
            response.on_hover_text(style::name(&hierarchy.path(file)));
        }
        more(ui, files.len());
    }
}

/// How many of a list are not shown.
fn more(ui: &mut Ui, all: usize) {
    let more = all.saturating_sub(MAX_NEIGHBOURS);
    if more > 0 {
        let more = text::count(more as u64);
        ui.label(style::weak(format!("and {more} more")));
    }
}

/// How often, or where calls are not counted how much: of two runs in both.
fn amount(document: &Document, neighbour: &Neighbour) -> String {
    let counts_calls = document.counts_calls();
    let measure = match counts_calls {
        true => Measure::Calls,
        false => Measure::Total,
    };
    let both = neighbour.both.zip(document.runs.as_ref());
    let both = both.and_then(|(change, runs)| runs.difference.both_of(&change, measure));
    both.unwrap_or_else(|| match counts_calls {
        true => text::count(neighbour.calls),
        false => document.show_cost(neighbour.cost),
    })
}

/// What its calls add up to, and the moments that they go on.
pub(super) fn about(document: &Document, neighbour: &Neighbour, moments: &[Cost]) -> Vec<String> {
    if let Some(change) = &neighbour.both {
        let mut lines = of_both_relations(document, change);
        lines.extend(once(document, moments));
        return lines;
    }
    let calls = match document.counts_calls() {
        true => format!("{}, ", text::counted(neighbour.calls, "call", "calls")),
        false => String::new(),
    };
    if is_history(document) {
        return vec![text::counted(neighbour.calls, "change", "changes")];
    }
    let cost = document.show_cost(neighbour.cost);
    let sum = format!("{calls}sum of cost {cost}");
    std::iter::once(sum)
        .chain(once(document, moments))
        .collect()
}

/// The moments of a relation, of two runs in A and B; nothing where they are not known.
pub(super) fn once(document: &Document, moments: &[Cost]) -> Option<String> {
    let moments = document.show_costs(moments)?;
    Some(format!("each moment once: {moments}"))
}

fn list(
    ui: &mut Ui,
    is_callers: bool,
    neighbours: &[Neighbour],
    document: &Document,
    context: &mut Context<'_>,
) {
    let state = &context.desk.state;
    ui.add_space(8.0);
    let counts_calls = document.counts_calls();
    let title = match (is_callers, counts_calls) {
        (true, _) if is_history(document) => "Changed by",
        (false, _) if is_history(document) => "Changes",
        (true, true) => "Called by",
        (false, true) => "Calls",
        (true, false) => "Called by, sum of cost",
        (false, false) => "Calls, sum of cost",
    };
    ui.label(style::title(title));
    if neighbours.is_empty() {
        ui.label(style::weak("nobody outside"));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    for neighbour in neighbours.iter().take(MAX_NEIGHBOURS) {
        let name = &*escape::name(document.module_name(neighbour.module));
        let response = row(ui, name, &amount(document, neighbour));
        let response = response.on_hover_ui(|ui| {
            ui.label(style::name(
                &document.session.hierarchy.path(neighbour.module),
            ));
            let pair = document
                .selection
                .chosen
                .module
                .map(|chosen| match is_callers {
                    true => (neighbour.module, chosen),
                    false => (chosen, neighbour.module),
                });
            let moments = pair.map(|(from, to)| state.work.moments.between(from, to));
            for line in about(document, neighbour, moments.unwrap_or_default()) {
                ui.label(style::weak(line));
            }
        });
        if response.hovered() {
            let shown = |module: Option<ModuleId>| document.city.displayed(module?);
            let chosen = shown(document.selection.chosen.module);
            let ends = chosen.zip(shown(Some(neighbour.module)));
            let relation = ends.map(|(own, other)| match is_callers {
                true => (other, own),
                false => (own, other),
            });
            context.pointed = Pointed {
                relation: relation.filter(|(from, to)| from != to),
                ..Pointed::at_module(Some(neighbour.module))
            };
        }
        if response.clicked() {
            context.asks.push(SelectAsk::Select(Some(neighbour.module)));
        }
        if response.double_clicked() {
            context.asks.push(CameraAsk::FlyTo(neighbour.module));
        }
    }
    more(ui, neighbours.len());
}

fn row(ui: &mut Ui, name: &str, calls: &str) -> egui::Response {
    let size = egui::vec2(ui.available_width(), 24.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    tell(
        &response,
        Role::ListBoxOption,
        format_args!("{name}, {calls}"),
    );
    if !ui.is_rect_visible(rect) {
        return response;
    }
    if response.hovered() {
        let fill = ui.visuals().widgets.hovered.weak_bg_fill;
        ui.painter()
            .rect_filled(rect.expand2(egui::vec2(4.0, 0.0)), 5, fill);
    }
    let mut row = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    row.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.label(style::weak(calls));
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.add(egui::Label::new(name).truncate());
        });
    });
    response
}
