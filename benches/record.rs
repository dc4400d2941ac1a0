//! Recording, with functions that are called often and without: three programs from Debian's sources and this one, each at
//! falling limits, which is the shape of tables 8.1 to 8.5 of paper 003; and what recording costs, switched off and on,
//! beside the program alone and beside uftrace alone. The programs are built into `target/recorded`, or where
//! `RECORDED_PROGRAMS` says. `RUNS` (5) runs are made of what is compared, and the median is told.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use callscape::import;
use callscape::progress::Progress;

use callscape_testing::measured::{Measured, amount, significant};

/// The limits of the tables: calls in 100 ms.
const LIMITS: [u64; 4] = [200, 100, 50, 10];

/// A program and what it does.
struct Workload {
    name: &'static str,
    command: Vec<OsString>,
}

fn main() -> anyhow::Result<()> {
    let mut version = Command::new("uftrace");
    version.arg("--version").stdout(Stdio::null());
    if version.status().is_err() {
        println!("record: left out, for uftrace is not installed");
        return Ok(());
    }
    let place = std::env::var_os("RECORDED_PROGRAMS").map_or_else(own_place, PathBuf::from);
    let mut workloads = vec![own()];
    match built(&place) {
        Ok(built) => workloads.extend(built),
        Err(error) => println!("record: only this program, for {error:#}"),
    }
    // An argument chooses the programs that have it in their name.
    let chosen = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    workloads.retain(|it| chosen.iter().all(|chosen| it.name.contains(chosen)));
    let runs = std::env::var("RUNS").ok().and_then(|it| it.parse().ok());
    for workload in &workloads {
        table(workload, &place)?;
        overhead(workload, &place, runs.unwrap_or(5))?;
    }
    Ok(())
}

fn own_place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/recorded")
}

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/programs")
}

/// This program, reading its own sources.
fn own() -> Workload {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/facts");
    Workload {
        name: "Callscape reads a tree",
        command: vec![
            env!("CARGO_BIN_EXE_callscape").into(),
            "tree".into(),
            sources.into(),
        ],
    }
}

/// The programs from Debian's sources, with what they work on.
fn built(place: &Path) -> anyhow::Result<Vec<Workload>> {
    let status = Command::new("bash")
        .arg(peers().join("build.sh"))
        .arg(place)
        .stdout(Stdio::null())
        .status()?;
    ensure!(
        status.success(),
        "their sources could not be fetched and built"
    );
    let bin = place.join("bin");
    let ninja = place.join("rules");
    fs::create_dir_all(&ninja)?;
    let rules = Command::new("python3")
        .arg(peers().join("rules.py"))
        .arg("20000")
        .output()
        .context("python3")?;
    fs::write(ninja.join("build.ninja"), rules.stdout)?;
    let text = place.join("text");
    fs::write(&text, sources()?)?;
    Ok(vec![
        Workload {
            name: "Lua makes a report",
            command: vec![
                bin.join("lua").into(),
                peers().join("report.lua").into(),
                "1".into(),
            ],
        },
        Workload {
            name: "Brotli compresses text",
            command: vec![
                bin.join("brotli").into(),
                "-q".into(),
                "9".into(),
                "-c".into(),
                text.into(),
            ],
        },
        Workload {
            name: "Ninja reads 20,000 rules",
            command: vec![
                bin.join("ninja").into(),
                "-C".into(),
                ninja.into(),
                "-n".into(),
                "--quiet".into(),
            ],
        },
    ])
}

/// The files one folder below `src`, sorted by path, as one text.
fn sources() -> anyhow::Result<Vec<u8>> {
    let mut paths = Vec::new();
    for folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))?.flatten() {
        let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        paths.extend(files.map(|it| it.path()).filter(|it| it.is_file()));
    }
    paths.sort();
    let mut text = Vec::new();
    for path in paths {
        text.extend(fs::read(path)?);
    }
    Ok(text)
}

/// What a recording holds and took.
struct Recorded {
    calls: u64,
    functions_left_out: u64,
    bytes: u64,
    /// Of the run that was recorded, not of one before it.
    seconds: f64,
}

fn table(workload: &Workload, place: &Path) -> anyhow::Result<()> {
    let alone = alone(&workload.command)?;
    let all = recorded(workload, place, "uftrace", None)?;
    show(workload, "all calls", &all, alone);
    for limit in LIMITS {
        let limit = format!("{limit}/100ms");
        let recorded = recorded(workload, place, "uftrace", Some(&limit))?;
        show(workload, &format!("at most {limit}"), &recorded, alone);
    }
    if has_frida() {
        let all = recorded(workload, place, "frida", None)?;
        show(workload, "all calls, by Frida", &all, alone);
        // Functions are found while it runs: there is no run before.
        for limit in LIMITS {
            let limit = format!("{limit}/100ms");
            let recorded = recorded(workload, place, "frida", Some(&limit))?;
            let what = format!("at most {limit}, by Frida in one run");
            show(workload, &what, &recorded, alone);
        }
    }
    Ok(())
}

fn has_frida() -> bool {
    let mut asked = Command::new("python3");
    asked.args(["-c", "import frida"]).stderr(Stdio::null());
    asked.status().is_ok_and(|it| it.success())
}

