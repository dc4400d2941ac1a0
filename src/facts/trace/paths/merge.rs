//! A trace merged by call path, from the contexts of its threads and the calls at the two ends of a range.

use std::ops::Range;

use super::super::Trace;
use super::super::store::{Calls, Store};
use super::super::waiting::ThreadWaiting;
use super::rows::{Paths, ThreadPaths};
use crate::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ThreadId, Time, TimeRange};
use callscape_base::warnings::{Place, Reporter};

/// The value of contexts that says how much of their self cost was waiting.
const WAITING: usize = 1;

/// Calls at the end of a range between two looks at the wish to cancel.
const BATCH: u32 = 1 << 16;

impl Trace {
    /// The calls of `threads` that overlap `range` merged by call path: nanoseconds of self cost within the range, as a
    /// second value what of it was waiting where that is known, and calls. Causes across threads are not followed. None
    /// where contexts are nearly as many as calls. O(contexts × pieces in the range, and calls of pieces at its ends);
    /// O(n) for the first time where the index does not have them.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn contexts(
        &self,
        threads: &[ThreadId],
        range: TimeRange,
        progress: &Progress,
    ) -> Result<Option<Contexts>, Cancelled> {
        self.ask(|store| {
            let paths = store.paths(progress)?;
            let merged = paths.map(|it| contexts(store, it, threads, range, progress));
            merged.transpose()
        })
    }
}

/// Contexts on their way out of those of threads.
struct Merging<'a> {
    builder: ContextsBuilder<'a>,
    /// By node what its calls cost, and the node around it.
    costs: Vec<u64>,
    around: Vec<NodeId>,
    progress: &'a Progress,
}

fn place() -> Place {
    Place::file("a trace")
}

/// The calls of `threads` that overlap `range`, merged by call path, as if they were gone through one by one.
/// O(contexts × pieces in the range, and calls of the pieces at its ends).
fn contexts(
    store: &Store,
    paths: &Paths,
    threads: &[ThreadId],
    range: TimeRange,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    // Nothing is repaired: costs of a thread's calls add up to no more than its time.
    let reporter = Reporter::new();
    let values = 1 + usize::from(store.waiting.is_some());
    let mut merging = Merging {
        builder: ContextsBuilder::new(values, &reporter),
        costs: vec![0],
        around: vec![NodeId::ROOT],
        progress,
    };
    for &thread in threads {
        let calls = store.thread(thread);
        if let Some(paths) = paths.threads.get(thread.index()) {
            let end = store.infos[thread.index()].end;
            let waiting = store.waiting.as_ref();
            let waiting = waiting.and_then(|it| it.threads.get(thread.index()));
            merging.thread(calls, end, paths, range, waiting)?;
        }
    }
    Ok(merging.finish())
}

