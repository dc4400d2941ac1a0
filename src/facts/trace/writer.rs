//! Writes the call store: takes calls as they start and end, and packs them a block at a time.

use std::sync::{Arc, Mutex};

use super::block::{self, Encoded};
use super::call::Thread;
use super::entries::{BlockEntry, LongestCall, NONE, NodeEntry, OpenCall, Pair};
use super::pairs::{Numbers, OnStack, PairSums};
use super::raw_call::{BLOCK, RawCall};
use super::runs::{self, SHORTEST, TOP_LEVEL};
use super::storage::{Growing, Table};
use super::store::{
    CHECKPOINT_BLOCKS, CHECKPOINT_GROUPS, GROUP_BLOCKS, Store, ThreadTables, place,
};
use super::summary::{self, Entry, Present, Runs};
use super::summing::{Full, Summing};
use super::{Trace, radix};
use crate::units::{FunctionId, Time};

/// Bytes before the first block, where an index file has its header.
pub(in crate::facts) const HEADER: usize = 64;

/// A call that has started and not ended.
struct Running {
    start: u64,
    children: u64,
    /// For how long it has been on top in the run of calls under construction.
    top: u64,
    call: u32,
    /// Its row in the table of open calls once its block is written; before, NONE.
    row: u32,
    nested: bool,
}

/// One thread on its way into the store. Times are nanoseconds of the recording's clock, as `u64` of
/// the same bits; differences wrap and come out right.
#[derive(Default)]
pub(in crate::facts) struct ThreadWriter {
    blocks: Vec<BlockEntry>,
    open: Vec<OpenCall>,
    group_nodes: Vec<NodeEntry>,
    checkpoint_nodes: Vec<NodeEntry>,
    /// The calls of the block under construction.
    calls: Vec<RawCall>,
    /// When the first of them starts.
    base: u64,
    /// What they and the calls of earlier blocks that have ended in this one add up to.
    sums: PairSums,
    stack: Vec<Running>,
    /// Their functions.
    functions: Vec<u32>,
    on_stack: OnStack,
    max_depth: u32,
    /// Since the last first-level summary: by block, when it starts and its entries.
    group: Runs,
    /// Since the last checkpoint: by first-level summary, when it starts and its entries.
    groups: Runs,
    /// The last checkpoint.
    checkpoint: Vec<Entry>,
    last_end: u64,
    /// When something started or ended last.
    now: u64,
    /// What happens in runs of calls, and their pages by level.
    summing: Summing,
    run_nodes: Vec<Vec<NodeEntry>>,
    /// The depth up to which no open call has been on top since the last run ended, or on top of it.
    settled: usize,
    /// The row of the innermost call that was open before this block; or NONE.
    innermost: u32,
    /// By block the longest calls by depth, but for those open at its end; and where each block's end.
    longest: Vec<LongestCall>,
    longest_ends: Vec<u32>,
    /// The sum of the costs of all calls.
    total: u128,
}

/// What the threads share.
pub(in crate::facts) struct Shared {
    data: Growing,
    numbers: Numbers,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    entries: Vec<Entry>,
    merged: Vec<Entry>,
    present: Present,
    /// By slot its place in the order of pairs.
    order: Vec<u32>,
    values: Vec<u64>,
    room: Vec<u64>,
    block: block::Scratch,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared {
            data: Growing::new(vec![0; HEADER]),
            numbers: Numbers::default(),
            scratch: Scratch::default(),
        }
    }
}

impl Shared {
    fn append(&mut self, write: impl FnOnce(&mut Scratch, &mut Vec<u8>)) -> NodeEntry {
        let scratch = &mut self.scratch;
        let (offset, bytes) = self.data.append(|data| write(scratch, data));
        NodeEntry {
            offset,
            size: bytes.len() as u32,
            checksum: crc32fast::hash(bytes),
        }
    }
}

impl ThreadWriter {
    pub fn new() -> ThreadWriter {
        ThreadWriter {
            innermost: NONE,
            ..ThreadWriter::default()
        }
    }

