//! The way of a camera: smooth through all its stations, over the buildings, without roll.

use glam::Vec3;

use super::scene::{Easing, Way};
use callscape_look::pose::Pose;
use callscape_state::camera::motion::Flight;

/// How far above the highest roof the eye stays in the middle of a way, in world units.
const CLEARANCE: f32 = 12.0;

/// Shares of the way in which the eye may be as low as its ends are.
const ENDS: f32 = 0.2;

/// From one pose to another, past some between them.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraPath {
    keys: Vec<Pose>,
    /// How far along each key stands, as the eye perceives lengths; the last is the whole.
    lengths: Vec<f32>,
    easing: Easing,
    way: Way,
    /// Radians to turn about the target, on the way.
    turn: f32,
    /// The height of the highest roof, in world units.
    roofs: f32,
}

/// What share of the way is done after a share of the time, both 0 to 1.
pub fn eased(easing: Easing, share: f64) -> f64 {
    let t = share.clamp(0.0, 1.0);
    match easing {
        // No jolt: the acceleration is continuous too.
        Easing::Smooth => t * t * t * (t * (t * 6.0 - 15.0) + 10.0),
        Easing::Linear => t,
        Easing::In => t * t * t,
        Easing::Out => 1.0 - (1.0 - t).powi(3),
        Easing::Cut => 1.0,
    }
}

impl CameraPath {
    /// `stations` are the poses on the way, the end last. `roofs` is the height of the highest roof.
    pub fn new(
        from: Pose,
        stations: &[Pose],
        (easing, way): (Easing, Way),
        turn: f32,
        roofs: f32,
    ) -> CameraPath {
        let mut keys = vec![from];
        for station in stations {
            // A yaw is the nearest of those that mean the same.
            let before = keys.last().map_or(0.0, |key: &Pose| key.yaw);
            keys.push(Pose {
                yaw: before + shortest_turn(before, station.yaw),
                ..*station
            });
        }
        let mut length = 0.0;
        let mut lengths = vec![0.0];
        for pair in keys.windows(2) {
            length += Flight::new(pair[0], pair[1]).length().max(1e-3);
            lengths.push(length);
        }
        CameraPath {
            keys,
            lengths,
            easing,
            way,
            turn,
            roofs,
        }
    }

    /// Where it ends.
    pub fn end(&self) -> Pose {
        self.at(1.0)
    }

    /// The pose after a share of the time, 0 to 1.
    pub fn at(&self, share: f64) -> Pose {
        let done = eased(self.easing, share) as f32;
        let mut pose = match (&self.keys[..], self.way) {
            ([only], _) => *only,
            ([from, to], Way::Over) => Flight::new(*from, *to).at(done),
            ([from, to], Way::Straight) => Flight::straight(*from, *to).at(done),
            _ => self.on_spline(done),
        };
        if done > 0.0 && done < 1.0 && self.keys.len() > 1 {
            pose = self.cleared(pose, done);
        }
        pose.yaw += self.turn * done;
        pose
    }

    /// The Catmull-Rom curve through all keys, with their distances apart as knots (Barry and Goldman, "A
    /// recursive evaluation algorithm for a class of Catmull-Rom splines", 1988).
    fn on_spline(&self, done: f32) -> Pose {
        let last = self.keys.len() - 1;
        let along = done * self.lengths[last];
        let leg = self.lengths.partition_point(|&at| at <= along);
        let leg = leg.clamp(1, last) - 1;
        let key = |index: isize| -> ([f32; 7], f32) {
            let inside = index.clamp(0, last as isize) as usize;
            // Beyond the ends the curve goes on as long as its first and last leg.
            let knot = match index {
                -1 => 2.0 * self.lengths[0] - self.lengths[1],
                _ if index > last as isize => 2.0 * self.lengths[last] - self.lengths[last - 1],
                _ => self.lengths[inside],
            };
            (vector(&self.keys[inside]), knot)
        };
        let p: [([f32; 7], f32); 4] = std::array::from_fn(|i| key(leg as isize + i as isize - 1));
        let mix = |(a, ta): ([f32; 7], f32), (b, tb): ([f32; 7], f32)| {
            let share = (along - ta) / (tb - ta);
            std::array::from_fn::<f32, 7, _>(|i| a[i] + (b[i] - a[i]) * share)
        };
        let first: [[f32; 7]; 3] = std::array::from_fn(|i| mix(p[i], p[i + 1]));
        let second: [[f32; 7]; 2] =
            std::array::from_fn(|i| mix((first[i], p[i].1), (first[i + 1], p[i + 2].1)));
        pose(mix((second[0], p[1].1), (second[1], p[2].1)))
    }

