//! `callscape record`: each line of the table in `docs/recording.md` where its recorder is installed, and what goes wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::common::{Scratch, callscape, json};
use callscape_testing::tools::{self, has};

mod attached;
#[cfg(target_os = "linux")]
mod chosen;
#[cfg(target_os = "linux")]
mod followed;
#[cfg(target_os = "linux")]
mod frida;
#[cfg(target_os = "linux")]
mod left_alone;
#[cfg(unix)]
mod names;
mod part;
mod rows;
#[cfg(unix)]
mod unheard;
#[cfg(unix)]
mod words;

fn has_uftrace() -> bool {
    has("uftrace", "--version") && has("gcc", "--version")
}

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <signal.h>
#include <pthread.h>
#include <sys/wait.h>
int __attribute__((noinline)) leaf(int x) { volatile int y = x; return y * 3 + 1; }
int __attribute__((noinline)) middle(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
static void *thread(void *n) { middle(*(int *)n); return 0; }
int main(int count, char **words) {
  char line[100]; int n = 20; pthread_t other;
  const char *what = count > 1 ? words[1] : "";
  printf("sum %d\n", middle(n)); fflush(stdout);
  fprintf(stderr, "to standard error\n");
  if (!strcmp(what, "exit")) exit(3);
  if (!strcmp(what, "_exit")) _exit(4);
  if (!strcmp(what, "crash")) raise(SIGSEGV);
  if (!strcmp(what, "wait")) { puts("waiting"); fflush(stdout); for (;;) { middle(5); usleep(1000); } }
  if (!strcmp(what, "exec")) execl("/bin/echo", "echo", "another program", (char *)0);
  if (!strcmp(what, "fork")) { if (fork() == 0) { middle(7); _exit(0); } wait(0); }
  if (!strcmp(what, "thread")) { pthread_create(&other, 0, thread, &n); pthread_join(other, 0); }
  if (!strcmp(what, "read")) while (fgets(line, sizeof line, stdin)) fputs(line, stdout);
  if (!strcmp(what, "echo")) { printf("pid %d\n", getpid()); fflush(stdout); while (fgets(line, sizeof line, stdin)) { middle(3); fputs(line, stdout); fflush(stdout); } }
  if (!strcmp(what, "malloc")) for (int i = 0; i < 9; i++) { void *volatile p = malloc(100); free(p); }
  if (!strcmp(what, "spin")) for (int i = 0; i < 60000; i++) middle(1000);
  return 0;
}
"#;

/// Builds [`PROGRAM`], or another one.
fn build(scratch: &Scratch, name: &str, text: &str, options: &[&str]) -> PathBuf {
    let source = scratch.write("app.c", text.as_bytes());
    let program = scratch.0.join(name);
    let built = Command::new("gcc")
        .args(options)
        .arg("-o")
        .arg(&program)
        .arg(source)
        .status();
    assert!(built.is_ok_and(|it| it.success()), "gcc builds {name}");
    program
}

fn record(scratch: &Scratch, options: &[&str], command: &[&str]) -> Command {
    let mut run = callscape();
    run.arg("record")
        .args(options)
        .arg("--")
        .args(command)
        .current_dir(&scratch.0);
    run.env("XDG_CACHE_HOME", &scratch.0);
    for display in ["DISPLAY", "WAYLAND_DISPLAY"] {
        run.env_remove(display);
    }
    run
}

fn run(scratch: &Scratch, options: &[&str], command: &[&str]) -> Output {
    let mut command = record(scratch, options, command);
    command.stdin(Stdio::null()).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The number of calls of a function in a recording.
fn calls(recording: &Path, function: &str) -> u64 {
    let recording = recording.to_str().expect("a name");
    let all = json(&["functions", recording, "--json"]);
    let all = all.as_array().expect("a list");
    let found = all.iter().filter(|it| it["name"] == function);
    found.filter_map(|it| it["calls"].as_u64()).sum()
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a name")
}

#[test]
fn a_plain_program_is_recorded_whole_and_stays_as_it_is() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-plain");
    for (number, options) in [&["-O2"][..], &["-O2", "-g"], &["-O2", "-pg"]]
        .into_iter()
        .enumerate()
    {
        let program = build(&scratch, &format!("app{number}"), PROGRAM, options);
        for (what, code) in [("", 0), ("exit", 3), ("_exit", 4)] {
            let out = scratch.0.join(format!("{number}{what}.uftrace"));
            let ran = run(
                &scratch,
                &["--no-open", "-o", path(&out)],
                &[path(&program), what],
            );
            assert_eq!(ran.status.code(), Some(code), "{}", text(&ran.stderr));
            assert_eq!(text(&ran.stdout), "sum 590\n");
            assert!(text(&ran.stderr).contains("to standard error\n"));
            assert_eq!(calls(&out, "leaf"), 20, "{options:?} {what}");
            assert_eq!(calls(&out, "middle"), 1);
        }
    }
}

#[test]
fn processes_threads_and_other_programs_are_recorded() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-more");
    let program = build(&scratch, "app", PROGRAM, &["-O2", "-pthread"]);
    for (what, leaves, says) in [
        ("fork", 27, "sum 590\n"),
        ("thread", 40, "sum 590\n"),
        ("exec", 20, "sum 590\nanother program\n"),
    ] {
        let out = scratch.0.join(what);
        let ran = run(
            &scratch,
            &["--no-open", "-o", path(&out)],
            &[path(&program), what],
        );
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
        assert_eq!(text(&ran.stdout), says);
        assert_eq!(calls(&out, "leaf"), leaves, "{what}");
    }
    let out = scratch.0.join("memory");
    let options = ["--no-open", "--memory", "-o", path(&out)];
    let ran = run(&scratch, &options, &[path(&program), "malloc"]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let objects = json(&["objects", path(&out), "--json"]);
    assert!(objects["allocations"].as_u64() >= Some(9), "{objects}");
}

#[test]
fn what_the_program_reads_and_the_default_name_and_info_without_a_display() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-read");
    build(&scratch, "app", PROGRAM, &["-O2", "-g"]);
    let mut command = record(&scratch, &[], &["./app", "read"]);
    let streams = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = streams.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it reads");
    std::io::Write::write_all(&mut input, b"one\ntwo\n").expect("it reads");
    drop(input);
    let ran = child.wait_with_output().expect("it ends");
    assert_eq!(text(&ran.stdout), "sum 590\none\ntwo\n");
    let said = text(&ran.stderr);
    assert!(said.contains("format     uftrace"), "{said}");
    let names = std::fs::read_dir(&scratch.0).expect("a folder").flatten();
    let names: Vec<String> = names
        .map(|it| text(it.file_name().as_encoded_bytes()))
        .collect();
    let of_app = |it: &&String| it.starts_with("app-") && it.ends_with(".uftrace");
    assert_eq!(names.iter().filter(of_app).count(), 1, "{names:?}");
    // Nothing else is left behind.
    assert!(
        !names.iter().any(|it| it.contains("callscape-tmp")),
        "{names:?}"
    );
}

