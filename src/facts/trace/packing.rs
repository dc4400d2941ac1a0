//! Packs what [`super::writer`] has taken: blocks, summaries, and pages of runs, in the order in which they became
//! whole. Where there is a second processor, a thread of its own does so while further calls are taken. What is written
//! is the same.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use super::block;
use super::call_columns::Encoded;
use super::entries::{BlockEntry, LongestCall, NodeEntry, Pair};
use super::held::Held;
use super::next_run::Outlived;
use super::pairs::{Known, Numbers};
use super::paths::{Counted, Grower};
use super::radix;
use super::raw_call::{BLOCK, RawCall};
use super::runs::{self, AtDepth, FEW, SHORTEST, Share, TOP_LEVEL};
use super::storage::Growing;
use super::store::{CHECKPOINT_GROUPS, GROUP_BLOCKS};
use super::summary::{self, Entry, Present, Runs, Sums};
use super::summing::{Full, Summing, Whole};

/// Bytes before the first block, where an index file has its header.
pub(crate) const HEADER: usize = 64;

/// Calls that are packed together: enough that handing them over costs nothing beside it, few enough that those of
/// three batches stay in the caches.
const TOGETHER: usize = 4 * BLOCK;

/// Batches that there are at once: one that is filled, one that waits, one that is packed.
const BATCHES: usize = 3;

/// What is to be packed, in order.
#[derive(Default)]
pub(super) struct Batch {
    items: Vec<Item>,
    /// Calls of the runs and blocks.
    calls: usize,
    /// Of runs, one behind the other.
    pub shares: Vec<Share>,
    pub depths: Vec<AtDepth>,
    pub outlived: Vec<Outlived>,
    pub stack: Vec<u32>,
    /// Of blocks, one behind the other, the pairs of calls that are open at their end and have begun in them.
    pub opened: Vec<Pair>,
    /// Room for blocks.
    spare: Vec<Columns>,
}

enum Item {
    Run(Run),
    Block(Block),
    /// The thread has ended.
    End {
        thread: u32,
        calls: u32,
    },
}

/// A run of a thread, and where what the batch has of it ends.
struct Run {
    thread: u32,
    start: u64,
    end: u64,
    lowest: u32,
    ends: Ends,
}

#[derive(Clone, Copy, Default)]
struct Ends {
    shares: usize,
    depths: usize,
    outlived: usize,
    stack: usize,
}

/// A block of a thread.
pub(super) struct Block {
    pub thread: u32,
    /// Offset, size and checksum are those of nothing yet.
    pub entry: BlockEntry,
    pub columns: Columns,
    /// Where its pairs of opened calls end.
    opened: usize,
}

/// What a block is made of, in memory that is used again.
#[derive(Default)]
pub(super) struct Columns {
    pub calls: Vec<RawCall>,
    /// By pair, in order of the first call.
    pub sums: Vec<(Pair, Sums)>,
    /// By pair, its row in the thread's table of pairs.
    pub rows: Vec<u32>,
}

impl Batch {
    /// Adds a run, of which shares, depths and so on have been added.
    pub(super) fn run(&mut self, thread: u32, (start, end): (u64, u64), lowest: u32) {
        self.calls += SHORTEST as usize;
        let ends = Ends {
            shares: self.shares.len(),
            depths: self.depths.len(),
            outlived: self.outlived.len(),
            stack: self.stack.len(),
        };
        self.items.push(Item::Run(Run {
            thread,
            start,
            end,
            lowest,
            ends,
        }));
    }

    /// Adds a block, of which the pairs of opened calls have been added.
    pub(super) fn block(&mut self, thread: u32, entry: BlockEntry, columns: Columns) {
        self.calls += columns.calls.len();
        self.items.push(Item::Block(Block {
            thread,
            entry,
            columns,
            opened: self.opened.len(),
        }));
    }

    /// Room for the next block.
    pub(super) fn columns(&mut self) -> Columns {
        self.spare.pop().unwrap_or_default()
    }

    fn clear(&mut self) {
        self.items.clear();
        self.calls = 0;
        self.shares.clear();
        self.depths.clear();
        self.outlived.clear();
        self.stack.clear();
        self.opened.clear();
    }
}

