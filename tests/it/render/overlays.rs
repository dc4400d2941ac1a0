//! Arcs and names over the blocks.

use callscape::layout::geometry::{Arc, Arcs, ScreenLabel};
use callscape::model::theme::Theme;
use glam::{Vec2, Vec3};

use super::{
    SIZE, above, arc, count, differing, draw, frame, gpu, name, pixel, renderer, tower,
    tower_camera,
};

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
        ..good.clone()
    };
    renderer.set_arcs(gpu(), &arcs);
    assert_eq!(draw(&mut renderer, &frame), without);
    let nowhere = arc(Vec3::NAN, Vec3::INFINITY, true);
    renderer.set_arcs(gpu(), &nowhere);
    draw(&mut renderer, &frame);
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
        is_quiet: false,
        stem: None,
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
