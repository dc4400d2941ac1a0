//! Motion that eases in and out and does not depend on the frame rate: critically damped springs in
//! closed form, and the flight path between two poses.

use callscape_look::pose::Pose;

/// A value that follows a goal as a critically damped spring does: fast, without overshoot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    pub value: f32,
    pub(crate) velocity: f32,
}

impl Spring {
    pub const fn at(value: f32) -> Spring {
        Spring {
            value,
            velocity: 0.0,
        }
    }

    /// Moves on by `seconds` towards `goal`. `rate` is the spring's angular frequency: 95 % of the way
    /// is done after 4.7 / rate seconds. Exact for any step.
    pub fn advance(&mut self, goal: f32, rate: f32, seconds: f32) {
        let offset = self.value - goal;
        let slope = self.velocity + rate * offset;
        let decay = (-rate * seconds).exp();
        self.value = goal + (offset + slope * seconds) * decay;
        self.velocity = (self.velocity - rate * slope * seconds) * decay;
    }
}

/// How much a flight prefers zooming out over travelling; 1.4 is what people liked best in the paper.
const RHO: f32 = 1.4;

/// The way from one pose to another that rises over what lies between: van Wijk and Nuij, "Smooth and
/// efficient zooming and panning" (InfoVis 2003), with the distance to the target, through the usual lens, as the
/// width shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    from: Pose,
    to: Pose,
    path: Path,
    /// The length of the path as the paper measures it.
    length: f32,
    progress: Spring,
    rate: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    /// Over what lies between; holds the paper's r0.
    Rising(f32),
    /// The targets coincide: only the distance changes.
    OnTheSpot,
    /// The eye goes straight to its new place.
    Straight,
}

impl Flight {
    /// Over what lies between the two targets.
    pub fn new(from: Pose, to: Pose) -> Flight {
        let travel = from.target.distance(to.target);
        let (w0, w1) = (width(&from), width(&to));
        let squared = RHO * RHO;
        let (length, path) = if travel < w0.min(w1) * 1e-3 {
            ((w1 / w0).ln().abs() / RHO, Path::OnTheSpot)
        } else {
            let b = |sign: f32, w: f32| {
                (w1 * w1 - w0 * w0 + sign * squared * squared * travel * travel)
                    / (2.0 * w * squared * travel)
            };
            // The paper's ln(-b + sqrt(b² + 1)) is the asinh of -b.
            let (r0, r1) = (-b(1.0, w0).asinh(), -b(-1.0, w1).asinh());
            ((r1 - r0) / RHO, Path::Rising(r0))
        };
        Flight::along(path, length, from, to)
    }

    /// Straight to a pose near by, turning on the way.
    pub fn straight(from: Pose, to: Pose) -> Flight {
        Flight::along(Path::Straight, 0.5, from, to)
    }

    fn along(path: Path, length: f32, from: Pose, to: Pose) -> Flight {
        let turn = shortest_turn(from.yaw, to.yaw).abs() + (to.pitch - from.pitch).abs();
        let seconds = (0.35 + 0.22 * length + 0.2 * turn).min(1.6);
        Flight {
            from,
            to,
            path,
            length,
            progress: Spring::at(0.0),
            // At the end of the time 99.9 % is done.
            rate: 9.2 / seconds,
        }
    }

    /// How long the way is, as the paper measures it.
    pub fn length(&self) -> f32 {
        self.length
    }

    /// The pose at a share of the way, 0 to 1.
    pub fn at(&self, share: f32) -> Pose {
        match share {
            share if share >= 1.0 => self.to,
            share => self.pose(share.max(0.0)),
        }
    }

    /// Where the flight leads.
    pub fn destination(&self) -> Pose {
        self.to
    }

    /// The pose after another `seconds`, and whether the flight is over.
    pub fn advance(&mut self, seconds: f32) -> (Pose, bool) {
        self.progress.advance(1.0, self.rate, seconds);
        if self.progress.value > 0.999 {
            return (self.to, true);
        }
        (self.pose(self.progress.value), false)
    }

