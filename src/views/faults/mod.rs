//! From "it broke since last week" to the function: what changed since a revision and ran, the most suspect first, with what
//! speaks for it and the changes themselves; and the functions in which other tools have found something.
//!
//! Source: chapter 7 of Bohnet's thesis, which combines what changed and what other tools found with what ran.

mod details;
mod form;
mod hunks;
mod listing;
mod saved;
mod table;
#[cfg(test)]
mod tests;
mod ui;

use std::sync::Arc;

use self::form::{Form, Offered};
use self::hunks::Hunks;
use self::listing::{Column, Listing, Of};
use super::found::Found;
use super::rows::place;
use super::{Entry, Pane, SavedViews, View};
use crate::filter::selection::Pointed;
use crate::state::State;
use crate::state::action::{Action, Chord, Line, Scope};
use crate::state::ask::{Asks, CallWalk, CameraAsk, PaneAsk, SelectAsk, TableKey, ViewAsk};
use crate::state::ask::{FindingAsk, Shown};
use crate::state::document::Document;
use crate::state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "faults",
        title: "Faults",
        key: '@',
        about: "what changed since a revision and ran, and what other tools have found",
        help: "faults: what changed and ran, and what other tools have found",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Table,
        needs: Needs::Recording,
        // Of a recording alone it has nothing: what it lists comes from a repository or another tool, and is chosen by module.
        offers: &[],
        answers: &[],
        opens_for: &[],
        purposes: &[Purpose::WhatBroke],
    },
    keys: &KEYS,
    open: || Box::new(FaultsView::default()),
};

const SINCE: &str = "faults.since";
const PASTE: &str = "faults.paste";
const NEXT: &str = "faults.next";
const PREVIOUS: &str = "faults.previous";
const COLOR: &str = "faults.color";

fn has_source(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.inputs.source_dir.is_some() && it.resolved().is_some())
}

fn has_marked(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.playback.is_some() && it.selection.marked.is_some())
}

static KEYS: [Line; 3] = [
    Line {
        keys: "Alt + N, Alt + Shift + N",
        text: "next and previous call of a function that changed, or in which a tool has found something",
        actions: &[
            Action::own(
                Scope::Anywhere,
                NEXT,
                "Next call of what is marked",
                "Chooses the next call of any function that is marked: that changed, or in which another tool has found something.",
                &[Chord::letter('n').alt()],
            )
            .repeating()
            .when(has_marked),
            Action::own(
                Scope::Anywhere,
                PREVIOUS,
                "Previous call of what is marked",
                "Chooses the call before of any function that is marked.",
                &[Chord::letter('n').alt().shift()],
            )
            .repeating()
            .when(has_marked),
        ],
    },
    Line {
        keys: "Ctrl + P",
        text: "what changed since a revision, and results of other tools that are pasted",
        actions: &[
            Action::own(
                Scope::Anywhere,
                SINCE,
                "What changed since…",
                "Asks for a revision in which all was well, and lists what changed since then and ran, the most suspect first.",
                &[],
            )
            .when(has_source),
            Action::own(
                Scope::Anywhere,
                PASTE,
                "Paste results…",
                "Takes the results of a linter, a search, a compiler or a stack trace from the clipboard, and marks the functions that ran.",
                &[],
            )
            .when(has_source),
        ],
    },
    Line {
        keys: "Ctrl + P",
        text: "have what is marked stand out in the landscape",
        actions: &[Action::own(
            Scope::Anywhere,
            COLOR,
            "Colour what is marked",
            "Has the functions that are marked stand out in the landscape, the rest in neutral colours; or no longer.",
            &[],
        )
        .when(has_marked)],
    },
];

/// So many tags, and as many commits, are offered.
const MOST_OFFERED: usize = 60;

/// What a list was made of: stamps of findings and document, what its rows are, and what they are sorted by.
type MadeFor = ([u64; 2], Of, Option<(Column, bool)>);

