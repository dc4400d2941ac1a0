//! Which phases trigger the same sequence of calls (thesis, section 5.3.1): the same functions called by the same
//! functions in the same order, whatever the times.
//!
//! A sequence is a polynomial over the field of 2^61 − 1 elements, evaluated at one point, so that the sequence of any
//! stretch of calls follows from two sums. That two different ones of as many calls have one value is as likely as
//! calls / 2^61.

use super::{Calls, Phase};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, FunctionId, ThreadId};
use callscape_facts::trace::Within;
use std::ops::Range;

/// So many calls are read between two looks at whether to go on.
const STRETCH: usize = 65_536;

/// A call that counts, as a sequence has it: its caller among those that count, and its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    id: CallId,
    caller: Option<FunctionId>,
    function: FunctionId,
}

/// A call on the way: what calls below it are called by, and whether they are left out.
struct Open {
    depth: u32,
    caller: Option<FunctionId>,
    is_cut: bool,
}

/// Hands those of the calls `numbers` of a thread to `visit` that count within a range, in order of start. O(calls).
fn in_order(
    calls: &impl Calls,
    (thread, numbers): (ThreadId, Range<u32>),
    within: Within,
    progress: &Progress,
    mut visit: impl FnMut(Step),
) -> Result<(), Cancelled> {
    let trace = calls.trace();
    let inside = trace.inside(thread, within);
    let mut stack: Vec<Open> = Vec::new();
    for start in numbers.clone().step_by(STRETCH) {
        progress.check()?;
        let stretch = start..numbers.end.min(start.saturating_add(STRETCH as u32));
        for (id, call) in (start..).zip(trace.calls_numbered(thread, stretch)) {
            while stack.pop_if(|open| open.depth >= call.depth).is_some() {}
            let around = stack.last();
            if around.is_some_and(|open| open.is_cut) {
                continue;
            }
            let (id, caller) = (CallId(id), around.and_then(|open| open.caller));
            let (is_removed, is_cut) = calls.leaves_out(thread, id, &call);
            let function = call.function;
            let counts = !is_removed && inside.part(id, &call).is_some();
            if counts {
                visit(Step {
                    id,
                    caller,
                    function,
                });
            }
            stack.push(Open {
                depth: call.depth,
                caller: if counts { Some(function) } else { caller },
                is_cut,
            });
        }
    }
    Ok(())
}

/// 2^61 − 1.
const PRIME: u64 = (1 << 61) - 1;

/// The point that polynomials are evaluated at.
const POINT: u64 = 0x1A2B_7C4D_9E8F_6053;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut exponent: u64) -> u64 {
    let (mut base, mut result) = (POINT, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

/// The coefficient of a call, one each for a caller and a callee.
fn coefficient(step: &Step) -> u64 {
    let caller = step.caller.map_or(0, |it| u64::from(it.0) + 1);
    (caller << 32 | u64::from(step.function.0)) % PRIME
}

/// By phase of one thread, in order of start, the sequence of the calls that it triggers. O(calls from the first to the
/// end of the last).
pub(super) fn of_phases(
    calls: &impl Calls,
    phases: &[Phase],
    within: Within,
    progress: &Progress,
) -> Result<Vec<u64>, Cancelled> {
    let mut found = vec![0; phases.len()];
    let (Some(first), Some(last)) = (phases.first(), phases.iter().map(|it| it.last).max()) else {
        return Ok(found);
    };
    let mut sum = 0;
    let (mut next, mut open) = (0, Vec::new());
    let mut close = |open: &mut Vec<(usize, u64)>, before: u32, sum: u64| {
        let is_over = |it: &mut (usize, u64)| phases[it.0].last.0 < before;
        while let Some((phase, until)) = open.pop_if(is_over) {
            let skipped = times(until, power(phases[phase].calls));
            found[phase] = (sum + PRIME - skipped) % PRIME;
        }
    };
    let numbers = first.call.0..last.0.saturating_add(1);
    in_order(calls, (first.thread, numbers), within, progress, |step| {
        close(&mut open, step.id.0, sum);
        sum = (times(sum, POINT) + coefficient(&step)) % PRIME;
        if phases.get(next).is_some_and(|phase| phase.call == step.id) {
            open.push((next, sum));
            next += 1;
        }
    })?;
    close(&mut open, u32::MAX, sum);
    Ok(found)
}
