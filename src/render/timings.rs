//! How long the passes of a frame took on the device, where it can tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Passes of a frame, or of all the pictures of a still, that are timed; further ones are not.
const MOST: u32 = 1024;

/// Times passes by stamps at their begin and end. At most one frame is in flight: the next is timed
/// once its numbers are there.
pub(crate) struct Timings {
    stamps: Option<Stamps>,
    /// Of the frame that is being drawn or read back.
    labels: Vec<&'static str>,
    /// Of the last frame that was read back, in milliseconds.
    done: Vec<(&'static str, f32)>,
}

struct Stamps {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read: wgpu::Buffer,
    state: Arc<AtomicU8>,
    /// Nanoseconds of a tick.
    period: f32,
}

/// What the stamps of the current frame are at.
const OPEN: u8 = 0;
const RECORDED: u8 = 1;
const MAPPING: u8 = 2;
const MAPPED: u8 = 3;

impl Timings {
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Timings {
        let can = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timings"),
                size: u64::from(MOST) * 16,
                usage,
                mapped_at_creation: false,
            })
        };
        Timings {
            stamps: can.then(|| Stamps {
                set: device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("timings"),
                    ty: wgpu::QueryType::Timestamp,
                    count: MOST * 2,
                }),
                resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
                read: buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ),
                state: Arc::new(AtomicU8::new(OPEN)),
                period: queue.get_timestamp_period(),
            }),
            labels: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Stamps for a pass, if it is to be timed.
    pub(crate) fn stamps(
        &mut self,
        label: &'static str,
    ) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        let (query_set, place) = self.next(label)?;
        Some(wgpu::RenderPassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(2 * place),
            end_of_pass_write_index: Some(2 * place + 1),
        })
    }

    /// The same for a pass that computes.
    pub(crate) fn compute_stamps(
        &mut self,
        label: &'static str,
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let (query_set, place) = self.next(label)?;
        Some(wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(2 * place),
            end_of_pass_write_index: Some(2 * place + 1),
        })
    }

    /// The place of the next pass among those that are timed.
    fn next(&mut self, label: &'static str) -> Option<(&wgpu::QuerySet, u32)> {
        let stamps = self.stamps.as_ref()?;
        let place = u32::try_from(self.labels.len()).ok()?;
        if place >= MOST || stamps.state.load(Ordering::Acquire) != OPEN {
            return None;
        }
        self.labels.push(label);
        Some((&stamps.set, place))
    }

    /// Records the end of a frame.
    pub(crate) fn finish(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let Some(stamps) = &self.stamps else { return };
        let count = self.labels.len() as u32;
        if count == 0 || stamps.state.load(Ordering::Acquire) != OPEN {
            return;
        }
        encoder.resolve_query_set(&stamps.set, 0..2 * count, &stamps.resolved, 0);
        let bytes = u64::from(count) * 16;
        encoder.copy_buffer_to_buffer(&stamps.resolved, 0, &stamps.read, 0, bytes);
        stamps.state.store(RECORDED, Ordering::Release);
    }

    /// The passes of the last frame whose numbers are there, in milliseconds; those of one label are
    /// added. Call after frames are submitted. Never waits; empty where the device cannot tell.
    pub(crate) fn read(&mut self, device: &wgpu::Device) -> &[(&'static str, f32)] {
        let Some(stamps) = &self.stamps else {
            return &self.done;
        };
        if stamps.state.load(Ordering::Acquire) == RECORDED {
            stamps.state.store(MAPPING, Ordering::Release);
            let state = Arc::clone(&stamps.state);
            stamps
                .read
                .slice(..)
                .map_async(wgpu::MapMode::Read, move |result| {
                    let next = if result.is_ok() { MAPPED } else { OPEN };
                    state.store(next, Ordering::Release);
                });
        }
        // A lost device tells nothing; the window sees the loss by `Gpu::check`.
        let _ = device.poll(wgpu::PollType::Poll);
        if stamps.state.load(Ordering::Acquire) == MAPPED {
            self.done.clear();
            if let Ok(bytes) = stamps.read.slice(..).get_mapped_range() {
                let tick =
                    |bytes: &[u8]| bytes.first_chunk().copied().map_or(0, u64::from_ne_bytes);
                for (label, pair) in self.labels.iter().zip(bytes.chunks_exact(16)) {
                    let ticks = tick(&pair[8..]).saturating_sub(tick(pair));
                    let ms = ticks as f32 * stamps.period * 1e-6;
                    match self.done.iter_mut().find(|(known, _)| known == label) {
                        Some((_, sum)) => *sum += ms,
                        None => self.done.push((label, ms)),
                    }
                }
            }
            stamps.read.unmap();
            self.labels.clear();
            stamps.state.store(OPEN, Ordering::Release);
        }
        &self.done
    }
}
