//! Through the public interface: the landscape of a small session, laid out, played and drawn.

use std::collections::BTreeMap;

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Resolved, Session};
use callscape::app::headless::{PictureSettings, Studio, Viewpoint};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::filter::cut::Cut;
use callscape::filter::selection::{Pointed, Selection};
use callscape::layout::geometry::{Arc, Arcs, BlockKind};
use callscape::render::camera::Camera;
use callscape::render::gpu::Gpu;
use callscape::render::image::Image;
use callscape::render::renderer::{Frame, Quality, Renderer};
use callscape::render::theme::Theme;
use callscape::units::{Cost, ModuleId, Time, TimeRange};
use callscape::views::landscape::{
    ArcMode, Highlight, LandscapeSettings, LandscapeView, Moment, Scale, Surface,
};
use callscape::views::metrics::Metric;
use callscape::warnings::{Place, Reporter};

use glam::{Vec2, Vec3};

use crate::common::{Random, callscape};

const DIRECTORIES: u32 = 6;
const FILES: u32 = 5;
const FUNCTIONS: u32 = 8;

/// A source tree of 6 directories with 5 files of 8 functions each, and a recording in which random
/// functions call each other for a millisecond.
fn session(seed: u64) -> Session {
    let mut random = Random(seed);
    let mut builder = HierarchyBuilder::new("application");
    let mut functions = Vec::new();
    for directory in 0..DIRECTORIES {
        let name = format!("district_{directory}");
        let directory = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, &name));
        for file in 0..FILES {
            let name = format!("file_{file}.c");
            let file = builder.add(directory, Module::named(ModuleKind::File, &name));
            for function in 0..FUNCTIONS {
                let name = format!("function_{function}");
                let loc = 1 + random.below(60) as u32;
                let function = Module {
                    loc,
                    ..Module::named(ModuleKind::Function, &name)
                };
                functions.push(builder.add(file, function));
            }
        }
    }
    let (hierarchy, modules) = builder.build();

    let reporter = Reporter::new();
    let mut trace = TraceBuilder::new(&reporter);
    let ids: Vec<_> = (0..functions.len())
        .map(|index| {
            let name = format!("function {index}");
            trace.function(Function {
                name: &name,
                ..Function::default()
            })
        })
        .collect();
    let place = || Place::file("made here");
    let thread = trace.thread("1", "1");
    for ns in 0..1_000_000 / 500 {
        let time = Timestamp::from_ns(ns * 500);
        let open = trace.open_calls(thread) as u64;
        if open == 0 || (open < 9 && random.below(9) >= open) {
            // A tenth of the functions, from all districts, do most of the work.
            let step = if random.below(4) == 0 { 1 } else { 10 };
            let function = random.below(functions.len() as u64 / step) * step;
            trace.enter(thread, time, ids[function as usize], place);
        } else {
            trace.exit(thread, time, None, place);
        }
    }
    let (functions_table, trace) = trace.finish(place);
    Session {
        source_dir: None,
        hierarchy,
        recordings: vec![Resolved {
            recording: Recording {
                path: "made here".into(),
                format: "chrome-json",
                kind: RecordingKind::Trace,
                functions: functions_table,
                trace,
                profile: None,
                samples: 0,
                warnings: reporter.warnings(),
            }
            .into(),
            resolution: Resolution {
                modules: functions.iter().map(|node| modules[node.index()]).collect(),
                rules: vec![Rule::QualifiedName; functions.len()],
            },
        }],
        source_warnings: Vec::new(),
    }
}

fn moment(ns: u64) -> Option<Moment> {
    Some(Moment {
        recording: 0,
        time: Time::from_ns(ns),
        previous: Time::from_ns(ns.saturating_sub(20_000)),
        ..Moment::default()
    })
}

fn settings() -> LandscapeSettings {
    LandscapeSettings {
        half_life: Cost::from_ns(5_000),
        ..LandscapeSettings::default()
    }
}

#[test]
fn what_runs_glows_and_tints_its_modules_up_to_the_root() {
    let session = session(1);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    assert_eq!(view.blocks().len(), session.hierarchy.len());
    let trace = &session.recordings[0].recording.trace;
    let modules = &session.recordings[0].resolution.modules;
    for ns in [0, 1, 250_000, 500_000, 999_000, 10_000] {
        view.show(&session, moment(ns));
        let mut stack = Vec::new();
        for thread in trace.thread_ids() {
            trace.stack_at(thread, Time::from_ns(ns), &mut stack);
            for &call in &stack {
                let module = modules[trace.call(thread, call).function.index()];
                for above in session.hierarchy.ancestors(module) {
                    let glow = view.looks()[above.index()].glow;
                    let expected = if above == module {
                        1.0..=1.0
                    } else {
                        0.01..=0.99
                    };
                    assert!(expected.contains(&glow), "{glow} of {above:?} at {ns}");
                }
            }
        }
    }
    view.show(&session, None);
    assert!(
        view.looks()
            .iter()
            .all(|look| look.glow == 0.0 && look.rise == 0.0)
    );
}

