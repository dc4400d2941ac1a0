//! Programs that a program starts or becomes, and libraries: Frida records them with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::super::common::{Scratch, callscape};
use super::frida::{agrees_with_uftrace, driver, has_frida, recording, run, until};
use super::part::{Asked, switch};
use super::{PROGRAM, build, calls, has, json, path, record, text, tools};

/// Runs the program that it is told, in the way that it is told.
const STARTER: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <sys/wait.h>
#define N __attribute__((noinline))
extern char **environ;
static char **args;
N int leaf(int x) { volatile int y = x; return y * 3 + 1; }
N int middle(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
static void *thread(void *of) { execv(args[0], args); return of; }
int main(int count, char **words) {
  pid_t pid; pthread_t other; int status = 0;
  const char *how = words[1];
  args = words + 2;
  printf("%d %d\n", count, middle(20)); fflush(stdout);
  if (!strcmp(how, "exec")) execv(args[0], args);
  if (!strcmp(how, "thread")) { pthread_create(&other, 0, thread, 0); pthread_join(other, 0); }
  if (!strcmp(how, "fork")) { if (fork() == 0) { middle(7); execv(args[0], args); _exit(9); } wait(&status); }
  if (!strcmp(how, "vfork")) { if (vfork() == 0) { execv(args[0], args); _exit(9); } wait(&status); }
  if (!strcmp(how, "spawn")) { posix_spawn(&pid, args[0], 0, 0, args, environ); waitpid(pid, &status, 0); }
  if (!strcmp(how, "fexecve")) fexecve(open(args[0], O_RDONLY), args, environ);
  if (!strcmp(how, "at")) execveat(open(".", O_RDONLY), strrchr(args[0], '/') + 1, args, environ, 0);
  if (!strcmp(how, "open")) execveat(open(args[0], O_RDONLY), "", args, environ, AT_EMPTY_PATH);
  if (!strcmp(how, "system")) status = system(args[0]);
  if (!strcmp(how, "often")) for (int i = 0; i < 30; i++) {
    posix_spawn(&pid, args[0], 0, 0, args, environ);
    waitpid(pid, &status, 0);
    printf("%d\n", WEXITSTATUS(status)); fflush(stdout);
  }
  return WEXITSTATUS(status) + 1;
}
"#;

/// What it runs.
const OTHER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int leaf(int x) { volatile int y = x; return y + 1; }
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
int main(int count, char **words) {
  const char *set = getenv("OTHER");
  printf("%d %s %d %s\n", count, count > 1 ? words[1] : "", work(count > 2 ? atoi(words[2]) : 30), set ? set : "");
  return 4;
}
"#;

/// Where both programs are.
fn programs(name: &str) -> (Scratch, PathBuf, PathBuf) {
    let scratch = Scratch::new(name);
    let starter = build(&scratch, "starter", STARTER, &["-O1", "-pthread"]);
    let other = build(&scratch, "other", OTHER, &["-O1"]);
    (scratch, starter, other)
}

#[test]
fn programs_that_a_program_starts_or_becomes_are_recorded() {
    if !has_frida() {
        return;
    }
    let (scratch, starter, other) = programs("frida-followed");
    let script = scratch.write("script", b"#!/bin/sh\n./other a\nOTHER=x ./other b 3\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let both = format!("{} a; {} b c; exit 7", path(&other), path(&other));
    for (how, what, [leaves, works, mains]) in [
        ("exec", path(&other), [50, 1, 2]),
        ("thread", path(&other), [50, 1, 2]),
        ("fork", path(&other), [57, 1, 2]),
        ("vfork", path(&other), [50, 1, 2]),
        ("fexecve", path(&other), [50, 1, 2]),
        ("at", path(&other), [50, 1, 2]),
        ("open", path(&other), [50, 1, 2]),
        ("spawn", path(&other), [50, 1, 2]),
        ("system", &both, [50, 2, 3]),
        ("fork", path(&script), [60, 2, 3]),
        ("exec", "./no such program", [20, 0, 1]),
    ] {
        let words = [path(&starter), how, what, "word"];
        let alone = Command::new(words[0])
            .args(&words[1..])
            .current_dir(&scratch.0)
            .output()
            .expect("it runs");
        let out = scratch.0.join(format!("out-{how}-{leaves}"));
        let ran = run(&scratch, &["-o", path(&out)], &words);
        let said = text(&ran.stderr);
        assert_eq!(text(&ran.stdout), text(&alone.stdout), "{how}: {said}");
        assert_eq!(ran.status.code(), alone.status.code(), "{how}: {said}");
        let found = ["leaf", "work", "main"].map(|it| calls(&out, it));
        assert_eq!(found, [leaves, works, mains], "{how}: {said}");
        let info = json(&["info", path(&out), "--json"]);
        assert_eq!(info["warnings"], serde_json::json!([]), "{how}");
        agrees_with_uftrace(&out);
    }
}

#[test]
fn a_shell_is_followed_and_what_cannot_be_is_run_and_named() {
    if !has_frida() {
        return;
    }
    let (scratch, _, other) = programs("frida-shell");
    build(&scratch, "whole", OTHER, &["-O1", "-static"]);
    let owned = scratch.0.join("owned");
    fs::copy(&other, &owned).expect("it is there");
    fs::set_permissions(&owned, fs::Permissions::from_mode(0o4755)).expect("it is ours");
    let out = scratch.0.join("out");
    let line = "./other a 5; ./whole b; ./whole c; ./owned d; exit 3";
    let ran = run(&scratch, &["-o", path(&out)], &["sh", "-c", line]);
    let said = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(3), "{said}");
    assert_eq!(text(&ran.stdout), "3 a 15 \n2 b 465 \n2 c 465 \n2 d 465 \n");
    assert_eq!(calls(&out, "leaf"), 5, "{said}");
    for named in [
        "not recorded: 4 programs run: /",
        "./whole, 2 times (it is statically linked)",
        "./owned (it gets rights of its own",
    ] {
        assert!(said.contains(named), "{said}");
    }
}

#[test]
fn functions_of_other_programs_are_chosen_and_taken_out() {
    if !has_frida() {
        return;
    }
    let (scratch, starter, other) = programs("frida-chosen-others");
    let words = [path(&starter), "spawn", path(&other), "word"];
    for (options, expected) in [
        (&["--only", "lea*"][..], [50, 0, 0]),
        (&["--only", "middle"], [0, 0, 0]),
        (&["--without", "leaf"], [0, 1, 2]),
        (&["--while", "main"], [50, 1, 2]),
    ] {
        let out = scratch
            .0
            .join(format!("{}{}", options[0], options[1]).replace('*', ""));
        let ran = run(&scratch, &[options, &["-o", path(&out)]].concat(), &words);
        assert_eq!(ran.status.code(), Some(5), "{}", text(&ran.stderr));
        let found = ["leaf", "work", "main"].map(|it| calls(&out, it));
        assert_eq!(found, expected, "{options:?}");
    }
    let out = scratch.0.join("often");
    let options = ["--max-frequency", "100/100ms", "-o", path(&out)];
    let words = [path(&starter), "spawn", path(&other), "word", "100000"];
    let ran = run(&scratch, &options, &words);
    assert_eq!(ran.status.code(), Some(5), "{}", text(&ran.stderr));
    // Those of the first program are few.
    let found = ["leaf", "work", "middle"].map(|it| calls(&out, it));
    assert_eq!(found, [20, 1, 1]);
    let info = json(&["info", path(&out), "--json"]);
    assert_eq!(info["left_out"]["found"][0]["name"], "leaf", "{info}");
}

#[test]
fn programs_go_on_when_whoever_follows_them_is_killed() {
    if !has_frida() {
        return;
    }
    let (scratch, starter, other) = programs("frida-killed");
    let words = [path(&starter), "often", path(&other), "word"];
    let alone = Command::new(words[0]).args(&words[1..]).output();
    let out = scratch.0.join("out");
    let options = ["--with", "frida", "-o", path(&out)];
    let running = recording(&scratch, &options, &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let hidden = scratch.0.join(".out.record.callscape-tmp");
    until(|| hidden.join("recording/programs/3").exists());
    let driver = driver(running.id()).to_string();
    let killed = Command::new("kill").args(["-KILL", &driver]).status();
    assert!(killed.is_ok_and(|it| it.success()));
    let ran = running.wait_with_output().expect("it ends");
    let said = text(&ran.stderr);
    assert_eq!(
        text(&ran.stdout),
        text(&alone.expect("it runs").stdout),
        "{said}"
    );
    assert!(
        calls(&out, "work") >= 2 && calls(&out, "middle") == 1,
        "{said}"
    );
}

#[test]
fn functions_of_libraries_are_chosen() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-library");
    let part = "__attribute__((noinline)) int inside(int x) { volatile int y = x; return y + 1; }\n\
                int part(int n) { int s = 0; for (int i = 0; i < n; i++) s += inside(i); return s; }\n";
    let library = build(&scratch, "libpart.so.1", part, &["-O1", "-fPIC", "-shared"]);
    let whole = "int part(int n);\n\
                 __attribute__((noinline)) int own(int n) { int r = part(n); __asm__ volatile(\"\"); return r; }\n\
                 int main(void) { return own(9) + own(4) - 50; }\n";
    let here = format!("-Wl,-rpath,{}", path(&scratch.0));
    let options = ["-O1", path(&library), "-Wl,--no-as-needed", &here];
    let source = scratch.write("whole.c", whole.as_bytes());
    let program = scratch.0.join("whole");
    let built = Command::new("gcc")
        .arg(&source)
        .args(options)
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.is_ok_and(|it| it.success()));
    for (number, (options, expected)) in [
        (&["--only", "libpart.so*"][..], [0, 2, 13]),
        (&["--only", "libpart.so.1", "--only", "own"], [2, 2, 13]),
        (&["--without", "libpart.so*"], [2, 0, 0]),
    ]
    .into_iter()
    .enumerate()
    {
        let out = scratch.0.join(number.to_string());
        let options = [options, &["-o", path(&out)]].concat();
        let ran = run(&scratch, &options, &[path(&program)]);
        let said = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(5), "{said}");
        let found = ["own", "part", "inside"].map(|it| calls(&out, it));
        assert_eq!(found, expected, "{options:?}: {said}");
    }
    for (name, reason) in [
        ("libno.so", "none of this name"),
        ("libc.so*", "which recording itself needs"),
    ] {
        let ran = run(&scratch, &["--only", name], &[path(&program)]);
        let said = text(&ran.stderr);
        assert!(said.contains(reason) && said.contains(name), "{said}");
    }
    let options = ["--with", "uftrace", "--only", "libpart.so*"];
    let ran = recording(&scratch, &options, &[path(&program)]).output();
    let said = text(&ran.expect("it starts").stderr);
    assert!(said.contains("selecting a library needs frida"), "{said}");
}

