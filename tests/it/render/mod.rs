//! What the renderer draws, on whatever adapter there is: first what can be counted, then two small
//! pictures.

mod changes;
mod detail;
mod faults;
mod golden;
mod motion;
mod overlays;
mod picking;
mod vector;

use std::path::Path;
use std::sync::OnceLock;

use callscape::layout::geometry::{Arc, Arcs, Block, BlockKind, BlockLook, FlatLabel};
use callscape::look::camera::Camera;
use callscape::look::image::Image;
use callscape::look::quality::Quality;
use callscape::model::theme::Theme;
use callscape::render::gpu::Gpu;
use callscape::render::renderer::{Frame, Renderer};
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

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

fn arc(from: Vec3, to: Vec3, outlined: bool) -> Arcs {
    Arcs {
        arcs: vec![Arc {
            first_point: 0,
            points: 2,
            width: 6.0,
            opacity: 1.0,
            outlined,
            is_cord: true,
            ..Arc::default()
        }],
        points: vec![from, to],
        inks: vec![[[0.0, 0.6, 0.0]; 2]],
        ..Arcs::default()
    }
}

fn name(text: &str, opacity: f32) -> FlatLabel {
    FlatLabel {
        text: text.to_owned(),
        module: ModuleId(0),
        block: 0,
        origin: Vec3::new(30.0, 30.0, 4.0),
        right: Vec3::X,
        up: Vec3::Y,
        em: 60.0,
        opacity,
        is_on_roof: false,
    }
}

pub fn read_png(path: &Path) -> Image {
    let file = std::fs::File::open(path).expect("a golden picture");
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    // Screenshots of browsers have none.
    decoder.set_transformations(png::Transformations::ALPHA);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut rgba = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut rgba).expect("a PNG");
    Image {
        width: info.width,
        height: info.height,
        rgba,
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
