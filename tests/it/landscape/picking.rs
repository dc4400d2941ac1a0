//! What the pointer meets.

use callscape::filter::cut::Cut;
use callscape::filter::selection::{Pointed, Selection};
use callscape::look::camera::Camera;
use callscape::look::quality::Quality;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::theme::Theme;
use callscape::render::gpu::Gpu;
use callscape::render::renderer::{Frame, Renderer};
use callscape::state::city::City;
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use super::{moment, session, settings};
use crate::common::Random;

#[test]
fn a_ray_meets_the_module_that_its_pixel_names() {
    let session = session(8);
    let view = City::new(&session, &settings(), &Cut::all());
    for module in session
        .hierarchy
        .modules()
        .filter(|&id| session.hierarchy.is_leaf(id))
    {
        let (min, max) = view.bounds(module).expect("every module has a block");
        let above = ((min + max) * 0.5).with_z(500.0);
        let hit = view.pick(above, glam::Vec3::NEG_Z);
        assert_eq!(hit.map(|(module, _)| module), Some(module));
    }
}

/// From any side, from near and far, and straight from above.
pub fn camera_from(random: &mut Random, middle: Vec3, is_above: bool) -> Camera {
    let mut unit = || random.below(1 << 24) as f32 / (1 << 24) as f32;
    let aside = Vec3::new(unit() - 0.5, unit() - 0.5, 0.0) * 400.0;
    let target = middle + aside;
    let away = 250.0 + unit() * 900.0;
    let (yaw, pitch) = (unit() * 6.3, 0.3 + unit());
    let direction = match is_above {
        true => Vec3::Z,
        false => Vec3::new(
            pitch.cos() * yaw.cos(),
            pitch.cos() * yaw.sin(),
            pitch.sin(),
        ),
    };
    Camera {
        eye: target + direction * away,
        target,
        fov_y: 0.7,
    }
}

#[test]
fn what_fills_a_picture_is_the_deepest_that_is_all_around() {
    let session = session(23);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let size = Vec2::new(800.0, 500.0);
    let mut random = Random(24);
    let mut filled = [0; 3];
    for step in 0..600 {
        let leaf = ModuleId(random.below(session.hierarchy.len() as u64) as u32);
        let (min, max) = view.bounds(leaf).expect("every module has a block");
        let far = camera_from(&mut random, (min + max) * 0.5, step % 2 == 0);
        let target = ((min + max) * 0.5).with_z(max.z);
        let camera = Camera {
            target,
            eye: target + (far.eye - far.target) * [1.0, 0.1, 0.01][step % 3],
            ..far
        };
        let met = |x: f32, y: f32| {
            let at = Vec2::new(0.5 + 0.35 * x, 0.5 + 0.35 * y) * size;
            let hit = view.pick(camera.eye, camera.ray(at, size));
            hit.map(|(module, _)| module)
        };
        let around = [(0., 0.), (-1., -1.), (1., -1.), (-1., 1.), (1., 1.)];
        let all: Option<Vec<ModuleId>> = around.into_iter().map(|(x, y)| met(x, y)).collect();
        let wanted = all.and_then(|all| {
            let holds = |outer: &ModuleId| {
                let hierarchy = &session.hierarchy;
                all.iter().all(|&module| hierarchy.contains(*outer, module))
            };
            let deepest = session.hierarchy.modules().filter(holds).last();
            deepest.filter(|&module| module != ModuleId::ROOT)
        });
        view.find_filling(&camera, size);
        let found = view.filling();
        assert_eq!(found, wanted, "{camera:?}");
        filled[match found {
            None => 0,
            Some(module) if session.hierarchy.is_leaf(module) => 2,
            Some(_) => 1,
        }] += 1;
    }
    let leaf = ModuleId(session.hierarchy.len() as u32 - 1);
    let (min, max) = view.bounds(leaf).expect("every module has a block");
    let target = ((min + max) * 0.5).with_z(max.z);
    let camera = Camera {
        eye: target + Vec3::Z,
        target,
        fov_y: 0.7,
    };
    view.find_filling(&camera, size);
    assert_eq!(view.filling(), Some(leaf));
    // What is hidden inside another fills nothing.
    let cut = Cut::at_level(&session.hierarchy, 1);
    view.lay_out(&session, &settings(), &cut);
    assert_eq!(view.filling(), None);
    view.find_filling(&camera, size);
    let found = view.filling();
    assert_eq!(found, found.and_then(|module| view.displayed(module)));
    println!("nothing, districts, functions: {filled:?}");
    assert!(filled.iter().all(|times| *times > 20), "{filled:?}");
}

