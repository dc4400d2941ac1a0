//! Names: they never overlap, and stay.

use std::collections::BTreeMap;

use callscape::filter::cut::Cut;
use callscape::filter::selection::{Pointed, Selection};
use callscape::layout::geometry::FlatLabel;
use callscape::look::camera::Camera;
use callscape::state::city::{City, Lettering};
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use super::picking::camera_from;
use super::{DIRECTORIES, label, moment, session, settings};
use crate::common::Random;

#[test]
fn names_of_districts_do_not_overlap_from_any_side() {
    let session = session(11);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let size = glam::Vec2::new(1280.0, 720.0);
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let mut most = 0;
    for direction in 0..16 {
        let (sin, cos) = (direction as f32 * 0.4).sin_cos();
        let camera = callscape::look::camera::Camera {
            eye: middle + glam::Vec3::new(900.0 * cos, 900.0 * sin, 700.0),
            target: middle,
            fov_y: 0.7,
        };
        label(&mut view, &session, &camera, size);
        let labels = view.flat_labels();
        most = most.max(labels.len());
        for label in labels {
            let (low, high) = view.bounds(label.module).expect("a district");
            let origin = label.origin;
            assert!(low.x <= origin.x && origin.x <= high.x, "{label:?}");
            assert!(low.y <= origin.y && origin.y <= high.y, "{label:?}");
            let to_reader = camera.view_from_world().inverse().x_axis.truncate();
            assert!(label.right.dot(to_reader) > -0.3, "turned to the reader");
        }
        // The strips are apart, so names are apart when each lies in its own; the lines of a name are under each other.
        let mut lines: Vec<(ModuleId, [u32; 2])> = labels
            .iter()
            .map(|label| {
                (
                    label.module,
                    [label.origin.x, label.origin.y].map(f32::to_bits),
                )
            })
            .collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), labels.len());
    }
    assert!(most >= DIRECTORIES as usize, "{most} names");
}

/// The corners of a name that lies flat, on the screen.
fn corners_of(
    label: &callscape::layout::geometry::FlatLabel,
    rise: f32,
    camera: &Camera,
    size: Vec2,
) -> [Vec2; 4] {
    let width = callscape::layout::labels::text::width(&label.text) * label.em;
    // From below the baseline to the top of the letters.
    let (low, high) = (label.up * label.em * -0.2, label.up * label.em * 0.74);
    let start = label.origin + Vec3::Z * rise;
    let end = start + label.right * width;
    let corners = [start + low, end + low, end + high, start + high];
    corners.map(|at| camera.project(at, size).expect("names lie before the eye"))
}

/// Whether two convex shapes overlap by more than rounding: no side of either separates them.
fn overlap(a: &[Vec2; 4], b: &[Vec2; 4]) -> bool {
    let reach = |shape: &[Vec2; 4], normal: Vec2| {
        let along = shape.map(|at| at.dot(normal));
        let low = along.iter().copied().fold(f32::INFINITY, f32::min);
        (low, along.iter().copied().fold(f32::NEG_INFINITY, f32::max))
    };
    let sides = [a, b].into_iter().flat_map(|shape| {
        (0..4).map(move |side| {
            (shape[(side + 1) % 4] - shape[side])
                .perp()
                .normalize_or_zero()
        })
    });
    let mut sides = sides.filter(|normal| *normal != Vec2::ZERO);
    sides.all(|normal| {
        let (a, b) = (reach(a, normal), reach(b, normal));
        a.1 > b.0 + 0.01 && b.1 > a.0 + 0.01
    })
}

/// Every name on the screen as a shape, flat ones first.
fn shapes(view: &City, camera: &Camera, size: Vec2) -> Vec<(String, [Vec2; 4])> {
    let flat = view.flat_labels().iter();
    let flat = flat.map(|label| {
        let rise = view.looks()[label.block as usize].rise;
        (label.text.clone(), corners_of(label, rise, camera, size))
    });
    let screen = view.screen_labels().iter().map(|label| {
        // The plate that is drawn behind it.
        let half = callscape::layout::labels::text::width(&label.text) * 0.5 * label.em;
        let (pad, height) = if label.is_quiet {
            (0.3, 1.44)
        } else {
            (0.5, 1.65)
        };
        let (half, height) = (half + pad * label.em, height * label.em);
        let corner = |x: f32, y: f32| label.at + Vec2::new(x, y);
        let corners = [(-half, 0.0), (half, 0.0), (half, -height), (-half, -height)];
        (label.text.clone(), corners.map(|(x, y)| corner(x, y)))
    });
    flat.chain(screen).collect()
}

