//! Frida: every call of programs that are started and of those that run, on and off, and what leaves them as they were.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use super::super::common::Scratch;
use super::{PROGRAM, build, calls, has, json, path, record, text};
use callscape_testing::tools;

/// Whether Frida and a compiler are there. If not, the test is left out, and that is printed.
pub(super) fn has_frida() -> bool {
    let asked = Command::new(tools::python())
        .args(["-c", "import frida"])
        .output();
    let is_there = asked.is_ok_and(|it| it.status.success());
    if !is_there {
        eprintln!("left out: frida is not installed");
    }
    is_there && cfg!(target_arch = "x86_64") && has("gcc", "--version")
}

pub(super) fn recording(scratch: &Scratch, options: &[&str], command: &[&str]) -> Command {
    let mut run = record(scratch, &[&["--no-open"], options].concat(), command);
    run.env("PATH", tools::path()).stdin(Stdio::null());
    run
}

pub(super) fn run(scratch: &Scratch, options: &[&str], command: &[&str]) -> Output {
    let options = [&["--with", "frida"], options].concat();
    recording(scratch, &options, command)
        .output()
        .expect("it starts")
}

/// Calls left by jumps, exceptions, threads that end, and returns that are calls.
const JUMPS: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <cstdio>
#include <csetjmp>
#include <cstdlib>
#include <unistd.h>
#define N __attribute__((noinline))
extern "C" {
static jmp_buf at; static volatile long sum;
N void deep(int n) { if (!n) longjmp(at, 1); deep(n - 1); asm volatile(""); }
N void jumps() { if (!setjmp(at)) deep(7); asm volatile(""); }
N void thrower(int n) { if (!n) throw std::runtime_error("x"); thrower(n - 1); asm volatile(""); }
struct G { N ~G(); };
N void cleanup(int n) { sum += n; asm volatile(""); }
N void guarded(int n) { G g; thrower(n); asm volatile(""); }
N int catcher(int n) { try { guarded(n); } catch (std::exception &e) { sum++; asm volatile(""); return n; } return 0; }
N int outer(int n) { int a = catcher(n); asm volatile(""); return a + 1; }
N void handler(int) { cleanup(1); asm volatile(""); }
N void raises() { raise(SIGUSR1); asm volatile(""); }
N void inner(int n) { if (n == 0) pthread_exit(0); inner(n - 1); asm volatile(""); }
N void *exits(void *) { inner(4); asm volatile(""); return 0; }
N void *plain(void *v) { for (int i = 0; i < 100; i++) cleanup(i); return v; }
N int odd(int n); N int even(int n) { asm volatile(""); return n == 0 ? 1 : odd(n - 1); }
N int odd(int n) { asm volatile(""); return n == 0 ? 0 : even(n - 1); }
}
G::~G() { cleanup(2); }
int main() {
  struct sigaction sa = {}; sa.sa_handler = handler; sa.sa_flags = SA_ONSTACK;
  stack_t st = {}; st.ss_sp = malloc(1 << 16); st.ss_size = 1 << 16;
  sigaltstack(&st, 0); sigaction(SIGUSR1, &sa, 0);
  for (int i = 0; i < 50; i++) { jumps(); outer(i % 6); raises(); even(i); }
  for (int i = 0; i < 20; i++) {
    pthread_t t;
    pthread_create(&t, 0, exits, 0); pthread_join(t, 0);
    pthread_create(&t, 0, plain, 0); pthread_join(t, 0);
  }
  printf("%ld\n", sum); return 3;
}
"#;

#[test]
fn calls_are_exact_however_they_are_left() {
    if !has_frida() || !has("g++", "--version") {
        return;
    }
    let scratch = Scratch::new("frida-jumps");
    let options = [
        "-x",
        "c++",
        "-O1",
        "-foptimize-sibling-calls",
        "-g",
        "-Wl,--no-as-needed",
        "-lstdc++",
        "-lpthread",
    ];
    let program = build(&scratch, "jumps", JUMPS, &options);
    let out = scratch.0.join("out");
    let ran = run(&scratch, &["-o", path(&out)], &[path(&program)]);
    let said = text(&ran.stderr);
    assert_eq!(
        (ran.status.code(), &*text(&ran.stdout)),
        (Some(3), "99200\n"),
        "{said}"
    );
    let throws = (0..50).map(|it| it % 6 + 1).sum();
    for (function, expected) in [
        ("main", 1),
        ("outer", 50),
        ("catcher", 50),
        ("guarded", 50),
        ("thrower", throws),
        ("raises", 50),
        ("even", 650),
        ("odd", 625),
        ("jumps", 50),
        ("deep", 400),
        ("exits", 20),
        ("inner", 100),
        ("G::~G", 50),
        ("handler", 50),
        ("cleanup", 50 + 50 + 2000),
        ("plain", 20),
    ] {
        assert_eq!(calls(&out, function), expected, "{function}");
    }
    let info = json(&["info", path(&out), "--json"]);
    assert_eq!(info["warnings"], serde_json::json!([]));
    agrees_with_uftrace(&out);
}

