//! What the renderer draws, on whatever adapter there is: first what can be counted, then two small
//! pictures.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use callscape::layout::geometry::{Arc, Arcs, Block, BlockKind, BlockLook, FlatLabel, ScreenLabel};
use callscape::layout::pick::Picker;
use callscape::layout::treemap;
use callscape::render::camera::Camera;
use callscape::render::gpu::{Gpu, GpuError};
use callscape::render::image::Image;
use callscape::render::renderer::{Frame, Quality, Renderer};
use callscape::render::theme::Theme;
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use crate::perceive::difference;
use crate::random::Random;
use crate::scene::Scene;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const SIZE: [u32; 2] = [320, 180];

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::headless().unwrap_or_else(|error| panic!("{error}")))
}

fn renderer(blocks: &[Block]) -> Renderer {
    let mut renderer = Renderer::new(gpu(), FORMAT);
    renderer.set_blocks(gpu(), blocks);
    renderer
}

fn frame(camera: Camera, theme: Theme, samples: u32) -> Frame {
    Frame {
        camera,
        size: SIZE,
        theme,
        hovered: [None; 2],
        selected: [None; 2],
        quality: Quality {
            samples,
            ..Quality::default()
        },
    }
}

fn draw(renderer: &mut Renderer, frame: &Frame) -> Image {
    let image = renderer.image(gpu(), frame).expect("a picture");
    assert_eq!(gpu().check(), Ok(()));
    image
}

/// Red, green and blue of a pixel.
fn pixel(image: &Image, x: u32, y: u32) -> [i32; 3] {
    let at = (y * image.width + x) as usize * 4;
    [0, 1, 2].map(|channel| i32::from(image.rgba[at + channel]))
}

fn brightness(image: &Image, at: Vec2) -> i32 {
    pixel(image, at.x as u32, at.y as u32).iter().sum()
}

/// How many pixels fulfil a condition.
fn count(image: &Image, condition: impl Fn([i32; 3]) -> bool) -> usize {
    let pixels = image.rgba.chunks_exact(4);
    pixels
        .filter(|rgba| condition([rgba[0], rgba[1], rgba[2]].map(i32::from)))
        .count()
}

/// How many pixels of two pictures differ by more than `step` in some channel.
fn differing(a: &Image, b: &Image, step: u8) -> usize {
    let pairs = a.rgba.chunks_exact(4).zip(b.rgba.chunks_exact(4));
    pairs
        .filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > step))
        .count()
}

/// Red or amber well beyond what a neutral surface has.
fn is_hot([r, _, b]: [i32; 3]) -> bool {
    r - b > 60
}

fn block(kind: BlockKind, level: u16, min: [f32; 3], max: [f32; 3]) -> Block {
    Block {
        module: ModuleId(0),
        kind,
        level,
        min: min.into(),
        max: max.into(),
        subtree_end: 0,
    }
}

/// A square terrace with a square tower in its middle.
fn tower() -> Vec<Block> {
    let mut blocks = vec![
        block(BlockKind::Terrace, 0, [0.0, 0.0, 0.0], [400.0, 400.0, 4.0]),
        block(
            BlockKind::Leaf,
            1,
            [150.0, 150.0, 3.5],
            [250.0, 250.0, 40.0],
        ),
    ];
    for (index, block) in blocks.iter_mut().enumerate() {
        block.module = ModuleId(index as u32);
        block.subtree_end = 2;
    }
    blocks
}

fn tower_camera() -> Camera {
    Camera {
        eye: Vec3::new(200.0, -420.0, 420.0),
        target: Vec3::new(200.0, 180.0, 0.0),
        fov_y: 0.7,
    }
}

fn above(height: f32) -> Camera {
    Camera {
        eye: Vec3::new(200.0, 200.0, height),
        target: Vec3::new(200.0, 200.0, 0.0),
        fov_y: 0.7,
    }
}

#[test]
fn without_blocks_there_is_the_even_table() {
    let mut renderer = renderer(&[]);
    for theme in [Theme::Light, Theme::Dark] {
        let image = draw(&mut renderer, &frame(tower_camera(), theme, 1));
        let (low, high) = image
            .rgba
            .chunks_exact(4)
            .fold((255, 0), |(low, high), p| (p[1].min(low), p[1].max(high)));
        // It only darkens softly with distance.
        assert!(high - low < 24, "{theme:?}: green from {low} to {high}");
    }
}

