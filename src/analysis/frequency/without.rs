//! A recording without the functions that are called too often, as the thesis' post-processing leaves it (section
//! 4.3.3): their calls are gone, and what they called is called by the call around them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Frequencies, each_call};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time};
use callscape_base::warnings::{Place, Reporter, Warning};
use callscape_facts::builder::{PlainEvents, Timestamp, TraceBuilder};
use callscape_facts::frequency::{Frequency, LeftOut};
use callscape_facts::functions::Functions;
use callscape_facts::recording::Recording;
use callscape_facts::relinked::Relinked;
use callscape_facts::trace::{Trace, Why};

/// Why nothing could be left out of a recording.
#[derive(Debug, thiserror::Error)]
pub enum FrequencyError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// It does not say when functions are called.
    #[error("{0}")]
    Unfit(String),
}

/// Leaves the functions out of recordings that are called more often than `limit` allows. What is called massively in
/// one of several goes by its name from the others too, or they would differ by it. Functions and threads keep their ids,
/// and times theirs; a function that is left out has no calls. O(calls), and memory as for the calls that are left.
pub fn leave_out_frequent(
    recordings: &mut [Arc<Recording>],
    limit: Frequency,
    progress: &Progress,
) -> Result<(), FrequencyError> {
    let mut counted = Vec::new();
    for recording in &*recordings {
        if recording.profile.is_some() {
            return Err(FrequencyError::Unfit(format!(
                "{}: a profile contains weights without times, so call frequencies are unknown",
                recording.name()
            )));
        }
        let functions = recording.functions.len();
        let of = Frequencies::new(&recording.trace, functions, limit.window, progress)?;
        let frequent = of.frequent(limit.most);
        counted.push((of, frequent));
    }
    let named: Vec<BTreeSet<String>> = recordings
        .iter()
        .zip(&counted)
        .map(|(recording, (_, frequent))| {
            let ids = frequent.functions.iter();
            let names = ids.map(|&id| recording.functions.get(id).name.to_owned());
            names.collect()
        })
        .collect();
    for (place, recording) in recordings.iter_mut().enumerate() {
        let (of, frequent) = &counted[place];
        let functions = &recording.functions;
        let is_of_another = |id: FunctionId| {
            let name = functions.get(id).name;
            let others = named
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != place);
            others.into_iter().any(|(_, names)| names.contains(name))
        };
        let mut all: BTreeSet<FunctionId> = frequent.functions.iter().copied().collect();
        if named.len() > 1 {
            all.extend(functions.ids().filter(|&id| is_of_another(id)));
        }
        let frequent = of.with(limit.most, all.into_iter().collect());
        let mut left = Recording::clone(recording);
        left.left_out = Some(LeftOut {
            before: of_trial_run(recording.left_out.as_ref()),
            found: Vec::new(),
            has_first_calls: false,
            ..of.left_out(&frequent, functions)
        });
        if !frequent.functions.is_empty() {
            let name = recording.name();
            let (trace, warnings) = without(
                &recording.trace,
                functions,
                &frequent.functions,
                &name,
                progress,
            )?;
            left.trace = trace;
            // Its samples weigh calls that are gone now.
            left.weighed = None;
            left.warnings.extend(warnings);
        }
        *recording = Arc::new(left);
    }
    Ok(())
}

/// What a trial run has left out of a recording, whatever a limit has since.
fn of_trial_run(left_out: Option<&LeftOut>) -> Option<Box<LeftOut>> {
    let left_out = left_out?;
    match left_out.of_run_before {
        true => Some(Box::new(left_out.clone())),
        false => left_out.before.clone(),
    }
}

/// A trace without the calls of some functions: what they called is called by the call around them.
pub(crate) fn without(
    trace: &Trace,
    functions: &Functions,
    excluded: &[FunctionId],
    name: &str,
    progress: &Progress,
) -> Result<(Trace, Vec<Warning>), Cancelled> {
    progress.start("excluding functions", trace.calls());
    let mut is_removed = vec![false; functions.len()];
    for id in excluded {
        is_removed[id.index()] = true;
    }
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    for id in functions.ids() {
        // In the same order: the ids stay.
        builder.function_at(functions.get(id), functions.column(id));
    }
    builder.began(Timestamp::from_ns(0));
    if trace.knows_waiting() {
        builder.knows_waiting();
    }
    let mut links = Relinked::of(trace);
    let mut first = ThreadId(0);
    for (thread, info) in trace.thread_ids().zip(trace.threads()) {
        let new = match info.lane {
            0 => builder.thread(&info.process, &info.id),
            lane => builder.lane(first, lane),
        };
        if info.lane == 0 {
            first = new;
        }
        builder.name_thread(new, &info.name);
        waits(trace, thread, |start, end, waited, why| {
            builder.wait(new, (start, end), Some(waited), why);
        });
        let mut plain = builder.plain(new);
        // By depth whether the call is left, and when it ends.
        let mut open: Vec<(bool, Time)> = Vec::new();
        let mut number = 0;
        each_call(trace, thread, progress, |call| {
            leave(&mut open, call.depth as usize, &mut plain);
            let is_left = !is_removed.get(call.function.index()).is_some_and(|&it| it);
            number += 1;
            if is_left {
                links.becomes((thread, CallId(number - 1)), (new, plain.next_call()));
                plain.enter(at(call.start), call.function);
            }
            open.push((is_left, call.end));
        })?;
        leave(&mut open, 0, &mut plain);
    }
    let place = || Place::file(name);
    links.build(trace, &mut builder, &reporter, place);
    let (_, left) = builder.finish(place);
    let left = left.with_origin(trace.origin());
    Ok((left.lasting(trace.range().end), reporter.warnings()))
}

/// Ends the calls that are open at `depth` and deeper.
fn leave(open: &mut Vec<(bool, Time)>, depth: usize, plain: &mut PlainEvents<'_>) {
    while open.len() > depth
        && let Some((is_left, end)) = open.pop()
    {
        if is_left {
            plain.exit(at(end));
        }
    }
}

fn at(time: Time) -> Timestamp {
    Timestamp::from_ns(i64::try_from(time.ns()).unwrap_or(i64::MAX))
}

/// Hands the waits of a thread on.
fn waits(trace: &Trace, thread: ThreadId, mut each: impl FnMut(Timestamp, Timestamp, Cost, Why)) {
    let whole = trace.range();
    trace.waits_in(thread, whole, |wait| {
        each(at(wait.start), at(wait.end), wait.waited, wait.why);
        true
    });
}
