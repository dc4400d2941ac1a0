//! The call store at a size that `CALLS` gives (a million by default): what it costs to build, how many
//! bytes a call it takes, how fast it answers, each beside a floor or a scan in the same run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::trace::{Columns, Trace};
use callscape::units::{Cost, ThreadId, Time, TimeRange};
use callscape::warnings::{Place, Reporter};

#[path = "../tests/it/generate.rs"]
#[allow(
    dead_code,
    reason = "the bench `generate` writes traces, this one builds them"
)]
mod generate;
#[path = "../tests/it/random.rs"]
mod random;

use generate::{Plan, Program};
use random::Random;

fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn place() -> Place {
    Place::file("generated")
}

/// The time that this process has worked so far, in all its threads.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after.split_whitespace().collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|text| text.parse::<u64>().ok())
            .unwrap_or(0)
    };
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

fn build(program: &Program, threads: u32, reporter: &Reporter) -> Trace {
    let mut builder = TraceBuilder::new(reporter);
    let ids: Vec<_> = (0..program.functions())
        .map(|function| {
            builder.function(Function {
                name: &program.name(function),
                ..Function::default()
            })
        })
        .collect();
    for thread in 0..threads {
        let id = builder.thread("1", &thread.to_string());
        for event in program.run(thread) {
            let time = Timestamp::from_ns(event.time as i64);
            if event.enter {
                builder.enter(id, time, ids[event.function as usize], place);
            } else {
                builder.exit(id, time, Some(ids[event.function as usize]), place);
            }
        }
    }
    builder.finish(place).1
}

/// Runs `query` many times with random numbers and prints median and 99th percentile.
fn latencies(what: &str, times: u32, mut query: impl FnMut(&mut Random)) {
    if std::env::var("ONLY").is_ok_and(|only| !what.contains(&only)) {
        return;
    }
    // Each three times, the best counted: other work on the machine is not what is measured.
    let mut random = Random(7);
    let mut taken: Vec<Duration> = (0..times)
        .map(|_| {
            let seed = random.next();
            let run = |_| {
                let mut random = Random(seed);
                let begin = Instant::now();
                query(&mut random);
                begin.elapsed()
            };
            (0..3).map(run).min().unwrap_or_default()
        })
        .collect();
    taken.sort();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: median {:?}, 99th percentile {:?}",
        at(0.5),
        at(0.99)
    );
}

fn main() {
    let (calls, threads) = (setting("CALLS", 1_000_000), setting("THREADS", 4) as u32);
    let program = Program::new(Plan {
        calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads,
        seed: 1,
    });
    println!(
        "{calls} calls, {threads} threads, {} functions",
        program.functions()
    );
    let begin = cpu_time();
    let mut depth = 0u64;
    for thread in 0..threads {
        for event in program.run(thread) {
            depth = depth.wrapping_add(event.time ^ u64::from(event.enter));
        }
    }
    black_box(depth);
    let generated = cpu_time() - begin;
    let reporter = Reporter::new();
    let begin = cpu_time();
    let trace = build(&program, threads, &reporter);
    let built = (cpu_time() - begin).saturating_sub(generated);
    let each = |time: Duration| time.as_nanos() as f64 / calls as f64;
    println!(
        "generate: {:.1} ns a call; build: {:.1} ns a call",
        each(generated),
        each(built)
    );
    println!(
        "size: {:.2} bytes a call; depth {}, duration {}",
        trace.bytes() as f64 / calls as f64,
        trace.max_depth(),
        trace.duration()
    );
    println!(
        "{} relations, warnings {:?}",
        trace.relations(None).len(),
        reporter.warnings()
    );
    let end = trace.duration().ns().max(1);
    let mut stack = Vec::new();
    latencies("stacks of all threads", 10_000, |random| {
        let t = Time::from_ns(random.below(end));
        for thread in trace.thread_ids() {
            trace.stack_at(thread, t, &mut stack);
            black_box(&stack);
        }
    });
    let window = |random: &mut Random| {
        let from = random.below(end);
        let width = (end - from) >> random.below(24);
        TimeRange::new(
            Time::from_ns(from),
            Time::from_ns(from + random.below(width.max(1))),
        )
    };
    latencies("relations of a window", 200, |random| {
        black_box(trace.relations(Some(window(random))));
    });
    latencies("relations of half the trace", 50, |random| {
        let from = random.below(end / 2);
        let range = TimeRange::new(Time::from_ns(from), Time::from_ns(from + end / 2));
        black_box(trace.relations(Some(range)));
    });
    latencies("what to draw on 2000 columns, a thread", 200, |random| {
        let thread = ThreadId(random.below(u64::from(threads)) as u32);
        black_box(trace.strips(thread, Columns::new(window(random), 2000), 60));
    });
    latencies("what to draw of the whole trace, a thread", 50, |random| {
        let thread = ThreadId(random.below(u64::from(threads)) as u32);
        black_box(trace.strips(thread, Columns::new(trace.range(), 2000), 60));
    });
    latencies("running summary", 200, |random| {
        black_box(trace.running(Time::from_ns(random.below(end))));
    });
    latencies("function metrics of a window", 200, |random| {
        black_box(trace.function_metrics(Some(window(random))));
    });
    latencies("activity of the last hundredth", 200, |random| {
        black_box(trace.activity(Time::from_ns(random.below(end)), Cost::from_ns(end / 100)));
    });
    latencies("event by number", 1000, |random| {
        black_box(trace.event(random.below(trace.events())));
    });
    latencies("events until", 10_000, |random| {
        black_box(trace.events_until(Time::from_ns(random.below(end))));
    });
}
