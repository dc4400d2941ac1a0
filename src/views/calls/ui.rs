//! The view of the calls of the selected item.

use egui::{Align, Color32, Layout, Ui};

use super::list::{CallList, CallRow, MOST};
use super::view::{Calls, pointed_at};
use crate::parts::list::{self, Rows};
use crate::parts::{rows, style, text};
use crate::{Pane, View};
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::escape;
use callscape_base::units::{Cost, Time};
use callscape_facts::trace::Trace;
use callscape_filter::selection::{Meant, Pointed};
use callscape_model::arguments::shortened;
use callscape_model::calls::{CallColumn, CallsOf};
use callscape_state::ask::{Ask, PlayAsk, SelectAsk, TableKey, ViewAsk};
use callscape_state::document::Document;

/// Characters of the arguments of a call.
const MOST_OF_ARGUMENTS: usize = 200;

pub(super) fn show(view: &mut Calls, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if document.playback.is_none() {
        let hint = match document.profile() {
            Some(_) => "A profile has no single calls: it weighs functions and their relations.",
            None => "Open a recording to see its calls.",
        };
        rows::hint(ui, hint);
        return;
    }
    rows::frame().show(ui, |ui| {
        if let Some(job) = &view.listing
            && rows::progress(ui, &job.progress)
        {
            view.listing = None;
        }
        match view.list.clone() {
            Some(list) => {
                if head(ui, document, &list) {
                    view.export(state, document);
                }
                if list.is_empty() {
                    let left =
                        match document.selection.range.is_some() || !document.filters.is_empty() {
                            true => "It is not called in what range and filters leave.",
                            false => "It is not called.",
                        };
                    return rows::hint(ui, left);
                }
                self::list(view, ui, document, &list, pane);
            }
            None if view.listing.is_some() => {}
            None => rows::hint(
                ui,
                "Select a module, a function or an arc to see its calls.",
            ),
        }
    });
}

/// What the calls are behind, in words.
fn of_text(document: &Document, of: CallsOf) -> String {
    let name = |module| escape::name(document.module_name(module));
    match of {
        CallsOf::Function(function) => {
            format!("of {}", escape::name(document.function_name(function)))
        }
        CallsOf::Module(module) => format!("of {}", name(module)),
        CallsOf::Relation(from, to) => format!("from {} to {}", name(from), name(to)),
        CallsOf::Hop(from, to, _, time) => {
            format!("from {} to {} at {time}", name(from), name(to))
        }
    }
}

/// What is listed; whether it is to be written to a file.
fn head(ui: &mut Ui, document: &Document, list: &CallList) -> bool {
    let mut is_wanted = false;
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            is_wanted = ui
                .add_enabled(!list.is_empty(), egui::Button::new("Export"))
                .on_hover_text("Write the list as comma-separated values")
                .clicked();
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let calls = text::counted(list.counted(), "call", "calls");
                let title = format!("{calls} {}", of_text(document, list.of));
                ui.add(egui::Label::new(style::title(title)).truncate());
            });
        });
    });
    if let Some(both) = of_both(document, list.of) {
        ui.label(style::weak(both).small());
    }
    let recording = document.resolved().map(|it| &it.recording);
    if let Some(interval) = recording.and_then(|it| it.known_to()) {
        let line = format!("Sampled: starts and durations are known to {interval}.");
        ui.label(style::weak(line).small());
    }
    if list.left_out() > 0 {
        let left_out = text::count(list.left_out());
        let most = text::count(MOST as u64);
        let line = format!("The first {most} are listed, {left_out} later ones are left out.");
        ui.label(style::weak(line).small());
    }
    is_wanted
}

/// How many calls both of two runs have, and whose are listed.
fn of_both(document: &Document, of: CallsOf) -> Option<String> {
    let runs = document.runs.as_ref()?;
    let change = match of {
        CallsOf::Function(function) => *runs.functions.get(runs.row(function)? as usize)?,
        CallsOf::Module(module) => runs.difference.change(module),
        CallsOf::Relation(from, to) => runs.between(&document.session, from, to),
        CallsOf::Hop(..) => return None,
    };
    let both = runs.difference.both_of(&change, Measure::Calls)?;
    let shown = runs.letter();
    Some(format!("Calls: {both}; those of {shown} are listed."))
}

/// The columns for which there is room.
fn columns(width: f32, has_threads: bool) -> Vec<CallColumn> {
    match (width, has_threads) {
        (..360.0, _) => vec![
            CallColumn::Start,
            CallColumn::Duration,
            CallColumn::Function,
        ],
        (..500.0, _) | (_, false) => CallColumn::ALL[..4].to_vec(),
        _ => CallColumn::ALL.to_vec(),
    }
}

