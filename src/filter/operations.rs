//! The trace filtering operations of Bohnet's thesis, section 6.1.1, each from a set of kept calls to a
//! smaller one, and the conversion of what is kept into a call graph, section 6.1.2.
//!
//! For the whole trace and for a time range alone, [`Trace::relations`] gives the call graph without
//! visiting the calls.

use std::collections::BTreeMap;

use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, TimeRange};
use callscape_facts::trace::{Call, Relation, Trace};

/// A call that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptCall {
    pub id: CallId,
    /// Its depth and number of triggered calls are those of the whole trace.
    pub call: Call,
    /// The place among its thread's kept calls of the call around it.
    pub parent: Option<usize>,
}

/// Calls of a trace, by thread and in order of start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    threads: Vec<Vec<KeptCall>>,
}

impl Kept {
    /// Every call of `range`, that is, every call that overlaps it. O(calls).
    fn overlapping(trace: &Trace, range: TimeRange, mut within: impl FnMut(&Call) -> bool) -> Kept {
        let threads = trace.thread_ids().map(|thread| {
            let mut calls: Vec<KeptCall> = Vec::new();
            let mut kept: Vec<bool> = Vec::new();
            let mut stack: Vec<usize> = Vec::new();
            trace.calls_in(thread, range, u32::MAX, |id, call| {
                stack.truncate(call.depth as usize);
                let parent = stack.last().copied();
                stack.push(calls.len());
                kept.push(within(&call));
                calls.push(KeptCall { id, call, parent });
            });
            // A call that encloses a kept one is kept.
            for i in (0..calls.len()).rev() {
                if let (true, Some(parent)) = (kept[i], calls[i].parent) {
                    kept[parent] = true;
                }
            }
            retain(&calls, |i, _| kept[i])
        });
        Kept {
            threads: threads.collect(),
        }
    }

    /// All calls of `trace`. O(calls).
    pub fn all(trace: &Trace) -> Kept {
        let threads = trace
            .thread_ids()
            .zip(trace.threads())
            .map(|(thread, info)| {
                let mut stack: Vec<usize> = Vec::new();
                let calls = (0..info.calls as u32).map(CallId).map(|id| {
                    let call = trace.call(thread, id);
                    stack.truncate(call.depth as usize);
                    let parent = stack.last().copied();
                    stack.push(id.index());
                    KeptCall { id, call, parent }
                });
                calls.collect()
            });
        Kept {
            threads: threads.collect(),
        }
    }

    /// Time range constraint: the calls that start after the start of `range` and end before its end,
    /// and the calls that enclose one of these. O(calls in the range).
    pub fn time_range(trace: &Trace, range: TimeRange) -> Kept {
        Kept::overlapping(trace, range, |call| {
            call.start > range.start && call.end < range.end
        })
    }

    /// The parts of calls that lie in `range`, as calls. O(calls).
    #[cfg(test)]
    pub(crate) fn parts(&self, range: TimeRange) -> Kept {
        let overlaps = |it: &Call| {
            let is_after = it.end > range.start || it.start >= range.start;
            it.start < range.end && is_after && range.start < range.end
        };
        let mut kept = self.clone();
        for calls in &mut kept.threads {
            *calls = retain(calls, |_, kept| overlaps(&kept.call));
            for kept in calls {
                kept.call.start = kept.call.start.max(range.start);
                kept.call.end = kept.call.end.min(range.end);
            }
        }
        kept
    }

