//! The calling contexts of one thread.

use std::ops::Range;

use super::super::entries::{NONE, OpenCall};
use super::super::raw_call::BLOCK;
use super::super::store::Calls;

/// A calling context: a function, and the context that it is called in, which has a lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// `NONE` of an outermost context.
    pub parent: u32,
    pub function: u32,
}

/// What the calls of a context that start in one piece add up to. Calls that are open at the end of their block count
/// without their cost, which the table of these has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub context: u32,
    pub calls: u32,
    pub cost: u64,
}

/// The contexts of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadPaths {
    /// In order of the first call.
    pub nodes: Vec<Node>,
    /// Blocks in a piece, all but the last.
    pub blocks: u32,
    /// By piece, where its rows end.
    pub ends: Vec<u32>,
    /// By piece, in order of the first call in it.
    pub rows: Vec<Row>,
    /// By call that is open at the end of its block its context.
    pub opened: Vec<u32>,
    /// By call that has waited its context.
    pub waiters: Vec<u32>,
}

/// The contexts of all threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paths {
    pub threads: Vec<ThreadPaths>,
}

/// A recording has at least so many calls a context, unless it has fewer contexts than [`FEW`].
const CALLS: u64 = 16;
const FEW: u64 = 4096;

impl ThreadPaths {
    /// The number of the first call of a piece.
    pub fn first_call(&self, piece: usize) -> u32 {
        let first = (piece * self.blocks as usize).saturating_mul(BLOCK);
        u32::try_from(first).unwrap_or(u32::MAX)
    }

    /// When a piece starts.
    pub fn start(&self, calls: &Calls<'_>, piece: usize) -> u64 {
        calls.block_start(piece * self.blocks as usize)
    }

    /// The rows of some pieces.
    pub fn rows_of(&self, pieces: Range<usize>) -> &[Row] {
        let end = |piece: usize| self.ends.get(piece).map_or(0, |&it| it as usize);
        let start = pieces.start.checked_sub(1).map_or(0, end);
        let end = pieces.end.checked_sub(1).map_or(0, end);
        self.rows.get(start..end).unwrap_or_default()
    }

    /// The calls that are open at the end of their block, with their contexts.
    pub fn opened<'a>(
        &'a self,
        calls: &Calls<'a>,
    ) -> impl Iterator<Item = (&'a OpenCall, u32)> + use<'a> {
        calls.tables.open.iter().zip(self.opened.iter().copied())
    }

    /// Whether it can be what the calls of a thread add up to.
    pub fn belongs_to(&self, calls: &Calls<'_>, waiters: usize) -> bool {
        let nodes = self.nodes.len() as u32;
        let functions = calls.store.functions;
        let is_node = |(node, number): (&Node, u32)| {
            (node.function as usize) < functions && (node.parent < number || node.parent == NONE)
        };
        let counted: u64 = self.rows.iter().map(|row| u64::from(row.calls)).sum();
        let pieces = match self.blocks {
            0 => 0,
            blocks => calls.tables.blocks.len().div_ceil(blocks as usize),
        };
        self.nodes.iter().zip(0..).all(is_node)
            && self.ends.len() == pieces
            && self.ends.is_sorted()
            && self.ends.last().map_or(0, |&it| it as usize) == self.rows.len()
            && self.rows.iter().all(|row| row.context < nodes)
            && counted == u64::from(calls.len())
            && self.opened.len() == calls.tables.open.len()
            && self.waiters.len() == waiters
            && self
                .opened
                .iter()
                .chain(&self.waiters)
                .all(|&it| it < nodes)
    }
}

impl Paths {
    /// The contexts of all threads; none where there are too many for so many calls.
    pub fn of(threads: Option<Vec<ThreadPaths>>, calls: u64) -> Option<Paths> {
        let threads = threads?;
        let contexts: u64 = threads.iter().map(|it| it.nodes.len() as u64).sum();
        (contexts <= FEW.max(calls / CALLS)).then_some(Paths { threads })
    }
}
