//! What the filters leave of a trace, for phases to be found in: only the calls that are left count as triggered, and
//! what a removed call called is called by what is around it.

use std::collections::HashMap;

use super::filters::FilterRules;
use super::selection::CallOf;
use super::walk::{LeftCall, walk};
use callscape_analysis::phases::{Calls, Pruning};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, ThreadId};
use callscape_facts::trace::{
    Call, CostOf, Enclosing, Ended, Floor, Gatherer, Skeleton, Trace, Within, median,
};

/// The calls of a trace that `rules` leave.
#[derive(Clone, Copy)]
pub struct LeftCalls<'a> {
    pub trace: &'a Trace,
    pub rules: &'a FilterRules,
    pub costs: CostOf,
}

impl LeftCalls<'_> {
    /// Whether phases are found in all calls of the threads, at the costs that what is kept of them has.
    fn is_all(&self) -> bool {
        self.rules.leaves_threads_whole() && self.costs == CostOf::Running
    }

    /// The threads that are left, in order.
    pub fn threads(&self) -> Vec<ThreadId> {
        let threads = self.trace.thread_ids();
        threads.filter(|&it| !self.rules.hides(it)).collect()
    }

    /// Goes through the calls of a thread in order of their end. O(calls).
    fn gather(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<(Skeleton, HashMap<u64, u64>), Cancelled> {
        let mut gatherer = Gatherer::new(thread, floor);
        let is_less = self.trace.knows_waiting() && self.costs == CostOf::Running;
        let visit = |left: &LeftCall| {
            let cost = match is_less {
                true => self.trace.cost_without_preemption(thread, left.part),
                false => left.cost(),
            };
            gatherer.add(&Ended {
                call: left.id,
                last: CallId(left.id.0.saturating_add(left.call.triggered)),
                function: left.call.function,
                caller: left.caller.map(|(caller, _)| caller),
                cost,
            });
        };
        debug_assert_eq!(within.enclosing, Enclosing::Parts, "filters know parts");
        walk(
            self.trace,
            thread,
            within.range,
            self.rules,
            progress,
            visit,
        )?;
        let (mut skeleton, short) = gatherer.finish();
        skeleton.linked = self.trace.linked_callers(thread);
        Ok((skeleton, short))
    }
}

