//! The function table: what every function of a recording did in the range, sorted and searched.

use crate::analysis::session::{Resolved, Session};
use crate::facts::trace::FunctionMetrics;
use crate::filter::filters::Filters;
use crate::filter::summary::Summary;
use crate::model::functions::Column;
use crate::units::{Cost, FunctionId, ModuleId, TimeRange};

/// What one function did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionRow {
    pub function: FunctionId,
    pub module: ModuleId,
    pub metrics: FunctionMetrics,
    /// The costs of its cheapest and its dearest call; none until every call has been looked at.
    pub extremes: Option<(Cost, Cost)>,
}

impl FunctionRow {
    /// The mean cost of a call; recursion counted once.
    pub fn average(&self) -> Cost {
        let calls = self.metrics.calls.max(1);
        Cost::from_ns(self.metrics.total.ns() / calls)
    }
}

/// The table of one recording.
#[derive(Clone, Debug)]
pub struct FunctionTable {
    recording: usize,
    range: Option<TimeRange>,
    filters: Filters,
    /// Whether the numbers are those of every call that range and filters leave.
    is_complete: bool,
    query: String,
    sort: (Column, bool),
    /// The functions that were called.
    rows: Vec<FunctionRow>,
    /// Which rows are shown, in order.
    shown: Vec<u32>,
    /// The largest self cost of those.
    most_self: Cost,
}

impl FunctionTable {
    /// All functions of the recording that were called, the costliest first.
    pub fn new(session: &Session, recording: usize) -> FunctionTable {
        let mut table = FunctionTable {
            recording,
            range: None,
            filters: Filters::default(),
            is_complete: false,
            query: String::new(),
            sort: (Column::Total, true),
            rows: Vec::new(),
            shown: Vec::new(),
            most_self: Cost::ZERO,
        };
        table.count(session);
        table
    }

    pub fn sort(&self) -> (Column, bool) {
        self.sort
    }

    pub fn query(&self) -> &str {
        &self.query
    }

    /// How many functions were called in the range.
    pub fn called(&self) -> usize {
        self.rows.len()
    }

