//! One structure for both sides: the union of two hierarchies, in an order that does not depend on which is which.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::pairing::is_nameless;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};

/// The union of two hierarchies.
#[derive(Debug)]
pub(super) struct United {
    pub hierarchy: Hierarchy,
    /// By module of A and of B, the module of the union.
    pub of: [Vec<ModuleId>; 2],
    /// By module of the union, whether A has it, whether B has it.
    pub known: Vec<[bool; 2]>,
    /// Files that lie or are named differently in B, as their paths in A and in B.
    pub moved_files: Vec<[String; 2]>,
}

/// Files are one, moved or renamed, where at least this share of the names of what stands in them agrees: of those in
/// the smaller one where the files have one name, else of those in either.
const SAME_FILE: f64 = 0.5;

/// Files of different names have at least so many names in common.
const LEAST_COMMON: usize = 2;

/// More files than these on one side are not held against all of the other.
const MOST_FILES: usize = 2_000;

/// The union of what stood before a change and what stands after it: modules of one kind and name in one place are
/// one module, then files whose content agrees (half of the names in it at least, the best match on both sides;
/// of equals that with the same name; files of different names have two names in common, one of them in no other file) and
/// what stands in them. Files that are known to be `renamed` come first, as their paths in both. Near linear in modules but
/// for moved files.
pub(super) fn unite(a: &Hierarchy, b: &Hierarchy, renamed: &[[String; 2]]) -> United {
    let mut files = renamed_files(a, b, renamed);
    let mut fixed: HashMap<ModuleId, ModuleId> = files.iter().copied().collect();
    let found = by_place(a, b, &fixed);
    files.extend(moved_files(a, b, &found));
    fixed.extend(files.iter().copied());
    let found = by_place(a, b, &fixed);
    let name = |hierarchy: &Hierarchy, id| hierarchy.path(id);
    let moved_files = files.iter().map(|&(x, y)| [name(a, x), name(b, y)]);
    let moved_files: Vec<_> = moved_files.collect();

    let mut builder = HierarchyBuilder::from_hierarchy(b);
    let mut known = vec![[false, true]; b.len()];
    let mut nodes_of_a: Vec<NodeId> = Vec::with_capacity(a.len());
    for id in a.modules() {
        let node = match (found[id.index()], a.parent(id)) {
            (Some(there), _) => {
                let node = NodeId::of(there);
                builder.set(node, either(a.module(id), b.module(there)));
                node
            }
            (None, Some(parent)) => builder.add(nodes_of_a[parent.index()], a.module(id)),
            (None, None) => NodeId::ROOT,
        };
        if node.index() == known.len() {
            known.push([true, false]);
        }
        known[node.index()][0] = true;
        nodes_of_a.push(node);
    }
    let (hierarchy, modules) = builder.build();
    let mut by_module = vec![[false; 2]; hierarchy.len()];
    for (node, &module) in modules.iter().enumerate() {
        by_module[module.index()] = known[node];
    }
    let of_a = nodes_of_a.iter().map(|node| modules[node.index()]);
    let of_b = b.modules().map(|id| modules[NodeId::of(id).index()]);
    United {
        of: [of_a.collect(), of_b.collect()],
        hierarchy,
        known: by_module,
        moved_files,
    }
}

/// The facts of a module that both have: the larger footprint, so that it is the same in both; the place in B.
fn either<'a>(a: Module<'a>, b: Module<'a>) -> Module<'a> {
    let is_root = b.kind == ModuleKind::Root;
    Module {
        name: if is_root && a.name != b.name {
            "comparison"
        } else {
            b.name
        },
        language: if b.language.is_empty() {
            a.language
        } else {
            b.language
        },
        loc: a.loc.max(b.loc),
        bytes: a.bytes.max(b.bytes),
        comment_lines: a.comment_lines.max(b.comment_lines),
        functions: a.functions.max(b.functions),
        complexity: a.complexity.max(b.complexity),
        ..b
    }
}

