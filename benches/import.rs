//! Import of traces, held against what merely parsing the same bytes costs in the same run.
//!
//! Run with `cargo bench --bench import [CALLS] [CHROME_TRACE]…`, without arguments on traces made with a seed.
//! Prints bytes per second of the processor's time, in all threads, and the ratio; and how long it takes on the wall
//! clock, which is less where an import has two processors. Importing includes building the call store, and for
//! recordings large enough writing its index. The variable `SPEEDSCOPE_IMPORT` may name a command that imports the file
//! behind it with speedscope's own importer and prints a JSON member `import_cpu_ms`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use callscape::import;
use callscape::progress::Progress;
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::cpu_time;

/// An enter (the function) or exit (none) at a time in nanoseconds.
type Step = (u64, Option<u32>);

const FUNCTIONS: u64 = 800;

/// A callee of `caller`: a function calls one to eight others, some far more often than the rest.
fn callee(caller: u32, random: &mut Random) -> u32 {
    let callees = 1 + u64::from(caller) * 7 % 8;
    let chosen = random.below(callees).min(random.below(callees));
    ((u64::from(caller) * 31 + chosen * 97 + 1) % FUNCTIONS) as u32
}

/// The call tree of a thread with `calls` calls, up to 40 deep.
fn steps(calls: u64, random: &mut Random) -> Vec<Step> {
    let (mut steps, mut open, mut begun, mut time) = (Vec::new(), Vec::new(), 0, 1_000_000_000_u64);
    while begun < calls || !open.is_empty() {
        time += 20 + random.below(4_000);
        let enter = begun < calls && (open.len() < 2 || (open.len() < 40 && random.below(2) == 0));
        if enter {
            begun += 1;
            let function = open.last().map_or(0, |&caller| callee(caller, random));
            open.push(function);
            steps.push((time, Some(function)));
        } else {
            open.pop();
            steps.push((time, None));
        }
    }
    steps
}

fn name(function: u32) -> String {
    format!("module{}::function_{function}", function % 37)
}

/// Begin and end events as uftrace's dump writes them, or complete events as VizTracer does.
fn write_chrome(path: &Path, steps: &[Step], complete: bool) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let us = |ns: u64| format!("{}.{:03}", ns / 1000, ns % 1000);
    let mut open = Vec::new();
    write!(
        out,
        "{{\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":\"bench\"}}}}"
    )?;
    for &(time, function) in steps {
        match function {
            Some(function) => open.push((time, function)),
            None if complete => {
                let (start, function) = open.pop().unwrap_or_default();
                let (name, ts, dur) = (name(function), us(start), us(time - start));
                write!(
                    out,
                    ",\n{{\"pid\": 4711, \"tid\": 4711, \"ts\": {ts}, \"ph\": \"X\", \"cat\": \"fee\", \"dur\": {dur}, \"name\": \"{name} (/src/app/{}.py:{})\"}}",
                    function % 37,
                    function + 1
                )?;
            }
            None => {}
        }
        if !complete {
            let (phase, function) = match function {
                Some(function) => ("B", function),
                None => ("E", open.pop().map_or(0, |(_, function)| function)),
            };
            write!(
                out,
                ",\n{{\"ts\":{},\"ph\":\"{phase}\",\"pid\":4711,\"tid\":4711,\"name\":\"{}\"}}",
                us(time),
                name(function)
            )?;
        }
    }
    write!(out, "\n]}}\n")?;
    out.flush()
}

/// An evented profile as speedscope's file format has it.
fn write_speedscope(path: &Path, steps: &[Step]) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let schema = "https://www.speedscope.app/file-format-schema.json";
    let frames =
        (0..FUNCTIONS as u32).map(|function| format!("{{\"name\":\"{}\"}}", name(function)));
    let frames = frames.collect::<Vec<_>>().join(",");
    let end = steps.last().map_or(0, |step| step.0);
    write!(
        out,
        "{{\"$schema\":\"{schema}\",\"shared\":{{\"frames\":[{frames}]}},\"profiles\":[{{\"type\":\"evented\",\"name\":\"main\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{end},\"events\":["
    )?;
    let mut open = Vec::new();
    for (number, &(time, function)) in steps.iter().enumerate() {
        let (kind, function) = match function {
            Some(function) => {
                open.push(function);
                ('O', function)
            }
            None => ('C', open.pop().unwrap_or_default()),
        };
        let comma = if number > 0 { ",\n" } else { "\n" };
        write!(
            out,
            "{comma}{{\"type\":\"{kind}\",\"frame\":{function},\"at\":{time}}}"
        )?;
    }
    write!(out, "\n]}}],\"exporter\":\"bench\"}}\n")?;
    out.flush()
}

