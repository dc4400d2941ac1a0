//! The views: one folder each, and one line in the registry.
//!
//! A view reads the shared state and changes nothing of it: what the user asks for is queued, and carried out before the
//! next frame. Nobody outside of a view's folder knows more of it than its line.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod calls;
pub mod code;
mod collaboration;
#[cfg(test)]
mod context_tests;
mod differences;
mod fan;
mod faults;
mod findings;
pub mod flame;
mod flame_graph;
pub mod functions;
mod landscape;
#[cfg(test)]
mod linking_tests;
#[cfg(test)]
mod mark_tests;
mod memory;
pub mod mural;
mod neighbours;
mod parts;
pub mod phases;
mod rings;
#[cfg(test)]
mod testing;
mod timelines;
mod tree;
mod view;

pub use self::differences::open_causes;
pub use self::parts::along_time::Scope;
pub use self::parts::pane::{Offer, Pane, Picture, Place, Placed, Split, Surface};
pub use self::parts::{
    both_along_time, causes, hatching, legend, pane, remarks, rows, style, text, tip, widgets,
};
pub use self::view::{Entry, SavedViews, View};
use callscape_facts::recording::Recording;
use callscape_state::panes::ViewId;

/// To add a view is to add a folder here and a line to this table. In the order of their keys; the first is the one that
/// the camera moves in.
pub static REGISTRY: &[&Entry] = &[
    &landscape::ENTRY,
    &mural::ENTRY,
    &flame::ENTRY,
    &functions::ENTRY,
    &calls::ENTRY,
    &differences::ENTRY,
    &timelines::ENTRY,
    &phases::ENTRY,
    &tree::ENTRY,
    &rings::ENTRY,
    &flame_graph::ENTRY,
    &fan::ENTRY,
    &code::ENTRY,
    &collaboration::ENTRY,
    &neighbours::ENTRY,
    &memory::ENTRY,
    &faults::ENTRY,
    &findings::ENTRY,
];

/// All views.
pub fn all() -> Vec<ViewId> {
    REGISTRY
        .iter()
        .map(|entry| ViewId::of(&entry.line))
        .collect()
}

/// The view that the camera moves in.
pub fn main() -> ViewId {
    ViewId::of(&REGISTRY[0].line)
}

/// The view that shows the stacks of recordings without times.
pub fn without_times() -> ViewId {
    ViewId::of(&flame_graph::ENTRY.line)
}

/// The view that shows of a recording what `view` would: one without times has no calls along time, but may have stacks.
pub fn that_shows(view: ViewId, recording: &Recording) -> ViewId {
    let profile = recording.profile.as_ref();
    let has_stacks = profile.is_some_and(|it| it.contexts().is_some());
    match view == ViewId::of(&flame::ENTRY.line) && has_stacks {
        true => without_times(),
        false => view,
    }
}

/// The view with this id, as session files, scenes and the command line name it.
pub fn named(id: &str) -> Option<ViewId> {
    all().into_iter().find(|view| view.id() == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_and_keys_name_one_view_and_stand_in_order() {
        let views = all();
        let ids: BTreeSet<_> = views.iter().map(|view| view.id()).collect();
        let keys: BTreeSet<_> = views.iter().map(|view| view.line().key).collect();
        assert_eq!((ids.len(), keys.len()), (views.len(), views.len()));
        assert!(views.is_sorted());
        for view in views {
            assert_eq!(named(view.id()), Some(view));
        }
    }

    #[test]
    fn an_arrangement_opens_the_views_that_it_names() {
        use callscape_state::panes::{Arrangement, Panes};
        let mut panes = Panes::new(all());
        let named_views = |panes: &Panes| -> Vec<(&str, bool)> {
            let open = panes.open_panes().into_iter();
            open.map(|it| (it.view.id(), it.is_visible)).collect()
        };
        let view = |id: &str| Arrangement::View(id.to_owned());
        let wanted = Arrangement::Column {
            shares: vec![1.0, 1.0],
            parts: vec![
                Arrangement::Tabs {
                    active: 1,
                    parts: vec![view("calls"), view("functions")],
                },
                view("no such view"),
                view("flame"),
            ],
        };
        panes.arrange(&wanted);
        let expected = [("flame", true), ("functions", true), ("calls", false)];
        assert_eq!(named_views(&panes), expected);
        panes.arrange(&view("no such view"));
        assert_eq!(named_views(&panes), [("landscape", true)]);
    }
}
