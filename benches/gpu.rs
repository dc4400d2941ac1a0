//! Whole frames of the landscape, beside the same without light, arcs and names in the same run: on a graphics card
//! with up to a million boxes, on a software device with fewer. Then the first frame of the built-in demo and a large
//! still. Says which adapter it was.

#[path = "../tests/it/random.rs"]
mod random;
#[path = "../tests/it/scene.rs"]
mod scene;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Inputs, Resolved, Session};
use callscape::app::headless::{liveliest, moment_at};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::layout::geometry::Arcs;
use callscape::progress::Progress;
use callscape::render::camera::Camera;
use callscape::render::gpu::Gpu;
use callscape::render::renderer::{Frame, Light, Quality, Renderer};
use callscape::render::theme::Theme;
use callscape::units::{Cost, ModuleId, Time};
use callscape::views::landscape::{LandscapeSettings, LandscapeView, Lettering, Moment};
use callscape::warnings::{Place, Reporter};
use glam::{Vec2, Vec3};

use random::Random;
use scene::Scene;

/// Counts how often the thread that draws asks for memory.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn asked() -> usize {
    ASKED.try_with(Cell::get).unwrap_or_default()
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// The first frames make buffers and pipelines.
const WARM: u32 = 3;
/// Between two frames of a display of 60 Hz.
const DISPLAY_MS: f64 = 16.6;
/// Given to a process of this bench that only draws the first frame.
const FIRST: &str = "--first-frame";
/// Measures the program's own part of frames alone.
const OWN: &str = "--own";

/// What is drawn, and what it may take: milliseconds that must and those that are aimed at.
struct Row {
    leaves: usize,
    arcs: usize,
    labels: usize,
    size: [u32; 2],
    targets: Option<[f64; 2]>,
}

/// What changes from frame to frame.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Camera,
    Looks,
}

fn main() {
    if std::env::args().any(|argument| argument == FIRST) {
        first_frame();
        return;
    }
    let gpu = match Gpu::headless() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("left out: {error}");
            return;
        }
    };
    let info = gpu.adapter.get_info();
    let is_software = info.device_type == wgpu::DeviceType::Cpu;
    println!(
        "{} ({:?}, {:?}), driver {} {}",
        info.name, info.device_type, info.backend, info.driver, info.driver_info
    );
    println!();
    if std::env::args().any(|argument| argument == OWN) {
        return own_parts(&gpu);
    }
    println!(
        "| boxes, arcs, names | size | pictures a frame | bare | camera moves | trace plays | own part | must | aim |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    // As the window does: fewer where so many take longer than a display of 60 Hz waits.
    let pictures: &[u32] = if is_software { &[1] } else { &[4, 2, 1] };
    for row in rows(is_software) {
        for &pictures in pictures {
            if frames(&gpu, &row, pictures) <= DISPLAY_MS {
                break;
            }
        }
    }
    println!();
    own_parts(&gpu);
    println!();
    let start = Instant::now();
    match std::env::current_exe()
        .and_then(|program| std::process::Command::new(program).arg(FIRST).output())
    {
        Ok(output) if output.status.success() => {
            let [must, aim] = if is_software { [1500, 600] } else { [400, 150] };
            println!(
                "first frame of the demo, from the start of a process: {:.0} ms (must {must}, aim {aim}); of it {}",
                ms(start.elapsed()),
                String::from_utf8_lossy(&output.stdout).trim()
            );
        }
        _ => println!("first frame of the demo: left out"),
    }
    still(&gpu);
}

fn rows(is_software: bool) -> Vec<Row> {
    let row = |leaves, arcs, labels, size, targets| Row {
        leaves,
        arcs,
        labels,
        size,
        targets,
    };
    if is_software {
        let size = [1280, 720];
        vec![
            row(10_000, 1_000, 100, size, Some([250.0, 120.0])),
            row(100_000, 1_000, 100, size, Some([450.0, 300.0])),
            row(1_000_000, 1_000, 100, size, None),
        ]
    } else {
        let size = [1920, 1080];
        vec![
            row(10_000, 1_000, 100, size, None),
            row(100_000, 10_000, 1_000, size, None),
            row(1_000_000, 10_000, 1_000, size, Some([16.6, 8.3])),
            row(1_000_000, 100_000, 1_000, size, Some([16.6, 8.3])),
        ]
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Milliseconds that this process, all its threads, has had of the processor; none where there is no `/proc`. A
/// software device works here.
fn processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name in brackets; user and system time in hundredths of a second.
    let fields = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    let ticks = fields.filter_map(|ticks| ticks.parse::<f64>().ok());
    Some(ticks.sum::<f64>() * 10.0)
}

/// Milliseconds that this thread has had of the processor, to the nanosecond: what `/proc` says is as old as the last
/// tick. None where it cannot be known.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn own() -> Option<f64> {
    unsafe extern "C" {
        fn clock_gettime(clock: i32, at: *mut [i64; 2]) -> i32;
    }
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    let mut at = [0; 2];
    // SAFETY: `timespec` is two signed words of 64 bits here, and `at` is one.
    let is_known = unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut at) } == 0;
    is_known.then(|| at[0] as f64 * 1e3 + at[1] as f64 * 1e-6)
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn own() -> Option<f64> {
    None
}

