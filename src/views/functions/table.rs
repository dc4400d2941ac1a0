//! The numbers of functions, sorted and searched.

use std::sync::Arc;

use crate::parts::list::turned;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, ModuleId};
use callscape_filter::selection::Pointed;
use callscape_model::functions::{Column, FunctionNumbers, FunctionRow};

/// The table of one recording.
#[derive(Clone, Debug)]
pub struct FunctionTable {
    numbers: Arc<FunctionNumbers>,
    query: String,
    sort: (Column, bool),
    /// Which of the functions that were called are shown, in order.
    shown: Vec<u32>,
    /// The largest self cost of those.
    most_self: Cost,
    /// The self costs of all functions.
    whole: u64,
}

impl FunctionTable {
    /// All functions that were called, the costliest first.
    pub fn new(session: &Session, numbers: Arc<FunctionNumbers>) -> FunctionTable {
        let mut table = FunctionTable {
            numbers,
            query: String::new(),
            sort: (Column::Total, true),
            shown: Vec::new(),
            most_self: Cost::ZERO,
            whole: 0,
        };
        table.arrange(session);
        table
    }

    /// Shows other numbers, sorted and searched as before.
    pub fn take(&mut self, session: &Session, numbers: Arc<FunctionNumbers>) {
        self.numbers = numbers;
        self.arrange(session);
    }

    /// Whether it shows these numbers.
    pub fn shows(&self, numbers: &Arc<FunctionNumbers>) -> bool {
        Arc::ptr_eq(&self.numbers, numbers)
    }

    pub fn sort(&self) -> (Column, bool) {
        self.sort
    }

    pub fn query(&self) -> &str {
        &self.query
    }

    /// How many functions were called in the range.
    pub fn called(&self) -> usize {
        self.numbers.rows().len()
    }

    /// The rows shown, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &FunctionRow> {
        self.shown
            .iter()
            .map(|&row| &self.numbers.rows()[row as usize])
    }

    /// What all functions cost, of which [`Column::Share`] says the share.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// The largest self cost of the rows shown.
    pub fn most_self(&self) -> Cost {
        self.most_self
    }

    /// The row shown at this place.
    pub fn row(&self, place: usize) -> Option<&FunctionRow> {
        self.numbers.rows().get(*self.shown.get(place)? as usize)
    }

    /// What is meant by a row.
    pub fn pointed(row: &FunctionRow) -> Pointed {
        Pointed {
            module: Some(row.module),
            function: Some(row.function),
            ..Pointed::default()
        }
    }

    /// Where the row of a function is shown.
    pub fn place_of(&self, function: FunctionId) -> Option<usize> {
        self.rows().position(|row| row.function == function)
    }

    /// Sorts by `column`, from the largest or not.
    pub fn set_sort(&mut self, session: &Session, column: Column, descending: bool) {
        if self.sort != (column, descending) {
            self.sort = (column, descending);
            self.arrange(session);
        }
    }

    /// Sorts by `column`; by the one that it is sorted by already, the other way round.
    pub fn sort_by(&mut self, session: &Session, column: Column) {
        // Names are read from A, numbers from the largest.
        let falls = !matches!(column, Column::Name | Column::Module);
        self.sort = turned(self.sort, column, falls);
        self.arrange(session);
    }

    /// Shows only functions whose name or module holds `query`, whatever the case of ASCII letters.
    pub fn search(&mut self, session: &Session, query: String) {
        let wanted = |query: &str| query.trim().to_ascii_lowercase();
        let (old, new) = (wanted(&self.query), wanted(&query));
        self.query = query;
        // Whoever types on is shown some of what is shown, in the same order.
        if new.contains(&old) {
            let (mut shown, rows) = (std::mem::take(&mut self.shown), self.numbers.rows());
            if let Some(resolved) = session.recordings.get(self.numbers.recording()) {
                shown.retain(|&row| {
                    rows.get(row as usize)
                        .is_some_and(|row| fits(session, resolved, row, &new))
                });
            }
            self.shown = shown;
            self.measure();
        } else {
            self.arrange(session);
        }
    }

    fn measure(&mut self) {
        let own = self.rows().map(|row| row.metrics.self_cost);
        self.most_self = own.max().unwrap_or_default();
        let all = self.numbers.rows().iter();
        let all = all.map(|row| row.metrics.self_cost.size());
        self.whole = all.fold(0, u64::saturating_add);
    }

    /// Finds out which rows are shown, and in which order.
    fn arrange(&mut self, session: &Session) {
        self.shown.clear();
        let Some(resolved) = session.recordings.get(self.numbers.recording()) else {
            return;
        };
        let recording = self.numbers.recording();
        let query = self.query.trim().to_ascii_lowercase();
        let rows = self.numbers.rows().iter().zip(0..);
        let found = rows.filter(|(row, _)| fits(session, resolved, row, &query));
        self.shown.extend(found.map(|(_, place)| place));
        let rows = self.numbers.rows();
        let of = |place: u32| &rows[place as usize];
        let number = |place: u32| match self.sort.0 {
            Column::Name | Column::Module => 0,
            Column::Calls => of(place).metrics.calls,
            Column::Total | Column::Share => of(place).metrics.total.size(),
            Column::SelfCost => of(place).metrics.self_cost.size(),
            Column::Waiting => of(place).metrics.waiting.ns(),
            Column::SelfWaiting => of(place).metrics.self_waiting.ns(),
            Column::Average => of(place).average().ns(),
            Column::Min => of(place).extremes.map_or(0, |(min, _)| min.ns()),
            Column::Max => of(place).extremes.map_or(0, |(_, max)| max.ns()),
        };
        // Stable: equals stay in the order of their first appearance.
        match self.sort {
            (Column::Name, descending) => {
                let name = |&place: &u32| {
                    session
                        .function_name(recording, of(place).function)
                        .to_lowercase()
                };
                self.shown.sort_by_cached_key(name);
                if descending {
                    self.shown.reverse();
                }
            }
            (Column::Module, descending) => {
                let place = |&place: &u32| place_of(session, of(place).module).to_lowercase();
                self.shown.sort_by_cached_key(place);
                if descending {
                    self.shown.reverse();
                }
            }
            (_, false) => self.shown.sort_by_key(|&place| number(place)),
            (_, true) => self
                .shown
                .sort_by_key(|&place| std::cmp::Reverse(number(place))),
        }
        self.measure();
    }
}

