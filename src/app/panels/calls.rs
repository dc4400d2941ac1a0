//! The view of the calls behind what is chosen.

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::ask::{CancelAsk, PlayAsk, TableAsk, TableKey};
use super::super::document::Document;
use super::super::style;
use super::{Context, table, text};
use crate::app::workbench::ROW;
use crate::filter::selection::{Meant, Pointed};
use crate::model::calls::{CallColumn, CallsOf};
use crate::units::Time;
use crate::views::calls::{CallList, CallRow, MOST};
use crate::views::table::ViewId;

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    ui.painter()
        .rect_filled(ui.max_rect(), 0, ui.visuals().panel_fill);
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    if document.playback.is_none() {
        let hint = match document.profile() {
            Some(_) => "A profile has no single calls: it weighs functions and their relations.",
            None => "Open a recording to see its calls.",
        };
        table::hint(ui, hint);
        return;
    }
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 4,
        top: 6,
        bottom: 0,
    });
    frame.show(ui, |ui| {
        if let Some(job) = &bench.work.listing {
            table::progress(ui, &job.progress, CancelAsk::Listing, context);
        }
        match &bench.work.calls {
            Some(list) => {
                head(ui, document, list, context);
                if list.is_empty() {
                    let left =
                        match document.selection.range.is_some() || !document.filters.is_empty() {
                            true => "It is not called in what range and filters leave.",
                            false => "It is not called.",
                        };
                    return table::hint(ui, left);
                }
                rows(ui, document, list, context);
            }
            None if bench.work.listing.is_some() => {}
            None => table::hint(
                ui,
                "Choose a module, a function or an arc to see the calls behind it.",
            ),
        }
    });
}

/// What the calls are behind, in words.
fn of_text(document: &Document, of: CallsOf) -> String {
    let name = |module| document.session.hierarchy.name(module);
    match of {
        CallsOf::Function(function) => {
            let functions = document.resolved().map(|it| &it.recording.functions);
            let name = functions.map_or("", |functions| functions.get(function).name);
            format!("of {name}")
        }
        CallsOf::Module(module) => format!("of {}", name(module)),
        CallsOf::Relation(from, to) => format!("from {} to {}", name(from), name(to)),
        CallsOf::Hop(from, to, _, time) => {
            format!("from {} to {} at {time}", name(from), name(to))
        }
    }
}

fn head(ui: &mut Ui, document: &Document, list: &CallList, context: &mut Context<'_>) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui
                .add_enabled(!list.is_empty(), egui::Button::new("Export"))
                .on_hover_text("Write the list as comma-separated values")
                .clicked()
            {
                context.asks.push(TableAsk::ExportCalls);
            }
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
}

fn rows(ui: &mut Ui, document: &Document, list: &CallList, context: &mut Context<'_>) {
    let Some(resolved) = document.resolved() else {
        return;
    };
    let functions = &resolved.recording.functions;
    let has_threads = resolved.recording.trace.threads().len() > 1;
    let duration = resolved.recording.trace.duration();
    let columns: Vec<CallColumn> = match (ui.available_width(), has_threads) {
        (..360.0, _) => vec![
            CallColumn::Start,
            CallColumn::Duration,
            CallColumn::Function,
        ],
        (..500.0, _) | (_, false) => CallColumn::ALL[..4].to_vec(),
        _ => CallColumn::ALL.to_vec(),
    };
    let place = ui.available_rect_before_wrap();
    context.rows_seen.calls = table::rows_seen(ui);
    let mut builder = TableBuilder::new(ui)
        .id_salt("calls")
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center));
    for column in &columns {
        builder = builder.column(match column {
            CallColumn::Start => Width::exact(112.0),
            CallColumn::Duration => Width::exact(76.0),
            CallColumn::Thread => Width::exact(90.0).clip(true),
            CallColumn::Function | CallColumn::Caller => {
                Width::remainder().at_least(60.0).clip(true)
            }
        });
    }
    if let Some(place) = context.bench.call_to_show {
        builder = builder.scroll_to_row(place, None);
    }
    let selection = &document.selection;
    let pointed = document.meant(&selection.pointed);
    // Who points at a call means that one, not its time.
    let by_time = selection.pointed.call.is_none();
    let accent = style::colors(context.bench.settings.theme).accent;
    let (now, pointed_at) = (accent, accent.gamma_multiply(0.5));
    let with_head = builder.header(table::HEADING, |mut header| {
        for &column in &columns {
            header.col(|ui| {
                let is_number = matches!(column, CallColumn::Start | CallColumn::Duration);
                let order = (list.sort().0 == column).then_some(list.sort().1);
                if table::heading(ui, column.title(), "", is_number, order) {
                    context.asks.push(TableAsk::SortCalls(column));
                }
            });
        }
    });
    with_head.body(|body| {
        body.rows(ROW, list.len(), |mut line| {
            let Some(row) = list.row(line.index()) else {
                return;
            };
            line.set_selected(selection.chosen.call == Some(row.of()));
            line.set_hovered(pointed.holds_call(row.of(), row.function, || row.caller));
            // Of a list one wants to see which of it are open now, and at the time pointed at.
            let ended = row.start + row.cost;
            let is_open = |time: Time| row.start <= time && time < ended;
            let open = if is_open(selection.time) {
                Some(now)
            } else {
                selection
                    .pointed
                    .time
                    .filter(|_| by_time)
                    .filter(|&time| is_open(time))
                    .map(|_| pointed_at)
            };
            for column in &columns {
                line.col(|ui| match column {
                    CallColumn::Start => {
                        if let Some(color) = open {
                            table::mark(ui, color);
                        }
                        table::number(ui, text::exact(row.start, duration));
                    }
                    CallColumn::Duration => table::number(ui, row.cost.to_string()),
                    CallColumn::Function => table::name(ui, functions.get(row.function).name),
                    CallColumn::Caller => {
                        let caller = row.caller.map(|caller| functions.get(caller).name);
                        table::name(ui, caller.unwrap_or("–"));
                    }
                    CallColumn::Thread => table::name(ui, document.thread_name(row.thread)),
                });
            }
            answer(&line.response(), row, document, context);
        });
    });
    let chosen = document.meant(&selection.chosen);
    let meant = |of: &Meant<'_>, row: &CallRow| {
        !of.is_nothing() && of.holds_call(row.of(), row.function, || row.caller)
    };
    table::ruler(ui, place, list.len(), context, |place| {
        let Some(row) = list.row(place) else {
            return table::Mark::None;
        };
        // All of them are behind what is chosen: only one call stands out.
        if chosen.call() == Some(row.of()) {
            table::Mark::Chosen
        } else if meant(&pointed, row) {
            table::Mark::Pointed
        } else {
            table::Mark::None
        }
    });
}

fn answer(
    response: &egui::Response,
    row: &CallRow,
    document: &Document,
    context: &mut Context<'_>,
) {
    let pointed = Pointed {
        module: document.module_of(row.function),
        function: Some(row.function),
        call: Some(row.of()),
        thread: Some(row.thread),
        time: Some(row.start),
        ..Pointed::default()
    };
    if response.hovered() {
        context.pointed = pointed;
    }
    if response.clicked() {
        context.asks.push(TableAsk::ChooseListed(pointed));
        context.asks.push(PlayAsk::Seek(row.start));
    }
    if response.double_clicked() {
        let enter = TableAsk::Press(Some(ViewId::Calls), TableKey::Enter);
        context.asks.push(enter);
    }
}
