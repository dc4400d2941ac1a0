//! Calling contexts that come as rows, parents by number, as tables have them.

use std::sync::OnceLock;

use super::builder::cut as fitting;
use super::{Contexts, NONE};
use callscape_base::units::{ContextId, FunctionId};

/// Calling contexts in any order, as columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct ContextColumns {
    pub functions: Vec<FunctionId>,
    /// By context the row of the one that it is called in; [`OUTERMOST`](Self::OUTERMOST) without one.
    pub parents: Vec<u32>,
    /// Empty where calls are not known.
    pub calls: Vec<u64>,
    /// By value, by context: what it weighs itself.
    pub weights: Vec<Vec<i64>>,
}

/// Why rows are no tree: the row at which that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTree {
    /// Its parent is no row.
    NoParent(usize),
    /// It is among its own parents.
    Cycle(usize),
}

impl ContextColumns {
    /// The parent of an outermost context.
    pub const OUTERMOST: u32 = NONE;

    /// The contexts, and how many weights and calls had to be cut so that those of a value fit together. Rows in
    /// preorder keep their numbers; of others, the children of one keep their order. O(contexts × values).
    pub fn finish(self) -> Result<(Contexts, u64), NoTree> {
        let count = self.functions.len();
        let is_parent = |&parent: &u32| parent == NONE || (parent as usize) < count;
        if let Some(row) = self.parents.iter().position(|parent| !is_parent(parent)) {
            return Err(NoTree::NoParent(row));
        }
        match depth_in_preorder(&self.parents) {
            Some(depth) => Ok(self.in_order(depth)),
            None => {
                let places = places(&self.parents)?;
                let arranged = self.arranged(&places);
                let depth = depth_in_preorder(&arranged.parents).unwrap_or_default();
                Ok(arranged.in_order(depth))
            }
        }
    }

    /// The same with each row at its place. A column is gone once it is arranged.
    fn arranged(self, places: &[u32]) -> ContextColumns {
        let functions = || arranged(self.functions, FunctionId(0), places);
        let parents = || {
            let mut parents = arranged(self.parents, NONE, places);
            for parent in parents.iter_mut().filter(|parent| **parent != NONE) {
                *parent = places[*parent as usize];
            }
            parents
        };
        let calls = || arranged(self.calls, 0, places);
        let of_value = |column| arranged(column, 0, places);
        let weights = || self.weights.into_iter().map(of_value).collect();
        let ((functions, parents), (calls, weights)) =
            rayon::join(|| (functions(), parents()), || (calls(), weights()));
        ContextColumns {
            functions,
            parents,
            calls,
            weights,
        }
    }

    /// By row the number of its context once they are finished; `None` if all rows keep theirs.
    pub fn places(&self) -> Option<Vec<u32>> {
        match depth_in_preorder(&self.parents) {
            Some(_) => None,
            None => places(&self.parents).ok(),
        }
    }

    fn in_order(mut self, max_depth: u32) -> (Contexts, u64) {
        let count = self.functions.len();
        let mut ends: Vec<u32> = (1..=count as u32).collect();
        for row in (0..count).rev() {
            let parent = self.parents[row];
            if parent != NONE {
                let end = ends[row];
                let around = &mut ends[parent as usize];
                *around = end.max(*around);
            }
        }
        let mut cut = 0;
        for column in &mut self.weights {
            let mut sum = 0;
            for weight in column {
                let (part, is_cut) = fitting((*weight).into(), &mut sum);
                *weight = part;
                cut += u64::from(is_cut);
            }
        }
        let mut sum = 0_u64;
        for calls in &mut self.calls {
            let room = u64::MAX - sum;
            cut += u64::from(*calls > room);
            *calls = (*calls).min(room);
            sum += *calls;
        }
        let weighs = |&row: &u32| self.weights.iter().any(|it| it[row as usize] != 0);
        let weighted: Vec<u32> = (0..count as u32).filter(weighs).collect();
        let weights: Vec<Vec<i64>> = match weighted.len() == count {
            true => self.weights,
            false => {
                let of = |column: &Vec<i64>| {
                    let weights = weighted.iter().map(|&row| column[row as usize]);
                    weights.collect()
                };
                self.weights.iter().map(of).collect()
            }
        };
        let contexts = Contexts {
            functions: self.functions,
            parents: self.parents,
            ends,
            calls: self.calls,
            weighted: weighted.into_iter().map(ContextId).collect(),
            before: weights.iter().map(|_| OnceLock::new()).collect(),
            weights,
            max_depth,
        };
        (contexts, cut)
    }
}

/// The length of the longest path, where rows stand in preorder.
fn depth_in_preorder(parents: &[u32]) -> Option<u32> {
    let mut path: Vec<u32> = Vec::new();
    let mut most = 0;
    for (row, &parent) in (0..).zip(parents) {
        while path.last().is_some_and(|&last| last != parent) {
            path.pop();
        }
        if path.is_empty() && parent != NONE {
            return None;
        }
        path.push(row);
        most = most.max(path.len());
    }
    Some(most as u32)
}

/// A column with each row at its place; an empty one stays empty.
fn arranged<T: Copy>(column: Vec<T>, nothing: T, places: &[u32]) -> Vec<T> {
    let mut arranged = vec![nothing; column.len()];
    for (value, &place) in column.into_iter().zip(places) {
        arranged[place as usize] = value;
    }
    arranged
}

