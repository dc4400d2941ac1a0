//! What tables of other tools say, by module.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use callscape_analysis::numbers::Numbers;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// Of each column sums over all modules before one, as of calls.
#[derive(Clone, Debug)]
pub(super) struct NumberColumns {
    pub of: Arc<Numbers>,
    columns: Vec<Sums>,
}

#[derive(Clone, Debug)]
struct Sums {
    values: Vec<f64>,
    /// How many modules have one.
    counts: Vec<u32>,
    /// By module, the number of the innermost module around it that has one, itself among them; no number for none.
    around: Vec<f64>,
    /// Whether functions have numbers of their own.
    is_of_functions: bool,
    /// Shares have no sum: a subtree has their mean.
    is_share: bool,
}

impl NumberColumns {
    /// `origin` gives what a module is in the structure that `numbers` are of. Where the same is in several places, its numbers
    /// count at the first. O(modules + numbers).
    pub(crate) fn new(
        hierarchy: &Hierarchy,
        numbers: &Arc<Numbers>,
        origin: impl Fn(ModuleId) -> ModuleId,
    ) -> NumberColumns {
        let columns = numbers.own.iter().zip(&numbers.columns);
        let columns = columns.map(|(own, column)| {
            let mut sums = Sums {
                values: vec![0.0],
                counts: vec![0],
                around: Vec::with_capacity(hierarchy.len()),
                is_of_functions: false,
                is_share: column.unit == "%",
            };
            let mut seen: HashSet<ModuleId> = HashSet::with_capacity(own.len());
            let (mut value, mut count) = (0.0, 0);
            // Of the modules around, where each with a number ends.
            let mut open: Vec<(u32, f64)> = Vec::new();
            for id in hierarchy.modules() {
                let module = origin(id);
                while open.pop_if(|(end, _)| *end <= id.0).is_some() {}
                let at = own.binary_search_by_key(&module, |it| it.0).ok();
                if let Some(at) = at {
                    open.push((hierarchy.subtree(id).end, own[at].1));
                    sums.is_of_functions |= hierarchy.kind(id) != ModuleKind::File;
                }
                sums.around.push(open.last().map_or(f64::NAN, |it| it.1));
                if let Some(at) = at.filter(|_| seen.insert(module)) {
                    value += own[at].1;
                    count += 1;
                }
                sums.values.push(value);
                sums.counts.push(count);
            }
            sums
        });
        NumberColumns {
            columns: columns.collect(),
            of: Arc::clone(numbers),
        }
    }

    /// Whether functions have numbers in a column, not files alone.
    pub(crate) fn is_of_functions(&self, column: usize) -> bool {
        self.columns
            .get(column)
            .is_some_and(|it| it.is_of_functions)
    }

    /// What a subtree has of a column: the sum, or the mean of shares. Where no module in it has a number, that of the
    /// innermost one around it; none where there is none. O(1).
    pub(crate) fn of(&self, column: usize, subtree: &Range<u32>) -> Option<f64> {
        let sums = self.columns.get(column)?;
        let ends = [subtree.start, subtree.end].map(|it| it as usize);
        let [before, after] = ends.map(|it| sums.counts.get(it).copied().unwrap_or(0));
        let [from, to] = ends.map(|it| sums.values.get(it).copied().unwrap_or(0.0));
        let count = after.saturating_sub(before);
        let of = if sums.is_share { f64::from(count) } else { 1.0 };
        let around = sums.around.get(ends[0]).copied().unwrap_or(f64::NAN);
        match count {
            0 => Some(around).filter(|it| !it.is_nan()),
            _ => Some((to - from).max(0.0) / of),
        }
    }
}
