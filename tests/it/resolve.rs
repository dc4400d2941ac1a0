//! Through the public interface: resolving the functions of recordings.

mod runtimes;

use std::collections::BTreeMap;

use callscape::analysis::resolve::{Reason, Resolution, Rule, explain, resolve};
use callscape::facts::functions::{Function, Functions};
use callscape::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::progress::Progress;
use callscape::units::ModuleId;
use callscape::warnings::Reporter;
use callscape::{import, source};

use crate::common::large_data;
use crate::random::Random;

fn module<'a>(kind: ModuleKind, name: &'a str, line: u32, end_line: u32) -> Module<'a> {
    Module {
        line,
        end_line,
        ..Module::named(kind, name)
    }
}

/// A source tree `app` with two files of one name.
fn source_tree() -> Hierarchy {
    use ModuleKind::{Class, Directory, File, Function, Namespace};
    let mut builder = HierarchyBuilder::new("app");
    let core = builder.add(NodeId::ROOT, module(Directory, "core", 0, 0));
    let util = builder.add(core, module(File, "util.py", 1, 40));
    builder.add(util, module(Function, "load", 3, 10));
    let class = builder.add(util, module(Class, "Store", 12, 40));
    builder.add(class, module(Function, "get", 14, 20));
    builder.add(class, module(Function, "get.<locals>.inner", 16, 18));
    let web = builder.add(NodeId::ROOT, module(Directory, "web", 0, 0));
    let other = builder.add(web, module(File, "util.py", 1, 9));
    builder.add(other, module(Function, "render", 2, 8));
    let cpp = builder.add(NodeId::ROOT, module(File, "map.cc", 1, 50));
    let namespace = builder.add(cpp, module(Namespace, "a::b", 1, 50));
    let map = builder.add(namespace, module(Class, "Map", 2, 40));
    builder.add(map, module(Function, "insert", 3, 9));
    builder.add(map, module(Function, "size", 11, 12));
    builder.add(namespace, module(Function, "free_function", 42, 48));
    builder.build().0
}

/// Where each function of a recording goes, and by which rule.
fn resolved(source: &Hierarchy, functions: &[(&str, &str, u32, &str)]) -> Vec<(String, Rule)> {
    let mut recorded = Functions::default();
    let ids: Vec<_> = functions
        .iter()
        .map(|&(name, file, line, library)| {
            recorded.intern(Function {
                name,
                file,
                line,
                library,
            })
        })
        .collect();
    let (hierarchy, resolutions) = resolve(source, &[&recorded]);
    let Resolution { modules, rules } = &resolutions[0];
    ids.iter()
        .map(|id| (hierarchy.path(modules[id.index()]), rules[id.index()]))
        .collect()
}

fn check(source: &Hierarchy, cases: &[(&str, &str, u32, &str, &str, Rule)]) {
    let functions: Vec<_> = cases
        .iter()
        .map(|&(name, file, line, library, _, _)| (name, file, line, library))
        .collect();
    let expected: Vec<_> = cases
        .iter()
        .map(|&(_, _, _, _, path, rule)| (path.to_owned(), rule))
        .collect();
    assert_eq!(resolved(source, &functions), expected);
}

#[test]
fn a_function_with_a_file_is_looked_for_in_it() {
    use Rule::{External, FileAndLine, FileAndName, InFile};
    let build = "/build/other-name/core/util.py";
    check(
        &source_tree(),
        &[
            ("load", build, 3, "", "core/util.py/load", FileAndName),
            // The line of a decorator, and a line that has moved.
            (
                "Store.get",
                build,
                13,
                "",
                "core/util.py/Store/get",
                FileAndName,
            ),
            (
                "Store.get.<locals>.inner",
                build,
                99,
                "",
                "core/util.py/Store/get.<locals>.inner",
                FileAndName,
            ),
            // Without a name of its own, by line.
            (
                "Store.get.<locals>.<genexpr>",
                build,
                15,
                "",
                "core/util.py/Store/get",
                FileAndName,
            ),
            (
                "<lambda>",
                build,
                17,
                "",
                "core/util.py/Store/get.<locals>.inner",
                FileAndLine,
            ),
            // Not in the syntax tree.
            ("<module>", build, 1, "", "core/util.py/<module>", InFile),
            ("<module>", build, 3, "", "core/util.py/<module>", InFile),
            ("Store", build, 12, "", "core/util.py/Store/Store", InFile),
            (
                "made_by_macro",
                build,
                5,
                "",
                "core/util.py/made_by_macro",
                InFile,
            ),
            (
                "render",
                "web/util.py",
                2,
                "",
                "web/util.py/render",
                FileAndName,
            ),
            // A standard library has files of the same name.
            (
                "load",
                "/usr/lib/python3.11/util.py",
                3,
                "",
                "external/python3.11/util/load",
                External,
            ),
            (
                "load",
                "/elsewhere/loader.py",
                3,
                "",
                "external/loader.py/load",
                External,
            ),
        ],
    );
}

