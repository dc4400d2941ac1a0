//! Writes the call store: takes calls as they start and end, and has them packed a block at a time.

use std::sync::{Arc, Mutex};

use super::Trace;
use super::answers::Answers;
use super::call::Thread;
use super::entries::{BlockEntry, LongestCall, MetricsRow, NONE, OpenCall, Pair};
use super::next_run::{NextRun, share};
pub(crate) use super::packing::HEADER;
use super::packing::{PackedThread, Packing};
use super::pairs::{OnStack, PairSums};
use super::paths::Paths;
use super::raw_call::{BLOCK, RawCall};
use super::runs::{FEW, SHORTEST};
use super::storage::Table;
use super::store::{CHECKPOINT_BLOCKS, GROUP_BLOCKS, Store, ThreadTables, place};
use callscape_base::units::{FunctionId, Time};

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
pub(crate) struct ThreadWriter {
    /// The number by which what is packed knows it.
    thread: u32,
    /// Blocks that are whole, and when the first starts.
    blocks: usize,
    start: u64,
    open: Vec<OpenCall>,
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
    last_end: u64,
    /// When something started or ended last.
    now: u64,
    run: NextRun,
    /// The depth up to which no open call has been on top since the last run ended, or on top of it.
    settled: usize,
    /// The row of the innermost call that was open before this block; or NONE.
    innermost: u32,
    /// The sum of the costs of all calls.
    total: u128,
}

/// What the threads share.
#[derive(Default)]
pub(crate) struct Shared {
    packing: Packing,
    threads: u32,
}

impl ThreadWriter {
    pub(crate) fn new(shared: &mut Shared) -> ThreadWriter {
        shared.threads += 1;
        ThreadWriter {
            thread: shared.threads - 1,
            innermost: NONE,
            ..ThreadWriter::default()
        }
    }

    /// The number of open calls.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// The functions of the open calls, outermost first.
    pub(crate) fn open_functions(&self) -> &[u32] {
        &self.functions
    }

