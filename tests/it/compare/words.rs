//! What `callscape compare` says of its two sides in words.

use serde_json::json;

use super::{run, text};
use crate::common::Scratch;

#[test]
fn counts_fit_their_nouns_and_each_other() {
    let scratch = Scratch::new("compare-words");
    // Functions of V8 often share a name and a file.
    let nodes = json!([
        {"id": 1, "callFrame": {"functionName": "f", "scriptId": "1", "url": "a.js", "lineNumber": 0, "columnNumber": 1},
         "children": [2]},
        {"id": 2, "callFrame": {"functionName": "f", "scriptId": "2", "url": "a.js", "lineNumber": 0, "columnNumber": 9}},
    ]);
    let twice = json!({"nodes": nodes, "startTime": 0, "endTime": 20, "samples": [1, 2], "timeDeltas": [10, 10]});
    let twice = scratch.write("a.cpuprofile", twice.to_string().as_bytes());
    let said = run(&[text(&twice), text(&twice)]).out;
    println!("{said}");
    let one = json!([{"ph": "X", "name": "f", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]);
    let one = scratch.write("one.json", one.to_string().as_bytes());
    let said = run(&[text(&one), text(&one)]).out;
    assert!(said.contains(": 1 call of 1 function in "), "{said}");
    assert!(said.contains("1 function in both\n"), "{said}");
}

#[test]
fn a_file_of_another_program_is_no_renamed_one() {
    let scratch = Scratch::new("compare-renamed");
    let trace = |name: &str, functions: &[&str], file: &str| {
        let events = (1..).zip(functions).map(|(at, function)| {
            let name = format!("{function} ({file}:{at})");
            json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": at * 10, "dur": 5})
        });
        let document = json!({"traceEvents": events.collect::<Vec<_>>(),
                              "viztracer_metadata": {"version": "1.0"}});
        scratch.write(name, document.to_string().as_bytes())
    };
    let lua = trace("lua.json", &["main"], "/lua/luamain.c");
    let other = trace("ts.json", &["main"], "/ts/src/ts/parse.c");
    let said = run(&[text(&lua), text(&other)]).out;
    assert!(!said.contains("is now"), "{said}");
    let old = trace("old.json", &["main", "parse", "print"], "/app/old.c");
    let new = trace("new.json", &["main", "parse", "print"], "/app/new.c");
    let said = run(&[text(&old), text(&new)]).out;
    assert!(said.contains("old.c is now "), "{said}");
}

#[test]
fn what_nobody_has_written_is_not_named() {
    let scratch = Scratch::new("compare-clocks");
    let stacks = scratch.write("a.folded", b"main;f 3\n");
    let picture = scratch.0.join("a.png");
    let answer = run(&[
        text(&stacks),
        text(&stacks),
        "-o",
        text(&picture),
        "--view",
        "flame",
    ]);
    assert!(!answer.err.contains("--align"), "{}", answer.err);
}
