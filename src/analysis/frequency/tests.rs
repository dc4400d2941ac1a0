use std::sync::Arc;

use super::oracle::Buffers;
use super::*;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;
use callscape_facts::trace::random::{Shape, random_numbers, random_trace};

const FUNCTIONS: u64 = 6;

fn functions(count: u64) -> Functions {
    let mut functions = Functions::default();
    for name in (b'a'..).take(count as usize) {
        functions.intern(Function {
            name: &char::from(name).to_string(),
            ..Function::default()
        });
    }
    functions
}

fn recording(trace: Trace) -> Recording {
    let of = (functions(FUNCTIONS), trace);
    Recording::of_calls(
        std::path::Path::new("random"),
        "chrome-json",
        None,
        of,
        Vec::new(),
    )
}

fn random(seed: u64) -> Trace {
    let shape = Shape {
        threads: 4,
        functions: FUNCTIONS,
        events: 160,
        deepest: 6,
        step: 0..20,
    };
    random_trace(seed, &shape)
}

#[test]
fn what_is_called_massively_is_what_the_thesis_says() {
    let mut found = 0;
    for seed in 0..60 {
        let trace = random(seed);
        let buffers = Buffers::of(&trace);
        let mut below = random_numbers(seed);
        let window = Cost::from_ns(1 + below(400));
        let counted = Frequencies::new(&trace, FUNCTIONS as usize, window, &Progress::new());
        let counted = counted.expect("nobody cancels");
        for most in 0..12 {
            let limit = Frequency { most, window };
            let frequent = counted.frequent(most);
            assert_eq!(
                frequent.functions,
                buffers.massively_called(limit),
                "seed {seed}, {limit}"
            );
            found += frequent.functions.len();
        }
        let calls = trace.function_metrics(None);
        let counts = counted.called().iter().map(|it| it.calls);
        assert!(counts.eq(calls.iter().map(|it| it.calls)), "seed {seed}");
    }
    assert!(found > 1000);
}

fn reduced(whole: &Recording, limit: Frequency) -> Result<Arc<Recording>, FrequencyError> {
    let mut of = [Arc::new(whole.clone())];
    leave_out_frequent(&mut of, limit, &Progress::new())?;
    let [reduced] = of;
    Ok(reduced)
}

/// By call that is left: its thread, function, times and depth.
fn left(
    trace: &Trace,
    is_left: impl Fn(FunctionId) -> bool,
) -> Vec<(ThreadId, FunctionId, Time, Time, u32)> {
    let mut all = Vec::new();
    for (thread, info) in trace.thread_ids().zip(trace.threads()) {
        let mut around: Vec<bool> = Vec::new();
        for call in trace.calls_numbered(thread, 0..info.calls as u32) {
            around.truncate(call.depth as usize);
            let depth = around.iter().filter(|&&it| it).count() as u32;
            around.push(is_left(call.function));
            if is_left(call.function) {
                all.push((thread, call.function, call.start, call.end, depth));
            }
        }
    }
    all
}

#[test]
fn the_calls_that_are_left_move_up_to_what_is_around_them() {
    for seed in 0..60 {
        let whole = recording(random(seed));
        let limit = Frequency {
            most: 3 + seed % 4,
            window: Cost::from_ns(50 + seed),
        };
        let reduced = reduced(&whole, limit).expect("it has times");
        let massively = Buffers::of(&whole.trace).massively_called(limit);
        let expected = left(&whole.trace, |function| !massively.contains(&function));
        assert_eq!(left(&reduced.trace, |_| true), expected, "seed {seed}");
        assert_eq!(reduced.trace.duration(), whole.trace.duration());
        assert_eq!(reduced.trace.threads().len(), whole.trace.threads().len());
        let said = reduced.left_out.clone().expect("it was limited");
        assert_eq!(said.functions, massively.len() as u64);
        assert_eq!(said.of, Some(whole.trace.calls()));
        let gone = whole.trace.calls() - reduced.trace.calls();
        assert_eq!(said.calls, Some(gone), "seed {seed}");
        assert!(reduced.warnings.is_empty());
        if massively.is_empty() {
            assert_eq!(reduced.trace.relations(None), whole.trace.relations(None));
        }
    }
}

