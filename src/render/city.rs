//! The blocks on the device: two columns of records that several passes read, `shaders/city.wgsl`.

use glam::Vec2;

use crate::layout::geometry::{Block, BlockKind, BlockLook};
use crate::units::ModuleId;

use super::growing::Growing;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Block` of `shaders/city.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Block {
        pub low: [f32; 3],
        pub level_kind: u32,
        pub high: [f32; 3],
        pub pad: u32,
    }

    /// `Look` of `shaders/city.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub struct Look {
        pub data: [u32; 2],
        pub glow: f32,
        pub rise: f32,
    }
}

/// The blocks that are drawn and how they look.
pub struct City {
    pub blocks: Growing,
    pub looks: Growing,
    /// What the device holds, to leave out uploads that change nothing.
    records: Vec<gpu::Block>,
    shown: Vec<gpu::Look>,
    /// Of each block, its module and one past the last block of its subtree.
    modules: Vec<(ModuleId, u32)>,
    pub bounds: Bounds,
    /// The most that a block rose since the layout.
    most_rise: f32,
    /// Steps of the hierarchy from the root's lightness to the deepest.
    pub levels: f32,
}

/// The footprint of everything that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub min: Vec2,
    pub max: Vec2,
    /// Of the highest top at rest.
    pub top: f32,
}

/// What a change did to the device's buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Something looks different.
    pub visible: bool,
    /// Heights or glow seen from above are different.
    pub relief: bool,
    /// The buffers are others than before.
    pub moved: bool,
}

impl City {
    pub fn new(device: &wgpu::Device) -> City {
        City {
            blocks: Growing::new(device, "blocks"),
            looks: Growing::new(device, "looks"),
            records: Vec::new(),
            shown: Vec::new(),
            modules: Vec::new(),
            bounds: Bounds::of(&[]),
            most_rise: 0.0,
            levels: 2.0,
        }
    }

