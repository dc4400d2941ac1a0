//! The links of a part: those both of whose calls are in it.

use super::part::Part;
use callscape_base::units::{CallId, ThreadId};
use callscape_facts::trace::LinkKind;

/// A call by its thread and number.
pub(crate) type At = (ThreadId, CallId);

/// Where each link comes from and leads to. O(links × log n).
pub(crate) fn of(part: &Part<'_>) -> impl Iterator<Item = (At, At, LinkKind)> {
    let trace = &part.recording.trace;
    trace.thread_ids().flat_map(move |thread| {
        let links = trace.linked(thread);
        let links = links.map(move |(call, link)| (link.from, (thread, call), link.kind));
        links.filter(move |(from, to, _)| is_in(part, *from) && is_in(part, *to))
    })
}

/// Whether a call is written, as [`walk`](super::walk::walk) has it.
fn is_in(part: &Part<'_>, (thread, call): At) -> bool {
    let is_thread = part.threads.is_none_or(|threads| threads.contains(&thread));
    let is_time = part.range.is_none_or(|range| {
        let call = part.recording.trace.call(thread, call);
        match call.start < range.start {
            true => call.end > range.start,
            false => call.start < range.end || (call.start, call.end) == (range.end, range.end),
        }
    });
    is_thread && is_time
}
