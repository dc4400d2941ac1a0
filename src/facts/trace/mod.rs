//! The call store and its queries: all calls of one recorded execution, one call tree per thread.
//!
//! Definitions follow Bohnet's thesis, sections 2.4 and 6.1. A call is *open* at *t* when
//! `start <= t < end`. Calls of a thread stand in order of start, which is preorder of its call tree:
//! the triggered calls of call *i* are the calls *i*+1 … *i*+*n*(*i*).

mod activity;
mod block;
mod columns;
mod events;
#[cfg(test)]
mod oracle;
mod relations;
mod store;
mod summary;
#[cfg(test)]
mod tests;
pub(super) mod writer;

use crate::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use store::{Calls, Cursor, Facts, Store};

/// One execution of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub function: FunctionId,
    pub start: Time,
    pub end: Time,
    /// Open calls around it on its thread; 0 for an outermost call.
    pub depth: u32,
    /// How many calls it triggered, directly and indirectly.
    pub triggered: u32,
}

impl Call {
    pub fn cost(&self) -> Cost {
        self.end.since(self.start)
    }
}

/// A thread as its recording names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The thread's number, or its text where the recording gives text.
    pub id: String,
    pub process: String,
    pub name: String,
    pub calls: u64,
    /// The largest number of calls open at once.
    pub max_depth: u32,
    pub start: Time,
    pub end: Time,
}

/// Calls from one function to another, aggregated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    pub caller: FunctionId,
    pub callee: FunctionId,
    pub calls: u64,
    pub cost: Cost,
    pub self_cost: Cost,
}

/// What a function did in a range of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionMetrics {
    pub calls: u64,
    /// The time during which at least one call of it was open on a thread, summed over threads.
    pub total: Cost,
    pub self_cost: Cost,
}

/// An enter or exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub time: Time,
    pub thread: ThreadId,
    pub call: CallId,
    pub enter: bool,
}

/// All calls of one recorded execution.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    store: Store,
}

impl Trace {
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

    /// From the first event to the last.
    pub fn duration(&self) -> Cost {
        let ends = self.threads().iter().map(|thread| thread.end);
        ends.max().unwrap_or_default().since(Time::ZERO)
    }

    pub fn range(&self) -> TimeRange {
        TimeRange::new(Time::ZERO, Time::ZERO + self.duration())
    }

    /// Bytes that the calls and all summaries take.
    pub fn bytes(&self) -> u64 {
        self.store.bytes_used()
    }

    fn thread(&self, thread: ThreadId) -> Calls<'_> {
        self.store.thread(thread.index())
    }

    fn make(&self, facts: Facts) -> Call {
        Call {
            function: self.store.callee(facts.pair),
            start: Time::from_ns(facts.start),
            end: Time::from_ns(facts.end),
            depth: facts.depth,
            triggered: facts.triggered,
        }
    }

    /// A call of `thread`, whose number is less than the thread's number of calls. O(1).
    pub fn call(&self, thread: ThreadId, call: CallId) -> Call {
        self.make(self.thread(thread).facts(call.0))
    }

    /// The number of calls of `thread` that start before or at `t`. O(log n).
    pub fn started(&self, thread: ThreadId, t: Time) -> u32 {
        self.thread(thread).started(t.ns())
    }

    /// The calls of `thread` that are open at `t`, outermost first, into `stack`. O(log n + depth).
    pub fn stack_at(&self, thread: ThreadId, t: Time, stack: &mut Vec<CallId>) {
        stack.clear();
        let calls = self.thread(thread);
        calls.visit_stack(calls.started(t.ns()), |call, end, _| {
            if t.ns() < end {
                stack.push(call);
            }
            true
        });
        stack.reverse();
    }

    /// Hands the calls of `thread` that overlap `range` and lie less than `max_depth` deep to `visit`,
    /// in order of start. O(log n + depth + the number of calls visited and of calls right below the
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
        let calls = self.thread(thread);
        let mut cursor = Cursor::new(calls);
        let first = calls.started(range.start.ns());
        let last = calls.started(range.end.ns());
        let mut open = Vec::new();
        calls.visit_stack(first, |call, end, depth| {
            if depth <= deepest && range.start.ns() < end {
                open.push(call);
            }
            true
        });
        for &call in open.iter().rev() {
            visit(call, self.make(cursor.facts(call.0)));
        }
        let mut next = first;
        if next < last && cursor.facts(next).depth > deepest {
            // Inside of a call at the limit: go on behind it.
            calls.visit_stack(next + 1, |call, _, depth| {
                if depth == deepest {
                    let triggered = cursor.facts(call.0).triggered;
                    next = call
                        .0
                        .saturating_add(triggered)
                        .saturating_add(1)
                        .max(next + 1);
                }
                depth > deepest
            });
        }
        while next < last {
            let facts = cursor.facts(next);
            visit(CallId(next), self.make(facts));
            let skipped = if facts.depth == deepest {
                facts.triggered
            } else {
                0
            };
            next = next.saturating_add(skipped).saturating_add(1);
        }
    }

    /// Cost minus the cost of the direct subcalls. O(1) but for calls with thousands of subcalls.
    pub fn self_cost(&self, thread: ThreadId, id: CallId) -> Cost {
        let calls = self.thread(thread);
        let facts = calls.facts(id.0);
        Cost::from_ns((facts.end - facts.start.min(facts.end)).saturating_sub(calls.children(id.0)))
    }

    /// The call relations between functions, sorted by caller, then callee: of the whole trace, or of
    /// the calls that the time range constraint (thesis 6.1.1) keeps: those that start after its start
    /// and end before its end, and the calls that enclose one of these. Costs are those of whole calls.
    /// O(log n) summaries a thread.
    pub fn relations(&self, range: Option<TimeRange>) -> Vec<Relation> {
        self.store.relations(range)
    }

    /// The running summary at `t`: the call relations of the calls that started at or before `t`,
    /// sorted by caller, then callee. The costs of open calls count up to `t`. O(log n) summaries a
    /// thread.
    pub fn running(&self, t: Time) -> Vec<Relation> {
        self.store.running(t)
    }

    /// Calls, total and self cost of each function, indexed by function: of the whole trace, or of the
    /// calls that the time range constraint (thesis 6.1.1) keeps. O(log n) summaries a thread.
    pub fn function_metrics(&self, range: Option<TimeRange>) -> Vec<FunctionMetrics> {
        self.store.function_metrics(range)
    }

    /// For every function that was open within `horizon` before `t`: the last time up to `t` at which
    /// it was, in order of function. O(log n) summaries a thread.
    pub fn activity(&self, t: Time, horizon: Cost) -> Vec<(FunctionId, Time)> {
        self.store.activity(t, horizon)
    }

    /// The number of events, enters and exits: two a call.
    pub fn events(&self) -> u64 {
        2 * self.calls()
    }

    /// The event with number `n` in order of time, from 0; none past the last. Of events at the same
    /// time those of the first thread come first, in the order that the thread ran through them.
    /// O(log² n) a thread.
    pub fn event(&self, n: u64) -> Option<Event> {
        if n < self.events() {
            self.store.event(n)
        } else {
            None
        }
    }

    /// How many events happen at or before `t`. O(log n) a thread.
    pub fn events_until(&self, t: Time) -> u64 {
        self.store.events_until(t)
    }
}