#[test]
fn changed_looks_are_all_that_changed() {
    let session = session(2);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    let mut uploaded = view.looks().to_vec();
    let mut random = Random(3);
    for _ in 0..60 {
        view.show(&session, moment(random.below(1_000_000)));
        for range in view.changed_looks() {
            let range = range.start as usize..range.end as usize;
            uploaded[range.clone()].copy_from_slice(&view.looks()[range]);
        }
        assert_eq!(uploaded, view.looks());
    }
}

#[test]
fn a_moment_looks_the_same_whatever_was_shown_before() {
    let session = session(4);
    let settings = settings();
    let mut wandering = LandscapeView::new(&session, &settings, &Cut::all());
    let mut random = Random(5);
    for _ in 0..20 {
        let at = moment(random.below(1_000_000));
        wandering.show(&session, at);
        let mut fresh = LandscapeView::new(&session, &settings, &Cut::all());
        fresh.show(&session, at);
        assert_eq!(wandering.looks(), fresh.looks());
        let curves = |view: &LandscapeView| {
            let Arcs { arcs, points } = view.arcs().clone();
            let of = |arc: &Arc| points[arc.first_point as usize..][..arc.points as usize].to_vec();
            let paths: Vec<Vec<Vec3>> = arcs.iter().map(of).collect();
            let looks: Vec<Arc> = arcs
                .iter()
                .map(|&arc| Arc {
                    first_point: 0,
                    ..arc
                })
                .collect();
            (paths, looks)
        };
        assert_eq!(curves(&wandering), curves(&fresh));
    }
}

#[test]
fn collapsed_modules_show_what_they_hold() {
    let session = session(6);
    let cut = Cut::at_level(&session.hierarchy, 1);
    let mut view = LandscapeView::new(&session, &settings(), &cut);
    assert_eq!(view.blocks().len(), 1 + DIRECTORIES as usize);
    view.show(&session, moment(500_000));
    assert!(view.looks()[1..].iter().any(|look| look.glow == 1.0));
    assert!(view.arcs().arcs.iter().any(|arc| arc.outlined));
    let all = view.module_facts(&session, ModuleId::ROOT);
    let trace = &session.recordings[0].recording.trace;
    assert_eq!(all.calls, trace.calls());
    let parts = session.hierarchy.children(ModuleId::ROOT);
    let parts = parts.map(|id| view.module_facts(&session, id).calls);
    assert_eq!(all.calls, parts.sum::<u64>());
}

#[test]
fn arcs_count_what_was_called_and_can_be_limited_to_the_step() {
    let session = session(7);
    let count = |arcs: ArcMode| {
        let settings = LandscapeSettings { arcs, ..settings() };
        let mut view = LandscapeView::new(&session, &settings, &Cut::all());
        view.show(&session, moment(600_000));
        let relations = view.arcs().arcs.iter().filter(|arc| !arc.outlined);
        relations.count() + view.arcs_left_out()
    };
    let trace = &session.recordings[0].recording.trace;
    let relations = trace.running(Time::from_ns(600_000));
    let between = relations
        .iter()
        .filter(|relation| relation.caller != relation.callee);
    assert_eq!(count(ArcMode::All), between.count());
    assert!((1..count(ArcMode::All)).contains(&count(ArcMode::Step)));
    assert_eq!(count(ArcMode::None), 0);
}

/// The calls between functions among `calls`, directly from the calls.
fn counted(session: &Session, is_counted: impl Fn(Time) -> bool) -> BTreeMap<(u32, u32), u64> {
    let trace = &session.recordings[0].recording.trace;
    let mut counts = BTreeMap::new();
    for thread in trace.thread_ids() {
        let mut open: Vec<u32> = Vec::new();
        trace.calls_in(thread, trace.range(), u32::MAX, |_, call| {
            open.truncate(call.depth as usize);
            if let Some(&caller) = open.last()
                && caller != call.function.0
                && is_counted(call.start)
            {
                *counts.entry((caller, call.function.0)).or_insert(0) += 1;
            }
            open.push(call.function.0);
        });
    }
    counts
}

