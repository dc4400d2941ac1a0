//! What a session file keeps of the compacted call tree: the level of each context, as runs of equal ones, and what is in
//! sight. Contexts of one recording always have the same order; of another tree the levels are forgotten.

use glam::Vec2;
use serde_json::Value;

use super::super::SavedViews;
use super::{Fan, Tint, ZOOM};

const LEVELS: &str = "fan_levels";
const SIGHT: &str = "fan_sight";
const TINT: &str = "fan_colour";

/// More runs would make the file larger than what it keeps is worth.
const MOST_RUNS: usize = 20_000;

/// Runs of equal levels: the level, and how many contexts have it.
fn runs(levels: &[u16]) -> impl Iterator<Item = (u16, u32)> + '_ {
    let runs = levels.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as u32))
}

/// The levels of so many contexts; none where there are more or fewer in the runs.
pub fn levels(runs: &[(u16, u32)], contexts: usize) -> Option<Vec<u16>> {
    let count: u64 = runs.iter().map(|it| u64::from(it.1)).sum();
    let all = runs
        .iter()
        .flat_map(|&(level, count)| std::iter::repeat_n(level, count as usize));
    (count == contexts as u64).then(|| all.collect())
}

pub fn save(view: &Fan, out: &mut SavedViews) {
    let levels = view.compacted.as_ref().map(|it| it.compaction.levels());
    let levels = levels.map(|it| runs(it).take(MOST_RUNS + 1).collect::<Vec<_>>());
    // What was restored and has not been of use yet is kept.
    let levels = levels.or_else(|| view.restored.clone());
    let levels = levels.filter(|it| it.len() <= MOST_RUNS);
    let levels = levels.and_then(|it| serde_json::to_value(it).ok());
    out.shown.insert(LEVELS.to_owned(), levels.into());
    out.shown.insert(TINT.to_owned(), view.tint.title().into());
    let sight = [view.zoom, view.pan.x, view.pan.y];
    out.shown.insert(SIGHT.to_owned(), sight.to_vec().into());
}

/// Shows what a session file says; how much of it means nothing.
pub fn restore(view: &mut Fan, from: &SavedViews) -> usize {
    let mut lost = 0;
    if let Some(saved) = from.shown.get(LEVELS).filter(|it| !it.is_null()) {
        view.restored = serde_json::from_value(saved.clone()).ok();
        lost += usize::from(view.restored.is_none());
    }
    if let Some(title) = from.shown.get(TINT).and_then(Value::as_str) {
        let found = Tint::ALL.into_iter().find(|it| it.title() == title);
        lost += usize::from(found.is_none());
        view.tint = found.unwrap_or_default();
    }
    if let Some(Value::Array(sight)) = from.shown.get(SIGHT) {
        let numbers = sight.iter().filter_map(Value::as_f64);
        let numbers: Vec<f32> = numbers
            .map(|it| it as f32)
            .filter(|it| it.is_finite())
            .collect();
        match numbers[..] {
            // It was saved before anything was seen.
            [0.0, ..] => {}
            [zoom, x, y] => {
                view.zoom = zoom.clamp(ZOOM[0], ZOOM[1]);
                view.pan = Vec2::new(x, y);
            }
            _ => lost += 1,
        }
    }
    lost
}
