//! What functions and relations add up to in a range with the filters applied.

use callscape_base::units::Cost;
use callscape_facts::trace::{FunctionMetrics, Relation};

/// What one function did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionSummary {
    pub metrics: FunctionMetrics,
    /// The costs of its cheapest and its dearest call; zero without calls.
    pub min: Cost,
    pub max: Cost,
}

impl FunctionSummary {
    /// Adds what was found of the same function elsewhere.
    pub(super) fn add(&mut self, other: &FunctionSummary) {
        if other.metrics.calls == 0 {
            return;
        }
        self.min = if self.metrics.calls == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.metrics.calls += other.metrics.calls;
        self.metrics.total += other.metrics.total;
        self.metrics.self_cost += other.metrics.self_cost;
        self.metrics.waiting += other.metrics.waiting;
        self.metrics.self_waiting += other.metrics.self_waiting;
    }
}

/// All functions and call relations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By function.
    pub functions: Vec<FunctionSummary>,
    /// Sorted by caller, then callee.
    pub relations: Vec<Relation>,
}