/// What is packed of a thread.
#[derive(Default)]
pub(super) struct PackedThread {
    pub blocks: Vec<BlockEntry>,
    /// By call that is open at the end of the block that it begins in, the number of its pair.
    pub open_pairs: Vec<u32>,
    pub groups: Vec<NodeEntry>,
    pub checkpoints: Vec<NodeEntry>,
    /// The pages of all levels, one level after the other, once the thread has ended.
    pub runs: Vec<NodeEntry>,
    /// By block the longest calls by depth, but for those open at its end; and where each block's end.
    pub longest: Vec<LongestCall>,
    pub longest_ends: Vec<u32>,
    pub paths: Grower,
    known: Known,
    /// Since the last first-level summary: by block, when it starts and its entries.
    group: Runs,
    /// Since the last checkpoint: by first-level summary, when it starts and its entries.
    since_checkpoint: Runs,
    /// The last checkpoint.
    checkpoint: Vec<Entry>,
    summing: Summing,
    run_nodes: Vec<Vec<NodeEntry>>,
}

/// All that has been packed.
pub(super) struct Packed {
    pub data: Growing,
    pub numbers: Numbers,
    pub threads: Vec<PackedThread>,
    /// Calls in blocks so far.
    calls: usize,
    held: Held,
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

impl Default for Packed {
    fn default() -> Packed {
        Packed {
            data: Growing::new(vec![0; HEADER]),
            numbers: Numbers::default(),
            threads: Vec::new(),
            calls: 0,
            held: Held::default(),
            scratch: Scratch::default(),
        }
    }
}

impl Packed {
    /// Packs a batch, which is empty then.
    fn take(&mut self, batch: &mut Batch) {
        let mut from = Ends::default();
        let mut opened = 0;
        for item in std::mem::take(&mut batch.items) {
            match item {
                Item::Run(run) => {
                    let ends = run.ends;
                    self.run(
                        run.thread,
                        &Whole {
                            start: run.start,
                            end: run.end,
                            lowest: run.lowest,
                            shares: &batch.shares[from.shares..ends.shares],
                            depths: &batch.depths[from.depths..ends.depths],
                            outlived: &batch.outlived[from.outlived..ends.outlived],
                            stack: &batch.stack[from.stack..ends.stack],
                        },
                    );
                    from = ends;
                }
                Item::Block(block) => {
                    self.block(&block, &batch.opened[opened..block.opened]);
                    opened = block.opened;
                    let mut columns = block.columns;
                    columns.calls.clear();
                    columns.sums.clear();
                    columns.rows.clear();
                    batch.spare.push(columns);
                }
                Item::End { thread, calls } => self.end(thread, calls),
            }
        }
        batch.clear();
    }

    /// The thread with this number.
    fn thread(&mut self, thread: u32) -> (&mut PackedThread, To<'_>) {
        let thread = thread as usize;
        if thread >= self.threads.len() {
            self.threads.resize_with(thread + 1, PackedThread::default);
        }
        let to = To {
            data: &mut self.data,
            numbers: &mut self.numbers,
            held: &mut self.held,
            is_long: self.calls > FEW,
            scratch: &mut self.scratch,
        };
        (&mut self.threads[thread], to)
    }

    fn run(&mut self, thread: u32, run: &Whole<'_>) {
        let (thread, mut to) = self.thread(thread);
        thread.summing.push(run);
        while let Some(full) = thread.summing.take_full() {
            thread.write_page(&mut to, &full);
        }
    }

    fn block(&mut self, block: &Block, opened: &[Pair]) {
        let (thread, mut to) = self.thread(block.thread);
        thread.block(&mut to, block, opened);
        self.calls += block.columns.calls.len();
    }

    fn end(&mut self, thread: u32, calls: u32) {
        let (thread, mut to) = self.thread(thread);
        for full in thread.summing.rest() {
            thread.write_page(&mut to, &full);
        }
        thread.runs = thread.run_nodes.concat();
        debug_assert_eq!(thread.runs.len() as u32, runs::pages(calls));
    }

