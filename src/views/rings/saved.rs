//! What a session file keeps of the ring chart: what it is sized and coloured by, and its root. Contexts of one recording
//! always have the same order; where there are more or fewer of them, the root is forgotten.

use serde_json::Value;

use super::super::SavedViews;
use super::{FIRST_RINGS, MOST_RINGS, Metric, Rings, Tint, sizing_title};
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;
use callscape_layout::rings::Sizing;

const SIZING: &str = "rings_sizing";
const METRIC: &str = "rings_metric";
const TINT: &str = "rings_colour";
const DEPTH: &str = "rings_depth";
const MERGE: &str = "rings_merge";
const QUERY: &str = "rings_query";
/// The number of the root, and of how many contexts.
const ROOT: &str = "rings_root";

/// How contexts are merged, by name.
pub const MERGES: [(Merge, &str); 3] = [
    (Merge::Paths, "all calls"),
    (Merge::Recursion, "without recursion"),
    (Merge::Functions, "by function"),
];

pub fn save(view: &Rings, out: &mut SavedViews) {
    let merge = MERGES.iter().find(|it| it.0 == view.merge);
    let shown = &mut out.shown;
    shown.insert(SIZING.to_owned(), sizing_title(view.sizing).into());
    shown.insert(METRIC.to_owned(), view.metric.title().into());
    shown.insert(TINT.to_owned(), view.tint.title().into());
    shown.insert(DEPTH.to_owned(), view.rings.into());
    shown.insert(MERGE.to_owned(), merge.map(|it| it.1).into());
    shown.insert(QUERY.to_owned(), view.query.as_str().into());
    let of = view.counted.shown().map(|it| it.contexts.len());
    let root = view.root.zip(of).or(view.restored);
    let root = root.map(|(root, of)| vec![root.index(), of]);
    shown.insert(ROOT.to_owned(), root.into());
}

/// Shows what a session file says; how many of its names mean nothing.
pub fn restore(view: &mut Rings, from: &SavedViews) -> usize {
    let mut lost = 0;
    let text = |name: &str| from.shown.get(name).and_then(Value::as_str);
    let mut count = |is_known: bool| lost += usize::from(!is_known);
    if let Some(title) = text(SIZING) {
        let found = Sizing::ALL
            .into_iter()
            .find(|it| sizing_title(*it) == title);
        count(found.is_some());
        view.sizing = found.unwrap_or_default();
    }
    if let Some(title) = text(METRIC) {
        let found = Metric::ALL.into_iter().find(|it| it.title() == title);
        count(found.is_some());
        view.metric = found.unwrap_or_default();
    }
    if let Some(title) = text(TINT) {
        let found = Tint::ALL.into_iter().find(|it| it.title() == title);
        count(found.is_some());
        view.tint = found.unwrap_or_default();
    }
    if let Some(title) = text(MERGE) {
        let found = MERGES.into_iter().find(|it| it.1 == title);
        count(found.is_some());
        view.merge = found.map_or(Merge::Paths, |it| it.0);
    }
    let depth = from.shown.get(DEPTH).and_then(Value::as_u64);
    let depth = depth.and_then(|it| u32::try_from(it).ok());
    view.rings = depth.unwrap_or(FIRST_RINGS).clamp(1, MOST_RINGS);
    let root = from.shown.get(ROOT).filter(|it| !it.is_null());
    view.restored = root.and_then(|it| match it.as_array().map(Vec::as_slice) {
        Some([root, of]) => {
            let root = u32::try_from(root.as_u64()?).ok()?;
            Some((ContextId(root), usize::try_from(of.as_u64()?).ok()?))
        }
        _ => None,
    });
    lost += usize::from(root.is_some() && view.restored.is_none());
    view.query = text(QUERY).unwrap_or_default().to_owned();
    lost
}
