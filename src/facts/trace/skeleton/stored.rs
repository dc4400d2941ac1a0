//! The skeletons of all threads as bytes, for the index.

use super::super::Trace;
use super::super::appendix::Kind;
use super::super::numbers::{self, Reader, write};
use super::nodes::{Floor, Light, Node, Skeleton};
use super::sets::{FunctionSets, SetId};
use super::short;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};

/// Skeletons of more than a byte for so many calls are not kept, unless they are small.
const CALLS_OF_BYTE: u64 = 8;
const SMALL: u64 = 1 << 20;

impl Trace {
    /// The skeletons of all threads as they were [kept](Trace::keep_skeletons); none where they were not, or are damaged.
    /// O(nodes).
    pub fn kept_skeletons(&self) -> Option<KeptSkeletons> {
        let bytes = self.store.answers.get(Kind::Skeletons)?;
        let bytes = numbers::unpack(&bytes)?;
        let mut reader = Reader(&bytes);
        let short = reader.short_call()?;
        let short_by_thread = reader.each(Reader::short_call)?;
        let threads = self.threads().iter().zip(self.thread_ids());
        let mut skeletons = Vec::new();
        for (info, thread) in threads {
            let mut skeleton = Skeleton::read(&mut reader, thread)?;
            if !skeleton.belongs_to(info.calls, self.store.functions as u64) {
                return None;
            }
            skeleton.linked = self.linked_callers(thread);
            skeletons.push(skeleton);
        }
        let is_whole = reader.0.is_empty() && short_by_thread.len() == skeletons.len();
        is_whole.then_some(KeptSkeletons {
            skeletons,
            short,
            short_by_thread,
        })
    }

    /// Keeps the skeletons of all threads, in their order, in the index, and what a short call of each thread costs. What is
    /// found with other rules or for less than all calls must not be kept. O(n) where there are several threads.
    pub fn keep_skeletons(&self, skeletons: &[Skeleton], short: Option<Cost>) {
        let is_whole = skeletons.iter().map(|it| it.thread).eq(self.thread_ids());
        if !is_whole || self.store.is_damaged() {
            return;
        }
        let short_by_thread = match skeletons.len() {
            0 | 1 => Ok(vec![short; skeletons.len()]),
            _ => short::medians(&self.store, &Progress::new()),
        };
        let mut out = Vec::new();
        write_short(&mut out, short);
        let short_by_thread = short_by_thread.unwrap_or_default();
        write(&mut out, short_by_thread.len() as u64);
        let each = short_by_thread.into_iter();
        each.for_each(|it| write_short(&mut out, it));
        skeletons.iter().for_each(|it| it.write(&mut out));
        if let Ok(bytes) = numbers::pack(&out)
            && bytes.len() as u64 <= SMALL.max(self.calls() / CALLS_OF_BYTE)
        {
            self.store.answers.put(Kind::Skeletons, bytes);
        }
    }
}

/// Skeletons as an index has them.
#[derive(Clone, Debug)]
pub struct KeptSkeletons {
    pub skeletons: Vec<Skeleton>,
    /// What a typical short call costs, of all threads and of each alone; none where there is no call.
    pub short: Option<Cost>,
    pub short_by_thread: Vec<Option<Cost>>,
}

fn write_short(out: &mut Vec<u8>, short: Option<Cost>) {
    write(out, short.map_or(0, |it| it.ns().saturating_add(1)));
}

impl Reader<'_> {
    fn short_call(&mut self) -> Option<Option<Cost>> {
        let number = self.number()?;
        Some(number.checked_sub(1).map(Cost::from_ns))
    }
}

impl Skeleton {
    fn write(&self, out: &mut Vec<u8>) {
        let mut all = |numbers: &[u64]| numbers.iter().for_each(|&it| write(out, it));
        all(&[self.floor.triggered, self.floor.cost.ns()]);
        all(&[self.nodes.len() as u64]);
        for node in &self.nodes {
            let numbers = [
                node.call.0,
                node.last.0,
                node.function.0,
                node.parent,
                node.end,
                node.triggered,
                node.depth,
                node.deepest,
                node.functions.index() as u32,
                node.lights.0,
                node.lights.1,
            ];
            all(&numbers.map(u64::from));
            all(&[node.cost.ns()]);
        }
        all(&[self.lights.len() as u64]);
        for light in &self.lights {
            let function = u64::from(light.function.0);
            all(&[function, light.of, light.calls, light.cost.ns()]);
        }
        all(&[self.sets.len() as u64]);
        for set in self.sets.ids() {
            let functions = self.sets.get(set);
            all(&[functions.len() as u64]);
            functions.iter().for_each(|&it| all(&[u64::from(it)]));
        }
    }

