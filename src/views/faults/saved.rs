//! What a session file keeps of the view: what its rows are. What is looked for is of the inputs.

use serde_json::Value;

use super::FaultsView;
use super::listing::Of;
use crate::SavedViews;
use callscape_state::State;

const ROWS: &str = "faults_rows";

pub fn save(view: &FaultsView, _state: &State, out: &mut SavedViews) {
    let rows = Value::from(view.wanted.id());
    out.shown.insert(ROWS.to_owned(), rows);
}

/// How many names mean nothing.
pub fn restore(view: &mut FaultsView, from: &SavedViews) -> usize {
    let Some(id) = from.shown.get(ROWS).and_then(Value::as_str) else {
        return 0;
    };
    let found = Of::ALL.into_iter().find(|it| it.id() == id);
    view.wanted = found.unwrap_or_default();
    usize::from(found.is_none())
}