    /// How many blocks are drawn; fewer than were given where the device cannot hold them.
    pub fn count(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// Takes a new layout; every block is at rest.
    pub fn set_blocks(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        blocks: &[Block],
    ) -> Change {
        // Ids have to fit beside "none" in the visibility buffer.
        let most = Growing::most::<gpu::Block>(device).min(u32::MAX as usize - 1);
        let blocks = &blocks[..blocks.len().min(most)];
        self.records.clear();
        self.records.extend(blocks.iter().map(record));
        self.modules.clear();
        self.modules
            .extend(blocks.iter().map(|block| (block.module, block.subtree_end)));
        self.shown.clear();
        self.shown.resize(blocks.len(), gpu::Look::default());
        self.bounds = Bounds::of(blocks);
        self.most_rise = 0.0;
        self.levels = levels(blocks);
        let bytes = |record: usize| (blocks.len() * record) as u64;
        let moved = self.blocks.reserve(device, bytes(size_of::<gpu::Block>()));
        let moved = self.looks.reserve(device, bytes(size_of::<gpu::Look>())) | moved;
        self.blocks.write(queue, 0, &self.records);
        self.looks.write(queue, 0, &self.shown);
        Change {
            visible: true,
            relief: true,
            moved,
        }
    }

    /// Takes the looks of the blocks from `first` on; uploads from the first to the last that
    /// differ.
    pub fn set_looks(&mut self, queue: &wgpu::Queue, first: usize, looks: &[BlockLook]) -> Change {
        let mut change = Change::default();
        let mut changed: Option<std::ops::Range<usize>> = None;
        let shown = self.shown.iter_mut().enumerate().skip(first);
        for ((index, shown), look) in shown.zip(looks) {
            let look = look_record(look);
            if *shown != look {
                change.visible = true;
                change.relief |= shown.rise != look.rise || shown.glow != look.glow;
                self.most_rise = self.most_rise.max(look.rise);
                *shown = look;
                let start = changed.map_or(index, |changed| changed.start);
                changed = Some(start..index + 1);
            }
        }
        if let Some(changed) = changed {
            let start = changed.start;
            self.looks.write(queue, start, &self.shown[changed]);
        }
        change
    }

    /// The module of a block by its place.
    pub fn module(&self, block: usize) -> Option<ModuleId> {
        self.modules.get(block).map(|&(module, _)| module)
    }

    /// The blocks that show a module: its own and those standing on it; or the one block into which
    /// it is collapsed.
    pub fn blocks_of(&self, module: ModuleId) -> Option<std::ops::Range<u32>> {
        let after = self.modules.partition_point(|&(shown, _)| shown <= module);
        let at = after.checked_sub(1)?;
        let &(shown, end) = self.modules.get(at)?;
        let kind = self.records.get(at)?.level_kind >> 16;
        (shown == module || kind == BlockKind::Collapsed as u32)
            .then(|| at as u32..end.clamp(after as u32, self.count()))
    }

    /// No block reaches higher.
    pub fn highest(&self) -> f32 {
        self.bounds.top + self.most_rise
    }

    /// The corners of a block, with its rise.
    pub fn corners(&self, block: usize) -> Option<(glam::Vec3, glam::Vec3)> {
        let record = self.records.get(block)?;
        let rise = self.shown.get(block)?.rise;
        let high = glam::Vec3::from(record.high) + glam::Vec3::Z * rise;
        Some((record.low.into(), high))
    }
}

impl Bounds {
    fn of(blocks: &[Block]) -> Bounds {
        let mut bounds = Bounds {
            min: Vec2::INFINITY,
            max: Vec2::NEG_INFINITY,
            top: 0.0,
        };
        for block in blocks {
            bounds.min = bounds.min.min(block.min.truncate());
            bounds.max = bounds.max.max(block.max.truncate());
            bounds.top = bounds.top.max(block.max.z);
        }
        if bounds.min.is_finite() && bounds.max.is_finite() && bounds.min.cmple(bounds.max).all() {
            bounds
        } else {
            Bounds {
                min: Vec2::ZERO,
                max: Vec2::ONE,
                top: 0.0,
            }
        }
    }
}

fn record(block: &Block) -> gpu::Block {
    gpu::Block {
        low: block.min.to_array(),
        level_kind: u32::from(block.level) | (block.kind as u32) << 16,
        high: block.max.to_array(),
        pad: 0,
    }
}

fn look_record(look: &BlockLook) -> gpu::Look {
    let half = |a: f32, b: f32| u32::from(half_bits(a)) | u32::from(half_bits(b)) << 16;
    let [r, g, b, a] = look.data;
    let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
    // The pattern travels with the alpha, which is no more than 1: the shader takes them apart again.
    let a = finite(a).clamp(0.0, 1.0) + 2.0 * f32::from(look.mark as u8);
    gpu::Look {
        data: [half(r, g), half(b, a)],
        glow: finite(look.glow).clamp(0.0, 1.0),
        rise: finite(look.rise).max(0.0),
    }
}

/// The bits of the half float next below `value` in size; colours need no better rounding.
fn half_bits(value: f32) -> u16 {
    let clamped = if value.is_nan() {
        0.0
    } else {
        value.clamp(0.0, 65504.0)
    };
    // Smallest normal half float; what is smaller is black.
    if clamped < 6.2e-5 {
        return 0;
    }
    let bits = clamped.to_bits();
    let exponent = (bits >> 23) - 112;
    (exponent << 10 | (bits >> 13 & 0x3FF)) as u16
}

/// Nine in ten blocks lie within these levels: a single deep branch does not darken the rest.
pub fn levels(blocks: &[Block]) -> f32 {
    let mut counts = [0usize; 64];
    for block in blocks {
        let level = usize::from(block.level).min(counts.len() - 1);
        counts[level] += 1;
    }
    let mut below = 0;
    let level = counts
        .iter()
        .position(|count| {
            below += count;
            below * 10 >= blocks.len() * 9
        })
        .unwrap_or(0);
    (level as f32).clamp(2.0, 12.0)
}
