//! Who calls a module and whom it calls, over the whole recording or in a range of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::runs::Runs;
use callscape_analysis::call_graph::{ModuleRelation, collapse};
use callscape_analysis::comparison::amounts::Change;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, ModuleId, TimeRange};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::trace::Relation;

/// The call relations between functions, and between their modules, sorted by caller, then callee.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    relations: Vec<ModuleRelation>,
    of_functions: Arc<[Relation]>,
}

/// A function that calls another or is called by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionNeighbour {
    pub function: FunctionId,
    pub calls: u64,
    /// Of these calls, all that they triggered included, and without that.
    pub cost: Cost,
    pub self_cost: Cost,
    /// What A and B have of two runs; `None` of one.
    pub both: Option<Change>,
}

/// What the callers and callees of a function are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NeighbourOrder {
    Name,
    Calls,
    #[default]
    Cost,
}

/// The callers and callees of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FunctionNeighbours {
    pub of: Option<FunctionId>,
    pub callers: Vec<FunctionNeighbour>,
    pub callees: Vec<FunctionNeighbour>,
    pub order: NeighbourOrder,
}

impl FunctionNeighbours {
    /// The same with what two runs have of each that the run shown has. O(relations).
    pub fn of_both(mut self, runs: &Runs) -> FunctionNeighbours {
        let Some(own) = self.of.and_then(|it| runs.row(it)) else {
            return self;
        };
        let relations = runs.relations.iter();
        let ends = relations.filter(|it| [it.from, it.to].contains(&own));
        let both: HashMap<(u32, u32), Change> =
            ends.map(|it| ((it.from, it.to), it.change)).collect();
        for neighbour in &mut self.callers {
            let row = runs.row(neighbour.function);
            neighbour.both = row.and_then(|row| both.get(&(row, own)).copied());
        }
        for neighbour in &mut self.callees {
            let row = runs.row(neighbour.function);
            neighbour.both = row.and_then(|row| both.get(&(own, row)).copied());
        }
        self
    }

    /// Sorts both: names from A, numbers from the largest, equals by name.
    pub fn sort_by<'a>(&mut self, order: NeighbourOrder, name: impl Fn(FunctionId) -> &'a str) {
        self.order = order;
        for list in [&mut self.callers, &mut self.callees] {
            list.sort_by_cached_key(|it| {
                let number = match order {
                    NeighbourOrder::Name => 0,
                    NeighbourOrder::Calls => it.calls,
                    NeighbourOrder::Cost => it.cost.ns(),
                };
                (std::cmp::Reverse(number), name(it.function).to_lowercase())
            });
        }
    }
}

/// One end of a call relation, seen from the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub module: ModuleId,
    pub calls: u64,
    pub cost: Cost,
    /// What A and B have of two runs; `None` of one.
    pub both: Option<Change>,
}

