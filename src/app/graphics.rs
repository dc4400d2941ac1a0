//! The window's surface: every view that is a picture is drawn into a texture of its own, the panels
//! show it.
//!
//! A picture is redrawn only when it changes; while only panels change, the last one is reused.

use std::collections::BTreeMap;
use std::sync::Arc;

use wgpu::CurrentSurfaceTexture as Acquired;
use winit::window::Window;

use crate::layout::sheet::Sheet;
use crate::render::gpu::{self, Gpu, GpuError};
use crate::render::image::Image;
use crate::render::readback;
use crate::render::renderer::{Frame, Renderer};
use crate::render::sheet::SheetRenderer;
use crate::render::theme::Theme;
use crate::views::table::ViewId;

/// Pictures are drawn as linear colours and stored encoded; egui reads what is stored.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const FORMAT_STORED: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// What the panels look like in one frame, as triangles and changed textures.
pub struct Panels {
    pub primitives: Vec<egui::ClippedPrimitive>,
    pub textures: egui::TexturesDelta,
    pub pixels_per_point: f32,
}

/// The device, the surface of one window and what draws on it.
pub struct Graphics {
    // Dropped in this order: everything made from the device before the device.
    pictures: BTreeMap<Shown, Picture>,
    panels: egui_wgpu::Renderer,
    pub renderer: Renderer,
    /// Draws the landscape of a second run, while one is to be seen.
    pub second: Option<Renderer>,
    sheets: BTreeMap<ViewId, SheetRenderer>,
    config: wgpu::SurfaceConfiguration,
    surface: wgpu::Surface<'static>,
    pub gpu: Gpu,
    window: Arc<Window>,
}

/// What a picture shows: a view, or the landscape of a second run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    View(ViewId),
    SecondLandscape,
}

/// The last picture of a view.
struct Picture {
    size: [u32; 2],
    target: wgpu::TextureView,
    id: egui::TextureId,
}

/// What the picture of a view is drawn on.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// In pixels.
    pub size: [u32; 2],
    /// Nothing is drawn on it yet.
    pub is_new: bool,
}

impl Graphics {
    /// Opens an adapter that can present on `window`.
    pub fn new(window: Arc<Window>) -> Result<Graphics, GpuError> {
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = gpu::BACKENDS;
        let instance = wgpu::Instance::new(description);
        let surface = instance
            .create_surface(Arc::clone(&window))
            .map_err(|_| GpuError::NoAdapter)?;
        let gpu = Gpu::for_surface(instance, &surface)?;
        let config = configuration(&gpu, &surface)?;
        let panels = egui_wgpu::Renderer::new(
            &gpu.device,
            config.format,
            egui_wgpu::RendererOptions::default(),
        );
        let mut graphics = Graphics {
            pictures: BTreeMap::new(),
            panels,
            renderer: Renderer::new(&gpu, FORMAT),
            second: None,
            sheets: BTreeMap::new(),
            config,
            surface,
            gpu,
            window,
        };
        graphics.resize();
        Ok(graphics)
    }

    /// The window's size in physical pixels, limited to what the device can draw; zero when there is
    /// nothing to draw on.
    pub fn size(&self) -> [u32; 2] {
        let size = self.window.inner_size();
        let limit = self.gpu.device.limits().max_texture_dimension_2d;
        [size.width.min(limit), size.height.min(limit)]
    }

    /// Fits the surface to the window.
    pub fn resize(&mut self) {
        let [width, height] = self.size();
        if width > 0 && height > 0 {
            self.config.width = width;
            self.config.height = height;
            self.surface.configure(&self.gpu.device, &self.config);
        }
    }

    /// The texture that shows something, whatever is drawn on it later.
    pub fn picture(&mut self, of: Shown) -> egui::TextureId {
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
        self.pictures.insert(of, Picture { size, target, id });
        id
    }

    /// Sees to it that there is a renderer for a second landscape, or that there is none and nothing is kept for it.
    pub fn set_second(&mut self, is_wanted: bool) {
        if is_wanted && self.second.is_none() {
            self.second = Some(Renderer::new(&self.gpu, FORMAT));
        }
        if !is_wanted && self.second.take().is_some() {
            self.target(Shown::SecondLandscape, [1, 1]);
        }
    }

    /// What to draw a picture on, with sides of `size` pixels, at least one and no more than
    /// the device can draw.
    pub fn target(&mut self, of: Shown, size: [u32; 2]) -> Target {
        let limit = self.gpu.device.limits().max_texture_dimension_2d;
        let size = fitted(size, limit);
        let id = self.picture(of);
        let is_new = self.pictures.get(&of).is_none_or(|it| it.size != size);
        if is_new {
            let (target, stored) = texture(&self.gpu, size);
            self.panels.update_egui_texture_from_wgpu_texture(
                &self.gpu.device,
                &stored,
                wgpu::FilterMode::Linear,
                id,
            );
            self.pictures.insert(of, Picture { size, target, id });
        }
        Target { size, is_new }
    }

    /// The last picture of a view, read back; waits for the device. None before there is one.
    pub fn read(&self, view: ViewId) -> Option<Result<Image, GpuError>> {
        let picture = self.pictures.get(&Shown::View(view))?;
        let is_drawn = picture.size != [0, 0];
        is_drawn.then(|| readback::image(&self.gpu, picture.target.texture()))
    }

    /// Whether drawing the landscapes again would not make their pictures better.
    pub fn settled(&self) -> bool {
        self.renderer.settled() && self.second.as_ref().is_none_or(Renderer::settled)
    }

