//! Phases of as many calls as `CALLS` says (10 million by default) on as many threads as `THREADS` says, beside the
//! algorithm of the thesis written plainly over the decoded calls; then thresholds moved over what was kept; 100,000 phases
//! put into classes and folded, beside the definition of classes evaluated phase by phase; and a frame of the view, beside
//! a frame of a view that shows one line of text.

use std::hint::black_box;
use std::time::{Duration, Instant};

use callscape::analysis::phases::folding::Folded;
use callscape::analysis::phases::{Phases, Pruning, Wish, similarity};
use callscape::analysis::session::Inputs;
use callscape::facts::trace::Trace;
use callscape::filter::selection::Pointed;
use callscape::progress::Progress;
use callscape::state::State;
use callscape::state::ask::Asks;
use callscape::state::document::Document;
use callscape::units::{Cost, ThreadId};
use callscape::views::{self, Pane, View};
use callscape::warnings::Reporter;

use callscape_testing::built::build;
use callscape_testing::generate::{Plan, Program, write_uftrace};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::{least, ms, setting};

/// The best of so many runs counts.
const RUNS: usize = 3;

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

/// From nothing known to the phases, and the same of the plain algorithm, which finds no functions and no classes.
fn prune(trace: &Trace, wish: &Wish, calls: u64, workers: usize) -> Pruning {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
    let pool = pool.build().expect("threads can be started");
    let progress = Progress::new();
    let (ours, (pruning, phases)) = least(RUNS, || {
        pool.install(|| {
            let pruning = Pruning::new(trace, wish, &progress).expect("not cancelled");
            let phases = pruning.phases(pruning.parameters(wish));
            (pruning, phases)
        })
    });
    let heavy = phases.parameters.heavy;
    let (peer, found) = least(RUNS, || {
        plain(trace, &wish.threads, heavy.triggered, heavy.cost.ns())
    });
    assert_eq!(found, phases.phases.len(), "both find the same phases");
    println!(
        "{workers} workers: {:.0} ms beside {:.0} ms: {} phases, {} rows of gathered calls, from {} calls or {} on; {:.2} \
         bytes a call are kept",
        ms(ours),
        ms(peer),
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
        let (taken, phases): (_, Phases) = least(RUNS, || pruning.phases(parameters));
        println!(
            "from {} calls on: {:.2} ms, {} phases",
            parameters.heavy.triggered,
            ms(taken),
            phases.phases.len()
        );
        longest = longest.max(taken);
    }
    Measured {
        target: &format!("phases: thresholds moved over {} calls", amount(calls)),
        value: ms(longest),
        unit: "ms",
        aim: "≤ 100 ms",
        ..Measured::default()
    }
    .print();
}

/// Phases that are put into classes and folded.
const FOLDED: usize = 100_000;

/// The classes of phases by their definition: each is held against the first of every class of its siblings.
fn classes(phases: &Phases) -> Vec<u32> {
    let mut of = vec![0; phases.phases.len()];
    for parent in phases.parents() {
        let mut firsts: Vec<u32> = Vec::new();
        for index in phases.children(parent) {
            let phase = &phases.phases[index as usize];
            let functions = phases.functions(phase);
            let is_alike = |first: &u32| {
                let first = &phases.phases[*first as usize];
                let ends = (first.caller, first.function);
                if ends != (phase.caller, phase.function) {
                    return false;
                }
                let all = phases.functions(first);
                let both = functions.iter().filter(|it| all.binary_search(it).is_ok());
                let both = both.count();
                let any = functions.len() + all.len() - both;
                (any - both) as f64 <= phases.parameters.similarity * any as f64
            };
            let class = firsts.iter().position(is_alike).unwrap_or(firsts.len());
            if class == firsts.len() {
                firsts.push(index);
            }
            of[index as usize] = class as u32;
        }
    }
    of
}