/// The path of what a module is in; empty outside of everything.
pub(super) fn place_of(session: &Session, module: ModuleId) -> String {
    let hierarchy = &session.hierarchy;
    let parent = hierarchy.parent(module).filter(|&it| it != ModuleId::ROOT);
    parent.map_or_else(String::new, |it| hierarchy.path(it))
}

/// Whether name or module of a row hold `query`, which is in lower case.
fn fits(session: &Session, resolved: &Resolved, row: &FunctionRow, query: &str) -> bool {
    query.is_empty()
        || holds(resolved.recording.functions.get(row.function).name, query)
        || holds(session.module_name(row.module), query)
        || holds(&session.hierarchy.path(row.module), query)
}

/// Whether `text` holds `query`, which is in lower case, whatever the case of its ASCII letters.
fn holds(text: &str, query: &str) -> bool {
    let (text, query) = (text.as_bytes(), query.as_bytes());
    let mut windows = text.windows(query.len().max(1));
    query.is_empty() || windows.any(|part| part.eq_ignore_ascii_case(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(session: &Session) -> FunctionTable {
        FunctionTable::new(session, Arc::new(FunctionNumbers::new(session, 0)))
    }

    use callscape_analysis::session::Inputs;
    use callscape_base::progress::Progress;

    #[test]
    fn of_a_profile_without_calls_what_has_a_weight_is_shown() {
        let file = "tests/data/import/pprof/markdown-render.pb.gz";
        let inputs = Inputs {
            source_dir: None,
            recordings: vec![
                std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file),
            ],
            ..Inputs::default()
        };
        let session = Session::open(&inputs, &Progress::new()).expect("a profile");
        let recording = &session.recordings[0].recording;
        assert!(!recording.counts_calls());
        let metrics = recording.function_metrics(None);
        let weighed = metrics.iter().filter(|it| it.total > Cost::ZERO).count();
        let table = table(&session);
        assert!(weighed > 100);
        assert_eq!(table.rows().len(), weighed);
    }

    #[test]
    fn typing_on_shows_what_a_new_search_would() {
        let session = Session::open(&Inputs::default(), &Progress::new()).expect("the demo");
        for column in [Column::Total, Column::Name] {
            let mut typed = table(&session);
            typed.set_sort(&session, column, false);
            let mut rows = typed.rows().len();
            for query in ["l", "lU", "luA", "lua_ ", " lua", "", "c/", "zzz", "z"] {
                typed.search(&session, query.to_owned());
                let mut fresh = table(&session);
                fresh.set_sort(&session, column, false);
                fresh.query = query.to_owned();
                fresh.arrange(&session);
                assert!(typed.rows().eq(fresh.rows()), "{query}");
                assert_eq!(typed.most_self(), fresh.most_self());
                let functions = &session.recordings[0].recording.functions;
                let wanted = query.trim().to_lowercase();
                let direct = table(&session);
                let direct = direct.rows().filter(|row| {
                    let name = functions.get(row.function).name.to_lowercase();
                    let path = session.hierarchy.path(row.module).to_lowercase();
                    name.contains(&wanted) || path.contains(&wanted)
                });
                assert_eq!(direct.count(), typed.rows().len(), "{query}");
                rows = rows.max(typed.rows().len());
            }
            assert_eq!(rows, typed.called());
        }
    }
}
