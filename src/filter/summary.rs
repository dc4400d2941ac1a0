//! What every function did in a range with the filters applied: the numbers that need every call to be
//! looked at. For the calls, totals and relations of a range alone, [`Trace::function_metrics`] and
//! [`Trace::relations`] answer without.

use std::collections::HashMap;

use rayon::prelude::*;

use super::filters::FilterRules;
use super::linked::linked_callers;
pub use super::totals::{FunctionSummary, Summary};
use super::walk::{LeftCall, walk};
use super::weights;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, TimeRange};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{FunctionMetrics, Relation, Trace};

type Relations = HashMap<(FunctionId, FunctionId), Relation>;

impl Summary {
    /// Of what `range` and `rules` leave of a recording. O(calls in the range), of a profile O(contexts); threads side
    /// by side.
    pub fn of(
        recording: &Recording,
        range: Option<TimeRange>,
        rules: &FilterRules,
        progress: &Progress,
    ) -> Result<Summary, Cancelled> {
        let functions = recording.functions.len();
        let mut summary = match &recording.profile {
            Some(profile) => weights::left_of(profile, functions, rules, progress)?,
            None => Summary::new(&recording.trace, functions, range, rules, progress)?,
        };
        if recording.weighed.is_some() {
            weights::weigh(&mut summary, recording, (range, rules), progress)?;
        }
        Ok(summary)
    }

    /// Of the calls that `range` and `rules` leave of `trace`, which has so many `functions`. O(calls in
    /// the range), threads side by side.
    pub fn new(
        trace: &Trace,
        functions: usize,
        range: Option<TimeRange>,
        rules: &FilterRules,
        progress: &Progress,
    ) -> Result<Summary, Cancelled> {
        let calls = trace.thread_ids().map(|thread| match range {
            Some(range) => {
                let [first, last] = [range.start, range.end].map(|t| trace.started(thread, t));
                u64::from(last - first.min(last))
            }
            None => trace.threads()[thread.index()].calls,
        });
        progress.start("reading every call", calls.sum());
        let threads: Vec<_> = trace.thread_ids().collect();
        let parts: Result<Vec<_>, Cancelled> = threads
            .into_par_iter()
            .map(|thread| {
                let mut of = vec![FunctionSummary::default(); functions];
                let mut relations = Relations::new();
                walk(trace, thread, range, rules, progress, |left| {
                    count(&mut of, &mut relations, left);
                    for caller in linked_callers(trace, rules, (thread, left.id)) {
                        count_relation(&mut relations, left, caller, 1);
                    }
                })?;
                Ok((of, relations))
            })
            .collect();
        let mut summary = Summary {
            functions: vec![FunctionSummary::default(); functions],
            relations: Vec::new(),
        };
        let mut all = Relations::new();
        for (part, relations) in parts? {
            for (sum, other) in summary.functions.iter_mut().zip(&part) {
                sum.add(other);
            }
            for (pair, relation) in relations {
                all.entry(pair).or_insert(Relation::NOTHING).add(&relation);
            }
        }
        let relations = all.into_iter();
        summary.relations = relations
            .map(|((caller, callee), relation)| Relation {
                caller,
                callee,
                ..relation
            })
            .collect();
        summary
            .relations
            .sort_unstable_by_key(|relation| (relation.caller, relation.callee));
        Ok(summary)
    }
}

fn count(functions: &mut [FunctionSummary], relations: &mut Relations, left: &LeftCall) {
    let (callee, cost) = (left.call.function, left.cost());
    let Some(of) = functions.get_mut(callee.index()) else {
        return;
    };
    of.add(&FunctionSummary {
        metrics: FunctionMetrics {
            calls: 1,
            total: if left.is_nested { Cost::ZERO } else { cost },
            self_cost: left.self_cost,
            waiting: if left.is_nested {
                Cost::ZERO
            } else {
                left.waited.total
            },
            self_waiting: left.waited.own,
        },
        min: cost,
        max: cost,
    });
    if let Some((_, caller)) = left.caller {
        count_relation(relations, left, caller, 0);
    }
}

