//! What every pass knows of the frame: bind group 0, `shaders/frame.wgsl`.

use glam::{Mat4, Vec2, Vec3};

use super::pass;
use super::uniform::Uniform;
use callscape_look::camera::Camera;
use callscape_look::theme::Palette;

/// How many pictures of a frame can be recorded together: each needs its own uniforms until all are
/// submitted.
pub(crate) const SLOTS: usize = 4;

/// The frame as the shaders see it, once for each picture recorded together.
pub(crate) struct FrameGroup {
    pub layout: wgpu::BindGroupLayout,
    pub slots: [FrameSlot; SLOTS],
}

pub(crate) struct FrameSlot {
    record: Uniform<gpu::Frame>,
    pub group: wgpu::BindGroup,
}

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Frame` of `shaders/frame.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
    pub(crate) struct Frame {
        pub clip_from_world: [[f32; 4]; 4],
        pub eye: [f32; 3],
        pub levels: f32,
        pub ray: [f32; 3],
        pub pixel: f32,
        pub ray_right: [f32; 3],
        pub left: f32,
        pub ray_down: [f32; 3],
        pub top: f32,
        pub ground: [f32; 3],
        pub emission: f32,
        pub root: [f32; 3],
        pub width: f32,
        pub deepest: [f32; 3],
        pub height: f32,
        pub warm: [f32; 3],
        pub backdrop: f32,
        pub hot: [f32; 3],
        pub scale: f32,
        pub text: [f32; 3],
        pub dim: f32,
        pub plate: [f32; 3],
        pub lit_first: u32,
        pub sky: [f32; 3],
        pub lit_end: u32,
        pub sun: [f32; 3],
        pub falloff: f32,
    }
}

/// The part of a picture that is drawn: all of it, or a tile of one that is too large for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Sides of the whole picture, and of what is drawn of it, in pixels.
    pub whole: [u32; 2],
    pub size: [u32; 2],
    /// Left and top of the part in the whole.
    pub origin: [u32; 2],
}

impl Part {
    pub(crate) fn all(size: [u32; 2]) -> Part {
        Part {
            whole: size,
            size,
            origin: [0, 0],
        }
    }

    /// From the world into the clip space of the part.
    pub(crate) fn clip_from_world(&self, camera: &Camera) -> Mat4 {
        self.shifted(camera, Vec2::ZERO)
    }

    /// The same shifted by a part of a pixel.
    fn shifted(&self, camera: &Camera, jitter: Vec2) -> Mat4 {
        let (whole, size) = (sides(self.whole), sides(self.size));
        let origin = Vec2::from(self.origin.map(|at| at as f32));
        // From the clip space of the whole picture into that of the part, and by the jitter.
        let scale = whole / size;
        let mut shift = scale - 1.0 + 2.0 * (jitter - origin) / size;
        shift.y = -shift.y;
        Mat4::from_translation(shift.extend(0.0))
            * Mat4::from_scale(scale.extend(1.0))
            * camera.clip_from_world(whole.x / whole.y)
    }
}

fn sides(of: [u32; 2]) -> Vec2 {
    Vec2::from(of.map(|side| side.max(1) as f32))
}

/// One of the pictures that are averaged: 0 is the plain one, drawn while things move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Shift of the picture in pixels.
    pub jitter: Vec2,
    /// Turn and shift of the search for occlusion, 0 to 1.
    pub turn: f32,
    pub shift: f32,
    /// Where one height map is left for another, 0 to 1.
    pub grain: f32,
}

impl Sample {
    /// Sample `index` of a sequence that covers pixels, turns and shifts evenly from its start.
    pub(crate) fn new(index: u32) -> Sample {
        if index == 0 {
            return Sample {
                jitter: Vec2::ZERO,
                turn: 0.25,
                shift: 0.5,
                grain: 0.25,
            };
        }
        let halves = radical_inverse(index, 2);
        Sample {
            jitter: Vec2::new(halves, radical_inverse(index, 3)) - 0.5,
            turn: halves,
            shift: radical_inverse(index, 5),
            grain: halves,
        }
    }
}

/// The digits of `index` in `base` mirrored at the point: Halton's sequence, 0 to 1.
fn radical_inverse(mut index: u32, base: u32) -> f32 {
    let mut value = 0.0;
    let mut digit = 1.0 / base as f32;
    while index > 0 {
        value += (index % base) as f32 * digit;
        index /= base;
        digit /= base as f32;
    }
    value
}

impl FrameGroup {
    pub(crate) fn new(device: &wgpu::Device) -> FrameGroup {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("frame"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX_FRAGMENT | wgpu::ShaderStages::COMPUTE,
                ty: pass::UNIFORM,
                count: None,
            }],
        });
        let slots = std::array::from_fn(|_| {
            let record = Uniform::new(device, "frame");
            let group = pass::group(device, "frame", &layout, &[record.binding()]);
            FrameSlot { record, group }
        });
        FrameGroup { layout, slots }
    }
}

impl FrameSlot {
    /// `levels`: steps of the hierarchy from the root's lightness to the deepest. `backdrop`: whether the ground
    /// is drawn. `scale`: pixels that lines are drawn as wide as one.
    /// `spot`: by how much all but these blocks are dimmed.
    #[expect(clippy::too_many_arguments, reason = "each is one fact of the frame")]
    pub(crate) fn prepare(
        &mut self,
        queue: &wgpu::Queue,
        camera: &Camera,
        part: Part,
        palette: &Palette,
        levels: f32,
        sample: Sample,
        backdrop: bool,
        scale: f32,
        spot: (f32, std::ops::Range<u32>),
    ) {
        let (whole, size) = (sides(part.whole), sides(part.size));
        let origin = Vec2::from(part.origin.map(|at| at as f32));
        let clip_from_world = part.shifted(camera, sample.jitter);
        // Rays are laid out as the matrix projects, so that both meet the same place.
        let view = camera.view_from_world();
        let right = Vec3::new(view.x_axis.x, view.y_axis.x, view.z_axis.x);
        let up = Vec3::new(view.x_axis.y, view.y_axis.y, view.z_axis.y);
        let back = Vec3::new(view.x_axis.z, view.y_axis.z, view.z_axis.z);
        let pixel = 2.0 * (camera.fov_y * 0.5).tan() / whole.y;
        let left = right * (pixel * (origin.x - 0.5 * whole.x - sample.jitter.x));
        let top = up * (pixel * (0.5 * whole.y - origin.y + sample.jitter.y));
        let record = gpu::Frame {
            clip_from_world: clip_from_world.to_cols_array_2d(),
            eye: camera.eye.to_array(),
            levels,
            ray: (left + top - back).to_array(),
            pixel,
            ray_right: (right * pixel).to_array(),
            ray_down: (-up * pixel).to_array(),
            left: origin.x,
            top: origin.y,
            backdrop: f32::from(u8::from(backdrop)),
            scale,
            ground: palette.ground,
            emission: palette.emission,
            root: palette.root,
            width: size.x,
            deepest: palette.deepest,
            height: size.y,
            warm: palette.warm,
            hot: palette.hot,
            text: palette.text,
            plate: palette.plate,
            sky: palette.sky,
            sun: palette.sun,
            falloff: palette.falloff,
            dim: spot.0,
            lit_first: spot.1.start,
            lit_end: spot.1.end,
        };
        self.record.write(queue, record);
    }
}
