mod control;

use super::*;
use callscape_base::units::{CallId, Cost, FunctionId};
use callscape_facts::builder::Timestamp;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::memory::{Detail, MemoryBuilder, StackId};
use callscape_facts::sampling::Rule;
use callscape_facts::trace::Trace;
use callscape_facts::trace::random::{Shape, random_numbers, random_trace};
use std::path::Path;

const SHAPE: Shape = Shape {
    threads: 3,
    functions: 4,
    events: 90,
    deepest: 7,
    step: 0..5,
};

fn recording_of(trace: Trace, functions: usize) -> Recording {
    let mut table = Functions::default();
    for name in (b'a'..).take(functions) {
        table.intern(Function {
            name: &char::from(name).to_string(),
            ..Function::default()
        });
    }
    Recording::of_calls(
        Path::new("random"),
        "uftrace",
        None,
        (table, trace),
        Vec::new(),
    )
}

fn random_recording(seed: u64) -> Recording {
    recording_of(random_trace(seed, &SHAPE), 4)
}

fn sampled(recording: &Recording, plan: &Plan, keep: &Keep) -> Recording {
    sample(recording, plan, keep, &Progress::new()).expect("it can be sampled")
}

/// Ids of a sampled recording as those of the original.
fn original_id(original: &Recording, sampled: &Recording, id: FunctionId) -> FunctionId {
    let name = sampled.functions.get(id).name;
    let mut ids = original.functions.ids();
    ids.find(|&it| original.functions.get(it).name == name)
        .expect("no function is made up")
}

fn calls_of(original: &Recording, sampled: &Recording) -> Vec<oracle::Plain> {
    let calls = oracle::calls(&sampled.trace).into_iter();
    let mut calls: Vec<_> = calls
        .map(|(thread, id, start, end)| (thread, original_id(original, sampled, id), start, end))
        .collect();
    calls.sort();
    calls
}

fn flow(flow: Flow) -> Rule {
    Rule { flow, ..Rule::ALL }
}

fn random_plan(random: &mut impl FnMut(u64) -> u64, rules: &[Rule], end: u64) -> Plan {
    let any = |random: &mut dyn FnMut(u64) -> u64| rules[random(rules.len() as u64) as usize];
    let mut plan = Plan::of(any(random));
    let mut at = 0;
    while random(4) > 0 && at < end {
        let start = at + random(end / 3 + 1);
        at = start + 1 + random(end / 2 + 1);
        plan.ranges.push(Stretch {
            start: Time::from_ns(start),
            end: Time::from_ns(at),
            rule: any(random),
        });
    }
    plan
}

#[test]
fn the_number_of_an_exit_is_that_of_its_event() {
    for seed in 0..40 {
        let trace = random_trace(seed, &SHAPE);
        for thread in trace.thread_ids() {
            for call in 0..trace.threads()[thread.index()].calls as u32 {
                let id = CallId(call);
                let number = trace.exit_number(thread, id, &trace.call(thread, id));
                let event = trace.event(number).expect("there is one");
                assert_eq!((event.thread, event.call, event.enter), (thread, id, false));
            }
        }
    }
}

#[test]
fn stacks_are_shown_as_the_definitions_say_at_every_time() {
    let rules = [
        Rule::ALL,
        flow(Flow::Off),
        flow(Flow::Stacks(1)),
        flow(Flow::Stacks(3)),
        flow(Flow::Stacks(10)),
        flow(Flow::StacksEvery(Cost::from_ns(1))),
        flow(Flow::StacksEvery(Cost::from_ns(7))),
        flow(Flow::StacksEvery(Cost::from_ns(40))),
    ];
    let mut random = random_numbers(7);
    for seed in 0..150 {
        let recording = random_recording(seed);
        let trace = &recording.trace;
        let end = trace.range().end.ns();
        if trace.calls() == 0 {
            continue;
        }
        let plan = random_plan(&mut random, &rules, end);
        let found = sampled(&recording, &plan, &Keep::default());
        let expected = oracle::shown(trace, &oracle::events(trace), &plan, end);
        for (now, expected) in expected.iter().enumerate() {
            let t = Time::from_ns(now as u64);
            for thread in trace.thread_ids() {
                if t >= trace.threads()[thread.index()].end {
                    continue;
                }
                let mut stack = Vec::new();
                found.trace.stack_at(thread, t, &mut stack);
                let stack = stack
                    .iter()
                    .map(|&id| found.trace.call(thread, id).function);
                let stack: Vec<_> = stack
                    .map(|id| original_id(&recording, &found, id))
                    .collect();
                assert_eq!(
                    stack,
                    expected[thread.index()],
                    "seed {seed}, {t}, thread {}, {plan:?}",
                    thread.0
                );
            }
        }
        let sampling = found.sampling.expect("it says that it is sampled");
        assert_eq!(sampling.plan, plan);
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }
}

