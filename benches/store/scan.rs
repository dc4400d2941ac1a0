//! The floor of the queries: all calls in plain columns in memory, and scans of a window's calls.

use std::collections::HashMap;

use callscape::facts::trace::{Columns, Relation, Strip, Trace};
use callscape::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};

/// No call.
const NONE: u32 = u32::MAX;

/// The calls of a thread in order of start, with what a scan needs to be a sum over them and no more.
#[derive(Default)]
struct Calls {
    starts: Vec<u64>,
    ends: Vec<u64>,
    self_costs: Vec<u64>,
    parents: Vec<u32>,
    /// The call's relation, by number; none of an outermost call.
    pairs: Vec<u32>,
    depths: Vec<u32>,
}

/// Of the calls of a relation.
#[derive(Clone, Default)]
struct Sums {
    calls: u64,
    cost: u64,
    self_cost: u64,
}

/// The calls of all threads.
pub struct Scan {
    threads: Vec<Calls>,
    pairs: Vec<(FunctionId, FunctionId)>,
}

impl Scan {
    pub fn new(trace: &Trace) -> Scan {
        let mut pairs = Vec::new();
        let mut numbers = HashMap::new();
        let threads = trace.thread_ids().map(|thread| {
            let mut calls = Calls::default();
            let mut open: Vec<(u32, FunctionId)> = Vec::new();
            trace.calls_in(thread, trace.range(), u32::MAX, |id, call| {
                open.truncate(call.depth as usize);
                let cost = call.cost().ns();
                let (parent, pair) = match open.last() {
                    Some(&(parent, caller)) => {
                        calls.self_costs[parent as usize] -= cost;
                        let key = (caller, call.function);
                        let pair = *numbers.entry(key).or_insert_with(|| {
                            pairs.push(key);
                            pairs.len() as u32 - 1
                        });
                        (parent, pair)
                    }
                    None => (NONE, NONE),
                };
                open.push((id.0, call.function));
                calls.starts.push(call.start.ns());
                calls.ends.push(call.end.ns());
                calls.self_costs.push(cost);
                calls.parents.push(parent);
                calls.pairs.push(pair);
                calls.depths.push(call.depth);
            });
            calls
        });
        let threads = threads.collect();
        Scan { threads, pairs }
    }

    /// The number of calls that start at or before `t`, of all threads: a binary search in each.
    pub fn started(&self, t: Time) -> usize {
        let threads = self.threads.iter();
        let started = threads.map(|calls| calls.starts.partition_point(|&start| start <= t.ns()));
        started.sum()
    }

    /// The call relations of the time range constraint: [`Trace::relations`].
    pub fn relations(&self, range: TimeRange) -> Vec<Relation> {
        self.sum(|calls, sums| calls.add_relations(range, sums))
    }

    /// The running summary: [`Trace::running`].
    pub fn running(&self, t: Time) -> Vec<Relation> {
        self.sum(|calls, sums| calls.add_started(t.ns(), sums))
    }

    /// The relations that `add` finds calls of.
    fn sum(&self, add: impl Fn(&Calls, &mut [Sums])) -> Vec<Relation> {
        let mut sums = vec![Sums::default(); self.pairs.len()];
        for calls in &self.threads {
            add(calls, &mut sums);
        }
        let sums = sums.into_iter().zip(&self.pairs);
        let mut relations: Vec<Relation> = sums
            .filter(|(sums, _)| sums.calls > 0)
            .map(|(sums, &(caller, callee))| Relation {
                caller,
                callee,
                calls: sums.calls,
                cost: Cost::from_ns(sums.cost),
                self_cost: Cost::from_ns(sums.self_cost),
                ..Relation::NOTHING
            })
            .collect();
        relations.sort_unstable_by_key(|relation| (relation.caller, relation.callee));
        relations
    }

    /// What to draw: [`Trace::strips`].
    pub fn strips(
        &self,
        thread: ThreadId,
        columns: Columns,
        range: TimeRange,
        max_depth: u32,
    ) -> Vec<Strip> {
        self.threads[thread.index()].strips(columns, range, max_depth)
    }
}