    /// The number of calls so far.
    #[inline]
    pub(crate) fn calls(&self) -> usize {
        self.blocks * BLOCK + self.calls.len()
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
                self.run.begin(start);
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
        self.run.enter(self.stack.len(), callee);
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
    pub(crate) fn expect(&self, function: FunctionId) {
        self.sums.expect(Pair {
            caller: self.functions.last().copied().unwrap_or(NONE),
            callee: function.0,
        });
    }

    /// A call starts; `start` is not before the last start or end.
    #[inline]
    pub(crate) fn enter(&mut self, shared: &mut Shared, start: u64, function: FunctionId) {
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
    pub(crate) fn exit(&mut self, end: u64) {
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
        let open = self.run.open_in_run(running.start, end);
        self.run.open(self.stack.len(), open);
        if running.call < self.run.first() && !running.nested {
            self.run.outlived(running.call, callee);
        }
        let outermost = if running.nested { 0 } else { open };
        self.sums.count_in_run(slot, outermost, top);
        self.count(slot, cost, running.children, running.nested, end);
    }

    /// A call starts and ends without another in between, as [`ThreadWriter::enter`] and
    /// [`ThreadWriter::exit`] would have it.
    #[inline]
    pub(crate) fn leaf(&mut self, shared: &mut Shared, start: u64, end: u64, function: FunctionId) {
        let (slot, nested) = self.begin(shared, start, function.0);
        let cost = end.wrapping_sub(start);
        if let Some(call) = self.calls.last_mut() {
            call.cost = cost;
            call.triggered = 0;
        }
        self.max_depth = self.max_depth.max(self.stack.len() as u32 + 1);
        self.run.open(self.stack.len(), cost);
        self.sums
            .count_in_run(slot, if nested { 0 } else { cost }, cost);
        self.count(slot, cost, 0, nested, end);
    }

    /// Ends a run of calls at the start of the next: gives it the time of the calls that are still open.
    fn end_run(&mut self, shared: &mut Shared, end: u64) {
        let batch = &mut shared.packing.batch;
        self.sums.end_run(&mut batch.shares);
        // The innermost call that was open all the time may have been on top in between.
        let first = self.settled.saturating_sub(1);
        let open = self.stack[first..].iter_mut();
        for (running, &function) in open.zip(&self.functions[first..]) {
            let top = std::mem::take(&mut running.top);
            share(&mut batch.shares, function, 0, top);
        }
        self.settled = self.stack.len();
        let lowest = self.run.lowest(self.stack.len());
        for depth in lowest..self.stack.len() {
            let Running { start, nested, .. } = self.stack[depth];
            let (open, function) = (self.run.open_in_run(start, end), self.functions[depth]);
            self.run.open(depth, open);
            if !nested {
                share(&mut batch.shares, function, open, 0);
            }
            batch.stack.push(if nested { NONE } else { function });
        }
        let start = self.run.start();
        let around = self.stack.len();
        self.run
            .take(end, around, &mut batch.depths, &mut batch.outlived);
        batch.run(self.thread, (start, end), lowest as u32);
        shared.packing.check();
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

    /// Ends the block under construction.
    #[inline(never)]
    fn flush(&mut self, shared: &mut Shared) {
        if self.calls.is_empty() {
            return;
        }
        let batch = &mut shared.packing.batch;
        let opened = self.stack.partition_point(|running| running.row != NONE);
        let survivor = self.stack[..opened].last();
        let entry = BlockEntry {
            start: self.base,
            survivor_children: survivor.map_or(0, |running| running.children),
            first_open: self.open.len() as u32,
            innermost: self.innermost,
            ..BlockEntry::default()
        };
        let mut parent = survivor.map_or(NONE, |running| running.row);
        for depth in opened..self.stack.len() {
            let running = &mut self.stack[depth];
            running.row = self.open.len() as u32;
            batch.opened.push(Pair {
                caller: depth
                    .checked_sub(1)
                    .map_or(NONE, |depth| self.functions[depth]),
                callee: self.functions[depth],
            });
            self.open.push(OpenCall {
                start: running.start,
                end: running.start,
                children: 0,
                children_in_block: running.children,
                call: running.call,
                parent,
                triggered: 0,
                pair: NONE,
                depth: depth as u32,
                nested: u32::from(running.nested),
            });
            parent = running.row;
        }
        self.innermost = parent;
        if self.blocks == 0 {
            self.start = self.base;
        }
        self.blocks += 1;
        let mut columns = batch.columns();
        std::mem::swap(&mut columns.calls, &mut self.calls);
        self.sums.take(&mut columns.sums, &mut columns.rows);
        batch.block(self.thread, entry, columns);
        shared.packing.check();
    }

    /// When the first call starts; none without calls.
    pub(crate) fn start(&self) -> Option<u64> {
        let first = self.calls.first().map(|call| call.start);
        if self.blocks > 0 {
            Some(self.start)
        } else {
            first
        }
    }
}

/// The longest calls by depth of all blocks and of longer runs, as the tables hold them.
fn longest(of: &PackedThread, open: &[OpenCall]) -> (Vec<LongestCall>, Vec<u32>) {
    let mut all: Vec<LongestCall> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    // The calls that were open at the end of a block have ended by now.
    for (index, block) in of.blocks.iter().enumerate() {
        let start = index
            .checked_sub(1)
            .map_or(0, |previous| of.longest_ends[previous]);
        let ended = &of.longest[start as usize..of.longest_ends[index] as usize];
        let next = of.blocks.get(index + 1);
        let open_end = next.map_or(open.len(), |next| next.first_open as usize);
        let open_in = &open[block.first_open as usize..open_end];
        let open = open_in.iter().map(|open| LongestCall {
            cost: open.end.wrapping_sub(open.start),
            call: open.call,
            depth: open.depth,
        });
        keep_longest(ended.iter().copied().chain(open), &mut all);
        ends.push(all.len() as u32);
    }
    let blocks = of.blocks.len();
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
pub(crate) fn finish(
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
    let mut ended = Vec::new();
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
        shared.packing.end(writer.thread, calls as u32);
        ended.push((info, writer.thread, calls as u32, writer.open));
    }
    let mut packed = shared.packing.finish(shared.threads as usize);
    let mut paths = Some(Vec::new());
    for (info, thread, calls, mut open) in ended {
        let mut packed = std::mem::take(&mut packed.threads[thread as usize]);
        for block in &mut packed.blocks {
            block.start = block.start.wrapping_sub(origin);
        }
        for (open, &pair) in open.iter_mut().zip(&packed.open_pairs) {
            open.start = open.start.wrapping_sub(origin);
            open.end = open.end.wrapping_sub(origin);
            open.pair = pair;
        }
        let (longest, longest_ends) = longest(&packed, &open);
        paths = paths.zip(packed.paths.finish()).map(|(mut all, next)| {
            all.push(next);
            all
        });
        store.infos.push(info);
        store.threads.push(ThreadTables {
            longest: Table::Rows(longest.into()),
            longest_ends: Table::Rows(longest_ends.into()),
            calls,
            blocks: Table::Rows(packed.blocks.into()),
            open: Table::Rows(open.into()),
            groups: Table::Rows(packed.groups.into()),
            checkpoints: Table::Rows(packed.checkpoints.into()),
            runs: Table::Rows(packed.runs.into()),
        });
    }
    store.pairs = Table::Rows(packed.numbers.pairs.into());
    let (data, temporary) = packed.data.finish()?;
    store.data = data;
    store.temporary = Arc::new(Mutex::new(temporary));
    let calls: u64 = store.infos.iter().map(|thread| thread.calls).sum();
    let paths = paths.filter(|_| !store.overflows);
    store.answers = Arc::new(Answers::new(Paths::of(paths, calls)));
    if calls > FEW as u64 && !store.overflows {
        let metrics = store.function_metrics(None.into());
        let rows: Vec<MetricsRow> = metrics.iter().map(MetricsRow::from).collect();
        store.metrics = Table::Rows(rows.into());
    }
    Ok(Trace::new(store))
}
