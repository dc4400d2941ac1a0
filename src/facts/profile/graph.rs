//! A call graph with weights: functions have self weights, call relations calls and weights. Which callers
//! stood around a caller is not known, so there are no contexts.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::contexts::cut;
use crate::trace::{FunctionMetrics, Relation};
use callscape_base::units::{Cost, FunctionId};
use callscape_base::warnings::{Place, Reporter};

/// A function in a call graph, or the part of it that was called while it was already running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GraphNode(u32);

impl GraphNode {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node stands for.
#[derive(Clone, Copy, Debug)]
struct Node {
    function: FunctionId,
    /// Calls within another call of the function.
    is_inner: bool,
}

/// Calls from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edge {
    caller: GraphNode,
    callee: GraphNode,
    calls: u64,
    /// By value: what all these calls weigh with everything below them.
    weights: Box<[i64]>,
}

/// The weights of functions and of the calls between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    /// By value, by node.
    own: Vec<Vec<i64>>,
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
        self.own[value].iter().map(|&it| Cost::signed(it)).sum()
    }

    /// Calls, total and self weight of each of `functions` functions. The total of a node is what the calls
    /// from others to it weigh, and what it weighs where nobody calls it: as the first function of a thread, or of
    /// what was recorded. That of a function is its node's for outer calls, so recursion counts once. Where nodes
    /// call each other in a cycle the input does not tell which of their calls lie in each other, and the total is
    /// the least of this sum and of everything. Of inner calls that nobody makes an outer one the sum may be less than
    /// what the function itself weighs, which is its total then ([`raised`](Self::raised)). O(nodes × log + edges).
    ///
    /// With negative weights these bounds do not hold. A total is then the sum of a node's own weight and of its calls
    /// to others.
    pub fn function_metrics(&self, value: usize, functions: usize) -> Vec<FunctionMetrics> {
        let mut metrics = self.told_metrics(value, functions);
        if self.negative(value) == 0 {
            for metrics in &mut metrics {
                metrics.total = metrics.total.max(metrics.self_cost);
            }
        }
        metrics
    }

    /// How many nodes and calls between them weigh less than nothing.
    pub fn negative(&self, value: usize) -> u64 {
        let calls = self.edges.iter().map(|edge| edge.weights[value]);
        let all = self.own[value].iter().copied().chain(calls);
        all.filter(|&weight| weight < 0).count() as u64
    }

    fn told_metrics(&self, value: usize, functions: usize) -> Vec<FunctionMetrics> {
        let mut metrics = vec![FunctionMetrics::default(); functions];
        let mut called = vec![Cost::ZERO; self.nodes.len()];
        for edge in &self.edges {
            let weight = Cost::signed(edge.weights[value]);
            let of = &mut metrics[self.nodes[edge.callee.index()].function.index()];
            // What builds the graph sees to it that all calls together fit.
            of.calls += edge.calls;
            if edge.caller != edge.callee {
                called[edge.callee.index()] += weight;
            }
        }
        let is_signed = self.negative(value) > 0;
        let uncalled = match is_signed {
            true => self.below(value),
            false => self.uncalled(value, &called),
        };
        let all = self.weight(value);
        // Those of inner calls only where nothing is known of outer ones.
        let mut inner = vec![Cost::ZERO; functions];
        for (index, node) in self.nodes.iter().enumerate() {
            let own = Cost::signed(self.own[value][index]);
            let total = match is_signed {
                true => uncalled[index],
                false => (called[index] + uncalled[index]).min(all).max(own),
            };
            let of = &mut metrics[node.function.index()];
            of.self_cost += own;
            if node.is_inner {
                inner[node.function.index()] += total;
            } else {
                of.total += total;
            }
        }
        for (metrics, inner) in metrics.iter_mut().zip(inner) {
            if metrics.total == Cost::ZERO {
                metrics.total = inner;
            }
            if !is_signed {
                metrics.total = metrics.total.min(all);
            }
        }
        metrics
    }

    /// How many functions weigh more themselves, in calls within each other, than with all that they call: no run is
    /// like that. As [`function_metrics`](Self::function_metrics).
    pub fn raised(&self, value: usize, functions: usize) -> u64 {
        if self.negative(value) > 0 {
            return 0;
        }
        let told = self.told_metrics(value, functions);
        told.iter().filter(|it| it.total < it.self_cost).count() as u64
    }

    /// What each node weighs in calls that nobody makes: what it and those that it calls weigh beyond `called`,
    /// what the calls to it do. Of nodes that call each other in a cycle only the sum of this is sure, for what they
    /// call may lie in what they are called for: those with the most have it.
    fn uncalled(&self, value: usize, called: &[Cost]) -> Vec<Cost> {
        let own = |node: usize| Cost::signed(self.own[value][node]);
        let below = self.below(value);
        let more = |node: usize| below[node].saturating_sub(called[node]);
        let mut uncalled = vec![Cost::ZERO; self.nodes.len()];
        let mut component_of = vec![0; self.nodes.len()];
        let components = components(self);
        for (number, component) in components.iter().enumerate() {
            for &node in component {
                component_of[node] = number;
            }
        }
        // What goes into a component and what comes out of it, calls within it left out.
        let mut inward = vec![Cost::ZERO; components.len()];
        let mut outward = vec![Cost::ZERO; components.len()];
        for edge in &self.edges {
            let [from, to] = [edge.caller, edge.callee].map(|node| component_of[node.index()]);
            if from != to {
                inward[to] += Cost::signed(edge.weights[value]);
                outward[from] += Cost::signed(edge.weights[value]);
            }
        }
        for (number, mut component) in components.into_iter().enumerate() {
            let weighs = component.iter().map(|&node| own(node)).sum::<Cost>() + outward[number];
            let mut left = weighs.saturating_sub(inward[number]);
            component.sort_unstable_by_key(|&node| (std::cmp::Reverse(more(node)), node));
            for node in component {
                uncalled[node] = more(node).min(left);
                left = left.saturating_sub(uncalled[node]);
            }
        }
        uncalled
    }

    /// What each node and the calls from it to others weigh.
    fn below(&self, value: usize) -> Vec<Cost> {
        let own = self.own[value].iter().map(|&it| Cost::signed(it));
        let mut below: Vec<Cost> = own.collect();
        for edge in &self.edges {
            if edge.caller != edge.callee {
                below[edge.caller.index()] += Cost::signed(edge.weights[value]);
            }
        }
        below
    }

    /// The call relations between functions, sorted by caller, then callee. How much of a callee's self weight
    /// belongs to one of several callers is not known: the self cost of their relations is 0.
    /// O(edges × log).
    pub fn relations(&self, value: usize) -> Vec<Relation> {
        let function = |node: GraphNode| self.nodes[node.index()].function;
        let mut relations: BTreeMap<(FunctionId, FunctionId), Relation> = BTreeMap::new();
        let mut callers: HashMap<FunctionId, u32> = HashMap::new();
        for edge in &self.edges {
            let (caller, callee) = (function(edge.caller), function(edge.callee));
            let relation = relations.entry((caller, callee)).or_insert_with(|| {
                *callers.entry(callee).or_default() += 1;
                Relation {
                    caller,
                    callee,
                    ..Relation::NOTHING
                }
            });
            relation.calls += edge.calls;
            relation.cost += Cost::signed(edge.weights[value]);
        }
        let mut own: HashMap<FunctionId, Cost> = HashMap::new();
        for (node, &weight) in self.nodes.iter().zip(&self.own[value]) {
            *own.entry(node.function).or_default() += Cost::signed(weight);
        }
        for relation in relations.values_mut() {
            if callers.get(&relation.callee) == Some(&1) {
                relation.self_cost = own.get(&relation.callee).copied().unwrap_or_default();
            }
        }
        relations.into_values().collect()
    }

    /// How many functions call each other in a cycle of two or more, so that their totals are not exact; none
    /// where inner calls have nodes of their own. O(nodes + edges).
    pub fn in_cycles(&self) -> u64 {
        if self.nodes.iter().any(|node| node.is_inner) {
            return 0;
        }
        let mut functions = HashSet::new();
        for component in components(self) {
            if component.len() > 1 {
                let nodes = component.into_iter();
                functions.extend(nodes.map(|node| self.nodes[node].function));
            }
        }
        functions.len() as u64
    }
}

