//! The call trees of both sides merged by call path: in which calling context a difference arises.

use std::collections::HashMap;

use super::Comparison;
use super::amounts::{Amounts, Change, Measure};
use super::tables::{Given, Runs};
use crate::analysis::contexts;
use crate::progress::{Cancelled, Progress};

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

impl Comparison {
    /// The calling contexts of all recordings, merged where the functions of the path are the same. For a worker
    /// thread: linear in the calls of traces and the contexts of profiles.
    pub fn contexts(&self, progress: &Progress) -> Result<ContextTree, Cancelled> {
        let mut tree = ContextTree::default();
        let mut places: HashMap<(Option<u32>, u32), u32> = HashMap::new();
        let mut runs = Runs::default();
        for side in [0, 1] {
            for recording in self.runs_of(side) {
                let of = &self.session.recordings[recording].recording;
                let range = self.range(recording);
                let found = match (range, &of.profile) {
                    (Some(range), None) => {
                        let made = contexts::of_trace(&of.trace, range, progress)?;
                        Some(std::borrow::Cow::Owned(made))
                    }
                    _ => contexts::contexts(of, progress)?,
                };
                let Some(found) = found else {
                    tree.without += 1;
                    runs.amounts[side].push(Vec::new());
                    runs.samples[side].push(Amounts::default());
                    continue;
                };
                let value = of.profile.as_ref().map_or(0, |profile| profile.shown());
                let knows_waiting = of.trace.knows_waiting();
                let rows = &self.row_of[recording];
                let mut place_of: Vec<u32> = Vec::with_capacity(found.len());
                let mut column = vec![Amounts::default(); tree.contexts.len()];
                for context in found.ids() {
                    let parent = found.parent(context).map(|it| place_of[it.index()]);
                    let row = rows[found.function(context).index()];
                    let next = tree.contexts.len() as u32;
                    let place = *places.entry((parent, row)).or_insert(next);
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
                        total: found.total(value, context).ns() as f64,
                        self_cost: found.self_weight(value, context).ns() as f64,
                        ..Amounts::default()
                    };
                    if knows_waiting {
                        amounts.waiting = found.total(contexts::WAITING, context).ns() as f64;
                        let own = found.self_weight(contexts::WAITING, context);
                        amounts.self_waiting = own.ns() as f64;
                    }
                    column[place as usize].add(&amounts.timed(self.timed));
                }
                let basis =
                    (!self.is_plain(Given::Compared)).then(|| self.basis_of(recording, range));
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
        Ok(tree)
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
