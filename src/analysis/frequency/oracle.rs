//! Section 4.3.2 of the thesis written down word for word, over a list of events: what [`super::Frequencies`] is held
//! against.

use std::collections::{BTreeMap, BTreeSet};

use callscape_base::units::FunctionId;
use callscape_facts::frequency::Frequency;
use callscape_facts::trace::Trace;

/// An event as the thesis' buffer has it.
struct Event {
    time: u64,
    is_exit: bool,
    function: FunctionId,
}

/// The events of each thread in the order in which it ran through them.
pub(super) struct Buffers(Vec<Vec<Event>>);

impl Buffers {
    /// From the list of events that the store answers with.
    pub(super) fn of(trace: &Trace) -> Buffers {
        let mut buffers: Vec<Vec<Event>> = trace.thread_ids().map(|_| Vec::new()).collect();
        for event in (0..trace.events()).filter_map(|number| trace.event(number)) {
            buffers[event.thread.index()].push(Event {
                time: event.time.ns(),
                is_exit: !event.enter,
                function: trace.call(event.thread, event.call).function,
            });
        }
        Buffers(buffers)
    }

    /// The massively called functions of all threads.
    pub(super) fn massively_called(&self, limit: Frequency) -> Vec<FunctionId> {
        let found = self
            .0
            .iter()
            .flat_map(|buffer| massively_called(buffer, limit));
        found.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// *AddrSet* of a buffer.
fn massively_called(buffer: &[Event], limit: Frequency) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let Some(first) = buffer.first() else {
        return found;
    };
    let mut current = first.time;
    let mut i = 0;
    while i < buffer.len() {
        let mut counts: BTreeMap<FunctionId, u64> = BTreeMap::new();
        while let Some(event) = buffer.get(i)
            && event.time <= current + limit.window.ns()
        {
            if event.is_exit {
                *counts.entry(event.function).or_insert(0) += 1;
            }
            i += 1;
        }
        current = buffer.get(i).map_or(current, |event| event.time);
        for (function, count) in counts {
            if count > limit.most {
                found.insert(function);
            }
        }
    }
    found
}
