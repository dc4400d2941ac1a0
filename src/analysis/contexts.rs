//! The calling context tree of any recording: of a trace its calls merged by call path.

use std::borrow::Cow;

use crate::facts::contexts::{Contexts, ContextsBuilder, NodeId};
use crate::facts::recording::Recording;
use crate::facts::trace::Trace;
use crate::progress::{Cancelled, Progress};
use crate::units::{Cost, TimeRange};
use crate::warnings::{Place, Reporter};

/// How many calls are merged between two looks at the wish to cancel.
const BATCH: u64 = 1 << 16;

/// The calling contexts of a recording: those of a profile, or made of the calls of a trace. None of a profile
/// that tells none, such as callgrind's. For a worker thread: linear in the calls.
pub fn contexts<'a>(
    recording: &'a Recording,
    progress: &Progress,
) -> Result<Option<Cow<'a, Contexts>>, Cancelled> {
    match &recording.profile {
        Some(profile) => Ok(profile.contexts().map(Cow::Borrowed)),
        None => {
            let contexts = of_trace(&recording.trace, recording.trace.range(), progress)?;
            Ok(Some(Cow::Owned(contexts)))
        }
    }
}

/// The calls that overlap `range`, of all threads, merged by call path: one value, nanoseconds of self cost
/// within the range, and calls.
pub fn of_trace(
    trace: &Trace,
    range: TimeRange,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    // Nothing is repaired: costs of a thread's calls add up to no more than its time.
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    let mut result = Ok(());
    let place = || Place::file("a trace");
    for thread in trace.thread_ids() {
        // The open calls: context, cost, and the cost of the direct subcalls.
        let mut open: Vec<(NodeId, Cost, Cost)> = Vec::new();
        let close = |builder: &mut ContextsBuilder<'_>, call: (NodeId, Cost, Cost)| {
            let (context, cost, below) = call;
            builder.add(context, 0, cost.saturating_sub(below).ns(), place);
        };
        let mut visited = 0_u64;
        trace.calls_in(thread, range, u32::MAX, |_, call| {
            visited += 1;
            if visited.is_multiple_of(BATCH) && result.is_ok() {
                result = progress.check();
            }
            if result.is_err() {
                return;
            }
            while open.len() > call.depth as usize
                && let Some(ended) = open.pop()
            {
                close(&mut builder, ended);
            }
            let start = call.start.max(range.start);
            let cost = call.end.min(range.end).since(start);
            let around = match open.last_mut() {
                Some((context, _, below)) => {
                    *below += cost;
                    *context
                }
                None => NodeId::ROOT,
            };
            let context = builder.child(around, call.function, place);
            builder.add_calls(context, 1);
            open.push((context, cost, Cost::ZERO));
        });
        while let Some(ended) = open.pop() {
            close(&mut builder, ended);
        }
        result?;
    }
    Ok(builder.finish())
}