/// What uftrace itself reports of a recording.
pub(super) fn agrees_with_uftrace(recording: &Path) {
    if !has("uftrace", "--version") {
        return;
    }
    let report = Command::new("uftrace")
        .args(["report", "--no-pager", "-f", "call", "-d", path(recording)])
        .output();
    let report = text(&report.expect("it starts").stdout);
    let mut seen = 0;
    for line in report.lines().skip(2) {
        let Some((number, name)) = line.trim().split_once(char::is_whitespace) else {
            continue;
        };
        let number: u64 = number.trim().parse().expect("a number");
        assert_eq!(calls(recording, name.trim()), number, "{line}");
        seen += 1;
    }
    assert!(seen > 1, "{report}");
}

#[test]
fn processes_and_threads_and_whatever_ends_them_are_recorded() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-ends");
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-pthread"]);
    for (what, leaves, code) in [
        ("exit", 20, 3),
        ("_exit", 20, 4),
        ("crash", 20, 128 + 11),
        ("fork", 27, 0),
        ("thread", 40, 0),
        ("exec", 20, 0),
    ] {
        let out = scratch.0.join(what);
        let ran = run(&scratch, &["-o", path(&out)], &[path(&program), what]);
        assert_eq!(
            ran.status.code(),
            Some(code),
            "{what}: {}",
            text(&ran.stderr)
        );
        assert_eq!(calls(&out, "leaf"), leaves, "{what}");
        agrees_with_uftrace(&out);
    }
}

/// Calls one function very often, and others rarely.
const OFTEN: &str = r#"
#include <stdio.h>
int __attribute__((noinline)) below(int x) { volatile int y = x; return y + 1; }
int __attribute__((noinline)) often(int x) { if (x % 1000 == 0) return below(x); volatile int y = x; return y; }
int __attribute__((noinline)) work(int n) { int s = 0; for (int i = 0; i < n; i++) s += often(i); return s; }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += work(400000); printf("%d\n", s); return 0; }
"#;

#[test]
fn what_is_called_massively_is_taken_out_while_it_runs() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-often");
    let program = build(&scratch, "app", OFTEN, &["-O2"]);
    let out = scratch.0.join("out");
    // Frida by itself, as it needs no trial run.
    let options = ["--max-frequency", "2000/100ms", "-o", path(&out)];
    let ran = recording(&scratch, &options, &[path(&program)])
        .output()
        .expect("it starts");
    let said = text(&ran.stderr);
    assert!(
        ran.status.success() && said.contains("recorded by frida"),
        "{said}"
    );
    assert_eq!(
        ["main", "work", "often"].map(|it| calls(&out, it)),
        [1, 5, 0]
    );
    let info = json(&["info", path(&out), "--json"]);
    let left_out = &info["left_out"];
    let found = &left_out["found"][0];
    assert_eq!(
        (&found["name"], &left_out["functions"]),
        (&"often".into(), &1.into())
    );
    // A thread counts exits up to the limit and one more; others may be on their way.
    assert!(
        found["calls"].as_u64() >= Some(2001) && found["at_ns"].as_u64() > Some(0),
        "{found}"
    );
    // What it called moved up to its caller.
    let contexts = json(&["contexts", path(&out), "--json"]).to_string();
    assert!(!contexts.contains("often"), "{contexts}");
    let kept = scratch.0.join("kept");
    let options = [
        "--max-frequency",
        "2000/100ms",
        "--keep-massive",
        "-o",
        path(&kept),
    ];
    let ran = run(&scratch, &options, &[path(&program)]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let left_out = &json(&["info", path(&kept), "--json"])["left_out"];
    assert_eq!(left_out["has_first_calls"], true);
    let until = left_out["found"][0]["calls"].as_u64();
    assert_eq!(until, Some(calls(&kept, "often")));
    assert!(until >= Some(2001), "{left_out}");
}

#[test]
fn functions_are_chosen() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-chosen");
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-pthread"]);
    std::fs::create_dir(scratch.0.join("part")).expect("there is room");
    let part = scratch.write("part/leaf.c", b"int leaf(int x) { return x; }");
    let folder = format!("{}/", path(part.parent().expect("a folder")));
    let wished = [
        ("--only", "lea*", [0, 0, 20]),
        ("--only", path(&part), [0, 0, 20]),
        ("--without", &folder, [1, 1, 0]),
        ("--without", "middle", [1, 0, 20]),
        ("--while", "middle", [0, 1, 20]),
    ];
    for (number, (option, name, expected)) in wished.into_iter().enumerate() {
        let out = scratch.0.join(number.to_string());
        let ran = run(
            &scratch,
            &[option, name, "-o", path(&out)],
            &[path(&program)],
        );
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        assert_eq!(
            ["main", "middle", "leaf"].map(|it| calls(&out, it)),
            expected,
            "{option}"
        );
        let ran = run(&scratch, &[option, "no_such"], &[path(&program)]);
        assert!(text(&ran.stderr).contains(option), "{}", text(&ran.stderr));
        assert_eq!(text(&ran.stdout), "", "it did not run");
    }
}

