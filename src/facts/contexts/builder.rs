//! Makes a calling context tree from weighted stacks or single contexts, in any order.
//!
//! About thirty bytes a context, of which twelve to 24 are the table's that finds it by its parent and function,
//! and eight a value for those that weigh something themselves; as much again while it is put in preorder.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use super::{Contexts, NONE};
use crate::lookup::Lookup;
use callscape_base::units::{ContextId, FunctionId};
use callscape_base::warnings::{Place, Reporter};

/// The most that the weights of one value may add up to, whatever their signs, so that any of their sums fits.
const MOST: u64 = i64::MAX as u64;

/// As much of a weight as fits with weights of the size `sum`, and whether that is less than all.
pub(crate) fn cut(weight: i128, sum: &mut u64) -> (i64, bool) {
    let room = i128::from(MOST - *sum);
    let part = weight.clamp(-room, room) as i64;
    *sum += part.unsigned_abs();
    (part, i128::from(part) != weight)
}

/// A context while the tree is built: in order of first appearance, parents before children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeId(u32);

impl NodeId {
    /// What stands around the outermost contexts. It has no weight.
    pub const ROOT: NodeId = NodeId(0);

    /// In order of first appearance; the root is 0.
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// A context, by what it is found again.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Node {
    parent: u32,
    function: FunctionId,
}

/// Repairs, each counted in the reporter: a weight that would bring the sum of a value's sizes past 63 bits is cut
/// (`weight-out-of-range`), and so are calls (`calls-out-of-range`); contexts past the 32 bits of their number are left out, and what they weigh is
/// their parent's (`too-many-contexts`).
pub struct ContextsBuilder<'r> {
    reporter: &'r Reporter,
    /// The root first.
    nodes: Vec<Node>,
    /// By node, one more than its row of weights; 0 for none.
    rows: Vec<u32>,
    /// By value, by row.
    weights: Vec<Vec<i64>>,
    taken: u32,
    /// By value, the sum of the sizes of all weights.
    sums: Vec<u64>,
    /// By node, as far as calls are known, and their sum.
    calls: Vec<u64>,
    all_calls: u64,
    /// All but the root.
    lookup: Lookup,
    seed: u64,
}

