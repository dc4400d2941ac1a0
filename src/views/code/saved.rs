//! What a session file keeps of the code view: which file it shows, where in it, and how lines are coloured.

use serde_json::Value;

use super::numbers::Tint;
use super::{CodeView, TABS};
use crate::SavedViews;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_state::State;
use callscape_state::document::Document;

const FILE: &str = "code_file";
const LINE: &str = "code_line";
const TOP: &str = "code_top";
const COLORS: &str = "code_colours";
const COMPARES: &str = "code_compares";
const IS_BESIDE: &str = "code_both_versions";
const TAB: &str = "code_tab";
const QUERY: &str = "code_query";

/// Where a session file has the view.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// Its path in the structure without a mapping.
    file: String,
    line: Option<u32>,
    top: f64,
}

pub fn save(view: &CodeView, state: &State, out: &mut SavedViews) {
    let document = state.document.as_ref();
    let shown = view.file.zip(document).and_then(|(file, document)| {
        let hierarchy = &document.base.hierarchy;
        (file.index() < hierarchy.len()).then(|| Restored {
            file: hierarchy.path(file),
            line: view.caret.map(|(_, line)| line),
            top: view.scroll.top(),
        })
    });
    // What was restored and has not been of use yet is kept.
    if let Some(of) = view.restored.clone().or(shown) {
        out.shown.insert(FILE.to_owned(), of.file.into());
        out.shown.insert(LINE.to_owned(), of.line.into());
        out.shown.insert(TOP.to_owned(), of.top.into());
    }
    save_habits(view, out);
    out.shown
        .insert(QUERY.to_owned(), view.query.as_str().into());
}

pub fn save_habits(view: &CodeView, out: &mut SavedViews) {
    let mut keep = |name: &str, value: Value| out.shown.insert(name.to_owned(), value);
    keep(COLORS, view.tint.map(Tint::name).into());
    keep(COMPARES, view.compares.into());
    keep(IS_BESIDE, view.is_beside.into());
    keep(TAB, view.tab.into());
}

/// Shows what a session file says; how many of its names mean nothing.
pub fn restore(view: &mut CodeView, from: &SavedViews, state: &State) -> usize {
    let get = |name: &str| from.shown.get(name);
    let mut lost = 0;
    view.tint = None;
    if let Some(name) = get(COLORS).and_then(Value::as_str) {
        let tint = Tint::ALL.into_iter().find(|it| it.name() == name);
        lost += usize::from(tint.is_none());
        view.tint = tint;
    }
    let is = |name: &str, usual: bool| get(name).and_then(Value::as_bool).unwrap_or(usual);
    view.compares = is(COMPARES, true);
    view.is_beside = is(IS_BESIDE, true);
    let number = |name: &str| u32::try_from(get(name)?.as_u64()?).ok();
    view.tab = number(TAB)
        .filter(|tab| TABS.contains(tab))
        .unwrap_or(super::TAB);
    view.query = get(QUERY)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    view.restored = get(FILE).and_then(Value::as_str).map(|file| Restored {
        file: file.to_owned(),
        line: number(LINE).filter(|line| *line > 0),
        top: get(TOP).and_then(Value::as_f64).unwrap_or(0.0),
    });
    let document = state.document.as_ref();
    let is_there =
        |of: &Restored| document.is_some_and(|it| found(&it.base.hierarchy, &of.file).is_some());
    if view.restored.as_ref().is_some_and(|of| !is_there(of)) {
        view.restored = None;
        lost += 1;
    }
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
        let Some(file) = found(&document.base.hierarchy, &of.file) else {
            return false;
        };
        self.show_file(file);
        self.caret = of.line.map(|line| (self.own, line));
        self.scroll.set(of.top);
        true
    }
}