#[test]
fn a_signal_reaches_the_program_and_what_was_recorded_is_kept() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-signal");
    let program = build(&scratch, "app", PROGRAM, &["-O2"]);
    let out = scratch.0.join("killed");
    let mut command = record(
        &scratch,
        &["--no-open", "-o", path(&out)],
        &[path(&program), "wait"],
    );
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = std::io::BufReader::new(child.stdout.take().expect("it writes"));
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        let read = std::io::BufRead::read_line(&mut lines, &mut line).expect("text");
        assert!(read > 0, "it waits");
    }
    let sent = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|it| it.success()));
    let ended = child.wait().expect("it ends");
    assert_eq!(ended.code(), Some(128 + 15));
    assert!(calls(&out, "leaf") >= 20);
}

/// A function with room for a patch, which another one jumps into the middle of. uftrace then patches functions with room
/// alone.
const BREAKS: &str = r#"
#include <stdio.h>
void odd(int n); void other(int n);
__asm__(".text\n.globl odd\n.type odd,@function\nodd:\n nop\nodd_in:\n nop\n nop\n nop\n nop\n nop\n nop\n ret\n.size odd,.-odd\n"
".globl other\n.type other,@function\nother:\n dec %edi\n nop\n nop\n nop\n nop\n jmp odd_in\n.size other,.-other\n");
int __attribute__((noinline)) one(int x) { volatile int y = x; return y + 1; }
int __attribute__((noinline)) two(int x) { volatile int y = x; return one(y) + 1; }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += two(i); odd(9); other(5); printf("done %d\n", s); return 0; }
"#;

