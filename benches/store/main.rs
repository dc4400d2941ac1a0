//! The call store at a size that `CALLS` gives (a million by default): what it costs to import, how many bytes
//! a call it takes, how fast it answers, beside peers and floors in the same run. A ratio is Callscape's number
//! by the other. `ONLY` names the queries to measure.

use std::hint::black_box;
use std::time::Duration;

use callscape::facts::trace::{Columns, Enclosing, Trace, Within};
use callscape::units::{Cost, ThreadId, Time, TimeRange};
use callscape::warnings::Reporter;

mod import;
mod measure;
mod often;
mod scan;
mod size;
mod walk;

use callscape_testing::built::build;
use callscape_testing::common::Scratch;
use callscape_testing::generate::{Plan, Program};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::{cpu_time, setting};
use import::Recorded;
use measure::{Queries, ratio};
use scan::Scan;

/// How deep what is drawn goes.
const DEPTHS: u32 = 60;

/// Nanoseconds a call.
fn each(time: Duration, calls: u64) -> f64 {
    time.as_nanos() as f64 / calls.max(1) as f64
}

fn program(calls: u64, threads: u32) -> Program {
    Program::new(Plan {
        calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads,
        seed: 1,
    })
}

/// The trace, and the processor's time to build it and to match its events with a stack, both without
/// that to generate them.
fn timed_build(program: &Program, threads: u32) -> (Trace, Duration, Duration) {
    let begin = cpu_time();
    let mut sum = 0u64;
    for thread in 0..threads {
        for event in program.run(thread) {
            sum = sum.wrapping_add(event.time ^ u64::from(event.enter));
        }
    }
    black_box(sum);
    let generated = cpu_time() - begin;
    let begin = cpu_time();
    let mut costs = 0u64;
    for thread in 0..threads {
        let mut open = Vec::new();
        for event in program.run(thread) {
            if event.enter {
                open.push((event.function, event.time));
            } else if let Some((function, start)) = open.pop()
                && function == event.function
            {
                costs += event.time - start;
            }
        }
    }
    black_box(costs);
    let matched = (cpu_time() - begin).saturating_sub(generated);
    let reporter = Reporter::new();
    let begin = cpu_time();
    let (_, trace) = build(program, "", &reporter);
    let built = (cpu_time() - begin).saturating_sub(generated);
    assert!(reporter.warnings().is_empty(), "{:?}", reporter.warnings());
    (trace, built, matched)
}

fn main() -> anyhow::Result<()> {
    let (calls, threads) = (setting("CALLS", 1_000_000), setting("THREADS", 4) as u32);
    let (whole, tenth) = (program(calls, threads), program(calls / 10, threads));
    println!(
        "{calls} calls, {threads} threads, {} functions",
        whole.functions()
    );
    let (trace, built, matched) = timed_build(&whole, threads);
    println!(
        "build: {:.1} ns a call; matching its events with a stack: {:.1} ns a call; ratio {:.2}",
        each(built, calls),
        each(matched, calls),
        ratio(built, matched)
    );
    println!(
        "size: {:.2} bytes a call, the records of uftrace: 32; ratio {:.3}; depth {}, duration {}, {} relations",
        trace.bytes() as f64 / calls as f64,
        trace.bytes() as f64 / calls as f64 / 32.0,
        trace.max_depth(),
        trace.duration(),
        trace.relations(None).len(),
    );
    Measured {
        target: &format!("store: size, {} calls", amount(calls)),
        value: trace.bytes() as f64 / calls as f64,
        unit: "bytes a call",
        peer: Some(("records of uftrace", 32.0)),
        aim: "≤ 16 bytes a call",
        ..Measured::default()
    }
    .print();
    imports(&whole, &tenth, calls)?;
    let folder = Scratch::new("bench-store");
    size::of_walk(&folder, calls)?;
    size::of_recordings(&folder);
    drop(folder);
    queries(&trace, threads, calls);
    Ok(())
}

/// Import, its growth, and opening.
fn imports(whole: &Program, tenth: &Program, calls: u64) -> anyhow::Result<()> {
    let folder = Scratch::new("bench-store");
    let small = Recorded::write(&folder, "tenth", tenth)?.import();
    let recorded = Recorded::write(&folder, "whole", whole)?;
    let import = recorded.import();
    recorded.beside_peers(calls, import);
    recorded.on_the_wall_clock(calls);
    let (one, other) = (each(import, calls), each(small, calls / 10));
    println!(
        "import of {calls} calls: {one:.1} ns a call; of a tenth of them: {other:.1} ns a call; ratio {:.3}",
        one / other
    );
    Measured {
        target: &format!("store: growth of import, {} calls", amount(calls)),
        value: one,
        unit: "ns a call",
        peer: Some(("a tenth of the calls", other)),
        aim: "≤ 1.1 ×",
        ..Measured::default()
    }
    .print();
    recorded.opening(calls);
    often::leave_out(recorded.open()?, import);
    Ok(())
}

