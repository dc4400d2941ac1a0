//! The landscape's state at a time of a long trace: after a jump, and frame by frame at several speeds, forward
//! and backward. `CALLS` calls (a million by default) beside a hundredth of them: what a frame costs must not
//! depend on the trace's length nor on the calls passed.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::Recording;
use callscape::facts::trace::Trace;
use callscape::filter::cut::Cut;
use callscape::filter::filters::{FilterStep, Filters};
use callscape::filter::running::Running;
use callscape::filter::summary::Summary;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::left::Left;
use callscape::model::moment::Moment;
use callscape::progress::Progress;
use callscape::state::city::City;
use callscape::units::{Cost, ModuleId, ThreadId, Time};
use callscape::warnings::Reporter;

use callscape_testing::built::build;
use callscape_testing::generate::{Plan, Program};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;

const FUNCTIONS: u32 = 5_000;
const THREADS: u32 = 4;
/// Functions of a file, and files of a directory.
const OF_FILE: u32 = 20;
const OF_DIRECTORY: u32 = 10;
/// As many frames as a second has.
const FRAMES: u64 = 60;

/// A made-up program of `calls` calls in a tree of directories and files.
fn session(calls: u64) -> Session {
    let program = Program::new(Plan {
        calls,
        functions: FUNCTIONS,
        threads: THREADS,
        seed: 1,
    });
    let mut hierarchy = HierarchyBuilder::new("generated");
    let mut nodes = Vec::new();
    let (mut directory, mut file) = (NodeId::ROOT, NodeId::ROOT);
    for function in 0..program.functions() {
        let name = program.name(function);
        if function % (OF_FILE * OF_DIRECTORY) == 0 {
            let name = format!("directory_{function}");
            directory = hierarchy.add(NodeId::ROOT, Module::named(ModuleKind::Directory, &name));
        }
        if function % OF_FILE == 0 {
            let name = format!("file_{function}.c");
            file = hierarchy.add(directory, Module::named(ModuleKind::File, &name));
        }
        let module = Module {
            loc: 5 + function % 60,
            ..Module::named(ModuleKind::Function, &name)
        };
        nodes.push(hierarchy.add(file, module));
    }
    let calls = build(&program, "", &Reporter::new());
    let (hierarchy, modules) = hierarchy.build();
    let resolution = Resolution {
        modules: nodes.iter().map(|node| modules[node.index()]).collect(),
        rules: vec![Rule::QualifiedName; nodes.len()],
    };
    let recording = Recording::of_calls(Path::new("generated"), "uftrace", None, calls, Vec::new());
    Session {
        source_dir: None,
        hierarchy,
        recordings: vec![Resolved {
            recording: recording.into(),
            resolution,
        }],
        source_warnings: Vec::new(),
        named: Default::default(),
    }
}

/// What the window shows at `time` when a frame goes `step` on or back.
fn moment(time: Time, step: Cost) -> Option<Moment> {
    Some(Moment {
        time,
        previous: time - step,
        ..Moment::default()
    })
}

/// Median and 99th percentile.
fn percentiles(mut taken: Vec<Duration>) -> (Duration, Duration) {
    taken.sort();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize];
    (at(0.5), at(0.99))
}

