//! A buffer on the device that grows with what it holds.

use bytemuck::Pod;

/// Records of one type; written in whole or in part. Holds at least one record, since a binding
/// must not be empty.
pub struct Growing {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
}

impl Growing {
    pub fn new(device: &wgpu::Device, label: &'static str) -> Growing {
        Growing::with_usage(device, label, wgpu::BufferUsages::STORAGE)
    }

    /// One that is written, and otherwise used as said.
    pub fn with_usage(
        device: &wgpu::Device,
        label: &'static str,
        usage: wgpu::BufferUsages,
    ) -> Growing {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Growing {
            label,
            usage,
            buffer: make(device, label, usage, 4096),
        }
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Makes room for `bytes`; true when the buffer is another one afterwards and groups that bind
    /// it must be made again. Grows by half at least, up to what the device can bind.
    pub fn reserve(&mut self, device: &wgpu::Device, bytes: u64) -> bool {
        if bytes <= self.buffer.size() {
            return false;
        }
        let limits = device.limits();
        let most = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let size = bytes.max(self.buffer.size() * 3 / 2).min(most) & !15;
        if size == self.buffer.size() {
            return false;
        }
        self.buffer = make(device, self.label, self.usage, size);
        true
    }

    /// How many records of `T` fit into what the device can bind at once.
    pub fn most<T>(device: &wgpu::Device) -> usize {
        let limits = device.limits();
        let bytes = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        usize::try_from(bytes).unwrap_or(usize::MAX) / size_of::<T>().max(1)
    }

    /// Writes records from `first` on; what does not fit is left out.
    pub fn write<T: Pod>(&self, queue: &wgpu::Queue, first: usize, records: &[T]) {
        let record = size_of::<T>().max(1);
        let room = usize::try_from(self.buffer.size()).unwrap_or(usize::MAX) / record;
        let count = records.len().min(room.saturating_sub(first));
        if let Some(records) = records.get(..count)
            && count > 0
        {
            let offset = (first * record) as u64;
            queue.write_buffer(&self.buffer, offset, bytemuck::cast_slice(records));
        }
    }
}

fn make(device: &wgpu::Device, label: &str, usage: wgpu::BufferUsages, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}
