//! Tables of calls: export beside DuckDB's COPY of the same table from memory in the same run, bytes a call, what a query
//! takes beyond DuckDB's own time, and opening what a query of many runs has answered.
//!
//! Run with `cargo bench --bench tables [CALLS]`, 20 million by default, made with a seed. The peers are Python's module
//! `duckdb`, on one thread, and the program `duckdb`; each is left out where it is not there.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callscape::analysis::resolve::resolve;
use callscape::export::Part;
use callscape::export::tables::{self, IfThere, Table};
use callscape::facts::hierarchy::HierarchyBuilder;
use callscape::import;
use callscape::progress::Progress;

use callscape_testing::generate::{Plan, Program, write_uftrace};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::cpu_time;

/// Reads the table into memory, writes it, prints the processor's seconds and the bytes.
const COPY: &str = r#"
import sys, os, time, duckdb
source, target = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute(f"CREATE TABLE calls AS SELECT * FROM read_parquet('{source}', hive_partitioning = false)")
best = None
for _ in range(3):
    start = time.process_time()
    connection.execute(f"COPY calls TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
    took = time.process_time() - start
    best = took if best is None else min(best, took)
print(best, os.path.getsize(target))
"#;

/// Writes a profile of a million functions in ten million contexts, breadth first.
const AGGREGATES: &str = r#"
import sys, os, duckdb
connection = duckdb.connect()
def write(table, rows):
    folder = f"{sys.argv[1]}/{table}/recording=runs"
    os.makedirs(folder)
    connection.execute(f"COPY ({rows}) TO '{folder}/part-0.parquet' (FORMAT parquet, COMPRESSION zstd)")
write("recordings", "SELECT 'runs' AS name, 'profile' AS kind, 'nanoseconds' AS unit")
write("functions", """SELECT i::INT AS function, 'function' || i AS name, 'dir' || i // 1000 || '/file' || i // 20 AS file,
    (i % 20 * 10 + 1)::INT AS line, 10::BIGINT AS calls, 1000::BIGINT AS total, 100::BIGINT AS self
    FROM range(1000000) t(i)""")
write("contexts", """SELECT i::INT AS context, CASE WHEN i > 0 THEN (i - 1) // 3 END::INT AS parent,
    (i * 7919 % 1000000)::INT AS function, 1::BIGINT AS calls, 10::BIGINT AS self FROM range(10000000) t(i)""")
"#;

/// The least seconds of three times that they are opened; none where DuckDB is not installed.
fn opened(dir: &Path) -> Option<f64> {
    let mut command = Command::new("python3");
    command.args(["-c", AGGREGATES]).arg(dir);
    let written = command.stderr(Stdio::null()).status().ok()?;
    written.success().then_some(())?;
    let times = (0..3).map(|_| {
        let before = Instant::now();
        let recording = import::open(dir, &Progress::new()).expect("sound tables");
        assert_eq!(recording.calls(), 10_000_000);
        before.elapsed().as_secs_f64()
    });
    Some(times.fold(f64::INFINITY, f64::min))
}

/// The processor's seconds and the bytes that DuckDB takes for the table of a file; none where it is not installed.
fn copied(source: &Path, dir: &Path) -> Option<(f64, f64)> {
    let mut command = Command::new("python3");
    command
        .args(["-c", COPY])
        .arg(source)
        .arg(dir.join("copy.parquet"));
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace().filter_map(|it| it.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// The least time of five runs of a program that succeeds.
fn least(command: &mut Command) -> Option<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut times = Vec::new();
    for _ in 0..5 {
        let before = Instant::now();
        command.status().ok().filter(|it| it.success())?;
        times.push(before.elapsed());
    }
    times.into_iter().min()
}

/// What a question takes, of ours and of DuckDB alone.
fn asked(dir: &Path) -> Option<(f64, f64)> {
    let program = env!("CARGO_BIN_EXE_callscape");
    let question = ["query", "functions"];
    let sql = Command::new(program)
        .args(question)
        .arg("--sql")
        .output()
        .ok()?;
    let view = "CREATE VIEW functions AS SELECT * FROM read_parquet('functions/*/*.parquet', hive_partitioning = true);";
    let sql = format!("{view}\n{};", String::from_utf8_lossy(&sql.stdout));
    let mut alone = Command::new("duckdb");
    alone
        .args(["-json", ":memory:", "-c", &sql])
        .current_dir(dir)
        .stdin(Stdio::null());
    let mut ours = Command::new(program);
    ours.args(question).arg(dir).arg("--json");
    let (alone, ours) = (least(&mut alone)?, least(&mut ours)?);
    Some((ours.as_secs_f64() * 1e3, alone.as_secs_f64() * 1e3))
}

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().skip(1).find_map(|it| it.parse().ok());
    let calls: u64 = wanted.unwrap_or(20_000_000);
    let dir = std::env::temp_dir().join(format!("callscape-tables-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let plan = Plan {
        calls,
        functions: 2_000,
        threads: 4,
        seed: 35,
    };
    let path = dir.join("made");
    write_uftrace(&Program::new(plan), &path)?;
    let recording = import::open(&path, &Progress::new()).expect("a sound recording");
    let source = HierarchyBuilder::new("").build().0;
    let (hierarchy, resolutions) = resolve(&source, &[&recording.functions]);
    let part = Part {
        recording: &recording,
        resolution: &resolutions[0],
        hierarchy: &hierarchy,
        range: None,
        threads: None,
    };
    let out = dir.join("tables");
    let write = |tables: &[Table]| {
        let before = cpu_time();
        let how = ("made", IfThere::Replace);
        tables::write(&part, &out, how, tables, &Progress::new()).expect("there is room");
        (cpu_time() - before).as_secs_f64()
    };
    let times = (0..3).map(|_| write(&[Table::Calls]));
    let ours = times.fold(f64::INFINITY, f64::min);
    let file = out.join("calls/recording=made/part-0.parquet");
    let bytes = std::fs::metadata(&file)?.len() as f64;
    let peer = copied(&file, &dir);
    let each = |of: f64| of / calls as f64;
    Measured {
        target: &format!("tables: export of {} calls", amount(calls)),
        value: each(ours) * 1e9,
        unit: "ns a call, of one core",
        peer: peer.map(|it| ("DuckDB's COPY from memory", each(it.0) * 1e9)),
        aim: "≤ 1 ×",
        ..Measured::default()
    }
    .print();
    Measured {
        target: &format!("tables: size of {} calls", amount(calls)),
        value: each(bytes),
        unit: "bytes a call",
        peer: peer.map(|it| ("DuckDB's COPY from memory", each(it.1))),
        aim: "≤ 7.2 (6) bytes a call",
        ..Measured::default()
    }
    .print();
    write(&[Table::Functions]);
    if let Some((ours, alone)) = asked(&out) {
        Measured {
            target: "tables: a query, what it takes beyond DuckDB",
            value: (ours - alone).max(0.0),
            unit: "ms",
            peer: Some(("DuckDB alone", alone)),
            aim: "≤ 50 ms",
            ..Measured::default()
        }
        .print();
    }
    drop(recording);
    if let Some(seconds) = opened(&dir.join("runs")) {
        Measured {
            target: "tables: opening a million functions in ten million contexts",
            value: seconds,
            unit: "s",
            aim: "≤ 2 s",
            ..Measured::default()
        }
        .print();
    }
    std::fs::remove_dir_all(&dir)
}
