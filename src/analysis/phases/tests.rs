//! Phases found through skeletons held against the definitions.

use std::collections::BTreeSet;

use super::oracle::{DirectGathered, direct};
use super::*;
use crate::alignment::{Alignment, Link, Run};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::trace::random::{Shape, random_numbers, random_trace};
use callscape_facts::trace::{Enclosing, Floor, Trace, Within};

/// A trace whose functions are called in loops, with waits of all kinds.
pub(super) fn trace_with_waits(seed: u64) -> Trace {
    random_run(seed, true)
}

/// The same calls with or without waits.
fn random_run(seed: u64, has_waits: bool) -> Trace {
    let mut below = random_numbers(seed);
    let reporter = Reporter::new();
    let place = || Place::file("random");
    let mut builder = TraceBuilder::new(&reporter);
    let functions: Vec<_> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        })
        .collect();
    let thread = builder.thread("p", "1");
    let mut now = 0;
    for _ in 0..below(120) {
        now += below(40);
        let open = builder.open_calls(thread);
        if open == 0 || (open < 7 && below(9) < 5) {
            let function = functions[below(5) as usize];
            builder.enter(thread, Timestamp::from_ns(now as i64), function, place);
        } else {
            builder.exit(thread, Timestamp::from_ns(now as i64), None, place);
        }
    }
    let mut at = 0;
    for _ in 0..below(20) * u64::from(has_waits) {
        let start = at + below(60);
        let end = start + 1 + below(50);
        let waited = 1 + below(end - start);
        at = end;
        let why = [
            callscape_facts::trace::Why::Preempted,
            callscape_facts::trace::Why::Voluntary,
            callscape_facts::trace::Why::Unknown,
        ][below(3) as usize];
        let times = [start, end].map(|it| Timestamp::from_ns(it as i64));
        builder.wait(thread, times.into(), Some(Cost::from_ns(waited)), why);
    }
    builder.finish(place).1
}

pub(super) fn shape(seed: u64) -> Shape {
    Shape {
        threads: 3,
        functions: 1 + seed % 7,
        events: 160,
        deepest: 2 + (seed % 9) as usize,
        step: 0..1 + seed % 30,
    }
}

fn wish(trace: &Trace, heavy: Floor, similarity: f64, within: impl Into<Within>) -> Wish {
    Wish {
        calls: Some(heavy.triggered),
        cost: Some(heavy.cost),
        similarity,
        within: within.into(),
        ..Wish::of(trace.thread_ids().collect())
    }
}

fn check(trace: &Trace, found: &Phases, within: impl Into<Within>, what: &str) {
    let threads: Vec<ThreadId> = trace.thread_ids().collect();
    check_of(trace, &threads, found, within.into(), what);
}

pub(super) fn check_of(
    trace: &Trace,
    threads: &[ThreadId],
    found: &Phases,
    within: Within,
    what: &str,
) {
    let expected = direct(trace, threads, within, &found.parameters);
    assert_eq!(found.phases.len(), expected.phases.len(), "{what}");
    for (index, (phase, expected)) in found.phases.iter().zip(&expected.phases).enumerate() {
        let functions: BTreeSet<u32> = found.functions(phase).iter().copied().collect();
        let seen = super::oracle::DirectPhase {
            thread: phase.thread,
            call: phase.call.0,
            parent: phase.parent,
            depth: phase.depth,
            kind: phase.kind,
            calls: phase.calls,
            cost: phase.cost,
            levels: phase.levels,
            functions,
            class: phase.class,
        };
        assert_eq!(&seen, expected, "{what}: phase {index}");
    }
    let gathered: DirectGathered = found
        .gathered
        .iter()
        .map(|row| {
            let phase = row.phase.map(|it| found.phases[it as usize].call.0);
            let key = (row.thread.0, phase, row.function.0);
            (key, (row.of, row.calls, row.cost))
        })
        .collect();
    assert_eq!(gathered.len(), found.gathered.len());
    assert_eq!(gathered, expected.gathered, "{what}: gathered");
    assert_eq!(found.cost(), expected.total, "{what}: cost");
    let leaves = expected.phases.iter().filter(|it| it.kind == Kind::Leaf);
    let leaf_calls: BTreeSet<(ThreadId, u32)> =
        leaves.clone().map(|it| (it.thread, it.call)).collect();
    let beside = expected.gathered.iter().filter(|((thread, phase, _), _)| {
        phase.is_none_or(|phase| !leaf_calls.contains(&(ThreadId(*thread), phase)))
    });
    let explained: Cost = leaves
        .map(|it| it.cost)
        .chain(beside.map(|(_, row)| row.2))
        .sum();
    let share = explained.ns() as f64 / expected.total.ns().max(1) as f64;
    assert!(
        (found.explained() - share).abs() < 1e-12,
        "{what}: explained"
    );
}

