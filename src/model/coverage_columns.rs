//! What reports of coverage say, by module.

use std::collections::HashSet;
use std::sync::Arc;

use callscape_analysis::coverage::Coverage;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

/// Sums over all modules before one, as of calls.
#[derive(Clone, Debug)]
pub(super) struct CoverageColumns {
    pub of: Arc<Coverage>,
    counted: Vec<u64>,
    ran: Vec<u64>,
}

impl CoverageColumns {
    /// `origin` gives what a module is in the structure that `coverage` is of. Where the same is in several places, its lines
    /// count at the first. O(modules).
    pub(crate) fn new(
        hierarchy: &Hierarchy,
        coverage: &Arc<Coverage>,
        origin: impl Fn(ModuleId) -> ModuleId,
    ) -> CoverageColumns {
        let mut columns = CoverageColumns {
            of: Arc::clone(coverage),
            counted: vec![0],
            ran: vec![0],
        };
        let mut seen: HashSet<ModuleId> = HashSet::with_capacity(hierarchy.len());
        let (mut counted, mut ran) = (0, 0);
        for module in hierarchy.modules().map(origin) {
            let own = coverage.own.get(module.index());
            if let Some(own) = own.filter(|_| seen.insert(module)) {
                counted += u64::from(own.counted);
                ran += u64::from(own.ran);
            }
            columns.counted.push(counted);
            columns.ran.push(ran);
        }
        columns
    }

    /// Of a subtree, how many lines reports count and how many of them ran; none where they count none. O(1).
    pub(crate) fn of(&self, subtree: &std::ops::Range<u32>) -> Option<(u64, u64)> {
        let sum = |sums: &[u64]| {
            let at = |index: u32| sums.get(index as usize).copied().unwrap_or(0);
            at(subtree.end).saturating_sub(at(subtree.start))
        };
        let counted = sum(&self.counted);
        (counted > 0).then(|| (counted, sum(&self.ran)))
    }
}
