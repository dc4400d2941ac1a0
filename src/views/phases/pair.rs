//! Two phases beside each other, of one run or of two: what differs of their calls and costs, and which functions only
//! one of them has.

use std::cmp::Reverse;

use egui::{Align, Layout, Sense, Ui, vec2};

use super::finding::Found;
use super::two::{Second, Two};
use super::view::{PhasesView, pointed_at};
use crate::Pane;
use crate::parts::text::counted;
use crate::parts::tip::Tip;
use crate::parts::{rows, style};
use callscape_analysis::phases::Phase;
use callscape_analysis::phases::apart::{Apart, apart_in_two_runs};
use callscape_base::escape;
use callscape_base::units::{Cost, FunctionId, grouped};
use callscape_filter::selection::{CallOf, Pointed};
use callscape_state::ask::SelectAsk;
use callscape_state::document::Document;

/// With less room the layers need all of it, in points.
const LEAST: f32 = 420.0;
/// The pop-up names so many functions of each.
const NAMED: usize = 4;
/// So many phases of the other run are offered.
const OFFERED: usize = 100;

/// A phase that is compared, and what it is found in.
#[derive(Clone, Copy)]
struct Side<'a> {
    found: &'a Found,
    index: u32,
    phase: &'a Phase,
}

impl<'a> Side<'a> {
    fn new(found: &'a Found, index: u32) -> Option<Side<'a>> {
        let phase = found.phases.phases.get(index as usize)?;
        Some(Side {
            found,
            index,
            phase,
        })
    }

    fn name(&self) -> &'a str {
        self.found.labels.phase(self.index, self.phase)
    }

    fn functions(&self) -> &'a [u32] {
        self.found.phases.functions(self.phase)
    }

    fn call(&self) -> CallOf {
        CallOf {
            thread: self.phase.thread,
            call: self.phase.call,
        }
    }
}

impl PhasesView {
    /// The phase that is chosen.
    fn chosen(&self, document: &Document) -> Option<u32> {
        self.phase_of(document.selection.chosen.call?)
    }

    /// A phase with the chosen one; the chosen one with that of the other run, where there is one.
    pub(super) fn pair(&self, document: &Document, index: u32) -> Option<Two> {
        let chosen = self.chosen(document);
        let call = |index: u32| {
            let phase = self.phase(index)?;
            Some(CallOf {
                thread: phase.thread,
                call: phase.call,
            })
        };
        let two = match chosen.filter(|&chosen| chosen != index) {
            Some(chosen) => call(chosen).zip(call(index).map(Second::Here)),
            None if document.runs.is_some() => call(index).map(|it| (it, Second::There(None))),
            None => None,
        };
        two.map(|(first, second)| Two { first, second })
    }

    /// Whether a phase is compared with one of the other run.
    pub(super) fn is_of_two_runs(&self) -> bool {
        let second = self.compared.map(|it| it.second);
        matches!(second, Some(Second::There(_)))
    }

    /// What a pop-up of a phase says beside another one that is chosen.
    pub(super) fn add_to_tip(&self, tip: &mut Tip, document: &Document, found: &Found, index: u32) {
        let chosen = self.chosen(document).filter(|&chosen| chosen != index);
        if let Some(chosen) = chosen {
            add_to_tip(tip, document, found, chosen, index);
        } else if document.runs.is_some() {
            let what = "its menu, by a right click, compares it with that of the other run";
            tip.lines.push(what.to_owned());
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
        .push("its menu, by a right click, lists them beside the phases".to_owned());
}

fn name_of(document: &Document, function: FunctionId) -> &str {
    document.function_name(function)
}

/// What the user asks for in the panel.
#[derive(Default)]
struct Act {
    is_closed: bool,
    second: Option<Second>,
}

/// The two phases at the right of the layers, where two are compared.
pub(super) fn show(
    view: &mut PhasesView,
    ui: &mut Ui,
    document: &Document,
    found: &Found,
    pane: &mut Pane<'_>,
) {
    let width = ui.available_width();
    let Some(two) = view.compared.filter(|_| width >= LEAST) else {
        return;
    };
    let Some(first) = view.phase_of(two.first).and_then(|it| Side::new(found, it)) else {
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
    let mut act = Act::default();
    panel.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(style::title("Two phases"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                act.is_closed = ui.button("Close").clicked();
            });
        });
        match two.second {
            Second::Here(call) => {
                let second = view.phase_of(call).and_then(|it| Side::new(found, it));
                if let Some(second) = second
                    && let Some(apart) = found.phases.apart(first.index, second.index)
                {
                    sides(ui, document, [first, second], &apart, false, pane);
                }
            }
            Second::There(call) => of_two_runs(view, ui, document, first, call, &mut act, pane),
        }
    });
    if let Some(second) = act.second {
        view.compared = Some(Two { second, ..two });
    }
    if act.is_closed {
        view.compared = None;
    }
}