/// A data directory as `uftrace record` writes it.
fn write_uftrace(dir: &Path, steps: &[Step]) -> std::io::Result<()> {
    const BASE: u64 = 0x5555_0000_0000;
    std::fs::create_dir_all(dir)?;
    let mut header = b"Ftrace!\0".to_vec();
    header.extend(4_u32.to_le_bytes());
    header.extend([40, 0, 1, 2]);
    header.extend([0; 24]);
    std::fs::write(dir.join("info"), header)?;
    std::fs::write(
        dir.join("task.txt"),
        "SESS timestamp=0.5 pid=7 sid=a exename=\"/bin/app\"\nTASK timestamp=0.6 tid=7 pid=7\n",
    )?;
    std::fs::write(
        dir.join("sid-a.map"),
        format!(
            "{BASE:x}-{:x} r-xp 00000000 00:00 0 /bin/app\n",
            BASE + (FUNCTIONS << 4) + 16
        ),
    )?;
    let mut symbols = BufWriter::new(File::create(dir.join("app.sym"))?);
    for function in 0..FUNCTIONS as u32 {
        writeln!(symbols, "{:016x} T {}", function << 4, name(function))?;
    }
    writeln!(symbols, "{:016x} ? __sym_end", FUNCTIONS << 4)?;
    symbols.flush()?;
    let mut records = BufWriter::new(File::create(dir.join("7.dat"))?);
    let mut open: Vec<u32> = Vec::new();
    for &(time, function) in steps {
        let (kind, function) = match function {
            Some(function) => {
                open.push(function);
                (0, function)
            }
            None => (1, open.last().copied().unwrap_or_default()),
        };
        let depth = open.len() as u64 - 1;
        let address = BASE + (u64::from(function) << 4);
        records.write_all(&time.to_le_bytes())?;
        records.write_all(&(kind | 5 << 3 | depth << 6 | address << 16).to_le_bytes())?;
        if kind == 1 {
            open.pop();
        }
    }
    records.flush()
}

/// The six fields of an event, borrowed from the file.
#[derive(Deserialize)]
struct Event<'a> {
    ph: &'a str,
    name: Option<&'a str>,
    ts: Option<f64>,
    dur: Option<f64>,
    pid: Option<u64>,
    tid: Option<u64>,
}

/// Sums what it reads of each event, so that nothing is left out by the compiler.
struct Events<'s>(&'s mut f64);

