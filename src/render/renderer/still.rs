//! Finished pictures: drawn until they would not get better, whatever was drawn before.

use super::super::frame::{Part, Sample};
use super::super::gpu::{Gpu, GpuError};
use super::super::readback;
use super::{Frame, Renderer, SMOOTH_BELOW, Source, source};
use callscape_look::image::Image;

/// Pixels around a part of a picture that the passes on its own may read: outlines, and what smooths edges.
const RIM: u32 = 64;

impl Renderer {
    /// A finished picture of the frame, without a window; waits for the device.
    pub fn image(&mut self, gpu: &Gpu, frame: &Frame) -> Result<Image, GpuError> {
        self.image_of(gpu, frame, [0, 0], frame.size)
    }

    /// A part of the finished picture of a frame, which as a whole may be larger than the device can draw: from
    /// `origin`, its left and top, with sides of `size` pixels. Parts that are put together show no seams.
    pub fn image_of(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        origin: [u32; 2],
        size: [u32; 2],
    ) -> Result<Image, GpuError> {
        // What passes read of their neighbours' pixels is drawn too.
        let corner = origin.map(|at| at.saturating_sub(RIM));
        let drawn: [u32; 2] = std::array::from_fn(|axis| {
            let end = origin[axis].saturating_add(size[axis]).saturating_add(RIM);
            end.min(frame.size[axis]).saturating_sub(corner[axis])
        });
        gpu.check_size(drawn)?;
        self.part = Part {
            whole: frame.size,
            size: drawn,
            origin: corner,
        };
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let image = self.image_of_part(gpu, frame);
        if pollster::block_on(scope.pop()).is_some() {
            // What was made is no use, and takes the memory that a smaller picture needs.
            self.targets = None;
            self.last = None;
            return Err(GpuError::OutOfMemory);
        }
        let mut image = image?;
        if size != drawn {
            let inset: [u32; 2] = std::array::from_fn(|axis| origin[axis] - corner[axis]);
            image = image.part(inset, size);
        }
        if !self.backdrop {
            image.divide_by_alpha();
        }
        Ok(image)
    }

    /// Draws the finished picture of a frame on `target`, which is of the renderer's format and the frame's size,
    /// whatever was drawn before; submits it. Nothing on a target without pixels or larger than the device can draw.
    pub fn draw_finished(&mut self, gpu: &Gpu, target: &wgpu::TextureView, frame: &Frame) {
        if gpu.check_size(frame.size).is_ok() {
            self.part = Part::all(frame.size);
            self.submit_finished(gpu, target, frame);
            self.last = Some((*frame, frame.quality.samples));
        }
    }

    fn image_of_part(&mut self, gpu: &Gpu, frame: &Frame) -> Result<Image, GpuError> {
        let texture = readback::target(gpu, self.part.size, self.format);
        let view = texture.create_view(&Default::default());
        self.submit_finished(gpu, &view, frame);
        readback::image(gpu, &texture)
    }

    fn submit_finished(&mut self, gpu: &Gpu, target: &wgpu::TextureView, frame: &Frame) {
        // The same picture whatever was drawn before, and nothing for a moving camera to go on from.
        self.last = None;
        self.seen = None;
        self.steady.pass_by(&frame.camera, frame.size);
        let samples = frame.quality.samples.max(1);
        for index in 1..=samples {
            // One at a time, so that no driver takes the work for a device that hangs.
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            // A single picture is the plain one.
            let averaged = if samples == 1 { 0 } else { index };
            let sample = Sample::new(averaged);
            self.draw_sample(gpu, &mut encoder, frame, sample, 0);
            if averaged == 0 {
                self.draw_arcs(gpu, &mut encoder, frame, 0, Source::Colour);
            } else {
                self.average(gpu, &mut encoder, frame, averaged, 0);
            }
            if index == samples {
                let (source, smooth) = (source(averaged), averaged < SMOOTH_BELOW);
                self.finish(gpu, &mut encoder, frame, source, smooth, target);
            }
            gpu.queue.submit([encoder.finish()]);
        }
    }
}
