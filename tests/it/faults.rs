//! From what changed between two revisions to the functions that ran.
#![cfg(feature = "git")]

mod ranked;
mod results;
mod revisions;
mod touched;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Scratch, run, text};

/// Runs git in `dir`, without the configuration of whoever runs the tests; what it prints, none where it fails.
fn git(dir: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(dir)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args([
            "-c",
            "commit.gpgsign=false",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().expect("a file has a directory")).expect("writable");
    std::fs::write(path, text).expect("writable");
}

fn commit(dir: &Path, summary: &str) -> String {
    git(dir, &["add", "-A"]).expect("added");
    git(dir, &["commit", "-q", "--allow-empty", "-m", summary]).expect("committed");
    git(dir, &["rev-parse", "HEAD"])
        .expect("a commit")
        .trim()
        .to_owned()
}

/// A recording as VizTracer writes it: each call with its name and file, what it takes, and what it calls.
struct Call(&'static str, &'static str, u32, Vec<Call>);

fn recording(scratch: &Scratch, name: &str, calls: Vec<Call>) -> std::path::PathBuf {
    fn add(call: &Call, at: &mut f64, events: &mut Vec<Value>) {
        let Call(name, file, own, inner) = call;
        let start = *at;
        let place = events.len();
        events.push(Value::Null);
        *at += 0.1;
        for call in inner {
            add(call, at, events);
        }
        *at += f64::from(*own);
        events[place] = json!({"ph": "X", "pid": 1, "tid": 1, "cat": "FEE", "ts": start, "dur": *at - start,
            "name": format!("{name} ({file})")});
        *at += 0.1;
    }
    let (mut events, mut at) = (Vec::new(), 0.0);
    for call in &calls {
        add(call, &mut at, &mut events);
    }
    scratch.write(name, json!({"traceEvents": events}).to_string().as_bytes())
}

/// Exit code, standard output and standard error.
fn faults(args: &[&str]) -> (i32, String, String) {
    let (code, out, err) = run(&[&["faults"], args].concat());
    (code.unwrap_or(-1), out, err)
}

/// The JSON document of a run that has to succeed, and what was said beside it.
fn found(args: &[&str]) -> (Value, String) {
    let args = [args, &["--json"]].concat();
    let (code, out, err) = faults(&args);
    assert_eq!(code, 0, "{err}");
    (serde_json::from_str(&out).expect("one JSON document"), err)
}

fn named<'v>(found: &'v Value, function: &str) -> &'v Value {
    let all = found.as_array().expect("a list");
    let one = all.iter().find(|it| it["function"] == function);
    one.unwrap_or_else(|| panic!("{function} is not in {found:#}"))
}
