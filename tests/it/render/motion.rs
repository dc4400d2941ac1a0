//! What a moving camera sees, held against pictures of the same camera with many samples a pixel: how far edges are from
//! where they should be, and how much of what changes from frame to frame is none of the motion.
//!
//! With `CALLSCAPE_MOTION=WIDTHxHEIGHT`, such as 1280x720, the same at that size; with `CALLSCAPE_PICTURES` naming a
//! folder, the last frames are written there.

use std::path::PathBuf;

use callscape::layout::geometry::BlockLook;
use callscape::look::camera::Camera;
use callscape::look::image::Image;
use callscape::look::quality::{Light, Quality};
use callscape::model::theme::Theme;
use callscape::render::readback;
use callscape::render::renderer::{Frame, Renderer};
use glam::Vec3;

use super::{FORMAT, SIZE, count, frame, gpu, is_hot, renderer, tower, tower_camera};
use crate::scene::Scene;

/// Samples a pixel of what is compared with.
const MANY: u32 = 12;
const FRAMES: u16 = 14;
/// The first frames of a motion are not looked at: what was seen before makes the next steadier.
const SKIPPED: usize = 7;

/// How pictures differ from what is compared with, in steps of 255.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Of each frame: the root of the mean square.
    off: f64,
    /// Of what changes from one frame to the next: the same, and the share of pixels in a hundred by more than 16.
    flicker: f64,
    flashes: f64,
    /// How much what is compared with changes itself.
    own: f64,
}

/// The camera after so many frames.
type Path = Box<dyn Fn(f32) -> Camera>;

