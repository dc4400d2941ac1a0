//! What a session file keeps of the call tree: what its rows are, which are open, and which columns it has. Contexts of one
//! recording always have the same order; where there are more or fewer of them, it opens as at first.

use serde_json::Value;

use super::super::SavedViews;
use super::{Column, Mode, Tree};
use callscape_base::units::ContextId;

const ROWS: &str = "tree_rows";
const MERGES: &str = "tree_merges_recursion";
const BY: &str = "tree_by";
const HIDDEN: &str = "tree_hidden";
const QUERY: &str = "tree_query";
/// How many contexts there are, and which of them are open.
const OPEN: &str = "tree_open";

/// More would make the file larger than what it keeps is worth.
const MOST_OPEN: usize = 20_000;

/// Which rows are open, of so many contexts.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    pub of: usize,
    pub contexts: Vec<ContextId>,
}

const CALLS: &str = "calls";
const CALLERS: &str = "callers";

/// A sandwich is that of a function that may be another one then: its place is taken by the whole tree.
pub fn save(view: &Tree, out: &mut SavedViews) {
    let rows = match view.mode {
        Mode::Callers => CALLERS,
        Mode::Calls | Mode::Sandwich(_) => CALLS,
    };
    let opened = view.forest.as_ref().map(|forest| Opened {
        of: forest.shown().contexts.len(),
        contexts: forest.open_contexts(),
    });
    // What was restored and has not been of use yet is kept.
    let opened = view.restored.clone().or(opened);
    let opened = opened.filter(|it| (1..=MOST_OPEN).contains(&it.contexts.len()));
    let opened = opened.map(|it| {
        let contexts: Vec<u32> = it.contexts.iter().map(|it| it.0).collect();
        serde_json::json!({"of": it.of, "contexts": contexts})
    });
    out.shown.insert(OPEN.to_owned(), opened.into());
    let by = Column::ALL.into_iter().find(|it| it.by() == view.by);
    let hidden: Vec<&str> = view.hidden.iter().map(|it| it.title()).collect();
    out.shown.insert(ROWS.to_owned(), rows.into());
    let merges = view.merges_recursion;
    out.shown.insert(MERGES.to_owned(), merges.into());
    out.shown
        .insert(BY.to_owned(), by.map(Column::title).into());
    out.shown.insert(HIDDEN.to_owned(), hidden.into());
    out.shown
        .insert(QUERY.to_owned(), view.query.as_str().into());
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
    view.query = text(QUERY).unwrap_or_default().to_owned();
    view.merges_recursion = from.shown.get(MERGES) == Some(&Value::Bool(true));
    let opened = from.shown.get(OPEN).filter(|it| !it.is_null());
    view.restored = opened.and_then(opened_of);
    lost += usize::from(opened.is_some() && view.restored.is_none());
    view.by = by.unwrap_or_default();
    view.mode = mode;
    view.make();
    lost
}

fn opened_of(saved: &Value) -> Option<Opened> {
    let contexts = saved.get("contexts")?.as_array()?.iter();
    let contexts = contexts.map(|it| u32::try_from(it.as_u64()?).ok().map(ContextId));
    let mut contexts = contexts.collect::<Option<Vec<ContextId>>>()?;
    contexts.sort_unstable();
    let of = usize::try_from(saved.get("of")?.as_u64()?).ok()?;
    Some(Opened { of, contexts })
}