/// What a frame takes, in milliseconds.
struct Taken {
    /// From recording to the device's end, the shortest and the median.
    least: f64,
    median: f64,
    /// The processor's time, all threads.
    processor: Option<f64>,
    /// Of recording and handing over alone, without the device: the median.
    own: f64,
    passes: String,
}

/// What the slower of a frame in motion and one that plays takes, in milliseconds.
fn frames(gpu: &Gpu, row: &Row, pictures: u32) -> f64 {
    let mut scene = Scene::new(row.leaves, 3.0, row.arcs, Theme::Light);
    let size = Vec2::new(row.size[0] as f32, row.size[1] as f32);
    scene.label_on_screen(&Scene::overview(), size, row.labels / 5);
    scene.flat.truncate(row.labels - scene.screen.len());
    let bare = measure(gpu, &scene, row.size, pictures, Change::Camera, false);
    let camera = measure(gpu, &scene, row.size, pictures, Change::Camera, true);
    let looks = measure(gpu, &scene, row.size, pictures, Change::Looks, true);
    let shown = |taken: &Taken| {
        let processor = taken
            .processor
            .map_or_else(String::new, |ms| format!("; processor {ms:.0}"));
        format!("{:.1} / {:.1}{processor}", taken.least, taken.median)
    };
    let [must, aim] = row.targets.map_or_else(Default::default, |targets| {
        targets.map(|target| format!("{target}"))
    });
    println!(
        "| {}, {}, {} | {} × {} | {pictures} | {} | {}, {:.2} × bare | {} | {:.2} | {must} | {aim} |",
        scene.blocks.len(),
        scene.arcs.arcs.len(),
        scene.flat.len() + scene.screen.len(),
        row.size[0],
        row.size[1],
        shown(&bare),
        shown(&camera),
        camera.least / bare.least,
        shown(&looks),
        camera.own,
    );
    println!("<!-- passes in ms: {} -->", camera.passes);
    println!("<!-- playing: {} -->", looks.passes);
    camera.median.max(looks.median)
}

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
                path: "made here".into(),
                format: "chrome-json",
                kind: RecordingKind::Trace,
                functions,
                trace,
                profile: None,
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
    }
}

/// From where over the middle the most names are shown on a picture of so many pixels.
fn with_most_names(session: &Session, view: &mut LandscapeView, pixels: Vec2) -> Camera {
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
fn own_parts(gpu: &Gpu) {
    let session = million(12_000);
    let settings = LandscapeSettings {
        half_life: Cost::from_ns(100_000),
        ..LandscapeSettings::default()
    };
    let mut view = LandscapeView::new(&session, &settings, &Cut::all());
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
                quality: Quality::for_device(gpu.adapter.get_info().device_type),
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
    }
}

