//! Through the public interface: the pixels of the temporal overview against coverage computed directly from
//! the calls.

use std::path::Path;
use std::sync::OnceLock;

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::facts::trace::{Call, Columns, Trace};
use callscape::filter::cut::Cut;
use callscape::filter::filters::Filters;
use callscape::filter::selection::{Pointed, Selection};
use callscape::layout::sheet::Sheet;
use callscape::look::image::Image;
use callscape::model::rows::OverviewRows;
use callscape::model::theme::Theme;
use callscape::render::gpu::Gpu;
use callscape::render::sheet::SheetRenderer;
use callscape::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape::views::Scope;
use callscape::views::flame::FlameView;
use callscape::views::mural::MuralView;
use callscape::warnings::{Place, Reporter};
use glam::Vec2;

use crate::common::Random;
use crate::render::read_png;

/// Four files of `functions` / 4 functions, and threads of random calls, some of which take no time.
pub fn session(seed: u64, functions: usize, events: u64) -> Session {
    let mut random = Random(seed);
    let mut hierarchy = HierarchyBuilder::new("application");
    let mut nodes = Vec::new();
    for file in 0..4 {
        let name = format!("file_{file}.c");
        let file = hierarchy.add(NodeId::ROOT, Module::named(ModuleKind::File, &name));
        for function in 0..functions / 4 {
            let name = format!("function_{function}");
            nodes.push(hierarchy.add(file, Module::named(ModuleKind::Function, &name)));
        }
    }
    let (hierarchy, modules) = hierarchy.build();
    let reporter = Reporter::new();
    let place = || Place::file("made here");
    let mut builder = TraceBuilder::new(&reporter);
    let ids: Vec<FunctionId> = (0..nodes.len())
        .map(|index| {
            let name = format!("function {index}");
            builder.function(Function {
                name: &name,
                ..Function::default()
            })
        })
        .collect();
    for thread in ["1", "2"] {
        let id = builder.thread("1", thread);
        let mut now = 0;
        for event in 0..events {
            now += if event == 0 {
                0
            } else {
                random.below(7) as i64
            };
            let open = builder.open_calls(id) as u64;
            let time = Timestamp::from_ns(now);
            if open == 0 || (open < 12 && random.below(12) >= open) {
                let most = random.below(ids.len() as u64);
                let function = random.below(1 + most);
                builder.enter(id, time, ids[function as usize], place);
            } else {
                builder.exit(id, time, None, place);
            }
        }
    }
    let (functions, trace) = builder.finish(place);
    Session {
        source_dir: None,
        hierarchy,
        recordings: vec![Resolved {
            recording: Recording {
                path: "made here".into(),
                format: "chrome-json",
                kind: RecordingKind::Trace,
                functions,
                trace,
                memory: None,
                lines: None,
                sampling: None,
                left_out: None,
                gaps: callscape::facts::gaps::Gaps::default(),
                failed: Vec::new(),
                played: None,
                revision: None,
                samples: 0,
                profile: None,
                weighed: None,
                warnings: Vec::new(),
            }
            .into(),
            resolution: Resolution {
                modules: nodes.iter().map(|node| modules[node.index()]).collect(),
                rules: vec![Rule::QualifiedName; nodes.len()],
            },
        }],
        source_warnings: Vec::new(),
        named: Default::default(),
    }
}

pub fn scope<'a>(
    session: &'a Session,
    selection: &'a Selection,
    filters: &'a Filters,
    theme: Theme,
    size: Vec2,
) -> Scope<'a> {
    Scope {
        session,
        recording: 0,
        selection,
        filters,
        theme,
        size,
        scale: 1.0,
    }
}

/// The calls of all threads.
pub fn all_calls(trace: &Trace) -> Vec<(ThreadId, Vec<Call>)> {
    let threads = trace.thread_ids().zip(trace.threads());
    threads
        .map(|(thread, info)| {
            let calls = (0..info.calls as u32).map(|id| trace.call(thread, CallId(id)));
            (thread, calls.collect())
        })
        .collect()
}

/// Rows in the order in which their first call comes.
fn rows_by_first_call(trace: &Trace, functions: usize) -> Vec<Option<u32>> {
    let mut calls: Vec<(Time, ThreadId, usize, FunctionId)> = Vec::new();
    for (thread, of_thread) in all_calls(trace) {
        let of_thread = of_thread.iter().enumerate();
        calls.extend(of_thread.map(|(id, call)| (call.start, thread, id, call.function)));
    }
    calls.sort_unstable();
    let mut rows = vec![None; functions];
    let mut next = 0;
    for (.., function) in calls {
        let row = &mut rows[function.index()];
        if row.is_none() {
            *row = Some(next);
            next += 1;
        }
    }
    rows
}