    /// The rows shown, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &FunctionRow> {
        self.shown.iter().map(|&row| &self.rows[row as usize])
    }

    /// What range and filters leave of the functions that `is_in` holds: calls, self cost and, where it is one
    /// function alone, its total. None while that is still being counted.
    pub fn left_of(&self, is_in: impl Fn(ModuleId) -> bool) -> Option<FunctionMetrics> {
        if !self.is_complete && !self.filters.is_empty() {
            return None;
        }
        let mut left = FunctionMetrics::default();
        for row in self.rows.iter().filter(|row| is_in(row.module)) {
            left.calls = left.calls.saturating_add(row.metrics.calls);
            left.total += row.metrics.total;
            left.self_cost += row.metrics.self_cost;
        }
        Some(left)
    }

    /// The largest self cost of the rows shown.
    pub fn most_self(&self) -> Cost {
        self.most_self
    }

    /// The row shown at this place.
    pub fn row(&self, place: usize) -> Option<&FunctionRow> {
        self.rows.get(*self.shown.get(place)? as usize)
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
        self.sort = match self.sort {
            (same, descending) if same == column => (column, !descending),
            // Names are read from A, numbers from the largest.
            _ => (column, column != Column::Name),
        };
        self.arrange(session);
    }

    /// Shows only functions whose name or module holds `query`, whatever the case of ASCII letters.
    pub fn search(&mut self, session: &Session, query: String) {
        let wanted = |query: &str| query.trim().to_ascii_lowercase();
        let (old, new) = (wanted(&self.query), wanted(&query));
        self.query = query;
        // Whoever types on is shown some of what is shown, in the same order.
        if new.contains(&old) {
            let (mut shown, rows) = (std::mem::take(&mut self.shown), &self.rows);
            if let Some(resolved) = session.recordings.get(self.recording) {
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
    }

    /// Counts what `range` and `filters` leave only. Without filters the extremes are missing until
    /// [`FunctionTable::complete`], with filters every number. O(log n) summaries a thread.
    pub fn limit(&mut self, session: &Session, range: Option<TimeRange>, filters: &Filters) {
        if self.range != range || self.filters != *filters {
            self.range = range;
            self.filters.clone_from(filters);
            self.count(session);
        }
    }

    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Takes what looking at every call has found.
    pub fn complete(&mut self, session: &Session, summary: &Summary) {
        self.is_complete = true;
        let of = summary.functions.iter();
        self.take(session, of.map(|it| (it.metrics, Some((it.min, it.max)))));
    }

    fn count(&mut self, session: &Session) {
        self.is_complete = false;
        let resolved = session.recordings.get(self.recording);
        let metrics = match resolved {
            Some(resolved) if self.filters.is_empty() => {
                // A profile holds no single calls to look at.
                self.is_complete = resolved.recording.profile.is_some();
                resolved.recording.function_metrics(self.range)
            }
            _ => Vec::new(),
        };
        self.take(session, metrics.into_iter().map(|metrics| (metrics, None)));
    }

    /// Takes numbers by function.
    fn take(
        &mut self,
        session: &Session,
        numbers: impl Iterator<Item = (FunctionMetrics, Option<(Cost, Cost)>)>,
    ) {
        self.rows.clear();
        if let Some(resolved) = session.recordings.get(self.recording) {
            let modules = resolved.resolution.modules.iter();
            let functions = resolved.recording.functions.ids();
            let all = functions.zip(modules).zip(numbers);
            let rows = all.map(|((function, &module), (metrics, extremes))| FunctionRow {
                function,
                module,
                metrics,
                extremes,
            });
            // Of a profile that does not count calls what has a weight.
            let counts_calls = resolved.recording.counts_calls();
            self.rows.extend(rows.filter(|row| match counts_calls {
                true => row.metrics.calls > 0,
                false => row.metrics.total > Cost::ZERO,
            }));
        }
        self.arrange(session);
    }

    /// Finds out which rows are shown, and in which order.
    fn arrange(&mut self, session: &Session) {
        self.shown.clear();
        let Some(resolved) = session.recordings.get(self.recording) else {
            return;
        };
        let functions = &resolved.recording.functions;
        let query = self.query.trim().to_ascii_lowercase();
        let rows = self.rows.iter().zip(0..);
        let found = rows.filter(|(row, _)| fits(session, resolved, row, &query));
        self.shown.extend(found.map(|(_, place)| place));
        let rows = &self.rows;
        let of = |place: u32| &rows[place as usize];
        let number = |place: u32| match self.sort.0 {
            Column::Name => 0,
            Column::Calls => of(place).metrics.calls,
            Column::Total => of(place).metrics.total.ns(),
            Column::SelfCost => of(place).metrics.self_cost.ns(),
            Column::Average => of(place).average().ns(),
            Column::Min => of(place).extremes.map_or(0, |(min, _)| min.ns()),
            Column::Max => of(place).extremes.map_or(0, |(_, max)| max.ns()),
        };
        // Stable: equals stay in the order of their first appearance.
        match self.sort {
            (Column::Name, descending) => {
                let name = |&place: &u32| functions.get(of(place).function).name.to_lowercase();
                self.shown.sort_by_cached_key(name);
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

/// Whether name or module of a row hold `query`, which is in lower case.
fn fits(session: &Session, resolved: &Resolved, row: &FunctionRow, query: &str) -> bool {
    query.is_empty()
        || holds(resolved.recording.functions.get(row.function).name, query)
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
    use crate::analysis::session::Inputs;
    use crate::progress::Progress;

    #[test]
    fn of_a_profile_without_calls_what_has_a_weight_is_shown() {
        let file = "tests/data/import/pprof/markdown-render.pb.gz";
        let inputs = Inputs {
            source_dir: None,
            recordings: vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file)],
            ..Inputs::default()
        };
        let session = Session::open(&inputs, &Progress::new()).expect("a profile");
        let recording = &session.recordings[0].recording;
        assert!(!recording.counts_calls());
        let metrics = recording.function_metrics(None);
        let weighed = metrics.iter().filter(|it| it.total > Cost::ZERO).count();
        let table = FunctionTable::new(&session, 0);
        assert!(weighed > 100);
        assert_eq!(table.rows().len(), weighed);
    }

    #[test]
    fn typing_on_shows_what_a_new_search_would() {
        let session = Session::open(&Inputs::default(), &Progress::new()).expect("the demo");
        for column in [Column::Total, Column::Name] {
            let mut typed = FunctionTable::new(&session, 0);
            typed.set_sort(&session, column, false);
            let mut rows = typed.rows().len();
            for query in ["l", "lU", "luA", "lua_ ", " lua", "", "c/", "zzz", "z"] {
                typed.search(&session, query.to_owned());
                let mut fresh = FunctionTable::new(&session, 0);
                fresh.set_sort(&session, column, false);
                fresh.query = query.to_owned();
                fresh.arrange(&session);
                assert!(typed.rows().eq(fresh.rows()), "{query}");
                assert_eq!(typed.most_self(), fresh.most_self());
                let functions = &session.recordings[0].recording.functions;
                let wanted = query.trim().to_lowercase();
                let direct = FunctionTable::new(&session, 0);
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
