//! Compaction against the paper's example and a direct evaluation of its rules.

use std::collections::BTreeSet;

use super::*;
use crate::facts::hierarchy::{HierarchyBuilder, Module, NodeId};

/// Names with dots as a hierarchy: packages, classes, methods; by name its module.
fn hierarchy(names: &[&str]) -> (Hierarchy, Vec<ModuleId>) {
    let mut builder = HierarchyBuilder::new("program");
    let mut known: Vec<(String, NodeId)> = Vec::new();
    let mut nodes = Vec::new();
    for name in names {
        let parts: Vec<&str> = name.split('.').collect();
        let mut at = NodeId::ROOT;
        for end in 1..=parts.len() {
            let path = parts[..end].join(".");
            let kind = match end {
                _ if end == parts.len() => ModuleKind::Function,
                2 => ModuleKind::Class,
                _ => ModuleKind::Namespace,
            };
            at = match known.iter().find(|it| it.0 == path) {
                Some((_, node)) => *node,
                None => {
                    let node = builder.add(at, Module::named(kind, parts[end - 1]));
                    known.push((path, node));
                    node
                }
            };
        }
        nodes.push(at);
    }
    let (hierarchy, ids) = builder.build();
    let modules = nodes.into_iter().map(|it| ids[it.index()]).collect();
    (hierarchy, modules)
}

/// Parents, modules and own weights as a tree.
fn tree(parents: Vec<Option<u32>>, modules: Vec<ModuleId>, own: &[u64]) -> Tree {
    let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
    let mut totals = own.to_vec();
    for at in (0..parents.len()).rev() {
        if let Some(parent) = parents[at] {
            let parent = parent as usize;
            ends[parent] = ends[parent].max(ends[at]);
            totals[parent] += totals[at];
        }
    }
    Tree {
        modules,
        parents,
        ends,
        totals,
    }
}

/// The contexts of figure 1: three traces, seen three times, once and twice.
const NAMES: [&str; 10] = [
    "lib1.Whale.breath",
    "lib1.Mammal.inhale",
    "lib2.Lung.inhale",
    "lib2.Muscle.contract",
    "lib2.Nerve.transmit",
    "lib3.Signal.travel",
    "lib3.Pressure.foo",
    "lib3.Blood.flow",
    "lib2.Muscle.stop",
    "lib2.Nerve.transmit",
];

fn figure_1() -> (Hierarchy, Tree) {
    let mut names = NAMES.to_vec();
    names.push("lib3.Signal.travel");
    let (hierarchy, modules) = hierarchy(&names);
    let parents = [
        None,
        Some(0),
        Some(1),
        Some(2),
        Some(3),
        Some(4),
        Some(3),
        Some(6),
        Some(2),
        Some(8),
        Some(9),
    ];
    let own = [0, 0, 0, 0, 0, 3, 0, 1, 0, 0, 2];
    (hierarchy, tree(parents.to_vec(), modules, &own))
}

/// Names and weights of all nodes, each behind that of what calls it.
fn shown(hierarchy: &Hierarchy, compaction: &Compaction) -> Vec<(String, u64, Option<String>)> {
    let name = |node: u32| {
        let path = hierarchy.path(compaction.node(node).module);
        path.replace('/', ".")
    };
    let nodes = compaction.nodes().into_iter();
    let nodes = nodes.map(|it| {
        let of = compaction.node(it);
        (name(it), of.weight, of.parent.map(name))
    });
    let mut nodes: Vec<_> = nodes.collect();
    nodes.sort();
    nodes
}

fn expected(nodes: &[(&str, u64, &str)]) -> Vec<(String, u64, Option<String>)> {
    let nodes = nodes.iter().map(|&(name, weight, parent)| {
        let parent = (!parent.is_empty()).then(|| parent.to_owned());
        (name.to_owned(), weight, parent)
    });
    let mut nodes: Vec<_> = nodes.collect();
    nodes.sort();
    nodes
}

#[test]
fn figure_2_is_the_whole_tree_with_its_weights() {
    let (hierarchy, tree) = figure_1();
    let whole = Compaction::new(tree, &hierarchy, 3);
    let expected = expected(&[
        ("lib1.Whale.breath", 6, ""),
        ("lib1.Mammal.inhale", 6, "lib1.Whale.breath"),
        ("lib2.Lung.inhale", 6, "lib1.Mammal.inhale"),
        ("lib2.Muscle.contract", 4, "lib2.Lung.inhale"),
        ("lib2.Muscle.stop", 2, "lib2.Lung.inhale"),
        ("lib2.Nerve.transmit", 3, "lib2.Muscle.contract"),
        ("lib2.Nerve.transmit", 2, "lib2.Muscle.stop"),
        ("lib3.Pressure.foo", 1, "lib2.Muscle.contract"),
        ("lib3.Blood.flow", 1, "lib3.Pressure.foo"),
        ("lib3.Signal.travel", 3, "lib2.Nerve.transmit"),
        ("lib3.Signal.travel", 2, "lib2.Nerve.transmit"),
    ]);
    assert_eq!(shown(&hierarchy, &whole), expected);
}

