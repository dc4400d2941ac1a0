//! Paths of recordings are data: only what lies in the named tree is opened.

use std::path::Path;

use serde_json::Value;

use crate::common::{Scratch, callscape};

/// A recording whose function stands in `file`, at line 1 with cost, and calls from lines 1 and 99.
fn recording(scratch: &Scratch, file: &str) -> std::path::PathBuf {
    let text = format!(
        "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: Ir\nfl={file}\nfn=main\n1 5\n99 2\n\
         cfn=f\ncalls=1 1\n99 7\nfn=f\n1 7\n\ntotals: 14\n"
    );
    scratch.write("callgrind.out", text.as_bytes())
}

/// Standard output as JSON, and standard error.
fn run(arguments: &[&str]) -> (Option<Value>, String) {
    let output = callscape()
        .arg("lines")
        .args(arguments)
        .arg("--json")
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = match output.status.code() {
        Some(0) => Some(serde_json::from_slice(&output.stdout).expect("one JSON document")),
        Some(1) => {
            assert!(output.stdout.is_empty());
            None
        }
        other => panic!("{other:?}: {said}"),
    };
    (document, said)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// Nothing of a file outside of the tree is ever said.
#[test]
fn files_outside_of_the_tree_are_not_opened() {
    let scratch = Scratch::new("lines-outside");
    let tree = scratch.0.join("tree");
    std::fs::create_dir_all(tree.join("inner")).expect("a folder");
    std::fs::write(tree.join("inner/a.c"), "int main(void) { return 0; }\n").expect("a file");
    let secret = scratch.write("secret.c", b"int the_secret = 1;\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, tree.join("link.c")).expect("a link");
        std::os::unix::fs::symlink(&scratch.0, tree.join("up")).expect("a link");
    }
    for (recorded, asked) in [
        ("/etc/passwd", "/etc/passwd"),
        ("/etc/passwd", "passwd"),
        ("../secret.c", "../secret.c"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("inner/../../secret.c", "secret.c"),
        (text(&secret), text(&secret)),
        (text(&secret), "secret.c"),
        ("link.c", "link.c"),
        ("up/secret.c", "up/secret.c"),
        ("inner", "inner"),
    ] {
        let trace = recording(&scratch, recorded);
        let (document, said) = run(&[text(&trace), text(&tree), "--file", asked]);
        let document = document.map_or(String::new(), |it| it.to_string());
        for private in ["root:", "the_secret"] {
            assert!(!document.contains(private), "{recorded}: {document}");
            assert!(!said.contains(private), "{recorded}: {said}");
        }
    }
}

#[test]
fn lines_past_the_end_stay_and_are_counted() {
    let scratch = Scratch::new("lines-past");
    let tree = scratch.0.join("tree");
    std::fs::create_dir_all(&tree).expect("a folder");
    std::fs::write(
        tree.join("a.c"),
        "int f(void);\r\nint main(void) { return f(); }\r\n",
    )
    .expect("a file");
    let trace = recording(&scratch, "/build/tree/a.c");
    let (document, said) = run(&[text(&trace), text(&tree), "--file", "a.c"]);
    let document = document.expect("it is known");
    assert_eq!(document["source"]["lines"], 2);
    assert_eq!(document["source"]["past_end"], 1);
    assert_eq!(document["lines"][0]["text"], "int f(void);");
    assert_eq!(document["lines"][1]["line"], 99);
    assert_eq!(document["lines"][1]["text"], Value::Null);
    assert_eq!(document["lines"][1]["self"], 2);
    assert!(said.contains("past the end"), "{said}");
    assert!(!said.contains("newer"), "{said}");
}

#[test]
fn what_cannot_be_shown_is_said_and_the_numbers_stay() {
    let scratch = Scratch::new("lines-shown");
    let tree = scratch.0.join("tree");
    std::fs::create_dir_all(&tree).expect("a folder");
    let trace = recording(&scratch, "/build/tree/a.c");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let file = std::fs::File::options()
        .write(true)
        .open(&trace)
        .expect("the recording");
    file.set_modified(old).expect("its time can be set");
    let path = tree.join("a.c");
    let mut long = vec![b' '; 1 << 20];
    long.extend_from_slice(b"int main(void) { return 0; }\n");
    for (bytes, expected) in [
        (
            &b"int main(void) {\n\treturn 0; \xff\xfe }\n"[..],
            "are no text",
        ),
        (b"\x7fELF\0\0\0\0\0\0", "binary"),
        (&long, "newer than the recording"),
        (b"", "past the end"),
    ] {
        std::fs::write(&path, bytes).expect("a file");
        // A binary file is no module of its own where nothing is left of it to name.
        let (document, said) = run(&[text(&trace), text(&tree), "--file", "a.c"]);
        let document = document.expect("the recording knows lines");
        assert_eq!(document["lines"].as_array().map(Vec::len), Some(2));
        assert!(said.contains(expected), "{said}");
    }
    // Without it: names and numbers alone.
    std::fs::remove_file(&path).expect("it was there");
    let (document, _) = run(&[text(&trace), "--file", "a.c"]);
    let document = document.expect("the recording knows lines");
    assert_eq!(document["source"], Value::Null);
    assert_eq!(document["lines"][0]["self"], 12);
}
