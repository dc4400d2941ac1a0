//! The call store and its queries: all calls of one recorded execution, one call tree per thread.
//!
//! Definitions follow Bohnet's thesis, sections 2.4 and 6.1. A call is *open* at *t* when
//! `start <= t < end`. Calls of a thread stand in order of start, which is preorder of its call tree:
//! the triggered calls of call *i* are the calls *i*+1 … *i*+*n*(*i*).

mod activity;
pub(super) mod answers;
pub(super) mod appendix;
pub(super) mod arguments;
pub(super) mod block;
mod by_depth;
mod call;
mod call_columns;
mod columns;
mod coverage;
mod depths;
mod detail;
mod direct;
pub(super) mod entries;
mod events;
mod held;
pub(super) mod links;
mod long;
mod longest;
pub(super) mod mapped;
mod next_run;
mod numbers;
mod occurrence;
#[cfg(test)]
mod oracle;
mod packing;
mod pairs;
mod paths;
mod pieces;
pub(super) mod pyramid;
mod radix;
#[cfg(any(test, feature = "testing"))]
pub mod random;
pub(super) mod raw_call;
mod relations;
pub(super) mod runs;
mod skeleton;
mod steps;
pub(super) mod storage;
pub(super) mod store;
mod summary;
mod summing;
#[cfg(test)]
mod tests;
pub(super) mod waiting;
mod window;
mod within;
pub(super) mod writer;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use activity::Recent;
use answers::Answers;
pub use arguments::{Argument, List, Number, PutAside, Told, Value};
pub use call::{Call, Event, FunctionMetrics, Relation, Thread};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
pub use coverage::{Coverage, CoverageRoom, Measure, Without};
use depths::Find;
pub use depths::{Bar, DepthCell, Flame, FlameOf, LeaveOut};
pub use detail::{Columns, Strip};
pub(super) use links::RawLink;
pub use links::{Link, LinkEnd, LinkKind};
pub use occurrence::ActiveSpan;
pub use skeleton::{
    CostOf, Ended, Floor, FunctionSets, Gatherer, KeptSkeletons, Light, Node, SetId, Skeleton,
    median,
};
pub use store::StackRoom;
use store::{Cursor, Store};
pub use waiting::{Wait, Waited, WaitingKnown, Why};
pub use within::{Enclosing, Inside, Within};

/// All calls of one recorded execution.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    store: Store,
    repair: Option<Arc<Repair>>,
    /// What was recorded beside the calls goes on at least until then.
    lasts: Time,
}

/// What stands in for a trace whose file turns out to be damaged.
struct Repair {
    rebuild: Box<dyn Fn() -> Option<Trace> + Send + Sync>,
    rebuilt: OnceLock<Option<Trace>>,
}

impl fmt::Debug for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repair").finish_non_exhaustive()
    }
}

impl Trace {
    pub(super) fn new(store: Store) -> Trace {
        Trace {
            store,
            repair: None,
            lasts: Time::ZERO,
        }
    }

    /// Takes the waits of all threads, and gives back how many overlapped one before them.
    pub(super) fn learn_waiting(&mut self, threads: Vec<Vec<waiting::RawWait>>) -> u64 {
        let overlapping = self.store.learn_waiting(threads);
        self.store.learn_waiters();
        overlapping
    }

    /// Takes the links of all threads, which are at these places now, and gives back those that are none.
    pub(super) fn learn_links(&mut self, links: &[RawLink], places: &[ThreadId]) -> links::Lost {
        self.store.learn_links(links, places)
    }

    /// Takes the arguments of all calls, whose threads are at these places now, and gives back what is not kept.
    pub(super) fn learn_arguments(
        &mut self,
        told: Told,
        places: &[ThreadId],
    ) -> io::Result<arguments::Lost> {
        self.store.learn_arguments(told, places)
    }

