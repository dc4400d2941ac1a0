//! The view of the function table.

use egui::{Id, Ui};
use egui_extras::Column as Width;

use super::super::Pane;
use super::{FIELD, FunctionTable, Functions, neighbours};
use crate::parts::rows::{self, ROW};
use crate::parts::widgets::{Icon, paint};
use crate::parts::{style, text};
use callscape_base::escape;
use callscape_base::units::Unit;
use callscape_filter::selection::Pointed;
use callscape_model::functions::{Column, FunctionRow};
use callscape_state::ask::{CameraAsk, CancelAsk, SelectAsk};
use callscape_state::document::Document;

pub fn show(view: &mut Functions, ui: &mut Ui, pane: &mut Pane<'_>) {
    ui.painter()
        .rect_filled(ui.max_rect(), 0, ui.visuals().panel_fill);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if view.table.is_none() {
        ui.centered_and_justified(|ui| {
            ui.label(style::weak(
                "Open a recording to see what its functions did.",
            ));
        });
        return;
    }
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 4,
        top: 6,
        bottom: 0,
    });
    frame.show(ui, |ui| {
        head(view, ui, document);
        if let Some(job) = &state.work.counting
            && rows::progress(ui, &job.progress)
        {
            pane.asks.push(CancelAsk::Counting);
        }
        neighbours::show(view, ui, document, pane);
        let sorted = view.table.as_ref().and_then(|table| {
            let (sorted, rows_seen) = list(ui, document, table, view.row_to_show, pane);
            view.rows_seen = rows_seen;
            sorted
        });
        if let Some(column) = sorted {
            view.sort_by(document, column);
        }
    });
}

fn head(view: &mut Functions, ui: &mut Ui, document: &Document) {
    let Some(of) = &view.table else {
        return;
    };
    let mut searched = None;
    ui.horizontal(|ui| {
        let mut query = of.query().to_owned();
        let width = (ui.available_width() * 0.5).clamp(80.0, 240.0);
        let edit = egui::TextEdit::singleline(&mut query)
            .id(Id::unique(FIELD))
            .hint_text("Name or module")
            .margin(egui::Margin {
                left: 26,
                right: 8,
                top: 4,
                bottom: 4,
            })
            .desired_width(width);
        let response = ui.add(edit);
        let square = egui::Vec2::splat(response.rect.height());
        let icon = egui::Rect::from_min_size(response.rect.left_top(), square);
        let color = ui.visuals().weak_text_color();
        paint(ui, Icon::Magnifier, icon.shrink(4.0), color);
        if response.changed() {
            searched = Some(query);
        }
        let (shown, called) = (of.rows().len() as u64, of.called() as u64);
        let counted = if shown == called {
            text::counted(called, "function", "functions")
        } else {
            format!("{} of {}", text::count(shown), text::count(called))
        };
        ui.add(egui::Label::new(style::weak(counted)).truncate());
    });
    if let Some(query) = searched {
        view.search(document, query);
    }
}

/// The rows; the column whose heading was clicked, and how many rows there is room for.
fn list(
    ui: &mut Ui,
    document: &Document,
    table: &FunctionTable,
    row_to_show: Option<usize>,
    pane: &mut Pane<'_>,
) -> (Option<Column>, usize) {
    let Some(resolved) = document.resolved() else {
        return (None, 0);
    };
    let functions = &resolved.recording.functions;
    let selection = &document.selection;
    let most = table.most_self().ns();
    let [pointed, chosen] = [&selection.pointed, &selection.chosen].map(|of| document.meant(of));
    let place = ui.available_rect_before_wrap();
    let rows_seen = rows::rows_seen(ui);
    let numbers = numbers(document, ui.available_width());
    let mut builder = rows::table(ui, "functions", row_to_show)
        .column(Width::remainder().at_least(90.0).clip(true));
    for _ in &numbers {
        builder = builder.column(Width::exact(72.0));
    }
    let columns = std::iter::once(&Column::Name).chain(&numbers);
    let headings = columns.map(|&column| rows::Heading {
        column,
        title: column.title(),
        about: column.about(),
        is_number: column != Column::Name,
    });
    let (table_ui, sorted) = rows::headings(builder, headings, table.sort());
    table_ui.body(|body| {
        body.rows(ROW, table.rows().len(), |mut line| {
            let Some(row) = table.row(line.index()) else {
                return;
            };
            line.set_selected(chosen.holds_function(row.function));
            line.set_hovered(pointed.holds_function(row.function));
            line.col(|ui| {
                let share = row.metrics.self_cost.ns() as f64 / most.max(1) as f64;
                bar(ui, share as f32, pane);
                rows::badge(ui, selection.marked.as_deref(), Some(row.module));
                rows::name(ui, functions.get(row.function).name);
            });
            for column in &numbers {
                line.col(|ui| rows::number(ui, cell(row, *column, document)));
            }
            answer(&line.response(), row, document, pane);
        });
    });
    rows::ruler(
        ui,
        place,
        table.rows().len(),
        pane.state.settings.theme,
        |place| {
            let function = table.row(place).map(|row| row.function);
            match function {
                Some(function) if chosen.holds_function(function) => rows::Mark::Chosen,
                Some(function) if pointed.holds_function(function) => rows::Mark::Pointed,
                _ => rows::Mark::None,
            }
        },
    );
    (sorted, rows_seen)
}

