//! The finished picture on the target. Reads the colour picture, the mean of several, or the steady one.

use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets::Source;

pub(crate) struct Compose {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    /// By the place of what is shown.
    groups: [Option<wgpu::BindGroup>; Source::COUNT],
    smooth: wgpu::RenderPipeline,
    plain: wgpu::RenderPipeline,
}

impl Compose {
    pub(crate) fn new(maker: &Maker<'_>, target: wgpu::TextureFormat) -> Compose {
        let layout = maker.layout("compose", &[pass::COLOUR, pass::SAMPLER]);
        let module = maker.shader("compose", SHADER);
        let encode = if target.is_srgb() { 0.0 } else { 1.0 };
        let pipeline = |smooth: f64| {
            maker.pipeline(Draw {
                label: "compose",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "compose",
                constants: &[("SMOOTH", smooth), ("ENCODE", encode)],
                target,
                blend: None,
                depth: None,
            })
        };
        Compose {
            sampler: maker.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("compose"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            groups: Default::default(),
            smooth: pipeline(1.0),
            plain: pipeline(0.0),
            layout,
        }
    }

    /// The pictures are others than before.
    pub(crate) fn outdate(&mut self) {
        self.groups = Default::default();
    }

    /// `smooth`: edges are smoothed, for pictures that are not averaged from many.
    pub(crate) fn draw(
        &mut self,
        on: &mut Recording<'_>,
        source: Source,
        smooth: bool,
        target: &wgpu::TextureView,
    ) {
        let group = self.groups[source.place()].get_or_insert_with(|| {
            let resources = [
                wgpu::BindingResource::TextureView(on.targets.picture(on.device, source)),
                wgpu::BindingResource::Sampler(&self.sampler),
            ];
            pass::group(on.device, "compose", &self.layout, &resources)
        });
        let mut pass = on.pass("compose", target, Some(wgpu::Color::BLACK), Depth::None);
        pass.set_pipeline(if smooth { &self.smooth } else { &self.plain });
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..3, 0..1);
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/compose.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
