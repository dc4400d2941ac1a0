//! What is drawn of the views, wherever they are shown: each that is a picture is drawn into a texture of its own, and
//! the panels show it. The window presents it, films read it back.
//!
//! A picture is redrawn only when it changes; while only panels change, the last one is reused.

mod city;
mod place;
mod prepare;

pub(crate) use city::Sharpness;
pub(crate) use prepare::Prepared;

use std::collections::BTreeMap;

use glam::Vec2;

use self::city::Drawn;
use self::place::halves;
pub(crate) use self::place::viewport;
use super::panels::context::{Layout, Pictures};
use callscape_layout::sheet::Sheet;
use callscape_look::image::Image;
use callscape_model::theme::Theme;
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::readback;
use callscape_render::renderer::Renderer;
use callscape_render::sheet::SheetRenderer;
use callscape_state::State;
use callscape_state::panes::ViewId;
use callscape_views::{REGISTRY, Surface, main};

/// Pictures are drawn as linear colours and stored encoded; egui reads what is stored.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const FORMAT_STORED: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// What the panels look like in one frame, as triangles and changed textures.
pub(crate) struct Panels {
    pub primitives: Vec<egui::ClippedPrimitive>,
    pub textures: egui::TexturesDelta,
    pub pixels_per_point: f32,
}

/// A device and the pictures of all views on it.
pub(crate) struct Canvas {
    // Dropped in this order: everything made from the device before the device.
    pictures: BTreeMap<PictureOf, Picture>,
    panels: egui_wgpu::Renderer,
    /// Of what panels are drawn on.
    format: wgpu::TextureFormat,
    pub renderer: Renderer,
    /// Draws the landscape of a second run, while one is to be seen.
    pub second: Option<Renderer>,
    sheets: BTreeMap<ViewId, SheetRenderer>,
    /// Of the landscape, and of that of a second run.
    drawn: [Drawn; 2],
    /// Pictures that get another size are shown without smoothing: they are hardly seen, and a software device pays much
    /// for it.
    pub is_rough: bool,
    pub gpu: Gpu,
}

/// What a picture is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PictureOf {
    View(ViewId),
    /// The landscape of a second run.
    SecondRun,
    /// What was last shown by the landscape, or by that of a second run, before it changed at once.
    Before(usize),
}

/// What landscapes are shown by: the one, and that of a second run.
pub(crate) fn landscapes() -> [PictureOf; 2] {
    [PictureOf::View(main()), PictureOf::SecondRun]
}

/// The last picture of a view.
struct Picture {
    size: [u32; 2],
    target: wgpu::TextureView,
    id: egui::TextureId,
    /// What is on it is not of what it shows now.
    is_stale: bool,
}

impl Canvas {
    /// For panels on targets of the format `panels`.
    pub(crate) fn new(gpu: Gpu, panels: wgpu::TextureFormat) -> Canvas {
        let options = egui_wgpu::RendererOptions::default();
        Canvas {
            pictures: BTreeMap::new(),
            panels: egui_wgpu::Renderer::new(&gpu.device, panels, options),
            format: panels,
            renderer: Renderer::new(&gpu, FORMAT),
            second: None,
            sheets: BTreeMap::new(),
            drawn: Default::default(),
            is_rough: false,
            gpu,
        }
    }

    /// Notes in `pictures` what the panels show the views by.
    pub(crate) fn name_pictures(&mut self, pictures: &mut Pictures) {
        pictures.views.clear();
        for entry in REGISTRY {
            let view = ViewId::of(&entry.line);
            pictures
                .views
                .push((view, self.picture(PictureOf::View(view))));
        }
        pictures.second = self.picture(PictureOf::SecondRun);
    }

    /// The texture that shows something, whatever is drawn on it later.
    pub(crate) fn picture(&mut self, of: PictureOf) -> egui::TextureId {
        if let Some(picture) = self.pictures.get(&of) {
            return picture.id;
        }
        let (target, stored) = texture(&self.gpu, [1, 1]);
        let id = self.panels.register_native_texture(
            &self.gpu.device,
            &stored,
            wgpu::FilterMode::Linear,
        );
        // Of no size, so that the first target is new.
        let size = [0, 0];
        let picture = Picture {
            size,
            target,
            id,
            is_stale: false,
        };
        self.pictures.insert(of, picture);
        id
    }

