//! The fast queries held against the direct ones on random traces.

use super::call::Call;
use super::oracle::Direct;
use super::{
    ActiveSpan, Columns, Coverage, CoverageRoom, Enclosing, Measure, Recent, StackRoom, Strip,
    Trace, Why, Within, Without, storage,
};
use crate::builder::{Timestamp, TraceBuilder};
use crate::functions::{Function, Functions};
use crate::index::{self, Beside, IndexError};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_base::warnings::{Place, Reporter};

/// A small random number generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

fn place() -> Place {
    Place::file("random")
}

/// A trace of random shape and the same calls held directly.
fn random_trace(seed: u64) -> (Trace, Direct) {
    let mut random = Random(seed);
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    // Now and then so slow that costs add up to more than a number can hold.
    let scale = if seed % 8 == 5 { 1 << 47 } else { 1 };
    let names: Vec<String> = (0..1 + random.below(12)).map(|i| format!("f{i}")).collect();
    let functions: Vec<FunctionId> = names
        .iter()
        .map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        })
        .collect();
    let mut threads = Vec::new();
    let knows_waiting = !seed.is_multiple_of(3);
    let mut waits = Vec::new();
    // Also of clocks that start below zero.
    let origin = random.below(2000) as i64 - 1000;
    for thread in 0..1 + random.below(3) {
        let id = builder.thread("p", &thread.to_string());
        let mut calls: Vec<Call> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut now = random.below(40);
        let (events, deepest) = (random.below(700), 1 + random.below(90));
        // Steps of mostly nothing make many equal times.
        let step = 1 + random.below(30);
        // As samples do it, where calls start and end together.
        let pause = if random.below(3) == 0 { 12 } else { 1 };
        let close = |open: &mut Vec<usize>, calls: &mut Vec<Call>, now: u64| {
            if let Some(call) = open.pop() {
                calls[call].end = Time::from_ns(now);
                calls[call].triggered = (calls.len() - 1 - call) as u32;
            }
        };
        let wanders = random.below(2) == 0;
        for _ in 0..events {
            if random.below(pause) == 0 {
                now += random.below(step).saturating_sub(step / 3) * scale;
            }
            let at = Timestamp::from_ns(now as i64 + origin);
            let up = if wanders {
                2
            } else {
                1 + u64::from(random.below(100) < 50)
            };
            if (open.len() as u64) < deepest && random.below(4) < up {
                let function = functions[random.below(functions.len() as u64) as usize];
                builder.enter(id, at, function, place);
                calls.push(Call {
                    function,
                    start: Time::from_ns(now),
                    end: Time::from_ns(now),
                    depth: open.len() as u32,
                    triggered: 0,
                });
                open.push(calls.len() - 1);
            } else if random.below(20) == 0 {
                // The end of an outer call, or of one that never began.
                let function = functions[random.below(functions.len() as u64) as usize];
                let found = open
                    .iter()
                    .rposition(|&call| calls[call].function == function);
                assert_eq!(builder.exit(id, at, Some(function), place), found.is_some());
                match found {
                    Some(depth) => {
                        while open.len() > depth {
                            close(&mut open, &mut calls, now);
                        }
                    }
                    None => continue,
                }
            } else if !open.is_empty() {
                builder.exit(id, at, None, place);
                close(&mut open, &mut calls, now);
            }
        }
        // What is open at the end ends with the last event.
        let ends = calls.iter().map(|call| call.end.max(call.start));
        let last = ends.max().map_or(0, Time::ns);
        while !open.is_empty() {
            close(&mut open, &mut calls, last);
        }
        threads.push(calls);
        waits.push(random_waits(&mut random, step * scale, knows_waiting));
    }
    let first = threads.iter().flatten().map(|call| call.start).min();
    let first = first.unwrap_or_default().since(Time::ZERO);
    let mut direct_waits = Vec::new();
    for (thread, waits) in waits.iter().enumerate() {
        let id = ThreadId(thread as u32);
        for &(start, end, waited) in waits {
            let time = |ns: u64| Timestamp::from_ns(ns as i64 + origin);
            let waited = (waited < end - start).then_some(Cost::from_ns(waited));
            builder.wait(id, (time(start), time(end)), waited, Why::Voluntary);
        }
        // What lies before the first event is cut off, and the same part of the rest was waiting.
        let cut = waits.iter().filter_map(|&(start, end, waited)| {
            let end = end.checked_sub(first.ns()).filter(|&end| end > 0)?;
            let left = end - start.saturating_sub(first.ns());
            let length = end + first.ns() - start;
            let waited = (u128::from(waited) * u128::from(left) / u128::from(length)) as u64;
            Some((end - left, end, waited))
        });
        direct_waits.push(cut.collect::<Vec<_>>());
    }
    // Waits in which no call is open concern none.
    for (waits, calls) in direct_waits.iter_mut().zip(&threads) {
        let at = |ns: u64| Time::from_ns(ns) + first;
        waits.retain(|&(from, to, _)| {
            let mut calls = calls.iter();
            calls.any(|call| call.start.max(at(from)) < call.end.min(at(to)))
        });
    }
    for call in threads.iter_mut().flatten() {
        call.start = call.start - first;
        call.end = call.end - first;
    }
    let (functions, trace) = builder.finish(place);
    let mut direct = Direct::new(threads, functions.len());
    if knows_waiting {
        direct.waits = direct_waits;
    }
    (trace, direct)
}

