//! `callscape query` of a recording: every question has the result that it has for the recording's exported folder, and
//! the tables are made once.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use serde_json::Value;

use super::super::common::{self, text};
use callscape_testing::folder::Folder;
use callscape_testing::tools;

/// The questions with the parameters that they need.
const QUESTIONS: [(&str, &[&str]); 11] = [
    ("functions", &["most=1000000"]),
    ("means", &[]),
    ("graph", &["most=1000000"]),
    ("modules", &["level=2"]),
    ("contexts", &["least=0"]),
    ("stack", &["at=1ms"]),
    ("slowest", &[]),
    ("differences", &["a=%", "b=%", "all=1"]),
    ("never-run", &[]),
    ("rare-calls", &["share=0.5"]),
    ("findings", &[]),
];

fn has_duckdb() -> bool {
    tools::has("duckdb", "--version")
}

fn rows(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.run(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("one document")
}

/// The folders of kept tables, with the time at which their listing was written.
fn kept(folder: &Folder) -> Vec<(PathBuf, SystemTime)> {
    let tables = folder.file("cache/callscape/tables");
    let entries = std::fs::read_dir(tables).into_iter().flatten().flatten();
    let mut kept: Vec<(PathBuf, SystemTime)> = entries
        .map(|entry| {
            let listing = entry.path().join("files.json");
            let written = listing.metadata().and_then(|it| it.modified());
            (entry.path(), written.expect("complete tables"))
        })
        .collect();
    kept.sort();
    kept
}

/// Every question on the recording has the rows that it has on the exported folder.
fn compare(folder: &Folder, recording: &Path, reading: &[&str]) {
    let exported = folder.file("exported");
    let mut export = vec!["export", text(recording), "--format", "parquet", "-o"];
    export.push(text(&exported));
    export.extend(reading);
    let output = folder.run(&export);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let mut found = 0;
    for (question, parameters) in QUESTIONS {
        let parameters = parameters.iter().flat_map(|it| ["--param", it]);
        let parameters: Vec<&str> = parameters.chain(["--json"]).collect();
        let of = |place: &Path, reading: &[&str]| {
            let arguments = [&["query", question, text(place)], &*parameters, reading];
            rows(folder, &arguments.concat())
        };
        let expected = of(&exported, &[]);
        assert_eq!(of(recording, reading), expected, "{question}");
        found += usize::from(expected.as_array().is_some_and(|it| !it.is_empty()));
    }
    assert!(found >= 5, "{}: {found} with rows", recording.display());
    std::fs::remove_dir_all(exported).expect("it is there");
}

#[test]
fn every_question_on_a_recording_is_the_question_on_its_tables() {
    if !has_duckdb() {
        return;
    }
    let folder = Folder::new("query-recording");
    let source = common::data("source");
    for (recording, reading) in [
        ("orders.viztracer.json", &[][..]),
        ("orders.viztracer.json", &["--source", text(&source)]),
        ("tasks.uftrace", &["--max-frequency", "1/1s"]),
        ("pprof/markdown-render.pb.gz", &["--value", "samples"]),
    ] {
        let recording = common::data("import").join(recording);
        if recording.exists() {
            compare(&folder, &recording, reading);
        } else {
            panic!("{}: expected a recording", recording.display());
        }
    }
    // One set for each recording and its options, whatever was asked.
    assert_eq!(kept(&folder).len(), 4);
}

#[test]
fn tables_of_a_recording_are_made_once_and_again_when_it_or_they_change() {
    if !has_duckdb() {
        return;
    }
    let folder = Folder::new("query-kept");
    let recording = folder.file("run 1.json");
    let copy = |name: &str| {
        std::fs::copy(common::data("import").join(name), &recording).expect("there is room")
    };
    copy("orders.viztracer.json");
    let ask = || rows(&folder, &["query", "functions", text(&recording), "--json"]);
    let (first, made) = (ask(), kept(&folder));
    assert_eq!(made.len(), 1);
    assert_eq!((ask(), kept(&folder)), (first.clone(), made.clone()));
    // Tables that lack a file are no answer.
    std::fs::remove_dir_all(made[0].0.join("runs/functions")).expect("it is there");
    assert_eq!(ask(), first);
    assert_ne!(kept(&folder), made);
    copy("toml-threads.viztracer.json");
    let second = ask();
    assert_ne!(second, first);
    let names = |kept: Vec<(PathBuf, SystemTime)>| kept.into_iter().map(|it| it.0);
    let after: Vec<PathBuf> = names(kept(&folder)).collect();
    assert!(after.len() == 1 && after[0] != made[0].0, "{after:?}");
    // Through a pipe it is the same, and nothing stays.
    let name = ["query", "functions", "-", "--json"];
    let file = std::fs::File::open(&recording).expect("it is there");
    let output = folder.callscape(&name).stdin(Stdio::from(file)).output();
    let output = output.expect("the program starts");
    let piped: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(piped, second);
    assert_eq!(names(kept(&folder)).collect::<Vec<_>>(), after);
}

#[test]
fn several_processes_may_query_a_recording_at_once() {
    if !has_duckdb() {
        return;
    }
    let folder = Folder::new("query-at-once");
    let recording = common::data("import/orders.viztracer.json");
    let asks = (0..4).map(|_| {
        let mut command = folder.callscape(&["query", "graph", text(&recording), "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    });
    let asks: Vec<_> = asks.collect();
    let mut answers = Vec::new();
    for ask in asks {
        let output = ask.wait_with_output().expect("it ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        answers.push(output.stdout);
    }
    assert!(answers.iter().all(|it| *it == answers[0]));
    assert_eq!(kept(&folder).len(), 1);
}

#[test]
fn errors_and_sql_of_a_recording_name_what_is_expected_and_where_it_is() {
    let folder = Folder::new("query-errors");
    let recording = common::data("import/orders.viztracer.json");
    let said = |arguments: &[&str], code: i32| {
        let output = folder.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        error
    };
    std::fs::write(folder.file("note.txt"), "no recording").expect("there is room");
    std::fs::create_dir_all(folder.file("empty")).expect("a folder");
    std::fs::create_dir_all(folder.file("runs/functions")).expect("a folder");
    let note = said(&["query", "functions", "note.txt"], 1);
    assert!(
        note.contains("note.txt") && note.contains("expected"),
        "{note}"
    );
    let empty = said(&["query", "functions", "empty"], 1);
    assert!(empty.contains("expected a folder of tables"), "{empty}");
    assert!(empty.contains("or a recording"), "{empty}");
    let missing = said(&["query", "functions", "missing.json"], 1);
    assert!(missing.contains("missing.json"), "{missing}");
    let tables = said(&["query", "functions", "runs", "--source", "."], 1);
    assert!(
        tables.contains("--source: expected a recording"),
        "{tables}"
    );
    let output = folder.run(&["query", "functions", text(&recording), "--sql"]);
    let sql = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        sql.starts_with("SELECT") || sql.starts_with("WITH"),
        "{sql}"
    );
    let place = String::from_utf8_lossy(&output.stderr).into_owned();
    let place = place.trim().strip_prefix("callscape: its tables: ");
    let place = PathBuf::from(place.expect("where they are"));
    assert!(place.join("functions").is_dir(), "{}", place.display());
    assert_eq!(kept(&folder)[0].0.join("runs"), place);
}
