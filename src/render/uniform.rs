//! A record on the device that a pass reads as it is.

use bytemuck::Pod;

/// A buffer for one `T`. Each write costs the graphics library a buffer of its own: what is there already is not
/// written again.
pub(crate) struct Uniform<T> {
    buffer: wgpu::Buffer,
    written: Option<T>,
}

impl<T: Pod> Uniform<T> {
    pub(crate) fn new(device: &wgpu::Device, label: &str) -> Uniform<T> {
        Uniform {
            buffer: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: size_of::<T>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            written: None,
        }
    }

    /// What is submitted next reads `record`.
    pub(crate) fn write(&mut self, queue: &wgpu::Queue, record: T) {
        let bytes = bytemuck::bytes_of(&record);
        if self.written.as_ref().map(bytemuck::bytes_of) != Some(bytes) {
            queue.write_buffer(&self.buffer, 0, bytes);
            self.written = Some(record);
        }
    }

    pub(crate) fn binding(&self) -> wgpu::BindingResource<'_> {
        self.buffer.as_entire_binding()
    }
}