#[test]
fn activity_alone_is_saturated() {
    let blocks = tower();
    let mut renderer = renderer(&blocks);
    for theme in [Theme::Light, Theme::Dark] {
        let frame = frame(tower_camera(), theme, 2);
        renderer.set_looks(0, &[BlockLook::default(); 2]);
        let rest = draw(&mut renderer, &frame);
        assert_eq!(count(&rest, is_hot), 0, "{theme:?}");
        let glow = |glow: f32, rise: f32| BlockLook {
            glow,
            rise,
            ..BlockLook::default()
        };
        renderer.set_looks(1, &[glow(1.0, 0.0)]);
        let hot = count(&draw(&mut renderer, &frame), is_hot);
        // The tower is about a quarter as wide as the terrace.
        assert!((400..6000).contains(&hot), "{theme:?}: {hot} hot pixels");
        renderer.set_looks(1, &[glow(1.0, 60.0)]);
        let risen = count(&draw(&mut renderer, &frame), is_hot);
        assert!(risen > hot + 200, "{theme:?}: {hot}, risen {risen}");
        renderer.set_looks(1, &[glow(0.0, 0.0)]);
        assert_eq!(draw(&mut renderer, &frame), rest, "{theme:?}");
    }
}

#[test]
fn surfaces_darken_toward_walls_on_all_sides() {
    let mut renderer = renderer(&tower());
    let camera = above(700.0);
    let image = draw(&mut renderer, &frame(camera, Theme::Light, 16));
    let size = Vec2::from(SIZE.map(|side| side as f32));
    let at = |x: f32, y: f32| {
        let place = camera.project(Vec3::new(x, y, 4.0), size);
        brightness(&image, place.expect("in front of the eye"))
    };
    for (name, x, y) in [
        ("east", 1.0, 0.0),
        ("west", -1.0, 0.0),
        ("north", 0.0, 1.0),
        ("south", 0.0, -1.0),
    ] {
        let along =
            |distance: f32| at(200.0 + x * (50.0 + distance), 200.0 + y * (50.0 + distance));
        let (foot, far) = (along(6.0), along(110.0));
        assert!(foot + 40 < far, "{name}: {foot} at the foot, {far} far");
    }
    // The lamp stands in the south: the shadow falls to the north.
    let (lit, shadow) = (at(190.0, 132.0), at(210.0, 268.0));
    assert!(
        shadow + 30 < lit,
        "{shadow} in the shadow, {lit} in the light"
    );
}

/// Looking due north the rays of the middle column run parallel to the walls in the east and west.
#[test]
fn rays_parallel_to_walls_are_lit_as_their_neighbours() {
    let mut renderer = renderer(&tower());
    let mut frame = frame(
        Camera {
            eye: Vec3::new(200.0, -400.0, 300.0),
            target: Vec3::new(200.0, 200.0, 0.0),
            fov_y: 0.7,
        },
        Theme::Light,
        1,
    );
    frame.size = [SIZE[0] + 1, SIZE[1]];
    let image = draw(&mut renderer, &frame);
    assert_eq!(count(&image, |colour| colour == [0; 3]), 0);
}

#[test]
fn deeper_terraces_are_lighter() {
    let mut blocks: Vec<Block> = (0..5u16)
        .map(|level| {
            let (low, high) = (f32::from(level) * 40.0, 400.0 - f32::from(level) * 40.0);
            let z = f32::from(level) * 4.0;
            block(
                BlockKind::Terrace,
                level,
                [low, low, z],
                [high, high, z + 4.0],
            )
        })
        .collect();
    for (index, block) in blocks.iter_mut().enumerate() {
        block.module = ModuleId(index as u32);
        block.subtree_end = 5;
    }
    let mut renderer = renderer(&blocks);
    let camera = above(700.0);
    let size = Vec2::from(SIZE.map(|side| side as f32));
    for theme in [Theme::Light, Theme::Dark] {
        let image = draw(&mut renderer, &frame(camera, theme, 4));
        let tops = (0..5).map(|level| {
            let at = Vec3::new(200.0, level as f32 * 40.0 + 20.0, level as f32 * 4.0 + 4.0);
            brightness(&image, camera.project(at, size).expect("in front"))
        });
        let tops: Vec<i32> = tops.collect();
        assert!(tops.is_sorted_by(|a, b| a + 8 < *b), "{theme:?}: {tops:?}");
    }
}

