//! From one call to another: where one looks next in a flame chart.

use callscape_base::units::{CallId, Cost, Time, TimeRange};
use callscape_facts::trace::{Columns, Trace};
use callscape_filter::selection::CallOf;

/// Whether `of` is a call of `trace`.
pub fn exists(trace: &Trace, of: CallOf) -> bool {
    let thread = trace.threads().get(of.thread.index());
    thread.is_some_and(|thread| u64::from(of.call.0) < thread.calls)
}

/// The range that shows a whole call and a little around it.
pub fn fit(trace: &Trace, of: CallOf) -> Option<TimeRange> {
    if !exists(trace, of) {
        return None;
    }
    let call = trace.call(of.thread, of.call);
    let margin = Cost::from_ns((call.cost().ns() / 20).max(1));
    Some(TimeRange::new(call.start - margin, call.end + margin))
}

/// The call of the same function, in any thread, that starts next after this one.
pub fn next_of_function(trace: &Trace, of: CallOf) -> Option<CallOf> {
    if !exists(trace, of) {
        return None;
    }
    let call = trace.call(of.thread, of.call);
    let (thread, call) = trace.next_call(call.function, call.start)?;
    Some(CallOf { thread, call })
}

/// The call of the same function, in any thread, that starts last before this one.
pub fn previous_of_function(trace: &Trace, of: CallOf) -> Option<CallOf> {
    if !exists(trace, of) {
        return None;
    }
    let call = trace.call(of.thread, of.call);
    let (thread, call) = trace.previous_call(call.function, call.start)?;
    Some(CallOf { thread, call })
}

/// The call that directly made this one; none for an outermost call.
pub fn caller(trace: &Trace, of: CallOf) -> Option<CallOf> {
    if !exists(trace, of) {
        return None;
    }
    let call = trace.call(of.thread, of.call);
    let depth = call.depth.checked_sub(1)?;
    let encloses = |outer: CallId| {
        let outer_call = trace.call(of.thread, outer);
        outer.0 < of.call.0
            && of.call.0 - outer.0 <= outer_call.triggered
            && outer_call.depth == depth
    };
    let mut stack = Vec::new();
    trace.stack_at(of.thread, call.start, &mut stack);
    let open = stack.into_iter().rev().find(|&outer| encloses(outer));
    // A caller that takes no time is on no stack; it stands not far before.
    let found = open.or_else(|| {
        (0..of.call.0)
            .rev()
            .map(CallId)
            .find(|&outer| encloses(outer))
    })?;
    Some(CallOf { call: found, ..of })
}

/// The first call that this one made.
pub fn first_child(trace: &Trace, of: CallOf) -> Option<CallOf> {
    let has_children = exists(trace, of) && trace.call(of.thread, of.call).triggered > 0;
    has_children.then(|| CallOf {
        call: CallId(of.call.0 + 1),
        ..of
    })
}

/// The longest of the calls that this one made, of equals the first.
pub fn longest_child(trace: &Trace, of: CallOf) -> Option<CallOf> {
    let first = first_child(trace, of)?;
    let call = trace.call(of.thread, of.call);
    let last = of.call.0 + call.triggered;
    // In the time of a call the calls one deeper are its own.
    let columns = Columns::new(TimeRange::new(call.start, call.end), 1);
    let strips = trace.strips(of.thread, columns, call.depth.saturating_add(2));
    let found = strips
        .into_iter()
        .find(|strip| strip.depth == call.depth + 1)
        .map(|strip| strip.call)
        .filter(|found| found.0 > of.call.0 && found.0 <= last);
    // But for calls that take no time.
    let call = found.unwrap_or_else(|| {
        let mut longest = (Cost::ZERO, first.call);
        let mut next = first.call.0;
        while next <= last {
            let child = trace.call(of.thread, CallId(next));
            if child.cost() > longest.0 {
                longest = (child.cost(), CallId(next));
            }
            next = next.saturating_add(child.triggered).saturating_add(1);
        }
        longest.1
    });
    Some(CallOf { call, ..of })
}

/// The innermost call that is open at `time` on the thread of `near`.
pub fn innermost(trace: &Trace, near: CallOf, time: Time) -> Option<CallOf> {
    if near.thread.index() >= trace.threads().len() {
        return None;
    }
    let mut stack = Vec::new();
    trace.stack_at(near.thread, time, &mut stack);
    let call = stack.pop()?;
    Some(CallOf { call, ..near })
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::ThreadId;
    use callscape_facts::trace::Call;
    use callscape_facts::trace::random::{self, Shape};

    fn random_trace(seed: u64) -> Trace {
        let shape = Shape {
            threads: 3,
            functions: 4,
            events: 150,
            deepest: usize::MAX,
            // Many calls take no time.
            step: 0..3,
        };
        random::random_trace(seed, &shape)
    }

    /// All calls of a thread with their callers, by going through them.
    fn with_callers(trace: &Trace, thread: ThreadId) -> Vec<(Call, Option<u32>)> {
        let calls = trace.threads()[thread.index()].calls as u32;
        let mut stack: Vec<u32> = Vec::new();
        let of = |id: u32| {
            let call = trace.call(thread, CallId(id));
            stack.truncate(call.depth as usize);
            let caller = stack.last().copied();
            stack.push(id);
            (call, caller)
        };
        (0..calls).map(of).collect()
    }

    #[test]
    fn steps_lead_to_callers_children_and_calls_of_the_same_function() {
        for seed in 0..150 {
            let trace = random_trace(seed);
            let all: Vec<_> = trace
                .thread_ids()
                .map(|thread| with_callers(&trace, thread))
                .collect();
            for (thread, calls) in trace.thread_ids().zip(&all) {
                for (id, &(call, expected)) in (0..).zip(calls) {
                    let of = CallOf {
                        thread,
                        call: CallId(id),
                    };
                    assert_eq!(
                        caller(&trace, of).map(|it| it.call.0),
                        expected,
                        "seed {seed}"
                    );
                    let mut children = (0..)
                        .zip(calls)
                        .filter(|(_, (_, caller))| *caller == Some(id));
                    let first = children.clone().next().map(|(child, _)| child);
                    assert_eq!(first_child(&trace, of).map(|it| it.call.0), first);
                    let most = children.clone().map(|(_, (child, _))| child.cost()).max();
                    let longest = children.find(|(_, (child, _))| Some(child.cost()) == most);
                    let longest = longest.map(|(child, _)| child);
                    assert_eq!(
                        longest_child(&trace, of).map(|it| it.call.0),
                        longest,
                        "seed {seed}"
                    );
                    let same = all.iter().flatten().map(|(call, _)| call);
                    let same = same.filter(|other| other.function == call.function);
                    let starts: Vec<Time> = same.map(|other| other.start).collect();
                    let next = starts.iter().filter(|&&start| start > call.start).min();
                    let start = |of: CallOf| trace.call(of.thread, of.call).start;
                    assert_eq!(next_of_function(&trace, of).map(start).as_ref(), next);
                    let previous = starts.iter().filter(|&&start| start < call.start).max();
                    assert_eq!(
                        previous_of_function(&trace, of).map(start).as_ref(),
                        previous
                    );
                    let range = fit(&trace, of).expect("a call");
                    assert!(range.contains(call.start) && range.contains(call.end));
                }
                let none = CallOf {
                    thread,
                    call: CallId(calls.len() as u32),
                };
                assert_eq!(fit(&trace, none), None);
                assert_eq!(caller(&trace, none), None);
                assert_eq!(longest_child(&trace, none), None);
            }
        }
    }
}
