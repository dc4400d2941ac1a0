//! The tree against a direct evaluation of the definitions.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::trace::random::random_numbers;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};

fn place() -> Place {
    Place::file("made here")
}

/// Weighted stacks with calls of the innermost function: few functions, so that much recurs.
fn stacks(seed: u64) -> Vec<(Vec<u32>, u64, u64)> {
    let mut random = random_numbers(seed);
    let count = random(60);
    (0..count)
        .map(|_| {
            let depth = 1 + random(7);
            let stack = (0..depth).map(|_| random(4) as u32).collect();
            (stack, random(10), random(5))
        })
        .collect()
}

fn build(stacks: &[(Vec<u32>, u64, u64)]) -> Contexts {
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(2, &reporter);
    for (stack, weight, calls) in stacks {
        let functions = stack.iter().map(|&function| FunctionId(function));
        let context = functions.fold(NodeId::ROOT, |context, function| {
            builder.child(context, function, place)
        });
        builder.add(context, 0, *weight, place);
        builder.add(context, 1, weight * 3, place);
        builder.add_calls(context, *calls, place);
    }
    assert!(reporter.warnings().is_empty());
    builder.finish()
}

#[test]
fn metrics_and_relations_are_what_the_definitions_say() {
    for seed in 0..300 {
        let stacks = stacks(seed);
        let contexts = build(&stacks);
        let paths: BTreeSet<&[u32]> = stacks
            .iter()
            .flat_map(|(stack, ..)| (1..=stack.len()).map(|end| &stack[..end]))
            .collect();
        assert_eq!(contexts.len(), paths.len(), "seed {seed}");
        let deepest = stacks.iter().map(|(stack, ..)| stack.len()).max();
        assert_eq!(contexts.max_depth() as usize, deepest.unwrap_or(0));

        let metrics = contexts.function_metrics(0, 4);
        let mut relations: BTreeMap<(u32, u32), (u64, u64, u64)> = BTreeMap::new();
        for (function, metrics) in metrics.iter().enumerate() {
            let function = function as u32;
            let innermost = |stack: &[u32]| stack.last() == Some(&function);
            let of = stacks.iter().filter(|(stack, ..)| innermost(stack));
            let (calls, own) = of.fold((0, 0), |(calls, own), (_, weight, more)| {
                (calls + more, own + weight)
            });
            let within = stacks
                .iter()
                .filter(|(stack, ..)| stack.contains(&function));
            let total: u64 = within.map(|(_, weight, _)| weight).sum();
            let found = (metrics.calls, metrics.self_cost.ns(), metrics.total.ns());
            assert_eq!(found, (calls, own, total), "seed {seed}");
        }
        let calls = metrics.iter().map(|it| it.calls);
        assert!(calls.eq(contexts.calls_by_function(4)), "seed {seed}");
        for (depth, found) in (1..).zip(contexts.calls_by_depth()) {
            let of_depth = stacks.iter().filter(|(stack, ..)| stack.len() == depth);
            let calls: u64 = of_depth.map(|(.., calls)| calls).sum();
            assert_eq!(found, calls, "seed {seed}, depth {depth}");
        }
        for (stack, weight, calls) in &stacks {
            for (at, pair) in stack.windows(2).enumerate() {
                let sums = relations.entry((pair[0], pair[1])).or_default();
                sums.1 += weight;
                if at + 2 == stack.len() {
                    sums.0 += calls;
                    sums.2 += weight;
                }
            }
        }
        let found = contexts.relations(0);
        let found = found.iter().map(|it| {
            let sums = (it.calls, it.cost.ns(), it.self_cost.ns());
            ((it.caller.0, it.callee.0), sums)
        });
        assert!(found.eq(relations), "seed {seed}");
    }
}

