//! Below the function table: who calls the chosen function, and whom it calls.

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::ask::{CameraAsk, SelectAsk, TableAsk};
use super::super::details::{FunctionNeighbour, NeighbourOrder};
use super::super::document::Document;
use super::super::style;
use super::{Context, table, text};
use crate::app::workbench::ROW;
use crate::filter::selection::Pointed;
use crate::units::FunctionId;

/// With less room than this the table needs all of it, in points.
const LEAST: f32 = 260.0;

pub fn show(ui: &mut Ui, document: &Document, context: &mut Context<'_>) {
    let height = ui.available_height();
    if height < LEAST {
        return;
    }
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 0,
        right: 0,
        top: 6,
        bottom: 2,
    });
    let panel = egui::Panel::bottom("neighbours")
        .frame(frame)
        .resizable(true)
        .default_size(height * 0.34)
        .size_range(90.0..=height * 0.7);
    panel.show(ui, |ui| {
        let Some(function) = context.bench.function_neighbours.of else {
            table::hint(
                ui,
                "Choose a function to see who calls it and whom it calls.",
            );
            return;
        };
        let neighbours = &context.bench.function_neighbours;
        // Two lists side by side, or above each other where names would have no room.
        if ui.available_width() >= 360.0 {
            ui.columns(2, |uis| {
                if let [left, right] = uis {
                    list(left, document, true, function, &neighbours.callers, context);
                    list(
                        right,
                        document,
                        false,
                        function,
                        &neighbours.callees,
                        context,
                    );
                }
            });
        } else {
            let half = (ui.available_height() - 6.0) * 0.5;
            for (is_callers, rows) in [(true, &neighbours.callers), (false, &neighbours.callees)] {
                let size = egui::vec2(ui.available_width(), half);
                ui.allocate_ui(size, |ui| {
                    list(ui, document, is_callers, function, rows, context);
                });
            }
        }
    });
}

fn list(
    ui: &mut Ui,
    document: &Document,
    is_callers: bool,
    of: FunctionId,
    rows: &[FunctionNeighbour],
    context: &mut Context<'_>,
) {
    let Some(resolved) = document.resolved() else {
        return;
    };
    let functions = &resolved.recording.functions;
    let count = rows.len() as u64;
    let title = match is_callers {
        true => text::counted(count, "caller", "callers"),
        false => text::counted(count, "callee", "callees"),
    };
    ui.add(egui::Label::new(style::title(title).small()).truncate())
        .on_hover_text(functions.get(of).name);
    if rows.is_empty() {
        let none = match is_callers {
            true => "nobody: it is where a thread starts, or its caller is not recorded",
            false => "nobody",
        };
        ui.add(egui::Label::new(style::weak(none).small()).wrap());
        return;
    }
    let counts_calls = document.counts_calls();
    let has_room = ui.available_width() >= 230.0 && counts_calls;
    let order = context.bench.function_neighbours.order;
    let mut builder = TableBuilder::new(ui)
        .id_salt(("neighbours", is_callers))
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::remainder().at_least(60.0).clip(true));
    let mut columns = vec![(NeighbourOrder::Cost, "Cost", "What these calls cost in all")];
    if has_room {
        columns.insert(0, (NeighbourOrder::Calls, "Calls", "How often"));
    }
    for _ in &columns {
        builder = builder.column(Width::exact(70.0));
    }
    let with_head = builder.header(20.0, |mut header| {
        let name = (NeighbourOrder::Name, "Function", "Name");
        for &(column, title, about) in std::iter::once(&name).chain(&columns) {
            header.col(|ui| {
                let is_number = column != NeighbourOrder::Name;
                let order = (order == column).then_some(is_number);
                if table::heading(ui, title, about, is_number, order) {
                    context.asks.push(TableAsk::SortNeighbours(column));
                }
            });
        }
    });
    let pointed = document.selection.pointed;
    with_head.body(|body| {
        body.rows(ROW, rows.len(), |mut line| {
            let Some(row) = rows.get(line.index()) else {
                return;
            };
            line.set_hovered(pointed.function == Some(row.function));
            line.col(|ui| table::name(ui, functions.get(row.function).name));
            for &(column, ..) in &columns {
                line.col(|ui| match column {
                    NeighbourOrder::Calls => table::number(ui, text::count(row.calls)),
                    _ => table::number(ui, document.show_cost(row.cost)),
                });
            }
            answer(&line.response(), document, is_callers, of, row, context);
        });
    });
}

fn answer(
    response: &egui::Response,
    document: &Document,
    is_caller: bool,
    of: FunctionId,
    row: &FunctionNeighbour,
    context: &mut Context<'_>,
) {
    let module = document.module_of(row.function);
    let pointed = Pointed {
        module,
        function: Some(row.function),
        ..Pointed::default()
    };
    if response.hovered() {
        let (caller, callee) = match is_caller {
            true => (row.function, of),
            false => (of, row.function),
        };
        context.pointed = Pointed {
            relation: document.displayed_relation(caller, callee),
            ..pointed
        };
    }
    if response.clicked() {
        context.asks.push(SelectAsk::Choose(pointed));
    }
    if response.double_clicked() {
        context.asks.extend(module.map(CameraAsk::FlyTo));
    }
    response.clone().on_hover_ui(|ui| {
        if let Some(resolved) = document.resolved() {
            ui.label(resolved.recording.functions.get(row.function).name);
        }
        if let Some(module) = module {
            ui.label(style::weak(document.session.hierarchy.path(module)).small());
        }
        let calls = match document.counts_calls() {
            true => format!("{}, ", text::counted(row.calls, "call", "calls")),
            false => String::new(),
        };
        let (cost, own) = (
            document.show_cost(row.cost),
            document.show_cost(row.self_cost),
        );
        ui.label(style::weak(format!("{calls}{cost} in all, {own} itself")).small());
    });
}
