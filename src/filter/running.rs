//! Running summaries of what the filters leave: who has called whom how often up to any moment, and which functions
//! have been open before it. Without filters, [`Trace::running`] and [`Trace::activity`] answer.

use std::collections::HashMap;

use rayon::prelude::*;

use super::filters::FilterRules;
use super::linked::linked_callers;
use super::selection::CallOf;
use super::walk::walk;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::{Call, Relation, Trace};

/// A stretch of time between two known sums holds at least so many events: fewer are counted at once.
const LEAST_EVENTS: u64 = 4096;

/// At most so many stretches, so that the sums of a recording of any length stay small.
const MOST_STRETCHES: u64 = 2048;

type Pair = (FunctionId, FunctionId);

/// One call relation that is left.
#[derive(Clone, Debug)]
struct Sums {
    pair: Pair,
    /// By stretch in which it was called: how many of its calls started by the end of it. Sorted.
    until: Vec<(u32, u64)>,
}

/// The ends of the calls of a function by stretch: the last in each that has any. Sorted.
type Ends = Vec<(u32, Time)>;

/// The call relations of the calls that filters leave, up to any moment, and when functions were open last.
///
/// The sums at up to 2048 times are held; from the last of them on calls are counted one by one.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Where stretches after the first begin.
    starts: Vec<Time>,
    /// Sorted by caller, then callee.
    relations: Vec<Sums>,
    /// By function.
    ends: Vec<Ends>,
    rules: FilterRules,
}

impl Running {
    /// Looks at every call of `trace` that `rules` leave. O(calls × log stretches), threads side by side.
    pub fn new(
        trace: &Trace,
        rules: &FilterRules,
        progress: &Progress,
    ) -> Result<Running, Cancelled> {
        Running::with(trace, rules, LEAST_EVENTS, progress)
    }

    fn with(
        trace: &Trace,
        rules: &FilterRules,
        least_events: u64,
        progress: &Progress,
    ) -> Result<Running, Cancelled> {
        let events = trace.events();
        let stretches = (events / least_events).clamp(1, MOST_STRETCHES);
        let mut starts: Vec<Time> = (1..stretches)
            .filter_map(|stretch| Some(trace.event(events / stretches * stretch)?.time))
            .collect();
        starts.dedup();
        progress.start("counting the remaining calls along time", trace.calls());
        let threads: Vec<ThreadId> = trace.thread_ids().collect();
        let parts: Result<Vec<_>, Cancelled> = threads
            .into_par_iter()
            .map(|thread| {
                let mut counts: HashMap<(Pair, u32), u64> = HashMap::new();
                let mut ends: Vec<Ends> = Vec::new();
                // Calls come in order of their end.
                let mut ended = 0;
                walk(trace, thread, None, rules, progress, |left| {
                    // What ends right where a stretch begins has ended before it.
                    while starts
                        .get(ended)
                        .is_some_and(|start| *start < left.call.end)
                    {
                        ended += 1;
                    }
                    see_end(&mut ends, left.call.function, ended as u32, left.call.end);
                    let linked = linked_callers(trace, rules, (thread, left.id));
                    let caller = left.caller.map(|(_, caller)| caller);
                    for caller in caller.into_iter().chain(linked) {
                        let stretch = starts.partition_point(|start| *start <= left.call.start);
                        let pair = (caller, left.call.function);
                        *counts.entry((pair, stretch as u32)).or_default() += 1;
                    }
                })?;
                Ok((counts, ends))
            })
            .collect();
        let mut counts: Vec<((Pair, u32), u64)> = Vec::new();
        let mut ends: Vec<Ends> = Vec::new();
        for (of_thread, ends_of_thread) in parts? {
            counts.extend(of_thread);
            ends.resize(ends.len().max(ends_of_thread.len()), Vec::new());
            for (all, of_thread) in ends.iter_mut().zip(ends_of_thread) {
                all.extend(of_thread);
            }
        }
        for ends in &mut ends {
            ends.sort_unstable();
            // The last of equal stretches stays.
            ends.reverse();
            ends.dedup_by_key(|(stretch, _)| *stretch);
            ends.reverse();
            ends.shrink_to_fit();
        }
        counts.sort_unstable();
        let mut relations: Vec<Sums> = Vec::new();
        for ((pair, stretch), calls) in counts {
            match relations.last_mut() {
                Some(last) if last.pair == pair => {
                    let sum = last.until.last().map_or(0, |it| it.1);
                    match last.until.last_mut() {
                        Some(until) if until.0 == stretch => until.1 += calls,
                        _ => last.until.push((stretch, sum + calls)),
                    }
                }
                _ => relations.push(Sums {
                    pair,
                    until: vec![(stretch, calls)],
                }),
            }
        }
        Ok(Running {
            starts,
            relations,
            ends,
            rules: rules.clone(),
        })
    }

    /// Whether this is of what `rules` leave.
    pub fn is_of(&self, rules: &FilterRules) -> bool {
        self.rules == *rules
    }