#[test]
fn outlines_mark_the_edge_and_nothing_else() {
    let mut renderer = renderer(&tower());
    let plain = frame(tower_camera(), Theme::Light, 4);
    let without = draw(&mut renderer, &plain);
    let size = Vec2::from(SIZE.map(|side| side as f32));
    let roof = tower_camera()
        .project(Vec3::new(200.0, 200.0, 40.0), size)
        .expect("in front");
    for (hovered, selected) in [
        (Some(ModuleId(1)), None),
        (None, Some(ModuleId(1))),
        (Some(ModuleId(0)), Some(ModuleId(1))),
    ] {
        let outlined = Frame {
            hovered: [hovered, None],
            selected: [None, selected],
            ..plain
        };
        let with = draw(&mut renderer, &outlined);
        let marked = differing(&without, &with, 40);
        assert!((100..2500).contains(&marked), "{marked} pixels");
        assert_eq!(brightness(&without, roof), brightness(&with, roof));
    }
    // What is not displayed has no outline.
    let elsewhere = Frame {
        hovered: [Some(ModuleId(77)), None],
        ..plain
    };
    assert_eq!(draw(&mut renderer, &elsewhere), without);
}

fn arc(from: Vec3, to: Vec3, outlined: bool) -> Arcs {
    Arcs {
        arcs: vec![Arc {
            first_point: 0,
            points: 2,
            width: 6.0,
            from: [0.0, 0.6, 0.0, 1.0],
            to: [0.0, 0.6, 0.0, 1.0],
            outlined,
            is_cord: true,
            pulse: -1.0,
            ..Arc::default()
        }],
        points: vec![from, to],
    }
}

#[test]
fn arcs_are_drawn_and_fainter_behind_blocks() {
    let mut renderer = renderer(&tower());
    let frame = frame(tower_camera(), Theme::Light, 1);
    let is_green = |[r, g, b]: [i32; 3]| g - r > 30 && g - b > 30;
    assert_eq!(count(&draw(&mut renderer, &frame), is_green), 0);
    let (a, b) = (Vec3::new(60.0, 100.0, 60.0), Vec3::new(340.0, 100.0, 60.0));
    renderer.set_arcs(gpu(), &arc(a, b, false));
    let before = count(&draw(&mut renderer, &frame), is_green);
    assert!(before > 150, "{before} green pixels");
    // Behind the tower, near the terrace: the middle is hidden.
    let (a, b) = (Vec3::new(60.0, 270.0, 8.0), Vec3::new(340.0, 270.0, 8.0));
    renderer.set_arcs(gpu(), &arc(a, b, false));
    let behind = count(&draw(&mut renderer, &frame), is_green);
    renderer.set_blocks(gpu(), &tower()[..1]);
    let free = count(&draw(&mut renderer, &frame), is_green);
    assert!(
        behind > 50 && behind * 5 < free * 4,
        "{behind} of {free} green pixels are not behind the tower"
    );
}

#[test]
fn arcs_that_cannot_be_drawn_are_left_out() {
    let mut renderer = renderer(&tower());
    let frame = frame(tower_camera(), Theme::Dark, 1);
    let without = draw(&mut renderer, &frame);
    let good = arc(Vec3::ZERO, Vec3::splat(100.0), false);
    let broken = [(0, 0), (0, 1), (1, 2), (u32::MAX, u32::MAX)].map(|(first_point, points)| Arc {
        first_point,
        points,
        ..good.arcs[0]
    });
    let arcs = Arcs {
        arcs: broken.to_vec(),
        points: good.points.clone(),
    };
    renderer.set_arcs(gpu(), &arcs);
    assert_eq!(draw(&mut renderer, &frame), without);
    let nowhere = arc(Vec3::NAN, Vec3::INFINITY, true);
    renderer.set_arcs(gpu(), &nowhere);
    draw(&mut renderer, &frame);
}

fn name(text: &str, opacity: f32) -> FlatLabel {
    FlatLabel {
        text: text.to_owned(),
        module: ModuleId(0),
        origin: Vec3::new(30.0, 30.0, 4.0),
        right: Vec3::X,
        up: Vec3::Y,
        em: 60.0,
        opacity,
        is_inverted: false,
    }
}

