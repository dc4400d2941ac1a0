//! What a session file keeps of the call tree: what its rows are, which are open, and which columns it has. Contexts of one
//! recording always have the same order; where there are more or fewer of them, it opens as at first.

use serde::{Deserialize, Serialize};

use super::forest::Mode;
use super::view::{Column, Opened, Tree};
use crate::SavedViews;
use crate::parts::kept::{self, Named};

/// More would make the file larger than what it keeps is worth.
const MOST_OPEN: usize = 20_000;

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Rows {
    #[default]
    Calls,
    Callers,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    tree_rows: Rows,
    tree_merges_recursion: bool,
    tree_by_call_site: bool,
    tree_by: Option<Named<Column>>,
    tree_hidden: Vec<Named<Column>>,
    tree_query: String,
    tree_open: Option<Opened>,
}

/// A sandwich is that of a function that may be another one then: its place is taken by the whole tree.
pub(super) fn save(view: &Tree, out: &mut SavedViews) {
    let opened = view.forest.as_ref().map(|forest| Opened {
        of: forest.shown().contexts.len(),
        contexts: forest.open_contexts().iter().map(|it| it.0).collect(),
    });
    // What was restored and has not been of use yet is kept.
    let opened = view.restored.clone().or(opened);
    let by = Column::ALL.into_iter().find(|it| it.by() == view.by);
    let kept = Kept {
        tree_rows: match view.mode {
            Mode::Callers => Rows::Callers,
            Mode::Calls | Mode::Sandwich(_) => Rows::Calls,
        },
        tree_merges_recursion: view.merges_recursion,
        tree_by_call_site: view.by_call_site,
        tree_by: by.map(Named),
        tree_hidden: view.hidden.iter().copied().map(Named).collect(),
        tree_query: view.query.clone(),
        tree_open: opened.filter(|it| (1..=MOST_OPEN).contains(&it.contexts.len())),
    };
    kept::put(&kept, &mut out.shown);
}

/// Shows what a session file says; how many of its names mean nothing.
pub(super) fn restore(view: &mut Tree, from: &SavedViews) -> usize {
    let (kept, lost) = kept::read::<Kept>(&from.shown);
    view.mode = match kept.tree_rows {
        Rows::Calls => Mode::Calls,
        Rows::Callers => Mode::Callers,
    };
    view.merges_recursion = kept.tree_merges_recursion;
    view.by_call_site = kept.tree_by_call_site;
    view.by = kept.tree_by.map(|it| it.0.by()).unwrap_or_default();
    view.hidden = kept.tree_hidden.iter().map(|it| it.0).collect();
    view.query = kept.tree_query;
    view.restored = kept.tree_open.map(|mut opened| {
        opened.contexts.sort_unstable();
        opened
    });
    view.make();
    lost
}
