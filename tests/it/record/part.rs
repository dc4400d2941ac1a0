//! Recording a part of a run: switched on and off, while a function runs, the end alone.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::super::common::{Scratch, callscape};
use super::{PROGRAM, build, calls, has, has_uftrace, json, path, record, run, text};

/// A program of which lines are asked, and that tells which process it is.
pub(super) struct Asked {
    child: Child,
    input: ChildStdin,
    lines: BufReader<ChildStdout>,
    pub(super) pid: String,
}

impl Asked {
    pub(super) fn start(mut command: Command) -> Asked {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let input = child.stdin.take().expect("it reads");
        let mut asked = Asked {
            lines: BufReader::new(child.stdout.take().expect("it writes")),
            child,
            input,
            pid: String::new(),
        };
        asked.pid = asked.until("pid ").trim().to_owned();
        asked
    }

    /// The rest of the first line that begins so.
    fn until(&mut self, begin: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("text");
            assert!(read > 0, "it says {begin}");
            if let Some(rest) = line.strip_prefix(begin) {
                return rest.to_owned();
            }
        }
    }

    pub(super) fn ask(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("it reads");
        self.until(line);
    }

    pub(super) fn end(mut self) -> Option<i32> {
        drop(self.input);
        let _ = std::io::copy(&mut self.lines, &mut std::io::sink());
        self.child.wait().expect("it ends").code()
    }
}

/// Asks again for a minute where the answer is only late, as on a busy machine.
pub(super) fn switch(to: &str, pid: &str) -> Output {
    let begin = Instant::now();
    loop {
        let asked = callscape().args(["record", to, pid]).output();
        let asked = asked.expect("it starts");
        let said = text(&asked.stderr);
        let is_late = said.contains("not answered yet") || said.contains("not taken the signal");
        if !is_late || begin.elapsed() > Duration::from_secs(60) {
            return asked;
        }
    }
}

#[test]
fn what_runs_while_recording_is_off_is_a_gap_that_no_call_reaches_across() {
    if has_uftrace() {
        // One that was open is known again by its end.
        gap_of("uftrace", 2);
    }
    #[cfg(target_os = "linux")]
    if super::frida::has_frida() {
        gap_of("frida", 1);
    }
}

/// Switches a recorder, which knows so many calls of `main` then.
fn gap_of(by: &str, mains: u64) {
    let scratch = Scratch::new(&format!("record-off-{by}"));
    let program = build(&scratch, "app", PROGRAM, &["-O2"]);
    let out = scratch.0.join("out");
    let options = ["--no-open", "--switchable", "--with", by, "-o", path(&out)];
    let mut program = Asked::start(record(&scratch, &options, &[path(&program), "echo"]));
    // Switching on what is on is no gap.
    for (to, line) in [
        ("--on", "before"),
        ("--off", "meanwhile"),
        ("--on", "after"),
    ] {
        let asked = switch(to, &program.pid);
        assert!(asked.status.success(), "{}", text(&asked.stderr));
        program.ask(line);
    }
    assert_eq!(program.end(), Some(0));
    // Three for each line that is asked, but not while it is off.
    assert_eq!(calls(&out, "leaf"), 20 + 3 + 3);
    assert_eq!(calls(&out, "main"), mains);
    let info = json(&["info", path(&out), "--json"]);
    let warnings = info["warnings"].as_array().expect("a list");
    let gaps = warnings
        .iter()
        .find(|it| it["kind"] == "recording-switched-off");
    assert_eq!(gaps.expect("the gap")["count"], 1);
    assert_eq!(info["gaps"]["count"], 1);
    let gap = &info["gaps"]["listed"][0];
    let [from, to] = ["from_ns", "to_ns"].map(|it| gap[it].as_u64().expect("a time"));
    assert!(from < to && to < info["duration_ns"].as_u64().expect("a time"));
    assert_eq!(info["gaps"]["total_ns"], to - from);
    let at = (from + to) / 2;
    let stacks = json(&["stack", path(&out), "--at", &at.to_string(), "--json"]);
    assert_eq!(stacks[0]["gap"], *gap);
    assert_eq!(stacks[0]["frames"].as_array().map(Vec::len), Some(0));
    let said = callscape()
        .args(["stack", path(&out), "--at", &at.to_string()])
        .output()
        .expect("it starts");
    let said = text(&said.stdout);
    assert!(said.contains("nothing was recorded then"), "{said}");
    let outside = json(&["stack", path(&out), "--at", &to.to_string(), "--json"]);
    assert!(outside[0].get("gap").is_none());
}

