//! What the view knows, and what it does with that.

use serde::{Deserialize, Serialize};

use super::forest::{By, Forest, Mode};
use crate::parts::contexts::{Counted, pointed_at};
use crate::parts::hits::Hits;
use crate::parts::kept::choices;
use crate::parts::list::At;
use crate::parts::noted::Noted;
use callscape_base::units::FunctionId;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::document::Document;

/// The field's id, so that keys go to it while it has the focus.
pub(crate) const FIELD: &str = "call tree search";

/// Which rows are open, of so many contexts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Opened {
    pub of: usize,
    pub contexts: Vec<u32>,
}

/// So many rows are seen at first.
pub(super) const FIRST_ROWS: usize = 40;

choices! {
    /// The columns that can be left out.
    pub(crate) enum Column {
        Total = "total", "With all that is called";
        Share = "%", "The total as share of the whole";
        Own = "self", "Without callees";
        Calls = "calls", "How often";
        Average = "average", "Total a call";
        Waiting = "waiting", "Waiting time within the total";
        Other = "other run", "The total of the same contexts in the other run";
        Delta = "Δ", "How much more the run shown has than the other one; by its size";
    }
}

impl Column {
    pub(super) fn by(self) -> By {
        match self {
            Column::Total | Column::Share => By::Total,
            Column::Own => By::Own,
            Column::Calls => By::Calls,
            Column::Average => By::Average,
            Column::Waiting => By::Waiting,
            Column::Other => By::Other,
            Column::Delta => By::Delta,
        }
    }
}

#[derive(Default)]
pub(crate) struct Tree {
    pub(super) counted: Counted,
    pub(super) forest: Option<Forest>,
    pub(super) mode: Mode,
    pub(super) by: By,
    pub(super) merges_recursion: bool,
    /// Calls from different lines are different rows; recursion is not merged then.
    pub(super) by_call_site: bool,
    /// Columns that are not shown.
    pub(super) hidden: Vec<Column>,
    pub(super) query: String,
    /// The row that the keys move from.
    pub(super) row: Option<u32>,
    pub(super) at: At,
    /// What is meant by what is pointed at and by what is chosen.
    pub(super) hits: [Hits; 2],
    /// What was chosen when rows were last brought into sight, and the way to it.
    pub(super) chosen: u64,
    /// Chosen here: nothing moves for it.
    pub(super) is_own: bool,
    pub(super) noted: Noted,
    /// The open rows from a session file, until the contexts are counted.
    pub(super) restored: Option<Opened>,
}

impl Tree {
    pub(super) fn make(&mut self) {
        let shown = self.counted.shown().cloned();
        let (mode, by) = (self.mode, self.by);
        self.forest = shown.map(|shown| Forest::new(shown, mode, by, FIRST_ROWS));
        (self.row, self.at.to_show) = (None, Some(0));
    }

    /// Opens or closes rows by `does`, and notes it in words for the list of changes, which brings it back where rows are
    /// contexts.
    pub(super) fn note<T>(
        &mut self,
        (words, node): (&str, u32),
        document: &Document,
        asks: &mut Asks,
        does: impl FnOnce(&mut Forest) -> T,
    ) -> Option<T> {
        let forest = self.forest.as_mut()?;
        let open = |forest: &Forest| -> Vec<u32> {
            let contexts = forest.open_contexts().into_iter().map(|it| it.0);
            std::iter::once(forest.shown().contexts.len() as u32)
                .chain(contexts)
                .collect()
        };
        let before = open(forest);
        let done = does(forest);
        let both = [before, open(forest)];
        let name =
            callscape_base::escape::name(function_name(document, forest.node(node).function));
        let words = format!("{words} {name} in the call tree");
        self.noted.note(words, both, asks);
        Some(done)
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.make();
        }
    }

    /// Brings what was chosen elsewhere into sight.
    pub(super) fn follow(&mut self, document: &Document) {
        let chosen = document.selection.chosen_stamp();
        if std::mem::replace(&mut self.chosen, chosen) == chosen {
            return;
        }
        if document.chosen_way().is_some() {
            self.set_mode(Mode::Calls);
        }
        let (Some(forest), false) = (&mut self.forest, std::mem::take(&mut self.is_own)) else {
            return;
        };
        let largest = self.hits[1].largest(forest.shown());
        if let Some(node) = largest.and_then(|it| forest.reveal(it)) {
            self.row = Some(node);
            self.at.to_show = forest.place_of(node);
        }
    }

    /// Where the keys are: the row that was chosen here, if it is seen.
    pub(super) fn place(&self) -> Option<usize> {
        self.forest.as_ref()?.place_of(self.row?)
    }

    pub(super) fn choose(
        &mut self,
        node: u32,
        ask: fn(Pointed) -> SelectAsk,
        document: &Document,
        asks: &mut Asks,
    ) {
        self.row = Some(node);
        if let Some(forest) = &self.forest {
            let pointed = pointed_at(document, forest.node(node).function);
            self.is_own = document.selection.chosen != document.complete(pointed);
            self.at.to_show = forest.place_of(node);
            asks.push(ask(pointed));
        }
    }

    /// Goes to the next row whose name holds the query.
    pub(super) fn find_next(&mut self, document: &Document, asks: &mut Asks) {
        let Some(forest) = &self.forest else {
            return;
        };
        let rows = forest.rows();
        let from = self.place().map_or(0, |it| it + 1);
        let query = self.query.to_lowercase();
        let is_found = |node: u32| {
            let function = forest.node(node).function;
            function_name(document, function)
                .to_lowercase()
                .contains(&query)
        };
        let behind = rows.iter().skip(from).chain(rows.iter().take(from));
        let found = behind.copied().find(|&node| is_found(node));
        if let Some(node) = found {
            self.choose(node, SelectAsk::Walk, document, asks);
        }
    }

    /// The rows that are seen, as text: numbers, and names set in by their depth.
    pub(super) fn text(&self, document: &Document) -> String {
        let Some(forest) = &self.forest else {
            return String::new();
        };
        let mut text = String::from("total\tself\tcalls\tfunction\n");
        for &node in forest.rows() {
            let of = forest.node(node);
            let indent = "  ".repeat((of.depth as usize).min(60));
            text.push_str(&format!(
                "{}\t{}\t{}\t{indent}{}\n",
                document.show_cost(of.sums.total),
                document.show_cost(of.sums.own),
                of.sums.calls,
                callscape_base::escape::name(function_name(document, of.function)),
            ));
        }
        text
    }
}

/// The name of a function of the run shown.
pub(super) fn function_name(document: &Document, function: FunctionId) -> &str {
    document.function_name(function)
}