    /// The number of open calls.
    #[inline]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The functions of the open calls, outermost first.
    pub fn open_functions(&self) -> &[u32] {
        &self.functions
    }

    /// The number of calls so far.
    #[inline]
    pub fn calls(&self) -> usize {
        self.blocks.len() * BLOCK + self.calls.len()
    }

    /// Adds a call inside the open ones, and gives back the slot of its sums and whether a call of its
    /// function encloses it.
    #[inline]
    fn begin(&mut self, shared: &mut Shared, start: u64, callee: u32) -> (u32, bool) {
        if let Some(top) = self.stack.last_mut() {
            top.top = top.top.wrapping_add(start.wrapping_sub(self.now));
        }
        self.now = start;
        if self.calls.len().is_multiple_of(SHORTEST as usize) {
            if self.calls() > 0 {
                self.end_run(shared, start);
            } else {
                self.summing.begin(start);
            }
        }
        if self.calls.len() == BLOCK {
            self.flush(shared);
        }
        if self.calls.is_empty() {
            self.base = start;
        }
        let nested = self.on_stack.is_nested(callee, &self.functions);
        let pair = Pair {
            caller: self.functions.last().copied().unwrap_or(NONE),
            callee,
        };
        let slot = self.sums.slot(pair);
        self.sums.of(slot).calls += 1;
        self.summing.enter(self.stack.len(), callee);
        self.calls.push(RawCall {
            start,
            cost: 0,
            depth: self.stack.len() as u32,
            triggered: RawCall::OPEN,
            slot,
            nested,
        });
        (slot, nested)
    }

    /// Says that the next call to start is one of `function`, inside the calls that are open now.
    #[inline]
    pub fn expect(&self, function: FunctionId) {
        self.sums.expect(Pair {
            caller: self.functions.last().copied().unwrap_or(NONE),
            callee: function.0,
        });
    }

    /// A call starts; `start` is not before the last start or end.
    #[inline]
    pub fn enter(&mut self, shared: &mut Shared, start: u64, function: FunctionId) {
        let (_, nested) = self.begin(shared, start, function.0);
        self.on_stack.enter(function.0, &self.functions);
        self.stack.push(Running {
            start,
            children: 0,
            top: 0,
            call: self.calls() as u32 - 1,
            row: NONE,
            nested,
        });
        self.functions.push(function.0);
        self.max_depth = self.max_depth.max(self.stack.len() as u32);
    }

    /// The innermost open call ends; `end` is not before the last start or end.
    #[inline]
    pub fn exit(&mut self, end: u64) {
        let (Some(running), Some(callee)) = (self.stack.pop(), self.functions.pop()) else {
            return;
        };
        self.on_stack.exit(callee, self.stack.len());
        self.settled = self.settled.min(self.stack.len());
        let top = running.top.wrapping_add(end.wrapping_sub(self.now));
        let triggered = self.calls() as u32 - 1 - running.call;
        let cost = end.wrapping_sub(running.start);
        let slot = match self.open.get_mut(running.row as usize) {
            Some(open) => {
                open.end = end;
                open.triggered = triggered;
                open.children = running.children;
                self.sums.slot(Pair {
                    caller: self.functions.last().copied().unwrap_or(NONE),
                    callee,
                })
            }
            None => {
                let call = &mut self.calls[place(running.call).1];
                call.cost = cost;
                call.triggered = triggered;
                call.slot
            }
        };
        let open = self.summing.open_in_run(running.start, end);
        self.summing.open(self.stack.len(), open);
        if running.call < self.summing.first() {
            self.summing.outlived(running.call, callee, running.nested);
        }
        let outermost = if running.nested { 0 } else { open };
        self.sums.count_in_run(slot, outermost, top);
        self.count(slot, cost, running.children, running.nested, end);
    }

