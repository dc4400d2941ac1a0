//! What a session file keeps of the ring chart: what it is sized and coloured by, and its roots. Contexts and functions of one
//! recording always have the same order; where there are more or fewer of them, roots are forgotten.

use serde::{Deserialize, Serialize};

use super::view::{MOST_RINGS, Rings};
use crate::SavedViews;
use crate::parts::kept::{self, Named};
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;
use callscape_layout::rings::Sizing;

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    rings_sizing: Named<Sizing>,
    rings_metric: String,
    rings_colour: String,
    rings_depth: u32,
    rings_merge: Named<Merge>,
    rings_query: String,
    /// The number of the root, and of how many contexts.
    rings_root: Option<(u32, usize)>,
    /// The ways of the root, of those before and of those after, and of how many functions.
    rings_roots: Option<([Vec<Vec<u32>>; 3], usize)>,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::of(&Rings::default())
    }
}

impl Kept {
    fn of(view: &Rings) -> Kept {
        let of = view.counted.shown().map(|it| it.contexts.len());
        let root = view.root.zip(of).or(view.restored.0);
        let functions = view.recording.as_ref().map(|it| it.functions.len());
        let roots = functions.map(|it| (view.roots.kept(), it));
        Kept {
            rings_sizing: Named(view.sizing),
            rings_metric: view.size.clone(),
            rings_colour: view.colour.clone(),
            rings_depth: view.rings,
            rings_merge: Named(view.merge),
            rings_query: view.query.clone(),
            rings_root: root.map(|(root, of)| (root.0, of)),
            rings_roots: roots.or_else(|| view.restored.1.clone()),
        }
    }
}

pub(super) fn save(view: &Rings, out: &mut SavedViews) {
    kept::put(&Kept::of(view), &mut out.shown);
}

/// Shows what a session file says; how many of its names mean nothing.
pub(super) fn restore(view: &mut Rings, from: &SavedViews) -> usize {
    let (kept, lost) = kept::read::<Kept>(&from.shown);
    view.sizing = kept.rings_sizing.0;
    (view.size, view.colour) = (kept.rings_metric, kept.rings_colour);
    view.merge = kept.rings_merge.0;
    view.rings = kept.rings_depth.clamp(1, MOST_RINGS);
    let root = kept.rings_root.map(|(root, of)| (ContextId(root), of));
    (view.restored, view.recording) = ((root, kept.rings_roots), None);
    view.query = kept.rings_query;
    lost
}
