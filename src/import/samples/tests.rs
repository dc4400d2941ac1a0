//! Calls and weights of samples against direct evaluations.

use super::*;
use crate::samplers;
use callscape_base::units::{CallId, Time};
use callscape_facts::functions::Function;
use callscape_facts::trace::Trace;

fn place() -> Place {
    Place::file("made here")
}

/// The stack of functions named by letters.
fn stack_of(letters: &str, stacks: &mut Stacks, builder: &mut TraceBuilder<'_>) -> StackId {
    letters.chars().fold(StackId::EMPTY, |below, letter| {
        let function = builder.function(Function {
            name: &letter.to_string(),
            ..Function::default()
        });
        stacks.push(below, function)
    })
}

/// The calls of samples given as letters, each until the next, as `function start end depth`.
fn calls(samples: &[(i64, &str)]) -> (Trace, Vec<String>) {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let thread = builder.thread("1", "1");
    let mut all = Samples::of(&reporter, samplers::only("cpuprofile"));
    let mut stacks = Stacks::default();
    let track = all.track(thread);
    for &(time, stack) in samples {
        let stack = stack_of(stack, &mut stacks, &mut builder);
        let sample = Sample::at(time, stack);
        all.stack(track, sample, &stacks, &mut builder, place);
    }
    let count = all.finish(&stacks, &mut builder, place).samples;
    assert_eq!(count, samples.len() as u64);
    let (functions, trace) = builder.finish(place);
    assert!(reporter.warnings().is_empty(), "{:?}", reporter.warnings());
    let shown = (0..trace.calls() as u32).map(|call| {
        let call = trace.call(thread, CallId(call));
        let name = functions.get(call.function).name.to_owned();
        let (start, end) = (call.start.ns(), (call.start + call.cost()).ns());
        format!("{name} {start} {end} {}", call.depth)
    });
    let shown = shown.collect();
    (trace, shown)
}

#[test]
fn what_two_stacks_share_goes_on() {
    let samples = [
        (10, "ab"),
        (20, "abb"),
        (30, "ab"),
        (40, "cb"),
        (50, ""),
        (60, "c"),
    ];
    let (_, shown) = calls(&samples);
    // The last sample lasts the median interval.
    let expected = [
        "a 0 30 0",
        "b 0 30 1",
        "b 10 20 2",
        "c 30 40 0",
        "b 30 40 1",
        "c 50 60 0",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn the_stack_at_each_sample_is_the_one_that_was_sampled() {
    for seed in 0..200u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |limit: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % limit
        };
        let mut stack = String::new();
        let samples: Vec<(i64, String)> = (0..50)
            .map(|at| {
                for _ in 0..random(4) {
                    stack.pop();
                }
                for _ in 0..random(4) {
                    stack.push(['a', 'b', 'c'][random(3) as usize]);
                }
                (at * 10, stack.clone())
            })
            .collect();
        let start = samples.iter().position(|(_, stack)| !stack.is_empty());
        let start = samples[start.unwrap_or(0)].0;
        let samples: Vec<(i64, &str)> = samples.iter().map(|(t, s)| (*t, s.as_str())).collect();
        let (trace, shown) = calls(&samples);
        let mut open = Vec::new();
        for (time, stack) in samples {
            if time < start {
                continue;
            }
            // Within the interval, where no call starts or ends.
            trace.stack_at(
                ThreadId(0),
                Time::from_ns((time - start + 5) as u64),
                &mut open,
            );
            let names: String = open.iter().map(|call| &shown[call.index()][..1]).collect();
            assert_eq!(names, stack, "seed {seed} at {time}");
        }
    }
}

#[test]
fn stacks_that_share_nothing_cannot_fill_the_memory() {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let thread = builder.thread("1", "1");
    let mut all = Samples::of(&reporter, samplers::only("cpuprofile"));
    let mut stacks = Stacks::default();
    let track = all.track(thread);
    let deep = ["a", "b"].map(|name| {
        let function = builder.function(Function {
            name,
            ..Function::default()
        });
        (0..100_000).fold(StackId::EMPTY, |stack, _| stacks.push(stack, function))
    });
    for sample in 0..200 {
        let sample = Sample::at(sample, deep[sample as usize % 2]);
        all.stack(track, sample, &stacks, &mut builder, place);
    }
    assert_eq!(all.finish(&stacks, &mut builder, place).samples, 200);
    let (_, trace) = builder.finish(place);
    assert!(trace.calls() <= FREE_CALLS);
    assert_eq!(reporter.warnings()[0].kind, "sample-left-out");
}

/// A sample of a thread that is sampled while it runs.
struct Taken {
    thread: usize,
    time: i64,
    stack: String,
    event: usize,
    amount: Option<u64>,
}

const EVENTS: [&str; 2] = ["cpu-clock:u", "cycles"];
const EVERY: i64 = 10;

/// Samples in order of time: mostly an interval apart, sometimes in a burst, sometimes after a sleep.
fn some(seed: u64) -> Vec<Taken> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let mut time = 1000;
    let samples = (0..80).map(|_| {
        time += match random(8) {
            0 => random(3) as i64,
            1 => 100 + random(50) as i64,
            _ => 8 + random(5) as i64,
        };
        let depth = random(5);
        let letters = (0..depth).map(|_| ['a', 'b', 'c'][random(3) as usize]);
        let stack = letters.collect();
        Taken {
            thread: random(2) as usize,
            time,
            stack,
            event: usize::from(random(4) == 0),
            amount: (random(2) == 0).then(|| 1 + random(30)),
        }
    });
    samples.collect()
}

