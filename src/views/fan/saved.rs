//! What a session file keeps of the compacted call tree: the level of each context, as runs of equal ones, and what is in
//! sight. Contexts of one recording always have the same order; of another tree the levels are forgotten.

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::view::{Colour, Fan, ZOOM};
use crate::SavedViews;
use crate::parts::kept::{self, Named};
use callscape_base::units::ContextId;

/// More runs would make the file larger than what it keeps is worth.
const MOST_RUNS: usize = 20_000;

/// Runs of equal levels: the level, and how many contexts have it.
fn runs(levels: &[u16]) -> impl Iterator<Item = (u16, u32)> + '_ {
    let runs = levels.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as u32))
}

/// The levels of so many contexts; none where there are more or fewer in the runs.
pub(super) fn levels(runs: &[(u16, u32)], contexts: usize) -> Option<Vec<u16>> {
    let count: u64 = runs.iter().map(|it| u64::from(it.1)).sum();
    let all = runs
        .iter()
        .flat_map(|&(level, count)| std::iter::repeat_n(level, count as usize));
    (count == contexts as u64).then(|| all.collect())
}

/// The levels and the collapsed branches in numbers, for the list of changes: of how many runs, the runs, and the first
/// contexts. Empty where there are too many.
pub(super) fn numbers(view: &Fan) -> Vec<u32> {
    let Some(of) = &view.compacted else {
        return Vec::new();
    };
    let runs: Vec<(u16, u32)> = runs(of.compaction.levels()).take(MOST_RUNS + 1).collect();
    if runs.len() > MOST_RUNS {
        return Vec::new();
    }
    let mut numbers = vec![runs.len() as u32];
    numbers.extend(
        runs.into_iter()
            .flat_map(|(level, count)| [level.into(), count]),
    );
    numbers.extend(view.discs.collapsed.iter().map(|it| it.0));
    numbers
}

/// Has the view show what these numbers say, as soon as it is made.
pub(super) fn bring(view: &mut Fan, numbers: &[u32]) {
    let Some((runs, rest)) = numbers.split_first() else {
        return;
    };
    let (runs, collapsed) = rest
        .split_at_checked(*runs as usize * 2)
        .unwrap_or_default();
    let runs = runs.chunks_exact(2).map(|it| (it[0] as u16, it[1]));
    view.restored = Some(runs.collect());
    view.collapsed = collapsed.iter().copied().map(ContextId).collect();
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    fan_levels: Option<Vec<(u16, u32)>>,
    /// The first contexts of discs whose branches are collapsed.
    fan_collapsed: Vec<u32>,
    fan_colour: Named<Colour>,
    /// The zoom, and how far the middle is moved.
    fan_sight: [f32; 3],
}

pub(super) fn save(view: &Fan, out: &mut SavedViews) {
    let levels = view.compacted.as_ref().map(|it| it.compaction.levels());
    let levels = levels.map(|it| runs(it).take(MOST_RUNS + 1).collect::<Vec<_>>());
    // What was restored and has not been of use yet is kept.
    let levels = levels.or_else(|| view.restored.clone());
    let kept = Kept {
        fan_collapsed: match view.compacted.is_some() && view.restored.is_none() {
            true => view.discs.collapsed.iter().map(|it| it.0).collect(),
            false => view.collapsed.iter().map(|it| it.0).collect(),
        },
        fan_levels: levels.filter(|it| it.len() <= MOST_RUNS),
        fan_colour: Named(view.colour),
        fan_sight: [view.zoom, view.pan.x, view.pan.y],
    };
    kept::put(&kept, &mut out.shown);
}

/// Shows what a session file says; how much of it means nothing.
pub(super) fn restore(view: &mut Fan, from: &SavedViews) -> usize {
    let (kept, lost) = kept::read::<Kept>(&from.shown);
    view.restored = kept.fan_levels;
    view.collapsed = kept.fan_collapsed.into_iter().map(ContextId).collect();
    view.colour = kept.fan_colour.0;
    let [zoom, x, y] = kept.fan_sight;
    // Without a zoom it was saved before anything was seen.
    if zoom != 0.0 && kept.fan_sight.iter().all(|it| it.is_finite()) {
        view.zoom = zoom.clamp(ZOOM[0], ZOOM[1]);
        view.pan = Vec2::new(x, y);
    }
    lost
}