/// The neighbours of a module, most calls first; at the end those that only the other of two runs has.
#[derive(Clone, Debug, Default, PartialEq)]
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
            of_functions: relations.into(),
        }
    }

    /// Those between functions.
    pub fn of_functions(&self) -> &Arc<[Relation]> {
        &self.of_functions
    }

    /// Who calls `function` and whom it calls, by cost. Linear in the number of call relations.
    pub fn of_function<'a>(
        &self,
        function: FunctionId,
        order: NeighbourOrder,
        name: impl Fn(FunctionId) -> &'a str,
    ) -> FunctionNeighbours {
        let neighbour = |of: FunctionId, relation: &Relation| FunctionNeighbour {
            function: of,
            calls: relation.calls,
            cost: relation.cost,
            self_cost: relation.self_cost,
            both: None,
        };
        let all = || self.of_functions.iter();
        let callers = all().filter(|it| it.callee == function);
        let callees = all().filter(|it| it.caller == function);
        let mut found = FunctionNeighbours {
            of: Some(function),
            callers: callers.map(|it| neighbour(it.caller, it)).collect(),
            callees: callees.map(|it| neighbour(it.callee, it)).collect(),
            order,
        };
        found.sort_by(order, name);
        found
    }

    /// How many calls there are from one module to another, both with what is in them, and the sum of their costs. Linear
    /// in the number of call relations.
    pub fn between(&self, hierarchy: &Hierarchy, from: ModuleId, to: ModuleId) -> (u64, Cost) {
        let is_between = |it: &&ModuleRelation| {
            hierarchy.contains(from, it.from) && hierarchy.contains(to, it.to)
        };
        let all = self.relations.iter().filter(is_between);
        all.fold((0, Cost::ZERO), |(calls, cost), it| {
            (calls + it.calls, cost + it.cost)
        })
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

impl Neighbours {
    /// The same with what two runs have of each. O(functions + relations).
    pub(crate) fn of_both(
        mut self,
        session: &Session,
        module: ModuleId,
        runs: &Runs,
    ) -> Neighbours {
        let places = runs.modules(session);
        let mut both = [BTreeMap::new(), BTreeMap::new()];
        for relation in runs.relations.iter() {
            let ends = [relation.from, relation.to].map(|row| places.get(row as usize).copied());
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            let is_inside = [from, to].map(|it| session.hierarchy.contains(module, it));
            let (of, end) = match is_inside {
                [false, true] => (0, from),
                [true, false] => (1, to),
                _ => continue,
            };
            let sum: &mut Change = both[of].entry(end).or_default();
            sum.a.add(&relation.change.a);
            sum.b.add(&relation.change.b);
        }
        let lists = [&mut self.callers, &mut self.callees];
        for (list, mut both) in lists.into_iter().zip(both) {
            for neighbour in list.iter_mut() {
                neighbour.both = both.remove(&neighbour.module);
            }
            list.extend(both.into_iter().map(|(module, change)| Neighbour {
                module,
                calls: 0,
                cost: Cost::ZERO,
                both: Some(change),
            }));
        }
        self
    }
}

fn most_calls_first(ends: BTreeMap<ModuleId, (u64, Cost)>) -> Vec<Neighbour> {
    let ends = ends.into_iter();
    let mut ends: Vec<Neighbour> = ends
        .map(|(module, (calls, cost))| Neighbour {
            module,
            calls,
            cost,
            both: None,
        })
        .collect();
    // Stable: the same number of calls in order of module.
    ends.sort_by_key(|end| std::cmp::Reverse(end.calls));
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::session::{Inputs, Session};
    use callscape_base::progress::Progress;

    #[test]
    fn callers_and_callees_of_a_function_are_those_of_its_calls() {
        let session = Session::open(&Inputs::default(), &Progress::new()).expect("the demo");
        let resolved = &session.recordings[0];
        let trace = &resolved.recording.trace;
        let names = &resolved.recording.functions;
        let calls = Calls::new(resolved, None);
        // Straight from the calls: who called whom how often, and for how long.
        let mut direct: BTreeMap<(FunctionId, FunctionId), (u64, Cost)> = BTreeMap::new();
        for thread in trace.thread_ids() {
            let mut open: Vec<FunctionId> = Vec::new();
            let all = trace.threads()[thread.index()].calls as u32;
            for call in trace.calls_numbered(thread, 0..all) {
                open.truncate(call.depth as usize);
                if let Some(&caller) = open.last() {
                    let of = direct.entry((caller, call.function));
                    let (calls, cost) = of.or_default();
                    *calls += 1;
                    *cost += call.cost();
                }
                open.push(call.function);
            }
        }
        for function in names.ids().step_by(7) {
            let found = calls.of_function(function, NeighbourOrder::Calls, |it| names.get(it).name);
            let seen = |of: &[FunctionNeighbour]| -> BTreeMap<FunctionId, (u64, Cost)> {
                of.iter()
                    .map(|it| (it.function, (it.calls, it.cost)))
                    .collect()
            };
            let callers = direct.iter().filter(|((_, callee), _)| *callee == function);
            let callers = callers.map(|(&(caller, _), &of)| (caller, of)).collect();
            assert_eq!(seen(&found.callers), callers);
            let callees = direct.iter().filter(|((caller, _), _)| *caller == function);
            let callees = callees.map(|(&(_, callee), &of)| (callee, of)).collect();
            assert_eq!(seen(&found.callees), callees);
            assert!(
                found
                    .callees
                    .is_sorted_by_key(|it| std::cmp::Reverse(it.calls))
            );
        }
    }
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

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
            links: 0,
            cost: Cost::from_ns(calls * 10),
            self_cost: Cost::ZERO,
            waiting: Cost::ZERO,
            self_waiting: Cost::ZERO,
        };
        let calls = Calls {
            of_functions: Arc::default(),
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
            both: None,
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
