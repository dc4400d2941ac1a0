//! Which block a pixel shows.

use callscape::layout::emphasis::Focus;
use callscape::layout::geometry::{Arc, Arcs};
use callscape::layout::labels::Eye;
use callscape::layout::pick::Picker;
use callscape::layout::pick_arc::{self, Pick};
use callscape::layout::treemap;
use callscape::look::camera::Camera;
use callscape::model::theme::Theme;
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use super::{SIZE, above, draw, frame, gpu, renderer, tower};
use crate::random::Random;
use crate::scene::Scene;

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
    let terraces: Vec<(u32, f32)> = risen
        .flat_map(|index| {
            let top = scene.blocks[index].max.z + scene.looks[index].rise;
            let below = |at: &u32| (*at != 0).then(|| parents[*at as usize]);
            let on = std::iter::successors(Some(index as u32), below);
            on.map(move |terrace| (terrace, top))
        })
        .collect();
    assert!(!terraces.is_empty());
    picker.set_risen(terraces);
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

/// Near by arcs are drawn in more parts: what is picked follows.
#[test]
fn threads_near_by_are_picked_where_they_are_drawn() {
    let points: Vec<Vec3> = [
        (170.0, 90.0),
        (178.0, 120.0),
        (200.0, 84.0),
        (222.0, 120.0),
        (230.0, 90.0),
    ]
    .map(|(x, y)| Vec3::new(x, y, 6.0))
    .into();
    let arcs = Arcs {
        arcs: vec![Arc {
            points: 5,
            width: 0.5,
            opacity: 1.0,
            ..Arc::default()
        }],
        points,
        inks: vec![[[0.0, 0.6, 0.0]; 2]],
        ..Arcs::default()
    };
    let size = Vec2::from(SIZE.map(|side| side as f32));
    for high in [260.0, 60.0, 24.0] {
        let camera = Camera {
            eye: Vec3::new(200.0, 100.0 - high, high),
            target: Vec3::new(200.0, 100.0, 6.0),
            fov_y: 0.7,
        };
        let mut renderer = renderer(&tower());
        renderer.set_arcs(gpu(), &arcs);
        let frame = frame(camera, Theme::Light, 1);
        draw(&mut renderer, &frame);
        let ids = renderer.arc_ids(gpu(), &frame).expect("ids");
        let right = (camera.target - camera.eye).cross(Vec3::Z).normalize();
        let eye = Eye {
            position: camera.eye,
            right,
            clip_from_world: camera.clip_from_world(size.x / size.y),
            size,
            focal: 0.5 * size.y / (0.5 * camera.fov_y).tan(),
        };
        let (mut drawn, mut off) = (0, 0);
        for (place, id) in (0..).zip(&ids) {
            let at = Vec2::new((place % SIZE[0]) as f32, (place / SIZE[0]) as f32) + 0.5;
            let pick = Pick {
                eye: &eye,
                at,
                reach: 0.0,
                scale: 1.0,
                block: None,
                focus: &Focus::default(),
                looks: &[],
            };
            let is_picked = pick_arc::pick(&arcs, &pick).is_some_and(|hit| hit.distance == 0.0);
            drawn += usize::from(*id > 0);
            off += usize::from(is_picked != (*id > 0));
        }
        assert!(drawn > 60 && off * 100 <= drawn, "{high}: {off} of {drawn}");
    }
}
