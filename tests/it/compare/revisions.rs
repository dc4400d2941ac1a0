//! Two revisions of a source tree, compared as they are counted directly.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::folder::Folder;

const DEEP: &str = "int deep(int a) {\n    if (a)\n        return 1;\n    return a ? 2 : 3;\n}\n";

/// The files of both revisions; a path alone is a file that the second does not have.
const BEFORE: [(&str, &str); 4] = [
    (
        "src/kept.c",
        "int kept(void) {\n    return 1;\n}\n\nint grown(int a) {\n    return a;\n}\n\nint gone(void) {\n    return 3;\n}\n",
    ),
    (
        "src/old.c",
        "int one(void) {\n    int a = 1;\n    return a;\n}\n\nint two(void) {\n    int b = 2;\n    return b;\n}\n\nint three(void) {\n    int c = 3;\n    return c;\n}\n",
    ),
    ("removed.py", "def removed():\n    return 1\n"),
    ("notes.txt", "one\n\ntwo\n"),
];
const AFTER: [(&str, &str); 4] = [
    (
        "src/kept.c",
        "int before(void);\n\nint kept(void) {\n    return 1;\n}\n\n/* More. */\nint grown(int a) {\n    if (a)\n        return 2;\n    return a;\n}\n\nint fresh(void) {\n    return 4;\n}\n",
    ),
    (
        "src/new/renamed.c",
        "int one(void) {\n    int a = 1;\n    return a;\n}\n\nint two(void) {\n    int b = 2;\n    return b;\n}\n\nint three(void) {\n    return 3;\n}\n",
    ),
    ("added.c", DEEP),
    ("notes.txt", "one\ntwo\nthree\n"),
];

fn git(dir: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args([
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    ]);
    let output = command.args(arguments).current_dir(dir).output();
    let output = output.expect("git is there");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {error}");
}

fn commit(dir: &Path, files: &[(&str, &str)], tag: &str) {
    for (path, text) in files {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-qm", tag]);
    git(dir, &["tag", tag]);
}

/// A repository with the revisions `v1` and `v2`, and one without a common commit.
fn repository(name: &str) -> Option<Folder> {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("left out: needs git");
        return None;
    }
    let folder = Folder::new(name);
    let dir = folder.file("tree");
    fs::create_dir(&dir).expect("there is room");
    git(&dir, &["init", "-q"]);
    commit(&dir, &BEFORE, "v1");
    for path in ["src/old.c", "removed.py"] {
        fs::remove_file(dir.join(path)).expect("it is there");
    }
    commit(&dir, &AFTER, "v2");
    git(&dir, &["checkout", "-q", "--orphan", "other"]);
    git(&dir, &["commit", "-qm", "alone"]);
    git(&dir, &["checkout", "-q", "main"]);
    Some(folder)
}