fn target(gpu: &Gpu, size: [u32; 2]) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("target"),
        size: wgpu::Extent3d {
            width: size[0],
            height: size[1],
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn measure(
    gpu: &Gpu,
    scene: &Scene,
    size: [u32; 2],
    pictures: u32,
    change: Change,
    everything: bool,
) -> Taken {
    let is_software = gpu.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
    let frames = if is_software { 12 } else { 200 };
    let mut renderer = Renderer::new(gpu, FORMAT);
    renderer.set_together(pictures);
    renderer.set_blocks(gpu, &scene.blocks);
    renderer.set_looks(0, &scene.looks);
    if everything {
        renderer.set_arcs(gpu, &scene.arcs);
        renderer.set_labels(gpu, &scene.flat, &scene.screen);
    } else {
        renderer.set_arcs(gpu, &Arcs::default());
    }
    let view = target(gpu, size);
    let running = scene.looks.iter().enumerate();
    let running: Vec<usize> = running
        .filter(|(_, look)| look.glow > 0.0)
        .map(|(place, _)| place)
        .collect();
    let mut camera = Scene::overview();
    let (mut times, mut own_times) = (Vec::new(), Vec::new());
    let mut work = None;
    let quality = Quality::for_device(gpu.adapter.get_info().device_type);
    for number in 0..frames + WARM {
        if number == WARM {
            work = processor();
        }
        let frame = Frame {
            camera,
            size,
            theme: Theme::Light,
            hovered: [None; 2],
            selected: [None; 2],
            quality: Quality {
                light: if everything {
                    quality.light
                } else {
                    Light::None
                },
                ..quality
            },
        };
        let (begin, own_begin) = (Instant::now(), own());
        if change == Change::Looks {
            for &place in &running {
                let mut look = scene.looks[place];
                look.rise *= 0.5 + 0.5 * ((number + place as u32) % 8) as f32 / 8.0;
                renderer.set_looks(place, &[look]);
            }
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        renderer.draw(gpu, &mut encoder, &view, &frame);
        gpu.queue.submit([encoder.finish()]);
        let own_time = match (own_begin, own()) {
            (Some(begin), Some(end)) => end - begin,
            _ => ms(begin.elapsed()),
        };
        if let Err(error) = gpu.wait().and_then(|()| gpu.check()) {
            println!("{error}");
        }
        if number >= WARM {
            times.push(ms(begin.elapsed()));
            own_times.push(own_time);
        }
        renderer.timings(gpu);
        if change == Change::Camera {
            camera.eye.x += 2.0;
        }
    }
    let work = work
        .zip(processor())
        .map(|(begin, end)| (end - begin) / f64::from(frames));
    times.sort_by(f64::total_cmp);
    own_times.sort_by(f64::total_cmp);
    let passes = renderer.timings(gpu).iter();
    let passes: Vec<String> = passes
        .map(|(label, ms)| format!("{label} {ms:.2}"))
        .collect();
    Taken {
        least: times[0],
        median: times[times.len() / 2],
        processor: work,
        own: own_times[own_times.len() / 2],
        passes: passes.join(", "),
    }
}

/// What a process does until the demo is seen for the first time, but for opening a window.
fn first_frame() {
    let start = Instant::now();
    // As in the window: the device is opened while the demo is read.
    let reading = std::thread::spawn(|| {
        let session = Session::open(&Inputs::default(), &Progress::default()).ok()?;
        let settings = LandscapeSettings::default();
        let mut view = LandscapeView::new(&session, &settings, &Cut::all());
        let moment = moment_at(&session, 0, liveliest(&session, 0));
        view.show(&session, moment);
        Some(view)
    });
    let Ok(gpu) = Gpu::headless() else {
        std::process::exit(1);
    };
    let opened = ms(start.elapsed());
    let mut renderer = Renderer::new(&gpu, FORMAT);
    let made = ms(start.elapsed());
    let Some(view) = reading.join().ok().flatten() else {
        std::process::exit(1);
    };
    let read = ms(start.elapsed());
    renderer.set_blocks(&gpu, view.blocks());
    renderer.set_looks(0, view.looks());
    renderer.set_arcs(&gpu, view.arcs());
    let size = [1280, 720];
    let frame = Frame {
        camera: Scene::overview(),
        size,
        theme: Theme::Light,
        hovered: [None; 2],
        selected: [None; 2],
        quality: Quality::for_device(gpu.adapter.get_info().device_type),
    };
    let view = target(&gpu, size);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    renderer.draw(&gpu, &mut encoder, &view, &frame);
    gpu.queue.submit([encoder.finish()]);
    let _ = gpu.wait();
    println!(
        "device {opened:.0}, passes {made:.0}, demo read {read:.0}, drawn {:.0}; processor {:.0}",
        ms(start.elapsed()),
        processor().unwrap_or(f64::NAN)
    );
}

/// A still picture of 4096 × 4096 pixels.
fn still(gpu: &Gpu) {
    let scene = Scene::new(10_000, 3.0, 1_000, Theme::Light);
    let mut renderer = Renderer::new(gpu, FORMAT);
    renderer.set_blocks(gpu, &scene.blocks);
    renderer.set_looks(0, &scene.looks);
    renderer.set_arcs(gpu, &scene.arcs);
    renderer.set_labels(gpu, &scene.flat, &[]);
    let quality = Quality::default();
    let frame = Frame {
        camera: Scene::overview(),
        size: [4096, 4096],
        theme: Theme::Light,
        hovered: [None; 2],
        selected: [None; 2],
        quality,
    };
    let (start, work) = (Instant::now(), processor());
    match renderer.image(gpu, &frame) {
        Ok(_) => println!(
            "still of 4096 × 4096, the mean of {} pictures: {:.1} s, processor {:.1} s (software: must 60, aim 15)",
            quality.samples,
            ms(start.elapsed()) / 1e3,
            work.zip(processor())
                .map_or(f64::NAN, |(begin, end)| (end - begin) / 1e3),
        ),
        Err(error) => println!("still of 4096 × 4096: left out: {error}"),
    }
}
