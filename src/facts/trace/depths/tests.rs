//! Flame charts against their definition, evaluated directly.

use super::*;
use crate::trace::random::{self, Shape};
use crate::trace::{Call, Trace};
use callscape_base::units::ThreadId;

/// Deep and shallow ones, with many equal times or few.
fn random_trace(seed: u64) -> Trace {
    let shape = Shape {
        threads: 2,
        functions: 4,
        events: 900,
        deepest: 1 + (seed * 7 % 40) as usize,
        step: 0..1 + seed % 9,
    };
    random::random_trace(seed, &shape)
}

fn all_calls(trace: &Trace, thread: ThreadId) -> Vec<Call> {
    let calls = trace.threads()[thread.index()].calls as u32;
    (0..calls)
        .map(|id| trace.call(thread, CallId(id)))
        .collect()
}

/// What the definition says of cells that are cut at `borders`: open, started, and the functions of the last
/// calls before them.
fn direct(
    calls: &[Call],
    borders: &[u64],
    depths: &Range<u32>,
) -> Vec<(u64, u32, Option<FunctionId>)> {
    let mut cells = Vec::new();
    for border in borders.windows(2) {
        let (from, to) = (border[0], border[1]);
        for depth in depths.clone() {
            let of_depth = calls.iter().filter(|call| call.depth == depth);
            let open = of_depth.clone().map(|call| {
                let end = call.end.ns().min(to);
                end.saturating_sub(call.start.ns().max(from))
            });
            let starts = |call: &&Call| (from..to).contains(&call.start.ns());
            let is_seen = |call: &Call| call.end.ns() > borders[0] || call.start.ns() >= borders[0];
            let before = of_depth
                .clone()
                .rfind(|call| call.start.ns() < from && is_seen(call));
            cells.push((
                open.sum(),
                of_depth.clone().filter(starts).count() as u32,
                before.map(|call| call.function),
            ));
        }
    }
    cells
}

#[test]
fn cells_count_every_nanosecond_and_call_and_bars_are_all_long_calls() {
    let mut flame = Flame::default();
    let (mut functions, mut displaced) = (0, 0);
    for seed in 0..60 {
        let trace = random_trace(seed);
        let end = trace.duration().ns();
        for part in 0..4 {
            let from = end * (seed * 3 + part) % (end / 2 + 1);
            let to = [end + 1, end, from + (end - from) / 3, from + 9][part as usize];
            let range = TimeRange::new(Time::from_ns(from), Time::from_ns(to));
            let columns = Columns::new(range, 1 + ((seed + part) * 7 % 60) as u32);
            let count = columns.count() as usize;
            let depths = (seed % 3) as u32 * 2..[3, 9, 1000][part as usize % 3];
            let of = |k: usize| columns.start(k as u32).ns();
            let borders: Vec<u64> = (0..=count).map(of).collect();
            let column = (to - from) / columns.count().max(1) as u64;
            let of = FlameOf {
                columns,
                depths: depths.clone(),
                least: Cost::from_ns(1 + column * (seed % 4)),
                columns_of_cell: 1,
                is_near: false,
            };
            for thread in trace.thread_ids() {
                trace.flame(thread, &of, &mut flame);
                let calls = all_calls(&trace, thread);
                let deepest = trace.threads()[thread.index()].max_depth;
                let depths = depths.start.min(deepest)..depths.end.min(deepest);
                let expected = direct(&calls, &borders, &depths);
                assert_eq!(flame.cells.len(), expected.len());
                let place = |at: usize| format!("seed {seed}, part {part}, cell {at}");
                for (at, (cell, expected)) in flame.cells.iter().zip(&expected).enumerate() {
                    let found = (cell.open.ns(), cell.started);
                    assert_eq!(found, (expected.0, expected.1), "{}", place(at));
                    if expected.2.is_some() {
                        assert_eq!(cell.function, expected.2, "{}", place(at));
                        functions += 1;
                    }
                    assert!(cell.open == Cost::ZERO || cell.function.is_some());
                }
                let long = calls.iter().zip(0..).filter(|(call, _)| {
                    depths.contains(&call.depth)
                        && call.end.since(call.start) >= of.least
                        && call.start.ns() < to
                        && call.end.ns() > from
                });
                let mut expected: Vec<(u32, u32, Call)> =
                    long.map(|(call, id)| (call.depth, id, *call)).collect();
                expected.sort_by_key(|(depth, id, _)| (*depth, *id));
                let expected = if count == 0 { Vec::new() } else { expected };
                assert_eq!(flame.bars.len(), expected.len(), "{}", place(0));
                for (bar, (depth, id, call)) in flame.bars.iter().zip(expected) {
                    assert_eq!((bar.depth, bar.call), (depth, CallId(id)));
                    assert_eq!((bar.start, bar.end), (call.start, call.end));
                    assert_eq!(bar.function, call.function);
                    let overlaps = |k: &usize| {
                        borders[*k] < call.end.ns() && call.start.ns() < borders[*k + 1]
                    };
                    let mut over = (0..count).filter(overlaps);
                    assert_eq!(over.next(), Some(bar.first as usize), "{}", place(0));
                    let last = over.next_back().map_or(bar.first + 1, |k| k as u32 + 1);
                    assert_eq!(bar.last, last, "{}", place(0));
                }
                // Near: what is before a border is that up to no more than half a column beside it.
                let near = FlameOf {
                    is_near: true,
                    ..of.clone()
                };
                let (exact, rows) = (flame.cells.clone(), depths.len());
                trace.flame(thread, &near, &mut flame);
                let open_before = |row: usize, t: u64| -> u64 {
                    let of_row = calls
                        .iter()
                        .filter(|call| call.depth == depths.start + row as u32);
                    let open =
                        of_row.map(|call| call.end.ns().min(t).saturating_sub(call.start.ns()));
                    open.sum()
                };
                for row in 0..rows {
                    let mut sum = 0;
                    for k in 0..count {
                        sum += flame.cells[k * rows + row].open.ns();
                        displaced += usize::from(
                            flame.cells[k * rows + row].open != exact[k * rows + row].open,
                        );
                        let half = column.div_ceil(2) + 1;
                        let most = open_before(row, borders[k + 1] + half)
                            .saturating_sub(open_before(row, from.saturating_sub(half)));
                        let least = open_before(row, borders[k + 1].saturating_sub(half))
                            .saturating_sub(open_before(row, from + half));
                        assert!(
                            (least..=most).contains(&sum),
                            "{}: {least} to {most}, {sum}",
                            place(k * rows + row)
                        );
                    }
                }
                let mut sum = Flame::default();
                trace.flame_sum(thread, columns, false, &mut sum);
                let all = direct(&calls, &borders, &(0..deepest));
                for (k, cell) in sum.cells.iter().enumerate() {
                    let of_column = &all[k * deepest as usize..(k + 1) * deepest as usize];
                    let open = of_column.iter().map(|cell| cell.0).sum::<u64>();
                    let started = of_column.iter().map(|cell| cell.1).sum::<u32>();
                    assert_eq!(
                        (cell.open.ns(), cell.started),
                        (open, started),
                        "{}",
                        place(k)
                    );
                }
            }
        }
    }
    assert!(
        functions > 1000 && displaced > 100,
        "{functions} {displaced}"
    );
}

