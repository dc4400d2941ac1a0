//! The calling context tree of any recording: of a trace its calls merged by call path.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{Enclosing, Trace, Within};
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
    let contexts = of_trace(&recording.trace, Within::default(), progress)?;
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
    function: FunctionId,
    /// `None` as long as neither the call nor any call inside it counts.
    context: Option<NodeId>,
    /// Cost and waiting are its own, without subcalls.
    is_own: bool,
    cost: Cost,
    /// What of its cost was waiting.
    waited: Cost,
    /// What of both its direct subcalls have.
    below: Cost,
    waited_below: Cost,
}

/// The value of a trace's contexts that says how much of their self cost was waiting.
pub const WAITING: usize = 1;

/// The calls of all threads that count [within](Within) a range, merged by call path: nanoseconds of self cost, as a second
/// value what of it was [waiting](WAITING) where the trace knows, and calls. Calls around these that do not count have
/// contexts with no calls and no cost of their own.
pub fn of_trace(
    trace: &Trace,
    within: impl Into<Within>,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    of_threads(trace, trace.thread_ids(), within, progress)
}

/// The same of some threads. A call that is outermost on its thread hangs below the one that a link leads to it from, where
/// that is among what is merged.
pub fn of_threads(
    trace: &Trace,
    threads: impl IntoIterator<Item = ThreadId>,
    within: impl Into<Within>,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    // Nothing is repaired: costs of a thread's calls add up to no more than its time.
    let reporter = Reporter::new();
    let threads: Vec<ThreadId> = threads.into_iter().collect();
    let within = within.into();
    let hung = Hung::of(trace, &threads);
    // Only parts of calls can be added up piece by piece.
    let is_of_parts = within.enclosing == Enclosing::Parts || within.range.is_none();
    if hung.roots.is_empty()
        && is_of_parts
        && let range = within.range.unwrap_or_else(|| trace.range())
        && let Some(contexts) = trace.contexts(&threads, range, progress)?
    {
        return Ok(contexts);
    }
    let mut merging = Merging {
        trace,
        within,
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
    within: Within,
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
        let inside = trace.inside(thread, self.within);
        let is_thesis = self.within.enclosing == Enclosing::Whole;
        let whole = TimeRange::new(Time::ZERO, Time::MAX);
        let mut range = self.within.range.unwrap_or(whole);
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
            let Some(context) = call.context else { return };
            let own = call.cost.saturating_sub(call.below);
            builder.add(context, 0, own.ns(), place);
            if knows_waiting {
                let own = call.waited.saturating_sub(call.waited_below);
                builder.add(context, WAITING, own.ns(), place);
            }
        };
        // The context of a call, and of those around it that have none yet.
        let name = |builder: &mut ContextsBuilder<'_>, open: &mut [Open], function| {
            let first = open.iter().rposition(|it| it.context.is_some());
            let mut around = first.and_then(|it| open[it].context).unwrap_or(outside);
            for without in &mut open[first.map_or(0, |it| it + 1)..] {
                around = builder.child(around, without.function, place);
                without.context = Some(around);
            }
            builder.child(around, function, place)
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
            let mut of_call = Open {
                function: call.function,
                context: None,
                is_own: false,
                cost: Cost::ZERO,
                waited: Cost::ZERO,
                below: Cost::ZERO,
                waited_below: Cost::ZERO,
            };
            if let Some(part) = inside.part(id, &call) {
                of_call.cost = part.length();
                of_call.waited = waited(part.start, part.end);
                if let Some(around) = open.last_mut().filter(|it| !it.is_own) {
                    around.below += of_call.cost;
                    around.waited_below += of_call.waited;
                }
                if is_thesis && inside.reaches_out(id) {
                    // Not all of its subcalls are gone through.
                    of_call.cost = trace.self_cost(thread, id);
                    of_call.waited = trace.waited(thread, id).own;
                    of_call.is_own = true;
                }
                let context = name(&mut self.builder, &mut open, call.function);
                self.builder.add_calls(context, 1, place);
                if let Some(below) = self.hung.below.get(&(thread, id)) {
                    self.ready.extend(below.iter().map(|&call| (call, context)));
                }
                of_call.context = Some(context);
            }
            open.push(of_call);
        });
        while let Some(ended) = open.pop() {
            close(&mut self.builder, ended);
        }
        result
    }
}