/// What a cell's alpha has to be: the shades of how long its rows are on the stack, and on top of it.
fn alpha(open: u64, top: u64, length: u64) -> f32 {
    let shade = |ns: u64| (ns as f32 / length as f32).min(1.0).sqrt();
    0.32 * shade(open) + 0.68 * shade(top)
}

/// Compares the cells of `view` with the time of every nanosecond of every call, `line_of` giving the line of a
/// function's row, and the rows that count as one.
fn compare(
    session: &Session,
    view: &MuralView,
    sheet: &Sheet,
    line_of: &dyn Fn(usize) -> Option<(u32, u32)>,
) {
    let trace = &session.recordings[0].recording.trace;
    let cells = &sheet.rasters[3];
    let [count, lines] = cells.size;
    let columns = Columns::new(view.visible(), count);
    // By row and column: on the stack, on top.
    let mut rows: std::collections::BTreeMap<(u32, u32, u32), [u64; 2]> = Default::default();
    for (_, calls) in all_calls(trace) {
        for k in 0..count {
            for ns in columns.start(k).ns()..columns.start(k + 1).ns() {
                let open = calls
                    .iter()
                    .filter(|call| call.start.ns() <= ns && ns < call.end.ns());
                let mut seen = Vec::new();
                let mut top = None;
                for call in open {
                    let Some(line) = line_of(call.function.index()) else {
                        continue;
                    };
                    if !seen.contains(&line) {
                        seen.push(line);
                    }
                    top = Some(line);
                }
                for (line, row) in seen {
                    let cell = rows.entry((line, k, row)).or_default();
                    cell[0] += 1;
                    cell[1] += u64::from(top == Some((line, row)));
                }
            }
        }
    }
    let mut expected = vec![[0u64; 2]; (lines * count) as usize];
    for ((line, k, _), [open, top]) in rows {
        let cell = &mut expected[(line * count + k) as usize];
        cell[0] += open;
        cell[1] += top;
    }
    assert_eq!(cells.pixels.len(), expected.len());
    for (at, (pixel, [open, top])) in cells.pixels.iter().zip(expected).enumerate() {
        let k = at as u32 % count;
        let length = columns.start(k + 1).since(columns.start(k)).ns();
        let expected = alpha(open, top, length) * 255.0;
        let found = f32::from(pixel[3]);
        assert!(
            (found - expected).abs() <= 1.01,
            "cell {at} of {count} × {lines}, {:?}: {found}, {expected}: {open} {top} of {length}",
            view.visible()
        );
    }
}

#[test]
fn mural_cells_are_exact_coverage_at_any_zoom() {
    let (selection, filters) = (Selection::default(), Filters::default());
    for (seed, functions) in [(1, 8), (2, 40), (3, 900)] {
        let session = session(seed, functions, 500);
        let trace = &session.recordings[0].recording.trace;
        let rows = rows_by_first_call(trace, functions);
        let count = rows.iter().flatten().count() as u32;
        let mut view = MuralView::new(&session, 0);
        let size = Vec2::new(260.0, 150.0);
        let scope = scope(&session, &selection, &filters, Theme::Light, size);
        let end = trace.duration().ns();
        for (from, to) in [(0, end), (end / 3, end / 2), (end / 2, end / 2 + 40)] {
            view.set_visible(TimeRange::new(Time::from_ns(from), Time::from_ns(to)));
            let sheet = view.show(&scope).clone();
            let lines = sheet.rasters[3].size[1];
            // More rows than pixels: several lie on one line.
            let line_of = |function: usize| {
                let row = rows[function]?;
                let line = u64::from(row) * u64::from(lines) / u64::from(count);
                Some((line as u32, row))
            };
            assert!(if functions == 900 {
                lines < count
            } else {
                lines == count
            });
            compare(&session, &view, &sheet, &line_of);
        }
    }
}

