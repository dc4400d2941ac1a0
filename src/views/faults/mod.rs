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
mod view;

use std::sync::Arc;

use self::form::Form;
use self::keys::{Does, KEYS};
use self::listing::{Listing, Of};
use self::saved::Kept;
pub(crate) use self::view::FaultsView;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::kept::{self, Named};
use callscape_state::State;
use callscape_state::ask::{Asks, CallWalk, PaneAsk, SelectAsk, TableKey};
use callscape_state::ask::{FindingAsk, Shown};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::{Kind, Purpose, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "faults",
        title: "Faults",
        key: '@',
        about: "what changed since a revision and ran, and what other tools have found",
        help: "faults: what changed and ran, and what other tools have found",
        kind: Kind::Table,
        // Of a recording alone it has nothing: what it lists comes from a repository or another tool, and is chosen by module.
        offers: &[],
        answers: &[],
        purposes: &[Purpose::WhatBroke],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(FaultsView::default()),
};

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
