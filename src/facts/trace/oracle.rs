//! The queries evaluated directly from their definitions: slow and obviously right.

use super::call::{Call, Event, FunctionMetrics, Relation};
use super::within::{Enclosing, Within};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};

/// All calls of one recorded execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Direct {
    /// The calls of each thread in preorder.
    pub threads: Vec<Vec<Call>>,
    pub functions: usize,
    /// By thread, start, end and how much of it was waiting, in order.
    pub waits: Vec<Vec<(u64, u64, u64)>>,
    /// Enter and exit events in order of time; exits of a thread before its enters at the same time
    /// unless they belong to the same call.
    events: Vec<Event>,
}

impl Direct {
    pub(super) fn new(threads: Vec<Vec<Call>>, functions: usize) -> Direct {
        let mut events = Vec::new();
        for (index, thread) in threads.iter().enumerate() {
            let id = ThreadId(index as u32);
            let mut open: Vec<usize> = Vec::new();
            let close = |call: usize, events: &mut Vec<Event>| {
                events.push(Event {
                    time: thread[call].end,
                    thread: id,
                    call: CallId(call as u32),
                    enter: false,
                });
            };
            for (i, call) in thread.iter().enumerate() {
                while open.len() > call.depth as usize {
                    close(open.pop().unwrap_or_default(), &mut events);
                }
                open.push(i);
                events.push(Event {
                    time: call.start,
                    thread: id,
                    call: CallId(i as u32),
                    enter: true,
                });
            }
            while let Some(call) = open.pop() {
                close(call, &mut events);
            }
        }
        // Stable: events of one thread keep their nesting at equal times.
        events.sort_by_key(|event| event.time);
        Direct {
            threads,
            functions,
            waits: Vec::new(),
            events,
        }
    }

    pub(super) fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    pub(super) fn call(&self, thread: ThreadId, call: CallId) -> Call {
        self.threads[thread.index()][call.index()]
    }

    /// The number of calls of `thread` that start before or at `t`.
    pub(super) fn started(&self, thread: ThreadId, t: Time) -> u32 {
        let calls = &self.threads[thread.index()];
        calls.partition_point(|call| call.start <= t) as u32
    }

    /// The calls of `thread` that are open at `t`, outermost first, into `stack`.
    pub(super) fn stack_at(&self, thread: ThreadId, t: Time, stack: &mut Vec<CallId>) {
        stack.clear();
        let mut next = self.started(thread, t);
        let mut depth_wanted = u32::MAX;
        while next > 0 && depth_wanted > 0 {
            next -= 1;
            let call = self.call(thread, CallId(next));
            if call.depth < depth_wanted {
                depth_wanted = call.depth;
                if t < call.end {
                    stack.push(CallId(next));
                }
            }
        }
        stack.reverse();
    }

    /// Hands the calls of `thread` that overlap `range` and lie less than `max_depth` deep to `visit`,
    /// in order of start.
    pub(super) fn calls_in(
        &self,
        thread: ThreadId,
        range: TimeRange,
        max_depth: u32,
        mut visit: impl FnMut(CallId, Call),
    ) {
        let calls = &self.threads[thread.index()];
        for (i, call) in calls.iter().enumerate() {
            if call.start > range.end {
                break;
            }
            let starts = |call: &Call| range.start <= call.start && call.start <= range.end;
            let is_open = call.start <= range.start && range.start < call.end;
            let inside = &calls[i..=i + call.triggered as usize];
            let is_around = call.start <= range.start
                && call.end == range.start
                && inside.iter().any(|inner| inner.start == range.start);
            if (is_open || starts(call) || is_around) && call.depth < max_depth {
                visit(CallId(i as u32), *call);
            }
        }
    }

