//! Where arcs end. From far a thousand arcs between functions read as scratches, so blocks that are small on the screen
//! send and take theirs together with the district that they stand in; near by, and at what is chosen, every block has
//! its own.

use std::ops::Range;

use super::blocks::block_of_function;
use callscape_analysis::session::Resolved;
use callscape_facts::trace::Relation;
use callscape_layout::geometry::Block;

/// Where arcs end.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// The shorter side of a block that has arcs of its own, at least, in world units; 0 where all have.
    pub least: f32,
    /// By block, the block that its arcs end at; empty where that is itself.
    lifted: Vec<u32>,
    /// Blocks have changed since.
    is_old: bool,
}

/// What counting needs to know of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EndsOf<'a> {
    /// By module, the block that stands for it.
    pub(crate) block_of: &'a [u32],
    lifted: &'a [u32],
    least: f32,
    /// The blocks of what is chosen.
    pub chosen: Range<u32>,
}

impl EndsOf<'_> {
    /// The blocks between which the calls of a relation are drawn; none where that is one, or one is hidden.
    pub(super) fn of(&self, resolved: &Resolved, relation: &Relation) -> Option<(u32, u32)> {
        let from = block_of_function(resolved, relation.caller, self.block_of)?;
        let to = block_of_function(resolved, relation.callee, self.block_of)?;
        let (from, to) = self.between(from, to);
        (from != to).then_some((from, to))
    }

    /// The same of blocks.
    pub(super) fn between(&self, from: u32, to: u32) -> (u32, u32) {
        if self.chosen.contains(&from) || self.chosen.contains(&to) {
            return (from, to);
        }
        let lifted = |block: u32| self.lifted.get(block as usize).copied().unwrap_or(block);
        (lifted(from), lifted(to))
    }

    /// What tells these from others of the same blocks.
    pub(super) fn key(&self) -> (u32, Range<u32>) {
        (self.least.to_bits(), self.chosen.clone())
    }
}

impl Ends {
    pub(crate) fn outdate(&mut self) {
        self.is_old = true;
    }

    pub(super) fn of<'a>(&'a self, block_of: &'a [u32], chosen: Range<u32>) -> EndsOf<'a> {
        EndsOf {
            block_of,
            lifted: &self.lifted,
            least: self.least,
            chosen,
        }
    }

    /// The block that the arcs of a block end at while it is not chosen.
    pub(super) fn end(&self, block: u32) -> u32 {
        self.lifted.get(block as usize).copied().unwrap_or(block)
    }

    /// Finds them for blocks that have arcs of their own from a side of `least` on. O(blocks), and nothing where they are
    /// known. Whether they were others before.
    pub(super) fn find(&mut self, least: f32, blocks: &[Block], parents: &[u32]) -> bool {
        if least == self.least && !self.is_old {
            return false;
        }
        self.is_old = false;
        self.least = least;
        let before = std::mem::take(&mut self.lifted);
        if least > 0.0 {
            self.lifted.reserve(blocks.len());
            for (index, (block, &parent)) in blocks.iter().zip(parents).enumerate() {
                let size = block.max - block.min;
                // Parents come before what stands on them.
                let is_own = size.x.min(size.y) >= least || parent as usize >= index;
                let end = match is_own {
                    true => index as u32,
                    false => self.lifted[parent as usize],
                };
                self.lifted.push(end);
            }
        }
        before != self.lifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::ModuleId;
    use callscape_layout::geometry::BlockKind;
    use glam::Vec3;

    #[test]
    fn small_blocks_send_their_arcs_with_the_first_district_that_is_large_enough() {
        // A root with a district of two blocks, and a block beside it.
        let block = |module, side: f32, end| Block {
            module: ModuleId(module),
            kind: BlockKind::Leaf,
            level: 1,
            min: Vec3::ZERO,
            max: Vec3::new(side, 2.0 * side, 1.0),
            subtree_end: end,
        };
        let blocks = [
            block(0, 100.0, 5),
            block(1, 40.0, 4),
            block(2, 10.0, 3),
            block(3, 30.0, 4),
            block(4, 20.0, 5),
        ];
        let parents = [0, 0, 1, 1, 0];
        let mut ends = Ends::default();
        assert!(!ends.find(0.0, &blocks, &parents));
        for (least, expected) in [
            (5.0, [0, 1, 2, 3, 4]),
            (15.0, [0, 1, 1, 3, 4]),
            (25.0, [0, 1, 1, 3, 0]),
            (50.0, [0, 0, 0, 0, 0]),
        ] {
            assert!(ends.find(least, &blocks, &parents));
            assert_eq!(ends.lifted, expected);
            assert!(!ends.find(least, &blocks, &parents));
        }
        let of = ends.of(&[], 2..3);
        assert_eq!(of.between(2, 4), (2, 4), "what is chosen keeps its own");
        assert_eq!(of.between(3, 4), (0, 0));
    }
}