    fn pose(&self, progress: f32) -> Pose {
        let mut pose = Pose {
            yaw: self.from.yaw + shortest_turn(self.from.yaw, self.to.yaw) * progress,
            pitch: self.from.pitch + (self.to.pitch - self.from.pitch) * progress,
            fov_y: self.from.fov_y * (self.to.fov_y / self.from.fov_y).powf(progress),
            ..self.from
        };
        let lens = pose.lens();
        let towards = |share: f32| {
            let share = share.clamp(0.0, 1.0);
            self.from.target.lerp(self.to.target, share)
        };
        let (w0, w1) = (width(&self.from), width(&self.to));
        match self.path {
            Path::Rising(r0) => {
                let travel = self.from.target.distance(self.to.target);
                let r = RHO * progress * self.length + r0;
                let u = w0 / (RHO * RHO) * (r0.cosh() * r.tanh() - r0.sinh());
                pose.target = towards(u / travel);
                pose.distance = lens * w0 * r0.cosh() / r.cosh();
            }
            Path::OnTheSpot => {
                pose.target = towards(progress);
                pose.distance = lens * w0 * (w1 / w0).powf(progress);
            }
            Path::Straight => {
                let eye = self.from.eye().lerp(self.to.eye(), progress);
                pose.distance = lens * (w0 + (w1 - w0) * progress);
                pose.target = eye + pose.forward() * pose.distance;
            }
        }
        pose
    }
}

/// How far away the usual lens would be.
fn width(pose: &Pose) -> f32 {
    pose.distance / pose.lens()
}

/// The angle to add to `from` to look where `to` looks, at most half a turn.
fn shortest_turn(from: f32, to: f32) -> f32 {
    use std::f32::consts::{PI, TAU};
    (to - from + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_look::pose::{FOV_Y, LONG_LENS};
    use glam::Vec3;

    #[test]
    fn a_spring_reaches_the_same_value_at_any_frame_rate_and_never_overshoots() {
        let mut whole = Spring::at(0.0);
        whole.advance(1.0, 12.0, 0.25);
        let mut steps = Spring::at(0.0);
        for _ in 0..50 {
            let before = steps.value;
            steps.advance(1.0, 12.0, 0.005);
            assert!(before <= steps.value && steps.value <= 1.0);
        }
        assert!((whole.value - steps.value).abs() < 1e-4);
        assert!((whole.velocity - steps.velocity).abs() < 1e-3);
    }

    #[test]
    fn a_flight_starts_and_ends_where_it_should_and_rises_over_a_long_way() {
        let from = Pose {
            target: Vec3::new(100.0, 100.0, 0.0),
            distance: 50.0,
            yaw: 3.0,
            pitch: 0.5,
            fov_y: FOV_Y,
        };
        let to = Pose {
            target: Vec3::new(900.0, 700.0, 0.0),
            distance: 80.0,
            yaw: -3.0,
            pitch: 0.9,
            fov_y: FOV_Y,
        };
        let flight = Flight::new(from, to);
        let start = flight.pose(0.0);
        assert!(start.target.distance(from.target) < 0.1);
        assert!((start.distance - from.distance).abs() < 0.1);
        let end = flight.pose(1.0);
        assert!(end.target.distance(to.target) < 0.5);
        assert!((end.distance - to.distance).abs() < 0.5);
        assert!(flight.pose(0.5).distance > 300.0);
        // The short way round: through half a turn, not back through zero.
        assert!(flight.pose(0.5).yaw > 3.0);
        let mut flight = flight;
        let mut done = false;
        for _ in 0..200 {
            let (pose, over) = flight.advance(0.01);
            assert!(pose.distance.is_finite() && pose.target.is_finite());
            done = over;
        }
        assert!(done);
        assert_eq!(flight.destination(), to);
    }

    #[test]
    fn a_flight_on_the_spot_only_changes_the_distance() {
        let from = Pose {
            target: Vec3::ZERO,
            distance: 100.0,
            yaw: 0.0,
            pitch: 0.5,
            fov_y: FOV_Y,
        };
        let to = Pose {
            distance: 1.0,
            ..from
        };
        let flight = Flight::new(from, to);
        assert!((flight.pose(0.5).distance - 10.0).abs() < 1e-3);
        assert_eq!(Flight::new(from, from).advance(9.0), (from, true));
        // Through another lens the middle stays as large all the way.
        let flight = Flight::new(from, from.through(LONG_LENS));
        for share in [0.0, 0.3, 0.8, 1.0] {
            let pose = flight.pose(share);
            assert!((width(&pose) - 100.0).abs() < 0.1, "{pose:?}");
        }
    }
}
