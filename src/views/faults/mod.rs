//! From "it broke since last week" to the function: what changed since a revision and ran, the most suspect first, with what
//! speaks for it and the changes themselves; and the functions in which other tools have found something.
//!
//! Source: chapter 7 of Bohnet's thesis, which combines what changed and what other tools found with what ran.

mod details;
mod form;
mod hunks;
mod keys;
mod listing;
mod saved;
mod table;
#[cfg(test)]
mod tests;
mod ui;

use std::sync::Arc;

use self::form::{Form, Offered};
use self::hunks::Hunks;
use self::keys::{Does, KEYS};
use self::listing::{Column, Listing, Of, Row};
use self::saved::Kept;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::found::Found;
use crate::parts::kept::{self, Named};
use crate::parts::list::{At, turned};
use callscape_base::units::ModuleId;
use callscape_state::State;
use callscape_state::ask::{Asks, CallWalk, CameraAsk, PaneAsk, SelectAsk, TableKey};
use callscape_state::ask::{FindingAsk, Shown};
use callscape_state::document::Document;
use callscape_state::findings::Changed;
use callscape_state::own::Own;
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
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
    keys: KEYS,
    open: || Box::new(FaultsView::default()),
};

/// So many tags, and as many commits, are offered.
const MOST_OFFERED: usize = 60;

/// What a list was made of: stamps of findings and document, what its rows are, and what they are sorted by.
type MadeFor = ([u64; 2], Of, Option<(Column, bool)>);

#[derive(Default)]
pub(crate) struct FaultsView {
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
    at: At,
    /// What was chosen in the frame before.
    chosen: u64,
    is_finding: bool,
}

impl FaultsView {
    /// Goes to another row.
    fn walk(&mut self, key: TableKey, asks: &mut Asks) {
        let rows = self.listing.rows.len();
        let to = self.at.place(key, self.row, rows);
        let Some((to, row)) = to.and_then(|to| Some((to, self.listing.rows.get(to)?))) else {
            return;
        };
        (self.row, self.at.to_show) = (Some(to), Some(to));
        // What did not run is not in what is open.
        let Some(module) = row.module else {
            return;
        };
        asks.push(SelectAsk::Walk(row.pointed()));
        if key == TableKey::Enter {
            asks.push(CameraAsk::FlyTo(module));
        }
    }

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
        self.at.to_show = self.row;
    }

    /// Sorts by a column; by the one that it is sorted by already, the other way round.
    fn sort_by(&mut self, column: Column) {
        // Names are read from A, numbers from the largest.
        let falls = column.is_number();
        let before = self.sort.or(self.of.order());
        let sort = before.map_or((column, falls), |it| turned(it, column, falls));
        self.sort = Some(sort);
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
    }

    fn press(&mut self, key: TableKey, _document: &Document, asks: &mut Asks) {
        self.walk(key, asks);
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let view = ViewId::of(&ENTRY.line);
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::Next => asks.push(SelectAsk::GoToCall(CallWalk::NextMarked)),
            Does::Previous => asks.push(SelectAsk::GoToCall(CallWalk::PreviousMarked)),
            Does::Color => asks.push(FindingAsk::Color(!state.findings.is_colored)),
            Does::Since | Does::Paste => {
                if !state.panes.is_visible(view) {
                    asks.push(PaneAsk::Toggle(view));
                }
                self.form = Some(match does {
                    Does::Since => Form::since(state),
                    _ => Form::paste(),
                });
            }
        }
    }

    fn is_waiting(&self) -> bool {
        self.is_finding || self.hunks.is_waiting()
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        let faults_rows = Named(self.wanted);
        kept::put(&Kept { faults_rows }, &mut out.shown);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        let (kept, lost) = kept::read::<Kept>(&from.shown);
        self.wanted = kept.faults_rows.0;
        lost
    }
}
