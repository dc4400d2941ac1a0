//! The call trees of both sides merged by call path: in which calling context a difference arises.

use std::borrow::Cow;
use std::collections::HashMap;

use rayon::prelude::*;

use super::Comparison;
use super::amounts::{Amounts, Change, Measure, Timed};
use super::tables::{Basis, Norm, Runs};
use crate::{contexts, sampled};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::FunctionId;
use callscape_facts::contexts::{Contexts, Merge};

/// Contexts, and which of their values is shown.
type Tree<'a> = (Cow<'a, Contexts>, usize);

/// A calling context: a function, called along one path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextChange {
    /// The function, as a row of the comparison.
    pub row: u32,
    /// The context that it is called in, none of an outermost one; less than its own number.
    pub parent: Option<u32>,
    pub change: Change,
}

/// The contexts of both sides, callers before what they call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextTree {
    pub contexts: Vec<ContextChange>,
    /// Recordings that tell no contexts: they count as if nothing ran in them.
    pub without: usize,
}

/// How the amounts of a tree are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct How {
    timed: Timed,
    norm: Norm,
}

impl Comparison {
    /// The calling contexts of all recordings, merged where the functions of the path are the same. For a worker
    /// thread: linear in the calls of traces and the contexts of profiles.
    pub fn contexts(&self, progress: &Progress) -> Result<ContextTree, Cancelled> {
        let how = How {
            timed: self.timed,
            norm: self.norm(),
        };
        let trees = self.call_trees(progress)?;
        let row_of = |recording: usize, id: FunctionId| self.row_of[recording][id.index()];
        Ok(self.joined(&trees, how, row_of))
    }

    /// The same with recursion merged and with all time, waiting or not: per call of a function where that is asked for,
    /// else as recorded.
    pub fn contexts_without_recursion(
        &self,
        progress: &Progress,
    ) -> Result<ContextTree, Cancelled> {
        let how = How {
            timed: Timed::Elapsed,
            norm: self.per.map_or(Norm::Recorded, Norm::PerCallOf),
        };
        let trees = self.call_trees(progress)?;
        let merge = |(tree, rows): (&Option<Tree<'_>>, &Vec<u32>)| {
            let row = |id: FunctionId| FunctionId(rows[id.index()]);
            let tree = tree.as_ref();
            let merged = tree.map(|(tree, value)| {
                let merged = tree.merged(Merge::Recursion, row, progress)?;
                Ok((Cow::Owned(merged), *value))
            });
            merged.transpose()
        };
        let both = trees.par_iter().zip(&self.row_of);
        let merged: Result<Vec<_>, Cancelled> = both.map(merge).collect();
        Ok(self.joined(&merged?, how, |_, row| row.0))
    }

    /// The call tree of each recording; none of one that tells no contexts.
    fn call_trees(&self, progress: &Progress) -> Result<Vec<Option<Tree<'_>>>, Cancelled> {
        let of = (0..self.session.recordings.len()).into_par_iter();
        let trees = of.map(|place| {
            let of = &self.session.recordings[place].recording;
            sampled::contexts_in(of, self.within(place), None, progress)
        });
        trees.collect()
    }

    /// One tree of those of all recordings, of which `row_of` says the rows.
    fn joined(
        &self,
        trees: &[Option<Tree<'_>>],
        how: How,
        row_of: impl Fn(usize, FunctionId) -> u32,
    ) -> ContextTree {
        let mut tree = ContextTree::default();
        let mut places: HashMap<(u32, u32), u32> = HashMap::new();
        let mut runs = Runs::default();
        for side in [0, 1] {
            for recording in self.runs_of(side) {
                let of = &self.session.recordings[recording].recording;
                let Some((found, value)) = &trees[recording] else {
                    tree.without += 1;
                    runs.amounts[side].push(Vec::new());
                    runs.samples[side].push(Amounts::default());
                    continue;
                };
                let knows_waiting = of.trace.knows_waiting();
                let mut place_of: Vec<u32> = Vec::with_capacity(found.len());
                let mut column = vec![Amounts::default(); tree.contexts.len()];
                for context in found.ids() {
                    let parent = found.parent(context).map(|it| place_of[it.index()]);
                    let row = row_of(recording, found.function(context));
                    let next = tree.contexts.len() as u32;
                    let key = (parent.unwrap_or(u32::MAX), row);
                    let place = *places.entry(key).or_insert(next);
                    if place == next {
                        tree.contexts.push(ContextChange {
                            row,
                            parent,
                            change: Change::default(),
                        });
                        column.push(Amounts::default());
                    }
                    place_of.push(place);
                    // Of two functions that are one here, contexts of one path are one.
                    let mut amounts = Amounts {
                        calls: found.calls(context).unwrap_or_default() as f64,
                        total: found.total(*value, context).weight() as f64,
                        self_cost: found.self_weight(*value, context).weight() as f64,
                        ..Amounts::default()
                    };
                    if knows_waiting {
                        amounts.waiting = found.total(contexts::WAITING, context).ns() as f64;
                        let own = found.self_weight(contexts::WAITING, context);
                        amounts.self_waiting = own.ns() as f64;
                    }
                    column[place as usize].add(&amounts.timed(how.timed));
                }
                let basis = (how.norm != Norm::Recorded).then(|| {
                    let metrics = of.function_metrics(self.within(recording));
                    Basis::of(&metrics, &self.row_of[recording], how.norm, how.timed)
                });
                if let Some(basis) = basis {
                    basis.scale(&mut column);
                }
                runs.amounts[side].push(column);
                runs.samples[side].push(self.sample_of(recording, basis));
            }
        }
        let changes = runs.changes(tree.contexts.len());
        for (context, change) in tree.contexts.iter_mut().zip(changes) {
            context.change = change;
        }
        tree
    }
}

impl ContextTree {
    /// The rows on the way to a context, the outermost first and its own last. O(depth).
    pub fn path(&self, context: u32) -> Vec<u32> {
        let at = |number: u32| self.contexts.get(number as usize);
        let around = std::iter::successors(at(context), |it| at(it.parent?));
        let mut path: Vec<u32> = around.map(|it| it.row).collect();
        path.reverse();
        path
    }

    /// Contexts in which something differs, the largest difference first; of equal ones by the names on the way, so
    /// that swapping A and B mirrors. O(n log n).
    pub fn by_effect<'a>(&self, measure: Measure, name: impl Fn(u32) -> &'a str) -> Vec<u32> {
        let names =
            |number: u32| -> Vec<&str> { self.path(number).into_iter().map(&name).collect() };
        let mut order: Vec<u32> = (0u32..)
            .zip(&self.contexts)
            .filter(|(_, it)| it.change.is_change())
            .map(|(number, _)| number)
            .collect();
        order.sort_by(|&x, &y| {
            let [of_x, of_y] = [x, y].map(|it| &self.contexts[it as usize]);
            of_x.change
                .order(&of_y.change, measure)
                .then_with(|| names(x).cmp(&names(y)))
        });
        order
    }

    /// By context, those called in it, the largest difference first; last those called in none. O(n log n).
    pub fn children(&self, measure: Measure) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.contexts.len() + 1];
        for (number, context) in (0u32..).zip(&self.contexts) {
            let of = context.parent.map_or(self.contexts.len(), |it| it as usize);
            children[of].push(number);
        }
        for of in &mut children {
            of.sort_by(|&x, &y| {
                let [of_x, of_y] = [x, y].map(|it| &self.contexts[it as usize]);
                of_x.change
                    .order(&of_y.change, measure)
                    .then((of_x.row, x).cmp(&(of_y.row, y)))
            });
        }
        children
    }
}
