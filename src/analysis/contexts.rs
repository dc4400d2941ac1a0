//! The calling context tree of any recording: of a trace its calls merged by call path.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, ThreadId, Time, TimeRange};
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
            builder.add(node, value, of.self_weight(value, context), place);
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

/// The same of some threads. A call that is outermost on its thread hangs below the one that a link leads to it from, where
/// that is among what is merged.
pub fn of_threads(
    trace: &Trace,
    threads: impl IntoIterator<Item = ThreadId>,
    range: TimeRange,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    // Nothing is repaired: costs of a thread's calls add up to no more than its time.
    let reporter = Reporter::new();
    let threads: Vec<ThreadId> = threads.into_iter().collect();
    let hung = Hung::of(trace, &threads);
    if hung.roots.is_empty()
        && let Some(contexts) = trace.contexts(&threads, range, progress)?
    {
        return Ok(contexts);
    }
    let mut merging = Merging {
        trace,
        range,
        progress,
        builder: ContextsBuilder::new(1 + usize::from(trace.knows_waiting()), &reporter),
        hung,
        ready: Vec::new(),
    };
    for &thread in &threads {
        merging.thread(thread, None, NodeId::ROOT)?;
    }
    merging.hung_trees()?;
    // What is left hangs below calls out of sight, or in a circle, which is cut.
    for root in merging.hung.roots.clone() {
        merging.ready.push((root, NodeId::ROOT));
        merging.hung_trees()?;
    }
    Ok(merging.builder.finish())
}

/// A call by its thread and number.
type At = (ThreadId, CallId);

/// The calls that are outermost on their threads and have a caller elsewhere, none of which is merged yet.
#[derive(Default)]
struct Hung {
    roots: BTreeSet<At>,
    /// By caller, those that links lead to from it.
    below: HashMap<At, Vec<At>>,
}

impl Hung {
    fn of(trace: &Trace, threads: &[ThreadId]) -> Hung {
        let mut hung = Hung::default();
        for &thread in threads {
            let mut last = None;
            for (call, link) in trace
                .linked(thread)
                .filter(|(_, link)| link.kind.is_caller())
            {
                let is_first = last.replace(call) != Some(call);
                if is_first && trace.call(thread, call).depth == 0 {
                    hung.roots.insert((thread, call));
                    let below = hung.below.entry(link.from).or_default();
                    below.push((thread, call));
                }
            }
        }
        hung
    }
}

/// Calls on their way into contexts.
struct Merging<'a> {
    trace: &'a Trace,
    range: TimeRange,
    progress: &'a Progress,
    builder: ContextsBuilder<'a>,
    hung: Hung,
    /// Of them those whose caller has a context.
    ready: Vec<(At, NodeId)>,
}

impl Merging<'_> {
    fn hung_trees(&mut self) -> Result<(), Cancelled> {
        while let Some(((thread, root), around)) = self.ready.pop() {
            if self.hung.roots.remove(&(thread, root)) {
                self.thread(thread, Some(root), around)?;
            }
        }
        Ok(())
    }

    /// Merges the calls of a thread but for those that hang below others; or one of these with all that it triggers.
    fn thread(
        &mut self,
        thread: ThreadId,
        only: Option<CallId>,
        outside: NodeId,
    ) -> Result<(), Cancelled> {
        let (trace, progress) = (self.trace, self.progress);
        let mut range = self.range;
        let mut numbers = 0..u32::MAX;
        if let Some(root) = only {
            let call = trace.call(thread, root);
            range.start = range.start.max(call.start);
            range.end = range.end.min(call.end);
            numbers = root.0..root.0.saturating_add(call.triggered).saturating_add(1);
        }
        if range.start > range.end {
            return Ok(());
        }
        let knows_waiting = trace.knows_waiting();
        let waited = |from: Time, to: Time| match knows_waiting {
            true => {
                let until = trace.waited_until(thread, to);
                until.saturating_sub(trace.waited_until(thread, from))
            }
            false => Cost::ZERO,
        };
        let place = || Place::file("a trace");
        let mut open: Vec<Open> = Vec::new();
        let close = |builder: &mut ContextsBuilder<'_>, call: Open| {
            let own = call.cost.saturating_sub(call.below);
            builder.add(call.context, 0, own.ns(), place);
            if knows_waiting {
                let own = call.waited.saturating_sub(call.waited_below);
                builder.add(call.context, WAITING, own.ns(), place);
            }
        };
        let (mut visited, mut result) = (0_u64, Ok(()));
        trace.calls_in(thread, range, u32::MAX, |id, call| {
            visited += 1;
            if visited.is_multiple_of(BATCH) && result.is_ok() {
                result = progress.check();
            }
            if result.is_err() || !numbers.contains(&id.0) {
                return;
            }
            if call.depth == 0 && self.hung.roots.contains(&(thread, id)) {
                numbers.start = id.0.saturating_add(call.triggered).saturating_add(1);
                return;
            }
            while open.len() > call.depth as usize
                && let Some(ended) = open.pop()
            {
                close(&mut self.builder, ended);
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
                None => outside,
            };
            let context = self.builder.child(around, call.function, place);
            self.builder.add_calls(context, 1, place);
            if let Some(below) = self.hung.below.get(&(thread, id)) {
                self.ready.extend(below.iter().map(|&call| (call, context)));
            }
            open.push(Open {
                context,
                cost,
                below: Cost::ZERO,
                waited,
                waited_below: Cost::ZERO,
            });
        });
        while let Some(ended) = open.pop() {
            close(&mut self.builder, ended);
        }
        result
    }
}
