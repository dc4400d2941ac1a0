//! The tables of the call store: packed blocks of calls, and what leads to them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::answers::Answers;
use super::arguments::Arguments;
use super::block::{Block, partition};
use super::call::Thread;
use super::entries::{BlockEntry, Facts, LongestCall, MetricsRow, NONE, NodeEntry, OpenCall, Pair};
use super::links::Links;
use super::mapped::Mapped;
use super::raw_call::{BLOCK, BLOCK_BITS};
use super::runs::{self, Page};
use super::storage::{Bytes, Table};
use super::summary::Summary;
use super::waiting::Waiting;
use callscape_base::files::Temporary;
use callscape_base::units::{CallId, FunctionId, ThreadId};

/// Blocks in a summary of the first level.
pub(super) const GROUP_BLOCKS: usize = if cfg!(test) { 3 } else { 16 };
/// First-level summaries between two checkpoints.
pub(super) const CHECKPOINT_GROUPS: usize = if cfg!(test) { 2 } else { 16 };
pub(super) const CHECKPOINT_BLOCKS: usize = GROUP_BLOCKS * CHECKPOINT_GROUPS;

/// The tables of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTables {
    pub calls: u32,
    pub blocks: Table<BlockEntry>,
    pub open: Table<OpenCall>,
    /// By run of 16 blocks; times count from the first of these.
    pub groups: Table<NodeEntry>,
    /// The summary of all blocks before block 256 × (*i* + 1), by *i*; times count from the first block.
    pub checkpoints: Table<NodeEntry>,
    /// The longest calls by depth, in order: of each block, of each run of 16, and of each run of 256
    /// that is whole.
    pub longest: Table<LongestCall>,
    /// Where those of each run end, in the same order.
    pub longest_ends: Table<u32>,
    /// Pages of runs of calls, one level after the other.
    pub runs: Table<NodeEntry>,
}

/// All calls of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub data: Bytes,
    /// Of data from a file: what has been compared with its checksum.
    pub checks: Option<Arc<Checks>>,
    /// The file that the data lies in, when it is not an index yet.
    pub temporary: Arc<Mutex<Option<Temporary>>>,
    pub infos: Vec<Thread>,
    pub threads: Vec<ThreadTables>,
    pub functions: usize,
    /// The time of the first event on the recording's own clock, in nanoseconds.
    pub origin: i64,
    /// The costs of all calls add up to more than a number can hold. Summaries, which hold sums, and
    /// differences of them are then not to be trusted.
    pub overflows: bool,
    pub pairs: Table<Pair>,
    /// When threads wait; none where the recording does not know.
    pub waiting: Option<Waiting>,
    /// Causes that cross threads.
    pub links: Links,
    /// What calls were called with, and returned.
    pub arguments: Arguments,
    /// The pairs in order of caller, then callee, once it is asked for.
    pub pair_order: OnceLock<Vec<u32>>,
    /// What the calls of each function add up to; none of few calls, which are quickly added up.
    pub metrics: Table<MetricsRow>,
    /// What has been found out about all calls.
    pub answers: Arc<Answers>,
}

/// Which blocks and summaries of a file have been found to be what was written.
#[derive(Debug)]
pub(crate) struct Checks {
    /// A bit for each 32 bytes of data: set where something starts that is intact.
    intact: Vec<AtomicU64>,
    damaged: AtomicBool,
}

/// Every block and every summary takes more bytes.
const SMALLEST: u64 = 32;

impl Checks {
    pub(crate) fn new(bytes: usize) -> Checks {
        let words = bytes as u64 / SMALLEST / 64 + 1;
        Checks {
            intact: (0..words).map(|_| AtomicU64::new(0)).collect(),
            damaged: AtomicBool::new(false),
        }
    }

    /// Whether the `bytes` at `offset` are intact.
    fn check(&self, offset: u64, bytes: &[u8], checksum: u32) -> bool {
        let bit = offset / SMALLEST;
        let Some(word) = self.intact.get((bit / 64) as usize) else {
            return false;
        };
        let mask = 1 << (bit % 64);
        if word.load(Ordering::Relaxed) & mask != 0 {
            return true;
        }
        let intact = crc32fast::hash(bytes) == checksum;
        if intact {
            word.fetch_or(mask, Ordering::Relaxed);
        } else {
            self.damaged.store(true, Ordering::Relaxed);
        }
        intact
    }
}