impl<'r> ContextsBuilder<'r> {
    /// No contexts yet; each weighs `values` values.
    pub fn new(values: usize, reporter: &'r Reporter) -> ContextsBuilder<'r> {
        let root = Node {
            parent: NONE,
            function: FunctionId(NONE),
        };
        ContextsBuilder {
            reporter,
            nodes: vec![root],
            rows: vec![0],
            weights: vec![Vec::new(); values],
            taken: 0,
            sums: vec![0; values],
            calls: Vec::new(),
            all_calls: 0,
            lookup: Lookup::default(),
            seed: RandomState::new().hash_one(0_u8),
        }
    }

    /// The context of `function` called from `parent`. O(1).
    pub fn child(
        &mut self,
        parent: NodeId,
        function: FunctionId,
        place: impl FnOnce() -> Place,
    ) -> NodeId {
        let node = Node {
            parent: parent.0,
            function,
        };
        let hash = self.hash(node);
        let is_it = |id: u32| self.nodes[id as usize] == node;
        if let Some(known) = self.lookup.find(hash, is_it) {
            return NodeId(known);
        }
        let id = self.nodes.len() as u32;
        if id == NONE {
            self.reporter.warn("too-many-contexts", place);
            return parent;
        }
        self.nodes.push(node);
        self.rows.push(0);
        self.lookup.insert(hash, id);
        NodeId(id)
    }

    #[inline]
    fn hash(&self, node: Node) -> u32 {
        let key = u64::from(node.parent) << 32 | u64::from(node.function.0);
        let product = u128::from(key ^ self.seed) * 0x9e37_79b9_7f4a_7c15;
        ((product as u64) ^ ((product >> 64) as u64)) as u32
    }

    /// Adds to what a context itself weighs of `value`. The root takes nothing.
    pub fn add(
        &mut self,
        context: NodeId,
        value: usize,
        weight: impl Into<i128>,
        place: impl FnOnce() -> Place,
    ) {
        let weight = weight.into();
        if context == NodeId::ROOT || weight == 0 {
            return;
        }
        let (weight, is_cut) = cut(weight, &mut self.sums[value]);
        if is_cut {
            self.reporter.warn("weight-out-of-range", place);
        }
        let row = &mut self.rows[context.0 as usize];
        if *row == 0 {
            for weights in &mut self.weights {
                weights.push(0);
            }
            self.taken += 1;
            *row = self.taken;
        }
        // No more than their sum, which fits.
        self.weights[value][*row as usize - 1] += weight;
    }

    /// The contexts added so far, starting with the root.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// How many values each context weighs.
    pub fn values(&self) -> usize {
        self.weights.len()
    }

    /// One value more; contexts so far weigh nothing of it.
    pub fn add_value(&mut self) {
        self.weights.push(vec![0; self.taken as usize]);
        self.sums.push(0);
    }

    /// Adds to how often a context was called.
    pub fn add_calls(&mut self, context: NodeId, calls: u64, place: impl FnOnce() -> Place) {
        let index = context.0 as usize;
        if self.calls.len() <= index {
            self.calls.resize(index + 1, 0);
        }
        let room = u64::MAX - self.all_calls;
        if calls > room {
            self.reporter.warn("calls-out-of-range", place);
        }
        let calls = calls.min(room);
        self.all_calls += calls;
        // No more than their sum, which fits.
        self.calls[index] += calls;
    }

    /// Multiplies all weights of `value`; false, and nothing done, where their sum would not fit.
    pub fn scale(&mut self, value: usize, factor: u64) -> bool {
        let sum = self.sums[value].checked_mul(factor);
        let Some(sum) = sum.filter(|&sum| sum <= MOST) else {
            return false;
        };
        self.sums[value] = sum;
        for weight in &mut self.weights[value] {
            *weight *= factor as i64;
        }
        true
    }

    /// What all contexts weigh together, whatever their signs.
    pub fn size(&self, value: usize) -> u64 {
        self.sums[value]
    }

    /// The tree. Calls are known of all contexts or of none. O(contexts).
    pub fn finish(mut self) -> Contexts {
        // Room before more is taken.
        self.lookup = Lookup::default();
        let nodes = self.nodes;
        let count = nodes.len() - 1;
        // How many contexts a subtree has; of one that has its place, where its next child goes.
        let mut room = vec![1_u32; nodes.len()];
        for index in (1..nodes.len()).rev() {
            room[nodes[index].parent as usize] += room[index];
        }
        room[0] = 0;
        let mut places = vec![0_u32; nodes.len()];
        let mut contexts = Contexts {
            functions: vec![FunctionId(0); count],
            parents: vec![NONE; count],
            ends: vec![0; count],
            ..Contexts::default()
        };
        let mut depths = vec![0_u32; nodes.len()];
        for (index, node) in nodes.iter().enumerate().skip(1) {
            let parent = node.parent as usize;
            let (place, size) = (room[parent], room[index]);
            room[parent] += size;
            room[index] = place + 1;
            places[index] = place;
            depths[index] = depths[parent] + 1;
            contexts.max_depth = contexts.max_depth.max(depths[index]);
            let at = place as usize;
            contexts.functions[at] = node.function;
            contexts.ends[at] = place + size;
            if parent > 0 {
                contexts.parents[at] = places[parent];
            }
        }
        drop((depths, room, nodes));
        if !self.calls.is_empty() {
            contexts.calls = vec![0; count];
            for (&place, &calls) in places.iter().zip(&self.calls).skip(1) {
                contexts.calls[place as usize] = calls;
            }
        }
        let mut row_at = vec![0_u32; count];
        for (&place, &row) in places.iter().zip(&self.rows).skip(1) {
            row_at[place as usize] = row;
        }
        let weighted = |(place, _): (usize, &u32)| ContextId(place as u32);
        let rows = || row_at.iter().enumerate().filter(|(_, row)| **row > 0);
        contexts.weighted = rows().map(weighted).collect();
        for weights in self.weights {
            let in_order = rows().map(|(_, &row)| weights[row as usize - 1]);
            contexts.weights.push(in_order.collect());
            contexts.before.push(OnceLock::new());
        }
        contexts
    }
}