#[test]
fn mural_modules_count_once_however_deep_they_call_themselves() {
    let (selection, filters) = (Selection::default(), Filters::default());
    let session = session(5, 40, 600);
    let resolved = &session.recordings[0];
    let mut view = MuralView::new(&session, 0);
    let cut = Cut::at_level(&session.hierarchy, 1);
    view.set_rows(&session, OverviewRows::Modules(cut), None);
    let scope = scope(
        &session,
        &selection,
        &filters,
        Theme::Dark,
        Vec2::new(300.0, 200.0),
    );
    let sheet = view.show(&scope).clone();
    assert_eq!(sheet.rasters[3].size[1], 4);
    let line_of = |function: usize| {
        let file = session
            .hierarchy
            .parent(resolved.resolution.modules[function])?;
        let files = session.hierarchy.children(ModuleId::ROOT);
        let line = files.into_iter().position(|module| module == file)? as u32;
        Some((line, line))
    };
    compare(&session, &view, &sheet, &line_of);
}

#[test]
fn mural_rows_of_a_range_are_what_runs_in_it_in_the_order_in_which_it_begins() {
    let (selection, filters) = (Selection::default(), Filters::default());
    for seed in 0..6 {
        let session = session(seed + 20, 40, 900);
        let resolved = &session.recordings[0];
        let trace = &resolved.recording.trace;
        let end = trace.duration().ns();
        let level = Cut::at_level(&session.hierarchy, 1);
        for (from, to) in [(0, end / 5), (end / 3, end / 3 + 400), (end / 2, end)] {
            let range = TimeRange::new(Time::from_ns(from), Time::from_ns(to));
            let mut calls: Vec<(Time, ThreadId, usize, FunctionId)> = Vec::new();
            let metrics = trace.function_metrics(Some(range));
            for (thread, of_thread) in all_calls(trace) {
                let of_thread = of_thread.iter().enumerate();
                let inside = of_thread.filter(|(_, call)| {
                    metrics[call.function.index()].calls > 0
                        && call.start < range.end
                        && (call.start >= range.start || call.end > range.start)
                });
                calls.extend(inside.map(|(id, call)| {
                    let start = call.start.max(range.start);
                    (start, thread, id, call.function)
                }));
            }
            calls.sort_unstable();
            let file = |function: FunctionId| {
                let module = resolved.resolution.modules[function.index()];
                session.hierarchy.parent(module).expect("a file")
            };
            for by_module in [false, true] {
                let mut view = MuralView::new(&session, 0);
                let rows = match by_module {
                    true => OverviewRows::ModulesByFirstCall(level.clone()),
                    false => OverviewRows::FirstCall,
                };
                view.set_rows(&session, rows, Some(range));
                let size = Vec2::new(400.0, 900.0);
                let scope = scope(&session, &selection, &filters, Theme::Light, size);
                let cells = view.show(&scope).rasters[3].clone();
                let high = cells.rect.size().y / cells.size[1] as f32;
                let name = |pointed: Pointed| match by_module {
                    true => pointed.module.expect("a row"),
                    false => resolved.resolution.modules[pointed.function.expect("a row").index()],
                };
                let shown: Vec<ModuleId> = (0..cells.size[1])
                    .map(|line| cells.rect.min.y + (line as f32 + 0.5) * high)
                    .map(|y| name(view.pointed(Vec2::new(300.0, y))))
                    .collect();
                let mut expected: Vec<ModuleId> = Vec::new();
                for &(.., function) in &calls {
                    let module = match by_module {
                        true => file(function),
                        false => resolved.resolution.modules[function.index()],
                    };
                    if !expected.contains(&module) {
                        expected.push(module);
                    }
                }
                assert_eq!(shown, expected, "{seed} {from} {by_module}");
                assert!(by_module || expected.len() > 4);
            }
        }
    }
}

#[test]
fn mural_rows_of_a_range_with_many_functions_begin_from_left_to_right() {
    let (selection, filters) = (Selection::default(), Filters::default());
    let session = session(31, 2400, 9000);
    let trace = &session.recordings[0].recording.trace;
    let end = trace.duration().ns();
    let range = TimeRange::new(Time::from_ns(end / 5), Time::from_ns(end));
    let mut first = vec![Time::MAX; 2400];
    for (_, of_thread) in all_calls(trace) {
        for call in of_thread {
            if call.start < range.end && (call.start >= range.start || call.end > range.start) {
                let first = &mut first[call.function.index()];
                *first = call.start.max(range.start).min(*first);
            }
        }
    }
    let mut view = MuralView::new(&session, 0);
    view.set_rows(&session, OverviewRows::FirstCall, Some(range));
    let size = Vec2::new(400.0, 4000.0);
    let scope = scope(&session, &selection, &filters, Theme::Light, size);
    let cells = view.show(&scope).rasters[3].clone();
    let high = cells.rect.size().y / cells.size[1] as f32;
    let rows = (0..cells.size[1]).map(|line| cells.rect.min.y + (line as f32 + 0.5) * high);
    let begins: Vec<u64> = rows
        .map(|y| view.pointed(Vec2::new(300.0, y)).function.expect("a row"))
        .map(|function| first[function.index()].ns())
        .collect();
    assert!(begins.len() > 1200, "{}", begins.len());
    // To a part of the range.
    let part = range.length().ns() / 512 + 2;
    assert!(begins.windows(2).all(|pair| pair[0] <= pair[1] + part));
}

