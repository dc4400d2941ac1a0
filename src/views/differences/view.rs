//! What the view knows, and what it does with that.

use super::table::{Compared, Contexts, DifferenceTable};
use crate::parts::causes::Causes;
use crate::parts::list::At;
use callscape_analysis::comparison::contexts::ContextTree;
use callscape_analysis::session::Session;
use callscape_filter::cut::Cut;
use callscape_model::differences::{Choice, Of};
use callscape_model::pairs::PairRow;
use callscape_state::State;
use callscape_state::job::Job;
use callscape_state::runs::{ContextsOf, Runs};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Differences {
    pub(super) choice: Choice,
    pub(super) table: Arc<DifferenceTable>,
    /// The same of calling contexts.
    pub(super) contexts: Arc<DifferenceTable>,
    /// Which function is which, as far as that is asked for.
    pub(super) pairs_found: Arc<[PairRow]>,
    /// The rows of A and of B that are marked, and the runs that they are of.
    pub(super) marked: [Option<u32>; 2],
    pub(super) at: At,
    pub(super) pairs_at: At,
    /// What the table was made of and how.
    pub(super) made_for: Option<(u64, Choice, Cut)>,
    /// Counts the calling contexts in which two runs differ, what they were counted of, and the list of which numbers
    /// and choice.
    pub(super) counting: Option<Job<(ContextsOf, Arc<ContextTree>, DifferenceTable)>>,
    pub(super) tree: Option<(ContextsOf, Arc<ContextTree>)>,
    pub(super) counted_for: Option<(u64, Choice)>,
    /// Why the whole of B is more or less.
    pub(super) causes: Causes,
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
    pub(super) fn update_table(&mut self, session: &Session, runs: &Runs, cut: &Cut) {
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
    pub(super) fn update_contexts(&mut self, state: &State) {
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
