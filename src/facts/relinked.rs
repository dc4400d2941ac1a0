//! Links of a trace on their way to one that is made of its calls.

use std::collections::HashMap;

use super::builder::TraceBuilder;
use super::hashing::BuildFast;
use super::trace::{LinkEnd, Trace};
use callscape_base::units::{CallId, ThreadId};
use callscape_base::warnings::{Place, Reporter};

type At = (ThreadId, CallId);

/// What has become of the calls that links lead to or come from.
pub struct Relinked(HashMap<At, Option<At>, BuildFast>);

impl Relinked {
    /// For a trace that is about to be made anew. O(links).
    pub fn of(trace: &Trace) -> Relinked {
        let threads = trace.thread_ids();
        let ends = threads.flat_map(|thread| {
            let linked = trace.linked(thread);
            linked.flat_map(move |(call, link)| [(thread, call), link.from])
        });
        Relinked(ends.map(|end| (end, None)).collect())
    }

    /// A call of the trace is a call of the new one; of several the first. O(1).
    #[inline]
    pub fn becomes(&mut self, call: At, new: At) {
        if !self.0.is_empty()
            && let Some(end) = self.0.get_mut(&call)
        {
            end.get_or_insert(new);
        }
    }

    /// Hands on the links whose calls are there, and counts the others (`link-left-out`). O(links).
    pub fn build(
        &self,
        trace: &Trace,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: impl Fn() -> Place,
    ) {
        let end = |at: At| {
            let (thread, call) = self.0.get(&at).copied().flatten()?;
            Some(LinkEnd::Call(thread, call))
        };
        for thread in trace.thread_ids() {
            for (call, link) in trace.linked(thread) {
                match (end(link.from), end((thread, call))) {
                    (Some(from), Some(to)) => builder.link(link.kind, from, to, 0),
                    _ => reporter.warn("link-left-out", &place),
                }
            }
        }
    }
}
