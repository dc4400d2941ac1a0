//! `callscape record --pid`: processes that run already.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use super::super::common::{Scratch, callscape};
use super::rows::{interpreter, may_sample};
use super::{PROGRAM, build, calls, has, path, text};
use callscape_testing::tools;

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

/// Records a process with these options until the recording holds calls of `function`, for ever longer: an inspector or a
/// debugger takes its time. None, and said so, where debuggers are forbidden.
fn interrupted(scratch: &Scratch, pid: u32, options: &[&str], function: &str) -> Option<String> {
    for seconds in [4, 16, 60] {
        let out = scratch.0.join(format!("out-{seconds}"));
        let recording = callscape()
            .args([
                "record",
                "--no-open",
                "-o",
                path(&out),
                "--pid",
                &pid.to_string(),
            ])
            .args(options)
            .env("PATH", tools::path())
            .stderr(Stdio::piped())
            .spawn();
        let recording = recording.expect("it starts");
        std::thread::sleep(Duration::from_secs(seconds));
        let sent = Command::new("kill")
            .args(["-INT", &recording.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|it| it.success()));
        let ran = recording.wait_with_output().expect("it ends");
        let said = text(&ran.stderr);
        if ["not permitted", "could not attach"]
            .iter()
            .any(|it| said.contains(it))
        {
            eprintln!("left out: processes may not be looked into here: {said}");
            return None;
        }
        if ran.status.success() && calls(&out, function) > 0 {
            return Some(said);
        }
        println!("{seconds} s: {said}");
    }
    panic!("nothing of {function} is recorded");
}

#[test]
fn every_call_of_a_process_of_python_is_recorded_by_viztracer() {
    let asked = Command::new(tools::python())
        .args(["-c", "import viztracer"])
        .output();
    if !has("gdb", "--version") || !asked.is_ok_and(|it| it.status.success()) {
        eprintln!("left out: needs gdb and VizTracer");
        return;
    }
    let scratch = Scratch::new("record-pid-calls");
    let app = b"import time\ndef leaf(n):\n    return n + 1\nprint('waiting', flush=True)\nwhile True:\n    leaf(1)\n    time.sleep(0.001)\n";
    let app = scratch.write("app.py", app);
    let mut of = waiting(Command::new(tools::python()).arg(&app));
    let Some(said) = interrupted(&scratch, of.0.id(), &["--calls"], "leaf") else {
        return;
    };
    assert!(said.contains("recorded by viztracer"), "{said}");
    assert!(of.0.try_wait().is_ok_and(|it| it.is_none()), "it goes on");
}

#[test]
fn a_process_of_node_is_sampled_by_its_inspector() {
    if !has("node", "--version") {
        return;
    }
    let scratch = Scratch::new("record-pid-node");
    let app = b"function spin() { let s = 0; for (let i = 0; i < 1e6; i++) s += i; return s; }\nconsole.log('waiting'); setInterval(spin, 2);\n";
    let app = scratch.write("app.js", app);
    let mut of = waiting(Command::new("node").arg(&app));
    let Some(said) = interrupted(&scratch, of.0.id(), &["--with", "node"], "spin") else {
        return;
    };
    assert!(said.contains("recorded by node"), "{said}");
    assert!(of.0.try_wait().is_ok_and(|it| it.is_none()), "it goes on");
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
    assert!(said.contains("all other recorders can"), "{said}");
    let said = refused(&["--pid", &own, "--with", "jfr"]);
    assert!(said.contains("jfr cannot record process"), "{said}");
    let said = refused(&["--pid", &own, "--with", "py-spy", "--last", "1s"]);
    assert!(said.contains("--last needs perf"), "{said}");
}