    /// The calls that count within a range, in order, with what calls them, and what of each counts.
    fn for_each_inside(
        &self,
        within: Within,
        mut visit: impl FnMut(ThreadId, CallId, Option<CallId>, TimeRange),
    ) {
        for (index, calls) in self.threads.iter().enumerate() {
            let part = |i: usize| {
                let call = &calls[i];
                let whole = TimeRange::new(call.start, call.end);
                let Some(range) = within.range else {
                    return Some(whole);
                };
                let is_inside = range.start <= call.start && call.end <= range.end;
                let overlaps = call.start < range.end
                    && (range.start < call.end || range.start <= call.start)
                    && range.start < range.end;
                let within_ends = |it: &Call| it.start > range.start && it.end < range.end;
                match within.enclosing {
                    Enclosing::Parts => overlaps.then(|| {
                        let (start, end) = (call.start.max(range.start), call.end.min(range.end));
                        TimeRange::new(start, end)
                    }),
                    Enclosing::None => (is_inside && overlaps).then_some(whole),
                    Enclosing::Whole => {
                        let triggered = &calls[i..=i + call.triggered as usize];
                        triggered.iter().any(within_ends).then_some(whole)
                    }
                }
            };
            let mut parents: Vec<CallId> = Vec::new();
            for (i, call) in calls.iter().enumerate() {
                parents.truncate(call.depth as usize);
                let parent = parents.last().copied();
                parents.push(CallId(i as u32));
                if let Some(part) = part(i) {
                    visit(ThreadId(index as u32), CallId(i as u32), parent, part);
                }
            }
        }
    }

    /// Cost, self cost and what of both was waiting of the part of a call: of each direct subcall what lies in it.
    fn costs(&self, thread: ThreadId, id: CallId, part: TimeRange) -> [Cost; 4] {
        let calls = &self.threads[thread.index()];
        let of = |call: &Call| {
            let [start, end] = [call.start, call.end].map(|t| t.clamp(part.start, part.end));
            let waited = |t| self.waited_until(thread, t);
            [end.since(start), waited(end).saturating_sub(waited(start))]
        };
        let [cost, waiting] = of(&calls[id.index()]);
        let (mut own, mut own_waiting) = (cost, waiting);
        let mut next = id.index() + 1;
        let end = next + calls[id.index()].triggered as usize;
        while next < end {
            let [cost, waiting] = of(&calls[next]);
            own = own.saturating_sub(cost);
            own_waiting = own_waiting.saturating_sub(waiting);
            next += 1 + calls[next].triggered as usize;
        }
        [cost, own, waiting, own_waiting]
    }

    /// The first call of `function` after `t`, and the last before.
    pub(super) fn neighbours(
        &self,
        function: FunctionId,
        t: Time,
    ) -> [Option<(ThreadId, CallId)>; 2] {
        let mut calls: Vec<(Time, ThreadId, CallId)> = Vec::new();
        for thread in self.thread_ids() {
            let of_thread = self.threads[thread.index()].iter().zip(0..);
            let of_function = of_thread.filter(|(call, _)| call.function == function);
            calls.extend(of_function.map(|(call, id)| (call.start, thread, CallId(id))));
        }
        let next = calls.iter().filter(|(start, ..)| *start > t).min();
        let previous = calls.iter().filter(|(start, ..)| *start < t).max();
        [next, previous].map(|found| found.map(|&(_, thread, call)| (thread, call)))
    }

    /// Whether a call of `function` overlaps the column.
    pub(super) fn is_active(&self, function: FunctionId, column: TimeRange) -> bool {
        self.threads.iter().flatten().any(|call| {
            let ends_in_time = call.end > column.start || call.start >= column.start;
            call.function == function && call.start < column.end && ends_in_time
        })
    }