impl Store {
    pub(crate) fn thread(&self, thread: ThreadId) -> Calls<'_> {
        Calls {
            store: self,
            tables: &self.threads[thread.index()],
        }
    }

    pub(crate) fn all_calls(&self) -> impl Iterator<Item = Calls<'_>> {
        self.threads.iter().map(|tables| Calls {
            store: self,
            tables,
        })
    }

    pub(crate) fn bytes_used(&self) -> u64 {
        let tables = self.threads.iter().map(|tables| {
            size_of_val(&*tables.blocks)
                + size_of_val(&*tables.open)
                + size_of_val(&*tables.groups)
                + size_of_val(&*tables.checkpoints)
                + size_of_val(&*tables.longest)
                + size_of_val(&*tables.longest_ends)
                + size_of_val(&*tables.runs)
        });
        let pairs = size_of_val(&*self.pairs) + size_of_val(&*self.metrics);
        let waiting = self.waiting.iter().flat_map(|waiting| &waiting.threads);
        let waiting: usize = waiting.map(|thread| thread.bytes_used()).sum();
        let links = self.links.threads.iter().map(|thread| thread.bytes_used());
        let links = links.sum::<usize>() + size_of_val(&*self.links.pairs);
        let calls = (self.data.len() + tables.sum::<usize>() + pairs + waiting + links) as u64;
        calls + self.arguments.bytes_used()
    }

    fn node(&self, entry: &NodeEntry) -> Summary<'_> {
        let bytes = self.bytes(entry.offset, entry.size, entry.checksum);
        self.parsed(Summary::parse(bytes, false))
    }

    /// What was parsed, or nothing, which is damage as well: bytes that are those that were written, but not by
    /// this version.
    fn parsed<T: Default>(&self, parsed: Option<T>) -> T {
        if let (None, Some(checks)) = (&parsed, &self.checks) {
            checks.damaged.store(true, Ordering::Relaxed);
        }
        parsed.unwrap_or_default()
    }

    /// The bytes of a block or summary; none when they are not those that were written.
    fn bytes(&self, offset: u64, size: u32, checksum: u32) -> &[u8] {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(size as usize);
        let bytes = self.data.get(start..end).unwrap_or_default();
        match &self.checks {
            Some(checks) if !checks.check(offset, bytes, checksum) => &[],
            _ => bytes,
        }
    }

    /// Whether some bytes have been found that are not those that were written, or that are missing.
    pub(crate) fn is_damaged(&self) -> bool {
        let checks = self.checks.as_ref();
        checks.is_some_and(|checks| checks.damaged.load(Ordering::Relaxed))
            || self.arguments.is_damaged()
            || self.was_cut()
    }

    /// Whether its file has become shorter and that was met with.
    pub(crate) fn was_cut(&self) -> bool {
        self.data.mapped().is_some_and(Mapped::was_cut)
    }

    /// Compares all bytes with their checksums. Whether they are those that were written.
    pub(crate) fn check_all(&self) -> bool {
        for tables in &self.threads {
            for block in tables.blocks.iter() {
                self.bytes(block.offset, block.size, block.checksum);
            }
            let summaries = tables.groups.iter().chain(tables.checkpoints.iter());
            for node in summaries.chain(tables.runs.iter()) {
                self.bytes(node.offset, node.size, node.checksum);
            }
        }
        self.arguments.check_all();
        !self.is_damaged()
    }

    /// The pairs in order of caller, then callee.
    pub(crate) fn pair_order(&self) -> &[u32] {
        self.pair_order.get_or_init(|| {
            let pairs = &*self.pairs;
            let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
            order.sort_unstable_by_key(|&index| pairs[index as usize]);
            order
        })
    }

    /// The callee of `pair`.
    pub(crate) fn callee(&self, pair: u32) -> FunctionId {
        let pair = self.pairs.get(pair as usize);
        FunctionId(pair.map_or(0, |pair| pair.callee))
    }
}

/// The calls of one thread. A *position* *x* is a number of calls: it stands for the moment right after
/// the start of call *x* − 1, and its stack is that call and the calls around it.
#[derive(Clone, Copy)]
pub(crate) struct Calls<'a> {
    pub store: &'a Store,
    pub tables: &'a ThreadTables,
}

pub(super) fn place(call: u32) -> (usize, usize) {
    ((call >> BLOCK_BITS) as usize, call as usize % BLOCK)
}

impl<'a> Calls<'a> {
    pub(crate) fn len(&self) -> u32 {
        self.tables.calls
    }

