//! The skeleton of a thread: the calls that trigger much or cost much, as a tree, and below each what its other
//! subcalls add up to.
//!
//! A call that triggers or costs as much as a *floor* lies below calls that do so too, so these calls are the top of the
//! call tree, and whatever asks for calls above the floor or higher is answered from them alone. It is what Bohnet's
//! thesis prunes a trace to (chapter 5) before it is decided what is a phase, so that thresholds can be moved without a
//! look at the trace.
//!
//! Costs are elapsed less pre-empted time where the recording knows it, unless [all of it](CostOf) is asked for: what the
//! scheduler took from a call is not its work. What a call waited for counts.

mod build;
mod gather;
mod join;
mod known;
mod nodes;
mod sets;
mod short;
mod stored;
mod taken;

use super::{Trace, Within};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, TimeRange};
pub use gather::{Ended, Gatherer, median};
pub use nodes::{CostOf, Floor, Light, Node, Skeleton};
pub use sets::{FunctionSets, SetId};
pub use stored::KeptSkeletons;

impl Trace {
    /// The skeleton of `thread` above `floor`: of all its calls, or of what counts [within](Within) a range.
    ///
    /// O(n), of which blocks that lie below one lightweight call are judged by their summaries.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        costs: CostOf,
        within: impl Into<Within>,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        let (of, within) = ((thread, floor, costs), within.into());
        let mut skeleton = self.ask(|store| build::skeleton(store, of, within, None, progress))?;
        skeleton.linked = self.linked_callers(thread);
        Ok(skeleton)
    }

    /// What of `whole`, the skeleton of all calls of a thread by what they run, counts [within](Within) a range, above the same floor.
    /// O(calls in the range that are below no node which lies in it as a whole, and nodes).
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn skeleton_out_of(
        &self,
        whole: &Skeleton,
        within: impl Into<Within>,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        let within = within.into();
        let of = (whole.thread, whole.floor, CostOf::Running);
        let skeleton =
            self.ask(|store| build::skeleton(store, of, within, Some(whole), progress))?;
        Ok(Skeleton {
            linked: whole.linked.clone(),
            ..skeleton
        })
    }

    /// The outermost calls of `thread` that links lead to, in order, with the function of the call that the first link to
    /// each comes from. O(links × log n).
    pub fn linked_callers(&self, thread: ThreadId) -> Vec<(CallId, FunctionId)> {
        let outermost = |call: CallId| self.call(thread, call).depth == 0;
        let linked = self
            .linked(thread)
            .filter(|(call, link)| link.kind.is_caller() && outermost(*call));
        let mut linked: Vec<(CallId, FunctionId)> = linked
            .map(|(call, link)| (call, self.call(link.from.0, link.from.1).function))
            .collect();
        linked.dedup_by_key(|it| it.0);
        linked
    }

    /// The median cost of the calls of `threads` that have no subcalls; of two in the middle their mean. None where there is no call. O(n).
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn typical_short_call(
        &self,
        threads: &[ThreadId],
        costs: CostOf,
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled> {
        self.ask(|store| short::median(store, threads, costs, progress))
    }

    /// What of a part of a call is elapsed less pre-empted time. O(log n + waits).
    pub fn cost_without_preemption(&self, thread: ThreadId, part: TimeRange) -> Cost {
        self.ask(|store| {
            let mut preempted = store.preempted(thread);
            Cost::from_ns(preempted.less(part.start.ns(), part.end.ns()))
        })
    }
}