#[test]
fn a_process_that_does_not_wait_for_it_is_not_switched() {
    let scratch = Scratch::new("record-not-switched");
    let own = std::process::id().to_string();
    for to in ["--on", "--off"] {
        let refused = switch(to, &own);
        assert!(!refused.status.success());
        let said = text(&refused.stderr);
        assert!(said.contains("--switchable"), "{said}");
    }
    if !has_uftrace() {
        return;
    }
    let program = build(&scratch, "app", PROGRAM, &["-O2"]);
    let options = ["--no-open", "-o", "plain"];
    let program = Asked::start(record(&scratch, &options, &[path(&program), "echo"]));
    let refused = switch("--off", &program.pid);
    assert!(!refused.status.success());
    assert_eq!(program.end(), Some(0), "it was not sent a signal");
}

/// Takes all realtime signals for itself.
const GREEDY: &str = r#"
#include <stdio.h>
#include <signal.h>
#include <unistd.h>
static void taken(int signal) { _exit(50); }
int main(void) {
  char line[100];
  for (int i = SIGRTMIN; i <= SIGRTMAX; i++) signal(i, taken);
  printf("pid %d\n", getpid()); fflush(stdout);
  while (fgets(line, sizeof line, stdin)) { fputs(line, stdout); fflush(stdout); }
  return 0;
}
"#;

#[test]
fn a_signal_that_the_program_takes_for_itself_is_not_sent() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-greedy");
    let program = build(&scratch, "app", GREEDY, &["-O2"]);
    let options = [
        "--no-open",
        "--switchable",
        "--with",
        "uftrace",
        "-o",
        "out",
    ];
    let mut program = Asked::start(record(&scratch, &options, &[path(&program)]));
    let refused = switch("--off", &program.pid);
    assert!(!refused.status.success());
    let said = text(&refused.stderr);
    assert!(said.contains("it handles the signals next to"), "{said}");
    program.ask("it goes on");
    assert_eq!(program.end(), Some(0));
}

#[test]
fn only_what_a_function_does_is_recorded_where_that_is_asked_for() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-while");
    let program = build(&scratch, "app", PROGRAM, &["-O2"]);
    let out = scratch.0.join("out");
    let options = ["--no-open", "--while", "middle", "-o", path(&out)];
    let ran = run(&scratch, &options, &[path(&program)]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let found = ["main", "middle", "leaf", "printf"].map(|it| calls(&out, it));
    assert_eq!(found, [0, 1, 20, 0]);
    let tried = |function: &str, program: &str| {
        let options = ["--no-open", "--while", function];
        let ran = run(&scratch, &options, &[program, "exit"]);
        (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
    };
    // What it does not have is said before it runs.
    let (code, wrote, said) = tried("no_such", path(&program));
    assert_eq!((code, &*wrote), (Some(1), ""), "{said}");
    assert!(
        said.contains("--while no_such: the program has no such function"),
        "{said}"
    );
    // What is there and not called leaves nothing.
    let (code, _, said) = tried("thread", path(&program));
    assert_eq!(code, Some(3));
    assert!(said.contains("no function thread was called"), "{said}");
    // Of one that does not tell its functions it is found out too late.
    let stripped = build(&scratch, "stripped", PROGRAM, &["-O2", "-s"]);
    let (code, _, said) = tried("no_such", path(&stripped));
    assert_eq!(code, Some(3));
    assert!(
        said.contains("found no function no_such: the whole program was recorded"),
        "{said}"
    );
    let left = std::fs::read_dir(&scratch.0).expect("a folder").flatten();
    let names = left.map(|it| text(it.file_name().as_encoded_bytes()));
    let kept = names.filter(|it| it.starts_with("stripped-") && it.ends_with(".uftrace"));
    assert_eq!(kept.count(), 1);
}

/// Functions of C++ that people and uftrace write in different ways.
const CPP: &str = r#"
namespace {
int __attribute__((noinline)) leaf(int x) { volatile int y = x; return y + 1; }
int __attribute__((noinline)) work(int x) { return leaf(x) + leaf(x + 1); }
int __attribute__((noinline)) work(long x) { volatile long y = x; return leaf((int)y) + 1; }
}
template <class T> int __attribute__((noinline)) either(T x) { volatile T y = x; return leaf((int)y) + 1; }
int main() {
  int s = 0;
  for (int i = 0; i < 10; i++) s += work(i) + work((long)i) + either(i) + either(2.0 * i);
  return s == 0;
}
"#;

#[test]
fn a_function_of_cpp_is_named_as_recordings_list_it() {
    if !has_uftrace() || !has("g++", "--version") {
        return;
    }
    let scratch = Scratch::new("record-while-cpp");
    let program = build(&scratch, "app", CPP, &["-x", "c++", "-O2"]);
    for (function, leaves) in [
        ("(anonymous namespace)::work", 30),
        ("either", 20),
        ("(anonymous namespace)::leaf", 50),
    ] {
        let out = scratch.0.join(format!("out{leaves}"));
        let options = ["--no-open", "--while", function, "-o", path(&out)];
        let ran = run(&scratch, &options, &[path(&program)]);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        assert_eq!(calls(&out, "main"), 0, "{function}");
        let found = calls(&out, "(anonymous namespace)::leaf");
        assert_eq!(found, leaves, "{function}");
    }
    let options = ["--no-open", "--while", "_GLOBAL__N_1::work"];
    let ran = run(&scratch, &options, &[path(&program)]);
    assert_eq!(ran.status.code(), Some(1));
}

/// Blocks the signals that switch recording.
const DEAF: &str = r#"
#include <stdio.h>
#include <signal.h>
#include <unistd.h>
int __attribute__((noinline)) leaf(int x) { volatile int y = x; return y + 1; }
int main(void) {
  char line[100]; sigset_t all;
  sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0);
  printf("pid %d\n", getpid()); fflush(stdout);
  while (fgets(line, sizeof line, stdin)) { leaf(1); fputs(line, stdout); fflush(stdout); }
  return 0;
}
"#;

