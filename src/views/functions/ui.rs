//! The view of the function table.

use egui::{Color32, Ui};

use super::super::Pane;
use super::table::place_of;
use super::view::{FIELD, Functions};
use super::{FunctionTable, neighbours};
use crate::parts::list::{self, Rows};
use crate::parts::widgets::search;
use crate::parts::{rows, style, text};
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::units::Unit;
use callscape_filter::selection::{Meant, Pointed};
use callscape_model::functions::{Column, FunctionRow};
use callscape_state::ask::{CameraAsk, CancelAsk, SelectAsk};
use callscape_state::document::Document;

pub(super) fn show(view: &mut Functions, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
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
    rows::frame().show(ui, |ui| {
        head(view, ui, document);
        if let Some(job) = &state.work.counting
            && rows::progress(ui, &job.progress)
        {
            pane.asks.push(CancelAsk::Counting);
        }
        neighbours::show(view, ui, document, pane);
        list(view, ui, document, pane);
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
        let response = search(ui, FIELD, "Name or module", width, &mut query);
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

/// The rows, and what they are shown by.
struct Listed<'a> {
    document: &'a Document,
    table: &'a FunctionTable,
    /// What is pointed at, and what is chosen.
    meant: [Meant<'a>; 2],
    accent: Color32,
}

impl<'a> Rows for Listed<'a> {
    type Row = &'a FunctionRow;
    type By = Column;
    const NAME: &'static str = "functions";

    fn len(&self) -> usize {
        self.table.rows().len()
    }

    fn row(&self, at: usize) -> Option<&'a FunctionRow> {
        self.table.row(at)
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<Column>> {
        let name = Column::Name;
        let name = list::Column::rest(name, name.title(), name.about(), 90.0);
        let module = Column::Module;
        let module = list::Column::rest(module, module.title(), module.about(), 90.0);
        let module = (width >= WITH_MODULE).then_some(module);
        let numbers = numbers(self.document, width).into_iter();
        let numbers = numbers.map(|it| list::Column::number(it, it.title(), it.about(), 72.0));
        std::iter::once(name).chain(module).chain(numbers).collect()
    }

    fn sort(&self) -> Option<(Column, bool)> {
        Some(self.table.sort())
    }

    fn marks(&self, row: &'a FunctionRow) -> [bool; 2] {
        [0, 1].map(|of| self.meant[of].holds_function(row.function))
    }

    fn cell(&mut self, ui: &mut Ui, row: &'a FunctionRow, column: Column) {
        if column == Column::Module {
            let place = place_of(&self.document.session, row.module);
            return rows::name(ui, &place);
        }
        if column != Column::Name {
            return rows::number(ui, cell(row, column, self.document, self.table.whole()));
        }
        let most = self.table.most_self().ns().max(1);
        rows::bar(
            ui,
            row.metrics.self_cost.ns() as f64 / most as f64,
            self.accent,
        );
        let marked = self.document.selection.marked.as_deref();
        rows::badge(ui, marked, Some(row.module));
        rows::name(ui, self.document.function_name(row.function));
    }

    fn pointed(&self, row: &'a FunctionRow) -> Option<Pointed> {
        Some(FunctionTable::pointed(row))
    }

    fn tip(&self, ui: &mut Ui, row: &'a FunctionRow) {
        let name = self.document.function_name(row.function);
        rows::tip(ui, name, &self.document.session.hierarchy, row.module);
        let runs = self.document.runs.as_ref();
        let change = runs.and_then(|it| it.functions.get(it.row(row.function)? as usize));
        let Some((runs, change)) = runs.zip(change) else {
            return;
        };
        for measure in [Measure::Calls, Measure::Total, Measure::SelfCost] {
            let is_known = measure.is_cost() || self.document.counts_calls();
            let both = runs.difference.both_of(change, measure);
            if let Some(both) = both.filter(|_| is_known) {
                let line = format!("{}: {both}", measure.title());
                ui.label(style::weak(line).small());
            }
        }
    }
}

fn list(view: &mut Functions, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let Some(table) = &view.table else {
        return;
    };
    let selection = &document.selection;
    let mut rows = Listed {
        document,
        table,
        meant: [&selection.pointed, &selection.chosen].map(|of| document.meant(of)),
        accent: style::colors(pane.state.settings.theme).accent,
    };
    let done = list::show(&mut rows, ui, &mut view.at, pane);
    let chosen = done.clicked.and_then(|row| rows.pointed(row));
    pane.asks.extend(chosen.map(SelectAsk::Choose));
    let module = done.entered.map(|row| row.module);
    pane.asks.extend(module.map(CameraAsk::FlyTo));
    if let Some(column) = done.sorted {
        view.sort_by(document, column);
    }
}

/// From this width on, in points, a table says where its functions are.
const WITH_MODULE: f32 = 820.0;

/// The columns of numbers for which there is room.
fn numbers(document: &Document, width: f32) -> Vec<Column> {
    // Where there is little room the name keeps what it needs.
    let most = match width {
        ..300.0 => return vec![Column::Total],
        ..380.0 => 2,
        ..440.0 => 3,
        ..560.0 => 4,
        ..690.0 => 6,
        ..WITH_MODULE => 8,
        _ => 9,
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
    let numbers = Column::ALL[2..].iter().copied().filter(is_known);
    numbers.take(most).collect()
}

fn cell(row: &FunctionRow, column: Column, document: &Document, whole: u64) -> String {
    let cost = match column {
        Column::Name | Column::Module => return String::new(),
        Column::Share => {
            let share = row.metrics.total.size() as f64 / whole.max(1) as f64;
            return format!("{} %", text::percent(share));
        }
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
        Some(Unit::Things(_)) => format!("{}{}", cost.sign(), text::count(cost.size())),
        Some(unit) => unit.show(cost),
        None => cost.to_string(),
    }
}