#[test]
fn the_running_summary_counts_from_the_start_of_the_range_forward_and_back() {
    let session = session(17);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    let modules = &session.recordings[0].resolution.modules;
    let range = TimeRange::new(Time::from_ns(300_000), Time::from_ns(900_000));
    let mut times: Vec<u64> = (0..12).map(|step| 300_000 + step * 50_000).collect();
    times.extend([620_001, 310_500, 300_000]);
    for ns in times {
        for range in [None, Some(range)] {
            let start = range.map_or(Time::ZERO, |range| range.start);
            let at = moment(ns).map(|at| Moment { range, ..at });
            view.show(&session, at);
            let (previous, time) = at.map(|at| (at.previous, at.time)).expect("a moment");
            let all = counted(&session, |t| start <= t && t <= time);
            let step = counted(&session, |t| start <= t && t <= time && previous < t);
            let shown: BTreeMap<_, _> = view
                .relations()
                .map(|it| ((it.from, it.to), (it.calls, it.step_calls)))
                .collect();
            assert_eq!(shown.len() + view.arcs_left_out(), all.len(), "at {ns}");
            for (pair, calls) in all {
                let on = |function: u32| modules[function as usize];
                if let Some(&(of_all, of_step)) = shown.get(&(on(pair.0), on(pair.1))) {
                    assert_eq!(of_all, calls, "{pair:?} at {ns}");
                    assert_eq!(of_step, step.get(&pair).copied().unwrap_or(0), "{pair:?}");
                }
            }
        }
    }
}

#[test]
fn a_summary_counts_everything_in_its_range_and_stands_still() {
    let session = session(18);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    let at = |time: u64| {
        moment(time).map(|at| Moment {
            summary: true,
            ..at
        })
    };
    view.show(&session, at(1_000));
    let all = counted(&session, |_| true);
    let shown: u64 = view.relations().map(|it| it.calls).sum();
    assert!(view.arcs_left_out() + view.relations().count() == all.len());
    assert!(shown <= all.values().sum::<u64>() && shown * 10 > all.values().sum::<u64>() * 3);
    assert!(
        view.arcs().arcs.iter().all(|arc| !arc.outlined),
        "no hyperarc"
    );
    assert!(view.looks().iter().all(|look| look.rise == 0.0));
    let (looks, arcs) = (view.looks().to_vec(), view.arcs().arcs.len());
    view.show(&session, at(900_000));
    assert_eq!(view.looks(), looks);
    assert_eq!(view.arcs().arcs.len(), arcs);
}

#[test]
fn counts_stand_at_arcs_with_what_the_cel_added() {
    let session = session(19);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    view.show(&session, moment(700_000));
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let camera = callscape::render::camera::Camera {
        eye: middle + glam::Vec3::new(0.0, -900.0, 900.0),
        target: middle,
        fov_y: 0.7,
    };
    let size = glam::Vec2::new(1600.0, 1000.0);
    view.label(&session, &Selection::default(), &[], &camera, size, 14.0);
    let counts: Vec<&str> = view
        .screen_labels()
        .iter()
        .map(|label| label.text.as_str())
        .filter(|text| text.starts_with(|first: char| first.is_ascii_digit()))
        .collect();
    assert!(!counts.is_empty(), "{:?}", view.screen_labels());
    let of_cel = view.relations().filter(|it| it.step_calls > 0);
    let expected: Vec<String> = of_cel
        .map(|it| match it.step_calls {
            all if all == it.calls => format!("{all}"),
            step => format!("{} +{step}", it.calls),
        })
        .collect();
    for count in counts {
        assert!(
            expected.iter().any(|it| it == count),
            "{count} {expected:?}"
        );
    }
}

#[test]
fn a_call_of_a_nanosecond_in_the_cel_is_seen() {
    let session = session(20);
    let settings = LandscapeSettings {
        // What ended a microsecond ago has faded.
        half_life: Cost::from_ns(100),
        ..settings()
    };
    let mut view = LandscapeView::new(&session, &settings, &Cut::all());
    let at = moment(500_000).expect("a moment");
    view.show(&session, Some(at));
    let trace = &session.recordings[0].recording.trace;
    let modules = &session.recordings[0].resolution.modules;
    for thread in trace.thread_ids() {
        let cel = TimeRange::new(at.previous + Cost::from_ns(1), at.time);
        trace.calls_in(thread, cel, u32::MAX, |_, call| {
            let look = view.looks()[modules[call.function.index()].index()];
            assert!(look.glow >= 0.25 && look.rise > 0.0, "{call:?} {look:?}");
        });
    }
}

#[test]
fn a_ray_meets_the_module_that_its_pixel_names() {
    let session = session(8);
    let view = LandscapeView::new(&session, &settings(), &Cut::all());
    for module in session
        .hierarchy
        .modules()
        .filter(|&id| session.hierarchy.is_leaf(id))
    {
        let (min, max) = view.bounds(module).expect("every module has a block");
        let above = ((min + max) * 0.5).with_z(500.0);
        let hit = view.pick(above, glam::Vec3::NEG_Z);
        assert_eq!(hit.map(|(module, _)| module), Some(module));
    }
}