#[test]
#[cfg(target_arch = "x86_64")]
fn a_function_that_does_not_bear_a_patch_is_found_when_that_is_wanted() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-retry");
    let program = build(&scratch, "app", BREAKS, &["-O2"]);
    let broken = scratch.0.join("broken");
    let ran = run(
        &scratch,
        &["--no-open", "-o", path(&broken)],
        &[path(&program)],
    );
    let said = text(&ran.stderr);
    if ran.status.success() {
        eprintln!("left out: this uftrace does not break the program");
        return;
    }
    assert!(ran.status.code() > Some(128), "{said}");
    assert!(
        said.contains("--retry") && said.contains("--with perf"),
        "{said}"
    );
    assert_eq!(calls(&broken, "odd"), 1, "until the crash");
    let whole = scratch.0.join("whole");
    let ran = run(
        &scratch,
        &["--no-open", "--retry", "-o", path(&whole)],
        &[path(&program)],
    );
    let said = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert_eq!(text(&ran.stdout).lines().last(), Some("done 5150"));
    assert!(
        said.contains("odd is patched") || said.contains("other is patched"),
        "{said}"
    );
    assert_eq!((calls(&whole, "printf"), calls(&whole, "odd")), (1, 0));
    // A crash of the program's own is told from one of the patch.
    let own = build(&scratch, "own", PROGRAM, &["-O2", "-pthread"]);
    let out = scratch.0.join("own.uftrace");
    let ran = run(
        &scratch,
        &["--no-open", "--retry", "-o", path(&out)],
        &[path(&own), "crash"],
    );
    assert_eq!(ran.status.code(), Some(128 + 11));
    assert!(
        text(&ran.stderr).contains("also crashes without patches"),
        "{}",
        text(&ran.stderr)
    );
    assert_eq!(calls(&out, "leaf"), 20);
}

#[test]
fn an_interpreter_is_recorded_itself_where_uftrace_is_asked_for() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-interpreter");
    let program = build(&scratch, "lua", PROGRAM, &["-O2"]);
    let out = scratch.0.join("out");
    let options = ["--no-open", "--with", "uftrace", "-o", path(&out)];
    let ran = run(&scratch, &options, &[path(&program)]);
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("the interpreter itself"), "{said}");
    assert_eq!(calls(&out, "leaf"), 20);
}

#[test]
fn what_is_called_massively_in_a_trial_run_is_not_recorded() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-massive");
    let program = build(&scratch, "app", PROGRAM, &["-O2"]);
    let out = scratch.0.join("out");
    let limit = ["--max-frequency", "19/10s", "--with", "uftrace"];
    let options = [&["--no-open", "-o", path(&out)], &limit[..]].concat();
    let ran = run(&scratch, &options, &[path(&program)]);
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert_eq!(
        text(&ran.stdout),
        "sum 590\n",
        "once, and not of the trial run"
    );
    assert!(said.contains("1 function excluded"), "{said}");
    assert_eq!((calls(&out, "leaf"), calls(&out, "middle")), (0, 1));
    let info = json(&["info", path(&out), "--json"]);
    assert_eq!(info["left_out"]["max_frequency"], "19/10s");
    assert_eq!(info["left_out"]["names"][0], "leaf");
    let called: usize = json(&["functions", path(&out), "--json"])
        .as_array()
        .map_or(0, Vec::len);
    assert_eq!(info["functions"], called, "those that were recorded");
    assert_eq!(info["left_out"]["of_run_before"], true);
    // Both are told where a limit leaves out more of it.
    let limit = ["--max-frequency", "0/10s"];
    let more = json(&["info", path(&out), "--json", limit[0], limit[1]]);
    assert_eq!(more["left_out"]["max_frequency"], "0/10s");
    assert_eq!(more["left_out"]["before"], info["left_out"]);
    let shown = callscape().args(["info", path(&out)]).args(limit).output();
    let shown = text(&shown.expect("it starts").stdout);
    let before = "; before, 1 function excluded: ";
    assert!(
        shown.contains(before) && shown.contains("of a trial run"),
        "{shown}"
    );
}

