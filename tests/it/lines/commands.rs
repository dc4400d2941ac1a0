//! `callscape lines`.

use serde_json::Value;

use crate::common::{self, data};

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    common::run(&[&["lines"], arguments].concat())
}

fn path(relative: &str) -> String {
    data(relative).display().to_string()
}

fn json(arguments: &[&str]) -> Value {
    common::json(&[&["lines"], arguments, &["--json"]].concat())
}

#[test]
fn lines_as_json_have_the_fields_that_are_promised() {
    let (recording, source) = (
        path("import/callgrind/lines.callgrind.out"),
        path("import/callgrind"),
    );
    let document = json(&[&recording, &source, "--file", "lines.c"]);
    assert_eq!(document["file"], "lines.c");
    assert_eq!(document["unit"], "instructions");
    assert_eq!(document["call_sites"], "recorded");
    let lines = document["lines"].as_array().expect("lines");
    let line = |number: u32| {
        let found = lines.iter().find(|it| it["line"] == number);
        found.unwrap_or_else(|| panic!("line {number}"))
    };
    let fields = ["line", "self", "calls", "cost", "inferred", "callees"];
    for line in lines {
        for field in fields {
            assert!(line.get(field).is_some(), "{field}");
        }
        for callee in line["callees"].as_array().expect("callees") {
            for field in ["name", "calls", "cost"] {
                assert!(callee.get(field).is_some(), "{field}");
            }
        }
    }
    let steps = line(15);
    assert_eq!(
        (&steps["self"], &steps["calls"], &steps["cost"]),
        (&450.into(), &150.into(), &1146.into())
    );
    assert_eq!(steps["inferred"], false);
    assert_eq!(steps["text"], "        sum += all[i](x);");
    assert_eq!(steps["callees"][0]["name"], "square");
    // Once more: the same bytes.
    let again = json(&[&recording, &source, "--file", "lines.c"]);
    assert_eq!(document, again);
    let of_function = json(&[
        &recording,
        &source,
        "--file",
        "lines.c",
        "--function",
        "deep",
    ]);
    let lines = of_function["lines"].as_array().expect("lines");
    let numbers: Vec<u64> = lines.iter().filter_map(|it| it["line"].as_u64()).collect();
    assert_eq!(numbers, [19, 20, 21, 22, 23, 24]);
    assert_eq!(of_function["functions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn lines_of_a_trace_are_inferred_and_say_so() {
    let (recording, source) = (path("import/tasks.uftrace"), path("import"));
    let document = json(&[&recording, &source, "--file", "tasks.c"]);
    assert_eq!(document["unit"], "nanoseconds");
    assert_eq!(document["call_sites"], "inferred");
    let lines = document["lines"].as_array().expect("lines");
    assert!(lines.len() > 3);
    assert!(lines.iter().all(|it| it["self"] == Value::Null));
    assert!(lines.iter().all(|it| it["inferred"] == true));
    let (code, out, _) = run(&[&recording, &source, "--file", "tasks.c"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("~> "), "{out}");
    assert!(!out.contains("=> "), "{out}");
}

/// A file of a library, which only the recording names.
#[test]
fn lines_of_a_file_outside_of_all_are_found_by_its_recorded_path() {
    let recording = path("import/pprof/markdown-render.pb.gz");
    let functions = common::json(&["functions", &recording, "--json"]);
    let functions = functions.as_array().expect("rows").iter();
    let outside = functions.filter(|it| {
        let module = it["module"].as_str().unwrap_or_default();
        module.starts_with("external/") && it["file"].as_str().is_some_and(|it| !it.is_empty())
    });
    let most = outside.max_by_key(|it| it["self_ns"].as_u64());
    let file = most.and_then(|it| it["file"].as_str()).expect("a library");
    let document = json(&[&recording, "--file", file]);
    assert_eq!(document["file"].as_str(), Some(file));
    let lines = document["lines"].as_array().expect("lines");
    let own: u64 = lines.iter().filter_map(|it| it["self"].as_u64()).sum();
    assert!(own > 0, "{document}");
    let (code, _, error) = run(&[&recording, "--file", file, "--function", "f"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("only the recording names"), "{error}");
}

#[test]
fn lines_without_a_source_tree_are_those_that_the_recording_knows() {
    let recording = path("import/pprof/markdown-render.pb.gz");
    let document = json(&[&recording, "--file", "firstpass.rs"]);
    assert_eq!(document["source"], Value::Null);
    assert!(document["lines"].as_array().is_some_and(|it| it.len() > 5));
    let samples = json(&[&recording, "--file", "firstpass.rs", "--value", "samples"]);
    assert_eq!(samples["unit"], "samples");
    let (code, out, _) = run(&[&recording, "--file", "firstpass.rs"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("share"), "{out}");
}

#[test]
fn what_is_not_there_is_refused_with_a_reason() {
    let (recording, source) = (
        path("import/callgrind/lines.callgrind.out"),
        path("import/callgrind"),
    );
    for (arguments, expected) in [
        (vec!["--file", "none.c"], "found no path with this end"),
        (vec!["--file", ""], "found no path with this end"),
        (
            vec!["--file", "lines.c", "--function", "none"],
            "expected a function of lines.c, which has",
        ),
        (
            vec!["--file", "lines.c", "--from", "1ms"],
            "a profile contains weights without times",
        ),
        (
            vec!["--file", "lines.c", "--value", "Dr"],
            "no value is named",
        ),
    ] {
        let mut all = vec![recording.as_str(), source.as_str()];
        all.extend(arguments);
        let (code, out, said) = run(&all);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{said}");
        assert!(said.contains(expected), "{said}");
    }
    let (code, ..) = run(&[&recording]);
    assert_eq!(code, Some(2));
    let flight = path("import/jfr/spin.jfr.gz");
    let (code, _, said) = run(&[&flight, "--file", "Spin", "--from", "10%"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("only for the whole recording"), "{said}");
}
