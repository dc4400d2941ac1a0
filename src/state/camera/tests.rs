use super::*;

const SIZE: Vec2 = Vec2::new(1280.0, 720.0);
const BOUNDS: Bounds = Bounds {
    min: Vec3::ZERO,
    max: Vec3::new(1000.0, 700.0, 60.0),
};

fn control() -> CameraControl {
    CameraControl::new(BOUNDS, SIZE.x / SIZE.y, FreeArea::WINDOW)
}

fn settle(control: &mut CameraControl) {
    for _ in 0..400 {
        control.advance(0.016);
    }
    assert!(!control.is_moving());
}

/// Where a ray from the eye through `at` meets the ground.
fn ground(control: &CameraControl, at: Vec2) -> Vec3 {
    let camera = control.camera();
    let ray = camera.ray(at, SIZE);
    camera.eye + ray * (-camera.eye.z / ray.z)
}

#[test]
fn turning_keeps_the_point_under_the_pointer() {
    let mut control = control();
    let at = Vec2::new(500.0, 400.0);
    let pivot = ground(&control, at);
    control.start_turn(Some(pivot));
    control.drag(at, at + Vec2::new(120.0, 40.0), SIZE);
    let after = control.camera().project(pivot, SIZE).expect("in front");
    assert!(after.distance(at) < 1.0, "{after}");
}

#[test]
fn panning_keeps_the_grabbed_point_under_the_pointer() {
    let mut control = control();
    let from = Vec2::new(700.0, 450.0);
    let grabbed = ground(&control, from);
    control.start_pan(Some(grabbed));
    let mut at = from;
    for step in [Vec2::new(-60.0, 15.0), Vec2::new(-30.0, 40.0)] {
        control.drag(at, at + step, SIZE);
        at += step;
    }
    let after = control.camera().project(grabbed, SIZE).expect("in front");
    assert!(after.distance(at) < 1.0, "{after} {at}");
}

#[test]
fn zooming_keeps_the_point_under_the_pointer_and_does_not_depend_on_the_frame_rate() {
    let at = Vec2::new(610.0, 380.0);
    let zoomed = |frames: usize| {
        let mut control = control();
        let anchor = ground(&control, at);
        let before = control.camera().eye.distance(anchor);
        control.wheel(3.0, Some(anchor));
        for _ in 0..frames {
            control.advance(2.0 / frames as f32);
        }
        let after = control.camera().project(anchor, SIZE).expect("in front");
        assert!(after.distance(at) < 1.0, "{after}");
        control.camera().eye.distance(anchor) / before
    };
    let ratio = zoomed(400);
    assert!((ratio - (-0.66f32).exp()).abs() < 1e-2, "{ratio}");
    assert!((ratio - zoomed(9)).abs() < 1e-2);
}

#[test]
fn no_sequence_of_inputs_loses_the_city_or_goes_below_the_ground() {
    let mut state = 7u64;
    let mut random = |low: f32, high: f32| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * ((state >> 40) as f32 / (1 << 24) as f32)
    };
    let mut control = control();
    for round in 0..4000 {
        let at = Vec2::new(random(0.0, SIZE.x), random(0.0, SIZE.y));
        let to = Vec2::new(random(-200.0, SIZE.x), random(-200.0, SIZE.y));
        let point = Vec3::new(random(0.0, 1000.0), random(0.0, 700.0), random(0.0, 60.0));
        match round % 5 {
            0 => control.start_turn(Some(point)),
            1 => control.start_pan(Some(point)),
            2 => control.wheel(random(-9.0, 9.0), Some(point)),
            3 => control.end_drag(),
            _ if round % 35 == 4 => control.toggle_mode(),
            _ => control.set_thrust(Thrust {
                forward: random(-1.5, 1.5).round(),
                right: random(-1.5, 1.5).round(),
                up: random(-1.5, 1.5).round(),
            }),
        }
        control.drag(at, to, SIZE);
        control.advance(random(0.001, 0.4));
        let (pose, eye) = (control.pose(), control.camera().eye);
        assert!(eye.is_finite() && pose.target.is_finite(), "round {round}");
        assert!(eye.z > 0.9, "round {round}: {eye}");
        assert!(
            eye.distance(BOUNDS.center()) < 6000.0,
            "round {round}: {eye}"
        );
        if control.mode() == Mode::Orbit && control.motion == Motion::Still {
            let over = pose.target.clamp(BOUNDS.min, BOUNDS.max) - pose.target;
            assert!(over.truncate().length() < 1.0, "round {round}: {pose:?}");
        }
    }
    if control.mode() == Mode::Fly {
        control.toggle_mode();
    }
    control.set_thrust(Thrust::default());
    control.fly_home(SIZE.x / SIZE.y, FreeArea::WINDOW);
    settle(&mut control);
    assert_eq!(
        control.pose(),
        home(&BOUNDS, SIZE.x / SIZE.y, FreeArea::WINDOW)
    );
}

