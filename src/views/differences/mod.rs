//! What two runs have more and less, in numbers, and which function of one is which of the other.

mod causes;
mod keys;
mod pairs;
mod saved;
mod table;
#[cfg(test)]
mod tests;
mod ui;

use std::sync::Arc;

use self::keys::{Does, KEYS};
use self::saved::Kept;
pub(crate) use self::table::{Compared, Contexts, DifferenceTable, Row};
use super::{Entry, Pane, SavedViews, View};
use crate::parts::causes::Causes;
use crate::parts::kept;
use crate::parts::list::At;
use callscape_analysis::comparison::contexts::ContextTree;
use callscape_analysis::session::Session;
use callscape_filter::cut::Cut;
use callscape_model::differences::{Choice, Of};
use callscape_model::pairs::PairRow;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, PaneAsk, ViewAsk};
use callscape_state::job::Job;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};
use callscape_state::runs::{ContextsOf, Runs};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "differences",
        title: "Differences",
        key: '6',
        about: "what two runs have more and less, in numbers",
        help: "what differs, in numbers; and which function is which, to be corrected",
        in_scenes: "Table of the differences between two recordings.",
        side: Side::Right,
        kind: Kind::Plain,
        needs: Needs::TwoRuns,
        // Not in the thesis: it has one run.
        offers: &[Module, CallRelation],
        answers: &[Function, Module, Call, CallRelation],
        opens_for: &[],
        purposes: &[Purpose::Slower, Purpose::WhatChanged],
    },
    keys: KEYS,
    open: || Box::new(Differences::default()),
};

#[derive(Default)]
pub(crate) struct Differences {
    choice: Choice,
    table: Arc<DifferenceTable>,
    /// The same of calling contexts.
    contexts: Arc<DifferenceTable>,
    /// Which function is which, as far as that is asked for.
    pairs_found: Arc<[PairRow]>,
    /// The rows of A and of B that are marked, and the runs that they are of.
    marked: [Option<u32>; 2],
    at: At,
    pairs_at: At,
    /// What the table was made of and how.
    made_for: Option<(u64, Choice, Cut)>,
    /// Counts the calling contexts in which two runs differ, what they were counted of, and the list of which numbers
    /// and choice.
    counting: Option<Job<(ContextsOf, Arc<ContextTree>, DifferenceTable)>>,
    tree: Option<(ContextsOf, Arc<ContextTree>)>,
    counted_for: Option<(u64, Choice)>,
    /// Why the whole of B is more or less.
    causes: Causes,
}

/// The table of what differs; relations are between modules where `cut` has some stand for others. O(n log n).
pub(crate) fn table(runs: &Runs, session: &Session, cut: &Cut, choice: &Choice) -> DifferenceTable {
    let is_whole = cut.collapsed().next().is_none();
    let displayed = (!is_whole).then(|| cut.displayed(&session.hierarchy));
    let names = runs.names_of_rows(session);
    let modules = runs.modules(session);
    let compared = Compared {
        session,
        displayed: displayed.as_deref(),
        modules: &modules,
        functions: &runs.functions,
        relations: &runs.relations,
        difference: &runs.difference,
    };
    let name = |row: u32| names.get(row as usize).copied().unwrap_or_default();
    DifferenceTable::new(&compared, choice, name)
}

/// The calling contexts that differ, as `choice` says. For a worker thread.
pub(crate) fn context_table(
    runs: &Runs,
    session: &Session,
    tree: &ContextTree,
    choice: &Choice,
) -> DifferenceTable {
    let contexts = Contexts {
        tree,
        is_swapped: runs.is_swapped(),
        modules: &runs.modules(session),
        names: &runs.names_of_rows(session),
    };
    DifferenceTable::of_contexts(&contexts, runs.difference.amount.clone(), choice)
}

impl Differences {
    /// Makes the table anew where what it shows has changed. O(n log n) then.
    fn update_table(&mut self, session: &Session, runs: &Runs, cut: &Cut) {
        let of = match self.choice.of {
            Of::Relations => cut.clone(),
            _ => Cut::all(),
        };
        let wanted = (runs.revision(), self.choice.clone(), of);
        if self.made_for.as_ref() == Some(&wanted) {
            return;
        }
        self.table = Arc::new(table(runs, session, cut, &self.choice));
        self.pairs_found = match self.choice.of {
            Of::Pairs => runs.pairs.found(&self.choice.query).into(),
            _ => Arc::default(),
        };
        self.made_for = Some(wanted);
    }

    /// Begins to list the calling contexts in which two runs differ, and takes what was found.
    fn update_contexts(&mut self, state: &State) {
        if let Some(done) = self.counting.as_ref().and_then(Job::poll) {
            self.counting = None;
            if let Ok((of, tree, table)) = done {
                self.tree = Some((of, tree));
                self.contexts = Arc::new(table);
            }
        }
        let Some(document) = state
            .document
            .as_ref()
            .filter(|_| self.choice.of == Of::Contexts)
        else {
            return;
        };
        let Some(runs) = document.runs.clone() else {
            return;
        };
        let wanted = (runs.revision(), self.choice.clone());
        if self.counted_for.as_ref() == Some(&wanted) {
            return;
        }
        self.counted_for = Some(wanted);
        let (session, choice) = (Arc::clone(&document.session), self.choice.clone());
        let of = runs.contexts_of(document.selection.range);
        let known = self.tree.clone().filter(|(known, _)| *known == of);
        self.counting = Some(Job::start(state.waker(), move |progress| {
            let tree = match known {
                Some((_, tree)) => tree,
                None => Arc::new(of.count(progress)?),
            };
            let table = context_table(&runs, &session, &tree, &choice);
            Ok((of, tree, table))
        }));
    }
}

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
