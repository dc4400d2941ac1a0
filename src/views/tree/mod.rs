//! The calling contexts as a table whose rows open: what is called in what, the hottest first; or the other way round,
//! who calls what costs; or all callers above one function and all callees below it.

mod forest;
mod keys;
mod saved;
#[cfg(test)]
mod tests;
mod ui;

use serde_json::{Map, Value};

use self::forest::{By, Forest, Mode, Node};
use self::keys::{Does, KEYS};
use super::{Entry, Pane, SavedViews, View};
use crate::parts::contexts::{Counted, Hits, pointed_at};
use crate::parts::kept::choices;
use crate::parts::list::At;
use callscape_base::progress::Progress;
use callscape_base::units::{ContextId, FunctionId};
use callscape_facts::contexts::Merge;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, CameraAsk, SelectAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "tree",
        title: "Call tree",
        key: '9',
        about: "calling contexts as a table: callees and callers",
        help: "call tree as a table: the hottest first, callers, callees",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Table,
        needs: Needs::Recording,
        offers: &[Function, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimeRange],
        opens_for: &[],
        purposes: &[Purpose::TimeGoes],
    },
    keys: KEYS,
    open: || Box::new(Tree::default()),
};

/// The field's id, so that keys go to it while it has the focus.
pub(crate) const FIELD: &str = "call tree search";

/// So many rows are seen at first.
const FIRST_ROWS: usize = 40;

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
    fn by(self) -> By {
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
    counted: Counted,
    forest: Option<Forest>,
    mode: Mode,
    by: By,
    merges_recursion: bool,
    /// Columns that are not shown.
    hidden: Vec<Column>,
    query: String,
    /// The row that the keys move from.
    row: Option<u32>,
    at: At,
    /// What is meant by what is pointed at and by what is chosen.
    hits: [Hits; 2],
    /// What was chosen when rows were last brought into sight, and the way to it.
    chosen: u64,
    /// Chosen here: nothing moves for it.
    is_own: bool,
    /// The open rows from a session file, until the contexts are counted.
    restored: Option<saved::Opened>,
}

impl Tree {
    fn make(&mut self) {
        let shown = self.counted.shown().cloned();
        let (mode, by) = (self.mode, self.by);
        self.forest = shown.map(|shown| Forest::new(shown, mode, by, FIRST_ROWS));
        (self.row, self.at.to_show) = (None, Some(0));
    }

    fn set_mode(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.make();
        }
    }

    /// Brings what was chosen elsewhere into sight.
    fn follow(&mut self, document: &Document) {
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
    fn place(&self) -> Option<usize> {
        self.forest.as_ref()?.place_of(self.row?)
    }

    fn choose(
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
    fn find_next(&mut self, document: &Document, asks: &mut Asks) {
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
    fn text(&self, document: &Document) -> String {
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
fn function_name(document: &Document, function: FunctionId) -> &str {
    document.function_name(function)
}

impl View for Tree {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        let merge = match self.merges_recursion {
            true => Merge::Recursion,
            false => Merge::Paths,
        };
        let is_new = self.counted.update(state, merge);
        if is_new {
            self.make();
        }
        if !self.counted.is_waiting()
            && let Some(forest) = self.forest.as_mut()
            && let Some(opened) = self.restored.take()
            && forest.shown().contexts.len() == opened.of
        {
            let contexts: Vec<ContextId> = opened.contexts.into_iter().map(ContextId).collect();
            forest.open_alone(&contexts);
        }
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown()) else {
            return;
        };
        let selection = &document.selection;
        let of = [&selection.pointed, &selection.chosen];
        let ways = [None, document.chosen_way()];
        for ((hits, of), way) in self.hits.iter_mut().zip(of).zip(ways) {
            hits.find(document, shown, of, way);
        }
        if is_new {
            self.chosen = 0;
        }
        self.follow(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let Some(forest) = &self.forest else {
            return;
        };
        let at = self.place();
        if key == TableKey::Enter && !self.query.is_empty() {
            return self.find_next(document, asks);
        }
        let rows = forest.rows().len();
        let to = self.at.place(key, at, rows);
        let Some(node) = to.and_then(|to| forest.at(to)) else {
            return;
        };
        let function = forest.node(node).function;
        self.choose(node, SelectAsk::Walk, document, asks);
        if key == TableKey::Enter {
            asks.extend(document.module_of(function).map(CameraAsk::FlyTo));
        }
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let (Some(does), Some(document)) = (own.action::<Does>(), &state.document) else {
            return;
        };
        let at = self.place().unwrap_or(0);
        let Some(forest) = &mut self.forest else {
            return;
        };
        let Some(node) = forest.at(at) else {
            return;
        };
        let to = match does {
            Does::Open if forest.change(node, true) => Some(node),
            Does::Open => forest.at(at + 1),
            Does::Close if forest.change(node, false) => Some(node),
            Does::Close => forest.parent(node),
            Does::Hottest => Some(forest.open_hottest(node)),
            Does::Invert => {
                return self.set_mode(match self.mode {
                    Mode::Callers => Mode::Calls,
                    _ => Mode::Callers,
                });
            }
            Does::Sandwich => {
                let chosen = document.selection.chosen.function;
                let function = chosen.unwrap_or(forest.node(node).function);
                return self.set_mode(match self.mode {
                    Mode::Sandwich(_) => Mode::Calls,
                    _ => Mode::Sandwich(function),
                });
            }
        };
        if let Some(to) = to {
            self.choose(to, SelectAsk::Walk, document, asks);
        }
    }

    fn field(&self) -> Option<&'static str> {
        Some(FIELD)
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.counted.progress()
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(forest) = &self.forest else { return };
        let context = self.row.and_then(|row| forest.context(row));
        let log = serde_json::json!({
            "rows": forest.rows().len(),
            "place": self.place(),
            "context": context.map(|it| it.0),
            "chosen": self.hits[1].count(),
        });
        line.insert("tree".to_owned(), log);
    }
}