#[test]
fn contexts_stand_in_preorder_and_know_their_subtrees() {
    for seed in 0..100 {
        let stacks = stacks(seed);
        let contexts = build(&stacks);
        let mut reached = 0;
        let mut open: Vec<ContextId> = contexts.children(None).collect();
        open.reverse();
        while let Some(context) = open.pop() {
            assert_eq!(context.0, reached, "seed {seed}");
            reached += 1;
            let below = contexts.children(Some(context));
            let children: Vec<ContextId> = below.collect();
            let sum: u64 = children
                .iter()
                .map(|&child| contexts.total(1, child).ns())
                .sum();
            let own = contexts.self_weight(1, context).ns();
            assert_eq!(contexts.total(1, context).ns(), own + sum);
            for &child in &children {
                assert_eq!(contexts.parent(child), Some(context));
            }
            open.extend(children.iter().rev());
        }
        assert_eq!(reached as usize, contexts.len(), "seed {seed}");
        let all: u64 = stacks.iter().map(|(_, weight, _)| weight * 3).sum();
        assert_eq!(contexts.weight(1).ns(), all);
    }
}

#[test]
fn the_order_of_stacks_changes_no_sum() {
    for seed in 0..50 {
        let mut stacks = stacks(seed);
        let before = build(&stacks);
        stacks.reverse();
        let after = build(&stacks);
        assert_eq!(before.relations(0), after.relations(0));
        assert_eq!(before.function_metrics(1, 4), after.function_metrics(1, 4));
    }
}

#[test]
fn weights_past_64_bits_are_cut_and_counted() {
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    for function in 0..3 {
        let context = builder.child(NodeId::ROOT, FunctionId(function), place);
        builder.add(context, 0, i64::MAX / 2, place);
    }
    assert!(!builder.scale(0, 2));
    let contexts = builder.finish();
    assert_eq!(contexts.weight(0).weight(), i64::MAX);
    assert_eq!(contexts.self_weight(0, ContextId(2)).ns(), 1);
    assert_eq!(reporter.warnings()[0].kind, "weight-out-of-range");
}

#[test]
fn a_tree_as_deep_as_memory_allows_needs_no_stack() {
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    let mut context = NodeId::ROOT;
    for _ in 0..300_000 {
        context = builder.child(context, FunctionId(0), place);
    }
    builder.add(context, 0, 7, place);
    let contexts = builder.finish();
    assert_eq!(contexts.max_depth(), 300_000);
    let metrics = contexts.function_metrics(0, 1);
    assert_eq!((metrics[0].total.ns(), metrics[0].self_cost.ns()), (7, 7));
    assert_eq!(contexts.relations(0).len(), 1);
}

/// A tree as figure 8 of the paper has it: nodes with children in order of appearance.
#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    function: u32,
    parent: Option<usize>,
    calls: u64,
    weight: u64,
}

/// `eliminateRecursions` of figure 8, word by word; for `Merge::Paths` without its look at ancestors.
fn eliminate(contexts: &Contexts, with_recursion: bool) -> Vec<Node> {
    fn get_or_create(out: &mut Vec<Node>, parent: Option<usize>, function: u32) -> usize {
        let known = out
            .iter()
            .position(|it| it.parent == parent && it.function == function);
        known.unwrap_or_else(|| {
            out.push(Node {
                function,
                parent,
                ..Node::default()
            });
            out.len() - 1
        })
    }
    fn go(
        contexts: &Contexts,
        of: Option<ContextId>,
        to: Option<usize>,
        out: &mut Vec<Node>,
        merges: bool,
    ) {
        for child in contexts.children(of).collect::<Vec<_>>() {
            let function = contexts.function(child).0;
            let mut ancestor = to.filter(|_| merges);
            while let Some(at) = ancestor
                && out[at].function != function
            {
                ancestor = out[at].parent;
            }
            let node = ancestor.unwrap_or_else(|| get_or_create(out, to, function));
            out[node].calls += contexts.calls(child).unwrap_or_default();
            out[node].weight += contexts.self_weight(0, child).ns();
            go(contexts, Some(child), Some(node), out, merges);
        }
    }
    let mut out = Vec::new();
    go(contexts, None, None, &mut out, with_recursion);
    out
}

