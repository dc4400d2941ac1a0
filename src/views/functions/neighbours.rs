//! Below the function table: who calls the chosen function, and whom it calls.

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::Pane;
use super::view::Functions;
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::escape;
use callscape_base::units::FunctionId;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::details::{FunctionNeighbour, NeighbourOrder};
use callscape_state::document::Document;

/// With less room than this the table needs all of it, in points.
const LEAST: f32 = 260.0;

pub(super) fn show(view: &mut Functions, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
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
    let mut sorted = None;
    panel.show(ui, |ui| {
        let neighbours = &view.neighbours;
        let Some(function) = neighbours.of else {
            rows::hint(ui, "Select a function to see its callers and callees.");
            return;
        };
        // Two lists side by side, or above each other where names would have no room.
        if ui.available_width() >= 360.0 {
            ui.columns(2, |uis| {
                if let [left, right] = uis {
                    let of = (document, function, neighbours.order);
                    let callers = list(left, of, true, &neighbours.callers, pane);
                    let callees = list(right, of, false, &neighbours.callees, pane);
                    sorted = callers.or(callees);
                }
            });
        } else {
            let half = (ui.available_height() - 6.0) * 0.5;
            for (is_callers, rows) in [(true, &neighbours.callers), (false, &neighbours.callees)] {
                let size = egui::vec2(ui.available_width(), half);
                ui.allocate_ui(size, |ui| {
                    let of = (document, function, neighbours.order);
                    sorted = sorted.or(list(ui, of, is_callers, rows, pane));
                });
            }
        }
    });
    if let Some(order) = sorted {
        view.sort_neighbours(document, order);
    }
}

/// The callers or callees of a function; the order whose heading was clicked.
fn list(
    ui: &mut Ui,
    (document, of, order): (&Document, FunctionId, NeighbourOrder),
    is_callers: bool,
    neighbours: &[FunctionNeighbour],
    pane: &mut Pane<'_>,
) -> Option<NeighbourOrder> {
    let mut sorted = None;
    let count = neighbours.len() as u64;
    let title = match is_callers {
        true => text::counted(count, "caller", "callers"),
        false => text::counted(count, "callee", "callees"),
    };
    ui.add(egui::Label::new(style::title(title).small()).truncate())
        .on_hover_text(style::name(document.function_name(of)));
    if neighbours.is_empty() {
        let none = match is_callers {
            true => "none: a thread starts here, or its caller is not recorded",
            false => "nobody",
        };
        ui.add(egui::Label::new(style::weak(none).small()).wrap());
        return None;
    }
    let counts_calls = document.counts_calls();
    // What both runs have needs more room.
    let (width, least) = match &document.runs {
        Some(_) => (150.0, 390.0),
        None => (70.0, 230.0),
    };
    let has_room = ui.available_width() >= least && counts_calls;
    let mut builder = TableBuilder::new(ui)
        .id_salt(("neighbours", is_callers))
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::remainder().at_least(60.0).clip(true));
    let mut columns = vec![(
        NeighbourOrder::Cost,
        "Sum of cost",
        "Sum of the costs of these calls; recursive calls count more than once",
    )];
    if has_room {
        columns.insert(0, (NeighbourOrder::Calls, "Calls", "How often"));
    }
    for _ in &columns {
        builder = builder.column(Width::exact(width));
    }
    let with_head = builder.header(20.0, |mut header| {
        let name = (NeighbourOrder::Name, "Function", "Name");
        for &(column, title, about) in std::iter::once(&name).chain(&columns) {
            header.col(|ui| {
                let is_number = column != NeighbourOrder::Name;
                let order = (order == column).then_some(is_number);
                if rows::heading(ui, title, about, is_number, order) {
                    sorted = Some(column);
                }
            });
        }
    });
    let pointed = document.selection.pointed;
    with_head.body(|body| {
        body.rows(ROW, neighbours.len(), |mut line| {
            let Some(row) = neighbours.get(line.index()) else {
                return;
            };
            line.set_hovered(pointed.function == Some(row.function));
            line.col(|ui| rows::name(ui, document.function_name(row.function)));
            for &(column, ..) in &columns {
                line.col(|ui| match column {
                    NeighbourOrder::Calls => rows::number(ui, calls(document, row)),
                    _ => rows::number(ui, cost(document, row)),
                });
            }
            answer(&line.response(), document, is_callers, of, row, pane);
        });
    });
    sorted
}

/// What both of two runs have.
fn of_both(document: &Document, row: &FunctionNeighbour, measure: Measure) -> Option<String> {
    let runs = document.runs.as_ref()?;
    runs.difference.both_of(&row.both?, measure)
}

fn calls(document: &Document, row: &FunctionNeighbour) -> String {
    of_both(document, row, Measure::Calls).unwrap_or_else(|| text::count(row.calls))
}

fn cost(document: &Document, row: &FunctionNeighbour) -> String {
    of_both(document, row, Measure::Total).unwrap_or_else(|| document.show_cost(row.cost))
}

fn answer(
    response: &egui::Response,
    document: &Document,
    is_caller: bool,
    of: FunctionId,
    row: &FunctionNeighbour,
    pane: &mut Pane<'_>,
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
        pane.pointed = Pointed {
            relation: document.displayed_relation(caller, callee),
            ..pointed
        };
    }
    if response.clicked() {
        pane.asks.push(SelectAsk::Choose(pointed));
    }
    if response.double_clicked() {
        pane.asks.extend(module.map(CameraAsk::FlyTo));
    }
    response.clone().on_hover_ui(|ui| {
        ui.label(style::name(document.function_name(row.function)));
        if let Some(module) = module {
            ui.label(style::weak(escape::name(&document.session.hierarchy.path(module))).small());
        }
        let mut line = |text: String| ui.label(style::weak(text).small());
        if document.counts_calls() {
            line(format!("calls: {}", calls(document, row)));
        }
        line(format!("sum of cost: {}", cost(document, row)));
        let own = of_both(document, row, Measure::SelfCost);
        let own = own.unwrap_or_else(|| document.show_cost(row.self_cost));
        line(format!("self: {own}"));
    });
}
