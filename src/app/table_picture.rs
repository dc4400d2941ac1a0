//! Pictures of the tables without a window: the panels of the window, drawn once and read back.

use std::sync::Arc;

use super::document::Document;
use super::panels;
use super::style;
use super::workbench::Workbench;
use crate::analysis::session::{Inputs, Session};
use crate::filter::filters::{FilterRules, Filters};
use crate::filter::selection::Pointed;
use crate::filter::summary::Summary;
use crate::progress::{Cancelled, Progress};
use crate::render::gpu::{Gpu, GpuError};
use crate::render::image::Image;
use crate::render::readback;
use crate::units::{ModuleId, Time, TimeRange};
use crate::views::calls::{CallList, CallsOf};
use crate::views::landscape::LandscapeSettings;
use crate::views::table::ViewId;

/// Letters have their size on a picture whose shorter side has so many pixels, or less.
const PLAIN_SIDE: f32 = 1080.0;

/// Panels take a few frames to find their places.
const FRAMES: u32 = 4;

/// A table to be drawn.
pub struct TableStudio {
    document: Document,
    calls: Option<Arc<CallList>>,
    settings: LandscapeSettings,
    view: ViewId,
}

impl TableStudio {
    /// Makes the table of `view` over `range`, with `focus` chosen, whose calls are listed; those of everything for
    /// none. O(calls in the range).
    pub fn new(
        session: Arc<Session>,
        view: ViewId,
        settings: &LandscapeSettings,
        range: Option<TimeRange>,
        focus: Option<ModuleId>,
        progress: &Progress,
    ) -> Result<TableStudio, Cancelled> {
        let none = Inputs::default();
        let mut document = Document::of(&none, session, None, None, None, settings, progress)?;
        document.limit(range, Filters::default());
        document.selection.time = range.map_or(Time::ZERO, |range| range.start);
        document.selection.chosen = document.complete(Pointed::at_module(focus));
        let recording = document.recording();
        let mut calls = None;
        if let Some(resolved) = document.resolved()
            && document.playback.is_some()
        {
            if view == ViewId::Calls {
                let of = CallsOf::chosen(&document.selection.chosen);
                let of = of.unwrap_or(CallsOf::Module(ModuleId::ROOT));
                let filters = Filters::default();
                let (session, cut) = (&document.session, &document.cut);
                let list = CallList::find(session, recording, cut, of, range, &filters, progress)?;
                calls = Some(Arc::new(list));
            } else {
                let functions = resolved.recording.functions.len();
                let rules = FilterRules::default();
                let trace = &resolved.recording.trace;
                let summary = Summary::new(trace, functions, range, &rules, progress)?;
                document.count(&summary);
            }
        }
        Ok(TableStudio {
            document,
            calls,
            settings: *settings,
            view,
        })
    }

    /// The picture, with sides of `size` pixels.
    pub fn picture(self, size: [u32; 2]) -> Result<Image, GpuError> {
        let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
        bench.settings = self.settings;
        bench.document = Some(self.document);
        bench.work.calls = self.calls;
        bench.show_chosen();
        let gpu = Gpu::headless()?;
        gpu.check_size(size)?;
        let scale = (size[0].min(size[1]) as f32 / PLAIN_SIDE).max(1.0);
        let ctx = egui::Context::default();
        style::set_fonts(&ctx);
        style::set_theme(&ctx, self.settings.theme);
        ctx.set_pixels_per_point(scale);
        let points = egui::vec2(size[0] as f32, size[1] as f32) / scale;
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let options = egui_wgpu::RendererOptions::default();
        let mut renderer = egui_wgpu::Renderer::new(&gpu.device, format, options);
        let mut primitives = Vec::new();
        for frame in 0..FRAMES {
            let input = egui::RawInput {
                screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, points)),
                time: Some(f64::from(frame)),
                ..egui::RawInput::default()
            };
            let mut output = ctx.run_ui(input, |ui| panels::show_table(ui, &bench, self.view));
            for (id, deltas) in output.textures_delta.set.drain() {
                for delta in deltas {
                    renderer.update_texture(&gpu.device, &gpu.queue, id, &delta);
                }
            }
            primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
        }
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("image"),
            size: wgpu::Extent3d {
                width: size[0],
                height: size[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: scale,
        };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        renderer.update_buffers(&gpu.device, &gpu.queue, &mut encoder, &primitives, &screen);
        let target = texture.create_view(&Default::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("table"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &target,
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
        renderer.render(&mut pass, &primitives, &screen);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let image = readback::image(&gpu, &texture)?;
        gpu.check()?;
        Ok(image)
    }
}
