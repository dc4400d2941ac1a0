//! Which block is seen at each pixel. Reads the blocks; writes the visibility buffer and depth.

use super::city::City;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;

/// Blocks in an instance, as in the shader.
const BATCH: u32 = 64;
/// Top, the wall near in x, the wall near in y; bits as in the shader.
const FACES: [u32; 18] = [4, 5, 7, 4, 7, 6, 0, 4, 6, 0, 6, 2, 0, 1, 5, 0, 5, 4];

pub struct Blocks {
    layout: wgpu::BindGroupLayout,
    count: wgpu::Buffer,
    group: Option<wgpu::BindGroup>,
    indices: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
}

impl Blocks {
    pub fn new(maker: &Maker<'_>) -> Blocks {
        let layout = maker.layout("blocks", &[pass::STORAGE, pass::STORAGE, pass::UNIFORM]);
        let module = maker.shader("blocks", SHADER);
        Blocks {
            count: maker.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("blocks"),
                size: 16,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            group: None,
            indices: pass::indices(maker.device, "blocks", BATCH, 8, &FACES),
            pipeline: maker.pipeline(Draw {
                label: "blocks",
                module: &module,
                layout: Some(&layout),
                vertex: "corner",
                fragment: "id",
                constants: &[],
                target: targets::IDS,
                blend: None,
                depth: Some(wgpu::DepthStencilState {
                    format: targets::DEPTH,
                    depth_write_enabled: Some(true),
                    depth_compare: Some(wgpu::CompareFunction::Greater),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
            }),
            layout,
        }
    }

    /// The blocks changed; `moved`: their buffers are others than before.
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        city: &City,
        moved: bool,
    ) {
        queue.write_buffer(&self.count, 0, bytemuck::bytes_of(&[city.count(), 0, 0, 0]));
        if moved || self.group.is_none() {
            let resources = [
                city.blocks.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                self.count.as_entire_binding(),
            ];
            self.group = Some(pass::group(device, "blocks", &self.layout, &resources));
        }
    }

    pub fn draw(&self, on: &mut Recording<'_>, city: &City) {
        let none = Some(wgpu::Color::TRANSPARENT);
        let mut pass = on.pass("blocks", &on.targets.ids, none, Depth::Write);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &self.group, &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        if self.group.is_some() {
            pass.draw_indexed(
                0..BATCH * FACES.len() as u32,
                0,
                0..city.count().div_ceil(BATCH),
            );
        }
    }
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/blocks.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
