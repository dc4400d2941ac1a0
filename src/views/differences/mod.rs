//! What two runs have more and less, in numbers, and which function of one is which of the other.

mod causes;
mod keys;
mod pairs;
mod saved;
mod table;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use self::keys::{Does, KEYS};
use self::saved::Kept;
pub(crate) use self::table::{DifferenceTable, Row};
pub(crate) use self::view::Differences;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::kept;
use callscape_model::differences::Of;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, PaneAsk, ViewAsk};
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module};
use callscape_state::panes::{Kind, Needs, Purpose, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "differences",
        title: "Differences",
        key: '6',
        about: "what two runs have more and less, in numbers",
        help: "what differs, in numbers; and which function is which, to be corrected",
        in_scenes: "Table of the differences between two recordings.",
        kind: Kind::Plain,
        needs: Needs::TwoRuns,
        // Not in the thesis: it has one run.
        offers: &[Module, CallRelation],
        answers: &[Function, Module, Call, CallRelation],
        purposes: &[Purpose::Slower, Purpose::WhatChanged],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(Differences::default()),
};

/// Opens the list of causes.
pub fn open_causes() -> Ask {
    let view = ViewId::of(&ENTRY.line);
    Ask::View(Some(view), ViewAsk::Do(Own::of(Does::Causes)))
}

impl View for Differences {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if let Some(document) = &state.document
            && let Some(runs) = &document.runs
        {
            self.update_table(&document.session, runs, &document.cut);
        }
        self.update_contexts(state);
        if self.choice.of == Of::Causes {
            self.causes.update(state);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        if let Some(Does::Causes) = own.action() {
            self.choice.of = Of::Causes;
            self.choice.query.clear();
            let view = ViewId::of(&ENTRY.line);
            if !state.panes.is_visible(view) {
                asks.push(PaneAsk::Toggle(view));
            }
        }
    }

    fn is_waiting(&self) -> bool {
        self.counting.is_some() || self.causes.is_waiting()
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        let document = state.document.as_ref();
        if document.is_some_and(|it| it.runs.is_some()) {
            kept::put(&Kept::of(&self.choice), &mut out.runs);
        }
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        let (kept, lost) = kept::read::<Kept>(&from.runs);
        self.choice = kept.choice();
        lost
    }
}