/// Listing 4.1 and table 4.1 of the thesis, with fewer objects.
#[test]
fn the_inner_loop_of_the_thesis_goes_and_the_rest_stays() {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let place = || Place::file("listing 4.1");
    let names = [
        "transform3DScene",
        "transformSceneObj",
        "transformVertex",
        "getVector",
        "setPos",
    ];
    let ids = names.map(|name| {
        builder.function(Function {
            name,
            ..Function::default()
        })
    });
    let thread = builder.thread("1", "1");
    let mut now = 0;
    let mut tick = || {
        now += 10;
        Timestamp::from_ns(now)
    };
    let [scene, object, vertex, get, set] = ids;
    builder.enter(thread, tick(), scene, place);
    for _ in 0..5 {
        builder.enter(thread, tick(), object, place);
        for _ in 0..50 {
            builder.enter(thread, tick(), vertex, place);
            for inner in [get, set, set, set] {
                builder.enter(thread, tick(), inner, place);
                builder.exit(thread, tick(), Some(inner), place);
            }
            builder.exit(thread, tick(), Some(vertex), place);
        }
        builder.exit(thread, tick(), Some(object), place);
    }
    builder.exit(thread, tick(), Some(scene), place);
    let (functions, trace) = builder.finish(place);
    let window = Cost::from_ns(1000);
    let counted = Frequencies::new(&trace, functions.len(), window, &Progress::new());
    let counted = counted.expect("nobody cancels");
    let frequent = counted.frequent(5);
    assert_eq!(frequent.functions, [vertex, get, set]);
    assert_eq!((frequent.calls, frequent.of), (5 * 250, 5 * 250 + 6));
    // Three times as often.
    assert_eq!(counted.frequent(20).functions, [set]);
    let said = counted.left_out(&frequent, &functions);
    assert_eq!(
        said.to_string(),
        "3 functions excluded: 99.5 % of the calls"
    );
    assert_eq!(said.names, ["setPos", "transformVertex", "getVector"]);
    let limit = Frequency { most: 5, window };
    let of = (functions, trace);
    let whole = Recording::of_calls(
        std::path::Path::new("4.1"),
        "chrome-json",
        None,
        of,
        Vec::new(),
    );
    let reduced = reduced(&whole, limit).expect("it has times");
    assert_eq!(reduced.trace.calls(), 6);
}

#[test]
fn a_profile_is_refused() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let path =
        &std::path::Path::new(root).join("tests/data/import/folded/markdown-render.folded.gz");
    let of = callscape_import::open(path, &Progress::new()).expect("a profile");
    let refused = reduced(&of, Frequency::USUAL);
    assert!(
        matches!(refused, Err(FrequencyError::Unfit(reason)) if reason.starts_with("markdown"))
    );
}

#[test]
fn what_is_called_massively_in_one_run_is_left_out_of_the_other() {
    let limit = Frequency {
        most: 4,
        window: Cost::from_ns(100),
    };
    let mut differ = 0;
    for seed in 0..30 {
        let mut both = [seed, seed + 100].map(|seed| Arc::new(recording(random(seed))));
        let of = |it: &Arc<Recording>| Buffers::of(&it.trace).massively_called(limit);
        let massively: Vec<Vec<FunctionId>> = both.iter().map(of).collect();
        differ += usize::from(massively[0] != massively[1]);
        let whole = both.clone();
        leave_out_frequent(&mut both, limit, &Progress::new()).expect("they have times");
        for (left_of, whole) in both.iter().zip(&whole) {
            let is_left = |id: FunctionId| !massively.iter().any(|it| it.contains(&id));
            assert_eq!(
                left(&left_of.trace, |_| true),
                left(&whole.trace, is_left),
                "seed {seed}"
            );
        }
    }
    assert!(differ > 5);
}