impl<'de> Visitor<'de> for Events<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("events")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<&str>()? {
            if key == "traceEvents" {
                map.next_value_seed(Events(&mut *self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(event) = seq.next_element::<Event<'_>>()? {
            *self.0 += event.ts.unwrap_or(0.0) + event.dur.unwrap_or(0.0);
            let ids = event.pid.unwrap_or(0) + event.tid.unwrap_or(0);
            *self.0 += (event.ph.len() + event.name.map_or(0, str::len)) as f64 + ids as f64;
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Events<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The least of several runs.
#[derive(Clone, Copy)]
struct Taken {
    /// Of the processor, in all threads.
    cpu: Duration,
    wall: Duration,
}

impl Taken {
    /// Nanoseconds on the wall clock for each of `calls`.
    fn wall_each(self, calls: u64) -> f64 {
        self.wall.as_secs_f64() * 1e9 / calls.max(1) as f64
    }
}

/// The least of three runs, each of which is repeated while it is short: the processor's clock ticks every 10 ms.
fn least(mut work: impl FnMut()) -> Taken {
    let times = (0..3).map(|_| {
        let (before, begin) = (cpu_time(), Instant::now());
        let mut times = 0;
        loop {
            work();
            times += 1;
            let (cpu, wall) = (cpu_time() - before, begin.elapsed());
            if cpu > Duration::from_millis(300) || times == 100 {
                break Taken {
                    cpu: cpu / times,
                    wall: wall / times,
                };
            }
        }
    });
    let least = |a: Taken, b: Taken| Taken {
        cpu: a.cpu.min(b.cpu),
        wall: a.wall.min(b.wall),
    };
    let none = Taken {
        cpu: Duration::MAX,
        wall: Duration::MAX,
    };
    times.fold(none, least)
}

fn rate(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

fn import(path: &Path, calls: &mut u64) -> Taken {
    least(|| {
        remove_indexes(path);
        let recording = import::open(path, &Progress::new()).expect("a sound trace");
        *calls = recording.trace.calls();
    })
}

/// The wall clock's part of an import beside that of what it is held against.
fn print_wall(name: &str, calls: u64, import: Taken, (peer, beside): (&str, Taken), aim: &str) {
    let (ours, other) = (import.wall_each(calls), beside.wall_each(calls));
    println!("import {name}: on the wall clock {ours:.0} ns a call, {peer} {other:.0} ns a call");
    Measured {
        target: &format!("import: {name} on the wall clock, {} calls", amount(calls)),
        value: ours,
        unit: "ns a call",
        peer: Some((peer, other)),
        aim,
        ..Measured::default()
    }
    .print();
}

/// Indexes beside the recording, which would spare the import.
fn remove_indexes(path: &Path) {
    let entries = path.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    for entry in entries.into_iter().flatten().flatten() {
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "callscape")
        {
            // What stays shows in the numbers.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn main() -> std::io::Result<()> {
    // Cargo passes --bench and whatever stands behind --.
    let calls = std::env::args()
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(1_500_000);
    let dir = std::env::temp_dir().join(format!("callscape-bench-{}", std::process::id()));
    for path in std::env::args().skip(1).map(PathBuf::from) {
        if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            against_serde_json(&name, &path)?;
        }
    }
    std::fs::create_dir_all(&dir)?;
    let result = run(&dir, calls);
    std::fs::remove_dir_all(&dir)?;
    result
}

/// Import of a Chrome trace beside a parse of it with serde_json.
fn against_serde_json(name: &str, path: &Path) -> std::io::Result<()> {
    let bytes = path.metadata()?.len();
    let mut sum = 0.0;
    let parse = least(|| {
        let file = File::open(path).expect("a file");
        // SAFETY: nothing writes to the file meanwhile.
        let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
        let mut json = serde_json::Deserializer::from_slice(&map);
        Events(&mut sum)
            .deserialize(&mut json)
            .expect("sound JSON, its texts without escapes");
    });
    assert!(sum > 0.0);
    let mut calls = 0;
    let import = import(path, &mut calls);
    println!(
        "import {name}: {calls} calls, {:.0} MB: serde_json {:.0} MB/s, import {:.0} MB/s, ratio {:.2}",
        bytes as f64 / 1e6,
        rate(bytes, parse.cpu),
        rate(bytes, import.cpu),
        parse.cpu.as_secs_f64() / import.cpu.as_secs_f64()
    );
    Measured {
        target: &format!("import: {name}, {} calls", amount(calls)),
        value: import.cpu.as_secs_f64(),
        unit: "s",
        peer: Some(("serde_json, typed", parse.cpu.as_secs_f64())),
        aim: "≤ 1.25 (0.67) ×",
        ..Measured::default()
    }
    .print();
    let aim = "≤ 360 (300) ns a call";
    print_wall(name, calls, import, ("serde_json, typed", parse), aim);
    Ok(())
}

/// Import of an evented profile beside speedscope's own importer, where that is at hand.
fn against_speedscope(path: &Path) -> std::io::Result<()> {
    let bytes = path.metadata()?.len();
    let mut calls = 0;
    let import = import(path, &mut calls);
    let peer = std::env::var("SPEEDSCOPE_IMPORT").ok().and_then(|command| {
        let mut words = command.split_whitespace();
        let out = std::process::Command::new(words.next()?)
            .args(words)
            .arg(path)
            .output();
        let report: serde_json::Value = serde_json::from_slice(&out.ok()?.stdout).ok()?;
        report["import_cpu_ms"].as_f64()
    });
    let beside = peer.map_or("speedscope not at hand".to_owned(), |ms| {
        let ratio = ms / 1e3 / import.cpu.as_secs_f64();
        format!("speedscope {ms:.0} ms, ratio {ratio:.1}")
    });
    println!(
        "import speedscope evented: {calls} calls, {:.0} MB: import {:.0} MB/s, {:.0} ms, {beside}",
        bytes as f64 / 1e6,
        rate(bytes, import.cpu),
        import.cpu.as_secs_f64() * 1e3
    );
    Measured {
        target: &format!("import: speedscope evented, {} calls", amount(calls)),
        value: import.cpu.as_secs_f64(),
        unit: "s",
        peer: peer.map(|ms| ("speedscope's own importer", ms / 1e3)),
        aim: "≤ 0.1 (0.025) ×",
        ..Measured::default()
    }
    .print();
    Ok(())
}

/// The time of each call as a recording grows: of a tenth and of all.
fn growth(dir: &Path, steps: &[Step], complete: bool) -> std::io::Result<()> {
    let path = dir.join("trace.json");
    let mut times = Vec::new();
    for part in [10, 1] {
        write_chrome(&path, &steps[..steps.len() / part], complete)?;
        let mut calls = 0;
        let time = import(&path, &mut calls);
        times.push(time.cpu.as_secs_f64() * 1e9 / calls as f64);
        std::fs::remove_file(&path)?;
    }
    println!(
        "import growth, complete events {complete}: a tenth {:.0} ns a call, all {:.0} ns, ratio {:.2}",
        times[0],
        times[1],
        times[1] / times[0]
    );
    let kind = if complete { "complete" } else { "begin/end" };
    Measured {
        target: &format!(
            "import: growth, chrome {kind}, {} calls",
            amount(steps.len() as u64 / 2)
        ),
        value: times[1],
        unit: "ns a call",
        peer: Some(("a tenth of the calls", times[0])),
        aim: "≤ 1.1 ×",
        ..Measured::default()
    }
    .print();
    Ok(())
}

fn run(dir: &Path, calls: u64) -> std::io::Result<()> {
    let steps = steps(calls, &mut Random(7));
    for complete in [false, true] {
        growth(dir, &steps, complete)?;
    }
    let speedscope = dir.join("profile.speedscope.json");
    write_speedscope(&speedscope, &steps)?;
    against_speedscope(&speedscope)?;
    std::fs::remove_file(&speedscope)?;
    for (name, complete) in [("chrome begin/end", false), ("chrome complete", true)] {
        let path: PathBuf = dir.join("trace.json");
        write_chrome(&path, &steps, complete)?;
        against_serde_json(name, &path)?;
        std::fs::remove_file(&path)?;
    }
    let data = dir.join("uftrace.data");
    write_uftrace(&data, &steps)?;
    let records = data.join("7.dat");
    let bytes = records.metadata()?.len();
    let mut sum = 0_u64;
    let raw = least(|| {
        let data = std::fs::read(&records).expect("the file just written");
        for word in data.chunks_exact(8) {
            sum = sum.wrapping_add(word.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)));
        }
    });
    assert!(sum > 0);
    let mut imported = 0;
    let import = import(&data, &mut imported);
    assert_eq!(imported, calls);
    println!(
        "import uftrace: {calls} calls, {:.0} MB: reading alone {:.0} MB/s, import {:.0} MB/s, {:.1} million calls/s, ratio {:.2}",
        bytes as f64 / 1e6,
        rate(bytes, raw.cpu),
        rate(bytes, import.cpu),
        calls as f64 / 1e6 / import.cpu.as_secs_f64(),
        raw.cpu.as_secs_f64() / import.cpu.as_secs_f64()
    );
    Measured {
        target: &format!("import: uftrace, {} calls", amount(calls)),
        value: import.cpu.as_secs_f64(),
        unit: "s",
        peer: Some(("reading alone", raw.cpu.as_secs_f64())),
        ..Measured::default()
    }
    .print();
    print_wall(
        "uftrace",
        calls,
        import,
        ("reading alone", raw),
        "≤ 65 (50) ns a call",
    );
    Ok(())
}