/// The columns of numbers for which there is room.
fn numbers(document: &Document, width: f32) -> Vec<Column> {
    // Where there is little room the name keeps what it needs.
    let most = match width {
        ..300.0 => return vec![Column::Total],
        ..380.0 => 2,
        ..440.0 => 3,
        ..560.0 => 4,
        ..690.0 => 6,
        _ => 8,
    };
    let knows_waiting = document
        .resolved()
        .is_some_and(|it| it.recording.trace.knows_waiting());
    // A profile knows nothing of single calls, and some do not count them.
    let is_known = |column: &Column| match column {
        Column::Calls | Column::Average => document.counts_calls(),
        Column::Min | Column::Max => document.profile().is_none(),
        Column::Waiting | Column::SelfWaiting => knows_waiting,
        _ => true,
    };
    let numbers = Column::ALL[1..].iter().copied().filter(is_known);
    numbers.take(most).collect()
}

/// A thin line under a name: the share of its self cost in the largest.
fn bar(ui: &Ui, share: f32, pane: &Pane<'_>) {
    let colors = style::colors(pane.state.settings.theme);
    let mut line = ui.max_rect();
    line.min.y = line.max.y - 2.0;
    line.max.x = line.min.x + line.width() * share.clamp(0.0, 1.0);
    ui.painter()
        .rect_filled(line, 0, colors.accent.gamma_multiply(0.7));
}

fn cell(row: &FunctionRow, column: Column, document: &Document) -> String {
    let cost = match column {
        Column::Name => return String::new(),
        // Of a profile that does not count them.
        Column::Calls | Column::Average if !document.counts_calls() => return "–".to_owned(),
        Column::Calls => return text::count(row.metrics.calls),
        Column::Total => row.metrics.total,
        Column::SelfCost => row.metrics.self_cost,
        Column::Waiting => row.metrics.waiting,
        Column::SelfWaiting => row.metrics.self_waiting,
        Column::Average => row.average(),
        Column::Min | Column::Max => match row.extremes {
            Some((min, _)) if column == Column::Min => min,
            Some((_, max)) => max,
            None if document.profile().is_some() => return "–".to_owned(),
            None => return "…".to_owned(),
        },
    };
    let unit = document.resolved().map(|it| it.recording.unit());
    match unit {
        // Their name would not fit into every cell.
        Some(Unit::Things(_)) => text::count(cost.ns()),
        Some(unit) => unit.show(cost),
        None => cost.to_string(),
    }
}

fn answer(response: &egui::Response, row: &FunctionRow, document: &Document, pane: &mut Pane<'_>) {
    let pointed = Pointed {
        module: Some(row.module),
        function: Some(row.function),
        ..Pointed::default()
    };
    if response.hovered() {
        pane.pointed = pointed;
    }
    if response.clicked() {
        pane.asks.push(SelectAsk::Choose(pointed));
    }
    if response.double_clicked() {
        pane.asks.push(CameraAsk::FlyTo(row.module));
    }
    response.clone().on_hover_ui(|ui| {
        if let Some(resolved) = document.resolved() {
            let name = resolved.recording.functions.get(row.function).name;
            ui.label(style::name(name));
        }
        let path = document.session.hierarchy.path(row.module);
        ui.label(style::weak(escape::name(&path)).small());
    });
}
