//! What a frame costs, and what a device cannot hold.

use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::layout::geometry::BlockKind;
use callscape::look::camera::Camera;
use callscape::model::landscape::LandscapeSettings;
use callscape::state::city::{City, Lettering};
use callscape::units::ModuleId;
use glam::{Vec2, Vec3};

use super::{moment, session, session_of, settings};
use crate::memory::allocations;

#[test]
fn a_frame_takes_no_new_memory_while_the_camera_moves() {
    let session = session_of(41, [12, 8, 30], 2_000_000);
    let mut view = City::new(&session, &settings(), &Cut::all());
    view.show(&session, moment(1_500_000));
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let size = Vec2::new(1920.0, 1080.0);
    let selection = Selection::default();
    let found: Vec<ModuleId> = (40..50).map(ModuleId).collect();
    let mut frame = |number: u32| {
        // To and fro over the same ground: what is met for the first time needs memory once.
        let along = (number % 24) as f32 / 24.0 * std::f32::consts::TAU;
        let camera = Camera {
            eye: middle + Vec3::new(300.0 * along.sin(), -420.0, 460.0),
            target: middle,
            fov_y: 0.7,
        };
        let (_, count) = allocations(|| {
            view.show(&session, moment(1_500_000));
            view.point(&selection);
            view.label(
                &session,
                &selection,
                &found,
                &camera,
                &Lettering::whole(size, 14.0),
            );
            view.marked_arcs(&selection);
        });
        (count, view.flat_labels().len() + view.screen_labels().len())
    };
    let first: Vec<_> = (0..24).map(&mut frame).collect();
    let second: Vec<_> = (0..24).map(&mut frame).collect();
    let names = second.iter().map(|(_, names)| names).max();
    let sum = |of: &[(usize, usize)]| of.iter().map(|it| it.0).sum::<usize>();
    println!("{} then {}, {names:?} names", sum(&first), sum(&second));
    assert!(names > Some(&40), "{names:?} names");
    assert_eq!(sum(&second), 0, "{second:?}");
}

/// Played on, with the camera at rest and moving: nothing that every frame needs is made anew.
#[test]
fn playing_takes_no_new_memory() {
    let duration = 4_000_000;
    let session = session_of(42, [12, 8, 30], duration);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let middle = (min + max) * 0.5;
    let size = Vec2::new(1920.0, 1080.0);
    let selection = Selection::default();
    for is_moving in [false, true] {
        let frame = |view: &mut City, number: u64| {
            let along = match is_moving {
                true => number as f32 / 24.0 * std::f32::consts::TAU,
                false => 0.0,
            };
            let camera = Camera {
                eye: middle + Vec3::new(300.0 * along.sin(), -420.0, 460.0),
                target: middle,
                fov_y: 0.7,
            };
            let time = moment(duration / 2 + number * 2_000);
            let (_, count) = allocations(|| {
                view.show(&session, time);
                view.point(&selection);
                let lettering = Lettering::whole(size, 14.0);
                view.label(&session, &selection, &[], &camera, &lettering);
                view.marked_arcs(&selection);
            });
            count
        };
        // The same over and over: what is met for the first time needs memory once.
        let rounds = [(); 3].map(|()| {
            // A jump, after which all is summed up anew.
            view.show(&session, moment(duration / 2 - 2_000));
            (0..72)
                .map(|number| frame(&mut view, number))
                .sum::<usize>()
        });
        println!("{rounds:?} allocations in 72 frames");
        assert_eq!(rounds[2], 0, "{rounds:?}");
    }
}

#[test]
fn what_a_device_cannot_hold_is_shown_as_one_with_what_it_lies_in() {
    let session = session(43);
    let all = session.hierarchy.len();
    let with = |most_blocks: usize| LandscapeSettings {
        most_blocks,
        ..settings()
    };
    let mut view = City::new(&session, &with(usize::MAX), &Cut::all());
    assert_eq!(view.blocks_left_out(), 0);
    for most in [all, all - 1, 150, 60] {
        let is_other = view.lay_out(&session, &with(most), &Cut::all());
        assert_eq!(is_other, most < all, "{most}");
        let blocks = view.blocks().len();
        assert!(blocks <= most && blocks + 20 > most, "{blocks} of {most}");
        assert_eq!(blocks + view.blocks_left_out(), all);
        // Everything stands for itself, or is shown in the file that it lies in.
        for module in session.hierarchy.modules() {
            let shown = view.displayed(module).expect("nothing is hidden");
            assert!(
                session
                    .hierarchy
                    .ancestors(module)
                    .any(|above| above == shown)
            );
        }
        let collapsed = view
            .blocks()
            .iter()
            .filter(|it| it.kind == BlockKind::Collapsed);
        assert_eq!(collapsed.count() > 0, most < all);
        view.show(&session, moment(500_000));
        assert!(view.looks().iter().any(|look| look.glow == 1.0));
    }
    assert!(view.lay_out(&session, &with(usize::MAX), &Cut::all()));
    assert_eq!(view.blocks().len(), all);
}
