//! Every query held against its direct evaluation.

use super::super::oracle::Direct;
use super::super::{
    ActiveSpan, Columns, Coverage, CoverageRoom, Enclosing, Measure, Recent, StackRoom, Strip,
    Trace, Within, Without,
};
use super::random::Random;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};

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
pub(super) fn compare(trace: &Trace, direct: &Direct, random: &mut Random) {
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
    compare_threads(trace, direct, &times);
    compare_strips(trace, direct, &times, random);
    compare_neighbours(trace, direct, &times);
    compare_active(trace, direct, &times, random);
    compare_coverage(trace, direct, &times, random);
    compare_within(trace, direct, &times);
    compare_instants(trace, direct, &times, random);
}

/// Calls, stacks and waits of each thread.
fn compare_threads(trace: &Trace, direct: &Direct, times: &[Time]) {
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
        for &t in times {
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
}

/// What is drawn of stacks in columns.
fn compare_strips(trace: &Trace, direct: &Direct, times: &[Time], random: &mut Random) {
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
}

/// First, next and previous calls of functions.
fn compare_neighbours(trace: &Trace, direct: &Direct, times: &[Time]) {
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
}

/// In which columns functions are active.
fn compare_active(trace: &Trace, direct: &Direct, times: &[Time], random: &mut Random) {
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
}

/// For how long functions are on the stack, with and without some calls.
fn compare_coverage(trace: &Trace, direct: &Direct, times: &[Time], random: &mut Random) {
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
}

/// Relations and metrics within ranges, by each way to count calls that reach out of them.
fn compare_within(trace: &Trace, direct: &Direct, times: &[Time]) {
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
}

/// What runs at times and has run before, and the events.
fn compare_instants(trace: &Trace, direct: &Direct, times: &[Time], random: &mut Random) {
    let end = trace.duration().ns();
    let mut recent = Recent::default();
    for &t in times {
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
