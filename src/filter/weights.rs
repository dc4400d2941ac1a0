//! What filters leave of weights: of calling contexts, or of a profile that tells none of its functions and relations.

use std::borrow::Cow;

use super::filters::FilterRules;
use super::selection::CallOf;
use super::totals::{FunctionSummary, Summary};
use callscape_analysis::moments::Between;
use callscape_analysis::sampled;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, ContextId, Cost, FunctionId, ThreadId, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{FunctionMetrics, Relation};
use callscape_facts::weighed::with_known;

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

/// The calling contexts of what `range` and `rules` leave of a recording, and which of their values is shown. `None` if the
/// recording has no call paths, or what single calls triggered is left out. O(calls in the range), of weights O(contexts).
///
/// # Errors
/// When it is cancelled.
pub fn contexts_in<'a>(
    recording: &'a Recording,
    range: Option<TimeRange>,
    rules: &FilterRules,
    progress: &Progress,
) -> Result<Option<(Cow<'a, Contexts>, usize)>, Cancelled> {
    if rules.cuts_single_calls() {
        return Ok(None);
    }
    let mut left: Vec<ThreadId> = recording.timed().thread_ids().collect();
    let all = left.len();
    left.retain(|&it| !rules.hides(it));
    let threads = (left.len() < all).then_some(left.as_slice());
    let found = sampled::contexts_in(recording, range.into(), threads, progress)?;
    Ok(match found {
        Some((contexts, value)) if !rules.leaves_threads_whole() => {
            let left = contexts_left(&contexts, value, rules, progress)?;
            Some((Cow::Owned(left), 0))
        }
        found => found,
    })
}

/// The moments of relations in what `range` and `rules` leave of a recording, in order. `None` if the recording has no call
/// paths, or if calls are left out and some were caused by other threads or what single calls triggered is left out.
///
/// # Errors
/// When it is cancelled.
pub fn moments(
    between: &Between<'_>,
    recording: &Recording,
    (range, rules): (Option<TimeRange>, &FilterRules),
    progress: &Progress,
) -> Result<Option<Vec<Cost>>, Cancelled> {
    if rules.is_empty() {
        return between.moments(recording, range.into(), progress);
    }
    if recording.trace.has_links() {
        return Ok(None);
    }
    let found = contexts_in(recording, range, rules, progress)?;
    Ok(found.map(|(contexts, value)| between.of_contexts(&contexts, value)))
}

/// Has the samples that are left count with their weights in a summary of calls, as they do where nothing is left out; calls,
/// waiting and links stay those of the calls that samples show.
pub(super) fn weigh(
    summary: &mut Summary,
    recording: &Recording,
    (range, rules): (Option<TimeRange>, &FilterRules),
    progress: &Progress,
) -> Result<(), Cancelled> {
    let functions = recording.functions.len();
    let (metrics, relations) = match rules.is_empty() {
        true => (
            recording.function_metrics(range),
            recording.relations(range),
        ),
        false => {
            let Some((contexts, value)) = contexts_in(recording, range, rules, progress)? else {
                return Ok(());
            };
            let known = std::mem::take(&mut summary.relations);
            let relations = with_known(contexts.relations(value), known, false);
            (contexts.function_metrics(value, functions), relations)
        }
    };
    for (of, metrics) in summary.functions.iter_mut().zip(metrics) {
        let known = of.metrics;
        of.metrics = FunctionMetrics {
            waiting: known.waiting.min(metrics.total),
            self_waiting: known.self_waiting.min(metrics.self_cost),
            ..metrics
        };
    }
    summary.relations = relations;
    Ok(())
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
    use crate::operations::Kept;
    use crate::operations::tests::{modules_of_trace, random_filters, random_trace};
    use callscape_base::units::{Time, Unit};
    use callscape_facts::functions::Functions;
    use callscape_facts::profile::Value;
    use callscape_facts::trace::random::random_numbers;
    use std::collections::BTreeMap;

    const FUNCTIONS: u64 = 5;

    #[test]
    fn moments_of_what_is_left_are_counted_once() {
        let (hierarchy, modules) = modules_of_trace();
        let (mut known, mut is_less) = (0, false);
        for seed in 0..400 {
            let mut below = random_numbers(seed);
            let trace = random_trace(&mut below);
            let end = trace.duration().ns() + 2;
            let range = (below(2) == 0)
                .then(|| TimeRange::new(Time::from_ns(below(end)), Time::from_ns(below(end))));
            let rules = random_filters(&mut below).rules(&hierarchy, &modules);
            let mut kept = Kept::all(&trace)
                .without_triggered_by(|thread, kept| {
                    let call = CallOf {
                        thread,
                        call: kept.id,
                    };
                    rules.cuts_below(kept.call.function, call)
                })
                .without_functions(|function| rules.removes(function));
            if let Some(range) = range {
                kept = kept.parts(range);
            }
            let pairs = (0..5).flat_map(|from| (0..5).map(move |to| (from, to)));
            let pairs: Vec<(u32, u32)> = pairs.collect();
            let (mut expected, mut sums) = (vec![Cost::ZERO; 25], Cost::ZERO);
            for thread in trace.thread_ids().filter(|&it| !rules.hides(it)) {
                let calls = kept.calls(thread);
                let pair = |at: usize| {
                    let caller = calls[calls[at].parent?].call.function.0;
                    Some((caller, calls[at].call.function.0))
                };
                for at in 0..calls.len() {
                    let Some(own) = pair(at) else { continue };
                    let mut around =
                        std::iter::successors(calls[at].parent, |&at| calls[at].parent);
                    sums += calls[at].call.cost();
                    if !around.any(|it| pair(it) == Some(own)) {
                        expected[(own.0 * 5 + own.1) as usize] += calls[at].call.cost();
                    }
                }
            }
            let functions = Functions::default();
            let recording =
                Recording::of_calls("r".as_ref(), "none", None, (functions, trace), vec![]);
            let of = |function: FunctionId| Some(function.0);
            let between = Between::new(pairs.into_iter(), &of);
            let progress = Progress::new();
            let found = moments(&between, &recording, (range, &rules), &progress);
            let found = found.expect("nobody cancels");
            assert_eq!(found.is_none(), rules.cuts_single_calls(), "seed {seed}");
            if let Some(found) = found {
                assert_eq!(found, expected, "seed {seed}");
                known += 1;
                is_less |= found.into_iter().sum::<Cost>() < sums;
            }
        }
        assert!(known > 100 && is_less, "{known} known");
    }

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
