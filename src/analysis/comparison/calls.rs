//! Which call of one run is which of another.

use std::ops::Range;

use crate::alignment::Run;
use callscape_base::units::{CallId, ThreadId};
use callscape_facts::trace::Call;

/// No more calls than these are looked at, a tenth of a second's work: a caller of millions is not gone through.
const MOST_LOOKED_AT: u32 = 1_000_000;

/// The call on a thread of `b` that a call on a thread of `a` is: the one that is reached through the same functions,
/// each the same of its caller's calls of it, the third as the third. None where there is none, or where too many
/// calls would have to be looked at. What is found again from `b` is the call of `a`. O(depth × calls of a caller).
pub fn found_again(
    (a, thread_a): (Run<'_>, ThreadId),
    call: CallId,
    (b, thread_b): (Run<'_>, ThreadId),
) -> Option<CallId> {
    let length = |run: &Run<'_>, thread: ThreadId| {
        let thread = run.trace.threads().get(thread.index())?;
        u32::try_from(thread.calls).ok()
    };
    let [mut in_a, mut in_b] = [0..length(&a, thread_a)?, 0..length(&b, thread_b)?];
    if !in_a.contains(&call.0) {
        return None;
    }
    let mut path = Vec::new();
    a.trace.path_to(thread_a, call, &mut path);
    let mut looked_at = 0;
    let mut found = None;
    for step in path {
        let row = *a
            .row_of
            .get(a.trace.call(thread_a, step).function.index())?;
        let mut before = 0;
        for (sibling, of) in siblings(a, thread_a, in_a.clone()) {
            looked_at += 1;
            if sibling == step {
                in_a = below(sibling, &of);
                break;
            }
            before += u32::from(a.row_of.get(of.function.index()) == Some(&row));
            if looked_at > MOST_LOOKED_AT {
                return None;
            }
        }
        let mut same = None;
        for (sibling, of) in siblings(b, thread_b, in_b.clone()) {
            looked_at += 1;
            if b.row_of.get(of.function.index()) == Some(&row) {
                if before == 0 {
                    same = Some((sibling, of));
                    break;
                }
                before -= 1;
            }
            if looked_at > MOST_LOOKED_AT {
                return None;
            }
        }
        let (sibling, of) = same?;
        in_b = below(sibling, &of);
        found = Some(sibling);
    }
    found
}

/// The calls of one caller, of which all that it triggered have these numbers.
fn siblings(
    run: Run<'_>,
    thread: ThreadId,
    numbers: Range<u32>,
) -> impl Iterator<Item = (CallId, Call)> {
    let mut next = numbers.start;
    std::iter::from_fn(move || {
        let id = (next < numbers.end).then_some(CallId(next))?;
        let call = run.trace.call(thread, id);
        next = below(id, &call).end;
        Some((id, call))
    })
}

/// The numbers of what a call triggered.
fn below(id: CallId, call: &Call) -> Range<u32> {
    let first = id.0.saturating_add(1);
    first..first.saturating_add(call.triggered)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use callscape_facts::trace::Trace;
    use callscape_facts::trace::random::{self, Shape};

    fn random_trace(seed: u64) -> Trace {
        let shape = Shape {
            threads: 1,
            functions: 3,
            events: 150,
            deepest: 4,
            step: 1..2,
        };
        random::random_trace(seed, &shape)
    }

    /// Of every call, the rows on the way to it and which of its caller's calls of them they are.
    fn ways(run: Run<'_>) -> Vec<Vec<(u32, u32)>> {
        let mut ways: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut seen: HashMap<Vec<(u32, u32)>, HashMap<u32, u32>> = HashMap::new();
        let mut open: Vec<(u32, u32)> = Vec::new();
        let calls = run.trace.threads().first().map_or(0, |it| it.calls) as u32;
        for id in 0..calls {
            let call = run.trace.call(ThreadId(0), CallId(id));
            open.truncate(call.depth as usize);
            let row = run.row_of[call.function.index()];
            let count = seen.entry(open.clone()).or_default().entry(row);
            let count = count.and_modify(|it| *it += 1).or_insert(0);
            open.push((row, *count));
            ways.push(open.clone());
        }
        ways
    }

    #[test]
    fn a_call_is_found_by_the_way_to_it_and_from_there_found_again() {
        let thread = ThreadId(0);
        let (mut found, mut missed) = (0, 0);
        for seed in 0..60 {
            let traces = [random_trace(seed), random_trace(seed + 1000)];
            if traces.iter().any(|it| it.calls() == 0) {
                continue;
            }
            // What is `a` in the one is `c` in the other, and the third of each stands alone.
            let a = Run {
                trace: &traces[0],
                row_of: &[0, 1, 2],
            };
            let b = Run {
                trace: &traces[1],
                row_of: &[3, 1, 0],
            };
            let [of_a, of_b] = [ways(a), ways(b)];
            for (id, way) in (0..).zip(&of_a) {
                let expected = of_b.iter().position(|it| it == way);
                let expected = expected.map(|place| CallId(place as u32));
                let same = found_again((a, thread), CallId(id), (b, thread));
                assert_eq!(same, expected, "seed {seed}, call {id}");
                match same {
                    Some(same) => {
                        let back = found_again((b, thread), same, (a, thread));
                        assert_eq!(back, Some(CallId(id)));
                        found += 1;
                    }
                    None => missed += 1,
                }
            }
            let past = CallId(of_a.len() as u32);
            assert_eq!(found_again((a, thread), past, (b, thread)), None);
            assert_eq!(found_again((a, ThreadId(7)), CallId(0), (b, thread)), None);
        }
        assert!(found > 100 && missed > 100, "{found} {missed}");
    }
}
