//! Pictures of a moving camera, each mixed into the mean of those before it. Reads the colour picture or the mean of
//! several, the depth, and the steady picture of the frame before; writes that of this one.

use glam::{Mat4, Vec2};

use super::camera::Camera;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets::{self, Source};
use super::uniform::Uniform;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Steady` of `shaders/steady.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Steady {
        pub clip_from_world: [[f32; 4]; 4],
        pub jitter: [f32; 2],
        pub near: f32,
        pub share: f32,
    }
}

/// The share of a new picture that is never fallen short of: what moves otherwise is seen soon.
const LEAST_SHARE: f32 = 0.12;
/// The same where not the camera alone has changed what is seen.
const LEAST_SHARE_LIVELY: f32 = 0.4;

/// A finished picture counts as so many.
const FINISHED: u32 = 5;

/// For so many frames after the camera has stopped what else changes is mixed in as while it moved.
const LINGERS: u32 = 8;

/// Shapes whose sides differ by less than this share are the same but for rounding.
const SAME_SHAPE: f32 = 0.02;

/// How many shifts of the picture follow each other.
const SHIFTS: u32 = 8;

pub struct Steady {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    uniform: Uniform<gpu::Steady>,
    pipeline: wgpu::RenderPipeline,
    /// For a mean on either of the two pictures that take turns.
    groups: [Option<wgpu::BindGroup>; 2],
    /// Which of them is the mean up to the frame drawn last.
    latest: usize,
    /// The camera of the frame drawn last, and its shape.
    before: Option<(Camera, [u32; 2])>,
    /// Taken for the mean of the frame before by the next frame.
    seed: Option<wgpu::TextureView>,
    /// How many pictures the mean is of, how many frames ago the camera moved, and the shift of the next picture.
    count: u32,
    rest: u32,
    shift: u32,
}

impl Steady {
    pub fn new(maker: &Maker<'_>) -> Steady {
        let layout = maker.layout(
            "steady",
            &[
                pass::UNIFORM,
                pass::COLOUR,
                pass::COLOUR,
                pass::SAMPLER,
                pass::DEPTH,
            ],
        );
        let module = maker.shader("steady", SHADER);
        Steady {
            sampler: maker.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("steady"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            uniform: Uniform::new(maker.device, "steady"),
            pipeline: maker.pipeline(Draw {
                label: "steady",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "steady_mean",
                constants: &[],
                target: targets::COLOUR,
                blend: None,
                depth: None,
            }),
            layout,
            groups: [None, None],
            latest: 0,
            before: None,
            seed: None,
            count: 0,
            rest: 0,
            shift: 0,
        }
    }

    /// The pictures are others than before.
    pub fn outdate(&mut self) {
        self.groups = [None, None];
        self.count = 0;
    }

    /// Notes a frame that was drawn without this.
    pub fn pass_by(&mut self, camera: &Camera, size: [u32; 2]) {
        self.before = Some((*camera, size));
        self.seed = None;
        self.count = 0;
    }

    /// Goes on from a finished picture of the frame before, of whatever size.
    pub fn go_on_from(&mut self, picture: wgpu::TextureView) {
        self.seed = Some(picture);
    }

    /// Whether the next frame can go on from the one before.
    pub fn has_begun(&self) -> bool {
        self.count > 0
    }

    /// Whether the camera has only just stopped: names and the like follow a little later, and more motion may.
    pub fn lingers(&self) -> bool {
        self.count > 0 && self.rest < LINGERS
    }

    /// Whether a frame is one of a camera on its way, or more or less fine than the one before: one of the same shape
    /// was seen just before.
    pub fn is_on_way(&self, camera: &Camera, size: [u32; 2]) -> bool {
        let aspect = |[width, height]: [u32; 2]| width as f32 / height.max(1) as f32;
        self.before.is_some_and(|(before, shape)| {
            let is_other = before != *camera || shape != size;
            is_other && (aspect(shape) / aspect(size) - 1.0).abs() < SAME_SHAPE
        })
    }

    /// The number of the next shift of the picture, from 1, where each frame takes `each`.
    pub fn next_shift(&mut self, each: u32) -> u32 {
        let first = self.shift % SHIFTS;
        self.shift = first + each;
        first + 1
    }

    /// Mixes what was drawn with a shift of `jitter` pixels; `lively` where more than the camera is another than in the
    /// frame before. How many pictures the mean is of.
    pub fn draw(
        &mut self,
        on: &mut Recording<'_>,
        source: Source,
        jitter: Vec2,
        is_lively: bool,
    ) -> u32 {
        let seed = self.seed.take();
        if seed.is_some() {
            self.count = FINISHED;
        }
        let before = self.before.map(|(camera, _)| camera);
        let before = before.filter(|_| self.count > 0);
        let clip_from_world =
            before.map_or(Mat4::IDENTITY, |camera| on.part.clip_from_world(&camera));
        let least = if is_lively {
            LEAST_SHARE_LIVELY
        } else {
            LEAST_SHARE
        };
        let share = (1.0 / (self.count + 1) as f32).max(least);
        let record = gpu::Steady {
            clip_from_world: clip_from_world.to_cols_array_2d(),
            jitter: jitter.to_array(),
            near: on.camera.near(),
            share: if before.is_some() { share } else { 1.0 },
        };
        self.uniform.write(on.queue, record);
        let views = on.targets.steady(on.device);
        let new = 1 - self.latest;
        let make = |before: &wgpu::TextureView| {
            let resources = [
                self.uniform.binding(),
                wgpu::BindingResource::TextureView(on.targets.picture(on.device, source)),
                wgpu::BindingResource::TextureView(before),
                wgpu::BindingResource::Sampler(&self.sampler),
                wgpu::BindingResource::TextureView(&on.targets.depth),
            ];
            pass::group(on.device, "steady", &self.layout, &resources)
        };
        let seeded = seed.as_ref().map(&make);
        let group = match &seeded {
            Some(group) => group,
            None => self.groups[new].get_or_insert_with(|| make(&views[self.latest])),
        };
        let clear = Some(wgpu::Color::BLACK);
        let mut pass = on.pass("steady", &views[new], clear, Depth::None);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        self.latest = new;
        let rests = before.is_some_and(|before| before == *on.camera);
        self.rest = if rests { self.rest + 1 } else { 0 };
        self.before = Some((*on.camera, on.part.whole));
        self.count += 1;
        self.count
    }

    /// Where the mean up to the frame drawn last is.
    pub fn source(&self) -> Source {
        Source::Steady(self.latest)
    }
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/steady.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
