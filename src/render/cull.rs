//! Which blocks are drawn from an eye, or from above: those in sight that are not merged into what they stand
//! on. Reads the blocks; writes a list of them and an indirect draw of it.

use bytemuck::Zeroable;
use glam::{Mat4, Vec3, Vec4};

use super::city::City;
use super::growing::Growing;
use super::pass::{self, Maker};
use super::recording::Recording;
use super::squares::{SIDE, Square};
use super::uniform::Uniform;
use callscape_look::camera::Camera;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `View` of `shaders/cull.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub(crate) struct View {
        pub planes: [[f32; 4]; 4],
        pub eye: [f32; 4],
        pub pixel: f32,
        pub count: u32,
        pub indices: u32,
        pub pad: u32,
    }

    /// `Shown` of `shaders/city.wgsl`; written and read on the device alone.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Shown {
        pub low: [f32; 3],
        pub id: u32,
        pub high: [f32; 3],
        pub glow: f32,
    }
}

/// Blocks in a run, as in the shader, and blocks in an instance of a draw.
const RUN: u32 = 32;
const BATCH: u32 = 64;
/// Of a workgroup, as in the shader.
const GROUP: u32 = 64;
/// Bytes of the indirect draw before the runs.
const ARGUMENTS: u64 = 32;

/// Views that can be recorded together: of the three height maps and of the eye.
pub(crate) const VIEWS: usize = 4;

pub(crate) struct Cull {
    layout: wgpu::BindGroupLayout,
    steps: [wgpu::ComputePipeline; 3],
    views: [Slot; VIEWS],
    list: Growing,
    shown: Growing,
    /// What the list holds now; none when blocks changed since.
    listed: Option<gpu::View>,
    /// Counts how often the buffers became others, so that groups of other passes are made again.
    made: u32,
}

struct Slot {
    uniform: Uniform<gpu::View>,
    group: Option<wgpu::BindGroup>,
}

impl Cull {
    pub(crate) fn new(maker: &Maker<'_>) -> Cull {
        let device = maker.device;
        let bindings = [
            pass::STORAGE,
            pass::STORAGE,
            pass::STORAGE,
            pass::UNIFORM,
            pass::WRITTEN,
            pass::WRITTEN,
        ];
        let layout = maker.compute_layout("cull", &bindings);
        let module = maker.shader("cull", SHADER);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT;
        Cull {
            steps: ["mark", "place", "gather"]
                .map(|entry| maker.compute("cull", &module, &layout, entry)),
            views: std::array::from_fn(|_| Slot {
                uniform: Uniform::new(device, "cull"),
                group: None,
            }),
            list: Growing::with_usage(device, "cull", usage),
            shown: Growing::new(device, "shown"),
            listed: None,
            made: 0,
            layout,
        }
    }

    /// Blocks are others than before, or look differently; `moved`: they lie in other buffers.
    pub(crate) fn outdate(&mut self, moved: bool) {
        self.listed = None;
        if moved {
            for view in &mut self.views {
                view.group = None;
            }
        }
    }

    /// The list, and a number that is another when it lies in another buffer.
    pub(crate) fn shown(&self) -> (&wgpu::Buffer, u32) {
        (self.shown.buffer(), self.made)
    }

    /// The indirect draw of the list.
    pub(crate) fn draw(&self) -> &wgpu::Buffer {
        self.list.buffer()
    }

    /// How many bytes the list of a city takes.
    fn bytes(count: u32) -> (u64, u64) {
        let runs = ARGUMENTS + u64::from(count.div_ceil(RUN)) * 8;
        let shown = u64::from(count.div_ceil(BATCH) * BATCH) * size_of::<gpu::Shown>() as u64;
        (runs, shown)
    }

    /// Makes the list of what is seen from the eye; `indices` draw 64 blocks.
    pub(crate) fn list_from_eye(&mut self, on: &mut Recording<'_>, city: &City, indices: u32) {
        let view = gpu::View {
            planes: planes(&on.part.clip_from_world(on.camera)),
            eye: on.camera.eye.extend(1.0).to_array(),
            pixel: pixel(on.camera, on.part.whole[1].max(1) as f32),
            count: city.count(),
            indices,
            pad: 0,
        };
        self.list(on, city, 3, view);
    }

    /// Makes the list of what is seen of a square from above.
    pub(crate) fn list_from_above(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        layer: usize,
        square: Square,
        indices: u32,
    ) {
        let (min, max) = (square.origin, square.origin + square.side);
        let plane = |x: f32, y: f32, d: f32| [x, y, 0.0, d];
        let view = gpu::View {
            planes: [
                plane(1.0, 0.0, -min.x),
                plane(-1.0, 0.0, max.x),
                plane(0.0, 1.0, -min.y),
                plane(0.0, -1.0, max.y),
            ],
            eye: [0.5 * (min.x + max.x), 0.5 * (min.y + max.y), 1e4, 0.0],
            pixel: square.side / SIDE as f32,
            count: city.count(),
            indices,
            pad: 0,
        };
        self.list(on, city, layer, view);
    }

    fn list(&mut self, on: &mut Recording<'_>, city: &City, slot: usize, view: gpu::View) {
        if self.listed == Some(view) || view.count == 0 {
            return;
        }
        self.listed = Some(view);
        let (runs, shown) = Cull::bytes(view.count);
        if self.list.reserve(on.device, runs) | self.shown.reserve(on.device, shown) {
            self.made += 1;
            for view in &mut self.views {
                view.group = None;
            }
        }
        let Some(of) = self.views.get_mut(slot) else {
            return;
        };
        of.uniform.write(on.queue, view);
        let group = of.group.get_or_insert_with(|| {
            let resources = [
                city.blocks.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                city.merged.buffer().as_entire_binding(),
                of.uniform.binding(),
                self.list.buffer().as_entire_binding(),
                self.shown.buffer().as_entire_binding(),
            ];
            pass::group(on.device, "cull", &self.layout, &resources)
        });
        let groups = view.count.div_ceil(RUN).div_ceil(GROUP);
        let mut pass = on.compute("cull");
        pass.set_bind_group(1, &*group, &[]);
        let [mark, place, gather] = &self.steps;
        for (step, groups) in [(mark, groups), (place, 1), (gather, groups)] {
            pass.set_pipeline(step);
            pass.dispatch_workgroups(groups, 1, 1);
        }
    }
}

/// How wide a pixel is at distance 1.
fn pixel(camera: &Camera, height: f32) -> f32 {
    2.0 * (camera.fov_y * 0.5).tan() / height
}

/// The four planes between which a camera sees, with unit normals that point inside.
fn planes(clip_from_world: &Mat4) -> [[f32; 4]; 4] {
    let (x, y, w) = (
        clip_from_world.row(0),
        clip_from_world.row(1),
        clip_from_world.row(3),
    );
    [w + x, w - x, w + y, w - y].map(|plane: Vec4| {
        let length = plane.truncate().length();
        // A camera that is none sees everything: nothing is left out for its sake.
        let unit = (length > 0.0 && length.is_finite()).then(|| plane / length);
        unit.unwrap_or(Vec3::ZERO.extend(f32::MAX)).to_array()
    })
}

impl Default for gpu::View {
    fn default() -> gpu::View {
        gpu::View::zeroed()
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/cull.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_the_camera_is_between_its_planes() {
        let camera = Camera {
            eye: Vec3::new(300.0, -700.0, 500.0),
            target: Vec3::new(500.0, 400.0, 0.0),
            fov_y: 0.7,
        };
        let planes = planes(&camera.clip_from_world(1.6));
        let inside = |at: Vec3| {
            planes
                .iter()
                .all(|plane| Vec4::from(*plane).dot(at.extend(1.0)) > 0.0)
        };
        assert!(inside(camera.target));
        assert!(!inside(camera.eye * 2.0 - camera.target));
        for seed in 0..1000u32 {
            let part = |by: u32| (seed.wrapping_mul(by) % 997) as f32 * 4.0 - 2000.0;
            let at = Vec3::new(part(7919), part(104_729), part(1_299_709));
            let size = glam::Vec2::new(1600.0, 1000.0);
            let pixel = camera.project(at, size);
            let is_seen =
                pixel.is_some_and(|at| at.cmpge(glam::Vec2::ZERO).all() && at.cmple(size).all());
            assert_eq!(inside(at), is_seen, "{at}");
        }
    }
}
