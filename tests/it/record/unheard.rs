//! What the recorded program keeps whatever becomes of what is said of it: its exit code, and how it takes signals.

use std::fs::File;
use std::process::Stdio;

use super::super::common::Scratch;
use super::{build, has_uftrace, path, record, text};

/// Ends with 6, and with 9 where a write beyond the size that files may have would fail in place of ending it.
const ENDS: &str = r"
#include <signal.h>
int main(void) { return signal(SIGXFSZ, SIG_DFL) == SIG_DFL ? 6 : 9; }
";

#[test]
fn its_exit_code_is_its_own_whoever_reads_standard_error() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-unheard");
    let program = build(&scratch, "app", ENDS, &["-O2"]);
    let (_, unread) = std::io::pipe().expect("a pipe");
    let full = File::options().write(true).open("/dev/full");
    let full = full.inspect_err(|_| eprintln!("left out: needs /dev/full"));
    for (name, stderr) in [
        ("read", Some(Stdio::piped())),
        ("full", full.ok().map(Stdio::from)),
        ("unread", Some(Stdio::from(unread))),
    ] {
        let Some(stderr) = stderr else {
            continue;
        };
        let mut command = record(&scratch, &["--no-open", "-o", name], &[path(&program)]);
        let ran = command.stdin(Stdio::null()).stderr(stderr).output();
        let ran = ran.expect("it starts");
        assert_eq!(ran.status.code(), Some(6), "{name}: {}", text(&ran.stderr));
        assert!(scratch.0.join(name).is_dir(), "{name}: it is recorded");
    }
    // Closed, as a service may start it.
    let plain = record(&scratch, &["--no-open", "-o", "closed"], &[path(&program)]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" \"$@\" 2>&-"]);
    shell.arg(plain.get_program()).args(plain.get_args());
    shell.current_dir(&scratch.0).stdin(Stdio::null());
    let ran = shell.output().expect("it starts");
    assert_eq!(ran.status.code(), Some(6), "closed");
    assert!(scratch.0.join("closed").is_dir());
}
