//! Each importer reads inputs made from its seeds by damage that a number decides, so that each run tries the same ones.
//! A process of its own reads each thousand, with a limit of memory; it watches the time itself. `./x damage` runs it.

mod format;
mod report;
mod worker;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use format::{FORMATS, Format};
use report::{Kind, Report};

/// Inputs that one process reads.
const BATCH: u32 = 1000;
/// Memory of a process, in KiB: what importers may take for an input of some kilobytes, and what a process is.
const MOST_MEMORY: u32 = 768 << 10;
/// Inputs of one format that are kept.
const MOST_KEPT: u32 = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["worker", name, first, end] => {
            let number = |text: &str| text.parse().expect("a number");
            let format = named(name).expect("a format");
            worker::run(format, number(first)..number(end));
        }
        [] => run_all(10_000, &[]),
        [count, names @ ..] => match count.parse() {
            Ok(count) => run_all(count, names),
            Err(_) => {
                eprintln!(
                    "damage: '{count}' is no number of inputs; write ./x damage [COUNT [FORMAT]...]"
                );
                std::process::exit(2);
            }
        },
    }
}

fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|it| it.name == name)
}

/// Tries `count` inputs of each of the formats named, of all where none is, and says what came of it.
fn run_all(count: u32, names: &[&str]) {
    let mut left: Vec<&Format> = FORMATS.iter().rev().collect();
    if let Some(unknown) = names.iter().find(|it| named(it).is_none()) {
        let known: Vec<&str> = FORMATS.iter().map(|it| it.name).collect();
        eprintln!(
            "damage: no format is named '{unknown}'; there are: {}",
            known.join(", ")
        );
        std::process::exit(2);
    }
    left.retain(|it| names.is_empty() || names.contains(&it.name));
    let (left, done) = (Mutex::new(left), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no thread panics").pop();
                    let Some(format) = next else {
                        break;
                    };
                    let report = try_format(format, count);
                    done.lock().expect("no thread panics").push(report);
                }
            });
        }
    });
    let mut reports = done.into_inner().expect("no thread panics");
    reports.sort_by_key(|it| it.name);
    let table = report::table(&reports);
    print!("\n{table}");
    if names.is_empty() && count >= 10_000 {
        report::write(&table);
    }
    if reports.iter().any(Report::has_found) {
        std::process::exit(1);
    }
}

fn try_format(format: &Format, count: u32) -> Report {
    let started = Instant::now();
    let mut report = Report::new(format.name);
    let mut first = 0;
    while first < count {
        let end = count.min(first / BATCH * BATCH + BATCH);
        first = try_batch(format, first..end, &mut report);
    }
    report.tried = count;
    let seconds = started.elapsed().as_secs();
    println!(
        "{}: {count} inputs in {seconds} s, {}",
        format.name,
        report.summary()
    );
    report
}

/// Starts a process for some inputs; gives the first that it has not come to.
fn try_batch(format: &Format, numbers: std::ops::Range<u32>, report: &mut Report) -> u32 {
    let program = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -v {MOST_MEMORY}; exec \"$0\" \"$@\""),
        ])
        .arg(program)
        .args(["worker", format.name])
        .args([numbers.start.to_string(), numbers.end.to_string()])
        // Memory that is only set aside counts too: one pool for all threads.
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "2")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let said = child.stderr.take().expect("it is piped");
    let said = std::thread::spawn(move || std::io::read_to_string(said).unwrap_or_default());
    let mut at = numbers.start;
    let mut has_ended = false;
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    for line in lines.map_while(Result::ok) {
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "at" => at = rest.parse().unwrap_or(at),
            "opened" => report.opened += rest.parse().unwrap_or(0),
            "end" => has_ended = true,
            _ => {
                if let Some(kind) = Kind::of(word) {
                    found(format, at, kind, rest, report);
                    has_ended |= kind == Kind::Hang;
                }
            }
        }
    }
    let status = child.wait().expect("it was started");
    let said = said.join().unwrap_or_default();
    if !has_ended {
        let kind = match said.contains("memory allocation of") {
            true => Kind::OverMemory,
            false => Kind::Crash,
        };
        let last = said.lines().last().unwrap_or_default();
        found(format, at, kind, &format!("{status}: {last}"), report);
    }
    match at + 1 < numbers.end {
        true => at + 1,
        false => numbers.end,
    }
}

/// Counts what an input has done, keeps the input and says where.
fn found(format: &Format, number: u32, kind: Kind, what: &str, report: &mut Report) {
    report.add(kind);
    if report.found() > MOST_KEPT {
        return;
    }
    let folder = PathBuf::from("fuzz/artifacts/damage");
    let path = folder.join(format!("{}-{number}.bin", format.name));
    let input = worker::input(&format.seeds(), number);
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input));
    let kept = kept.map_or_else(|error| error.to_string(), |()| path.display().to_string());
    println!("{} {number}: {}: {what} ({kept})", format.name, kind.name());
}