    /// Sees to it that there is a renderer for a second landscape, or that there is none and nothing is kept for it.
    pub(crate) fn set_second(&mut self, is_wanted: bool) {
        if is_wanted && self.second.is_none() {
            self.second = Some(Renderer::new(&self.gpu, FORMAT));
        }
        if !is_wanted && self.second.take().is_some() {
            self.target(PictureOf::SecondRun, [1, 1], 1.0);
        }
        if self.second.is_none() {
            self.drawn[1] = Drawn::default();
        }
    }

    /// How many pictures of landscapes are averaged for a frame while things move.
    pub(crate) fn set_together(&mut self, together: u32) {
        self.renderer.set_together(together);
        if let Some(second) = &mut self.second {
            second.set_together(together);
        }
    }

    /// The camera of the last picture of the landscape.
    pub(crate) fn camera_drawn(&self) -> Option<callscape_look::camera::Camera> {
        self.drawn[0].camera()
    }

    /// Tells the state where the panels have left room for landscapes, and makes what to draw them on, `scale` times as
    /// fine as the screen. None while the landscape is not to be seen.
    pub(crate) fn targets(
        &mut self,
        state: &mut State,
        layout: &Layout,
        (pixels_per_point, scale): (f32, f32),
    ) -> [Option<Surface>; 2] {
        let Some(placed) = layout.placed else {
            state.hide_viewport();
            return [None; 2];
        };
        let viewport = viewport(placed.place, pixels_per_point);
        state.set_viewport(viewport);
        let size = (viewport.size * scale).as_uvec2().to_array();
        state.set_halves(halves(&placed, pixels_per_point));
        state.moving.covered = layout.cards.seen_from(Vec2::ZERO, pixels_per_point);
        let [own, second] = landscapes();
        let second = placed
            .split
            .map(|_| self.target(second, size, pixels_per_point));
        [Some(self.target(own, size, pixels_per_point)), second]
    }

    /// What a picture with sides of `size` pixels would be drawn on.
    fn surface(&self, of: PictureOf, size: [u32; 2], scale: f32) -> Surface {
        let size = fitted(size, self.gpu.device.limits().max_texture_dimension_2d);
        let picture = self.pictures.get(&of);
        let is_new = picture.is_none_or(|picture| picture.is_stale || picture.size != size);
        Surface {
            size,
            scale,
            is_new,
        }
    }

    /// What to draw a picture on, with sides of `size` pixels, at least one and no more than
    /// the device can draw.
    pub(crate) fn target(&mut self, of: PictureOf, size: [u32; 2], scale: f32) -> Surface {
        let limit = self.gpu.device.limits().max_texture_dimension_2d;
        let size = fitted(size, limit);
        let id = self.picture(of);
        // It was just seen to that there is one.
        let Some(picture) = self.pictures.get_mut(&of) else {
            return Surface {
                size,
                scale,
                is_new: true,
            };
        };
        let is_stale = std::mem::take(&mut picture.is_stale);
        let is_other = picture.size != size;
        if is_other {
            let (target, stored) = texture(&self.gpu, size);
            (picture.size, picture.target) = (size, target);
            self.panels.update_egui_texture_from_wgpu_texture(
                &self.gpu.device,
                &stored,
                filter(self.is_rough),
                id,
            );
        }
        Surface {
            size,
            scale,
            is_new: is_other || is_stale,
        }
    }

