//! Panels of the window as a picture without one: drawn by egui and read back.

use egui::epaint::ClippedShape;
use egui::{ClippedPrimitive, Pos2, RawInput, Rect, Ui, Vec2, ViewportId};

use super::canvas::{free_textures, paint, take_textures};
use super::letters::Letters;
use callscape_look::image::Image;
use callscape_model::theme::Theme;
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::readback;
use callscape_views::style;

/// egui makes colours as they are stored.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Draws panels in one theme and at one scale.
pub(super) struct Offscreen {
    ctx: egui::Context,
    letters: Letters,
    renderer: egui_wgpu::Renderer,
    theme: Theme,
    pixels_per_point: f32,
    frames: u32,
}

impl Offscreen {
    pub(crate) fn new(gpu: &Gpu, theme: Theme, pixels_per_point: f32) -> Offscreen {
        let ctx = egui::Context::default();
        style::set_fonts(&ctx, None);
        style::set_theme(&ctx, theme);
        let options = egui_wgpu::RendererOptions::default();
        Offscreen {
            ctx,
            letters: Letters::default(),
            renderer: egui_wgpu::Renderer::new(&gpu.device, FORMAT, options),
            theme,
            pixels_per_point,
            frames: 0,
        }
    }

    /// What egui makes of panels on `size` points. It takes more than one frame until they have found their places.
    pub(crate) fn run(
        &mut self,
        gpu: &Gpu,
        size: Vec2,
        add: impl FnMut(&mut Ui),
    ) -> Vec<ClippedPrimitive> {
        let shapes = self.shapes(gpu, size, add);
        self.triangles(shapes)
    }

    /// Shapes as triangles.
    pub(crate) fn triangles(&self, shapes: Vec<ClippedShape>) -> Vec<ClippedPrimitive> {
        self.ctx.tessellate(shapes, self.pixels_per_point)
    }

    /// What egui paints of panels, in points.
    pub(crate) fn shapes(
        &mut self,
        gpu: &Gpu,
        size: Vec2,
        mut add: impl FnMut(&mut Ui),
    ) -> Vec<ClippedShape> {
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
        loop {
            let mut output = self.ctx.run_ui(input.clone(), &mut add);
            take_textures(&mut self.renderer, gpu, &mut output.textures_delta);
            free_textures(&mut self.renderer, &mut output.textures_delta);
            let shapes = std::mem::take(&mut output.shapes);
            if !self.letters.look(&self.ctx, &shapes) {
                return shapes;
            }
        }
    }

    /// What a frame made, as a picture with sides of `size` pixels.
    pub(crate) fn picture(
        &mut self,
        gpu: &Gpu,
        primitives: &[ClippedPrimitive],
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        gpu.check_size(size)?;
        let texture = readback::target(gpu, size, FORMAT);
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: self.pixels_per_point,
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let panel = style::colors(self.theme).panel;
        let [r, g, b, _] = panel.to_array().map(|part| f64::from(part) / 255.0);
        let view = texture.create_view(&Default::default());
        let on = (gpu, &mut encoder, &view);
        let ground = wgpu::Color { r, g, b, a: 1.0 };
        paint(&mut self.renderer, on, primitives, &screen, ground);
        gpu.queue.submit([encoder.finish()]);
        let image = readback::image(gpu, &texture)?;
        gpu.check()?;
        Ok(image)
    }
}
