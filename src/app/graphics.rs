//! The window's surface: the canvas with all views, presented on it.

use std::sync::Arc;

use wgpu::CurrentSurfaceTexture as Acquired;
use winit::window::Window;

use super::canvas::{Canvas, Panels, Prepared};
use callscape_model::theme::Theme;
use callscape_render::gpu::{self, Gpu, GpuError};

/// The surface of one window, and what is drawn for it.
pub(crate) struct Graphics {
    // Dropped in this order: everything made from the device before the device.
    config: wgpu::SurfaceConfiguration,
    surface: wgpu::Surface<'static>,
    pub canvas: Canvas,
    window: Arc<Window>,
}

impl Graphics {
    /// Opens an adapter that can present on `window`.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn new(window: Arc<Window>) -> Result<Graphics, GpuError> {
        let (instance, surface) = surface(&window)?;
        let gpu = Gpu::for_surface(instance, &surface)?;
        Graphics::of(gpu, surface, window)
    }

    /// The same in a browser, which finds an adapter between frames.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn new(window: Arc<Window>) -> Result<Graphics, GpuError> {
        let (instance, surface) = surface(&window)?;
        let gpu = Gpu::for_canvas(instance, &surface).await?;
        Graphics::of(gpu, surface, window)
    }

    fn of(
        gpu: Gpu,
        surface: wgpu::Surface<'static>,
        window: Arc<Window>,
    ) -> Result<Graphics, GpuError> {
        let config = configuration(&gpu, &surface)?;
        let mut graphics = Graphics {
            canvas: Canvas::new(gpu, config.format),
            config,
            surface,
            window,
        };
        graphics.resize();
        Ok(graphics)
    }

    /// The window's size in physical pixels, limited to what the device can draw; zero when there is
    /// nothing to draw on.
    pub(crate) fn size(&self) -> [u32; 2] {
        let size = self.window.inner_size();
        let limit = self.canvas.gpu.device.limits().max_texture_dimension_2d;
        [size.width.min(limit), size.height.min(limit)]
    }

    /// Fits the surface to the window.
    pub(crate) fn resize(&mut self) {
        let [width, height] = self.size();
        if width > 0 && height > 0 {
            self.config.width = width;
            self.config.height = height;
            self.surface
                .configure(&self.canvas.gpu.device, &self.config);
        }
    }

    /// Draws what is `new` of the views, then the panels, and presents them. An error means that the device is gone
    /// or has complained.
    pub(crate) fn draw(
        &mut self,
        new: &Prepared,
        theme: Theme,
        mut panels: Panels,
    ) -> Result<Presented, GpuError> {
        let descriptor = wgpu::CommandEncoderDescriptor {
            label: Some("frame"),
        };
        let canvas = &mut self.canvas;
        let mut encoder = canvas.gpu.device.create_command_encoder(&descriptor);
        canvas.record(&mut encoder, new, theme);
        canvas.take_textures(&mut panels.textures);
        // On a lost device the panels' renderer would end the program.
        if let Err(lost) = canvas.gpu.check_lost() {
            // Textures are gone with it.
            panels.textures.clear();
            return Err(lost);
        }
        let presented = self.present(encoder, &panels);
        self.canvas.free_textures(&mut panels.textures);
        self.canvas.gpu.check()?;
        Ok(presented)
    }

    fn present(&mut self, mut encoder: wgpu::CommandEncoder, panels: &Panels) -> Presented {
        let (target, fits) = match self.surface.get_current_texture() {
            Acquired::Success(target) => (target, true),
            Acquired::Suboptimal(target) => (target, false),
            other => {
                // What was drawn into the pictures is kept for the next frame.
                self.canvas.gpu.queue.submit([encoder.finish()]);
                return self.recover(&other);
            }
        };
        let view = target.texture.create_view(&Default::default());
        let size = [self.config.width, self.config.height];
        self.canvas.paint(&mut encoder, &view, panels, size);
        let queue = &self.canvas.gpu.queue;
        queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        queue.present(target);
        if !fits {
            self.resize();
        }
        Presented::Yes
    }

    /// As if the window system had taken the surface away: for tests of what follows.
    #[cfg(debug_assertions)]
    pub(crate) fn lose_surface(&mut self) {
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
                let made = self
                    .canvas
                    .gpu
                    .instance
                    .create_surface(Arc::clone(&self.window));
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

/// The surface of `window`.
fn surface(window: &Arc<Window>) -> Result<(wgpu::Instance, wgpu::Surface<'static>), GpuError> {
    let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
    description.backends = gpu::BACKENDS;
    let instance = wgpu::Instance::new(description);
    let surface = instance.create_surface(Arc::clone(window));
    let surface = surface.map_err(|_| GpuError::NoAdapter)?;
    Ok((instance, surface))
}

/// Whether a frame reached the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presented {
    Yes,
    TryAgain,
    NotNow,
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