#[test]
fn everything_is_kept_where_a_trace_is_asked_for() {
    for seed in 0..40 {
        let recording = random_recording(seed);
        if recording.trace.calls() == 0 {
            continue;
        }
        let found = sampled(&recording, &Plan::of(Rule::ALL), &Keep::default());
        let mut expected = oracle::calls(&recording.trace);
        expected.sort();
        assert_eq!(calls_of(&recording, &found), expected, "seed {seed}");
        assert_eq!(found.trace.origin(), recording.trace.origin());
    }
}

#[test]
fn every_nth_event_is_kept_and_no_other() {
    for seed in 0..80 {
        let recording = random_recording(seed);
        let trace = &recording.trace;
        if trace.calls() == 0 {
            continue;
        }
        let all = oracle::events(trace);
        let middle = Time::from_ns(trace.range().end.ns() / 2 + 1);
        for n in [1, 2, 3, 10] {
            let mut plan = Plan::of(flow(Flow::Events(n as u64)));
            let mut expected = oracle::nth_events(&all, (Time::ZERO, Time::MAX), n);
            if seed % 2 == 1 {
                plan.ranges.push(Stretch {
                    start: Time::ZERO,
                    end: middle,
                    rule: flow(Flow::Events(2)),
                });
                expected = oracle::nth_events(&all, (Time::ZERO, middle), 2);
                expected.extend(oracle::nth_events(&all, (middle, Time::MAX), n));
            }
            let found = sampled(&recording, &plan, &Keep::default());
            expected.sort();
            assert_eq!(calls_of(&recording, &found), expected, "seed {seed}, n {n}");
        }
    }
}

