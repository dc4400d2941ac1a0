//! What speaks for the chosen function, who touched it, and its changes.

use std::collections::BTreeMap;

use egui::{Sense, Ui, vec2};

use super::hunks;
use super::listing::{day, short};
use super::view::FaultsView;
use crate::Pane;
use crate::parts::{rows, style, text};
use callscape_analysis::faults::Fault;
use callscape_base::escape;
use callscape_state::State;
use callscape_state::findings::Changed;

/// What adds less to a score is not shown.
const LEAST: f64 = 0.005;

/// The fault of the chosen row.
fn chosen<'a>(view: &FaultsView, state: &'a State) -> Option<(&'a Changed, &'a Fault)> {
    let (changed, fault) = view.chosen_fault(state)?;
    Some((changed, changed.faults.faults.get(fault)?))
}

/// Whether there is something to show below the list.
pub(super) fn has_any(view: &FaultsView, state: &State) -> bool {
    chosen(view, state).is_some()
}

pub(super) fn show(view: &FaultsView, ui: &mut Ui, pane: &mut Pane<'_>) {
    let state = pane.state;
    let Some((changed, fault)) = chosen(view, state) else {
        return;
    };
    egui::ScrollArea::vertical()
        .id_salt("what speaks for it")
        .auto_shrink(false)
        .show(ui, |ui| {
            let name = rows::fitting(ui, changed.name(fault)).into_owned();
            ui.label(style::title(name));
            why(fault, ui, pane);
            commits(changed, fault, ui);
            match view.hunks.lines() {
                Some(lines) if lines.lines.is_empty() => {
                    ui.label(style::weak("Its changes have no lines of their own.").small());
                }
                Some(lines) => hunks::show(lines, ui, state),
                None => {
                    ui.label(style::weak("reading its changes …").small());
                }
            }
            uses(fault, ui);
            if !fault.phases.is_empty() {
                let phases = format!("in the phases {}", fault.phases.join(", "));
                ui.add(egui::Label::new(style::weak(phases).small()).wrap());
            }
            ui.add_space(6.0);
        });
}

/// Each part of the score, as a bar of what it adds.
fn why(fault: &Fault, ui: &mut Ui, pane: &Pane<'_>) {
    let colors = style::colors(pane.state.settings.theme);
    let most = fault.why.iter().map(|it| it.score).fold(0.0, f64::max);
    egui::Grid::new("parts of the score")
        .num_columns(3)
        .spacing([10.0, 2.0])
        .min_row_height(18.0)
        .show(ui, |ui| {
            for part in fault.why.iter().filter(|it| it.score >= LEAST) {
                ui.label(style::weak(part.of.name()).small());
                let (place, _) = ui.allocate_exact_size(vec2(64.0, 12.0), Sense::hover());
                let share = (part.score / most.max(f64::MIN_POSITIVE)) as f32;
                let bar = place.shrink2(vec2(0.0, 3.0));
                ui.painter().rect_filled(bar, 2, colors.inset);
                let full = bar.with_max_x(bar.min.x + bar.width() * share);
                ui.painter().rect_filled(full, 2, colors.accent);
                let told = format!("{:.2}  {}", part.score, escape::name(&part.text));
                ui.add(egui::Label::new(egui::RichText::new(told).small()).truncate())
                    .on_hover_text(escape::name(&part.text).into_owned());
                ui.end_row();
            }
        });
}

/// The changed declarations that it uses, by file.
fn uses(fault: &Fault, ui: &mut Ui) {
    let mut by_file: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for used in &fault.uses {
        let gone = if used.is_gone { " (gone)" } else { "" };
        let named = format!("{}{gone}", used.name);
        by_file.entry(&used.file).or_default().push(named);
    }
    for (file, names) in by_file {
        let line = format!("uses, by name, {} of {file}", names.join(", "));
        ui.add(egui::Label::new(style::weak(line.as_str()).small()).truncate())
            .on_hover_text(escape::name(&line).into_owned());
    }
}

/// Who touched it, the newest first.
fn commits(changed: &Changed, fault: &Fault, ui: &mut Ui) {
    if fault.is_uncommitted {
        ui.label(egui::RichText::new("not committed yet").small());
    }
    for &commit in fault.commits.iter().take(12) {
        let Some(commit) = changed.faults.commits.get(commit as usize) else {
            continue;
        };
        ui.horizontal(|ui| {
            let id = egui::Label::new(style::weak(short(commit)).small().monospace());
            let copied = ui
                .add(id.sense(Sense::click()))
                .on_hover_text("click to copy the id");
            if copied.clicked() {
                ui.ctx().copy_text(commit.id.clone());
            }
            let told = format!("{}  {}  {}", day(commit), commit.author, commit.summary);
            let told = escape::name(&told).into_owned();
            ui.add(egui::Label::new(egui::RichText::new(told).small()).truncate())
                .on_hover_text(escape::name(&commit.email).into_owned());
        });
    }
    if fault.commits.len() > 12 {
        let more = format!(
            "and {} older commits",
            text::count(fault.commits.len() as u64 - 12)
        );
        ui.label(style::weak(more).small());
    }
}