#[test]
fn what_is_left_out_is_found_exactly_however_many_calls_there_are() {
    let mut flame = Flame::default();
    let (mut uncounted, mut stopped) = (0, 0);
    for seed in 0..40 {
        let trace = random_trace(seed);
        let range = trace.range();
        let columns = Columns::new(range, 1 + (seed * 7 % 50) as u32);
        let of = FlameOf {
            columns,
            depths: 0..1000,
            least: Cost::from_ns(1 + seed % 5),
            columns_of_cell: 1,
            is_near: true,
        };
        let removes = |function: FunctionId| function.0 == (seed % 4) as u32;
        let cuts_below = |function: FunctionId, call: CallId| {
            function.0 == (seed % 3) as u32 && call.0.is_multiple_of(3)
        };
        let leave_out = LeaveOut {
            removes: &removes,
            cuts_below: &cuts_below,
        };
        for thread in trace.thread_ids() {
            trace.flame_without(thread, &of, &leave_out, &mut flame);
            uncounted += usize::from(!flame.is_counted);
            let never = || false;
            assert!(trace.flame_exactly(thread, &of, Some(&leave_out), &never, &mut flame));
            assert!(flame.is_counted && flame.is_exact);
            // By call around: its depth, and where its subcalls are drawn.
            let mut around: Vec<(u32, Option<u32>)> = Vec::new();
            let mut left = Vec::new();
            for (call, id) in all_calls(&trace, thread).into_iter().zip(0..) {
                while around.pop_if(|(depth, _)| *depth >= call.depth).is_some() {}
                let above = around.last().map_or(Some(0), |&(_, below)| below);
                let depth = above.filter(|_| !removes(call.function));
                let is_cut = cuts_below(call.function, CallId(id));
                let below = above.map(|at| at + u32::from(depth.is_some()));
                around.push((call.depth, below.filter(|_| !is_cut)));
                left.extend(depth.map(|depth| Call { depth, ..call }));
            }
            let borders: Vec<u64> = (0..=columns.count())
                .map(|k| columns.start(k).ns())
                .collect();
            let expected = direct(&left, &borders, &flame.depths.clone());
            assert_eq!(flame.cells.len(), expected.len());
            for (cell, expected) in flame.cells.iter().zip(expected) {
                let found = (cell.open.ns(), cell.started);
                assert_eq!(found, (expected.0, expected.1), "seed {seed}");
            }
            let always = || true;
            let is_whole = trace.flame_exactly(thread, &of, Some(&leave_out), &always, &mut flame);
            stopped += usize::from(!is_whole);
        }
    }
    assert!(uncounted > 10 && stopped > 10, "{uncounted} {stopped}");
}
