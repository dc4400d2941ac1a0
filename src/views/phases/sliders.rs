//! The line above the phases: thresholds, and what they leave.

use egui::{Slider, Ui};

use super::finding::{Found, Settings};
use super::view::PhasesView;
use crate::parts::style;
use crate::parts::text::counted;
use callscape_analysis::phases::{Alike, Phases};
use callscape_base::units::{Cost, TimeSpec, grouped};
use callscape_facts::trace::CostOf;
use callscape_model::threads::thread_names;
use callscape_state::ask::{Ask, Asks};
use callscape_state::document::Document;

/// The summary has room on one line of so many points, and a slider with its label and its value.
const SUMMARY: f32 = 420.0;
const SLIDER: f32 = 235.0;

/// Shows it; what was chosen instead.
pub(super) fn show(
    view: &mut PhasesView,
    ui: &mut Ui,
    document: &Document,
    found: &Found,
    asks: &mut Asks,
) {
    let mut settings = view.finding.settings;
    let phases = &found.phases;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().slider_width = 110.0;
        if phases.roots.len() > 1 {
            threads(view, ui, document, phases);
        }
        thresholds(ui, phases, &mut settings);
        let knows_waiting = document
            .resolved()
            .is_some_and(|it| it.recording.trace.knows_waiting());
        if knows_waiting {
            let about = "Calls cost all their time from start to end, also that in which other programs had the \
                         processor";
            let mut is_elapsed = settings.costs == CostOf::Elapsed;
            let shown = ui.checkbox(&mut is_elapsed, "Elapsed");
            if shown.on_hover_text(about).changed() {
                settings.costs = match is_elapsed {
                    true => CostOf::Elapsed,
                    false => CostOf::Running,
                };
            }
        }
        let is_chosen = settings.calls.is_none() && settings.cost.is_none();
        let button = egui::Button::new("Automatic").selected(is_chosen);
        let about = "Thresholds that leave about 20 rows or more";
        if ui.add(button).on_hover_text(about).clicked() {
            settings = Settings {
                calls: None,
                cost: None,
                ..settings
            };
        }
        let about = "A bookmark for each phase of the first layer with several, and a scene that goes from one to the \
                     next with their names as captions";
        if ui.button("Bookmarks").on_hover_text(about).clicked() {
            asks.push(Ask::Bookmark(view.chapters(document)));
        }
        // On a line of its own rather than on two, where it has room on one.
        let label = egui::Label::new(style::weak(summary(phases)));
        let is_narrow = ui.max_rect().width() < SUMMARY;
        let label = if is_narrow { label.wrap() } else { label.extend() };
        ui.add(label).on_hover_text(
            "Share of the time in phases without inner phases, and in gathered calls",
        );
        if view.finding.is_running() {
            ui.label(style::weak("looking …"));
        }
    });
    if settings != view.finding.settings {
        view.finding.change(settings);
    }
}

fn summary(phases: &Phases) -> String {
    format!(
        "{}, {} of gathered calls, {:.0} % explained",
        counted(phases.phases.len() as u64, "phase", "phases"),
        counted(phases.gathered.len() as u64, "row", "rows"),
        phases.explained() * 100.0
    )
}

fn threads(view: &mut PhasesView, ui: &mut Ui, document: &Document, phases: &Phases) {
    let Some(resolved) = document.resolved() else {
        return;
    };
    let names = thread_names(&resolved.recording.trace);
    let name = |root: usize| {
        let thread = phases.roots.get(root).map_or(0, |it| it.thread.index());
        names
            .get(thread)
            .map_or("", |name| name.as_str())
            .to_owned()
    };
    let mut chosen = view.root;
    egui::ComboBox::from_id_salt("phases of thread")
        .selected_text(style::name(&name(chosen)))
        .width(120.0)
        .show_ui(ui, |ui| {
            for root in 0..phases.roots.len() {
                ui.selectable_value(&mut chosen, root, style::name(&name(root)));
            }
        })
        .response
        .on_hover_text("The thread whose phases are shown");
    if chosen != view.root {
        view.root = chosen;
        view.path.clear();
        view.revision += 1;
    }
}

/// The label of a slider, on the next line where both have no room on this one: sliders do not wrap by themselves.
fn label(ui: &mut Ui, title: &str, about: &str) {
    if ui.available_size_before_wrap().x < SLIDER {
        ui.end_row();
    }
    ui.label(title).on_hover_text(about);
}

fn thresholds(ui: &mut Ui, phases: &Phases, settings: &mut Settings) {
    let parameters = &phases.parameters;
    let most = phases.calls().max(10);
    let mut calls = settings.calls.unwrap_or(parameters.heavy.triggered);
    let about = "Minimum calls that a heavy call triggers";
    let most = most.max(calls);
    let slider = Slider::new(&mut calls, 1..=most)
        .logarithmic(true)
        .custom_formatter(|calls, _| grouped(calls as u64));
    label(ui, "Calls", about);
    if ui.add(slider).on_hover_text(about).changed() {
        settings.calls = Some(calls);
    }
    let shown = settings.cost.unwrap_or(parameters.heavy.cost).ns() as f64;
    let mut cost = shown;
    let whole = (phases.cost().ns() as f64).max(10.0).max(cost);
    let about = match parameters.short {
        Some(short) => format!(
            "Or its minimum cost: by default that of N calls of {short}, a typical short call"
        ),
        None => "Or its minimum cost".to_owned(),
    };
    let slider = Slider::new(&mut cost, 1.0..=whole)
        .logarithmic(true)
        .custom_formatter(|ns, _| Cost::from_ns(ns as u64).to_string())
        .custom_parser(|text| match text.replace(' ', "").parse() {
            Ok(TimeSpec::At(time)) => Some(time.ns() as f64),
            _ => None,
        });
    label(ui, "Cost", &about);
    if ui.add(slider).on_hover_text(about).changed() {
        settings.cost = Some(Cost::from_ns(cost.round() as u64));
    }
    let about = "Up to which share of their functions phases of one callee may differ to be alike: \
                 0 tells all apart, 1 none";
    label(ui, "Alike", about);
    let slider = Slider::new(&mut settings.similarity, 0.0..=1.0).fixed_decimals(2);
    ui.add_enabled(settings.alike == Alike::Functions, slider)
        .on_hover_text(about);
    let about = "Only phases with the same sequence of calls are alike, whatever times they take";
    let mut is_by_calls = settings.alike == Alike::Calls;
    let shown = ui.checkbox(&mut is_by_calls, "Same calls");
    if shown.on_hover_text(about).changed() {
        settings.alike = match is_by_calls {
            true => Alike::Calls,
            false => Alike::Functions,
        };
    }
}
