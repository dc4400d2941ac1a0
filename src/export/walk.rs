//! The events of a thread in the order in which it ran through them, cut to a range.

use super::part::{ExportError, Part};
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, FunctionId, ThreadId, Time};
use callscape_facts::trace::Call;

/// How many calls are read at once: between two of these, a wish to cancel is noticed.
const BATCH: u32 = 4096;

/// An enter or an exit, as it is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(FunctionId, Time, CallId),
    Exit(FunctionId, Time),
}

/// A call that is open on the way.
struct Open {
    function: FunctionId,
    end: Time,
    /// The number of the last call inside it.
    last: u64,
}

/// Hands the enters and exits of a thread to `visit`, in their order: what a recording of the part alone
/// would hold. Calls that reach beyond the range are cut to it; those that only touch it from outside are not
/// in it. O(calls in the range + depth).
pub(crate) fn walk(
    part: &Part<'_>,
    thread: ThreadId,
    progress: &Progress,
    mut visit: impl FnMut(Step) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let trace = &part.recording.trace;
    let calls = trace.threads()[thread.index()].calls as u32;
    let mut open: Vec<Open> = Vec::new();
    let (range, first, behind) = match part.range {
        None => (trace.range(), 0, calls),
        Some(range) => {
            let mut around = Vec::new();
            trace.stack_at(thread, range.start, &mut around);
            let behind = trace.started(thread, range.end);
            let before = range.start.ns().checked_sub(1);
            let first = before.map_or(0, |before| trace.started(thread, Time::from_ns(before)));
            // Those that start with the range come below.
            around.retain(|id| id.0 < first);
            for id in around {
                let call = trace.call(thread, id);
                enter(&call, id, range.start, range.end, &mut open, &mut visit)?;
            }
            (range, first, behind)
        }
    };
    let mut next = first;
    while next < behind {
        let end = behind.min(next.saturating_add(BATCH));
        let batch = trace.calls_numbered(thread, next..end);
        for (call, number) in batch.iter().zip(next..) {
            while let Some(inner) = open.pop_if(|inner| inner.last < u64::from(number)) {
                visit(Step::Exit(inner.function, inner.end))?;
            }
            let touches = call.start >= range.end && call.end > range.end;
            if !touches {
                let id = CallId(number);
                enter(call, id, call.start, range.end, &mut open, &mut visit)?;
            }
        }
        progress.add(u64::from(end - next))?;
        next = end;
    }
    while let Some(inner) = open.pop() {
        visit(Step::Exit(inner.function, inner.end))?;
    }
    Ok(())
}

fn enter(
    call: &Call,
    id: CallId,
    start: Time,
    latest: Time,
    open: &mut Vec<Open>,
    visit: &mut impl FnMut(Step) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    open.push(Open {
        function: call.function,
        end: call.end.min(latest),
        last: u64::from(id.0) + u64::from(call.triggered),
    });
    visit(Step::Enter(call.function, start, id))
}

/// Says how much there is to do: the calls of the part, or a number above.
pub(crate) fn start(part: &Part<'_>, passes: u64, progress: &Progress) {
    let trace = &part.recording.trace;
    let calls = part.threads().into_iter().map(|thread| match part.range {
        Some(range) => {
            let first = trace.started(thread, range.start);
            u64::from(trace.started(thread, range.end) - first)
        }
        None => trace.threads()[thread.index()].calls,
    });
    let calls: u64 = calls.sum();
    progress.start(format!("writing {}", part.recording.name()), passes * calls);
}

/// Which functions the part has calls of, by function. O(1) where the part is the whole recording, whose
/// functions are all taken to be called; else a pass over the calls.
pub(crate) fn called(part: &Part<'_>, progress: &Progress) -> Result<Vec<bool>, ExportError> {
    let functions = part.recording.functions.len();
    let mut called = vec![part.is_whole(); functions];
    if !part.is_whole() {
        for thread in part.threads() {
            walk(part, thread, progress, |step| {
                if let Step::Enter(function, ..) = step {
                    called[function.index()] = true;
                }
                Ok(())
            })?;
        }
    }
    Ok(called)
}
