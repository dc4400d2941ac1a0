//! What a session file keeps of the call neighbourhood: the function in the middle by its module and name, how far out it
//! goes, what widths and colours say.

use serde_json::Value;

use super::super::SavedViews;
use super::{MOST_OF_ALL, MOST_STEPS, Neighbourhood};
use crate::parts::graph::model::{By, Tint};
use callscape_state::State;

const MIDDLE: &str = "neighbours_middle";
const STEPS: &str = "neighbours_steps";
const MOST: &str = "neighbours_most";
const WIDTH: &str = "neighbours_width";
const TINT: &str = "neighbours_colour";

pub fn save(view: &Neighbourhood, state: &State, out: &mut SavedViews) {
    let middle = view
        .middle
        .filter(|_| !view.is_by_itself)
        .and_then(|function| {
            let document = state.document.as_ref()?;
            let path = document
                .session
                .hierarchy
                .path(document.module_of(function)?);
            let name = document.resolved()?.recording.functions.get(function).name;
            Some(vec![path, name.to_owned()])
        });
    // What was restored and has not been of use yet is kept.
    let middle = middle.or_else(|| view.restored.clone().map(Vec::from));
    let shown = &mut out.shown;
    shown.insert(MIDDLE.to_owned(), middle.into());
    shown.insert(STEPS.to_owned(), view.steps.into());
    shown.insert(MOST.to_owned(), view.most.into());
    shown.insert(WIDTH.to_owned(), view.by.title().into());
    shown.insert(TINT.to_owned(), view.chart.tint.title().into());
}

/// Shows what a session file says; how much of it means nothing.
pub fn restore(view: &mut Neighbourhood, from: &SavedViews) -> usize {
    let mut lost = 0;
    let there = |name: &str| from.shown.get(name).filter(|it| !it.is_null());
    if let Some(saved) = there(MIDDLE) {
        view.restored = serde_json::from_value(saved.clone()).ok();
        lost += usize::from(view.restored.is_none());
    }
    let number = |name: &str, most: u32| {
        let saved = there(name)?;
        let found = saved.as_u64().and_then(|it| u32::try_from(it).ok());
        Some(found.map(|it| it.clamp(1, most)))
    };
    if let Some(steps) = number(STEPS, MOST_STEPS) {
        lost += usize::from(steps.is_none());
        view.steps = steps.unwrap_or(1);
    }
    if let Some(most) = number(MOST, MOST_OF_ALL) {
        lost += usize::from(most.is_none());
        view.most = most.unwrap_or(super::MOST);
    }
    if let Some(title) = there(WIDTH).and_then(Value::as_str) {
        let found = By::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        view.by = found.unwrap_or_default();
    }
    if let Some(title) = there(TINT).and_then(Value::as_str) {
        let found = Tint::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        view.chart.tint = found.unwrap_or_default();
    }
    view.revision += 1;
    lost
}
