//! The blocks on the device: two columns of records that several passes read, `shaders/city.wgsl`.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::growing::Growing;
use super::merged;
use super::records::{glow, gpu, look_record, recolored, record, rise};
use callscape_base::units::ModuleId;
use callscape_layout::geometry::{Block, BlockActivity, BlockKind, BlockLook};
use callscape_look::lightness;

/// The blocks that are drawn and how they look.
pub(crate) struct City {
    pub blocks: Growing,
    pub looks: Growing,
    pub merged: Growing,
    /// What the device holds, to leave out uploads that change nothing.
    records: Vec<gpu::Block>,
    shown: Vec<gpu::Look>,
    /// The places whose looks the device does not hold yet, each once, and what is sent of them.
    changed: Vec<u32>,
    /// A bit for each place, as is whether a terrace is there: what is far apart in memory is asked less often so.
    is_changed: Vec<u64>,
    is_terrace: Vec<u64>,
    changes: Vec<gpu::Change>,
    /// The mean colours of what stands on blocks have to be found anew.
    is_mean_old: bool,
    means: Vec<gpu::Merged>,
    /// Where blocks started that are on their way.
    starts: Vec<gpu::Block>,
    /// Of each block, its module and one past the last block of its subtree.
    modules: Vec<(ModuleId, u32)>,
    pub bounds: Bounds,
    /// The most that a block rose since the layout.
    most_rise: f32,
    /// Steps of the hierarchy from the root's lightness to the deepest.
    pub levels: f32,
}

/// So few changed looks are always sent one by one.
const SCATTERED: usize = 64;

/// The footprint of everything that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: Vec2,
    pub max: Vec2,
    /// Of the highest top at rest.
    pub top: f32,
}

/// What a change did to the device's buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Something looks different.
    pub visible: bool,
    /// Heights or glow seen from above are different.
    pub relief: bool,
    /// The buffers are others than before.
    pub moved: bool,
}

impl City {
    pub(crate) fn new(device: &wgpu::Device) -> City {
        City {
            blocks: Growing::new(device, "blocks"),
            looks: Growing::new(device, "looks"),
            merged: Growing::new(device, "merged"),
            records: Vec::new(),
            shown: Vec::new(),
            changed: Vec::new(),
            is_changed: Vec::new(),
            is_terrace: Vec::new(),
            changes: Vec::new(),
            is_mean_old: false,
            means: Vec::new(),
            starts: Vec::new(),
            modules: Vec::new(),
            bounds: Bounds::of(&[]),
            most_rise: 0.0,
            levels: 2.0,
        }
    }

    /// How many blocks a device can hold at most.
    pub(crate) fn most(device: &wgpu::Device) -> usize {
        // Ids have to fit beside "none" in the visibility buffer; the list of what is drawn is rounded up.
        let records = Growing::most::<gpu::Block>(device).min(u32::MAX as usize - 1);
        records.saturating_sub(64)
    }

    /// How many blocks are drawn; fewer than were given where the device cannot hold them.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// Takes a new layout; every block is at rest.
    pub(crate) fn set_blocks(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        blocks: &[Block],
    ) -> Change {
        let blocks = &blocks[..blocks.len().min(City::most(device))];
        self.records.clear();
        self.records.extend(blocks.iter().map(record));
        merged::set_parents(&mut self.records, blocks);
        self.modules.clear();
        self.modules
            .extend(blocks.iter().map(|block| (block.module, block.subtree_end)));
        self.shown.clear();
        self.shown.resize(blocks.len(), gpu::Look::default());
        self.changed.clear();
        self.is_changed.clear();
        self.is_changed.resize(blocks.len().div_ceil(64), 0);
        self.is_terrace.clear();
        self.is_terrace.extend(blocks.chunks(64).map(|blocks| {
            let bits = blocks.iter().enumerate();
            bits.fold(0, |all, (place, block)| {
                all | u64::from(block.kind == BlockKind::Terrace) << place
            })
        }));
        self.starts.clear();
        self.bounds = Bounds::of(blocks);
        self.most_rise = 0.0;
        self.levels = lightness::levels(blocks);
        self.is_mean_old = true;
        let bytes = |record: usize| (blocks.len() * record) as u64;
        let moved = self.blocks.reserve(device, bytes(size_of::<gpu::Block>()));
        let moved = self.looks.reserve(device, bytes(size_of::<gpu::Look>())) | moved;
        let moved = self.merged.reserve(device, bytes(size_of::<gpu::Merged>())) | moved;
        self.blocks.write(queue, 0, &self.records);
        self.looks.write(queue, 0, &self.shown);
        Change {
            visible: true,
            relief: true,
            moved,
        }
    }

