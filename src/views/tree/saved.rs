//! What a session file keeps of the call tree: what its rows are, and which columns it has.

use serde_json::Value;

use super::super::SavedViews;
use super::{Column, Mode, Tree};

const ROWS: &str = "tree_rows";
const MERGES: &str = "tree_merges_recursion";
const BY: &str = "tree_by";
const HIDDEN: &str = "tree_hidden";

const CALLS: &str = "calls";
const CALLERS: &str = "callers";

/// A sandwich is that of a function that may be another one then: its place is taken by the whole tree.
pub fn save(view: &Tree, out: &mut SavedViews) {
    let rows = match view.mode {
        Mode::Callers => CALLERS,
        Mode::Calls | Mode::Sandwich(_) => CALLS,
    };
    let by = Column::ALL.into_iter().find(|it| it.by() == view.by);
    let hidden: Vec<&str> = view.hidden.iter().map(|it| it.title()).collect();
    out.shown.insert(ROWS.to_owned(), rows.into());
    let merges = view.merges_recursion;
    out.shown.insert(MERGES.to_owned(), merges.into());
    out.shown
        .insert(BY.to_owned(), by.map(Column::title).into());
    out.shown.insert(HIDDEN.to_owned(), hidden.into());
}

/// Shows what a session file says; how many of its names mean nothing.
pub fn restore(view: &mut Tree, from: &SavedViews) -> usize {
    let mut lost = 0;
    let text = |name: &str| from.shown.get(name).and_then(Value::as_str);
    let mode = match text(ROWS) {
        Some(CALLERS) => Mode::Callers,
        Some(CALLS) | None => Mode::Calls,
        Some(_) => {
            lost += 1;
            Mode::Calls
        }
    };
    let mut column = |title: &str| {
        let found = Column::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        found
    };
    let by = text(BY).and_then(&mut column).map(Column::by);
    let hidden = from.shown.get(HIDDEN).and_then(Value::as_array);
    let hidden = hidden.into_iter().flatten().filter_map(Value::as_str);
    view.hidden = hidden.filter_map(column).collect();
    view.merges_recursion = from.shown.get(MERGES) == Some(&Value::Bool(true));
    view.by = by.unwrap_or_default();
    view.mode = mode;
    view.make();
    lost
}
