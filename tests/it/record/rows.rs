//! Lines of the table in `docs/recording.md` that stand alone.

use std::process::Command;

use super::super::common::Scratch;
use super::{PROGRAM, build, calls, has, json, path, run, text, tools};

/// Whether perf records here; a line that the caller leaves its test out where not.
pub fn may_sample(said: &str) -> bool {
    let may_not = said.contains("perf_event_paranoid") || said.contains("perf failed");
    if may_not {
        eprintln!("left out: perf may not record here: {said}");
    }
    !may_not
}

#[test]
fn a_script_of_a_shell_is_recorded_with_what_it_runs() {
    if !has("perf", "--version") || !has("gcc", "--version") {
        return;
    }
    let scratch = Scratch::new("record-shell");
    build(&scratch, "app", PROGRAM, &["-O2", "-g"]);
    let script = scratch.write("run.sh", b"#!/bin/sh\n./app spin\nexit 7\n");
    let is_set = Command::new("chmod").arg("+x").arg(&script).status();
    assert!(is_set.is_ok_and(|it| it.success()));
    let out = scratch.0.join("out");
    let ran = run(&scratch, &["--no-open", "-o", path(&out)], &["./run.sh"]);
    let said = text(&ran.stderr);
    if !may_sample(&said) {
        return;
    }
    assert_eq!(ran.status.code(), Some(7), "{said}");
    assert_eq!(text(&ran.stdout), "sum 590\n");
    assert!(said.contains("a script of a shell"), "{said}");
    assert!(calls(&out, "middle") > 0);
}

const GO: &str = r#"package main

import "fmt"

//go:noinline
func spin(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i % 7
	}
	return s
}

func main() {
	fmt.Println(spin(600000000) > 0)
}
"#;

#[test]
fn a_program_of_go_is_recorded_by_perf() {
    if !has("go", "version") || !has("perf", "--version") {
        return;
    }
    let scratch = Scratch::new("record-go");
    let source = scratch.write("app.go", GO.as_bytes());
    let program = scratch.0.join("app");
    let built = Command::new("go")
        .args(["build", "-o", path(&program), path(&source)])
        .env("GOCACHE", scratch.0.join("cache"))
        .env("GOFLAGS", "-mod=mod")
        .status();
    assert!(built.is_ok_and(|it| it.success()), "go builds it");
    let out = scratch.0.join("out");
    let ran = run(
        &scratch,
        &["--no-open", "-o", path(&out)],
        &[path(&program)],
    );
    let said = text(&ran.stderr);
    if !may_sample(&said) {
        return;
    }
    assert!(ran.status.success(), "{said}");
    assert_eq!(text(&ran.stdout), "true\n");
    assert!(said.contains("recording samples with perf"), "{said}");
    assert!(calls(&out, "main.spin") > 0);
}

#[test]
fn a_program_of_rust_is_recorded_whole() {
    if !has("uftrace", "--version") || !has("rustc", "--version") {
        return;
    }
    let scratch = Scratch::new("record-rust");
    let text_of = "#[inline(never)] fn leaf(x: u64) -> u64 { std::hint::black_box(x) + 1 }\n\
                   fn main() { let s: u64 = (0..500).map(leaf).sum(); println!(\"{s}\"); std::process::exit(2) }\n";
    let source = scratch.write("app.rs", text_of.as_bytes());
    let program = scratch.0.join("app");
    let built = Command::new("rustc")
        .args(["-O", "-g", "-o", path(&program), path(&source)])
        .status();
    assert!(built.is_ok_and(|it| it.success()), "rustc builds it");
    let out = scratch.0.join("out");
    let ran = run(
        &scratch,
        &["--no-open", "-o", path(&out)],
        &[path(&program)],
    );
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    assert_eq!(text(&ran.stdout), "125250\n");
    let all = json(&["functions", path(&out), "--json"]);
    let all = all.as_array().expect("a list");
    let leaf = all
        .iter()
        .find(|it| it["name"].as_str().is_some_and(|it| it.ends_with("leaf")));
    assert_eq!(leaf.expect("the function")["calls"], 500);
}

/// The interpreter itself: what stands for it in PATH may be a script that chooses one, which py-spy knows nothing of.
pub fn interpreter() -> String {
    let ask = "import sys; print(sys.executable)";
    let asked = Command::new(tools::python()).args(["-c", ask]).output();
    text(&asked.expect("python3 is installed").stdout)
        .trim()
        .to_owned()
}

const PYTHON: &[u8] = b"import sys, time\ndef spin():\n    end = time.monotonic() + 2\n    n = 0\n    while time.monotonic() < end:\n        n += 1\n    return n\nspin()\nprint(sys.argv[1:])\nsys.exit(6)\n";

#[test]
fn a_program_of_python_is_sampled_by_py_spy() {
    if !has("py-spy", "--version") {
        return;
    }
    let scratch = Scratch::new("record-py-spy");
    scratch.write("app.py", PYTHON);
    let out = scratch.0.join("out");
    let ran = run(
        &scratch,
        &["--no-open", "--with", "py-spy", "-o", path(&out)],
        &[&interpreter(), "app.py", "a b"],
    );
    let said = text(&ran.stderr);
    if said.contains("Permission Denied") || said.contains("Operation not permitted") {
        eprintln!("left out: py-spy may not look into processes here: {said}");
        return;
    }
    // It says things of its own around it, and not how the program ended.
    assert!(text(&ran.stdout).contains("['a b']\n"), "{said}");
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(
        said.contains("how the program ended is not known"),
        "{said}"
    );
    assert!(calls(&out, "spin") > 0);
}