/// From any side, from near and far, and straight from above.
fn camera_from(random: &mut Random, middle: Vec3, is_above: bool) -> Camera {
    let mut unit = || random.below(1 << 24) as f32 / (1 << 24) as f32;
    let aside = Vec3::new(unit() - 0.5, unit() - 0.5, 0.0) * 400.0;
    let target = middle + aside;
    let away = 250.0 + unit() * 900.0;
    let (yaw, pitch) = (unit() * 6.3, 0.3 + unit());
    let direction = match is_above {
        true => Vec3::Z,
        false => Vec3::new(
            pitch.cos() * yaw.cos(),
            pitch.cos() * yaw.sin(),
            pitch.sin(),
        ),
    };
    Camera {
        eye: target + direction * away,
        target,
        fov_y: 0.7,
    }
}

#[test]
fn what_is_picked_is_what_is_drawn_there() {
    let session = session(21);
    let Ok(gpu) = Gpu::headless() else {
        eprintln!("left out: no device");
        return;
    };
    let size = [420, 300];
    let pixels = Vec2::new(size[0] as f32, size[1] as f32);
    let mut random = Random(22);
    let (mut on_arcs, mut off) = (0, 0);
    for scene in 0..6 {
        // At rest, playing, with collapsed modules; some arcs standing out.
        let cut = match scene % 4 {
            3 => Cut::at_level(&session.hierarchy, 2),
            _ => Cut::all(),
        };
        let settings = LandscapeSettings {
            most_arcs: [5_000, 60][scene % 2],
            ..settings()
        };
        let mut view = LandscapeView::new(&session, &settings, &cut);
        let district = session.hierarchy.children(ModuleId::ROOT).nth(scene % 6);
        let selection = Selection {
            chosen: Pointed::at_module(district.filter(|_| scene % 3 > 0)),
            ..Selection::default()
        };
        view.point(&selection);
        view.settle();
        view.show(&session, moment(random.below(1_000_000)));
        let mut renderer = Renderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        let scale = [1.0, 2.5][scene / 3];
        renderer.set_scale(scale);
        renderer.set_blocks(&gpu, view.blocks());
        renderer.set_looks(0, view.looks());
        renderer.set_arcs(&gpu, view.marked_arcs(&selection));
        renderer.focus_arcs(&gpu, view.arc_focus());
        let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
        let camera = camera_from(&mut random, (min + max) * 0.5, scene % 5 == 4);
        let frame = Frame {
            camera,
            size,
            theme: Theme::Light,
            hovered: [None; 2],
            selected: [None; 2],
            quality: Quality {
                samples: 1,
                ..Quality::default()
            },
        };
        renderer.image(&gpu, &frame).expect("a picture");
        let ids = renderer.arc_ids(&gpu, &frame).expect("ids");
        let id = |x: u32, y: u32| ids[(y * size[0] + x) as usize];
        let with_arcs = (0..ids.len() as u32).filter(|&at| ids[at as usize] > 0);
        let with_arcs: Vec<u32> = with_arcs.collect();
        for round in 0..200 {
            let at = match with_arcs.get(random.below(with_arcs.len().max(1) as u64) as usize) {
                Some(&at) if round % 2 == 0 => at,
                _ => random.below(u64::from(size[0] * size[1])) as u32,
            };
            let (x, y) = (at % size[0], at / size[0]);
            let place = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let block = view.pick(camera.eye, camera.ray(place, pixels));
            let hit = block.map(|(_, point)| point);
            let picked = view.pick_arc(&camera, place, (pixels, scale), hit);
            let picked = picked.filter(|it| it.distance == 0.0);
            let found = picked.map_or(0, |it| it.arc as u32 + 1);
            on_arcs += usize::from(id(x, y) > 0);
            if found != id(x, y) {
                // Only where another begins within a pixel: rounding decides there.
                let near = [
                    (-1, 0),
                    (1, 0),
                    (0, -1),
                    (0, 1),
                    (1, 1),
                    (-1, 1),
                    (1, -1),
                    (-1, -1),
                ];
                let is_edge = near.iter().any(|&(dx, dy)| {
                    let x = x.saturating_add_signed(dx).min(size[0] - 1);
                    let y = y.saturating_add_signed(dy).min(size[1] - 1);
                    id(x, y) == found
                });
                assert!(
                    is_edge,
                    "scene {scene}: {found} at {x} {y}, drawn {}",
                    id(x, y)
                );
                off += 1;
            }
            if round < 12 {
                let drawn = renderer.pick(&gpu, x, y);
                if drawn != block.map(|(module, _)| module) {
                    off += 1;
                }
            }
        }
    }
    assert!(on_arcs > 400, "{on_arcs} pixels on arcs");
    assert!(off * 100 <= on_arcs, "{off} of {on_arcs} off by a pixel");
}

fn picture(session: &Session, at: Option<Moment>, size: [u32; 2]) -> Option<Image> {
    let settings = PictureSettings {
        size,
        landscape: settings(),
        level: None,
        viewpoint: Viewpoint::default(),
        quality: Quality {
            samples: 4,
            ..Quality::default()
        },
        legend: false,
    };
    match Studio::new(session, &settings) {
        Ok(mut studio) => Some(studio.picture(at).expect("a picture")),
        Err(error) => {
            eprintln!("left out: {error}");
            None
        }
    }
}

