//! The calls of contexts, one after the other.

use callscape_base::units::{CallId, ContextId, ThreadId};
use callscape_facts::trace::Call;

/// A call of a series.
#[derive(Clone, Copy, Debug)]
pub(super) struct One {
    pub thread: ThreadId,
    pub id: CallId,
    pub call: Call,
    /// Without pre-emption, where costs are running times.
    pub cost: u64,
}

/// All calls of a context that are not recursive, in order of start.
pub(super) struct Series {
    pub context: ContextId,
    pub calls: Vec<One>,
}
