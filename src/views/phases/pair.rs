//! Two phases beside each other: which functions only one of them has.

use egui::{Align, Layout, Sense, Ui, vec2};

use super::finding::Found;
use super::{PhasesView, pointed_at};
use crate::escape;
use crate::filter::selection::{CallOf, Pointed};
use crate::state::ask::SelectAsk;
use crate::state::document::Document;
use crate::units::{FunctionId, grouped};
use crate::views::text::counted;
use crate::views::tip::Tip;
use crate::views::{Pane, rows, style};

/// With less room the layers need all of it, in points.
const LEAST: f32 = 420.0;
/// The pop-up names so many functions of each.
const NAMED: usize = 4;

impl PhasesView {
    /// The phase that is chosen.
    fn chosen(&self, document: &Document) -> Option<u32> {
        self.phase_of(document.selection.chosen.call?)
    }

    /// Compares a phase with the chosen one from now on.
    pub(super) fn compare(&mut self, document: &Document, index: u32) {
        let calls = self.chosen(document).map(|chosen| [chosen, index]);
        let calls = calls.filter(|[chosen, other]| chosen != other);
        self.compared = calls.and_then(|of| {
            let [a, b] = of.map(|index| self.phase(index).map(|it| (it.thread, it.call)));
            let call = |(thread, call)| CallOf { thread, call };
            Some([call(a?), call(b?)])
        });
    }

    /// The two phases that are compared, while both are still phases.
    fn compared(&self) -> Option<[u32; 2]> {
        let [a, b] = self.compared?.map(|of| self.phase_of(of));
        Some([a?, b?])
    }

    /// What a pop-up of a phase says beside another one that is chosen.
    pub(super) fn add_to_tip(&self, tip: &mut Tip, document: &Document, found: &Found, index: u32) {
        let chosen = self.chosen(document).filter(|&chosen| chosen != index);
        if let Some(chosen) = chosen {
            add_to_tip(tip, document, found, chosen, index);
        }
    }
}

/// Says in a pop-up of a phase what tells it from the chosen one.
fn add_to_tip(tip: &mut Tip, document: &Document, found: &Found, chosen: u32, index: u32) {
    let phase = found.phases.phases.get(chosen as usize);
    let (Some(phase), Some(apart)) = (phase, found.phases.apart(chosen, index)) else {
        return;
    };
    let name = found.labels.phase(chosen, phase);
    tip.lines.push(format!(
        "beside the chosen {name}: {} in both",
        counted(apart.both as u64, "function", "functions")
    ));
    let [there, here] = &apart.only;
    for (of, place) in [(here, "only here"), (there, "only in the chosen one")] {
        if of.is_empty() {
            continue;
        }
        let named = of.iter().take(NAMED).map(|&it| name_of(document, it));
        let mut names: Vec<&str> = named.collect();
        if of.len() > NAMED {
            names.push("…");
        }
        let count = grouped(of.len() as u64);
        tip.lines
            .push(format!("{count} {place}: {}", names.join(", ")));
    }
    tip.lines
        .push("a right click lists them beside the phases".to_owned());
}

fn name_of(document: &Document, function: FunctionId) -> &str {
    let resolved = document.resolved();
    resolved.map_or("", |it| it.recording.functions.get(function).name)
}

/// The two phases at the right of the layers, where two are compared.
pub fn show(
    view: &mut PhasesView,
    ui: &mut Ui,
    document: &Document,
    found: &Found,
    pane: &mut Pane<'_>,
) {
    let width = ui.available_width();
    let Some(of) = view.compared().filter(|_| width >= LEAST) else {
        return;
    };
    let Some(apart) = found.phases.apart(of[0], of[1]) else {
        return;
    };
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 8,
        ..egui::Margin::ZERO
    });
    let panel = egui::Panel::right("two phases")
        .frame(frame)
        .resizable(true)
        .default_size(width * 0.34)
        .size_range(150.0..=width * 0.6);
    let mut is_closed = false;
    panel.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(style::title("Two phases"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                is_closed = ui.button("Close").clicked();
            });
        });
        let both = counted(apart.both as u64, "function", "functions");
        ui.label(style::weak(format!("{both} in both")).small());
        let half = (ui.available_height() - 8.0) * 0.5;
        for (side, only) in apart.only.iter().enumerate() {
            let size = vec2(ui.available_width(), half);
            ui.allocate_ui(size, |ui| {
                list(ui, (document, found), (side, of[side]), only, pane);
            });
        }
    });
    if is_closed {
        view.compared = None;
    }
}

/// The functions that only one of the two has; a click chooses one.
fn list(
    ui: &mut Ui,
    (document, found): (&Document, &Found),
    (side, index): (usize, u32),
    only: &[FunctionId],
    pane: &mut Pane<'_>,
) {
    let Some(phase) = found.phases.phases.get(index as usize) else {
        return;
    };
    let label = escape::name(found.labels.phase(index, phase)).into_owned();
    let which = ["the first", "the second"][side];
    let count = grouped(only.len() as u64);
    let title = format!("{count} only in {which}: {label}");
    let heading = egui::Label::new(style::title(title).small()).truncate();
    let heading = ui.add(heading.sense(Sense::click()));
    let facts = format!("{} calls, {}", grouped(phase.calls), phase.cost);
    ui.label(style::weak(facts).small());
    if heading.hovered() {
        pane.pointed = pointed_at(document, phase);
    }
    egui::ScrollArea::vertical()
        .id_salt(("only in", side))
        .auto_shrink(false)
        .show_rows(ui, rows::ROW, only.len(), |ui, range| {
            for &function in only.get(range).unwrap_or_default() {
                let of = Pointed {
                    function: Some(function),
                    module: document.module_of(function),
                    ..Pointed::default()
                };
                let size = vec2(ui.available_width(), rows::ROW);
                let layout = Layout::left_to_right(Align::Center);
                let label = egui::Label::new(style::name(name_of(document, function)));
                let label = label.truncate().sense(Sense::click());
                let response = ui.allocate_ui_with_layout(size, layout, |ui| ui.add(label));
                if response.inner.hovered() {
                    pane.pointed = of;
                }
                if response.inner.clicked() {
                    pane.asks.push(SelectAsk::Choose(of));
                }
            }
        });
}