fn count(image: &Image, is_wanted: impl Fn([u8; 3]) -> bool) -> usize {
    let pixels = image.rgba.chunks_exact(4);
    pixels
        .filter(|pixel| is_wanted([pixel[0], pixel[1], pixel[2]]))
        .count()
}

/// Amber to red, as only activity, and the callee's end of relations, are.
fn is_warm([r, _, b]: [u8; 3]) -> bool {
    r > 170 && b < r / 2
}

#[test]
fn a_picture_shows_the_city_its_names_and_what_runs() {
    let session = session(9);
    let size = [960, 600];
    let Some(still) = picture(&session, None, size) else {
        return;
    };
    let all = (size[0] * size[1]) as usize;
    assert_eq!(count(&still, is_warm), 0, "nothing runs");
    let dark = count(&still, |[r, g, b]| r.max(g).max(b) < 110);
    assert!(dark > 60, "letters: {dark} dark pixels");
    assert!(dark < all / 20, "letters only: {dark} dark pixels");
    let playing = picture(&session, moment(500_000), size).expect("as before");
    let warm = count(&playing, is_warm);
    assert!(warm > all / 1000, "{warm} warm pixels of {all}");
}

#[test]
fn the_same_moment_gives_the_same_bytes() {
    let session = session(10);
    let first = picture(&session, moment(400_000), [200, 320]);
    assert_eq!(first, picture(&session, moment(400_000), [200, 320]));
}

#[test]
fn names_of_districts_do_not_overlap_from_any_side() {
    let session = session(11);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    let size = glam::Vec2::new(1280.0, 720.0);
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let mut most = 0;
    for direction in 0..16 {
        let (sin, cos) = (direction as f32 * 0.4).sin_cos();
        let camera = callscape::render::camera::Camera {
            eye: middle + glam::Vec3::new(900.0 * cos, 900.0 * sin, 700.0),
            target: middle,
            fov_y: 0.7,
        };
        view.label(&session, &Selection::default(), &[], &camera, size, 14.0);
        let labels = view.flat_labels();
        most = most.max(labels.len());
        for label in labels {
            let (low, high) = view.bounds(label.module).expect("a district");
            let origin = label.origin;
            assert!(low.x <= origin.x && origin.x <= high.x, "{label:?}");
            assert!(low.y <= origin.y && origin.y <= high.y, "{label:?}");
            let to_reader = camera.view_from_world().inverse().x_axis.truncate();
            assert!(label.right.dot(to_reader) > -0.3, "turned to the reader");
        }
        // The strips are apart, so names are apart when each lies in its own.
        let mut modules: Vec<ModuleId> = labels.iter().map(|label| label.module).collect();
        modules.sort_unstable();
        modules.dedup();
        assert_eq!(modules.len(), labels.len());
    }
    assert!(most >= DIRECTORIES as usize, "{most} names");
}

#[test]
fn render_refuses_what_it_cannot_do_before_it_works() {
    let refused = |arguments: &[&str]| {
        let output = callscape().arg("render").args(arguments).output();
        let output = output.expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), message)
    };
    let here = env!("CARGO_MANIFEST_DIR");
    let source = format!("{here}/src/layout");
    let nowhere = format!("{here}/no such folder/city.png");
    let (code, message) = refused(&[&source, "-o", &nowhere]);
    assert_eq!(code, Some(1));
    assert!(message.contains("cannot write"), "{message}");
    assert_eq!(refused(&[&source, "-o", here]).0, Some(1), "a directory");
    assert_eq!(refused(&[&source, "-o", "city.jpeg"]).0, Some(1));
    let wrong_usage: [&[&str]; 5] = [
        &[&source],
        &[&source, "-o", "a.png", "--size", "0x10"],
        &[&source, "-o", "a.png", "--at", "yesterday"],
        &[&source, "-o", "a.png", "--frames", "3", "--at", "1s"],
        &[&source, "-o", "a.png", "--distance", "-4"],
    ];
    for arguments in wrong_usage {
        assert_eq!(refused(arguments).0, Some(2), "{arguments:?}");
    }
    let target = std::env::temp_dir().join(format!("callscape-refused-{}.png", std::process::id()));
    let target = target.to_string_lossy();
    let (code, message) = refused(&[&source, "-o", &target, "--at", "1s"]);
    assert_eq!(
        (code, message.contains("recording")),
        (Some(1), true),
        "{message}"
    );
    let (code, message) = refused(&[&source, "-o", &target, "--focus", "treemap/squarify"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("treemap/squarify.rs"), "{message}");
}

