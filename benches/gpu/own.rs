//! What the program itself does for a frame of a million boxes, without the device.

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::look::camera::Camera;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::moment::Moment;
use callscape::model::theme::Theme;
use callscape::render::gpu::Gpu;
use callscape::render::gpu::quality_for;
use callscape::render::renderer::{Frame, Renderer};
use callscape::state::city::{City, Lettering};
use callscape::units::{Cost, ModuleId, Time};
use callscape::warnings::{Place, Reporter};
use glam::{Vec2, Vec3};

use super::clocks::{asked, own};
use super::{FORMAT, WARM, target};
use callscape_testing::measured::Measured;
use callscape_testing::random::Random;
use callscape_testing::scene::Scene;

/// A tree of a million functions, of which some call others: about `relations` pairs, in one thread.
fn million(relations: u64) -> Session {
    const OF_FILE: usize = 25;
    const OF_DIRECTORY: usize = 20;
    const FUNCTIONS: usize = 1_000_000;
    let place = || Place::file("made here");
    let mut random = Random(11);
    let mut builder = HierarchyBuilder::new("million");
    let mut nodes = Vec::with_capacity(FUNCTIONS);
    let (mut part, mut directory, mut file) = (NodeId::ROOT, NodeId::ROOT, NodeId::ROOT);
    for function in 0..FUNCTIONS {
        let named = |kind: &str, number: usize| format!("{kind}_{number}");
        if function % (OF_FILE * OF_DIRECTORY * 40) == 0 {
            let name = named("part", function);
            part = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, &name));
        }
        if function % (OF_FILE * OF_DIRECTORY) == 0 {
            let name = named("directory", function);
            directory = builder.add(part, Module::named(ModuleKind::Directory, &name));
        }
        if function % OF_FILE == 0 {
            let name = named("file", function);
            file = builder.add(directory, Module::named(ModuleKind::File, &name));
        }
        // Short ones, so that a thousand fit.
        let name = format!("f{}", function % 1000);
        let module = Module {
            loc: 20 + random.below(20) as u32,
            ..Module::named(ModuleKind::Function, &name)
        };
        nodes.push(builder.add(file, module));
    }
    let (hierarchy, modules) = builder.build();
    let reporter = Reporter::new();
    let mut trace = TraceBuilder::new(&reporter);
    let running: Vec<usize> = (0..4_000)
        .map(|_| random.below(FUNCTIONS as u64) as usize)
        .collect();
    let ids: Vec<_> = running
        .iter()
        .map(|&function| {
            let name = format!("f{}", function % 1000);
            trace.function(Function {
                name: &name,
                ..Function::default()
            })
        })
        .collect();
    let thread = trace.thread("1", "1");
    for pair in 0..relations as i64 {
        let of = |random: &mut Random| ids[random.below(ids.len() as u64) as usize];
        let (caller, callee) = (of(&mut random), of(&mut random));
        let at = |part: i64| Timestamp::from_ns(pair * 1_000 + part);
        trace.enter(thread, at(0), caller, place);
        trace.enter(thread, at(200), callee, place);
        trace.exit(thread, at(700), None, place);
        trace.exit(thread, at(900), None, place);
    }
    let (functions, trace) = trace.finish(place);
    Session {
        source_dir: None,
        hierarchy,
        recordings: vec![Resolved {
            recording: Recording {
                played: None,
                revision: None,
                path: "made here".into(),
                format: "chrome-json",
                kind: RecordingKind::Trace,
                functions,
                trace,
                profile: None,
                weighed: None,
                memory: None,
                lines: None,
                sampling: None,
                left_out: None,
                gaps: callscape::facts::gaps::Gaps::default(),
                failed: Vec::new(),
                samples: 0,
                warnings: reporter.warnings(),
            }
            .into(),
            resolution: Resolution {
                modules: running
                    .iter()
                    .map(|&at| modules[nodes[at].index()])
                    .collect(),
                rules: vec![Rule::QualifiedName; running.len()],
            },
        }],
        source_warnings: Vec::new(),
        named: Default::default(),
    }
}

/// From where over the middle the most names are shown on a picture of so many pixels.
fn with_most_names(session: &Session, view: &mut City, pixels: Vec2) -> Camera {
    let (min, max) = view.bounds(ModuleId::ROOT).unwrap_or_default();
    let tops = view.blocks().iter().map(|block| block.max.z);
    let middle = ((min + max) * 0.5).with_z(tops.fold(0.0, f32::max));
    let heights = (0..40).map(|step| 12.0 * 1.05f32.powi(step));
    let cameras = heights.map(|height| Camera {
        eye: middle + Vec3::new(0.0, -0.02 * height, height),
        target: middle,
        fov_y: 0.7,
    });
    let counted = cameras.map(|camera| {
        view.label(
            session,
            &Selection::default(),
            &[],
            &camera,
            &Lettering::whole(pixels, 14.0),
        );
        (view.flat_labels().len(), camera)
    });
    let most = counted.max_by_key(|(count, _)| *count);
    most.map_or_else(Scene::overview, |(_, camera)| camera)
}

