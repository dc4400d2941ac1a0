//! What every function of a recording did in what range and filters leave, and what a table of them is sorted by.

use callscape_analysis::session::Session;
use callscape_base::units::{Cost, FunctionId, ModuleId, TimeRange};
use callscape_facts::trace::FunctionMetrics;
use callscape_filter::filters::Filters;
use callscape_filter::summary::Summary;

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

/// The numbers of all functions of one recording that were called.
#[derive(Clone, Debug)]
pub struct FunctionNumbers {
    recording: usize,
    range: Option<TimeRange>,
    filters: Filters,
    /// Whether the numbers are those of every call that range and filters leave.
    is_complete: bool,
    rows: Vec<FunctionRow>,
}

impl FunctionNumbers {
    /// Those of the whole recording.
    pub fn new(session: &Session, recording: usize) -> FunctionNumbers {
        let mut numbers = FunctionNumbers {
            recording,
            range: None,
            filters: Filters::default(),
            is_complete: false,
            rows: Vec::new(),
        };
        numbers.count(session);
        numbers
    }

    /// As an index into the session's.
    pub fn recording(&self) -> usize {
        self.recording
    }

    /// The functions that were called, in the order of the recording.
    pub fn rows(&self) -> &[FunctionRow] {
        &self.rows
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
            left.waiting += row.metrics.waiting;
            left.self_waiting += row.metrics.self_waiting;
        }
        Some(left)
    }

    /// Whether they are those of `range` and `filters`, complete or not.
    pub fn is_of(&self, range: Option<TimeRange>, filters: &Filters) -> bool {
        self.range == range && self.filters == *filters
    }

    /// Counts what `range` and `filters` leave only. Without filters the extremes are missing until
    /// [`FunctionNumbers::complete`], with filters every number. O(log n) summaries a thread.
    pub fn limit(&mut self, session: &Session, range: Option<TimeRange>, filters: &Filters) {
        if !self.is_of(range, filters) {
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
                false => [row.metrics.total, row.metrics.self_cost] != [Cost::ZERO; 2],
            }));
        }
    }
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    Name,
    Module,
    Calls,
    Total,
    Share,
    SelfCost,
    Waiting,
    SelfWaiting,
    Average,
    Min,
    Max,
}

impl Column {
    pub const ALL: [Column; 11] = [
        Column::Name,
        Column::Module,
        Column::Calls,
        Column::Total,
        Column::Share,
        Column::SelfCost,
        Column::Waiting,
        Column::SelfWaiting,
        Column::Average,
        Column::Min,
        Column::Max,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Column::Name => "Function",
            Column::Module => "Module",
            Column::Share => "Share",
            Column::Calls => "Calls",
            Column::Total => "Total",
            Column::SelfCost => "Self",
            Column::Waiting => "Waiting",
            Column::SelfWaiting => "Self wait",
            Column::Average => "Average",
            Column::Min => "Min",
            Column::Max => "Max",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Column::Name => "Name",
            Column::Module => "The file or package that it is in",
            Column::Share => "Total as a share of the whole run",
            Column::Calls => "Number of calls",
            Column::Total => "Time between entry and exit; recursion counts once",
            Column::SelfCost => "Time in its own code",
            Column::Waiting => "Waiting time in the total",
            Column::SelfWaiting => "Waiting time in the self cost",
            Column::Average => "Mean cost per call",
            Column::Min => "Cost of its cheapest call",
            Column::Max => "Cost of its most expensive call",
        }
    }
}