fn timed(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// The view laid out as the window does.
fn view(session: &Session) -> City {
    let trace = &session.recordings[0].recording.trace;
    let settings = LandscapeSettings {
        half_life: Cost::from_ns(trace.duration().ns() / 60),
        ..LandscapeSettings::default()
    };
    City::new(session, &settings, &Cut::all())
}

/// What a filter step leaves, counted as the window does beside the frames.
fn left(session: &Session, step: FilterStep) -> Left {
    let resolved = &session.recordings[0];
    let trace = &resolved.recording.trace;
    let filters = Filters::new([step]);
    let rules = filters.rules(&session.hierarchy, &resolved.resolution.modules);
    let mut left = Left::default().uncounted(rules.clone());
    let progress = Progress::new();
    let functions = resolved.recording.functions.len();
    let summary = Summary::new(trace, functions, None, &rules, &progress);
    left.count(&summary.expect("nobody cancels"));
    let running = Running::new(trace, &rules, &progress);
    left.run(running.expect("nobody cancels").into());
    left
}

fn jumps(session: &Session, left: Left) -> (Duration, Duration) {
    let mut view = view(session);
    view.leave(left);
    let duration = session.recordings[0].recording.trace.duration();
    let mut random = Random(5);
    let taken = (0..200).map(|_| {
        let time = Time::from_ns(random.below(duration.ns()));
        let step = Cost::from_ns(duration.ns() / 300);
        timed(|| view.show(session, moment(time, step)))
    });
    percentiles(taken.collect())
}

/// A second of playing, `share` of the trace in it, from the middle.
fn plays(session: &Session, share: f64, backward: bool) -> (Duration, Duration) {
    let mut view = view(session);
    let duration = session.recordings[0].recording.trace.duration();
    let step = Cost::from_ns(((duration.ns() as f64 * share) as u64 / FRAMES).max(1));
    let from = ((1.0 - share) * 0.5 * duration.ns() as f64) as u64;
    let taken = (0..FRAMES).map(|frame| {
        let frame = if backward { FRAMES - frame } else { frame };
        let time = Time::from_ns(from + step.ns() * frame);
        timed(|| view.show(session, moment(time, step)))
    });
    percentiles(taken.collect())
}

/// What a program without summaries does for a jump: counts all relations up to the time.
fn scan(trace: &Trace, until: Time) -> u64 {
    let mut counts = std::collections::HashMap::<(u32, u32), u64>::new();
    let mut open: Vec<u32> = Vec::new();
    let range = callscape::units::TimeRange::new(Time::ZERO, until);
    for thread in trace.thread_ids() {
        trace.calls_in(thread, range, u32::MAX, |_, call| {
            open.truncate(call.depth as usize);
            if let Some(&caller) = open.last() {
                *counts.entry((caller, call.function.0)).or_insert(0) += 1;
            }
            open.push(call.function.0);
        });
    }
    counts.values().sum()
}

fn main() {
    let calls = std::env::var("CALLS").ok();
    let calls = calls
        .and_then(|calls| calls.parse().ok())
        .unwrap_or(1_000_000u64);
    let (long, short) = (session(calls), session(calls / 100));
    println!(
        "{calls} calls beside {}; {FUNCTIONS} functions, {THREADS} threads",
        calls / 100
    );
    let row = |what: &str, long: (Duration, Duration), short: (Duration, Duration)| {
        Measured {
            target: &format!("playback: {what}, {} calls", amount(calls)),
            value: long.1.as_secs_f64() * 1e3,
            unit: "ms, 99th percentile",
            peer: Some(("a hundredth of the calls", short.1.as_secs_f64() * 1e3)),
            aim: if what.starts_with("jump") {
                "≤ 50 (8) ms"
            } else {
                "≤ 8 (3) ms"
            },
            ..Measured::default()
        }
        .print();
        println!(
            "{what}: median {:.2?}, 99th percentile {:.2?}; of a hundredth of the calls {:.2?}, {:.2?}; ratio {:.2}",
            long.0,
            long.1,
            short.0,
            short.1,
            long.0.as_secs_f64() / short.0.as_secs_f64().max(1e-9),
        );
    };
    let all = Left::default;
    row("jump", jumps(&long, all()), jumps(&short, all()));
    // The first file, what it calls, a thread.
    let file = ModuleId(2);
    let steps = [
        ("a module removed", FilterStep::RemoveModule(file)),
        ("a call tree removed", FilterStep::RemoveBelow(file)),
        ("a thread left out", FilterStep::HideThread(ThreadId(1))),
    ];
    for (what, step) in steps {
        let [of_long, of_short] = [&long, &short].map(|session| left(session, step));
        row(
            &format!("jump, {what}"),
            jumps(&long, of_long),
            jumps(&short, of_short),
        );
    }
    let trace = &long.recordings[0].recording.trace;
    let middle = Time::from_ns(trace.duration().ns() / 2);
    let scanned = timed(|| {
        black_box(scan(trace, middle));
    });
    println!("a scan to the middle: {scanned:.2?}");
    let speeds = [
        ("the whole trace in a second", 1.0),
        ("a thirtieth of it in a second", 1.0 / 30.0),
        (
            "a microsecond of it in a second",
            1e3 / trace.duration().ns() as f64,
        ),
    ];
    for (what, share) in speeds {
        let there = plays(&long, share, false);
        row(
            &format!("frame, {what}"),
            there,
            plays(&short, share, false),
        );
        let back = plays(&long, share, true);
        println!(
            "  backward: median {:.2?}, 99th percentile {:.2?}; forward ratio {:.2}",
            back.0,
            back.1,
            back.0.as_secs_f64() / there.0.as_secs_f64().max(1e-9),
        );
    }
}