/// By module of `a` the module of `b` with the same path; of several of one kind and name in one place the one
/// that comes as many places after the first. `fixed` pairs are taken as given.
fn by_place(
    a: &Hierarchy,
    b: &Hierarchy,
    fixed: &HashMap<ModuleId, ModuleId>,
) -> Vec<Option<ModuleId>> {
    let taken: BTreeSet<ModuleId> = fixed.values().copied().collect();
    let mut found: Vec<Option<ModuleId>> = vec![None; a.len()];
    found[0] = Some(ModuleId::ROOT);
    let mut children: HashMap<(ModuleKind, &str), Vec<ModuleId>> = HashMap::new();
    for parent in a.modules() {
        if a.is_leaf(parent) {
            continue;
        }
        children.clear();
        if let Some(there) = found[parent.index()] {
            for child in b.children(there).filter(|child| !taken.contains(child)) {
                let key = (b.kind(child), b.name(child));
                children.entry(key).or_default().push(child);
            }
        }
        for same in children.values_mut() {
            same.reverse();
        }
        for child in a.children(parent) {
            let same = children.get_mut(&(a.kind(child), a.name(child)));
            let by_name = || same.and_then(Vec::pop);
            found[child.index()] = fixed.get(&child).copied().or_else(by_name);
        }
    }
    found
}

/// The files of these paths, where both are there.
fn renamed_files(
    a: &Hierarchy,
    b: &Hierarchy,
    renamed: &[[String; 2]],
) -> Vec<(ModuleId, ModuleId)> {
    if renamed.is_empty() {
        return Vec::new();
    }
    let [of_a, of_b] = [a, b].map(|hierarchy| {
        let files = hierarchy.modules();
        let files = files.filter(|&id| hierarchy.kind(id) == ModuleKind::File);
        let files = files.map(|id| (hierarchy.path(id), id));
        files.collect::<HashMap<String, ModuleId>>()
    });
    let pairs = renamed.iter();
    pairs
        .filter_map(|[old, new]| Some((*of_a.get(old)?, *of_b.get(new)?)))
        .collect()
}

/// The files of one side alone that are most alike, pair by pair.
fn moved_files(
    a: &Hierarchy,
    b: &Hierarchy,
    found: &[Option<ModuleId>],
) -> Vec<(ModuleId, ModuleId)> {
    let there: BTreeSet<ModuleId> = found.iter().copied().flatten().collect();
    let is_file = |hierarchy: &Hierarchy, id: &ModuleId| {
        hierarchy.kind(*id) == ModuleKind::File && !hierarchy.is_leaf(*id)
    };
    let only_a = a.modules().filter(|id| is_file(a, id));
    let only_a: Vec<ModuleId> = only_a.filter(|id| found[id.index()].is_none()).collect();
    let only_b = b.modules().filter(|id| is_file(b, id));
    let only_b: Vec<ModuleId> = only_b.filter(|id| !there.contains(id)).collect();
    if only_a.len().max(only_b.len()) > MOST_FILES {
        return Vec::new();
    }
    let contents_a: Vec<BTreeSet<&str>> = only_a.iter().map(|&id| contents(a, id)).collect();
    let contents_b: Vec<BTreeSet<&str>> = only_b.iter().map(|&id| contents(b, id)).collect();
    let mut holders_a: HashMap<&str, usize> = HashMap::new();
    for name in contents_a.iter().flatten() {
        *holders_a.entry(name).or_default() += 1;
    }
    // Which files of B have a name: most pairs of files share none, and are never looked at.
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, names) in contents_b.iter().enumerate() {
        for &name in names {
            holders.entry(name).or_default().push(place);
        }
    }
    let mut candidates: Vec<(f64, bool, ModuleId, ModuleId)> = Vec::new();
    for (&file, names) in only_a.iter().zip(&contents_a) {
        // How many names are common, and whether one of them is in no other file.
        let mut common: BTreeMap<usize, (usize, bool)> = BTreeMap::new();
        for name in names {
            let places = holders.get(name).map_or(&[][..], Vec::as_slice);
            let is_rare = places.len() == 1 && holders_a.get(name) == Some(&1);
            for &place in places {
                let (count, has_rare) = common.entry(place).or_default();
                *count += 1;
                *has_rare |= is_rare;
            }
        }
        for (place, (common, has_rare)) in common {
            let [old, new] = [a.name(file), b.name(only_b[place])];
            let is_named = old == new;
            // One name in common may be chance, such as that of the function with which most programs begin.
            let is_told_apart =
                is_named || has_rare && common >= LEAST_COMMON && may_be_renamed(old, new);
            if !is_told_apart {
                continue;
            }
            let all = match is_named {
                true => names.len().min(contents_b[place].len()),
                false => names.len() + contents_b[place].len() - common,
            };
            let likeness = common as f64 / all.max(1) as f64;
            if likeness >= SAME_FILE {
                candidates.push((likeness, is_named, file, only_b[place]));
            }
        }
    }
    candidates.sort_by(|x, y| {
        let by_likeness = y.1.cmp(&x.1).then(y.0.total_cmp(&x.0));
        by_likeness.then_with(|| (x.2, x.3).cmp(&(y.2, y.3)))
    });
    let mut taken = [BTreeSet::new(), BTreeSet::new()];
    candidates.retain(|&(_, _, x, y)| {
        let is_free = !taken[0].contains(&x) && !taken[1].contains(&y);
        if is_free {
            taken[0].insert(x);
            taken[1].insert(y);
        }
        is_free
    });
    let mut pairs: Vec<_> = candidates.into_iter().map(|(_, _, x, y)| (x, y)).collect();
    pairs.sort_unstable();
    pairs
}