/// A phase of the run that is shown beside one of the other.
fn of_two_runs(
    view: &PhasesView,
    ui: &mut Ui,
    document: &Document,
    first: Side<'_>,
    call: Option<CallOf>,
    act: &mut Act,
    pane: &mut Pane<'_>,
) {
    let Some(runs) = &document.runs else { return };
    let Some(other) = view.other.known.clone() else {
        let text = match view.other.is_running() {
            true => "Looking for the phases of the other run …",
            false => "The other run has no phases.",
        };
        ui.label(style::weak(text));
        return;
    };
    let found = &*other.found;
    let wanted = call.and_then(|of| {
        let phases = &found.phases.phases;
        let place = phases.binary_search_by_key(&(of.thread, of.call), |it| (it.thread, it.call));
        place.ok().map(|it| it as u32)
    });
    let second = wanted.or_else(|| other.counterpart(first.index));
    let second = second.and_then(|it| Side::new(found, it));
    choice(ui, document, first, second, found, act);
    let Some(second) = second else {
        let letter = ["B", "A"][runs.side().min(1)];
        let text = format!("Run {letter} has no such phase: choose one of its phases above.");
        ui.label(style::weak(text));
        return;
    };
    let side = runs.side();
    let row = |which: usize, function: FunctionId| {
        let of = if which == 0 { side } else { 1 - side };
        runs.row_of(of, function)
    };
    let apart = apart_in_two_runs([first.functions(), second.functions()], row);
    sides(ui, document, [first, second], &apart, true, pane);
}

/// Which phase of the other run is compared: those of the same function first, then the costliest.
fn choice(
    ui: &mut Ui,
    document: &Document,
    first: Side<'_>,
    second: Option<Side<'_>>,
    found: &Found,
    act: &mut Act,
) {
    let Some(runs) = &document.runs else { return };
    let (side, other) = (runs.side(), 1 - runs.side());
    let letter = ["A", "B"][other.min(1)];
    ui.horizontal(|ui| {
        ui.label(style::weak(format!("with, in run {letter}:")));
        let text = second.map_or("nothing".to_owned(), |it| labelled(&it));
        egui::ComboBox::from_id_salt("phase of the other run")
            .selected_text(text)
            .width(ui.available_width() - 8.0)
            .truncate()
            .show_ui(ui, |ui| {
                if ui.selectable_label(false, "Its counterpart").clicked() {
                    act.second = Some(Second::There(None));
                }
                let row = runs.row_of(side, first.phase.function);
                let mut order: Vec<u32> = (0..found.phases.phases.len() as u32).collect();
                order.sort_by_key(|&index| {
                    let phase = &found.phases.phases[index as usize];
                    let is_same = row.is_some() && runs.row_of(other, phase.function) == row;
                    (!is_same, Reverse(phase.cost), index)
                });
                for index in order.into_iter().take(OFFERED) {
                    let Some(offered) = Side::new(found, index) else {
                        continue;
                    };
                    let is_chosen = second.is_some_and(|it| it.index == index);
                    if ui.selectable_label(is_chosen, labelled(&offered)).clicked() {
                        act.second = Some(Second::There(Some(offered.call())));
                    }
                }
            });
    });
}

fn labelled(side: &Side<'_>) -> String {
    let start = side
        .found
        .of
        .recording
        .trace
        .call(side.phase.thread, side.phase.call);
    format!(
        "{}, {} at {}",
        escape::name(side.name()),
        side.phase.cost,
        start.start
    )
}

