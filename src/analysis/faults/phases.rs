//! In which phases of the run changed functions are active.

use rayon::prelude::*;

use super::Fault;
use crate::phases::names::Labels;
use crate::phases::{Parent, Pruning, Wish};
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::recording::Recording;

/// More phases of one function are not named.
const MOST: usize = 12;

/// Names the innermost phases of each fault, those of one name once. One pass over the calls.
pub(super) fn fill(
    faults: &mut [Fault],
    recording: &Recording,
    progress: &Progress,
) -> Result<(), Cancelled> {
    if recording.profile.is_some() || faults.is_empty() {
        return Ok(());
    }
    let trace = &recording.trace;
    let wish = Wish::of(trace.thread_ids().collect());
    let pruning = Pruning::new(trace, &wish, progress)?;
    let phases = pruning.phases(pruning.parameters(&wish));
    let labels = Labels::new(&phases, &recording.functions, &pruning);
    faults.par_iter_mut().for_each(|fault| {
        let is_active = |phase: u32| {
            let phase = phases.phases.get(phase as usize);
            let functions = phase.map_or(&[][..], |it| phases.functions(it));
            fault
                .functions
                .iter()
                .any(|it| functions.binary_search(&it.0).is_ok())
        };
        for (at, phase) in (0..).zip(&phases.phases) {
            if fault.phases.len() == MOST {
                break;
            }
            let is_innermost = || !phases.children(Parent::Phase(at)).any(is_active);
            if is_active(at) && is_innermost() {
                let name = labels.phase(at, phase).to_owned();
                if !fault.phases.contains(&name) {
                    fault.phases.push(name);
                }
            }
        }
    });
    Ok(())
}
