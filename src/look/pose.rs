//! Where the camera stands and looks: a point in front of it, a distance, and two angles. There is no
//! roll to go wrong.

use glam::{Vec2, Vec3};

use super::camera::Camera;

/// Vertical field of view in radians, as people see a model on a table.
pub const FOV_Y: f32 = 0.7;
/// A lens so long that what is parallel looks parallel.
pub const LONG_LENS: f32 = 0.05;

/// Nothing makes a camera look down more steeply by itself, in radians.
pub const STEEPEST: f32 = 1.5;

/// The box that holds everything displayed, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub min: Vec3,
    pub max: Vec3,
}

impl Bounds {
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    pub fn diagonal(&self) -> f32 {
        self.min.distance(self.max)
    }

    /// How far down one has to look, in radians, to see at least as much of its roof as of a wall.
    pub fn roof_pitch(&self) -> f32 {
        let size = self.max - self.min;
        let side = size.x.min(size.y).max(1e-6);
        size.z.atan2(side).min(STEEPEST)
    }

    fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, min: f32, max: f32| if i & bit == 0 { min } else { max };
            Vec3::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }
}

/// The part of the window that no panel covers, in normalised device coordinates (x to the right, y up,
/// the window from -1 to 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeArea {
    pub min: Vec2,
    pub max: Vec2,
}

impl FreeArea {
    pub const WINDOW: FreeArea = FreeArea {
        min: Vec2::NEG_ONE,
        max: Vec2::ONE,
    };
}

/// A place and a direction to look in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The point that the middle of the picture shows.
    pub target: Vec3,
    /// From the eye to the target.
    pub distance: f32,
    /// Heading in radians, from east to north.
    pub yaw: f32,
    /// How far it looks down, in radians; negative looks up.
    pub pitch: f32,
    /// Vertical field of view in radians.
    pub fov_y: f32,
}

impl Pose {
    pub fn forward(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        Vec3::new(cos_pitch * cos_yaw, cos_pitch * sin_yaw, -sin_pitch)
    }

    pub fn right(&self) -> Vec3 {
        let (sin, cos) = self.yaw.sin_cos();
        Vec3::new(sin, -cos, 0.0)
    }

    pub fn up(&self) -> Vec3 {
        self.right().cross(self.forward())
    }

    pub fn eye(&self) -> Vec3 {
        self.target - self.forward() * self.distance
    }

    pub fn camera(&self) -> Camera {
        Camera {
            eye: self.eye(),
            target: self.target,
            fov_y: self.fov_y,
        }
    }

    /// How many times as far away this lens shows a thing as large as the usual one.
    pub fn lens(&self) -> f32 {
        (FOV_Y * 0.5).tan() / (self.fov_y * 0.5).tan()
    }

    /// The same through another lens: what is in the middle stays as large.
    pub fn through(&self, fov_y: f32) -> Pose {
        let mut pose = Pose { fov_y, ..*self };
        pose.distance *= pose.lens() / self.lens();
        pose
    }

    /// The pose turned about `pivot`, which keeps its place in the picture.
    pub fn turned(&self, pivot: Vec3, yaw: f32, pitch: f32) -> Pose {
        // The pivot's place relative to the eye, in the camera's own axes, stays.
        let offset = pivot - self.eye();
        let (x, y, z) = (
            offset.dot(self.right()),
            offset.dot(self.up()),
            offset.dot(self.forward()),
        );
        let mut turned = Pose {
            yaw: self.yaw + yaw,
            pitch: self.pitch + pitch,
            ..*self
        };
        let eye = pivot - turned.right() * x - turned.up() * y - turned.forward() * z;
        turned.target = eye + turned.forward() * self.distance;
        turned
    }

    /// The pose moved along the line through `anchor`, which keeps its place in the picture; `scale`
    /// multiplies the distance to it.
    pub fn scaled(&self, anchor: Vec3, scale: f32) -> Pose {
        Pose {
            target: anchor + (self.target - anchor) * scale,
            distance: self.distance * scale,
            ..*self
        }
    }