/// What differs of two phases, and their functions as two lists.
fn sides(
    ui: &mut Ui,
    document: &Document,
    of: [Side<'_>; 2],
    apart: &Apart,
    is_of_two_runs: bool,
    pane: &mut Pane<'_>,
) {
    let both = counted(apart.both as u64, "function", "functions");
    let second = match &document.runs {
        Some(runs) if is_of_two_runs => ["B", "A"][runs.side().min(1)],
        _ => "the second",
    };
    let differences = differences(of);
    ui.label(style::weak(format!("{both} in both; {second} has {differences}")).small());
    let half = (ui.available_height() - 8.0) * 0.5;
    for side in [0, 1] {
        let size = vec2(ui.available_width(), half);
        ui.allocate_ui(size, |ui| {
            list(
                ui,
                document,
                side,
                of[side],
                is_of_two_runs,
                &apart.only[side],
                pane,
            );
        });
    }
}

/// By how much the second has more calls and costs more than the first.
fn differences([first, second]: [Side<'_>; 2]) -> String {
    let calls = match second.phase.calls.checked_sub(first.phase.calls) {
        Some(0) => "as many calls".to_owned(),
        Some(more) => format!("{} calls more", grouped(more)),
        None => format!(
            "{} calls less",
            grouped(first.phase.calls - second.phase.calls)
        ),
    };
    let [from, to] = [first, second].map(|it| it.phase.cost);
    let more = to.saturating_sub(from);
    let cost = match (more, from.saturating_sub(to)) {
        (Cost::ZERO, Cost::ZERO) => "the same cost".to_owned(),
        (Cost::ZERO, less) => format!("{less} less"),
        (more, _) => format!("{more} more"),
    };
    format!("{calls}, {cost}")
}

/// The functions that only one of the two has; a click chooses one.
fn list(
    ui: &mut Ui,
    document: &Document,
    side: usize,
    of: Side<'_>,
    is_of_two_runs: bool,
    only: &[FunctionId],
    pane: &mut Pane<'_>,
) {
    let is_other = is_of_two_runs && side == 1;
    let label = escape::name(of.name());
    let which = match &document.runs {
        Some(runs) if is_of_two_runs => ["A", "B"][(runs.side() + side) % 2],
        _ => ["the first", "the second"][side],
    };
    let count = grouped(only.len() as u64);
    let title = format!("{count} only in {which}: {label}");
    let heading = egui::Label::new(style::title(title).small()).truncate();
    let heading = ui.add(heading.sense(Sense::click()));
    let facts = format!(
        "{} calls, {}, {} functions",
        grouped(of.phase.calls),
        of.phase.cost,
        grouped(of.functions().len() as u64)
    );
    ui.add(egui::Label::new(style::weak(facts).small()).truncate());
    if heading.hovered() && !is_other {
        pane.pointed = pointed_at(document, of.phase);
    }
    let (session, place) = &of.found.of.named;
    egui::ScrollArea::vertical()
        .id_salt(("only in", side))
        .auto_shrink(false)
        .show_rows(ui, rows::ROW, only.len(), |ui, range| {
            for &function in only.get(range).unwrap_or_default() {
                let size = vec2(ui.available_width(), rows::ROW);
                let layout = Layout::left_to_right(Align::Center);
                let label = egui::Label::new(style::name(session.function_name(*place, function)));
                let label = label.truncate().sense(Sense::click());
                let response = ui.allocate_ui_with_layout(size, layout, |ui| ui.add(label));
                let of = || match is_other {
                    true => of_other_run(document, function),
                    false => Pointed {
                        function: Some(function),
                        module: document.module_of(function),
                        ..Pointed::default()
                    },
                };
                if response.inner.hovered() {
                    pane.pointed = of();
                }
                if response.inner.clicked() {
                    pane.asks.push(SelectAsk::Choose(of()));
                }
            }
        });
}

/// What a function of the run that is not shown means in the one that is.
fn of_other_run(document: &Document, function: FunctionId) -> Pointed {
    let place = document.runs.as_ref().map(|it| it.place_of_other());
    let resolved = place.and_then(|it| document.session.recordings.get(it));
    let module = resolved.and_then(|it| it.resolution.modules.get(function.index()));
    document.complete(Pointed {
        module: module.copied(),
        ..Pointed::default()
    })
}
