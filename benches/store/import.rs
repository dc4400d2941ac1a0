//! Reading a uftrace directory and writing its index, beside `uftrace report` and a bare loop over the records;
//! and opening that index.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;
use callscape::units::Time;

use super::measure::{cpu_of, ratio};
use callscape_testing::common::Scratch;
use callscape_testing::generate::{Program, write_uftrace};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::least;

/// A generated recording and its index, which lies where opening looks for it.
pub struct Recorded {
    dir: PathBuf,
    index: PathBuf,
}

impl Recorded {
    pub fn write(folder: &Scratch, name: &str, program: &Program) -> anyhow::Result<Recorded> {
        let dir = folder.0.join(name);
        write_uftrace(program, &dir)?;
        let index = import::index::build(&dir, None, &Progress::new())?;
        Ok(Recorded { dir, index })
    }

    /// The processor's time to read the recording and to write the index.
    pub fn import(&self) -> Duration {
        cpu_of(|| {
            let built = import::index::build(&self.dir, Some(&self.index), &Progress::new());
            assert!(built.is_ok());
        })
    }

    pub fn open(&self) -> anyhow::Result<Recording> {
        Ok(import::open(&self.dir, &Progress::new())?)
    }

    /// Prints import beside `uftrace report` and the bare loop.
    pub fn beside_peers(&self, calls: u64, import: Duration) {
        let each = |time: Duration| time.as_nanos() as f64 / calls as f64;
        let replay = cpu_of(|| {
            black_box(replay(&self.dir));
        });
        println!(
            "import and index: {:.1} ns a call; a bare loop over the records: {:.1} ns a call; ratio {:.2}",
            each(import),
            each(replay),
            ratio(import, replay)
        );
        let measured = |peer, time: Duration, aim| {
            Measured {
                target: &format!("store: import beside {peer}, {} calls", amount(calls)),
                value: each(import),
                unit: "ns a call",
                peer: Some((peer, each(time))),
                aim,
                ..Measured::default()
            }
            .print();
        };
        measured("a bare loop over the records", replay, "≤ (2) ×");
        let report = report(&self.dir);
        if let Some(report) = report {
            measured("uftrace report", report, "≤ 0.2 ×");
        }
        match report {
            Some(report) => println!(
                "import and index: {:.1} ns a call; uftrace report: {:.1} ns a call; ratio {:.3}, {:.2} × as fast",
                each(import),
                each(report),
                ratio(import, report),
                ratio(report, import)
            ),
            None => println!("import beside uftrace report: left out, uftrace is not installed"),
        }
    }

    /// Prints how long import takes on the wall clock, where it has two processors, beside `uftrace report`, which takes
    /// one.
    pub fn on_the_wall_clock(&self, calls: u64) {
        let each = |time: Duration| time.as_nanos() as f64 / calls as f64;
        let import = least(3, || {
            let built = import::index::build(&self.dir, Some(&self.index), &Progress::new());
            assert!(built.is_ok());
        })
        .0;
        let report = run_report(&self.dir).then(|| least(3, || run_report(&self.dir)).0);
        println!(
            "import and index on the wall clock: {:.1} ns a call; uftrace report: {}",
            each(import),
            report.map_or("not installed".to_owned(), |report| format!(
                "{:.1} ns a call",
                each(report)
            ))
        );
        Measured {
            target: &format!("store: import on the wall clock, {} calls", amount(calls)),
            value: each(import),
            unit: "ns a call",
            peer: report.map(|report| ("uftrace report", each(report))),
            aim: "≤ 65 (50) ns a call",
            ..Measured::default()
        }
        .print();
    }

    /// Prints opening to the first answer beside a read of what of the index is read for it at least.
    pub fn opening(&self, calls: u64) {
        let open = least(3, || {
            let opened = import::open(&self.dir, &Progress::new());
            let trace = opened.expect("just written").trace;
            let half = Time::from_ns(trace.duration().ns() / 2);
            let mut stack = Vec::new();
            for thread in trace.thread_ids() {
                trace.stack_at(thread, half, &mut stack);
                black_box(&stack);
            }
        })
        .0;
        let (read, bytes) = least(3, || read_ends(&self.index).expect("just written"));
        println!(
            "opening to the stacks at half time: {open:.2?}; reading the {} KB of header and tail: {read:.2?}; \
             ratio {:.2}",
            bytes / 1000,
            ratio(open, read)
        );
        Measured {
            target: &format!(
                "store: opening to the stacks at half time, {} calls",
                amount(calls)
            ),
            value: open.as_secs_f64() * 1e3,
            unit: "ms",
            peer: Some(("reading header and tail", read.as_secs_f64() * 1e3)),
            aim: "≤ 100 ms",
            ..Measured::default()
        }
        .print();
    }
}

/// Header and tail of an index.
fn read_ends(index: &Path) -> std::io::Result<usize> {
    let mut file = File::open(index)?;
    let mut header = [0; 64];
    file.read_exact(&mut header)?;
    let tail_at = header[24..32].iter().rev();
    let tail_at = tail_at.fold(0, |number, &byte| number << 8 | u64::from(byte));
    file.seek(SeekFrom::Start(tail_at))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(header.len() + black_box(tail).len())
}

/// Reads the records of 16 bytes and matches enters and exits with a stack: the sum of the calls' costs.
fn replay(dir: &Path) -> u64 {
    let mut costs = 0_u64;
    let entries = dir.read_dir().expect("just written").flatten();
    let files = entries.map(|entry| entry.path());
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "dat")) {
        let file = File::open(file).expect("just written");
        let mut records = BufReader::with_capacity(1 << 20, file);
        let mut open: Vec<(u64, u64)> = Vec::new();
        let mut record = [0; 16];
        while records.read_exact(&mut record).is_ok() {
            let [time, word] = [0, 8].map(|at| {
                let bytes = record[at..at + 8].try_into().expect("8 bytes");
                u64::from_le_bytes(bytes)
            });
            let address = word >> 16;
            if word & 3 == 0 {
                open.push((address, time));
            } else if let Some((entered, start)) = open.pop()
                && entered == address
            {
                costs += time - start;
            }
        }
    }
    costs
}

/// Runs `uftrace report`; false where it is not installed.
fn run_report(dir: &Path) -> bool {
    let mut command = Command::new("uftrace");
    command.args(["report", "--no-pager", "-d"]).arg(dir);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The processor's time of `uftrace report`; none where it is not installed.
fn report(dir: &Path) -> Option<Duration> {
    run_report(dir).then(|| {
        cpu_of(|| {
            run_report(dir);
        })
    })
}
