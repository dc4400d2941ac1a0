//! The legend under a picture without a window: the strip that the window has.

use egui::epaint::Primitive;
use egui::{ClippedPrimitive, Vec2};

use super::offscreen::Offscreen;
use super::panels::legend::entries::Meanings;
use super::panels::legend::{frame, strip};
use callscape_look::image::Image;
use callscape_model::theme::Theme;
use callscape_render::gpu::{Gpu, GpuError};

/// Letters have their size in the window on a picture whose shorter side has so many pixels.
const PLAIN_SIDE: f32 = 720.0;

/// No legend is higher than this, in points.
const HIGHEST: f32 = 2000.0;

/// Draws legends of one width.
pub(crate) struct Legend {
    panels: Offscreen,
    width: u32,
    pixels_per_point: f32,
}

impl Legend {
    /// For pictures of this size, in pixels.
    pub(crate) fn new(gpu: &Gpu, theme: Theme, [width, height]: [u32; 2]) -> Legend {
        let shorter = width.min(height) as f32;
        let pixels_per_point = (shorter / PLAIN_SIDE).clamp(0.75, 8.0);
        Legend {
            panels: Offscreen::new(gpu, theme, pixels_per_point),
            width,
            pixels_per_point,
        }
    }

    /// The height that the legend needs, in pixels.
    pub(crate) fn height(&mut self, gpu: &Gpu, meanings: &Meanings<'_>) -> u32 {
        self.settled(gpu, meanings).1
    }

    /// A picture of the legend, so many pixels high.
    pub(crate) fn picture(
        &mut self,
        gpu: &Gpu,
        meanings: &Meanings<'_>,
        height: u32,
    ) -> Result<Image, GpuError> {
        let (primitives, _) = self.settled(gpu, meanings);
        let limit = gpu.device.limits().max_texture_dimension_2d;
        if self.width <= limit {
            return self.panels.picture(gpu, &primitives, [self.width, height]);
        }
        let mut image = Image {
            width: self.width,
            height,
            rgba: vec![0; self.width as usize * height as usize * 4],
        };
        for left in (0..self.width).step_by(limit as usize) {
            let by = Vec2::new(left as f32 / self.pixels_per_point, 0.0);
            let moved = primitives.iter().map(|primitive| moved(primitive, -by));
            let moved: Vec<ClippedPrimitive> = moved.collect();
            let size = [limit.min(self.width - left), height];
            image.put(&self.panels.picture(gpu, &moved, size)?, [left, 0]);
        }
        Ok(image)
    }

    /// What egui makes of the legend once it knows how wide things are, and its height in pixels.
    fn settled(&mut self, gpu: &Gpu, meanings: &Meanings<'_>) -> (Vec<ClippedPrimitive>, u32) {
        self.run(gpu, meanings);
        self.run(gpu, meanings)
    }

    fn run(&mut self, gpu: &Gpu, meanings: &Meanings<'_>) -> (Vec<ClippedPrimitive>, u32) {
        let width = self.width as f32 / self.pixels_per_point;
        let mut height = 0.0;
        let primitives = self.panels.run(gpu, Vec2::new(width, HIGHEST), |ui| {
            let shown = frame(ui).show(ui, |ui| {
                ui.set_width(ui.available_width());
                strip(ui, meanings);
            });
            let rect = shown.response.rect;
            height = rect.height();
            let line = ui.visuals().widgets.noninteractive.bg_stroke;
            ui.painter().hline(rect.x_range(), rect.top() + 0.5, line);
        });
        (primitives, (height * self.pixels_per_point).ceil() as u32)
    }
}

/// The same elsewhere, in points.
fn moved(primitive: &ClippedPrimitive, by: Vec2) -> ClippedPrimitive {
    let mut moved = primitive.clone();
    moved.clip_rect = moved.clip_rect.translate(by);
    if let Primitive::Mesh(mesh) = &mut moved.primitive {
        for vertex in &mut mesh.vertices {
            vertex.pos += by;
        }
    }
    moved
}