    /// A call starts and ends without another in between, as [`ThreadWriter::enter`] and
    /// [`ThreadWriter::exit`] would have it.
    #[inline]
    pub fn leaf(&mut self, shared: &mut Shared, start: u64, end: u64, function: FunctionId) {
        let (slot, nested) = self.begin(shared, start, function.0);
        let cost = end.wrapping_sub(start);
        if let Some(call) = self.calls.last_mut() {
            call.cost = cost;
            call.triggered = 0;
        }
        self.max_depth = self.max_depth.max(self.stack.len() as u32 + 1);
        self.summing.open(self.stack.len(), cost);
        self.sums
            .count_in_run(slot, if nested { 0 } else { cost }, cost);
        self.count(slot, cost, 0, nested, end);
    }

    /// Ends a run of calls at the start of the next: gives it the time of the calls that are still open.
    fn end_run(&mut self, shared: &mut Shared, end: u64) {
        self.sums.end_run(&mut self.summing);
        // The innermost call that was open all the time may have been on top in between.
        let first = self.settled.saturating_sub(1);
        let open = self.stack[first..].iter_mut();
        for (running, &function) in open.zip(&self.functions[first..]) {
            let top = std::mem::take(&mut running.top);
            self.summing.share(function, 0, top);
        }
        self.settled = self.stack.len();
        for depth in self.summing.lowest(self.stack.len())..self.stack.len() {
            let running = &self.stack[depth];
            let open = self.summing.open_in_run(running.start, end);
            self.summing.open(depth, open);
            if !running.nested {
                self.summing.share(self.functions[depth], open, 0);
            }
        }
        let stack = &self.stack;
        let nested = |depth: usize| stack[depth].nested;
        self.summing.end_run(end, &self.functions, nested);
        while let Some(full) = self.summing.take_full() {
            self.write_page(shared, &full);
        }
    }

    fn write_page(&mut self, shared: &mut Shared, full: &Full) {
        let node = shared.append(|scratch, data| {
            self.summing.write(full, &mut scratch.values, data);
        });
        if self.run_nodes.len() <= full.level {
            self.run_nodes.resize(TOP_LEVEL + 1, Vec::new());
        }
        self.run_nodes[full.level].push(node);
    }

    /// The pages of all levels, one level after the other; those begun are written.
    fn finish_runs(&mut self, shared: &mut Shared, calls: usize) -> Vec<NodeEntry> {
        for full in self.summing.rest() {
            self.write_page(shared, &full);
        }
        let nodes = self.run_nodes.concat();
        debug_assert_eq!(nodes.len() as u32, runs::pages(calls as u32));
        nodes
    }

    /// Counts what a call that has ended costs.
    #[inline]
    fn count(&mut self, slot: u32, cost: u64, children: u64, nested: bool, end: u64) {
        let sums = self.sums.of(slot);
        sums.cost = sums.cost.wrapping_add(cost);
        sums.children = sums.children.wrapping_add(children);
        sums.nested = sums.nested.wrapping_add(if nested { cost } else { 0 });
        sums.last_end = end.wrapping_sub(self.base).saturating_add(1);
        if let Some(parent) = self.stack.last_mut() {
            parent.children = parent.children.wrapping_add(cost);
        }
        self.total += u128::from(cost);
        self.last_end = end;
        self.now = end;
    }

