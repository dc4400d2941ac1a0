//! Blocks on their way from an old layout to a new one. The device moves them by itself; what is here is for arcs, names
//! and picking.

use std::collections::HashMap;

use glam::Vec3;

use callscape_base::units::ModuleId;
use callscape_layout::geometry::Block;
use callscape_model::theme::Theme;

/// Seconds from one layout to the next.
const DURATION: f32 = 0.55;

/// Blocks as they were, by what their modules are called in every layout of the same structure.
#[derive(Clone, Debug)]
pub struct Boxes {
    pub(super) theme: Theme,
    pub(super) of: HashMap<ModuleId, Was>,
}

/// A block as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Was {
    pub min: Vec3,
    pub max: Vec3,
    /// As it was seen, linear.
    pub color: [f32; 3],
}

/// Between a plate and what it lies on, in world units: both would be seen in one place.
const PLATE: f32 = 0.2;

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
    /// From where the modules were to `blocks`, which are in preorder. `before` gives where a module was; one that was
    /// not there rises as a plate from the roof of what it is in, and without that from the ground where it will be.
    pub(super) fn new(
        blocks: &[Block],
        mut before: impl FnMut(ModuleId) -> Option<(Vec3, Vec3)>,
    ) -> Motion {
        let mut from: Vec<(Vec3, Vec3)> = Vec::with_capacity(blocks.len());
        let mut around: Vec<usize> = Vec::new();
        for block in blocks {
            while around
                .pop_if(|at| blocks[*at].subtree_end <= block.module.0)
                .is_some()
            {}
            let flat = (block.min, block.max.with_z(block.min.z));
            let on = around.last().map(|&at| (&blocks[at], from[at]));
            let plate = on.map_or(flat, |(around, roof)| plate_on(block, around, roof));
            around.push(from.len());
            from.push(before(block.module).unwrap_or(plate));
        }
        let mut motion = Motion {
            from,
            now: blocks.to_vec(),
            elapsed: 0.0,
        };
        motion.advance(blocks, 0.0);
        motion
    }

    /// Where each block started: its lowest and highest corner.
    pub(super) fn starts(&self) -> &[(Vec3, Vec3)] {
        &self.from
    }

    /// How much of its way each block has gone, 0 to 1.
    pub(super) fn share(&self) -> f32 {
        let share = (self.elapsed / DURATION).min(1.0);
        // Begins and ends at rest.
        share * share * (3.0 - 2.0 * share)
    }

    /// The blocks on their way.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.now
    }

    /// Moves on by `seconds`; whether there is still some way to go. O(blocks).
    pub(super) fn advance(&mut self, blocks: &[Block], seconds: f32) -> bool {
        self.elapsed += seconds;
        let eased = self.share();
        for ((now, block), (min, max)) in self.now.iter_mut().zip(blocks).zip(&self.from) {
            now.min = min.lerp(block.min, eased);
            now.max = max.lerp(block.max, eased);
        }
        eased < 1.0
    }
}

/// `block` as a plate on `around`, which it will be in, where that is `from` its lowest to its highest corner.
fn plate_on(block: &Block, around: &Block, (low, high): (Vec3, Vec3)) -> (Vec3, Vec3) {
    let size = (around.max - around.min).max(Vec3::splat(f32::EPSILON));
    let moved = |at: Vec3| low + (at - around.min) / size * (high - low);
    let thickness = PLATE.min(block.max.z - block.min.z);
    (
        moved(block.min).with_z(high.z),
        moved(block.max).with_z(high.z + thickness),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_layout::geometry::BlockKind;

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

    #[test]
    fn what_was_not_there_begins_on_the_roof_that_it_opens_and_stays_above_it() {
        let block = |module: u32, end: u32, min: Vec3, max: Vec3| Block {
            module: ModuleId(module),
            kind: BlockKind::Leaf,
            level: 0,
            min,
            max,
            subtree_end: end,
        };
        let (low, mid) = (Vec3::new(0.0, 0.0, 2.0), Vec3::new(1.0, 1.0, 2.0));
        let blocks = [
            block(0, 4, Vec3::ZERO, Vec3::new(10.0, 10.0, 2.0)),
            block(1, 3, low + mid.with_z(0.0), Vec3::new(9.0, 9.0, 4.0)),
            block(2, 3, Vec3::new(2.0, 2.0, 4.0), Vec3::new(8.0, 8.0, 5.0)),
            block(3, 4, Vec3::new(9.0, 0.0, 2.0), Vec3::new(10.0, 9.0, 3.0)),
        ];
        // It was a block of another size, and higher.
        let was = (Vec3::ZERO, Vec3::new(20.0, 10.0, 7.0));
        let before = |module| (module == ModuleId(0)).then_some(was);
        let mut motion = Motion::new(&blocks, before);
        assert_eq!(motion.starts()[1].0, Vec3::new(2.0, 1.0, 7.0));
        assert_eq!(motion.starts()[3].1.truncate(), glam::Vec2::new(20.0, 9.0));
        loop {
            let now = motion.blocks();
            let tops = [0, 1, 2].map(|at: usize| now[at].max.z);
            assert!(tops[0] < tops[1] && tops[1] < tops[2], "{tops:?}");
            assert!(now[3].max.z > tops[0]);
            if !motion.advance(&blocks, 0.02) {
                break;
            }
        }
        assert_eq!(motion.blocks(), blocks);
    }
}