#[test]
fn flat_labels_are_drawn_where_they_lie() {
    let mut renderer = renderer(&tower()[..1]);
    let camera = above(700.0);
    let frame = frame(camera, Theme::Light, 4);
    let without = draw(&mut renderer, &frame);
    let dark = |[r, g, b]: [i32; 3]| r + g + b < 240;
    assert_eq!(count(&without, dark), 0);
    renderer.set_labels(gpu(), &[name("IIIIIIII", 0.0)], &[]);
    assert_eq!(draw(&mut renderer, &frame), without);
    renderer.set_labels(gpu(), &[name("IIIIIIII", 1.0)], &[]);
    let with = draw(&mut renderer, &frame);
    let narrow = count(&with, dark);
    assert!(narrow > 60, "{narrow} dark pixels");
    let size = Vec2::from(SIZE.map(|side| side as f32));
    let corner = |x, y| {
        camera
            .project(Vec3::new(x, y, 4.0), size)
            .expect("in front")
    };
    let (low, high) = (corner(25.0, 20.0), corner(330.0, 100.0));
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let inside =
                (low.x..high.x).contains(&(x as f32)) && (high.y..low.y).contains(&(y as f32));
            assert!(inside || !dark(pixel(&with, x, y)), "ink at {x}, {y}");
        }
    }
    renderer.set_labels(gpu(), &[name("MMMMMMMM", 1.0)], &[]);
    let wide = count(&draw(&mut renderer, &frame), dark);
    assert!(wide > narrow * 3 / 2, "{narrow} pixels of I, {wide} of M");
}

#[test]
fn screen_labels_stand_on_plates() {
    let mut renderer = renderer(&tower()[..1]);
    let frame = frame(above(700.0), Theme::Dark, 1);
    let without = draw(&mut renderer, &frame);
    let label = |text: &str| ScreenLabel {
        text: text.to_owned(),
        at: Vec2::new(160.0, 90.0),
        em: 20.0,
        emphasized: true,
    };
    renderer.set_labels(gpu(), &[], &[label("main")]);
    let with = draw(&mut renderer, &frame);
    let ink = count(&with, |[r, g, b]| r.min(g).min(b) > 200);
    assert!((40..600).contains(&ink), "{ink} light pixels");
    // The plate and its shadow lie above and about the place.
    assert!(differing(&without, &with, 4) > 1000);
    assert_eq!(pixel(&with, 160, 120), pixel(&without, 160, 120));
    let odd = [
        label(""),
        label("two\nlines"),
        label(&"long ".repeat(1000)),
        label("漢字 עברית \u{0}\u{202e}"),
        ScreenLabel {
            at: Vec2::NAN,
            ..label("nowhere")
        },
        ScreenLabel {
            em: f32::INFINITY,
            ..label("huge")
        },
    ];
    renderer.set_labels(gpu(), &[name("漢字 עברית\n\u{0}", 1.0)], &odd);
    draw(&mut renderer, &frame);
}

#[test]
fn picking_by_pixel_agrees_with_picking_by_ray() {
    let mut scene = Scene::new(900, 40.0, 0, Theme::Light);
    // Names of modules need not be the places of blocks.
    for (index, block) in scene.blocks.iter_mut().enumerate() {
        block.module = ModuleId(3 * index as u32 + 1);
    }
    let parents = treemap::parents(&scene.blocks);
    let mut picker = Picker::new(&scene.blocks, &parents);
    let risen = (0..scene.blocks.len()).filter(|&index| scene.looks[index].rise > 0.0);
    let risen: Vec<u32> = risen.map(|index| index as u32).collect();
    assert!(!risen.is_empty());
    picker.set_risen(&scene.blocks, &parents, &scene.looks, risen);
    let mut renderer = renderer(&scene.blocks);
    renderer.set_looks(0, &scene.looks);
    let camera = Scene::overview();
    draw(&mut renderer, &frame(camera, Theme::Light, 1));
    let size = Vec2::from(SIZE.map(|side| side as f32));
    let seed = 7;
    let mut random = Random(seed);
    let mut differ = 0;
    let mut hits = 0;
    for _ in 0..300 {
        let x = random.below(u64::from(SIZE[0])) as u32;
        let y = random.below(u64::from(SIZE[1])) as u32;
        let drawn = renderer.pick(gpu(), x, y);
        let ray = camera.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5), size);
        let hit = picker.pick(&scene.blocks, &scene.looks, camera.eye, ray);
        let met = hit.map(|hit| scene.blocks[hit.block as usize].module);
        hits += usize::from(met.is_some());
        differ += usize::from(drawn != met);
    }
    assert!(hits > 100, "seed {seed}: {hits} hits");
    // The middle of a pixel may lie on an edge, where rasterizing and the ray round differently.
    assert!(differ <= 2, "seed {seed}: {differ} of 300 differ");
    assert_eq!(renderer.pick(gpu(), SIZE[0], 0), None);
}

