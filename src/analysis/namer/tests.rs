use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::names::Named;
use crate::resolve::resolve;
use crate::session::Resolved;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};
use callscape_facts::recording::Recording;

/// A session of a structure and recordings with these functions, each with its column.
fn session(hierarchy: &Hierarchy, recordings: &[Vec<(Function<'_>, u32)>]) -> Session {
    let recordings = recordings.iter().map(|functions| {
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        for &(function, column) in functions {
            builder.function_at(function, column);
        }
        let path = Path::new("a.json");
        let built = builder.finish(|| unreachable!("no calls to repair"));
        Arc::new(Recording::of_calls(path, "test", None, built, Vec::new()))
    });
    let recordings: Vec<Arc<Recording>> = recordings.collect();
    let functions: Vec<&Functions> = recordings.iter().map(|it| &it.functions).collect();
    let (hierarchy, resolutions) = resolve(hierarchy, &functions);
    let resolved = recordings.iter().zip(resolutions);
    let resolved = resolved.map(|(recording, resolution)| Resolved {
        recording: Arc::clone(recording),
        resolution,
    });
    Session {
        source_dir: None,
        hierarchy,
        recordings: resolved.collect(),
        source_warnings: Vec::new(),
        named: Named::default(),
    }
}

fn function<'a>(name: &'a str, file: &'a str, line: u32) -> (Function<'a>, u32) {
    let function = Function {
        name,
        file,
        line,
        library: "",
    };
    (function, 0)
}

fn below(seed: &mut u64, limit: usize) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % limit
}

const NAMES: [&str; 8] = [
    "new",
    "run",
    "Run",
    "a",
    "<module>",
    "(anonymous)",
    "run (a.rs)",
    "",
];

fn random_hierarchy(seed: &mut u64) -> Hierarchy {
    let mut builder = HierarchyBuilder::new("app");
    let mut nodes = vec![(NodeId::ROOT, ModuleKind::Root)];
    for _ in 0..below(seed, 120) {
        let (parent, around) = nodes[below(seed, nodes.len())];
        let kinds: &[ModuleKind] = match around {
            ModuleKind::Root | ModuleKind::Directory => &[ModuleKind::Directory, ModuleKind::File],
            ModuleKind::Function => &[ModuleKind::Function],
            _ => &[ModuleKind::Class, ModuleKind::Function],
        };
        let kind = kinds[below(seed, kinds.len())];
        let module = Module {
            line: below(seed, 4) as u32,
            ..Module::named(kind, NAMES[below(seed, NAMES.len())])
        };
        nodes.push((builder.add(parent, module), kind));
    }
    builder.build().0
}

