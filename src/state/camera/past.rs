//! The way back through past views: places to look from at which the camera has rested.

use std::time::Duration;

use callscape_look::pose::Pose;

/// A view counts when the camera has stood still for this long.
const REST: Duration = Duration::from_millis(600);

/// Longer ways are forgotten from their start.
const LONGEST: usize = 100;

/// Past views, and those gone back from.
#[derive(Clone, Debug, Default)]
pub struct PastViews {
    past: Vec<Pose>,
    future: Vec<Pose>,
    /// The view among them that is looked from, or was last.
    current: Option<Pose>,
    /// Where the camera was when it was last looked at.
    seen: Option<Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    pose: Pose,
    since: Duration,
    is_still: bool,
}

impl PastViews {
    /// The camera looks from `pose` at the time `now`, still or on its way. To be called whenever it may have moved:
    /// frames that take long are no rest.
    pub fn note(&mut self, pose: Pose, is_still: bool, now: Duration) {
        let next = Seen {
            pose,
            since: now,
            is_still,
        };
        match self.seen {
            Some(seen) if seen.pose == pose => {
                if is_still != seen.is_still {
                    self.seen = Some(next);
                }
            }
            Some(seen) => {
                if seen.is_still && now.saturating_sub(seen.since) >= REST {
                    self.rest(seen.pose);
                }
                self.seen = Some(next);
            }
            None => self.seen = Some(next),
        }
    }

    /// The view before the one that is looked from, which is `now`.
    pub fn back(&mut self, now: Pose) -> Option<Pose> {
        self.rest(now);
        let pose = self.past.pop()?;
        // Where it rested is among them already.
        self.seen = None;
        self.future.extend(self.current.replace(pose));
        Some(pose)
    }

    /// The view after the one that is looked from, of those gone back from.
    pub fn forward(&mut self, now: Pose) -> Option<Pose> {
        self.rest(now);
        let pose = self.future.pop()?;
        self.seen = None;
        self.past.extend(self.current.replace(pose));
        Some(pose)
    }

    fn rest(&mut self, pose: Pose) {
        match self.current {
            Some(current) if is_near(&current, &pose) => {}
            current => {
                self.past.extend(current);
                if self.past.len() > LONGEST {
                    self.past.remove(0);
                }
                self.future.clear();
                self.current = Some(pose);
            }
        }
    }
}

/// Whether both show the same, but for what one hardly sees.
fn is_near(a: &Pose, b: &Pose) -> bool {
    let width = a.distance.min(b.distance);
    let turn = (a.forward() - b.forward()).length();
    let moved = a.target.distance(b.target) / a.lens();
    let zoomed = (a.distance / a.lens()) / (b.distance / b.lens());
    moved < 0.03 * width && turn < 0.03 && zoomed.ln().abs() < 0.04
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_look::pose::FOV_Y;
    use glam::Vec3;

    fn at(x: f32) -> Pose {
        Pose {
            target: Vec3::new(x, 0.0, 0.0),
            distance: 100.0,
            yaw: 1.0,
            pitch: 0.5,
            fov_y: FOV_Y,
        }
    }

    /// Goes to `x` in ten steps and rests there for a second.
    fn go(views: &mut PastViews, from: f32, x: f32, now: &mut u64) {
        for step in 1..=10 {
            *now += 16;
            let x = from + (x - from) * step as f32 / 10.0;
            views.note(at(x), false, Duration::from_millis(*now));
        }
        views.note(at(x), true, Duration::from_millis(*now));
        *now += 1000;
    }

    #[test]
    fn only_views_at_which_the_camera_rested_are_gone_back_to() {
        let (mut views, mut now) = (PastViews::default(), 0);
        go(&mut views, 0.0, 0.0, &mut now);
        go(&mut views, 0.0, 200.0, &mut now);
        go(&mut views, 200.0, 900.0, &mut now);
        let now_at = |x: f32| at(x);
        assert_eq!(views.back(now_at(900.0)), Some(at(200.0)));
        // On the way there.
        assert_eq!(views.back(at(200.0)), Some(at(0.0)));
        assert_eq!(views.back(at(0.0)), None);
        assert_eq!(views.forward(at(0.0)), Some(at(200.0)));
        assert_eq!(views.forward(at(200.0)), Some(at(900.0)));
        assert_eq!(views.forward(at(900.0)), None);
        // A new view forgets those gone back from.
        assert_eq!(views.back(at(900.0)), Some(at(200.0)));
        now += 1000;
        go(&mut views, 200.0, 500.0, &mut now);
        go(&mut views, 500.0, 510.0, &mut now);
        assert_eq!(views.forward(at(510.0)), None);
        assert_eq!(views.back(at(510.0)), Some(at(500.0)));
        assert_eq!(views.back(at(500.0)), Some(at(200.0)));
    }

    #[test]
    fn trembling_is_no_other_view() {
        let mut views = PastViews::default();
        for step in 0..100 {
            let x = (step % 3) as f32;
            views.note(at(x), true, Duration::from_secs(step));
        }
        assert_eq!(views.back(at(1.0)), None);
        // Frames that take a second are no views.
        for step in 0..10 {
            let now = Duration::from_secs(100 + step);
            views.note(at(step as f32 * 50.0), false, now);
        }
        let last = views.back(at(450.0)).expect("where it trembled");
        assert!(last.target.x < 3.0);
    }
}
