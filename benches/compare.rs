//! Comparing two indexed traces of `CALLS` calls each (a million by default): opening both, which is the floor, then
//! both tables of functions and relations, and linking the clocks, held against it.
//!
//! Run with `CALLS=10000000 cargo bench --bench compare`. Least wall times of five, in one process.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use callscape::analysis::alignment::{Alignment, Link, Run};
use callscape::analysis::comparison::tables::Window;
use callscape::analysis::comparison::{Comparison, Inputs, Settings};
use callscape::import;
use callscape::progress::Progress;

#[path = "../tests/it/generate.rs"]
#[allow(
    dead_code,
    reason = "the bench `generate` looks at the program, this one writes it"
)]
mod generate;
#[path = "../tests/it/random.rs"]
mod random;

use generate::{Plan, Program};

const FUNCTIONS: u32 = 5_000;
const THREADS: u32 = 4;
const TIMES: usize = 5;

fn least<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..TIMES {
        let start = Instant::now();
        let result = black_box(work());
        let took = start.elapsed();
        if best.as_ref().is_none_or(|(least, _)| took < *least) {
            best = Some((took, result));
        }
    }
    best.expect("at least one run")
}

fn record(folder: &Path, name: &str, calls: u64, seed: u64) -> PathBuf {
    let dir = folder.join(name);
    let program = Program::new(Plan {
        calls,
        functions: FUNCTIONS,
        threads: THREADS,
        seed,
    });
    generate::write_uftrace(&program, &dir).expect("a recording");
    // Once, so that the index lies beside it.
    import::open(&dir, &Progress::new()).expect("an index");
    dir
}

fn main() {
    let calls = std::env::var("CALLS").ok();
    let calls = calls.map_or(1_000_000, |calls| calls.parse().expect("a number of calls"));
    let folder = std::env::temp_dir().join(format!("callscape-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let paths = [
        record(&folder, "a", calls, 1),
        record(&folder, "b", calls, 1),
    ];
    let open = || {
        paths
            .each_ref()
            .map(|path| import::open(path, &Progress::new()).expect("a trace"))
    };
    let (opening, both) = least(open);
    let counted: Vec<u64> = both.iter().map(|it| it.calls()).collect();
    println!(
        "{calls} calls asked for, {counted:?} recorded, {FUNCTIONS} functions, {THREADS} threads each"
    );
    println!("opening both               {opening:>12.3?}");
    let inputs = Inputs {
        recordings: paths.clone().map(|path| vec![path]),
        source_dirs: Vec::new(),
    };
    let compare = || {
        let settings = Settings::default();
        let comparison = Comparison::open(&inputs, &settings, &Progress::new());
        let comparison = comparison.expect("a comparison");
        let functions = comparison.functions(Window::default());
        let relations = comparison.relations(Window::default());
        (comparison, functions, relations)
    };
    let (tables, (comparison, functions, relations)) = least(compare);
    let ratio = tables.as_secs_f64() / opening.as_secs_f64();
    println!(
        "opening and tables         {tables:>12.3?}  {ratio:.1} × opening, {} functions, {} relations",
        functions.len(),
        relations.len()
    );
    for (name, link) in [
        ("by events", Link::Events),
        ("by calls at the top", Link::Calls),
        ("by calls of a function", Link::CallsOf(0)),
    ] {
        let run = |place: usize| Run {
            trace: &comparison.session.recordings[place].recording.trace,
            row_of: &comparison.row_of[place],
        };
        let (took, alignment) = least(|| Alignment::new(run(0), run(1), &link));
        let points = alignment.points().count();
        println!("clocks {name:<23} {took:>9.3?}  {points} points");
    }
    // What was written is of no use to anybody; that it stays does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}