    /// Blocks start from other corners, lowest and highest of each; the places of those that they go to are the
    /// records that this gives.
    pub(crate) fn start_from(
        &mut self,
        corners: &[(Vec3, Vec3)],
    ) -> (&[gpu::Block], &[gpu::Block]) {
        self.starts.clear();
        let corners = corners.iter().map(Some).chain(std::iter::repeat(None));
        let starts = self.records.iter().zip(corners).map(|(&record, corners)| {
            let Some((low, high)) = corners else {
                return record;
            };
            gpu::Block {
                low: low.to_array(),
                high: high.to_array(),
                ..record
            }
        });
        self.starts.extend(starts);
        for start in &self.starts {
            let (low, high) = (Vec3::from(start.low), Vec3::from(start.high));
            if low.is_finite() && high.is_finite() {
                self.bounds.min = self.bounds.min.min(low.truncate());
                self.bounds.max = self.bounds.max.max(high.truncate());
                self.bounds.top = self.bounds.top.max(high.z);
            }
        }
        (&self.starts, &self.records)
    }

    /// Blocks are where they were going.
    pub(crate) fn arrive(&mut self) {
        self.starts.clear();
        self.bounds = Bounds::between(
            self.records
                .iter()
                .map(|record| (record.low.into(), record.high.into())),
        );
    }

    /// Takes the looks of the blocks from `first` on; those that differ wait until they are uploaded.
    pub(crate) fn set_looks(&mut self, first: usize, looks: &[BlockLook]) -> Change {
        let mut change = Change::default();
        for (place, look) in (first..self.shown.len()).zip(looks) {
            self.set_look(place, look_record(look), &mut change);
        }
        change
    }

    /// The same of how active some blocks are, whose looks are else as they were.
    pub(crate) fn set_activity(&mut self, activity: &[BlockActivity]) -> Change {
        // Blocks lie far from each other in memory: asked for together they come together.
        let near = activity.iter().filter_map(|of| {
            let shown = self.shown.get(of.block as usize)?;
            Some(shown.glow.to_bits())
        });
        std::hint::black_box(near.fold(0, |all, one| all ^ one));
        let mut change = Change::default();
        for of in activity {
            if let Some(&shown) = self.shown.get(of.block as usize) {
                let look = gpu::Look {
                    data: recolored(shown.data, of.data),
                    glow: glow(of.glow),
                    rise: rise(of.rise),
                };
                self.set_look(of.block as usize, look, &mut change);
            }
        }
        change
    }

    fn set_look(&mut self, place: usize, look: gpu::Look, change: &mut Change) {
        let shown = &mut self.shown[place];
        if *shown == look {
            return;
        }
        change.visible = true;
        change.relief |= shown.rise != look.rise || shown.glow != look.glow;
        if !self.is_mean_old {
            let is_terrace = self.is_terrace[place / 64] >> (place % 64) & 1 == 1;
            let flat = |look: &gpu::Look| merged::flat_glow(is_terrace, look);
            self.is_mean_old = shown.data != look.data || flat(shown) != flat(&look);
        }
        self.most_rise = self.most_rise.max(look.rise);
        *shown = look;
        let (word, bit) = (&mut self.is_changed[place / 64], 1 << (place % 64));
        if *word & bit == 0 {
            *word |= bit;
            self.changed.push(place as u32);
        }
    }