#[test]
fn picking_without_waiting_answers_later() {
    let blocks = tower();
    let mut renderer = renderer(&blocks);
    let mut encoder = gpu().device.create_command_encoder(&Default::default());
    assert!(!renderer.ask_pick(&mut encoder, 1, 1), "nothing drawn yet");
    draw(&mut renderer, &frame(above(700.0), Theme::Light, 1));
    assert!(renderer.ask_pick(&mut encoder, SIZE[0] / 2, SIZE[1] / 2));
    assert!(!renderer.ask_pick(&mut encoder, 1, 1), "one at a time");
    gpu().queue.submit([encoder.finish()]);
    let answer = (0..10_000).find_map(|_| {
        std::thread::yield_now();
        renderer.picked(gpu())
    });
    assert_eq!(answer, Some(Some(ModuleId(1))));
    assert_eq!(renderer.pick(gpu(), 1, 1), None);
}

#[test]
fn pictures_settle_and_stay_when_nothing_changes() {
    let scene = Scene::new(300, 40.0, 20, Theme::Light);
    let mut renderer = renderer(&scene.blocks);
    let target = gpu().device.create_texture(&wgpu::TextureDescriptor {
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
    let view = target.create_view(&Default::default());
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
    // The first is plain, or several at once where the device is fast.
    assert!((2..=6).contains(&settle(&mut renderer)));
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

#[test]
fn light_of_every_quality_is_much_the_same() {
    let scene = Scene::new(900, 5.0, 0, Theme::Light);
    let mut renderer = renderer(&scene.blocks);
    renderer.set_looks(0, &scene.looks);
    let mut picture = |quality: Quality| {
        let frame = Frame {
            quality: Quality {
                samples: 4,
                ..quality
            },
            ..frame(Scene::overview(), Theme::Light, 4)
        };
        draw(&mut renderer, &frame)
    };
    let medium = picture(Quality::MEDIUM);
    let pixels = (SIZE[0] * SIZE[1]) as usize;
    for quality in [Quality::LOW, Quality::HIGH] {
        let other = differing(&medium, &picture(quality), 24);
        assert!(
            other * 20 < pixels,
            "{quality:?}: {other} pixels are others"
        );
    }
    let bright = |image: &Image| {
        image
            .rgba
            .iter()
            .map(|&value| u64::from(value))
            .sum::<u64>()
    };
    let without = picture(Quality {
        shadow: false,
        ..Quality::MEDIUM
    });
    assert!(
        bright(&without) > bright(&medium),
        "a shadow takes light away"
    );
}

/// The mean of `side` × `side` pixels each.
fn reduced(image: &Image, side: u32) -> Image {
    let (width, height) = (image.width / side, image.height / side);
    let mut rgba = Vec::new();
    for y in 0..height {
        for x in 0..width {
            for channel in 0..4 {
                let all = (0..side * side).map(|at| {
                    let (x, y) = (x * side + at % side, y * side + at / side);
                    u32::from(image.rgba[((y * image.width + x) * 4 + channel) as usize])
                });
                rgba.push((all.sum::<u32>() / (side * side)) as u8);
            }
        }
    }
    Image {
        width,
        height,
        rgba,
    }
}

#[test]
fn what_is_too_small_looks_as_its_mean_does() {
    // Blocks of about a third of a pixel, as wide as a pixel when the picture is four times as large.
    for (theme, data) in [
        (Theme::Light, false),
        (Theme::Dark, false),
        (Theme::Light, true),
    ] {
        let mut scene = Scene::new(60_000, 0.0, 0, theme);
        if data {
            for (place, look) in scene.looks.iter_mut().enumerate() {
                if scene.blocks[place].kind == BlockKind::Leaf {
                    let red = if place % 2 == 0 { 1.0 } else { 0.2 };
                    look.data = [red, 0.2, 0.1, 0.8];
                }
            }
        }
        let mut renderer = renderer(&scene.blocks);
        renderer.set_looks(0, &scene.looks);
        let small = draw(&mut renderer, &frame(Scene::overview(), theme, 8));
        let large = Frame {
            size: SIZE.map(|side| side * 4),
            ..frame(Scene::overview(), theme, 4)
        };
        let large = reduced(&draw(&mut renderer, &large), 4);
        let sums = small.rgba.iter().zip(&large.rgba);
        let mean =
            sums.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / small.rgba.len() as f64;
        let other = differing(&small, &large, 24);
        println!("{theme:?} {data}: {mean:.2} on average, {other} others");
        if let Some(folder) = std::env::var_os("CALLSCAPE_PICTURES").map(PathBuf::from) {
            small
                .write_png(&folder.join(format!("merged-{theme:?}-{data}.png")))
                .expect("a file");
            large
                .write_png(&folder.join(format!("mean-{theme:?}-{data}.png")))
                .expect("a file");
        }
        assert!(
            mean < 5.0,
            "{theme:?}: {mean} on average, {other} pixels are others"
        );
    }
}

#[test]
fn what_runs_is_found_among_what_is_too_small() {
    let scene = Scene::new(60_000, 0.0, 0, Theme::Light);
    let mut renderer = renderer(&scene.blocks);
    let frame = frame(Scene::overview(), Theme::Light, 4);
    let size = Vec2::from(SIZE.map(|side| side as f32));
    let mut tiny = scene.blocks.iter().enumerate().filter(|(_, block)| {
        let extent = block.max - block.min;
        block.kind == BlockKind::Leaf && extent.x.max(extent.y) < 1.2
    });
    let (place, block) = tiny.next_back().expect("some are tiny");
    let glowing = |rise: f32| BlockLook {
        glow: 1.0,
        rise,
        ..BlockLook::default()
    };
    renderer.set_looks(place, &[glowing(8.0)]);
    let image = draw(&mut renderer, &frame);
    let at = frame
        .camera
        .project(block.max.with_z(block.max.z + 4.0), size);
    let at = at.expect("in front of the eye").as_ivec2();
    let around = (-2..=2).flat_map(|y| (-2..=2).map(move |x| (x, y)));
    let is_seen = around
        .map(|(x, y)| pixel(&image, (at.x + x) as u32, (at.y + y) as u32))
        .any(|[r, _, b]| r > b + 40);
    assert!(is_seen, "nothing glows about {at}");
    // In a summary nothing rises: then the terrace shows the mean of what glows on it.
    renderer.set_looks(place, &[BlockLook::default()]);
    let rest = count(&draw(&mut renderer, &frame), is_hot);
    let leaves = scene.blocks.iter().map(|block| match block.kind {
        BlockKind::Leaf => glowing(0.0),
        _ => BlockLook::default(),
    });
    renderer.set_looks(0, &leaves.collect::<Vec<_>>());
    let all = count(&draw(&mut renderer, &frame), is_hot);
    assert!(rest == 0 && all > 10_000, "{rest} hot pixels, then {all}");
}

/// Small pictures, drawn by llvmpipe of Mesa 22.3: the city with all that lies on it, and its light alone from near.
/// Other drivers round edges and blends differently: on average the eye is to see no difference (1 of 100 from black to
/// white), and in one pixel of a hundred at most a slight one (8: an edge is another by half a pixel).
/// `CALLSCAPE_GOLDEN=1` draws them anew.
#[test]
fn golden_pictures() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let near = Camera {
        eye: Vec3::new(330.0, 60.0, 130.0),
        target: Vec3::new(400.0, 250.0, 15.0),
        fov_y: 0.7,
    };
    let themes = [(Theme::Light, "light"), (Theme::Dark, "dark")];
    for (theme, name) in themes {
        let scene = Scene::new(1_200, 6.0, 12, theme);
        let mut renderer = renderer(&scene.blocks);
        for (camera, before) in [(near, "near-"), (Scene::overview(), "")] {
            let file = format!("{before}{name}.png");
            if before.is_empty() {
                renderer.set_looks(0, &scene.looks);
                renderer.set_arcs(gpu(), &scene.arcs);
                renderer.set_labels(gpu(), &scene.flat, &[]);
            }
            let image = draw(&mut renderer, &frame(camera, theme, 8));
            let path = golden.join(&file);
            if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
                image.write_png(&path).expect("a file");
                continue;
            }
            let found = difference(&read_png(&path), &image);
            println!("{file}: {found:?}");
            assert!(found.mean < 1.0 && found.most < 8.0, "{file}: {found:?}");
        }
    }
}

/// What can be said of the passes on the command line is said as one document.
#[test]
fn passes_are_timed_on_the_command_line() {
    let path = std::env::temp_dir().join(format!("callscape-timings-{}.png", std::process::id()));
    let mut command = crate::common::callscape();
    command
        .arg("render")
        .arg(crate::common::data("window/source"));
    command.args(["--size", "160x90", "--quality", "low", "--shadow", "none"]);
    command.args(["--timings", "--json", "-o"]).arg(&path);
    let output = command.output().expect("the program is built");
    let _ = std::fs::remove_file(&path);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert!(report["adapter"].is_string() && report["driver"].is_string());
    let picture = &report["pictures"][0];
    assert_eq!(picture["file"], path.display().to_string());
    // Not every device tells; one that does tells of all passes.
    if let Some(passes) = picture["passes"].as_array() {
        let names: Vec<&str> = passes.iter().filter_map(|it| it["name"].as_str()).collect();
        for pass in [
            "cull",
            "heights",
            "blocks",
            "resolve",
            "accumulate",
            "compose",
        ] {
            assert!(names.contains(&pass), "{pass} is not among {names:?}");
        }
        assert!(passes.iter().all(|it| it["ms"].as_f64() >= Some(0.0)));
    }
}

pub fn read_png(path: &Path) -> Image {
    let file = std::fs::File::open(path).expect("a golden picture");
    let decoder = png::Decoder::new(std::io::BufReader::new(file));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut rgba = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut rgba).expect("a PNG");
    Image {
        width: info.width,
        height: info.height,
        rgba,
    }
}