/// A process that ends with the test, and its output.
struct Running(Child);

impl Running {
    fn start(program: &Path, word: &str) -> Running {
        let mut child = Command::new(program)
            .arg(word)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it writes"));
        let mut line = String::new();
        while !line.contains("waiting") {
            line.clear();
            assert!(lines.read_line(&mut line).expect("text") > 0, "it waits");
        }
        // The process goes on writing into what nobody reads any more: little enough.
        std::mem::forget(lines);
        Running(child)
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Bytes of the code of a process that are not those of its files.
fn changed(pid: &str) -> usize {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("it runs");
    let memory = std::fs::File::open(format!("/proc/{pid}/mem")).expect("it is ours");
    let mut changed = 0;
    for line in maps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [range, rights, offset, _, _, file] = words[..] else {
            continue;
        };
        let Ok(file) = std::fs::read(file) else {
            continue;
        };
        if !rights.contains('x') {
            continue;
        }
        let number = |text: &str| u64::from_str_radix(text, 16).expect("a number");
        let (from, to) = range.split_once('-').expect("a range");
        let (from, to, offset) = (number(from), number(to), number(offset) as usize);
        let mut code = vec![0; (to - from) as usize];
        memory
            .read_exact_at(&mut code, from)
            .expect("it can be read");
        changed += code
            .iter()
            .zip(&file[offset..])
            .filter(|(a, b)| a != b)
            .count();
    }
    changed
}

/// Waits until a condition holds, however long.
pub(super) fn until(holds: impl Fn() -> bool) {
    while !holds() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Records a process until so many bytes are there, then sends a signal to the recorder.
pub(super) fn attached(
    scratch: &Scratch,
    pid: &str,
    options: &[&str],
    signal: &str,
    whom: &dyn Fn(u32) -> u32,
) -> (Output, PathBuf) {
    let out = scratch.0.join(format!("out{}", signal));
    let options = [&["--pid", pid, "--calls", "-o", path(&out)], options].concat();
    let mut command = recording(scratch, &options, &[]);
    // No program follows.
    let words: Vec<_> = command
        .get_args()
        .filter(|it| *it != "--")
        .map(ToOwned::to_owned)
        .collect();
    let mut plain = Command::new(command.get_program());
    plain
        .args(words)
        .current_dir(&scratch.0)
        .env("PATH", tools::path());
    command = plain;
    let recorder = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let hidden = scratch.0.join(format!(".out{signal}.record.callscape-tmp"));
    until(|| hidden.join("process").exists() || out.exists());
    let records = |folder: std::fs::ReadDir| {
        let names = folder.flatten().map(|it| it.file_name());
        names
            .into_iter()
            .any(|it| it.to_string_lossy().ends_with(".dat"))
    };
    until(|| std::fs::read_dir(hidden.join("recording")).is_ok_and(records));
    let sent = Command::new("kill")
        .args([signal, &whom(recorder.id()).to_string()])
        .status();
    assert!(sent.is_ok_and(|it| it.success()));
    (recorder.wait_with_output().expect("it ends"), out)
}

/// The process of the script that a recorder has started.
pub(super) fn driver(recorder: u32) -> u32 {
    let children = format!("/proc/{recorder}/task/{recorder}/children");
    let children = std::fs::read_to_string(children).expect("it runs");
    children
        .split_whitespace()
        .next()
        .and_then(|it| it.parse().ok())
        .expect("a child")
}

#[test]
fn a_process_that_runs_is_recorded_and_left_as_it_was() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-attach");
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-pthread"]);
    let running = Running::start(&program, "wait");
    let pid = running.pid();
    assert_eq!(changed(&pid), 0);
    let (ran, out) = attached(&scratch, &pid, &[], "-INT", &|it| it);
    let said = text(&ran.stderr);
    assert!(
        ran.status.success() && said.contains("recorded by frida"),
        "{said}"
    );
    assert!(
        calls(&out, "leaf") >= 5 && calls(&out, "main") == 0,
        "{said}"
    );
    agrees_with_uftrace(&out);
    assert_eq!(changed(&pid), 0, "its code is that of its file again");
    // Again, and the recorder's own script is killed: what was recorded is there, and the process goes on.
    let (ran, out) = attached(&scratch, &pid, &[], "-KILL", &driver);
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(calls(&out, "leaf") >= 5);
    until(|| changed(&pid) == 0);
}