/// Similarity and folding of as many phases, found with thresholds low enough.
fn fold(trace: &Trace) {
    let mut calls = 50;
    let mut phases = loop {
        let wish = Wish {
            calls: Some(calls),
            cost: Some(Cost::from_ns(u64::MAX)),
            ..Wish::of(trace.thread_ids().collect())
        };
        let pruning = Pruning::new(trace, &wish, &Progress::new()).expect("not cancelled");
        let phases = pruning.phases(pruning.parameters(&wish));
        if phases.phases.len() >= FOLDED || calls == 1 {
            break phases;
        }
        calls = (calls / 2).max(1);
    };
    let count = phases.phases.len();
    let (ours, folded) = least(RUNS, || {
        similarity::classify(&mut phases);
        Folded::new(&phases)
    });
    let (plain, direct) = least(RUNS, || classes(&phases));
    let found: Vec<u32> = phases.phases.iter().map(|it| it.class).collect();
    assert_eq!(found, direct, "both find the same classes");
    let folded: usize = phases.parents().map(|it| folded.items(it).len()).sum();
    let [ours, plain] = [ours, plain].map(|it| ms(it) * FOLDED as f64 / count as f64);
    println!(
        "{count} phases from {calls} calls on, {folded} rows when folded: {ours:.1} ms beside {plain:.1} ms a 100,000"
    );
    Measured {
        target: "phases: 100,000 phases put into classes and folded",
        value: ours,
        unit: "ms",
        peer: Some(("classes by their definition, phase by phase", plain)),
        aim: "≤ 50 ms",
        ..Measured::default()
    }
    .print();
}

/// A frame of what `show` lays out in a window.
fn frame(ctx: &egui::Context, mut show: impl FnMut(&mut egui::Ui, egui::Rect)) -> usize {
    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 720.0));
    let input = egui::RawInput {
        screen_rect: Some(window),
        ..egui::RawInput::default()
    };
    let output = ctx.run_ui(input, |ui| show(ui, window));
    ctx.tessellate(output.shapes, 1.0).len()
}

/// Frames of the view of a recording with as many calls, its phases known.
fn frames(calls: u64) {
    let folder = std::env::temp_dir().join(format!("callscape-phases-{}", std::process::id()));
    let program = Program::new(Plan {
        calls,
        functions: 5000,
        threads: 2,
        seed: 1,
    });
    write_uftrace(&program, &folder).expect("a recording");
    let inputs = Inputs {
        recordings: vec![folder.clone()],
        ..Inputs::default()
    };
    let mut state = State::new(views::all(), Box::new(|| Box::new(|| ())));
    state.tell_time(Duration::ZERO);
    let document = Document::open(&inputs, None, &state.settings, &Progress::new());
    state.show(document.expect("a recording"), |_, _| ());
    let id = views::named("phases").expect("the view");
    state.panes.open(id);
    let mut view: Box<dyn View> = (views::phases::ENTRY.open)();
    loop {
        view.update(&state, &mut Asks::default());
        if !view.is_waiting() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let ctx = egui::Context::default();
    views::style::set_fonts(&ctx, []);
    let mut asks = Asks::default();
    let mut shown = |ctx: &egui::Context| {
        view.update(&state, &mut asks);
        frame(ctx, |ui, window| {
            let mut pane = Pane {
                state: &state,
                asks: &mut asks,
                pictures: [None; 2],
                window,
                room: window,
                pointed: Pointed::default(),
                placed: None,
                offer: Default::default(),
            };
            view.ui(ui, &mut pane);
        })
    };
    // Letters are drawn when they are first seen.
    (0..5).for_each(|_| _ = black_box(shown(&ctx)));
    let (ours, shapes) = slowest(|| shown(&ctx));
    let (plain, _) = slowest(|| frame(&ctx, |ui, _| _ = ui.label("Phases")));
    println!("a frame of the view: {ours:.3?}, {shapes} meshes, beside {plain:.3?}");
    Measured {
        target: &format!("phases: frame of the view, {} calls", amount(calls)),
        value: ms(ours),
        unit: "ms, 99th percentile",
        peer: Some(("a view of one line of text", ms(plain))),
        aim: "≤ 8 ms",
        ..Measured::default()
    }
    .print();
    // What was written is of no use to anybody; that it stays does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

/// The 99th percentile of the times of some frames.
fn slowest<T>(mut frame: impl FnMut() -> T) -> (Duration, T) {
    let mut times: Vec<(Duration, T)> = (0..200)
        .map(|_| {
            let begin = Instant::now();
            let shown = black_box(frame());
            (begin.elapsed(), shown)
        })
        .collect();
    times.sort_by_key(|it| it.0);
    times.swap_remove(198)
}

fn main() {
    let calls = setting("CALLS", 10_000_000);
    let threads = setting("THREADS", 2) as u32;
    let program = Program::new(Plan {
        calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads,
        seed: 1,
    });
    let (_, trace) = build(&program, "", &Reporter::new());
    let wish = Wish::of(trace.thread_ids().collect());
    for workers in [1, 2] {
        let pruning = prune(&trace, &wish, calls, workers);
        if workers == 2 {
            slide(&pruning, &wish, calls);
        }
    }
    fold(&trace);
    drop(trace);
    frames(calls.min(1_000_000));
}
