//! The state of all threads at some instants, as a sampler sees it.

use std::collections::BTreeSet;

use super::limits::INSTANTS;
use super::names::Does;
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time};
use callscape_facts::trace::Why;

/// Maximum number of threads sampled.
const MOST_THREADS: usize = 16;

/// Maximum number of open calls read per thread, outermost first.
const MOST_CALLS: usize = 256;

/// A thread at an instant.
pub(super) struct Seen {
    pub inside: BTreeSet<FunctionId>,
    pub leaf: FunctionId,
    pub waits: bool,
    /// What the innermost function does by its name.
    pub does: Option<Does>,
}

/// Shows `visit` the threads at each instant; those outside of all calls are left out.
pub(super) fn at_instants(run: &Run<'_>, mut visit: impl FnMut(&[Seen])) -> Result<(), Cancelled> {
    let trace = &run.recording.trace;
    let mut threads: Vec<ThreadId> = trace.thread_ids().collect();
    threads.retain(|it| trace.threads()[it.index()].lane == 0);
    threads.sort_by_key(|it| std::cmp::Reverse(trace.threads()[it.index()].calls));
    threads.truncate(MOST_THREADS);
    let mut calls: Vec<CallId> = Vec::new();
    let instants = INSTANTS.value as u64;
    for number in 0..instants {
        run.progress.check()?;
        let share = (2 * number + 1) as f64 / (2 * instants) as f64;
        let at = Time::ZERO + Cost::from_ns((trace.duration().ns() as f64 * share) as u64);
        let mut seen: Vec<Seen> = Vec::new();
        for &thread in &threads {
            trace.stack_at(thread, at, &mut calls);
            let function = |it: &CallId| trace.call(thread, *it).function;
            let Some(leaf) = calls.last().map(function) else {
                continue;
            };
            calls.truncate(MOST_CALLS);
            let wait = trace
                .wait_at(thread, at)
                .filter(|it| it.why != Why::Preempted);
            let does = run.does[leaf.index()];
            seen.push(Seen {
                inside: calls.iter().map(function).collect(),
                leaf,
                waits: wait.is_some() || does.is_some_and(Does::waits),
                does,
            });
        }
        visit(&seen);
    }
    Ok(())
}
