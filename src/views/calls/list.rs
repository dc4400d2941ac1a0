//! Details on demand: the calls behind a module, a call relation or a hop of a hyperarc.

use std::io::{self, Write};

use crate::parts::list::turned;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::escape;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_filter::filters::Filters;
use callscape_filter::linked::linked_callers;
use callscape_filter::selection::CallOf;
use callscape_filter::walk::{LeftCall, walk};
use callscape_model::arguments::in_parentheses;
use callscape_model::calls::{CallColumn, CallsOf};

/// No more rows than this are kept: the first of them.
pub const MOST: usize = 1_000_000;

/// A call of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    pub thread: ThreadId,
    pub call: CallId,
    pub function: FunctionId,
    pub caller: Option<FunctionId>,
    pub start: Time,
    pub cost: Cost,
}

impl CallRow {
    pub fn of(&self) -> CallOf {
        CallOf {
            thread: self.thread,
            call: self.call,
        }
    }
}

/// The calls behind something.
#[derive(Clone, Debug)]
pub struct CallList {
    pub of: CallsOf,
    /// By start.
    rows: Vec<CallRow>,
    /// The rows in the order shown.
    order: Vec<u32>,
    /// How many there are, those left out among them.
    counted: u64,
    sort: (CallColumn, bool),
}

/// Which functions' calls are wanted, and from which functions.
struct Wanted {
    callees: Vec<bool>,
    callers: Option<Vec<bool>>,
}

impl Wanted {
    fn new(session: &Session, resolved: &Resolved, of: CallsOf) -> Wanted {
        let modules = &resolved.resolution.modules;
        let inside = |outer: ModuleId| -> Vec<bool> {
            let is_inside = |&module: &ModuleId| session.hierarchy.contains(outer, module);
            modules.iter().map(is_inside).collect()
        };
        match of {
            CallsOf::Function(of) => Wanted {
                callees: (0..modules.len())
                    .map(|function| function == of.index())
                    .collect(),
                callers: None,
            },
            CallsOf::Module(outer) => Wanted {
                callees: inside(outer),
                callers: None,
            },
            // Arcs of small blocks end at what contains these.
            CallsOf::Relation(from, to) | CallsOf::Hop(from, to, ..) => Wanted {
                callees: inside(to),
                callers: Some(inside(from)),
            },
        }
    }

    fn holds(&self, callee: FunctionId, caller: Option<FunctionId>) -> bool {
        let is_in = |of: &[bool], function: FunctionId| of.get(function.index()) == Some(&true);
        is_in(&self.callees, callee)
            && match (&self.callers, caller) {
                (None, _) => true,
                (Some(callers), Some(caller)) => is_in(callers, caller),
                (Some(_), None) => false,
            }
    }
}

impl CallList {
    /// The calls that `range` and `filters` leave of those behind `of`, in order of start. O(calls in the range).
    pub fn find(
        session: &Session,
        recording: usize,
        of: CallsOf,
        range: Option<TimeRange>,
        filters: &Filters,
        progress: &Progress,
    ) -> Result<CallList, Cancelled> {
        let mut list = CallList {
            of,
            rows: Vec::new(),
            order: Vec::new(),
            counted: 0,
            sort: (CallColumn::Start, false),
        };
        let Some(resolved) = session.recordings.get(recording) else {
            return Ok(list);
        };
        let wanted = Wanted::new(session, resolved, of);
        if let CallsOf::Hop(_, _, thread, time) = of {
            list.take_open(resolved, &wanted, thread, time);
        } else {
            let trace = &resolved.recording.trace;
            let rules = filters.rules(&session.hierarchy, &resolved.resolution.modules);
            progress.start("looking for the calls", trace.calls());
            for thread in trace.thread_ids() {
                walk(trace, thread, range, &rules, progress, |left| {
                    let linked = linked_callers(trace, &rules, (thread, left.id));
                    list.see(&wanted, left, &linked);
                })?;
            }
        }
        list.trim();
        list.rows.sort_unstable_by_key(first);
        list.order = (0..list.rows.len() as u32).collect();
        Ok(list)
    }

    /// Takes a call that is wanted, of its caller or of one that is linked.
    fn see(&mut self, wanted: &Wanted, left: &LeftCall, linked: &[FunctionId]) {
        let own = left.caller.map(|(_, function)| function);
        let linked = linked.iter().map(|&it| Some(it));
        let first = own.or(linked.clone().next().flatten());
        let mut callers = std::iter::once(first).chain(linked);
        let holds = |caller: &Option<FunctionId>| wanted.holds(left.call.function, *caller);
        let Some(caller) = callers.find(holds) else {
            return;
        };
        self.counted += 1;
        self.rows.push(CallRow {
            thread: left.thread,
            call: left.id,
            function: left.call.function,
            caller,
            start: left.call.start,
            cost: left.cost(),
        });
        if self.rows.len() >= 2 * MOST {
            self.trim();
        }
    }

