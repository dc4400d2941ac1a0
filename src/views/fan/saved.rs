//! What a session file keeps of the compacted call tree: the level that all of it is shown in. What was expanded by itself
//! are contexts of what is open then, and stays behind.

use serde_json::Value;

use super::super::SavedViews;
use super::Fan;

const LEVEL: &str = "fan_level";

pub fn save(view: &Fan, out: &mut SavedViews) {
    out.shown.insert(LEVEL.to_owned(), view.level.max(1).into());
}

pub fn restore(view: &mut Fan, from: &SavedViews) {
    let level = from.shown.get(LEVEL).and_then(Value::as_u64);
    view.level = level.and_then(|it| u16::try_from(it).ok()).unwrap_or(1);
}