    /// The times between neighbouring events of each thread, with the calls that are open then.
    pub(super) fn intervals(&self) -> Vec<(TimeRange, ThreadId, Vec<CallId>)> {
        let mut intervals = Vec::new();
        for thread in self.thread_ids() {
            let calls = &self.threads[thread.index()];
            let mut times: Vec<Time> = calls.iter().flat_map(|c| [c.start, c.end]).collect();
            times.sort();
            times.dedup();
            for pair in times.windows(2) {
                let mut stack = Vec::new();
                self.stack_at(thread, pair[0], &mut stack);
                intervals.push((TimeRange::new(pair[0], pair[1]), thread, stack));
            }
        }
        intervals
    }

    /// For each column and depth the longest call that overlaps the column, of equals the first.
    pub(super) fn longest(
        &self,
        thread: ThreadId,
        column: TimeRange,
        depth: u32,
    ) -> Option<CallId> {
        let calls = self.threads[thread.index()].iter().zip(0..);
        let overlapping = calls.filter(|(call, _)| {
            let ends_in_time = call.end > column.start || call.start >= column.start;
            call.depth == depth && call.start < column.end && ends_in_time
        });
        let longest = overlapping.max_by_key(|(call, id)| (call.cost(), u32::MAX - id));
        longest.map(|(_, id)| CallId(id))
    }

    /// Cost minus the cost of the direct subcalls.
    pub(super) fn self_cost(&self, thread: ThreadId, id: CallId) -> Cost {
        let calls = &self.threads[thread.index()];
        let call = calls[id.index()];
        let mut next = id.index() + 1;
        let end = next + call.triggered as usize;
        let mut subcalls = Cost::ZERO;
        while next < end {
            subcalls += calls[next].cost();
            next += 1 + calls[next].triggered as usize;
        }
        call.cost().saturating_sub(subcalls)
    }

    /// How long a thread has waited up to `t`: within a wait it grows evenly.
    pub(super) fn waited_until(&self, thread: ThreadId, t: Time) -> Cost {
        let waits = self.waits.get(thread.index()).into_iter().flatten();
        let until = waits.map(|&(start, end, waited)| {
            let part = t.ns().clamp(start, end) - start;
            (u128::from(waited) * u128::from(part) / u128::from(end - start)) as u64
        });
        Cost::from_ns(until.sum())
    }

    /// What a call has waited up to `t`, and in itself.
    pub(super) fn waited(&self, thread: ThreadId, id: CallId, t: Time) -> (Cost, Cost) {
        let calls = &self.threads[thread.index()];
        let total = |call: &Call| {
            let (start, end) = (call.start.min(t), call.end.min(t));
            let until = |t| self.waited_until(thread, t);
            until(end).saturating_sub(until(start))
        };
        let call = &calls[id.index()];
        let (mut next, mut own) = (id.index() + 1, total(call));
        let end = next + call.triggered as usize;
        while next < end {
            own = own.saturating_sub(total(&calls[next]));
            next += 1 + calls[next].triggered as usize;
        }
        (total(call), own)
    }

    /// The call relations between functions, sorted by caller, then callee, of the calls that count.
    pub(super) fn relations(&self, within: Within) -> Vec<Relation> {
        let mut relations = std::collections::BTreeMap::new();
        self.for_each_inside(within, |thread, id, parent, part| {
            let Some(parent) = parent else { return };
            let [caller, callee] = [parent, id].map(|it| self.call(thread, it).function);
            let [cost, self_cost, waiting, self_waiting] = self.costs(thread, id, part);
            let relation = relations.entry((caller, callee));
            relation.or_insert(Relation::NOTHING).add(&Relation {
                calls: 1,
                cost,
                self_cost,
                waiting,
                self_waiting,
                ..Relation::NOTHING
            });
        });
        let named = relations.into_iter();
        named
            .map(|((caller, callee), of)| Relation {
                caller,
                callee,
                ..of
            })
            .collect()
    }

