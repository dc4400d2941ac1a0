//! Sums over the calls of a window or up to a time, from summaries and two blocks read in part.

use super::call::{FunctionMetrics, Relation};
use super::entries::{Facts, NONE, OpenCall};
use super::raw_call::BLOCK;
use super::store::{CHECKPOINT_BLOCKS, Calls, GROUP_BLOCKS, Store, place};
use super::summary::{Entry, Sums};
use super::within::{Enclosing, Inside, Within};
use callscape_base::units::{Cost, FunctionId, Time};

/// A call that is open while the calls of a block are gone through.
struct Frame {
    pair: u32,
    depth: u32,
    start: u64,
    end: u64,
    /// The cost of its direct subcalls that have ended.
    children: u64,
    nested: bool,
}

impl Frame {
    fn sums(&self, end: u64, children: u64) -> Sums {
        let cost = end.saturating_sub(self.start);
        Sums {
            calls: 0,
            cost,
            children,
            nested: if self.nested { cost } else { 0 },
            last_end: 0,
        }
    }
}

impl Calls<'_> {
    /// The calls open before the first call of a block that lie at least `lowest` deep, outermost first.
    fn frames_before(&self, block: usize, lowest: u32) -> Vec<Frame> {
        let frame = |open: &OpenCall, children| Frame {
            pair: open.pair,
            depth: open.depth,
            start: open.start,
            end: open.end,
            children,
            nested: open.nested != 0,
        };
        // The subcalls of an open call that have ended are known at the end of its own block, and at
        // the end of each block that it survives as the innermost. Of a block's calls on the stack the
        // first that is older than the block is that survivor; those further out rest since before.
        let mut touched = block.checked_sub(1);
        let mut frames: Vec<Frame> = Vec::new();
        for open in self
            .open_before(block)
            .take_while(|open| open.depth >= lowest)
        {
            let (own, _) = place(open.call);
            let survived = touched.filter(|&touched| touched != own);
            let survived = survived.and_then(|touched| self.tables.blocks.get(touched));
            let children = match survived {
                Some(entry) => entry.survivor_children,
                None => open.children_in_block,
            };
            touched = Some(own);
            frames.push(frame(open, children));
        }
        frames.reverse();
        frames
    }

    /// Goes through the calls of the block that holds `position`, up to there. `lowest` as in
    /// `frames_before`; gives back the stack.
    fn replay(
        &self,
        position: u32,
        lowest: impl FnOnce(u32) -> u32,
        mut sum: impl FnMut(u32, &Sums),
    ) -> Vec<Frame> {
        let Some(last) = position.checked_sub(1) else {
            return Vec::new();
        };
        let (index, local) = place(last);
        let block = self.block(index);
        let mut frames = self.frames_before(index, lowest(block.depth_base));
        let entered = Sums {
            calls: 1,
            ..Sums::default()
        };
        let range = 0..(local + 1).min(block.len);
        let [mut starts, mut costs, mut depths, mut slots] = [const { Vec::new() }; 4];
        block.unpack_starts(range.clone(), &mut starts);
        block.unpack_costs(range.clone(), &mut costs);
        block.unpack_depths(range.clone(), &mut depths);
        block.unpack_slots(range, &mut slots);
        let mut open = self.open_in_block(index);
        let times = starts.iter().zip(&costs);
        let places = depths.iter().zip(&slots);
        for (i, ((&start, &cost), (&depth, &slot))) in times.zip(places).enumerate() {
            let depth = block.depth_base.wrapping_add(depth as u32);
            while let Some(frame) = frames.pop_if(|frame| frame.depth >= depth) {
                let sums = frame.sums(frame.end, frame.children);
                if let Some(parent) = frames.last_mut() {
                    parent.children = parent.children.saturating_add(sums.cost);
                }
                sum(frame.pair, &sums);
            }
            let pair = block.pair_in(slot as usize);
            sum(pair, &entered);
            let mut end = start.saturating_add(cost);
            // What is open at the end of the block has no cost there.
            if let [of_call, rest @ ..] = open
                && of_call.call == last - (local - i) as u32
            {
                end = of_call.end;
                open = rest;
            }
            frames.push(Frame {
                pair,
                depth,
                start,
                end,
                children: 0,
                nested: block.nested(i),
            });
        }
        frames
    }

    /// Goes through the calls of a block for what starts in it and what ends in it, as its summary has them.
    fn replay_block(&self, index: usize, mut sum: impl FnMut(u32, &Sums)) {
        // What the call behind the block is not inside of has ended by then.
        let survive = self.depth_before(index + 1);
        let lowest = |depth: u32| depth.min(survive).saturating_sub(1);
        let end = ((index + 1) * BLOCK).min(self.len() as usize) as u32;
        let mut frames = self.replay(end, lowest, &mut sum);
        while let Some(frame) = frames.pop_if(|frame| frame.depth >= survive) {
            let sums = frame.sums(frame.end, frame.children);
            if let Some(parent) = frames.last_mut() {
                parent.children = parent.children.saturating_add(sums.cost);
            }
            sum(frame.pair, &sums);
        }
    }

    /// The sums of one whole call.
    pub(super) fn whole(&self, call: u32) -> Entry {
        let (index, local) = place(call);
        let (pair, nested, cost) = match self.open_call(call) {
            Some(open) => (
                open.pair,
                open.nested != 0,
                open.end.saturating_sub(open.start),
            ),
            None => {
                let block = self.block(index);
                let cost = block.ended(local).map_or(0, |(cost, _)| cost);
                (block.pair(local), block.nested(local), cost)
            }
        };
        Entry {
            pair,
            sums: Sums {
                calls: 1,
                cost,
                children: self.children(call),
                nested: if nested { cost } else { 0 },
                last_end: 0,
            },
        }
    }

    /// The calls on the stack at `position`, outermost first, with what each costs up to `t`: all of it, and its own part.
    pub(super) fn costs_until(&self, position: u32, t: u64) -> Vec<(u32, [u64; 2])> {
        let frames = self.replay(position, |_| 0, |_, _| {});
        let mut inner = 0;
        let mut costs: Vec<(u32, [u64; 2])> = Vec::new();
        for (frame, &(call, _)) in frames.iter().zip(&self.stack(position)).rev() {
            let sums = frame.sums(frame.end.min(t), frame.children.saturating_add(inner));
            inner = sums.cost;
            costs.push((call, [sums.cost, sums.cost.saturating_sub(sums.children)]));
        }
        costs.reverse();
        costs
    }

    /// The stack at a position, outermost first.
    pub(super) fn stack(&self, position: u32) -> Vec<(u32, Facts)> {
        let mut stack = Vec::new();
        self.visit_stack(position, |call, facts| {
            stack.push((call.0, facts));
            true
        });
        stack.reverse();
        stack
    }
}