/// Waits of a thread that do not overlap, as start, end and how much of it was waiting, which may be all.
fn random_waits(random: &mut Random, step: u64, knows_waiting: bool) -> Vec<(u64, u64, u64)> {
    let mut waits = Vec::new();
    let mut now = 0;
    let (count, longest) = (random.below(40), 1 + random.below(6 * step));
    for _ in 0..if knows_waiting { count } else { 0 } {
        let start = now + random.below(longest) / (1 + random.below(3));
        let length = 1 + random.below(longest);
        let waited = match random.below(2) {
            0 => length,
            _ => random.below(length + 1),
        };
        now = start + length;
        waits.push((start, now, waited));
    }
    waits
}

/// The shares of the columns in which a row is open and on top, by the stacks between events.
fn coverage(
    intervals: &[(TimeRange, Vec<FunctionId>)],
    columns: Columns,
    row_of: &[u32],
    rows: u32,
) -> Vec<Coverage> {
    let mut expected = Vec::new();
    for row in 0..rows {
        for column in 0..columns.count() {
            let (from, to) = (columns.start(column), columns.start(column + 1));
            let (mut open, mut top) = (Cost::ZERO, Cost::ZERO);
            for (interval, stack) in intervals {
                let inside = interval.end.min(to).since(interval.start.max(from));
                let is_of_row = |function: &FunctionId| row_of[function.index()] == row;
                if stack.iter().any(is_of_row) {
                    open += inside;
                }
                if stack.last().is_some_and(is_of_row) {
                    top += inside;
                }
            }
            if open > Cost::ZERO {
                expected.push(Coverage {
                    row,
                    column,
                    open,
                    top,
                });
            }
        }
    }
    expected
}