    /// All is packed: now it is known whether the pages of runs are kept.
    fn settle(&mut self) {
        let is_long = self.calls > FEW;
        if is_long {
            self.held.settle(&mut self.data);
        }
        for thread in &mut self.threads {
            if is_long {
                let nodes = thread.runs.iter_mut();
                nodes.for_each(|node| *node = self.held.settled(*node));
            } else {
                thread.runs.clear();
            }
        }
    }
}

/// Where what is packed goes, and room to work in.
struct To<'a> {
    data: &'a mut Growing,
    numbers: &'a mut Numbers,
    held: &'a mut Held,
    /// There are calls enough for runs.
    is_long: bool,
    scratch: &'a mut Scratch,
}

impl To<'_> {
    fn append(&mut self, write: impl FnOnce(&mut Scratch, &mut Vec<u8>)) -> NodeEntry {
        let scratch = &mut *self.scratch;
        let (offset, bytes) = self.data.append(|data| write(scratch, data));
        NodeEntry {
            offset,
            size: bytes.len() as u32,
            checksum: crc32fast::hash(bytes),
        }
    }

    /// Appends a page of runs, which is needed only should there be more calls than few.
    fn page(&mut self, write: impl FnOnce(&mut Scratch, &mut Vec<u8>)) -> NodeEntry {
        if self.is_long {
            self.held.settle(self.data);
            return self.append(write);
        }
        self.held.append(|held| write(self.scratch, held))
    }

    /// Appends a summary.
    fn summary(&mut self, summary: &[Entry]) -> NodeEntry {
        self.append(|scratch, data| summary::write(summary, &mut scratch.values, data))
    }
}

impl PackedThread {
    fn write_page(&mut self, to: &mut To<'_>, full: &Full) {
        let node = to.page(|scratch, data| {
            self.summing.write(full, &mut scratch.values, data);
        });
        if self.run_nodes.len() <= full.level {
            self.run_nodes.resize(TOP_LEVEL + 1, Vec::new());
        }
        self.run_nodes[full.level].push(node);
    }

    /// Writes a block, and the summaries that are due with it.
    fn block(&mut self, to: &mut To<'_>, block: &Block, opened: &[Pair]) {
        let Columns { calls, sums, rows } = &block.columns;
        let index = self.blocks.len();
        self.sort_sums(to, sums, rows);
        let node = to.append(|scratch, data| {
            let block = Encoded {
                calls,
                order: &scratch.order,
                entries: &scratch.entries,
            };
            block::write(&block, &mut scratch.block, data);
        });
        self.blocks.push(BlockEntry {
            offset: node.offset,
            size: node.size,
            checksum: node.checksum,
            ..block.entry
        });
        let longest = &to.scratch.block.longest.in_block;
        let block_start = (index * BLOCK) as u32;
        self.longest.extend(longest.iter().map(|&id| {
            let call = &calls[id as usize];
            LongestCall {
                cost: call.cost,
                call: block_start + id,
                depth: call.depth,
            }
        }));
        self.longest_ends.push(self.longest.len() as u32);
        let callee = |slot: u32| sums.get(slot as usize).map_or(0, |(pair, _)| pair.callee);
        let counted = calls.iter().map(Counted::from);
        self.paths.block(sums.len(), callee, counted);
        let numbers = opened.iter().map(|&pair| to.numbers.of(pair));
        self.open_pairs.extend(numbers);
        self.group.push(block.entry.start, &to.scratch.entries);
        if (index + 1).is_multiple_of(GROUP_BLOCKS) {
            self.flush_group(to);
        }
    }

    /// Puts the sums of a block in order of pair, so that runs can be merged.
    fn sort_sums(&mut self, to: &mut To<'_>, sums: &[(Pair, Sums)], rows: &[u32]) {
        let Scratch {
            entries,
            order,
            values,
            room,
            ..
        } = &mut *to.scratch;
        let pairs = rows.iter().zip(sums).map(|(&row, &(pair, _))| (row, pair));
        self.known.find(pairs, to.numbers);
        values.clear();
        let slots = rows.iter().zip(0u64..);
        values.extend(slots.map(|(&row, slot)| u64::from(self.known.at(row)) << 32 | slot));
        radix::sort(values, room);
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
    }

