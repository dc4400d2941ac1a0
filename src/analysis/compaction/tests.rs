//! Compaction against the paper's example and a direct evaluation of its definition.

mod named;
mod seeded;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Direction::{Compact, Expand};
use super::*;
use crate::session::{Inputs, Session};
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::ContextsBuilder;
use callscape_facts::hierarchy::{self, Hierarchy, HierarchyBuilder, Module, ModuleKind};

struct Program {
    hierarchy: Hierarchy,
    modules: Vec<ModuleId>,
    names: Names,
    contexts: Contexts,
}

impl Program {
    fn new(hierarchy: Hierarchy, modules: Vec<ModuleId>, contexts: Contexts) -> Program {
        Program {
            names: Names::new(&hierarchy, &modules, |_| ""),
            hierarchy,
            modules,
            contexts,
        }
    }

    fn tree(&self) -> Tree<'_> {
        Tree {
            contexts: &self.contexts,
            value: 0,
            names: &self.names,
        }
    }

    /// The elements of a function's full name.
    fn elements(&self, function: usize) -> Vec<String> {
        let module = self.modules[function];
        let path = self.hierarchy.path(module);
        let mut elements: Vec<String> = match module {
            ModuleId::ROOT => Vec::new(),
            _ => path.split('/').map(str::to_owned).collect(),
        };
        let kind = self.hierarchy.kind(module);
        if kind != ModuleKind::Function || !self.hierarchy.is_leaf(module) {
            elements.push(format!("#{function}"));
        }
        elements
    }

    /// The elements of a context's compacted name.
    fn compacted(&self, compaction: &Compaction, context: u32) -> Vec<String> {
        let function = self.contexts.function(ContextId(context));
        let mut elements = self.elements(function.index());
        elements.truncate(compaction.levels[context as usize].into());
        elements
    }

    fn display(&self, name: Name) -> String {
        let path = self.hierarchy.path(self.names.module(name));
        let path = path.replace('/', ".");
        match self.names.function(name) {
            Some(function) => format!("{path}.#{}", function.0),
            None => path,
        }
    }

    /// Names and weights of all nodes, each with the name of what calls it.
    fn shown(&self, compaction: &Compaction) -> Vec<(String, u64, String)> {
        let name = |node: NodeId| self.display(compaction.name(node));
        let nodes = compaction.all().into_iter();
        let nodes = nodes.map(|it| {
            let parent = compaction.parent(it).map_or(String::new(), name);
            (name(it), compaction.weight(it), parent)
        });
        let mut nodes: Vec<_> = nodes.collect();
        nodes.sort();
        nodes
    }

    fn node_named(&self, compaction: &Compaction, name: &str) -> NodeId {
        let mut all = compaction.all().into_iter();
        let is_it = |it: &NodeId| self.display(compaction.name(*it)) == name;
        all.find(is_it).expect(name)
    }
}

fn expected(nodes: &[(&str, u64, &str)]) -> Vec<(String, u64, String)> {
    let nodes = nodes.iter();
    let nodes = nodes.map(|&(name, weight, parent)| (name.to_owned(), weight, parent.to_owned()));
    let mut nodes: Vec<_> = nodes.collect();
    nodes.sort();
    nodes
}

/// Names with dots as a hierarchy, in which functions may lie within functions.
fn hierarchy(names: &[&str]) -> (Hierarchy, Vec<ModuleId>) {
    let mut builder = HierarchyBuilder::new("program");
    let mut known: BTreeMap<String, hierarchy::NodeId> = BTreeMap::new();
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    for name in sorted {
        let mut at = hierarchy::NodeId::ROOT;
        let ends = name.match_indices('.').map(|it| it.0);
        for end in ends.chain([name.len()]) {
            let path = &name[..end];
            let kind = match names.contains(&path) {
                true => ModuleKind::Function,
                false => ModuleKind::Namespace,
            };
            let own = path.rsplit('.').next().unwrap_or(path);
            at = *known
                .entry(path.to_owned())
                .or_insert_with(|| builder.add(at, Module::named(kind, own)));
        }
    }
    let (hierarchy, ids) = builder.build();
    let modules = names.iter().map(|name| ids[known[*name].index()]);
    let modules = modules.collect();
    (hierarchy, modules)
}