    /// Keeps what the landscapes show now as what is before: they get other pictures to be drawn on.
    /// Gives the textures of what is before. One whose sides have as many pixels as they `fill` needs no smoothing.
    pub(crate) fn keep_before(&mut self, fill: [u32; 2]) -> [egui::TextureId; 2] {
        for (which, shown) in landscapes().into_iter().enumerate() {
            let before = PictureOf::Before(which);
            self.picture(before);
            let (Some(own), Some(kept)) =
                (self.pictures.remove(&shown), self.pictures.remove(&before))
            else {
                continue;
            };
            let exchanged = [
                (shown, kept.size, kept.target, own.id, true),
                (before, own.size, own.target, kept.id, false),
            ];
            for (of, size, target, id, is_stale) in exchanged {
                self.panels.update_egui_texture_from_wgpu_texture(
                    &self.gpu.device,
                    &stored(target.texture()),
                    filter(of == before && size == fill),
                    id,
                );
                let picture = Picture {
                    size,
                    target,
                    id,
                    is_stale,
                };
                self.pictures.insert(of, picture);
            }
        }
        [0, 1].map(|which| self.picture(PictureOf::Before(which)))
    }

    /// The last picture of something, read back; waits for the device. None before there is one.
    pub(crate) fn read(&self, of: PictureOf) -> Option<Result<Image, GpuError>> {
        let picture = self.pictures.get(&of)?;
        let is_drawn = picture.size != [0, 0];
        is_drawn.then(|| readback::image(&self.gpu, picture.target.texture()))
    }

    /// Whether drawing the landscapes again would not make their pictures better.
    pub(crate) fn settled(&self) -> bool {
        let names_wait = self.drawn.iter().any(|drawn| drawn.names_wait());
        !names_wait && self.renderer.settled() && self.second.as_ref().is_none_or(Renderer::settled)
    }

    /// Takes another sheet for a view.
    pub(crate) fn prepare_sheet(&mut self, view: ViewId, sheet: &Sheet) {
        let gpu = &self.gpu;
        let renderer = self.sheets.entry(view);
        let renderer = renderer.or_insert_with(|| SheetRenderer::new(gpu, FORMAT));
        renderer.prepare(gpu, sheet);
    }

    /// Draws what is new of the landscapes and sheets.
    pub(crate) fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        new: &Prepared,
        theme: Theme,
    ) {
        let renderers = [Some(&mut self.renderer), self.second.as_mut()];
        for ((renderer, shown), frame) in
            renderers.into_iter().zip(landscapes()).zip(new.landscapes)
        {
            if let (Some(renderer), Some(frame), Some(picture)) =
                (renderer, frame, self.pictures.get(&shown))
            {
                renderer.draw(&self.gpu, encoder, &picture.target, &frame);
            }
        }
        self.record_sheets(encoder, new, theme);
    }

    /// The same, with landscapes as they are once nothing moves; submits it.
    pub(crate) fn draw_finished(&mut self, new: &Prepared, theme: Theme) {
        let renderers = [Some(&mut self.renderer), self.second.as_mut()];
        for ((renderer, shown), frame) in
            renderers.into_iter().zip(landscapes()).zip(new.landscapes)
        {
            if let (Some(renderer), Some(frame), Some(picture)) =
                (renderer, frame, self.pictures.get(&shown))
            {
                renderer.draw_finished(&self.gpu, &picture.target, &frame);
            }
        }
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.record_sheets(&mut encoder, new, theme);
        self.gpu.queue.submit([encoder.finish()]);
    }

    fn record_sheets(&mut self, encoder: &mut wgpu::CommandEncoder, new: &Prepared, theme: Theme) {
        for view in &new.sheets {
            if let (Some(sheet), Some(picture)) = (
                self.sheets.get_mut(view),
                self.pictures.get(&PictureOf::View(*view)),
            ) {
                sheet.draw(&self.gpu, encoder, &picture.target, picture.size, theme);
            }
        }
    }

    /// Takes the textures of panels that are new or others.
    pub(crate) fn take_textures(&mut self, textures: &mut egui::TexturesDelta) {
        take_textures(&mut self.panels, &self.gpu, textures);
    }

    /// Drops the textures that panels need no longer.
    pub(crate) fn free_textures(&mut self, textures: &mut egui::TexturesDelta) {
        free_textures(&mut self.panels, textures);
    }

    /// Panels as a picture with sides of `size` pixels, over `ground`; waits for the device.
    pub(crate) fn image(
        &mut self,
        panels: &Panels,
        size: [u32; 2],
        ground: egui::Color32,
    ) -> Result<Image, GpuError> {
        self.gpu.check_size(size)?;
        let texture = readback::target(&self.gpu, size, self.format);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let view = texture.create_view(&Default::default());
        let [r, g, b, _] = ground.to_array().map(|part| f64::from(part) / 255.0);
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: panels.pixels_per_point,
        };
        paint(
            &mut self.panels,
            (&self.gpu, &mut encoder, &view),
            &panels.primitives,
            &screen,
            wgpu::Color { r, g, b, a: 1.0 },
        );
        self.gpu.queue.submit([encoder.finish()]);
        let image = readback::image(&self.gpu, &texture)?;
        self.gpu.check()?;
        Ok(image)
    }

    /// Draws panels with the views in them on `target`, with sides of `size` pixels.
    pub(crate) fn paint(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        panels: &Panels,
        size: [u32; 2],
    ) {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: panels.pixels_per_point,
        };
        let on = (&self.gpu, encoder, target);
        paint(
            &mut self.panels,
            on,
            &panels.primitives,
            &screen,
            wgpu::Color::BLACK,
        );
    }
}

