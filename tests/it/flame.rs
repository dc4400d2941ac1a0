//! Through the public interface: what the call stack view draws against the calls themselves.

use std::time::Duration;

use callscape::facts::trace::{Call, Columns, Flame, FlameOf, LeaveOut, Trace};
use callscape::filter::filters::{FilterStep, Filters};
use callscape::filter::operations::Kept;
use callscape::filter::selection::{CallOf, Selection};
use callscape::layout::axis::TimeAxis;
use callscape::layout::sheet::Sheet;
use callscape::model::theme::Theme;
use callscape::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape::views::flame::FlameView;
use glam::Vec2;

use crate::common::Random;
use crate::mural::{all_calls, scope, session};

#[test]
fn flame_draws_wide_calls_as_boxes_and_narrow_ones_by_what_they_cover() {
    let (selection, filters) = (Selection::default(), Filters::default());
    for (seed, events) in [(1, 300), (2, 4000)] {
        let session = session(seed, 20, events);
        let trace = &session.recordings[0].recording.trace;
        let end = trace.duration().ns();
        let size = Vec2::new(500.0, 900.0);
        let mut view = FlameView::new(&session, 0);
        for (from, to) in [(0, end), (end / 3, end / 2), (end / 2, end / 2 + 30)] {
            view.set_visible(TimeRange::new(Time::from_ns(from), Time::from_ns(to)));
            let sheet = view
                .show(&scope(&session, &selection, &filters, Theme::Light, size))
                .clone();
            let mut axis = TimeAxis::new(trace.range());
            axis.place(0.0, size.x);
            axis.set_range(TimeRange::new(Time::from_ns(from), Time::from_ns(to)));
            let (columns, _) = axis.columns();
            let mut narrow = 0;
            for ((_, calls), raster) in all_calls(trace).iter().zip(&sheet.rasters[1..]) {
                let [count, depths] = raster.size;
                assert_eq!(count, columns.count());
                let row = raster.rect.size().y / depths as f32;
                for depth in 0..depths {
                    let y = raster.rect.min.y + row * (depth as f32 + 0.3);
                    let of_depth = calls.iter().filter(|call| call.depth == depth);
                    let mut boxed = vec![false; count as usize];
                    for call in of_depth.clone() {
                        let [left, right] = [call.start, call.end].map(|time| axis.x_of(time));
                        if right - left < 3.0 || right <= 0.0 || left >= size.x {
                            continue;
                        }
                        let x = left.max(-3.0);
                        let found = sheet.fills.iter().any(|fill| {
                            let is_here = fill.rect.min.y <= y && y < fill.rect.max.y;
                            is_here && (fill.rect.min.x - x).abs() < 0.01
                        });
                        assert!(found, "a box from {left} to {right} at depth {depth}");
                        for k in 0..count {
                            let [start, end] = [k, k + 1].map(|k| columns.start(k));
                            boxed[k as usize] |= call.start < end && start < call.end;
                        }
                    }
                    for k in (0..count).filter(|&k| !boxed[k as usize]) {
                        let [start, end] = [k, k + 1].map(|k| columns.start(k).ns());
                        let mut open = 0;
                        let mut any = false;
                        for call in of_depth.clone() {
                            let (from, to) = (call.start.ns().max(start), call.end.ns().min(end));
                            open += to.saturating_sub(from);
                            any |= from < to || (start..end).contains(&call.start.ns());
                        }
                        narrow += u32::from(any);
                        let alpha = raster.pixels[(depth * count + k) as usize][3];
                        let share = open as f32 / (end - start) as f32;
                        let expected = if any {
                            (0.16 + 0.84 * share) * 255.0
                        } else {
                            0.0
                        };
                        let is_near = (f32::from(alpha) - expected).abs() < 2.0;
                        // Columns of a nanosecond or two differ in length.
                        let is_even =
                            (columns.start(1).ns() - columns.start(0).ns()) == end - start;
                        assert!(
                            is_near || !is_even,
                            "{alpha}, not {expected}, at {k}, depth {depth}"
                        );
                        assert_eq!(alpha > 0, any);
                    }
                }
            }
            assert!(narrow > 50 || to - from < 500, "{narrow}");
        }
    }
}

