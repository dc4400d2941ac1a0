//! What the view knows, and what it does with that.

use super::table::FunctionTable;
use crate::parts::list::At;
use callscape_model::functions::Column;
use callscape_state::details::{FunctionNeighbours, NeighbourOrder};
use callscape_state::document::Document;

/// The field's id, so that keys go to it while it has the focus.
pub const FIELD: &str = "function search";

#[derive(Default)]
pub struct Functions {
    pub(super) table: Option<FunctionTable>,
    /// Callers and callees of the chosen function.
    pub(super) neighbours: FunctionNeighbours,
    /// What was chosen when they were found.
    pub(super) chosen: u64,
    pub(super) at: At,
    /// The stamps of the document and of what was opened that it shows.
    pub(super) seen: [u64; 2],
}

impl Functions {
    /// Where the chosen function stands in the table, else the first of the chosen module.
    pub(super) fn chosen_row(&self, document: &Document) -> Option<usize> {
        let (table, chosen) = (self.table.as_ref()?, document.selection.chosen);
        if let Some(function) = chosen.function {
            return table.place_of(function);
        }
        let meant = document.meant(&chosen);
        let mut rows = table.rows();
        rows.position(|row| meant.holds_function(row.function))
    }

    pub(super) fn find_neighbours(&mut self, document: &Document) {
        let order = self.neighbours.order;
        let function = document.selection.chosen.function;
        self.neighbours = match function.filter(|_| document.resolved().is_some()) {
            Some(function) => {
                let name = |it| document.function_name(it);
                let found = document.calls.of_function(function, order, name);
                match &document.runs {
                    Some(runs) => found.of_both(runs),
                    None => found,
                }
            }
            None => FunctionNeighbours {
                order,
                ..FunctionNeighbours::default()
            },
        };
    }

    pub(super) fn sort_neighbours(&mut self, document: &Document, order: NeighbourOrder) {
        let name = |it| document.function_name(it);
        self.neighbours.sort_by(order, name);
    }

    pub(super) fn sort_by(&mut self, document: &Document, column: Column) {
        if let Some(table) = &mut self.table {
            table.sort_by(&document.session, column);
            self.at.to_show = Some(0);
        }
    }

    pub(super) fn search(&mut self, document: &Document, query: String) {
        if let Some(table) = &mut self.table {
            table.search(&document.session, query);
            self.at.to_show = Some(0);
        }
    }
}