    /// Takes what its index knows of all calls.
    pub(super) fn learn_answers(&mut self, answers: Answers) {
        self.store.answers = Arc::new(answers);
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// The trace, with `rebuild` to be asked for the same calls from elsewhere should its file turn out
    /// to be damaged.
    pub fn with_repair(self, rebuild: impl Fn() -> Option<Trace> + Send + Sync + 'static) -> Trace {
        Trace {
            store: self.store,
            lasts: self.lasts,
            repair: Some(Arc::new(Repair {
                rebuild: Box::new(rebuild),
                rebuilt: OnceLock::new(),
            })),
        }
    }

    /// The time of the first event on the recording's own clock, which other recordings may share, in nanoseconds.
    pub fn origin(&self) -> i64 {
        self.store.origin
    }

    /// The same trace, which lasts until `end` at least: something else was recorded until then.
    pub fn lasting(mut self, end: Time) -> Trace {
        self.lasts = end;
        self
    }

    /// The same trace on a clock that shows `origin` at its first event.
    pub fn with_origin(mut self, origin: i64) -> Trace {
        self.store.origin = origin;
        self
    }

    /// Whether the trace's file has turned out to be damaged and nothing could stand in for it: then
    /// answers leave out what is damaged.
    pub fn is_damaged(&self) -> bool {
        if let Some(map) = self.store.data.mapped() {
            map.look();
        }
        self.store.is_damaged() && self.stand_in().is_none()
    }

    /// Whether the trace's file has become shorter than it was when it was opened.
    pub fn was_cut(&self) -> bool {
        self.store.was_cut()
    }

    /// Keeps in the index at `path`, which the trace was opened from, what is found out about all of its calls.
    pub fn keep_answers_in(&self, path: &Path) {
        self.store.answers.keep_in(path);
    }

    fn stand_in(&self) -> Option<&Store> {
        let repair = self.repair.as_ref()?;
        let rebuilt = repair.rebuilt.get_or_init(|| (repair.rebuild)());
        rebuilt.as_ref().map(|trace| &trace.store)
    }

    /// The answer of the store; of its stand-in when the answer met with damage.
    fn ask<T>(&self, query: impl Fn(&Store) -> T) -> T {
        let answer = query(&self.store);
        if !self.store.is_damaged() {
            return answer;
        }
        self.stand_in().map_or(answer, query)
    }

    pub fn threads(&self) -> &[Thread] {
        &self.store.infos
    }

    pub fn thread_ids(&self) -> impl ExactSizeIterator<Item = ThreadId> + use<> {
        (0..self.store.threads.len() as u32).map(ThreadId)
    }

    /// The number of calls of all threads.
    pub fn calls(&self) -> u64 {
        self.threads().iter().map(|thread| thread.calls).sum()
    }

    /// The largest number of calls open at once on one thread.
    pub fn max_depth(&self) -> u32 {
        let depths = self.threads().iter().map(|thread| thread.max_depth);
        depths.max().unwrap_or(0)
    }

    /// From the first event to the last, of calls or of what else was recorded.
    pub fn duration(&self) -> Cost {
        let ends = self.threads().iter().map(|thread| thread.end);
        let end = ends.max().unwrap_or_default().max(self.lasts);
        end.since(Time::ZERO)
    }

    pub fn range(&self) -> TimeRange {
        TimeRange::new(Time::ZERO, Time::ZERO + self.duration())
    }

    /// Bytes that the calls and all summaries take.
    pub fn bytes(&self) -> u64 {
        self.store.bytes_used()
    }

    /// A call of `thread`, whose number is less than the thread's number of calls. O(1).
    pub fn call(&self, thread: ThreadId, call: CallId) -> Call {
        self.ask(|store| store.thread(thread).at(call))
    }

    /// The calls of `thread` with these numbers, those past the last left out. O(n).
    pub fn calls_numbered(&self, thread: ThreadId, numbers: Range<u32>) -> Vec<Call> {
        self.ask(|store| store.thread(thread).numbered(numbers.clone()))
    }

    /// The number of calls of `thread` that start before or at `t`. O(log n).
    pub fn started(&self, thread: ThreadId, t: Time) -> u32 {
        self.ask(|store| store.thread(thread).started(t.ns()))
    }

    /// The calls of `thread` that are open at `t`, outermost first, into `stack`. O(log n + depth).
    pub fn stack_at(&self, thread: ThreadId, t: Time, stack: &mut Vec<CallId>) {
        self.stack_within(thread, t, stack, &mut StackRoom::default());
    }

    /// The same, found in `room`.
    pub fn stack_within(
        &self,
        thread: ThreadId,
        t: Time,
        stack: &mut Vec<CallId>,
        room: &mut StackRoom,
    ) {
        let read = |store: &Store, stack: &mut Vec<CallId>, room: &mut StackRoom| {
            stack.clear();
            let mut calls = Cursor::within(store.thread(thread), room);
            let position = calls.started(t.ns());
            calls.visit_stack(position, |call, facts| {
                if t.ns() < facts.end {
                    stack.push(call);
                }
                true
            });
            calls.leave(room);
            stack.reverse();
        };
        read(&self.store, stack, room);
        if self.store.is_damaged()
            && let Some(store) = self.stand_in()
        {
            read(store, stack, room);
        }
    }

    /// The calls around `call`, outermost first, and `call` itself, into `path`. Unlike
    /// [`stack_at`](Self::stack_at) with those that end where `call` starts. O(log n + depth).
    pub fn path_to(&self, thread: ThreadId, call: CallId, path: &mut Vec<CallId>) {
        let found = self.ask(|store| {
            let mut found = Vec::new();
            let mut calls = Cursor::new(store.thread(thread));
            calls.visit_stack(call.0 + 1, |call, _| {
                found.push(call);
                true
            });
            found
        });
        path.clear();
        path.extend(found.into_iter().rev());
    }

    /// The number of calls whose arguments, or what they returned, the recording has.
    pub fn calls_with_arguments(&self) -> u64 {
        self.store.arguments.calls()
    }

    /// The names of all arguments, in order of their first appearance. O(names).
    pub fn argument_names(&self) -> Vec<String> {
        self.store.arguments.names()
    }

    /// The arguments of a call, in the order of the recording, and what it returned as `return`. O(log n + a block of them).
    pub fn arguments(&self, thread: ThreadId, call: CallId) -> Vec<Argument<'static>> {
        if self.store.arguments.is_empty() {
            return Vec::new();
        }
        self.ask(|store| store.arguments.of(thread, call))
    }

