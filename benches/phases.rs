//! Phases of as many calls as `CALLS` says (10 million by default) on as many threads as `THREADS` says, beside the
//! algorithm of the thesis written plainly over the decoded calls; then thresholds moved over what was kept.

use std::hint::black_box;
use std::time::{Duration, Instant};

use callscape::analysis::phases::{Phases, Pruning, Wish};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::trace::Trace;
use callscape::progress::Progress;
use callscape::units::ThreadId;
use callscape::warnings::{Place, Reporter};

#[path = "../tests/it/generate.rs"]
#[allow(
    dead_code,
    reason = "the bench `generate` writes traces, this one builds them"
)]
mod generate;
#[path = "common/measured.rs"]
mod measured;
#[path = "../tests/it/random.rs"]
#[allow(dead_code, reason = "traces are made with it")]
mod random;

use generate::{Plan, Program};
use measured::{Measured, amount};

/// The best of so many runs counts.
const RUNS: usize = 3;

fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn trace(calls: u64, threads: u32) -> Trace {
    let program = Program::new(Plan {
        calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads,
        seed: 1,
    });
    let reporter = Reporter::new();
    let place = || Place::file("generated");
    let mut builder = TraceBuilder::new(&reporter);
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

/// A call while its subcalls are gone through.
struct Open {
    cost: u64,
    triggered: u64,
    heavy: u32,
}

/// The algorithm of section 5.2 of the thesis: one pass that reconstructs the call stack, each call judged at its end.
/// How many phases there are.
fn plain(trace: &Trace, threads: &[ThreadId], calls: u64, cost: u64) -> usize {
    let of_thread = |&thread: &ThreadId| {
        let mut phases = 0;
        let mut open: Vec<Open> = Vec::new();
        let mut close = |open: &mut Vec<Open>| {
            let Some(call) = open.pop() else { return };
            let is_heavy = call.triggered >= calls || call.cost >= cost;
            phases += usize::from(call.heavy >= 2 || (call.heavy == 0 && is_heavy));
            if let Some(around) = open.last_mut() {
                around.triggered += call.triggered + 1;
                around.heavy += u32::from(is_heavy);
            }
        };
        trace.calls_in(thread, trace.range(), u32::MAX, |_, call| {
            while open.len() > call.depth as usize {
                close(&mut open);
            }
            open.push(Open {
                cost: call.cost().ns(),
                triggered: 0,
                heavy: 0,
            });
        });
        while !open.is_empty() {
            close(&mut open);
        }
        phases
    };
    threads.iter().map(of_thread).sum()
}

/// The shortest time of some runs, and what came of the last.
fn best<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best = Duration::MAX;
    let mut last = None;
    for _ in 0..RUNS {
        let begin = Instant::now();
        last = Some(black_box(work()));
        best = best.min(begin.elapsed());
    }
    (best, last.expect("it ran"))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// From nothing known to the phases, and the same of the plain algorithm, which finds no functions and no classes.
fn prune(trace: &Trace, wish: &Wish, calls: u64, workers: usize) -> Pruning {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
    let pool = pool.build().expect("threads can be started");
    let progress = Progress::new();
    let (ours, (pruning, phases)) = best(|| {
        pool.install(|| {
            let pruning = Pruning::new(trace, wish, &progress).expect("not cancelled");
            let phases = pruning.phases(pruning.parameters(wish));
            (pruning, phases)
        })
    });
    let heavy = phases.parameters.heavy;
    let (peer, found) = best(|| plain(trace, &wish.threads, heavy.triggered, heavy.cost.ns()));
    assert_eq!(found, phases.phases.len(), "both find the same phases");
    println!(
        "{workers} workers: {:.0} ms beside {:.0} ms: {} phases, {} rows of gathered calls, from {} calls or {} on; {:.2} \
         bytes a call are kept",
        millis(ours),
        millis(peer),
        phases.phases.len(),
        phases.gathered.len(),
        heavy.triggered,
        heavy.cost,
        pruning.bytes() as f64 / calls as f64
    );
    Measured {
        target: &format!(
            "phases: {} calls pruned, {workers} worker{}",
            amount(calls),
            if workers == 1 { "" } else { "s" }
        ),
        value: ours.as_secs_f64(),
        unit: "s",
        peer: Some((
            "the thesis' algorithm over decoded calls",
            peer.as_secs_f64(),
        )),
        // For 100 million calls.
        aim: "≤ 2 (0.8) s",
        ..Measured::default()
    }
    .print();
    pruning
}

/// Thresholds are moved: twice as many calls, and back.
fn slide(pruning: &Pruning, wish: &Wish, calls: u64) {
    let start = pruning.parameters(wish).heavy.triggered;
    let lowest = pruning.skeletons.iter().map(|it| it.floor.triggered).max();
    let mut longest = Duration::ZERO;
    for triggered in [start * 2, start, start / 2, start / 10, lowest.unwrap_or(1)] {
        let wish = Wish {
            calls: Some(triggered.max(lowest.unwrap_or(1))),
            short: pruning.short,
            ..wish.clone()
        };
        let parameters = pruning.parameters(&wish);
        assert!(pruning.reaches(&parameters.heavy));
        let (taken, phases): (_, Phases) = best(|| pruning.phases(parameters));
        println!(
            "from {} calls on: {:.2} ms, {} phases",
            parameters.heavy.triggered,
            millis(taken),
            phases.phases.len()
        );
        longest = longest.max(taken);
    }
    Measured {
        target: &format!("phases: thresholds moved over {} calls", amount(calls)),
        value: millis(longest),
        unit: "ms",
        aim: "≤ 100 ms",
        ..Measured::default()
    }
    .print();
}

fn main() {
    let calls = setting("CALLS", 10_000_000);
    let threads = setting("THREADS", 2) as u32;
    let trace = trace(calls, threads);
    let wish = Wish::of(trace.thread_ids().collect());
    for workers in [1, 2] {
        let pruning = prune(&trace, &wish, calls, workers);
        if workers == 2 {
            slide(&pruning, &wish, calls);
        }
    }
}