/// The steps of a frame, in order: the landscape's two, what fills the picture, handing over looks, arcs and names, and what
/// the graphics library does for the passes.
const PARTS: [&str; 8] = [
    "moment", "names", "place", "looks", "arcs", "letters", "passes", "submit",
];

/// What this program itself does for a frame of a million boxes, 10,000 arcs and a thousand names, without the device:
/// the landscape's part, then that of handing over and recording. Median of the frames.
pub fn parts(gpu: &Gpu) {
    let session = million(12_000);
    let settings = LandscapeSettings {
        half_life: Cost::from_ns(100_000),
        ..LandscapeSettings::default()
    };
    let mut view = City::new(&session, &settings, &Cut::all());
    let size = [1920, 1080];
    // Only what can be read is named: a thousand names are there on a wall of screens.
    let pixels = Vec2::new(7680.0, 4320.0);
    let over = with_most_names(&session, &mut view, pixels);
    // As the window does it.
    view.spread_names(true);
    let is_software = gpu.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    let mut renderer = Renderer::new(gpu, FORMAT);
    renderer.set_blocks(gpu, view.blocks());
    // How many pixels the device fills is no part of it.
    let size = if is_software { [320, 180] } else { size };
    let target = target(gpu, size);
    let frames = if is_software { 40 } else { 200 };
    println!(
        "| own part, {} boxes | arcs, names | {} | together, median / most (must 2, aim 0.5) | memory asked for |",
        view.blocks().len(),
        PARTS.join(" | "),
    );
    println!("|---|---|{}---|---|", "---|".repeat(PARTS.len()));
    let mut shown = None;
    for (what, is_playing, is_moving) in [
        ("nothing changes", false, false),
        ("camera moves", false, true),
        ("trace plays", true, false),
        ("both", true, true),
    ] {
        let mut parts: [Vec<f64>; PARTS.len()] = Default::default();
        let mut together = Vec::new();
        let mut asked_for: [Vec<f64>; 2] = Default::default();
        for number in 0..frames + WARM {
            let by = if is_moving { number as f32 * 0.05 } else { 0.0 };
            let camera = Camera {
                eye: over.eye + Vec3::X * by,
                target: over.target + Vec3::X * by,
                ..over
            };
            let time = 10_500_000
                + if is_playing {
                    u64::from(number) * 16_000
                } else {
                    0
                };
            let moment = Moment {
                time: Time::from_ns(time),
                previous: Time::from_ns(time - 16_000),
                ..Moment::default()
            };
            let selection = Selection::default();
            let mut taken = [0.0; PARTS.len()];
            let (mut last, before) = (own(), asked());
            let mut part = |of: usize| {
                let now = own();
                let since = last.zip(now).map_or(f64::NAN, |(from, to)| to - from);
                taken[of] += since;
                last = now;
            };
            view.point(&selection);
            view.show(&session, Some(moment));
            part(0);
            let are_others = shown.replace(moment) != Some(moment);
            view.label(
                &session,
                &selection,
                &[],
                &camera,
                &Lettering::whole(pixels, 14.0),
            );
            view.marked_arcs(&selection);
            part(1);
            if is_moving {
                view.find_filling(&camera, pixels);
            }
            part(2);
            let given = asked();
            // As the window does it.
            if are_others {
                renderer.set_changed_looks(view.looks(), view.changed_looks());
                part(3);
                renderer.set_arcs(gpu, view.arcs());
                part(4);
            }
            renderer.set_labels(gpu, view.flat_labels(), view.screen_labels());
            part(5);
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let frame = Frame {
                camera,
                size,
                theme: Theme::Light,
                hovered: [None; 2],
                selected: [None; 2],
                quality: quality_for(gpu.adapter.get_info().device_type),
            };
            renderer.draw(gpu, &mut encoder, &target, &frame);
            part(6);
            gpu.queue.submit([encoder.finish()]);
            part(7);
            let all = asked();
            let _ = gpu.wait();
            if number >= WARM {
                together.push(taken.iter().sum());
                for (all, one) in parts.iter_mut().zip(taken) {
                    all.push(one);
                }
                asked_for[0].push((given - before) as f64);
                asked_for[1].push((all - given) as f64);
            }
        }
        let median = |of: &mut Vec<f64>| {
            of.sort_by(f64::total_cmp);
            of[of.len() / 2]
        };
        let parts = parts.each_mut().map(|of| format!("{:.2}", median(of)));
        println!(
            "| {what} | {}, {} | {} | {:.2} / {:.2} ms | {} and {} times |",
            view.arcs().arcs.len(),
            view.flat_labels().len() + view.screen_labels().len(),
            parts.join(" | "),
            median(&mut together),
            together.last().copied().unwrap_or(f64::NAN),
            median(&mut asked_for[0]),
            median(&mut asked_for[1]),
        );
        Measured {
            target: &format!("gpu: own part of a frame of 1 million boxes, {what}"),
            value: median(&mut together),
            unit: "ms",
            aim: "≤ 2 (0.5) ms",
            ..Measured::default()
        }
        .print();
    }
}