/// How many pixels of the rasters of `sheet` differ from what calls too narrow for boxes cover, and how many do not.
fn held_against_calls(
    sheet: &Sheet,
    trace: &Trace,
    axis: &TimeAxis,
    depths_of: impl Fn(ThreadId, &[Call]) -> Vec<Option<u32>>,
) -> [usize; 2] {
    let (columns, _) = axis.columns();
    let mut found = [0, 0];
    for ((thread, calls), raster) in all_calls(trace).iter().zip(&sheet.rasters[1..]) {
        let [cells, depths] = raster.size;
        let count = columns.count();
        let at = |depth: u32, k: u32| (depth * count + k) as usize;
        let mut open = vec![0; (count * depths) as usize];
        let mut there = vec![false; open.len()];
        let mut boxed = vec![false; open.len()];
        for (call, depth) in calls.iter().zip(depths_of(*thread, calls)) {
            let Some(depth) = depth.filter(|&depth| depth < depths) else {
                continue;
            };
            let [left, right] = [call.start, call.end].map(|time| axis.x_of(time));
            let first = (left.max(0.0) as u32).saturating_sub(1);
            for k in first..((right + 2.0).max(0.0) as u32).min(count) {
                let [start, end] = [k, k + 1].map(|k| columns.start(k).ns());
                let (from, to) = (call.start.ns().max(start), call.end.ns().min(end));
                open[at(depth, k)] += to.saturating_sub(from);
                there[at(depth, k)] |= from < to || (start..end).contains(&call.start.ns());
                boxed[at(depth, k)] |= right - left >= 3.0 && from < to;
            }
        }
        for depth in 0..depths {
            for k in (0..count).filter(|&k| !boxed[at(depth, k)]) {
                let length = columns.start(1).since(columns.start(0)).ns();
                let share = (open[at(depth, k)] as f32 / length as f32).min(1.0);
                let expected = if there[at(depth, k)] {
                    (0.16 + 0.84 * share) * 255.0
                } else {
                    0.0
                };
                let cell = u64::from(k) * u64::from(cells) / u64::from(count);
                let alpha = raster.pixels[(depth * cells + cell as u32) as usize][3];
                let is_so = (f32::from(alpha) - expected).abs() < 2.0;
                found[usize::from(is_so)] += 1;
            }
        }
    }
    found
}

#[test]
fn flame_shows_many_calls_at_once_and_then_exactly() {
    let session = session(3, 20, 120_000);
    let trace = &session.recordings[0].recording.trace;
    let modules = &session.recordings[0].resolution.modules;
    let selection = Selection::default();
    let removed = FunctionId(3);
    let left_out = Filters::new([FilterStep::RemoveModule(modules[removed.index()])]);
    // Cells of three columns are no whole pixels.
    let size = Vec2::new(601.0, 900.0);
    for filters in [Filters::default(), left_out] {
        let mut view = FlameView::new(&session, 0);
        let scope = scope(&session, &selection, &filters, Theme::Light, size);
        let first = view.show(&scope).clone();
        assert!(view.is_waiting());
        while view.is_waiting() {
            std::thread::sleep(Duration::from_millis(2));
            view.show(&scope);
        }
        let last = view.show(&scope).clone();
        let mut axis = TimeAxis::new(trace.range());
        axis.place(0.0, size.x);
        let depths_of = |_, calls: &[Call]| {
            let mut around: Vec<(u32, u32)> = Vec::new();
            let place = |call: &Call| {
                while around.pop_if(|(depth, _)| *depth >= call.depth).is_some() {}
                let removed_around = around.last().map_or(0, |&(_, removed)| removed);
                let is_removed = !filters.is_empty() && call.function == removed;
                around.push((call.depth, removed_around + u32::from(is_removed)));
                (!is_removed).then_some(call.depth - removed_around)
            };
            calls.iter().map(place).collect()
        };
        let [wrong, right] = held_against_calls(&last, trace, &axis, depths_of);
        assert!(wrong == 0 && right > 2000, "{wrong} of {right}");
        let [wrong, right] = held_against_calls(&first, trace, &axis, depths_of);
        let cells = if filters.is_empty() { 201 } else { 601 };
        assert_eq!(first.rasters[1].size[0], cells);
        assert!(wrong > 0, "{wrong} of {right}");
    }
}

