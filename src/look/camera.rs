//! The camera: from world space to clip space, and rays from pixels back into the world.

use glam::{Mat4, UVec2, Vec2, Vec3};

/// A perspective view of the world; z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    pub eye: Vec3,
    pub target: Vec3,
    /// Vertical field of view in radians.
    pub fov_y: f32,
}

impl Camera {
    pub fn view_from_world(&self) -> Mat4 {
        let forward = (self.target - self.eye).normalize_or(Vec3::NEG_Z);
        // Looking straight down, north is up on the screen.
        let up = if forward.z.abs() > 0.9999 {
            Vec3::Y
        } else {
            Vec3::Z
        };
        glam::camera::rh::view::look_to_mat4(self.eye, forward, up)
    }

    /// What is nearer is not drawn.
    pub fn near(&self) -> f32 {
        (self.eye.z.abs() * 0.02).clamp(0.05, 10.0)
    }

    /// Reversed depth (1 at the near plane, 0 at infinity), y up, as wgpu clips.
    pub fn clip_from_view(&self, aspect: f32) -> Mat4 {
        let (fov, near) = (self.fov_y, self.near());
        glam::camera::rh::proj::directx::perspective_infinite_reverse(fov, aspect, near)
    }

    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        self.clip_from_view(aspect) * self.view_from_world()
    }

    /// The unit direction into the world through a point of the screen, both in physical pixels from
    /// the top left.
    pub fn ray(&self, at: Vec2, size: Vec2) -> Vec3 {
        let ndc = Vec2::new(2.0 * at.x / size.x - 1.0, 1.0 - 2.0 * at.y / size.y);
        let half = (self.fov_y * 0.5).tan();
        let view = Vec3::new(ndc.x * half * size.x / size.y, ndc.y * half, -1.0);
        let world_from_view = self.view_from_world().inverse();
        world_from_view.transform_vector3(view).normalize()
    }

    /// Where a point of the world stands on the screen in physical pixels from the top left; none
    /// behind the eye.
    pub fn project(&self, world: Vec3, size: Vec2) -> Option<Vec2> {
        let clip = self.clip_from_world(size.x / size.y) * world.extend(1.0);
        (clip.w > 0.0).then(|| {
            let ndc = clip.truncate() / clip.w;
            Vec2::new((ndc.x + 1.0) * 0.5 * size.x, (1.0 - ndc.y) * 0.5 * size.y)
        })
    }

    /// The rectangle of the screen in which a box of the world can be seen, widened by `margin`, as
    /// corner and extent in physical pixels; the whole screen when a part of the box is behind the eye,
    /// none when the box is beside the screen.
    pub fn rectangle(
        &self,
        (low, high): (Vec3, Vec3),
        margin: f32,
        [width, height]: [u32; 2],
    ) -> Option<(UVec2, UVec2)> {
        let size = Vec2::new(width as f32, height as f32);
        let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for corner in 0..8u8 {
            let pick = |bit: u8, low: f32, high: f32| if corner & bit == 0 { low } else { high };
            let world = Vec3::new(
                pick(1, low.x, high.x),
                pick(2, low.y, high.y),
                pick(4, low.z, high.z),
            );
            let Some(at) = self.project(world, size).filter(|at| at.is_finite()) else {
                return Some((UVec2::ZERO, UVec2::new(width, height)));
            };
            min = min.min(at);
            max = max.max(at);
        }
        let min = (min - margin).clamp(Vec2::ZERO, size).as_uvec2();
        let max = (max + margin).ceil().clamp(Vec2::ZERO, size).as_uvec2();
        (min.x < max.x && min.y < max.y).then(|| (min, max - min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_what_its_pixel_shows() {
        let camera = Camera {
            eye: Vec3::new(300.0, -700.0, 500.0),
            target: Vec3::new(500.0, 400.0, 0.0),
            fov_y: 0.7,
        };
        let size = Vec2::new(1280.0, 720.0);
        for world in [Vec3::new(510.0, 300.0, 20.0), Vec3::new(100.0, 900.0, 0.0)] {
            let at = camera.project(world, size).expect("in front of the eye");
            let direction = (world - camera.eye).normalize();
            assert!(camera.ray(at, size).dot(direction) > 0.999_999);
        }
    }
}