/// A studio with a legend and, where one is asked for, with a module outlined; none without a device.
fn studio<'a>(
    session: &'a Session,
    size: [u32; 2],
    samples: u32,
    focus: Option<ModuleId>,
) -> Option<Studio<'a>> {
    let settings = PictureSettings {
        size,
        landscape: settings(),
        level: None,
        viewpoint: Viewpoint {
            focus,
            ..Viewpoint::default()
        },
        quality: Quality {
            samples,
            ..Quality::default()
        },
        legend: true,
    };
    Studio::new(session, &settings).ok()
}

#[test]
fn a_picture_in_tiles_is_the_picture() {
    let session = session(9);
    for samples in [1, 5] {
        let Some(mut studio) = studio(&session, [500, 430], samples, Some(ModuleId(3))) else {
            return;
        };
        let whole = studio.picture(moment(500_000)).expect("a picture");
        studio.set_tile([173, 97]);
        let tiled = studio.picture(moment(500_000)).expect("a picture");
        assert_eq!((tiled.width, tiled.height), (whole.width, whole.height));
        let pairs = whole.rgba.iter().zip(&tiled.rgba);
        let apart = pairs.clone().filter(|(a, b)| a.abs_diff(**b) > 1).count();
        // Edges that run exactly through the middle of pixels round to either side.
        assert!(apart * 5_000 < whole.rgba.len(), "{apart} parts of pixels");
        let seam = |x: u32, y: u32| {
            let at = (y as usize * whole.width as usize + x as usize) * 4;
            (0..3).all(|part| whole.rgba[at + part].abs_diff(tiled.rgba[at + part]) <= 2)
        };
        let off = (0..430).filter(|&y| !seam(172, y) || !seam(173, y)).count();
        assert!(off < 3, "{off} pixels differ along a seam");
    }
}

#[test]
fn without_a_ground_only_what_is_built_and_its_shadows_cover() {
    let session = session(9);
    let Some(mut studio) = studio(&session, [480, 320], 4, None) else {
        return;
    };
    let [width, height] = [480usize, 320];
    let opaque = studio.picture(moment(500_000)).expect("a picture");
    assert!(opaque.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255));
    studio.set_transparent(true);
    let clear = studio.picture(moment(500_000)).expect("a picture");
    let pixel = |image: &Image, x: usize, y: usize| -> [u8; 4] {
        let at = (y * width + x) * 4;
        [0, 1, 2, 3].map(|part| image.rgba[at + part])
    };
    assert_eq!(pixel(&clear, 2, 2), [0; 4], "far from the city");
    let mut covered = 0;
    for y in 0..height {
        for x in 0..width {
            let (a, b) = (pixel(&opaque, x, y), pixel(&clear, x, y));
            if b[3] == 255 {
                covered += 1;
                let apart = (0..3).map(|part| a[part].abs_diff(b[part])).max();
                assert!(apart <= Some(1), "{x}, {y}: {a:?} and {b:?}");
            }
        }
    }
    assert!(covered > width * height / 4, "{covered} pixels");
    // The shadow at its foot is a veil.
    let veil = clear
        .rgba
        .chunks_exact(4)
        .filter(|it| (1..255).contains(&it[3]));
    assert!(veil.count() > 100);
}

#[test]
fn pictures_have_names_unless_told_otherwise() {
    let session = session(9);
    let Some(mut studio) = studio(&session, [640, 400], 2, None) else {
        return;
    };
    let named = studio.picture(None).expect("a picture");
    studio.set_labels(false);
    let plain = studio.picture(None).expect("a picture");
    let pairs = named.rgba.chunks_exact(4).zip(plain.rgba.chunks_exact(4));
    let ink = pairs
        .filter(|(a, b)| a[0].saturating_add(40) < b[0])
        .count();
    assert!(ink > 20, "{ink} pixels of letters");
}

#[test]
fn what_stands_out_has_its_values_and_the_rest_is_neutral() {
    let session = session(11);
    let mut random = Random(4);
    for surface in [
        Surface::Neutral,
        Surface::District,
        Surface::Metric(Metric::LinesOfCode),
    ] {
        let settings = LandscapeSettings {
            surface,
            ..settings()
        };
        let mut view = LandscapeView::new(&session, &settings, &Cut::all());
        let plain = view.looks().to_vec();
        let values = view
            .metrics()
            .values(&session.hierarchy, Metric::LinesOfCode);
        for _ in 0..20 {
            let ends = [0, 1].map(|_| random.below(60) as f64);
            let highlight = Highlight {
                metric: Metric::LinesOfCode,
                low: ends[0].min(ends[1]),
                high: ends[0].max(ends[1]),
            };
            view.highlight(&session.hierarchy, Some(highlight));
            let mut taken = 0;
            for ((block, look), before) in view.blocks().iter().zip(view.looks()).zip(&plain) {
                let value = values[block.module.index()];
                let is_in = block.kind != BlockKind::Terrace
                    && value > 0.0
                    && (highlight.low..=highlight.high).contains(&value);
                taken += u32::from(is_in);
                assert_eq!(look.data[3] > 0.0, is_in, "{value} in {highlight:?}");
                assert!(!is_in || before.data[3] == 0.0 || look.data == before.data);
            }
            assert_eq!(view.highlighted().0, taken);
            // Laid out with it at once it is the same.
            let settings = LandscapeSettings {
                highlight: Some(highlight),
                ..settings
            };
            let again = LandscapeView::new(&session, &settings, &Cut::all());
            assert_eq!(again.looks(), view.looks());
        }
        view.highlight(&session.hierarchy, None);
        assert_eq!(view.looks(), plain);
    }
}