#[test]
fn a_flight_is_interrupted_by_any_input() {
    let mut control = control();
    let district = Bounds {
        min: Vec3::new(100.0, 100.0, 0.0),
        max: Vec3::new(160.0, 150.0, 20.0),
    };
    control.fly_to(&district, SIZE.x / SIZE.y, FreeArea::WINDOW);
    control.advance(0.1);
    assert!(control.is_moving());
    control.start_turn(None);
    let held = control.pose();
    control.advance(0.1);
    assert_eq!(control.pose(), held);
    control.end_drag();
    control.fly_to(&district, SIZE.x / SIZE.y, FreeArea::WINDOW);
    settle(&mut control);
    for corner in [district.min, district.max] {
        let at = control.camera().project(corner, SIZE).expect("in front");
        assert!(at.x > 0.0 && at.x < SIZE.x && at.y > 0.0 && at.y < SIZE.y);
    }
}

#[test]
fn flying_covers_the_same_way_at_any_frame_rate_and_comes_to_rest() {
    let flown = |frames: usize| {
        let mut control = control();
        control.toggle_mode();
        control.set_thrust(Thrust {
            forward: 1.0,
            ..Thrust::default()
        });
        let from = control.camera().eye;
        for _ in 0..frames {
            control.advance(0.5 / frames as f32);
        }
        let way = control.camera().eye.distance(from);
        control.set_thrust(Thrust::default());
        settle(&mut control);
        way
    };
    let (few, many) = (flown(5), flown(300));
    assert!(few > 10.0);
    assert!((few - many).abs() < 0.5, "{few} {many}");
}

#[test]
fn orbit_and_fly_are_switched_without_a_jump() {
    let mut control = control();
    control.wheel(4.0, None);
    settle(&mut control);
    control.toggle_mode();
    control.start_turn(None);
    control.drag(Vec2::ZERO, Vec2::new(90.0, 500.0), SIZE);
    control.end_drag();
    let before = control.camera();
    control.toggle_mode();
    assert!(control.camera().eye.distance(before.eye) < 1e-2);
    settle(&mut control);
    assert!(control.pose().pitch >= MIN_ORBIT_PITCH);
}

/// A tower of a height of 80 in the middle of the city, on a floor of 10.
fn surface(at: Vec2) -> f32 {
    let is_tower = (at - Vec2::new(500.0, 350.0)).abs().max_element() < 40.0;
    if is_tower { 80.0 } else { 10.0 }
}

#[test]
fn flying_never_goes_into_what_stands_below_and_rises_before_it() {
    for speed in [3.0, 60.0, 900.0] {
        let mut control = control();
        control.look_from(Pose {
            target: Vec3::new(100.0, 350.0, 20.0),
            distance: 20.0,
            yaw: 0.0,
            pitch: 0.0,
            fov_y: FOV_Y,
        });
        control.toggle_mode();
        control.speed = speed;
        control.set_thrust(Thrust {
            forward: 1.0,
            ..Thrust::default()
        });
        let mut highest_jump = 0.0f32;
        for _ in 0..20_000 {
            control.advance(0.016);
            let before = control.camera().eye.z;
            control.keep_clear(0.016, surface);
            let eye = control.camera().eye;
            highest_jump = highest_jump.max(eye.z - before);
            assert!(eye.z >= surface(eye.truncate()) + 0.99, "{speed}: {eye}");
            if eye.x > 900.0 {
                break;
            }
        }
        assert!(control.camera().eye.x > 500.0);
        // The way up is spread over many frames; at the slowest speed it begins close to the wall.
        let most = if speed > 30.0 { 25.0 } else { 75.0 };
        assert!(highest_jump < most, "{speed}: {highest_jump}");
    }
}

#[test]
fn turning_and_zooming_stay_over_what_stands_below() {
    let mut control = control();
    let roof = Vec3::new(500.0, 350.0, 80.0);
    for _ in 0..40 {
        control.wheel(3.0, Some(roof));
        control.advance(0.1);
        control.keep_clear(0.1, surface);
        control.start_turn(Some(roof));
        control.drag(Vec2::new(600.0, 400.0), Vec2::new(640.0, 330.0), SIZE);
        control.keep_clear(0.1, surface);
        let eye = control.camera().eye;
        assert!(eye.z >= surface(eye.truncate()) + 0.99, "{eye}");
    }
}

