//! Seeded programs against a direct evaluation of the definition.

use super::*;

struct Seeded(u64);

impl Seeded {
    fn new(seed: u64) -> Seeded {
        Seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn random_program(random: &mut Seeded) -> Program {
    // A function within a function, one beside a package of its name, and names of all lengths.
    let names = [
        "a.A.f",
        "a.A.g",
        "a.B.f",
        "a.b.C.f",
        "a.b.C.g",
        "a.b.C.g.h",
        "b.A.f",
        "b.A",
        "b.h",
        "c",
    ];
    let (hierarchy, mut modules) = hierarchy(&names);
    // Two functions that are known by their package alone.
    let package = hierarchy.parent(modules[2]).expect("a package");
    modules.extend([package, package]);
    let functions = modules.len() as u64;
    let count = 1 + random.below(24) as usize;
    let nodes: Vec<_> = (0..count)
        .map(|at| {
            let is_outermost = at == 0 || random.below(12) == 0;
            let parent = (!is_outermost).then(|| {
                let near = random.below(3) > 0;
                let from = if near { at.saturating_sub(3) } else { 0 };
                from + random.below((at - from) as u64) as usize
            });
            (random.below(functions) as u32, parent, random.below(5))
        })
        .collect();
    Program::new(hierarchy, modules, contexts(&nodes))
}

#[test]
fn nodes_are_the_connected_components_of_the_relation_at_any_levels() {
    for seed in 1..300 {
        let mut random = Seeded::new(seed);
        let program = random_program(&mut random);
        let levels = program.contexts.ids().map(|_| random.below(6) as u16);
        let levels = levels.collect();
        check(&program, &Compaction::with(program.tree(), levels), seed);
    }
}

#[test]
fn actions_lead_to_the_components_of_the_new_levels() {
    let mut blocked = [0, 0];
    for seed in 1..250 {
        let mut random = Seeded::new(seed);
        let program = random_program(&mut random);
        let tree = program.tree();
        let mut compaction = Compaction::new(tree, 1 + random.below(4) as u16);
        for _ in 0..10 {
            let before = by_first(&program, &compaction);
            let (levels, shown) = (compaction.levels.clone(), program.shown(&compaction));
            let direction = [Expand, Compact][random.below(2) as usize];
            if random.below(6) == 0 {
                if let Ok(changed) = compaction.all_changed(tree, direction) {
                    for (context, &level) in levels.iter().enumerate() {
                        let full = tree.full_length(context as u32);
                        let expected = match direction {
                            Expand => vec![(level + 1).min(full)],
                            // Some keep theirs: they would be shorter than what calls them.
                            Compact => vec![(level - 1).max(1), level],
                        };
                        assert!(expected.contains(&changed.levels[context]), "seed {seed}");
                    }
                    compaction = changed;
                }
                check(&program, &compaction, seed);
                continue;
            }
            let all = compaction.all();
            let node = all[random.below(all.len() as u64) as usize];
            let of = members(&program, &compaction, node);
            match compaction.change(tree, node, direction) {
                Ok(change) => {
                    for (context, &level) in levels.iter().enumerate() {
                        let full = tree.full_length(context as u32);
                        let expected = match (of.contains(&(context as u32)), direction) {
                            (false, _) => level,
                            (true, Expand) => (level + 1).min(full),
                            (true, Compact) => (level - 1).max(1),
                        };
                        assert_eq!(compaction.levels[context], expected, "seed {seed}");
                    }
                    check_change(&change, &before, &by_first(&program, &compaction));
                }
                Err(reason) => {
                    assert_eq!(program.shown(&compaction), shown, "seed {seed}");
                    assert_eq!(compaction.levels, levels, "seed {seed}");
                    match reason {
                        Blocked::BelowParent { .. } => blocked[0] += 1,
                        Blocked::AcrossLevels { .. } => blocked[1] += 1,
                        _ => {}
                    }
                }
            }
            check(&program, &compaction, seed);
        }
    }
    assert!(blocked.iter().all(|it| *it > 3), "tried too: {blocked:?}");
}

#[test]
fn compacting_is_blocked_across_levels_exactly_where_the_relation_would_go_across() {
    for seed in 1..250 {
        let mut random = Seeded::new(seed);
        let program = random_program(&mut random);
        let tree = program.tree();
        let mut compaction = Compaction::new(tree, 1);
        for _ in 0..8 {
            let all = compaction.all();
            let node = all[random.below(all.len() as u64) as usize];
            if random.below(3) > 0 {
                let _ = compaction.change(tree, node, Expand);
                continue;
            }
            let mut lowered = compaction.clone();
            for it in members(&program, &compaction, node) {
                let level = &mut lowered.levels[it as usize];
                *level = (*level - 1).max(1);
            }
            let takes = takes_over(&program, &lowered);
            let count = program.contexts.len();
            let length = |it: usize| lowered.levels[it];
            let is_across =
                (0..count).any(|a| (0..count).any(|b| takes[a][b] && length(b) > length(a) + 1));
            match compaction.change(tree, node, Compact) {
                Ok(_) => assert!(!is_across, "seed {seed}"),
                Err(Blocked::AcrossLevels { outer, inner }) => {
                    assert!(is_across, "seed {seed}");
                    assert!(program.names.is_prefix(outer, inner));
                    let [outer, inner] = [outer, inner].map(|it| program.names.length(it));
                    assert!(inner > outer + 1, "seed {seed}");
                }
                Err(_) => {}
            }
        }
    }
}

#[test]
fn what_lies_elsewhere_keeps_its_nodes() {
    // Below `main` two packages; one of them has much below it.
    let names = ["main", "a.A.f", "a.A.g", "b.B.f", "b.C.f"];
    let (hierarchy, modules) = hierarchy(&names);
    let mut nodes = vec![
        (0, None, 1),
        (1, Some(0), 1),
        (2, Some(1), 1),
        (3, Some(0), 1),
    ];
    for it in 0..60 {
        let parent = nodes.len() - 1;
        nodes.push((3 + it % 2, Some(parent), 1));
    }
    let program = Program::new(hierarchy, modules, contexts(&nodes));
    let tree = program.tree();
    let mut compaction = Compaction::new(tree, 2);
    let elsewhere: Vec<_> = (3..64)
        .map(|it| compaction.node_of(tree, ContextId(it)))
        .collect();
    let node = program.node_named(&compaction, "a.A");
    compaction.change(tree, node, Expand).expect("functions");
    let node = program.node_named(&compaction, "a.A.f");
    compaction.change(tree, node, Compact).expect("the class");
    let after: Vec<_> = (3..64)
        .map(|it| compaction.node_of(tree, ContextId(it)))
        .collect();
    assert_eq!(after, elsewhere);
    check(&program, &compaction, 0);
}

#[test]
fn no_full_name_is_a_strict_prefix_of_another() {
    let program = random_program(&mut Seeded::new(7));
    let functions = || (0..program.modules.len() as u32).map(FunctionId);
    let full = |it: FunctionId| program.names.shortened(it, u16::MAX);
    for (function, elements) in functions().map(|it| (it, program.elements(it.index()))) {
        assert_eq!(
            usize::from(program.names.full_length(function)),
            elements.len()
        );
        for level in 1..=elements.len() {
            let name = program.names.shortened(function, level as u16);
            assert_eq!(usize::from(program.names.length(name)), level);
            let shorter = program.names.without_last(name);
            let expected = program.names.shortened(function, (level as u16 - 1).max(1));
            assert_eq!(shorter, expected);
            for other in functions() {
                let of_other = program.elements(other.index());
                let is_prefix = of_other.starts_with(&elements[..level]);
                assert_eq!(program.names.is_prefix(name, full(other)), is_prefix);
            }
        }
        for other in functions().filter(|&it| full(it) != full(function)) {
            assert!(!program.names.is_prefix(full(function), full(other)));
        }
    }
}

#[test]
fn deep_and_wide_trees_are_compacted_too() {
    let (hierarchy, modules) = hierarchy(&["a.A.f", "b.A.f"]);
    let deep: Vec<_> = (0..100_000_usize)
        .map(|it| (it as u32 % 2, it.checked_sub(1), 1))
        .collect();
    let program = Program::new(hierarchy, modules, contexts(&deep));
    let whole = Compaction::new(program.tree(), 1);
    assert_eq!(whole.len(), deep.len());
    let first = whole.node_of(program.tree(), ContextId(0));
    assert_eq!(whole.weight(first), deep.len() as u64);

    let names: Vec<String> = (0..3_000).map(|it| format!("a.f{it}")).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.push("main");
    let (hierarchy, modules) = self::hierarchy(&names);
    let wide = (0..3_000_u32).map(|it| (it, Some(0), 1));
    let wide: Vec<_> = std::iter::once((3_000, None, 0)).chain(wide).collect();
    let program = Program::new(hierarchy, modules, contexts(&wide));
    let tree = program.tree();
    let mut compaction = Compaction::new(tree, 1);
    assert_eq!(compaction.len(), 2);
    let package = program.node_named(&compaction, "a");
    compaction.change(tree, package, Expand).expect("functions");
    assert_eq!(compaction.len(), 3_001);

    let none = Program::new(hierarchy_of_nothing(), Vec::new(), Contexts::default());
    let nothing = Compaction::new(none.tree(), 1);
    assert!(nothing.is_empty() && nothing.all().is_empty());
    assert_eq!(
        nothing.all_changed(none.tree(), Expand).err(),
        Some(Blocked::Expanded)
    );
}