#[test]
fn a_switch_that_is_not_taken_is_refused_and_not_noted() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-deaf");
    let program = build(&scratch, "app", DEAF, &["-O2"]);
    let out = scratch.0.join("out");
    let options = [
        "--no-open",
        "--switchable",
        "--with",
        "uftrace",
        "-o",
        path(&out),
    ];
    let mut deaf = Asked::start(record(&scratch, &options, &[path(&program)]));
    for (to, line) in [("--off", "off"), ("--on", "on")] {
        let refused = switch(to, &deaf.pid);
        let said = text(&refused.stderr);
        assert!(!refused.status.success());
        assert!(said.contains("it blocks the signals"), "{said}");
        deaf.ask(line);
    }
    assert_eq!(deaf.end(), Some(0));
    assert_eq!((calls(&out, "leaf"), calls(&out, "main")), (2, 1));
    let info = json(&["info", path(&out), "--json"]);
    assert_eq!(info.get("gaps"), None, "{info}");
    // One that is stopped does not take it either.
    let program = build(&scratch, "echo", PROGRAM, &["-O2"]);
    let options = [
        "--no-open",
        "--switchable",
        "--with",
        "uftrace",
        "-o",
        "stopped",
    ];
    let stopped = Asked::start(record(&scratch, &options, &[path(&program), "echo"]));
    let send = |signal: &str| {
        let sent = Command::new("kill").args([signal, &stopped.pid]).status();
        assert!(sent.is_ok_and(|it| it.success()));
    };
    let state = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", stopped.pid));
        status.is_ok_and(|it| it.contains("State:\tT"))
    };
    send("-STOP");
    while !state() {
        std::thread::yield_now();
    }
    let refused = switch("--off", &stopped.pid);
    assert!(text(&refused.stderr).contains("it is stopped"));
    send("-CONT");
    assert_eq!(stopped.end(), Some(0));
    assert!(!scratch.0.join("stopped/callscape-switches.txt").exists());
}

