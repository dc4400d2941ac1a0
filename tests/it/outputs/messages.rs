//! Standard error and standard output that nobody reads, that are full or closed.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use super::{common, sample, text};

/// What each sub-command is told to do so that it says something.
fn commands() -> Vec<Vec<String>> {
    let recording = sample();
    let recording = text(&recording);
    let missing = "no/such/file";
    let mut all = vec![
        vec![missing],
        vec!["--no-such-option"],
        vec!["help", "no-such"],
        vec!["info", recording],
        vec!["info", recording, "--source", missing],
        vec!["functions", recording, "--value", "\u{1b}[31m"],
        vec!["functions", recording, "--limit", "\u{1b}[31m"],
        vec!["pack", "-o", "x"],
        vec!["render", missing, "-o", "x.png"],
        vec!["render", "--scene", missing, "-o", "x.mp4"],
        vec!["export", missing, "--format", "csv"],
        vec!["compare", missing, missing],
        vec!["query", missing],
        vec!["scene", missing],
        vec!["sample", missing, "-o", "x"],
        vec!["present", missing],
        vec!["record", "--no-open", "--", missing],
        vec!["record", "--listen", "not an address"],
        vec!["faults", missing, "--source", missing],
    ];
    let plain = [
        "info",
        "functions",
        "stack",
        "graph",
        "phases",
        "contexts",
        "lines",
        "objects",
        "resolve",
        "tree",
        "map",
        "index",
    ];
    all.extend(plain.map(|command| vec![command, missing]));
    all.into_iter()
        .map(|words| words.into_iter().map(str::to_owned).collect())
        .collect()
}

fn command(words: &[String]) -> Command {
    let mut command = common::callscape();
    command.args(words).stdin(Stdio::null());
    // Without a display, the window says so and ends.
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

/// A pipe whose reader has gone.
fn unread() -> Stdio {
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer.into()
}

fn full() -> Option<Stdio> {
    let full = File::options().write(true).open("/dev/full");
    full.inspect_err(|_| eprintln!("left out: needs /dev/full"))
        .ok()
        .map(Stdio::from)
}

#[test]
fn messages_that_cannot_be_written_change_nothing() {
    for words in commands() {
        let code = |stderr: Option<Stdio>| {
            let mut command = command(&words);
            command.stdout(Stdio::null());
            stderr.map(|to| command.stderr(to).status().expect("it runs").code())
        };
        let usual = code(Some(Stdio::null()));
        for stderr in [full(), Some(unread())] {
            let found = code(stderr);
            assert!(
                found.is_none() || found == usual,
                "{words:?}: {found:?} {usual:?}"
            );
        }
    }
}

/// Commands with an answer, in every way that there is of printing one.
fn answers() -> Vec<Vec<String>> {
    let recording = sample();
    let recording = text(&recording);
    let all = [
        vec!["--help"],
        vec!["--version"],
        vec!["export", "--help"],
        vec!["info", recording],
        vec!["info", recording, "--json"],
        vec!["functions", recording],
        vec!["graph", recording, "--json"],
        vec!["stack", recording, "--at", "10%"],
        vec!["export", recording, "--format", "folded"],
        vec!["export", recording, "--format", "csv", "-o", "-"],
        vec!["export", recording, "--format", "csv", "-o", "/dev/stdout"],
        vec!["record", "--list"],
    ];
    let words = |it: Vec<&str>| it.into_iter().map(str::to_owned).collect();
    all.into_iter().map(words).collect()
}

/// Runs a command with this standard output; what it ends with, and what it says.
fn with_output(words: &[String], stdout: Stdio) -> (Option<i32>, String) {
    let output = command(words)
        .stdout(stdout)
        .stderr(Stdio::piped())
        .output();
    ended(&output.expect("it runs"))
}

fn ended(output: &Output) -> (Option<i32>, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    for words in answers() {
        if let Some(full) = full() {
            let (code, said) = with_output(&words, full);
            assert_eq!(code, Some(1), "{words:?}: {said}");
            assert!(said.contains("No space left"), "{words:?}: {said}");
        }
        // Open, but not to be written to.
        let read_only = File::open(sample()).expect("a sample");
        let (code, said) = with_output(&words, read_only.into());
        assert_eq!(code, Some(1), "{words:?}: {said}");
        assert!(
            said.contains("callscape: cannot write"),
            "{words:?}: {said}"
        );
        let mut closed = Command::new("sh");
        closed.args([
            "-c",
            "exec \"$@\" >&-",
            "sh",
            env!("CARGO_BIN_EXE_callscape"),
        ]);
        let (code, said) = ended(&closed.args(&words).output().expect("sh runs"));
        assert_eq!(code, Some(1), "{words:?}: {said}");
        assert!(said.contains("closed"), "{words:?}: {said}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let is_named = |words: &[String]| words.iter().any(|it| it == "/dev/stdout");
    for words in answers().iter().filter(|words| !is_named(words)) {
        let (code, said) = with_output(words, unread());
        assert_eq!((code, &*said), (Some(0), ""), "{words:?}");
    }
}