/// Counts a call of `caller`, which is a link or none.
fn count_relation(relations: &mut Relations, left: &LeftCall, caller: FunctionId, links: u64) {
    let callee = left.call.function;
    let sum = relations.entry((caller, callee));
    sum.or_insert(Relation::NOTHING).add(&Relation {
        caller,
        callee,
        calls: 1,
        links,
        cost: left.cost(),
        self_cost: left.self_cost,
        waiting: left.waited.total,
        self_waiting: left.waited.own,
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::operations::Kept;
    use crate::operations::tests::{modules_of_trace, random_filters, random_trace};
    use crate::selection::CallOf;
    use callscape_base::units::{ThreadId, Time};
    use callscape_facts::trace::random::random_numbers;

    #[test]
    fn a_summary_is_what_the_operations_leave() {
        let (hierarchy, modules) = modules_of_trace();
        for seed in 0..400 {
            let mut below = random_numbers(seed);
            let trace = random_trace(&mut below);
            let filters = random_filters(&mut below);
            let end = trace.duration().ns() + 2;
            let range = (below(2) == 0)
                .then(|| TimeRange::new(Time::from_ns(below(end)), Time::from_ns(below(end))));
            let rules = filters.rules(&hierarchy, &modules);
            let found =
                Summary::new(&trace, 5, range, &rules, &Progress::new()).expect("nobody cancels");

            let whole = Kept::all(&trace)
                .without_triggered_by(|thread, kept| {
                    let call = CallOf {
                        thread,
                        call: kept.id,
                    };
                    rules.cuts_below(kept.call.function, call)
                })
                .without_functions(|function| rules.removes(function));
            let kept = range.map_or_else(|| whole.clone(), |range| whole.parts(range));
            let mut expected = vec![FunctionSummary::default(); 5];
            for thread in trace.thread_ids().filter(|&thread| !rules.hides(thread)) {
                let calls = kept.calls(thread);
                for (place, of) in calls.iter().enumerate() {
                    let sum = &mut expected[of.call.function.index()];
                    let cost = of.call.cost();
                    sum.min = if sum.metrics.calls == 0 {
                        cost
                    } else {
                        sum.min.min(cost)
                    };
                    sum.max = sum.max.max(cost);
                    sum.metrics.calls += 1;
                    let mut around =
                        std::iter::successors(calls[place].parent, |&at| calls[at].parent);
                    if !around.any(|at| calls[at].call.function == of.call.function) {
                        sum.metrics.total += cost;
                    }
                    let inside = calls.iter().filter(|it| it.parent == Some(place));
                    let inside: Cost = inside.map(|it| it.call.cost()).sum();
                    sum.metrics.self_cost += cost.saturating_sub(inside);
                }
            }
            if filters.is_empty() {
                let metrics = trace.function_metrics(range);
                let own = found.functions.iter().map(|it| it.metrics);
                assert!(own.eq(metrics), "seed {seed}");
            }
            assert_eq!(found.functions, expected, "seed {seed}");
            if filters.is_empty() {
                assert_eq!(found.relations, trace.relations(range), "seed {seed}");
            } else if !(0..2).any(|thread| rules.hides(ThreadId(thread))) {
                let label = |it: &Relation| ((it.caller, it.callee), (it.calls, it.cost));
                let mut relations: BTreeMap<_, _> = kept.call_graph().iter().map(label).collect();
                // A call without length at the start of the range may have a caller that ended there.
                for thread in trace.thread_ids() {
                    let outermost = kept.calls(thread).iter().filter(|it| it.parent.is_none());
                    for of in outermost {
                        let all = whole.calls(thread);
                        let at = all.iter().position(|it| it.id == of.id);
                        if let Some(caller) = at.and_then(|at| all[at].parent) {
                            let ends = (all[caller].call.function, of.call.function);
                            let (calls, cost) = relations.entry(ends).or_default();
                            *calls += 1;
                            *cost += of.call.cost();
                        }
                    }
                }
                let found = found.relations.iter().map(label);
                assert!(found.eq(relations), "seed {seed}");
            }
        }
    }
}