impl Merging<'_> {
    fn thread(
        &mut self,
        calls: Calls<'_>,
        end: Time,
        paths: &ThreadPaths,
        range: TimeRange,
        waiting: Option<&ThreadWaiting>,
    ) -> Result<(), Cancelled> {
        if range.start > range.end {
            return Ok(());
        }
        // The pieces that lie in the range as a whole.
        let pieces = paths.ends.len();
        let start = |piece: usize| Time::from_ns(paths.start(&calls, piece));
        let is_before = |piece: &usize| start(*piece) < range.start;
        let first = (0..pieces).take_while(is_before).count();
        let is_inside = |piece: &usize| match piece + 1 == pieces {
            true => end <= range.end,
            false => start(piece + 1) <= range.end,
        };
        let last = first + (first..pieces).take_while(is_inside).count();
        let mut node_of = vec![None; paths.nodes.len()];
        if first == last {
            self.calls(calls, range, range, 0..u32::MAX)?;
        } else {
            let until = paths.first_call(first);
            if range.start > Time::ZERO {
                let before = TimeRange::new(range.start, start(first));
                self.calls(calls, range, before, 0..until)?;
            }
            self.pieces(calls, paths, first..last, &mut node_of);
            if last < pieces {
                let after = TimeRange::new(start(last), range.end);
                let from = paths.first_call(last);
                self.calls(calls, after, after, from..u32::MAX)?;
            }
        }
        if let Some(waiting) = waiting {
            self.waiting(paths, range, waiting, &mut node_of);
        }
        Ok(())
    }

    /// Goes through the calls that overlap `range`, up to the end of `numbers`: those in `numbers` count as calls, and all
    /// count with what they cost in `part`.
    fn calls(
        &mut self,
        calls: Calls<'_>,
        range: TimeRange,
        part: TimeRange,
        numbers: Range<u32>,
    ) -> Result<(), Cancelled> {
        let mut open: Vec<NodeId> = Vec::new();
        let mut result = Ok(());
        calls.calls_in(range, u32::MAX - 1, |id, call| {
            if id.0.is_multiple_of(BATCH) {
                result = self.progress.check();
            }
            if result.is_err() || id.0 >= numbers.end {
                return false;
            }
            open.truncate(call.depth as usize);
            let around = open.last().copied().unwrap_or(NodeId::ROOT);
            let node = self.node(around, call.function);
            if id.0 >= numbers.start {
                self.builder.add_calls(node, 1, place);
            }
            let cost = call.end.min(part.end).since(call.start.max(part.start));
            self.costs[node.number()] += cost.ns();
            open.push(node);
            true
        });
        result
    }

    /// Adds whole pieces.
    fn pieces(
        &mut self,
        calls: Calls<'_>,
        paths: &ThreadPaths,
        pieces: Range<usize>,
        node_of: &mut [Option<NodeId>],
    ) {
        for row in paths.rows_of(pieces.clone()) {
            let node = self.node_of(paths, row.context, node_of);
            self.builder.add_calls(node, u64::from(row.calls), place);
            self.costs[node.number()] += row.cost;
        }
        let start = paths.start(&calls, pieces.start);
        let end = match pieces.end == paths.ends.len() {
            true => u64::MAX,
            false => paths.start(&calls, pieces.end),
        };
        for (open, context) in paths.opened(&calls) {
            let cost = open.end.min(end).saturating_sub(open.start.max(start));
            if cost > 0 {
                let node = self.node_of(paths, context, node_of);
                self.costs[node.number()] += cost;
            }
        }
    }

    /// Adds what calls have waited themselves within the range.
    fn waiting(
        &mut self,
        paths: &ThreadPaths,
        range: TimeRange,
        waiting: &ThreadWaiting,
        node_of: &mut [Option<NodeId>],
    ) {
        let (start, end) = (range.start.ns(), range.end.ns());
        let mut first = 0;
        for (waiter, &context) in waiting.waiters.iter().zip(&paths.waiters) {
            let last = (waiter.pieces_end as usize).max(first);
            let pieces = waiting.pieces.get(first..last).unwrap_or_default();
            first = last;
            let all = [pieces.first(), pieces.last()];
            let waited = match all {
                [Some(one), Some(other)] if start <= one.start && other.end <= end => waiter.own,
                _ => {
                    let pieces = pieces.iter().filter(|it| it.start < end && it.end > start);
                    let waited =
                        pieces.map(|it| waiting.between(it.start.max(start), it.end.min(end)));
                    waited.sum()
                }
            };
            if waited > 0 {
                let node = self.node_of(paths, context, node_of);
                self.builder.add(node, WAITING, waited, place);
            }
        }
    }

    fn node(&mut self, around: NodeId, function: FunctionId) -> NodeId {
        let node = self.builder.child(around, function, place);
        if node.number() == self.costs.len() {
            self.costs.push(0);
            self.around.push(around);
        }
        node
    }

    /// The node of a context of a thread. The contexts around it mostly have one.
    fn node_of(
        &mut self,
        paths: &ThreadPaths,
        context: u32,
        node_of: &mut [Option<NodeId>],
    ) -> NodeId {
        let mut path: Vec<u32> = Vec::new();
        let mut next = context;
        let mut node = NodeId::ROOT;
        while let Some(of) = paths.nodes.get(next as usize) {
            if let Some(known) = node_of[next as usize] {
                node = known;
                break;
            }
            path.push(next);
            next = of.parent;
        }
        for &context in path.iter().rev() {
            let function = FunctionId(paths.nodes[context as usize].function);
            node = self.node(node, function);
            node_of[context as usize] = Some(node);
        }
        node
    }

    fn finish(mut self) -> Contexts {
        let mut own = self.costs.clone();
        for (&around, &cost) in self.around.iter().zip(&self.costs) {
            let own = &mut own[around.number()];
            *own = own.saturating_sub(cost);
        }
        for (node, own) in self.builder.nodes().zip(own) {
            self.builder.add(node, 0, own, place);
        }
        self.builder.finish()
    }
}
