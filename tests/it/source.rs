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
            assert!(inner.line <= inner.end_line, "{path} ends before it begins");
            let fits = match inner.kind {
                ModuleKind::Root | ModuleKind::External => false,
                ModuleKind::Directory | ModuleKind::File => {
                    matches!(module.kind, ModuleKind::Root | ModuleKind::Directory)
                }
                _ => {
                    let is_inside = module.line <= inner.line && inner.end_line <= module.end_line;
                    is_inside && !matches!(module.kind, ModuleKind::Root | ModuleKind::Directory)
                }
            };
            assert!(fits, "{path} does not fit into {:?}", module.kind);
        }
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
fn definitions_of_c() {
    let text = r#"#define API extern
struct point { int x; };
typedef struct {
  int y;
} named;
enum { ANONYMOUS };

API named length (int a) { return a; }
int old(a, b)
  int a;
  char *b;
{
  /* nothing

  */
  return a;
}
static void *(*get(int x))(int) { return 0; }
void (in_parentheses) (int a) { }
int declared(int);
#ifdef A
int variant(void) { return 1; }
#else
int variant(void) { return 2; }
#endif
void dispatching(int op) {
  switch (op) {
    dispatch (CODE(op)) { break; }
  }
}
"#;
    assert_eq!(
        definitions("a.c", text),
        [
            "class point 2-2 1",
            "class named 3-5 3",
            "function length 8-8 1",
            "function old 9-17 6",
            "function get 18-18 1",
            "function in_parentheses 19-19 1",
            "function variant 22-22 1",
            "function variant 24-24 1",
            "function dispatching 26-30 5",
        ]
    );
}

#[test]
fn definitions_of_cpp() {
    let text = r#"extern "C" { int c_function(void) { return 1; } }
namespace a::b {
template <typename T>
class EXPORT Stack : public Base {
 public:
  Stack() : size_(0) {}
  ~Stack() = default;
  void push(T t) LOCKS_EXCLUDED(mu_) {
    auto f = [&] { return t; };
  }
  operator bool() const { return size_ > 0; }
  bool operator<(const Stack& o) const { return size_ < o.size_; }
  struct Node { T t; };
};
}
namespace {
int hidden() { return 0; }
}
a::b::Stack<int>::Stack(int n) {}
void a::b::Stack<int>::pop() {
  struct Local { void run() {} };
}
"#;
    assert_eq!(
        definitions("a.cc", text),
        [
            "function c_function 1-1 1",
            "namespace a::b 2-15 14",
            "class a::b/Stack 4-14 11",
            "function a::b/Stack/Stack 6-6 1",
            "function a::b/Stack/push 8-10 3",
            "function a::b/Stack/operator bool 11-11 1",
            "function a::b/Stack/operator< 12-12 1",
            "class a::b/Stack/Node 13-13 1",
            "function hidden 17-17 1",
            "class a 19-22 4",
            "class a/b 19-22 4",
            "class a/b/Stack 19-22 4",
            "function a/b/Stack/Stack 19-19 1",
            "function a/b/Stack/pop 20-22 2",
            "class a/b/Stack/pop::Local 21-21 1",
            "function a/b/Stack/pop::Local/run 21-21 1",
        ]
    );
}

#[test]
fn headers_are_read_by_the_grammar_that_fits() {
    assert_eq!(
        definitions("c.h", "static int class(int new) { return new; }\n"),
        ["function class 1-1 1"]
    );
    assert_eq!(
        definitions(
            "cpp.h",
            "class A {\n public:\n  int f() { return 1; }\n};\n"
        ),
        ["class A 1-4 4", "function A/f 3-3 1"]
    );
}

#[test]
fn definitions_of_rust() {
    let text = r#"struct Type<T>(T);

/// Documented.
impl<T> Type<T> {
    fn new(t: T) -> Self {
        fn nested() {}
        Type(t)
    }
}
impl<T: Display> Display for Type<T> {
    fn fmt(&self) { /* nothing */ }
}
trait Shape {
    fn area(&self) -> f32;
    fn twice(&self) -> f32 { 2.0 * self.area() }
}
mod inner {
    impl Shape for &super::Type<u8> {
        fn area(&self) -> f32 { 1.0 }
    }
}
mod elsewhere;
const TEXT: &str = "fn not_a_function() {}";
"#;
    assert_eq!(
        definitions("a.rs", text),
        [
            "class Type 1-12 10",
            "function Type/new 5-8 3",
            "function Type/new::nested 6-6 1",
            "function Type/fmt 11-11 1",
            "class Shape 13-16 4",
            "function Shape/twice 15-15 1",
            "namespace inner 17-21 5",
            "class inner/Type 18-20 3",
            "function inner/Type/area 19-19 1",
        ]
    );
}

#[test]
fn definitions_of_python() {
    let text = r#"@decorator
def outer(a):
    """Text

    with a blank line"""
    # a comment
    def inner():
        class Local:
            def method(self): pass
        return Local
    return inner

class C(Base):
    @property
    async def value(self):
        return 1

    square = lambda self, x: x * x
"#;
    assert_eq!(
        definitions("a.py", text),
        [
            "function outer 2-11 5",
            "function outer.<locals>.inner 7-10 2",
            "class outer.<locals>.inner.<locals>.Local 8-9 2",
            "function outer.<locals>.inner.<locals>.Local/method 9-9 1",
            "class C 13-18 5",
            "function C/value 15-16 2",
            "function C/square 18-18 1",
        ]
    );
}

