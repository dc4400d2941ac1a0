//! The rows of the mural: which module each row is, and in which order they stand.

use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::trace::{Columns, FunctionMetrics, Trace};
use callscape_filter::cut::Cut;
use callscape_model::rows::OverviewRows;

/// Stands for no row.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The rows of a recording.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// By row.
    pub modules: Vec<ModuleId>,
    /// By row the function that it is; none where it is several.
    pub functions: Vec<Option<FunctionId>>,
    /// By function.
    pub row_of: Vec<u32>,
    /// The rows in order of their modules.
    by_module: Vec<(ModuleId, u32)>,
    /// The rows in order of their self cost, the largest first.
    pub by_cost: Vec<u32>,
    /// By row its place in that order.
    pub rank: Vec<u32>,
    /// No row is of several functions.
    pub are_functions: bool,
}

impl Rows {
    /// Those of the whole recording, or of what runs in a range of it. O(functions + calls / 65,536), of a range
    /// O(functions × log calls).
    pub(super) fn new(
        session: &Session,
        recording: usize,
        rows: &OverviewRows,
        range: Option<TimeRange>,
    ) -> Rows {
        let Some(resolved) = session.recordings.get(recording) else {
            return Rows::default();
        };
        let trace = &resolved.recording.trace;
        let (displayed, by_first_call) = match rows {
            OverviewRows::FirstCall => (Cut::all().displayed(&session.hierarchy), true),
            OverviewRows::Modules(cut) => (cut.displayed(&session.hierarchy), false),
            OverviewRows::ModulesByFirstCall(cut) => (cut.displayed(&session.hierarchy), true),
        };
        let metrics = trace.function_metrics(range);
        let first_calls = match (by_first_call, range) {
            (false, _) => Vec::new(),
            (true, None) => first_calls(resolved),
            (true, Some(range)) => first_in(trace, &metrics, range),
        };
        let mut called: Vec<Called> = Vec::new();
        let modules = resolved.resolution.modules.iter();
        for ((function, module), metrics) in (0..).zip(modules).zip(&metrics) {
            if let Some(&module) = displayed.get(module.index())
                && metrics.calls > 0
            {
                called.push(Called {
                    module,
                    first: first_calls.get(function as usize).copied(),
                    function: FunctionId(function),
                    cost: metrics.self_cost.ns(),
                });
            }
        }
        let by_function = *rows == OverviewRows::FirstCall;
        if by_function {
            called.sort_by_key(|called| (called.first, called.function));
        } else {
            called.sort_by_key(|called| (called.module, called.function));
            if by_first_call {
                // A module begins with the first of its functions.
                let modules = called.chunk_by_mut(|a, b| a.module == b.module);
                for module in modules {
                    let first = module.iter().filter_map(|called| called.first).min();
                    module.iter_mut().for_each(|called| called.first = first);
                }
                called.sort_by_key(|called| (called.first, called.module, called.function));
            }
        }
        let mut all = Rows {
            row_of: vec![NO_ROW; resolved.resolution.modules.len()],
            ..Rows::default()
        };
        let mut costs: Vec<u64> = Vec::new();
        for called in &called {
            if !by_function && all.modules.last() == Some(&called.module) {
                if let (Some(cost), Some(function)) = (costs.last_mut(), all.functions.last_mut()) {
                    *cost = cost.saturating_add(called.cost);
                    *function = None;
                }
            } else {
                all.modules.push(called.module);
                all.functions.push(Some(called.function));
                costs.push(called.cost);
            }
            all.row_of[called.function.index()] = all.modules.len() as u32 - 1;
        }
        all.are_functions = all.functions.iter().all(Option::is_some);
        all.by_module = all.modules.iter().copied().zip(0..).collect();
        all.by_module.sort_unstable();
        all.by_cost = (0..costs.len() as u32).collect();
        all.by_cost
            .sort_by_key(|&row| (std::cmp::Reverse(costs[row as usize]), row));
        all.rank = vec![0; costs.len()];
        for (place, &row) in (0..).zip(&all.by_cost) {
            all.rank[row as usize] = place;
        }
        all
    }

    pub(super) fn len(&self) -> u32 {
        self.modules.len() as u32
    }

