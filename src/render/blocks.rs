//! Which block is seen at each pixel. Reads the list of blocks to draw; writes the visibility buffer and depth.

use super::city::City;
use super::cull::Cull;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;

/// Blocks in an instance, as in the shader.
const BATCH: u32 = 64;
/// Top, the wall near in x, the wall near in y; bits as in the shader.
const FACES: [u32; 18] = [4, 5, 7, 4, 7, 6, 0, 4, 6, 0, 6, 2, 0, 1, 5, 0, 5, 4];

pub(crate) struct Blocks {
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    /// Which list of blocks the group binds.
    made: u32,
    indices: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
}

impl Blocks {
    pub(crate) fn new(maker: &Maker<'_>) -> Blocks {
        let layout = maker.layout("blocks", &[pass::STORAGE]);
        let module = maker.shader("blocks", SHADER);
        Blocks {
            group: None,
            made: 0,
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

    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, city: &City, cull: &mut Cull) {
        cull.list_from_eye(on, city, BATCH * FACES.len() as u32);
        let (shown, made) = cull.shown();
        if self.made != made {
            self.group = None;
        }
        self.made = made;
        let group = self.group.get_or_insert_with(|| {
            let shown = shown.as_entire_binding();
            pass::group(on.device, "blocks", &self.layout, &[shown])
        });
        let none = Some(wgpu::Color::TRANSPARENT);
        let mut pass = on.pass("blocks", &on.targets.ids, none, Depth::Write);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        if city.count() > 0 {
            pass.draw_indexed_indirect(cull.draw(), 0);
        }
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/blocks.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
