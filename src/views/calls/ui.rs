//! The view of the calls behind what is chosen.

use egui::{Align, Color32, Layout, Ui};
use egui_extras::Column as Width;

use super::super::Pane;
use super::{CallList, CallRow, Calls, MOST, pointed_at};
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_base::escape;
use callscape_base::units::{Cost, Time};
use callscape_facts::functions::Functions;
use callscape_filter::selection::Meant;
use callscape_model::calls::{CallColumn, CallsOf};
use callscape_state::ask::{Ask, PlayAsk, SelectAsk, TableKey, ViewAsk};
use callscape_state::document::Document;

pub fn show(view: &mut Calls, ui: &mut Ui, pane: &mut Pane<'_>) {
    ui.painter()
        .rect_filled(ui.max_rect(), 0, ui.visuals().panel_fill);
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
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 4,
        top: 6,
        bottom: 0,
    });
    frame.show(ui, |ui| {
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
                "Choose a module, a function or an arc to see the calls behind it.",
            ),
        }
    });
}

/// What the calls are behind, in words.
fn of_text(document: &Document, of: CallsOf) -> String {
    let name = |module| escape::name(document.session.hierarchy.name(module));
    match of {
        CallsOf::Function(function) => {
            let functions = document.resolved().map(|it| &it.recording.functions);
            let name = functions.map_or("", |functions| functions.get(function).name);
            format!("of {}", escape::name(name))
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
    if list.left_out() > 0 {
        let left_out = text::count(list.left_out());
        let most = text::count(MOST as u64);
        let line = format!("The first {most} are listed, {left_out} later ones are left out.");
        ui.label(style::weak(line).small());
    }
    is_wanted
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

fn list(view: &mut Calls, ui: &mut Ui, document: &Document, list: &CallList, pane: &mut Pane<'_>) {
    let Some(resolved) = document.resolved() else {
        return;
    };
    let cells = Cells {
        document,
        functions: &resolved.recording.functions,
        duration: resolved.recording.trace.duration(),
    };
    let has_threads = resolved.recording.trace.threads().len() > 1;
    let columns = columns(ui.available_width(), has_threads);
    let place = ui.available_rect_before_wrap();
    view.rows_seen = rows::rows_seen(ui);
    let mut builder = rows::table(ui, "calls", view.row_to_show);
    for column in &columns {
        builder = builder.column(width_of(*column));
    }
    let selection = &document.selection;
    let pointed = document.meant(&selection.pointed);
    let accent = style::colors(pane.state.settings.theme).accent;
    let headings = columns.iter().map(|&column| rows::Heading {
        column,
        title: column.title(),
        about: "",
        is_number: matches!(column, CallColumn::Start | CallColumn::Duration),
    });
    let (table, sorted) = rows::headings(builder, headings, list.sort());
    table.body(|body| {
        body.rows(ROW, list.len(), |mut line| {
            let Some(row) = list.row(line.index()) else {
                return;
            };
            line.set_selected(selection.chosen.call == Some(row.of()));
            line.set_hovered(pointed.holds_call(row.of(), row.function, || row.caller));
            let open = openness(document, row).map(|strength| accent.gamma_multiply(strength));
            for column in &columns {
                line.col(|ui| cells.show(ui, *column, row, open));
            }
            answer(view, &line.response(), row, document, pane);
        });
    });
    let chosen = document.meant(&selection.chosen);
    let meant = |of: &Meant<'_>, row: &CallRow| {
        !of.is_nothing() && of.holds_call(row.of(), row.function, || row.caller)
    };
    rows::ruler(ui, place, list.len(), pane.state.settings.theme, |place| {
        let Some(row) = list.row(place) else {
            return rows::Mark::None;
        };
        // All of them are behind what is chosen: only one call stands out.
        if chosen.call() == Some(row.of()) {
            rows::Mark::Chosen
        } else if meant(&pointed, row) {
            rows::Mark::Pointed
        } else {
            rows::Mark::None
        }
    });
    if let Some(column) = sorted {
        view.sort_by(pane.state, document, column);
    }
}

fn width_of(column: CallColumn) -> Width {
    match column {
        CallColumn::Start => Width::exact(112.0),
        CallColumn::Duration => Width::exact(76.0),
        CallColumn::Thread => Width::exact(90.0).clip(true),
        CallColumn::Function | CallColumn::Caller => Width::remainder().at_least(60.0).clip(true),
    }
}

/// What the cells are made from.
struct Cells<'a> {
    document: &'a Document,
    functions: &'a Functions,
    /// Of the whole recording: times are written as exactly as it is long.
    duration: Cost,
}

impl Cells<'_> {
    /// `open` is the colour of the mark of a call that is open.
    fn show(&self, ui: &mut Ui, column: CallColumn, row: &CallRow, open: Option<Color32>) {
        match column {
            CallColumn::Start => {
                if let Some(color) = open {
                    rows::mark(ui, color);
                }
                rows::number(ui, text::exact(row.start, self.duration));
            }
            CallColumn::Duration => rows::number(ui, row.cost.to_string()),
            CallColumn::Function => {
                let marked = self.document.selection.marked.as_deref();
                rows::badge(ui, marked, self.document.module_of(row.function));
                rows::name(ui, self.functions.get(row.function).name);
            }
            CallColumn::Caller => {
                let caller = row.caller.map(|caller| self.functions.get(caller).name);
                rows::name(ui, caller.unwrap_or("–"));
            }
            CallColumn::Thread => rows::name(ui, self.document.thread_name(row.thread)),
        }
    }
}

fn answer(
    view: &mut Calls,
    response: &egui::Response,
    row: &CallRow,
    document: &Document,
    pane: &mut Pane<'_>,
) {
    let pointed = pointed_at(document, row);
    if response.hovered() {
        pane.pointed = pointed;
    }
    if response.clicked() {
        view.choose(pointed, SelectAsk::Choose, pane.asks);
        pane.asks.push(PlayAsk::Seek(row.start));
        let reveal = ViewAsk::Reveal(row.of());
        pane.asks.push(Ask::View(None, reveal));
    }
    if response.double_clicked() {
        view.press(TableKey::Enter, document, pane.asks);
    }
}
