//! What a frame does about what changed since the last, and what it costs.

use callscape::layout::geometry::{Arcs, Block, BlockActivity, BlockLook, ChangedLooks};
use callscape::model::theme::Theme;
use callscape::render::renderer::{Frame, Renderer};
use callscape::units::ModuleId;
use glam::Vec3;

use super::{FORMAT, SIZE, arc, differing, draw, frame, gpu, renderer, tower_camera};
use crate::scene::Scene;

#[test]
fn pictures_settle_and_stay_when_nothing_changes() {
    let scene = Scene::new(300, 40.0, 20, Theme::Light);
    let mut renderer = renderer(&scene.blocks);
    let view = target();
    let frame = frame(Scene::overview(), Theme::Light, 5);
    let draw = |renderer: &mut Renderer, frame: &Frame| {
        let mut encoder = gpu().device.create_command_encoder(&Default::default());
        renderer.draw(gpu(), &mut encoder, &view, frame);
        gpu().queue.submit([encoder.finish()]);
    };
    let settle = |renderer: &mut Renderer| {
        let drawn = (1..20).find(|_| {
            draw(renderer, &frame);
            renderer.settled()
        });
        drawn.expect("settled")
    };
    assert!(!renderer.settled());
    // Before the five four are drawn as fast as can be, or several at once where the device is fast.
    assert!((2..=9).contains(&settle(&mut renderer)));
    let rest = vec![BlockLook::default(); scene.blocks.len()];
    renderer.set_looks(0, &rest);
    renderer.set_arcs(gpu(), &Arcs::default());
    renderer.set_labels(gpu(), &[], &[]);
    assert!(renderer.settled(), "nothing changed");
    renderer.set_looks(0, &scene.looks);
    assert!(!renderer.settled());
    settle(&mut renderer);
    renderer.set_looks(scene.looks.len() + 9, &scene.looks);
    assert!(renderer.settled(), "past the last block");
    renderer.set_arcs(gpu(), &scene.arcs);
    assert!(!renderer.settled());
    settle(&mut renderer);
    let moved = Frame {
        selected: [Some(ModuleId(1)), None],
        ..frame
    };
    draw(&mut renderer, &moved);
    assert!(!renderer.settled());
    assert_eq!(gpu().check(), Ok(()));
}

#[test]
fn the_same_scene_gives_the_same_picture() {
    let scene = Scene::new(700, 10.0, 30, Theme::Dark);
    let picture = |before: bool| {
        let mut renderer = renderer(&scene.blocks);
        if before {
            // What was shown before leaves no trace.
            renderer.set_arcs(gpu(), &arc(Vec3::ZERO, Vec3::splat(300.0), true));
            renderer.set_looks(
                0,
                &vec![
                    BlockLook {
                        glow: 1.0,
                        rise: 30.0,
                        ..BlockLook::default()
                    };
                    scene.blocks.len()
                ],
            );
            draw(&mut renderer, &frame(tower_camera(), Theme::Light, 3));
        }
        renderer.set_looks(0, &scene.looks);
        renderer.set_arcs(gpu(), &scene.arcs);
        renderer.set_labels(gpu(), &scene.flat, &[]);
        draw(&mut renderer, &frame(Scene::overview(), Theme::Dark, 3))
    };
    assert_eq!(picture(false), picture(true));
}

#[test]
fn blocks_on_their_way_are_where_the_device_moves_them() {
    let scene = Scene::new(300, 40.0, 0, Theme::Light);
    let goals = scene.blocks.clone();
    let starts: Vec<Block> = goals
        .iter()
        .rev()
        .zip(&goals)
        .map(|(other, block)| Block {
            min: 0.5 * (other.min + block.min),
            max: other.max + 2.0,
            ..*block
        })
        .collect();
    let corners: Vec<_> = starts.iter().map(|block| (block.min, block.max)).collect();
    let frame = frame(Scene::overview(), Theme::Light, 2);
    let at = |share: f32| {
        let mut renderer = renderer(&goals);
        renderer.set_looks(0, &scene.looks);
        renderer.start_from(gpu(), &corners);
        renderer.move_on(0.7);
        draw(&mut renderer, &frame);
        renderer.move_on(share);
        draw(&mut renderer, &frame)
    };
    let plain = |blocks: &[Block]| {
        let mut renderer = renderer(blocks);
        renderer.set_looks(0, &scene.looks);
        draw(&mut renderer, &frame)
    };
    assert_eq!(at(1.0), plain(&goals));
    let between: Vec<Block> = starts
        .iter()
        .zip(&goals)
        .map(|(start, goal)| Block {
            min: start.min.lerp(goal.min, 0.25),
            max: start.max.lerp(goal.max, 0.25),
            ..*goal
        })
        .collect();
    // The square that the height maps show is that of the whole way, so shadows are not quite the same.
    let (moved, plain) = (at(0.25), plain(&between));
    let pixels = (SIZE[0] * SIZE[1]) as usize;
    let other = differing(&moved, &plain, 24);
    assert!(other * 50 < pixels, "{other} pixels differ");
    assert!(differing(&moved, &at(1.0), 24) * 10 > pixels);
}

