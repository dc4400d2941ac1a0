//! The small recordings in `tests/data/import`.

use std::collections::BTreeMap;

use super::{calls, calls_of, read, warnings};
use crate::common::data;

#[test]
fn a_uftrace_recording_has_the_calls_that_uftrace_reports() {
    let recording = read(&data("import/tasks.uftrace"));
    assert_eq!(recording.format, "uftrace");
    assert_eq!(recording.trace.threads().len(), 3);
    assert!(
        recording
            .trace
            .threads()
            .iter()
            .all(|thread| thread.name == "tasks")
    );
    let report = std::fs::read_to_string(data("import/tasks.report.txt")).expect("the report");
    let mut expected: BTreeMap<&str, (f64, u64)> = BTreeMap::new();
    for line in report
        .lines()
        .skip(2)
        .filter(|line| !line.contains("linux:"))
    {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let total: f64 = fields[0].parse().expect("a number");
        let total = if fields[1] == "ms" {
            total * 1000.0
        } else {
            total
        };
        expected.insert(fields[5], (total, fields[4].parse().expect("a count")));
    }
    let functions = &recording.functions;
    let metrics = recording.trace.function_metrics(None);
    let found: BTreeMap<&str, (f64, u64)> = functions
        .ids()
        .zip(&metrics)
        .map(|(id, of)| {
            (
                functions.get(id).name,
                (of.total.ns() as f64 / 1e3, of.calls),
            )
        })
        .collect();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (name, (total, calls)) in expected {
        assert_eq!(found[name].1, calls, "{name}");
        assert!(
            (found[name].0 - total).abs() < 0.002,
            "{name} {total} {}",
            found[name].0
        );
    }
    let of = |name: &str| {
        let mut ids = functions.ids();
        let id = ids.find(|&id| functions.get(id).name == name);
        functions.get(id.expect("a function of the recording"))
    };
    assert_eq!((of("weigh").file, of("weigh").line), ("tasks.c", 9));
    assert_eq!(
        (of("weigh").library, of("strlen").library),
        ("tasks", "libc.so.6")
    );
    // An alias that the library's symbol file leaves out.
    assert_eq!((of("free").library, of("free").file), ("libc.so.6", ""));
    assert_eq!(warnings(&recording), BTreeMap::new());
}

#[test]
fn viztracer_names_are_taken_apart_and_threads_named() {
    let recording = read(&data("import/toml-threads.viztracer.json"));
    assert_eq!(recording.format, "chrome-json");
    assert_eq!(recording.trace.calls(), 300);
    assert_eq!(recording.functions.len(), 68);
    assert_eq!(recording.trace.max_depth(), 12);
    let mut names: Vec<&str> = recording
        .trace
        .threads()
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["MainThread", "toml_0", "toml_1", "toml_2", "toml_3"]
    );
    let functions: Vec<_> = recording
        .functions
        .ids()
        .map(|id| recording.functions.get(id))
        .collect();
    let worker = functions
        .iter()
        .find(|function| function.name == "_worker")
        .expect("a function");
    assert_eq!(
        (worker.file, worker.line),
        ("/usr/lib/python3.11/concurrent/futures/thread.py", 69)
    );
    assert!(
        functions
            .iter()
            .all(|function| !function.name.contains(".py:"))
    );
    assert_eq!(recording.warnings, []);
}

#[test]
fn tracing_chrome_says_where_a_span_stands() {
    let recording = read(&data("import/syn-spans.tracing-chrome.json"));
    assert_eq!(recording.trace.calls(), 82);
    // Ends repeat the arguments of their begins.
    let counted = [("arguments-of-end-not-shown", 35), ("open-at-end", 8)];
    assert_eq!(warnings(&recording), BTreeMap::from(counted));
    let functions: Vec<_> = recording
        .functions
        .ids()
        .map(|id| recording.functions.get(id))
        .collect();
    assert_eq!(
        (functions[0].name, functions[0].file, functions[0].line),
        ("read_file", "src/bin/syn_spans.rs", 62)
    );
    assert_eq!(recording.trace.threads()[0].name, "worker-0");
    let first = &calls_of(&recording, "0")[0];
    assert_eq!((first.start, first.end - first.start), (0, 121_469));
}

#[test]
fn clang_puts_totals_on_threads_of_their_own() {
    let recording = read(&data("import/tinyxml2.ftime-trace.json"));
    assert_eq!(recording.trace.calls(), 20);
    assert_eq!(recording.trace.threads().len(), 6);
    assert_eq!(recording.trace.max_depth(), 5);
    let outermost = &calls(&recording, 0)[0];
    assert_eq!(
        (outermost.name.as_str(), outermost.depth),
        ("ExecuteCompiler", 0)
    );
}