/// Waits until it is ended, with or without a listener of its own.
const SERVER: &str = r#"
function work(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
if (process.argv[2]) process.on('SIGTERM', () => { console.log('own'); setTimeout(() => process.exit(7), 50); });
setInterval(() => work(300000), 1);
console.log('pid ' + process.pid);
"#;

#[test]
fn a_server_of_node_that_a_signal_ends_leaves_its_recording() {
    if !has("node", "--version") {
        return;
    }
    let scratch = Scratch::new("record-node-signal");
    scratch.write("server.js", SERVER.as_bytes());
    for (own, signal, code) in [
        ("", "-INT", 128 + 2),
        ("", "-TERM", 128 + 15),
        ("own", "-TERM", 7),
    ] {
        let out = scratch.0.join(format!("{own}{signal}.cpuprofile"));
        let options = ["--no-open", "-o", path(&out)];
        let command = ["node", "server.js", own];
        let server = Asked::start(record(&scratch, &options, &command));
        let sent = Command::new("kill").args([signal, &server.pid]).status();
        assert!(sent.is_ok_and(|it| it.success()));
        assert_eq!(server.end(), Some(code), "{own} {signal}");
        let info = json(&["info", path(&out), "--json"]);
        assert!(info["functions"].as_u64() > Some(0), "{info}");
    }
}

#[test]
fn lengths_of_time_are_above_zero_and_no_shares() {
    for [option, time] in [
        ["--last", "50%"],
        ["--last", "0"],
        ["--last", "0.0s"],
        ["--probe", "40%"],
        ["--probe", "0ms"],
    ] {
        let asked = callscape()
            .args(["record", "--no-open", option, time, "--", "true"])
            .output()
            .expect("it starts");
        let said = text(&asked.stderr);
        assert_eq!(asked.status.code(), Some(2), "{said}");
        assert!(said.contains("expected a time above zero"), "{said}");
    }
}

/// Runs one function for a while, then another one.
const TWO: &str = r#"
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int __attribute__((noinline)) early(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int __attribute__((noinline)) late(int n) { volatile int s = 1; for (int i = 0; i < n; i++) s += i; return s; }
int main(void) {
  double begin = now();
  while (now() - begin < 2.5) early(100000);
  while (now() - begin < 4.5) late(100000);
  return 0;
}
"#;

#[test]
fn the_end_alone_is_kept_where_that_is_asked_for() {
    let scratch = Scratch::new("record-last");
    if has_uftrace() {
        let ran = run(&scratch, &["--last", "1s", "--with", "uftrace"], &["true"]);
        assert!(!ran.status.success());
        let said = text(&ran.stderr);
        assert!(said.contains("--last needs perf"), "{said}");
    }
    if !has("perf", "--version") || !has("gcc", "--version") {
        return;
    }
    let program = build(&scratch, "app", TWO, &["-O1", "-g"]);
    let out = scratch.0.join("out");
    let options = ["--no-open", "--last", "1s", "-o", path(&out)];
    let ran = run(&scratch, &options, &[path(&program)]);
    let said = text(&ran.stderr);
    if said.contains("perf_event_paranoid") || said.contains("perf failed") {
        eprintln!("left out: perf may not record here: {said}");
        return;
    }
    assert!(ran.status.success(), "{said}");
    assert_eq!(calls(&out, "early"), 0);
    assert!(calls(&out, "late") > 0);
    let info = json(&["info", path(&out), "--json"]);
    let duration = info["duration_ns"].as_u64().expect("a number");
    assert!(duration <= 1_100_000_000, "{duration}");
}

/// Does one thing until it is told, then another one for a while.
const TOLD: &str = r#"
#include <stdio.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
void __attribute__((noinline)) early(int n) { for (volatile int i = 0; i < n; i++); }
void __attribute__((noinline)) late(int n) { for (volatile int i = 0; i < n; i++); }
int main(void) {
  char line[100]; struct pollfd in = {0, POLLIN, 0};
  double begin = now();
  while (now() - begin < 0.5) early(100000);
  printf("pid %d\n", getpid()); fflush(stdout);
  while (!poll(&in, 1, 0)) early(100000);
  if (fgets(line, sizeof line, stdin)) { fputs(line, stdout); fflush(stdout); }
  begin = now();
  while (now() - begin < 3.5) late(100000);
  return 5;
}
"#;

#[test]
fn what_led_up_to_a_moment_is_kept_while_the_program_goes_on() {
    if !has("perf", "--version") || !has("gcc", "--version") {
        return;
    }
    let scratch = Scratch::new("record-keep");
    let program = build(&scratch, "app", TOLD, &["-O1", "-g"]);
    let tried = run(&scratch, &["--no-open", "--with", "perf"], &["true"]);
    if text(&tried.stderr).contains("perf_event_paranoid") {
        eprintln!("left out: perf may not record here");
        return;
    }
    let out = scratch.0.join("out");
    let options = ["--no-open", "--last", "1s", "-o", path(&out)];
    let mut told = Asked::start(record(&scratch, &options, &[path(&program)]));
    let kept = switch("--keep", &told.pid);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    let again = switch("--keep", &told.pid);
    assert!(text(&again.stderr).contains("its end is already saved"));
    told.ask("on");
    // It has not been ended, and more than twice what is kept has passed.
    assert_eq!(told.end(), Some(5));
    assert!(calls(&out, "early") > 0);
    assert_eq!(calls(&out, "late"), 0);
    let info = json(&["info", path(&out), "--json"]);
    let duration = info["duration_ns"].as_u64().expect("a number");
    assert!(duration <= 1_100_000_000, "{duration}");
    let refused = switch("--keep", &std::process::id().to_string());
    assert!(text(&refused.stderr).contains("not started with --last"));
}

/// Works for a while at each line that it reads, and waits between them.
const BURSTS: &str = r#"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
double used(void) { return (double)clock() / CLOCKS_PER_SEC; }
void __attribute__((noinline)) spin(int n) { for (volatile int i = 0; i < n; i++); }
#define BURST(name) void __attribute__((noinline)) name(void) { double b = used(); while (used() - b < 0.3) spin(100000); }
BURST(one) BURST(two) BURST(three) BURST(four)
int main(void) {
  char line[100];
  printf("pid %d\n", getpid()); fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(line, "one\n")) one();
    if (!strcmp(line, "two\n")) two();
    if (!strcmp(line, "three\n")) three();
    if (!strcmp(line, "four\n")) four();
    fputs(line, stdout); fflush(stdout);
  }
  return 0;
}
"#;