    /// Writes the block under construction.
    #[inline(never)]
    fn flush(&mut self, shared: &mut Shared) {
        if self.calls.is_empty() {
            return;
        }
        let base = self.base;
        let index = self.blocks.len();
        self.sort_sums(shared);
        let opened = self.stack.partition_point(|running| running.row != NONE);
        let survivor = self.stack[..opened].last();
        let node = shared.append(|scratch, data| {
            let block = Encoded {
                calls: &self.calls,
                order: &scratch.order,
                entries: &scratch.entries,
            };
            block::write(&block, &mut scratch.block, data);
        });
        self.blocks.push(BlockEntry {
            offset: node.offset,
            start: base,
            survivor_children: survivor.map_or(0, |running| running.children),
            size: node.size,
            checksum: node.checksum,
            first_open: self.open.len() as u32,
            innermost: self.innermost,
        });
        let longest = &shared.scratch.block.longest.in_block;
        let block_start = (index * BLOCK) as u32;
        self.longest.extend(longest.iter().map(|&id| {
            let call = &self.calls[id as usize];
            LongestCall {
                cost: call.cost,
                call: block_start + id,
                depth: call.depth,
            }
        }));
        self.longest_ends.push(self.longest.len() as u32);
        let mut parent = survivor.map_or(NONE, |running| running.row);
        for depth in opened..self.stack.len() {
            let running = &mut self.stack[depth];
            running.row = self.open.len() as u32;
            let pair = Pair {
                caller: depth
                    .checked_sub(1)
                    .map_or(NONE, |depth| self.functions[depth]),
                callee: self.functions[depth],
            };
            self.open.push(OpenCall {
                start: running.start,
                end: running.start,
                children: 0,
                children_in_block: running.children,
                call: running.call,
                parent,
                triggered: 0,
                pair: shared.numbers.of(pair),
                depth: depth as u32,
                nested: u32::from(running.nested),
            });
            parent = running.row;
        }
        self.innermost = parent;
        self.calls.clear();
        self.group.push(base, &shared.scratch.entries);
        if (index + 1).is_multiple_of(GROUP_BLOCKS) {
            self.flush_group(shared);
        }
    }

    /// Takes the sums of the block under construction, in order of pair, so that runs can be merged.
    fn sort_sums(&mut self, shared: &mut Shared) {
        let mut values = std::mem::take(&mut shared.scratch.values);
        values.clear();
        self.sums.number_all(&mut shared.numbers);
        for slot in 0..self.sums.sums.len() {
            let number = self.sums.number(slot);
            values.push(u64::from(number) << 32 | slot as u64);
        }
        let sums = &self.sums.sums;
        radix::sort(&mut values, &mut shared.scratch.room);
        let Scratch { entries, order, .. } = &mut shared.scratch;
        entries.clear();
        order.clear();
        order.resize(sums.len(), 0);
        for (rank, &value) in values.iter().enumerate() {
            let slot = value as u32 as usize;
            order[slot] = rank as u32;
            entries.push(Entry {
                pair: (value >> 32) as u32,
                sums: sums[slot].1,
            });
        }
        shared.scratch.values = values;
        self.sums.clear();
    }

    /// Writes the summary of the last 16 blocks, and the next checkpoint when it is due.
    fn flush_group(&mut self, shared: &mut Shared) {
        let base = self.group.base();
        let mut merged = std::mem::take(&mut shared.scratch.merged);
        let present = &mut shared.scratch.present;
        self.group.merge(base, present, &mut merged);
        self.groups.push(base, &merged);
        let node = append(shared, &merged);
        shared.scratch.merged = merged;
        self.group_nodes.push(node);
        if self.groups.len() < CHECKPOINT_GROUPS {
            return;
        }
        let base = self.blocks.first().map_or(0, |block| block.start);
        self.groups.push(base, &self.checkpoint);
        let present = &mut shared.scratch.present;
        self.groups.merge(base, present, &mut self.checkpoint);
        let node = append(shared, &self.checkpoint);
        self.checkpoint_nodes.push(node);
    }

    /// When the first call starts; none without calls.
    pub fn start(&self) -> Option<u64> {
        let written = self.blocks.first().map(|block| block.start);
        written.or(self.calls.first().map(|call| call.start))
    }
}

/// Appends a summary.
fn append(shared: &mut Shared, summary: &[Entry]) -> NodeEntry {
    shared.append(|scratch, data| summary::write(summary, &mut scratch.values, data))
}