/// The path of functions to each context, with its calls and its self and total weight.
fn by_path(contexts: &Contexts) -> BTreeMap<Vec<u32>, (u64, u64, u64)> {
    let path = |context: ContextId| {
        let around = std::iter::successors(Some(context), |it| contexts.parent(*it));
        let mut path: Vec<u32> = around.map(|it| contexts.function(it).0).collect();
        path.reverse();
        path
    };
    let of = |it: ContextId| {
        (
            contexts.calls(it).unwrap_or_default(),
            contexts.self_weight(0, it).ns(),
            contexts.total(0, it).ns(),
        )
    };
    let all: BTreeMap<_, _> = contexts.ids().map(|it| (path(it), of(it))).collect();
    assert_eq!(all.len(), contexts.len(), "each path once");
    all
}

#[test]
fn recursion_is_merged_as_figure_8_says() {
    let mut smaller = 0;
    for seed in 0..400 {
        let contexts = build(&stacks(seed));
        let identity = |function| function;
        let merged = contexts.merged(Merge::Recursion, identity, &Progress::new());
        let merged = merged.expect("nobody cancels");
        let direct = eliminate(&contexts, true);
        let path = |mut at: Option<usize>| {
            let mut path = Vec::new();
            while let Some(node) = at {
                path.push(direct[node].function);
                at = direct[node].parent;
            }
            path.reverse();
            path
        };
        let paths: Vec<Vec<u32>> = (0..direct.len()).map(|it| path(Some(it))).collect();
        let total = |of: &Vec<u32>| -> u64 {
            let all = paths.iter().zip(&direct);
            all.filter(|(path, _)| path.starts_with(of))
                .map(|(_, it)| it.weight)
                .sum()
        };
        let expected: BTreeMap<_, _> = paths
            .iter()
            .zip(&direct)
            .map(|(path, it)| (path.clone(), (it.calls, it.weight, total(path))))
            .collect();
        assert_eq!(by_path(&merged), expected, "seed {seed}");
        assert_eq!(merged.weight(1), contexts.weight(1), "seed {seed}");
        smaller += usize::from(merged.len() < contexts.len());
        let plain = contexts.merged(Merge::Paths, identity, &Progress::new());
        assert_eq!(by_path(&plain.expect("nobody cancels")), by_path(&contexts));
    }
    assert!(smaller > 200, "{smaller} of the trees had recursion");
}

#[test]
fn by_function_is_one_ring_of_own_metrics() {
    for seed in 0..100 {
        let contexts = build(&stacks(seed));
        let merged = contexts.merged(Merge::Functions, |it| it, &Progress::new());
        let merged = merged.expect("nobody cancels");
        let metrics = contexts.function_metrics(0, 4);
        for context in merged.ids() {
            let of = &metrics[merged.function(context).index()];
            assert_eq!(merged.parent(context), None);
            assert_eq!(merged.calls(context), Some(of.calls));
            assert_eq!(merged.self_weight(0, context), of.self_cost);
            assert_eq!(merged.total(0, context), of.self_cost);
        }
    }
}

#[test]
fn functions_taken_for_one_share_their_contexts() {
    for seed in 0..100 {
        let stacks = stacks(seed);
        let halved: Vec<_> = stacks
            .iter()
            .map(|(stack, weight, calls)| {
                (stack.iter().map(|it| it / 2).collect(), *weight, *calls)
            })
            .collect();
        let half = |function: FunctionId| FunctionId(function.0 / 2);
        let merged = build(&stacks).merged(Merge::Paths, half, &Progress::new());
        assert_eq!(
            by_path(&merged.expect("nobody cancels")),
            by_path(&build(&halved))
        );
    }
}

/// A path of functions that are all different, below which each is called once more: every look at ancestors has far to
/// go.
#[test]
fn deep_recursion_is_merged_without_a_stack_and_in_time() {
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    let mut context = NodeId::ROOT;
    let deep = 60_000;
    for function in (0..deep).chain(0..deep).chain((0..deep).rev()) {
        context = builder.child(context, FunctionId(function), place);
        builder.add(context, 0, 1, place);
        builder.add_calls(context, 1, place);
    }
    let contexts = builder.finish();
    let merged = contexts.merged(Merge::Recursion, |it| it, &Progress::new());
    let merged = merged.expect("nobody cancels");
    assert_eq!((merged.len(), merged.max_depth()), (deep as usize, deep));
    assert_eq!(merged.total(0, ContextId(0)).ns(), u64::from(deep) * 3);
    assert!(merged.ids().all(|it| merged.calls(it) == Some(3)));
    let cancelled = Progress::new();
    cancelled.cancel();
    assert!(contexts.merged(Merge::Paths, |it| it, &cancelled).is_err());
}