impl Calls {
    /// Adds number, costs and self costs of the calls that the constraint keeps, by relation.
    fn add_relations(&self, range: TimeRange, sums: &mut [Sums]) {
        let (from, to) = (range.start.ns(), range.end.ns());
        let first = self.starts.partition_point(|&start| start <= from);
        let last = self.starts.partition_point(|&start| start < to);
        let mut add = |call: usize| {
            if let Some(sum) = sums.get_mut(self.pairs[call] as usize) {
                sum.calls += 1;
                sum.cost += self.ends[call] - self.starts[call];
                sum.self_cost += self.self_costs[call];
            }
        };
        // Calls around the range's ends that are kept for what they enclose: a stack's depth at most.
        let mut around: Vec<u32> = Vec::new();
        let is_within = |call: usize| call >= first && self.ends[call] < to;
        for call in (first..last).filter(|&call| is_within(call)) {
            add(call);
            let mut parent = self.parents[call];
            while parent != NONE && !is_within(parent as usize) && !around.contains(&parent) {
                around.push(parent);
                add(parent as usize);
                parent = self.parents[parent as usize];
            }
        }
    }

    /// Adds the calls that start at or before `t`, their costs up to `t`.
    fn add_started(&self, t: u64, sums: &mut [Sums]) {
        let last = self.starts.partition_point(|&start| start <= t);
        for call in 0..last {
            let is_open = self.ends[call] > t;
            let cost = self.ends[call].min(t) - self.starts[call];
            if let Some(sum) = sums.get_mut(self.pairs[call] as usize) {
                sum.calls += 1;
                sum.cost += cost;
                sum.self_cost += if is_open { cost } else { self.self_costs[call] };
            }
            // The self cost of a call that is open is not known yet: what its subcalls leave of it.
            let parent = self.parents[call] as usize;
            if self.ends.get(parent).is_some_and(|&end| end > t)
                && let Some(sum) = sums.get_mut(self.pairs[parent] as usize)
            {
                sum.self_cost -= cost;
            }
        }
    }

    fn strips(&self, columns: Columns, range: TimeRange, max_depth: u32) -> Vec<Strip> {
        let width = columns.count() as usize;
        let (from, to) = (range.start.ns(), range.end.ns());
        let mut best = vec![(0, NONE); width * max_depth as usize];
        // The column of a time in the range.
        let column = |time: u64| {
            let share = u128::from(time - from) * width as u128 / u128::from(to - from);
            let mut column = (share as u32).min(columns.count() - 1);
            while columns.start(column + 1).ns() <= time && column + 1 < columns.count() {
                column += 1;
            }
            column as usize
        };
        let mut see = |call: usize| {
            let (start, end, depth) = (self.starts[call], self.ends[call], self.depths[call]);
            if depth >= max_depth {
                return;
            }
            let first = column(start.max(from));
            let last = column(end.min(to).max(start + 1) - 1).max(first);
            let row = &mut best[depth as usize * width..][first..=last];
            for found in row {
                if found.1 == NONE || found.0 < end - start {
                    *found = (end - start, call as u32);
                }
            }
        };
        if width == 0 {
            return Vec::new();
        }
        let first = self.starts.partition_point(|&start| start < from);
        let last = self.starts.partition_point(|&start| start < to);
        let mut open = first.checked_sub(1).map_or(NONE, |call| call as u32);
        while open != NONE {
            if self.ends[open as usize] > from {
                see(open as usize);
            }
            open = self.parents[open as usize];
        }
        (first..last).for_each(&mut see);
        let mut strips: Vec<Strip> = Vec::new();
        for (depth, row) in (0..max_depth).zip(best.chunks_exact(width)) {
            let mut before = NONE;
            for (first, &(_, call)) in (0..).zip(row) {
                match strips.last_mut() {
                    Some(strip) if call == before && call != NONE => strip.end = first + 1,
                    _ if call != NONE => strips.push(Strip {
                        depth,
                        first,
                        end: first + 1,
                        call: CallId(call),
                    }),
                    _ => {}
                }
                before = call;
            }
        }
        strips
    }
}