/// By row its place in preorder, those of one parent in the order of their rows. Parents are rows. O(rows).
fn places(parents: &[u32]) -> Result<Vec<u32>, NoTree> {
    if let Some(places) = places_by_size(parents) {
        return Ok(places);
    }
    let mut first_child = vec![NONE; parents.len()];
    let mut next = vec![NONE; parents.len()];
    let mut first_root = NONE;
    for (row, &parent) in parents.iter().enumerate().rev() {
        let first = match parent {
            NONE => &mut first_root,
            parent => &mut first_child[parent as usize],
        };
        next[row] = std::mem::replace(first, row as u32);
    }
    let mut places = vec![NONE; parents.len()];
    let mut place = 0;
    let mut open = vec![first_root];
    while let Some(row) = open.pop() {
        if row == NONE {
            continue;
        }
        places[row as usize] = place;
        place += 1;
        open.push(next[row as usize]);
        open.push(first_child[row as usize]);
    }
    match places.iter().position(|place| *place == NONE) {
        Some(row) => Err(NoTree::Cycle(row)),
        None => Ok(places),
    }
}

/// The same where all parents stand before their children, as they do breadth first: looks at rows in their order alone,
/// and not from one to another.
fn places_by_size(parents: &[u32]) -> Option<Vec<u32>> {
    // How many rows a subtree has; of a row that has its place, where its next child goes.
    let mut room = vec![1_u32; parents.len()];
    for (row, &parent) in parents.iter().enumerate().rev() {
        if parent != NONE {
            if parent as usize >= row {
                return None;
            }
            room[parent as usize] += room[row];
        }
    }
    let mut next_root = 0;
    let mut places = Vec::with_capacity(parents.len());
    for (row, &parent) in parents.iter().enumerate() {
        let size = room[row];
        let next = match parent {
            NONE => &mut next_root,
            parent => &mut room[parent as usize],
        };
        let place = *next;
        *next += size;
        room[row] = place + 1;
        places.push(place);
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::{ContextsBuilder, NodeId};
    use crate::memory::random::Random;
    use callscape_base::warnings::{Place, Reporter};

    fn columns(rows: &[(u32, u32, u64)]) -> ContextColumns {
        ContextColumns {
            functions: rows.iter().map(|row| FunctionId(row.1)).collect(),
            parents: rows.iter().map(|row| row.0).collect(),
            calls: rows.iter().map(|row| row.2 + 1).collect(),
            weights: vec![rows.iter().map(|row| row.2 as i64).collect()],
        }
    }

    fn shown(contexts: &Contexts) -> Vec<(u32, Option<u32>, u32, u64, u64, u64)> {
        let row = |id: ContextId| {
            (
                contexts.function(id).0,
                contexts.parent(id).map(|it| it.0),
                contexts.subtree(id).end,
                contexts.calls(id).unwrap_or_default(),
                contexts.total(0, id).ns(),
                contexts.self_weight(0, id).ns(),
            )
        };
        contexts.ids().map(row).collect()
    }

    #[test]
    fn rows_in_any_order_are_the_tree_that_the_builder_makes() {
        for seed in 0..100_u64 {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            let mut rows: Vec<(u32, u32, u64)> = Vec::new();
            for row in 0..60 {
                let parent = match random.below(u64::from(row) + 1) as u32 {
                    0 => NONE,
                    parent => parent - 1,
                };
                // Functions differ, so that no two rows are one context.
                rows.push((parent, row, random.below(4)));
            }
            let reporter = Reporter::new();
            let mut builder = ContextsBuilder::new(1, &reporter);
            let mut nodes = Vec::new();
            for &(parent, function, weight) in &rows {
                let around = match parent {
                    NONE => NodeId::ROOT,
                    parent => nodes[parent as usize],
                };
                let place = || Place::file("rows");
                let node = builder.child(around, FunctionId(function), place);
                builder.add(node, 0, weight, place);
                builder.add_calls(node, weight + 1, place);
                nodes.push(node);
            }
            let expected = builder.finish();
            let (found, cut) = columns(&rows).finish().expect("a tree");
            assert_eq!((shown(&found), cut), (shown(&expected), 0), "seed {seed}");
            assert_eq!(found.max_depth(), expected.max_depth(), "seed {seed}");
        }
    }

    #[test]
    fn what_is_no_tree_is_told_and_sums_fit() {
        let error = |rows: &[(u32, u32, u64)]| columns(rows).finish().map(|_| ()).unwrap_err();
        assert_eq!(
            error(&[(NONE, 0, 1), (2, 1, 1), (1, 2, 1)]),
            NoTree::Cycle(1)
        );
        assert_eq!(error(&[(0, 0, 1)]), NoTree::Cycle(0));
        assert_eq!(error(&[(NONE, 0, 1), (9, 0, 1)]), NoTree::NoParent(1));
        let (contexts, cut) = columns(&[(NONE, 0, i64::MAX as u64 - 1), (0, 1, 5), (0, 2, 5)])
            .finish()
            .expect("a tree");
        assert_eq!((contexts.weight(0).weight(), cut), (i64::MAX, 2));
    }
}
