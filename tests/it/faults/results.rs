//! What other tools have found, as functions that ran.

use std::process::Command;

use serde_json::Value;

use super::{Call, recording, text, write};
use crate::common::{Scratch, callscape};
use callscape_testing::tools;

const SOURCE: &str = "def work(x):\n    return check(x)\n\n\ndef check(x):\n    return 1 / x\n\n\ndef never(x):\n    return x\n\n\nwork(0)\n";

/// The functions that are kept, with their hits, and what is said of the rest.
fn kept(args: &[&str]) -> (Vec<(String, u64)>, String) {
    let output = callscape()
        .arg("functions")
        .args(args)
        .arg("--json")
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let rows: Value = serde_json::from_slice(&output.stdout).expect("one document");
    let rows = rows.as_array().expect("rows").iter();
    let mut rows: Vec<(String, u64)> = rows
        .map(|it| {
            (
                it["name"].as_str().unwrap_or_default().to_owned(),
                it["hits"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    rows.sort();
    (rows, said)
}

#[test]
fn hits_become_functions_that_ran_and_sets_are_intersected() {
    let scratch = Scratch::new("results");
    let dir = scratch.0.join("tree");
    write(&dir, "app/main.py", SOURCE);
    write(&dir, "other/main.py", "x = 1\n");
    let work = Call(
        "work",
        "/x/app/main.py:1",
        5,
        vec![Call("check", "/x/app/main.py:5", 3, vec![])],
    );
    let trace = recording(&scratch, "trace.json", vec![work]);
    let lines = "app/main.py:2:1: a\n./app/main.py:6: b\napp/main.py:5: c\napp/main.py:10: d\napp/main.py:13: e\nmain.py:2: f\nnone.py:1: g\n";
    let grep = scratch.write("grep.txt", lines.as_bytes());
    let args = [
        text(&trace),
        "--source",
        text(&dir),
        "--results",
        text(&grep),
    ];
    let (found, said) = kept(&args);
    assert_eq!(found, [("check".to_owned(), 2), ("work".to_owned(), 1)]);
    assert!(
        said.contains("1 in functions that did not run, 1 in none, 2 in files"),
        "{said}"
    );
    let lcov = scratch.write(
        "a.info",
        b"SF:/x/app/main.py\nDA:2,0\nDA:6,1\nDA:10,4\nend_of_record\n",
    );
    let both = [&args[..], &["--results", text(&lcov)]].concat();
    assert_eq!(kept(&both).0, [("check".to_owned(), 3)]);
    // A traceback as Python itself writes it.
    let Ok(output) = Command::new(tools::python())
        .arg(dir.join("app/main.py"))
        .output()
    else {
        return;
    };
    let traceback = scratch.write("traceback.txt", &output.stderr);
    let args = [
        text(&trace),
        "--source",
        text(&dir),
        "--results",
        text(&traceback),
    ];
    assert_eq!(
        kept(&args).0,
        [("check".to_owned(), 1), ("work".to_owned(), 1)]
    );
}