#[test]
fn a_function_without_file_is_looked_for_by_name() {
    use Rule::{External, QualifiedName, UniqueName};
    check(
        &source_tree(),
        &[
            (
                "a::b::Map<int, std::less<int> >::insert(int)",
                "",
                0,
                "app",
                "map.cc/a::b/Map/insert",
                QualifiedName,
            ),
            (
                "a::b::Map<char>::size() const [clone .cold]",
                "",
                0,
                "app",
                "map.cc/a::b/Map/size",
                QualifiedName,
            ),
            (
                "free_function.constprop.0",
                "",
                0,
                "app",
                "map.cc/a::b/free_function",
                UniqueName,
            ),
            (
                "core.util.Store.get",
                "",
                0,
                "",
                "core/util.py/Store/get",
                QualifiedName,
            ),
            (
                "std::map<int, int>::insert(int)",
                "",
                0,
                "app",
                "external/std/map/map<int, int>::insert(int)",
                External,
            ),
            (
                "dict.get",
                "",
                0,
                "",
                "external/builtins/dict/dict.get",
                External,
            ),
            ("missing", "", 0, "app", "external/app/missing", External),
        ],
    );
}

#[test]
fn an_installed_package_is_found_in_a_tree_of_another_name_by_what_all_its_files_define() {
    use ModuleKind::{Directory, File, Function};
    let mut builder = HierarchyBuilder::new("checkout");
    let src = builder.add(NodeId::ROOT, module(Directory, "src", 0, 0));
    for (file, functions) in [
        ("frame.py", &["open_frame", "close_frame", "step"][..]),
        ("printer.py", &["show", "color"]),
        ("helper.py", &["unused"]),
        ("__init__.py", &["install"]),
    ] {
        let file = builder.add(src, module(File, file, 1, 90));
        for (number, name) in (0..).zip(functions) {
            let line = 10 * number + 1;
            builder.add(file, module(Function, name, line, line + 8));
        }
    }
    let tests = builder.add(NodeId::ROOT, module(Directory, "tests", 0, 0));
    builder.add(tests, module(File, "__init__.py", 1, 1));
    let source = builder.build().0;
    let at = |package: &str, file: &str| format!("/usr/lib/python3/dist-packages/{package}/{file}");
    let recorded = |package: &str, names: &[(&str, &str)]| {
        let files: Vec<String> = names.iter().map(|(_, file)| at(package, file)).collect();
        let functions: Vec<_> = names
            .iter()
            .zip(&files)
            .map(|(&(name, _), file)| (name, file.as_str(), 1, ""))
            .collect();
        resolved(&source, &functions)
    };
    let names = [
        ("open_frame", "frame.py"),
        ("step", "frame.py"),
        ("show", "printer.py"),
        ("color", "printer.py"),
        ("close_frame", "frame.py"),
        ("<module>", "__init__.py"),
    ];
    let found = recorded("objprint", &names);
    let expected = |name: &str, file: &str| (format!("src/{file}/{name}"), Rule::FileAndName);
    assert_eq!(found[0], expected("open_frame", "frame.py"));
    assert_eq!(found[3], expected("color", "printer.py"));
    assert_eq!(found[5].1, Rule::InFile);
    assert!(found[5].0.starts_with("src/__init__.py"), "{}", found[5].0);
    // Too few names, or too many others, of a package that is another one.
    let few = recorded("other", &names[..4]);
    assert!(few.iter().all(|(_, rule)| *rule == Rule::External));
    let mut others = names.to_vec();
    others.extend([("run", "helper.py"), ("stop", "helper.py")]);
    let others = recorded("other", &others);
    assert!(others.iter().all(|(_, rule)| *rule == Rule::External));
}

