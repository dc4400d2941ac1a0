//! Whether repeated calls have the same arguments, where the recording has them.

use std::collections::{HashMap, HashSet};

use super::limits::{LOOKED_AT, SAME_ARGUMENTS};
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{CallId, FunctionId, ThreadId, grouped};
use callscape_facts::fnv::Fnv;
use callscape_facts::trace::{Argument, List};

/// The calls of a function that another makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Same {
    /// Those whose arguments are known.
    pub known: u64,
    /// Those of them with the arguments of an earlier call that the same call of the caller makes.
    pub repeated: u64,
    /// By value, how many lists of arguments they have.
    pub different: usize,
}

/// Hash of a list of arguments, ignoring the returned value: equal lists have equal hashes.
fn hash(list: List<'_>) -> u64 {
    let mut hash = Fnv::START;
    for Argument { name, value } in list.filter(|it| it.name != "return") {
        for text in [&*name, &*value.to_string()] {
            hash.add(text.as_bytes());
            hash.add(&[0xff]);
        }
    }
    hash.get()
}

/// The calls of `function` that calls of `caller` make; `None` without arguments, or if there are too many to be read one by
/// one. O(calls with arguments × (log n + depth)).
pub(super) fn find(
    run: &Run<'_>,
    function: FunctionId,
    caller: FunctionId,
) -> Result<Option<Same>, Cancelled> {
    let trace = &run.recording.trace;
    if !(1..=LOOKED_AT.value as u64).contains(&trace.calls_with_arguments()) {
        return Ok(None);
    }
    let mut same = Same::default();
    let mut all: HashSet<u64> = HashSet::new();
    let mut path = Vec::new();
    for (thread, of) in trace.thread_ids().zip(trace.threads()) {
        // By call of the caller, the arguments so far.
        let mut seen: HashMap<(ThreadId, CallId), HashSet<u64>> = HashMap::new();
        trace.visit_arguments(thread, 0..of.calls as u32, |id, list| {
            if trace.call(thread, id).function == function {
                trace.path_to(thread, id, &mut path);
                let around = path.len().checked_sub(2).map(|at| path[at]);
                let around = around.filter(|it| trace.call(thread, *it).function == caller);
                if let Some(around) = around {
                    let hash = hash(list);
                    all.insert(hash);
                    same.known += 1;
                    let is_new = seen.entry((thread, around)).or_default().insert(hash);
                    same.repeated += u64::from(!is_new);
                }
            }
            run.progress.check().is_ok()
        });
        run.progress.check()?;
    }
    same.different = all.len();
    Ok((same.known > 0).then_some(same))
}

impl Same {
    /// What is said of so many calls; nothing unless the arguments of all are known and most are repeated.
    pub(super) fn said(self, calls: u64) -> String {
        let share = self.repeated as f64 / self.known.max(1) as f64;
        if self.known != calls || share < SAME_ARGUMENTS.value {
            return String::new();
        }
        match self.different {
            1 => ", always with the same arguments".to_owned(),
            _ => format!(
                ", {} times with the same arguments as before",
                grouped(self.repeated)
            ),
        }
    }
}