/// Holds a first picture against its definition: on every thread each border lies up to half a column beside the one
/// of the columns, and what is between two of them is exact. So up to a border a row has no less time than exactly up
/// to half a column before, since half a column after the window begins, and no more than the other way round. A row has
/// what its functions have one by one.
fn compare_near(
    found: &[Coverage],
    intervals: &[(TimeRange, Vec<FunctionId>)],
    columns: Columns,
    row_of: &[u32],
) {
    let from = columns.start(0);
    let window = columns.start(columns.count()).since(from);
    let half = Cost::from_ns(window.ns() / u64::from(columns.count().max(1)) / 2 + 1);
    // How long a row is open and on top from `from` to `to`.
    let exact = |row: u32, from: Time, to: Time| {
        let mut sums = [0; 2];
        for (interval, stack) in intervals {
            let inside = interval.end.min(to).since(interval.start.max(from)).ns();
            let is_of_row = |function: &FunctionId| row_of[function.index()] == row;
            let functions = (0..stack.len()).filter(|&at| !stack[..at].contains(&stack[at]));
            let of_row = functions.filter(|&at| is_of_row(&stack[at]));
            sums[0] += if inside > 0 {
                inside * of_row.count() as u64
            } else {
                0
            };
            sums[1] += if stack.last().is_some_and(is_of_row) {
                inside
            } else {
                0
            };
        }
        sums
    };
    for row in 0..row_of.len() as u32 {
        let mut sums = [0; 2];
        let of_row = found.iter().filter(|cell| cell.row == row);
        for k in 0..columns.count() {
            for cell in of_row.clone().filter(|cell| cell.column == k) {
                sums[0] += cell.open.ns();
                sums[1] += cell.top.ns();
            }
            let to = columns.start(k + 1);
            let least = exact(row, from + half, to - half);
            let most = exact(row, from - half, to + half);
            for ((sum, least), most) in sums.into_iter().zip(least).zip(most) {
                assert!(
                    (least..=most).contains(&sum),
                    "{columns:?}, row {row}, column {k}: {sum}, not {least} to {most}"
                );
            }
        }
    }
}

