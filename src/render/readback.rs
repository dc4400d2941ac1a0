//! What the device drew, brought back: pictures and the block at a pixel.

use super::gpu::{Gpu, GpuError};
use super::image::Image;

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
