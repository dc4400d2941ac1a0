//! Calls that phases are found among.

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ThreadId};
use callscape_facts::trace::{Floor, Skeleton, Trace, Within};

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
        self.typical_short_call(threads, progress)
    }

    fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        self.skeleton(thread, floor, within, progress)
    }
}
