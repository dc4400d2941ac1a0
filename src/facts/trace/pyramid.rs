//! Sums of rows, waiters or links, by pair of caller and callee: a pyramid, in which a node of a level stands for a fixed
//! number of nodes of the level below. A run of rows is so added up from few nodes. Nothing is ever subtracted.

use bytemuck::{Pod, Zeroable};

/// How many nodes make one of the next level; of the first level, how many rows.
const FAN: usize = if cfg!(test) { 3 } else { 128 };

/// What the rows of a node add up to for one pair. Sums stop at the largest number there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SumRow {
    pub total: u64,
    pub own: u64,
    /// Of waiters the part of the total that calls have which no call of the same function encloses; how many links.
    pub more: u64,
    pub pair: u32,
    pub unused: u32,
}

/// Sums by pair, which grow. Columns of zeros take no time for pairs that nothing is added to.
#[derive(Debug, Default)]
pub(super) struct ByPair {
    pub total: Vec<u64>,
    pub own: Vec<u64>,
    pub more: Vec<u64>,
}

impl ByPair {
    pub(super) fn new(pairs: usize) -> ByPair {
        ByPair {
            total: vec![0; pairs],
            own: vec![0; pairs],
            more: vec![0; pairs],
        }
    }

    pub(super) fn add(&mut self, row: &SumRow) {
        let pair = row.pair as usize;
        if let Some(sum) = self.total.get_mut(pair) {
            *sum = sum.saturating_add(row.total);
            self.own[pair] = self.own[pair].saturating_add(row.own);
            self.more[pair] = self.more[pair].saturating_add(row.more);
        }
    }
}

/// The nodes over `leaves`, one level after the other, and where each ends. Only nodes that are whole.
pub(super) fn build(leaves: &[SumRow], pairs: usize) -> (Vec<SumRow>, Vec<u32>) {
    let (mut rows, mut ends) = (Vec::new(), Vec::new());
    let mut by_pair = ByPair::new(if leaves.len() < FAN { 0 } else { pairs });
    let mut touched: Vec<u32> = Vec::new();
    let mut close = |of: &[SumRow], rows: &mut Vec<SumRow>| {
        touched.clear();
        for row in of {
            by_pair.add(row);
            touched.push(row.pair);
        }
        touched.sort_unstable();
        touched.dedup();
        for &pair in &touched {
            let at = pair as usize;
            if at >= by_pair.total.len() {
                continue;
            }
            rows.push(SumRow {
                total: std::mem::take(&mut by_pair.total[at]),
                own: std::mem::take(&mut by_pair.own[at]),
                more: std::mem::take(&mut by_pair.more[at]),
                pair,
                unused: 0,
            });
        }
    };
    for of in leaves.chunks_exact(FAN) {
        close(of, &mut rows);
        ends.push(rows.len() as u32);
    }
    let mut level = 0..ends.len();
    while level.len() >= FAN {
        for first in level.clone().step_by(FAN) {
            if first + FAN > level.end {
                break;
            }
            let start = first.checked_sub(1).map_or(0, |last| ends[last] as usize);
            let of = rows[start..ends[first + FAN - 1] as usize].to_vec();
            close(&of, &mut rows);
            ends.push(rows.len() as u32);
        }
        level = level.end..ends.len();
    }
    (rows, ends)
}

/// The rows of a thread under the nodes that [`build`] made of them.
pub(super) struct Pyramid<'a, L> {
    /// How many rows there are, and each.
    pub count: usize,
    pub leaf: L,
    pub sums: &'a [SumRow],
    pub ends: &'a [u32],
}

impl<L: Fn(usize) -> SumRow> Pyramid<'_, L> {
    /// Adds rows `from..to` by their places. O(log n) nodes.
    pub(super) fn add(&self, from: usize, to: usize, sums: &mut ByPair) {
        let to = to.min(self.count);
        let mut at = from;
        while at < to {
            let (mut length, mut node, mut first) = (1, None, 0);
            // The largest node that begins here and does not end too late.
            let mut nodes = self.count / FAN;
            while at.is_multiple_of(length * FAN) && at + length * FAN <= to && nodes > 0 {
                length *= FAN;
                node = Some(first + at / length);
                first += nodes;
                nodes /= FAN;
            }
            match node {
                None => sums.add(&(self.leaf)(at)),
                Some(node) => self.node(node).iter().for_each(|row| sums.add(row)),
            }
            at += length;
        }
    }

    fn node(&self, node: usize) -> &[SumRow] {
        let end = |node: usize| self.ends.get(node).map_or(0, |&end| end as usize);
        let start = node.checked_sub(1).map_or(0, end);
        self.sums.get(start..end(node)).unwrap_or_default()
    }
}