fn show(workload: &Workload, limit: &str, recorded: &Recorded, alone: f64) {
    let calls = amount(recorded.calls);
    let without = amount(recorded.functions_left_out);
    let megabytes = significant(recorded.bytes as f64 / 1e6);
    Measured {
        target: &format!("record: {}, {limit}", workload.name),
        value: recorded.seconds,
        unit: &format!("s, {calls} calls, {without} functions left out, {megabytes} MB"),
        peer: Some(("not recorded", alone)),
        ..Measured::default()
    }
    .print();
}

/// One run by `callscape record`.
fn recorded(
    workload: &Workload,
    place: &Path,
    by: &str,
    limit: Option<&str>,
) -> anyhow::Result<Recorded> {
    let output = place.join("recording");
    let _ = fs::remove_dir_all(&output);
    let mut command = Command::new(env!("CARGO_BIN_EXE_callscape"));
    command.args(["record", "--quiet", "--no-open", "--with", by, "-o"]);
    command.arg(&output);
    if let Some(limit) = limit {
        command.args(["--max-frequency", limit]);
    }
    command.arg("--").args(&workload.command);
    let ran = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    let seconds = said.split(&format!("recorded by {by} in ")).nth(1);
    let seconds = seconds.and_then(|it| it.split(' ').next()?.parse().ok());
    let seconds = seconds.with_context(|| format!("{}: {said}", workload.name))?;
    let recording = import::open(&output, &Progress::new())?;
    let left_out = recording.left_out.as_ref();
    let bytes = fs::read_dir(&output)?.flatten();
    let bytes = bytes.filter_map(|it| Some(it.metadata().ok()?.len())).sum();
    let recorded = Recorded {
        calls: recording.trace.calls(),
        functions_left_out: left_out.map_or(0, |it| it.functions),
        bytes,
        seconds,
    };
    fs::remove_dir_all(&output)?;
    Ok(recorded)
}

/// Recording switched off, and on beside uftrace alone, in turns.
fn overhead(workload: &Workload, place: &Path, runs: usize) -> anyhow::Result<()> {
    let output = place.join("overhead");
    let program = &workload.command;
    let by_us = |is_paused: bool| -> Vec<OsString> {
        let mut command: Vec<OsString> = vec![env!("CARGO_BIN_EXE_callscape").into()];
        command.extend(["record", "--quiet", "--no-open", "--with", "uftrace"].map(OsString::from));
        command.extend(is_paused.then(|| OsString::from("--paused")));
        command.extend(["-o".into(), output.clone().into(), "--".into()]);
        command.extend(program.iter().cloned());
        command
    };
    let mut by_uftrace: Vec<OsString> = ["uftrace", "record", "--srcline", "-P", ".", "-d"]
        .map(OsString::from)
        .to_vec();
    by_uftrace.push(output.clone().into());
    by_uftrace.extend(program.iter().cloned());
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..runs {
        let commands = [
            program.clone(),
            by_us(true),
            by_us(false),
            by_uftrace.clone(),
        ];
        for (times, command) in times.iter_mut().zip(commands) {
            let _ = fs::remove_dir_all(&output);
            times.push(alone(&command)?);
        }
    }
    let _ = fs::remove_dir_all(&output);
    let [bare, off, on, uftrace] = times.map(median);
    let measured = |what: &str, value: f64, peer: (&str, f64), aim: &str| {
        Measured {
            target: &format!("record: {}, {what}", workload.name),
            value,
            unit: "s",
            peer: Some(peer),
            aim,
            ..Measured::default()
        }
        .print();
    };
    measured("switched off", off, ("not recorded", bare), "");
    if has_frida() {
        let [bare, off] = off_by_frida(workload, &output, runs)?;
        let what = "switched off, by Frida";
        measured(what, off, ("not recorded", bare), "≤ 1.02 ×");
    }
    measured("switched on", on, ("uftrace alone", uftrace), "≤ 1.05 ×");
    Ok(())
}

/// How long the program runs by itself and while Frida is in it and recording is off, without the time in which it is
/// attached; in turns.
fn off_by_frida(workload: &Workload, output: &Path, runs: usize) -> anyhow::Result<[f64; 2]> {
    let mut times: [Vec<f64>; 2] = Default::default();
    for _ in 0..runs {
        times[0].push(alone(&workload.command)?);
        let mut command = Command::new(env!("CARGO_BIN_EXE_callscape"));
        command.args([
            "record",
            "--quiet",
            "--no-open",
            "--with",
            "frida",
            "--paused",
        ]);
        // That nothing was recorded is an error, which tells how long it took.
        command
            .arg("-o")
            .arg(output)
            .arg("--")
            .args(&workload.command);
        let ran = command.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&ran.stderr);
        let seconds = said.split(", and ran for ").nth(1);
        let seconds = seconds.and_then(|it| it.split(' ').next()?.parse().ok());
        times[1].push(seconds.with_context(|| format!("{}: {said}", workload.name))?);
    }
    Ok(times.map(median))
}

/// How long a command runs, in seconds, with its streams closed.
fn alone(command: &[OsString]) -> anyhow::Result<f64> {
    let (program, arguments) = command.split_first().context("a command has a program")?;
    let begin = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| program.display().to_string())?;
    ensure!(status.success(), "{} failed", program.display());
    Ok(begin.elapsed().as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
