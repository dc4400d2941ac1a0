//! A second window with what the presenter alone sees, on the device of the first.

use std::sync::Arc;

use anyhow::Context;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Window, WindowId};

use crate::desk::Desk;
use crate::overlay::Overlay;
use crate::panels;
use callscape_render::gpu::Gpu;

/// The window, its surface and its panels.
pub(super) struct Notes {
    // Dropped in this order: what is made from the window before the window.
    renderer: egui_wgpu::Renderer,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    overlay: Overlay,
    window: Arc<Window>,
}

impl Notes {
    pub(super) fn open(
        event_loop: &ActiveEventLoop,
        gpu: &Gpu,
        desk: &Desk,
    ) -> anyhow::Result<Notes> {
        let attributes = Window::default_attributes()
            .with_title("Notes — Callscape")
            .with_inner_size(LogicalSize::new(640.0, 480.0));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let surface = gpu.instance.create_surface(Arc::clone(&window))?;
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let stored = |format: &wgpu::TextureFormat| !format.is_srgb();
        let format = capabilities.formats.iter().copied().find(stored);
        let format = format.or(capabilities.formats.first().copied());
        let config = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format: format.context("the device cannot draw on a second window")?,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: 1,
            height: 1,
            present_mode: wgpu::PresentMode::Fifo,
            desired_maximum_frame_latency: 2,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: Vec::new(),
        };
        let side = gpu.device.limits().max_texture_dimension_2d;
        let options = egui_wgpu::RendererOptions::default();
        let mut notes = Notes {
            renderer: egui_wgpu::Renderer::new(&gpu.device, config.format, options),
            overlay: Overlay::new(&window, side, desk.state.settings.theme),
            config,
            surface,
            window,
        };
        notes.resize(gpu);
        Ok(notes)
    }

    pub(super) fn id(&self) -> WindowId {
        self.window.id()
    }

    pub(super) fn redraw(&self) {
        self.window.request_redraw();
    }

    /// Takes an event that is no key; whether the window is to be closed.
    pub(super) fn on_event(&mut self, event: &WindowEvent, gpu: &Gpu) -> bool {
        if self.overlay.on_event(&self.window, event) {
            self.redraw();
        }
        if matches!(
            event,
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. }
        ) {
            self.resize(gpu);
            self.redraw();
        }
        matches!(event, WindowEvent::CloseRequested)
    }

    fn resize(&mut self, gpu: &Gpu) {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let size = self.window.inner_size();
        let [width, height] = [size.width.min(limit), size.height.min(limit)];
        if width > 0 && height > 0 {
            (self.config.width, self.config.height) = (width, height);
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// Draws the notes anew.
    pub(super) fn draw(&mut self, event_loop: &ActiveEventLoop, gpu: &Gpu, desk: &Desk) {
        let theme = desk.state.settings.theme;
        let mut shown = self.overlay.run(&self.window, event_loop, theme, |ui| {
            egui::Frame::new()
                .fill(ui.visuals().panel_fill)
                .inner_margin(16)
                .show(ui, |ui| {
                    ui.set_min_size(ui.available_size());
                    panels::show_notes(ui, desk.read());
                });
            egui::Rect::NOTHING
        });
        let textures = &mut shown.panels.textures;
        for (id, deltas) in textures.set.drain() {
            for delta in deltas {
                self.renderer
                    .update_texture(&gpu.device, &gpu.queue, id, &delta);
            }
        }
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: [self.config.width, self.config.height],
            pixels_per_point: shown.panels.pixels_per_point,
        };
        use wgpu::CurrentSurfaceTexture as Acquired;
        let target = match self.surface.get_current_texture() {
            Acquired::Success(target) | Acquired::Suboptimal(target) => target,
            Acquired::Outdated | Acquired::Lost => return self.resize(gpu),
            _ => return,
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let primitives = &shown.panels.primitives;
        // No callbacks are used, so there are no further command buffers.
        self.renderer
            .update_buffers(&gpu.device, &gpu.queue, &mut encoder, primitives, &screen);
        let view = target.texture.create_view(&Default::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("notes"),
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
        self.renderer.render(&mut pass, primitives, &screen);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        gpu.queue.present(target);
        for id in shown.panels.textures.free.drain() {
            self.renderer.free_texture(&id);
        }
    }
}