#[test]
fn presets_keep_what_is_in_the_middle_and_show_it_as_large() {
    let mut control = control();
    control.wheel(6.0, Some(Vec3::new(300.0, 200.0, 0.0)));
    settle(&mut control);
    let width = |control: &CameraControl| control.pose().distance / control.pose().lens();
    let (target, before) = (control.pose().target, width(&control));
    control.fly_to_preset(Preset::Top, None);
    settle(&mut control);
    assert!(control.pose().forward().z < -0.99);
    assert!(control.pose().target.distance(target) < 0.1);
    assert!((width(&control) / before - 1.0).abs() < 1e-2);
    control.fly_to_preset(Preset::Isometric, None);
    settle(&mut control);
    let corner = control.pose();
    assert!((corner.pitch - ISOMETRIC_PITCH).abs() < 1e-4);
    assert!((width(&control) / before - 1.0).abs() < 1e-2);
    // Edges of the same length along x, y and z are as long in the picture.
    let at = |by: Vec3| control.camera().project(target + by, SIZE).expect("seen");
    let lengths = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| at(axis * 20.0).distance(at(Vec3::ZERO)));
    let [x, y, z] = lengths;
    assert!(
        (x / y - 1.0).abs() < 0.02 && (x / z - 1.0).abs() < 0.02,
        "{lengths:?}"
    );
    // Again: the next corner.
    control.fly_to_preset(Preset::Isometric, None);
    settle(&mut control);
    let turned = control.pose().yaw - corner.yaw;
    assert!(
        (turned - std::f32::consts::FRAC_PI_2).abs() < 1e-3,
        "{turned}"
    );
    // Turning there goes on through the long lens; flying takes the usual one.
    control.start_turn(Some(target));
    control.drag(Vec2::new(600.0, 400.0), Vec2::new(700.0, 420.0), SIZE);
    control.end_drag();
    assert_eq!(control.pose().fov_y, LONG_LENS);
    assert!(control.camera().eye.distance(BOUNDS.center()) < 200_000.0);
    control.toggle_mode();
    settle(&mut control);
    assert_eq!(control.pose().fov_y, FOV_Y);
    control.toggle_mode();
    control.fly_to_preset(Preset::Top, Some((SIZE.x / SIZE.y, FreeArea::WINDOW)));
    settle(&mut control);
    for corner in [BOUNDS.min, BOUNDS.max] {
        let at = control.camera().project(corner, SIZE).expect("in front");
        assert!(at.x > -1.0 && at.x < SIZE.x + 1.0, "{at}");
    }
}

#[test]
fn fingers_zoom_and_twist_about_the_point_under_them() {
    let mut control = control();
    let at = Vec2::new(500.0, 400.0);
    let point = ground(&control, at);
    let before = control.pose();
    control.pinch(1.3, Some(point));
    control.twist(0.4, Some(point));
    let after = control.camera().project(point, SIZE).expect("in front");
    assert!(after.distance(at) < 1.0, "{after}");
    assert!(control.camera().eye.distance(point) < before.eye().distance(point) / 1.25);
    assert!((control.pose().yaw - before.yaw + 0.4).abs() < 1e-4);
    for odd in [f32::NAN, f32::INFINITY, 0.0, -1.0] {
        let held = control.pose();
        control.pinch(odd, None);
        assert_eq!(control.pose(), held);
    }
    control.twist(f32::NAN, None);
    assert!(control.camera().eye.is_finite());
}

#[test]
fn looking_at_a_place_keeps_direction_and_distance() {
    let mut control = control();
    control.wheel(8.0, None);
    settle(&mut control);
    let before = control.pose();
    control.look_at(Vec2::new(250.0, 600.0), false);
    settle(&mut control);
    let after = control.pose();
    assert_eq!((after.yaw, after.pitch), (before.yaw, before.pitch));
    assert!(after.target.truncate().distance(Vec2::new(250.0, 600.0)) < 30.0);
    // Beside the city: as near as it goes.
    control.look_at(Vec2::new(1e9, f32::INFINITY), true);
    control.look_at(Vec2::new(1e6, -1e6), true);
    let over = control.pose().target.clamp(BOUNDS.min, BOUNDS.max) - control.pose().target;
    assert!(over.truncate().length() < 1.0);
}