#[test]
fn figure_6_is_one_node_a_package() {
    let (hierarchy, tree) = figure_1();
    let packages = Compaction::new(tree, &hierarchy, 1);
    let expected = expected(&[("lib1", 6, ""), ("lib2", 6, "lib1"), ("lib3", 6, "lib2")]);
    assert_eq!(shown(&hierarchy, &packages), expected);
}

#[test]
fn figure_10_has_one_package_compacted() {
    let (hierarchy, tree) = figure_1();
    let levels =
        tree.modules
            .iter()
            .map(|&module| match hierarchy.path(module).starts_with("lib2") {
                true => 1,
                false => 3,
            });
    let levels = levels.collect();
    let partly = Compaction::with(tree, &hierarchy, levels);
    let expected = expected(&[
        ("lib1.Whale.breath", 6, ""),
        ("lib1.Mammal.inhale", 6, "lib1.Whale.breath"),
        ("lib2", 6, "lib1.Mammal.inhale"),
        ("lib3.Signal.travel", 5, "lib2"),
        ("lib3.Pressure.foo", 1, "lib2"),
        ("lib3.Blood.flow", 1, "lib3.Pressure.foo"),
    ]);
    assert_eq!(shown(&hierarchy, &partly), expected);
}

fn node_named(hierarchy: &Hierarchy, compaction: &Compaction, name: &str) -> u32 {
    let is_it = |it: &u32| {
        hierarchy
            .path(compaction.node(*it).module)
            .replace('/', ".")
            == name
    };
    compaction.nodes().into_iter().find(is_it).expect(name)
}

#[test]
fn figures_7_and_8_are_reached_by_expanding_and_what_the_paper_forbids_is_blocked() {
    let (hierarchy, tree) = figure_1();
    let mut at = Compaction::new(tree, &hierarchy, 1);
    let lib2 = node_named(&hierarchy, &at, "lib2");
    at.change(&hierarchy, lib2, true).expect("classes");
    let figure_7 = expected(&[
        ("lib1", 6, ""),
        ("lib2.Lung", 6, "lib1"),
        ("lib2.Muscle", 6, "lib2.Lung"),
        ("lib2.Nerve", 5, "lib2.Muscle"),
        ("lib3", 5, "lib2.Nerve"),
        ("lib3", 1, "lib2.Muscle"),
    ]);
    assert_eq!(shown(&hierarchy, &at), figure_7);
    let muscle = node_named(&hierarchy, &at, "lib2.Muscle");
    at.change(&hierarchy, muscle, true).expect("functions");
    // A package cannot take over a function across a level.
    let lung = node_named(&hierarchy, &at, "lib2.Lung");
    let before = shown(&hierarchy, &at);
    assert_eq!(
        at.change(&hierarchy, lung, false),
        Err(Blocked::AcrossLevels)
    );
    assert_eq!(shown(&hierarchy, &at), before);
    // Nothing is less detailed than what calls it.
    let contract = node_named(&hierarchy, &at, "lib2.Muscle.contract");
    let nerve = at.node(contract).children[0];
    assert_eq!(
        at.change(&hierarchy, nerve, false),
        Err(Blocked::BelowParent)
    );
    assert_eq!(shown(&hierarchy, &at), before);
    let lib1 = node_named(&hierarchy, &at, "lib1");
    assert_eq!(at.change(&hierarchy, lib1, false), Err(Blocked::Compacted));
    assert_eq!(
        at.change(&hierarchy, contract, true),
        Err(Blocked::Expanded)
    );
    for _ in 0..2 {
        at.change_all(&hierarchy, false).expect("one level less");
    }
    assert_eq!(at.change_all(&hierarchy, false), Err(Blocked::Compacted));
    assert_eq!(at.nodes().len(), 3);
    for _ in 0..2 {
        at.change_all(&hierarchy, true).expect("one level more");
    }
    assert_eq!(at.nodes().len(), 11);
    assert_eq!(at.change_all(&hierarchy, true), Err(Blocked::Expanded));
}

