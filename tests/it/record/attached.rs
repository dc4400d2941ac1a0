//! `callscape record --pid`: processes that run already.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

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

/// Records a process until that has been ended, once something is there.
fn attached(scratch: &Scratch, of: &mut Owned, out: &Path) -> Output {
    let pid = of.0.id().to_string();
    let recording = callscape()
        .args(["record", "--no-open", "-o", path(out), "--pid", &pid])
        .current_dir(&scratch.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let recording = recording.expect("it starts");
    // It samples for as long as this; that it has begun cannot be seen from outside.
    std::thread::sleep(std::time::Duration::from_secs(4));
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
    let mut process = waiting(Command::new(&program).arg("wait"));
    let out = scratch.0.join("out");
    let ran = attached(&scratch, &mut process, &out);
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
    let mut process = waiting(Command::new(interpreter()).arg(app));
    let out = scratch.0.join("out");
    let ran = attached(&scratch, &mut process, &out);
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
