//! Whole frames of the landscape, beside the same without light, arcs and names in the same run: on a graphics card
//! with up to a million boxes, on a software device with fewer. Then the first frame of the built-in demo and a large
//! still. Says which adapter it was.

mod clocks;
mod own;

use std::time::Instant;

use callscape::analysis::session::{Inputs, Session};
use callscape::app::headless::moment_at;
use callscape::filter::cut::Cut;
use callscape::layout::geometry::Arcs;
use callscape::look::quality::{Light, Quality};
use callscape::model::landscape::LandscapeSettings;
use callscape::model::moment::liveliest;
use callscape::model::theme::Theme;
use callscape::progress::Progress;
use callscape::render::gpu::Gpu;
use callscape::render::gpu::quality_for;
use callscape::render::renderer::{Frame, Renderer};
use callscape::state::city::City;
use glam::Vec2;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::scene::Scene;
use clocks::{ms, processor};

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
        return own::parts(&gpu);
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
    own::parts(&gpu);
    println!();
    let start = Instant::now();
    match std::env::current_exe()
        .and_then(|program| std::process::Command::new(program).arg(FIRST).output())
    {
        Ok(output) if output.status.success() => {
            let [must, aim] = if is_software { [1500, 600] } else { [400, 150] };
            let took = ms(start.elapsed());
            println!(
                "first frame of the demo, from the start of a process: {took:.0} ms (must {must}, aim {aim}); of it {}",
                String::from_utf8_lossy(&output.stdout).trim()
            );
            Measured {
                target: &format!("gpu: first frame of the demo, {}", device(&gpu)),
                value: took,
                unit: "ms",
                aim: &format!("≤ {must} ({aim}) ms"),
                adapter: &gpu.adapter.get_info().name,
                ..Measured::default()
            }
            .print();
        }
        _ => println!("first frame of the demo: left out"),
    }
    still(&gpu);
}

/// What kind of device it is: each has targets of its own.
fn device(gpu: &Gpu) -> &'static str {
    match gpu.adapter.get_info().device_type {
        wgpu::DeviceType::Cpu => "software device",
        _ => "graphics card",
    }
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

/// What a frame takes, in milliseconds.
struct Taken {
    /// From recording to the device's end, the shortest and the median.
    least: f64,
    median: f64,
    /// The processor's time, all threads.
    processor: Option<f64>,
    /// Of recording and handing over alone, without the device: the median.
    own: f64,
    /// The median of each.
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
    let together = match pictures {
        1 => "1 picture".to_owned(),
        _ => format!("{pictures} pictures"),
    };
    let asked = row
        .targets
        .map(|[must, aim]| format!("≤ {must} ({aim}) ms"));
    for (what, taken) in [("camera moves", &camera), ("trace plays", &looks)] {
        Measured {
            target: &format!(
                "gpu: frame of {} functions and {} arcs, {what}, {together} a frame, {}",
                amount(row.leaves as u64),
                amount(row.arcs as u64),
                device(gpu),
            ),
            value: taken.median,
            unit: "ms",
            peer: Some(("without light, arcs and names", bare.median)),
            aim: asked.as_deref().unwrap_or_default(),
            adapter: &gpu.adapter.get_info().name,
        }
        .print();
    }
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
    let mut passes: Vec<(&str, Vec<f32>)> = Vec::new();
    let mut work = None;
    let quality = quality_for(gpu.adapter.get_info().device_type);
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
        let (begin, own_begin) = (Instant::now(), clocks::own());
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
        let own_time = match (own_begin, clocks::own()) {
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
        for &(label, ms) in renderer.timings(gpu) {
            match passes.iter_mut().find(|(known, _)| *known == label) {
                Some((_, all)) => all.push(ms),
                None => passes.push((label, vec![ms])),
            }
        }
        if change == Change::Camera {
            camera.eye.x += 2.0;
        }
    }
    let work = work
        .zip(processor())
        .map(|(begin, end)| (end - begin) / f64::from(frames));
    times.sort_by(f64::total_cmp);
    own_times.sort_by(f64::total_cmp);
    let passes = passes.iter_mut().map(|(label, all)| {
        // Not every frame has every pass.
        all.resize(frames as usize + WARM as usize, 0.0);
        all.sort_by(f32::total_cmp);
        format!("{label} {:.2}", all[all.len() / 2])
    });
    let passes: Vec<String> = passes.collect();
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
        let mut view = City::new(&session, &settings, &Cut::all());
        let moment = moment_at(
            &session,
            0,
            liveliest(&session.recordings[0].recording.trace),
        );
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
        quality: quality_for(gpu.adapter.get_info().device_type),
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
        Ok(_) => {
            let took = ms(start.elapsed()) / 1e3;
            println!(
                "still of 4096 × 4096, the mean of {} pictures: {took:.1} s, processor {:.1} s (software: must 60, aim 15)",
                quality.samples,
                work.zip(processor())
                    .map_or(f64::NAN, |(begin, end)| (end - begin) / 1e3),
            );
            Measured {
                target: &format!("gpu: still of 4096 × 4096, {}", device(gpu)),
                value: took,
                unit: "s",
                aim: "≤ 60 (15) s",
                adapter: &gpu.adapter.get_info().name,
                ..Measured::default()
            }
            .print();
        }
        Err(error) => println!("still of 4096 × 4096: left out: {error}"),
    }
}