#[test]
fn a_paused_program_is_recorded_from_when_that_is_asked_for() {
    if !has_uftrace() {
        return;
    }
    let scratch = Scratch::new("record-paused");
    let program = build(&scratch, "app", PROGRAM, &["-O2"]);
    let out = scratch.0.join("out");
    let options = ["--no-open", "--paused", "-o", path(&out)];
    let mut command = record(&scratch, &options, &[path(&program), "wait"]);
    let streams = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().expect("it starts");
    let mut lines = std::io::BufReader::new(child.stdout.take().expect("it writes"));
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        let read = std::io::BufRead::read_line(&mut lines, &mut line).expect("text");
        assert!(read > 0, "it waits");
    }
    let mut says = std::io::BufReader::new(child.stderr.take().expect("it says"));
    let told = loop {
        line.clear();
        let read = std::io::BufRead::read_line(&mut says, &mut line).expect("text");
        assert!(read > 0, "it tells how it is switched");
        if let Some(rest) = line.strip_prefix("callscape: recording is off; callscape record --on ")
        {
            break rest.split(' ').next().unwrap_or_default().parse::<u32>();
        }
    };
    let on = |pid: u32| {
        let asked = callscape()
            .args(["record", "--on", &pid.to_string()])
            .output();
        asked.expect("it starts")
    };
    // Whoever does not wait for it would be ended by the signal.
    let refused = on(child.id());
    assert!(!refused.status.success());
    assert!(
        text(&refused.stderr).contains("--paused"),
        "{}",
        text(&refused.stderr)
    );
    let found = Command::new("pgrep")
        .args(["-f", &format!("^{} wait$", path(&program))])
        .output();
    let found = text(&found.expect("pgrep").stdout);
    let pid = found
        .split_whitespace()
        .filter_map(|it| it.parse().ok())
        .find(|&it| on(it).status.success());
    let pid: u32 = pid.expect("the program listens");
    assert_eq!(told, Ok(pid));
    let folder = scratch.0.join(".out.record.callscape-tmp/recording");
    let size = || {
        std::fs::read_dir(&folder).map_or(0, |entries| {
            let sizes = entries.flatten().filter_map(|it| it.metadata().ok());
            sizes.map(|it| it.len()).sum::<u64>()
        })
    };
    // Until something was written.
    let before = size();
    while size() < before + 4096 {
        std::thread::yield_now();
    }
    let sent = Command::new("kill")
        .args(["-TERM", &pid.to_string()])
        .status();
    assert!(sent.is_ok_and(|it| it.success()));
    assert_eq!(child.wait().expect("it ends").code(), Some(128 + 15));
    assert!(calls(&out, "leaf") > 0);
    // What ran before is not there.
    assert_eq!(calls(&out, "printf"), 0);
}

#[test]
fn programs_that_uftrace_cannot_record_are_recorded_by_perf() {
    if !has_uftrace() || !has("perf", "--version") {
        return;
    }
    let scratch = Scratch::new("record-perf");
    scratch.write("frida.py", b"raise ImportError");
    let fixed = build(&scratch, "fixed", PROGRAM, &["-O2", "-static"]);
    let spaced = scratch.0.join("a folder");
    std::fs::create_dir(&spaced).expect("a folder");
    let program = build(&scratch, "a folder/app", PROGRAM, &["-O2"]);
    for (name, program, why) in [
        ("static", path(&fixed), "dynamically linked"),
        ("space", path(&program), "space"),
        ("relative", "a folder/app", "space"),
    ] {
        let out = scratch.0.join(name);
        let mut command = record(
            &scratch,
            &["--no-open", "-o", path(&out)],
            &[program, "spin"],
        );
        // Frida would record the latter two.
        command.env("PYTHONPATH", &scratch.0).stdin(Stdio::null());
        let ran = command.output().expect("it starts");
        let said = text(&ran.stderr);
        if said.contains("perf_event_paranoid") || said.contains("perf failed") {
            eprintln!("left out: perf may not record here: {said}");
            return;
        }
        assert_eq!(ran.status.code(), Some(0), "{said}");
        assert_eq!(text(&ran.stdout), "sum 590\n");
        assert!(said.contains(why), "{said}");
        let info = json(&["info", path(&out), "--json"]);
        assert_eq!(info["format"], "perf-script");
    }
}

