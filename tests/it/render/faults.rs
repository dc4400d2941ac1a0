//! Sizes, numbers and devices that something is wrong with.

use callscape::layout::geometry::{BlockKind, BlockLook, FlatLabel};
use callscape::look::camera::Camera;
use callscape::model::theme::Theme;
use callscape::render::gpu::{Gpu, GpuError};
use callscape::render::renderer::{Frame, Renderer};

use super::{FORMAT, SIZE, block, draw, frame, gpu, name, renderer, tower, tower_camera};
use crate::scene::Scene;

#[test]
fn impossible_sizes_are_errors() {
    let mut renderer = renderer(&tower());
    for size in [[0, 0], [0, 100], [100, 0], [u32::MAX, 1], [1, 1 << 20]] {
        let frame = Frame {
            size,
            ..frame(tower_camera(), Theme::Light, 1)
        };
        let image = renderer.image(gpu(), &frame);
        assert!(matches!(image, Err(GpuError::Size { .. })), "{size:?}");
    }
    let smallest = Frame {
        size: [1, 1],
        ..frame(tower_camera(), Theme::Light, 2)
    };
    assert_eq!(draw(&mut renderer, &smallest).rgba.len(), 4);
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    let nan = f32::NAN;
    let blocks = [
        block(BlockKind::Terrace, 0, [0.0; 3], [400.0, 400.0, 4.0]),
        block(BlockKind::Leaf, u16::MAX, [nan; 3], [nan; 3]),
        block(
            BlockKind::Collapsed,
            9,
            [f32::NEG_INFINITY; 3],
            [f32::INFINITY; 3],
        ),
        block(BlockKind::Leaf, 1, [9.0, 9.0, 9.0], [1.0, 1.0, 1.0]),
    ];
    let mut renderer = renderer(&blocks);
    let look = BlockLook {
        data: [nan, f32::INFINITY, -1.0, 2.0],
        glow: nan,
        rise: f32::NEG_INFINITY,
        ..BlockLook::default()
    };
    renderer.set_looks(0, &[look; 9]);
    renderer.set_labels(
        gpu(),
        &[FlatLabel {
            em: nan,
            ..name("x", nan)
        }],
        &[],
    );
    for eye in [[nan; 3], [0.0; 3], [200.0, 200.0, 2.0], [1e30; 3]] {
        let camera = Camera {
            eye: eye.into(),
            ..tower_camera()
        };
        draw(&mut renderer, &frame(camera, Theme::Light, 2));
    }
}

#[test]
fn a_lost_device_tells_and_another_draws_the_same() {
    let scene = Scene::new(300, 20.0, 5, Theme::Dark);
    let picture = |gpu: &Gpu, renderer: &mut Renderer| {
        renderer.image(gpu, &frame(Scene::overview(), Theme::Dark, 1))
    };
    let made = |gpu: &Gpu| {
        let mut renderer = Renderer::new(gpu, FORMAT);
        renderer.set_blocks(gpu, &scene.blocks);
        renderer.set_looks(0, &scene.looks);
        renderer
    };
    let open = || Gpu::headless().expect("it opened before");
    let lost = open();
    let mut renderer = made(&lost);
    let before = picture(&lost, &mut renderer).expect("not lost yet");
    lost.device.destroy();
    let _ = lost.wait();
    let error = picture(&lost, &mut renderer).and_then(|_| lost.check());
    assert!(error.is_err());
    assert!(matches!(lost.check(), Err(GpuError::Lost(_))));
    // Whatever is asked of it now, nothing ends the program.
    renderer.set_blocks(&lost, &scene.blocks);
    renderer.set_arcs(&lost, &scene.arcs);
    assert_eq!(renderer.pick(&lost, 3, 3), None);
    let other = open();
    let after = picture(&other, &mut made(&other)).expect("a picture");
    assert_eq!(before, after);
}

#[test]
fn a_small_device_draws_what_fits_it() {
    let limits = wgpu::Limits {
        max_texture_dimension_2d: 2048,
        max_storage_buffer_binding_size: 1 << 20,
        max_buffer_size: 1 << 20,
        ..wgpu::Limits::default()
    };
    let small = Gpu::headless_within(limits).expect("less than it has");
    let scene = Scene::new(60_000, 1.0, 3_000, Theme::Light);
    assert!(scene.blocks.len() * 32 > 1 << 20, "too few to be too many");
    let mut renderer = Renderer::new(&small, FORMAT);
    renderer.set_blocks(&small, &scene.blocks);
    renderer.set_looks(0, &scene.looks);
    renderer.set_arcs(&small, &scene.arcs);
    renderer.set_labels(&small, &scene.flat, &[]);
    let frame = frame(Scene::overview(), Theme::Light, 2);
    let image = renderer.image(&small, &frame).expect("a picture");
    assert_eq!(small.check(), Ok(()));
    assert_eq!((image.width, image.height), (SIZE[0], SIZE[1]));
    assert_eq!(renderer.timings(&small), &[], "it cannot tell");
    let large = Frame {
        size: [2049, 8],
        ..frame
    };
    let refused = renderer.image(&small, &large);
    assert!(matches!(refused, Err(GpuError::Size { limit: 2048, .. })));
}

#[test]
fn a_device_that_lacks_what_passes_need_is_refused_by_name() {
    let limits = wgpu::Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    };
    let Err(error) = Gpu::headless_within(limits) else {
        panic!("it opened");
    };
    let text = error.to_string();
    assert!(matches!(error, GpuError::TooWeak { .. }));
    assert!(text.contains("mesa-vulkan-drivers"), "{text}");
}
