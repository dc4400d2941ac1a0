//! Stepping through a thread by calls, as debuggers do.

use callscape_base::units::{CallId, ThreadId, Time};
use callscape_facts::trace::{Call, Trace};

/// How far a step by calls goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallStep {
    /// To the next enter or exit.
    Into,
    /// To the next enter or exit that is not below the innermost open call's subcalls: past the whole call
    /// that would be entered.
    Over,
    /// To where the innermost open call has ended; back to where it started.
    Out,
}

impl CallStep {
    /// The time to go to from `t`, always another one; none where there is no such event on `thread`.
    /// O(log n + depth).
    pub fn from(self, t: Time, forward: bool, thread: ThreadId, trace: &Trace) -> Option<Time> {
        let mut stack = Vec::new();
        trace.stack_at(thread, t, &mut stack);
        let innermost = stack.last().map(|&call| trace.call(thread, call));
        let calls = trace.threads()[thread.index()].calls;
        let at = |call: u64| {
            let id = u32::try_from(call).ok().filter(|_| call < calls)?;
            Some(trace.call(thread, CallId(id)))
        };
        let started = u64::from(trace.started(thread, t));
        if forward {
            let next = at(started);
            let entered = next.map(|call| call.start);
            let left = innermost.map(|call| call.end);
            return match self {
                CallStep::Into => earliest(entered, left),
                CallStep::Out => left,
                CallStep::Over => match next {
                    // What starts before the innermost call ends is a subcall: past it. Calls without
                    // duration end where they start.
                    Some(call) if left.is_none_or(|left| call.start < left) => Some(call.end),
                    _ => earliest(entered, left),
                },
            };
        }
        // Backward: the last call that started before t, and the last exit before t.
        let before = Time::from_ns(t.ns().checked_sub(1)?);
        trace.stack_at(thread, before, &mut stack);
        let open_before = stack.last().map(|&call| trace.call(thread, call));
        let last = u64::from(trace.started(thread, before))
            .checked_sub(1)
            .and_then(at);
        let entered = last.map(|call| call.start);
        match self {
            CallStep::Out => open_before.map(|call| call.start),
            CallStep::Into => {
                let ended = last_exit(thread, before, trace);
                entered.max(ended)
            }
            CallStep::Over => {
                // The subcall of what is open that lies before: over it to its start.
                let depth = open_before.map_or(0, |call| call.depth + 1);
                previous_at(thread, before, depth, trace)
                    .map(|call| call.start)
                    .max(open_before.map(|call| call.start))
            }
        }
        .filter(|&time| time < t)
    }
}

fn earliest(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The last call of `depth` that started at or before `t`.
fn previous_at(thread: ThreadId, t: Time, depth: u32, trace: &Trace) -> Option<Call> {
    let last = trace.started(thread, t).checked_sub(1)?;
    let call = trace.call(thread, CallId(last));
    if call.depth < depth {
        return None;
    }
    let mut path = Vec::new();
    trace.path_to(thread, CallId(last), &mut path);
    let around = path.get(depth as usize)?;
    Some(trace.call(thread, *around))
}

/// The time of the last exit at or before `t`.
fn last_exit(thread: ThreadId, t: Time, trace: &Trace) -> Option<Time> {
    let last = trace.started(thread, t).checked_sub(1)?;
    // Of the last call and those around it, the ones that have ended by t.
    let mut path = Vec::new();
    trace.path_to(thread, CallId(last), &mut path);
    let ends = path.iter().map(|&call| trace.call(thread, call).end);
    ends.filter(|&end| end <= t).max()
}

#[cfg(test)]
mod tests {
    use super::super::playback::tests::trace;
    use super::*;

    #[test]
    fn steps_by_calls_are_what_the_calls_say() {
        let thread = ThreadId(0);
        for seed in 0..6 {
            let trace = trace(60, seed);
            let calls: Vec<Call> = (0..trace.threads()[0].calls as u32)
                .map(|call| trace.call(thread, CallId(call)))
                .collect();
            let events = || calls.iter().flat_map(|call| [call.start, call.end]);
            let open_at = |t: Time| {
                let open = calls.iter().filter(|call| call.start <= t && t < call.end);
                open.max_by_key(|call| call.depth)
            };
            for ns in 0..=trace.duration().ns() {
                let t = Time::from_ns(ns);
                let go = |by: CallStep, forward| by.from(t, forward, thread, &trace);
                let next = events().filter(|&time| time > t).min();
                assert_eq!(go(CallStep::Into, true), next, "{seed} {t}");
                let last = events().filter(|&time| time < t).max();
                assert_eq!(go(CallStep::Into, false), last, "{seed} {t}");
                let open = open_at(t);
                assert_eq!(go(CallStep::Out, true), open.map(|call| call.end));
                let entered = calls.iter().find(|call| call.start > t);
                let over = match (entered, open) {
                    (Some(call), Some(open)) if call.start < open.end => Some(call.end),
                    (_, Some(open)) => Some(open.end),
                    (entered, None) => entered.map(|call| call.end),
                };
                assert_eq!(go(CallStep::Over, true), over, "{seed} {t}");
                let Some(before) = ns.checked_sub(1).map(Time::from_ns) else {
                    assert_eq!(go(CallStep::Over, false), None);
                    continue;
                };
                let open = open_at(before);
                assert_eq!(go(CallStep::Out, false), open.map(|call| call.start));
                let depth = open.map_or(0, |call| call.depth + 1);
                let sibling = calls
                    .iter()
                    .filter(|call| call.depth == depth && call.start < t);
                let sibling = sibling.map(|call| call.start).max();
                let over = sibling.max(open.map(|call| call.start));
                assert_eq!(go(CallStep::Over, false), over, "{seed} {t}");
            }
        }
    }
}
