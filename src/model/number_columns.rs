//! What tables of other tools say, by module.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use callscape_analysis::numbers::Numbers;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

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
                is_share: column.unit == "%",
            };
            let mut seen: HashSet<ModuleId> = HashSet::with_capacity(own.len());
            let (mut value, mut count) = (0.0, 0);
            for module in hierarchy.modules().map(&origin) {
                let at = own.binary_search_by_key(&module, |it| it.0).ok();
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

    /// What a subtree has of a column: the sum, or the mean of shares; none where no module in it has a number. O(1).
    pub(crate) fn of(&self, column: usize, subtree: &Range<u32>) -> Option<f64> {
        let sums = self.columns.get(column)?;
        let ends = [subtree.start, subtree.end].map(|it| it as usize);
        let [before, after] = ends.map(|it| sums.counts.get(it).copied().unwrap_or(0));
        let [from, to] = ends.map(|it| sums.values.get(it).copied().unwrap_or(0.0));
        let count = after.saturating_sub(before);
        let of = if sums.is_share { f64::from(count) } else { 1.0 };
        (count > 0).then(|| (to - from).max(0.0) / of)
    }
}