/// Sums by pair.
struct Totals<'a> {
    store: &'a Store,
    sums: Vec<Sums>,
}

impl<'a> Totals<'a> {
    fn new(store: &'a Store) -> Totals<'a> {
        Totals {
            store,
            sums: vec![Sums::default(); store.pairs.len()],
        }
    }

    #[inline]
    fn add(&mut self, pair: u32, sums: &Sums) {
        if let Some(total) = self.sums.get_mut(pair as usize) {
            total.add(sums);
        }
    }

    #[inline]
    fn subtract(&mut self, pair: u32, sums: &Sums) {
        if let Some(total) = self.sums.get_mut(pair as usize) {
            total.calls = total.calls.wrapping_sub(sums.calls);
            total.cost = total.cost.wrapping_sub(sums.cost);
            total.children = total.children.wrapping_sub(sums.children);
            total.nested = total.nested.wrapping_sub(sums.nested);
        }
    }

    /// Adds the calls that start in blocks `from..to` and what ends in them.
    fn add_blocks(&mut self, calls: &Calls<'_>, from: usize, to: usize) {
        let (first, last) = (from.div_ceil(CHECKPOINT_BLOCKS), to / CHECKPOINT_BLOCKS);
        if first >= last {
            return self.add_groups(calls, from, to);
        }
        self.add_groups(calls, from, first * CHECKPOINT_BLOCKS);
        for entry in calls.checkpoint(first).1.entries() {
            self.subtract(entry.pair, &entry.sums);
        }
        for entry in calls.checkpoint(last).1.entries() {
            self.add(entry.pair, &entry.sums);
        }
        self.add_groups(calls, last * CHECKPOINT_BLOCKS, to);
    }

    fn add_groups(&mut self, calls: &Calls<'_>, from: usize, to: usize) {
        let mut next = from;
        while next < to {
            let summary = if next.is_multiple_of(GROUP_BLOCKS) && next + GROUP_BLOCKS <= to {
                next += GROUP_BLOCKS;
                Some(calls.group(next / GROUP_BLOCKS - 1).1)
            } else {
                next += 1;
                calls.block(next - 1).summary()
            };
            let Some(summary) = summary else {
                calls.replay_block(next - 1, |pair, sums| self.add(pair, sums));
                continue;
            };
            for entry in summary.entries() {
                self.add(entry.pair, &entry.sums);
            }
        }
    }

    /// Adds whole calls `from..to`.
    fn add_calls(&mut self, calls: &Calls<'_>, from: u32, to: u32) {
        let block = |position: u32| position.checked_sub(1).map_or(0, |last| place(last).0);
        self.add_blocks(calls, block(from), block(to));
        let lowest = |depth: u32| depth.saturating_sub(1);
        calls.replay(to, lowest, |pair, sums| self.add(pair, sums));
        calls.replay(from, lowest, |pair, sums| self.subtract(pair, sums));
        // What was open at either end has been counted as a call there, but not yet with its costs.
        let open = |call| {
            let mut entry = calls.whole(call);
            entry.sums.calls = 0;
            entry
        };
        for (call, _) in calls.stack(to) {
            let entry = open(call);
            self.add(entry.pair, &entry.sums);
        }
        for (call, _) in calls.stack(from) {
            let entry = open(call);
            self.subtract(entry.pair, &entry.sums);
        }
    }

    /// Adds the calls that count, and of those of `outermost` that no call of their function is around them.
    fn add_inside(&mut self, calls: &Calls<'_>, inside: &Inside, outermost: &[u32]) {
        if !inside.calls.is_empty() {
            self.add_calls(calls, inside.calls.start, inside.calls.end);
        }
        for &call in &inside.late {
            let entry = calls.whole(call);
            self.subtract(entry.pair, &entry.sums);
        }
        for (call, [cost, own]) in calls.reaching_costs(inside) {
            let entry = calls.whole(call);
            let sums = Sums {
                calls: 1,
                cost,
                children: cost.saturating_sub(own),
                nested: if entry.sums.nested > 0 { cost } else { 0 },
                last_end: 0,
            };
            self.add(entry.pair, &sums);
        }
        for &call in outermost {
            let entry = calls.whole(call);
            let nested = Sums {
                nested: entry.sums.nested,
                ..Sums::default()
            };
            self.subtract(entry.pair, &nested);
        }
    }

    /// Adds the calls that start at or before `t`, costs counted up to `t`.
    fn add_started(&mut self, calls: &Calls<'_>, t: u64) {
        let position = calls.started(t);
        let Some(last) = position.checked_sub(1) else {
            return;
        };
        self.add_blocks(calls, 0, place(last).0);
        let frames = calls.replay(position, |_| 0, |pair, sums| self.add(pair, sums));
        let mut inner = 0;
        for frame in frames.iter().rev() {
            let sums = frame.sums(frame.end.min(t), frame.children.saturating_add(inner));
            inner = sums.cost;
            self.add(frame.pair, &sums);
        }
    }

    fn relations(&self) -> Vec<Relation> {
        let order = self.store.pair_order().iter();
        let relation = |&index: &u32| {
            let pair = self.store.pairs.get(index as usize)?;
            let sums = self.sums.get(index as usize)?;
            (pair.caller != NONE && sums.calls > 0).then(|| Relation {
                caller: FunctionId(pair.caller),
                callee: FunctionId(pair.callee),
                calls: sums.calls,
                cost: Cost::from_ns(sums.cost),
                self_cost: Cost::from_ns(sums.cost.saturating_sub(sums.children)),
                ..Relation::NOTHING
            })
        };
        order.filter_map(relation).collect()
    }

    fn metrics(&self) -> Vec<FunctionMetrics> {
        let mut metrics = vec![FunctionMetrics::default(); self.store.functions];
        for (pair, sums) in self.store.pairs.iter().zip(&self.sums) {
            if let Some(of) = metrics.get_mut(pair.callee as usize) {
                of.calls += sums.calls;
                of.total += Cost::from_ns(sums.cost.saturating_sub(sums.nested));
                of.self_cost += Cost::from_ns(sums.cost.saturating_sub(sums.children));
            }
        }
        metrics
    }
}

impl Store {
    /// By thread, the calls that count, and those that are outermost of their function though calls that do not count are
    /// around them.
    pub(super) fn inside(&self, within: Within) -> Vec<(Inside, Vec<u32>)> {
        let of_thread = |calls: Calls<'_>| {
            let inside = calls.inside(within);
            let outermost = match within {
                Within {
                    range: Some(_),
                    enclosing: Enclosing::None,
                } => calls.outermost(&inside),
                _ => Vec::new(),
            };
            (inside, outermost)
        };
        self.all_calls().map(of_thread).collect()
    }

