//! A buffer on the device that grows with what it holds.

use std::ops::Range;

use bytemuck::Pod;

/// So many records are compared together.
const CHUNK: usize = 256;
/// Sending a part on its own takes as long as sending so many bytes more with another.
const WORTH: usize = 32 * 1024;

/// Records of one type; written in whole or in part. Holds at least one record, since a binding
/// must not be empty.
pub(crate) struct Growing {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
}

impl Growing {
    pub(crate) fn new(device: &wgpu::Device, label: &'static str) -> Growing {
        Growing::with_usage(device, label, wgpu::BufferUsages::STORAGE)
    }

    /// One that is written, and otherwise used as said.
    pub(crate) fn with_usage(
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

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Makes room for `bytes`; true when the buffer is another one afterwards and groups that bind
    /// it must be made again. Grows by half at least, up to what the device can bind.
    pub(crate) fn reserve(&mut self, device: &wgpu::Device, bytes: u64) -> bool {
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
    pub(crate) fn most<T>(device: &wgpu::Device) -> usize {
        let limits = device.limits();
        let bytes = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        usize::try_from(bytes).unwrap_or(usize::MAX) / size_of::<T>().max(1)
    }

    /// Writes records from `first` on; what does not fit is left out.
    pub(crate) fn write<T: Pod>(&self, queue: &wgpu::Queue, first: usize, records: &[T]) {
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

/// The parts of `new` that are not in `old` at the same place, in whole chunks; those that nearly touch are one.
pub(crate) fn each_difference<T: PartialEq>(
    old: &[T],
    new: &[T],
    mut tell: impl FnMut(Range<usize>),
) {
    let gap = WORTH / size_of::<T>().max(1);
    let mut open: Option<Range<usize>> = None;
    for start in (0..new.len()).step_by(CHUNK) {
        let range = start..(start + CHUNK).min(new.len());
        if old.get(range.clone()) == Some(&new[range.clone()]) {
            continue;
        }
        match &mut open {
            Some(open) if range.start <= open.end + gap => open.end = range.end,
            _ => open.replace(range).into_iter().for_each(&mut tell),
        }
    }
    open.into_iter().for_each(tell);
}

/// Makes `kept` equal to `new`, of which it has the first `same` already; what is at its place is not written again.
pub(crate) fn keep<T: Copy + PartialEq>(kept: &mut Vec<T>, new: &[T], same: usize) {
    kept.truncate(new.len());
    let same = same.min(kept.len());
    for (kept, new) in kept[same..]
        .chunks_mut(CHUNK)
        .zip(new[same..].chunks(CHUNK))
    {
        if kept != &new[..kept.len()] {
            kept.copy_from_slice(&new[..kept.len()]);
        }
    }
    kept.extend_from_slice(&new[kept.len()..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_in_few_parts_and_all_of_it() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let old: Vec<u64> = (0..random(2_000)).map(|_| random(2)).collect();
            let mut new = old.clone();
            new.resize(random(2_000) as usize, 7);
            for _ in 0..random(5) {
                let at = random(new.len().max(1) as u64) as usize;
                if let Some(it) = new.get_mut(at) {
                    *it += 1;
                }
            }
            let mut kept = old.clone();
            kept.resize(new.len(), 99);
            let mut end = None;
            each_difference(&old, &new, |range| {
                assert!(
                    end.is_none_or(|end| end < range.start),
                    "apart and in order"
                );
                end = Some(range.end);
                kept[range.clone()].copy_from_slice(&new[range]);
            });
            assert_eq!(kept, new);
            let mut kept = old;
            let same = (0..kept.len().min(new.len())).take_while(|&at| kept[at] == new[at]);
            let same = same.count() / 2;
            keep(&mut kept, &new, same);
            assert_eq!(kept, new);
        }
    }
}