#[test]
fn nothing_has_the_name_of_something_else() {
    for seed in 0..120_u64 {
        let mut random = seed;
        let hierarchy = random_hierarchy(&mut random);
        let recordings: Vec<Vec<(Function<'_>, u32)>> = (0..1 + below(&mut random, 2))
            .map(|_| {
                let functions = (0..below(&mut random, 40)).map(|_| {
                    let name = NAMES[below(&mut random, NAMES.len())];
                    let file = ["", "x/a.rs", "y/a.rs", "b.rs"][below(&mut random, 4)];
                    let column = below(&mut random, 3) as u32;
                    let (function, _) = function(name, file, below(&mut random, 3) as u32);
                    (function, column)
                });
                functions.collect()
            })
            .collect();
        let session = session(&hierarchy, &recordings);
        let mut of: HashMap<String, ModuleId> = HashMap::new();
        for id in session.hierarchy.modules() {
            let name = escape::name(session.module_name(id)).into_owned();
            let other = of.insert(name.clone(), id);
            assert_eq!(other, None, "seed {seed}: {name:?} is also {id:?}");
        }
        for (number, resolved) in session.recordings.iter().enumerate() {
            let mut of_functions: HashMap<&str, FunctionId> = HashMap::new();
            for id in resolved.recording.functions.ids() {
                let name = session.function_name(number, id);
                let module = resolved.resolution.modules[id.index()];
                assert_eq!(
                    of_functions.insert(name, id),
                    None,
                    "seed {seed}: {name:?} is also {id:?}"
                );
                let named = of.get(name);
                assert!(named.is_none_or(|&it| it == module), "seed {seed}: {name}");
            }
        }
    }
}

#[test]
fn names_are_as_short_as_they_can_be() {
    let mut builder = HierarchyBuilder::new("app");
    let mut file = |folder: &str, name: &str| {
        let folder = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, folder));
        builder.add(folder, Module::named(ModuleKind::File, name))
    };
    let (left, right, third) = (file("x", "a.rs"), file("y", "a.rs"), file("z", "c.c"));
    let mut add = |parent, kind, name, line, language| {
        let module = Module {
            line,
            language,
            ..Module::named(kind, name)
        };
        builder.add(parent, module)
    };
    let function = ModuleKind::Function;
    let tree = add(left, ModuleKind::Class, "Tree", 1, "Rust");
    let list = add(left, ModuleKind::Class, "List", 20, "Rust");
    for (parent, name, line) in [
        (tree, "grow", 2),
        (tree, "new", 3),
        (list, "new", 21),
        (left, "size", 40),
        (right, "size", 1),
        (right, "free", 5),
        (third, "free", 9),
        (left, "(anonymous)", 50),
        (left, "(anonymous)", 60),
        (third, "sole", 70),
        (third, "<module>", 1),
    ] {
        add(parent, function, name, line, "Rust");
    }
    let session = session(&builder.build().0, &[]);
    let functions = session.hierarchy.modules();
    let functions = functions.filter(|&it| session.hierarchy.kind(it) == function);
    let mut names: Vec<&str> = functions.map(|it| session.module_name(it)).collect();
    names.sort_unstable();
    let mut expected = [
        "grow",
        "Tree::new",
        "List::new",
        "size (x/a.rs)",
        "size (y/a.rs)",
        "free (a.rs)",
        "free (c.c)",
        "(anonymous) (a.rs:50)",
        "(anonymous) (a.rs:60)",
        "sole",
        "<module> (c.c:1)",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_folder_named_like_a_function_has_a_stroke() {
    let mut builder = HierarchyBuilder::new("app");
    for folder in ["phases", "model"] {
        let folder = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, folder));
        let file = builder.add(folder, Module::named(ModuleKind::File, "a.rs"));
        builder.add(file, Module::named(ModuleKind::Function, "phases"));
    }
    let session = session(&builder.build().0, &[]);
    let is_folder = |id: &ModuleId| session.hierarchy.kind(*id) == ModuleKind::Directory;
    let folders = session.hierarchy.modules().filter(is_folder);
    let names: Vec<&str> = folders.map(|it| session.module_name(it)).collect();
    assert_eq!(names, ["phases", "model"]);
    // With one function of that name, that is its whole name.
    let mut builder = HierarchyBuilder::new("app");
    let folder = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "phases"));
    let file = builder.add(folder, Module::named(ModuleKind::File, "a.rs"));
    builder.add(file, Module::named(ModuleKind::Function, "phases"));
    let session = self::session(&builder.build().0, &[]);
    let mut names: Vec<&str> = (session.hierarchy.modules())
        .map(|it| session.module_name(it))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["a.rs", "app", "phases", "phases/"]);
}

#[test]
fn what_ran_has_the_shortest_names() {
    let mut builder = HierarchyBuilder::new("app");
    for name in ["a.c", "b.c", "c.c"] {
        let file = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, name));
        let module = Module {
            line: 7,
            ..Module::named(ModuleKind::Function, "main")
        };
        builder.add(file, module);
    }
    let session = session(&builder.build().0, &[vec![function("main", "b.c", 7)]]);
    assert_eq!(session.function_name(0, FunctionId(0)), "main");
    let hierarchy = &session.hierarchy;
    let named = hierarchy
        .modules()
        .filter(|&it| hierarchy.name(it) == "main");
    let mut names: Vec<&str> = named.map(|it| session.module_name(it)).collect();
    names.sort_unstable();
    assert_eq!(names, ["main", "main (a.c)", "main (c.c)"]);
}

#[test]
fn functions_in_one_line_are_told_apart_by_their_columns() {
    let empty = HierarchyBuilder::new("app").build().0;
    let at = |name, column| (function(name, "dist/min.js", 1).0, column);
    let recording = vec![at("a", 10), at("a", 90), at("b", 40)];
    let session = session(&empty, &[recording]);
    let names: Vec<&str> = (0..3)
        .map(|it| session.function_name(0, FunctionId(it)))
        .collect();
    assert_eq!(names, ["a (min.js:1:10)", "a (min.js:1:90)", "b"]);
}