/// Holds every query of `trace` against the direct evaluation.
pub fn compare(trace: &Trace, direct: &Direct, random: &mut Random) {
    let end = trace.duration().ns();
    let mut times: Vec<Time> = (0..40)
        .map(|_| Time::from_ns(random.below(end + 3)))
        .collect();
    times.extend([
        Time::ZERO,
        Time::from_ns(end),
        Time::from_ns(end + 1),
        Time::MAX,
    ]);
    for (index, calls) in direct.threads.iter().enumerate() {
        let thread = ThreadId(index as u32);
        let info = &trace.threads()[index];
        assert_eq!(info.calls, calls.len() as u64);
        assert_eq!(
            info.end,
            calls.iter().map(|call| call.end).max().unwrap_or_default()
        );
        assert_eq!(
            info.start,
            calls.first().map_or(Time::ZERO, |call| call.start)
        );
        for (i, call) in calls.iter().enumerate() {
            let id = CallId(i as u32);
            assert_eq!(trace.call(thread, id), *call, "call {i} of {thread:?}");
            assert_eq!(
                trace.self_cost(thread, id),
                direct.self_cost(thread, id),
                "call {i}"
            );
            let waited = trace.waited(thread, id);
            let expected = direct.waited(thread, id, Time::MAX);
            assert_eq!((waited.total, waited.own), expected, "call {i}");
        }
        let (mut stack, mut expected) = (Vec::new(), Vec::new());
        for &t in &times {
            assert_eq!(trace.started(thread, t), direct.started(thread, t), "{t:?}");
            trace.stack_at(thread, t, &mut stack);
            direct.stack_at(thread, t, &mut expected);
            assert_eq!(stack, expected, "{t:?}");
            let waited = trace.waited_until(thread, t);
            assert_eq!(waited, direct.waited_until(thread, t), "{t:?}");
        }
        for pair in times.windows(2) {
            let range = TimeRange::new(pair[0], pair[1]);
            for depth in [0, 1, 2, 5, 17, u32::MAX] {
                let (mut found, mut expected) = (Vec::new(), Vec::new());
                trace.calls_in(thread, range, depth, |id, call| found.push((id, call)));
                direct.calls_in(thread, range, depth, |id, call| expected.push((id, call)));
                assert_eq!(found, expected, "{range:?} to depth {depth}");
            }
        }
    }
    for pair in times.windows(2).take(10) {
        let columns = Columns::new(
            TimeRange::new(pair[0], pair[1]),
            1 + random.below(30) as u32,
        );
        let max_depth = random.below(90) as u32;
        for thread in trace.thread_ids() {
            let mut expected: Vec<Strip> = Vec::new();
            for depth in 0..max_depth.min(trace.max_depth()) {
                for k in 0..columns.count() {
                    let column = TimeRange::new(columns.start(k), columns.start(k + 1));
                    let Some(call) = direct.longest(thread, column, depth) else {
                        continue;
                    };
                    match expected.last_mut() {
                        Some(last) if (last.depth, last.end, last.call) == (depth, k, call) => {
                            last.end += 1;
                        }
                        _ => expected.push(Strip {
                            depth,
                            first: k,
                            end: k + 1,
                            call,
                        }),
                    }
                }
            }
            assert_eq!(
                trace.strips(thread, columns, max_depth),
                expected,
                "{columns:?}"
            );
        }
    }
    for &t in times.iter().take(10) {
        for (function, first) in (0..).map(FunctionId).zip(trace.first_calls()) {
            let calls = direct.threads.iter().zip(0..).flat_map(|(calls, thread)| {
                let of = calls
                    .iter()
                    .zip(0..)
                    .filter(|(it, _)| it.function == function);
                of.map(move |(it, id)| (it.start, ThreadId(thread), CallId(id)))
            });
            assert_eq!(first, calls.min(), "{function:?}");
        }
        for function in 0..=direct.functions as u32 {
            let function = FunctionId(function);
            let found = [
                trace.next_call(function, t),
                trace.previous_call(function, t),
            ];
            assert_eq!(found, direct.neighbours(function, t), "{function:?} {t:?}");
        }
    }
    for pair in times.windows(2).take(5) {
        let columns = Columns::new(
            TimeRange::new(pair[0], pair[1]),
            1 + random.below(30) as u32,
        );
        // Functions two by two, the first left out.
        let row_of: Vec<u32> = (0..direct.functions as u32)
            .map(|i| i.wrapping_sub(1) / 2)
            .collect();
        let rows = direct.functions as u32 / 2 + 1;
        let mut expected: Vec<ActiveSpan> = Vec::new();
        for row in 0..rows {
            for k in 0..columns.count() {
                let column = TimeRange::new(columns.start(k), columns.start(k + 1));
                let of_row = row_of.iter().zip(0..).filter(|(of, _)| **of == row);
                if !of_row
                    .into_iter()
                    .any(|(_, id)| direct.is_active(FunctionId(id), column))
                {
                    continue;
                }
                match expected.last_mut() {
                    Some(last) if (last.row, last.end) == (row, k) => last.end += 1,
                    _ => expected.push(ActiveSpan {
                        row,
                        first: k,
                        end: k + 1,
                    }),
                }
            }
        }
        assert_eq!(
            trace.active(columns, &row_of, rows),
            expected,
            "{columns:?}"
        );
    }
    let intervals = direct.intervals();
    let functions = |thread: ThreadId, stack: &[CallId]| -> Vec<FunctionId> {
        let calls = stack.iter().map(|&call| direct.call(thread, call));
        calls.map(|call| call.function).collect()
    };
    let all: Vec<_> = intervals
        .iter()
        .map(|(range, thread, stack)| (*range, functions(*thread, stack)))
        .collect();
    // What is left when a function, what another triggers and what some calls trigger are taken out.
    let removed = FunctionId(random.below(direct.functions as u64) as u32);
    let cut = FunctionId(random.below(direct.functions as u64) as u32);
    let hidden = ThreadId(random.below(4) as u32);
    let without = Without {
        hides: &|thread| thread == hidden,
        removes: &|function| function == removed,
        cuts_below: &|function, thread, call| {
            function == cut || (call.0 + thread.0).is_multiple_of(7)
        },
    };
    let shown = intervals.iter().filter(|(_, thread, _)| *thread != hidden);
    let left: Vec<_> = shown
        .map(|(range, thread, stack)| {
            let function = |call: &CallId| direct.call(*thread, *call).function;
            let first_cut = stack
                .iter()
                .position(|call| (without.cuts_below)(function(call), *thread, *call));
            let stack = &stack[..first_cut.map_or(stack.len(), |first| first + 1)];
            let mut left = functions(*thread, stack);
            left.retain(|&function| function != removed);
            (*range, left)
        })
        .collect();
    for (pair, singly) in times
        .windows(2)
        .take(6)
        .zip([true, false].into_iter().cycle())
    {
        let columns = Columns::new(
            TimeRange::new(pair[0], pair[1]),
            1 + random.below(30) as u32,
        );
        // Each function for itself or two by two, the first left out.
        let row_of: Vec<u32> = (0..direct.functions as u32)
            .map(|i| i.wrapping_sub(1) / if singly { 1 } else { 2 })
            .collect();
        let rows = direct.functions as u32;
        let mut found = Vec::new();
        trace.coverage(columns, &row_of, rows, &mut found);
        let expected = coverage(&all, columns, &row_of, rows);
        assert_eq!(found, expected, "{columns:?}");
        let room = &mut CoverageRoom::default();
        let measure = |measure: Measure<'_>, room: &mut CoverageRoom| {
            trace.measure_coverage(columns, &row_of, rows, None, measure, room)
        };
        assert!(measure(Measure::Here, room));
        assert_eq!(room.cells, expected, "{columns:?}");
        assert!(!measure(Measure::Exact(&|| true), room) || columns.count() == 0);
        assert!(measure(Measure::Near, room));
        // Slow to evaluate directly.
        if pair[0].ns().is_multiple_of(4) {
            compare_near(&room.cells, &all, columns, &row_of);
        }
        // Slow to evaluate directly.
        if pair[0].ns().is_multiple_of(3) {
            trace.coverage_without(columns, &row_of, rows, &without, &mut found);
            let expected = coverage(&left, columns, &row_of, rows);
            assert_eq!(found, expected, "without, {columns:?}");
        }
    }
    let ranges = times
        .windows(2)
        .map(|pair| Some(TimeRange::new(pair[0], pair[1])));
    let ways = [Enclosing::Parts, Enclosing::Whole, Enclosing::None];
    for (at, range) in ranges.chain([None]).enumerate() {
        // Slow to evaluate directly.
        for &enclosing in &ways[at % 3..=at % 3] {
            let within = Within { range, enclosing };
            let (found, expected) = (trace.relations(within), direct.relations(within));
            assert_eq!(found, expected, "{within:?}");
            let found = trace.function_metrics(within);
            assert_eq!(found, direct.function_metrics(within), "{within:?}");
            // A thread has no more than one call on top of its stack at a time.
            let own: u128 = found.iter().map(|it| u128::from(it.self_cost.ns())).sum();
            let lasts =
                range.map(|it| u128::from(it.length().ns()) * trace.threads().len() as u128);
            let is_bounded = enclosing == Enclosing::Parts && range.is_some();
            assert!(!is_bounded || Some(own) <= lasts, "{within:?}: {own}");
        }
    }
    let mut recent = Recent::default();
    for &t in &times {
        assert_eq!(trace.running(t), direct.running(t), "{t:?}");
        assert_eq!(trace.events_until(t), direct.events_until(t), "{t:?}");
        compare_steps(trace, t, times[random.below(times.len() as u64) as usize]);
        for horizon in [0, 1, random.below(end + 1), end] {
            let horizon = Cost::from_ns(horizon);
            let (found, expected) = (trace.activity(t, horizon), direct.activity(t, horizon));
            assert_eq!(found, expected, "{t:?} {horizon:?}");
            trace.activity_within(t, horizon, &mut recent);
            assert_eq!(recent.found(), expected, "{t:?} {horizon:?}");
        }
    }
    assert_eq!(trace.events(), direct.events());
    for n in 0..direct.events() {
        assert_eq!(trace.event(n), direct.event(n), "event {n}");
    }
    assert_eq!(trace.event(direct.events()), None);
}