/// The nodes of each strongly connected component: Tarjan's algorithm (SIAM J. Comput. 1, 1972), without
/// recursion.
fn components(graph: &Graph) -> Vec<Vec<usize>> {
    const NEW: u32 = u32::MAX;
    let nodes = graph.nodes.len();
    let first: Vec<usize> = (0..=nodes)
        .map(|node| {
            let before = |edge: &Edge| edge.caller.index() < node;
            graph.edges.partition_point(before)
        })
        .collect();
    let mut number = vec![NEW; nodes];
    let mut lowest = vec![0_u32; nodes];
    let mut is_open = vec![false; nodes];
    let (mut open, mut path, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for start in 0..nodes {
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
                let mut component = Vec::new();
                while let Some(member) = open.pop() {
                    is_open[member] = false;
                    component.push(member);
                    if member == at {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}

/// Adds up a call graph. A weight that would bring the sum of a value's sizes past 63 bits is cut and counted
/// (`weight-out-of-range`), and so are calls (`calls-out-of-range`).
pub struct GraphBuilder<'r> {
    reporter: &'r Reporter,
    nodes: Vec<Node>,
    own: Vec<Vec<i64>>,
    sums: Vec<u64>,
    /// Of all edges.
    calls: u64,
    edges: HashMap<(GraphNode, GraphNode), Edge>,
}

impl<'r> GraphBuilder<'r> {
    pub fn new(reporter: &'r Reporter) -> GraphBuilder<'r> {
        GraphBuilder {
            reporter,
            nodes: Vec::new(),
            own: Vec::new(),
            sums: Vec::new(),
            calls: 0,
            edges: HashMap::new(),
        }
    }

    /// One value more.
    pub fn add_value(&mut self) {
        self.own.push(vec![0; self.nodes.len()]);
        self.sums.push(0);
    }

    /// A node for calls of `function`; with `is_inner` for those within another call of it.
    pub fn node(&mut self, function: FunctionId, is_inner: bool) -> GraphNode {
        self.nodes.push(Node { function, is_inner });
        for own in &mut self.own {
            own.push(0);
        }
        GraphNode(self.nodes.len() as u32 - 1)
    }

    /// Adds to what a node itself weighs of `value`.
    pub fn add(
        &mut self,
        node: GraphNode,
        value: usize,
        weight: impl Into<i128>,
        place: impl FnOnce() -> Place,
    ) {
        let (weight, is_cut) = cut(weight.into(), &mut self.sums[value]);
        if is_cut {
            self.reporter.warn("weight-out-of-range", place);
        }
        // No more than their sum, which fits.
        self.own[value][node.index()] += weight;
    }

    /// Adds calls, and by value what they weigh with everything below them.
    pub fn add_calls(
        &mut self,
        caller: GraphNode,
        callee: GraphNode,
        calls: u64,
        weights: impl IntoIterator<Item = (usize, i64)>,
        place: impl FnOnce() -> Place,
    ) {
        let room = u64::MAX - self.calls;
        if calls > room {
            self.reporter.warn("calls-out-of-range", place);
        }
        let calls = calls.min(room);
        self.calls += calls;
        let values = self.own.len();
        let edge = self.edges.entry((caller, callee)).or_insert_with(|| Edge {
            caller,
            callee,
            calls: 0,
            weights: Box::default(),
        });
        edge.widen(values);
        edge.calls += calls;
        for (value, weight) in weights {
            edge.weights[value] = edge.weights[value].saturating_add(weight);
        }
    }

    /// What all functions weigh together of `value`.
    pub fn weight(&self, value: usize) -> Cost {
        self.own[value].iter().map(|&it| Cost::signed(it)).sum()
    }

    pub fn finish(self) -> Graph {
        let values = self.own.len();
        let mut edges: Vec<Edge> = self.edges.into_values().collect();
        edges.sort_unstable_by_key(|edge| (edge.caller, edge.callee));
        for edge in &mut edges {
            edge.widen(values);
        }
        Graph {
            nodes: self.nodes,
            own: self.own,
            edges,
        }
    }
}

impl Edge {
    /// Makes room for values that have come up since.
    fn widen(&mut self, values: usize) {
        if self.weights.len() < values {
            let mut weights = std::mem::take(&mut self.weights).into_vec();
            weights.resize(values, 0);
            self.weights = weights.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place::file("made here")
    }

    /// main calls f, which calls itself; a and b call each other.
    fn small(reporter: &Reporter, inner_is_told: bool) -> Graph {
        let mut builder = GraphBuilder::new(reporter);
        builder.add_value();
        let [main, f, a, b] = [0, 1, 2, 3].map(|id| builder.node(FunctionId(id), false));
        let inner = match inner_is_told {
            true => builder.node(FunctionId(1), true),
            false => f,
        };
        for (node, own) in [(main, 1), (f, 2), (inner, 10), (a, 3), (b, 4)] {
            builder.add(node, 0, own, place);
        }
        builder.add_calls(main, f, 1, [(0, 12)], place);
        builder.add_calls(f, inner, 2, [(0, 10)], place);
        builder.add_calls(inner, inner, 5, [(0, 25)], place);
        builder.add_calls(main, a, 1, [(0, 7)], place);
        builder.add_calls(a, b, 4, [(0, 20)], place);
        builder.add_calls(b, a, 3, [(0, 15)], place);
        builder.finish()
    }

    #[test]
    fn what_nobody_calls_counts_too() {
        let reporter = Reporter::new();
        let mut builder = GraphBuilder::new(&reporter);
        builder.add_value();
        // exec runs a module, which imports another, which exec runs too; start begins a thread and is called once.
        let [exec, module, start, work] =
            [0, 1, 2, 3].map(|id| builder.node(FunctionId(id), false));
        for (node, own) in [(exec, 1), (module, 50), (start, 4), (work, 45)] {
            builder.add(node, 0, own, place);
        }
        builder.add_calls(exec, module, 2, [(0, 65)], place);
        builder.add_calls(module, exec, 1, [(0, 8)], place);
        builder.add_calls(module, start, 1, [(0, 4)], place);
        builder.add_calls(start, work, 1, [(0, 45)], place);
        let graph = builder.finish();
        let metrics = graph.function_metrics(0, 4);
        let totals: Vec<u64> = metrics.iter().map(|it| it.total.ns()).collect();
        // In all 100: 55 below exec, and 45 more below start.
        assert_eq!(totals, [63, 65, 49, 45]);
    }

    #[test]
    fn recursion_counts_once_and_cycles_are_bounded() {
        let reporter = Reporter::new();
        assert_eq!(small(&reporter, true).in_cycles(), 0);
        assert_eq!(small(&reporter, false).in_cycles(), 2);
        for inner_is_told in [false, true] {
            let graph = small(&reporter, inner_is_told);
            assert_eq!(graph.weight(0).ns(), 20);
            let metrics = graph.function_metrics(0, 4);
            let found: Vec<_> = metrics
                .iter()
                .map(|it| (it.calls, it.total.ns(), it.self_cost.ns()))
                .collect();
            assert_eq!(found, [(0, 20, 1), (8, 12, 12), (4, 20, 3), (4, 20, 4)]);
            let relations = graph.relations(0);
            let found: Vec<_> = relations
                .iter()
                .map(|it| {
                    let costs = (it.cost.ns(), it.self_cost.ns());
                    (it.caller.0, it.callee.0, it.calls, costs)
                })
                .collect();
            let expected = [
                (0, 1, 1, (12, 0)),
                (0, 2, 1, (7, 0)),
                (1, 1, 7, (35, 0)),
                (2, 3, 4, (20, 4)),
                (3, 2, 3, (15, 0)),
            ];
            assert_eq!(found, expected);
        }
    }
}