    /// The nearest pose with this direction from which `bounds` fits into `free` of a window whose width
    /// is `aspect` times its height, through a lens with this field of view.
    pub fn framing(
        bounds: &Bounds,
        [yaw, pitch]: [f32; 2],
        fov_y: f32,
        aspect: f32,
        free: FreeArea,
    ) -> Pose {
        let mut pose = Pose {
            target: bounds.center(),
            distance: 0.0,
            yaw,
            pitch,
            fov_y,
        };
        let (right, up, forward) = (pose.right(), pose.up(), pose.forward());
        let half = Vec2::new((fov_y * 0.5).tan() * aspect, (fov_y * 0.5).tan());
        // A corner q (in the camera's axes) lies inside when, per axis, low·(qz - ez) <= qx - ex <=
        // high·(qz - ez) for the eye e: the corners bound ex - low·ez from above and ex - high·ez from below.
        let (low, high) = (free.min * half, free.max * half);
        let mut upper = Vec2::INFINITY;
        let mut lower = Vec2::NEG_INFINITY;
        let mut nearest = f32::INFINITY;
        for corner in bounds.corners() {
            let across = Vec2::new(corner.dot(right), corner.dot(up));
            let depth = corner.dot(forward);
            upper = upper.min(across - low * depth);
            lower = lower.max(across - high * depth);
            nearest = nearest.min(depth);
        }
        let depths = (upper - lower) / (high - low);
        let depth = depths.min_element().min(nearest - MIN_DISTANCE);
        let across = ((upper + low * depth) + (lower + high * depth)) * 0.5;
        let eye = right * across.x + up * across.y + forward * depth;
        pose.distance = (bounds.center() - eye).dot(forward).max(MIN_DISTANCE);
        pose.target = eye + forward * pose.distance;
        pose
    }
}

/// The eye comes no nearer to what it turns about or zooms to, in world units.
pub const MIN_DISTANCE: f32 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(1280.0, 720.0);

    fn pose() -> Pose {
        Pose {
            target: Vec3::new(500.0, 400.0, 0.0),
            distance: 700.0,
            yaw: 1.2,
            pitch: 0.7,
            fov_y: FOV_Y,
        }
    }

    #[test]
    fn turning_and_zooming_keep_the_point_under_the_pointer() {
        let point = Vec3::new(420.0, 510.0, 30.0);
        let at = pose().camera().project(point, SIZE).expect("in front");
        for turned in [
            pose().turned(point, 0.5, 0.2),
            pose().turned(point, -2.0, -0.4),
            pose().scaled(point, 0.3),
            pose().scaled(point, 1.9),
        ] {
            let after = turned.camera().project(point, SIZE).expect("in front");
            assert!(at.distance(after) < 0.5, "{at} became {after}");
        }
    }

    #[test]
    fn a_long_lens_shows_parallels_as_parallels_and_the_middle_as_large() {
        let near = pose();
        let far = near.through(LONG_LENS);
        let across = |pose: &Pose, ahead: f32| {
            let middle = pose.target + pose.forward() * ahead;
            let side = pose.right() * 50.0;
            let camera = pose.camera();
            let ends = [middle - side, middle + side].map(|at| camera.project(at, SIZE));
            let [a, b] = ends.map(|at| at.expect("in front"));
            a.distance(b)
        };
        assert!((across(&near, 0.0) - across(&far, 0.0)).abs() < 0.1);
        assert!(across(&near, 300.0) < 0.8 * across(&near, -300.0));
        assert!(across(&far, 300.0) > 0.93 * across(&far, -300.0));
        let again = far.through(FOV_Y);
        assert!((again.distance - near.distance).abs() < 0.1);
    }

    #[test]
    fn a_framing_shows_all_of_a_box_in_the_free_area_and_wastes_nothing() {
        let bounds = Bounds {
            min: Vec3::new(100.0, 50.0, 0.0),
            max: Vec3::new(900.0, 650.0, 120.0),
        };
        let free = FreeArea {
            min: Vec2::new(-0.9, -0.6),
            max: Vec2::new(0.4, 0.95),
        };
        for (yaw, pitch, fov_y) in [
            (1.57, 0.7, FOV_Y),
            (0.3, 1.5, FOV_Y),
            (4.0, 0.2, FOV_Y),
            (0.8, 0.6, LONG_LENS),
        ] {
            let pose = Pose::framing(&bounds, [yaw, pitch], fov_y, SIZE.x / SIZE.y, free);
            let mut min = Vec2::INFINITY;
            let mut max = Vec2::NEG_INFINITY;
            for corner in bounds.corners() {
                let at = pose.camera().project(corner, SIZE).expect("in front");
                let ndc = Vec2::new(at.x / SIZE.x * 2.0 - 1.0, 1.0 - at.y / SIZE.y * 2.0);
                min = min.min(ndc);
                max = max.max(ndc);
            }
            let slack = 1e-3;
            assert!((min - free.min).min_element() > -slack, "{min} {yaw}");
            assert!((free.max - max).min_element() > -slack, "{max} {yaw}");
            let touches = (max - min) / (free.max - free.min);
            assert!(touches.max_element() > 0.99, "{touches} {yaw}");
        }
    }
}
