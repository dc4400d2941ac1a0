//! How long a frame takes: a city with occlusion, arcs and names beside its bare blocks in the same
//! run, while the camera moves, while a trace plays, and when everything rests.

#[path = "../tests/it/random.rs"]
mod random;
#[path = "../tests/it/scene.rs"]
mod scene;

use std::time::Instant;

use callscape::layout::geometry::Arcs;
use callscape::render::gpu::Gpu;
use callscape::render::renderer::{Frame, Light, Quality, Renderer};
use callscape::render::theme::Theme;
use glam::Vec2;

use scene::Scene;

const SIZE: [u32; 2] = [1280, 720];
const FRAMES: u32 = 11;
const WARM: u32 = 2;

/// What changes from frame to frame.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Camera,
    Looks,
    Nothing,
}

fn main() {
    let gpu = match Gpu::headless() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("left out: {error}");
            return;
        }
    };
    println!("frame at {} × {} on {}", SIZE[0], SIZE[1], gpu.name());
    for (leaves, arcs) in [(8_500, 1_000), (90_000, 1_000)] {
        let mut scene = Scene::new(leaves, 3.0, arcs, Theme::Light);
        scene.label_on_screen(
            &Scene::overview(),
            Vec2::new(SIZE[0] as f32, SIZE[1] as f32),
            20,
        );
        scene.flat.truncate(80);
        println!(
            "{} modules, {} arcs, {} labels",
            scene.blocks.len(),
            scene.arcs.arcs.len(),
            scene.flat.len() + scene.screen.len()
        );
        let bare = measure(&gpu, &scene, Change::Camera, false);
        println!("  {:<34}{}", "bare blocks, camera moving", shown(bare));
        for (name, change) in [
            ("everything, camera moving", Change::Camera),
            ("everything, trace playing", Change::Looks),
            ("everything, resting until settled", Change::Nothing),
        ] {
            let full = measure(&gpu, &scene, change, true);
            println!(
                "  {name:<34}{}  {:>5.2} × bare",
                shown(full),
                full.1 / bare.1
            );
        }
    }
}

/// Milliseconds of wall time and of processor time.
fn shown((wall, processor): (f64, f64)) -> String {
    format!("{wall:>8.1} ms  {processor:>8.1} ms of processor time")
}

/// Processor time of this process so far in milliseconds, all threads; 0 where there is no `/proc`. A
/// software device spends it here, and other programs on the machine do not disturb it.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name in brackets; user and system time in hundredths of a second.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        * 10.0
}

/// The shortest of the frames' times (the others were disturbed), from recording to the device's end, and their mean processor time.
fn measure(gpu: &Gpu, scene: &Scene, change: Change, everything: bool) -> (f64, f64) {
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    let mut renderer = Renderer::new(gpu, format);
    renderer.set_blocks(gpu, &scene.blocks);
    renderer.set_looks(0, &scene.looks);
    if everything {
        renderer.set_arcs(gpu, &scene.arcs);
        renderer.set_labels(gpu, &scene.flat, &scene.screen);
    } else {
        renderer.set_arcs(gpu, &Arcs::default());
    }
    let target = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("target"),
        size: wgpu::Extent3d {
            width: SIZE[0],
            height: SIZE[1],
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let view = target.create_view(&Default::default());
    let mut camera = Scene::overview();
    let mut looks = scene.looks.clone();
    let mut times = Vec::new();
    let mut processor = 0.0;
    for number in 0..FRAMES {
        // The first frames make buffers and compile shaders.
        if number == WARM {
            processor = processor_time();
        }
        match change {
            Change::Camera => camera.eye.x += 2.0,
            Change::Looks => {
                for look in looks.iter_mut().filter(|look| look.glow > 0.0) {
                    look.rise = (look.rise - 0.5).max(0.0);
                }
                renderer.set_looks(0, &looks);
            }
            Change::Nothing => {}
        }
        let frame = Frame {
            camera,
            size: SIZE,
            theme: Theme::Light,
            hovered: [None; 2],
            selected: [None; 2],
            quality: Quality {
                samples: FRAMES,
                light: if everything { Light::Medium } else { Light::None },
                shadow: true,
            },
        };
        let start = Instant::now();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        renderer.draw(gpu, &mut encoder, &view, &frame);
        gpu.queue.submit([encoder.finish()]);
        if let Err(error) = gpu.wait().and_then(|()| gpu.check()) {
            println!("  {error}");
            return (f64::NAN, f64::NAN);
        }
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if number + 1 == FRAMES && everything {
            let passes = renderer.timings(gpu);
            let passes: Vec<String> = passes
                .iter()
                .map(|(label, ms)| format!("{label} {ms:.1}"))
                .collect();
            println!("    {}", passes.join(", "));
        }
        renderer.timings(gpu);
    }
    let processor = (processor_time() - processor) / f64::from(FRAMES - WARM);
    times.drain(..WARM as usize);
    times.sort_by(f64::total_cmp);
    (times[0], processor)
}
