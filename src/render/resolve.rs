//! Light and colour of each pixel. Reads the visibility buffer, the blocks and the height maps; writes
//! the colour picture.

use super::city::City;
use super::heights::{Heights, SIDE, Square};
use super::pass::{self, Draw, Maker};
use super::targets::{self, Targets};

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Maps` of `shaders/resolve.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub struct Maps {
        pub city: [f32; 4],
        pub near: [f32; 4],
        pub city_first: f32,
        pub city_ratio: f32,
        pub near_first: f32,
        pub near_ratio: f32,
    }
}

/// Steps of a cone, as in the shader.
const STEPS: f32 = 4.0;
/// How far occlusion reaches in world units, about the height of what runs.
const REACH: f32 = 30.0;

pub struct Resolve {
    layout: wgpu::BindGroupLayout,
    maps: wgpu::Buffer,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
}

impl Resolve {
    pub fn new(maker: &Maker<'_>) -> Resolve {
        let heights = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2Array,
            multisampled: false,
        };
        let layout = maker.layout(
            "resolve",
            &[
                pass::STORAGE,
                pass::STORAGE,
                pass::UNIFORM,
                pass::IDS,
                heights,
                pass::SAMPLER,
            ],
        );
        let module = maker.shader("resolve", SHADER);
        Resolve {
            maps: maker.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("resolve"),
                size: size_of::<gpu::Maps>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            group: None,
            pipeline: maker.pipeline(Draw {
                label: "resolve",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "resolve",
                constants: &[],
                target: targets::COLOUR,
                blend: None,
                depth: None,
            }),
            layout,
        }
    }

    /// Buffers or pictures are others than before.
    pub fn outdate(&mut self) {
        self.group = None;
    }

    #[expect(clippy::too_many_arguments, reason = "each is another pass's result")]
    pub fn draw(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        targets: &Targets,
        city: &City,
        heights: &Heights,
        (whole, near): (Square, Option<Square>),
    ) {
        let maps = maps(whole, near);
        queue.write_buffer(&self.maps, 0, bytemuck::bytes_of(&maps));
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                city.blocks.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                self.maps.as_entire_binding(),
                wgpu::BindingResource::TextureView(&targets.ids),
                wgpu::BindingResource::TextureView(&heights.view),
                wgpu::BindingResource::Sampler(&heights.sampler),
            ];
            pass::group(device, "resolve", &self.layout, &resources)
        });
        let mut pass = pass::begin(
            encoder,
            "resolve",
            &targets.colour,
            Some(wgpu::Color::BLACK),
        );
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn maps(whole: Square, near: Option<Square>) -> gpu::Maps {
    let record = |square: Square| {
        let texel = square.side / SIDE as f32;
        [square.origin.x, square.origin.y, 1.0 / square.side, texel]
    };
    // Steps start where a texel's own width does not blur the height away, and end at the reach.
    let first = 1.3;
    let ratio = |square: Square| {
        let texel = square.side / SIDE as f32;
        (REACH / (first * texel)).max(2.0).powf(1.0 / (STEPS - 0.5))
    };
    // A square far away holds no pixel, so every place reads the map of the city.
    let nowhere = Square {
        origin: glam::Vec2::splat(1e9),
        side: 1.0,
    };
    let near = near.unwrap_or(nowhere);
    gpu::Maps {
        city: record(whole),
        near: record(near),
        city_first: first,
        city_ratio: ratio(whole),
        near_first: first,
        near_ratio: ratio(near),
    }
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/resolve.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
