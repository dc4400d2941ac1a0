//! Recordings of memory: import of heaptrack's events beside `heaptrack_print` in the same run, and what lives at a
//! random instant.
//!
//! Run with `cargo bench --bench memory [EVENTS]`, five million by default, made with a seed. The peer is looked for on
//! the path, and left out where it is not there; it prints too, so that what it takes is more than the reading.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callscape::facts::memory::{AgeBin, Events};
use callscape::import;
use callscape::progress::Progress;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::least_cpu;

const FUNCTIONS: u64 = 2_000;
const STACKS: u64 = 20_000;
const SITES: u64 = 15_000;

/// Events as a program makes them that keeps what it allocated for any time.
fn write(path: &Path, events: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let random = &mut Random(3);
    writeln!(out, "v 10400 3\nX made\nI 1000 100000\ns 4 made")?;
    for function in 0..FUNCTIONS {
        let name = format!("fn_{function}");
        writeln!(out, "s {:x} {name}", name.len())?;
    }
    for function in 0..FUNCTIONS {
        writeln!(out, "i {:x} 1 {:x}", 0x1000 + function * 16, function + 2)?;
    }
    for stack in 0..STACKS {
        let around = random.below(stack + 1);
        writeln!(out, "t {:x} {around:x}", 1 + random.below(FUNCTIONS))?;
    }
    for _ in 0..SITES {
        let size = [8, 16, 24, 32, 64, 200, 4096][random.below(7) as usize];
        writeln!(out, "a {size:x} {:x}", 1 + random.below(STACKS))?;
    }
    let mut living = Vec::new();
    for event in 0..events {
        if event.is_multiple_of(20_000) {
            writeln!(out, "c {:x}", event / 2000)?;
        }
        if !living.is_empty() && random.below(100) < 49 {
            let which = random.below(living.len() as u64) as usize;
            writeln!(out, "- {:x}", living.swap_remove(which))?;
        } else {
            let site = random
                .below(SITES)
                .min(random.below(SITES))
                .min(random.below(SITES));
            writeln!(out, "+ {site:x}")?;
            living.push(site);
        }
    }
    out.flush()
}

/// The median and the longest of many answers.
fn answers(events: &Events) -> (Duration, Duration) {
    let random = &mut Random(5);
    let times = (0..500).map(|_| {
        let at = random.below(u64::from(events.end()) + 1) as u32;
        let before = Instant::now();
        black_box(events.state(at));
        before.elapsed()
    });
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1])
}

/// Modules with a histogram of their own, bins of each, and events of a cel.
const MODULES: u32 = 5_000;
const BINS: u32 = 10;
const CEL: u32 = 1_000;

/// The median time of one more cel in the histograms of all modules, the clock running on.
fn step(events: &Events) -> Duration {
    let of: Vec<u32> = (0..events.cells().len() as u32)
        .map(|it| it % MODULES)
        .collect();
    let mut bins = vec![AgeBin::default(); (MODULES * BINS) as usize];
    let first = (events.end() / 2).max(BINS * CEL);
    let mut now = events.state(first);
    let times = (0..200).map(|cel| {
        let at = first + cel * CEL;
        let edges: Vec<u32> = (0..BINS).map(|it| at.saturating_sub(it * CEL)).collect();
        let before = Instant::now();
        events.advance(&mut now, at);
        events.ages(&edges, &of, &now, black_box(&mut bins));
        before.elapsed()
    });
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().skip(1).find_map(|it| it.parse().ok());
    let count: u64 = wanted.unwrap_or(5_000_000);
    let dir = std::env::temp_dir().join(format!("callscape-memory-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let path = dir.join("made.heaptrack");
    write(&path, count)?;
    let mut recording = None;
    let ours = least_cpu(|| {
        let read = import::read_as("heaptrack", &path, &Progress::new());
        recording = read.and_then(Result::ok);
    });
    let memory = recording.as_ref().and_then(|it| it.memory.as_ref());
    let events = memory.and_then(|it| it.events()).expect("sound events");
    let each = |time: Duration| time.as_secs_f64() * 1e9 / count as f64;
    let mut peer = None;
    if Command::new("heaptrack_print")
        .arg("--version")
        .output()
        .is_ok()
    {
        let time = least_cpu(|| {
            let mut command = Command::new("heaptrack_print");
            let _ = command.arg(&path).stdout(Stdio::null()).status();
        });
        peer = Some(("heaptrack_print", each(time)));
    }
    Measured {
        target: &format!("memory: import of heaptrack, {} events", amount(count)),
        value: each(ours),
        unit: "ns an event",
        peer,
        aim: "≤ 1 × (33 ns an event)",
        ..Measured::default()
    }
    .print();
    let (median, longest) = answers(events);
    for (what, time) in [("median", median), ("longest", longest)] {
        Measured {
            target: &format!(
                "memory: what lives at a random instant, {what}, {} events",
                amount(count)
            ),
            value: time.as_secs_f64() * 1e3,
            unit: "ms",
            aim: "≤ 10 (1) ms",
            ..Measured::default()
        }
        .print();
    }
    Measured {
        target: "memory: one more cel in the histograms of 5,000 modules",
        value: step(events).as_secs_f64() * 1e3,
        unit: "ms",
        aim: "≤ 2 ms",
        ..Measured::default()
    }
    .print();
    Measured {
        target: &format!("memory: columns and checkpoints, {} events", amount(count)),
        value: memory.map_or(0.0, |it| it.bytes() as f64) / count as f64,
        unit: "bytes an event",
        aim: "≤ 12 bytes an event",
        ..Measured::default()
    }
    .print();
    std::fs::remove_dir_all(&dir)
}
