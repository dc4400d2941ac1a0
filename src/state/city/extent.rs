//! How far the landscape reaches: with towers, and what rises while a recording plays.

use glam::{Vec2, Vec3};

use super::{City, activity, eye, memory, past};
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_layout::geometry::{Block, BlockKind};
use callscape_look::camera::Camera;
use callscape_model::metric::Metric;

impl City {
    /// The box of the block that stands for `module`: lowest and highest corner at rest.
    pub fn bounds(&self, module: ModuleId) -> Option<(Vec3, Vec3)> {
        let block = self.block_of.get(module.index())?;
        let block = self.blocks.get(*block as usize)?;
        Some((block.min, block.max))
    }

    /// The box around a module and all that stands on it, as high as it may rise while a recording plays. O(subtree).
    pub fn standing(&self, module: ModuleId) -> Option<(Vec3, Vec3)> {
        let first = *self.block_of.get(module.index())?;
        let (min, mut max) = self.bounds(module)?;
        let end = self.blocks.get(first as usize)?.subtree_end;
        for (index, block) in (first..end).zip(&self.blocks[first as usize..end as usize]) {
            let may_rise = self.activity.may_rise(index);
            let rise = if may_rise { self.most_rise(block) } else { 0.0 };
            max.z = max.z.max(block.max.z + rise);
        }
        Some((min, max))
    }

    /// The box around everything, the same at all times of a recording. O(blocks).
    pub fn whole(&self) -> Option<(Vec3, Vec3)> {
        let root = self.blocks.first()?;
        let tops = self.blocks.iter();
        let tops = tops.map(|block| block.max.z + self.most_rise(block));
        Some((root.min, root.max.with_z(tops.fold(root.max.z, f32::max))))
    }

    /// How far a block rises at most, if anything raises it.
    fn most_rise(&self, block: &Block) -> f32 {
        match block.kind {
            BlockKind::Terrace => 0.0,
            _ if let Some(highest) = self.live_height() => highest,
            _ if self.metrics.has(Metric::Calls) => activity::rise_of(block),
            _ => 0.0,
        }
    }

    /// How high blocks stand at most where heights are those of the clock.
    pub(super) fn live_height(&self) -> Option<f32> {
        let (settings, metrics) = (&self.settings, &self.metrics);
        memory::live_height(settings, metrics).or_else(|| past::live_height(settings, metrics))
    }

    /// Where a block ends now: its top at rest and how far it has risen.
    pub fn top(&self, module: ModuleId) -> Option<f32> {
        let index = *self.block_of.get(module.index())? as usize;
        Some(self.blocks.get(index)?.max.z + self.looks.get(index)?.rise)
    }

    /// For each displayed module that holds others, in preorder, how large its leaves are on a picture of `size`
    /// pixels, on average and as the sides of squares. What is not on the picture is left out. O(blocks).
    pub fn leaf_sizes(
        &self,
        session: &Session,
        camera: &Camera,
        size: Vec2,
    ) -> Vec<(ModuleId, f32)> {
        let eye = eye(camera, size);
        let hierarchy = &session.hierarchy;
        let mut leaves = vec![0u32; hierarchy.len() + 1];
        for id in hierarchy.modules() {
            let is_leaf = u32::from(hierarchy.is_leaf(id));
            leaves[id.index() + 1] = leaves[id.index()] + is_leaf;
        }
        let holding = self
            .blocks
            .iter()
            .filter(|block| block.kind != BlockKind::Leaf);
        let sizes = holding.filter_map(|block| {
            let middle = ((block.min + block.max) * 0.5).with_z(block.max.z);
            let side = ((block.max.x - block.min.x) * (block.max.y - block.min.y)).sqrt();
            let near = (middle - eye.position).length() - side * 0.7;
            let at = eye.clip_from_world * middle.extend(1.0);
            let radius = side * 1.5;
            let is_seen = at.w > -radius
                && at.x.abs() <= at.w + radius * 2.0
                && at.y.abs() <= at.w + radius * 2.0;
            let subtree = hierarchy.subtree(block.module);
            let count = leaves[subtree.end as usize] - leaves[subtree.start as usize];
            let pixels = side / (count.max(1) as f32).sqrt() * eye.focal / near.max(1.0);
            is_seen.then_some((block.module, pixels))
        });
        sizes.collect()
    }
}