    /// Hands the rows of `module` and of what lies in it to `visit`; of what lies in a row's module, that row.
    pub(super) fn of(&self, hierarchy: &Hierarchy, module: ModuleId, mut visit: impl FnMut(u32)) {
        let subtree = hierarchy.subtree(module);
        let first = self
            .by_module
            .partition_point(|&(id, _)| id.0 < subtree.start);
        let inside = self.by_module[first..].iter();
        let mut found = false;
        for &(_, row) in inside.take_while(|(id, _)| id.0 < subtree.end) {
            found = true;
            visit(row);
        }
        if !found {
            let above = hierarchy.ancestors(module).find_map(|above| {
                let at = self.by_module.binary_search_by_key(&above, |&(id, _)| id);
                at.ok().map(|at| self.by_module[at].1)
            });
            above.into_iter().for_each(visit);
        }
    }
}

/// A function that is called.
struct Called {
    module: ModuleId,
    first: Option<FirstCall>,
    function: FunctionId,
    cost: u64,
}

/// When a function is called first: time, thread and call; of those at the same time the outer one first.
type FirstCall = (Time, ThreadId, CallId);

const UNKNOWN: FirstCall = (Time::MAX, ThreadId(u32::MAX), CallId(u32::MAX));

/// Of more functions it is enough to know in which part of a range they begin: it is found out between two frames.
const MOST_LOOKED_FOR: usize = 1_000;

/// By function the first that runs of it in a range: what is open at its start stands first, outer calls before what
/// they called. Of many functions to the part of the range that is a column of pixels or less.
/// O(depth + functions × log calls).
fn first_in(trace: &Trace, metrics: &[FunctionMetrics], range: TimeRange) -> Vec<FirstCall> {
    let mut first = vec![UNKNOWN; metrics.len()];
    let mut stack = Vec::new();
    for thread in trace.thread_ids() {
        trace.stack_at(thread, range.start, &mut stack);
        if range.start == Time::ZERO {
            // What follows looks for later ones, and of these some have ended by then.
            let at_start = trace.started(thread, Time::ZERO).min(MOST_AT_START);
            stack.extend((0..at_start).map(CallId));
        }
        for &call in &stack {
            if let Some(known) = first.get_mut(trace.call(thread, call).function.index()) {
                *known = (range.start, thread, call).min(*known);
            }
        }
    }
    let is_open =
        |first: &FirstCall, metrics: &FunctionMetrics| *first == UNKNOWN && metrics.calls > 0;
    let sought = first.iter().zip(metrics);
    if sought
        .filter(|(first, metrics)| is_open(first, metrics))
        .count()
        > MOST_LOOKED_FOR
    {
        for (function, before) in first_active(trace, range, metrics.len()) {
            if let Some(first) = first.get_mut(function.index())
                && *first == UNKNOWN
            {
                *first = (
                    before.max(range.start),
                    ThreadId(u32::MAX),
                    CallId(function.0),
                );
            }
        }
        return first;
    }
    // What starts with the range belongs to it.
    let before = Time::from_ns(range.start.ns().saturating_sub(1));
    for ((function, first), metrics) in (0..).map(FunctionId).zip(&mut first).zip(metrics) {
        if is_open(first, metrics)
            && let Some((thread, call)) = trace.next_call(function, before)
        {
            *first = (trace.call(thread, call).start, thread, call);
        }
    }
    first
}

/// Calls that start with the recording are looked at up to this.
const MOST_AT_START: u32 = 1 << 20;

/// By function its first call; of functions that are not called anything.
fn first_calls(resolved: &Resolved) -> Vec<FirstCall> {
    let first = resolved.recording.trace.first_calls().into_iter();
    first.map(|first| first.unwrap_or(UNKNOWN)).collect()
}

/// Parts of a range in which functions are looked for.
const PARTS: u32 = 512;

/// The functions that run in a range, each with a time before it does first and not long before.
fn first_active(trace: &Trace, range: TimeRange, functions: usize) -> Vec<(FunctionId, Time)> {
    let columns = Columns::new(range, PARTS);
    let rows: Vec<u32> = (0..functions as u32).collect();
    let mut spans = trace.active(columns, &rows, functions as u32);
    // In order of row, then column: the first of each row stays.
    spans.dedup_by_key(|span| span.row);
    let before = |column: u32| {
        let start = columns.start(column).ns();
        Time::from_ns(start.saturating_sub(1))
    };
    spans
        .into_iter()
        .map(|span| (FunctionId(span.row), before(span.first)))
        .collect()
}
