//! What the device drew, brought back: pictures and the block at a pixel.

use std::sync::{Arc, Mutex, PoisonError};

use super::gpu::{Gpu, GpuError};
use callscape_look::image::Image;

/// A texture to draw on and to read.
pub fn target(gpu: &Gpu, [width, height]: [u32; 2], format: wgpu::TextureFormat) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("image"),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// Reads a texture of four bytes a pixel whose usage allows copying; waits for the device.
pub fn image(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Image, GpuError> {
    let (width, height) = (texture.width(), texture.height());
    let row = u64::from(width) * 4;
    let padded = row.next_multiple_of(u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT));
    let size = padded * u64::from(height);
    if size > gpu.device.limits().max_buffer_size {
        return Err(GpuError::Failed(format!(
            "a picture of {size} bytes is too large to be read back"
        )));
    }
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("readback"),
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(padded as u32),
                rows_per_image: None,
            },
        },
        texture.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    let bytes = map(gpu, &buffer)?;
    let mut rgba = Vec::with_capacity((row * u64::from(height)) as usize);
    for line in bytes.chunks_exact(padded as usize) {
        rgba.extend_from_slice(&line[..row as usize]);
    }
    if matches!(
        texture.format(),
        wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Bgra8UnormSrgb
    ) {
        for pixel in rgba.chunks_exact_mut(4) {
            pixel.swap(0, 2);
        }
    }
    Ok(Image {
        width,
        height,
        rgba,
    })
}

/// The bytes of a buffer; waits for the device.
pub fn map(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
    if cfg!(target_arch = "wasm32") {
        let text = "a page cannot wait for what the device has drawn";
        return Err(GpuError::Failed(text.to_owned()));
    }
    let slice = buffer.slice(..);
    slice.map_async(wgpu::MapMode::Read, |_| {});
    gpu.wait()?;
    gpu.check()?;
    let mapped = slice
        .get_mapped_range()
        .map_err(|error| GpuError::Failed(error.to_string()))?;
    let bytes = mapped.to_vec();
    drop(mapped);
    buffer.unmap();
    Ok(bytes)
}

/// Blocks at pixels, asked for now and answered when the device has come to it.
pub struct Picks {
    buffer: wgpu::Buffer,
    state: Arc<Mutex<State>>,
}

/// What became of the last question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// The copy is recorded, its commands may not be submitted yet.
    Recorded,
    Mapping,
    Mapped,
}

impl Picks {
    pub fn new(device: &wgpu::Device) -> Picks {
        Picks {
            buffer: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("picks"),
                size: u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            }),
            state: Arc::new(Mutex::new(State::Idle)),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the question for the visibility buffer `ids`; false while the last is unanswered or
    /// when the pixel is outside.
    pub fn ask(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        ids: &wgpu::Texture,
        [x, y]: [u32; 2],
    ) -> bool {
        let mut state = self.state();
        if *state != State::Idle || x >= ids.width() || y >= ids.height() {
            return false;
        }
        *state = State::Recorded;
        encoder.copy_texture_to_buffer(
            wgpu::TexelCopyTextureInfo {
                origin: wgpu::Origin3d { x, y, z: 0 },
                ..ids.as_image_copy()
            },
            wgpu::TexelCopyBufferInfo {
                buffer: &self.buffer,
                layout: wgpu::TexelCopyBufferLayout::default(),
            },
            wgpu::Extent3d {
                width: 1,
                height: 1,
                depth_or_array_layers: 1,
            },
        );
        true
    }

    /// Asks for the answer once the commands are submitted, and takes it when it is there: the place
    /// of a block plus one, 0 for none. Never waits.
    pub fn answer(&self, device: &wgpu::Device) -> Option<u32> {
        if *self.state() == State::Recorded {
            *self.state() = State::Mapping;
            let state = Arc::clone(&self.state);
            self.buffer
                .slice(..)
                .map_async(wgpu::MapMode::Read, move |result| {
                    let next = if result.is_ok() {
                        State::Mapped
                    } else {
                        State::Idle
                    };
                    *state.lock().unwrap_or_else(PoisonError::into_inner) = next;
                });
        }
        // A lost device answers nothing; the window sees the loss by `Gpu::check`.
        let _ = device.poll(wgpu::PollType::Poll);
        if *self.state() != State::Mapped {
            return None;
        }
        let id = self
            .buffer
            .slice(..4)
            .get_mapped_range()
            .ok()
            .and_then(|bytes| bytes.first_chunk().copied().map(u32::from_ne_bytes));
        self.buffer.unmap();
        *self.state() = State::Idle;
        id
    }
}