#[test]
fn heights_are_spread_as_asked_for_and_keep_their_order() {
    let session = session(12);
    let heights = |height_scale| {
        let settings = LandscapeSettings {
            height: Some(Metric::LinesOfCode),
            height_scale,
            ..settings()
        };
        let view = LandscapeView::new(&session, &settings, &Cut::all());
        let values = view
            .metrics()
            .values(&session.hierarchy, Metric::LinesOfCode);
        let solid = view
            .blocks()
            .iter()
            .filter(|it| it.kind != BlockKind::Terrace);
        let mut of: Vec<(f64, f32)> = solid
            .map(|it| (values[it.module.index()], it.max.z - it.min.z))
            .collect();
        of.sort_by(|a, b| a.0.total_cmp(&b.0));
        of
    };
    let tallest = |of: &[(f64, f32)]| of.iter().map(|it| it.1).fold(0.0, f32::max);
    let root = heights(None);
    for scale in [Scale::Linear, Scale::Log, Scale::Quantile] {
        let of = heights(Some(scale));
        // Plinths differ a little by their footprints.
        assert!(of.is_sorted_by(|a, b| a.1 <= b.1 + 4.0), "{scale:?}");
        assert!((tallest(&of) - tallest(&root)).abs() < 4.0, "{scale:?}");
    }
    let mean = |of: &[(f64, f32)]| of.iter().map(|it| it.1).sum::<f32>() / of.len() as f32;
    assert!(mean(&heights(Some(Scale::Linear))) < mean(&root));
}