fn compared(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.run(&[&["compare", "tree", "--json"], arguments].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("a document")
}

/// Amounts of both sides by path, of the functions that differ.
fn functions(document: &Value) -> BTreeMap<String, (u64, u64)> {
    let rows = document["functions"].as_array().expect("functions");
    let amount = |row: &Value, side: &str| row[side]["self_ns"].as_u64().unwrap_or(0);
    let rows = rows.iter().map(|row| {
        let path = row["module"].as_str().expect("a module").to_owned();
        (path, (amount(row, "a"), amount(row, "b")))
    });
    rows.filter(|(_, (a, b))| a != b).collect()
}

#[test]
fn two_revisions_are_compared_as_they_are_counted() {
    let Some(folder) = repository("revisions") else {
        return;
    };
    let document = compared(&folder, &["--rev", "v1..v2"]);
    let expected = [
        ("added.c/deep", (0, 5)),
        ("removed.py/removed", (2, 0)),
        ("src/kept.c/fresh", (0, 3)),
        ("src/kept.c/gone", (3, 0)),
        ("src/kept.c/grown", (3, 5)),
        ("src/kept.c/<module>", (0, 1)),
        ("src/new/renamed.c/three", (4, 3)),
    ];
    let mut found = functions(&document);
    // Text without functions counts as tokei counts it.
    found.retain(|path, _| !path.starts_with("notes.txt"));
    let expected = expected.map(|(path, lines)| (path.to_owned(), lines));
    assert_eq!(found, BTreeMap::from(expected));
    let revisions = &document["revisions"];
    let counts = &revisions["functions"];
    for (what, count) in [
        ("added", 2),
        ("removed", 2),
        ("moved", 0),
        ("grown", 1),
        ("shrunk", 1),
        ("more_complex", 1),
        ("less_complex", 0),
    ] {
        assert_eq!(counts[what], count, "{what}: {counts}");
    }
    let files = &revisions["files"];
    for (what, count) in [("added", 1), ("removed", 1), ("moved", 1)] {
        assert_eq!(files[what], count, "{what}: {files}");
    }
    let moved = serde_json::json!([["src/old.c", "src/new/renamed.c"]]);
    assert_eq!(document["paired"]["moved_files"], moved);
    assert_eq!(revisions["a"]["name"], "v1");
    assert_eq!(document["unit"], "lines");
    let complexity = compared(&folder, &["--rev", "v1..v2", "--value", "complexity"]);
    let found = functions(&complexity);
    assert_eq!(found.get("src/kept.c/grown"), Some(&(1, 2)), "{found:?}");
    assert_eq!(found.get("added.c/deep"), Some(&(0, 3)), "{found:?}");
    // The other way round all of it is the other way round.
    let back = compared(&folder, &["--rev", "v2..v1"]);
    let back = functions(&back);
    assert_eq!(back.get("src/old.c/three"), Some(&(3, 4)), "{back:?}");
    assert_eq!(back.get("src/kept.c/gone"), Some(&(0, 3)), "{back:?}");
}

#[test]
fn lines_are_those_of_the_trees_that_git_checks_out() {
    let Some(folder) = repository("revisions-tree") else {
        return;
    };
    let document = compared(&folder, &["--rev", "v1..main"]);
    for (side, revision) in [("a", "v1"), ("b", "v2")] {
        git(&folder.file("tree"), &["checkout", "-q", revision]);
        let output = folder.run(&["tree", "tree", "--json"]);
        let tree: Value = serde_json::from_slice(&output.stdout).expect("a document");
        assert_eq!(document["revisions"][side]["lines"], tree["loc"]);
        assert_eq!(
            document["revisions"][side]["complexity"],
            tree["complexity"]
        );
    }
}

#[test]
fn pictures_and_reports_show_two_revisions() {
    let Some(folder) = repository("revisions-pictures") else {
        return;
    };
    let report = folder.run(&["compare", "tree", "--rev", "v1..v2", "-o", "report.html"]);
    assert!(
        report.status.success(),
        "{}",
        String::from_utf8_lossy(&report.stderr)
    );
    let page = fs::read_to_string(folder.file("report.html")).expect("a page");
    assert!(page.contains("functions: 2 added, 2 removed"), "{page}");
    assert!(page.contains("callscape tree --rev v1..v2"));
    let picture = [
        "render", "tree", "--rev", "v1..v2", "-o", "both.png", "--size", "320x200",
    ];
    let output = folder.run(&picture);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(folder.file("both.png").is_file());
    let refused = folder.run(&[&picture[..], &["--color", "loc"]].concat());
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let Some(folder) = repository("revisions-refused") else {
        return;
    };
    fs::create_dir(folder.file("none")).expect("there is room");
    for (tree, revisions, words) in [
        ("tree", "v1..nowhere", &["tree", "'nowhere'"][..]),
        (
            "tree",
            "v2..main",
            &["tree", "two different revisions", "v2 and main"],
        ),
        (
            "tree",
            "main..",
            &["two different revisions", "main and HEAD"],
        ),
        (
            "tree",
            "v1..other",
            &["tree", "one history", "v1 and other"],
        ),
        ("tree", "v1", &["A..B", "'v1'"]),
        ("tree", "v1...v2", &["A..B"]),
        ("none", "v1..v2", &["none", "not in a git repository"]),
        ("tree/src/new", "v1..v2", &["src/new", "'v1'"]),
        ("tree/added.c", "v1..v2", &["tree"]),
    ] {
        let output = folder.run(&["compare", tree, "--rev", revisions]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{revisions}");
        for word in words {
            assert!(error.contains(word), "{revisions}: {word}: {error}");
        }
    }
    let url = format!("file://{}", folder.file("tree").display());
    git(
        &folder.file(""),
        &["clone", "-q", "--depth", "1", &url, "shallow"],
    );
    let output = folder.run(&["compare", "shallow", "--rev", "v1..HEAD"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("the clone is shallow"), "{error}");
}
