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
use self::listing::{Column, Listing, Of, Row};
use super::found::Found;
use super::rows::place;
use super::{Entry, Pane, SavedViews, View};
use callscape_base::units::ModuleId;
use callscape_state::State;
use callscape_state::action::{Action, Chord, Line, Scope};
use callscape_state::ask::{Asks, CallWalk, CameraAsk, PaneAsk, SelectAsk, TableKey, ViewAsk};
use callscape_state::ask::{FindingAsk, Shown};
use callscape_state::findings::Changed;
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

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
    document.is_some_and(|it| it.selection.marked.is_some())
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
        keys: "Ctrl + P, “changed”, “paste”",
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
        keys: "Ctrl + P, “marked”",
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
    /// What the rows are.
    of: Of,
    /// What they are to be where what changed is shown.
    wanted: Of,
    /// Other than at first.
    sort: Option<(Column, bool)>,
    listing: Arc<Listing>,
    made_for: Option<MadeFor>,
    /// What is asked for next, while it is.
    form: Option<Form>,
    /// Revisions that one may mean, of which folder.
    revisions: Found<std::path::PathBuf, Offered>,
    hunks: Hunks,
    /// The chosen row.
    row: Option<usize>,
    /// It is to be brought into sight.
    row_to_show: Option<usize>,
    /// What was chosen in the frame before.
    chosen: u64,
    rows_seen: usize,
    is_finding: bool,
}

impl FaultsView {
    /// What changed, and the number of the fault that the chosen row is about.
    fn chosen_fault<'a>(&self, state: &'a State) -> Option<(&'a Arc<Changed>, usize)> {
        let document = state.document.as_ref()?;
        let row = self.listing.rows.get(self.row?)?;
        let is_shown = state.findings.shown == Shown::Changed;
        let changed = state.findings.changed_in(&document.base);
        Some((changed.filter(|_| is_shown)?, row.fault?))
    }

    /// Has the chosen row be one that is about `module`: where it is so already it stays. O(rows).
    fn follow(&mut self, module: Option<ModuleId>) {
        let is_of = |row: &Row| module.is_some() && row.module == module;
        let rows = &self.listing.rows;
        let stays = self.row.filter(|&it| rows.get(it).is_some_and(is_of));
        self.row = stays.or_else(|| rows.iter().position(is_of));
        self.row_to_show = self.row;
    }

    fn press(&mut self, key: TableKey, asks: &mut Asks) {
        let rows = self.listing.rows.len();
        let to = place(key, self.row, rows, self.rows_seen.saturating_sub(1));
        let Some((to, row)) = to.and_then(|to| Some((to, self.listing.rows.get(to)?))) else {
            return;
        };
        (self.row, self.row_to_show) = (Some(to), Some(to));
        // What did not run is not in what is open.
        let Some(module) = row.module else {
            return;
        };
        asks.push(SelectAsk::Walk(row.pointed()));
        if key == TableKey::Enter {
            asks.push(CameraAsk::FlyTo(module));
        }
    }

    /// Sorts by a column; by the one that it is sorted by already, the other way round.
    fn sort_by(&mut self, column: Column) {
        self.sort = match self.sort.or(self.of.order()) {
            Some((same, from_largest)) if same == column => Some((column, !from_largest)),
            // Names are read from A, numbers from the largest.
            _ => Some((column, column.is_number())),
        };
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
                    let found = callscape_source::history::revisions(&dir, MOST_OFFERED);
                    Ok(found.map_err(|error| error.to_string()))
                };
                callscape_state::job::Job::named("listing revisions", state.waker(), work)
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
        let of = match state.findings.shown {
            Shown::Changed => self.wanted,
            _ => Of::Functions,
        };
        if std::mem::replace(&mut self.of, of) != of {
            self.sort = None;
        }
        let wanted = (
            [state.findings.stamp, state.stamps().document],
            self.of,
            self.sort,
        );
        let chosen = document.selection.chosen_stamp();
        let mut is_other = std::mem::replace(&mut self.chosen, chosen) != chosen;
        if self.made_for != Some(wanted) {
            let listing = Listing::new(state, document, self.of, self.sort);
            self.made_for = Some(wanted);
            if listing != *self.listing {
                self.listing = Arc::new(listing);
                self.row = None;
                is_other = true;
            }
        }
        if is_other {
            self.follow(document.selection.chosen.module);
        }
        self.hunks.update(state, self.chosen_fault(state));
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
        self.row_to_show = None;
    }

    fn on(&mut self, ask: ViewAsk, state: &State, asks: &mut Asks) {
        match ask {
            ViewAsk::Press(key) => self.press(key, asks),
            ViewAsk::Do(id) => self.do_action(id, state, asks),
            _ => {}
        }
    }

    fn is_waiting(&self) -> bool {
        self.is_finding || self.hunks.is_waiting()
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }
}
