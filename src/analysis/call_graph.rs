//! Call graphs: modules and the call relations between them, at any level of the hierarchy.

use std::collections::BTreeMap;

use callscape_base::units::{Cost, ModuleId};
use callscape_facts::trace::Relation;

/// Calls from one module to another, aggregated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleRelation {
    pub from: ModuleId,
    pub to: ModuleId,
    pub calls: u64,
    /// How many of them are links.
    pub links: u64,
    pub cost: Cost,
    pub self_cost: Cost,
    /// The part of both that was waiting; zero where the recording does not know.
    pub waiting: Cost,
    pub self_waiting: Cost,
}

/// Module collapsing, thesis 6.1.2: the relations between functions summed to relations between the
/// modules that stand for them, relations of a module with itself left out. `module_of` gives the
/// module by function, none for what is not shown. Sorted by from, to. O(r log r) in the relations.
pub fn collapse(relations: &[Relation], module_of: &[Option<ModuleId>]) -> Vec<ModuleRelation> {
    let mut collapsed: BTreeMap<(ModuleId, ModuleId), ModuleRelation> = BTreeMap::new();
    for relation in relations {
        let from = module_of[relation.caller.index()];
        let to = module_of[relation.callee.index()];
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        if from == to {
            continue;
        }
        let sum = collapsed.entry((from, to)).or_insert(ModuleRelation {
            from,
            to,
            calls: 0,
            links: 0,
            cost: Cost::ZERO,
            self_cost: Cost::ZERO,
            waiting: Cost::ZERO,
            self_waiting: Cost::ZERO,
        });
        sum.calls = sum.calls.saturating_add(relation.calls);
        sum.links += relation.links;
        sum.cost += relation.cost;
        sum.self_cost += relation.self_cost;
        sum.waiting += relation.waiting;
        sum.self_waiting += relation.self_waiting;
    }
    collapsed.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::FunctionId;

    #[test]
    fn calls_past_64_bits_are_cut() {
        let relation = |callee| Relation {
            caller: FunctionId(0),
            callee: FunctionId(callee),
            calls: u64::MAX - 1,
            cost: Cost::from_ns(i64::MAX as u64 - 1),
            ..Relation::NOTHING
        };
        let modules = [Some(ModuleId(1)), Some(ModuleId(2)), Some(ModuleId(2))];
        let collapsed = collapse(&[relation(1), relation(2)], &modules);
        let [sum] = collapsed[..] else {
            panic!("{collapsed:?}");
        };
        assert_eq!((sum.calls, sum.cost.weight()), (u64::MAX, i64::MAX));
    }
}
