//! The calling context tree of any recording: of a trace its calls merged by call path.

use std::borrow::Cow;

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ThreadId, Time, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;
use callscape_facts::weighed::Weighed;

/// How many calls are merged between two looks at the wish to cancel.
const BATCH: u64 = 1 << 16;

/// The calling contexts of a recording: those of a profile, of samples by their weights, or made of the calls of a trace.
/// None of a profile
/// that tells none, such as callgrind's. For a worker thread: linear in the calls.
pub fn contexts<'a>(
    recording: &'a Recording,
    progress: &Progress,
) -> Result<Option<Cow<'a, Contexts>>, Cancelled> {
    if let Some(profile) = &recording.profile {
        return Ok(profile.contexts().map(Cow::Borrowed));
    }
    let weighed = recording.weighed.as_ref().and_then(Weighed::contexts);
    if let Some(weighed) = weighed.filter(|_| !recording.trace.knows_waiting()) {
        return Ok(Some(Cow::Borrowed(weighed)));
    }
    let contexts = of_trace(&recording.trace, recording.trace.range(), progress)?;
    Ok(Some(Cow::Owned(match weighed {
        Some(weighed) => with_waiting(weighed, &contexts),
        None => contexts,
    })))
}

/// The time and calls of contexts by the weights of samples, with what calls along time know of waiting.
fn with_waiting(weighed: &Contexts, timed: &Contexts) -> Contexts {
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1 + WAITING, &reporter);
    let place = || Place::file("samples");
    let mut nodes: Vec<NodeId> = Vec::new();
    for (of, value) in [(weighed, 0), (timed, WAITING)] {
        nodes.clear();
        for context in of.ids() {
            let around = of
                .parent(context)
                .map_or(NodeId::ROOT, |it| nodes[it.index()]);
            let node = builder.child(around, of.function(context), place);
            nodes.push(node);
            builder.add(node, value, of.self_weight(value, context).ns(), place);
            if value == 0 {
                builder.add_calls(node, of.calls(context).unwrap_or(0), place);
            }
        }
    }
    builder.finish()
}

/// A call that is open at the call being read.
struct Open {
    context: NodeId,
    cost: Cost,
    /// The cost of its direct subcalls.
    below: Cost,
    /// What of both was waiting.
    waited: Cost,
    waited_below: Cost,
}

/// The value of a trace's contexts that says how much of their self cost was waiting.
pub const WAITING: usize = 1;

/// The calls that overlap `range`, of all threads, merged by call path: nanoseconds of self cost within the range, as
/// a second value what of it was [waiting](WAITING) where the trace knows, and calls.
pub fn of_trace(
    trace: &Trace,
    range: TimeRange,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    of_threads(trace, trace.thread_ids(), range, progress)
}

/// The same of some threads.
pub fn of_threads(
    trace: &Trace,
    threads: impl IntoIterator<Item = ThreadId>,
    range: TimeRange,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    // Nothing is repaired: costs of a thread's calls add up to no more than its time.
    let reporter = Reporter::new();
    let knows_waiting = trace.knows_waiting();
    let mut builder = ContextsBuilder::new(1 + usize::from(knows_waiting), &reporter);
    let mut result = Ok(());
    let place = || Place::file("a trace");
    for thread in threads {
        let waited = |from: Time, to: Time| match knows_waiting {
            true => {
                let until = trace.waited_until(thread, to);
                until.saturating_sub(trace.waited_until(thread, from))
            }
            false => Cost::ZERO,
        };
        let mut open: Vec<Open> = Vec::new();
        let close = |builder: &mut ContextsBuilder<'_>, call: Open| {
            let own = call.cost.saturating_sub(call.below);
            builder.add(call.context, 0, own.ns(), place);
            if knows_waiting {
                let own = call.waited.saturating_sub(call.waited_below);
                builder.add(call.context, WAITING, own.ns(), place);
            }
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
            let end = call.end.min(range.end);
            let (cost, waited) = (end.since(start), waited(start, end));
            let around = match open.last_mut() {
                Some(around) => {
                    around.below += cost;
                    around.waited_below += waited;
                    around.context
                }
                None => NodeId::ROOT,
            };
            let context = builder.child(around, call.function, place);
            builder.add_calls(context, 1, place);
            open.push(Open {
                context,
                cost,
                below: Cost::ZERO,
                waited,
                waited_below: Cost::ZERO,
            });
        });
        while let Some(ended) = open.pop() {
            close(&mut builder, ended);
        }
        result?;
    }
    Ok(builder.finish())
}
