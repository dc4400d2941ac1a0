//! What a session file keeps of the view: what its rows are, which objects they count, and how.

use serde_json::Value;

use super::choice::{BINS, By, Choice, Column, Mode, Tenths};
use crate::SavedViews;
use callscape_model::memory::BelongsTo;

const ROWS: &str = "memory_rows";
const MODE: &str = "memory_objects";
const CREATOR: &str = "memory_by_creator";
const AGES: &str = "memory_ages";
const TIME: &str = "memory_tenths_of_time";
const SORT: &str = "memory_sort";
const FROM_LARGEST: &str = "memory_from_largest";

pub fn save(choice: &Choice, out: &mut SavedViews) {
    let mut put = |name: &str, value: Value| out.shown.insert(name.to_owned(), value);
    put(ROWS, choice.by.title().into());
    put(MODE, choice.mode.title().into());
    put(CREATOR, (choice.belongs_to == BelongsTo::Creator).into());
    put(AGES, choice.bins.into());
    put(TIME, (choice.tenths == Tenths::Time).into());
    put(SORT, choice.sort.0.title().into());
    put(FROM_LARGEST, choice.sort.1.into());
}

/// What a session file says; how many of its names mean nothing.
pub fn restore(from: &SavedViews) -> (Choice, usize) {
    let mut choice = Choice::default();
    let mut lost = 0;
    let text = |name: &str| from.shown.get(name).and_then(Value::as_str);
    let is_on = |name: &str| from.shown.get(name) == Some(&Value::Bool(true));
    if let Some(title) = text(ROWS) {
        let found = By::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        choice.by = found.unwrap_or_default();
    }
    if let Some(title) = text(MODE) {
        let found = Mode::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        choice.set_mode(found.unwrap_or_default());
    }
    if is_on(CREATOR) {
        choice.belongs_to = BelongsTo::Creator;
    }
    if is_on(TIME) {
        choice.tenths = Tenths::Time;
    }
    if let Some(ages) = from.shown.get(AGES) {
        let wanted = ages.as_u64();
        let found = BINS.into_iter().find(|&it| Some(it as u64) == wanted);
        lost += usize::from(found.is_none());
        choice.bins = found.unwrap_or(choice.bins);
    }
    if let Some(title) = text(SORT) {
        let found = Column::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        choice.sort = match found {
            Some(column) => (column, is_on(FROM_LARGEST)),
            None => choice.sort,
        };
    }
    (choice, lost)
}
