use super::super::Trace;
use super::super::appendix::Kind;
use super::super::numbers::unpack;
use super::super::random::{Shape, random_numbers, random_trace};
use super::super::waiting::RawWait;
use super::super::{Time, Why};
use super::rows::Paths;
use crate::contexts::{Contexts, ContextsBuilder, NodeId};
use crate::functions::{Function, Functions};
use crate::index::{self, Beside};
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, ThreadId, TimeRange};
use callscape_base::warnings::{Place, Reporter};

/// The calls gone through one by one.
fn one_by_one(trace: &Trace, threads: &[ThreadId], range: TimeRange) -> Contexts {
    let reporter = Reporter::new();
    let place = || Place::file("calls");
    let knows = trace.knows_waiting();
    let mut builder = ContextsBuilder::new(1 + usize::from(knows), &reporter);
    for &thread in threads {
        let waited = |t: Time| trace.waited_until(thread, t);
        let mut open: Vec<(NodeId, [Cost; 2], [Cost; 2])> = Vec::new();
        let mut calls = Vec::new();
        trace.calls_in(thread, range, u32::MAX, |_, call| calls.push(call));
        let close = |builder: &mut ContextsBuilder<'_>, open: &mut Vec<_>, depth: u32| {
            while open.len() > depth as usize
                && let Some((node, of, below)) = open.pop()
            {
                let _: NodeId = node;
                let (of, below): ([Cost; 2], [Cost; 2]) = (of, below);
                for value in 0..builder.values() {
                    let own = of[value].saturating_sub(below[value]);
                    builder.add(node, value, own.ns(), place);
                }
            }
        };
        for call in calls {
            close(&mut builder, &mut open, call.depth);
            let (start, end) = (call.start.max(range.start), call.end.min(range.end));
            let waited = waited(end).saturating_sub(waited(start));
            let cost = [end.since(start), waited];
            let around = open.last_mut().map_or(NodeId::ROOT, |(around, _, below)| {
                *below = [below[0] + cost[0], below[1] + cost[1]];
                *around
            });
            let node = builder.child(around, call.function, place);
            builder.add_calls(node, 1, place);
            open.push((node, cost, [Cost::ZERO; 2]));
        }
        close(&mut builder, &mut open, 0);
    }
    builder.finish()
}

/// A function, the context around it, calls, and self weights.
type ContextRow = (u32, Option<u32>, Option<u64>, Vec<u64>);

/// Everything that a tree says, in its order.
fn rows(of: &Contexts) -> Vec<ContextRow> {
    let row = |id| {
        let values = (0..of.values()).map(|value| of.self_weight(value, id).ns());
        let parent = of.parent(id).map(|it| it.0);
        (of.function(id).0, parent, of.calls(id), values.collect())
    };
    of.ids().map(row).collect()
}

fn found(trace: &Trace, threads: &[ThreadId], range: TimeRange) -> Option<Contexts> {
    let found = trace.contexts(threads, range, &Progress::new());
    found.expect("nobody cancels")
}

/// A trace of a few functions that are called in a few ways.
fn trace(seed: u64) -> Trace {
    let mut below = random_numbers(seed);
    let deepest = 1 + below(5) as usize;
    let shape = Shape {
        threads: 3,
        functions: if deepest > 3 { 2 } else { 3 },
        events: 3000,
        deepest,
        // Many events at the same time.
        step: [0..2, 0..9, 1..90][below(3) as usize].clone(),
    };
    let mut trace = random_trace(seed, &shape);
    if below(2) == 0 {
        let waits = trace.thread_ids().map(|_| {
            let mut now = trace.origin();
            let waits = (0..below(90)).map(|_| {
                let start = now + below(300) as i64;
                now = start + 1 + below(99) as i64;
                RawWait {
                    start,
                    end: now,
                    waited: [u64::MAX, below(40)][below(2) as usize],
                    why: Why::Unknown,
                }
            });
            waits.collect()
        });
        let waits = waits.collect();
        trace.learn_waiting(waits);
    }
    trace
}

