//! The landscape's renderer: takes geometry when it changes, draws a frame when asked.

use crate::layout::geometry::{Arcs, Block, BlockLook, FlatLabel, ScreenLabel};
use crate::units::ModuleId;

use super::camera::Camera;
use super::gpu::{Gpu, GpuError};
use super::image::Image;
use super::theme::Theme;

/// What one frame shows of the geometry that the renderer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub camera: Camera,
    /// Of the target, in physical pixels.
    pub size: [u32; 2],
    pub theme: Theme,
    pub hovered: Option<ModuleId>,
    pub selected: Option<ModuleId>,
    pub quality: Quality,
}

/// How much work a picture is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// How many pictures, each shifted by a part of a pixel, are averaged once nothing moves.
    pub samples: u32,
}

impl Default for Quality {
    fn default() -> Quality {
        Quality { samples: 16 }
    }
}

/// Draws the landscape.
pub struct Renderer {
    target: wgpu::TextureFormat,
}

impl Renderer {
    /// A renderer for targets of the format `target`.
    pub fn new(_gpu: &Gpu, target: wgpu::TextureFormat) -> Renderer {
        Renderer { target }
    }

    /// Takes a new layout, in preorder of modules; all blocks are at rest until `set_looks`.
    pub fn set_blocks(&mut self, _gpu: &Gpu, _blocks: &[Block]) {}

    /// Takes the looks of the blocks from `first` on.
    pub fn set_looks(&mut self, _gpu: &Gpu, _first: usize, _looks: &[BlockLook]) {}

    pub fn set_arcs(&mut self, _gpu: &Gpu, _arcs: &Arcs) {}

    pub fn set_labels(&mut self, _gpu: &Gpu, _flat: &[FlatLabel], _screen: &[ScreenLabel]) {}

    /// Records the passes of a frame; `target` is of the renderer's format and the frame's size.
    /// Draws nothing on a target without pixels.
    pub fn draw(
        &mut self,
        _gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        frame: &Frame,
    ) {
        let [r, g, b] = frame.theme.palette().ground.map(f64::from);
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("ground"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
    }

    /// Whether drawing the same frame again would make the picture better: it settles when nothing
    /// moves.
    pub fn settled(&self) -> bool {
        true
    }

    /// A finished picture of the frame, without a window; waits for the device.
    pub fn image(&mut self, gpu: &Gpu, frame: &Frame) -> Result<Image, GpuError> {
        gpu.check_size(frame.size)?;
        let [width, height] = frame.size;
        let _ = self.target;
        Ok(Image {
            width,
            height,
            rgba: vec![255; width as usize * height as usize * 4],
        })
    }

    /// The module shown at a pixel of the last frame drawn; waits for the device.
    pub fn pick(&mut self, _gpu: &Gpu, _x: u32, _y: u32) -> Option<ModuleId> {
        None
    }
}
