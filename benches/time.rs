//! Frames of the temporal overview and of the call stack view over as many calls as `CALLS` says (10 million by
//! default) beside the same over a hundredth of them: a frame must not know how long the recording is.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use callscape::analysis::resolve::resolve;
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::hierarchy::HierarchyBuilder;
use callscape::facts::recording::Recording;
use callscape::filter::filters::Filters;
use callscape::filter::selection::Selection;
use callscape::model::theme::Theme;
use callscape::units::{FunctionId, Time, TimeRange};
use callscape::views::Scope;
use callscape::views::flame::FlameView;
use callscape::views::mural::MuralView;
use callscape::warnings::Reporter;
use glam::Vec2;

use callscape_testing::built::build;
use callscape_testing::generate::{Plan, Program};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::{cpu_time, setting};

/// Frames of each kind.
const FRAMES: u32 = 24;

fn session(calls: u64, threads: u32) -> Session {
    let program = Program::new(Plan {
        calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads,
        seed: 1,
    });
    let (functions, trace) = build(&program, "", &Reporter::new());
    let (source, _) = HierarchyBuilder::new("generated").build();
    let (hierarchy, resolutions) = resolve(&source, &[&functions]);
    let calls = (functions, trace);
    let recording =
        Recording::of_calls(Path::new("generated"), "callscape", None, calls, Vec::new());
    let resolution = resolutions
        .into_iter()
        .next()
        .expect("one recording, one resolution");
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

/// The time that the calling thread has worked so far, where the system says.
fn thread_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    Duration::from_nanos(first.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// Frames at random places, a share of the recording wide each: median and longest, the processor's time for one
/// on average in all threads, and in the frame's own thread.
fn frames(end: u64, share: f64, mut show: impl FnMut(TimeRange) -> [Duration; 2]) -> [Duration; 4] {
    let mut random = Random(5);
    let (mut taken, mut own) = (Vec::new(), Duration::ZERO);
    let length = ((end as f64 * share) as u64).max(1);
    let begin_cpu = cpu_time();
    for _ in 0..FRAMES {
        let from = random.below((end - length).max(end / 100).max(1));
        let range = TimeRange::new(Time::from_ns(from), Time::from_ns((from + length).min(end)));
        let [frame, worked] = show(range);
        taken.push(frame);
        own += worked;
    }
    let cpu = (cpu_time() - begin_cpu) / FRAMES;
    taken.sort();
    let middle = taken.len() / 2;
    [taken[middle], taken[taken.len() - 1], cpu, own / FRAMES]
}

/// From a function pointed at to its marks in the pictures of the whole recording.
fn hover(session: &Session) {
    let filters = Filters::default();
    let functions = session.recordings[0].recording.functions.len() as u64;
    let mut random = Random(7);
    let (mut mural, mut flame) = (MuralView::new(session, 0), FlameView::new(session, 0));
    let mut worked = [Duration::ZERO; 2];
    for frame in 0..=FRAMES {
        let function = FunctionId(random.below(functions) as u32);
        let mut selection = Selection::default();
        selection.pointed.function = Some(function);
        selection.pointed.module = session.recordings[0]
            .resolution
            .modules
            .get(function.index())
            .copied();
        let scope = Scope {
            session,
            recording: 0,
            selection: &selection,
            filters: &filters,
            theme: Theme::Light,
            size: Vec2::new(1920.0, 1000.0),
            scale: 1.0,
        };
        let before = thread_time();
        black_box(mural.show(&scope));
        let between = thread_time();
        black_box(flame.show(&scope));
        let after = thread_time();
        if frame == 0 {
            // The pictures themselves.
            while mural.is_waiting() || flame.is_waiting() {
                std::thread::sleep(Duration::from_millis(1));
                mural.show(&scope);
                flame.show(&scope);
            }
            continue;
        }
        worked[0] += between - before;
        worked[1] += after - between;
    }
    for (view, worked) in ["mural", "flame"].into_iter().zip(worked) {
        println!(
            "{view}, whole: another function pointed at: own thread {:.2?}",
            worked / FRAMES
        );
    }
}

/// Says when the exact pictures were there.
fn told(view: &str, name: &str, mut waited: Vec<Duration>) {
    waited.sort();
    let (median, longest) = (waited[waited.len() / 2], waited[waited.len() - 1]);
    println!("{view}, {name}: exact after {median:.2?}, at most {longest:.2?}");
}

fn main() {
    let calls = setting("CALLS", 10_000_000);
    let threads = setting("THREADS", 4) as u32;
    let sessions = [session(calls / 100, threads), session(calls, threads)];
    let selection = Selection::default();
    let filters = Filters::default();
    let scope = |session| Scope {
        session,
        recording: 0,
        selection: &selection,
        filters: &filters,
        theme: Theme::Light,
        size: Vec2::new(1920.0, 1000.0),
        scale: 1.0,
    };
    hover(&sessions[1]);
    for (name, share) in [
        ("whole", 0.99),
        ("a tenth", 0.1),
        ("a hundredth", 1e-2),
        ("a thousandth", 1e-3),
        ("a millionth", 1e-6),
    ] {
        for view in ["mural", "flame"] {
            let medians = sessions.each_ref().map(|session| {
                let end = session.recordings[0].recording.trace.duration().ns();
                let [median, longest, cpu, own] = if view == "mural" {
                    let mut view = MuralView::new(session, 0);
                    view.show(&scope(session));
                    let wait = |view: &mut MuralView| {
                        let begin = Instant::now();
                        while view.is_waiting() {
                            std::thread::sleep(Duration::from_millis(1));
                            black_box(view.show(&scope(session)));
                        }
                        begin.elapsed()
                    };
                    wait(&mut view);
                    let mut waited = Vec::new();
                    let found = frames(end, share, |range| {
                        view.set_visible(range);
                        let (begin, before) = (Instant::now(), thread_time());
                        black_box(view.show(&scope(session)));
                        let frame = [begin.elapsed(), thread_time() - before];
                        waited.push(frame[0] + wait(&mut view));
                        frame
                    });
                    told("mural", name, waited);
                    found
                } else {
                    let mut view = FlameView::new(session, 0);
                    view.show(&scope(session));
                    let wait = |view: &mut FlameView| {
                        let begin = Instant::now();
                        while view.is_waiting() {
                            std::thread::sleep(Duration::from_millis(1));
                            black_box(view.show(&scope(session)));
                        }
                        begin.elapsed()
                    };
                    wait(&mut view);
                    let mut waited = Vec::new();
                    let found = frames(end, share, |range| {
                        view.set_visible(range);
                        let (begin, before) = (Instant::now(), thread_time());
                        black_box(view.show(&scope(session)));
                        let frame = [begin.elapsed(), thread_time() - before];
                        waited.push(frame[0] + wait(&mut view));
                        frame
                    });
                    told("flame", name, waited);
                    found
                };
                println!(
                    "{view}, {name}: median {median:.2?}, longest {longest:.2?}, processor {cpu:.2?}, own thread {own:.2?}"
                );
                own
            });
            let ratio = medians[1].as_secs_f64() / medians[0].as_secs_f64().max(1e-9);
            println!(
                "{view}, {name}: {calls} calls beside {}: ratio {ratio:.2}",
                calls / 100
            );
            Measured {
                target: &format!("time: {view}, {name}, {} calls", amount(calls)),
                value: medians[1].as_secs_f64() * 1e3,
                unit: "ms",
                peer: Some(("a hundredth of the calls", medians[0].as_secs_f64() * 1e3)),
                aim: "≤ 8 (3) ms",
                ..Measured::default()
            }
            .print();
        }
    }
}
