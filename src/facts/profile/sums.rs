//! Weights of functions and of the calls between them as another tool has summed them up: nothing is derived.

use crate::facts::trace::{FunctionMetrics, Relation};
use crate::units::Cost;

/// What is told of one value.
#[derive(Clone, Debug, Default)]
pub struct OfValue {
    /// By function; of those past its end nothing is told.
    pub functions: Vec<FunctionMetrics>,
    pub relations: Vec<Relation>,
}

/// Sums of functions and call relations.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    of_values: Vec<OfValue>,
    counts_calls: bool,
}

impl Sums {
    /// Relations in any order: what is told of a pair of functions in several is added up.
    pub fn new(mut of_values: Vec<OfValue>, counts_calls: bool) -> Sums {
        for of in &mut of_values {
            of.relations.sort_by_key(|it| (it.caller, it.callee));
            of.relations.dedup_by(|more, kept| {
                let is_same = (more.caller, more.callee) == (kept.caller, kept.callee);
                if is_same {
                    kept.calls = kept.calls.saturating_add(more.calls);
                    kept.cost += more.cost;
                    kept.self_cost += more.self_cost;
                    kept.waiting += more.waiting;
                    kept.self_waiting += more.self_waiting;
                }
                is_same
            });
        }
        Sums {
            of_values,
            counts_calls,
        }
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.of_values.len()
    }

    /// Whether calls are counted.
    pub fn counts_calls(&self) -> bool {
        self.counts_calls
    }

    /// What all functions weigh themselves.
    pub fn weight(&self, value: usize) -> Cost {
        let functions = self.of_values.get(value).map(|it| it.functions.iter());
        let own = functions.into_iter().flatten().map(|it| it.self_cost.ns());
        Cost::from_ns(own.fold(0, u64::saturating_add))
    }

    /// Calls, total and self weight of each of `functions` functions.
    pub fn function_metrics(&self, value: usize, functions: usize) -> Vec<FunctionMetrics> {
        let told = self.of_values.get(value).map(|it| it.functions.clone());
        let mut metrics = told.unwrap_or_default();
        metrics.resize(functions, FunctionMetrics::default());
        metrics
    }

    /// The call relations, sorted by caller, then callee.
    pub fn relations(&self, value: usize) -> Vec<Relation> {
        let of = self.of_values.get(value);
        of.map(|it| it.relations.clone()).unwrap_or_default()
    }
}