/// The latencies of queries, most beside those of a scan.
fn queries(trace: &Trace, threads: u32, calls: u64) {
    let on = Queries { calls };
    let scan = Scan::new(trace);
    let end = trace.duration().ns().max(1);
    let window = |random: &mut Random| {
        let from = random.below(end);
        let width = (end - from) >> random.below(24);
        TimeRange::new(
            Time::from_ns(from),
            Time::from_ns(from + random.below(width.max(1))),
        )
    };
    let half = |random: &mut Random| {
        let from = random.below(end.div_ceil(2));
        TimeRange::new(Time::from_ns(from), Time::from_ns(from + end / 2))
    };
    let thread = |random: &mut Random| ThreadId(random.below(u64::from(threads)) as u32);
    // A floor that gives another answer is none.
    let mut random = Random(3);
    for _ in 0..20 {
        let (range, thread) = (window(&mut random), thread(&mut random));
        let whole = Within {
            range: Some(range),
            enclosing: Enclosing::Whole,
        };
        assert_eq!(trace.relations(whole), scan.relations(range));
        assert_eq!(trace.running(range.end), scan.running(range.end));
        let columns = Columns::new(range, 2000);
        let strips = scan.strips(thread, columns, range, DEPTHS);
        assert_eq!(trace.strips(thread, columns, DEPTHS), strips);
    }

    let mut stack = Vec::new();
    on.beside(
        ("stacks of all threads", "≤ 1 ms"),
        10_000,
        |random| {
            let t = Time::from_ns(random.below(end));
            for thread in trace.thread_ids() {
                trace.stack_at(thread, t, &mut stack);
                black_box(&stack);
            }
        },
        "a binary search a thread",
        |random| {
            black_box(scan.started(Time::from_ns(random.below(end))));
        },
    );
    on.beside(
        ("relations of a window", "≤ 50 ms"),
        200,
        |random| {
            black_box(trace.relations(Some(window(random))));
        },
        "a scan",
        |random| {
            black_box(scan.relations(window(random)));
        },
    );
    on.beside(
        ("relations of half the trace", "≤ 50 ms"),
        30,
        |random| {
            black_box(trace.relations(Some(half(random))));
        },
        "a scan",
        |random| {
            black_box(scan.relations(half(random)));
        },
    );
    on.beside(
        ("what to draw on 2000 columns, a thread", "≤ 10 ms"),
        200,
        |random| {
            let columns = Columns::new(window(random), 2000);
            black_box(trace.strips(thread(random), columns, DEPTHS));
        },
        "a scan",
        |random| {
            let range = window(random);
            let columns = Columns::new(range, 2000);
            black_box(scan.strips(thread(random), columns, range, DEPTHS));
        },
    );
    on.beside(
        ("what to draw of the whole trace, a thread", ""),
        30,
        |random| {
            let columns = Columns::new(trace.range(), 2000);
            black_box(trace.strips(thread(random), columns, DEPTHS));
        },
        "a scan",
        |random| {
            let range = trace.range();
            let columns = Columns::new(range, 2000);
            black_box(scan.strips(thread(random), columns, range, DEPTHS));
        },
    );
    on.beside(
        ("running summary", ""),
        100,
        |random| {
            black_box(trace.running(Time::from_ns(random.below(end))));
        },
        "a scan",
        |random| {
            black_box(scan.running(Time::from_ns(random.below(end))));
        },
    );
    on.beside(
        ("function metrics of a window", ""),
        200,
        |random| {
            black_box(trace.function_metrics(Some(window(random))));
        },
        "a scan that sums by relation",
        |random| {
            black_box(scan.relations(window(random)));
        },
    );
    let hundredth =
        |random: &mut Random| (Time::from_ns(random.below(end)), Cost::from_ns(end / 100));
    on.beside(
        ("activity of the last hundredth", ""),
        200,
        |random| {
            let (t, horizon) = hundredth(random);
            black_box(trace.activity(t, horizon));
        },
        "a scan that sums by relation",
        |random| {
            let (t, horizon) = hundredth(random);
            black_box(scan.relations(TimeRange::new(t - horizon, t)));
        },
    );
    on.beside(
        ("event by number", ""),
        1000,
        |random| {
            black_box(trace.event(random.below(trace.events())));
        },
        "a binary search a thread by time",
        |random| {
            black_box(scan.started(Time::from_ns(random.below(end))));
        },
    );
    let rows: Vec<u32> = (0..setting("FUNCTIONS", 5000) as u32).collect();
    let mut coverage = Vec::new();
    on.beside(
        ("coverage of a window on 1920 columns, by function", ""),
        50,
        |random| {
            let columns = Columns::new(window(random), 1920);
            trace.coverage(columns, &rows, rows.len() as u32, &mut coverage);
        },
        "a scan that sums by relation",
        |random| {
            black_box(scan.relations(window(random)));
        },
    );
    on.beside(
        (
            "coverage of the whole trace on 1920 columns, by function",
            "",
        ),
        5,
        |_| {
            let columns = Columns::new(trace.range(), 1920);
            trace.coverage(columns, &rows, rows.len() as u32, &mut coverage);
        },
        "a scan that sums by relation",
        |_| {
            black_box(scan.relations(trace.range()));
        },
    );
    on.latencies("events until", 10_000, |random| {
        black_box(trace.events_until(Time::from_ns(random.below(end))));
    });
}
