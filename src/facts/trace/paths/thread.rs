//! How the contexts of a thread lie beside its calls.

use std::ops::Range;

use super::super::entries::{NONE, OpenCall};
use super::super::raw_call::BLOCK;
use super::super::store::Calls;
use super::rows::{Node, Row, ThreadPaths};

impl ThreadPaths {
    /// The number of the first call of a piece.
    pub(crate) fn first_call(&self, piece: usize) -> u32 {
        let first = (piece * self.blocks as usize).saturating_mul(BLOCK);
        u32::try_from(first).unwrap_or(u32::MAX)
    }

    /// When a piece starts.
    pub(crate) fn start(&self, calls: &Calls<'_>, piece: usize) -> u64 {
        calls.block_start(piece * self.blocks as usize)
    }

    /// The rows of some pieces.
    pub(crate) fn rows_of(&self, pieces: Range<usize>) -> &[Row] {
        let end = |piece: usize| self.ends.get(piece).map_or(0, |&it| it as usize);
        let start = pieces.start.checked_sub(1).map_or(0, end);
        let end = pieces.end.checked_sub(1).map_or(0, end);
        self.rows.get(start..end).unwrap_or_default()
    }

    /// The calls that are open at the end of their block, with their contexts.
    pub(crate) fn opened<'a>(
        &'a self,
        calls: &Calls<'a>,
    ) -> impl Iterator<Item = (&'a OpenCall, u32)> + use<'a> {
        calls.tables.open.iter().zip(self.opened.iter().copied())
    }

    /// Whether it can be what the calls of a thread add up to.
    pub(crate) fn belongs_to(&self, calls: &Calls<'_>, waiters: usize) -> bool {
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
