//! Through the public interface: source trees.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use callscape::facts::hierarchy::{Hierarchy, ModuleKind};
use callscape::progress::Progress;
use callscape::source::{self, SourceError};
use callscape::units::ModuleId;
use callscape::warnings::Reporter;

use crate::common::{callscape, data, large_data};
use crate::random::Random;

mod bad_input;
mod ctags;
mod history;
mod languages;
mod names;
mod played;
mod relations;
mod steps;
mod then;
mod timeline;

/// A directory that is removed at the end of its test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let name = format!("callscape-source-{test}-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::remove_dir_all(&dir).ok();
        fs::create_dir_all(&dir).expect("the temporary directory can be written");
        Scratch(dir)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Scratch {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("writable");
        fs::write(path, text).expect("writable");
        self
    }

    fn scan(&self) -> (Hierarchy, Vec<(String, u64)>) {
        let reporter = Reporter::new();
        let hierarchy = source::scan(&self.0, &Progress::new(), &reporter).expect("a source tree");
        check(&hierarchy);
        let warnings = reporter.warnings().into_iter();
        let warnings = warnings.map(|warning| (warning.kind.to_string(), warning.count));
        (hierarchy, warnings.collect())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// What holds for every hierarchy of a source tree.
fn check(hierarchy: &Hierarchy) {
    for id in hierarchy.modules() {
        let module = hierarchy.module(id);
        assert!(
            module.kind != ModuleKind::Function || hierarchy.is_leaf(id),
            "{} is a leaf",
            hierarchy.path(id)
        );
        for child in hierarchy.children(id) {
            let inner = hierarchy.module(child);
            let path = hierarchy.path(child);
            assert!(
                inner.loc <= module.loc,
                "{path} has more code than what is around it"
            );
            assert!(
                inner.comment_lines <= module.comment_lines,
                "{path} has more comments than what is around it"
            );
            assert!(inner.line <= inner.end_line, "{path} ends before it begins");
            let fits = match inner.kind {
                ModuleKind::Root | ModuleKind::External => false,
                ModuleKind::Directory => {
                    matches!(module.kind, ModuleKind::Root | ModuleKind::Directory)
                }
                // An amalgamation holds files.
                ModuleKind::File => matches!(
                    module.kind,
                    ModuleKind::Root | ModuleKind::Directory | ModuleKind::File
                ),
                _ => {
                    let is_inside = module.line <= inner.line && inner.end_line <= module.end_line;
                    is_inside && !matches!(module.kind, ModuleKind::Root | ModuleKind::Directory)
                }
            };
            assert!(fits, "{path} does not fit into {:?}", module.kind);
        }
        let is_function = |id: &u32| hierarchy.kind(ModuleId(*id)) == ModuleKind::Function;
        let functions = hierarchy.subtree(id).filter(is_function);
        let complexity: u32 = functions
            .clone()
            .map(|id| hierarchy.module(ModuleId(id)).complexity)
            .sum();
        assert_eq!(module.functions as usize, functions.count());
        assert_eq!(module.complexity, complexity);
        assert!(module.kind != ModuleKind::Function || module.complexity > 0);
        if matches!(module.kind, ModuleKind::Root | ModuleKind::Directory) {
            let children: Vec<_> = hierarchy
                .children(id)
                .map(|id| hierarchy.module(id))
                .collect();
            assert_eq!(
                module.loc,
                children.iter().map(|child| child.loc).sum::<u32>()
            );
            assert_eq!(
                module.bytes,
                children.iter().map(|child| child.bytes).sum::<u64>()
            );
            let names: Vec<_> = children.iter().map(|child| child.name).collect();
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}

/// The definitions of one file, a line each: path below the file, kind, lines, lines of code.
fn definitions(file: &str, text: &str) -> Vec<String> {
    let scratch = Scratch::new(&format!("definitions-{}", file.replace('.', "-")));
    let (hierarchy, warnings) = scratch.write(file, text).scan();
    assert_eq!(warnings, []);
    hierarchy
        .modules()
        .skip(2)
        .map(|id| {
            let module = hierarchy.module(id);
            let path = hierarchy.path(id);
            let path = path.strip_prefix(file).unwrap_or(&path);
            format!(
                "{} {} {}-{} {}",
                module.kind.name(),
                path.trim_start_matches('/'),
                module.line,
                module.end_line,
                module.loc
            )
        })
        .collect()
}

/// Random pieces of code; most nest, some are broken on purpose.
const PIECES: [(&str, &[&str]); 6] = [
    (
        "c",
        &[
            "int f(int a) {\n",
            "}\n",
            "/* c\n\n*/\n",
            "struct s {\n",
            "};\n",
            "#if A\n",
            "#endif\n",
            "// x\n",
            "\n",
            "x = \"/*\";\n",
        ],
    ),
    (
        "cpp",
        &[
            "namespace n {\n",
            "}\n",
            "class EXPORT C {\n",
            "};\n",
            "void A::f() {\n",
            "// }\n",
            "R\"(\n\n)\"\n",
            "\n",
            "auto g = [] {\n",
        ],
    ),
    (
        "rs",
        &[
            "fn f() {\n",
            "}\n",
            "impl T for C {\n",
            "/// d\n",
            "mod m {\n",
            "/* /* */ */\n",
            "\"a\n\nb\";\n",
            "\n",
            "struct C;\n",
        ],
    ),
    (
        "py",
        &[
            "def f():\n",
            "    def g():\n",
            "        pass\n",
            "class C:\n",
            "    '''d\n\n    '''\n",
            "# c\n",
            "    @d\n",
            "\n",
            "x = lambda: 1\n",
        ],
    ),
    (
        "ts",
        &[
            "function f() {\n",
            "}\n",
            "class C {\n",
            "m() {\n",
            "const a = () => {\n",
            "`\n\n${\n",
            "/* c */\n",
            "\n",
            "namespace n {\n",
        ],
    ),
    (
        "js",
        &[
            "x = function () {\n",
            "}\n",
            "class C {\n",
            "get m() {\n",
            "A.prototype.b = () => {\n",
            "`\n\n`\n",
            "// c\n",
            "\n",
            "<a>\n",
        ],
    ),
];

#[test]
fn random_trees_keep_what_holds_for_every_tree() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let scratch = Scratch::new(&format!("random-{seed}"));
        let mut files = 0;
        for file in 0..=random.below(6) {
            let place = random.below(PIECES.len() as u64) as usize;
            let (extension, pieces) = PIECES[place];
            let text: String = (0..random.below(80))
                .map(|_| pieces[random.below(pieces.len() as u64) as usize])
                .collect();
            let directory = ["", "a/", "a/b/", "c.d/"][random.below(4) as usize];
            scratch.write(&format!("{directory}f{file}.{extension}"), text);
            files += 1;
        }
        eprintln!("seed {seed}");
        let (hierarchy, warnings) = scratch.scan();
        assert_eq!(warnings, []);
        let is_file = |id: &ModuleId| hierarchy.kind(*id) == ModuleKind::File;
        assert_eq!(hierarchy.modules().filter(is_file).count(), files);
        agrees_with_tokei(&scratch.0, &hierarchy);
        let (again, _) = scratch.scan();
        let all = |hierarchy: &Hierarchy| -> Vec<String> {
            let modules = hierarchy.modules();
            modules
                .map(|id| format!("{:?}", hierarchy.module(id)))
                .collect()
        };
        assert_eq!(all(&hierarchy), all(&again));
    }
}

/// Compares each file with what tokei says of the whole tree.
fn agrees_with_tokei(dir: &Path, hierarchy: &Hierarchy) {
    let mut languages = tokei::Languages::new();
    languages.get_statistics(&[dir], &[], &tokei::Config::default());
    let mut expected: BTreeMap<String, (u32, &str)> = BTreeMap::new();
    for (language, counted) in &languages {
        for report in &counted.reports {
            let path = report.name.strip_prefix(dir).expect("below the directory");
            let path = path.to_string_lossy().into_owned();
            expected.insert(path, (report.stats.code as u32, language.name()));
        }
    }
    let files = hierarchy
        .modules()
        .filter(|id| hierarchy.kind(*id) == ModuleKind::File);
    let found: BTreeMap<String, (u32, &str)> = files
        .map(|id| {
            let module = hierarchy.module(id);
            (hierarchy.path(id), (module.loc, module.language))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn real_trees_have_the_lines_that_tokei_counts() {
    for tree in [
        "sources/lua-5.4.9",
        "sources/python",
        "sources/js",
        "sources/rust-spans",
    ] {
        let Some(dir) = large_data(tree) else { return };
        let hierarchy = source::scan(&dir, &Progress::new(), &Reporter::new()).expect("a tree");
        check(&hierarchy);
        agrees_with_tokei(&dir, &hierarchy);
    }
}

#[test]
fn this_repository_has_the_lines_that_tokei_counts() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let hierarchy = source::scan(&dir, &Progress::new(), &Reporter::new()).expect("a tree");
    check(&hierarchy);
    agrees_with_tokei(&dir, &hierarchy);
}

#[test]
fn files_without_grammar_are_leaves_and_what_is_no_source_is_counted() {
    let scratch = Scratch::new("kinds");
    scratch
        .write("a/run.sh", "# comment\necho\n")
        .write("a/Makefile", "all:\n\techo\n")
        .write("script", "#!/usr/bin/env python3\ndef f(): pass\n")
        .write("picture.png", [0x89, b'P', b'N', b'G'])
        .write("LICENSE", "text")
        .write(".hidden/x.c", "int f() { }")
        .write("empty.c", "")
        .write(".gitignore", "")
        .write("ignored/x.c", "int f() { }")
        .write(".ignore", "ignored/\n");
    let (hierarchy, warnings) = scratch.scan();
    let shown: Vec<String> = hierarchy
        .modules()
        .skip(1)
        .map(|id| {
            let module = hierarchy.module(id);
            format!("{} {} {}", hierarchy.path(id), module.language, module.loc)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "a  3",
            "a/Makefile Makefile 2",
            "a/run.sh Shell 1",
            "empty.c C 0",
            "script Python 1",
            "script/f Python 1",
        ]
    );
    assert_eq!(warnings, [("unknown-language".to_owned(), 2)]);
}

#[test]
fn what_is_no_source_tree_is_one_clear_error() {
    let scratch = Scratch::new("errors");
    let scan = |path: &Path| source::scan(path, &Progress::new(), &Reporter::new());
    let missing = scratch.0.join("missing");
    assert!(matches!(scan(&missing), Err(SourceError::Io { .. })));
    assert!(matches!(scan(&scratch.0), Err(SourceError::Empty { .. })));
    scratch.write("picture.png", "x");
    assert!(matches!(scan(&scratch.0), Err(SourceError::Empty { .. })));
    let file = scratch.0.join("picture.png");
    assert!(matches!(
        scan(&file),
        Err(SourceError::NotADirectory { .. })
    ));
    let output = callscape()
        .arg("tree")
        .arg(&missing)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("missing"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn a_scan_stops_when_it_is_cancelled() {
    let progress = Progress::new();
    progress.cancel();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let result = source::scan(&dir, &progress, &Reporter::new());
    assert!(matches!(result, Err(SourceError::Cancelled(_))));
}

#[test]
fn the_tree_command_prints_the_hierarchy() {
    let dir = data("source/tree");
    let output = callscape()
        .arg("tree")
        .arg(&dir)
        .arg("--json")
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(document["name"], "tree");
    assert_eq!(document["kind"], "root");
    assert_eq!(document["language"], serde_json::Value::Null);
    let file = &document["children"][0]["children"][0];
    assert_eq!(
        (
            &file["name"],
            &file["kind"],
            &file["language"],
            &file["loc"]
        ),
        (
            &"shape.py".into(),
            &"file".into(),
            &"Python".into(),
            &4.into()
        )
    );
    let function = &file["children"][0]["children"][0];
    assert_eq!(
        (
            &function["name"],
            &function["kind"],
            &function["line"],
            &function["end_line"]
        ),
        (&"area".into(), &"function".into(), &4.into(), &5.into())
    );
    let table = callscape()
        .arg("tree")
        .arg(&dir)
        .args(["--depth", "2"])
        .output()
        .expect("it runs");
    let table = String::from_utf8(table.stdout).expect("text");
    assert_eq!(table.lines().count(), 6, "{table}");
}