    /// Writes the summary of the last 16 blocks, and the next checkpoint when it is due.
    fn flush_group(&mut self, to: &mut To<'_>) {
        let base = self.group.base();
        let mut merged = std::mem::take(&mut to.scratch.merged);
        let present = &mut to.scratch.present;
        self.group.merge(base, present, &mut merged);
        self.since_checkpoint.push(base, &merged);
        self.groups.push(to.summary(&merged));
        to.scratch.merged = merged;
        if self.since_checkpoint.len() < CHECKPOINT_GROUPS {
            return;
        }
        let base = self.blocks.first().map_or(0, |block| block.start);
        self.since_checkpoint.push(base, &self.checkpoint);
        let present = &mut to.scratch.present;
        self.since_checkpoint
            .merge(base, present, &mut self.checkpoint);
        self.checkpoints.push(to.summary(&self.checkpoint));
    }
}

/// Who packs.
enum Packer {
    /// Not decided yet: a small recording is packed here.
    Undecided(Box<Packed>),
    Here(Box<Packed>),
    Beside(Beside),
}

/// A thread that packs. It ends when nothing can come any more.
struct Beside {
    to: SyncSender<Batch>,
    /// Batches that have been packed.
    back: Receiver<Batch>,
    made: usize,
    thread: JoinHandle<Box<Packed>>,
}

/// Takes batches, and packs them.
pub(super) struct Packing {
    pub batch: Batch,
    packer: Packer,
}

impl Default for Packing {
    fn default() -> Packing {
        Packing {
            batch: Batch::default(),
            packer: Packer::Undecided(Box::default()),
        }
    }
}

impl Packing {
    /// Has the batch packed where it is large enough.
    #[inline]
    pub(super) fn check(&mut self) {
        if self.batch.calls >= TOGETHER {
            self.hand_over();
        }
    }

    #[inline(never)]
    fn hand_over(&mut self) {
        if let Packer::Undecided(packed) = &mut self.packer {
            let packed = std::mem::take(packed);
            self.packer = match rayon::current_num_threads() {
                0 | 1 => Packer::Here(packed),
                _ => Beside::start(packed),
            };
        }
        match &mut self.packer {
            Packer::Undecided(packed) | Packer::Here(packed) => packed.take(&mut self.batch),
            Packer::Beside(beside) => beside.take(&mut self.batch),
        }
    }

    /// The thread with this number ends, with this number of calls.
    pub(super) fn end(&mut self, thread: u32, calls: u32) {
        self.batch.items.push(Item::End { thread, calls });
    }

    /// All that has been packed, of as many threads.
    pub(super) fn finish(mut self, threads: usize) -> Packed {
        let mut packed = match self.packer {
            Packer::Undecided(packed) | Packer::Here(packed) => packed,
            Packer::Beside(beside) => beside.finish(),
        };
        packed.take(&mut self.batch);
        packed.threads.resize_with(threads, PackedThread::default);
        packed.settle();
        *packed
    }
}

impl Beside {
    /// Starts a thread; packs here where there can be none.
    fn start(packed: Box<Packed>) -> Packer {
        let (to, from) = mpsc::sync_channel(BATCHES - 2);
        let (give_back, back) = mpsc::channel();
        let (hand, taken) = mpsc::sync_channel::<Box<Packed>>(1);
        let thread = thread::Builder::new().name("packing".to_owned());
        let started: io::Result<JoinHandle<Box<Packed>>> = thread.spawn(move || {
            let mut packed = taken.recv().unwrap_or_default();
            pack(&mut packed, &from, &give_back);
            packed
        });
        match started {
            Ok(thread) => {
                // It waits for this, and nothing else.
                let _ = hand.send(packed);
                Packer::Beside(Beside {
                    to,
                    back,
                    made: 1,
                    thread,
                })
            }
            Err(_) => Packer::Here(packed),
        }
    }

    fn take(&mut self, batch: &mut Batch) {
        let next = if self.made < BATCHES {
            self.made += 1;
            Batch::default()
        } else {
            // None comes from a thread that has panicked, which shows at the end.
            self.back.recv().unwrap_or_default()
        };
        let _ = self.to.send(std::mem::replace(batch, next));
    }

    /// Waits until all is packed.
    fn finish(self) -> Box<Packed> {
        drop(self.to);
        match self.thread.join() {
            Ok(packed) => packed,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// Packs what comes.
fn pack(packed: &mut Packed, from: &Receiver<Batch>, back: &Sender<Batch>) {
    for mut batch in from {
        packed.take(&mut batch);
        // Nobody waits for the last.
        let _ = back.send(batch);
    }
}
