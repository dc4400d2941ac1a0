//! What a session file keeps of the collaboration view: the paths of unfolded modules, what widths and colours say, how
//! much is shown, where one looks, and where boxes were put.

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::view::{Collaboration, MOST_LINES, paths_of};
use crate::SavedViews;
use crate::parts::graph::model::{Arrangement, By, Tint};
use crate::parts::graph::moved::Moved;
use crate::parts::graph::sight::Sight;
use crate::parts::graph::view::MOST_OF_ALL;
use crate::parts::kept::{self, Named};

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    collaboration_unfolded: Option<Vec<String>>,
    collaboration_width: Named<By>,
    collaboration_colour: Named<Tint>,
    collaboration_layout: Named<Arrangement>,
    /// Boxes and lines.
    collaboration_most: [u32; 2],
    /// The zoom, and the place in the middle.
    collaboration_sight: Option<[f32; 3]>,
    /// Where the user put boxes.
    collaboration_moved: Moved,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::of(&Collaboration::default())
    }
}

impl Kept {
    fn of(view: &Collaboration) -> Kept {
        let open = view.open.as_ref().zip(view.session.as_ref());
        let open = open.map(|(open, session)| paths_of(session, open));
        let free = view.base.chart.free();
        Kept {
            // What was restored and has not been of use yet is kept.
            collaboration_unfolded: open.or_else(|| view.restored.clone()),
            collaboration_width: Named(view.base.by),
            collaboration_colour: Named(view.base.chart.tint),
            collaboration_layout: Named(view.arrangement),
            collaboration_most: [view.base.most, view.most_lines],
            collaboration_sight: free.map(|it| [it.zoom, it.at.x, it.at.y]),
            collaboration_moved: view.base.boxes(),
        }
    }
}

pub(super) fn save(view: &Collaboration, out: &mut SavedViews) {
    kept::put(&Kept::of(view), &mut out.shown);
}

/// Shows what a session file says; how much of it means nothing.
pub(super) fn restore(view: &mut Collaboration, from: &SavedViews) -> usize {
    let (kept, mut lost) = kept::read::<Kept>(&from.shown);
    view.restored = kept.collaboration_unfolded;
    view.base.by = kept.collaboration_width.0;
    view.base.chart.tint = kept.collaboration_colour.0;
    view.arrangement = kept.collaboration_layout.0;
    let [most, most_lines] = kept.collaboration_most;
    view.base.most = most.clamp(1, MOST_OF_ALL);
    view.most_lines = most_lines.clamp(1, MOST_LINES * 10);
    if let Some(saved) = kept.collaboration_sight {
        let sight = sight(saved);
        lost += usize::from(sight.is_none());
        view.base.chart.set_free(sight);
    }
    lost += view.base.restore_boxes(kept.collaboration_moved);
    view.base.revision += 1;
    lost
}

/// Where one looks; none of what is no number or shows nothing.
fn sight([zoom, x, y]: [f32; 3]) -> Option<Sight> {
    let is_good = zoom > 0.0 && zoom.is_finite() && x.is_finite() && y.is_finite();
    let at = Vec2::new(x, y);
    let saved = Sight { zoom, at };
    let shown = saved.zoomed(Vec2::ZERO, 1.0);
    // Only a zoom that nobody can choose moves it: rounding would, too.
    is_good.then_some(if shown.zoom == zoom { saved } else { shown })
}
