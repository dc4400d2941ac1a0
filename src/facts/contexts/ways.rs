//! Subtrees, and the ways to their roots. A way is the functions from an outermost context to another one, which says in any
//! tree of the same recording which context is meant: of all calls or without recursion, of a range or of everything.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Contexts, Merge, NONE};
use callscape_base::units::{ContextId, FunctionId};

impl Contexts {
    /// A context and all below it as a tree of their own, in which it is the outermost. O(contexts below it).
    pub fn below(&self, root: ContextId) -> Contexts {
        let range = self.subtree(root);
        let (start, end) = (range.start as usize, range.end as usize);
        let weighted = |limit: usize| self.weighted.partition_point(|it| it.index() < limit);
        let rows = weighted(start)..weighted(end);
        let own = |it: &u32| it - range.start;
        let mut parents: Vec<u32> = vec![NONE];
        parents.extend(self.parents[start + 1..end].iter().map(own));
        let mut depths: Vec<u32> = Vec::with_capacity(parents.len());
        for parent in &parents {
            let around = depths.get(*parent as usize).copied();
            depths.push(around.unwrap_or_default() + 1);
        }
        Contexts {
            functions: self.functions[start..end].to_vec(),
            parents,
            ends: self.ends[start..end].iter().map(own).collect(),
            calls: self.calls.get(start..end).unwrap_or_default().to_vec(),
            weighted: self.weighted[rows.clone()]
                .iter()
                .map(|it| ContextId(own(&it.0)))
                .collect(),
            weights: self
                .weights
                .iter()
                .map(|it| it[rows.clone()].to_vec())
                .collect(),
            before: vec![Default::default(); self.weights.len()],
            max_depth: depths.into_iter().max().unwrap_or_default(),
        }
    }

    /// The functions on the way to a context, outermost first and its own last. O(depth).
    pub fn way(&self, context: ContextId) -> Vec<FunctionId> {
        let around = std::iter::successors(Some(context), |it| self.parent(*it));
        let mut way: Vec<FunctionId> = around.map(|it| self.function(it)).collect();
        way.reverse();
        way
    }

    /// The context at the end of a way in a tree of calls merged in this way; where there is none, the one at the end of as
    /// much of the way as there is. A way without recursion stands for several of a tree with it: for the one that weighs
    /// most. O(depth × siblings), and O(contexts of the last function × depth) where the way is not there as it is.
    pub fn at_way(&self, way: &[FunctionId], merge: Merge, value: usize) -> Option<ContextId> {
        let of_tree = match merge {
            Merge::CallSites => return self.at_way_of_sites(way, value),
            Merge::Recursion => without_recursion(way),
            Merge::Paths | Merge::Functions => way.to_vec(),
        };
        let (mut at, mut found) = (None, 0);
        for function in &of_tree {
            let mut children = self.children(at);
            let Some(child) = children.find(|it| self.function(*it) == *function) else {
                break;
            };
            (at, found) = (Some(child), found + 1);
        }
        if found == of_tree.len() || merge != Merge::Paths {
            return at;
        }
        let last = way.last().copied();
        let same = self.ids().filter(|it| {
            Some(self.function(*it)) == last && without_recursion(&self.way(*it)) == way
        });
        same.max_by_key(|it| (self.total(value, *it).size(), Reverse(*it)))
            .or(at)
    }

    /// The same where several contexts may have one way: of those at the end of as much of it as there is, the one that weighs
    /// most. O(contexts).
    fn at_way_of_sites(&self, way: &[FunctionId], value: usize) -> Option<ContextId> {
        // By context, how many functions of the way lead to it; 0 beside the way.
        let mut taken = vec![0_usize; self.len()];
        for context in self.ids() {
            let around = match self.parent(context) {
                None => Some(0),
                Some(parent) => Some(taken[parent.index()]).filter(|it| *it > 0),
            };
            let is_on_way = |at: &usize| way.get(*at) == Some(&self.function(context));
            if let Some(at) = around.filter(is_on_way) {
                taken[context.index()] = at + 1;
            }
        }
        let on_way = self.ids().filter(|it| taken[it.index()] > 0);
        on_way.max_by_key(|it| {
            let total = self.total(value, *it).size();
            (taken[it.index()], total, Reverse(*it))
        })
    }
}

/// A way as it is without recursion: a function that is open already leads back to where it was.
fn without_recursion(way: &[FunctionId]) -> Vec<FunctionId> {
    let mut kept: Vec<FunctionId> = Vec::with_capacity(way.len());
    let mut places: HashMap<FunctionId, usize> = HashMap::new();
    for function in way {
        let place = places.get(function).copied();
        match place.filter(|it| kept.get(*it) == Some(function)) {
            Some(place) => kept.truncate(place + 1),
            None => {
                places.insert(*function, kept.len());
                kept.push(*function);
            }
        }
    }
    kept
}