#[test]
fn queries_agree_with_their_direct_evaluation() {
    for seed in 0..200 {
        println!("seed {seed}");
        let (trace, direct) = random_trace(seed);
        compare(&trace, &direct, &mut Random(seed));
    }
}

/// A folder of its own for a test, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("callscape-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Folder(folder)
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn functions_of(trace: &Trace) -> Functions {
    let mut functions = Functions::default();
    for i in 0..trace.store.functions {
        functions.intern(Function {
            name: &format!("function{i}"),
            library: if i % 2 == 0 { "library" } else { "" },
            line: i as u32,
            ..Function::default()
        });
    }
    functions
}

#[test]
fn an_index_answers_as_the_trace_that_it_was_made_from() {
    let folder = Folder::new("index");
    let path = folder.file("trace.callscape");
    for seed in 0..40 {
        println!("seed {seed}");
        let (trace, direct) = random_trace(seed);
        let functions = functions_of(&trace);
        index::write(&path, &functions, &trace, Beside::default(), b"note", seed)
            .expect("there is room");
        for check_all in [true, false] {
            let contents = index::open(&path, check_all).expect("just written");
            assert_eq!(
                (contents.note.as_slice(), contents.fingerprint),
                (&b"note"[..], seed)
            );
            assert_eq!(contents.trace.threads(), trace.threads());
            for id in functions.ids() {
                assert_eq!(contents.functions.get(id), functions.get(id));
            }
            compare(&contents.trace, &direct, &mut Random(seed));
        }
    }
    let names: Vec<_> = folder.0.read_dir().expect("exists").collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// A few answers that together depend on most of the bytes.
fn some_answers(trace: &Trace) -> impl PartialEq + std::fmt::Debug + use<> {
    let end = trace.duration().ns();
    let half = Time::from_ns(end / 2);
    let range = TimeRange::new(Time::from_ns(end / 5), Time::from_ns(end * 4 / 5));
    let rows: Vec<u32> = (0..10).collect();
    let mut coverage = Vec::new();
    trace.coverage(Columns::new(range, 15), &rows, 10, &mut coverage);
    let mut calls = Vec::new();
    for thread in trace.thread_ids() {
        trace.calls_in(thread, trace.range(), u32::MAX, |id, call| {
            calls.push((id, call))
        });
    }
    (
        calls,
        coverage,
        trace.relations(Some(range)),
        trace.relations(None),
        trace.running(half),
        trace.function_metrics(Some(range)),
        trace.activity(half, Cost::from_ns(end / 3)),
        trace.event(trace.events() / 3),
    )
}

#[test]
fn a_flipped_byte_anywhere_is_found_or_changes_nothing() {
    let folder = Folder::new("flipped");
    let path = folder.file("trace.callscape");
    let (trace, _) = random_trace(4);
    let expected = some_answers(&trace);
    index::write(
        &path,
        &functions_of(&trace),
        &trace,
        Beside::default(),
        b"note",
        1,
    )
    .expect("there is room");
    let whole = std::fs::read(&path).expect("just written");
    let (mut refused, mut repaired) = (0, 0);
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, &damaged).expect("there is room");
        if let Ok(contents) = index::open(&path, true) {
            assert_eq!(some_answers(&contents.trace), expected, "byte {at}");
        }
        // Checked when first read, and repaired then.
        match index::open(&path, false) {
            Ok(contents) => {
                let original = trace.clone();
                let trace = contents.trace.with_repair(move || Some(original.clone()));
                assert_eq!(some_answers(&trace), expected, "byte {at}");
                repaired += usize::from(trace.store.is_damaged());
                assert!(!trace.is_damaged());
            }
            Err(_) => refused += 1,
        }
    }
    assert!(
        refused > 100 && repaired > 100,
        "{refused} refused, {repaired} repaired"
    );
}

