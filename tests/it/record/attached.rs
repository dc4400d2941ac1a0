//! `callscape record --pid`: processes that run already.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use super::super::common::{Scratch, callscape};
use super::rows::{interpreter, may_sample};
use super::{PROGRAM, build, calls, has, path, text};

/// A process that ends with the test.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a program, and returns once it says that it waits.
fn waiting(command: &mut Command) -> Owned {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it writes"));
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("text") > 0, "it waits");
    }
    Owned(child)
}

/// Records a process for ever longer, until calls of `function` are in the recording; the last run and its recording. That a
/// recorder has begun to sample cannot be seen from outside.
fn attached(scratch: &Scratch, start: &dyn Fn() -> Owned, function: &str) -> (Output, PathBuf) {
    const FORBIDDEN: [&str; 4] = [
        "perf_event_paranoid",
        "perf failed",
        "Permission Denied",
        "Operation not permitted",
    ];
    let mut seconds = 2;
    loop {
        let out = scratch.0.join(format!("out-{seconds}"));
        let ran = attached_for(scratch, &mut start(), &out, Duration::from_secs(seconds));
        let said = text(&ran.stderr);
        let is_done = match ran.status.success() {
            true => calls(&out, function) > 0,
            false => FORBIDDEN.iter().any(|it| said.contains(it)),
        };
        if is_done || seconds > 30 {
            return (ran, out);
        }
        seconds *= 4;
    }
}

/// Records a process until that has been ended, which is after this time.
fn attached_for(scratch: &Scratch, of: &mut Owned, out: &Path, time: Duration) -> Output {
    let pid = of.0.id().to_string();
    let recording = callscape()
        .args(["record", "--no-open", "-o", path(out), "--pid", &pid])
        .current_dir(&scratch.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let recording = recording.expect("it starts");
    std::thread::sleep(time);
    let _ = of.0.kill();
    let _ = of.0.wait();
    recording.wait_with_output().expect("it ends")
}

#[test]
fn a_native_process_is_sampled_by_perf() {
    if !has("perf", "--version") || !has("gcc", "--version") {
        return;
    }
    let scratch = Scratch::new("record-pid");
    let spin = PROGRAM.replace("middle(5); usleep(1000);", "middle(5000);");
    let program = build(&scratch, "app", &spin, &["-O2", "-g"]);
    let start = || waiting(Command::new(&program).arg("wait"));
    let (ran, out) = attached(&scratch, &start, "middle");
    let said = text(&ran.stderr);
    if !may_sample(&said) {
        return;
    }
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("recorded by perf"), "{said}");
    assert!(calls(&out, "middle") > 0);
}

#[test]
fn a_process_of_python_is_sampled_by_py_spy() {
    if !has("py-spy", "--version") {
        return;
    }
    let scratch = Scratch::new("record-pid-python");
    let app = b"def spin(n):\n    return sum(i % 7 for i in range(n))\nprint('waiting', flush=True)\nwhile True:\n    spin(10000)\n";
    let app = scratch.write("app.py", app);
    let start = || waiting(Command::new(interpreter()).arg(&app));
    let (ran, out) = attached(&scratch, &start, "spin");
    let said = text(&ran.stderr);
    if said.contains("Permission Denied") || said.contains("Operation not permitted") {
        eprintln!("left out: py-spy may not look into processes here: {said}");
        return;
    }
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("recorded by py-spy"), "{said}");
    assert!(calls(&out, "spin") > 0);
}

#[test]
fn what_cannot_be_attached_to_is_refused() {
    let refused = |arguments: &[&str]| {
        let ran = callscape().arg("record").args(arguments).output();
        let ran = ran.expect("it starts");
        assert!(!ran.status.success());
        text(&ran.stderr)
    };
    assert!(refused(&["--pid", "4194304"]).contains("process 4194304 does not exist"));
    let own = std::process::id().to_string();
    let said = refused(&["--pid", &own, "--with", "uftrace"]);
    assert!(said.contains("perf and py-spy can"), "{said}");
    let said = refused(&["--pid", &own, "--with", "py-spy", "--last", "1s"]);
    assert!(said.contains("--last needs perf"), "{said}");
}
