//! Calls that phases are found among.

use super::pruning::Pruning;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, ThreadId};
use callscape_facts::trace::{Call, CostOf, Floor, Skeleton, Trace, Within};

/// Calls that phases are found among: those of a trace, or what is left of it.
pub trait Calls: Sync {
    /// How many calls a thread has at most.
    fn calls(&self, thread: ThreadId) -> u64;

    /// As [`Trace::typical_short_call`].
    fn typical_short_call(
        &self,
        threads: &[ThreadId],
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled>;

    /// As [`Trace::skeleton`].
    fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled>;

    /// What they are calls of.
    fn trace(&self) -> &Trace;

    /// Whether a call of the trace is left out itself, and whether all below it are.
    fn leaves_out(&self, _thread: ThreadId, _id: CallId, _call: &Call) -> (bool, bool) {
        (false, false)
    }

    /// What of the skeleton of all calls of a thread counts within a range; none where that takes as long as
    /// finding it.
    fn skeleton_out_of(
        &self,
        _whole: &Skeleton,
        _within: Within,
        _progress: &Progress,
    ) -> Option<Result<Skeleton, Cancelled>> {
        None
    }

    /// What thresholds that nobody gave are found from for all calls, where it is known already.
    fn known(&self) -> Option<Pruning> {
        None
    }

    /// Keeps it.
    fn keep(&self, _found: &Pruning) {}
}

impl Calls for Trace {
    fn calls(&self, thread: ThreadId) -> u64 {
        self.threads().get(thread.index()).map_or(0, |it| it.calls)
    }

    fn typical_short_call(
        &self,
        threads: &[ThreadId],
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled> {
        self.typical_short_call(threads, CostOf::Running, progress)
    }

    fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        self.skeleton(thread, floor, CostOf::Running, within, progress)
    }

    fn trace(&self) -> &Trace {
        self
    }

    fn skeleton_out_of(
        &self,
        whole: &Skeleton,
        within: Within,
        progress: &Progress,
    ) -> Option<Result<Skeleton, Cancelled>> {
        Some(self.skeleton_out_of(whole, within, progress))
    }

    fn known(&self) -> Option<Pruning> {
        let kept = self.kept_skeletons()?;
        Some(Pruning {
            skeletons: kept.skeletons.into(),
            short: kept.short,
            short_by_thread: kept.short_by_thread,
        })
    }

    fn keep(&self, found: &Pruning) {
        self.keep_skeletons(&found.skeletons, found.short);
    }
}

/// The calls of a trace, each at the time from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Elapsed<'a>(pub &'a Trace);

impl Calls for Elapsed<'_> {
    fn calls(&self, thread: ThreadId) -> u64 {
        Calls::calls(self.0, thread)
    }

    fn typical_short_call(
        &self,
        threads: &[ThreadId],
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled> {
        self.0
            .typical_short_call(threads, CostOf::Elapsed, progress)
    }

    fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        self.0
            .skeleton(thread, floor, CostOf::Elapsed, within, progress)
    }

    fn trace(&self) -> &Trace {
        self.0
    }
}