#[test]
fn a_limit_of_file_sizes_is_lifted_for_frida_alone() {
    if !has_frida() {
        return;
    }
    let (scratch, starter, _) = programs("frida-limit");
    let out = scratch.0.join("out");
    let options = ["--with", "frida", "-o", path(&out)];
    let words = [path(&starter), "system", "ulimit -f"];
    let command = recording(&scratch, &options, &words);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 128; exec \"$0\" \"$@\""]);
    limited.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    let ran = limited.current_dir(&scratch.0).output().expect("it runs");
    let said = text(&ran.stderr);
    match said.contains("`ulimit -f unlimited`") {
        // Only root may.
        true => assert_eq!(text(&ran.stdout), "", "it did not run"),
        false => {
            assert_eq!(text(&ran.stdout), "3 590\n128\n", "{said}");
            assert_eq!(calls(&out, "leaf"), 20, "{said}");
        }
    }
}

#[test]
fn programs_that_are_followed_are_switched_with_the_first_one() {
    if !has_frida() {
        return;
    }
    let (scratch, starter, _) = programs("frida-followed-off");
    let echo = build(&scratch, "echo", PROGRAM, &["-O2", "-pthread"]);
    for how in ["exec", "spawn"] {
        let out = scratch.0.join(how);
        let options = ["--no-open", "--with", "frida", "-o", path(&out)];
        let words = [path(&starter), how, path(&echo), "echo"];
        let mut command = record(&scratch, &options, &words);
        command.env("PATH", tools::path());
        let mut asked = Asked::start(command);
        let process = scratch
            .0
            .join(format!(".{how}.record.callscape-tmp/process"));
        let first = fs::read_to_string(process).expect("it is recorded");
        asked.ask("before");
        for (to, line) in [("--off", "meanwhile"), ("--on", "after")] {
            let switched = switch(to, first.trim());
            assert!(switched.status.success(), "{}", text(&switched.stderr));
            asked.ask(line);
        }
        assert!(asked.end().is_some());
        // Those of both programs at first, then three for each line but one.
        assert_eq!(calls(&out, "leaf"), 20 + 20 + 3 + 3, "{how}");
        let info = json(&["info", path(&out), "--json"]);
        assert_eq!(info["gaps"]["count"], 1, "{how}: {info}");
    }
}

