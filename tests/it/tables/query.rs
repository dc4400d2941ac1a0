//! `callscape query` as people run it: through the program `duckdb`, through the module of Python, and without either.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::super::common::{self, Scratch};
use super::Opened;
use callscape_testing::tools;

fn query(arguments: &[&str], dir: &Path, search: Option<&Path>) -> Output {
    let mut command = common::callscape();
    command
        .arg("query")
        .arg(arguments[0])
        .arg(dir)
        .args(&arguments[1..]);
    if let Some(search) = search {
        command.env("PATH", search);
    }
    command.output().expect("the program starts")
}

/// Tables in a folder whose name a shell, an engine or a pattern of names could take for something else.
fn tables(scratch: &Scratch) -> PathBuf {
    let dir = scratch.0.join("it's [a] *?;$(touch x) {b,c}");
    for id in ["1", "2026-11-25"] {
        Opened::read(&common::data("import/orders.viztracer.json")).write(&dir, id);
    }
    dir
}

fn rows(output: &Output) -> Vec<Value> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("one document")
}

/// A folder with this alone to be found in it; none where Python has no module `duckdb`.
fn python_alone(scratch: &Scratch) -> Option<PathBuf> {
    let output = Command::new(tools::python())
        .args(["-c", "import sys, duckdb; print(sys.executable)"])
        .output()
        .ok()
        .filter(|it| it.status.success())?;
    let program = String::from_utf8(output.stdout).ok()?;
    let folder = scratch.0.join("bin");
    std::fs::create_dir_all(&folder).ok()?;
    // No link: an interpreter finds its modules from where it is.
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.trim());
    scratch.write("bin/python3", script.as_bytes());
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("python3"), runs).ok()?;
    Some(folder)
}

#[test]
fn without_duckdb_it_is_said_how_to_get_it() {
    let scratch = Scratch::new("no-duckdb");
    let dir = tables(&scratch);
    let output = query(&["functions"], &dir, Some(&scratch.0));
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("pip install duckdb"), "{said}");
    let output = query(&["functions"], &scratch.0, None);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("expected a folder of tables"), "{said}");
    // Before anything is run.
    let output = query(&["stack"], &dir, Some(&scratch.0));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--param at="), "{said}");
}

#[test]
fn program_and_module_give_the_same_rows_whatever_the_folder_is_called() {
    let scratch = Scratch::new("query");
    let dir = tables(&scratch);
    let has_program = tools::has("duckdb", "--version");
    let python = python_alone(&scratch);
    if !has_program && python.is_none() {
        eprintln!("left out: needs the program duckdb, or Python's module");
        return;
    }
    let parameters = [
        "functions",
        "--param",
        "recording=2026%",
        "--param",
        "most=5",
        "--json",
    ];
    let mut answers = Vec::new();
    if has_program {
        answers.push(rows(&query(&parameters, &dir, None)));
    }
    if let Some(python) = &python {
        answers.push(rows(&query(&parameters, &dir, Some(python))));
    }
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
        assert_eq!(answer.len(), 5);
        let first = answer[0].as_object().expect("a row");
        assert_eq!(
            first["recordings"], 1,
            "an ID that looks like a date is text"
        );
    }
    // Half written: the table of recordings, which comes last, does not have it.
    let half = scratch.0.join("half é");
    for id in ["a", "b"] {
        Opened::read(&common::data("import/orders.viztracer.json")).write(&half, id);
    }
    std::fs::remove_dir_all(half.join("recordings/recording=b")).expect("it is there");
    let whole = rows(&query(&["functions", "--json"], &half, None));
    assert!(!whole.is_empty() && whole.iter().all(|row| row["recordings"] == 1));
    if let Some(python) = &python {
        // What Python takes for the encoding of text is not what is asked in.
        let mut command = common::callscape();
        command.args(["query", "functions", "--json"]).arg(&half);
        let output = command
            .env("PATH", python)
            .env("PYTHONIOENCODING", "ascii")
            .output();
        assert_eq!(rows(&output.expect("the program starts")), whole);
    }
    let csv = query(&["functions", "--csv", "--param", "most=5"], &dir, None);
    let csv = String::from_utf8_lossy(&csv.stdout).into_owned();
    assert!(
        csv.starts_with("name,module,file,line,library,recordings,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 6);
    let none = query(
        &["functions", "--csv", "--param", "recording=none"],
        &dir,
        None,
    );
    assert_eq!(
        String::from_utf8_lossy(&none.stdout).lines().count(),
        1,
        "the heading"
    );
    assert!(
        !scratch.0.join("x").exists() && !dir.join("x").exists(),
        "no shell has run"
    );
}
