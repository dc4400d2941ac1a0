//! What differs between parts of two runs, such as what filters leave of them, from what was counted of each.

use std::collections::BTreeMap;

use super::amounts::{Amounts, Change, Timed};
use super::tables::{Basis, Norm, RelationChange, Runs};
use callscape_facts::trace::{FunctionMetrics, Relation};

/// What was counted of a run.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// By function.
    pub metrics: &'a [FunctionMetrics],
    pub relations: &'a [Relation],
    /// By function, its row of the comparison.
    pub row_of: &'a [u32],
}

impl Counted<'_> {
    fn functions(&self, rows: usize, timed: Timed) -> Vec<Amounts> {
        let mut amounts = vec![Amounts::default(); rows];
        for (metric, &row) in self.metrics.iter().zip(self.row_of) {
            if let Some(of) = amounts.get_mut(row as usize) {
                of.add(&Amounts::from(metric).timed(timed));
            }
        }
        amounts
    }

    /// By rows of caller and callee.
    fn relations(&self, timed: Timed) -> BTreeMap<(u32, u32), Amounts> {
        let mut sums: BTreeMap<(u32, u32), Amounts> = BTreeMap::new();
        let row = |function: usize| self.row_of.get(function).copied();
        for relation in self.relations {
            let ends = (row(relation.caller.index()), row(relation.callee.index()));
            if let (Some(from), Some(to)) = ends {
                let amounts = Amounts::from(relation).timed(timed);
                sums.entry((from, to)).or_default().add(&amounts);
            }
        }
        sums
    }
}

/// The changes of all `rows` of a comparison, and those of the relations between them in their order, brought on the
/// `norm` of what was counted, in the time that is compared. O(r log r) in functions and relations.
pub fn differences(
    sides: [Counted<'_>; 2],
    rows: usize,
    (norm, timed): (Norm, Timed),
) -> (Vec<Change>, Vec<RelationChange<u32>>) {
    let scaled = |mut amounts: Vec<Amounts>, side: Counted<'_>| {
        // What is not divided stays whole.
        if norm != Norm::Recorded {
            Basis::of(side.metrics, side.row_of, norm, timed).scale(&mut amounts);
        }
        vec![amounts]
    };
    let functions = sides.map(|side| scaled(side.functions(rows, timed), side));
    let relations = sides.map(|side| side.relations(timed));
    let mut pairs: Vec<(u32, u32)> = relations.iter().flat_map(|of| of.keys().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let amounts = [0, 1].map(|side| {
        let of = |pair| relations[side].get(pair).copied().unwrap_or_default();
        scaled(pairs.iter().map(of).collect(), sides[side])
    });
    let changes = |amounts, count| {
        let runs = Runs {
            amounts,
            ..Runs::default()
        };
        runs.changes(count)
    };
    let of_relations = pairs.iter().zip(changes(amounts, pairs.len()));
    let of_relations =
        of_relations.map(|(&(from, to), change)| RelationChange { from, to, change });
    (changes(functions, rows), of_relations.collect())
}