    /// The pose with its eye above the roofs, unless it is at an end of the way.
    fn cleared(&self, pose: Pose, done: f32) -> Pose {
        let inner = (done.min(1.0 - done) / ENDS).min(1.0);
        let inner = inner * inner * (3.0 - 2.0 * inner);
        let wanted = (self.roofs + CLEARANCE) * inner;
        let eye = pose.eye();
        // Smoothly the larger of both heights.
        let soft = CLEARANCE * 0.5;
        let above = (eye.z - wanted) / soft;
        let lift = if above > 12.0 {
            0.0
        } else {
            soft * (-above).exp().ln_1p() * inner
        };
        if lift < 1e-4 {
            return pose;
        }
        let eye = eye + Vec3::Z * lift;
        let to = pose.target - eye;
        let distance = to.length().max(1e-3);
        Pose {
            distance,
            pitch: (-to.z / distance).clamp(-1.0, 1.0).asin(),
            ..pose
        }
    }
}

/// What is interpolated: distances, and fields of view, by their logarithm.
fn vector(pose: &Pose) -> [f32; 7] {
    let [x, y, z] = pose.target.to_array();
    let distance = pose.distance.max(1e-3).ln();
    [x, y, z, distance, pose.yaw, pose.pitch, pose.fov_y.ln()]
}

fn pose([x, y, z, distance, yaw, pitch, fov_y]: [f32; 7]) -> Pose {
    Pose {
        target: Vec3::new(x, y, z),
        distance: distance.exp(),
        yaw,
        pitch,
        fov_y: fov_y.exp(),
    }
}

/// The angle to add to `from` to look where `to` looks, at most half a turn.
fn shortest_turn(from: f32, to: f32) -> f32 {
    use std::f32::consts::{PI, TAU};
    (to - from + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32, distance: f32, yaw: f32) -> Pose {
        Pose {
            target: Vec3::new(x, y, 0.0),
            distance,
            yaw,
            pitch: 0.6,
            fov_y: callscape_look::pose::FOV_Y,
        }
    }

    #[test]
    fn a_path_meets_its_ends_and_never_jumps() {
        let from = at(100.0, 100.0, 900.0, 1.4);
        let ways = [
            vec![at(700.0, 300.0, 60.0, 2.0)],
            vec![
                at(700.0, 300.0, 60.0, 2.0),
                at(200.0, 800.0, 90.0, -2.0),
                at(500.0, 500.0, 1200.0, 1.0),
            ],
        ];
        for stations in ways {
            for way in [Way::Over, Way::Straight] {
                let path = CameraPath::new(from, &stations, (Easing::Smooth, way), 0.0, 80.0);
                let end = stations[stations.len() - 1];
                assert!(path.at(0.0).eye().distance(from.eye()) < 0.5);
                assert!(path.at(1.0).eye().distance(end.eye()) < 0.5);
                let mut before = path.at(0.0);
                let mut speeds = Vec::new();
                for step in 1..=1000 {
                    let now = path.at(f64::from(step) / 1000.0);
                    assert!(now.distance.is_finite() && now.target.is_finite());
                    speeds.push(now.eye().distance(before.eye()));
                    assert!(
                        (now.yaw - before.yaw).abs() < 0.03
                            && (now.pitch - before.pitch).abs() < 0.05
                    );
                    before = now;
                }
                let fastest = speeds.iter().copied().fold(0.0, f32::max);
                for pair in speeds.windows(2) {
                    assert!((pair[1] - pair[0]).abs() < fastest * 0.12 + 0.05, "a jolt");
                }
            }
        }
    }

    #[test]
    fn in_the_middle_of_its_way_the_eye_is_above_the_roofs() {
        let low = |x| Pose {
            pitch: 0.02,
            ..at(x, 0.0, 60.0, 0.0)
        };
        let path = CameraPath::new(
            low(0.0),
            &[low(300.0), low(900.0)],
            (Easing::Linear, Way::Straight),
            0.0,
            80.0,
        );
        for step in 25..=75 {
            assert!(path.at(f64::from(step) / 100.0).eye().z > 80.0);
        }
        assert!(path.at(0.0).eye().z < 5.0 && path.at(1.0).eye().z < 5.0);
    }

    #[test]
    fn a_turn_goes_all_the_way_round() {
        let from = at(0.0, 0.0, 100.0, 0.5);
        let turn = 4.0 * std::f32::consts::PI;
        let path = CameraPath::new(from, &[], (Easing::Linear, Way::Over), turn, 10.0);
        assert!((path.at(0.5).yaw - 0.5 - turn / 2.0).abs() < 1e-3);
        assert_eq!(path.at(0.5).target, from.target);
    }
}