/// Thresholds from nothing to above all.
pub(super) fn thresholds(seed: u64) -> Floor {
    let mut below = random_numbers(seed + 77);
    let triggered = [0, 1, 2, 3, 5, 10, 40, u64::MAX][below(8) as usize];
    let cost = [0, 1, 20, 60, 150, 600, u64::MAX][below(7) as usize];
    Floor {
        triggered,
        cost: Cost::from_ns(cost),
    }
}

#[test]
fn phases_are_those_of_the_definitions() {
    for seed in 0..400 {
        let trace = match seed % 2 {
            0 => random_trace(seed, &shape(seed)),
            _ => trace_with_waits(seed),
        };
        let heavy = thresholds(seed);
        let similarity = [0.0, 0.3, 0.5, 1.0][seed as usize / 2 % 4];
        let mut wish = wish(&trace, heavy, similarity, None);
        for alike in [Alike::Functions, Alike::Calls] {
            wish.alike = alike;
            let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
            let what = format!("seed {seed}, {heavy:?}, {alike:?}");
            check(&trace, &found, None, &what);
        }
    }
}

/// Light calls that span many blocks, which are judged by the summaries of these and of groups of them.
#[test]
fn blocks_below_light_calls_are_judged_unread() {
    for seed in 0..16 {
        let shape = Shape {
            threads: 1,
            functions: 100,
            events: 2000,
            deepest: 14,
            step: 1..9,
        };
        let trace = random_trace(seed, &shape);
        let heavy = Floor {
            triggered: [60, 150, 400][seed as usize % 3],
            cost: Cost::from_ns(u64::MAX),
        };
        let wish = wish(&trace, heavy, 0.2, None);
        let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
        check(&trace, &found, None, &format!("seed {seed}, {heavy:?}"));
    }
}

#[test]
fn thresholds_move_over_one_skeleton() {
    for seed in 0..200 {
        let trace = match seed % 2 {
            0 => random_trace(seed, &shape(seed)),
            _ => trace_with_waits(seed),
        };
        let floor = Floor {
            triggered: seed % 4,
            cost: Cost::from_ns(seed % 3 * 10),
        };
        let low = wish(&trace, floor, 0.5, None);
        let pruning = Pruning::new(&trace, &low, &Progress::new()).expect("not cancelled");
        for more in 0..8 {
            let heavy = thresholds(seed * 8 + more);
            let heavy = Floor {
                triggered: heavy.triggered.max(floor.triggered),
                cost: heavy.cost.max(floor.cost),
            };
            assert!(pruning.reaches(&heavy));
            let wish = wish(&trace, heavy, 0.3, None);
            let found = pruning.phases(pruning.parameters(&wish));
            check(&trace, &found, None, &format!("seed {seed}, {heavy:?}"));
        }
    }
}

#[test]
fn a_range_keeps_what_counts_in_it() {
    for seed in 0..400 {
        let trace = match seed % 2 {
            0 => random_trace(seed, &shape(seed)),
            _ => trace_with_waits(seed),
        };
        let mut below = random_numbers(seed + 9);
        let whole = trace.duration().ns() + 2;
        let range = TimeRange::new(Time::from_ns(below(whole)), Time::from_ns(below(whole)));
        let heavy = thresholds(seed);
        for enclosing in [Enclosing::Parts, Enclosing::Whole, Enclosing::None] {
            let within = Within {
                range: Some(range),
                enclosing,
            };
            let mut wish = wish(&trace, heavy, 0.5, within);
            for alike in [Alike::Functions, Alike::Calls] {
                wish.alike = alike;
                let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
                let what = format!("seed {seed}, {heavy:?}, {within:?}, {alike:?}");
                check(&trace, &found, within, &what);
            }
        }
    }
}

#[test]
fn start_values_leave_enough_rows() {
    for seed in 0..60 {
        let trace = match seed % 2 {
            0 => random_trace(seed, &shape(seed)),
            _ => trace_with_waits(seed),
        };
        let wish = Wish::of(trace.thread_ids().collect());
        let progress = Progress::new();
        let found = phases(&trace, &wish, &progress).expect("not cancelled");
        let short = found.parameters.short;
        let rows = |calls: u64| {
            let cost = short.unwrap_or_default().ns().max(1) * calls;
            let wish = Wish {
                calls: Some(calls),
                cost: Some(Cost::from_ns(cost)),
                ..wish.clone()
            };
            phases(&trace, &wish, &progress)
                .expect("not cancelled")
                .rows()
        };
        let steps = (0..30).map(automatic::step);
        let expected = steps.filter(|&calls| rows(calls) >= 20).max().unwrap_or(1);
        assert_eq!(found.parameters.heavy.triggered, expected, "seed {seed}");
        // What a short call costs is the median.
        let mut costs = Vec::new();
        for thread in trace.thread_ids() {
            for call in 0..trace.threads()[thread.index()].calls as u32 {
                if trace.call(thread, CallId(call)).triggered == 0 {
                    let call = trace.call(thread, CallId(call));
                    let part = TimeRange::new(call.start, call.end);
                    costs.push(trace.cost_without_preemption(thread, part).ns());
                }
            }
        }
        costs.sort_unstable();
        let middle = costs.len() / 2;
        let expected = match costs.len() {
            0 => None,
            len if len % 2 == 1 => Some(costs[middle]),
            _ => Some((costs[middle - 1] + costs[middle]) / 2),
        };
        assert_eq!(short.map(Cost::ns), expected, "seed {seed}");
    }
}

