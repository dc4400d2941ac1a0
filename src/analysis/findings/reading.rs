//! Reads the calls of contexts one by one.

use std::collections::HashMap;

use super::limits::{LOOKED_AT, SLOW_CALLS};
use super::paths::OUTSIDE;
use super::run::Run;
use super::series::{One, Series};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, ThreadId};
use callscape_facts::recording::RecordingKind;

/// How many calls are read between two looks at the wish to cancel.
const BATCH: u64 = 1 << 16;

/// The series of the contexts with much of the cost and several calls, as deep as few enough calls have to be read. None
/// of samples, of which the number of calls is not known.
pub(super) fn all(run: &Run<'_>) -> Result<Vec<Series>, Cancelled> {
    let recording = run.recording;
    if !run.counts_calls || recording.profile.is_some() || recording.kind != RecordingKind::Trace {
        return Ok(Vec::new());
    }
    let mut most = LOOKED_AT.value as u64;
    let mut depth = 0_u32;
    // Reading down to a depth also reads the calls right below it.
    for &calls in &run.paths.calls_at {
        let Some(left) = most.checked_sub(calls) else {
            break;
        };
        (most, depth) = (left, depth + 1);
    }
    if depth < run.paths.calls_at.len() as u32 {
        depth = depth.saturating_sub(1);
    }
    let is_wanted = |it: &ContextId| {
        run.paths.entries[it.index()] as f64 >= SLOW_CALLS.value && !run.is_little(run.total(*it))
    };
    let mut found: HashMap<ContextId, Vec<One>> = run
        .tree
        .ids()
        .filter(is_wanted)
        .map(|it| (it, Vec::new()))
        .collect();
    if found.is_empty() || depth == 0 {
        return Ok(Vec::new());
    }
    for thread in recording.trace.thread_ids() {
        read(run, (thread, depth), &mut found)?;
    }
    let mut series: Vec<Series> = found
        .into_iter()
        .map(|(context, mut calls)| {
            calls.sort_by_key(|it| (it.call.start, it.thread, it.id));
            Series { context, calls }
        })
        .collect();
    // Others have calls that are too deep, or in contexts that are not worth a look.
    series.retain(|it| it.calls.len() as u64 == run.paths.entries[it.context.index()]);
    series.sort_by_key(|it| it.context);
    Ok(series)
}

/// Adds the calls of a thread that are less deep.
fn read(
    run: &Run<'_>,
    (thread, depth): (ThreadId, u32),
    found: &mut HashMap<ContextId, Vec<One>>,
) -> Result<(), Cancelled> {
    let trace = &run.recording.trace;
    // By depth, the recorded context of the open call, if it is known.
    let mut open: Vec<Option<u32>> = Vec::new();
    let (mut visited, mut result) = (0_u64, Ok(()));
    trace.calls_in(thread, trace.range(), depth, |id, call| {
        visited += 1;
        if visited.is_multiple_of(BATCH) && result.is_ok() {
            result = run.progress.check();
        }
        if result.is_err() {
            return;
        }
        open.truncate(call.depth as usize);
        let around = match open.last() {
            None => Some(OUTSIDE),
            Some(around) => *around,
        };
        let context = around.and_then(|it| run.paths.children.get(&(it, call.function)).copied());
        open.push(context);
        let outermost = context.and_then(|it| *run.paths.outermost.get(it as usize)?);
        if let Some(calls) = outermost.and_then(|it| found.get_mut(&it)) {
            let cost = run.cost(thread, &call);
            calls.push(One {
                thread,
                id,
                call,
                cost,
            });
        }
    });
    result
}
