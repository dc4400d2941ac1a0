//! Running summaries of what the filters leave: who has called whom how often up to any moment. Without
//! filters, [`Trace::running`] answers.

use std::collections::HashMap;

use rayon::prelude::*;

use super::filters::FilterRules;
use super::selection::CallOf;
use super::walk::walk;
use crate::facts::trace::{Relation, Trace};
use crate::progress::{Cancelled, Progress};
use crate::units::{Cost, FunctionId, ThreadId, Time, TimeRange};

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

/// The call relations of the calls that filters leave, up to any moment.
///
/// The sums at up to 2048 times are held; from the last of them on calls are counted one by one.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Where stretches after the first begin.
    starts: Vec<Time>,
    /// Sorted by caller, then callee.
    relations: Vec<Sums>,
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
        progress.start("counting what is left along time", trace.calls());
        let threads: Vec<ThreadId> = trace.thread_ids().collect();
        let parts: Result<Vec<_>, Cancelled> = threads
            .into_par_iter()
            .map(|thread| {
                let mut counts: HashMap<(Pair, u32), u64> = HashMap::new();
                walk(trace, thread, None, rules, progress, |left| {
                    if let Some((_, caller)) = left.caller {
                        let stretch = starts.partition_point(|start| *start <= left.call.start);
                        let pair = (caller, left.call.function);
                        *counts.entry((pair, stretch as u32)).or_default() += 1;
                    }
                })?;
                Ok(counts)
            })
            .collect();
        let mut counts: Vec<((Pair, u32), u64)> = parts?.into_iter().flatten().collect();
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
        let stretch = self.starts.partition_point(|start| *start <= t);
        let from = match stretch.checked_sub(1) {
            Some(before) => self.starts[before],
            None => Time::ZERO,
        };
        let mut calls: Vec<(Pair, u64)> = Vec::with_capacity(self.relations.len());
        for relation in &self.relations {
            let known = relation
                .until
                .partition_point(|it| (it.0 as usize) < stretch);
            let before = known.checked_sub(1).map_or(0, |at| relation.until[at].1);
            calls.push((relation.pair, before));
        }
        let range = TimeRange::new(from, t);
        for (thread, info) in trace.thread_ids().zip(trace.threads()) {
            if info.calls > 0 && info.start <= t && !self.rules.hides(thread) {
                self.count(trace, thread, range, &mut calls);
            }
        }
        let calls = calls.into_iter().filter(|&(_, calls)| calls > 0);
        let relation = |((caller, callee), calls): (Pair, u64)| Relation {
            caller,
            callee,
            calls,
            cost: Cost::ZERO,
            self_cost: Cost::ZERO,
        };
        calls.map(relation).collect()
    }

    /// Adds the calls of a thread that are left and started in `range`, both ends included.
    fn count(&self, trace: &Trace, thread: ThreadId, range: TimeRange, calls: &mut [(Pair, u64)]) {
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
            if is_removed || call.start < range.start || range.end < call.start {
                return;
            }
            let pair = caller.map(|caller| (caller, call.function));
            if let Some(pair) = pair
                && let Ok(at) = calls.binary_search_by_key(&pair, |it| it.0)
            {
                calls[at].1 += 1;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::filter::operations::Kept;
    use crate::filter::operations::tests::{
        modules_of_trace, numbers, random_filters, random_trace,
    };

    #[test]
    fn running_sums_are_those_of_the_calls_that_the_operations_leave() {
        let (hierarchy, modules) = modules_of_trace();
        for seed in 0..300 {
            let mut below = numbers(seed);
            let trace = random_trace(&mut below);
            let filters = random_filters(&mut below);
            let rules = filters.rules(&hierarchy, &modules);
            let found = Running::with(&trace, &rules, 1 + below(40), &Progress::new());
            let found = found.expect("nobody cancels");
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
                let found = found.at(&trace, t);
                let found = found.iter().map(|it| ((it.caller, it.callee), it.calls));
                assert!(found.eq(expected), "seed {seed} at {t}");
            }
            if filters.is_empty() {
                let pairs = |of: &[Relation]| -> Vec<_> {
                    of.iter()
                        .map(|it| (it.caller, it.callee, it.calls))
                        .collect()
                };
                let t = Time::from_ns(below(trace.duration().ns() + 2));
                assert_eq!(pairs(&found.at(&trace, t)), pairs(&trace.running(t)));
            }
        }
    }
}