/// Gives a renderer of panels the textures that are new or others.
pub(crate) fn take_textures(
    renderer: &mut egui_wgpu::Renderer,
    gpu: &Gpu,
    textures: &mut egui::TexturesDelta,
) {
    for (id, deltas) in textures.set.drain() {
        for delta in deltas {
            renderer.update_texture(&gpu.device, &gpu.queue, id, &delta);
        }
    }
}

/// Drops the textures that panels need no longer.
pub(crate) fn free_textures(
    renderer: &mut egui_wgpu::Renderer,
    textures: &mut egui::TexturesDelta,
) {
    for id in textures.free.drain() {
        renderer.free_texture(&id);
    }
}

/// Draws panels on a target, over `ground`.
pub(crate) fn paint(
    renderer: &mut egui_wgpu::Renderer,
    (gpu, encoder, target): (&Gpu, &mut wgpu::CommandEncoder, &wgpu::TextureView),
    primitives: &[egui::ClippedPrimitive],
    screen: &egui_wgpu::ScreenDescriptor,
    ground: wgpu::Color,
) {
    // No callbacks are used, so there are no further command buffers.
    renderer.update_buffers(&gpu.device, &gpu.queue, encoder, primitives, screen);
    let mut pass = encoder
        .begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(ground),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        })
        .forget_lifetime();
    renderer.render(&mut pass, primitives, screen);
}

/// The size of the same shape with sides of at least one pixel and at most `limit`.
fn fitted(size: [u32; 2], limit: u32) -> [u32; 2] {
    let longest = size[0].max(size[1]);
    if longest <= limit {
        return size.map(|side| side.max(1));
    }
    size.map(|side| {
        let side = u64::from(side) * u64::from(limit) / u64::from(longest);
        u32::try_from(side).unwrap_or(limit).max(1)
    })
}

/// A texture to draw on, and the same as it is stored.
fn texture(gpu: &Gpu, size: [u32; 2]) -> (wgpu::TextureView, wgpu::TextureView) {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d {
            width: size[0],
            height: size[1],
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[FORMAT_STORED],
    });
    (texture.create_view(&Default::default()), stored(&texture))
}

/// How a picture is shown in another size.
fn filter(is_rough: bool) -> wgpu::FilterMode {
    match is_rough {
        true => wgpu::FilterMode::Nearest,
        false => wgpu::FilterMode::Linear,
    }
}

/// What is on a texture as it is stored.
fn stored(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("picture as stored"),
        format: Some(FORMAT_STORED),
        usage: Some(wgpu::TextureUsages::TEXTURE_BINDING),
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_fit_what_the_device_can_draw_and_keep_their_shape() {
        assert_eq!(fitted([0, 0], 8192), [1, 1]);
        assert_eq!(fitted([1280, 0], 8192), [1280, 1]);
        assert_eq!(fitted([8192, 100], 8192), [8192, 100]);
        assert_eq!(fitted([32_768, 16_384], 8192), [8192, 4096]);
        assert_eq!(fitted([u32::MAX, 1], 8192), [8192, 1]);
        assert_eq!(fitted([u32::MAX, u32::MAX], 2048), [2048, 2048]);
    }
}
