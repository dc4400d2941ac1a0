//! The mean of the pictures drawn since something moved. Reads the colour picture, adds to the mean.

use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;

pub(crate) struct Accumulate {
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
}

impl Accumulate {
    pub(crate) fn new(maker: &Maker<'_>) -> Accumulate {
        let layout = maker.layout("accumulate", &[pass::COLOUR]);
        let module = maker.shader("accumulate", SHADER);
        let share = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::Constant,
            dst_factor: wgpu::BlendFactor::OneMinusConstant,
            operation: wgpu::BlendOperation::Add,
        };
        Accumulate {
            group: None,
            pipeline: maker.pipeline(Draw {
                label: "accumulate",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "accumulate",
                constants: &[],
                target: targets::COLOUR,
                blend: Some(wgpu::BlendState {
                    color: share,
                    alpha: share,
                }),
                depth: None,
            }),
            layout,
        }
    }

    /// The pictures are others than before.
    pub(crate) fn outdate(&mut self) {
        self.group = None;
    }

    /// Adds the colour picture as the last of `count`; at least 1.
    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, count: u32) {
        let targets = on.targets;
        let group = self.group.get_or_insert_with(|| {
            let colour = wgpu::BindingResource::TextureView(&targets.colour);
            pass::group(on.device, "accumulate", &self.layout, &[colour])
        });
        let clear = (count <= 1).then_some(wgpu::Color::BLACK);
        let share = 1.0 / f64::from(count.max(1));
        let mut pass = on.pass("accumulate", &targets.mean, clear, Depth::None);
        pass.set_pipeline(&self.pipeline);
        pass.set_blend_constant(wgpu::Color {
            r: share,
            g: share,
            b: share,
            a: share,
        });
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..3, 0..1);
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/accumulate.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