    pub(crate) fn block(&self, index: usize) -> Block<'a> {
        let Some(entry) = self.tables.blocks.get(index) else {
            return Block::default();
        };
        let bytes = self.store.bytes(entry.offset, entry.size, entry.checksum);
        self.store.parsed(Block::parse(bytes, entry.start))
    }

    pub(crate) fn group(&self, index: usize) -> (u64, Summary<'a>) {
        let base = self.block_start(index * GROUP_BLOCKS);
        let entry = self.tables.groups.get(index);
        (
            base,
            entry
                .map(|entry| self.store.node(entry))
                .unwrap_or_default(),
        )
    }

    /// Whether it is known what happens in runs of calls; not in a trace of few.
    pub(crate) fn has_runs(&self) -> bool {
        !self.tables.runs.is_empty()
    }

    /// A page of the runs of a level, and when it begins.
    pub(crate) fn page(&self, level: usize, page: u32) -> (u64, Page<'a>) {
        let first = (u64::from(page) * u64::from(runs::in_page(level))) << level;
        let first = first * u64::from(runs::SHORTEST) / BLOCK as u64;
        let base = self.block_start(first as usize);
        let node = runs::first_page(self.len(), level) + page;
        let Some(node) = self.tables.runs.get(node as usize) else {
            return (base, Page::default());
        };
        let bytes = self.store.bytes(node.offset, node.size, node.checksum);
        (base, self.store.parsed(Page::parse(bytes)))
    }

    /// The summary of the first `count` × 256 blocks.
    pub(crate) fn checkpoint(&self, count: usize) -> (u64, Summary<'a>) {
        let entry = count
            .checked_sub(1)
            .and_then(|index| self.tables.checkpoints.get(index));
        (
            self.block_start(0),
            entry
                .map(|entry| self.store.node(entry))
                .unwrap_or_default(),
        )
    }

    /// When the first call of a block starts.
    pub(crate) fn block_start(&self, index: usize) -> u64 {
        self.tables.blocks.get(index).map_or(0, |entry| entry.start)
    }

    /// The calls of block `index` that are open at its end.
    pub(crate) fn open_in_block(&self, index: usize) -> &'a [OpenCall] {
        let open = &self.tables.open;
        let first = |index: usize| {
            let entry = self.tables.blocks.get(index);
            entry.map_or(open.len(), |entry| {
                (entry.first_open as usize).min(open.len())
            })
        };
        let start = first(index);
        &open[start..first(index + 1).max(start)]
    }

    /// How many calls are open before the first call of block `index`, around it; none behind the last block.
    pub(crate) fn depth_before(&self, index: usize) -> u32 {
        if index < self.tables.blocks.len() {
            self.block(index).depth(0)
        } else {
            0
        }
    }

    /// The row of a call that is open at the end of its block.
    pub(crate) fn open_call(&self, call: u32) -> Option<&'a OpenCall> {
        let open = self.open_in_block(place(call).0);
        let found = open.binary_search_by_key(&call, |open| open.call).ok()?;
        Some(&open[found])
    }

    /// The calls that are open before the first call of a block, innermost first.
    pub(crate) fn open_before(&self, block: usize) -> impl Iterator<Item = &'a OpenCall> + use<'a> {
        let tables = self.tables;
        let mut next = tables
            .blocks
            .get(block)
            .map_or(NONE, |entry| entry.innermost);
        std::iter::from_fn(move || {
            let open = tables.open.get(next as usize)?;
            // Parents stand before their children; a damaged link must not lead around in circles.
            next = if open.parent < next {
                open.parent
            } else {
                NONE
            };
            Some(open)
        })
    }

    /// The facts of call `i` of `block`.
    pub(crate) fn facts_in(&self, block: &Block<'_>, call: u32) -> Facts {
        let (_, i) = place(call);
        let start = block.start(i);
        let (end, triggered) = match block.ended(i) {
            Some((cost, triggered)) => (start.saturating_add(cost), triggered),
            None => {
                let open = self.open_call(call);
                open.map_or((start, 0), |open| (open.end, open.triggered))
            }
        };
        Facts {
            start,
            end,
            depth: block.depth(i),
            triggered,
        }
    }

    pub(crate) fn facts(&self, call: u32) -> Facts {
        self.facts_in(&self.block(place(call).0), call)
    }

    pub(crate) fn pair(&self, call: u32) -> u32 {
        let (index, local) = place(call);
        self.block(index).pair(local)
    }

    /// The block in which the last call lies that starts at or before `t`.
    fn block_at(&self, t: u64) -> Option<usize> {
        let blocks = &*self.tables.blocks;
        partition(blocks.len(), |index| blocks[index].start <= t).checked_sub(1)
    }

    /// The number of calls that start at or before `t`.
    pub(crate) fn started(&self, t: u64) -> u32 {
        Cursor::new(*self).started(t)
    }

    /// The number of calls that start before `t`.
    pub(crate) fn started_before(&self, t: u64) -> u32 {
        t.checked_sub(1).map_or(0, |t| self.started(t))
    }

    /// Hands the stack at a position to `visit`, innermost first, as long as it says so.
    /// O(block / 64 + depth).
    pub(crate) fn visit_stack(&self, position: u32, visit: impl FnMut(CallId, Facts) -> bool) {
        Cursor::new(*self).visit_stack(position, visit);
    }

    /// The cost of the direct subcalls of a call. O(block).
    pub(crate) fn children(&self, call: u32) -> u64 {
        self.children_in(&self.block(place(call).0), call)
    }

    fn children_in(&self, block: &Block<'_>, call: u32) -> u64 {
        if let Some(open) = self.open_call(call) {
            return open.children;
        }
        let (_, local) = place(call);
        let Some((_, triggered)) = block.ended(local) else {
            return 0;
        };
        let end = (local + 1 + triggered as usize).min(block.len);
        let (mut next, mut children) = (local + 1, 0u64);
        while next < end {
            let (cost, triggered) = block.ended(next).unwrap_or_default();
            children = children.saturating_add(cost);
            next += 1 + triggered as usize;
        }
        children
    }
}