    /// The call relations of the calls that are left and started at or before `t`, sorted by caller, then callee;
    /// only their calls are counted. O(relations × log stretches + calls of a stretch).
    pub fn at(&self, trace: &Trace, t: Time) -> Vec<Relation> {
        let (stretch, range) = self.stretch(t);
        let mut calls: Vec<(Pair, u64)> = Vec::with_capacity(self.relations.len());
        for relation in &self.relations {
            let known = relation
                .until
                .partition_point(|it| (it.0 as usize) < stretch);
            let before = known.checked_sub(1).map_or(0, |at| relation.until[at].1);
            calls.push((relation.pair, before));
        }
        self.each_left(trace, range, |of, call, caller| {
            if call.start < range.start || range.end < call.start {
                return;
            }
            let linked = linked_callers(trace, &self.rules, of);
            for caller in caller.into_iter().chain(linked) {
                let pair = (caller, call.function);
                if let Ok(at) = calls.binary_search_by_key(&pair, |it| it.0) {
                    calls[at].1 += 1;
                }
            }
        });
        let calls = calls.into_iter().filter(|&(_, calls)| calls > 0);
        let relation = |((caller, callee), calls): (Pair, u64)| Relation {
            caller,
            callee,
            calls,
            ..Relation::NOTHING
        };
        calls.map(relation).collect()
    }

    /// The stretch that `t` is in, and its time up to `t`.
    fn stretch(&self, t: Time) -> (usize, TimeRange) {
        let stretch = self.starts.partition_point(|start| *start <= t);
        let before = stretch.checked_sub(1);
        let from = before.map_or(Time::ZERO, |before| self.starts[before]);
        (stretch, TimeRange::new(from, t))
    }

    /// Of the calls that are left: for every function that was open within `horizon` before `t` the last time up to
    /// `t` at which it was, in order of function; what is open in a thread that waits, was so last when the wait began.
    /// O(functions × log stretches + calls of a stretch).
    pub fn activity(&self, trace: &Trace, t: Time, horizon: Cost) -> Vec<(FunctionId, Time)> {
        let (stretch, range) = self.stretch(t);
        let mut last: Vec<Option<Time>> = Vec::with_capacity(self.ends.len());
        last.extend(self.ends.iter().map(|ends| {
            let known = ends.partition_point(|(of, _)| (*of as usize) < stretch);
            Some(ends[known.checked_sub(1)?].1)
        }));
        let waits_since: Vec<Option<Time>> = trace
            .thread_ids()
            .map(|thread| trace.waits_since(thread, t))
            .collect();
        self.each_left(trace, range, |(thread, _), call, _| {
            if let Some(last) = last.get_mut(call.function.index())
                && call.start <= t
            {
                let since = waits_since.get(thread.index()).copied().flatten();
                *last = (*last).max(Some(since.map_or(call.end, |since| call.end.min(since))));
            }
        });
        let after = t - horizon;
        let seen = (0..).map(FunctionId).zip(last);
        seen.filter_map(|(function, last)| {
            let end = last.filter(|&end| end > after)?;
            Some((function, end.min(t)))
        })
        .collect()
    }

    /// Hands the calls that are left and overlap `range` to `visit`, each with the innermost call around it that is
    /// left.
    fn each_left(
        &self,
        trace: &Trace,
        range: TimeRange,
        mut visit: impl FnMut((ThreadId, CallId), &Call, Option<FunctionId>),
    ) {
        for (thread, info) in trace.thread_ids().zip(trace.threads()) {
            if info.calls > 0 && info.start <= range.end && !self.rules.hides(thread) {
                self.each_left_of(trace, thread, range, &mut visit);
            }
        }
    }

    fn each_left_of(
        &self,
        trace: &Trace,
        thread: ThreadId,
        range: TimeRange,
        visit: &mut impl FnMut((ThreadId, CallId), &Call, Option<FunctionId>),
    ) {
        /// A call around others.
        struct Around {
            depth: u32,
            /// The innermost call from it outwards that is left.
            left: Option<FunctionId>,
            is_cut: bool,
        }
        let mut around: Vec<Around> = Vec::new();
        trace.calls_in(thread, range, u32::MAX, |id, call| {
            while around.pop_if(|it| it.depth >= call.depth).is_some() {}
            let (caller, is_below) = match around.last() {
                Some(outer) => (outer.left, outer.is_cut),
                None => (None, false),
            };
            let of = CallOf { thread, call: id };
            let is_removed = is_below || self.rules.removes(call.function);
            around.push(Around {
                depth: call.depth,
                left: if is_removed {
                    caller
                } else {
                    Some(call.function)
                },
                is_cut: is_below || self.rules.cuts_below(call.function, of),
            });
            if !is_removed {
                visit((thread, id), &call, caller);
            }
        });
    }
}