/// Enters and leaves: a name enters, a dot leaves; one nanosecond each, or as many as a number says.
fn trace(text: &str) -> (Trace, callscape_facts::functions::Functions) {
    let reporter = Reporter::new();
    let place = || Place::file("text");
    let mut builder = TraceBuilder::new(&reporter);
    let thread = builder.thread("p", "1");
    let mut now = 0;
    for word in text.split_whitespace() {
        if let Ok(length) = word.parse::<i64>() {
            now += length;
        } else if word == "." {
            now += 1;
            builder.exit(thread, Timestamp::from_ns(now), None, place);
        } else {
            now += 1;
            let function = builder.function(Function {
                name: word,
                ..Function::default()
            });
            builder.enter(thread, Timestamp::from_ns(now), function, place);
        }
    }
    let (functions, trace) = builder.finish(place);
    (trace, functions)
}

#[test]
fn many_small_steps_are_one_row() {
    let steps = "get 10 . ".repeat(40);
    let (trace, functions) = trace(&format!("main load {steps} . save write 500 . . ."));
    let heavy = Floor {
        triggered: 100,
        cost: Cost::from_ns(400),
    };
    let wish = wish(&trace, heavy, 0.5, None);
    let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
    let name = |it: FunctionId| functions.get(it).name;
    let names: Vec<(&str, Kind, u32)> = found
        .phases
        .iter()
        .map(|it| (name(it.function), it.kind, it.depth))
        .collect();
    // save delegates to write, load is a leaf as long as its steps are light.
    let expected = [
        ("main", Kind::Inner, 1),
        ("load", Kind::Leaf, 2),
        ("write", Kind::Leaf, 2),
    ];
    assert_eq!(names, expected);
    assert_eq!(found.gathered.len(), 1);
    let row = &found.gathered[0];
    assert_eq!(
        (name(row.function), row.of, row.phase),
        ("get", 40, Some(1))
    );
    assert_eq!(found.phases[0].dropped.delegating, 1);
    assert_eq!(found.around(ThreadId(0), CallId(5)), Some(1));
    assert_eq!(found.around(ThreadId(0), CallId(0)), Some(0));
}

#[test]
fn outliers_do_not_break_a_repetition() {
    let step = "step a 10 . b 10 . . ";
    let odd = "step z 10 . y 10 . x 10 . . ";
    let text = format!("main {} {odd} {} .", step.repeat(6), step.repeat(5));
    let (trace, _) = trace(&text);
    let heavy = Floor {
        triggered: 2,
        cost: Cost::from_ns(u64::MAX),
    };
    let wish = wish(&trace, heavy, 0.5, None);
    let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
    let outliers = found.phases.iter().filter(|it| it.is_outlier).count();
    assert_eq!((found.phases.len(), outliers), (13, 1));
    let items = folding::fold_children(&found, Parent::Phase(0));
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].length(), 12);
    let instances = folding::instances(&found);
    assert_eq!(instances[0], None);
    let seventh = instances[7].expect("a step");
    assert_eq!((seventh.pattern, seventh.number, seventh.of), (0, 6, 12));

    // Figure 5.7: below the threshold it starts at, it does.
    let wish = Wish {
        similarity: 0.4,
        ..wish
    };
    let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
    let items = folding::fold_children(&found, Parent::Phase(0));
    let lengths: Vec<u32> = items.iter().map(folding::Item::length).collect();
    assert_eq!(lengths, [6, 1, 5]);
    let of = |phase: usize| folding::instances(&found)[phase].map(|it| (it.number, it.of));
    assert_eq!([1, 7, 8].map(of), [Some((0, 6)), None, Some((0, 5))]);
}