#[test]
fn pictures_and_models_are_written_from_the_command_line() {
    let folder = crate::common::Scratch::new("models");
    let source = crate::common::data("window/source");
    let out = |name: &str| folder.0.join(name);
    let run = |arguments: &[&str], name: &str| {
        let output = callscape()
            .arg("render")
            .arg(&source)
            .args(arguments)
            .arg("-o")
            .arg(out(name))
            .output()
            .expect("the program is built");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = run(&["--color", "loc", "--highlight", "loc:2.."], "city.glb");
    assert_eq!(code, Some(0), "{said}");
    let bytes = std::fs::read(out("city.glb")).expect("it was written");
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(
        bytes.len() as u64,
        std::fs::metadata(out("city.glb")).expect("there").len()
    );
    for (arguments, name) in [
        (&["--view", "mural"][..], "city.glb"),
        (&["--highlight", "loc:9..2"], "city.png"),
        (&["--highlight", "beauty:1..2"], "city.png"),
        (&["--size", "16385x10"], "city.png"),
        (&[], "city.obj"),
    ] {
        let (code, said) = run(arguments, name);
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    let (code, said) = run(
        &[
            "--camera",
            "iso",
            "--transparent",
            "--no-labels",
            "--size",
            "90x60",
        ],
        "a.png",
    );
    assert_eq!(code, Some(0), "{said}");
    let image = crate::render::read_png(&out("a.png"));
    assert_eq!(image.rgba[..4], [0; 4]);
    let left = std::fs::read_dir(&folder.0).expect("it is there").count();
    assert_eq!(left, 2, "nothing half-written stays");
}

/// The corners of a name that lies flat, on the screen.
fn corners_of(
    label: &callscape::layout::geometry::FlatLabel,
    camera: &Camera,
    size: Vec2,
) -> [Vec2; 4] {
    let width = callscape::layout::labels::text::width(&label.text) * label.em;
    // From below the baseline to the top of the letters.
    let (low, high) = (label.up * label.em * -0.2, label.up * label.em * 0.74);
    let end = label.origin + label.right * width;
    let corners = [
        label.origin + low,
        end + low,
        end + high,
        label.origin + high,
    ];
    corners.map(|at| camera.project(at, size).expect("names lie before the eye"))
}

/// Whether two convex shapes overlap by more than rounding: no side of either separates them.
fn overlap(a: &[Vec2; 4], b: &[Vec2; 4]) -> bool {
    let reach = |shape: &[Vec2; 4], normal: Vec2| {
        let along = shape.map(|at| at.dot(normal));
        let low = along.iter().copied().fold(f32::INFINITY, f32::min);
        (low, along.iter().copied().fold(f32::NEG_INFINITY, f32::max))
    };
    let sides = [a, b].into_iter().flat_map(|shape| {
        (0..4).map(move |side| {
            (shape[(side + 1) % 4] - shape[side])
                .perp()
                .normalize_or_zero()
        })
    });
    let mut sides = sides.filter(|normal| *normal != Vec2::ZERO);
    sides.all(|normal| {
        let (a, b) = (reach(a, normal), reach(b, normal));
        a.1 > b.0 + 0.01 && b.1 > a.0 + 0.01
    })
}

/// Every name on the screen as a shape, flat ones first.
fn shapes(view: &LandscapeView, camera: &Camera, size: Vec2) -> Vec<(String, [Vec2; 4])> {
    let flat = view.flat_labels().iter();
    let flat = flat.map(|label| (label.text.clone(), corners_of(label, camera, size)));
    let screen = view.screen_labels().iter().map(|label| {
        // The plate that is drawn behind it.
        let half = callscape::layout::labels::text::width(&label.text) * 0.5 * label.em;
        let (half, height) = (half + 0.5 * label.em, 1.65 * label.em);
        let corner = |x: f32, y: f32| label.at + Vec2::new(x, y);
        let corners = [(-half, 0.0), (half, 0.0), (half, -height), (-half, -height)];
        (label.text.clone(), corners.map(|(x, y)| corner(x, y)))
    });
    flat.chain(screen).collect()
}

#[test]
fn names_never_overlap_whatever_one_looks_at() {
    let session = session(31);
    let size = Vec2::new(1280.0, 720.0);
    let mut random = Random(32);
    let (mut most_flat, mut roofs) = (0, 0);
    for scene in 0..4 {
        let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
        view.show(&session, moment(random.below(1_000_000)));
        let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
        for _ in 0..60 {
            let camera = camera_from(&mut random, (min + max) * 0.5, scene == 3);
            let module =
                |random: &mut Random| ModuleId(random.below(session.hierarchy.len() as u64) as u32);
            let found: Vec<ModuleId> = (0..8).map(|_| module(&mut random)).collect();
            let selection = Selection {
                chosen: Pointed::at_module(Some(module(&mut random))),
                pointed: Pointed::at_module(Some(module(&mut random))),
                ..Selection::default()
            };
            view.label(&session, &selection, &found, &camera, size, 14.0);
            most_flat = most_flat.max(view.flat_labels().len());
            let names = view.flat_labels().iter();
            roofs += names.filter(|it| it.text.starts_with("function")).count();
            let shapes = shapes(&view, &camera, size);
            for (index, (name, a)) in shapes.iter().enumerate() {
                for (other, b) in &shapes[index + 1..] {
                    assert!(
                        !overlap(a, b),
                        "{name} {a:?} over {other} {b:?}, {camera:?}"
                    );
                }
            }
        }
    }
    assert!(
        most_flat > 30 && roofs > 100,
        "{most_flat} names, {roofs} of functions"
    );
}

#[test]
fn names_do_not_flicker_while_the_camera_moves() {
    let session = session(33);
    let size = Vec2::new(1280.0, 720.0);
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    view.show(&session, moment(400_000));
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let frames = 400;
    // Of each name, in which frames it came and went.
    let mut shown: BTreeMap<ModuleId, Vec<(usize, bool)>> = BTreeMap::new();
    let mut before: Vec<ModuleId> = Vec::new();
    let mut seen = 0;
    for frame in 0..frames {
        // Half around the city, nearer and away again.
        let along = frame as f32 / frames as f32;
        let (sin, cos) = (along * 3.1).sin_cos();
        let away = 900.0 - 500.0 * (along * std::f32::consts::PI).sin();
        let camera = Camera {
            eye: middle + Vec3::new(cos * away, -sin * away, 0.75 * away),
            target: middle + Vec3::new(60.0 * cos, 0.0, 0.0),
            fov_y: 0.7,
        };
        view.label(&session, &Selection::default(), &[], &camera, size, 14.0);
        let names = view.flat_labels().iter();
        let names: Vec<ModuleId> = names.map(|label| label.module).collect();
        seen += names.len();
        for &module in names.iter().filter(|it| !before.contains(it)) {
            shown.entry(module).or_default().push((frame, true));
        }
        for &module in before.iter().filter(|it| !names.contains(it)) {
            shown.entry(module).or_default().push((frame, false));
        }
        before = names;
    }
    // Gone and back within a fifth of a second.
    let flicker = shown.values().flat_map(|changes| changes.windows(2));
    let flicker = flicker.filter(|pair| !pair[0].1 && pair[1].1 && pair[1].0 - pair[0].0 < 12);
    let (flicker, names) = (flicker.count(), seen / frames);
    assert!(names > 12, "{names} names at a time");
    assert!(
        flicker * 20 <= shown.len(),
        "{flicker} of {} names flicker",
        shown.len()
    );
}