/// Sees the end of a call; ends of a thread come in their order.
fn see_end(ends: &mut Vec<Ends>, function: FunctionId, stretch: u32, end: Time) {
    if ends.len() <= function.index() {
        ends.resize(function.index() + 1, Vec::new());
    }
    let ends = &mut ends[function.index()];
    match ends.last_mut() {
        Some(last) if last.0 == stretch => last.1 = end,
        _ => ends.push((stretch, end)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::filters::{FilterStep, Filters};
    use crate::operations::Kept;
    use crate::operations::tests::{modules_of_trace, random_filters, random_trace};
    use callscape_base::warnings::{Place, Reporter};
    use callscape_facts::builder::{Timestamp, TraceBuilder};
    use callscape_facts::functions::Function;
    use callscape_facts::trace::Why;
    use callscape_facts::trace::random::random_numbers;

    #[test]
    fn running_sums_are_those_of_the_calls_that_the_operations_leave() {
        let (hierarchy, modules) = modules_of_trace();
        for seed in 0..300 {
            let mut below = random_numbers(seed);
            let trace = random_trace(&mut below);
            let filters = random_filters(&mut below);
            let rules = filters.rules(&hierarchy, &modules);
            let found = Running::with(&trace, &rules, 1 + below(40), &Progress::new());
            let running = found.expect("nobody cancels");
            let kept = Kept::all(&trace)
                .without_triggered_by(|thread, kept| {
                    let call = CallOf {
                        thread,
                        call: kept.id,
                    };
                    rules.cuts_below(kept.call.function, call)
                })
                .without_functions(|function| rules.removes(function));
            for t in (0..trace.duration().ns() + 3).map(Time::from_ns) {
                let mut expected: BTreeMap<Pair, u64> = BTreeMap::new();
                for thread in trace.thread_ids().filter(|&thread| !rules.hides(thread)) {
                    let calls = kept.calls(thread);
                    for of in calls.iter().filter(|of| of.call.start <= t) {
                        if let Some(parent) = of.parent {
                            let pair = (calls[parent].call.function, of.call.function);
                            *expected.entry(pair).or_default() += 1;
                        }
                    }
                }
                let found = running.at(&trace, t);
                let found = found.iter().map(|it| ((it.caller, it.callee), it.calls));
                assert!(found.eq(expected), "seed {seed} at {t}");
                let horizon = Cost::from_ns(below(40));
                let mut last: BTreeMap<FunctionId, Time> = BTreeMap::new();
                for thread in trace.thread_ids().filter(|&thread| !rules.hides(thread)) {
                    for of in kept.calls(thread) {
                        if of.call.start <= t && of.call.end > t - horizon {
                            let end = of.call.end.min(t);
                            let last = last.entry(of.call.function).or_insert(end);
                            *last = (*last).max(end);
                        }
                    }
                }
                let activity = running.activity(&trace, t, horizon);
                assert!(activity.into_iter().eq(last), "seed {seed} at {t}");
            }
            if filters.is_empty() {
                let pairs = |of: &[Relation]| -> Vec<_> {
                    of.iter()
                        .map(|it| (it.caller, it.callee, it.calls))
                        .collect()
                };
                let t = Time::from_ns(below(trace.duration().ns() + 2));
                assert_eq!(pairs(&running.at(&trace, t)), pairs(&trace.running(t)));
                let horizon = Cost::from_ns(below(40));
                let activity = running.activity(&trace, t, horizon);
                assert_eq!(activity, trace.activity(t, horizon));
            }
        }
    }
    #[test]
    fn what_is_left_and_waits_was_active_last_when_the_wait_began() {
        let reporter = Reporter::new();
        let place = || Place::file("waits");
        let mut builder = TraceBuilder::new(&reporter);
        let [main, reads, removed] = ["a", "b", "c"].map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        });
        let thread = builder.thread("p", "1");
        let at = Timestamp::from_ns;
        for (time, function) in [(0, main), (2, removed), (3, reads)] {
            builder.enter(thread, at(time), function, place);
        }
        builder.wait(thread, (at(5), at(15)), None, Why::Voluntary);
        for time in [20, 24, 30] {
            builder.exit(thread, at(time), None, place);
        }
        let trace = builder.finish(place).1;
        let (hierarchy, modules) = modules_of_trace();
        let mut filters = Filters::default();
        filters.add(FilterStep::RemoveModule(modules[removed.index()]));
        let rules = filters.rules(&hierarchy, &modules);
        let running = Running::new(&trace, &rules, &Progress::new()).expect("nobody cancels");
        let active = |t: u64| {
            let found = running.activity(&trace, Time::from_ns(t), Cost::from_ns(3));
            found
                .into_iter()
                .map(|(function, time)| (function, time.ns()))
                .collect::<Vec<_>>()
        };
        assert_eq!(active(4), [(main, 4), (reads, 4)]);
        assert_eq!(active(7), [(main, 5), (reads, 5)]);
        assert_eq!(active(10), []);
        assert_eq!(active(16), [(main, 16), (reads, 16)]);
    }
}