#[test]
fn what_is_picked_is_what_is_drawn_there() {
    let session = session(21);
    let Ok(gpu) = Gpu::headless() else {
        eprintln!("left out: no device");
        return;
    };
    let size = [420, 300];
    let pixels = Vec2::new(size[0] as f32, size[1] as f32);
    let mut random = Random(22);
    let (mut on_arcs, mut off) = (0, 0);
    for scene in (6..10).chain(0..6) {
        // At rest, playing, with collapsed modules; some arcs standing out. First all that from among the arcs, some of which
        // reach behind the eye.
        let cut = match scene % 4 {
            3 => Cut::at_level(&session.hierarchy, 2),
            _ => Cut::all(),
        };
        let settings = LandscapeSettings {
            most_arcs: [5_000, 60][scene % 2],
            ..settings()
        };
        let mut view = City::new(&session, &settings, &cut);
        let district = session.hierarchy.children(ModuleId::ROOT).nth(scene % 6);
        let selection = Selection {
            chosen: Pointed::at_module(district.filter(|_| scene % 3 > 0)),
            ..Selection::default()
        };
        view.point(&selection);
        view.settle();
        view.show(&session, moment(random.below(1_000_000)));
        let mut renderer = Renderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        let scale = [1.0, 2.5][scene / 3 % 2];
        renderer.set_scale(scale);
        renderer.set_blocks(&gpu, view.blocks());
        renderer.set_looks(0, view.looks());
        renderer.set_arcs(&gpu, view.marked_arcs(&selection));
        renderer.focus_arcs(view.arc_focus());
        let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
        let mut camera = camera_from(&mut random, (min + max) * 0.5, scene % 5 == 4);
        if scene >= 6 {
            camera.eye = camera.target + (camera.eye - camera.target) * 0.16;
        }
        let frame = Frame {
            camera,
            size,
            theme: Theme::Light,
            hovered: [None; 2],
            selected: [None; 2],
            quality: Quality {
                samples: 1,
                ..Quality::default()
            },
        };
        renderer.image(&gpu, &frame).expect("a picture");
        let ids = renderer.arc_ids(&gpu, &frame).expect("ids");
        let id = |x: u32, y: u32| ids[(y * size[0] + x) as usize];
        let with_arcs = (0..ids.len() as u32).filter(|&at| ids[at as usize] > 0);
        let with_arcs: Vec<u32> = with_arcs.collect();
        for round in 0..200 {
            let at = match with_arcs.get(random.below(with_arcs.len().max(1) as u64) as usize) {
                Some(&at) if round % 2 == 0 => at,
                _ => random.below(u64::from(size[0] * size[1])) as u32,
            };
            let (x, y) = (at % size[0], at / size[0]);
            let place = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let block = view.pick(camera.eye, camera.ray(place, pixels));
            let hit = block.map(|(_, point)| point);
            let picked = view.pick_arc(&camera, place, (pixels, scale), hit);
            let picked = picked.filter(|it| it.distance == 0.0);
            let found = picked.map_or(0, |it| it.arc as u32 + 1);
            on_arcs += usize::from(id(x, y) > 0);
            if found != id(x, y) {
                // Only where another begins within a pixel: rounding decides there.
                let near = [
                    (-1, 0),
                    (1, 0),
                    (0, -1),
                    (0, 1),
                    (1, 1),
                    (-1, 1),
                    (1, -1),
                    (-1, -1),
                ];
                let is_edge = near.iter().any(|&(dx, dy)| {
                    let x = x.saturating_add_signed(dx).min(size[0] - 1);
                    let y = y.saturating_add_signed(dy).min(size[1] - 1);
                    id(x, y) == found
                });
                assert!(
                    is_edge,
                    "scene {scene}: {found} at {x} {y}, drawn {}",
                    id(x, y)
                );
                off += 1;
            }
            if round < 12 {
                let drawn = renderer.pick(&gpu, x, y);
                if drawn != block.map(|(module, _)| module) {
                    off += 1;
                }
            }
        }
    }
    assert!(on_arcs > 400, "{on_arcs} pixels on arcs");
    assert!(off * 100 <= on_arcs, "{off} of {on_arcs} off by a pixel");
}