/// The longest calls by depth of all blocks and of longer runs, as the tables hold them.
fn longest(writer: &ThreadWriter) -> (Vec<LongestCall>, Vec<u32>) {
    let mut all: Vec<LongestCall> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    // The calls that were open at the end of a block have ended by now.
    for (index, block) in writer.blocks.iter().enumerate() {
        let start = index
            .checked_sub(1)
            .map_or(0, |previous| writer.longest_ends[previous]);
        let ended = &writer.longest[start as usize..writer.longest_ends[index] as usize];
        let next = writer.blocks.get(index + 1);
        let open_end = next.map_or(writer.open.len(), |next| next.first_open as usize);
        let open = &writer.open[block.first_open as usize..open_end];
        let open = open.iter().map(|open| LongestCall {
            cost: open.end.wrapping_sub(open.start),
            call: open.call,
            depth: open.depth,
        });
        keep_longest(ended.iter().copied().chain(open), &mut all);
        ends.push(all.len() as u32);
    }
    let blocks = writer.blocks.len();
    for length in [GROUP_BLOCKS, CHECKPOINT_BLOCKS] {
        for run in 0..blocks / length {
            let first = (run * length)
                .checked_sub(1)
                .map_or(0, |previous| ends[previous]);
            let of_blocks = all[first as usize..ends[run * length + length - 1] as usize].to_vec();
            keep_longest(of_blocks.into_iter(), &mut all);
            ends.push(all.len() as u32);
        }
    }
    (all, ends)
}

/// Appends the longest by depth of `calls`, in order of call; of equals the first.
fn keep_longest(calls: impl Iterator<Item = LongestCall>, all: &mut Vec<LongestCall>) {
    let first = all.len();
    all.extend(calls);
    all[first..].sort_unstable_by_key(|call| (call.depth, u64::MAX - call.cost, call.call));
    let mut kept = first;
    for next in first..all.len() {
        if kept == first || all[kept - 1].depth != all[next].depth {
            all[kept] = all[next];
            kept += 1;
        }
    }
    all.truncate(kept);
    all[first..].sort_unstable_by_key(|call| call.call);
}

/// Makes the store. Times count from `origin` on. An error when the calls could be kept neither in
/// memory nor in a file.
pub(in crate::facts) fn finish(
    mut shared: Shared,
    threads: Vec<(Thread, ThreadWriter)>,
    origin: u64,
    functions: usize,
) -> std::io::Result<Trace> {
    let mut store = Store {
        functions,
        origin: origin as i64,
        ..Store::default()
    };
    let total = threads.iter().map(|(_, writer)| writer.total);
    store.overflows = total.fold(0, u128::saturating_add) > u128::from(u64::MAX);
    for (mut info, mut writer) in threads {
        let calls = writer.calls();
        let time = |at: u64| Time::from_ns(at.wrapping_sub(origin));
        info.start = writer.start().map_or(Time::ZERO, time);
        info.end = if calls == 0 {
            Time::ZERO
        } else {
            time(writer.last_end)
        };
        info.calls = calls as u64;
        info.max_depth = writer.max_depth;
        writer.flush(&mut shared);
        let runs = writer.finish_runs(&mut shared, calls);
        for block in &mut writer.blocks {
            block.start = block.start.wrapping_sub(origin);
        }
        for open in &mut writer.open {
            open.start = open.start.wrapping_sub(origin);
            open.end = open.end.wrapping_sub(origin);
        }
        let (longest, longest_ends) = longest(&writer);
        store.infos.push(info);
        store.threads.push(ThreadTables {
            longest: Table::Rows(longest.into()),
            longest_ends: Table::Rows(longest_ends.into()),
            calls: calls as u32,
            blocks: Table::Rows(writer.blocks.into()),
            open: Table::Rows(writer.open.into()),
            groups: Table::Rows(writer.group_nodes.into()),
            checkpoints: Table::Rows(writer.checkpoint_nodes.into()),
            runs: Table::Rows(runs.into()),
        });
    }
    let pairs = shared.numbers.pairs;
    let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
    order.sort_unstable_by_key(|&index| pairs[index as usize]);
    store.pair_order = Table::Rows(order.into());
    store.pairs = Table::Rows(pairs.into());
    let (data, temporary) = shared.data.finish()?;
    store.data = data;
    store.temporary = Arc::new(Mutex::new(temporary));
    Ok(Trace::new(store))
}