#[test]
fn samples_weigh_their_own_weight_and_cover_no_sleep() {
    for seed in 0..60 {
        let samples = some(seed);
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        let mut all = Samples::new(&reporter);
        let events = EVENTS.map(|it| all.event(it, samplers::in_format("perf-script", it)));
        all.every(events[0], EVERY);
        let threads = ["1", "2"].map(|id| builder.thread("1", id));
        let tracks = threads.map(|thread| all.track(thread));
        let mut stacks = Stacks::default();
        for taken in &samples {
            let sample = Sample {
                time: Timestamp::from_ns(taken.time),
                stack: stack_of(&taken.stack, &mut stacks, &mut builder),
                event: events[taken.event],
                amount: taken.amount,
            };
            all.stack(tracks[taken.thread], sample, &stacks, &mut builder, place);
        }
        let sampled = all.finish(&stacks, &mut builder, place);
        let (functions, trace) = builder.finish(place);
        let weighed = sampled
            .weighed(&stacks, (&functions, &trace))
            .expect("stacks");
        assert!(reporter.warnings().is_empty(), "{:?}", reporter.warnings());
        // Sums, each sample looked at for each function.
        let weight = |taken: &Taken, value: usize| match (value, taken.event) {
            (0, 0) => taken.amount.unwrap_or(EVERY as u64),
            (1, _) => 1,
            (2, 1) => taken.amount.unwrap_or(0),
            _ => 0,
        };
        let names: Vec<&str> = weighed.values().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["processor time", "samples", "cycles"]);
        let contexts = weighed.contexts().expect("contexts");
        for value in 0..3 {
            let found = contexts.function_metrics(value, functions.len());
            for (id, found) in functions.ids().zip(&found) {
                let letter = functions.get(id).name;
                let of = |is_in: &dyn Fn(&Taken) -> bool| -> u64 {
                    let samples = samples.iter().filter(|it| is_in(it));
                    samples.map(|it| weight(it, value)).sum()
                };
                let own = of(&|it| it.stack.ends_with(letter));
                let total = of(&|it| it.stack.contains(letter));
                let found = (found.self_cost.ns(), found.total.ns());
                assert_eq!(found, (own, total), "seed {seed}, {letter}, {value}");
            }
        }
        // Along time, each instant looked at for each sample.
        for (thread, sampled) in threads.iter().zip(weighed.sampled()) {
            let mut covered = 0;
            let mut before: Option<i64> = None;
            let mut expected: Vec<(i64, i64, &str)> = Vec::new();
            let of_thread = samples.iter().filter(|it| it.thread == thread.index());
            for taken in of_thread.filter(|it| it.event == 0) {
                let weight = weight(taken, 0) as i64;
                let start = match before {
                    Some(before) if taken.time - before <= weight + weight / 2 => before,
                    _ => taken.time - weight,
                };
                covered += taken.time - start;
                expected.push((start, taken.time, &taken.stack));
                before = Some(taken.time);
            }
            assert_eq!(sampled.ns(), covered as u64, "seed {seed}");
            let first = expected.first().map_or(0, |it| it.0);
            assert!(covered <= before.unwrap_or(0) - first, "seed {seed}");
            let mut open = Vec::new();
            for t in 0..trace.duration().ns() {
                let at = trace.origin() + t as i64;
                let holds = |it: &&(i64, i64, &str)| it.0 <= at && at < it.1;
                let expected = expected.iter().find(holds).map_or("", |it| it.2);
                trace.stack_at(*thread, Time::from_ns(t), &mut open);
                let call = |id: &CallId| trace.call(*thread, *id).function;
                let found = open.iter().map(|id| functions.get(call(id)).name);
                let found: String = found.collect();
                assert_eq!(found, expected, "seed {seed}, at {at}");
            }
        }
    }
}

#[test]
fn no_sample_covers_time_when_recording_was_off() {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let mut all = Samples::new(&reporter);
    let clock = samplers::in_format("perf-script", "cpu-clock");
    let event = all.event("cpu-clock", clock);
    let thread = builder.thread("1", "1");
    let track = all.track(thread);
    let mut stacks = Stacks::default();
    let stack = stack_of("ab", &mut stacks, &mut builder);
    for time in [100, 110, 120, 205, 215] {
        if time == 205 {
            all.pause(Timestamp::from_ns(200), &mut builder, place);
        }
        let sample = Sample {
            event,
            ..Sample::at(time, stack)
        };
        all.stack(track, sample, &stacks, &mut builder, place);
    }
    let sampled = all.finish(&stacks, &mut builder, place);
    let (functions, trace) = builder.finish(place);
    let weighed = sampled
        .weighed(&stacks, (&functions, &trace))
        .expect("stacks");
    assert_eq!(weighed.interval().map(|it| it.ns()), Some(10));
    assert_eq!(weighed.weight_of(0).ns(), 50);
    assert_eq!(weighed.sampled()[0].ns(), 45);
    let calls: Vec<(u64, u64)> = (0..4)
        .map(|call| trace.call(thread, CallId(call)))
        .map(|call| (call.start.ns(), call.end.ns()))
        .collect();
    assert_eq!(calls, [(0, 30), (0, 30), (110, 125), (110, 125)]);
}
