//! A call graph with weights: functions have self weights, call relations calls and weights. Which callers
//! stood around a caller is not known, so there are no contexts.

use std::collections::HashMap;

use super::super::trace::{FunctionMetrics, Relation};
use crate::units::{Cost, FunctionId};
use crate::warnings::{Place, Reporter};

/// Calls from one function to another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edge {
    caller: FunctionId,
    callee: FunctionId,
    calls: u64,
    /// By value: what all these calls weigh with everything below them.
    weights: Box<[u64]>,
}

/// The weights of functions and of the calls between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By value, by function; functions past the end weigh nothing.
    own: Vec<Vec<u64>>,
    /// Sorted by caller, callee.
    edges: Vec<Edge>,
}

impl Graph {
    /// How many values it weighs.
    pub fn values(&self) -> usize {
        self.own.len()
    }

    /// What all functions weigh together.
    pub fn weight(&self, value: usize) -> Cost {
        let own = self.own.get(value);
        own.map_or(Cost::ZERO, |own| {
            own.iter().map(|&it| Cost::from_ns(it)).sum()
        })
    }

    fn own(&self, value: usize, function: FunctionId) -> Cost {
        let own = self.own[value].get(function.index());
        Cost::from_ns(own.copied().unwrap_or(0))
    }

    /// Calls, total and self weight of each of `functions` functions. The total of a function is what the
    /// calls from others to it weigh, of a function that no other calls its self weight and its calls
    /// of others; so direct recursion counts once. Where functions call each other in a cycle the input
    /// does not tell which of their calls lie in each other, and the total is the least of this sum
    /// and of everything. O(functions + relations).
    pub fn function_metrics(&self, value: usize, functions: usize) -> Vec<FunctionMetrics> {
        let mut metrics = vec![FunctionMetrics::default(); functions];
        let mut called = vec![Cost::ZERO; functions];
        let mut calls_of_others = vec![Cost::ZERO; functions];
        let mut is_called = vec![false; functions];
        for edge in &self.edges {
            let weight = Cost::from_ns(edge.weights[value]);
            let (caller, callee) = (edge.caller.index(), edge.callee.index());
            metrics[callee].calls = metrics[callee].calls.saturating_add(edge.calls);
            if caller != callee {
                called[callee] += weight;
                is_called[callee] = true;
                calls_of_others[caller] += weight;
            }
        }
        let all = self.weight(value);
        for (index, metrics) in metrics.iter_mut().enumerate() {
            let own = self.own(value, FunctionId(index as u32));
            let total = if is_called[index] {
                called[index]
            } else {
                own + calls_of_others[index]
            };
            metrics.self_cost = own;
            metrics.total = total.min(all).max(own);
        }
        metrics
    }

    /// The call relations between functions. How much of a callee's self weight belongs to one of several
    /// callers is not known: the self cost of their relations is 0. O(relations).
    pub fn relations(&self, value: usize, functions: usize) -> Vec<Relation> {
        let mut callers = vec![0_u32; functions];
        for edge in &self.edges {
            callers[edge.callee.index()] += 1;
        }
        let relation = |edge: &Edge| Relation {
            caller: edge.caller,
            callee: edge.callee,
            calls: edge.calls,
            cost: Cost::from_ns(edge.weights[value]),
            self_cost: match callers[edge.callee.index()] {
                1 => self.own(value, edge.callee),
                _ => Cost::ZERO,
            },
        };
        self.edges.iter().map(relation).collect()
    }

    /// How many functions call each other in a cycle of two or more, so that their totals are not exact.
    /// O(functions + relations).
    pub fn in_cycles(&self, functions: usize) -> u64 {
        components(self, functions)
            .into_iter()
            .filter(|&size| size > 1)
            .map(u64::from)
            .sum()
    }
}

