//! What a session file keeps of the table of differences: what it lists, and how it is sorted and searched.

use serde_json::Value;

use super::super::SavedViews;
use super::Differences;
use callscape_model::differences::{By, Choice, Of};
use callscape_state::State;

const LIST: &str = "list";
const SORTED_BY: &str = "sorted_by";
const IS_REVERSED: &str = "is_reversed";
const QUERY: &str = "query";

/// Nothing where there are no two runs.
pub fn save(view: &Differences, state: &State, out: &mut SavedViews) {
    let runs = state.document.as_ref().and_then(|it| it.runs.as_ref());
    if runs.is_none() {
        return;
    }
    let choice = &view.choice;
    let runs = &mut out.runs;
    runs.insert(LIST.to_owned(), choice.of.title().into());
    runs.insert(SORTED_BY.to_owned(), choice.by.title().into());
    runs.insert(IS_REVERSED.to_owned(), choice.is_reversed.into());
    runs.insert(QUERY.to_owned(), choice.query.as_str().into());
}

/// Lists what a session file says; how many of its names mean nothing.
pub fn restore(view: &mut Differences, from: &SavedViews) -> usize {
    let text = |name: &str| from.runs.get(name).and_then(Value::as_str);
    let (list, by) = (text(LIST), text(SORTED_BY));
    let of = Of::ALL.into_iter().find(|of| Some(of.title()) == list);
    let sorted = By::ALL.into_iter().find(|by_| Some(by_.title()) == by);
    view.choice = Choice {
        of: of.unwrap_or_default(),
        by: sorted.unwrap_or_default(),
        is_reversed: from.runs.get(IS_REVERSED) == Some(&Value::Bool(true)),
        query: text(QUERY).unwrap_or_default().to_owned(),
    };
    usize::from(list.is_some() && of.is_none()) + usize::from(by.is_some() && sorted.is_none())
}
