//! Programs that do with their stacks, signals and threads what recorders may break: they behave under Frida as without it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::super::common::Scratch;
use super::frida::{has_frida, run};
use super::{build, calls, has, path, text};

/// Panics that are caught: Rust's personality function is itself recorded while the stack is unwound.
const PANICS: &str = r#"
#[inline(never)] fn deep(n: u32) -> u32 { if n == 0 { panic!("on purpose") } deep(n - 1) + 1 }
fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let caught = (0..20).filter(|it| std::panic::catch_unwind(|| deep(*it)).is_err()).count();
    println!("{caught}");
    std::process::exit(6);
}
"#;

/// Coroutines: calls that are open on stacks of their own while those of the thread return.
const COROUTINES: &str = r#"
#define _GNU_SOURCE
#include <ucontext.h>
#include <stdio.h>
#include <stdlib.h>
#define N __attribute__((noinline,noipa))
static ucontext_t back, of[4]; static int now; static long sum;
N void yield_(void) { swapcontext(&of[now], &back); }
N void deep(int n) { if (n) deep(n - 1); else yield_(); sum += n; }
N void body(void) { for (int i = 0; i < 100; i++) deep(5); }
N void resume_(int i) { now = i; swapcontext(&back, &of[i]); }
int main(void) {
  for (int i = 0; i < 4; i++) {
    getcontext(&of[i]);
    of[i].uc_stack.ss_sp = malloc(1 << 17); of[i].uc_stack.ss_size = 1 << 17; of[i].uc_link = &back;
    makecontext(&of[i], body, 0);
  }
  for (int k = 0; k < 101; k++) for (int i = 0; i < 4; i++) resume_(i);
  printf("%ld\n", sum);
  return 3;
}
"#;

/// Signals that all threads block, and one waits for.
const SIGNALS: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <time.h>
__attribute__((noinline,noipa)) void work(int i) { volatile int sum = 0; for (int k = 0; k < i; k++) sum += k; }
int main(void) {
  sigset_t all; int got = 0; struct timespec second = {1, 0}; siginfo_t what;
  sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0);
  for (int i = 0; i < 20; i++) {
    work(i); kill(getpid(), i % 2 ? SIGUSR1 : SIGTERM); usleep(5000);
    got += sigtimedwait(&all, &what, &second) > 0;
  }
  printf("%d\n", got);
  return 5;
}
"#;

#[test]
fn programs_behave_as_without_it() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-behaves");
    let mut programs = vec![
        (
            build(&scratch, "coroutines", COROUTINES, &["-O1"]),
            "resume_",
            404,
        ),
        (
            build(&scratch, "fixed", COROUTINES, &["-O1", "-no-pie"]),
            "deep",
            2400,
        ),
        (build(&scratch, "signals", SIGNALS, &["-O1"]), "work", 20),
    ];
    if has("rustc", "--version") {
        let (source, program) = (
            scratch.write("panics.rs", PANICS.as_bytes()),
            scratch.0.join("panics"),
        );
        let built = Command::new("rustc")
            .arg("-O")
            .arg(source)
            .arg("-o")
            .arg(&program)
            .status();
        assert!(built.is_ok_and(|it| it.success()));
        programs.push((program, "main", 1));
    }
    for (program, function, times) in programs {
        let alone = Command::new(&program).output().expect("it runs");
        let out = program.with_extension("recording");
        let ran = run(&scratch, &["-o", path(&out)], &[path(&program)]);
        let said = text(&ran.stderr);
        assert_eq!(text(&ran.stdout), text(&alone.stdout), "{said}");
        assert_eq!(ran.status.code(), alone.status.code(), "{said}");
        assert!(calls(&out, function) >= times, "{function}: {said}");
    }
}

/// A thread that ends after recording has: nothing of the recorder is called then.
const LATER: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline,noipa)) int f(int a) { return a * 3 + 1; }
static volatile int x;
static void *work(void *of) { do { x = f(x); usleep(1000); } while (access("over", F_OK)); return of; }
int main(void) {
  pthread_t thread;
  puts("waiting"); fflush(stdout);
  pthread_create(&thread, 0, work, 0); pthread_join(thread, 0);
  return 7;
}
"#;

#[test]
fn threads_end_well_after_recording_has() {
    if !has_frida() {
        return;
    }
    let scratch = Scratch::new("frida-later");
    let program = build(&scratch, "later", LATER, &["-O1", "-pthread"]);
    let mut command = Command::new(&program);
    let mut child = command
        .current_dir(&scratch.0)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let output = child.stdout.take().expect("it writes");
    BufReader::new(output).read_line(&mut line).expect("text");
    let pid = child.id().to_string();
    let (ran, out) = super::frida::attached(&scratch, &pid, &[], "-INT", &|it| it);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    assert!(calls(&out, "f") > 0);
    scratch.write("over", b"");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(7), "{status}, {}", text(&ran.stderr));
}