    fn totals(&self, all: &[(Inside, Vec<u32>)]) -> Totals<'_> {
        let mut totals = Totals::new(self);
        for (calls, (inside, outermost)) in self.all_calls().zip(all) {
            totals.add_inside(&calls, inside, outermost);
        }
        totals
    }

    pub(crate) fn relations(&self, within: Within) -> Vec<Relation> {
        let inside = self.inside(within);
        let few = self.few_relations(&inside);
        let mut relations = few.unwrap_or_else(|| self.totals(&inside).relations());
        self.add_waiting(&inside, &mut relations);
        self.add_links(&inside, &mut relations);
        relations
    }

    pub(crate) fn function_metrics(&self, within: Within) -> Vec<FunctionMetrics> {
        let inside = self.inside(within);
        let mut metrics: Vec<FunctionMetrics> =
            if within.range.is_none() && self.metrics.len() == self.functions {
                self.metrics.iter().map(FunctionMetrics::from).collect()
            } else {
                let few = self.few_metrics(&inside);
                few.unwrap_or_else(|| self.totals(&inside).metrics())
            };
        self.add_waiting_to_metrics(&inside, &mut metrics);
        metrics
    }

    pub(crate) fn running(&self, t: Time) -> Vec<Relation> {
        let mut relations = self.few_running(t).unwrap_or_else(|| {
            let mut totals = Totals::new(self);
            for calls in self.all_calls() {
                totals.add_started(&calls, t.ns());
            }
            totals.relations()
        });
        self.add_waiting_until(t, &mut relations);
        self.add_links_until(t, &mut relations);
        relations
    }
}