#[test]
fn a_debugger_switches_recording_where_it_holds_the_program() {
    if !has_frida() || !has("gdb", "--version") {
        return;
    }
    let scratch = Scratch::new("frida-debugger");
    let program = build(&scratch, "app", PROGRAM, &["-O1", "-g", "-pthread"]);
    let out = scratch.0.join("out");
    let options = ["--no-open", "--with", "frida", "-o", path(&out)];
    let mut command = record(&scratch, &options, &[path(&program), "echo"]);
    command.env("PATH", tools::path());
    let mut asked = Asked::start(command);
    let own = callscape();
    let own = own.get_program().display();
    // Off when it attaches, on at the second call of `middle` from then on, and off again at the fourth.
    let script = format!(
        "set pagination off\nset confirm off\nset $count = 0\nshell {own} record --off {pid}\nbreak *middle\ncommands\n\
         silent\nset $count = $count + 1\n\
         if $count == 2\nshell {own} record --on {pid}\nend\n\
         if $count == 4\nshell {own} record --off {pid}\nend\n\
         continue\nend\nshell touch ready\ncontinue\n",
        pid = asked.pid
    );
    let script = scratch.write("script", script.as_bytes());
    let mut debugger = Command::new("gdb")
        .args(["-q", "-batch", "-nx", "-p", &asked.pid, "-x", path(&script)])
        .current_dir(&scratch.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut has_ended = || debugger.try_wait().is_ok_and(|it| it.is_some());
    while !scratch.0.join("ready").exists() && !has_ended() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let options = ["--no-open", "--calls", "--pid", &asked.pid];
    let refused = callscape().arg("record").args(options).output();
    let said_of_it = text(&refused.expect("it starts").stderr);
    assert!(
        said_of_it.contains("is being debugged by process"),
        "{said_of_it}"
    );
    for line in ["one", "two", "three", "four", "five"] {
        asked.ask(line);
    }
    assert_eq!(asked.end(), Some(0));
    let said = debugger.wait_with_output().expect("it ends");
    let said = text(&said.stdout) + &text(&said.stderr);
    assert_eq!(calls(&out, "leaf"), 20 + 3 + 3, "{said}");
    let info = json(&["info", path(&out), "--json"]);
    // The second one lasts to the end.
    assert_eq!(info["gaps"]["count"], 1, "{said}{info}");
}