    /// Keeps the first.
    fn trim(&mut self) {
        if self.rows.len() > MOST {
            self.rows.select_nth_unstable_by_key(MOST - 1, first);
            self.rows.truncate(MOST);
        }
    }

    /// Takes those that are open on `thread` at `time`.
    fn take_open(&mut self, resolved: &Resolved, wanted: &Wanted, thread: ThreadId, time: Time) {
        let trace = &resolved.recording.trace;
        if thread.index() >= trace.threads().len() {
            return;
        }
        let mut stack = Vec::new();
        trace.stack_with_links(thread, time, &mut stack);
        let mut caller = None;
        for (thread, id) in stack {
            let call = trace.call(thread, id);
            if wanted.holds(call.function, caller) {
                self.counted += 1;
                self.rows.push(CallRow {
                    thread,
                    call: id,
                    function: call.function,
                    caller,
                    start: call.start,
                    cost: call.cost(),
                });
            }
            caller = Some(call.function);
        }
    }

    /// How many calls there are, those left out among them.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    pub fn left_out(&self) -> u64 {
        self.counted - self.rows.len() as u64
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The row shown at a place.
    pub fn row(&self, place: usize) -> Option<&CallRow> {
        self.rows.get(*self.order.get(place)? as usize)
    }

    /// Where a call is shown.
    pub fn place_of(&self, of: CallOf) -> Option<usize> {
        (0..self.len()).find(|&place| self.row(place).is_some_and(|row| row.of() == of))
    }

    pub fn sort(&self) -> (CallColumn, bool) {
        self.sort
    }

    /// Sorts by `column`; by the one that it is sorted by already, the other way round. O(n log n).
    pub fn sort_by(&mut self, session: &Session, recording: usize, column: CallColumn) {
        self.sort = turned(self.sort, column, column == CallColumn::Duration);
        let Some(resolved) = session.recordings.get(recording) else {
            return;
        };
        let functions = &resolved.recording.functions;
        // By name, once for each function and not for each of its calls.
        let mut by_name: Vec<FunctionId> = functions.ids().collect();
        by_name.sort_by_cached_key(|&function| functions.get(function).name.to_lowercase());
        let mut ranks = vec![0u64; by_name.len()];
        for (rank, function) in (1..).zip(by_name) {
            ranks[function.index()] = rank;
        }
        let rank = |function: FunctionId| ranks.get(function.index()).copied().unwrap_or(0);
        let rows = &self.rows;
        let key = |&place: &u32| {
            let row = &rows[place as usize];
            match column {
                CallColumn::Start => row.start.ns(),
                CallColumn::Duration => row.cost.ns(),
                CallColumn::Function => rank(row.function),
                CallColumn::Caller => row.caller.map_or(0, rank),
                CallColumn::Thread => u64::from(row.thread.0),
            }
        };
        self.order = (0..rows.len() as u32).collect();
        // Stable: equals stay in order of their start.
        if self.sort.1 {
            self.order
                .sort_by_key(|place| std::cmp::Reverse(key(place)));
        } else {
            self.order.sort_by_key(key);
        }
    }

    /// Writes the rows in the order shown, as comma-separated values with a line of titles. Ends with an error when
    /// it is cancelled.
    pub fn write_csv(
        &self,
        session: &Session,
        recording: usize,
        out: impl Write,
        progress: &Progress,
    ) -> io::Result<()> {
        progress.start("writing the calls", self.len() as u64);
        let mut out = csv::Writer::from_writer(out);
        out.write_record([
            "start_ns",
            "duration_ns",
            "function",
            "module",
            "caller",
            "thread",
            "call",
            "arguments",
        ])?;
        let Some(resolved) = session.recordings.get(recording) else {
            return out.flush();
        };
        let functions = &resolved.recording.functions;
        let trace = &resolved.recording.trace;
        for place in 0..self.len() {
            let Some(row) = self.row(place) else {
                continue;
            };
            if place.is_multiple_of(4096) {
                progress.set(place as u64).map_err(io::Error::other)?;
            }
            let module = resolved.resolution.modules.get(row.function.index());
            let module = module.map(|&module| session.hierarchy.path(module));
            let thread = resolved.recording.trace.threads().get(row.thread.index());
            out.write_record([
                row.start.ns().to_string().as_str(),
                &row.cost.ns().to_string(),
                &escape::cell(functions.get(row.function).name),
                &escape::cell(&module.unwrap_or_default()),
                &escape::cell(row.caller.map_or("", |caller| functions.get(caller).name)),
                &escape::cell(thread.map_or("", |thread| thread.id.as_str())),
                &row.call.0.to_string(),
                &escape::cell(&in_parentheses(&trace.arguments(row.thread, row.call))),
            ])?;
        }
        out.flush()
    }
}