#[test]
fn scripts_of_python_and_node_are_recorded() {
    let scratch = Scratch::new("record-scripts");
    scratch.write("app.py", b"import sys\ndef leaf(x):\n    return x\nfor i in range(7):\n    leaf(i)\nprint(sys.argv[1:])\nsys.exit(6)\n");
    let python = rows::interpreter();
    let asked = Command::new(&python)
        .args(["-c", "import viztracer"])
        .output();
    if asked.is_ok_and(|it| it.status.success()) {
        let out = scratch.0.join("app.json");
        let ran = run(
            &scratch,
            &["--no-open", "-o", path(&out)],
            &[&python, "-u", "app.py", "-x", "a b"],
        );
        assert_eq!(ran.status.code(), Some(6), "{}", text(&ran.stderr));
        assert_eq!(text(&ran.stdout), "['-x', 'a b']\n");
        assert_eq!(calls(&out, "leaf"), 7);
    } else {
        eprintln!("left out: VizTracer is not installed");
        let ran = run(&scratch, &["--no-open"], &[&python, "app.py"]);
        assert!(
            text(&ran.stderr).contains("pip install"),
            "{}",
            text(&ran.stderr)
        );
    }
    if has("node", "--version") {
        let script = "function spin() { let s = 0; for (let i = 0; i < 3e7; i++) s += i % 7; return s }\nconsole.log(spin(), process.argv[2]); process.exitCode = 5\n";
        scratch.write("app.js", script.as_bytes());
        let out = scratch.0.join("app.cpuprofile");
        let ran = run(
            &scratch,
            &["--no-open", "-o", path(&out)],
            &["node", "app.js", "a b"],
        );
        assert_eq!(ran.status.code(), Some(5), "{}", text(&ran.stderr));
        assert!(text(&ran.stdout).ends_with("a b\n"));
        assert!(calls(&out, "spin") > 0);
    }
}

#[test]
fn a_java_program_is_recorded() {
    if !has("java", "-version") {
        return;
    }
    let scratch = Scratch::new("record-java");
    let text_of = "public class App { static long spin() { long s = 0; for (int i = 0; i < 600000000; i++) s += i % 7; return s; }\n\
                   public static void main(String[] a) { System.out.println(spin() > 0); System.exit(9); } }\n";
    scratch.write("App.java", text_of.as_bytes());
    let out = scratch.0.join("app.jfr");
    let ran = run(
        &scratch,
        &["--no-open", "-o", path(&out)],
        &["java", "App.java"],
    );
    let said = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(9), "{said}");
    assert_eq!(text(&ran.stdout), "true\n");
    assert_eq!(json(&["info", path(&out), "--json"])["format"], "jfr");
}

#[test]
fn what_cannot_be_recorded_is_refused_with_a_reason() {
    let scratch = Scratch::new("record-refused");
    let plain = scratch.write("plain", b"no program");
    let odd = scratch.write("odd.rb", b"#!/bin/sh\n");
    let refused = |options: &[&str], command: &[&str]| {
        let ran = run(&scratch, options, command);
        assert!(!ran.status.success(), "{command:?}");
        text(&ran.stderr)
    };
    assert!(refused(&[], &["no-such-program"]).contains("no such program"));
    assert!(refused(&[], &[path(&plain)]).contains("chmod +x"));
    assert!(refused(&[], &[path(&odd)]).contains("chmod +x"));
    assert!(refused(&[], &["/"]).contains("folder"));
    assert!(refused(&["--with", "gdb"], &["true"]).contains("uftrace"));
    assert!(refused(&["--with", "node"], &["true"]).contains("not run by node"));
    let ran = callscape().arg("record").output().expect("it starts");
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("after --"));
    // Nothing is written over.
    let taken = refused(&["-o", path(&plain)], &["true"]);
    assert!(
        taken.contains("expected an unused name") || taken.contains("not installed"),
        "{taken}"
    );
    let listed = callscape()
        .args(["record", "--list"])
        .output()
        .expect("it starts");
    let listed = text(&listed.stdout);
    assert!(
        [
            "uftrace",
            "frida",
            "perf",
            "viztracer",
            "py-spy",
            "node",
            "jfr"
        ]
        .iter()
        .all(|it| listed.contains(it)),
        "{listed}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // What is no text reaches the program as it is.
        if has("uftrace", "--version") {
            let word = std::ffi::OsStr::from_bytes(b"a\xff b");
            let mut command = record(
                &scratch,
                &["--no-open", "--with", "uftrace"],
                &["printenv", "ODD"],
            );
            command.env("ODD", word);
            let ran = command.output().expect("it starts");
            assert_eq!(ran.stdout, b"a\xff b\n", "{}", text(&ran.stderr));
        }
    }
}
