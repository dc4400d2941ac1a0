//! What a session file keeps of the call neighbourhood: the function in the middle by its module and name, how far out it
//! goes, what widths and colours say, and where boxes were put.

use serde::{Deserialize, Serialize};

use super::view::{MOST_STEPS, Neighbourhood};
use crate::SavedViews;
use crate::parts::graph::model::{By, Tint};
use crate::parts::graph::moved::Moved;
use crate::parts::graph::view::{MOST, MOST_OF_ALL};
use crate::parts::kept::{self, Named};
use callscape_state::State;

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    neighbours_middle: Option<[String; 2]>,
    neighbours_steps: u32,
    neighbours_most: u32,
    neighbours_width: Named<By>,
    neighbours_colour: Named<Tint>,
    /// By function in the middle, where the user put boxes.
    neighbours_moved: Moved,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept {
            neighbours_middle: None,
            neighbours_steps: 1,
            neighbours_most: MOST,
            neighbours_width: Named::default(),
            neighbours_colour: Named::default(),
            neighbours_moved: Moved::default(),
        }
    }
}

pub(super) fn save(view: &Neighbourhood, state: &State, out: &mut SavedViews) {
    let middle = view.middle.filter(|_| !view.is_by_itself);
    let middle = middle.and_then(|function| {
        let document = state.document.as_ref()?;
        let hierarchy = &document.session.hierarchy;
        let path = hierarchy.path(document.module_of(function)?);
        let name = document.resolved()?.recording.functions.get(function).name;
        Some([path, name.to_owned()])
    });
    let kept = Kept {
        // What was restored and has not been of use yet is kept.
        neighbours_middle: middle.or_else(|| view.restored.clone()),
        neighbours_steps: view.steps,
        neighbours_most: view.base.most,
        neighbours_width: Named(view.base.by),
        neighbours_colour: Named(view.base.chart.tint),
        neighbours_moved: view.base.boxes(),
    };
    kept::put(&kept, &mut out.shown);
}

/// Shows what a session file says; how much of it means nothing.
pub(super) fn restore(view: &mut Neighbourhood, from: &SavedViews) -> usize {
    let (kept, mut lost) = kept::read::<Kept>(&from.shown);
    view.restored = kept.neighbours_middle;
    view.steps = kept.neighbours_steps.clamp(1, MOST_STEPS);
    view.base.most = kept.neighbours_most.clamp(1, MOST_OF_ALL);
    view.base.by = kept.neighbours_width.0;
    view.base.chart.tint = kept.neighbours_colour.0;
    lost += view.base.restore_boxes(kept.neighbours_moved);
    view.base.revision += 1;
    lost
}
