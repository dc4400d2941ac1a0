//! Weights of functions and of the calls between them as another tool has summed them up: nothing is derived.

use super::super::contexts::cut;
use crate::trace::{FunctionMetrics, Relation};
use callscape_base::units::Cost;
use callscape_base::warnings::{Place, Reporter};

/// What is told of one value.
#[derive(Clone, Debug, Default)]
pub struct OfValue {
    /// By function; of those past its end nothing is told.
    pub functions: Vec<FunctionMetrics>,
    pub relations: Vec<Relation>,
}

impl OfValue {
    /// Repairs contradictions and counts each repair: a total below its self weight where neither is negative
    /// (`total-below-self`), a waiting time above the cost (`waiting-beyond-cost`), and sums of sizes or calls beyond 64
    /// bits (`weight-out-of-range`, `calls-out-of-range`).
    fn repair(&mut self, reporter: &Reporter, place: &impl Fn() -> Place) {
        let (mut sum, mut room_for_calls) = (0, u64::MAX);
        for of in &mut self.functions {
            let (own, is_cut) = cut(of.self_cost.into(), &mut sum);
            if is_cut {
                reporter.warn("weight-out-of-range", place);
                of.self_cost = Cost::signed(own);
            }
            cut_calls(&mut of.calls, &mut room_for_calls, reporter, place);
            let is_signed = of.self_cost.min(of.total) < Cost::ZERO;
            if of.total < of.self_cost && !is_signed {
                reporter.warn("total-below-self", place);
                of.total = of.self_cost;
            }
            if !is_signed && (of.self_waiting > of.self_cost || of.waiting > of.total) {
                reporter.warn("waiting-beyond-cost", place);
                of.self_waiting = of.self_waiting.min(of.self_cost);
                of.waiting = of.waiting.min(of.total);
            }
        }
        let mut room_for_calls = u64::MAX;
        for of in &mut self.relations {
            cut_calls(&mut of.calls, &mut room_for_calls, reporter, place);
        }
    }
}

/// Cuts calls to the room that is left for them.
fn cut_calls(calls: &mut u64, room: &mut u64, reporter: &Reporter, place: impl Fn() -> Place) {
    if *calls > *room {
        reporter.warn("calls-out-of-range", place);
        *calls = *room;
    }
    *room -= *calls;
}

/// Sums of functions and call relations.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    of_values: Vec<OfValue>,
    counts_calls: bool,
}

impl Sums {
    /// Relations in any order: what is told of a pair of functions in several is added up. What contradicts itself is
    /// repaired and counted.
    pub fn new(
        mut of_values: Vec<OfValue>,
        counts_calls: bool,
        reporter: &Reporter,
        place: impl Fn() -> Place,
    ) -> Sums {
        for of in &mut of_values {
            of.repair(reporter, &place);
            of.relations.sort_by_key(|it| (it.caller, it.callee));
            of.relations.dedup_by(|more, kept| {
                let is_same = (more.caller, more.callee) == (kept.caller, kept.callee);
                if is_same {
                    kept.add(more);
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
        functions.into_iter().flatten().map(|it| it.self_cost).sum()
    }

    /// How many functions weigh less than nothing themselves.
    pub fn negative(&self, value: usize) -> u64 {
        let functions = self.of_values.get(value).map(|it| it.functions.iter());
        let own = functions.into_iter().flatten().map(|it| it.self_cost);
        own.filter(|&it| it < Cost::ZERO).count() as u64
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
