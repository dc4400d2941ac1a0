//! The outline of what is hovered or selected. Reads the visibility buffer; blends over the colour
//! picture.

use super::city::City;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;
use super::uniform::Uniform;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Outline` of `shaders/outline.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Outline {
        pub colour: [f32; 4],
        pub start: u32,
        pub end: u32,
        pub outer: f32,
        pub pad: u32,
    }
}

/// One outline at a time; there is one of these for what is hovered and one for what is selected.
pub struct OutlinePass {
    layout: wgpu::BindGroupLayout,
    uniform: Uniform<gpu::Outline>,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
}

impl OutlinePass {
    pub fn new(maker: &Maker<'_>) -> OutlinePass {
        let layout = maker.layout("outline", &[pass::UNIFORM, pass::IDS]);
        let module = maker.shader("outline", SHADER);
        OutlinePass {
            uniform: Uniform::new(maker.device, "outline"),
            group: None,
            pipeline: maker.pipeline(Draw {
                label: "outline",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "line",
                constants: &[],
                target: targets::COLOUR,
                blend: Some(pass::OVER),
                depth: None,
            }),
            layout,
        }
    }

    /// The visibility buffer is another than before.
    pub fn outdate(&mut self) {
        self.group = None;
    }

    /// Outlines `blocks`; `wide` by about three pixels, else by two.
    pub fn draw(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        blocks: std::ops::Range<u32>,
        colour: [f32; 4],
        wide: bool,
    ) {
        let Some((low, high)) = city.corners(blocks.start as usize) else {
            return;
        };
        // Whatever stands on it stands on its footprint and is no higher than this.
        let high = high.with_z(high.z.max(city.highest()));
        // The line is drawn on both sides of the edge.
        let rectangle = on.rectangle((low, high), 4.0 * on.scale);
        let Some((corner, extent)) = rectangle else {
            return;
        };
        let record = gpu::Outline {
            colour,
            start: blocks.start,
            end: blocks.end,
            outer: if wide { 0.55 } else { 0.0 },
            pad: 0,
        };
        self.uniform.write(on.queue, record);
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                self.uniform.binding(),
                wgpu::BindingResource::TextureView(&on.targets.ids),
            ];
            pass::group(on.device, "outline", &self.layout, &resources)
        });
        let mut pass = on.pass("outline", &on.targets.colour, None, Depth::None);
        pass.set_scissor_rect(corner.x, corner.y, extent.x, extent.y);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..3, 0..1);
    }
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/outline.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