    /// The kept calls of a thread.
    pub fn calls(&self, thread: ThreadId) -> &[KeptCall] {
        self.threads.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// Call tree removal: removes all calls that are triggered by one of `removed`, which stay themselves.
    /// O(calls).
    pub fn without_triggered_by(
        &self,
        mut removed: impl FnMut(ThreadId, &KeptCall) -> bool,
    ) -> Kept {
        let threads = self.threads.iter().zip(0..).map(|(calls, thread)| {
            // By call: whether it is, or is triggered by, one of those.
            let mut inside: Vec<bool> = Vec::with_capacity(calls.len());
            let mut kept: Vec<bool> = Vec::with_capacity(calls.len());
            for call in calls {
                let below = call.parent.is_some_and(|parent| inside[parent]);
                inside.push(below || removed(ThreadId(thread), call));
                kept.push(!below);
            }
            retain(calls, |i, _| kept[i])
        });
        Kept {
            threads: threads.collect(),
        }
    }

    /// Module removal: removes the calls of the functions `removed`. What they called is then called by
    /// the innermost call around them that stays. O(calls).
    pub fn without_functions(&self, removed: impl Fn(FunctionId) -> bool) -> Kept {
        let threads = self.threads.iter();
        let threads = threads.map(|calls| retain(calls, |_, kept| !removed(kept.call.function)));
        Kept {
            threads: threads.collect(),
        }
    }

    /// Conversion into a call graph: the call relations between functions, sorted by caller, then
    /// callee. A self cost is a cost minus those of the subcalls that are kept. O(calls × log relations).
    pub fn call_graph(&self) -> Vec<Relation> {
        let mut relations = BTreeMap::new();
        for calls in &self.threads {
            let mut subcalls = vec![Cost::ZERO; calls.len()];
            for kept in calls {
                if let Some(parent) = kept.parent {
                    subcalls[parent] += kept.call.cost();
                }
            }
            for (kept, subcalls) in calls.iter().zip(subcalls) {
                let Some(parent) = kept.parent else {
                    continue;
                };
                let (caller, callee) = (calls[parent].call.function, kept.call.function);
                let relation = relations.entry((caller, callee)).or_insert(Relation {
                    caller,
                    callee,
                    ..Relation::NOTHING
                });
                relation.calls += 1;
                relation.cost += kept.call.cost();
                relation.self_cost += kept.call.cost().saturating_sub(subcalls);
            }
        }
        relations.into_values().collect()
    }
}

/// The calls that `keeps` says, each with the innermost of them around it as its parent.
fn retain(calls: &[KeptCall], keeps: impl Fn(usize, &KeptCall) -> bool) -> Vec<KeptCall> {
    let mut kept = Vec::new();
    // By call: its new place, or that of the innermost kept call around it.
    let mut places: Vec<Option<usize>> = Vec::with_capacity(calls.len());
    for (i, call) in calls.iter().enumerate() {
        let parent = call.parent.and_then(|parent| places[parent]);
        if keeps(i, call) {
            places.push(Some(kept.len()));
            kept.push(KeptCall { parent, ..*call });
        } else {
            places.push(parent);
        }
    }
    kept
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::filters::{FilterStep, Filters};
    use crate::selection::CallOf;
    use callscape_base::units::{ModuleId, Time};
    use callscape_base::warnings::{Place, Reporter};
    use callscape_facts::builder::{Timestamp, TraceBuilder};
    use callscape_facts::functions::Function;
    use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
    use callscape_facts::trace::random::random_numbers;
    use callscape_facts::trace::{Enclosing, Within};

    /// A module for each function of a random trace, and which is whose.
    pub(crate) fn modules_of_trace() -> (Hierarchy, Vec<ModuleId>) {
        let mut builder = HierarchyBuilder::new("app");
        for name in ["a", "b", "c", "d", "e"] {
            builder.add(NodeId::ROOT, Module::named(ModuleKind::Function, name));
        }
        (builder.build().0, (1..=5).map(ModuleId).collect())
    }

    pub(crate) fn random_filters(below: &mut impl FnMut(u64) -> u64) -> Filters {
        let mut filters = Filters::default();
        for _ in 0..below(4) {
            filters.add(match below(4) {
                0 => FilterStep::RemoveModule(ModuleId(1 + below(5) as u32)),
                1 => FilterStep::RemoveBelow(ModuleId(1 + below(5) as u32)),
                2 => FilterStep::RemoveBelowCall(CallOf {
                    thread: ThreadId(below(2) as u32),
                    call: CallId(below(30) as u32),
                }),
                _ => FilterStep::HideThread(ThreadId(below(2) as u32)),
            });
        }
        filters
    }

    pub(crate) fn random_trace(below: &mut impl FnMut(u64) -> u64) -> Trace {
        let reporter = Reporter::new();
        let place = || Place::file("random");
        let mut builder = TraceBuilder::new(&reporter);
        let functions: Vec<FunctionId> = ["a", "b", "c", "d", "e"]
            .map(|name| {
                builder.function(Function {
                    name,
                    ..Function::default()
                })
            })
            .to_vec();
        for thread in ["1", "2"] {
            let id = builder.thread("p", thread);
            let mut now = 0;
            for _ in 0..below(120) {
                now += below(3) as i64;
                let time = Timestamp::from_ns(now);
                if below(9) < 5 {
                    builder.enter(id, time, functions[below(5) as usize], place);
                } else if builder.open_calls(id) > 0 {
                    builder.exit(id, time, None, place);
                }
            }
        }
        builder.finish(place).1
    }

    type Key = (ThreadId, CallId);

    /// Every call with its enclosing calls, innermost first: the definitions are over sets.
    fn enclosing(trace: &Trace) -> Vec<(Key, Call, Vec<Key>)> {
        let mut all = Vec::new();
        for (thread, info) in trace.thread_ids().zip(trace.threads()) {
            for id in (0..info.calls as u32).map(CallId) {
                let around = (0..id.0)
                    .rev()
                    .filter(|&outer| outer + trace.call(thread, CallId(outer)).triggered >= id.0);
                let around = around.map(|outer| (thread, CallId(outer))).collect();
                all.push(((thread, id), trace.call(thread, id), around));
            }
        }
        all
    }

    fn keys(kept: &Kept) -> BTreeSet<Key> {
        let threads = kept.threads.iter().zip(0..);
        threads
            .flat_map(|(calls, thread)| calls.iter().map(move |kept| (ThreadId(thread), kept.id)))
            .collect()
    }

    #[test]
    fn operations_keep_what_their_definitions_say() {
        for seed in 0..200 {
            let mut below = random_numbers(seed);
            let trace = random_trace(&mut below);
            let all = enclosing(&trace);
            assert_eq!(
                Kept::all(&trace).call_graph(),
                trace.relations(None),
                "seed {seed}"
            );

            let end = trace.duration().ns() + 2;
            let range = TimeRange::new(Time::from_ns(below(end)), Time::from_ns(below(end)));
            let mut expected = BTreeSet::new();
            for (key, call, around) in &all {
                if call.start > range.start && call.end < range.end {
                    expected.insert(*key);
                    expected.extend(around);
                }
            }
            let kept = Kept::time_range(&trace, range);
            assert_eq!(keys(&kept), expected, "seed {seed}");
            let label = |relation: &Relation| {
                (
                    relation.caller,
                    relation.callee,
                    relation.calls,
                    relation.cost,
                )
            };
            let within = Within {
                range: Some(range),
                enclosing: Enclosing::Whole,
            };
            let fast: Vec<_> = trace.relations(within).iter().map(label).collect();
            assert_eq!(
                kept.call_graph().iter().map(label).collect::<Vec<_>>(),
                fast
            );

            let chosen: BTreeSet<Key> = all
                .iter()
                .map(|(key, ..)| *key)
                .filter(|_| below(8) == 0)
                .collect();
            let expected: BTreeSet<Key> = all
                .iter()
                .filter(|(_, _, around)| around.iter().all(|key| !chosen.contains(key)))
                .map(|(key, ..)| *key)
                .collect();
            let kept = Kept::all(&trace)
                .without_triggered_by(|thread, kept| chosen.contains(&(thread, kept.id)));
            assert_eq!(keys(&kept), expected, "seed {seed}");

            let gone = |function: FunctionId| function.0 % 2 == seed as u32 % 2;
            let kept = Kept::all(&trace).without_functions(gone);
            let expected = all.iter().filter(|(_, call, _)| !gone(call.function));
            assert_eq!(
                keys(&kept),
                expected.map(|(key, ..)| *key).collect(),
                "seed {seed}"
            );
            for (key, _, around) in &all {
                let calls = kept.calls(key.0);
                let Some(call) = calls.iter().find(|kept| kept.id == key.1) else {
                    continue;
                };
                let outer = around
                    .iter()
                    .find(|(thread, id)| !gone(trace.call(*thread, *id).function));
                let parent = call.parent.map(|parent| (key.0, calls[parent].id));
                assert_eq!(parent.as_ref(), outer, "seed {seed}");
            }
        }
    }
}