#[test]
fn functions_of_shared_libraries_are_external_unless_the_source_is_theirs() {
    use Rule::{External, UniqueName};
    check(
        &source_tree(),
        &[
            (
                "load",
                "",
                0,
                "libc.so.6",
                "external/libc.so.6/load",
                External,
            ),
            (
                "malloc",
                "",
                0,
                "libc.so.6",
                "external/libc.so.6/malloc",
                External,
            ),
            (
                "free",
                "",
                0,
                "libc.so.6",
                "external/libc.so.6/free",
                External,
            ),
            (
                "render",
                "",
                0,
                "/opt/libapp.so",
                "web/util.py/render",
                UniqueName,
            ),
            (
                "main",
                "",
                0,
                "/opt/libapp.so",
                "external/libapp.so/main",
                External,
            ),
        ],
    );
}

#[test]
fn names_alone_make_a_hierarchy() {
    let root = HierarchyBuilder::new("trace").build().0;
    check(
        &root,
        &[
            (
                "main",
                "/home/me/app/main.py",
                1,
                "",
                "main.py/main",
                Rule::External,
            ),
            (
                "Store.get",
                "/home/me/app/core/util.py",
                1,
                "",
                "core/util.py/Store/get",
                Rule::External,
            ),
            (
                "re.compile",
                "/usr/lib/python3.11/re/__init__.py",
                1,
                "",
                "external/python3.11/re/__init__.py/re.compile",
                Rule::External,
            ),
            (
                "_sre.compile",
                "",
                0,
                "",
                "external/_sre/_sre.compile",
                Rule::External,
            ),
        ],
    );
    check(
        &root,
        &[
            (
                "a::b::Map<int>::insert(int)",
                "",
                0,
                "app",
                "a/b/Map/insert",
                Rule::External,
            ),
            (
                "a::b::Map<int>::size()",
                "",
                0,
                "app",
                "a/b/Map/size",
                Rule::External,
            ),
            ("lua_call", "", 0, "app", "lua_/lua_call", Rule::External),
            ("lua_next", "", 0, "app", "lua_/lua_next", Rule::External),
            ("lua_type", "", 0, "app", "lua_/lua_type", Rule::External),
            ("main", "", 0, "app", "main", Rule::External),
            (
                "malloc",
                "",
                0,
                "libc.so.6",
                "external/libc.so.6/malloc",
                Rule::External,
            ),
        ],
    );
}

/// Names, files and libraries that may or may not be in the source.
fn random_functions(random: &mut Random) -> Functions {
    let names = [
        "load",
        "Store.get",
        "a::b::Map<T>::insert(T)",
        "<module>",
        "",
        "::",
        "x(",
        "std::f",
        "get",
    ];
    let files = [
        "",
        "??",
        "core/util.py",
        "/b/web/util.py",
        "util.py",
        "/usr/lib/python3.11/os.py",
        "\\x\\y.c",
        "/",
        "<s>",
    ];
    let libraries = ["", "app", "libc.so.6", "/opt/libapp.so", "[kernel]"];
    let mut functions = Functions::default();
    for _ in 0..random.below(200) {
        functions.intern(Function {
            name: names[random.below(names.len() as u64) as usize],
            file: files[random.below(files.len() as u64) as usize],
            line: random.below(60) as u32,
            library: libraries[random.below(libraries.len() as u64) as usize],
        });
    }
    functions
}

#[test]
fn every_function_gets_a_module_and_the_same_one_each_time() {
    let root = HierarchyBuilder::new("trace").build().0;
    for seed in 0..200 {
        eprintln!("seed {seed}");
        let mut random = Random(seed);
        let source = if seed % 2 == 0 {
            source_tree()
        } else {
            root.clone()
        };
        let recordings = [random_functions(&mut random), random_functions(&mut random)];
        let recordings: Vec<&Functions> = recordings.iter().collect();
        let (hierarchy, resolutions) = resolve(&source, &recordings);
        let (again, resolutions_again) = resolve(&source, &recordings);
        assert_eq!(hierarchy.len(), again.len());
        assert!(
            hierarchy
                .modules()
                .all(|id| hierarchy.module(id) == again.module(id))
        );
        assert_eq!(resolutions.len(), 2);
        for (place, resolution) in resolutions.iter().enumerate() {
            assert_eq!(resolution.modules, resolutions_again[place].modules);
            assert_eq!(resolution.modules.len(), recordings[place].len());
            assert_eq!(resolution.rules.len(), recordings[place].len());
            for &id in &resolution.modules {
                assert_eq!(hierarchy.kind(id), ModuleKind::Function);
                assert!(hierarchy.is_leaf(id), "{}", hierarchy.path(id));
            }
        }
        // What was in the source is still there, in the same order.
        let names = |hierarchy: &Hierarchy| -> Vec<String> {
            let modules = hierarchy.modules();
            modules.map(|id| hierarchy.path(id)).collect()
        };
        let all = names(&hierarchy);
        let mut rest = all.iter();
        assert!(
            names(&source)
                .iter()
                .all(|path| rest.any(|other| other == path))
        );
    }
}