    /// The running summary at `t`: the call relations of the calls that started at or before `t`,
    /// sorted by caller, then callee. The costs of open calls count up to `t`.
    pub(super) fn running(&self, t: Time) -> Vec<Relation> {
        let mut relations = std::collections::BTreeMap::new();
        for (index, thread) in self.threads.iter().enumerate() {
            let mut parents: Vec<Call> = Vec::new();
            for (i, call) in thread.iter().enumerate() {
                if call.start > t {
                    break;
                }
                parents.truncate(call.depth as usize);
                let parent = parents.last().copied();
                parents.push(*call);
                let Some(parent) = parent else { continue };
                let mut self_cost = call.end.min(t).since(call.start);
                let cost = self_cost;
                let mut next = i + 1;
                let end = next + call.triggered as usize;
                while next < end && thread[next].start <= t {
                    let subcall = &thread[next];
                    let cost = subcall.end.min(t).since(subcall.start);
                    self_cost = self_cost.saturating_sub(cost);
                    next += 1 + subcall.triggered as usize;
                }
                let key = (parent.function, call.function);
                let relation = relations.entry(key).or_insert(Relation {
                    caller: parent.function,
                    callee: call.function,
                    ..Relation::NOTHING
                });
                relation.calls += 1;
                relation.cost += cost;
                relation.self_cost += self_cost;
                let (total, own) = self.waited(ThreadId(index as u32), CallId(i as u32), t);
                relation.waiting += total;
                relation.self_waiting += own;
            }
        }
        relations.into_values().collect()
    }

    /// Calls, total and self cost of each function, indexed by function, of the calls that count.
    pub(super) fn function_metrics(&self, within: Within) -> Vec<FunctionMetrics> {
        let mut metrics = vec![FunctionMetrics::default(); self.functions];
        // Per thread and function, until which call the outermost of it that counts goes.
        let mut inside_of: std::collections::HashMap<_, u32> = std::collections::HashMap::new();
        self.for_each_inside(within, |thread, id, _, part| {
            let call = self.call(thread, id);
            let of = &mut metrics[call.function.index()];
            let [cost, self_cost, waiting, self_waiting] = self.costs(thread, id, part);
            of.calls += 1;
            of.self_cost += self_cost;
            of.self_waiting += self_waiting;
            let last = inside_of.entry((thread, call.function)).or_default();
            if *last <= id.0 {
                of.total += cost;
                of.waiting += waiting;
                *last = id.0 + call.triggered + 1;
            }
        });
        metrics
    }

    /// For every function that was open within `horizon` before `t`: the last time up to `t` at which
    /// it was, in order of function.
    pub(super) fn activity(&self, t: Time, horizon: Cost) -> Vec<(FunctionId, Time)> {
        let mut last = vec![None; self.functions];
        let from = t - horizon;
        for thread in self.thread_ids() {
            // What is open in a thread that waits was open last when that began.
            let waits = self.waits.get(thread.index()).into_iter().flatten();
            let mut waits = waits.filter(|(start, end, waited)| {
                *start <= t.ns() && t.ns() < *end && *waited == end - start
            });
            let until = waits.next().map_or(Time::MAX, |wait| Time::from_ns(wait.0));
            self.calls_in(thread, TimeRange::new(from, t), u32::MAX, |_, call| {
                let end = call.end.min(until);
                if end <= from && (call.start <= from || end < call.end) {
                    return;
                }
                let seen: &mut Option<Time> = &mut last[call.function.index()];
                *seen = (*seen).max(Some(end.min(t)));
            });
        }
        let seen = last.into_iter().enumerate();
        seen.filter_map(|(function, time)| Some((FunctionId(function as u32), time?)))
            .collect()
    }

    /// The number of events: two a call.
    pub(super) fn events(&self) -> u64 {
        self.events.len() as u64
    }

    /// The event with number `n` in order of time, from 0; none past the last.
    pub(super) fn event(&self, n: u64) -> Option<Event> {
        self.events.get(usize::try_from(n).ok()?).copied()
    }

    /// How many events happen at or before `t`.
    pub(super) fn events_until(&self, t: Time) -> u64 {
        self.events.partition_point(|event| event.time <= t) as u64
    }
}
