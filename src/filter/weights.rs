//! What filters leave of a profile: of its calling contexts, or where it tells none of its functions and relations.

use super::filters::FilterRules;
use super::selection::CallOf;
use super::totals::{FunctionSummary, Summary};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, ContextId, FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::trace::{FunctionMetrics, Relation};

/// Of a call: a profile has no single ones, and no filter leaves out what one of them triggered.
const NO_CALL: CallOf = CallOf {
    thread: ThreadId(u32::MAX),
    call: CallId(u32::MAX),
};

/// Contexts gone through before it is asked again whether to stop.
const UNASKED: u32 = 1 << 16;

/// What `rules` leave of the value that a profile of so many functions shows. Where it tells no contexts it does not
/// tell either what a call triggered further down: the relations of functions that are removed go, and those to what
/// functions called below which all is. O(contexts), else O(relations).
pub(super) fn left_of(
    profile: &Profile,
    functions: usize,
    rules: &FilterRules,
    progress: &Progress,
) -> Result<Summary, Cancelled> {
    let value = profile.shown();
    let (metrics, relations) = match profile.weights() {
        _ if rules.leaves_threads_whole() => (
            profile.function_metrics().to_vec(),
            profile.relations().to_vec(),
        ),
        Weights::Contexts(contexts) => {
            let left = contexts_left(contexts, value, rules, progress)?;
            (left.function_metrics(0, functions), left.relations(0))
        }
        Weights::Graph(_) | Weights::Sums(_) => {
            let is_cut = |function| rules.cuts_below(function, NO_CALL);
            let mut metrics = profile.function_metrics().to_vec();
            for (of, function) in metrics.iter_mut().zip(0..) {
                let function = FunctionId(function);
                if rules.removes(function) {
                    *of = FunctionMetrics::default();
                } else if is_cut(function) {
                    of.self_cost = of.total;
                }
            }
            let relations = profile.relations().iter().copied();
            let is_left = |it: &Relation| {
                !rules.removes(it.caller) && !rules.removes(it.callee) && !is_cut(it.caller)
            };
            (metrics, relations.filter(is_left).collect())
        }
    };
    let of = |metrics: FunctionMetrics| FunctionSummary {
        metrics,
        ..FunctionSummary::default()
    };
    Ok(Summary {
        functions: metrics.into_iter().map(of).collect(),
        relations,
    })
}

/// The contexts that are left, each weighing one value: what a context that is left out weighs is that of the one
/// around it that is left.
fn contexts_left(
    contexts: &Contexts,
    value: usize,
    rules: &FilterRules,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    // Nothing that fitted before does not fit now.
    let reporter = Reporter::new();
    let place = || Place::file("");
    let mut left = ContextsBuilder::new(1, &reporter);
    // Around the next context: itself, what stands for it, and whether what it triggered is left out.
    let mut around: Vec<(ContextId, NodeId, bool)> = Vec::new();
    for context in contexts.ids() {
        if context.0 % UNASKED == 0 {
            progress.check()?;
        }
        while around
            .pop_if(|(outer, ..)| !contexts.subtree(*outer).contains(&context.0))
            .is_some()
        {}
        let (above, is_below) = around
            .last()
            .map_or((NodeId::ROOT, false), |&(_, node, is_cut)| (node, is_cut));
        let function = contexts.function(context);
        let node = if is_below || rules.removes(function) {
            above
        } else {
            let node = left.child(above, function, place);
            if let Some(calls) = contexts.calls(context) {
                left.add_calls(node, calls, place);
            }
            node
        };
        left.add(node, 0, contexts.self_weight(value, context), place);
        around.push((
            context,
            node,
            is_below || rules.cuts_below(function, NO_CALL),
        ));
    }
    Ok(left.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{FilterStep, Filters};
    use crate::operations::tests::modules_of_trace;
    use callscape_base::units::{Cost, Unit};
    use callscape_facts::profile::Value;
    use callscape_facts::trace::random::random_numbers;
    use std::collections::BTreeMap;

    const FUNCTIONS: u64 = 5;

    #[test]
    fn what_is_left_of_a_profile_is_what_the_definition_says_of_its_paths() {
        let (hierarchy, modules) = modules_of_trace();
        let (mut left_out, mut cut) = (0, 0);
        for seed in 0..300 {
            let mut below = random_numbers(seed);
            // Call paths with what they weigh themselves.
            let mut paths: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for _ in 0..1 + below(30) {
                let depth = 1 + below(7);
                let path = (0..depth).map(|_| below(FUNCTIONS) as u32).collect();
                *paths.entry(path).or_default() += 1 + below(50);
            }
            let reporter = Reporter::new();
            let mut builder = ContextsBuilder::new(1, &reporter);
            for (path, &weight) in &paths {
                let place = || Place::file("made here");
                let mut node = NodeId::ROOT;
                for &function in path {
                    node = builder.child(node, FunctionId(function), place);
                }
                builder.add(node, 0, weight, place);
            }
            let value = Value {
                name: "samples".to_owned(),
                unit: Unit::Nanoseconds,
            };
            let weights = Weights::Contexts(builder.finish());
            let profile = Profile::new(vec![value], 0, weights, FUNCTIONS as usize);
            let of = |number: u64| modules[(number % FUNCTIONS) as usize];
            let filters = Filters::new((0..below(3)).map(|_| match below(2) {
                0 => FilterStep::RemoveModule(of(below(99))),
                _ => FilterStep::RemoveBelow(of(below(99))),
            }));
            let rules = filters.rules(&hierarchy, &modules);
            let found = left_of(&profile, FUNCTIONS as usize, &rules, &Progress::new())
                .expect("nobody cancels");

            let mut metrics = vec![(Cost::ZERO, Cost::ZERO); FUNCTIONS as usize];
            let mut relations: BTreeMap<(u32, u32), [u64; 2]> = BTreeMap::new();
            for (path, &weight) in &paths {
                let mut shown = Vec::new();
                for &function in path {
                    if !rules.removes(FunctionId(function)) {
                        shown.push(function);
                    } else {
                        left_out += 1;
                    }
                    if rules.cuts_below(FunctionId(function), NO_CALL) {
                        cut += 1;
                        break;
                    }
                }
                let cost = Cost::from_ns(weight);
                let mut seen = Vec::new();
                for (place, &function) in shown.iter().enumerate() {
                    if !seen.contains(&function) {
                        seen.push(function);
                        metrics[function as usize].0 += cost;
                    }
                    let is_last = place + 1 == shown.len();
                    if is_last {
                        metrics[function as usize].1 += cost;
                    }
                    if let Some(caller) = place.checked_sub(1) {
                        let sums = relations.entry((shown[caller], function)).or_default();
                        sums[0] += weight;
                        sums[1] += weight * u64::from(is_last);
                    }
                }
            }
            let all = found.functions.iter();
            let all: Vec<_> = all
                .map(|it| (it.metrics.total, it.metrics.self_cost))
                .collect();
            assert_eq!(all, metrics, "seed {seed}");
            let all = found.relations.iter();
            let all: BTreeMap<(u32, u32), [u64; 2]> = all
                .map(|it| {
                    (
                        (it.caller.0, it.callee.0),
                        [it.cost.ns(), it.self_cost.ns()],
                    )
                })
                .collect();
            assert_eq!(all, relations, "seed {seed}");
            assert!(found.functions.iter().all(|it| it.metrics.calls == 0));
        }
        assert!(left_out > 100 && cut > 100, "{left_out} {cut}");
    }
}
