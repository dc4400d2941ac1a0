//! The view of the function table.

use egui::{Align, Id, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::ask::{CameraAsk, CancelAsk, SelectAsk, TableAsk};
use super::super::document::Document;
use super::super::style;
use super::widgets::{Icon, paint};
use super::{Context, neighbours, table, text};
use crate::app::workbench::ROW;
use crate::filter::selection::Pointed;
use crate::model::functions::Column;
use crate::units::Unit;
use crate::views::functions::{FunctionRow, FunctionTable};

/// The field's id, so that keys go to it while it has the focus.
pub const FIELD: &str = "function search";

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    ui.painter()
        .rect_filled(ui.max_rect(), 0, ui.visuals().panel_fill);
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    let Some(table) = &document.functions else {
        ui.centered_and_justified(|ui| {
            ui.label(style::weak(
                "Open a recording to see what its functions did.",
            ));
        });
        return;
    };
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 4,
        top: 6,
        bottom: 0,
    });
    frame.show(ui, |ui| {
        head(ui, table, context);
        if let Some(job) = &bench.work.counting {
            table::progress(ui, &job.progress, CancelAsk::Counting, context);
        }
        neighbours::show(ui, document, context);
        rows(ui, document, table, context);
    });
}

fn head(ui: &mut Ui, of: &FunctionTable, context: &mut Context<'_>) {
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
            context.asks.push(TableAsk::SearchFunctions(query));
        }
        let (shown, called) = (of.rows().len() as u64, of.called() as u64);
        let counted = if shown == called {
            text::counted(called, "function", "functions")
        } else {
            format!("{} of {}", text::count(shown), text::count(called))
        };
        ui.add(egui::Label::new(style::weak(counted)).truncate());
    });
}

fn rows(ui: &mut Ui, document: &Document, table: &FunctionTable, context: &mut Context<'_>) {
    let Some(resolved) = document.resolved() else {
        return;
    };
    let functions = &resolved.recording.functions;
    let selection = &document.selection;
    let most = table.most_self().ns();
    let [pointed, chosen] = [&selection.pointed, &selection.chosen].map(|of| document.meant(of));
    let place = ui.available_rect_before_wrap();
    context.rows_seen.functions = table::rows_seen(ui);
    let width = ui.available_width();
    // Where there is little room the name keeps what it needs.
    let numbers: &[Column] = match width {
        ..300.0 => &[Column::Total],
        ..380.0 => &[Column::Calls, Column::Total],
        ..440.0 => &Column::ALL[1..4],
        ..560.0 => &Column::ALL[1..5],
        _ => &Column::ALL[1..],
    };
    // A profile knows nothing of single calls, and some do not count them.
    let is_known = |column: &Column| match column {
        Column::Calls | Column::Average => document.counts_calls(),
        Column::Min | Column::Max => document.profile().is_none(),
        _ => true,
    };
    let numbers: Vec<Column> = numbers.iter().copied().filter(is_known).collect();
    let mut builder = TableBuilder::new(ui)
        .id_salt("functions")
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::remainder().at_least(90.0).clip(true));
    for _ in &numbers {
        builder = builder.column(Width::exact(72.0));
    }
    if let Some(place) = context.bench.row_to_show {
        builder = builder.scroll_to_row(place, None);
    }
    let table_ui = builder.header(table::HEADING, |mut header| {
        for column in std::iter::once(&Column::Name).chain(&numbers) {
            header.col(|ui| {
                let order = (table.sort().0 == *column).then_some(table.sort().1);
                let is_number = *column != Column::Name;
                if table::heading(ui, column.title(), column.about(), is_number, order) {
                    context.asks.push(TableAsk::SortFunctions(*column));
                }
            });
        }
    });
    table_ui.body(|body| {
        body.rows(ROW, table.rows().len(), |mut line| {
            let Some(row) = table.row(line.index()) else {
                return;
            };
            line.set_selected(chosen.holds_function(row.function));
            line.set_hovered(pointed.holds_function(row.function));
            line.col(|ui| {
                let share = row.metrics.self_cost.ns() as f64 / most.max(1) as f64;
                bar(ui, share as f32, context);
                table::name(ui, functions.get(row.function).name);
            });
            for column in &numbers {
                line.col(|ui| table::number(ui, cell(row, *column, document)));
            }
            answer(&line.response(), row, document, context);
        });
    });
    table::ruler(ui, place, table.rows().len(), context, |place| {
        let function = table.row(place).map(|row| row.function);
        match function {
            Some(function) if chosen.holds_function(function) => table::Mark::Chosen,
            Some(function) if pointed.holds_function(function) => table::Mark::Pointed,
            _ => table::Mark::None,
        }
    });
}

/// A thin line under a name: the share of its self cost in the largest.
fn bar(ui: &Ui, share: f32, context: &Context<'_>) {
    let colors = style::colors(context.bench.settings.theme);
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

fn answer(
    response: &egui::Response,
    row: &FunctionRow,
    document: &Document,
    context: &mut Context<'_>,
) {
    let pointed = Pointed {
        module: Some(row.module),
        function: Some(row.function),
        ..Pointed::default()
    };
    if response.hovered() {
        context.pointed = pointed;
    }
    if response.clicked() {
        context.asks.push(SelectAsk::Choose(pointed));
    }
    if response.double_clicked() {
        context.asks.push(CameraAsk::FlyTo(row.module));
    }
    response.clone().on_hover_ui(|ui| {
        if let Some(resolved) = document.resolved() {
            ui.label(resolved.recording.functions.get(row.function).name);
        }
        ui.label(style::weak(document.session.hierarchy.path(row.module)).small());
    });
}