    /// Hands the calls of `thread` with these numbers that have arguments to `visit`, in order, until it says no.
    /// O(log n + blocks of arguments visited).
    pub fn visit_arguments(
        &self,
        thread: ThreadId,
        calls: Range<u32>,
        mut visit: impl FnMut(CallId, List<'_>) -> bool,
    ) {
        let mut next = calls.start;
        let mut stopped = false;
        let of = &self.store.arguments;
        of.visit(thread, calls.clone(), |call, list| {
            next = call.0.saturating_add(1);
            stopped = !visit(call, list);
            !stopped
        });
        if !stopped && let Some(store) = self.stand_in_for_damaged() {
            store.arguments.visit(thread, next..calls.end, visit);
        }
    }

    /// Hands the calls of `thread` that overlap `range` and lie less than `max_depth` deep to `visit`,
    /// in order of start: those that are open at its start, and those that start from then on up to its end.
    /// Where a call starts and ends right at its start, the calls around it that end there are among them.
    /// O(log n + depth + the number of calls visited and of calls right below the
    /// limit).
    pub fn calls_in(
        &self,
        thread: ThreadId,
        range: TimeRange,
        max_depth: u32,
        mut visit: impl FnMut(CallId, Call),
    ) {
        let Some(deepest) = max_depth.checked_sub(1) else {
            return;
        };
        let mut visited = 0u64;
        let calls = self.store.thread(thread);
        calls.calls_in(range, deepest, |id, call| {
            // What is read after the damage is found is not to be trusted.
            let go_on = !self.store.is_damaged();
            if go_on {
                visited += 1;
                visit(id, call);
            }
            go_on
        });
        if self.store.is_damaged()
            && let Some(store) = self.stand_in()
        {
            store.thread(thread).calls_in(range, deepest, |id, call| {
                if visited > 0 {
                    visited -= 1;
                } else {
                    visit(id, call);
                }
                true
            });
        }
    }

    /// What to draw of `thread` on `columns`: for each column and each depth below `max_depth` the longest
    /// call that overlaps the column, of equals the first. Neighbouring columns with the same call make
    /// one strip; in order of depth, then column. O(columns × log n).
    pub fn strips(&self, thread: ThreadId, columns: Columns, max_depth: u32) -> Vec<Strip> {
        self.ask(|store| store.thread(thread).strips(columns, max_depth))
    }

    /// Cost minus the cost of the direct subcalls. O(1) but for calls with thousands of subcalls.
    pub fn self_cost(&self, thread: ThreadId, id: CallId) -> Cost {
        self.ask(|store| {
            let calls = store.thread(thread);
            let facts = calls.facts(id.0);
            let cost = facts.end.saturating_sub(facts.start);
            Cost::from_ns(cost.saturating_sub(calls.children(id.0)))
        })
    }

    /// The call relations between functions, sorted by caller, then callee: of the whole trace, or of what counts
    /// [within](Within) a range. Costs are sums over calls. A call counts for its caller on its thread, and for every link
    /// to it. O(log n) summaries a thread; where calls around a range do not count, O(calls in it).
    pub fn relations(&self, within: impl Into<Within>) -> Vec<Relation> {
        let within = within.into();
        self.ask(|store| store.relations(within))
    }

    /// The running summary at `t`: the call relations of the calls that started at or before `t`,
    /// sorted by caller, then callee. The costs of open calls count up to `t`. O(log n) summaries a
    /// thread.
    pub fn running(&self, t: Time) -> Vec<Relation> {
        self.ask(|store| store.running(t))
    }

    /// Calls, total and self cost of each function, indexed by function: of the whole trace, or of what counts
    /// [within](Within) a range. As fast as [`relations`](Self::relations).
    pub fn function_metrics(&self, within: impl Into<Within>) -> Vec<FunctionMetrics> {
        let within = within.into();
        self.ask(|store| store.function_metrics(within))
    }

    /// For every function that was open within `horizon` before `t`: the last time up to `t` at which
    /// it was, in order of function. What is open in a thread that waits was open last when that began. O(log n) summaries a thread.
    pub fn activity(&self, t: Time, horizon: Cost) -> Vec<(FunctionId, Time)> {
        let mut recent = Recent::default();
        self.activity_within(t, horizon, &mut recent);
        recent.found().to_vec()
    }

    /// The same, found in `recent`.
    pub fn activity_within(&self, t: Time, horizon: Cost, recent: &mut Recent) {
        self.store.activity(t, horizon, recent);
        if self.store.is_damaged()
            && let Some(store) = self.stand_in()
        {
            store.activity(t, horizon, recent);
        }
    }

    /// Tells `each` what the running summary at `to` has beyond that at `from`, which is not later: for every call
    /// that is open in between or starts there its caller and callee, whether it starts there (1 or 0), and what it
    /// costs there. False where that is of no use, since more than `most` calls start in between or sums are not to be
    /// trusted: then [`running`](Self::running) has to be asked. O(log n + depth + calls that start).
    pub fn running_between(
        &self,
        from: Time,
        to: Time,
        most: u32,
        room: &mut StackRoom,
        each: impl FnMut(FunctionId, FunctionId, u64, Cost),
    ) -> bool {
        !self.store.is_damaged()
            && self.store.running_between(from, to, most, room, each)
            && !self.store.is_damaged()
    }

    /// By function its first call, and when it starts; of several threads at the same time that of the first.
    /// O(blocks of 65,536 calls + functions × block).
    pub fn first_calls(&self) -> Vec<Option<(Time, ThreadId, CallId)>> {
        self.ask(Store::first_calls)
    }

    /// The first call of `function` that starts after `t`; of several threads at the same time the first.
    /// O(log n) summaries and a block a thread.
    pub fn next_call(&self, function: FunctionId, t: Time) -> Option<(ThreadId, CallId)> {
        self.ask(|store| store.next_call(function, t))
    }

    /// The last call of `function` that starts before `t`; of several threads at the same time the last.
    /// O(log n) summaries and a block a thread.
    pub fn previous_call(&self, function: FunctionId, t: Time) -> Option<(ThreadId, CallId)> {
        self.ask(|store| store.previous_call(function, t))
    }

    /// When functions and modules are active: for each of `rows` rows the columns that a call of its
    /// functions overlaps, neighbouring columns in one span; in order of row, then column. `row_of`
    /// gives the row by function; a number past the last row leaves a function out.
    /// O(columns × (block + log n summaries)) a thread.
    pub fn active(&self, columns: Columns, row_of: &[u32], rows: u32) -> Vec<ActiveSpan> {
        self.ask(|store| store.active(columns, row_of, rows))
    }

    /// For how long each of `rows` rows is on the stack and on top of it, by column, into `out`: in order
    /// of row, then column, and only where it is on the stack at all. Threads are summed. `row_of` gives
    /// the row by function, as for [`Trace::active`]. The calls of a row's functions count once where they
    /// enclose each other. O(columns × (128 calls + log n runs)) a thread where no row has several
    /// functions; else O(the calls in the window).
    pub fn coverage(&self, columns: Columns, row_of: &[u32], rows: u32, out: &mut Vec<Coverage>) {
        let mut room = CoverageRoom::default();
        let measure = Measure::Exact(&|| false);
        self.measure_coverage(columns, row_of, rows, None, measure, &mut room);
        *out = room.cells;
    }

    /// The same of the trace without what `without` says. O(the calls in the window).
    pub fn coverage_without(
        &self,
        columns: Columns,
        row_of: &[u32],
        rows: u32,
        without: &Without<'_>,
        out: &mut Vec<Coverage>,
    ) {
        let mut room = CoverageRoom::default();
        let measure = Measure::Exact(&|| false);
        self.measure_coverage(columns, row_of, rows, Some(without), measure, &mut room);
        *out = room.cells;
    }

    /// The same measured as `measure` says, in memory that is kept. Whether all was measured; not where it was to
    /// stop.
    pub fn measure_coverage(
        &self,
        columns: Columns,
        row_of: &[u32],
        rows: u32,
        without: Option<&Without<'_>>,
        measure: Measure<'_>,
        room: &mut CoverageRoom,
    ) -> bool {
        let of = |store: &Store, room: &mut CoverageRoom| {
            store.coverage(columns, row_of, rows, without, measure, room)
        };
        let is_whole = of(&self.store, room);
        match self.stand_in_for_damaged() {
            Some(store) => of(store, room),
            None => is_whole,
        }
    }

    fn stand_in_for_damaged(&self) -> Option<&Store> {
        self.store.is_damaged().then(|| self.stand_in()).flatten()
    }

    /// What a flame chart shows of a thread. O(columns × (depths + log n)) where it is near, and 128 calls more a
    /// column where it is exact.
    pub fn flame(&self, thread: ThreadId, of: &FlameOf, out: &mut Flame) {
        self.find_flame(thread, of, None, Find::AtOnce, out);
    }

    fn find_flame(
        &self,
        thread: ThreadId,
        of: &FlameOf,
        leave_out: Option<&LeaveOut<'_>>,
        find: Find<'_>,
        out: &mut Flame,
    ) -> bool {
        let is_whole = self.store.flame(thread.index(), of, leave_out, find, out);
        match self.stand_in_for_damaged() {
            Some(store) => store.flame(thread.index(), of, leave_out, find, out),
            None => is_whole,
        }
    }

    /// The same without what `leave_out` says, at the depths that remain. Cells are counted in windows of few
    /// calls only, and exact.
    pub fn flame_without(
        &self,
        thread: ThreadId,
        of: &FlameOf,
        leave_out: &LeaveOut<'_>,
        out: &mut Flame,
    ) {
        self.find_flame(thread, of, Some(leave_out), Find::AtOnce, out);
    }

    /// The same exactly and all of it, with or without what is left out, until `stops` says that it is to stop: then it
    /// is false. O(columns × (depths + log n + 128)), and where something is left out O(calls).
    pub fn flame_exactly(
        &self,
        thread: ThreadId,
        of: &FlameOf,
        leave_out: Option<&LeaveOut<'_>>,
        stops: &dyn Fn() -> bool,
        out: &mut Flame,
    ) -> bool {
        self.find_flame(thread, of, leave_out, Find::Exactly(stops), out)
    }

    /// The same cells of all depths together, and no bars.
    pub fn flame_sum(&self, thread: ThreadId, columns: Columns, is_near: bool, out: &mut Flame) {
        self.store.flame_sum(thread.index(), columns, is_near, out);
        if let Some(store) = self.stand_in_for_damaged() {
            store.flame_sum(thread.index(), columns, is_near, out);
        }
    }

    /// Whether the recording knows when its threads wait. Where it does not, nothing has waited in all answers.
    pub fn knows_waiting(&self) -> bool {
        self.store.waiting.is_some()
    }

    /// What is known of waiting as a whole; none where nothing is. O(waits).
    pub fn waiting_known(&self) -> Option<WaitingKnown> {
        self.store.waiting_known()
    }

    /// How long `thread` has waited up to `t`. O(log n).
    pub fn waited_until(&self, thread: ThreadId, t: Time) -> Cost {
        self.store.waited_until(thread, t)
    }

    /// What a call has waited. O(log n).
    pub fn waited(&self, thread: ThreadId, call: CallId) -> Waited {
        self.store.waited(thread, call.0)
    }

    /// The wait of `thread` at `t`; none where it runs. O(log n).
    pub fn wait_at(&self, thread: ThreadId, t: Time) -> Option<Wait> {
        self.store.wait_at(thread, t)
    }

    /// Since when `thread` waits and does nothing else; none where it runs at `t`. O(log n).
    pub fn waits_since(&self, thread: ThreadId, t: Time) -> Option<Time> {
        self.store.waits_since(thread, t)
    }

    /// Hands the waits of `thread` that overlap `range` to `visit`, in order, until it says no. O(log n + waits
    /// visited).
    pub fn waits_in(&self, thread: ThreadId, range: TimeRange, visit: impl FnMut(Wait) -> bool) {
        self.store.waits_in(thread, range, visit);
    }

    /// The number of events, enters and exits: two a call.
    pub fn events(&self) -> u64 {
        2 * self.calls()
    }

    /// The event with number `n` in order of time, from 0; none past the last. Of events at the same
    /// time those of the first thread come first, in the order that the thread ran through them.
    /// O(log² n) a thread.
    pub fn event(&self, n: u64) -> Option<Event> {
        self.ask(|store| (n < self.events()).then(|| store.event(n)).flatten())
    }

    /// The number of the event with which `call`, that with the number `id` of `thread`, ends. O(log n) a thread.
    pub fn exit_number(&self, thread: ThreadId, id: CallId, call: &Call) -> u64 {
        self.ask(|store| store.exit_number(thread, id, call))
    }

    /// How many events happen at or before `t`. O(log n) a thread.
    pub fn events_until(&self, t: Time) -> u64 {
        self.ask(|store| store.events_until(t))
    }
}