/// Drawn as nothing is what weighs less than nothing, where nothing below it weighs more; what weighs nothing is not
/// among it.
#[test]
fn contexts_that_weigh_less_than_nothing_are_counted() {
    let (mut negative, mut others) = (0, 0);
    for seed in 0..200 {
        let reporter = Reporter::new();
        let mut builder = ContextsBuilder::new(1, &reporter);
        for (stack, weight, _) in stacks(seed) {
            let functions = stack.iter().map(|&function| FunctionId(function));
            let context = functions.fold(NodeId::ROOT, |context, function| {
                builder.child(context, function, place)
            });
            builder.add(context, 0, weight as i64 - 5, place);
        }
        let contexts = builder.finish();
        let before = contexts.negative_before(0);
        let count = |at: usize| before.get(at).copied().unwrap_or(0);
        for id in contexts.ids() {
            let below = contexts.subtree(id).map(ContextId);
            let own = below.map(|it| contexts.self_weight(0, it).weight());
            let own: Vec<i64> = own.collect();
            let is_negative = own.iter().all(|it| *it <= 0) && own.iter().any(|it| *it < 0);
            let counted = count(id.index() + 1) - count(id.index());
            assert_eq!(counted == 1, is_negative, "seed {seed}, {id:?}");
            negative += usize::from(is_negative);
            others += usize::from(!is_negative);
        }
    }
    assert!(negative > 100 && others > 100, "{negative} {others}");
}

/// A subtree has the same sums, and a way leads to its context in the tree with and without recursion.
#[test]
fn ways_lead_to_the_same_subtree_whatever_is_merged() {
    let mut reached = 0;
    for seed in 0..100 {
        let contexts = build(&stacks(seed));
        let merged = contexts.merged(Merge::Recursion, |it| it, &Progress::new());
        let merged = merged.expect("nobody cancels");
        for id in contexts.ids() {
            let (way, below) = (contexts.way(id), contexts.below(id));
            assert_eq!(contexts.at_way(&way, Merge::Paths, 0), Some(id));
            let depths = below.ids().map(|it| below.way(it).len() as u32);
            assert_eq!(Some(below.max_depth()), depths.max());
            for (own, whole) in below.ids().zip(contexts.subtree(id).map(ContextId)) {
                assert_eq!(below.function(own), contexts.function(whole));
                assert_eq!(below.calls(own), contexts.calls(whole));
                assert_eq!(below.total(0, own), contexts.total(0, whole));
                assert_eq!(below.self_weight(0, own), contexts.self_weight(0, whole));
                let around = [
                    contexts.way(whole)[..way.len() - 1].to_vec(),
                    below.way(own),
                ];
                assert_eq!(around.concat(), contexts.way(whole));
            }
            let without = merged
                .at_way(&way, Merge::Recursion, 0)
                .expect("it is there");
            assert_eq!(merged.function(without), contexts.function(id));
        }
        // What stands for several leads to one of them, and back.
        for id in merged.ids() {
            let one = contexts
                .at_way(&merged.way(id), Merge::Paths, 0)
                .expect("there");
            let back = merged.at_way(&contexts.way(one), Merge::Recursion, 0);
            assert_eq!(back, Some(id), "seed {seed}");
            reached += usize::from(contexts.way(one) != merged.way(id));
        }
        let absent = [contexts.way(ContextId(0)), vec![FunctionId(99)]].concat();
        assert_eq!(
            contexts.at_way(&absent, Merge::Paths, 0),
            Some(ContextId(0))
        );
        assert_eq!(contexts.at_way(&[FunctionId(99)], Merge::Paths, 0), None);
    }
    assert!(reached > 0, "some are only reached through recursion");
}