/// The external functions of a recording, and how many of its functions each rule resolved.
fn external(recording: &str, tree: &str) -> Option<(Vec<String>, BTreeMap<String, usize>)> {
    let (recording, tree) = (large_data(recording)?, large_data(tree)?);
    let source = source::scan(&tree, &Progress::new(), &Reporter::new()).expect("a source tree");
    let recording = import::open(&recording, &Progress::new()).expect("a recording");
    let (hierarchy, resolutions) = resolve(&source, &[&recording.functions]);
    let resolution = &resolutions[0];
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for rule in &resolution.rules {
        *counts.entry(format!("{rule:?}")).or_default() += 1;
    }
    let external = recording
        .functions
        .ids()
        .filter(|id| resolution.rules[id.index()] == Rule::External);
    let paths: Vec<String> = external
        .map(|id| hierarchy.path(resolution.modules[id.index()]))
        .collect();
    let is_known = |id: &ModuleId| hierarchy.contains(ModuleId::ROOT, *id);
    assert!(resolution.modules.iter().all(is_known));
    Some((paths, counts))
}

#[test]
fn all_of_lua_is_found_in_its_source_by_name_alone() {
    let recording = "uftrace/lua-queens.uftrace-dump.chrome.json.gz";
    let Some((external, counts)) = external(recording, "sources/lua-5.4.9") else {
        return;
    };
    let of_lua = |path: &&String| path.contains("lua");
    assert_eq!(external.iter().find(of_lua), None);
    assert_eq!(counts["UniqueName"] + counts["External"], 357);
    assert!(external.len() < 25, "{external:?}");
}

#[test]
fn all_of_a_python_package_is_found_in_its_source() {
    let recording = "chrome/packaging-25.0.viztracer.json.gz";
    let Some((external, counts)) = external(recording, "sources/python/packaging-25.0") else {
        return;
    };
    let of_package = |path: &&String| path.contains("packaging");
    assert_eq!(external.iter().find(of_package), None);
    let in_files = ["FileAndName", "FileAndLine", "InFile"];
    let found: usize = in_files.iter().filter_map(|rule| counts.get(*rule)).sum();
    assert!(found >= 75, "{counts:?}");
}

#[test]
fn what_is_not_found_is_explained() {
    let source = runtimes::many_languages();
    let mut recorded = Functions::default();
    let cases = [
        ("0x4005d0", "", "", "address_only"),
        ("twice", "", "", "ambiguous"),
        ("nowhere", "", "", "not_defined"),
        ("std::sort", "", "", "runtime"),
        ("malloc", "", "libc.so.6", "shared_library"),
        ("f", "/elsewhere/x.c", "", "file_not_found"),
        ("f", "/srv/node_modules/a/b.js", "", "installed_package"),
        ("total", "", "", ""),
    ];
    for (name, file, library, _) in cases {
        recorded.intern(Function {
            name,
            file,
            line: 1,
            library,
        });
    }
    let reasons = explain(&source, &recorded);
    for ((name, _, _, expected), reason) in cases.iter().zip(&reasons) {
        assert_eq!(
            reason.as_ref().map_or("", Reason::name),
            *expected,
            "{name}"
        );
    }
    let Some(Reason::Ambiguous(candidates)) = &reasons[1] else {
        panic!("two functions have that name");
    };
    let paths: Vec<String> = candidates.iter().map(|id| source.path(*id)).collect();
    assert_eq!(
        paths,
        ["twin.js/twice", "view.js/twice"]
            .iter()
            .rev()
            .copied()
            .collect::<Vec<_>>()
    );
    let root = HierarchyBuilder::new("trace").build().0;
    assert!(
        explain(&root, &recorded)
            .iter()
            .all(|reason| *reason == Some(Reason::NoSource))
    );
}
