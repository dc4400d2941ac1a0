//! Functions that are recorded or not by what a file says of them, by their size, and by the depth of calls.

use std::path::{Path, PathBuf};
use std::process::Output;

use callscape::record::control::Control;
use callscape::record::recorder::Recorder;
use callscape::record::{self, Wish};

use super::super::common::Scratch;
use super::frida::{has_frida, recording};
use super::{PROGRAM, build, calls, has_uftrace, path, text};

/// The recorders that can choose functions, as far as they are there.
fn recorders() -> Vec<&'static str> {
    let all = [("uftrace", has_uftrace()), ("frida", has_frida())];
    let there = all.into_iter().filter(|it| it.1);
    there.map(|it| it.0).collect()
}

fn run(scratch: &Scratch, by: &str, options: &[&str], program: &Path) -> (Output, PathBuf) {
    let out = scratch.0.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let options = [&["--with", by, "-o", path(&out)], options].concat();
    let ran = recording(scratch, &options, &[path(program)]).output();
    (ran.expect("it starts"), out)
}

const FINDINGS: &str = r#"{"unit": "nanoseconds", "findings": [
  {"kind": "hot", "functions": ["middle", "main"]},
  {"kind": "repeated", "functions": ["leaf"]}
]}"#;

const MAPPING: &str =
    "category ENDS method main\ncategory ENDS method leaf\ncategory INNER file part/*\n";

#[test]
fn functions_are_chosen_by_mappings_and_findings() {
    let scratch = Scratch::new("record-sets");
    let recorders = recorders();
    if recorders.is_empty() {
        return;
    }
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-pthread"]);
    std::fs::create_dir_all(scratch.0.join("tree/part")).expect("there is room");
    scratch.write("tree/part/middle.c", b"int middle(int n) { return n; }");
    scratch.write("my findings.json", FINDINGS.as_bytes());
    scratch.write("app.map", MAPPING.as_bytes());
    for by in recorders {
        for (options, expected) in [
            (&["--only", "@app.map"][..], [1, 0, 20]),
            (&["--only", "@app.map", "--source", "tree"], [1, 1, 20]),
            (&["--only", "@app.map:INNER", "--source", "tree"], [0, 1, 0]),
            (&["--without", "@app.map:ENDS"], [0, 1, 0]),
            (&["--only", "@my findings.json"], [1, 1, 20]),
            (&["--only", "@my findings.json:repeated"], [0, 0, 20]),
            (&["--without", "@./my findings.json:hot"], [0, 0, 20]),
        ] {
            let (ran, out) = run(&scratch, by, options, &program);
            let said = text(&ran.stderr);
            assert!(ran.status.success(), "{by} {options:?}: {said}");
            let found = ["main", "middle", "leaf"].map(|it| calls(&out, it));
            assert_eq!(found, expected, "{by} {options:?}: {said}");
        }
        scratch.write("other.json", b"{}");
        for (name, reason) in [
            ("@no.map", "expected a file or folder, found none at"),
            (
                "@app.map:NO",
                "expected one entity (ENDS, INNER), found 'NO'",
            ),
            ("@app.map:INNER", "found none in '@app.map:INNER'"),
            ("@my findings.json:cold", "(hot, repeated), found 'cold'"),
            ("@other.json", "found other JSON"),
        ] {
            let (ran, _) = run(&scratch, by, &["--only", name], &program);
            let said = text(&ran.stderr);
            assert!(said.contains(reason), "{by} {name}: {said}");
            assert_eq!(text(&ran.stdout), "", "it did not run");
        }
    }
}

#[test]
fn functions_are_chosen_by_size_and_depth() {
    let scratch = Scratch::new("record-size");
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-pthread"]);
    for by in recorders() {
        for (options, expected) in [
            (["--max-depth", "1"], [1, 0, 0]),
            (["--max-depth", "2"], [1, 1, 0]),
            (["--max-depth", "3"], [1, 1, 20]),
            // `main` alone has so much code.
            (["--min-size", "200"], [1, 0, 0]),
            (["--min-size", "1"], [1, 1, 20]),
        ] {
            let (ran, out) = run(&scratch, by, &options, &program);
            let said = text(&ran.stderr);
            assert!(ran.status.success(), "{by} {options:?}: {said}");
            let found = ["main", "middle", "leaf"].map(|it| calls(&out, it));
            assert_eq!(found, expected, "{by} {options:?}: {said}");
        }
    }
    for (by, option, can) in [
        ("perf", "--max-depth", "needs uftrace or frida or viztracer"),
        ("perf", "--min-size", "needs uftrace or frida:"),
    ] {
        let (ran, _) = run(&scratch, by, &[option, "5"], &program);
        let said = text(&ran.stderr);
        assert!(said.contains(can) || said.contains("perf"), "{said}");
        assert_eq!(text(&ran.stdout), "", "it did not run");
    }
}

const BURSTS: &str = r#"
#include <unistd.h>
#define N __attribute__((noinline))
N int often(int x) { volatile int y = x; return y + 1; }
N int seldom(int x) { volatile int y = x; return often(y) + 1; }
int main(void) {
  for (;;) { for (int i = 0; i < 5000; i++) often(i); seldom(1); usleep(100000); }
}
"#;

#[test]
fn calls_a_second_are_counted_while_frida_records() {
    let mut plain = std::process::Command::new("python3");
    let is_there = plain.args(["-c", "import frida"]).output();
    if !has_frida() || !is_there.is_ok_and(|it| it.status.success()) {
        return;
    }
    let scratch = Scratch::new("record-rates");
    let program = build(&scratch, "app", BURSTS, &["-O1"]);
    let control = Control::default();
    let wish = Wish {
        command: vec![program.into()],
        with: Some(Recorder::Frida),
        output: Some(scratch.0.join("out")),
        max_frequency: Some("1000/100ms".parse().expect("a limit")),
        control: Some(control.clone()),
        ..Wish::default()
    };
    let recording = std::thread::spawn(move || {
        let recorded = record::record(&wish, &mut |_| (), &mut |_| ());
        recorded.map_err(|error| error.to_string())
    });
    let find = |is_excluded: bool, name: &str| {
        let rates = control.rates();
        let mut found = rates.into_iter().filter(|it| it.name == name);
        found.any(|it| it.is_excluded == is_excluded && (it.calls > 0) != is_excluded)
    };
    while !(find(true, "often") && find(false, "seldom") || recording.is_finished()) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    control.stop();
    let recorded = recording.join().expect("no panic").expect("it is recorded");
    let left_out = recorded.left_out.expect("what is called often");
    assert_eq!(left_out.names, ["often"]);
}