#[test]
fn samples_are_switched_on_and_off_and_their_gaps_are_known() {
    if !has("perf", "--version") || !has("gcc", "--version") {
        return;
    }
    let scratch = Scratch::new("record-perf,switch");
    let program = build(&scratch, "app", BURSTS, &["-O1", "-g"]);
    let tried = run(&scratch, &["--no-open", "--with", "perf"], &["true"]);
    if text(&tried.stderr).contains("perf_event_paranoid") {
        eprintln!("left out: perf may not record here");
        return;
    }
    let out = scratch.0.join("out");
    let options = ["--no-open", "--with", "perf", "--paused", "-o", path(&out)];
    let mut bursts = Asked::start(record(&scratch, &options, &[path(&program)]));
    let to = |to: &str, pid: &str| {
        let switched = switch(to, pid);
        assert!(switched.status.success(), "{}", text(&switched.stderr));
    };
    bursts.ask("one");
    to("--on", &bursts.pid);
    bursts.ask("two");
    to("--off", &bursts.pid);
    bursts.ask("three");
    to("--on", &bursts.pid);
    bursts.ask("four");
    assert_eq!(bursts.end(), Some(0));
    let found = ["one", "three"].map(|it| calls(&out, it));
    assert_eq!(found, [0, 0]);
    let found = ["two", "four", "main"].map(|it| calls(&out, it));
    assert!(found[0] >= 1 && found[1] >= 1 && found[2] >= 2, "{found:?}");
    let info = json(&["info", path(&out), "--json"]);
    assert_eq!(info["gaps"]["count"], 1, "{info}");
    let gap = &info["gaps"]["listed"][0];
    let [from, to] = ["from_ns", "to_ns"].map(|it| gap[it].as_u64().expect("a time"));
    // What one burst takes.
    assert!(to - from >= 300_000_000, "{gap}");
    let all = json(&["functions", path(&out), "--json"]);
    let main = all
        .as_array()
        .expect("a list")
        .iter()
        .find(|it| it["name"] == "main");
    let cost = main
        .and_then(|it| it["total_ns"].as_u64())
        .expect("its time");
    let duration = info["duration_ns"].as_u64().expect("a number");
    assert!(
        cost <= duration - (to - from),
        "{cost} of {duration}: no call reaches across"
    );
}

#[test]
fn excluded_functions_are_not_recorded() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-without");
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-g"]);
    let out = scratch.0.join("out.uftrace");
    let options = ["--no-open", "--without", "lea*", "-o", path(&out)];
    let ran = run(&scratch, &options, &[path(&program)]);
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let line = "1 function excluded by --without: leaf";
    assert!(said.contains(line), "{said}");
    assert_eq!(calls(&out, "leaf"), 0);
    assert_eq!(calls(&out, "middle"), 1);
    let other = scratch.0.join("other.uftrace");
    let options = ["--no-open", "--without", "nobody", "-o", path(&other)];
    let ran = run(&scratch, &options, &[path(&program)]);
    assert_eq!(ran.status.code(), Some(1));
    let said = text(&ran.stderr);
    assert!(said.contains("none called 'nobody'"), "{said}");
}
