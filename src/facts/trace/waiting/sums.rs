//! Sums of waiters by pair of caller and callee: a pyramid, in which a node of a level stands for a fixed number of
//! nodes of the level below. A run of waiters is so added up from few nodes. Nothing is ever subtracted.

use super::rows::{SumRow, ThreadWaiting, Waiter};

/// How many nodes make one of the next level; of the first level, how many waiters.
const FAN: usize = if cfg!(test) { 3 } else { 128 };

/// Sums by pair, which grow. Columns of zeros take no time for pairs that nothing is added to.
#[derive(Debug, Default)]
pub(super) struct ByPair {
    pub total: Vec<u64>,
    pub own: Vec<u64>,
    pub outermost: Vec<u64>,
}

impl ByPair {
    pub fn new(pairs: usize) -> ByPair {
        ByPair {
            total: vec![0; pairs],
            own: vec![0; pairs],
            outermost: vec![0; pairs],
        }
    }

    pub fn add(&mut self, pair: u32, total: u64, own: u64, outermost: u64) {
        let pair = pair as usize;
        if let Some(sum) = self.total.get_mut(pair) {
            *sum = sum.saturating_add(total);
            self.own[pair] = self.own[pair].saturating_add(own);
            self.outermost[pair] = self.outermost[pair].saturating_add(outermost);
        }
    }

    pub fn add_waiter(&mut self, waiter: &Waiter) {
        self.add_row(&SumRow::of(waiter));
    }

    fn add_row(&mut self, row: &SumRow) {
        self.add(row.pair, row.total, row.own, row.outermost);
    }
}

/// The nodes over `waiters`, one level after the other, and where each ends. Only nodes that are whole.
pub(super) fn build(waiters: &[Waiter], pairs: usize) -> (Vec<SumRow>, Vec<u32>) {
    let (mut rows, mut ends) = (Vec::new(), Vec::new());
    let mut by_pair = ByPair::new(if waiters.len() < FAN { 0 } else { pairs });
    let mut touched: Vec<u32> = Vec::new();
    let mut close = |of: &[SumRow], rows: &mut Vec<SumRow>| {
        touched.clear();
        for row in of {
            by_pair.add_row(row);
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
                outermost: std::mem::take(&mut by_pair.outermost[at]),
                pair,
                unused: 0,
            });
        }
    };
    for of in waiters.chunks_exact(FAN) {
        let of: Vec<SumRow> = of.iter().map(SumRow::of).collect();
        close(&of, &mut rows);
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

impl ThreadWaiting {
    /// Adds waiters `from..to` by their places. O(log n) nodes.
    pub(super) fn add_waiters(&self, from: usize, to: usize, sums: &mut ByPair) {
        let to = to.min(self.waiters.len());
        let mut at = from;
        while at < to {
            let (mut length, mut node, mut first) = (1, None, 0);
            // The largest node that begins here and does not end too late.
            let mut nodes = self.waiters.len() / FAN;
            while at.is_multiple_of(length * FAN) && at + length * FAN <= to && nodes > 0 {
                length *= FAN;
                node = Some(first + at / length);
                first += nodes;
                nodes /= FAN;
            }
            match node {
                None => sums.add_waiter(&self.waiters[at]),
                Some(node) => self.node(node).iter().for_each(|row| sums.add_row(row)),
            }
            at += length;
        }
    }

    fn node(&self, node: usize) -> &[SumRow] {
        let end = |node: usize| self.sum_ends.get(node).map_or(0, |&end| end as usize);
        let start = node.checked_sub(1).map_or(0, end);
        self.sums.get(start..end(node)).unwrap_or_default()
    }
}
