//! Picking: the block that a ray meets first, exactly, without a GPU.
//!
//! The blocks stand in preorder and each subtree stands on the footprint of its block, so a ray that
//! misses the box around a subtree skips it whole.

use glam::Vec3;

use super::geometry::{Block, BlockLook};

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the block.
    pub block: u32,
    pub point: Vec3,
}

/// The tops of subtrees, kept up to date with what rises.
#[derive(Clone, Debug, Default)]
pub struct Picker {
    /// By block, the highest top in its subtree with nothing risen.
    tops_at_rest: Vec<f32>,
    /// By block, the highest top in its subtree now.
    tops: Vec<f32>,
    /// The blocks whose `tops` differ from `tops_at_rest`.
    raised: Vec<u32>,
}

impl Picker {
    /// A picker for these blocks, nothing risen. `parents` as by [`super::treemap::parents`]. O(n).
    pub fn new(blocks: &[Block], parents: &[u32]) -> Picker {
        let mut tops: Vec<f32> = blocks.iter().map(|block| block.max.z).collect();
        for index in (1..tops.len()).rev() {
            let parent = parents[index] as usize;
            tops[parent] = tops[parent].max(tops[index]);
        }
        Picker {
            tops_at_rest: tops.clone(),
            tops,
            raised: Vec::new(),
        }
    }

    /// Takes note that exactly the blocks `risen` have risen as `looks` says. O(risen · depth).
    pub fn set_risen(
        &mut self,
        blocks: &[Block],
        parents: &[u32],
        looks: &[BlockLook],
        risen: impl IntoIterator<Item = u32>,
    ) {
        for index in self.raised.drain(..) {
            self.tops[index as usize] = self.tops_at_rest[index as usize];
        }
        for index in risen {
            let top = blocks[index as usize].max.z + looks[index as usize].rise;
            let mut at = index;
            while self.tops[at as usize] < top {
                self.tops[at as usize] = top;
                self.raised.push(at);
                if at == 0 {
                    break;
                }
                at = parents[at as usize];
            }
        }
    }

    /// Whether no block stands between a point on the top of the block `on` and the eye. Looks only as far as blocks
    /// are high, in the smallest district that holds so much of the line of sight. `looks` may be empty: nothing risen.
    pub fn shows(
        &self,
        blocks: &[Block],
        parents: &[u32],
        looks: &[BlockLook],
        on: u32,
        point: Vec3,
        eye: Vec3,
    ) -> bool {
        let Some(&highest) = self.tops.first() else {
            return true;
        };
        let away = eye - point;
        // A little above the top itself.
        let point = point + Vec3::Z * 1e-3 + away.normalize_or_zero() * 1e-2;
        if away.z <= 0.0 {
            return false;
        }
        let farthest = ((highest - point.z) / away.z).min(1.0);
        if farthest <= 0.0 {
            return true;
        }
        let inverse = away.recip();
        let meets = |block: &Block, top: f32| {
            let at = enter(block.min, block.max.with_z(top), point, inverse);
            at.is_some_and(|at| at < farthest)
        };
        let top = |index: usize, block: &Block| {
            block.max.z + looks.get(index).map_or(0.0, |look| look.rise)
        };
        // Districts beside each other share no ground, so of all outside of it only those that it stands on are met.
        let ends = [point, point + away * farthest].map(Vec3::truncate);
        let holds = |block: &Block| {
            let (min, max) = (block.min.truncate(), block.max.truncate());
            let mut ends = ends.iter();
            ends.all(|end| end.cmpge(min).all() && end.cmple(max).all())
        };
        let mut district = on as usize;
        while district != 0 && !blocks.get(district).is_some_and(holds) {
            district = parents.get(district).map_or(0, |&parent| parent as usize);
        }
        let all = blocks.get(district).map_or(0, |it| it.subtree_end as usize);
        let mut index = district;
        while let Some(block) = blocks.get(index).filter(|_| index < all) {
            if !meets(block, self.tops[index]) {
                index = block.subtree_end as usize;
                continue;
            }
            if meets(block, top(index, block)) {
                return false;
            }
            index += 1;
        }
        while let Some(&below) = parents.get(district).filter(|_| district != 0) {
            district = below as usize;
            let block = blocks.get(district);
            if block.is_some_and(|block| meets(block, top(district, block))) {
                return false;
            }
        }
        true
    }

    /// What the ray from `origin` along `direction` meets first. `looks` may be empty: nothing risen.
    pub fn pick(
        &self,
        blocks: &[Block],
        looks: &[BlockLook],
        origin: Vec3,
        direction: Vec3,
    ) -> Option<Hit> {
        let inverse = direction.recip();
        let mut best: Option<(f32, u32)> = None;
        let mut index = 0;
        while let Some(block) = blocks.get(index) {
            let nearest = best.map_or(f32::INFINITY, |(distance, _)| distance);
            let subtree_top = block.max.with_z(self.tops[index]);
            if !enter(block.min, subtree_top, origin, inverse).is_some_and(|at| at < nearest) {
                index = block.subtree_end as usize;
                continue;
            }
            let rise = looks.get(index).map_or(0.0, |look| look.rise);
            let top = block.max.with_z(block.max.z + rise);
            if let Some(distance) = enter(block.min, top, origin, inverse)
                && distance < nearest
            {
                best = Some((distance, index as u32));
            }
            index += 1;
        }
        best.map(|(distance, block)| Hit {
            block,
            point: origin + direction * distance,
        })
    }
}