#[test]
fn flame_leaves_out_what_the_filter_operations_leave_out() {
    let mut random = Random(9);
    for seed in 0..30 {
        let session = session(seed, 12, 700);
        let trace = &session.recordings[0].recording.trace;
        let removed = random.below(12) as u32;
        let cut = random.below(12) as u32;
        let cut_call = random.below(200) as u32;
        let removes = |function: FunctionId| function.0 == removed;
        let cuts = |function: FunctionId, call: CallId| function.0 == cut || call.0 == cut_call;
        let kept = Kept::all(trace)
            .without_triggered_by(|_, kept| cuts(kept.call.function, kept.id))
            .without_functions(removes);
        let leave_out = LeaveOut {
            removes: &removes,
            cuts_below: &cuts,
        };
        let end = trace.duration().ns();
        let from = random.below(end / 2);
        let range = TimeRange::new(
            Time::from_ns(from),
            Time::from_ns(from + 1 + random.below(end / 2)),
        );
        let columns = Columns::new(range, 40);
        let mut flame = Flame::default();
        for thread in trace.thread_ids() {
            let of = FlameOf {
                columns,
                depths: 0..u32::MAX,
                least: Cost::from_ns(1 + random.below(40)),
                columns_of_cell: 1,
                is_near: seed % 2 == 0,
            };
            trace.flame_without(thread, &of, &leave_out, &mut flame);
            assert!(flame.is_counted);
            let count = columns.count();
            let mut depths: Vec<u32> = Vec::new();
            let mut seen = 0;
            let mut started = 0;
            for kept in kept.calls(thread) {
                let depth = kept.parent.map_or(0, |parent| depths[parent] + 1);
                depths.push(depth);
                let bar = flame.bars.iter().find(|bar| bar.call == kept.id);
                let overlaps = kept.call.start < range.end && range.start < kept.call.end;
                if overlaps && kept.call.cost() >= of.least {
                    assert_eq!(bar.map(|bar| bar.depth), Some(depth), "seed {seed}");
                    seen += 1;
                }
                for k in 0..count {
                    let within = columns.start(k)..columns.start(k + 1);
                    started += u32::from(within.contains(&kept.call.start));
                }
            }
            assert_eq!(flame.bars.len(), seen, "seed {seed}");
            assert_eq!(
                flame.cells.iter().map(|cell| cell.started).sum::<u32>(),
                started
            );
            let all = (0..trace.threads()[thread.index()].calls as u32)
                .map(|id| trace.call(thread, CallId(id)));
            let window = range.start..range.end;
            let all = all.filter(|call| window.contains(&call.start)).count() as u64;
            assert_eq!(flame.left_out, all - u64::from(started), "seed {seed}");
            // Of every column and depth the time that kept calls cover.
            for depth in flame.depths.clone() {
                for k in 0..count {
                    let cell = flame.cell(k, depth).expect("asked for");
                    let [start, end] = [k, k + 1].map(|k| columns.start(k).ns());
                    let of_depth = kept
                        .calls(thread)
                        .iter()
                        .zip(&depths)
                        .filter(|&(_, &of)| of == depth);
                    let open = of_depth.map(|(kept, _)| {
                        let (from, to) =
                            (kept.call.start.ns().max(start), kept.call.end.ns().min(end));
                        to.saturating_sub(from)
                    });
                    assert_eq!(cell.open.ns(), open.sum::<u64>(), "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn flame_finds_the_call_under_a_point_and_brings_calls_into_sight() {
    let (selection, mut filters) = (Selection::default(), Filters::default());
    let session = session(3, 20, 900);
    let trace = &session.recordings[0].recording.trace;
    let size = Vec2::new(800.0, 240.0);
    let mut view = FlameView::new(&session, 0);
    for (thread, calls) in all_calls(trace) {
        for (id, call) in (0..).map(CallId).zip(&calls).step_by(17) {
            let of = CallOf { thread, call: id };
            view.show(&scope(&session, &selection, &filters, Theme::Dark, size));
            view.fit(&session, of);
            view.show(&scope(&session, &selection, &filters, Theme::Dark, size));
            let visible = view.visible();
            assert!(visible.contains(call.start) && visible.contains(call.end));
            if call.cost().ns() == 0 {
                continue;
            }
            let mut axis = TimeAxis::new(trace.range());
            axis.place(0.0, size.x);
            axis.set_range(visible);
            let x = (axis.x_of(call.start) + axis.x_of(call.end)) * 0.5;
            let found = (0..size.y as u32).map(|y| view.pointed(Vec2::new(x, y as f32)));
            let mut found = found.filter(|pointed| pointed.call == Some(of));
            let pointed = found.next().expect("in sight");
            assert_eq!(pointed.function, Some(call.function));
            assert_eq!(pointed.thread, Some(thread));
        }
    }
    let thread = trace.thread_ids().next().expect("two");
    filters.add(FilterStep::HideThread(thread));
    view.show(&scope(&session, &selection, &filters, Theme::Dark, size));
    let threads = (0..size.y as u32).filter_map(|y| view.pointed(Vec2::new(9.0, y as f32)).thread);
    assert!(threads.into_iter().all(|shown| shown != thread));
}