#[test]
fn a_few_changed_looks_are_as_good_as_all() {
    let scene = Scene::new(600, 60.0, 0, Theme::Light);
    let frame = frame(Scene::overview(), Theme::Light, 1);
    let mut at_once = renderer(&scene.blocks);
    at_once.set_looks(0, &scene.looks);
    let mut one_by_one = renderer(&scene.blocks);
    for round in 0..3 {
        for (place, look) in scene.looks.iter().enumerate() {
            if place % 3 == round {
                // The last of several changes counts.
                let other = BlockLook {
                    glow: 1.0,
                    rise: 9.0,
                    ..*look
                };
                one_by_one.set_looks(place, &[other]);
                one_by_one.set_looks(place, &[*look]);
            }
        }
        draw(&mut one_by_one, &frame);
    }
    assert_eq!(draw(&mut one_by_one, &frame), draw(&mut at_once, &frame));
}

#[test]
fn colours_that_change_with_time_are_as_good_as_new_ones() {
    let scene = Scene::new(600, 60.0, 0, Theme::Light);
    let frame = frame(Scene::overview(), Theme::Light, 1);
    let mut recoloured = renderer(&scene.blocks);
    recoloured.set_looks(0, &scene.looks);
    draw(&mut recoloured, &frame);
    let mut looks = scene.looks.clone();
    let mut changed = Vec::new();
    for (block, look) in (0..).zip(&mut looks) {
        if block % 3 == 0 {
            look.data = [0.1, 0.5, 0.9, 1.0];
            changed.push(BlockActivity {
                block,
                data: look.data,
                glow: look.glow,
                rise: look.rise,
            });
        }
    }
    recoloured.set_changed_looks(&looks, ChangedLooks::Activity(&changed));
    let mut at_once = renderer(&scene.blocks);
    at_once.set_looks(0, &looks);
    assert_eq!(draw(&mut recoloured, &frame), draw(&mut at_once, &frame));
}

/// A target without a window.
fn target() -> wgpu::TextureView {
    let texture = gpu().device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d {
            width: SIZE[0],
            height: SIZE[1],
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

/// How often the frame's own thread asks for memory while the camera moves and a few blocks run: what the graphics
/// library needs for the same passes, however large the city, and nothing else.
#[test]
fn frames_take_no_more_memory_of_a_larger_city() {
    let view = target();
    let frames = |leaves: usize| {
        let scene = Scene::new(leaves, 0.0, 20, Theme::Light);
        let mut renderer = renderer(&scene.blocks);
        renderer.set_arcs(gpu(), &scene.arcs);
        let mut camera = Scene::overview();
        let mut counts = Vec::new();
        for number in 0..12u16 {
            camera.eye.x += 1.0;
            let look = BlockLook {
                glow: 1.0,
                rise: f32::from(number),
                ..BlockLook::default()
            };
            let frame = frame(camera, Theme::Light, 1);
            let (_, count) = crate::memory::allocations(|| {
                for place in 0..20 {
                    renderer.set_looks(place * 10, &[look]);
                }
                let mut encoder = gpu().device.create_command_encoder(&Default::default());
                renderer.draw(gpu(), &mut encoder, &view, &frame);
                gpu().queue.submit([encoder.finish()]);
            });
            gpu().wait().expect("a device");
            counts.push(count);
        }
        // The first frames fill buffers; what the library allocates now and then is no frame's doing.
        counts.drain(..6);
        counts.iter().min().copied().expect("some frames")
    };
    let (few, many) = (frames(300), frames(30_000));
    println!("{few} and {many} allocations a frame");
    assert!(
        many <= few + few / 10,
        "{few} for few blocks, {many} for many"
    );
}
