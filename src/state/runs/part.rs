//! The parts of two runs that are compared, and how they are counted.

use std::sync::Arc;

use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::{Change, Measure};
use callscape_analysis::comparison::causes::Causes;
use callscape_analysis::comparison::contexts::ContextTree;
use callscape_analysis::comparison::tables::{Norm, RelationChange};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{TimeRange, Unit};
use callscape_facts::trace::{FunctionMetrics, Relation};
use callscape_model::difference::Amount;

/// The same with A and B exchanged.
pub(super) fn mirrored(of: Change) -> Change {
    Change {
        a: of.b,
        b: of.a,
        ..of
    }
}

/// What differences of functions and of relations count.
pub(crate) fn amounts_of(comparison: &Comparison) -> [Amount; 2] {
    [
        Amount::of(comparison, Measure::SelfCost),
        Amount::of_relations(comparison),
    ]
}

/// What calling contexts are counted of.
#[derive(Clone, Debug)]
pub struct ContextsOf {
    pub(super) base: Arc<Comparison>,
    pub(super) norm: Norm,
    /// Of the first runs of A and B as they were opened; all of all runs without.
    pub(super) ranges: Option<[TimeRange; 2]>,
}

impl PartialEq for ContextsOf {
    fn eq(&self, other: &ContextsOf) -> bool {
        Arc::ptr_eq(&self.base, &other.base)
            && (self.norm, self.ranges) == (other.norm, other.ranges)
    }
}

impl ContextsOf {
    /// Counts them. For a worker thread: linear in the calls.
    pub fn count(&self, progress: &Progress) -> Result<ContextTree, Cancelled> {
        self.comparison().contexts(progress)
    }

    /// Why the one run costs more or less than the other; with A and B exchanged where they are. For a worker thread:
    /// linear in the calls.
    pub fn causes(&self, is_swapped: bool, progress: &Progress) -> Result<Causes, Cancelled> {
        let comparison = self.comparison();
        let mut tree = comparison.contexts_without_recursion(progress)?;
        if is_swapped {
            for context in &mut tree.contexts {
                context.change = mirrored(context.change);
            }
        }
        Ok(comparison.causes_of(&tree))
    }

    /// What costs count.
    pub fn unit(&self) -> &Unit {
        self.base.unit()
    }

    /// Whether amounts are per call of a function.
    pub fn is_per_call(&self) -> bool {
        matches!(self.norm, Norm::PerCallOf(_))
    }

    /// What is compared of the two.
    fn comparison(&self) -> Comparison {
        let base = &*self.base;
        let mut comparison = normal(base, self.norm);
        if let Some(ranges) = self.ranges {
            let firsts = [0, base.runs[0]];
            let of = firsts.map(|place| base.session.recordings[place].clone());
            comparison.session.recordings = of.into();
            comparison.row_of = firsts.map(|place| base.row_of[place].clone()).into();
            comparison.runs = [1, 1];
            let limits = ranges.map(|range| [Some(range.start), Some(range.end)]);
            comparison.limits = limits.into();
        }
        comparison
    }
}

/// A comparison with amounts brought on something else.
pub(super) fn normal(base: &Comparison, norm: Norm) -> Comparison {
    let per = match norm {
        Norm::PerCallOf(row) if (row as usize) < base.rows.len() => Some(row),
        _ => None,
    };
    Comparison {
        per,
        is_by_shares: base.is_by_shares || matches!(norm, Norm::Shares { .. }),
        ..base.clone()
    }
}

/// What is compared, by row, and the relations between rows.
pub(super) type Whole = (Arc<[Change]>, Arc<[RelationChange<u32>]>);

/// What is left of a run by range and filters: by function, and its relations.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub metrics: Vec<FunctionMetrics>,
    pub relations: Vec<Relation>,
}
