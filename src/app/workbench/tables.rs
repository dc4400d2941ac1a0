//! What keys do in the tables: the function table and the list of calls.

use super::super::ask::{PlayAsk, TableAsk, TableKey};
use super::super::details::NeighbourOrder;
use super::super::document::Document;
use super::super::sheets::SheetAction;
use super::{Destination, Workbench};
use crate::filter::selection::Pointed;
use crate::views::table::ViewId;

/// The height of a row, in points.
pub const ROW: f32 = 22.0;

/// The place that a key leads to from `at`, of `rows` of which `page` are seen at once; none without rows.
fn place(key: TableKey, at: Option<usize>, rows: usize, page: usize) -> Option<usize> {
    let last = rows.checked_sub(1)?;
    let by = match key {
        TableKey::Rows(by) => by,
        TableKey::Pages(pages) => pages.saturating_mul(page.max(1) as i64),
        TableKey::First => return Some(0),
        TableKey::Last => return Some(last),
        TableKey::Enter => return at,
    };
    Some(match at {
        // The first key finds the first row.
        None => 0,
        Some(at) => at.saturating_add_signed(by as isize).min(last),
    })
}

impl Workbench {
    /// The view under the pointer if it is a table.
    pub fn table_pointed_at(&self) -> Option<ViewId> {
        let view = self.view_pointed_at?;
        matches!(view, ViewId::Functions | ViewId::Calls).then_some(view)
    }

    pub(super) fn on_table(&mut self, ask: TableAsk) {
        match ask {
            TableAsk::SearchFunctions(query) => {
                if let Some((table, session)) = self.document.as_mut().and_then(Document::table) {
                    table.search(session, query);
                    self.row_to_show = Some(0);
                }
            }
            TableAsk::SortFunctions(column) => {
                if let Some((table, session)) = self.document.as_mut().and_then(Document::table) {
                    table.sort_by(session, column);
                    self.row_to_show = Some(0);
                }
            }
            TableAsk::SortNeighbours(order) => self.sort_neighbours(order),
            TableAsk::Press(view, key) => {
                if let Some(view) = view.or_else(|| self.table_pointed_at()) {
                    self.press_on_table(view, key);
                }
            }
            TableAsk::ChooseListed(pointed) => {
                let list_of = self.list_of;
                self.choose(pointed);
                self.list_of = list_of;
                if let Some(call) = pointed.call {
                    self.act_on_sheet(ViewId::Flame, SheetAction::Reveal(call));
                }
            }
            TableAsk::SortCalls(column) => self.sort_calls(column),
            TableAsk::ExportCalls => self.export_calls(),
        }
    }

    fn press_on_table(&mut self, view: ViewId, key: TableKey) {
        // A row of the page before stays in sight.
        let page = |seen: usize| seen.saturating_sub(1);
        match view {
            ViewId::Functions => self.press_on_functions(key, page(self.rows_seen.functions)),
            ViewId::Calls => self.press_on_calls(key, page(self.rows_seen.calls)),
            ViewId::Landscape
            | ViewId::Mural
            | ViewId::Flame
            | ViewId::Differences
            | ViewId::Timelines => {}
        }
    }

    fn press_on_functions(&mut self, key: TableKey, page: usize) {
        let Some(document) = &self.document else {
            return;
        };
        let Some(table) = &document.functions else {
            return;
        };
        let rows = table.rows().len();
        let at = self.chosen_row();
        let to = match key {
            // In the search field it takes the first result.
            TableKey::Enter => at.or((rows > 0).then_some(0)),
            _ => place(key, at, rows, page),
        };
        let Some(row) = to.and_then(|to| table.row(to)) else {
            return;
        };
        let module = row.module;
        let pointed = Pointed {
            module: Some(module),
            function: Some(row.function),
            ..Pointed::default()
        };
        self.walk_to(pointed);
        if key == TableKey::Enter {
            self.fly_there(module);
        }
    }

    fn press_on_calls(&mut self, key: TableKey, page: usize) {
        let (Some(document), Some(list)) = (&self.document, self.work.calls.clone()) else {
            return;
        };
        let chosen = document.selection.chosen;
        let at = chosen.call.and_then(|call| list.place_of(call));
        let to = place(key, at, list.len(), page);
        let Some(row) = to.and_then(|to| list.row(to)) else {
            return;
        };
        let module = document.module_of(row.function);
        let pointed = Pointed {
            module,
            function: Some(row.function),
            call: Some(row.of()),
            thread: Some(row.thread),
            time: Some(row.start),
            ..Pointed::default()
        };
        let list_of = self.list_of;
        self.walk_to(pointed);
        self.list_of = list_of;
        self.execute(PlayAsk::Seek(row.start));
        if key == TableKey::Enter {
            self.act_on_sheet(ViewId::Flame, SheetAction::Fit(row.of()));
            if let Some(module) = module {
                self.fly(Destination::Module(module));
            }
        } else {
            self.act_on_sheet(ViewId::Flame, SheetAction::Reveal(row.of()));
        }
    }

    /// Chooses the next row of a walk, which is one step on the way back however long it is.
    fn walk_to(&mut self, pointed: Pointed) {
        self.choose_next(pointed);
        self.walks = true;
    }

    pub(super) fn sort_neighbours(&mut self, order: NeighbourOrder) {
        let functions = self
            .document
            .as_ref()
            .and_then(|open| Some(&open.resolved()?.recording.functions));
        if let Some(functions) = functions {
            self.function_neighbours
                .sort_by(order, |it| functions.get(it).name);
        }
    }

    /// Where the chosen function stands in its table, else the first of the chosen module.
    pub(super) fn chosen_row(&self) -> Option<usize> {
        let document = self.document.as_ref()?;
        let (table, chosen) = (document.functions.as_ref()?, document.selection.chosen);
        if let Some(function) = chosen.function {
            return table.place_of(function);
        }
        let meant = document.meant(&chosen);
        let mut rows = table.rows();
        rows.position(|row| meant.holds_function(row.function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_within_the_rows() {
        let keys = [
            (TableKey::Rows(1), Some(3), 10, Some(4)),
            (TableKey::Rows(-1), Some(0), 10, Some(0)),
            (TableKey::Rows(1), Some(9), 10, Some(9)),
            (TableKey::Rows(1), None, 10, Some(0)),
            (TableKey::Pages(1), Some(3), 10, Some(8)),
            (TableKey::Pages(-1), Some(3), 10, Some(0)),
            (TableKey::Pages(i64::MAX), Some(3), 10, Some(9)),
            (TableKey::First, Some(3), 10, Some(0)),
            (TableKey::Last, None, 10, Some(9)),
            (TableKey::Last, None, 0, None),
            (TableKey::Enter, None, 10, None),
            (TableKey::Enter, Some(2), 10, Some(2)),
        ];
        for (key, at, rows, to) in keys {
            assert_eq!(place(key, at, rows, 5), to, "{key:?} {at:?}");
        }
    }
}
