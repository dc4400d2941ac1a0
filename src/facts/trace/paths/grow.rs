//! Finds the calling contexts of a thread from its calls, a block at a time.

use super::super::call_columns::OPEN;
use super::super::entries::NONE;
use super::super::raw_call::RawCall;
use super::super::store::Calls;
use super::rows::{Node, Row, ThreadPaths};
use super::table::Table;
use callscape_base::progress::{Cancelled, Progress};

/// A thread may have so many contexts, or one for every 16 calls so far: those of more are not kept.
const MANY: usize = if cfg!(test) { 64 } else { 1 << 18 };
const CALLS: usize = 16;
/// Blocks in the first pieces: going through the calls of one takes some milliseconds.
const BLOCKS: u32 = if cfg!(test) { 1 } else { 16 };
/// Pieces of a thread: two become one when there are more, or when rows are more than one for each context and one for
/// every 32 calls.
const PIECES: usize = if cfg!(test) { 8 } else { 1024 };
const CALLS_OF_ROW: usize = 32;

/// A call as a context counts it.
#[derive(Clone, Copy)]
pub(in super::super) struct Counted {
    pub depth: u32,
    pub slot: u32,
    /// Zero of a call that is open at the end of its block.
    pub cost: u64,
    pub has_ended: bool,
}

impl From<&RawCall> for Counted {
    #[inline]
    fn from(call: &RawCall) -> Counted {
        Counted {
            depth: call.depth,
            slot: call.slot,
            cost: call.cost,
            has_ended: call.ended(),
        }
    }
}

/// The context that the last call of a slot of a block had.
#[derive(Clone, Copy)]
struct Last {
    parent: u32,
    context: u32,
    row: u32,
}

const NOTHING: Last = Last {
    parent: NONE,
    context: NONE,
    row: NONE,
};

/// The contexts of a thread as its blocks come.
pub(in super::super) struct Grower {
    paths: ThreadPaths,
    table: Table,
    /// The contexts of the calls around the next, outermost first.
    stack: Vec<u32>,
    last: Vec<Last>,
    blocks: u32,
    calls: usize,
    /// There are too many.
    refused: bool,
}

impl Default for Grower {
    fn default() -> Grower {
        Grower {
            paths: ThreadPaths {
                blocks: BLOCKS,
                ..ThreadPaths::default()
            },
            table: Table::default(),
            stack: Vec::new(),
            last: Vec::new(),
            blocks: 0,
            calls: 0,
            refused: false,
        }
    }
}

impl Grower {
    /// Takes the calls of the next block, which have `slots` slots, of which `callee` gives the functions.
    pub(crate) fn block(
        &mut self,
        slots: usize,
        callee: impl Fn(u32) -> u32,
        calls: impl Iterator<Item = Counted>,
    ) {
        if self.refused {
            return;
        }
        self.last.clear();
        self.last.resize(slots, NOTHING);
        let first_row = self.paths.ends.last().copied().unwrap_or(0);
        for call in calls {
            self.calls += 1;
            self.stack.truncate(call.depth as usize);
            let parent = self.stack.last().copied().unwrap_or(NONE);
            let mut last = self.last.get(call.slot as usize).copied();
            last = last.filter(|it| it.context != NONE && it.parent == parent);
            let Last { context, row, .. } = last.unwrap_or_else(|| {
                let function = callee(call.slot);
                let (context, row) = self.find(Node { parent, function }, first_row);
                let found = Last {
                    parent,
                    context,
                    row,
                };
                if let Some(last) = self.last.get_mut(call.slot as usize) {
                    *last = found;
                }
                found
            });
            let row = &mut self.paths.rows[row as usize];
            row.calls += 1;
            row.cost = row.cost.wrapping_add(call.cost);
            self.stack.push(context);
            if !call.has_ended {
                self.paths.opened.push(context);
            }
        }
        self.end_block();
    }

    /// The context of a node, and its row in the piece whose first row is this.
    #[inline(never)]
    fn find(&mut self, node: Node, first_row: u32) -> (u32, u32) {
        let ThreadPaths { nodes, rows, .. } = &mut self.paths;
        let place = self.table.get(node, nodes.len() as u32);
        if place.context as usize == nodes.len() {
            nodes.push(node);
        }
        place.row = row(rows, place.context, place.row, first_row);
        (place.context, place.row)
    }