#[test]
fn names_never_overlap_whatever_one_looks_at() {
    let session = session(31);
    let size = Vec2::new(1280.0, 720.0);
    let mut random = Random(32);
    let (mut most_flat, mut roofs) = (0, 0);
    for scene in 0..4 {
        let mut view = City::new(&session, &settings(), &Cut::all());
        view.show(&session, moment(random.below(1_000_000)));
        let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
        for _ in 0..60 {
            let camera = camera_from(&mut random, (min + max) * 0.5, scene == 3);
            let module =
                |random: &mut Random| ModuleId(random.below(session.hierarchy.len() as u64) as u32);
            let found: Vec<ModuleId> = (0..8).map(|_| module(&mut random)).collect();
            let selection = Selection {
                chosen: Pointed::at_module(Some(module(&mut random))),
                pointed: Pointed::at_module(Some(module(&mut random))),
                ..Selection::default()
            };
            view.label(
                &session,
                &selection,
                &found,
                &camera,
                &Lettering::whole(size, 14.0),
            );
            most_flat = most_flat.max(view.flat_labels().len());
            let names = view.flat_labels().iter();
            roofs += names.filter(|it| it.text.starts_with("function")).count();
            let shapes = shapes(&view, &camera, size);
            for (index, (name, a)) in shapes.iter().enumerate() {
                for (other, b) in &shapes[index + 1..] {
                    assert!(
                        !overlap(a, b),
                        "{name} {a:?} over {other} {b:?}, {camera:?}"
                    );
                }
            }
        }
    }
    assert!(
        most_flat > 30 && roofs > 100,
        "{most_flat} names, {roofs} of functions"
    );
}

/// A name that can be read, and one that is gone: between the two it is on its way.
const READ: f32 = 0.6;
const GONE: f32 = 0.2;

/// How often names that could be read were gone and back within a fifth of a second, and how many there were.
#[derive(Debug, Default)]
struct Flicker {
    /// Of each name, whether it can be read, and in which frame it was gone last.
    names: BTreeMap<String, (bool, Option<usize>)>,
    count: usize,
}

impl Flicker {
    fn see(&mut self, frame: usize, names: &BTreeMap<String, f32>) {
        for (name, (is_read, gone)) in &mut self.names {
            if *is_read && names.get(name).is_none_or(|&strength| strength < GONE) {
                (*is_read, *gone) = (false, Some(frame));
            }
        }
        for (name, _) in names.iter().filter(|it| *it.1 > READ) {
            let (is_read, gone) = self.names.entry(name.clone()).or_default();
            self.count += usize::from(!*is_read && gone.is_some_and(|gone| frame - gone < 12));
            *is_read = true;
        }
    }
}

#[test]
fn names_do_not_flicker_while_the_camera_moves() {
    // Many names contend for places, and stand behind one another.
    let session = super::session_of(33, [9, 9, 12], 1_000_000);
    let size = Vec2::new(1280.0, 720.0);
    let mut view = City::new(&session, &settings(), &Cut::all());
    view.show(&session, moment(400_000));
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let frames = 400;
    let (mut flat, mut screen, mut seen) = (Flicker::default(), Flicker::default(), 0);
    for frame in 0..frames {
        // Half around the city, nearer and away again, with a hand that is not still.
        let along = frame as f32 / frames as f32;
        let tremble = if frame % 4 < 2 { 0.001 } else { -0.001 };
        let (sin, cos) = (along * 3.1 + tremble).sin_cos();
        let away = 900.0 - 600.0 * (along * std::f32::consts::PI).sin();
        let away = away * (1.0 + tremble);
        let camera = Camera {
            eye: middle + Vec3::new(cos * away, -sin * away, 0.55 * away),
            target: middle + Vec3::new(60.0 * cos, 0.0, 0.0),
            fov_y: 0.7,
        };
        label(&mut view, &session, &camera, size);
        let names = view.flat_labels().iter();
        let key = |it: &FlatLabel| format!("{:?}", it.module);
        let names = names.map(|it| (key(it), it.opacity)).collect();
        flat.see(frame, &names);
        seen += names.values().filter(|it| **it > READ).count();
        let names = view.screen_labels().iter();
        screen.see(frame, &names.map(|it| (it.text.clone(), 1.0)).collect());
    }
    let (flat_names, screen_names) = (flat.names.len(), screen.names.len());
    println!(
        "{} of {flat_names} on terraces, {} of {screen_names} over them",
        flat.count, screen.count
    );
    assert!(seen / frames > 12, "{} names at a time", seen / frames);
    assert!(screen_names > 6, "{screen_names} names over the city");
    assert!(
        flat.count * 50 <= flat_names,
        "{} of {flat_names} names flicker",
        flat.count
    );
    assert!(
        screen.count * 4 <= screen_names,
        "{} of {screen_names} names flicker",
        screen.count
    );
}

