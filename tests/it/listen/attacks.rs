//! The program itself: killed at any moment, and on a full disk.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::common::{self, Random, Scratch};
use super::{JSON, PROTOBUF, as_json, binary, exchange, read, request, span, status};

/// `callscape --listen` in a folder, until it is dropped.
struct Program {
    child: Child,
    at: SocketAddr,
    says: BufReader<ChildStderr>,
}

impl Program {
    fn start(folder: &Path, command: &mut Command) -> Program {
        let command = command
            .args(["--listen", "127.0.0.1:0"])
            .current_dir(folder);
        let command = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut says = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        says.read_line(&mut line).expect("text");
        let at = line
            .split("http://")
            .nth(1)
            .and_then(|it| it.split('/').next());
        let at = at
            .and_then(|it| it.parse().ok())
            .unwrap_or_else(|| panic!("{line}"));
        Program { child, at, says }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = folder.read_dir().expect("a folder").flatten();
    paths.map(|it| it.path()).collect()
}

/// Posts on one connection and counts what is answered with 200, until the connection ends.
fn post_on(at: SocketAddr, round: u64, count: &AtomicUsize) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(mut stream) = TcpStream::connect(at) else {
        return names;
    };
    let mut answers = BufReader::new(stream.try_clone().expect("a stream"));
    for number in 0.. {
        let name = format!("span {round} {number}");
        let body = request(PROTOBUF, &binary(&span(&name, 20_000)));
        if stream.write_all(&body).is_err() {
            break;
        }
        let mut answer = String::new();
        while !answer.ends_with("\r\n\r\n") {
            if answers.read_line(&mut answer).unwrap_or(0) == 0 {
                return names;
            }
        }
        assert_eq!(status(&answer), 200, "{answer}");
        names.push(name);
        count.fetch_add(1, Ordering::Relaxed);
    }
    names
}

/// Rounds of the test, more of which the variable asks for.
fn rounds() -> u64 {
    let wanted = std::env::var("CALLSCAPE_KILLS").ok();
    wanted.and_then(|it| it.parse().ok()).unwrap_or(20)
}

#[test]
fn a_killed_receiver_has_kept_what_it_answered() {
    let scratch = Scratch::new("listen-killed");
    let mut random = Random(9);
    for round in 0..rounds() {
        let folder = scratch.0.join(round.to_string());
        std::fs::create_dir(&folder).expect("room");
        let mut program = Program::start(&folder, &mut common::callscape());
        let (count, at) = (AtomicUsize::new(0), program.at);
        let (kill_at, spins) = (random.below(20) as usize, random.below(20_000));
        let kept = std::thread::scope(|scope| {
            let posting = scope.spawn(|| post_on(at, round, &count));
            while count.load(Ordering::Relaxed) < kill_at {
                std::thread::yield_now();
            }
            (0..spins).for_each(|_| std::hint::spin_loop());
            program.child.kill().expect("it runs");
            posting.join().expect("no panic")
        });
        drop(program);
        let left = files(&folder);
        let file = left
            .iter()
            .find(|it| it.extension().is_some_and(|it| it == "otlp"));
        let found = file.map_or_else(BTreeSet::new, |it| read(it).0);
        let missing: Vec<_> = kept.iter().filter(|it| !found.contains(*it)).collect();
        assert!(missing.is_empty(), "round {round}: {missing:?}");
        // The one that was not answered any more may be there.
        assert!(found.len() <= kept.len() + 1, "round {round}");
        // What it left is swept by the next.
        let next = Program::start(&folder, &mut common::callscape());
        assert!(
            files(&folder)
                .iter()
                .all(|it| it.extension().is_some_and(|it| it == "otlp"))
        );
        drop(next);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_no_request_is_lost_when_there_is_room_again() {
    let can_limit = Command::new("prlimit").arg("--version").output();
    if !can_limit.is_ok_and(|it| it.status.success()) {
        eprintln!("left out: needs prlimit");
        return;
    }
    let scratch = Scratch::new("listen-full");
    let mut shell = Command::new("sh");
    // What files may have, in place of what the disk has: writes fail in the same places.
    shell.args([
        "-c",
        "ulimit -S -f 64; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_callscape"),
    ]);
    let mut program = Program::start(&scratch.0, &mut shell);
    let mut names = BTreeSet::new();
    let mut post = |name: String| {
        let body = request(JSON, &span(&name, 1000).to_string().into_bytes());
        let status = status(&exchange(program.at, &body));
        if status == 200 {
            names.insert(name);
        }
        status
    };
    let mut number = 0;
    let full = loop {
        number += 1;
        match post(format!("before {number}")) {
            200 => {}
            other => break other,
        }
    };
    assert_eq!(full, 507);
    // One that is short may still fit, one that is long does not.
    for number in 0..3 {
        assert_eq!(post(format!("full {number}{}", "x".repeat(70_000))), 507);
    }
    let raised = Command::new("prlimit")
        .args([
            "--fsize=unlimited:",
            "--pid",
            &program.child.id().to_string(),
        ])
        .status();
    assert!(raised.is_ok_and(|it| it.success()));
    for number in 0..3 {
        assert_eq!(post(format!("after {number}")), 200);
    }
    assert!(names.len() > 10);
    program.child.kill().expect("it runs");
    let mut said = String::new();
    program.says.read_to_string(&mut said).expect("text");
    assert_eq!(said.matches("is not kept").count(), 4, "{said}");
    let [file] = &files(&scratch.0)[..] else {
        panic!("{:?}", files(&scratch.0));
    };
    assert_eq!(read(file), (names, Vec::new()));
    // Like any other recording.
    let info = common::callscape().arg("info").arg(file).output();
    assert!(info.is_ok_and(|it| it.status.success()));
}

#[test]
fn a_limit_that_is_no_number_is_told_at_the_start() {
    let scratch = Scratch::new("listen-limit");
    let output = common::callscape()
        .args(["--listen", "127.0.0.1:0"])
        .env("CALLSCAPE_MAX_RECEIVED", "lots")
        .current_dir(&scratch.0)
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("CALLSCAPE_MAX_RECEIVED") && error.contains("64G"),
        "{error}"
    );
}

#[test]
fn files_of_before_still_open() {
    let scratch = Scratch::new("listen-before");
    let lines = [as_json("a"), b"\n".to_vec(), as_json("b"), b"\n".to_vec()].concat();
    let messages = [binary(&span("a", 0)), binary(&span("b", 0))].concat();
    for (name, bytes) in [("spans.json", lines), ("spans.pb", messages)] {
        let (names, _) = read(&scratch.write(name, &bytes));
        assert_eq!(
            names,
            BTreeSet::from(["a".to_owned(), "b".to_owned()]),
            "{name}"
        );
    }
}
