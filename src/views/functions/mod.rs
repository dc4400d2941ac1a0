//! The function table: what every function of a recording did, with the callers and callees of the chosen one.

mod neighbours;
mod saved;
mod table;
mod ui;
mod view;

use std::sync::Arc;

pub use self::table::FunctionTable;
pub use self::view::FIELD;
pub use self::view::Functions;
use super::{Entry, Pane, SavedViews, View};
use callscape_state::State;
use callscape_state::ask::{Asks, CameraAsk, SelectAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{CallRelation, Function};
use callscape_state::panes::{Kind, Purpose, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "functions",
        title: "Functions",
        key: '4',
        about: "calls and costs of every function, its callers and callees",
        help: "functions: calls, costs",
        kind: Kind::Table,
        // Not in the thesis: a table of what the neighbourhood view draws.
        offers: &[Function, CallRelation],
        purposes: &[Purpose::WhatRuns, Purpose::WhatChanged],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Functions::default()),
};

impl View for Functions {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        let seen = [state.stamps().document, state.stamps().opened];
        let is_other = std::mem::replace(&mut self.seen, seen) != seen;
        let Some(document) = &state.document else {
            self.table = None;
            return;
        };
        let Some(numbers) = &document.functions else {
            self.table = None;
            return;
        };
        let mut is_new = is_other;
        match &mut self.table {
            Some(table) if table.shows(numbers) && !is_other => {}
            Some(table) => {
                table.take(&document.session, Arc::clone(numbers));
                is_new = true;
            }
            None => {
                let numbers = Arc::clone(numbers);
                self.table = Some(FunctionTable::new(&document.session, numbers));
                is_new = true;
            }
        }
        let chosen = document.selection.chosen_stamp();
        if std::mem::replace(&mut self.chosen, chosen) != chosen || is_new {
            self.find_neighbours(document);
            self.at.to_show = self.chosen_row(document);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let Some(table) = &self.table else {
            return;
        };
        let rows = table.rows().len();
        let at = self.chosen_row(document);
        let to = match key {
            // In the search field it takes the first result.
            TableKey::Enter => at.or((rows > 0).then_some(0)),
            _ => self.at.place(key, at, rows),
        };
        let Some(row) = to.and_then(|to| table.row(to)) else {
            return;
        };
        asks.push(SelectAsk::Walk(FunctionTable::pointed(row)));
        if key == TableKey::Enter {
            asks.push(CameraAsk::FlyTo(row.module));
        }
    }

    fn field(&self) -> Option<&'static str> {
        Some(FIELD)
    }

    fn wants_counts(&self) -> bool {
        true
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        saved::restore(self, from, state)
    }
}
