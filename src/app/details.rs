//! Who calls a module and whom it calls, over the whole recording or in a range of it.

use std::collections::BTreeMap;

use crate::analysis::call_graph::{ModuleRelation, collapse};
use crate::analysis::session::Resolved;
use crate::facts::hierarchy::Hierarchy;
use crate::facts::trace::Relation;
use crate::units::{Cost, ModuleId, TimeRange};

/// The call relations between the functions' modules, sorted by caller, then callee.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    relations: Vec<ModuleRelation>,
}

/// One end of a call relation, seen from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub module: ModuleId,
    pub calls: u64,
    pub cost: Cost,
}

/// The neighbours of a module, most calls first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    pub callers: Vec<Neighbour>,
    pub callees: Vec<Neighbour>,
}

impl Calls {
    /// Of the whole recording or of a range of a trace. O(log n) summaries a thread.
    pub fn new(resolved: &Resolved, range: Option<TimeRange>) -> Calls {
        Calls::of(resolved, &resolved.recording.relations(range))
    }

    /// The same from call relations between functions.
    pub fn of(resolved: &Resolved, relations: &[Relation]) -> Calls {
        let modules: Vec<_> = resolved
            .resolution
            .modules
            .iter()
            .copied()
            .map(Some)
            .collect();
        Calls {
            relations: collapse(relations, &modules),
        }
    }

    /// Who calls into the subtree of `module` from outside, and whom it calls outside. Linear in the
    /// number of call relations: for a new selection, not for every frame.
    pub fn neighbours(&self, hierarchy: &Hierarchy, module: ModuleId) -> Neighbours {
        let mut callers = BTreeMap::new();
        let mut callees = BTreeMap::new();
        for relation in &self.relations {
            let from_inside = hierarchy.contains(module, relation.from);
            let to_inside = hierarchy.contains(module, relation.to);
            let (ends, end) = match (from_inside, to_inside) {
                (false, true) => (&mut callers, relation.from),
                (true, false) => (&mut callees, relation.to),
                _ => continue,
            };
            let (calls, cost) = ends.entry(end).or_insert((0, Cost::ZERO));
            *calls += relation.calls;
            *cost += relation.cost;
        }
        Neighbours {
            callers: most_calls_first(callers),
            callees: most_calls_first(callees),
        }
    }
}

fn most_calls_first(ends: BTreeMap<ModuleId, (u64, Cost)>) -> Vec<Neighbour> {
    let ends = ends.into_iter();
    let mut ends: Vec<Neighbour> = ends
        .map(|(module, (calls, cost))| Neighbour {
            module,
            calls,
            cost,
        })
        .collect();
    // Stable: the same number of calls in order of module.
    ends.sort_by_key(|end| std::cmp::Reverse(end.calls));
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

    #[test]
    fn neighbours_lie_outside_and_are_sorted_by_calls() {
        let mut builder = HierarchyBuilder::new("app");
        let file = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, "a.c"));
        let function = |name| Module::named(ModuleKind::Function, name);
        builder.add(file, function("f"));
        builder.add(file, function("g"));
        builder.add(NodeId::ROOT, function("h"));
        builder.add(NodeId::ROOT, function("i"));
        let (hierarchy, _) = builder.build();
        let [file, f, g, h, i] = [1, 2, 3, 4, 5].map(ModuleId);
        let relation = |from, to, calls| ModuleRelation {
            from,
            to,
            calls,
            cost: Cost::from_ns(calls * 10),
            self_cost: Cost::ZERO,
        };
        let calls = Calls {
            relations: vec![
                relation(f, g, 9),
                relation(f, h, 1),
                relation(f, i, 4),
                relation(g, h, 2),
                relation(i, g, 3),
            ],
        };
        let end = |module, calls| Neighbour {
            module,
            calls,
            cost: Cost::from_ns(calls * 10),
        };
        let of_file = calls.neighbours(&hierarchy, file);
        assert_eq!(of_file.callers, [end(i, 3)]);
        assert_eq!(of_file.callees, [end(i, 4), end(h, 3)]);
        let of_g = calls.neighbours(&hierarchy, g);
        assert_eq!(of_g.callers, [end(f, 9), end(i, 3)]);
        assert_eq!(
            calls.neighbours(&hierarchy, ModuleId::ROOT),
            Neighbours::default()
        );
    }
}
