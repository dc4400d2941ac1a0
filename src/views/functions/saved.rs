//! What a session file keeps of the function table: how it is sorted and searched.

use serde_json::Value;

use super::super::SavedViews;
use super::Functions;
use callscape_model::functions::Column;
use callscape_state::State;

const BY: &str = "functions_by";
const DESCENDING: &str = "functions_descending";
const QUERY: &str = "functions_query";

pub fn save(view: &Functions, out: &mut SavedViews) {
    let sort = view.table.as_ref().map(|table| table.sort());
    let by = sort.map(|(column, _)| column.title().to_lowercase());
    let descending = sort.is_none_or(|(_, descending)| descending);
    let query = view.table.as_ref().map_or("", |table| table.query());
    out.shown.insert(BY.to_owned(), by.into());
    out.shown.insert(DESCENDING.to_owned(), descending.into());
    out.shown.insert(QUERY.to_owned(), query.into());
}

/// Brings the table to where a session file has it; 1 for a column that is not known.
pub fn restore(view: &mut Functions, from: &SavedViews, state: &State) -> usize {
    let (Some(table), Some(document)) = (&mut view.table, &state.document) else {
        return 0;
    };
    let session = &document.session;
    let text = |name: &str| from.shown.get(name).and_then(Value::as_str);
    let descending = from.shown.get(DESCENDING).and_then(Value::as_bool);
    let mut lost = 0;
    if let Some(name) = text(BY) {
        let mut columns = Column::ALL.into_iter();
        match columns.find(|column| column.title().to_lowercase() == name) {
            Some(column) => table.set_sort(session, column, descending.unwrap_or_default()),
            None => lost = 1,
        }
    }
    table.search(session, text(QUERY).unwrap_or_default().to_owned());
    lost
}