/// The sizes of the strongly connected components: Tarjan's algorithm (SIAM J. Comput. 1, 1972), without
/// recursion.
fn components(graph: &Graph, functions: usize) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let first: Vec<usize> = (0..=functions)
        .map(|function| {
            let before = |edge: &Edge| edge.caller.index() < function;
            graph.edges.partition_point(before)
        })
        .collect();
    let mut number = vec![NEW; functions];
    let mut lowest = vec![0_u32; functions];
    let mut is_open = vec![false; functions];
    let (mut open, mut path, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for start in 0..functions {
        if number[start] != NEW {
            continue;
        }
        path.push((start, first[start]));
        while let Some(&mut (at, ref mut edge)) = path.last_mut() {
            if number[at] == NEW {
                (number[at], lowest[at]) = (next, next);
                next += 1;
                is_open[at] = true;
                open.push(at);
            }
            if *edge < first[at + 1] {
                let callee = graph.edges[*edge].callee.index();
                *edge += 1;
                if number[callee] == NEW {
                    path.push((callee, first[callee]));
                } else if is_open[callee] {
                    lowest[at] = lowest[at].min(number[callee]);
                }
                continue;
            }
            path.pop();
            if let Some(&(caller, _)) = path.last() {
                lowest[caller] = lowest[caller].min(lowest[at]);
            }
            if lowest[at] == number[at] {
                let mut size = 0;
                while let Some(member) = open.pop() {
                    is_open[member] = false;
                    size += 1;
                    if member == at {
                        break;
                    }
                }
                sizes.push(size);
            }
        }
    }
    sizes
}

/// Adds up a call graph. A weight that would bring a value's sum past 64 bits is cut and counted
/// (`weight-out-of-range`).
pub struct GraphBuilder<'r> {
    reporter: &'r Reporter,
    own: Vec<Vec<u64>>,
    sums: Vec<u64>,
    edges: HashMap<(FunctionId, FunctionId), Edge>,
}

impl<'r> GraphBuilder<'r> {
    pub fn new(reporter: &'r Reporter) -> GraphBuilder<'r> {
        GraphBuilder {
            reporter,
            own: Vec::new(),
            sums: Vec::new(),
            edges: HashMap::new(),
        }
    }

    /// How many values there are so far.
    pub fn values(&self) -> usize {
        self.own.len()
    }

    /// One value more.
    pub fn add_value(&mut self) {
        self.own.push(Vec::new());
        self.sums.push(0);
    }

    /// Adds to what a function itself weighs of `value`.
    pub fn add(
        &mut self,
        function: FunctionId,
        value: usize,
        weight: u64,
        place: impl FnOnce() -> Place,
    ) {
        let sum = &mut self.sums[value];
        let room = u64::MAX - *sum;
        if weight > room {
            self.reporter.warn("weight-out-of-range", place);
        }
        let weight = weight.min(room);
        *sum += weight;
        let own = &mut self.own[value];
        if own.len() <= function.index() {
            own.resize(function.index() + 1, 0);
        }
        own[function.index()] += weight;
    }

    /// Adds calls, and by value what they weigh with everything below them.
    pub fn add_calls(
        &mut self,
        caller: FunctionId,
        callee: FunctionId,
        calls: u64,
        weights: impl IntoIterator<Item = (usize, u64)>,
    ) {
        let values = self.own.len();
        let edge = self.edges.entry((caller, callee)).or_insert_with(|| Edge {
            caller,
            callee,
            calls: 0,
            weights: vec![0; values].into(),
        });
        if edge.weights.len() < values {
            let mut weights = std::mem::take(&mut edge.weights).into_vec();
            weights.resize(values, 0);
            edge.weights = weights.into();
        }
        edge.calls = edge.calls.saturating_add(calls);
        for (value, weight) in weights {
            edge.weights[value] = edge.weights[value].saturating_add(weight);
        }
    }

    /// What all functions weigh together of `value`.
    pub fn weight(&self, value: usize) -> u64 {
        self.sums[value]
    }

    pub fn finish(self) -> Graph {
        let values = self.own.len();
        let mut edges: Vec<Edge> = self.edges.into_values().collect();
        edges.sort_unstable_by_key(|edge| (edge.caller, edge.callee));
        for edge in edges.iter_mut().filter(|it| it.weights.len() < values) {
            let mut weights = std::mem::take(&mut edge.weights).into_vec();
            weights.resize(values, 0);
            edge.weights = weights.into();
        }
        Graph {
            own: self.own,
            edges,
        }
    }
}