#[test]
fn what_is_always_kept_is_there_with_its_caller_start_and_end() {
    let rules = [
        Rule::ALL,
        flow(Flow::Off),
        flow(Flow::Events(3)),
        flow(Flow::Stacks(5)),
        flow(Flow::StacksEvery(Cost::from_ns(30))),
    ];
    let asked: Vec<KeepRule> = ["a -> b", "c > 12", "d -> d"]
        .iter()
        .map(|it| it.parse().expect("a rule"))
        .collect();
    let mut random = random_numbers(3);
    for seed in 0..200 {
        let recording = random_recording(seed);
        let trace = &recording.trace;
        if trace.calls() == 0 {
            continue;
        }
        let functions = &recording.functions;
        let keep = Keep::among(&asked, functions.len(), |name, id| {
            functions.get(id).name == name
        });
        let keep = keep.expect("all four are there");
        let plan = random_plan(&mut random, &rules, trace.range().end.ns());
        let found = sampled(&recording, &plan, &keep);
        type Known = (ThreadId, Option<FunctionId>, FunctionId, Time, Time);
        let with_callers = |of: &Recording, id: &dyn Fn(FunctionId) -> FunctionId| {
            let mut all: Vec<Known> = Vec::new();
            let mut path = Vec::new();
            for thread in of.trace.thread_ids() {
                for call in 0..of.trace.threads()[thread.index()].calls as u32 {
                    of.trace.path_to(thread, CallId(call), &mut path);
                    let caller = path.len().checked_sub(2).map(|it| path[it]);
                    let caller = caller.map(|it| id(of.trace.call(thread, it).function));
                    let it = of.trace.call(thread, CallId(call));
                    all.push((thread, caller, id(it.function), it.start, it.end));
                }
            }
            all
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(FunctionId);
        let mut counts = [0; 3];
        let kept: Vec<Known> = with_callers(&recording, &|id| id)
            .into_iter()
            .filter(|&(_, caller, function, start, end)| {
                let is = [
                    caller == Some(a) && function == b,
                    function == c && end.since(start) > Cost::from_ns(12),
                    caller == Some(d) && function == d,
                ];
                for (count, is) in counts.iter_mut().zip(is) {
                    *count += u64::from(is);
                }
                is.contains(&true)
            })
            .collect();
        let sampling = found.sampling.as_ref().expect("it is sampled");
        assert_eq!(sampling.always_kept, kept.len() as u64, "seed {seed}");
        let counted: Vec<u64> = sampling.always.iter().map(|it| it.calls).collect();
        assert_eq!(counted, counts, "seed {seed}");
        let there = with_callers(&found, &|id| original_id(&recording, &found, id));
        let count = |of: &[Known], wanted: &Known| of.iter().filter(|it| *it == wanted).count();
        for call in &kept {
            assert!(
                count(&there, call) >= count(&kept, call),
                "seed {seed}: {call:?} is missing, {plan:?}"
            );
        }
    }
}

/// A recording of calls and memory: threads are those of the calls.
fn with_memory(seed: u64) -> (Recording, Vec<u64>) {
    let mut random = random_numbers(seed + 1000);
    let mut recording = random_recording(seed);
    let mut out = MemoryBuilder::new();
    let mut stacks = vec![StackId::EMPTY];
    for _ in 0..6 {
        let around = stacks[random(stacks.len() as u64) as usize];
        stacks.push(out.stack(around, FunctionId(random(4) as u32)));
    }
    let kinds = [0, out.kind("Tree")];
    let (mut time, mut times, mut live) = (0, Vec::new(), Vec::new());
    for _ in 0..random(120) {
        time += [0, 1, 3, 20][random(4) as usize];
        times.push(time);
        let (at, thread) = (Time::from_ns(time), ThreadId(random(3) as u32));
        let fail = |kind| panic!("{kind}");
        if random(5) < 2 && !live.is_empty() {
            let object = live.swap_remove(random(live.len() as u64) as usize);
            out.release(at, thread, object, fail);
        } else {
            let stack = stacks[random(stacks.len() as u64) as usize];
            let site = out.site(8 << random(3), stack, kinds[random(2) as usize]);
            live.extend(out.allocate(at, thread, site, fail));
        }
    }
    recording.memory = Some(out.finish(Detail::Events, Time::from_ns(time)));
    (recording, times)
}

#[test]
fn events_of_memory_are_kept_as_the_definitions_say() {
    let rule = |objects, with_stack| Rule {
        objects,
        with_stack,
        ..Rule::ALL
    };
    let rules = [
        Rule::ALL,
        rule(Objects::Off, false),
        rule(Objects::Events(1), false),
        rule(Objects::Events(2), true),
        rule(Objects::Events(7), false),
        rule(Objects::Every(Cost::from_ns(1)), true),
        rule(Objects::Every(Cost::from_ns(25)), false),
    ];
    let mut random = random_numbers(11);
    for seed in 0..150 {
        let (recording, times) = with_memory(seed);
        let end = times.last().copied().unwrap_or(0);
        if recording.trace.calls() == 0 {
            continue;
        }
        let plan = random_plan(&mut random, &rules, end);
        let found = sampled(&recording, &plan, &Keep::default());
        let memory = recording.memory.as_ref().expect("it has");
        let result = found.memory.as_ref().expect("it has");
        let (events, kept) = (
            memory.events().expect("events"),
            result.events().expect("events"),
        );
        let expected = oracle::kept_objects(&times, &plan);
        assert_eq!(kept.end() as usize, expected.len(), "seed {seed}, {plan:?}");
        for (at, &event) in expected.iter().enumerate() {
            let at = at as u32;
            assert_eq!(kept.time(at), events.time(event));
            assert_eq!(kept.thread(at), events.thread(event));
            assert_eq!(kept.is_release(at), events.is_release(event));
            let partner = events
                .other(event)
                .and_then(|it| expected.binary_search(&it).ok());
            assert_eq!(kept.other(at), partner.map(|it| it as u32), "seed {seed}");
            // What an object is of comes with its creation, where that is kept.
            let creation = match (events.is_release(event), partner) {
                (true, Some(_)) => events.other(event).unwrap_or(event),
                _ => event,
            };
            let rule = plan.rule_at(events.time(creation));
            let (cell, size) = events.kind_of(event).expect("it has one");
            let (new, new_size) = kept.kind_of(at).expect("it has one");
            assert_eq!(new_size, size);
            assert_eq!(
                result.types[new.kind as usize],
                memory.types[cell.kind as usize]
            );
            let whole: Vec<FunctionId> = memory.stacks.functions(cell.stack).collect();
            let stack = result.stacks.functions(new.stack);
            let stack: Vec<_> = stack
                .map(|id| original_id(&recording, &found, id))
                .collect();
            match rule.with_stack || rule.objects == Objects::All {
                true => assert_eq!(stack, whole, "seed {seed}"),
                false => assert_eq!(stack, whole[..whole.len().min(1)], "seed {seed}"),
            }
        }
    }
}

#[test]
fn a_stack_before_an_event_of_memory_tells_of_calls_where_nothing_else_does() {
    for seed in 0..60 {
        let (recording, times) = with_memory(seed);
        let trace = &recording.trace;
        if trace.calls() == 0 {
            continue;
        }
        let plan = Plan::of(Rule {
            flow: Flow::Off,
            objects: Objects::Events(3),
            with_stack: true,
        });
        let found = sampled(&recording, &plan, &Keep::default());
        let events = recording.memory.as_ref().and_then(Memory::events);
        let events = events.expect("it has events");
        let functions = |of: &Recording, thread, t| {
            let mut stack = Vec::new();
            of.trace.stack_at(thread, t, &mut stack);
            let calls = stack.iter().map(|&id| of.trace.call(thread, id).function);
            calls
                .map(|id| of.functions.get(id).name.to_owned())
                .collect::<Vec<String>>()
        };
        for thread in trace.thread_ids() {
            for event in oracle::kept_objects(&times, &plan) {
                let t = events.time(event);
                if events.thread(event) == thread && t < trace.threads()[thread.index()].end {
                    let expected = functions(&recording, thread, t);
                    assert_eq!(functions(&found, thread, t), expected, "seed {seed}, {t}");
                }
            }
        }
    }
}

/// `main` calls `work` three times; `work` calls `leaf`.
fn small() -> Recording {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let [main, work, leaf] = ["main", "work", "leaf"].map(|name| {
        builder.function(Function {
            name,
            ..Function::default()
        })
    });
    let thread = builder.thread("1", "1");
    let place = || Place::file("made here");
    builder.enter(thread, Timestamp::from_ns(100), main, place);
    let exit = |builder: &mut TraceBuilder<'_>, time| {
        builder.exit(thread, Timestamp::from_ns(time), None, place);
    };
    for start in [110, 130, 150] {
        builder.enter(thread, Timestamp::from_ns(start), work, place);
        builder.enter(thread, Timestamp::from_ns(start + 2), leaf, place);
        exit(&mut builder, start + 4);
        exit(&mut builder, start + 10);
    }
    exit(&mut builder, 200);
    let parts = builder.finish(place);
    Recording::of_calls(Path::new("small"), "uftrace", None, parts, Vec::new())
}

