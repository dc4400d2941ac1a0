//! Finds calls by their arguments.

use std::collections::BinaryHeap;

use super::condition::Condition;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, FunctionId, ThreadId, Time};
use callscape_facts::trace::{List, Trace};

/// Which calls are wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// For each an argument of the call is as it says.
    pub conditions: &'a [Condition],
    /// Only calls of these functions; of all for `None`.
    pub functions: Option<&'a [FunctionId]>,
    pub threads: &'a [ThreadId],
    /// So many are listed.
    pub limit: usize,
}

/// Calls that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// How many there are.
    pub count: u64,
    /// The first in order of start, of several threads at the same time that of the first.
    pub calls: Vec<(ThreadId, CallId)>,
}

/// Whether the arguments of a call are as wanted.
fn holds(conditions: &[Condition], list: List<'_>) -> bool {
    conditions.iter().all(|condition| {
        let mut list = list;
        list.any(|it| it.name == condition.name.as_str() && condition.holds(&it.value))
    })
}

/// Finds the calls with arguments that are wanted. O(calls with arguments), in memory for those that are listed.
pub fn search(
    trace: &Trace,
    wanted: Wanted<'_>,
    progress: &Progress,
) -> Result<Matches, Cancelled> {
    /// Calls between two times that progress is told.
    const TOLD: u64 = 1 << 12;
    progress.start("searching arguments", trace.calls_with_arguments());
    let mut count = 0;
    let mut seen = 0;
    // The last of those listed is on top.
    let mut first: BinaryHeap<(Time, ThreadId, CallId)> = BinaryHeap::new();
    for &thread in wanted.threads {
        let calls = trace.threads()[thread.index()].calls as u32;
        let mut outcome = Ok(());
        trace.visit_arguments(thread, 0..calls, |id, list| {
            seen += 1;
            if seen == TOLD {
                seen = 0;
                outcome = progress.add(TOLD);
            }
            if !holds(wanted.conditions, list) {
                return outcome.is_ok();
            }
            let call = trace.call(thread, id);
            let is_wanted = wanted
                .functions
                .is_none_or(|it| it.contains(&call.function));
            if is_wanted {
                count += 1;
                if first.len() < wanted.limit {
                    first.push((call.start, thread, id));
                } else if let Some(mut last) = first.peek_mut()
                    && (call.start, thread, id) < *last
                {
                    *last = (call.start, thread, id);
                }
            }
            outcome.is_ok()
        });
        outcome?;
    }
    let calls = first.into_sorted_vec().into_iter();
    Ok(Matches {
        count,
        calls: calls.map(|(_, thread, call)| (thread, call)).collect(),
    })
}
