//! The tree against a direct evaluation of the definitions.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::warnings::{Place, Reporter};

fn place() -> Place {
    Place::file("made here")
}

/// Weighted stacks with calls of the innermost function: few functions, so that much recurs.
fn stacks(seed: u64) -> Vec<(Vec<u32>, u64, u64)> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
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
        builder.add_calls(context, *calls);
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
        builder.add(context, 0, u64::MAX / 2, place);
    }
    assert!(!builder.scale(0, 2));
    let contexts = builder.finish();
    assert_eq!(contexts.weight(0).ns(), u64::MAX);
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
