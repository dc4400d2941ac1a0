//! `callscape tree --relations` and `--preset` as a caller sees them.

use serde_json::Value;

use super::Scratch;
use crate::common::{json, output};

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
