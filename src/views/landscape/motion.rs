//! Blocks on their way from an old layout to a new one. The device moves them by itself; what is here is for arcs, names
//! and picking.

use std::collections::HashMap;

use glam::Vec3;

use crate::layout::geometry::Block;
use crate::units::ModuleId;

/// Seconds from one layout to the next.
const DURATION: f32 = 0.55;

/// The boxes of blocks by what their modules are called in every layout of the same structure.
pub type Boxes = HashMap<ModuleId, (Vec3, Vec3)>;

/// Where blocks come from, and how far they are.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// By block.
    from: Vec<(Vec3, Vec3)>,
    /// The blocks as they are now.
    now: Vec<Block>,
    /// Seconds since it began.
    elapsed: f32,
}

impl Motion {
    /// From where the modules were to `blocks`. `before` gives where a module was; one that was not there rises
    /// from the ground where it will be.
    pub fn new(
        blocks: &[Block],
        mut before: impl FnMut(ModuleId) -> Option<(Vec3, Vec3)>,
    ) -> Motion {
        let from = |block: &Block| {
            let flat = block.max.with_z(block.min.z);
            before(block.module).unwrap_or((block.min, flat))
        };
        let mut motion = Motion {
            from: blocks.iter().map(from).collect(),
            now: blocks.to_vec(),
            elapsed: 0.0,
        };
        motion.advance(blocks, 0.0);
        motion
    }

    /// Where each block started: its lowest and highest corner.
    pub fn starts(&self) -> &[(Vec3, Vec3)] {
        &self.from
    }

    /// How much of its way each block has gone, 0 to 1.
    pub fn share(&self) -> f32 {
        let share = (self.elapsed / DURATION).min(1.0);
        // Begins and ends at rest.
        share * share * (3.0 - 2.0 * share)
    }

    /// The blocks on their way.
    pub fn blocks(&self) -> &[Block] {
        &self.now
    }

    /// Moves on by `seconds`; whether there is still some way to go. O(blocks).
    pub fn advance(&mut self, blocks: &[Block], seconds: f32) -> bool {
        self.elapsed += seconds;
        let eased = self.share();
        for ((now, block), (min, max)) in self.now.iter_mut().zip(blocks).zip(&self.from) {
            now.min = min.lerp(block.min, eased);
            now.max = max.lerp(block.max, eased);
        }
        eased < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::BlockKind;

    #[test]
    fn blocks_ease_from_the_old_box_to_the_new_one() {
        let block = |module: u32, at: f32| Block {
            module: ModuleId(module),
            kind: BlockKind::Leaf,
            level: 0,
            min: Vec3::splat(at),
            max: Vec3::splat(at + 1.0),
            subtree_end: module + 1,
        };
        let blocks = [block(0, 10.0), block(1, 20.0)];
        let before = |module| (module == ModuleId(0)).then_some((Vec3::ZERO, Vec3::ONE));
        let mut motion = Motion::new(&blocks, before);
        assert_eq!(motion.blocks()[0].min, Vec3::ZERO);
        assert_eq!(motion.blocks()[1].max, Vec3::new(21.0, 21.0, 20.0));
        let mut last = 0.0;
        while motion.advance(&blocks, 0.05) {
            let x = motion.blocks()[0].min.x;
            assert!(x > last && x < 10.0, "{x}");
            last = x;
        }
        assert_eq!(motion.blocks(), blocks);
    }
}