fn functions(trace: &Trace) -> Functions {
    let mut functions = Functions::default();
    for i in 0..trace.store.functions {
        functions.intern(Function {
            name: &format!("f{i}"),
            ..Function::default()
        });
    }
    functions
}

#[test]
fn contexts_of_any_range_and_threads_are_those_of_the_calls_one_by_one() {
    let mut pieces = 0;
    for seed in 0..150 {
        let trace = trace(seed);
        let mut below = random_numbers(seed + 1000);
        let all: Vec<ThreadId> = trace.thread_ids().collect();
        let paths = trace.store.paths(&Progress::new()).expect("not cancelled");
        let paths = paths.expect("contexts are few");
        pieces += paths
            .threads
            .iter()
            .map(|it| it.ends.len())
            .max()
            .unwrap_or(0);
        let end = trace.duration().ns();
        for round in 0..30 {
            let mut ends = [below(end + 3), below(end + 3)].map(Time::from_ns);
            ends.sort();
            let range = match round {
                0 => trace.range(),
                1 => TimeRange::new(Time::ZERO, Time::MAX),
                2 => TimeRange::new(ends[0], ends[0]),
                _ => TimeRange::new(ends[0], ends[1]),
            };
            let threads: Vec<ThreadId> = match below(3) {
                0 => all[..1].to_vec(),
                1 => all.iter().rev().copied().collect(),
                _ => all.clone(),
            };
            let found = found(&trace, &threads, range).expect("contexts are few");
            let expected = one_by_one(&trace, &threads, range);
            assert_eq!(
                rows(&found),
                rows(&expected),
                "seed {seed}, {range:?} of {threads:?}"
            );
        }
    }
    assert!(pieces > 300, "{pieces}");
}

#[test]
fn contexts_are_the_same_in_an_index_and_found_again_where_it_lacks_them() {
    let folder = std::env::temp_dir().join(format!("callscape-paths-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let path = folder.join("trace.callscape");
    for seed in 0..12 {
        let trace = trace(seed);
        let progress = Progress::new();
        let paths = |trace: &Trace| -> Option<Paths> {
            let paths = trace.store.paths(&progress).expect("not cancelled");
            paths.cloned()
        };
        let expected = paths(&trace);
        index::write(&path, &functions(&trace), &trace, Beside::default(), b"", 1)
            .expect("there is room");
        let open = || {
            let trace = index::open(&path, false).expect("intact").trace;
            trace.keep_answers_in(&path);
            trace
        };
        let in_file = |trace: &Trace| {
            let bytes = trace.store.answers.get(Kind::Paths)?;
            unpack(&bytes)
        };
        let written = in_file(&open()).expect("it has been written");
        assert_eq!(paths(&open()), expected, "seed {seed}");
        let whole = std::fs::read(&path).expect("just written");
        let appendix = trace.store.appendix().expect("it fits").len();
        let tail = whole.len() - appendix;
        // Left out, cut anywhere, damaged anywhere: it is found again and added.
        for round in 0..20 {
            let mut changed = whole.clone();
            match round {
                0 => changed.truncate(tail),
                _ if round < 8 => changed.truncate(tail + appendix * round / 8),
                _ => changed[tail + appendix * (round - 8) / 12] ^= 4,
            }
            std::fs::write(&path, &changed).expect("there is room");
            let opened = open();
            assert_eq!(paths(&opened), expected, "seed {seed}, {round}");
            let again = open();
            let kept = in_file(&again);
            assert_eq!(kept.as_ref(), Some(&written), "seed {seed}, {round}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn contexts_that_are_nearly_as_many_as_calls_are_left_out() {
    let shape = Shape {
        threads: 1,
        functions: 9,
        events: 4000,
        deepest: 12,
        step: 1..9,
    };
    let many = (0..20).map(|seed| random_trace(seed, &shape));
    let many: Vec<Trace> = many.filter(|it| it.calls() > 1000).collect();
    assert!(many.len() > 3);
    for trace in many {
        let all: Vec<ThreadId> = trace.thread_ids().collect();
        assert!(found(&trace, &all, trace.range()).is_none());
    }
}