    fn end_block(&mut self) {
        self.blocks += 1;
        let paths = &mut self.paths;
        if paths.nodes.len() > MANY.max(self.calls / CALLS) {
            *self = Grower {
                refused: true,
                ..Grower::default()
            };
            return;
        }
        if !self.blocks.is_multiple_of(paths.blocks) {
            return;
        }
        paths.ends.push(paths.rows.len() as u32);
        let most = self.paths.nodes.len() + (self.calls / CALLS_OF_ROW).max(MANY);
        while self.paths.ends.len() > 1
            && (self.paths.ends.len() > PIECES || self.paths.rows.len() > most)
        {
            self.make_pieces_longer();
        }
    }

    /// Makes one piece of two. What is left of an odd number goes on.
    fn make_pieces_longer(&mut self) {
        let paths = &mut self.paths;
        paths.blocks *= 2;
        let (rows, ends) = (
            std::mem::take(&mut paths.rows),
            std::mem::take(&mut paths.ends),
        );
        let mut row_of = vec![NONE; paths.nodes.len()];
        let mut from = 0;
        for pair in ends.chunks(2) {
            let to = pair.last().map_or(from, |&it| it as usize);
            let first_row = self.paths.rows.len() as u32;
            for of in &rows[from..to] {
                let known = &mut row_of[of.context as usize];
                *known = row(&mut self.paths.rows, of.context, *known, first_row);
                let sum = &mut self.paths.rows[*known as usize];
                sum.calls += of.calls;
                sum.cost = sum.cost.wrapping_add(of.cost);
            }
            if pair.len() == 2 {
                self.paths.ends.push(self.paths.rows.len() as u32);
            }
            from = to;
        }
        for place in self.table.all() {
            place.row = row_of[place.context as usize];
        }
    }

    /// The contexts, once all blocks have come; none where they are too many.
    pub(crate) fn finish(mut self) -> Option<ThreadPaths> {
        if !self.blocks.is_multiple_of(self.paths.blocks) {
            self.paths.ends.push(self.paths.rows.len() as u32);
        }
        (!self.refused).then_some(self.paths)
    }
}

/// The row of a context in the piece whose first row is this, where `known` is its row in the last piece that it is in.
#[inline]
fn row(rows: &mut Vec<Row>, context: u32, known: u32, first_row: u32) -> u32 {
    if known != NONE && known >= first_row {
        return known;
    }
    rows.push(Row {
        context,
        calls: 0,
        cost: 0,
    });
    rows.len() as u32 - 1
}

/// The contexts of all calls of a thread, which are read for it; none where they are too many. O(n).
pub(super) fn of_thread(
    calls: Calls<'_>,
    progress: &Progress,
) -> Result<Option<ThreadPaths>, Cancelled> {
    let mut grower = Grower::default();
    let [mut depths, mut slots, mut costs, mut triggered] = [const { Vec::new() }; 4];
    for index in 0..calls.tables.blocks.len() {
        let block = calls.block(index);
        let all = 0..block.len;
        block.unpack_depths(all.clone(), &mut depths);
        block.unpack_slots(all.clone(), &mut slots);
        block.unpack_costs(all.clone(), &mut costs);
        block.unpack_triggered(all, &mut triggered);
        let callees: Vec<u32> = block.pairs().map(|it| calls.store.callee(it).0).collect();
        let callee = |slot: u32| callees.get(slot as usize).copied().unwrap_or(0);
        let counted = depths.iter().zip(&slots).zip(costs.iter().zip(&triggered));
        let counted = counted.map(|((&depth, &slot), (&cost, &triggered))| Counted {
            depth: block.depth_base.wrapping_add(depth as u32),
            slot: slot as u32,
            cost,
            has_ended: triggered != OPEN,
        });
        grower.block(callees.len(), callee, counted);
        progress.add(block.len as u64)?;
        if grower.refused {
            return Ok(None);
        }
    }
    Ok(grower.finish())
}