/// Room to find stacks in: found again in the same, they take no new memory.
#[derive(Clone, Debug, Default)]
pub struct StackRoom(Vec<u64>);

impl StackRoom {
    /// As [`Calls::visit_stack`].
    pub(super) fn visit(
        &mut self,
        calls: Calls<'_>,
        position: u32,
        visit: impl FnMut(CallId, Facts) -> bool,
    ) {
        let mut cursor = Cursor::within(calls, self);
        cursor.visit_stack(position, visit);
        cursor.leave(self);
    }
}

/// So many blocks are tried one after the other.
const NEAR: usize = 5;

/// Calls read one after another, mostly from one block.
pub(super) struct Cursor<'a> {
    pub calls: Calls<'a>,
    index: usize,
    block: Block<'a>,
    depths: Vec<u64>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(calls: Calls<'a>) -> Cursor<'a> {
        Cursor::within(calls, &mut StackRoom::default())
    }

    /// One that works in `room`, until it [`leaves`](Self::leave) it.
    pub(super) fn within(calls: Calls<'a>, room: &mut StackRoom) -> Cursor<'a> {
        Cursor {
            calls,
            index: usize::MAX,
            block: Block::default(),
            depths: std::mem::take(&mut room.0),
        }
    }

    pub(super) fn leave(self, room: &mut StackRoom) {
        room.0 = self.depths;
    }

    pub(super) fn block(&mut self, index: usize) -> &Block<'a> {
        if index != self.index {
            self.index = index;
            self.block = self.calls.block(index);
        }
        &self.block
    }

    pub(super) fn facts(&mut self, call: u32) -> Facts {
        let (index, _) = place(call);
        self.block(index);
        self.calls.facts_in(&self.block, call)
    }

    pub(super) fn pair(&mut self, call: u32) -> u32 {
        let (index, local) = place(call);
        self.block(index).pair(local)
    }

    /// As [`Calls::children`].
    pub(super) fn children(&mut self, call: u32) -> u64 {
        self.block(place(call).0);
        self.calls.children_in(&self.block, call)
    }

    /// As [`Calls::started`].
    pub(super) fn started(&mut self, t: u64) -> u32 {
        let start = |index: usize| self.calls.tables.blocks.get(index).map(|entry| entry.start);
        let holds = |index: &usize| {
            start(*index).is_some_and(|start| start <= t)
                && start(*index + 1).is_none_or(|next| t < next)
        };
        // Mostly asked for times that rise by a little.
        let near = self.index..self.index.saturating_add(NEAR);
        let index = near.into_iter().find(holds);
        let index = index.or_else(|| self.calls.block_at(t));
        index.map_or(0, |index| {
            (index * BLOCK + self.block(index).started(t)) as u32
        })
    }

    /// As [`Calls::visit_stack`].
    pub(super) fn visit_stack(&mut self, position: u32, visit: impl FnMut(CallId, Facts) -> bool) {
        self.visit_stack_below(position, u32::MAX, visit);
    }

    /// The same of the calls less deep than `below` alone.
    pub(super) fn visit_stack_below(
        &mut self,
        position: u32,
        below: u32,
        mut visit: impl FnMut(CallId, Facts) -> bool,
    ) {
        let Some(last) = position.checked_sub(1) else {
            return;
        };
        let (index, local) = place(last);
        let block = *self.block(index);
        let first = last - local as u32;
        let mut wanted = below;
        let calls = self.calls;
        let goes_on = block.visit_around(local + 1, below, &mut self.depths, |i, depth| {
            let call = first + i as u32;
            wanted = depth;
            visit(CallId(call), calls.facts_in(&block, call))
        });
        if !goes_on {
            return;
        }
        for open in self.calls.open_before(index) {
            if open.depth < wanted && !visit(CallId(open.call), open.facts()) {
                return;
            }
        }
    }
}
