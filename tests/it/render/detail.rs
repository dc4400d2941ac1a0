//! Quality, and what is smaller than a pixel.

use std::path::PathBuf;

use callscape::layout::geometry::{Block, BlockKind, BlockLook};
use callscape::look::camera::Camera;
use callscape::look::image::Image;
use callscape::look::quality::Quality;
use callscape::model::theme::Theme;
use callscape::render::renderer::Frame;
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use super::{SIZE, count, differing, draw, frame, is_hot, pixel, renderer};
use crate::common::Random;
use crate::scene::Scene;

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
    let at = at.expect("in front of the eye").to_array();
    let [left, top] = at.map(|place| place as i32);
    let around = (-2..=2).flat_map(|y| (-2..=2).map(move |x| (x, y)));
    let is_seen = around
        .map(|(x, y)| pixel(&image, (left + x) as u32, (top + y) as u32))
        .any(|[r, _, b]| r > b + 40);
    assert!(is_seen, "nothing glows about {at:?}");
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

/// Towards a city of which most is smaller than a pixel, by so little that nothing moves by more than a tenth of one:
/// what merges and comes apart on the way neither pops nor shimmers.
#[test]
fn nothing_pops_while_the_camera_comes_nearer() {
    for theme in [Theme::Light, Theme::Dark] {
        let scene = Scene::new(30_000, 0.0, 0, theme);
        let mut renderer = renderer(&scene.blocks);
        renderer.set_looks(0, &scene.looks);
        let far = Scene::overview();
        let mut before: Option<Image> = None;
        let mut most = (0, 0.0f64);
        for number in 0..24u16 {
            let share = 0.55 + f32::from(number) * 0.0004;
            let camera = Camera {
                eye: far.eye.lerp(far.target, share),
                ..far
            };
            let image = draw(&mut renderer, &frame(camera, theme, 1));
            if let Some(before) = &before {
                let pairs = image.rgba.iter().zip(&before.rgba);
                let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                let mean = sum as f64 / image.rgba.len() as f64;
                most.0 = most.0.max(differing(before, &image, 32));
                most.1 = most.1.max(mean);
            }
            before = Some(image);
        }
        println!(
            "{theme:?}: at most {} pixels, {:.2} on average",
            most.0, most.1
        );
        // Edges between pixels come and go: in one picture, without a mean, up to 860 pixels and 2.4 were found.
        let pixels = (SIZE[0] * SIZE[1]) as usize;
        assert!(most.0 * 40 < pixels && most.1 < 3.5, "{theme:?}: {most:?}");
    }
}

/// Away from a field of blocks of all the same size in two colours, until they are smaller than a pixel: how much they
/// stand out from each other fades little by little, and then nothing is left of it.
#[test]
fn what_merges_does_so_little_by_little() {
    const ALONG: u32 = 130;
    let block = |module: u32, min: Vec3, max: Vec3, end: u32| Block {
        module: ModuleId(module),
        kind: if module == 0 {
            BlockKind::Terrace
        } else {
            BlockKind::Leaf
        },
        level: u16::from(module > 0),
        min,
        max,
        subtree_end: end,
    };
    let count = ALONG * ALONG;
    let side = ALONG as f32 * 2.5;
    let mut blocks = vec![block(0, Vec3::ZERO, Vec3::new(side, side, 4.0), count + 1)];
    blocks.extend((0..count).map(|at| {
        let corner = Vec2::new((at % ALONG) as f32, (at / ALONG) as f32) * 2.5 + 0.25;
        let (min, max) = (corner.extend(4.0), (corner + 2.0).extend(5.0));
        block(at + 1, min, max, at + 2)
    }));
    let mut random = Random(77);
    let looks: Vec<BlockLook> = (0..=count)
        .map(|at| BlockLook {
            data: match (at, random.below(2)) {
                (0, _) => [0.0; 4],
                (_, 0) => [0.02, 0.02, 0.02, 1.0],
                _ => [0.9, 0.9, 0.9, 1.0],
            },
            ..BlockLook::default()
        })
        .collect();
    let mut renderer = renderer(&blocks);
    renderer.set_looks(0, &looks);
    let middle = Vec3::new(side * 0.5, side * 0.5, 5.0);
    // From above a pixel is so much of the distance.
    let pixel = 2.0 * 0.35f32.tan() / SIZE[1] as f32;
    let contrasts: Vec<f64> = (0..24u16)
        .map(|step| {
            // Their sides are 2.4 pixels wide, then 4 in 100 less from step to step.
            let pixels = 2.4 * 0.93f32.powi(i32::from(step));
            let camera = Camera {
                eye: middle + Vec3::new(0.0, -0.01, 2.0 / (pixels * pixel)),
                target: middle,
                fov_y: 0.7,
            };
            let image = draw(&mut renderer, &frame(camera, Theme::Light, 1));
            // Of the middle of the picture, which the field fills all the time.
            let pixels: Vec<f64> = (SIZE[1] / 2 - 24..SIZE[1] / 2 + 24)
                .flat_map(|y| (SIZE[0] / 2 - 24..SIZE[0] / 2 + 24).map(move |x| (x, y)))
                .map(|(x, y)| f64::from(pixel_of(&image, x, y)))
                .collect();
            let mean = pixels.iter().sum::<f64>() / pixels.len() as f64;
            let apart = pixels.iter().map(|value| (value - mean).powi(2));
            (apart.sum::<f64>() / pixels.len() as f64).sqrt()
        })
        .collect();
    let (first, last) = (contrasts[0], contrasts[contrasts.len() - 1]);
    let steps = contrasts.windows(2).map(|pair| (pair[0] - pair[1]).abs());
    let most = steps.fold(0.0, f64::max);
    println!("{contrasts:.0?}, at most {most:.1} at once");
    assert!(first > 40.0 && last * 8.0 < first, "{contrasts:.0?}");
    assert!(most * 3.0 < first, "{contrasts:.0?}");
}

/// The green part of a pixel.
fn pixel_of(image: &Image, x: u32, y: u32) -> u8 {
    image.rgba[((y * image.width + x) * 4 + 1) as usize]
}