#[test]
fn mural_points_at_the_row_that_it_draws() {
    let (selection, filters) = (Selection::default(), Filters::default());
    let session = session(6, 24, 600);
    let trace = &session.recordings[0].recording.trace;
    let rows = rows_by_first_call(trace, 24);
    let mut view = MuralView::new(&session, 0);
    let scope = scope(
        &session,
        &selection,
        &filters,
        Theme::Light,
        Vec2::new(640.0, 300.0),
    );
    for zoom in [1.0, 1.7, 1.3, 0.5] {
        view.zoom(Vec2::new(400.0, 200.0), Vec2::new(zoom, zoom));
        view.pan(Vec2::new(3.0, -8.0));
        let sheet = view.show(&scope).clone();
        let cells = &sheet.rasters[3];
        let high = cells.rect.size().y / cells.size[1] as f32;
        let mut pointed = 0;
        for line in 0..cells.size[1] {
            let y = cells.rect.min.y + (line as f32 + 0.5) * high;
            let found = view.pointed(Vec2::new(400.0, y));
            if let Some(function) = found.function {
                pointed += 1;
                let first = view
                    .pointed(Vec2::new(400.0, cells.rect.min.y + 1.5 * high))
                    .function;
                let first = first
                    .and_then(|function| rows[function.index()])
                    .expect("a row");
                assert_eq!(rows[function.index()], Some(first + line - 1));
                assert!(view.tip(&session, Vec2::new(400.0, y)).is_some());
            }
            let time = found.time.expect("within the plot");
            assert!(view.visible().contains(time));
        }
        assert!(pointed > 3, "{pointed}");
    }
}

fn paint(sheet: &Sheet, size: Vec2, theme: Theme) -> Image {
    let mut renderer = SheetRenderer::new(gpu(), wgpu::TextureFormat::Rgba8UnormSrgb);
    let size = [size.x as u32, size.y as u32];
    renderer
        .image(gpu(), sheet, size, theme)
        .expect("a picture")
}

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::headless().unwrap_or_else(|error| panic!("{error}")))
}

/// Draws both views of a made-up recording in both themes; `CALLSCAPE_GOLDEN` writes the pictures anew.
#[test]
fn mural_and_flame_look_as_they_did() {
    let session = session(11, 60, 4000);
    let trace = &session.recordings[0].recording.trace;
    let at = |share: f64| Time::from_ns((trace.duration().ns() as f64 * share) as u64);
    let mut selection = Selection {
        time: at(0.6),
        range: Some(TimeRange::new(at(0.25), at(0.8))),
        ..Selection::default()
    };
    selection.pointed.function = Some(FunctionId(1));
    let filters = Filters::default();
    let size = Vec2::new(640.0, 240.0);
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let scope = scope(&session, &selection, &filters, theme, size);
        let mut mural = MuralView::new(&session, 0);
        let mut flame = FlameView::new(&session, 0);
        flame.set_visible(TimeRange::new(at(0.4), at(0.7)));
        for (view, sheet) in [("mural", mural.show(&scope)), ("flame", flame.show(&scope))] {
            let image = paint(sheet, size, theme);
            let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
            let path = golden.join(format!("{view}-{name}.png"));
            if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
                image.write_png(&path).expect("a file");
                continue;
            }
            let expected = read_png(&path);
            assert_eq!(
                (expected.width, expected.height),
                (image.width, image.height)
            );
            let parts = expected.rgba.iter().zip(&image.rgba);
            let sum: u64 = parts.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            // Letters are drawn a little differently by other drivers.
            let mean = sum as f64 / image.rgba.len() as f64;
            assert!(mean < 2.0, "{view}-{name}: {mean} on average");
        }
    }
}
