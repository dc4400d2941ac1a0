//! `callscape tree --relations` and `--preset` as a caller sees them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Scratch;
use crate::common::{json, output};
use callscape_testing::tools;

#[test]
fn relations_are_one_document_and_the_same_each_time() {
    let scratch = Scratch::new("relations");
    scratch
        .write("p/__init__.py", "")
        .write("p/a.py", "from . import b\nimport os\nb.f()\n")
        .write(
            "p/b.py",
            "from .a import x\nfrom . import gone\n\ndef f(): pass\n",
        )
        .write("p/c.py", "from .gone import y\n")
        .write(
            "d.c",
            "#include \"/etc/passwd\"\n#include \"../../out.h\"\n",
        );
    let dir = scratch.0.to_str().expect("text");
    let args = ["tree", dir, "--relations", "--json"];
    let found = json(&args);
    let import =
        |from: &str, to: &str, line: u32| serde_json::json!({"from": from, "to": to, "line": line});
    let expected = [
        import("p/a.py", "p/b.py", 1),
        import("p/b.py", "p/__init__.py", 2),
        import("p/b.py", "p/a.py", 1),
    ];
    assert_eq!(found["imports"], Value::from(expected.to_vec()));
    assert_eq!(found["calls"][0]["from"], "p/a.py");
    assert_eq!(found["calls"][0]["to"], "p/b.py");
    assert_eq!(found["calls"][0]["count"], 1);
    assert_eq!(found["outside"], 3);
    assert_eq!(found["unresolved"], 1);
    assert_eq!(found["unresolved_imports"][0]["path"], ".gone y");
    assert_eq!(found["cycles"], serde_json::json!([["p/a.py", "p/b.py"]]));
    assert_eq!(output(&args).stdout, output(&args).stdout);
    let text = output(&["tree", dir, "--relations"]);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(text.contains("cycle of 2 files: p/a.py, p/b.py"), "{text}");
}

