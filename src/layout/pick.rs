//! Picking: the block that a ray meets first, exactly, without a GPU.
//!
//! The blocks stand in preorder and each subtree stands on the footprint of its block, so a ray that
//! misses the box around a subtree skips it whole.

use glam::Vec3;

use super::geometry::{Block, BlockLook};

/// So far from the point that is looked at a ray to the eye starts.
const NEAR: f32 = 1e-2;

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the block.
    pub block: u32,
    pub point: Vec3,
}

/// The blocks among which something is sought.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub blocks: &'a [Block],
    /// As by [`super::treemap::parents`].
    pub parents: &'a [u32],
    /// May be empty: nothing has risen.
    pub looks: &'a [BlockLook],
}

impl Scene<'_> {
    /// The top of a block with its rise.
    fn top(&self, index: usize, block: &Block) -> f32 {
        block.max.z + self.looks.get(index).map_or(0.0, |look| look.rise)
    }
}

/// More blocks than this beside a way are not gathered.
const MOST_BEFORE: usize = 24;

/// The tops of subtrees, kept up to date with what rises.
#[derive(Clone, Debug, Default)]
pub struct Picker {
    /// By block, the highest top in its subtree; of one on which nothing stands with nothing risen.
    tops: Vec<f32>,
    /// The blocks whose tops are higher than with nothing risen, and how high they are then.
    raised: Vec<(u32, f32)>,
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
            tops,
            raised: Vec::new(),
        }
    }

    /// Takes note how high the highest tops now are of the terraces on which something has risen: of these and no
    /// others. A block on which nothing stands is not among them: how far it has risen its look says. O(terraces).
    pub fn set_risen(&mut self, terraces: impl IntoIterator<Item = (u32, f32)>) {
        // Backwards, should one have been named twice.
        for (index, at_rest) in self.raised.drain(..).rev() {
            self.tops[index as usize] = at_rest;
        }
        for (index, top) in terraces {
            if let Some(highest) = self.tops.get_mut(index as usize) {
                self.raised.push((index, *highest));
                *highest = highest.max(top);
            }
        }
    }

    /// Of points along the line from `from` to `to`, on the top of the block `on`, so many parts of it from its start,
    /// how many [show](Self::shows). What stands beside the way is sought once for all.
    pub fn seen(
        &self,
        scene: &Scene<'_>,
        on: u32,
        [from, to]: [Vec3; 2],
        points: &[Vec3],
        eye: Vec3,
    ) -> usize {
        let mut before = [(Vec3::ZERO, Vec3::ZERO); MOST_BEFORE];
        let one_by_one = || {
            let seen = points.iter();
            seen.filter(|point| self.shows(scene, on, **point, eye))
                .count()
        };
        let Some(count) = self.find_before(scene, on, [from, to], eye, &mut before) else {
            return one_by_one();
        };
        let before = &before[..count];
        if before.is_empty() {
            return points.len();
        }
        let seen = points.iter().filter(|&&point| {
            let (point, away, farthest) = self.way(point, eye);
            let inverse = away.recip();
            let meets = |&(min, max): &(Vec3, Vec3)| {
                enter(min, max, point, inverse).is_some_and(|at| at < farthest)
            };
            away.z > 0.0 && (farthest <= 0.0 || !before.iter().any(meets))
        });
        seen.count()
    }

    /// Where the ray from a point to the eye starts, a little above the top itself, its way, and as what part of that
    /// it is above all blocks.
    fn way(&self, point: Vec3, eye: Vec3) -> (Vec3, Vec3, f32) {
        let away = eye - point;
        let point = point + Vec3::Z * 1e-3 + away.normalize_or_zero() * NEAR;
        let highest = self.tops.first().copied().unwrap_or(f32::NEG_INFINITY);
        (point, away, ((highest - point.z) / away.z).min(1.0))
    }

    /// Writes the boxes that rays from the line to the eye may meet into `before`, and gives how many; none where there
    /// are too many.
    fn find_before(
        &self,
        scene: &Scene<'_>,
        on: u32,
        [from, to]: [Vec3; 2],
        eye: Vec3,
        before: &mut [(Vec3, Vec3)],
    ) -> Option<usize> {
        let &Scene {
            blocks, parents, ..
        } = scene;
        let highest = *self.tops.first()?;
        let low = from.z.min(to.z);
        let mut min = from.min(to).truncate();
        let mut max = from.max(to).truncate();
        for point in [from, to] {
            let away = eye - point;
            // From so low that the little by which rays start above the top would matter, each is looked at.
            if away.z <= NEAR * 2.0 {
                return None;
            }
            let farthest = ((highest - point.z) / away.z).clamp(0.0, 1.0);
            let end = (point + away * farthest).truncate();
            (min, max) = (min.min(end), max.max(end));
        }
        // For the sake of rounding, and of where rays start.
        (min, max) = (min - 2.0 * NEAR, max + 2.0 * NEAR);
        let is_beside = |block: &Block| {
            let (low, high) = (block.min.truncate(), block.max.truncate());
            low.cmpgt(max).any() || high.cmplt(min).any()
        };
        let holds = |block: &Block| {
            block.min.truncate().cmple(min).all() && block.max.truncate().cmpge(max).all()
        };
        let mut district = on as usize;
        while district != 0 && !blocks.get(district).is_some_and(holds) {
            district = parents.get(district).map_or(0, |&parent| parent as usize);
        }
        let mut count = 0;
        let mut add = |index: usize, block: &Block| -> Option<()> {
            let top = scene.top(index, block);
            if top > low {
                *before.get_mut(count)? = (block.min, block.max.with_z(top));
                count += 1;
            }
            Some(())
        };
        let all = blocks.get(district).map_or(0, |it| it.subtree_end as usize);
        let mut index = district;
        while index < all
            && let Some(block) = blocks.get(index)
        {
            let is_leaf = block.subtree_end as usize <= index + 1;
            if is_beside(block) || !is_leaf && self.tops[index] <= low {
                index = block.subtree_end.max(index as u32 + 1) as usize;
                continue;
            }
            add(index, block)?;
            index += 1;
        }
        while let Some(&below) = parents.get(district).filter(|_| district != 0) {
            district = below as usize;
            if let Some(block) = blocks.get(district) {
                add(district, block)?;
            }
        }
        Some(count)
    }

    /// Whether no block stands between a point on the top of the block `on` and the eye. Looks only as far as blocks
    /// are high, in the smallest district that holds so much of the line of sight.
    pub fn shows(&self, scene: &Scene<'_>, on: u32, point: Vec3, eye: Vec3) -> bool {
        let &Scene {
            blocks, parents, ..
        } = scene;
        if self.tops.is_empty() {
            return true;
        }
        let (point, away, farthest) = self.way(point, eye);
        if away.z <= 0.0 {
            return false;
        }
        if farthest <= 0.0 {
            return true;
        }
        let inverse = away.recip();
        let meets = |block: &Block, top: f32| {
            let at = enter(block.min, block.max.with_z(top), point, inverse);
            at.is_some_and(|at| at < farthest)
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
            let is_leaf = block.subtree_end as usize <= index + 1;
            if !is_leaf && !meets(block, self.tops[index]) {
                index = block.subtree_end as usize;
                continue;
            }
            if meets(block, scene.top(index, block)) {
                return false;
            }
            index += 1;
        }
        while let Some(&below) = parents.get(district).filter(|_| district != 0) {
            district = below as usize;
            let block = blocks.get(district);
            if block.is_some_and(|block| meets(block, scene.top(district, block))) {
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
            let is_leaf = block.subtree_end as usize <= index + 1;
            if !is_leaf
                && !enter(block.min, subtree_top, origin, inverse).is_some_and(|at| at < nearest)
            {
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
    use crate::geometry::BlockKind;
    use crate::treemap::parents;
    use callscape_base::units::ModuleId;

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
        let mut counts = [0; 6];
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
                let risen = risen.into_iter().flat_map(|index| {
                    let top = blocks[index as usize].max.z + looks[index as usize].rise;
                    let above = |at: &u32| (*at != 0).then(|| parents[*at as usize]);
                    let on = std::iter::successors(Some(index), above);
                    on.map(move |terrace| (terrace, top))
                });
                picker.set_risen(risen);
                let scene = Scene {
                    blocks: &blocks,
                    parents: &parents,
                    looks: &looks,
                };
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
                        let shows = picker.shows(&scene, of as u32, top, top + away);
                        assert_eq!(shows, !is_met[0], "seed {seed}");
                    }
                    // Of points along a line on a top so many show as one by one.
                    let mut on_top = || {
                        let share = Vec3::new(random.next(), random.next(), 0.0);
                        let at = block.min + share * (block.max - block.min);
                        at.with_z(top.z - 0.02)
                    };
                    let (from, to) = (on_top(), on_top());
                    let points = [0.0, 0.2, 0.5, 0.9, 1.0].map(|part| from.lerp(to, part));
                    let eye = origin.with_z(origin.z.abs());
                    let seen = picker.seen(&scene, of as u32, [from, to], &points, eye);
                    let shows = |point: &&Vec3| picker.shows(&scene, of as u32, **point, eye);
                    assert_eq!(seen, points.iter().filter(shows).count(), "seed {seed}");
                    counts[seen] += 1;
                }
            }
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
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