fn first(row: &CallRow) -> (Time, ThreadId, CallId) {
    (row.start, row.thread, row.call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::session::Inputs;
    use callscape_base::units::CallId;
    use callscape_filter::cut::Cut;
    use callscape_filter::filters::FilterStep;

    fn demo() -> Session {
        Session::open(&Inputs::default(), &Progress::new()).expect("the demo is built in")
    }

    fn find(session: &Session, of: CallsOf, filters: &Filters) -> CallList {
        let none = Progress::new();
        CallList::find(session, 0, of, None, filters, &none).expect("nobody cancels")
    }

    #[test]
    fn calls_of_modules_and_relations_are_those_of_the_call_store() {
        let session = demo();
        let resolved = &session.recordings[0];
        let trace = &resolved.recording.trace;
        let modules = &resolved.resolution.modules;
        let all = find(
            &session,
            CallsOf::Module(ModuleId::ROOT),
            &Filters::default(),
        );
        assert_eq!(all.counted(), trace.calls());
        assert_eq!(all.counted(), all.len() as u64 + all.left_out());
        let metrics = trace.function_metrics(None);
        for (function, metrics) in metrics.iter().enumerate().step_by(120) {
            let module = modules[function];
            if session.hierarchy.is_leaf(module)
                && modules.iter().filter(|&&it| it == module).count() == 1
            {
                let list = find(&session, CallsOf::Module(module), &Filters::default());
                assert_eq!(list.counted(), metrics.calls);
                let of = CallsOf::Function(FunctionId(function as u32));
                let same = find(&session, of, &Filters::default());
                assert_eq!(same.counted(), metrics.calls);
                let costs: Cost = (0..list.len())
                    .filter_map(|place| Some(list.row(place)?.cost))
                    .sum();
                assert!(costs >= metrics.total);
            }
        }
        // Whatever is displayed now: arcs end at files, functions, or where functions are too small for arcs.
        for level in 1..4 {
            let displayed = Cut::at_level(&session.hierarchy, level).displayed(&session.hierarchy);
            let shown = |function: FunctionId| displayed[modules[function.index()].index()];
            for relation in trace.relations(None).iter().step_by(500) {
                let (from, to) = (shown(relation.caller), shown(relation.callee));
                let same = trace.relations(None).into_iter();
                let same = same.filter(|it| (shown(it.caller), shown(it.callee)) == (from, to));
                let calls: u64 = same.map(|it| it.calls).sum();
                let of = CallsOf::Relation(from, to);
                let list = find(&session, of, &Filters::default());
                assert_eq!(list.counted(), calls, "level {level}");
            }
        }
    }

    #[test]
    fn rows_are_sorted_either_way_and_left_out_by_filters() {
        let session = demo();
        let root = CallsOf::Module(ModuleId::ROOT);
        let functions = &session.recordings[0].recording.functions;
        let mut list = find(&session, root, &Filters::default());
        let rows = |list: &CallList| -> Vec<CallRow> {
            (0..list.len().min(5000))
                .filter_map(|place| list.row(place).copied())
                .collect()
        };
        assert!(rows(&list).is_sorted_by_key(|row| row.start));
        list.sort_by(&session, 0, CallColumn::Duration);
        assert!(rows(&list).is_sorted_by_key(|row| std::cmp::Reverse(row.cost)));
        list.sort_by(&session, 0, CallColumn::Duration);
        assert!(rows(&list).is_sorted_by_key(|row| row.cost));
        list.sort_by(&session, 0, CallColumn::Function);
        assert!(
            rows(&list).is_sorted_by_key(|row| functions.get(row.function).name.to_lowercase())
        );
        let below = FilterStep::RemoveBelowCall(CallOf {
            thread: ThreadId(0),
            call: CallId(0),
        });
        let one = find(&session, root, &Filters::new([below]));
        let trace = &session.recordings[0].recording.trace;
        let triggered = trace.call(ThreadId(0), CallId(0)).triggered;
        assert_eq!(one.counted(), trace.calls() - u64::from(triggered));
    }

    #[test]
    fn a_file_holds_a_line_for_each_row() {
        let session = demo();
        let resolved = &session.recordings[0];
        let metrics = resolved.recording.trace.function_metrics(None);
        let some = metrics.iter().position(|it| (20..500).contains(&it.calls));
        let module = resolved.resolution.modules[some.expect("called some times")];
        let of = CallsOf::Module(module);
        let list = find(&session, of, &Filters::default());
        let mut file = Vec::new();
        list.write_csv(&session, 0, &mut file, &Progress::new())
            .expect("memory takes all");
        let mut lines = csv::Reader::from_reader(&file[..]);
        let starts: Vec<String> = lines
            .records()
            .map(|line| line.expect("well formed")[0].to_owned())
            .collect();
        let expected =
            (0..list.len()).filter_map(|place| Some(list.row(place)?.start.ns().to_string()));
        assert!(starts.iter().eq(&expected.collect::<Vec<_>>()));
    }
}
