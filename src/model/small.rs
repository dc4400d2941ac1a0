//! Keeps what was not written by hand small on the map: generated, vendored, minified and data-like files. Where it is
//! most of a tree, such as a package with its build, it is what people came to see, and keeps its size.

use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// What was not written by hand has at most this share of all footprints together.
pub const SHARE: f64 = 0.1;

/// Makes the footprints of what was not written by hand smaller, all by one factor, where it has more than [`SHARE`] of
/// all and no more than half; by which factor, 1 where there is no need. `areas` are sums of what each module holds.
/// O(n + files × depth).
pub fn keep_small(hierarchy: &Hierarchy, areas: &mut [f64]) -> f64 {
    let files: Vec<ModuleId> = made(hierarchy).collect();
    let amount =
        |areas: &[f64], id: ModuleId| areas.get(id.index()).copied().unwrap_or(0.0).max(0.0);
    let made: f64 = files.iter().map(|&id| leaves(hierarchy, areas, id)).sum();
    let all = leaves(hierarchy, areas, ModuleId::ROOT);
    let by_hand = all - made;
    let most = by_hand * SHARE / (1.0 - SHARE);
    if made > by_hand || made <= most {
        return 1.0;
    }
    let factor = most / made;
    for file in files {
        let less = amount(areas, file) * (1.0 - factor);
        for around in hierarchy.ancestors(file).skip(1) {
            if let Some(area) = areas.get_mut(around.index()) {
                *area = (*area - less).max(0.0);
            }
        }
        let subtree = hierarchy.subtree(file);
        for id in subtree.map(ModuleId) {
            if let Some(area) = areas.get_mut(id.index()) {
                *area *= factor;
            }
        }
    }
    factor
}

/// How many files were not written by hand. O(n).
pub fn count(hierarchy: &Hierarchy) -> usize {
    made(hierarchy).count()
}

fn made(hierarchy: &Hierarchy) -> impl Iterator<Item = ModuleId> + '_ {
    let files = hierarchy.outermost_files();
    files.filter(|&id| !hierarchy.file_kind(id).is_by_hand())
}

/// What a module takes on the map: its own amount or that of what it holds, whichever is larger.
fn leaves(hierarchy: &Hierarchy, areas: &[f64], id: ModuleId) -> f64 {
    let mut sum = 0.0;
    let subtree = hierarchy.subtree(id);
    let mut next = subtree.start;
    while next < subtree.end {
        let at = ModuleId(next);
        let is_file = hierarchy.kind(at) == ModuleKind::File;
        if is_file || hierarchy.is_leaf(at) {
            let inside = hierarchy.subtree(at).map(ModuleId);
            let of_leaves = inside.filter(|&it| hierarchy.is_leaf(it));
            let of_leaves = of_leaves.filter_map(|it| areas.get(it.index()));
            let of_leaves: f64 = of_leaves
                .filter(|it| it.is_finite())
                .map(|it| it.max(0.0))
                .sum();
            let own = areas.get(at.index()).copied().unwrap_or(0.0);
            sum += of_leaves.max(own.max(0.0));
            next = hierarchy.subtree(at).end;
        } else {
            next += 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};
    use callscape_facts::kinds::{FileKind, Made};

    /// Two directories with a file each that was written by hand, and one that was not.
    fn tree(by_hand: u32, generated: u32) -> (Hierarchy, Vec<f64>) {
        let mut builder = HierarchyBuilder::new("root");
        for name in ["a", "b"] {
            let folder = Module {
                loc: by_hand + generated,
                ..Module::named(ModuleKind::Directory, name)
            };
            let folder = builder.add(NodeId::ROOT, folder);
            for (name, loc, made) in [
                ("hand.c", by_hand, Made::Hand),
                ("parser.c", generated, Made::Generated),
            ] {
                let file_kind = FileKind {
                    made,
                    ..FileKind::default()
                };
                let file = Module {
                    loc,
                    file_kind,
                    ..Module::named(ModuleKind::File, name)
                };
                let file = builder.add(folder, file);
                let function = Module {
                    loc: loc / 2,
                    file_kind,
                    ..Module::named(ModuleKind::Function, "f")
                };
                builder.add(file, function);
            }
        }
        let root = Module {
            loc: 2 * (by_hand + generated),
            ..Module::named(ModuleKind::Root, "root")
        };
        builder.set(NodeId::ROOT, root);
        let (hierarchy, _) = builder.build();
        let modules = hierarchy.modules();
        let areas = modules
            .map(|id| f64::from(hierarchy.module(id).loc))
            .collect();
        (hierarchy, areas)
    }

    #[test]
    fn what_was_generated_has_a_tenth_at_most_unless_it_is_most_of_all() {
        for (by_hand, generated) in [
            (900, 100),
            (900, 101),
            (501, 500),
            (499, 500),
            (10, 1_000_000),
            (1000, 0),
            (0, 1000),
        ] {
            let (hierarchy, before) = tree(by_hand, generated);
            let mut areas = before.clone();
            let factor = keep_small(&hierarchy, &mut areas);
            if generated > by_hand || generated * 9 <= by_hand {
                assert_eq!((factor, &areas), (1.0, &before));
                continue;
            }
            let of = |name: &str| -> f64 {
                let named = hierarchy.modules().filter(|&id| hierarchy.name(id) == name);
                named.map(|id| areas[id.index()]).sum()
            };
            let share = of("parser.c") / of("root");
            assert!((share - SHARE).abs() < 1e-9, "{share}");
            assert_eq!(of("hand.c"), 2.0 * f64::from(by_hand));
            let sum = of("parser.c") + of("hand.c");
            assert!((of("root") - sum).abs() < 1e-6 * sum);
            assert!((of("a") + of("b") - sum).abs() < 1e-6 * sum);
        }
    }
}
