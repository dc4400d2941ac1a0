//! Faults in a repository of `COMMITS` commits (100,000 by default) and 10,000 files, of which the last thousand commits changed
//! 200, over a trace of as many calls as `CALLS` gives (a million by default): with the structure still to be read, and with it
//! at hand, beside `git diff` between the same two.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, ensure};
use callscape::analysis::faults::opening::scan;
use callscape::analysis::faults::{Failing, Faults, Question, find};
use callscape::analysis::session::Session;
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::recording::Recording;
use callscape::progress::Progress;
use callscape::source::Scan;
use callscape::source::history::changes;
use callscape::warnings::{Place, Reporter};

use callscape_testing::generate::{Plan, Program};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::{least, ms};

const FILES: u64 = 10_000;
const FUNCTIONS_A_FILE: u64 = 8;
const CHANGED: u64 = 200;
const RECENT: u64 = 1000;
const THREADS: u32 = 4;
/// Functions that the trace calls: those of the files that change, and of some more.
const CALLED: u32 = 5000;

/// Where a function is: its file and name.
fn path(file: u64) -> String {
    format!("d{}/f{file}.c", file % 100)
}

fn name(file: u64, function: u64) -> String {
    format!("f{file}_{function}")
}

/// A file, of which one function has been changed so many times.
fn text(file: u64, version: u64) -> String {
    let mut text = String::from("#include <stdio.h>\n\n");
    for function in 0..FUNCTIONS_A_FILE {
        let number = if version % FUNCTIONS_A_FILE == function {
            version
        } else {
            0
        };
        text += &format!(
            "int {}(int x)\n{{\n    for (int i = 0; i < {number}; i++) {{\n        x += i;\n    }}\n    return x;\n}}\n\n",
            name(file, function)
        );
    }
    text
}

/// Writes the repository by what `git fast-import` reads.
fn write(dir: &Path, commits: u64) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir)?;
    ensure!(git(dir, &["init", "-q", "-b", "main"])?, "git init");
    let mut import = Command::new("git");
    let mut import = import.current_dir(dir).args(["fast-import", "--quiet"]);
    let mut import = {
        import = import.stdin(Stdio::piped());
        import.spawn()?
    };
    let mut out = std::io::BufWriter::new(import.stdin.take().context("a pipe")?);
    for commit in 0..commits {
        writeln!(out, "commit refs/heads/main")?;
        writeln!(
            out,
            "committer A <a@example.org> {} +0000",
            1_000_000_000 + commit * 60
        )?;
        writeln!(out, "data 1\nx")?;
        let mut put = |file: u64, version: u64| {
            let text = text(file, version);
            writeln!(
                out,
                "M 100644 inline {}\ndata {}\n{text}",
                path(file),
                text.len()
            )
        };
        match commit {
            0 => (0..FILES).try_for_each(|file| put(file, 0))?,
            recent if recent >= commits - RECENT => put(recent % CHANGED, recent)?,
            commit => put(CHANGED + commit % (FILES - CHANGED), commit)?,
        }
    }
    drop(out);
    ensure!(import.wait()?.success(), "git fast-import");
    ensure!(git(dir, &["reset", "-q", "--hard", "main"])?, "git reset");
    Ok(())
}

fn git(dir: &Path, args: &[&str]) -> anyhow::Result<bool> {
    let mut command = Command::new("git");
    let status = command
        .current_dir(dir)
        .args(args)
        .stdout(Stdio::null())
        .status();
    Ok(status.context("git")?.success())
}

fn recording(calls: u64) -> Recording {
    let place = || Place::file("generated");
    let program = Program::new(Plan {
        calls,
        functions: CALLED,
        threads: THREADS,
        seed: 1,
    });
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    // Functions are named in the order in which they first run, so that those of the files that change are among them.
    let mut ids = HashMap::new();
    for thread in 0..THREADS {
        let id = builder.thread("1", &thread.to_string());
        for event in program.run(thread) {
            let time = Timestamp::from_ns(event.time as i64);
            let number = ids.len() as u64;
            let function = *ids.entry(event.function).or_insert_with(|| {
                let file = number / FUNCTIONS_A_FILE;
                builder.function(Function {
                    name: &name(file, number % FUNCTIONS_A_FILE),
                    file: &format!("/build/{}", path(file)),
                    ..Function::default()
                })
            });
            match event.enter {
                true => builder.enter(id, time, function, place),
                false => drop(builder.exit(id, time, Some(function), place)),
            }
        }
    }
    let (functions, trace) = builder.finish(place);
    Recording::of_calls(
        Path::new("made"),
        "made",
        None,
        (functions, trace),
        Vec::new(),
    )
}

fn faults(dir: &Path, good: &str, session: &Session, scan: &Scan) -> anyhow::Result<Faults> {
    let progress = Progress::new();
    let changes = changes(dir, good, None, &[], &progress)?;
    let question = Question {
        session,
        changes: &changes,
        scan: Some(scan),
        against: None,
        failing: Failing::default(),
    };
    Ok(find(&question, &progress)?)
}

fn main() -> anyhow::Result<()> {
    let number = |name: &str, otherwise: u64| {
        let value = std::env::var(name).ok();
        value.and_then(|it| it.parse().ok()).unwrap_or(otherwise)
    };
    let (calls, commits) = (number("CALLS", 1_000_000), number("COMMITS", 100_000));
    let folder = format!("callscape-faults-{}", std::process::id());
    let dir: PathBuf = std::env::temp_dir().join(folder).join("tree");
    write(&dir, commits)?;
    let good = format!("HEAD~{}", RECENT.min(commits - 1));
    let recording = Arc::new(recording(calls));
    let progress = Progress::new();
    let begin = Instant::now();
    let read = scan(&dir, &progress)?;
    let session = Session::over(&read, vec![Arc::clone(&recording)]);
    let found = faults(&dir, &good, &session, &read)?;
    let cold = begin.elapsed();
    // Of each file that changed, one function did.
    let changed = (0..CHANGED).filter(|file| {
        let number = file * FUNCTIONS_A_FILE + file % FUNCTIONS_A_FILE;
        number < recording.functions.len() as u64
    });
    let expected = changed.count();
    ensure!(
        found.faults.len() == expected,
        "{} faults were found of {expected}",
        found.faults.len()
    );
    println!("{expected} of {CHANGED} changed functions ran");
    let cached = least(3, || faults(&dir, &good, &session, &read)).0;
    let diff = least(3, || git(&dir, &["diff", &good])).0;
    let log = least(3, || git(&dir, &["log", "-p", &format!("{good}..HEAD")])).0;
    let of = format!(
        "{} commits, {} files, {CHANGED} changed, {} calls",
        amount(commits),
        amount(FILES),
        amount(calls)
    );
    for (what, time, peer, aim) in [
        ("nothing read before", cold, ("git diff", diff), "≤ 2000 ms"),
        ("structure at hand", cached, ("git diff", diff), "≤ 3 ×"),
        (
            "structure at hand, beside the commits",
            cached,
            ("git log -p", log),
            "≤ 200 ms",
        ),
    ] {
        Measured {
            target: &format!("faults: {what}, {of}"),
            value: ms(time),
            unit: "ms",
            peer: Some((peer.0, ms(peer.1))),
            aim,
            ..Measured::default()
        }
        .print();
    }
    std::fs::remove_dir_all(dir.parent().unwrap_or(&dir))?;
    Ok(())
}
