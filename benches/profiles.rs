//! Import of folded stacks, held against `inferno-flamegraph` on the same file in the same run, and at a
//! quarter and half of its size.
//!
//! Run with `cargo bench --bench profiles [STACKS] [FOLDED_FILE]…`, without arguments on stacks made with a
//! seed. The peer is looked for in `$PEERS/cargo/bin` and on the path, and left out where it is not there: it
//! also draws, so that what it takes is more than the reading. CPU times, the least of three.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use callscape::import;
use callscape::progress::Progress;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::least_cpu;

const FUNCTIONS: u64 = 5_000;

/// Distinct stacks as a program runs through them: a function calls one to eight others, up to 60 deep.
fn write_stacks(path: &Path, stacks: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let random = &mut Random(7);
    let mut seen = HashSet::new();
    let mut stack: Vec<u64> = Vec::new();
    while (seen.len() as u64) < stacks {
        let deeper = stack.len() < 2 || (stack.len() < 60 && random.below(100) < 52);
        if deeper {
            let caller = stack.last().copied().unwrap_or(0);
            let callee = random.below(1 + caller * 7 % 8 + stack.len() as u64 / 8);
            stack.push((caller * 31 + callee * 97 + 1) % FUNCTIONS);
        } else {
            stack.pop();
        }
        if stack.is_empty() || !seen.insert(stack.clone()) {
            continue;
        }
        for (place, function) in stack.iter().enumerate() {
            let separator = if place == 0 { "" } else { ";" };
            let (app, module) = (function % 8, function % 131);
            write!(out, "{separator}app{app}::mod{module}::fn_{function}")?;
        }
        writeln!(out, " {}", 1 + random.below(50))?;
    }
    out.flush()
}

/// What the peer is called, where it is installed.
fn peer() -> Option<PathBuf> {
    const NAME: &str = "inferno-flamegraph";
    let installed = std::env::var_os("PEERS").map(|dir| PathBuf::from(dir).join("cargo/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = installed.into_iter().chain(std::env::split_paths(&path));
    folders
        .map(|folder| folder.join(NAME))
        .find(|it| it.is_file())
}

/// The first lines of a file as a file of their own.
fn write_part(from: &Path, to: &Path, lines: usize) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(to)?);
    for line in BufReader::new(File::open(from)?).split(b'\n').take(lines) {
        out.write_all(&line?)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn import(path: &Path) -> (Duration, usize, u64) {
    let (mut contexts, mut samples) = (0, 0);
    let time = least_cpu(|| {
        let recording = import::open(path, &Progress::new()).expect("sound stacks");
        let profile = recording.profile.as_ref().expect("a profile");
        contexts = profile.contexts().map_or(0, |it| it.len());
        samples = recording.samples;
    });
    (time, contexts, samples)
}

fn measure(path: &Path, dir: &Path) -> std::io::Result<()> {
    let bytes = path.metadata()?.len() as f64;
    let lines = BufReader::new(File::open(path)?).split(b'\n').count();
    let (time, contexts, samples) = import(path);
    println!(
        "folded {}: {lines} stacks, {:.0} MB, {contexts} contexts, {samples} samples: import {:.2} s, {:.0} MB/s",
        path.file_name().unwrap_or_default().to_string_lossy(),
        bytes / 1e6,
        time.as_secs_f64(),
        bytes / 1e6 / time.as_secs_f64(),
    );
    for share in [4, 2] {
        let part = dir.join("part.folded");
        write_part(path, &part, lines / share)?;
        let of_part = part.metadata()?.len() as f64;
        let (part_time, ..) = import(&part);
        let slope = (time.as_secs_f64() / bytes) / (part_time.as_secs_f64() / of_part);
        println!(
            "  a {share}th of the stacks: {:.2} s; a byte of the whole costs {slope:.2} ×",
            part_time.as_secs_f64()
        );
    }
    let Some(peer) = peer() else {
        println!("  inferno-flamegraph is not installed: left out");
        return Ok(());
    };
    let peer_time = least_cpu(|| {
        let mut command = Command::new(&peer);
        let command = command
            .arg(path)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = command.status().expect("the peer");
        assert!(status.success());
    });
    println!(
        "  inferno-flamegraph: {:.2} s; import is {:.1} × as fast",
        peer_time.as_secs_f64(),
        peer_time.as_secs_f64() / time.as_secs_f64()
    );
    Measured {
        target: &format!("profiles: folded stacks, {} of them", amount(lines as u64)),
        value: time.as_secs_f64(),
        unit: "s",
        peer: Some((
            "inferno-flamegraph, with its drawing",
            peer_time.as_secs_f64(),
        )),
        ..Measured::default()
    }
    .print();
    Ok(())
}

fn main() -> std::io::Result<()> {
    let dir = std::env::temp_dir().join(format!("callscape-profiles-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    // Cargo passes --bench and whatever stands behind --.
    let named = std::env::args().skip(1).map(PathBuf::from);
    let mut files: Vec<PathBuf> = named.filter(|path| path.is_file()).collect();
    if files.is_empty() {
        let stacks = std::env::args().find_map(|arg| arg.parse().ok());
        let path = dir.join("stacks.folded");
        write_stacks(&path, stacks.unwrap_or(200_000))?;
        files.push(path);
    }
    let result = files.iter().try_for_each(|file| measure(file, &dir));
    std::fs::remove_dir_all(&dir)?;
    result
}