/// The relation of the paper as it is written, until nothing more follows; its connected components.
fn direct(hierarchy: &Hierarchy, compaction: &Compaction) -> BTreeSet<BTreeSet<u32>> {
    let tree = compaction.tree();
    let count = tree.modules.len();
    let names: Vec<ModuleId> = (0..count as u32)
        .map(|it| compaction.name(hierarchy, it))
        .collect();
    // What is outermost has one parent, which takes over itself alone.
    let parent = |it: usize| tree.parents[it].map_or(count, |it| it as usize);
    let mut takes = vec![vec![false; count + 1]; count + 1];
    for (it, row) in takes.iter_mut().enumerate() {
        row[it] = true;
    }
    loop {
        let mut is_more = false;
        for a in 0..count {
            for b in 0..count {
                if takes[a][b] || !is_prefix(hierarchy, names[a], names[b]) {
                    continue;
                }
                let by_parent = takes[a][parent(b)];
                let by_both = || (0..=count).any(|d| takes[d][parent(a)] && takes[d][parent(b)]);
                if by_parent || by_both() {
                    takes[a][b] = true;
                    is_more = true;
                }
            }
        }
        if !is_more {
            break;
        }
    }
    let mut part: Vec<usize> = (0..count).collect();
    for (a, row) in takes.iter().enumerate().take(count) {
        for b in 0..count {
            if row[b] && part[a] != part[b] {
                let (from, to) = (part[b], part[a]);
                part.iter_mut()
                    .filter(|it| **it == from)
                    .for_each(|it| *it = to);
            }
        }
    }
    let all: BTreeSet<usize> = part.iter().copied().collect();
    let members = |of: usize| {
        (0..count as u32)
            .filter(|it| part[*it as usize] == of)
            .collect()
    };
    all.into_iter().map(members).collect()
}

fn components(compaction: &Compaction) -> BTreeSet<BTreeSet<u32>> {
    let nodes = compaction.nodes().into_iter();
    nodes
        .map(|it| compaction.contexts(it).into_iter().collect())
        .collect()
}

struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn random_tree(random: &mut Seeded) -> (Hierarchy, Tree) {
    let names = [
        "a.A.f", "a.A.g", "a.B.f", "a.b.C.f", "a.b.C.g", "b.A.f", "b.A.g", "b.h", "c",
    ];
    let (hierarchy, of_names) = hierarchy(&names);
    let (mut parents, mut path): (Vec<Option<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
    for node in 0..1 + random.below(24) as u32 {
        path.truncate(random.below(path.len() as u64 + 1) as usize);
        parents.push(path.last().copied());
        path.push(node);
    }
    let modules = parents
        .iter()
        .map(|_| of_names[random.below(9) as usize])
        .collect();
    let own: Vec<u64> = parents.iter().map(|_| random.below(5)).collect();
    (hierarchy, tree(parents, modules, &own))
}

#[test]
fn nodes_are_the_connected_components_of_the_relation() {
    for seed in 1..400_u64 {
        let mut random = Seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (hierarchy, tree) = random_tree(&mut random);
        let mut compaction = Compaction::new(tree, &hierarchy, 1 + random.below(4) as u16);
        for step in 0..12 {
            assert_eq!(
                components(&compaction),
                direct(&hierarchy, &compaction),
                "seed {seed} {step}"
            );
            // Made anew as a whole it is the same.
            let levels = compaction.levels.clone();
            let anew = Compaction::with(compaction.tree.clone(), &hierarchy, levels);
            assert_eq!(
                shown(&hierarchy, &anew),
                shown(&hierarchy, &compaction),
                "seed {seed}"
            );
            for node in compaction.nodes() {
                let of = compaction.node(node);
                let highest = compaction.contexts(node).into_iter().filter(|&it| {
                    let parent = compaction.tree.parents[it as usize];
                    parent.is_none_or(|it| compaction.node_of(it) != node)
                });
                let weight: u64 = highest.map(|it| compaction.tree.totals[it as usize]).sum();
                assert_eq!(of.weight, weight, "seed {seed}");
            }
            let nodes = compaction.nodes();
            let node = nodes[random.below(nodes.len() as u64) as usize];
            let is_more = random.below(2) == 0;
            let before = shown(&hierarchy, &compaction);
            if compaction.change(&hierarchy, node, is_more).is_err() {
                assert_eq!(shown(&hierarchy, &compaction), before, "seed {seed}");
            }
        }
    }
}

#[test]
fn deep_trees_need_no_stack() {
    let (hierarchy, modules) = hierarchy(&["a.A.f", "b.A.f"]);
    let deep = 200_000_u32;
    let parents = (0..deep).map(|it| it.checked_sub(1)).collect();
    let modules = (0..deep).map(|it| modules[it as usize % 2]).collect();
    let tree = tree(parents, modules, &vec![1; deep as usize]);
    let whole = Compaction::new(tree, &hierarchy, 1);
    assert_eq!(whole.nodes().len(), deep as usize);
    assert_eq!(whole.node(0).weight, u64::from(deep));
    let none = Compaction::new(Tree::default(), &hierarchy, 1);
    assert!(none.nodes().is_empty());
}