/// Of a list people want to see which calls of it are open now, and at the time pointed at: how strongly a row is marked.
fn openness(document: &Document, row: &CallRow) -> Option<f32> {
    let selection = &document.selection;
    // Who points at a call means that one, not its time.
    let by_time = selection.pointed.call.is_none();
    let ended = row.start + row.cost;
    let is_open = |time: Time| row.start <= time && time < ended;
    if is_open(selection.time) {
        return Some(1.0);
    }
    let pointed = selection.pointed.time.filter(|_| by_time);
    pointed.filter(|&time| is_open(time)).map(|_| 0.5)
}

/// The calls, and what they are shown by.
struct Listed<'a> {
    list: &'a CallList,
    trace: &'a Trace,
    document: &'a Document,
    /// Of the whole recording: times are written as exactly as it is long.
    duration: Cost,
    has_threads: bool,
    pointed: Meant<'a>,
    accent: Color32,
}

impl<'a> Rows for Listed<'a> {
    type Row = &'a CallRow;
    type By = CallColumn;
    const NAME: &'static str = "calls";
    const HAS_TIP: bool = false;

    fn len(&self) -> usize {
        self.list.len()
    }

    fn row(&self, at: usize) -> Option<&'a CallRow> {
        self.list.row(at)
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<CallColumn>> {
        let columns = columns(width, self.has_threads).into_iter();
        let columns = columns.map(|it| match it {
            CallColumn::Start => list::Column::number(it, it.title(), "", 112.0),
            CallColumn::Duration => list::Column::number(it, it.title(), "", 76.0),
            CallColumn::Thread => list::Column::text(it, it.title(), "", 90.0),
            CallColumn::Function | CallColumn::Caller => {
                list::Column::rest(it, it.title(), "", 60.0)
            }
        });
        columns.collect()
    }

    fn sort(&self) -> Option<(CallColumn, bool)> {
        Some(self.list.sort())
    }

    fn marks(&self, row: &'a CallRow) -> [bool; 2] {
        let is_pointed = self
            .pointed
            .holds_call(row.of(), row.function, || row.caller);
        // All of them are behind what is chosen: only one call stands out.
        let chosen = self.document.selection.chosen.call;
        [is_pointed, chosen == Some(row.of())]
    }

    fn ruled(&self, row: &'a CallRow) -> [bool; 2] {
        let [is_pointed, is_chosen] = self.marks(row);
        [is_pointed && !self.pointed.is_nothing(), is_chosen]
    }

    fn cell(&mut self, ui: &mut Ui, row: &'a CallRow, column: CallColumn) {
        match column {
            CallColumn::Start => {
                if let Some(strength) = openness(self.document, row) {
                    rows::mark(ui, self.accent.gamma_multiply(strength));
                }
                rows::number(ui, text::exact(row.start, self.duration));
            }
            CallColumn::Duration => rows::number(ui, row.cost.to_string()),
            CallColumn::Function => {
                let marked = self.document.selection.marked.as_deref();
                rows::badge(ui, marked, self.document.module_of(row.function));
                let name = self.document.function_name(row.function);
                let arguments = self.trace.arguments(row.thread, row.call);
                match arguments.is_empty() {
                    true => rows::name(ui, name),
                    false => {
                        let arguments = shortened(&arguments, MOST_OF_ARGUMENTS);
                        rows::name(ui, &format!("{name}{arguments}"));
                    }
                }
            }
            CallColumn::Caller => {
                let caller = row.caller.map(|caller| self.document.function_name(caller));
                rows::name(ui, caller.unwrap_or("–"));
            }
            CallColumn::Thread => rows::name(ui, self.document.thread_name(row.thread)),
        }
    }

    fn pointed(&self, row: &'a CallRow) -> Option<Pointed> {
        Some(pointed_at(self.document, row))
    }
}

fn list(view: &mut Calls, ui: &mut Ui, document: &Document, list: &CallList, pane: &mut Pane<'_>) {
    let Some(resolved) = document.resolved() else {
        return;
    };
    let mut rows = Listed {
        list,
        trace: &resolved.recording.trace,
        document,
        duration: resolved.recording.trace.duration(),
        has_threads: resolved.recording.trace.threads().len() > 1,
        pointed: document.meant(&document.selection.pointed),
        accent: style::colors(pane.state.settings.theme).accent,
    };
    let done = list::show(&mut rows, ui, &mut view.at, pane);
    if let Some(row) = done.clicked {
        view.choose(pointed_at(document, row), SelectAsk::Choose, pane.asks);
        pane.asks.push(PlayAsk::Seek(row.start));
        let reveal = ViewAsk::Reveal(row.of());
        pane.asks.push(Ask::View(None, reveal));
    }
    if done.entered.is_some() {
        view.press(TableKey::Enter, document, pane.asks);
    }
    if let Some(column) = done.sorted {
        view.sort_by(pane.state, document, column);
    }
}