#[test]
fn clocks_are_linked_by_phases() {
    let load = format!("load {} . ", "get 3 . ".repeat(40));
    let save = format!("save {} . ", "put 9 . ".repeat(40));
    // B begins with something else, which A lacks, and takes longer to save.
    let slow = format!("save {} . ", "put 30 . ".repeat(40));
    let first = format!("warm {} . ", "up 20 . ".repeat(40));
    let runs = [
        trace(&format!("main {load} {save} .")),
        trace(&format!("main {first} {load} {slow} .")),
    ];
    let names = ["main", "load", "get", "save", "put", "warm", "up"];
    let rows = runs.each_ref().map(|(_, functions)| {
        let name = |id| functions.get(id).name;
        let row = |id| names.iter().position(|&it| it == name(id)).unwrap_or(0) as u32;
        functions.ids().map(row).collect::<Vec<u32>>()
    });
    let run = |side: usize| Run {
        trace: &runs[side].0,
        row_of: &rows[side],
    };
    let linked = Alignment::new(run(0), run(1), &Link::Phases);
    assert!(linked.matched >= 3, "{}", linked.matched);
    for name in ["load", "save"] {
        let starts = [0, 1].map(|side| {
            let (trace, functions) = &runs[side];
            let mut calls = (0..trace.calls() as u32).map(|it| trace.call(ThreadId(0), CallId(it)));
            let call = calls.find(|call| functions.get(call.function).name == name);
            call.expect("it is called").start
        });
        assert_eq!(linked.map(0, starts[0]), starts[1], "{name}");
    }
}

#[test]
fn hostile_traces() {
    // No calls, one call, and calls that cost nothing.
    for (text, expected) in [("", 0), ("one .", 1)] {
        let (trace, _) = trace(text);
        let wish = Wish::of(trace.thread_ids().collect());
        let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
        assert_eq!(found.rows(), expected, "{text}");
    }
    let reporter = Reporter::new();
    let place = || Place::file("none");
    let mut builder = TraceBuilder::new(&reporter);
    let function = builder.function(Function::default());
    let thread = builder.thread("p", "1");
    let depth = 100_000;
    for _ in 0..depth {
        builder.enter(thread, Timestamp::from_ns(5), function, place);
    }
    for _ in 0..depth {
        builder.exit(thread, Timestamp::from_ns(5), None, place);
    }
    let (_, trace) = builder.finish(place);
    let wish = Wish::of(trace.thread_ids().collect());
    let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
    assert_eq!(found.explained(), 0.0);
    assert_eq!(found.parameters.short, Some(Cost::ZERO));
    assert_eq!(found.parameters.heavy.triggered, 1);
    assert_eq!(
        found.phases.len(),
        1,
        "all delegate but the last that triggers one"
    );
}

#[test]
fn a_cancelled_search_says_so() {
    let trace = random_trace(3, &shape(3));
    let progress = Progress::new();
    progress.cancel();
    let wish = Wish::of(trace.thread_ids().collect());
    assert!(phases(&trace, &wish, &progress).is_err());
}

#[test]
fn elapsed_costs_are_those_of_a_run_that_was_never_pre_empted() {
    let mut different = 0;
    for seed in 0..300 {
        let (trace, plain) = (random_run(seed, true), random_run(seed, false));
        let threads: Vec<ThreadId> = trace.thread_ids().collect();
        let wish = Wish {
            calls: [None, Some(1 + seed % 5)][seed as usize % 2],
            cost: [None, Some(Cost::from_ns(1 + seed % 70))][seed as usize / 2 % 2],
            ..Wish::of(threads.clone())
        };
        let progress = Progress::new();
        let found = phases(&Elapsed(&trace), &wish, &progress).expect("not cancelled");
        check_of(&plain, &threads, &found, Within::default(), "elapsed");
        let running = phases(&trace, &wish, &progress).expect("not cancelled");
        let costs = |of: &Phases| -> Vec<Cost> { of.phases.iter().map(|it| it.cost).collect() };
        different += usize::from(costs(&found) != costs(&running));
    }
    assert!(different > 30, "{different}");
}

/// The same functions in other orders are one set and two sequences, and so is what another function calls.
#[test]
fn phases_are_alike_by_the_sequence_of_their_calls() {
    let steps = "step a . b . . step a . b . . step b . a . . step a b . . . step a . b . .";
    let (trace, _) = trace(&format!("main {steps} ."));
    let heavy = Floor {
        triggered: 2,
        cost: Cost::from_ns(u64::MAX),
    };
    let classes = |alike| {
        let wish = Wish {
            alike,
            ..wish(&trace, heavy, 0.0, None)
        };
        let found = phases(&trace, &wish, &Progress::new()).expect("not cancelled");
        let below = found.phases.iter().filter(|it| it.depth == 2);
        below.map(|it| it.class).collect::<Vec<_>>()
    };
    assert_eq!(classes(Alike::Functions), [0, 0, 0, 0, 0]);
    assert_eq!(classes(Alike::Calls), [0, 0, 1, 2, 0]);
}