fn listed(recording: &Recording) -> Vec<(&str, u32, u64, u64)> {
    let thread = ThreadId(0);
    let calls = (0..recording.trace.calls() as u32).map(CallId);
    calls
        .map(|id| recording.trace.call(thread, id))
        .map(|it| {
            let name = recording.functions.get(it.function).name;
            (name, it.depth, it.start.ns(), it.end.ns())
        })
        .collect()
}

#[test]
fn a_small_trace_is_sampled_as_one_would_by_hand() {
    let recording = small();
    // Enters and exits: main 0, work 10, leaf 12, leaf 14, work 20, work 30, leaf 32, … work 60, main 100.
    let none = Keep::default();
    let found = sampled(&recording, &Plan::of(flow(Flow::Stacks(3))), &none);
    assert_eq!(
        listed(&found),
        [
            // At the third event, leaf has begun; at the sixth, the second work; at the ninth, it has ended.
            ("main", 0, 12, 100),
            ("work", 1, 12, 40),
            ("leaf", 2, 12, 30),
            // At the twelfth, the third has called leaf already.
            ("work", 1, 54, 100),
        ],
        "between two stacks nobody can tell the first work from the second"
    );
    let found = sampled(&recording, &Plan::of(flow(Flow::Events(7))), &none);
    assert_eq!(listed(&found), [("leaf", 0, 32, 32), ("main", 0, 100, 100)]);
    let every = Flow::StacksEvery(Cost::from_ns(33));
    let found = sampled(&recording, &Plan::of(flow(every)), &none);
    assert_eq!(
        listed(&found),
        [
            ("main", 0, 33, 99 + 1),
            ("work", 1, 33, 66),
            ("leaf", 2, 33, 66)
        ]
    );
    let rule: KeepRule = "main -> work".parse().expect("a rule");
    let functions = &recording.functions;
    let keep = Keep::among(&[rule], functions.len(), |name, id| {
        functions.get(id).name == name
    });
    let keep = keep.expect("there are such functions");
    let found = sampled(&recording, &Plan::of(flow(Flow::Off)), &keep);
    assert_eq!(
        listed(&found),
        [
            ("main", 0, 10, 20),
            ("work", 1, 10, 20),
            ("main", 0, 30, 40),
            ("work", 1, 30, 40),
            ("main", 0, 50, 60),
            ("work", 1, 50, 60),
        ]
    );
    assert_eq!(found.sampling.map(|it| it.always_kept), Some(3));
}

#[test]
fn what_is_predicted_is_what_comes_of_it_where_events_are_only_counted() {
    let recording = small();
    for (of, calls) in [(Flow::All, 7), (Flow::Off, 0), (Flow::Events(7), 2)] {
        let plan = Plan::of(flow(of));
        assert_eq!(predict(&recording, &plan).calls, calls, "{of:?}");
        let found = sampled(&recording, &plan, &Keep::default());
        assert_eq!(Size::of(&found).calls, calls, "{of:?}");
    }
}

#[test]
fn what_holds_nothing_to_sample_is_refused() {
    let recording = small();
    let plan = Plan::of(Rule {
        objects: Objects::Events(10),
        ..Rule::ALL
    });
    let error = sample(&recording, &plan, &Keep::default(), &Progress::new());
    assert!(
        error
            .expect_err("no memory")
            .to_string()
            .contains("no memory events")
    );
}