#[test]
fn definitions_of_javascript() {
    let text = r#"function* generator() { yield 1; }
const arrow = async (a) => {
  const inner = function () { return a; };
};
export default function () {}
class A extends B {
  #hidden() {}
  get size() { return 1; }
  handler = () => {};
  static [Symbol.iterator]() {}
}
A.prototype.late = function named() {};
module.exports.f = () => 1;
const object = { method() {}, 'quoted': function () {}, short: (x) => x };
(function () { function inside() {} })();
list.map((x) => x);
"#;
    assert_eq!(
        definitions("a.js", text),
        [
            "function generator 1-1 1",
            "function arrow 2-4 2",
            "function arrow.inner 3-3 1",
            "function default 5-5 1",
            "class A 6-11 6",
            "function A/#hidden 7-7 1",
            "function A/size 8-8 1",
            "function A/handler 9-9 1",
            "function A/[Symbol.iterator] 10-10 1",
            "function named 12-12 1",
            "function f 13-13 1",
            "function method 14-14 1",
            "function quoted 14-14 1",
            "function short 14-14 1",
            "function inside 15-15 1",
        ]
    );
}

#[test]
fn definitions_of_typescript() {
    let text = r#"export namespace N {
  export interface I { f(): void }
  export abstract class A<T> implements I {
    constructor(private t: T) { super(); }
    abstract g(): void;
    f(): void {}
    h = (x: number): number => x;
  }
  enum E { One }
}
declare function outside(): void;
type Fn = () => void;
const view = <T,>(x: T) => { return x; };
"#;
    let expected = [
        "namespace N 1-10 10",
        "class N/I 2-2 1",
        "class N/A 3-8 6",
        "function N/A/constructor 4-4 1",
        "function N/A/f 6-6 1",
        "function N/A/h 7-7 1",
        "class N/E 9-9 1",
        "function view 13-13 1",
    ];
    assert_eq!(definitions("a.ts", text), expected);
    assert_eq!(definitions("a.tsx", text), expected);
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
fn odd_files_do_no_harm() {
    let scratch = Scratch::new("odd");
    let mut utf16: Vec<u8> = vec![0xff, 0xfe];
    for unit in "int f(void) {\r\n  return 1;\r\n}\r\n".encode_utf16() {
        utf16.extend(unit.to_le_bytes());
    }
    scratch
        .write("utf16.c", utf16)
        .write("bom.py", b"\xef\xbb\xbf# comment\ndef f(): pass\n")
        .write(
            "latin1.c",
            b"int \xe9t\xe9(void) { return '\xff'; }\nint g(void) { return 0; }\n",
        )
        .write("nul.c", b"int f(void) {\0\0 return 1; }\n\0")
        .write("deep.c", "(".repeat(20_000))
        .write("deep.js", "function f() {".repeat(3000))
        .write("deep.py", "[".repeat(200_000))
        .write("long.js", format!("x = '{}';", "a".repeat(3 << 20)))
        .write(
            "white.c",
            format!("char *s = \"a\n{}\n\";", " ".repeat(200_000)),
        )
        .write("large.c", "int x;\n\n".repeat(2_200_000));
    let (hierarchy, mut warnings) = scratch.scan();
    // Whether the deep ones are parsed in time depends on the machine.
    warnings.retain(|(kind, _)| *kind != "file-took-too-long-to-parse");
    let find = |path: &str| {
        let mut modules = hierarchy.modules();
        let id = modules.find(|id| hierarchy.path(*id) == path);
        hierarchy.module(id.unwrap_or_else(|| panic!("{path} is a module")))
    };
    assert_eq!(find("utf16.c/f").end_line, 3);
    assert_eq!(find("bom.py").loc, 1);
    assert_eq!(find("latin1.c/g").line, 2);
    assert_eq!(find("nul.c/f").loc, 1);
    assert_eq!(find("large.c").loc, 2_200_000);
    assert_eq!(
        warnings,
        [
            ("file-too-large-to-parse".to_owned(), 1),
            ("file-too-sparse-to-parse".to_owned(), 1)
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_and_names_that_are_no_text_do_no_harm() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new("links");
    scratch.write("a/f.c", "int f(void) { return 1; }\n");
    symlink("..", scratch.0.join("a/loop")).expect("links are possible");
    symlink("f.c", scratch.0.join("a/same.c")).expect("links are possible");
    symlink("nowhere.c", scratch.0.join("a/broken.c")).expect("links are possible");
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.c");
    fs::write(scratch.0.join(name), "int g(void) { return 1; }\n").expect("writable");
    let (hierarchy, warnings) = scratch.scan();
    assert_eq!(hierarchy.module(ModuleId::ROOT).loc, 2);
    assert_eq!(hierarchy.len(), 6);
    assert_eq!(warnings, []);
}

#[test]
fn directories_may_lie_deep() {
    let scratch = Scratch::new("deep");
    let path = "d/".repeat(900) + "f.c";
    scratch.write(&path, "int f(void) { return 1; }\n");
    let (hierarchy, _) = scratch.scan();
    assert_eq!(hierarchy.len(), 903);
    let output = callscape()
        .arg("tree")
        .arg(&scratch.0)
        .arg("--json")
        .output()
        .expect("it runs");
    assert!(output.status.success());
    assert_eq!(
        output.stdout.iter().filter(|&&byte| byte == b'{').count(),
        903
    );
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
