//! The list of why the whole of one run costs more or less than that of the other.

use std::sync::Arc;

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::Pane;
use crate::parts::causes::{Causes, Line};
use crate::parts::rows::{self, ROW};
use crate::parts::style;
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{Ask, CameraAsk};

/// How many causes a query finds, and how many there are.
pub(super) fn counts(shown: &Causes, query: &str) -> (usize, usize) {
    let found = shown
        .lines
        .lines
        .iter()
        .filter(|line| is_found(line, query));
    (found.count(), shown.lines.lines.len())
}

/// Whether a cause has the query in its sentence or on the way to it.
fn is_found(line: &Line, query: &str) -> bool {
    let query = query.to_lowercase();
    query.is_empty()
        || line.what.to_lowercase().contains(&query)
        || line.way.to_lowercase().contains(&query)
}

/// The rows: a share of the difference, and a sentence. A click chooses the function, in the calling context with the
/// largest part.
pub(super) fn rows(shown: &Causes, ui: &mut Ui, query: &str, pane: &mut Pane<'_>) {
    let Some(document) = &pane.state.document else {
        return;
    };
    let lines = &shown.lines;
    if lines.lines.is_empty() {
        let hint = match shown.is_waiting() {
            true => "Looking for what differs in the call trees …",
            false => "No causes found: the runs do not differ, or were measured differently.",
        };
        return rows::hint(ui, hint);
    }
    let rest = format!("{:.0}", lines.rest * 100.0).replace('-', "−");
    let head = format!("B differs by {}; unexplained: {rest} %", lines.difference);
    ui.add(egui::Label::new(style::weak(head).small()).truncate());
    let selection = &document.selection;
    let found: Vec<&Line> = lines
        .lines
        .iter()
        .filter(|it| is_found(it, query))
        .collect();
    let table = TableBuilder::new(ui)
        .id_salt("causes")
        .sense(Sense::click())
        .auto_shrink(false)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::exact(64.0))
        .column(Width::remainder().at_least(90.0).clip(true));
    let table = table.header(rows::HEADING, |mut header| {
        for (title, about, is_number) in [
            ("explains", "Share of the whole difference", true),
            ("why", "What differs, below its callers", false),
        ] {
            header.col(|ui| {
                rows::heading(ui, title, about, is_number, is_number.then_some(true));
            });
        }
    });
    table.body(|body| {
        body.rows(ROW, found.len(), |mut row| {
            let Some(line) = found.get(row.index()) else {
                return;
            };
            let is_chosen = match document.chosen_way() {
                Some(way) => *way == line.path,
                None => selection.chosen.module == Some(line.module),
            };
            row.set_selected(is_chosen);
            row.set_hovered(selection.pointed.module == Some(line.module));
            row.col(|ui| {
                let share = format!("{:.1} %", line.explains * 100.0).replace('-', "−");
                rows::number(ui, share);
            });
            row.col(|ui| {
                ui.add(egui::Label::new(style::name(&line.what)).truncate());
            });
            let response = row.response();
            let at = Pointed::at_module(Some(line.module));
            if response.hovered() {
                pane.pointed = at;
            }
            if response.clicked() {
                pane.asks.push(Ask::Context(at, Arc::clone(&line.path)));
            }
            if response.double_clicked() {
                pane.asks.push(CameraAsk::FlyTo(line.module));
            }
            response.on_hover_ui(|ui| {
                ui.label(style::name(&format!("{}: {}", line.what, line.share)));
                ui.label(style::weak(escape::name(&line.way)).small());
            });
        });
    });
}
