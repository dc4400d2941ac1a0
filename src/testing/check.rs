//! What must hold of whatever an importer makes of an input: calls nest, and sums of parts are the whole. Where one of
//! these does not, the answer is false.

use callscape_base::units::{CallId, Cost, ThreadId};
use callscape_facts::memory::{CellTotals, Instant, Known, Memory};
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;
use callscape_import::ImportError;
use callscape_import::results::ResultSet;

/// Calls of a thread that are looked at one by one.
const MOST_CALLS: u64 = 20_000;
/// Calls of all threads whose costs are added up.
const MOST_SUMMED: u64 = 200_000;

/// Fails where what was read contradicts itself; says whether anything was.
pub fn check(read: Result<Recording, ImportError>) -> bool {
    let recording = match read {
        Ok(recording) => recording,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert!(recording.damage().is_none());
    if let Some(memory) = &recording.memory {
        check_memory(memory);
    }
    check_trace(&recording);
    check_functions(&recording);
    if let Some(profile) = &recording.profile {
        check_profile(profile);
    }
    for warning in &recording.warnings {
        assert!(warning.count > 0);
    }
    true
}

/// Sums of parts are the whole, and nothing is released that was not there.
fn check_memory(memory: &Memory) {
    let cells = memory.cells().len();
    if let Some(events) = memory.timed() {
        let end = events.end();
        let (state, totals) = (events.state(end), events.totals(end));
        let sum = |of: fn(&CellTotals) -> u64| state.cells().iter().map(of).sum::<u64>();
        assert_eq!(sum(|it| it.allocations.into()), totals.allocations);
        assert_eq!(sum(|it| it.releases.into()), totals.releases);
        assert_eq!(sum(|it| it.allocated), totals.allocated);
        assert_eq!(sum(|it| it.released), totals.released);
        assert!(totals.released <= totals.allocated && totals.live_bytes() <= events.peak().0);
    }
    let instants: &[Instant] = match &memory.known {
        Known::Events(_) => &[],
        Known::Allocations(of) => &of.survivors,
        Known::Sums(sums) => &sums.instants,
    };
    assert!(instants.is_sorted_by_key(|it| it.time));
    assert!(
        instants
            .iter()
            .all(|it| it.cells.is_empty() || it.cells.len() == cells)
    );
    for counter in &memory.counters {
        assert!(
            counter.values.is_sorted_by_key(|it| it.0),
            "{}",
            counter.name
        );
    }
}

/// Calls nest, lie within their thread and in order of their start; threads lie within the trace.
fn check_trace(recording: &Recording) {
    let trace = &recording.trace;
    let within = trace.range();
    let mut calls = 0;
    for (index, thread) in trace.threads().iter().enumerate() {
        calls += thread.calls;
        assert!(thread.start <= thread.end, "thread");
        assert!(
            within.start <= thread.start && thread.end <= within.end,
            "thread within the trace"
        );
        let mut ends: Vec<u64> = Vec::new();
        let mut last = thread.start.ns();
        for call in 0..thread.calls.min(MOST_CALLS) as u32 {
            let call = trace.call(ThreadId(index as u32), CallId(call));
            let (start, end) = (call.start.ns(), call.end.ns());
            assert!(last <= start && start <= end, "{start} {end}");
            assert!(end <= thread.end.ns(), "call within its thread");
            ends.truncate(call.depth as usize);
            assert_eq!(ends.len(), call.depth as usize, "depth");
            assert!(ends.last().is_none_or(|&around| end <= around), "nesting");
            assert!(
                !recording.functions.get(call.function).name.is_empty() || call.depth < u32::MAX
            );
            ends.push(end);
            last = start;
        }
    }
    assert_eq!(calls, trace.calls(), "calls of threads");
}

/// What outermost calls cost together; none where there are too many.
fn outermost(trace: &Trace) -> Option<u64> {
    if trace.calls() > MOST_SUMMED {
        return None;
    }
    let mut sum = 0_u64;
    for (index, thread) in trace.threads().iter().enumerate() {
        for call in 0..thread.calls as u32 {
            let call = trace.call(ThreadId(index as u32), CallId(call));
            if call.depth == 0 {
                sum = sum.saturating_add(call.cost().ns());
            }
        }
    }
    Some(sum)
}

/// No function costs more itself than with what it calls, or waits for longer; calls and costs of functions are those of
/// the recording, and calls from others are no more than all.
fn check_functions(recording: &Recording) {
    let metrics = recording.function_metrics(None);
    assert_eq!(metrics.len(), recording.functions.len(), "functions");
    let (mut calls, mut own) = (0_u64, 0_i64);
    let weights = recording.weighed.as_ref().map(|it| it.profile());
    let weights = weights.or(recording.profile.as_ref());
    let is_signed = weights.is_some_and(|it| it.negative(it.shown()) > 0);
    let mut warnings = recording.warnings.iter();
    let is_beyond = warnings.any(|it| it.kind == "costs-out-of-range");
    for of in &metrics {
        assert!(
            is_signed || of.self_cost <= of.total,
            "self above total: {of:?}"
        );
        assert!(
            is_signed || of.waiting <= of.total,
            "waiting above total: {of:?}"
        );
        assert!(
            is_signed || of.self_waiting <= of.self_cost,
            "waiting above self: {of:?}"
        );
        assert!(
            of.self_waiting <= of.waiting,
            "waiting itself above waiting: {of:?}"
        );
        calls = calls
            .checked_add(of.calls)
            .expect("a sum of calls that fits");
        let sum = own.checked_add(of.self_cost.weight());
        assert!(sum.is_some() || is_beyond, "a sum of costs that fits");
        own = sum.unwrap_or(i64::MAX);
    }
    assert_eq!(calls, recording.calls(), "calls of functions");
    let by_function = recording.calls_by_function();
    let same = metrics.iter().map(|it| it.calls).eq(by_function);
    assert!(same, "calls by function");
    match &recording.profile {
        Some(profile) => assert_eq!(own, profile.weight().weight(), "costs of functions"),
        // Samples count with their weights, which calls along time show only as far as they fit between the samples.
        None if recording.weighed.is_some() => {
            let weight = recording
                .weighed
                .as_ref()
                .map(|it| it.weight_of(0).weight());
            assert_eq!(Some(own), weight, "costs of functions and of samples");
        }
        None => {
            if let Some(outermost) = outermost(&recording.trace) {
                assert_eq!(
                    own,
                    Cost::from_ns(outermost).weight(),
                    "costs of functions and of outermost calls"
                );
            }
        }
    }
    let mut called = vec![0_u64; metrics.len()];
    for relation in recording.relations(None) {
        assert!(
            is_signed || relation.self_cost <= relation.cost || recording.profile.is_some(),
            "self above total: {relation:?}"
        );
        let of = &mut called[relation.callee.index()];
        // Several links may lead to one call.
        *of = of
            .checked_add(relation.calls - relation.links)
            .expect("a sum of calls that fits");
    }
    let is_told = |it: &Profile| matches!(it.weights(), Weights::Sums(_));
    if !recording.profile.as_ref().is_some_and(is_told) {
        for (called, of) in called.iter().zip(&metrics) {
            assert!(*called <= of.calls, "{called} calls from others of {of:?}");
        }
    }
}

/// In each value: no function weighs more with all below it than everything, no context more than the one around it.
fn check_profile(profile: &Profile) {
    for value in 0..profile.values().len() {
        let all = profile.weight_of(value);
        let metrics = match profile.weights() {
            Weights::Contexts(contexts) => {
                for context in contexts.ids() {
                    let total = contexts.total(value, context);
                    let own = contexts.self_weight(value, context);
                    let below = contexts.children(Some(context));
                    let below = below
                        .map(|it| contexts.total(value, it).weight())
                        .sum::<i64>();
                    let sum = below + own.weight();
                    assert_eq!(sum, total.weight(), "a context and those below it");
                }
                let functions = contexts.ids().map(|it| contexts.function(it).0 + 1).max();
                contexts.function_metrics(value, functions.unwrap_or(0) as usize)
            }
            _ => profile.function_metrics().to_vec(),
        };
        if matches!(profile.weights(), Weights::Sums(_)) {
            continue;
        }
        let is_shown =
            value == profile.shown() || matches!(profile.weights(), Weights::Contexts(_));
        // Sums with both signs are bounded by nothing.
        let is_bounded = is_shown && profile.negative(value) == 0;
        for of in metrics.iter().filter(|_| is_bounded) {
            assert!(
                of.total <= all,
                "a function above everything: {of:?}, {all:?}"
            );
        }
    }
}

/// What holds of the places that another tool has found.
pub fn check_results(set: &ResultSet) {
    assert!(
        set.hits.iter().all(|it| !it.file.is_empty()),
        "a place without a file"
    );
}
