//! What is seen at a pixel of the last picture drawn.

use super::super::gpu::{Gpu, GpuError};
use super::super::recording::Recording;
use super::super::{readback, targets};
use super::{Frame, Renderer};
use callscape_base::units::ModuleId;

impl Renderer {
    /// Which arc is seen at each pixel of the last picture drawn, which was one of `frame`, row by row: its place
    /// among those given plus one, 0 where there is none or only faint ones. Waits for the device; empty before the
    /// first picture.
    pub fn arc_ids(&mut self, gpu: &Gpu, frame: &Frame) -> Result<Vec<u32>, GpuError> {
        let Some(targets) = &self.targets else {
            return Ok(Vec::new());
        };
        let texture = readback::target(gpu, targets.size, targets::IDS);
        let view = texture.create_view(&Default::default());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let on = &mut recording!(self, gpu, &mut encoder, frame, targets, 0);
        self.arcs.draw_ids(on, &self.city, &view);
        gpu.queue.submit([encoder.finish()]);
        let ids = readback::image(gpu, &texture)?;
        let ids = ids.rgba.chunks_exact(4);
        Ok(ids
            .filter_map(|id| Some(u32::from_ne_bytes(*id.first_chunk()?)))
            .collect())
    }

    /// The module shown at a pixel of the last frame drawn; waits for the device.
    pub fn pick(&mut self, gpu: &Gpu, x: u32, y: u32) -> Option<ModuleId> {
        // An older question is answered first.
        gpu.wait().ok()?;
        let _ = self.picks.answer(&gpu.device);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        if !self.ask_pick(&mut encoder, x, y) {
            return None;
        }
        gpu.queue.submit([encoder.finish()]);
        gpu.wait().ok()?;
        self.picked(gpu).flatten()
    }

    /// Records the question which module is shown at a pixel of the last frame drawn; false while an
    /// earlier one is unanswered, before the first frame, or outside it. Never waits.
    pub fn ask_pick(&mut self, encoder: &mut wgpu::CommandEncoder, x: u32, y: u32) -> bool {
        self.targets
            .as_ref()
            .is_some_and(|targets| self.picks.ask(encoder, &targets.ids_texture, [x, y]))
    }

    /// The answer to [`Renderer::ask_pick`] once its commands were submitted and done: the module, or
    /// none where there is only ground. Never waits.
    pub fn picked(&mut self, gpu: &Gpu) -> Option<Option<ModuleId>> {
        let id = self.picks.answer(&gpu.device)?;
        let block = id.checked_sub(1).map(|block| block as usize);
        Some(block.and_then(|block| self.city.module(block)))
    }
}