#[test]
fn damage_without_repair_is_told() {
    let folder = Folder::new("told");
    let path = folder.file("trace.callscape");
    let (trace, _) = random_trace(4);
    index::write(
        &path,
        &functions_of(&trace),
        &trace,
        Beside::default(),
        b"",
        1,
    )
    .expect("there is room");
    let mut bytes = std::fs::read(&path).expect("just written");
    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).expect("there is room");
    let contents = index::open(&path, false).expect("the damage lies in a block");
    assert!(!contents.trace.is_damaged());
    some_answers(&contents.trace);
    assert!(contents.trace.is_damaged());
    assert!(matches!(
        index::open(&path, true),
        Err(IndexError::Damaged("calls"))
    ));
}

#[test]
fn an_index_that_is_cut_off_or_of_another_version_is_refused() {
    let folder = Folder::new("cut");
    let path = folder.file("trace.callscape");
    let (trace, _) = random_trace(9);
    index::write(
        &path,
        &functions_of(&trace),
        &trace,
        Beside::default(),
        b"",
        1,
    )
    .expect("there is room");
    let whole = std::fs::read(&path).expect("just written");
    // What is behind can be found out again.
    let appendix = trace.store.appendix().expect("it fits").len();
    let needed = whole.len() - appendix - 8;
    for length in (0..needed).step_by(97).chain([needed]) {
        std::fs::write(&path, &whole[..length]).expect("there is room");
        assert!(
            index::open(&path, false).is_err(),
            "{length} of {} bytes",
            whole.len()
        );
    }
    let mut other = whole;
    other[8] += 1;
    std::fs::write(&path, &other).expect("there is room");
    assert!(matches!(
        index::open(&path, false),
        Err(IndexError::Version(_))
    ));
}