/// Not a check: draws pictures to be looked at into the folder that `CALLSCAPE_PICTURES` names; only
/// those whose names contain `CALLSCAPE_PICTURE`.
#[test]
fn pictures_to_be_looked_at() {
    let Some(folder) = std::env::var_os("CALLSCAPE_PICTURES").map(PathBuf::from) else {
        return;
    };
    let only = std::env::var("CALLSCAPE_PICTURE").unwrap_or_default();
    let camera = |eye: [f32; 3], target: [f32; 3]| Camera {
        eye: eye.into(),
        target: target.into(),
        fov_y: 0.7,
    };
    let views = [
        ("overview", Scene::overview()),
        ("close", camera([330.0, 60.0, 130.0], [400.0, 250.0, 15.0])),
        ("street", camera([362.0, 205.0, 42.0], [350.0, 230.0, 18.0])),
        ("above", camera([500.0, 360.0, 1300.0], [500.0, 360.0, 0.0])),
        ("back", camera([800.0, 1300.0, 500.0], [500.0, 400.0, 0.0])),
    ];
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let mut scene = Scene::new(15_000, 3.0, 60, theme);
        let mut renderer = renderer(&scene.blocks);
        renderer.set_looks(0, &scene.looks);
        renderer.set_arcs(gpu(), &scene.arcs);
        let district = scene.blocks.iter().find(|block| {
            let extent = block.max - block.min;
            block.level == 2 && extent.x > 80.0 && extent.y > 60.0
        });
        let selected = district.map(|block| block.module);
        for (view, camera) in views {
            scene.label_on_screen(&camera, Vec2::new(1280.0, 720.0), 8);
            renderer.set_labels(gpu(), &scene.flat, &scene.screen);
            for (samples, kind) in [(1, "moving"), (16, "still")] {
                let name = format!("{name}-{view}-{kind}.png");
                if !name.contains(&only) {
                    continue;
                }
                let frame = Frame {
                    size: [1280, 720],
                    selected: [selected, None],
                    ..frame(camera, theme, samples)
                };
                let image = draw(&mut renderer, &frame);
                image.write_png(&folder.join(name)).expect("a file");
            }
        }
    }
}