/// Whether a file of one name may have the other after a change: one of another language is another file, unless all
/// but the ending stays.
fn may_be_renamed(old: &str, new: &str) -> bool {
    let parts = |name| {
        let path = std::path::Path::new(name);
        (path.file_stem(), path.extension())
    };
    let (old, new) = (parts(old), parts(new));
    old.0 == new.0 || old.1 == new.1
}

/// The names in a file; what every file has, such as `<module>`, tells none from another.
fn contents(hierarchy: &Hierarchy, file: ModuleId) -> BTreeSet<&str> {
    let below = hierarchy.subtree(file).skip(1).map(ModuleId);
    let names = below.map(|id| hierarchy.name(id));
    names.filter(|name| !is_nameless(name)).collect()
}

/// The hierarchy without the functions that `is_left_out` names and what then holds nothing, siblings in order of
/// line, then name: an order that is the same whichever side is A. With the new module of each old one. O(n log n).
pub(super) fn in_order(
    hierarchy: &Hierarchy,
    is_left_out: impl Fn(ModuleId) -> bool,
) -> (Hierarchy, Vec<Option<ModuleId>>) {
    let mut is_kept = vec![true; hierarchy.len()];
    for id in (1..hierarchy.len() as u32).rev().map(ModuleId) {
        let of = hierarchy.module(id);
        is_kept[id.index()] = match hierarchy.is_leaf(id) {
            true => of.kind != ModuleKind::Function || !is_left_out(id),
            // What comes from a source tree has lines or bytes, and stays.
            false => {
                of.loc > 0
                    || of.bytes > 0
                    || hierarchy.children(id).any(|child| is_kept[child.index()])
            }
        };
    }
    let mut builder = HierarchyBuilder::new(hierarchy.name(ModuleId::ROOT));
    builder.set(NodeId::ROOT, hierarchy.module(ModuleId::ROOT));
    let mut nodes: Vec<Option<NodeId>> = vec![None; hierarchy.len()];
    nodes[0] = Some(NodeId::ROOT);
    let mut children = Vec::new();
    for parent in hierarchy.modules() {
        let Some(node) = nodes[parent.index()] else {
            continue;
        };
        children.clear();
        children.extend(hierarchy.children(parent).filter(|id| is_kept[id.index()]));
        children.sort_by_key(|&id| {
            let module = hierarchy.module(id);
            (module.line, module.name, module.kind, id)
        });
        for &child in &children {
            nodes[child.index()] = Some(builder.add(node, hierarchy.module(child)));
        }
    }
    let (ordered, modules) = builder.build();
    let of = |node: &Option<NodeId>| node.map(|node| modules[node.index()]);
    let moved = nodes.iter().map(of).collect();
    (ordered, moved)
}
