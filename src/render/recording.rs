//! A frame while its passes are recorded: what they all draw with.

use glam::{UVec2, Vec3};

use super::frame::Part;
use super::targets::Targets;
use super::timings::Timings;
use callscape_look::camera::Camera;

pub(crate) struct Recording<'a> {
    pub device: &'a wgpu::Device,
    pub queue: &'a wgpu::Queue,
    pub encoder: &'a mut wgpu::CommandEncoder,
    /// Which of the pictures that are recorded together this is.
    pub slot: usize,
    /// Bind group 0 of every pass.
    pub frame: &'a wgpu::BindGroup,
    pub camera: &'a Camera,
    /// What of the picture the targets show.
    pub part: Part,
    /// Pixels that lines are drawn as wide as one.
    pub scale: f32,
    pub targets: &'a Targets,
    pub timings: &'a mut Timings,
}

/// What a pass does with the depth picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    None,
    /// Tested and not written.
    Read,
    /// Cleared, tested and written.
    Write,
}

impl Recording<'_> {
    /// The rectangle of the targets in which a box of the world can be seen, as [`Camera::rectangle`] gives it for
    /// the whole picture.
    pub(crate) fn rectangle(&self, corners: (Vec3, Vec3), margin: f32) -> Option<(UVec2, UVec2)> {
        let Part {
            whole,
            size,
            origin,
        } = self.part;
        let (corner, extent) = self.camera.rectangle(corners, margin, whole)?;
        let (origin, size) = (UVec2::from(origin), UVec2::from(size));
        let min = corner.saturating_sub(origin).min(size);
        let max = (corner + extent).saturating_sub(origin).min(size);
        (min.x < max.x && min.y < max.y).then(|| (min, max - min))
    }

    /// How many pixels wide a unit of the ground right below the eye is.
    pub(crate) fn pixels_below(&self) -> f32 {
        let high = self.camera.eye.z.abs().max(1e-3);
        self.part.whole[1] as f32 / (2.0 * (self.camera.fov_y * 0.5).tan() * high)
    }

    /// Copies a picture onto a layer of another of the same size.
    pub(crate) fn copy(&mut self, from: &wgpu::TextureView, to: &wgpu::TextureView, layer: u32) {
        let mut onto = to.texture().as_image_copy();
        onto.origin.z = layer;
        let mut size = from.texture().size();
        size.depth_or_array_layers = 1;
        let from = from.texture().as_image_copy();
        self.encoder.copy_texture_to_texture(from, onto, size);
    }

    /// Begins a pass that computes; group 0 is bound.
    pub(crate) fn compute(&mut self, label: &'static str) -> wgpu::ComputePass<'_> {
        let mut pass = self
            .encoder
            .begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(label),
                timestamp_writes: self.timings.compute_stamps(label),
            });
        pass.set_bind_group(0, self.frame, &[]);
        pass
    }

    /// Begins a pass that draws on `view`, which starts cleared or as it was; group 0 is bound.
    pub(crate) fn pass(
        &mut self,
        label: &'static str,
        view: &wgpu::TextureView,
        clear: Option<wgpu::Color>,
        depth: Depth,
    ) -> wgpu::RenderPass<'_> {
        let depth_ops = (depth == Depth::Write).then_some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(0.0),
            store: wgpu::StoreOp::Store,
        });
        let mut pass = self.encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(label),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: (depth != Depth::None).then_some(
                wgpu::RenderPassDepthStencilAttachment {
                    view: &self.targets.depth,
                    depth_ops,
                    stencil_ops: None,
                },
            ),
            timestamp_writes: self.timings.stamps(label),
            ..Default::default()
        });
        pass.set_bind_group(0, self.frame, &[]);
        pass
    }
}