/// Where a ray enters a box, as a multiple of its direction; zero from inside; none when it misses.
fn enter(min: Vec3, max: Vec3, origin: Vec3, inverse: Vec3) -> Option<f32> {
    let (mut near, mut far) = (0.0f32, f32::INFINITY);
    for axis in 0..3 {
        // A ray within the plane of a face gives 0 · ∞, not a number, which `f32::min` and `f32::max`
        // drop: the face counts as met.
        let a = (min[axis] - origin[axis]) * inverse[axis];
        let b = (max[axis] - origin[axis]) * inverse[axis];
        near = near.max(a.min(b));
        far = far.min(a.max(b));
    }
    (near <= far).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::BlockKind;
    use crate::layout::treemap::parents;
    use crate::units::ModuleId;

    /// splitmix64, as a number from 0 to 1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 40) as f32 / (1u32 << 24) as f32
        }
    }

    /// Blocks within blocks: each splits into four, some are left out.
    fn city(random: &mut Random, blocks: &mut Vec<Block>, min: Vec3, side: f32, level: u16) {
        let index = blocks.len();
        let top = min + Vec3::new(side, side, 0.1 + random.next() * 4.0);
        blocks.push(Block {
            module: ModuleId(index as u32),
            kind: BlockKind::Terrace,
            level,
            min,
            max: top,
            subtree_end: 0,
        });
        if level < 5 {
            for quarter in 0..4u8 {
                let half = side * 0.5;
                let offset = Vec3::new(f32::from(quarter & 1), f32::from(quarter >> 1), 0.0) * half;
                if random.next() < 0.8 {
                    let inset = half * 0.05;
                    let corner = (min + offset).with_z(top.z) + Vec3::new(inset, inset, 0.0);
                    city(random, blocks, corner, half - 2.0 * inset, level + 1);
                }
            }
        }
        blocks[index].subtree_end = blocks.len() as u32;
    }

    #[test]
    fn a_ray_meets_the_nearest_block_of_all() {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut blocks = Vec::new();
            city(&mut random, &mut blocks, Vec3::ZERO, 100.0, 0);
            let parents = parents(&blocks);
            let mut looks = vec![BlockLook::default(); blocks.len()];
            let mut picker = Picker::new(&blocks, &parents);
            for round in 0..4 {
                let risen: Vec<u32> = (0..blocks.len() as u32)
                    .filter(|_| round > 0 && random.next() < 0.1)
                    .collect();
                looks.fill(BlockLook::default());
                for &index in &risen {
                    looks[index as usize].rise = random.next() * 30.0;
                }
                picker.set_risen(&blocks, &parents, &looks, risen);
                for _ in 0..200 {
                    let mut point =
                        |scale: f32| Vec3::new(random.next(), random.next(), random.next()) * scale;
                    let origin = point(300.0) - Vec3::new(100.0, 100.0, 0.0);
                    let target = point(100.0) * Vec3::new(1.0, 1.0, 0.1);
                    let direction = (target - origin).normalize();
                    let all = blocks.iter().zip(&looks).enumerate();
                    let met = all.filter_map(|(index, (block, look))| {
                        let top = block.max.with_z(block.max.z + look.rise);
                        let at = enter(block.min, top, origin, direction.recip())?;
                        Some((at, index as u32))
                    });
                    let expected = met.min_by(|a, b| a.0.total_cmp(&b.0));
                    let hit = picker.pick(&blocks, &looks, origin, direction);
                    assert_eq!(
                        hit.map(|hit| hit.block),
                        expected.map(|(_, index)| index),
                        "seed {seed}"
                    );
                    // From the middle of a top, what comes first on the way to the eye.
                    let of = (random.next() * blocks.len() as f32) as usize;
                    let (block, look) = (&blocks[of.min(blocks.len() - 1)], &looks[of]);
                    let top = (block.min + block.max) * 0.5;
                    let top = top.with_z(block.max.z + look.rise + 0.02);
                    let away = origin.with_z(origin.z + 40.0) - top;
                    // Where a hair's breadth decides, either answer is right.
                    let is_met = [0.0, 0.02].map(|hair| {
                        blocks.iter().zip(&looks).any(|(block, look)| {
                            let high = block.max.with_z(block.max.z + look.rise);
                            let from = top + Vec3::Z * hair + away.normalize() * hair;
                            let at = enter(block.min, high, from, away.recip());
                            at.is_some_and(|at| at < 1.0)
                        })
                    });
                    if away.z > 1.0 && is_met[0] == is_met[1] {
                        let shows =
                            picker.shows(&blocks, &parents, &looks, of as u32, top, top + away);
                        assert_eq!(shows, !is_met[0], "seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_ray_straight_down_meets_the_top_and_a_ray_away_meets_nothing() {
        let block = Block {
            module: ModuleId::ROOT,
            kind: BlockKind::Leaf,
            level: 0,
            min: Vec3::ZERO,
            max: Vec3::splat(2.0),
            subtree_end: 1,
        };
        let picker = Picker::new(&[block], &[0]);
        let above = Vec3::new(1.0, 1.0, 9.0);
        let hit = picker.pick(&[block], &[], above, Vec3::NEG_Z);
        assert_eq!(hit.map(|hit| hit.point), Some(Vec3::new(1.0, 1.0, 2.0)));
        assert_eq!(picker.pick(&[block], &[], above, Vec3::Z), None);
        assert_eq!(Picker::default().pick(&[], &[], above, Vec3::Z), None);
    }
}
