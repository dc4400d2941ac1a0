//! What a session file keeps of the collaboration view: the paths of unfolded modules, what widths and colours say, how
//! much is shown, and where one looks.

use glam::Vec2;
use serde_json::Value;

use super::super::SavedViews;
use super::{Collaboration, MOST, MOST_LINES, MOST_OF_ALL, paths_of};
use crate::parts::graph::model::{By, Tint};
use crate::parts::graph::sight::Sight;
use callscape_state::State;

const OPEN: &str = "collaboration_unfolded";
const WIDTH: &str = "collaboration_width";
const TINT: &str = "collaboration_colour";
const MOST_BOXES: &str = "collaboration_most";
const SIGHT: &str = "collaboration_sight";

pub fn save(view: &Collaboration, out: &mut SavedViews) {
    let open = view.open.as_ref().zip(view.session.as_ref());
    let open = open.map(|(open, session)| paths_of(session, open));
    // What was restored and has not been of use yet is kept.
    let open = open.or_else(|| view.restored.clone());
    let shown = &mut out.shown;
    shown.insert(OPEN.to_owned(), open.into());
    shown.insert(WIDTH.to_owned(), view.by.title().into());
    shown.insert(TINT.to_owned(), view.chart.tint.title().into());
    shown.insert(
        MOST_BOXES.to_owned(),
        vec![view.most, view.most_lines].into(),
    );
    let sight = view.chart.free().map(|it| vec![it.zoom, it.at.x, it.at.y]);
    shown.insert(SIGHT.to_owned(), sight.into());
}

/// Shows what a session file says; how much of it means nothing.
pub fn restore(view: &mut Collaboration, from: &SavedViews, _state: &State) -> usize {
    let mut lost = 0;
    let there = |name: &str| from.shown.get(name).filter(|it| !it.is_null());
    if let Some(saved) = there(OPEN) {
        view.restored = serde_json::from_value(saved.clone()).ok();
        lost += usize::from(view.restored.is_none());
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
    if let Some(saved) = there(MOST_BOXES) {
        let numbers: Option<[u32; 2]> = serde_json::from_value(saved.clone()).ok();
        lost += usize::from(numbers.is_none());
        let [most, most_lines] = numbers.unwrap_or([MOST, MOST_LINES]);
        view.most = most.clamp(1, MOST_OF_ALL);
        view.most_lines = most_lines.clamp(1, MOST_LINES * 10);
    }
    if let Some(saved) = there(SIGHT) {
        let sight = sight(saved);
        lost += usize::from(sight.is_none());
        view.chart.set_free(sight);
    }
    view.revision += 1;
    lost
}

/// Where one looks; none of what is no number or shows nothing.
fn sight(saved: &Value) -> Option<Sight> {
    let [zoom, x, y]: [f32; 3] = serde_json::from_value(saved.clone()).ok()?;
    let is_good = zoom > 0.0 && zoom.is_finite() && x.is_finite() && y.is_finite();
    is_good.then(|| {
        let sight = Sight {
            zoom,
            at: Vec2::new(x, y),
        };
        sight.zoomed(Vec2::ZERO, 1.0)
    })
}