    /// Takes another sheet for a view.
    pub fn prepare_sheet(&mut self, view: ViewId, sheet: &Sheet) {
        let gpu = &self.gpu;
        let renderer = self.sheets.entry(view);
        let renderer = renderer.or_insert_with(|| SheetRenderer::new(gpu, FORMAT));
        renderer.prepare(gpu, sheet);
    }

    /// Draws the landscapes and the `sheets` where they changed, then the panels, and presents them. An error means that the
    /// device is gone or has complained.
    pub fn draw(
        &mut self,
        landscapes: [Option<&Frame>; 2],
        sheets: &[ViewId],
        theme: Theme,
        mut panels: Panels,
    ) -> Result<Presented, GpuError> {
        let descriptor = wgpu::CommandEncoderDescriptor {
            label: Some("frame"),
        };
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let renderers = [Some(&mut self.renderer), self.second.as_mut()];
        let shown = [Shown::View(ViewId::Landscape), Shown::SecondLandscape];
        for ((renderer, shown), frame) in renderers.into_iter().zip(shown).zip(landscapes) {
            if let (Some(renderer), Some(frame), Some(picture)) =
                (renderer, frame, self.pictures.get(&shown))
            {
                renderer.draw(&self.gpu, &mut encoder, &picture.target, frame);
            }
        }
        for view in sheets {
            if let (Some(sheet), Some(picture)) = (
                self.sheets.get_mut(view),
                self.pictures.get(&Shown::View(*view)),
            ) {
                sheet.draw(
                    &self.gpu,
                    &mut encoder,
                    &picture.target,
                    picture.size,
                    theme,
                );
            }
        }
        for (id, deltas) in panels.textures.set.drain() {
            for delta in deltas {
                self.panels
                    .update_texture(&self.gpu.device, &self.gpu.queue, id, &delta);
            }
        }
        // On a lost device the panels' renderer would end the program.
        self.gpu.check_lost()?;
        let presented = self.present(encoder, &panels);
        for id in panels.textures.free.drain() {
            self.panels.free_texture(&id);
        }
        self.gpu.check()?;
        Ok(presented)
    }

    fn present(&mut self, mut encoder: wgpu::CommandEncoder, panels: &Panels) -> Presented {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: [self.config.width, self.config.height],
            pixels_per_point: panels.pixels_per_point,
        };
        // No callbacks are used, so there are no further command buffers.
        self.panels.update_buffers(
            &self.gpu.device,
            &self.gpu.queue,
            &mut encoder,
            &panels.primitives,
            &screen,
        );
        let (target, fits) = match self.surface.get_current_texture() {
            Acquired::Success(target) => (target, true),
            Acquired::Suboptimal(target) => (target, false),
            other => {
                // What was drawn into the pictures is kept for the next frame.
                self.gpu.queue.submit([encoder.finish()]);
                return self.recover(&other);
            }
        };
        let view = target.texture.create_view(&Default::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("panels"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            })
            .forget_lifetime();
        self.panels.render(&mut pass, &panels.primitives, &screen);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        self.gpu.queue.present(target);
        if !fits {
            self.resize();
        }
        Presented::Yes
    }

    /// As if the window system had taken the surface away: for tests of what follows.
    #[cfg(debug_assertions)]
    pub fn lose_surface(&mut self) {
        self.recover(&Acquired::Lost);
    }

    /// There was no texture to draw on: mends what can be mended.
    fn recover(&mut self, reason: &Acquired) -> Presented {
        match reason {
            Acquired::Outdated => {
                self.resize();
                Presented::TryAgain
            }
            Acquired::Lost => {
                let made = self.gpu.instance.create_surface(Arc::clone(&self.window));
                match made {
                    Ok(surface) => {
                        self.surface = surface;
                        self.resize();
                        Presented::TryAgain
                    }
                    Err(_) => Presented::NotNow,
                }
            }
            Acquired::Timeout => Presented::TryAgain,
            // Hidden: the window system says when it is shown again. Validation: `Gpu::check` tells.
            _ => Presented::NotNow,
        }
    }
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

/// Whether a frame reached the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    Yes,
    TryAgain,
    NotNow,
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
    let stored = texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("picture as stored"),
        format: Some(FORMAT_STORED),
        usage: Some(wgpu::TextureUsages::TEXTURE_BINDING),
        ..Default::default()
    });
    (texture.create_view(&Default::default()), stored)
}

/// Waits for the display between frames, and stores colours as egui makes them: already encoded.
fn configuration(
    gpu: &Gpu,
    surface: &wgpu::Surface<'_>,
) -> Result<wgpu::SurfaceConfiguration, GpuError> {
    let capabilities = surface.get_capabilities(&gpu.adapter);
    let encoded = capabilities.formats.iter().copied().find(|format| {
        matches!(
            format,
            wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm
        )
    });
    let format = encoded.or(capabilities.formats.first().copied());
    let opaque = wgpu::CompositeAlphaMode::Opaque;
    Ok(wgpu::SurfaceConfiguration {
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        format: format.ok_or(GpuError::NoAdapter)?,
        color_space: wgpu::SurfaceColorSpace::Auto,
        width: 1,
        height: 1,
        present_mode: wgpu::PresentMode::Fifo,
        desired_maximum_frame_latency: 2,
        alpha_mode: if capabilities.alpha_modes.contains(&opaque) {
            opaque
        } else {
            wgpu::CompositeAlphaMode::Auto
        },
        view_formats: Vec::new(),
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