/// Slow ways of the camera: a third of a pixel a frame.
fn paths(size: [u32; 2]) -> [(&'static str, Path); 3] {
    let start = Scene::overview();
    // At the target, of the distance to it.
    let third = 2.0 * (start.fov_y * 0.5).tan() / size[1] as f32 / 3.0;
    let reach = start.eye.distance(start.target);
    let orbit = move |step: f32| {
        let (sin, cos) = (step * third * 2.5).sin_cos();
        let arm = start.eye - start.target;
        let turned = Vec3::new(arm.x * cos - arm.y * sin, arm.x * sin + arm.y * cos, arm.z);
        Camera {
            eye: start.target + turned,
            ..start
        }
    };
    let zoom = move |step: f32| Camera {
        eye: start.target + (start.eye - start.target) * (1.0 - 2.5 * third * step),
        ..start
    };
    let pan = move |step: f32| {
        let by = Vec3::new(0.9, 0.43, 0.0) * (third * reach * step);
        Camera {
            eye: start.eye + by,
            target: start.target + by,
            ..start
        }
    };
    [
        ("orbit", Box::new(orbit)),
        ("zoom", Box::new(zoom)),
        ("pan", Box::new(pan)),
    ]
}

/// A frame as the window draws it while the camera moves.
fn moving(renderer: &mut Renderer, frame: &Frame) -> Image {
    let texture = readback::target(gpu(), frame.size, FORMAT);
    let mut encoder = gpu().device.create_command_encoder(&Default::default());
    renderer.draw(
        gpu(),
        &mut encoder,
        &texture.create_view(&Default::default()),
        frame,
    );
    gpu().queue.submit([encoder.finish()]);
    let image = readback::image(gpu(), &texture).expect("a picture");
    renderer.timings(gpu());
    image
}

fn with(frame: &Frame, light: Light, samples: u32) -> Frame {
    Frame {
        quality: Quality {
            samples,
            light,
            ..frame.quality
        },
        ..*frame
    }
}

/// Lightness as encoded, 0 to 255.
fn grey(image: &Image) -> Vec<f64> {
    let pixels = image.rgba.chunks_exact(4);
    pixels
        .map(|rgba| {
            0.3 * f64::from(rgba[0]) + 0.59 * f64::from(rgba[1]) + 0.11 * f64::from(rgba[2])
        })
        .collect()
}

fn between(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn root(of: &[f64]) -> f64 {
    (of.iter().map(|value| value * value).sum::<f64>() / of.len() as f64).sqrt()
}

/// Along a path: of frames drawn by `draw`, in comparison with pictures of many samples.
fn follow(
    renderer: &mut Renderer,
    still: &mut Renderer,
    frames: &[Frame],
    draw: impl Fn(&mut Renderer, &Frame) -> Image,
) -> (Found, Image) {
    let mut before: Option<[Vec<f64>; 2]> = None;
    let mut found = Found::default();
    let mut last = None;
    for (place, frame) in frames.iter().enumerate() {
        let image = draw(renderer, frame);
        if place < SKIPPED {
            continue;
        }
        let wanted = still
            .image(gpu(), &with(frame, Light::Low, MANY))
            .expect("a picture");
        let (seen, wanted) = (grey(&image), grey(&wanted));
        let off = between(&seen, &wanted);
        if let Some([off_before, wanted_before]) = &before {
            let flicker = between(&off, off_before);
            found.off += root(&off);
            found.flicker += root(&flicker);
            let flashes = flicker.iter().filter(|by| by.abs() > 16.0).count();
            found.flashes += 100.0 * flashes as f64 / flicker.len() as f64;
            found.own += root(&between(&wanted, wanted_before));
        }
        before = Some([off, wanted]);
        last = Some(image);
    }
    let pairs = (frames.len() - 1 - SKIPPED) as f64;
    for sum in [
        &mut found.off,
        &mut found.flicker,
        &mut found.flashes,
        &mut found.own,
    ] {
        *sum /= pairs;
    }
    (found, last.expect("frames"))
}

/// Sides of the pictures: those of [`SIZE`], or what the variable says, and boxes so that they are as large in both.
fn sides() -> ([u32; 2], usize) {
    let wanted = std::env::var("CALLSCAPE_MOTION").ok();
    let sides = wanted.as_deref().and_then(|wanted| {
        let (width, height) = wanted.split_once('x')?;
        Some([width.parse().ok()?, height.parse().ok()?])
    });
    sides.map_or((SIZE, 900), |sides| (sides, 10_000))
}

#[test]
fn thin_edges_stay_clean_while_the_camera_moves() {
    let (size, boxes) = sides();
    // Alone it would take long, and the other ways show the same.
    let is_small = size == SIZE;
    let themes = [Theme::Light, Theme::Dark];
    let pictures = std::env::var_os("CALLSCAPE_PICTURES").map(PathBuf::from);
    for theme in themes.into_iter().take(if is_small { 1 } else { 2 }) {
        let scene = Scene::new(boxes, 3.0, 0, theme);
        let make = || {
            let mut made = renderer(&scene.blocks);
            // As on a device that draws one picture a frame: on a fast one each is steadier in itself.
            made.set_together(1);
            made.set_looks(0, &scene.looks);
            made.set_labels(gpu(), &scene.flat, &[]);
            made
        };
        let mut still = make();
        for (name, path) in paths(size).into_iter().take(if is_small { 1 } else { 3 }) {
            let frames: Vec<Frame> = (0..FRAMES)
                .map(|step| Frame {
                    size,
                    ..frame(path(f32::from(step)), theme, 16)
                })
                .collect();
            let mut window = make();
            let (found, last) = follow(&mut window, &mut still, &frames, moving);
            println!("{theme:?} {name}: as in the window {found:.2?}");
            println!("{:.1?}", window.timings(gpu()));
            let alone = |renderer: &mut Renderer, frame: &Frame| {
                let frame = with(frame, Light::Low, 1);
                renderer.image(gpu(), &frame).expect("a picture")
            };
            let (alone, plain) = follow(&mut make(), &mut still, &frames, alone);
            println!("{theme:?} {name}: each frame alone {alone:.2?}");
            if let Some(folder) = &pictures {
                for (kind, image) in [("window", &last), ("alone", &plain)] {
                    let file = folder.join(format!("motion-{theme:?}-{name}-{kind}.png"));
                    image.write_png(&file).expect("a file");
                }
            }
            // At this size 2.7 and 0.3 were found, and alone 8.7 and 3.4.
            assert!(
                found.flicker * 1.8 < alone.flicker,
                "{found:.2?}, {alone:.2?}"
            );
            assert!(
                found.flashes * 3.0 < alone.flashes,
                "{found:.2?}, {alone:.2?}"
            );
            assert!(found.off < alone.off, "{found:.2?}, {alone:.2?}");
        }
    }
    assert_eq!(gpu().check(), Ok(()));
}

/// A slow device draws more coarsely while the camera moves. When it stops each frame is better than the one before, and
/// when it moves on what was seen at rest goes on.
#[test]
fn no_frame_flickers_when_the_camera_stops_and_moves_on() {
    let scene = Scene::new(900, 3.0, 0, Theme::Light);
    let make = || {
        let mut made = renderer(&scene.blocks);
        made.set_together(1);
        made.set_looks(0, &scene.looks);
        made
    };
    let (mut window, mut still) = (make(), make());
    let [(_, path), ..] = paths(SIZE);
    let at = |step: f32, coarse: u32| Frame {
        size: SIZE.map(|side| side / coarse),
        ..frame(path(step), Theme::Light, 16)
    };
    let mut off = |image: &Image, frame: &Frame| {
        let wanted = still.image(gpu(), &with(frame, frame.quality.light, MANY));
        root(&between(&grey(image), &grey(&wanted.expect("a picture"))))
    };
    let alone = make().image(gpu(), &with(&at(12.0, 1), Light::Low, 1));
    let alone = off(&alone.expect("a picture"), &at(12.0, 1));
    for step in 0..12u16 {
        moving(&mut window, &at(f32::from(step), 2));
    }
    let mut found = Vec::new();
    // It stops at the same place, then is drawn until it has settled.
    for _ in 0..24 {
        let rest = at(11.0, 1);
        found.push(off(&moving(&mut window, &rest), &rest));
    }
    assert!(window.settled());
    let on = at(12.0, 1);
    found.push(off(&moving(&mut window, &on), &on));
    println!("{found:.1?}, alone {alone:.1}");
    // Names are chosen only when it has stopped, and it moves on before it has settled.
    let scene_names = |window: &mut Renderer, count: usize| {
        window.set_labels(gpu(), &scene.flat[..count.min(scene.flat.len())], &[]);
    };
    for step in 0..10u16 {
        moving(&mut window, &at(12.0 + f32::from(step), 1));
        scene_names(&mut window, usize::from(step % 2));
        let again = at(12.0 + f32::from(step), 1);
        let image = moving(&mut window, &again);
        if step > 5 {
            let named = off(&image, &again);
            assert!(named * 1.3 < alone, "{named:.1}, alone {alone:.1}");
        }
    }
    let (on, rest) = found.split_last().expect("frames");
    assert!(
        rest.windows(2)
            .take(16)
            .all(|pair| pair[1] <= 1.05 * pair[0]),
        "{found:.1?}"
    );
    assert!(on * 1.8 < alone, "{found:.1?}, alone {alone:.1}");
}

/// A device that cannot hold the display's rate averages fewer pictures for each frame from then on, one that has time to
/// spare more while the camera moves: no frame on the way shows that it was so, and few at rest.
#[test]
fn no_frame_flickers_when_fewer_or_more_pictures_are_averaged() {
    let scene = Scene::new(900, 3.0, 0, Theme::Light);
    let make = |together: u32| {
        let mut made = renderer(&scene.blocks);
        made.set_together(together);
        made.set_looks(0, &scene.looks);
        made
    };
    let mut still = make(1);
    let [(_, path), ..] = paths(SIZE);
    let (path, scene) = (&path, &scene);
    for rests in [false, true] {
        // All looks change where the camera rests.
        let frame = |step: u16| {
            let camera = path(if rests { 0.0 } else { f32::from(step) });
            frame(camera, Theme::Light, 16)
        };
        let looks = |step: u16| -> Vec<BlockLook> {
            let rise = if rests { f32::from(step) * 0.01 } else { 1.0 };
            let looks = scene.looks.iter().map(|look| BlockLook {
                rise: look.rise * rise,
                ..*look
            });
            looks.collect()
        };
        let wanted: Vec<Vec<f64>> = (0..24)
            .map(|step| {
                still.set_looks(0, &looks(step));
                let wanted = still.image(gpu(), &with(&frame(step), Light::Low, MANY));
                grey(&wanted.expect("a picture"))
            })
            .collect();
        // From the eighth frame on, how far the worst of them is off.
        let worst = |together: &dyn Fn(u16) -> u32| {
            let mut window = make(together(0));
            let off = (0..24).map(|step| {
                window.set_together(together(step));
                window.set_looks(0, &looks(step));
                let seen = grey(&moving(&mut window, &frame(step)));
                root(&between(&seen, &wanted[usize::from(step)]))
            });
            let off: Vec<f64> = off.collect();
            println!("rests {rests}: {off:.2?}");
            off[8..].iter().copied().fold(0.0, f64::max)
        };
        let kept = [1, 2, 4].map(|together| worst(&|_| together));
        let most = kept.into_iter().fold(0.0, f64::max);
        let fewer = worst(&|step| [4, 4, 4, 2, 2, 1, 1, 1][usize::from(step / 3)]);
        let more = worst(&|step| [1, 1, 1, 2, 2, 4, 4, 4][usize::from(step / 3)]);
        // At rest the window never averages more, and fewer until the new ones have taken their turns.
        let (found, times) = if rests {
            (fewer, 1.5)
        } else {
            (fewer.max(more), 1.15)
        };
        assert!(found < times * most, "{fewer:.2}, {more:.2}, {kept:.2?}");
    }
    assert_eq!(gpu().check(), Ok(()));
}

/// While a trace plays before a camera at rest a device that draws one picture at a time shows what one shows that draws
/// four, from the first frame on; where nothing changes nothing trembles.
#[test]
fn thin_edges_stay_clean_at_rest_while_a_trace_plays() {
    let (size, boxes) = sides();
    let pictures = std::env::var_os("CALLSCAPE_PICTURES").map(PathBuf::from);
    let scene = Scene::new(boxes, 3.0, 0, Theme::Light);
    let make = |together: u32| {
        let mut made = renderer(&scene.blocks);
        made.set_together(together);
        made.set_looks(0, &scene.looks);
        made
    };
    let rest = Frame {
        size,
        ..frame(Scene::overview(), Theme::Light, 16)
    };
    let looks = |step: u16| -> Vec<BlockLook> {
        let by = 0.6 + 0.4 * (f32::from(step) * 0.7).sin();
        let looks = scene.looks.iter().map(|look| BlockLook {
            glow: look.glow * by,
            rise: look.rise * by,
            ..*look
        });
        looks.collect()
    };
    let mut still = make(1);
    let wanted: Vec<Vec<f64>> = (0..FRAMES)
        .map(|step| {
            still.set_looks(0, &looks(step));
            let wanted = still.image(gpu(), &with(&rest, Light::Low, MANY));
            grey(&wanted.expect("a picture"))
        })
        .collect();
    let is_calm: Vec<bool> = (0..wanted[0].len())
        .map(|pixel| {
            let seen = || wanted.iter().map(|picture| picture[pixel]);
            seen().fold(0.0, f64::max) - seen().fold(255.0, f64::min) <= 1.0
        })
        .collect();
    let calm = is_calm.iter().filter(|is_calm| **is_calm).count();
    assert!(calm * 3 > is_calm.len() && calm < is_calm.len());
    let mut found = Vec::new();
    for together in [1, 2, 4] {
        let mut window = make(together);
        while !window.settled() {
            moving(&mut window, &rest);
        }
        let mut seen = Vec::new();
        for step in 0..FRAMES {
            window.set_looks(0, &looks(step));
            let image = moving(&mut window, &rest);
            seen.push(grey(&image));
            if let Some(folder) = &pictures {
                let file = folder.join(format!("rest-{together}-{step}.png"));
                image.write_png(&file).expect("a file");
            }
        }
        let off = |(seen, wanted): (&Vec<f64>, &Vec<f64>)| root(&between(seen, wanted));
        let off: Vec<f64> = seen.iter().zip(&wanted).map(off).collect();
        // Of what is calm: how much it changes from frame to frame, once all turns were drawn twice.
        let flicker = |pair: &[Vec<f64>]| {
            let by = between(&pair[1], &pair[0]).into_iter().zip(&is_calm);
            let by: Vec<f64> = by
                .map(|(by, is_calm)| if *is_calm { by } else { 0.0 })
                .collect();
            root(&by)
        };
        let flicker: Vec<f64> = seen[SKIPPED..].windows(2).map(flicker).collect();
        println!("{together} at once: off {off:.2?}, flicker {flicker:.2?}");
        found.push((off, flicker));
    }
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let [(one, flicker), _, (four, _)] = &found[..] else {
        unreachable!("three were drawn");
    };
    // At this size 3.4 and 4.2, and each frame alone, its edges smoothed, 9.5.
    assert!(most(one) < most(four), "{found:.2?}");
    assert!(most(flicker) < 0.5, "{found:.2?}");
    assert_eq!(gpu().check(), Ok(()));
}

/// What begins to run while the camera moves is seen at once, and leaves nothing behind when it ends.
#[test]
fn what_changes_on_the_way_is_seen_at_once() {
    for together in [1, 2, 4] {
        let mut window = renderer(&tower());
        window.set_together(together);
        let (_, path) = paths(SIZE).into_iter().nth(2).expect("three ways");
        let start = tower_camera();
        let by = path(0.0).eye;
        let mut step = 0.0;
        let mut drawn = |window: &mut Renderer, glow: f32, frames: u16| {
            let mut hot = 0;
            for _ in 0..frames {
                step += 1.0;
                let moved = path(step).eye - by;
                let camera = Camera {
                    eye: start.eye + moved,
                    target: start.target + moved,
                    ..start
                };
                let look = BlockLook {
                    glow,
                    rise: 40.0 * glow,
                    ..BlockLook::default()
                };
                window.set_looks(1, &[look]);
                hot = count(&moving(window, &frame(camera, Theme::Light, 8)), is_hot);
            }
            hot
        };
        assert_eq!(drawn(&mut window, 0.0, 6), 0);
        let (soon, later) = (drawn(&mut window, 1.0, 3), drawn(&mut window, 1.0, 8));
        println!("{together} at once: {soon} hot pixels soon, {later} later");
        assert!(later > 400 && soon * 10 > later * 9, "{soon}, {later}");
        assert_eq!(drawn(&mut window, 0.0, 6), 0, "{together} at once");
    }
}