impl Calls for LeftCalls<'_> {
    fn calls(&self, thread: ThreadId) -> u64 {
        match self.rules.hides(thread) {
            true => 0,
            false => Calls::calls(self.trace, thread),
        }
    }

    fn typical_short_call(
        &self,
        threads: &[ThreadId],
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled> {
        if self.rules.leaves_threads_whole() {
            return self.trace.typical_short_call(threads, self.costs, progress);
        }
        let calls = threads.iter().map(|&thread| self.calls(thread));
        progress.start("searching for a typical short call", calls.sum());
        // Nothing is as heavy.
        let floor = Floor {
            triggered: u64::MAX,
            cost: Cost::from_ns(u64::MAX),
        };
        let mut counts: HashMap<u64, u64> = HashMap::new();
        for &thread in threads {
            let (_, short) = self.gather(thread, floor, Within::default(), progress)?;
            for (cost, count) in short {
                *counts.entry(cost).or_default() += count;
            }
        }
        Ok(median(&counts))
    }

    fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        if self.rules.leaves_threads_whole() {
            return self
                .trace
                .skeleton(thread, floor, self.costs, within, progress);
        }
        Ok(self.gather(thread, floor, within, progress)?.0)
    }

    fn trace(&self) -> &Trace {
        self.trace
    }

    fn leaves_out(&self, thread: ThreadId, id: CallId, call: &Call) -> (bool, bool) {
        let is_cut = self
            .rules
            .cuts_below(call.function, CallOf { thread, call: id });
        (self.rules.removes(call.function), is_cut)
    }

    fn known(&self) -> Option<Pruning> {
        self.is_all().then(|| self.trace.known()).flatten()
    }

    fn keep(&self, found: &Pruning) {
        if self.is_all() {
            self.trace.keep(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::operations::tests::{modules_of_trace, random_filters, random_trace};
    use super::*;
    use callscape_analysis::phases::{Alike, Phases, Wish, phases};
    use callscape_base::warnings::{Place, Reporter};
    use callscape_facts::builder::{Timestamp, TraceBuilder};
    use callscape_facts::functions::Function;
    use callscape_facts::trace::random::random_numbers;

    /// The calls that are left as a trace of their own, and by thread which they were.
    fn rebuilt(left: &LeftCalls<'_>) -> (Trace, Vec<Vec<CallId>>) {
        let reporter = Reporter::new();
        let place = || Place::file("left");
        let mut builder = TraceBuilder::new(&reporter);
        let functions = ["a", "b", "c", "d", "e"].map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        });
        let mut ids = Vec::new();
        for (thread, info) in left.trace.thread_ids().zip(left.trace.threads()) {
            let to = builder.thread("p", &info.id);
            let mut calls: Vec<(CallId, Call)> = Vec::new();
            let progress = Progress::new();
            let visit = |it: &LeftCall| calls.push((it.id, it.call));
            walk(left.trace, thread, None, left.rules, &progress, visit).expect("not cancelled");
            calls.sort_by_key(|(id, _)| *id);
            let mut open: Vec<(u32, u64)> = Vec::new();
            for (id, call) in &calls {
                while let Some((_, end)) = open.pop_if(|(last, _)| *last < id.0) {
                    builder.exit(to, Timestamp::from_ns(end as i64), None, place);
                }
                let function = functions[call.function.index()];
                let start = Timestamp::from_ns(call.start.ns() as i64);
                builder.enter(to, start, function, place);
                open.push((id.0 + call.triggered, call.end.ns()));
            }
            while let Some((_, end)) = open.pop() {
                builder.exit(to, Timestamp::from_ns(end as i64), None, place);
            }
            ids.push(calls.into_iter().map(|(id, _)| id).collect());
        }
        (builder.finish(place).1, ids)
    }

    /// All that is told of phases, calls as those of the trace that something was left out of.
    fn told(found: &Phases, id: impl Fn(ThreadId, CallId) -> CallId) -> Vec<String> {
        let phase = |it: &callscape_analysis::phases::Phase| {
            let id = id(it.thread, it.call);
            let amounts = (it.calls, it.cost, it.levels, it.class, it.is_outlier);
            let place = (it.parent, it.end, it.depth, it.kind, it.dropped);
            let functions = found.functions(it);
            format!(
                "{id:?} {:?} {:?} {amounts:?} {place:?} {functions:?}",
                it.function, it.caller
            )
        };
        let phases = found.phases.iter().map(phase);
        let rows = found.gathered.iter().map(|row| format!("{row:?}"));
        let roots = found.roots.iter().map(|root| format!("{root:?}"));
        let parameters = std::iter::once(format!("{:?}", found.parameters));
        phases.chain(rows).chain(roots).chain(parameters).collect()
    }

    #[test]
    fn phases_of_what_is_left_are_those_of_a_trace_of_it() {
        let (hierarchy, modules) = modules_of_trace();
        let (mut seen, mut cut) = (0, 0);
        for seed in 0..400 {
            let mut below = random_numbers(seed);
            let trace = random_trace(&mut below);
            let rules = random_filters(&mut below).rules(&hierarchy, &modules);
            let left = LeftCalls {
                trace: &trace,
                rules: &rules,
                costs: CostOf::Running,
            };
            let (alone, ids) = rebuilt(&left);
            let wish = Wish {
                calls: [None, Some(below(6))][below(2) as usize],
                cost: [None, Some(Cost::from_ns(below(40)))][below(2) as usize],
                alike: [Alike::Functions, Alike::Calls][seed as usize % 2],
                ..Wish::of(left.threads())
            };
            let found = phases(&left, &wish, &Progress::new()).expect("not cancelled");
            let direct = phases(&alone, &wish, &Progress::new()).expect("not cancelled");
            let is = told(&found, |_, call| call);
            let expected = told(&direct, |thread, call| ids[thread.index()][call.index()]);
            assert_eq!(is, expected, "seed {seed}");
            for thread in left.threads() {
                for (place, &id) in ids[thread.index()].iter().enumerate() {
                    let direct = direct.around(thread, CallId(place as u32));
                    assert_eq!(found.around(thread, id), direct, "seed {seed}");
                }
            }
            seen += found.phases.len();
            cut += usize::from(!rules.leaves_threads_whole());
        }
        assert!(seen > 1000 && cut > 100, "{seen} phases, {cut} filtered");
    }

    #[test]
    fn a_tree_of_many_light_calls_keeps_its_functions() {
        let (hierarchy, modules) = modules_of_trace();
        let mut below = random_numbers(7);
        let trace = random_trace(&mut below);
        let filters = super::super::filters::Filters::default();
        let rules = filters.rules(&hierarchy, &modules);
        let left = LeftCalls {
            trace: &trace,
            rules: &rules,
            costs: CostOf::Running,
        };
        // What the store tells of the whole is what is gathered call by call.
        for floor in [0, 1, 3, 9, u64::MAX] {
            let floor = Floor {
                triggered: floor,
                cost: Cost::from_ns(u64::MAX),
            };
            for thread in left.threads() {
                let progress = Progress::new();
                let (gathered, _) = left
                    .gather(thread, floor, Within::default(), &progress)
                    .expect("goes on");
                let direct = trace
                    .skeleton(thread, floor, CostOf::Running, None, &progress)
                    .expect("goes on");
                assert_eq!(gathered.nodes.len(), direct.nodes.len());
                for (a, b) in gathered.nodes.iter().zip(&direct.nodes).skip(1) {
                    let sets = [&gathered, &direct].map(|it| &it.sets);
                    assert_eq!(sets[0].get(a.functions), sets[1].get(b.functions));
                    assert_eq!(gathered.lights(a), direct.lights(b));
                    let told = |it: &callscape_facts::trace::Node| {
                        (
                            it.call,
                            it.last,
                            it.parent,
                            it.end,
                            it.triggered,
                            it.depth,
                            it.deepest,
                        )
                    };
                    assert_eq!(told(a), told(b));
                }
            }
        }
    }
}
