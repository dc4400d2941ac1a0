//! The skeleton of a thread: the calls that trigger much or cost much, as a tree, and below each what its other
//! subcalls add up to.
//!
//! A call that triggers or costs as much as a *floor* lies below calls that do so too, so these calls are the top of the
//! call tree, and whatever asks for calls above the floor or higher is answered from them alone. It is what Bohnet's
//! thesis prunes a trace to (chapter 5) before it is decided what is a phase, so that thresholds can be moved without a
//! look at the trace.
//!
//! Costs are elapsed less pre-empted time where the recording knows it: what the scheduler took from a call is not its
//! work. What a call waited for counts.

mod build;
mod gather;
mod join;
mod sets;
mod short;

use super::Trace;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, TimeRange};
pub use gather::{Ended, Gatherer, median};
pub use sets::{FunctionSets, SetId};

/// From what on a call is in a skeleton: it triggers so many calls, or costs so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    pub triggered: u64,
    pub cost: Cost,
}

impl Floor {
    /// Whether a call is at or above it.
    #[inline]
    pub fn keeps(&self, triggered: u64, cost: Cost) -> bool {
        triggered >= self.triggered || cost >= self.cost
    }

    /// Whether all that `other` keeps is kept.
    pub fn is_below(&self, other: &Floor) -> bool {
        self.triggered <= other.triggered && self.cost <= other.cost
    }
}

/// A call at or above the floor; or the root, which stands for the whole thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Not of the root, which is no call.
    pub call: CallId,
    /// The last call that it triggers; itself where it triggers none.
    pub last: CallId,
    pub function: FunctionId,
    /// The node of its caller; its own of the root.
    pub parent: u32,
    /// The nodes behind it up to this one are below it.
    pub end: u32,
    pub triggered: u32,
    /// The depth of the call, and the greatest among it and the calls that it or its lightweight subcalls trigger,
    /// without those below other nodes. Of the root 0 and the greatest of its own.
    pub depth: u32,
    pub deepest: u32,
    /// Functions of it and of its subcalls that are no nodes, with all that these trigger.
    pub functions: SetId,
    pub cost: Cost,
    lights: (u32, u32),
}

/// What the subcalls of one node that are below the floor add up to, for one callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Light {
    pub function: FunctionId,
    pub of: u64,
    /// These and what they trigger.
    pub calls: u64,
    pub cost: Cost,
}

impl Light {
    pub fn add(&mut self, other: &Light) {
        self.of += other.of;
        self.calls += other.calls;
        self.cost += other.cost;
    }
}

/// The skeleton of one thread, or of a time range of it.
#[derive(Clone, Debug)]
pub struct Skeleton {
    pub thread: ThreadId,
    pub floor: Floor,
    /// In order of start, the root first.
    pub nodes: Vec<Node>,
    lights: Vec<Light>,
    pub sets: FunctionSets,
    /// Outermost calls that links lead to, in order, with the function of the call that each comes from.
    pub linked: Vec<(CallId, FunctionId)>,
}

impl Skeleton {
    /// What the subcalls of a node below the floor add up to, in order of function.
    pub fn lights(&self, node: &Node) -> &[Light] {
        let (start, end) = node.lights;
        self.lights.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// The function that called the call of a node, none of an outermost one that no link leads to.
    pub fn caller(&self, node: &Node) -> Option<FunctionId> {
        if node.parent > 0 {
            return self.nodes.get(node.parent as usize).map(|it| it.function);
        }
        let found = self.linked.binary_search_by_key(&node.call, |it| it.0);
        found.ok().map(|at| self.linked[at].1)
    }

    /// How many calls there are.
    pub fn calls(&self) -> u64 {
        self.nodes
            .first()
            .map_or(0, |root| u64::from(root.triggered))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.lights) + self.sets.bytes()
    }
}

impl Trace {
    /// The skeleton of `thread` above `floor`: of all its calls, or of those that the time range constraint (thesis
    /// 6.1.1) keeps; then a call around the range counts with what of it lies inside.
    ///
    /// O(n), of which blocks that lie below one lightweight call are judged by their summaries.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        range: Option<TimeRange>,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        let mut skeleton =
            self.ask(|store| build::skeleton(store, thread, floor, range, progress))?;
        skeleton.linked = self.linked_callers(thread);
        Ok(skeleton)
    }

    /// The outermost calls of `thread` that links lead to, in order, with the function of the call that the first link to
    /// each comes from. O(links × log n).
    pub fn linked_callers(&self, thread: ThreadId) -> Vec<(CallId, FunctionId)> {
        let outermost = |call: CallId| self.call(thread, call).depth == 0;
        let linked = self.linked(thread).filter(|(call, _)| outermost(*call));
        let mut linked: Vec<(CallId, FunctionId)> = linked
            .map(|(call, link)| (call, self.call(link.from.0, link.from.1).function))
            .collect();
        linked.dedup_by_key(|it| it.0);
        linked
    }

    /// The median cost of the calls of `threads` that have no subcalls, what of it was pre-empted left out; of two in
    /// the middle their mean. None where there is no call. O(n).
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn typical_short_call(
        &self,
        threads: &[ThreadId],
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled> {
        self.ask(|store| short::median(store, threads, progress))
    }

    /// What of a call is elapsed less pre-empted time. O(log n + waits).
    pub fn cost_without_preemption(&self, thread: ThreadId, call: CallId) -> Cost {
        self.ask(|store| {
            let facts = store.thread(thread).facts(call.0);
            Cost::from_ns(store.preempted(thread).less(facts.start, facts.end))
        })
    }
}
