//! Stacks in the order in which they are drawn, with sums before each: what any of them weighs is a difference of two.

use std::cmp::Reverse;

use super::merging::Rows;
use callscape_base::units::Cost;
use callscape_layout::stacks::{Forest, NONE};

/// Merged stacks, each a node of a forest.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub forest: Forest,
    /// By node the function, the row it was, and its calls.
    keys: Vec<u32>,
    rows: Vec<u32>,
    calls: Vec<u64>,
    /// What all nodes before one cost themselves, in the run shown and in the other; one entry more than nodes.
    before: [Vec<i64>; 2],
}

impl Stacks {
    /// Of rows, the widest first; or by the `ranks` of their functions. O(rows log rows).
    pub(super) fn new(rows: Rows, ranks: Option<&[u32]>) -> Stacks {
        let order = order(&rows, ranks);
        let mut places = vec![0_u32; order.len()];
        for (place, &row) in (0..).zip(&order) {
            places[row as usize] = place;
        }
        let parent = |&row: &u32| match rows.parents[row as usize] {
            NONE => NONE,
            parent => places[parent as usize],
        };
        let weight = |&row: &u32| rows.weights[row as usize];
        let before = |run: usize| {
            let sums = order.iter().scan(0_i64, |sum, row| {
                *sum = sum.saturating_add(weight(row).costs[run]);
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        };
        Stacks {
            forest: Forest::new(
                order.iter().map(parent).collect(),
                order.iter().map(|row| weight(row).width),
            ),
            keys: order.iter().map(|&it| rows.keys[it as usize]).collect(),
            calls: order.iter().map(|&it| rows.calls[it as usize]).collect(),
            before: [before(0), before(1)],
            rows: order,
        }
    }

    pub(super) fn key(&self, node: u32) -> u32 {
        self.keys[node as usize]
    }

    /// The row that it was.
    pub(super) fn row(&self, node: u32) -> u32 {
        self.rows[node as usize]
    }

    pub(super) fn calls(&self, node: u32) -> u64 {
        self.calls[node as usize]
    }

    /// What a node costs with all below it, in the run shown and in the other.
    pub(super) fn totals(&self, node: u32) -> [Cost; 2] {
        let subtree = self.forest.subtree(node);
        let sum = |of: &Vec<i64>| of[subtree.end as usize].saturating_sub(of[node as usize]);
        [0, 1].map(|run| Cost::signed(sum(&self.before[run])))
    }

    /// What it costs itself in the run shown.
    pub(super) fn own(&self, node: u32) -> Cost {
        let at = node as usize;
        Cost::signed(self.before[0][at + 1].saturating_sub(self.before[0][at]))
    }

    /// Whether only the other run has it: it is as wide as it is there.
    pub(super) fn is_gone(&self, node: u32) -> bool {
        let [shown, other] = self.totals(node);
        shown == Cost::ZERO && other != Cost::ZERO && self.forest.total(node) > 0
    }

    /// The node that a row is. O(nodes).
    pub(super) fn node_of(&self, row: u32) -> Option<u32> {
        let found = self.rows.iter().position(|&it| it == row)?;
        Some(found as u32)
    }

    /// A node and those around it, the outermost first.
    pub(super) fn path(&self, node: u32) -> Vec<u32> {
        let around = std::iter::successors(Some(node), |&it| self.forest.parent(it));
        let mut path: Vec<u32> = around.collect();
        path.reverse();
        path
    }
}

/// Rows in preorder, those of one parent in their order.
fn order(rows: &Rows, ranks: Option<&[u32]>) -> Vec<u32> {
    let totals = rows.totals();
    let mut by_parent: Vec<u32> = (0..rows.len() as u32).collect();
    // Outermost rows come last.
    let parent = |row: u32| rows.parents[row as usize];
    match ranks {
        None => by_parent.sort_by_key(|&it| (parent(it), Reverse(totals[it as usize].width))),
        Some(ranks) => by_parent.sort_by_key(|&it| {
            let rank = ranks.get(rows.keys[it as usize] as usize);
            (parent(it), rank.copied().unwrap_or(u32::MAX))
        }),
    }
    let outermost = by_parent.partition_point(|&it| parent(it) != NONE);
    let mut firsts = vec![[0_u32; 2]; rows.len()];
    for (place, &row) in (0..).zip(&by_parent) {
        if let Some([from, to]) = firsts.get_mut(parent(row) as usize) {
            if from == to {
                *from = place;
            }
            *to = place + 1;
        }
    }
    let mut order = Vec::with_capacity(rows.len());
    let mut open: Vec<u32> = by_parent[outermost..].iter().rev().copied().collect();
    while let Some(row) = open.pop() {
        order.push(row);
        let [from, to] = firsts[row as usize];
        open.extend(by_parent[from as usize..to as usize].iter().rev());
    }
    order
}