/// A tree of contexts: the function, parent and own weight of each.
fn contexts(of: &[(u32, Option<usize>, u64)]) -> Contexts {
    let reporter = Reporter::new();
    let place = || Place::file("a test");
    let mut builder = ContextsBuilder::new(1, &reporter);
    let mut nodes = Vec::new();
    for &(function, parent, weight) in of {
        let root = callscape_facts::contexts::NodeId::ROOT;
        let around = parent.map_or(root, |it| nodes[it]);
        let node = builder.child(around, FunctionId(function), place);
        builder.add(node, 0, weight, place);
        nodes.push(node);
    }
    builder.finish()
}

/// The program of figure 1, read from the text that the paper prints.
fn figure_1() -> Program {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let inputs = Inputs {
        recordings: vec![folder.join("tests/data/import/hprof/figure1.hprof.txt")],
        ..Inputs::default()
    };
    let session = Session::open(&inputs, &Progress::new()).expect("the paper's text");
    let resolved = &session.recordings[0];
    let profile = resolved.recording.profile.as_ref().expect("samples");
    let contexts = profile.contexts().expect("call stacks").clone();
    let modules = resolved.resolution.modules.clone();
    Program::new(session.hierarchy, modules, contexts)
}

#[test]
fn figure_2_is_the_whole_tree_with_its_weights() {
    let program = figure_1();
    let whole = Compaction::new(program.tree(), 3);
    let figure = expected(&[
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
    assert_eq!(program.shown(&whole), figure);
}

#[test]
fn figure_6_is_one_node_a_package() {
    let program = figure_1();
    let packages = Compaction::new(program.tree(), 1);
    let figure = expected(&[("lib1", 6, ""), ("lib2", 6, "lib1"), ("lib3", 6, "lib2")]);
    assert_eq!(program.shown(&packages), figure);
}

#[test]
fn figure_10_has_one_package_compacted() {
    let program = figure_1();
    let levels = program.contexts.ids().map(|it| {
        let function = program.contexts.function(it);
        match program.elements(function.index())[0].as_str() {
            "lib2" => 1,
            _ => 3,
        }
    });
    let partly = Compaction::with(program.tree(), levels.collect());
    let figure = expected(&[
        ("lib1.Whale.breath", 6, ""),
        ("lib1.Mammal.inhale", 6, "lib1.Whale.breath"),
        ("lib2", 6, "lib1.Mammal.inhale"),
        ("lib3.Signal.travel", 5, "lib2"),
        ("lib3.Pressure.foo", 1, "lib2"),
        ("lib3.Blood.flow", 1, "lib3.Pressure.foo"),
    ]);
    assert_eq!(program.shown(&partly), figure);
}

#[test]
fn figures_7_and_8_are_reached_by_expanding_from_figure_6() {
    let program = figure_1();
    let tree = program.tree();
    let mut at = Compaction::new(tree, 1);
    let lib2 = program.node_named(&at, "lib2");
    at.change(tree, lib2, Expand).expect("classes");
    let figure_7 = expected(&[
        ("lib1", 6, ""),
        ("lib2.Lung", 6, "lib1"),
        ("lib2.Muscle", 6, "lib2.Lung"),
        ("lib2.Nerve", 5, "lib2.Muscle"),
        ("lib3", 5, "lib2.Nerve"),
        ("lib3", 1, "lib2.Muscle"),
    ]);
    assert_eq!(program.shown(&at), figure_7);
    let muscle = program.node_named(&at, "lib2.Muscle");
    let right = at.children(Some(muscle));
    let right = right.into_iter().find(|&it| at.weight(it) == 1);
    at.change(tree, right.expect("lib3"), Expand)
        .expect("one side alone");
    let figure_8 = expected(&[
        ("lib1", 6, ""),
        ("lib2.Lung", 6, "lib1"),
        ("lib2.Muscle", 6, "lib2.Lung"),
        ("lib2.Nerve", 5, "lib2.Muscle"),
        ("lib3", 5, "lib2.Nerve"),
        ("lib3.Pressure", 1, "lib2.Muscle"),
        ("lib3.Blood", 1, "lib3.Pressure"),
    ]);
    assert_eq!(program.shown(&at), figure_8);
}

#[test]
fn what_the_paper_forbids_is_blocked_and_says_why() {
    let program = figure_1();
    let tree = program.tree();
    let mut at = Compaction::new(tree, 1);
    let lib2 = program.node_named(&at, "lib2");
    assert_eq!(at.change(tree, lib2, Compact), Err(Blocked::Compacted));
    at.change(tree, lib2, Expand).expect("classes");
    let muscle = program.node_named(&at, "lib2.Muscle");
    at.change(tree, muscle, Expand).expect("functions");
    let before = program.shown(&at);
    // The paper's own case: `lib2` would take over `lib2.Muscle.contract`.
    let lung = program.node_named(&at, "lib2.Lung");
    let Err(Blocked::AcrossLevels { outer, inner }) = at.change(tree, lung, Compact) else {
        panic!("it takes over functions");
    };
    assert_eq!(program.display(outer), "lib2");
    let inner = program.display(inner);
    assert!(inner == "lib2.Muscle.contract" || inner == "lib2.Muscle.stop");
    let nerve = at
        .all()
        .into_iter()
        .find(|&it| program.display(at.name(it)) == "lib2.Nerve");
    let Err(Blocked::BelowParent { node, parent }) =
        at.change(tree, nerve.expect("lib2.Nerve"), Compact)
    else {
        panic!("it is called by a function");
    };
    assert_eq!(program.display(node), "lib2.Nerve");
    assert!(program.display(parent).starts_with("lib2.Muscle."));
    assert_eq!(
        program.shown(&at),
        before,
        "what is blocked changes nothing"
    );
    let whole = Compaction::new(tree, 3);
    assert_eq!(
        whole.all_changed(tree, Expand).err(),
        Some(Blocked::Expanded)
    );
    let packages = Compaction::new(tree, 1);
    assert_eq!(
        packages.all_changed(tree, Compact).err(),
        Some(Blocked::Compacted)
    );
    let classes = packages.all_changed(tree, Expand).expect("one level more");
    let back = classes.all_changed(tree, Compact).expect("one level less");
    assert_eq!(program.shown(&back), program.shown(&packages));
}

/// The relation as the paper defines it, until nothing more follows: by context, those that it takes over.
fn takes_over(program: &Program, compaction: &Compaction) -> Vec<Vec<bool>> {
    let count = program.contexts.len();
    let names: Vec<Vec<String>> = (0..count as u32)
        .map(|it| program.compacted(compaction, it))
        .collect();
    // What is outermost has one parent, which takes over itself alone.
    let parent = |it: usize| {
        let parent = program.contexts.parent(ContextId(it as u32));
        parent.map_or(count, |it| it.index())
    };
    let mut takes = vec![vec![false; count + 1]; count + 1];
    for (it, row) in takes.iter_mut().enumerate() {
        row[it] = true;
    }
    loop {
        let mut is_more = false;
        for a in 0..count {
            for b in 0..count {
                if takes[a][b] || !names[b].starts_with(&names[a]) {
                    continue;
                }
                let by_both = || takes.iter().any(|of| of[parent(a)] && of[parent(b)]);
                if takes[a][parent(b)] || by_both() {
                    takes[a][b] = true;
                    is_more = true;
                }
            }
        }
        if !is_more {
            return takes;
        }
    }
}

/// The connected components of the relation.
fn direct(program: &Program, compaction: &Compaction) -> BTreeSet<BTreeSet<u32>> {
    let takes = takes_over(program, compaction);
    let count = program.contexts.len();
    let mut part: Vec<usize> = (0..count).collect();
    for a in 0..count {
        for b in 0..count {
            if takes[a][b] && part[a] != part[b] {
                let (from, to) = (part[b], part[a]);
                for it in part.iter_mut().filter(|it| **it == from) {
                    *it = to;
                }
            }
        }
    }
    let all: BTreeSet<usize> = part.iter().copied().collect();
    let members = |of: usize| {
        let members = (0..count as u32).filter(|it| part[*it as usize] == of);
        members.collect()
    };
    all.into_iter().map(members).collect()
}

fn members(program: &Program, compaction: &Compaction, node: NodeId) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    compaction.members(program.tree(), node, |it| {
        assert!(found.insert(it.0), "each once");
    });
    found
}

/// Everything that is said of nodes, against their members.
fn check(program: &Program, compaction: &Compaction, seed: u64) {
    let tree = program.tree();
    let mut components = BTreeSet::new();
    let all = compaction.all();
    assert_eq!(all.len(), compaction.len(), "seed {seed}");
    for &node in &all {
        let of = members(program, compaction, node);
        let parents: BTreeSet<Option<NodeId>> = compaction
            .highest(node)
            .map(|it| {
                let around = program.contexts.parent(it);
                around.map(|it| compaction.node_of(tree, it))
            })
            .collect();
        assert_eq!(parents, BTreeSet::from([compaction.parent(node)]));
        let is_highest = |it: &u32| {
            let around = program.contexts.parent(ContextId(*it));
            around.is_none_or(|it| !of.contains(&it.0))
        };
        let highest: BTreeSet<u32> = of.iter().copied().filter(is_highest).collect();
        let listed: Vec<u32> = compaction.highest(node).map(|it| it.0).collect();
        assert_eq!(listed.len(), highest.len(), "seed {seed}");
        assert_eq!(listed.into_iter().collect::<BTreeSet<u32>>(), highest);
        let weight: u64 = highest.iter().map(|&it| tree.total(it)).sum();
        assert_eq!(compaction.weight(node), weight, "seed {seed}");
        assert_eq!(compaction.contexts(node) as usize, of.len(), "seed {seed}");
        let first = of.first().copied().map(ContextId);
        assert_eq!(Some(compaction.first_context(node)), first, "seed {seed}");
        let lengths = of.iter().map(|&it| compaction.levels[it as usize]);
        let (least, most) = (lengths.clone().min(), lengths.max());
        let name = compaction.name(node);
        assert_eq!(Some(program.names.length(name)), least, "seed {seed}");
        assert_eq!(Some(compaction.nodes[node].deepest), most);
        for &it in &of {
            assert_eq!(compaction.node_of(tree, ContextId(it)), node, "seed {seed}");
        }
        components.insert(of);
    }
    assert_eq!(components, direct(program, compaction), "seed {seed}");
}

/// By first context of a node, its members.
fn by_first(program: &Program, compaction: &Compaction) -> BTreeMap<u32, BTreeSet<u32>> {
    let all = compaction.all().into_iter();
    all.map(|it| {
        let members = members(program, compaction, it);
        (compaction.first_context(it).0, members)
    })
    .collect()
}

/// What an action says that it changed, against the nodes before and after it.
fn check_change(
    change: &Change,
    before: &BTreeMap<u32, BTreeSet<u32>>,
    after: &BTreeMap<u32, BTreeSet<u32>>,
) {
    for first in after.keys().filter(|it| !before.contains_key(it)) {
        let of = change.split.iter().find(|it| it.0 == *first);
        let of = of.expect("a part says what it was in").1;
        assert!(before[&of].contains(first));
    }
    for first in before.keys().filter(|it| !after.contains_key(it)) {
        let into = change.merged.iter().find(|it| it.0 == *first);
        let into = into.expect("what is gone says where it went").1;
        assert!(after[&into].contains(first));
    }
}

fn hierarchy_of_nothing() -> Hierarchy {
    HierarchyBuilder::new("nothing").build().0
}
