//! What is marked of a recording.

use std::collections::{BTreeSet, HashMap};

use callscape_analysis::session::Resolved;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_filter::marked::{First, Marked};

/// Marks these modules of a recording. O(functions log calls).
pub(in super::super) fn marked_in(
    title: String,
    modules: BTreeSet<ModuleId>,
    resolved: &Resolved,
) -> Marked {
    let of = resolved.resolution.modules.iter().zip(0..);
    let functions = of.filter(|(module, _)| modules.contains(module));
    let functions: Vec<(ModuleId, FunctionId)> = functions
        .map(|(&module, id)| (module, FunctionId(id)))
        .collect();
    let mut firsts: Vec<First> = Vec::new();
    if resolved.recording.has_times() {
        let calls = resolved.recording.trace.first_calls();
        let mut by_module: HashMap<ModuleId, First> = HashMap::new();
        for &(module, function) in &functions {
            let Some(&Some((time, thread, call))) = calls.get(function.index()) else {
                continue;
            };
            let first = First {
                time,
                function,
                module,
                thread,
                call,
            };
            let known = by_module.entry(module).or_insert(first);
            if first.time < known.time {
                *known = first;
            }
        }
        firsts.extend(by_module.into_values());
    }
    let functions = functions.into_iter().map(|(_, id)| id);
    let modules = modules.into_iter().collect();
    Marked::new(title, modules, functions.collect(), firsts)
}