#[test]
fn bytes_grow_into_a_file_and_are_the_same_there() {
    let mut growing = storage::Growing::new(vec![7; 10]);
    let mut expected = vec![7; 10];
    for i in 0..40u8 {
        let bytes = vec![i; 1 << 19];
        let (offset, added) = growing.append(|memory| memory.extend_from_slice(&bytes));
        assert_eq!((offset, added), (expected.len() as u64, &bytes[..]));
        expected.extend_from_slice(&bytes);
    }
    let (bytes, file) = growing.finish().expect("there is room");
    assert!(file.is_some());
    assert!(*bytes == expected[..]);
}

#[test]
fn what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not() {
    let folder = Folder::new("left");
    let left = folder.file(".1-1.callscape-tmp");
    std::fs::write(&left, b"half").expect("there is room");
    let living = callscape_base::files::Temporary::create(&folder.0).expect("there is room");
    assert!(!left.exists());
    let other = callscape_base::files::Temporary::create(&folder.0).expect("there is room");
    assert_eq!(folder.0.read_dir().expect("exists").count(), 2);
    drop((living, other));
    assert_eq!(folder.0.read_dir().expect("exists").count(), 0);
}

/// The running summary at the later of two times is that at the earlier with what is told of the time between.
fn compare_steps(trace: &Trace, a: Time, b: Time) {
    let (from, to) = (a.min(b), a.max(b));
    let sums = |t: Time| -> std::collections::BTreeMap<(FunctionId, FunctionId), (u64, u64)> {
        let running = trace.running(t).into_iter();
        running
            .map(|it| ((it.caller, it.callee), (it.calls, it.cost.ns())))
            .collect()
    };
    let mut found = sums(from);
    let mut room = StackRoom::default();
    let is_told = trace.running_between(from, to, u32::MAX, &mut room, |from, to, calls, cost| {
        let sum = found.entry((from, to)).or_default();
        (sum.0, sum.1) = (sum.0 + calls, sum.1 + cost.ns());
    });
    if is_told {
        assert_eq!(found, sums(to), "{from:?} to {to:?}");
    }
    let calls = |t: Time| -> u64 {
        let ids = trace.thread_ids();
        ids.map(|id| u64::from(trace.started(id, t))).sum()
    };
    let between = calls(to) - calls(from);
    if let Some(fewer) = between.checked_sub(1) {
        let fewer = u32::try_from(fewer).expect("a small trace");
        assert!(!trace.running_between(from, to, fewer, &mut room, |_, _, _, _| {}));
    }
}