#[derive(Default)]
pub struct FaultsView {
    of: Of,
    sort: Option<(Column, bool)>,
    listing: Arc<Listing>,
    made_for: Option<MadeFor>,
    /// What is asked for next, while it is.
    form: Option<Form>,
    /// Revisions that one may mean, of which folder.
    revisions: Found<std::path::PathBuf, Offered>,
    hunks: Hunks,
    /// The stamps when the chosen row was last brought into sight.
    row_to_show: Option<usize>,
    chosen: Pointed,
    rows_seen: usize,
    is_finding: bool,
}

impl FaultsView {
    /// Where the chosen function stands in the list.
    fn chosen_row(&self, document: &Document) -> Option<usize> {
        let chosen = document.selection.chosen.module?;
        self.listing
            .rows
            .iter()
            .position(|it| it.module == Some(chosen))
    }

    fn press(&self, key: TableKey, document: &Document, asks: &mut Asks) {
        let rows = self.listing.rows.len();
        let at = self.chosen_row(document);
        let to = place(key, at, rows, self.rows_seen.saturating_sub(1));
        let Some(row) = to.and_then(|to| self.listing.rows.get(to)) else {
            return;
        };
        asks.push(SelectAsk::Walk(row.pointed()));
        if let Some(module) = row.module.filter(|_| key == TableKey::Enter) {
            asks.push(CameraAsk::FlyTo(module));
        }
    }

    fn do_action(&mut self, id: &str, state: &State, asks: &mut Asks) {
        let view = ViewId::of(&ENTRY.line);
        match id {
            NEXT => asks.push(SelectAsk::GoToCall(CallWalk::NextMarked)),
            PREVIOUS => asks.push(SelectAsk::GoToCall(CallWalk::PreviousMarked)),
            COLOR => asks.push(FindingAsk::Color(!state.findings.is_colored)),
            SINCE | PASTE => {
                if !state.panes.is_visible(view) {
                    asks.push(PaneAsk::Toggle(view));
                }
                self.form = Some(match id {
                    SINCE => Form::since(state),
                    _ => Form::paste(),
                });
            }
            _ => {}
        }
    }

    /// Begins to list the revisions that one may mean, while one is asked for.
    fn update_revisions(&mut self, state: &State) {
        let dir = state
            .document
            .as_ref()
            .and_then(|it| it.inputs.source_dir.clone());
        let asks_for_one = matches!(self.form, Some(Form::Since { .. }));
        if let Some(dir) = dir.filter(|_| asks_for_one) {
            self.revisions.want(dir.clone(), || {
                let work = move |_: &_| {
                    let found = crate::source::history::revisions(&dir, MOST_OFFERED);
                    Ok(found.map_err(|error| error.to_string()))
                };
                crate::state::job::Job::named("listing revisions", state.waker(), work)
            });
        }
        self.revisions.poll();
    }
}

impl View for FaultsView {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        self.is_finding = state.findings.is_under_way();
        let Some(document) = &state.document else {
            return;
        };
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        self.update_revisions(state);
        if state.findings.shown != Shown::Changed && self.of != Of::Functions {
            self.of = Of::Functions;
        }
        let wanted = (
            [state.findings.stamp, state.stamps.document],
            self.of,
            self.sort,
        );
        let is_new = self.made_for != Some(wanted);
        if is_new {
            self.listing = Arc::new(Listing::new(state, document, self.of, self.sort));
            self.made_for = Some(wanted);
        }
        let chosen = document.selection.chosen;
        if std::mem::replace(&mut self.chosen, chosen) != chosen || is_new {
            self.row_to_show = self.chosen_row(document);
        }
        let row = self.chosen_row(document);
        let row = row.and_then(|it| self.listing.rows.get(it));
        self.hunks.update(state, row);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
        self.row_to_show = None;
    }

    fn on(&mut self, ask: ViewAsk, state: &State, asks: &mut Asks) {
        match (ask, &state.document) {
            (ViewAsk::Press(key), Some(document)) => self.press(key, document, asks),
            (ViewAsk::Do(id), _) => self.do_action(id, state, asks),
            _ => {}
        }
    }

    fn is_waiting(&self) -> bool {
        self.is_finding || self.hunks.is_waiting()
    }

    fn reset(&mut self) {
        *self = FaultsView::default();
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }
}
