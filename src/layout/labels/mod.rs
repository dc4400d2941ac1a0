//! Names: which are worth their place, where they lie, and how much of each fits.

pub mod flat;
mod occupied;
pub mod screen;
pub mod text;

use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::geometry::Block;

/// Where one looks from, as far as labels need to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eye {
    pub position: Vec3,
    /// Unit vector to the right on the screen, in world space.
    pub right: Vec3,
    pub clip_from_world: Mat4,
    /// Of the screen in physical pixels.
    pub size: Vec2,
    /// How many pixels a unit across the line of sight takes at a distance of one unit.
    pub focal: f32,
}

impl Eye {
    /// In physical pixels from the top left; none behind the eye.
    pub fn project(&self, world: Vec3) -> Option<Vec2> {
        let clip = self.clip_from_world * world.extend(1.0);
        (clip.w > 1e-3).then(|| {
            let ndc = clip.truncate().truncate() / clip.w;
            Vec2::new(ndc.x + 1.0, 1.0 - ndc.y) * 0.5 * self.size
        })
    }

    /// How much of the picture lies within these corners, in pixels and in order around it: 1 for as much as all of it.
    pub fn share_of(&self, [a, b, c, d]: [Vec2; 4]) -> f32 {
        0.5 * (c - a).perp_dot(d - b).abs() / self.size.element_product()
    }

    /// The corners of the top of a block on the screen, in order around it; none behind the eye.
    pub fn top_of(&self, block: &Block) -> Option<[Vec2; 4]> {
        let (min, max) = (block.min.with_z(block.max.z), block.max);
        let around = [min, min.with_x(max.x), max, max.with_x(min.x)];
        let [a, b, c, d] = around.map(|corner| self.project(corner));
        Some([a?, b?, c?, d?])
    }

    /// The four planes at the sides of the picture: a point is inside where the product with it, as a
    /// point with w = 1, is positive.
    fn side_planes(&self) -> [Vec4; 4] {
        let rows = self.clip_from_world.transpose();
        let (x, y, w) = (rows.x_axis, rows.y_axis, rows.w_axis);
        [w + x, w - x, w + y, w - y]
    }
}

/// No more rectangles than these are left free of names.
const MOST_COVERED: usize = 12;

/// What of a picture lies under something else, where no name can be read: rectangles by their corners, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Covered {
    rectangles: [(Vec2, Vec2); MOST_COVERED],
    count: usize,
}

impl Covered {
    /// One more; what is beyond the bound, or empty, is left out.
    pub fn add(&mut self, min: Vec2, max: Vec2) {
        if min.cmplt(max).all()
            && let Some(free) = self.rectangles.get_mut(self.count)
        {
            *free = (min, max);
            self.count += 1;
        }
    }

    pub fn rectangles(&self) -> &[(Vec2, Vec2)] {
        &self.rectangles[..self.count]
    }

    /// On a picture that begins at `origin` of this one and is `scale` times as fine.
    pub fn seen_from(&self, origin: Vec2, scale: f32) -> Covered {
        let mut seen = Covered::default();
        for &(min, max) in self.rectangles() {
            seen.add((min - origin) * scale, (max - origin) * scale);
        }
        seen
    }
}

/// Whether a box may show on the picture whose side planes these are; errs on the side of yes.
fn may_show(planes: &[Vec4; 4], min: Vec3, max: Vec3) -> bool {
    planes.iter().all(|plane| {
        let normal = plane.truncate();
        let farthest = Vec3::select(normal.cmpge(Vec3::ZERO), max, min);
        normal.dot(farthest) + plane.w > 0.0
    })
}

/// Rises smoothly from 0 at `from` to 1 at `to`.
fn ease(from: f32, to: f32, value: f32) -> f32 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}
