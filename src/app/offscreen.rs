//! Panels of the window as a picture without one: drawn by egui and read back.

use egui::{ClippedPrimitive, Pos2, RawInput, Rect, Ui, Vec2, ViewportId};

use super::style;
use crate::render::gpu::{Gpu, GpuError};
use crate::render::image::Image;
use crate::render::readback;
use crate::render::theme::Theme;

/// egui makes colours as they are stored.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Draws panels in one theme and at one scale.
pub(super) struct Offscreen {
    ctx: egui::Context,
    renderer: egui_wgpu::Renderer,
    theme: Theme,
    pixels_per_point: f32,
    frames: u32,
}

impl Offscreen {
    pub fn new(gpu: &Gpu, theme: Theme, pixels_per_point: f32) -> Offscreen {
        let ctx = egui::Context::default();
        style::set_fonts(&ctx);
        style::set_theme(&ctx, theme);
        let options = egui_wgpu::RendererOptions::default();
        Offscreen {
            ctx,
            renderer: egui_wgpu::Renderer::new(&gpu.device, FORMAT, options),
            theme,
            pixels_per_point,
            frames: 0,
        }
    }

    /// What egui makes of panels on `size` points. It takes more than one frame until they have found their places.
    pub fn run(
        &mut self,
        gpu: &Gpu,
        size: Vec2,
        add: impl FnMut(&mut Ui),
    ) -> Vec<ClippedPrimitive> {
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            max_texture_side: Some(gpu.device.limits().max_texture_dimension_2d as usize),
            time: Some(f64::from(self.frames)),
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(self.pixels_per_point);
        }
        self.frames += 1;
        let mut output = self.ctx.run_ui(input, add);
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in deltas {
                self.renderer
                    .update_texture(&gpu.device, &gpu.queue, id, &delta);
            }
        }
        let shapes = std::mem::take(&mut output.shapes);
        self.ctx.tessellate(shapes, output.pixels_per_point)
    }

    /// What a frame made, as a picture with sides of `size` pixels.
    pub fn picture(
        &mut self,
        gpu: &Gpu,
        primitives: &[ClippedPrimitive],
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        gpu.check_size(size)?;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("panels"),
            size: wgpu::Extent3d {
                width: size[0],
                height: size[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: self.pixels_per_point,
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        // No callbacks are used, so there are no further command buffers.
        self.renderer
            .update_buffers(&gpu.device, &gpu.queue, &mut encoder, primitives, &screen);
        let panel = style::colors(self.theme).panel;
        let [r, g, b, _] = panel.to_array().map(|part| f64::from(part) / 255.0);
        let view = texture.create_view(&Default::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("panels"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            })
            .forget_lifetime();
        self.renderer.render(&mut pass, primitives, &screen);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let image = readback::image(gpu, &texture)?;
        gpu.check()?;
        Ok(image)
    }
}