    fn read(from: &mut Reader<'_>, thread: ThreadId) -> Option<Skeleton> {
        let floor = Floor {
            triggered: from.number()?,
            cost: Cost::from_ns(from.number()?),
        };
        let nodes = from.each(|it| {
            Some(Node {
                call: CallId(it.short()?),
                last: CallId(it.short()?),
                function: FunctionId(it.short()?),
                parent: it.short()?,
                end: it.short()?,
                triggered: it.short()?,
                depth: it.short()?,
                deepest: it.short()?,
                functions: SetId::of(it.short()?),
                lights: (it.short()?, it.short()?),
                cost: Cost::from_ns(it.number()?),
            })
        })?;
        let lights = from.each(|it| {
            Some(Light {
                function: FunctionId(it.short()?),
                of: it.number()?,
                calls: it.number()?,
                cost: Cost::from_ns(it.number()?),
            })
        })?;
        let all = from.each(|it| it.each(Reader::short))?;
        let mut sets = FunctionSets::default();
        let is_next = |(set, place): (&Vec<u32>, usize)| sets.intern(set).index() == place;
        let are_in_order = all.iter().zip(0..).all(is_next);
        are_in_order.then_some(Skeleton {
            thread,
            floor,
            nodes,
            lights,
            sets,
            linked: Vec::new(),
        })
    }

    /// Whether all numbers refer to what is there.
    fn belongs_to(&self, calls: u64, functions: u64) -> bool {
        let count = self.nodes.len() as u32;
        let is_function = |it: u32| u64::from(it) < functions;
        let is_node = |(node, number): (&Node, u32)| {
            let is_call =
                number == 0 || u64::from(node.call.0) < calls && is_function(node.function.0);
            let (first, last) = node.lights;
            is_call
                && (node.parent < number || number == 0)
                && (number..=count).contains(&node.end)
                && node.functions.index() < self.sets.len()
                && first <= last
                && last as usize <= self.lights.len()
        };
        let mut sets = self.sets.ids().flat_map(|it| self.sets.get(it));
        count > 0
            && self.nodes.iter().zip(0..).all(is_node)
            && self.lights.iter().all(|it| is_function(it.function.0))
            && sets.all(|&it| is_function(it))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Shape, random_trace};
    use super::super::nodes::CostOf;
    use super::*;

    #[test]
    fn kept_skeletons_are_those_that_were_found() {
        let shape = Shape {
            threads: 3,
            functions: 6,
            events: 900,
            deepest: 7,
            step: 1..40,
        };
        for seed in 0..60 {
            let trace = random_trace(seed, &shape);
            assert!(trace.kept_skeletons().is_none());
            let floor = Floor {
                triggered: 1 + seed % 9,
                cost: Cost::from_ns(1 + seed * 7),
            };
            let of_thread =
                |thread| trace.skeleton(thread, floor, CostOf::Running, None, &Progress::new());
            let found: Result<Vec<Skeleton>, _> = trace.thread_ids().map(of_thread).collect();
            let found = found.expect("not cancelled");
            let short = (seed % 3 > 0).then(|| Cost::from_ns(seed));
            if found.len() > 1 {
                trace.keep_skeletons(&found[1..], short);
                assert!(trace.kept_skeletons().is_none(), "not of all threads");
            }
            trace.keep_skeletons(&found, short);
            let kept = trace.kept_skeletons().expect("just kept");
            assert_eq!(kept.short, short);
            for (thread, of_thread) in trace.thread_ids().zip(kept.short_by_thread) {
                let alone = trace.typical_short_call(&[thread], CostOf::Running, &Progress::new());
                let is_alone = found.len() == 1;
                let expected = if is_alone {
                    short
                } else {
                    alone.expect("not cancelled")
                };
                assert_eq!(of_thread, expected, "seed {seed}");
            }
            let kept = kept.skeletons;
            for (kept, found) in kept.iter().zip(&found) {
                assert_eq!((kept.thread, kept.floor), (found.thread, found.floor));
                assert_eq!(kept.nodes, found.nodes, "seed {seed}");
                assert_eq!(kept.lights, found.lights, "seed {seed}");
                let sets = |of: &Skeleton| -> Vec<Vec<u32>> {
                    of.sets.ids().map(|it| of.sets.get(it).to_vec()).collect()
                };
                assert_eq!(sets(kept), sets(found), "seed {seed}");
            }
        }
    }
}
