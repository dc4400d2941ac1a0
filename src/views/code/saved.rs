//! What a session file keeps of the code view: which file it shows, where in it, and how lines are coloured.

use serde::{Deserialize, Serialize};

use super::numbers::Tint;
use super::view::{CodeView, Restored, TAB, TABS};
use crate::SavedViews;
use crate::parts::kept::{self, Named};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_state::State;
use callscape_state::document::Document;

/// How the user likes it.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Habits {
    code_colours: Option<Named<Tint>>,
    code_compares: bool,
    code_both_versions: bool,
    code_tab: u32,
}

impl Default for Habits {
    fn default() -> Habits {
        Habits {
            code_colours: None,
            code_compares: true,
            code_both_versions: true,
            code_tab: TAB,
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Sought {
    code_query: String,
}

pub(super) fn save(view: &CodeView, state: &State, out: &mut SavedViews) {
    let document = state.document.as_ref();
    let shown = view.file.zip(document).and_then(|(file, document)| {
        let hierarchy = &document.base.hierarchy;
        (file.index() < hierarchy.len()).then(|| Restored {
            code_file: Some(hierarchy.path(file)),
            code_line: view.caret.map(|(_, line)| line),
            code_top: view.scroll.top(),
        })
    });
    // What was restored and has not been of use yet is kept.
    if let Some(of) = view.restored.clone().or(shown) {
        kept::put(&of, &mut out.shown);
    }
    save_habits(view, out);
    let code_query = view.query.clone();
    kept::put(&Sought { code_query }, &mut out.shown);
}

pub(super) fn save_habits(view: &CodeView, out: &mut SavedViews) {
    let habits = Habits {
        code_colours: view.tint.map(Named),
        code_compares: view.compares,
        code_both_versions: view.is_beside,
        code_tab: view.tab,
    };
    kept::put(&habits, &mut out.shown);
}

/// Shows what a session file says; how many of its names mean nothing.
pub(super) fn restore(view: &mut CodeView, from: &SavedViews, state: &State) -> usize {
    let (habits, mut lost) = kept::read::<Habits>(&from.shown);
    view.tint = habits.code_colours.map(|it| it.0);
    view.compares = habits.code_compares;
    view.is_beside = habits.code_both_versions;
    let is_offered = TABS.contains(&habits.code_tab);
    view.tab = if is_offered { habits.code_tab } else { TAB };
    let (sought, odd) = kept::read::<Sought>(&from.shown);
    view.query = sought.code_query;
    lost += odd;
    let (mut restored, odd) = kept::read::<Restored>(&from.shown);
    lost += odd;
    restored.code_line = restored.code_line.filter(|line| *line > 0);
    let document = state.document.as_ref();
    let is_there = restored
        .code_file
        .as_ref()
        .is_some_and(|path| document.is_some_and(|it| found(&it.base.hierarchy, path).is_some()));
    lost += usize::from(restored.code_file.is_some() && !is_there);
    view.restored = is_there.then_some(restored);
    lost
}

fn found(hierarchy: &Hierarchy, path: &str) -> Option<ModuleId> {
    let mut found = ModuleId::ROOT;
    if path == hierarchy.name(found)
        && hierarchy
            .children(found)
            .all(|it| hierarchy.name(it) != path)
    {
        return Some(found);
    }
    let mut rest = path;
    while !rest.is_empty() {
        // A name may itself have a slash in it.
        let mut children = hierarchy.children(found);
        let fits = |name: &str| {
            rest.strip_prefix(name)
                .is_some_and(|more| more.is_empty() || more.starts_with('/'))
        };
        let next = children.find(|&it| fits(hierarchy.name(it)))?;
        let length = hierarchy.name(next).len();
        rest = rest
            .get(length..)
            .unwrap_or_default()
            .trim_start_matches('/');
        found = next;
    }
    Some(found)
}

impl CodeView {
    /// Shows what a session file has; whether that is there.
    pub(super) fn bring_back(&mut self, of: &Restored, document: &Document) -> bool {
        let path = of.code_file.as_deref().unwrap_or_default();
        let Some(file) = found(&document.base.hierarchy, path) else {
            return false;
        };
        self.show_file(file);
        self.caret = of.code_line.map(|line| (self.own, line));
        self.scroll.set(of.code_top);
        true
    }
}