    /// Uploads what of the looks is better sent in one piece; the others wait as [`changes`](Self::changes).
    pub(crate) fn upload_looks(&mut self, queue: &wgpu::Queue) {
        if std::mem::take(&mut self.is_mean_old) {
            merged::find(
                &self.records,
                &self.modules,
                &self.shown,
                self.levels,
                &mut self.means,
            );
            self.merged.write(queue, 0, &self.means);
        }
        self.changes.clear();
        if self.changed.len() > SCATTERED.max(self.shown.len() / 4) {
            let first = self.changed.iter().min().copied().unwrap_or(0) as usize;
            let last = self.changed.iter().max().copied().unwrap_or(0) as usize;
            if let Some(looks) = self.shown.get(first..=last) {
                self.looks.write(queue, first, looks);
            }
        } else {
            self.changes.extend(self.changed.iter().map(|&place| {
                let look = self.shown[place as usize];
                gpu::Change {
                    data: look.data,
                    glow: look.glow,
                    rise: look.rise,
                    place,
                    pad: 0,
                }
            }));
        }
        for place in self.changed.drain(..) {
            self.is_changed[place as usize / 64] = 0;
        }
    }

    /// The looks to be put in their places on the device.
    pub(crate) fn changes(&self) -> &[gpu::Change] {
        &self.changes
    }

    pub(crate) fn changes_are_done(&mut self) {
        self.changes.clear();
    }

    /// The module of a block by its place.
    pub(crate) fn module(&self, block: usize) -> Option<ModuleId> {
        self.modules.get(block).map(|&(module, _)| module)
    }

    /// The blocks that show a module: its own and those standing on it; or the one block into which
    /// it is collapsed.
    pub(crate) fn blocks_of(&self, module: ModuleId) -> Option<Range<u32>> {
        let after = self.modules.partition_point(|&(shown, _)| shown <= module);
        let at = after.checked_sub(1)?;
        let &(shown, end) = self.modules.get(at)?;
        let kind = self.records.get(at)?.level_kind >> 16;
        (shown == module || kind == BlockKind::Collapsed as u32)
            .then(|| at as u32..end.clamp(after as u32, self.count()))
    }

    /// The subtrees of the blocks around a block, innermost first, up to the root.
    pub(crate) fn around(&self, block: u32) -> impl Iterator<Item = Range<u32>> {
        let parent = |&block: &u32| {
            let parent = self.records.get(block as usize)?.parent;
            (parent != block).then_some(parent)
        };
        let around = std::iter::successors(parent(&block), parent);
        around.filter_map(|block| Some(block..self.modules.get(block as usize)?.1))
    }

    /// No block reaches higher.
    pub(crate) fn highest(&self) -> f32 {
        self.bounds.top + self.most_rise
    }

    /// The corners of a block, with its rise.
    pub(crate) fn corners(&self, block: usize) -> Option<(Vec3, Vec3)> {
        let record = self.records.get(block)?;
        let rise = self.shown.get(block)?.rise;
        let (mut low, mut high) = (Vec3::from(record.low), Vec3::from(record.high));
        // On its way it is somewhere between.
        if let Some(start) = self.starts.get(block) {
            low = low.min(start.low.into());
            high = high.max(start.high.into());
        }
        Some((low, high + Vec3::Z * rise))
    }
}

impl Bounds {
    fn of(blocks: &[Block]) -> Bounds {
        Bounds::between(blocks.iter().map(|block| (block.min, block.max)))
    }

    fn between(corners: impl Iterator<Item = (Vec3, Vec3)>) -> Bounds {
        let mut bounds = Bounds {
            min: Vec2::INFINITY,
            max: Vec2::NEG_INFINITY,
            top: 0.0,
        };
        for (min, max) in corners {
            bounds.min = bounds.min.min(min.truncate());
            bounds.max = bounds.max.max(max.truncate());
            bounds.top = bounds.top.max(max.z);
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
