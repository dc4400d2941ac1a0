//! Frames in which something is another than in the one before.

use super::super::frame::Sample;
use super::super::gpu::Gpu;
use super::super::recording::Recording;
use super::super::steady::Motion;
use super::super::targets::Source;
use super::{Frame, Renderer, SMOOTH_BELOW, quick_light};

/// The slot of what is drawn over the steady picture of a single one.
const OVER_STEADY: usize = 1;

impl Renderer {
    /// Draws a frame in which something is another than in the one before, as fast as it can: what was seen before
    /// makes it steadier. `first`: the first of its samples.
    pub(super) fn draw_quick(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        first: u32,
        motion: Motion,
        target: &wgpu::TextureView,
    ) {
        if let Some(targets) = &self.targets
            && targets.size != self.part.size
            && self.steady.has_begun()
        {
            // What was as large as the targets before goes with them.
            let picture = targets.picture(&gpu.device, self.steady.source());
            self.steady.go_on_from(picture.clone());
        }
        let source = if self.together == 1 {
            let mut quick = *frame;
            quick.quality.light = quick_light(frame.quality.light, self.together);
            // It is sought in the same directions all along.
            let Sample { jitter, grain, .. } = Sample::new(first);
            let sample = Sample {
                jitter,
                grain,
                ..Sample::new(0)
            };
            self.draw_sample(gpu, encoder, &quick, sample, 0);
            Source::Colour
        } else {
            for slot in 0..self.together {
                self.draw_sample(
                    gpu,
                    encoder,
                    frame,
                    Sample::new(first + slot),
                    slot as usize,
                );
                self.average(gpu, encoder, frame, slot + 1, slot as usize);
            }
            Source::Mean
        };
        self.last = Some((*frame, 0));
        let Some(targets) = &self.targets else {
            return;
        };
        let slot = self.together.saturating_sub(1) as usize;
        let on = &mut recording!(self, gpu, encoder, frame, targets, slot);
        let averaged = self.steady.draw(on, source, motion, self.together) * self.together;
        let shown = self.steady_source();
        if let (Source::SteadyAndArcs, Some(targets)) = (shown, &self.targets) {
            let picture = |source| targets.picture(&gpu.device, source);
            let on = &mut recording!(self, gpu, encoder, frame, targets, slot);
            on.copy(picture(self.steady.source()), picture(shown), 0);
            // Without the shift of the picture: arcs are smooth in themselves.
            self.prepare(gpu, frame, Sample::new(0), OVER_STEADY);
            self.draw_arcs(gpu, encoder, frame, OVER_STEADY, shown);
        }
        self.finish(gpu, encoder, frame, shown, averaged < SMOOTH_BELOW, target);
    }

    /// What shows the mean of what was seen. Where each frame takes one picture arcs are drawn over it: they change so
    /// often that the mean would be late.
    pub(super) fn steady_source(&self) -> Source {
        if self.together == 1 && !self.arcs.is_empty() {
            Source::SteadyAndArcs
        } else {
            self.steady.source()
        }
    }
}