#[test]
fn names_keep_their_strength_while_the_camera_trembles() {
    let session = session(33);
    let size = Vec2::new(1280.0, 720.0);
    let mut view = City::new(&session, &settings(), &Cut::all());
    view.show(&session, moment(400_000));
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let mut before: BTreeMap<ModuleId, f32> = BTreeMap::new();
    let (mut jumps, mut seen) = (0, 0);
    for frame in 0..600 {
        // Half around the city, each place seen six times with a hand that is not still.
        let along = (frame / 6) as f32 / 100.0;
        let (sin, cos) = (along * 3.1).sin_cos();
        let away = 900.0 - 500.0 * (along * std::f32::consts::PI).sin();
        let tremble = if frame % 2 == 0 { 1.004 } else { 0.996 };
        let camera = Camera {
            eye: middle + Vec3::new(cos * away, -sin * away, 0.75 * away) * tremble,
            target: middle + Vec3::new(60.0 * cos, 0.0, 0.0),
            fov_y: 0.7,
        };
        label(&mut view, &session, &camera, size);
        let names = view.flat_labels().iter();
        let names: BTreeMap<ModuleId, f32> =
            names.map(|label| (label.module, label.opacity)).collect();
        seen += names.len();
        if frame % 6 != 0 {
            let gone = before.keys().filter(|it| !names.contains_key(it));
            jumps += names
                .keys()
                .chain(gone)
                .filter(|module| {
                    let [was, is] = [&before, &names].map(|it| it.get(module).copied());
                    (was.unwrap_or(0.0) - is.unwrap_or(0.0)).abs() > 0.5
                })
                .count();
        }
        before = names;
    }
    // Some give way to names beside the landscape, which stand or do not.
    assert!(jumps * 200 <= seen, "{jumps} jumps of {seen} names");
}

#[test]
fn a_thousand_names_in_one_frame_do_not_overlap() {
    let session = super::session_of(34, [14, 10, 12], 1_000);
    // A wall of screens.
    let size = Vec2::new(15_360.0, 8_640.0);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let camera = Camera {
        eye: (min + max) * 0.5 + Vec3::new(0.0, -300.0, 900.0),
        target: (min + max) * 0.5,
        fov_y: 0.7,
    };
    label(&mut view, &session, &camera, size);
    let shapes = shapes(&view, &camera, size);
    assert!(shapes.len() >= 1_000, "{} names", shapes.len());
    for (index, (name, a)) in shapes.iter().enumerate() {
        for (other, b) in &shapes[index + 1..] {
            assert!(!overlap(a, b), "{name} {a:?} over {other} {b:?}");
        }
    }
}

#[test]
fn a_thousand_names_are_those_chosen_at_once_a_few_frames_later() {
    let session = super::session_of(34, [14, 10, 12], 1_000);
    let size = Vec2::new(15_360.0, 8_640.0);
    let view = || City::new(&session, &settings(), &Cut::all());
    let (mut spread, mut whole) = (view(), view());
    let (min, max) = whole.bounds(ModuleId::ROOT).expect("the root");
    let camera = |along: f32| Camera {
        eye: (min + max) * 0.5 + Vec3::new(along, -300.0, 900.0),
        target: (min + max) * 0.5 + Vec3::X * along,
        fov_y: 0.7,
    };
    let label = |view: &mut City, along: f32| {
        let lettering = Lettering::whole(size, 14.0);
        view.label(
            &session,
            &Selection::default(),
            &[],
            &camera(along),
            &lettering,
        );
    };
    spread.spread_names(true);
    // Names of what runs are waited for, and nothing runs.
    spread.hold_names(true);
    let mut frames = 0;
    for along in [0.0, 25.0] {
        label(&mut whole, along);
        label(&mut spread, along);
        while !spread.names_are_settled() {
            label(&mut spread, along);
            frames += 1;
            assert!(frames < 100, "it does not come to rest");
        }
    }
    assert!(frames > 2, "{frames}");
    assert_eq!(spread.flat_labels(), whole.flat_labels());
    assert_eq!(spread.screen_labels(), whole.screen_labels());
}

/// Districts whose own names are too small are named over them where a picture stays as it is, and these stay while one
/// looks around; none comes then.
#[test]
fn districts_far_away_are_named_at_rest_and_stay_so() {
    let session = session(11);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let size = Vec2::new(1280.0, 720.0);
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let (middle, across) = ((min + max) * 0.5, max.x - min.x);
    let mut named = |turn: f32, is_still: bool| {
        let away = Vec3::new(turn.sin(), -turn.cos(), 0.8) * across;
        let camera = Camera {
            eye: middle + away,
            target: middle,
            fov_y: 0.7,
        };
        let lettering = Lettering {
            is_still,
            ..Lettering::whole(size, 14.0)
        };
        view.label(&session, &Selection::default(), &[], &camera, &lettering);
        let names = view.screen_labels().iter();
        names.map(|name| name.text.clone()).collect::<Vec<_>>()
    };
    assert!(named(0.0, false).is_empty());
    let at_rest = named(0.0, true);
    assert!(at_rest.len() > 3, "{at_rest:?}");
    assert_eq!(named(0.0, false), at_rest);
    let mut shown = at_rest.clone();
    for step in 1..20u8 {
        let now = named(0.005 * f32::from(step), false);
        assert!(now.iter().all(|name| shown.contains(name)), "{now:?}");
        shown = now;
    }
    assert!(2 * shown.len() > at_rest.len(), "{shown:?} of {at_rest:?}");
}
