//! The calling contexts of a trace, by thread, with what the calls of each add up to in pieces of the thread: what a
//! trace merges to by call path is read from these and from the calls at the two ends of a range.
//!
//! They are found in the pass that packs the calls, or in one over all of them where an index does not have them. Where
//! contexts are nearly as many as calls they are left out.

mod grow;
mod merge;
mod stored;
#[cfg(test)]
mod tests;
mod thread;
mod waiters;

use super::Trace;
use crate::contexts::Contexts;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ThreadId, TimeRange};
pub(super) use grow::{Counted, Grower, of_thread};
pub(super) use thread::Paths;

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
            let merged = paths.map(|it| merge::contexts(store, it, threads, range, progress));
            merged.transpose()
        })
    }
}
