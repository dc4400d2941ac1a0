//! The legend under a picture without a window: the panel of the window, drawn by egui and read back.

use egui::{Pos2, RawInput, Rect, Vec2, ViewportId};

use super::panels::legend::{Meanings, frame, strip};
use super::style;
use crate::render::gpu::{Gpu, GpuError};
use crate::render::image::Image;
use crate::render::readback;

/// egui makes colours as they are stored.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Letters have their size in the window on a picture whose shorter side has so many pixels.
const PLAIN_SIDE: f32 = 720.0;

/// No legend is higher than this, in points.
const HIGHEST: f32 = 2000.0;

/// Draws legends of one width.
pub struct Legend {
    ctx: egui::Context,
    renderer: egui_wgpu::Renderer,
    width: u32,
    pixels_per_point: f32,
}

impl Legend {
    /// For pictures of this size, in pixels.
    pub fn new(gpu: &Gpu, [width, height]: [u32; 2]) -> Legend {
        let ctx = egui::Context::default();
        style::set_fonts(&ctx);
        let options = egui_wgpu::RendererOptions::default();
        let shorter = width.min(height) as f32;
        Legend {
            ctx,
            renderer: egui_wgpu::Renderer::new(&gpu.device, FORMAT, options),
            width,
            pixels_per_point: (shorter / PLAIN_SIDE).clamp(0.75, 8.0),
        }
    }

    /// The height that the legend needs, in pixels.
    pub fn height(&mut self, gpu: &Gpu, meanings: &Meanings<'_>) -> u32 {
        // egui finds out in the first pass how wide things are.
        self.run(gpu, meanings);
        let (_, height) = self.run(gpu, meanings);
        height
    }

    /// A picture of the legend, so many pixels high.
    pub fn picture(
        &mut self,
        gpu: &Gpu,
        meanings: &Meanings<'_>,
        height: u32,
    ) -> Result<Image, GpuError> {
        self.run(gpu, meanings);
        let (primitives, _) = self.run(gpu, meanings);
        let size = [self.width, height];
        gpu.check_size(size)?;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("legend"),
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
            .update_buffers(&gpu.device, &gpu.queue, &mut encoder, &primitives, &screen);
        let panel = style::colors(meanings.settings.theme).panel;
        let [r, g, b, _] = panel.to_array().map(|part| f64::from(part) / 255.0);
        let view = texture.create_view(&Default::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("legend"),
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
        self.renderer.render(&mut pass, &primitives, &screen);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let image = readback::image(gpu, &texture)?;
        gpu.check()?;
        Ok(image)
    }

    /// What egui makes of the legend, and its height in pixels.
    fn run(&mut self, gpu: &Gpu, meanings: &Meanings<'_>) -> (Vec<egui::ClippedPrimitive>, u32) {
        style::set_theme(&self.ctx, meanings.settings.theme);
        let width = self.width as f32 / self.pixels_per_point;
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, Vec2::new(width, HIGHEST))),
            max_texture_side: Some(gpu.device.limits().max_texture_dimension_2d as usize),
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(self.pixels_per_point);
        }
        let mut height = 0.0;
        let mut output = self.ctx.run_ui(input, |ui| {
            let shown = frame(ui).show(ui, |ui| {
                ui.set_width(ui.available_width());
                strip(ui, meanings);
            });
            let rect = shown.response.rect;
            height = rect.height();
            let line = ui.visuals().widgets.noninteractive.bg_stroke;
            ui.painter().hline(rect.x_range(), rect.top() + 0.5, line);
        });
        for (id, deltas) in output.textures_delta.set.drain() {
            for delta in deltas {
                self.renderer
                    .update_texture(&gpu.device, &gpu.queue, id, &delta);
            }
        }
        let shapes = std::mem::take(&mut output.shapes);
        let primitives = self.ctx.tessellate(shapes, output.pixels_per_point);
        (primitives, (height * self.pixels_per_point).ceil() as u32)
    }
}