#[test]
fn a_preset_names_what_was_written_by_hand() {
    let scratch = Scratch::new("preset");
    let branches = |count: usize| format!("def f(a):\n{}", "  if a: pass\n".repeat(count));
    scratch
        .write("small.py", branches(3))
        .write("large.py", branches(7))
        .write("made.py", format!("# @generated\n{}", branches(90)))
        .write("node_modules/x.py", branches(80))
        .write("told.py", branches(70))
        .write(".gitattributes", "told.py linguist-generated\n");
    let dir = scratch.0.to_str().expect("text");
    let found = json(&["tree", dir, "--preset", "complexity", "--json"]);
    assert_eq!(found["preset"], "complexity");
    assert_eq!(found["metric"], "complexity");
    assert!(found["unit"].is_string());
    let expected = serde_json::json!([
        {"path": "large.py", "value": 8},
        {"path": "small.py", "value": 4},
    ]);
    assert_eq!(found["modules"], expected);
    let tree = json(&["tree", dir, "--json"]);
    let children = tree["children"].as_array().expect("a list");
    let made = |name: &str| {
        let mut children = children.iter();
        children
            .find(|it| it["name"] == name)
            .map(|it| it["made"].clone())
    };
    assert_eq!(made("made.py"), Some(Value::from("generated")));
    assert_eq!(made("told.py"), Some(Value::from("generated")));
    assert_eq!(made("node_modules"), Some(Value::from("vendored")));
    assert_eq!(made("small.py"), Some(Value::Null));
    let never = output(&["tree", dir, "--preset", "never-run"]);
    assert_eq!(never.status.code(), Some(1));
    let unknown = output(&["tree", dir, "--preset", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
}

/// Counts as the definitions have it, by Python's own parser: by file the names assigned outside of functions and classes,
/// and all bases of classes.
const COUNTS: &str = r#"
import ast, json, os, sys
root, found = sys.argv[1], {}
def names(target):
    if isinstance(target, ast.Name): yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for it in target.elts: yield from names(it)
    elif isinstance(target, ast.Starred): yield from names(target.value)
def variables(body):
    for it in body:
        if isinstance(it, ast.Assign) and not isinstance(it.value, ast.Lambda):
            for target in it.targets: yield from names(target)
        elif isinstance(it, ast.AnnAssign) and it.value: yield from names(it.target)
        elif isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): continue
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(it, part, None)
            if isinstance(inner, list): yield from variables(inner)
def bases(tree):
    for it in ast.walk(tree):
        if isinstance(it, ast.ClassDef):
            for base in it.bases:
                if isinstance(base, ast.Subscript): base = base.value
                if isinstance(base, (ast.Name, ast.Attribute)): yield ast.unparse(base)
for folder, _, files in os.walk(root):
    for name in files:
        if name.endswith(".py"):
            path = os.path.join(folder, name)
            tree = ast.parse(open(path, encoding="utf-8").read())
            found[os.path.relpath(path, root)] = [len(set(variables(tree.body))), len(list(bases(tree)))]
print(json.dumps(found))
"#;

/// Global variables by file, from the document of the tree.
fn globals(module: &Value, path: &str, found: &mut BTreeMap<String, u64>) {
    for child in module["children"].as_array().into_iter().flatten() {
        let name = child["name"].as_str().unwrap_or_default();
        let path = match path {
            "" => name.to_owned(),
            path => format!("{path}/{name}"),
        };
        match child["kind"].as_str() {
            Some("file") => {
                let count = child["globals"].as_u64().expect("asked for");
                found.insert(path, count);
            }
            _ => globals(child, &path, found),
        }
    }
}

#[test]
fn global_variables_and_bases_are_those_that_the_parser_of_python_finds() {
    let scratch = Scratch::new("globals");
    scratch
        .write(
            "p/a.py",
            "A = B = 1\nA = 2\n(c, *d), e = f()\ng: int = 1\nh: int\nif A:\n    i = 1\nelse:\n    try:\n        j = 1\n    except E:\n        k = 1\n\
             def f():\n    no = 1\nl = lambda: 1\nclass C(Exception):\n    no = 1\n",
        )
        .write("p/b.py", "from .a import C\nclass D(C, list): pass\nclass E(D): pass\nx = y[0] = z.a = 1\n")
        .write("c.py", "with open('x') as no:\n    m = 1\nfor no in ():\n    n = 1\nwhile m: o = 1\n");
    let library = ["/usr/lib/python3.11/email", "/usr/lib/python3.12/email"];
    let library = library.iter().map(std::path::PathBuf::from);
    let library = library.filter(|it| it.is_dir());
    for dir in std::iter::once(scratch.0.clone()).chain(library) {
        let dir = dir.to_str().expect("text");
        let counted = std::process::Command::new(tools::python())
            .args(["-c", COUNTS, dir])
            .output();
        let Some(counted) = counted.ok().filter(|it| it.status.success()) else {
            eprintln!("left out: python3 is not installed");
            return;
        };
        let counted: BTreeMap<String, [u64; 2]> =
            serde_json::from_slice(&counted.stdout).expect("counts");
        let mut found = BTreeMap::new();
        globals(&json(&["tree", dir, "--json", "--globals"]), "", &mut found);
        let expected = counted.iter().map(|(path, it)| (path.clone(), it[0]));
        found.retain(|path, _| path.ends_with(".py"));
        assert_eq!(found, expected.collect(), "{dir}");
        let relations = json(&["tree", dir, "--relations", "--json"]);
        let resolved = relations["inherits"].as_array().expect("a list").len() as u64;
        let of = |key: &str| relations[key].as_u64().expect("a number");
        let all: u64 = counted.values().map(|it| it[1]).sum();
        let found = resolved + of("ambiguous_bases") + of("outside_bases");
        assert_eq!(found, all, "{dir}");
    }
    let dir = scratch.0.to_str().expect("text");
    let relations = json(&["tree", dir, "--relations", "--json"]);
    let inherits = |from: &str, to: &str, line: u32, class: &str, base: &str| serde_json::json!({"from": from, "to": to, "line": line, "class": class, "base": base, "inferred": true});
    let expected = [
        inherits("p/b.py", "p/a.py", 2, "D", "C"),
        inherits("p/b.py", "p/b.py", 3, "E", "D"),
    ];
    assert_eq!(relations["inherits"], Value::from(expected.to_vec()));
    assert_eq!(relations["outside_bases"], 2);
}
