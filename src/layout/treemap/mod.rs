//! The 2½D treemap: the frame around the tilings. Weights, margins, label strips, heights and rounding
//! live here once; a tiling is a bare function over the weights of one parent's children and a rectangle.

mod heights;
mod margins;
mod slice;
mod squarify;
mod stable;
mod strip;

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;

use super::geometry::{Block, BlockKind, CITY_SIZE};
use crate::facts::hierarchy::Hierarchy;
use crate::filter::cut::Cut;
use crate::units::ModuleId;

pub use heights::Heights;
use heights::Scale;
pub use margins::label_strip;

/// Width by depth of the city.
const CITY_ASPECT: f64 = 1.4;

/// The smallest weight of a leaf as a share of the mean: what has no lines or was never called still has
/// its place, and all of these together no more than this share of the city.
const LEAST_WEIGHT: f64 = 0.05;

/// A footprint whose share has changed by no more than this part of itself stays where it is when only a
/// part of the city is laid out again.
const TOLERANCE: f64 = 0.01;

/// How the children of one module share its footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    /// As square as can be; the heaviest first.
    #[default]
    Squarified,
    /// In order, as text is read.
    Ordered,
    /// In order, and where it was before when the weights change.
    Stable,
    SliceAndDice,
}

impl Tiling {
    pub const ALL: [Tiling; 4] = [
        Tiling::Squarified,
        Tiling::Ordered,
        Tiling::Stable,
        Tiling::SliceAndDice,
    ];

    /// As the command line and the settings name it.
    pub fn name(self) -> &'static str {
        match self {
            Tiling::Squarified => "squarified",
            Tiling::Ordered => "ordered",
            Tiling::Stable => "stable",
            Tiling::SliceAndDice => "slice",
        }
    }
}

/// A rectangle of the ground plan, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub west: f64,
    pub south: f64,
    pub east: f64,
    pub north: f64,
}

impl Rect {
    pub fn width(&self) -> f64 {
        self.east - self.west
    }

    pub fn height(&self) -> f64 {
        self.north - self.south
    }

    /// Takes a share of the width away from the west side and gives it back.
    fn cut_west(&mut self, share: f64) -> Rect {
        let edge = (self.west + self.width() * share).min(self.east);
        let cut = Rect {
            east: edge,
            ..*self
        };
        self.west = edge;
        cut
    }

    /// Takes a share of the height away from the south side and gives it back.
    fn cut_south(&mut self, share: f64) -> Rect {
        let edge = (self.south + self.height() * share).min(self.north);
        let cut = Rect {
            north: edge,
            ..*self
        };
        self.south = edge;
        cut
    }

    /// Smaller by `west`, `south` … on each side; never turned inside out.
    fn inset(&self, side: f64, south: f64) -> Rect {
        let side = side.min(0.5 * self.width()).min(0.5 * self.height());
        let inset = Rect {
            west: self.west + side,
            south: self.south + south,
            east: self.east - side,
            north: self.north - side,
        };
        Rect {
            east: inset.east.max(inset.west),
            south: inset.south.min(inset.north),
            ..inset
        }
    }

    pub fn of_block(block: &Block) -> Rect {
        Rect {
            west: f64::from(block.min.x),
            south: f64::from(block.min.y),
            east: f64::from(block.max.x),
            north: f64::from(block.max.y),
        }
    }
}

/// What decides on a layout.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    pub hierarchy: &'a Hierarchy,
    pub cut: &'a Cut,
    /// Each module's footprint metric, inclusive of what lies below it; a module is never smaller than the
    /// sum of its children. What is not a positive finite number counts as zero.
    pub areas: &'a [f64],
    /// The same of the layout that a stable one keeps to; zero or missing for modules that are new. Empty:
    /// the areas themselves.
    pub references: &'a [f64],
    pub heights: &'a Heights,
    pub tiling: Tiling,
}

/// The blocks of the displayed modules, in preorder, after one layout. O(n log n) for n modules.
pub fn layout(
    hierarchy: &Hierarchy,
    cut: &Cut,
    areas: &[f64],
    heights: &Heights,
    tiling: Tiling,
) -> Vec<Block> {
    let mut treemap = Treemap::default();
    treemap.lay_out(&Plan {
        hierarchy,
        cut,
        areas,
        references: &[],
        heights,
        tiling,
    });
    treemap.blocks
}

/// A layout, and what laying out again needs: no new memory, and only a part where little has changed.
#[derive(Clone, Debug, Default)]
pub struct Treemap {
    blocks: Vec<Block>,
    /// For each block the one that it stands on; the root stands for its own.
    parents: Vec<u32>,
    /// By block: its footprint metric or the sum of its children's weights, whichever is larger; positive
    /// and finite.
    weights: Vec<f64>,
    /// By block, of the layout of reference; empty where that is this one.
    references: Vec<f64>,
    /// The smallest weight of a leaf.
    least: f64,
    scale: Scale,
    /// The weights with which blocks were laid out that have others now, too little to move them.
    laid: HashMap<u32, f64>,
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    order: Vec<u64>,
    sorted: Vec<f32>,
    references: Vec<f32>,
}

impl Treemap {
    /// In preorder of modules.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// For each block the one that it stands on; the root stands for its own.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    pub fn into_blocks(self) -> (Vec<Block>, Vec<u32>) {
        (self.blocks, self.parents)
    }

    /// Lays out the displayed modules. Collapsing changes nothing outside of what is collapsed; what is hidden
    /// has no place. O(n log n) for n modules.
    pub fn lay_out(&mut self, plan: &Plan<'_>) {
        let leaves = self.display(plan);
        self.least = if leaves.mean > 0.0 {
            leaves.mean * LEAST_WEIGHT
        } else {
            1.0
        };
        let mut weights = std::mem::take(&mut self.weights);
        self.weigh(plan, plan.areas, &mut weights);
        self.weights = weights;
        self.references.clear();
        if plan.tiling == Tiling::Stable && !plan.references.is_empty() {
            let mut references = std::mem::take(&mut self.references);
            self.weigh(plan, plan.references, &mut references);
            // What the layout of reference does not know decides nothing.
            for (block, reference) in self.blocks.iter().zip(&mut references) {
                let known = plan.references.get(block.module.index());
                if !known.is_some_and(|&area| area > 0.0) {
                    *reference = 0.0;
                }
            }
            self.references = references;
        }
        self.laid.clear();
        self.scale = plan.heights.scale(&self.blocks);
        if let Some(root) = self.blocks.first_mut() {
            root.min = Vec3::ZERO;
            root.max.x = CITY_SIZE;
            root.max.y = (f64::from(CITY_SIZE) / CITY_ASPECT) as f32;
            root.max.z = self.scale.top(plan.heights, root);
        }
        self.place(plan, 0..self.blocks.len());
    }

    /// Lays out again after the area of `module`, which is a leaf of the hierarchy, has become what
    /// `plan.areas` says now; the plan is otherwise that of the last [`lay_out`](Self::lay_out). Gives the
    /// blocks that may have changed.
    ///
    /// Only the smallest part around the module is laid out again in which its change can be told: districts
    /// that hold it, and whose own share changes by less than a hundredth, stay where they are, and so does all
    /// that stands beside them. Their areas are true to that hundredth, however many changes add up.
    pub fn change(&mut self, plan: &Plan<'_>, module: ModuleId) -> Range<usize> {
        let nearest = |block: &Block| block.module <= module;
        let Some(block) = self.blocks.partition_point(nearest).checked_sub(1) else {
            return 0..0;
        };
        let mut part = 0;
        let mut at = block;
        loop {
            let weight = self.weight_again(plan, at);
            let is_changed = {
                let laid = *self.laid.get(&(at as u32)).unwrap_or(&self.weights[at]);
                if weight == laid {
                    self.laid.remove(&(at as u32));
                } else {
                    self.laid.insert(at as u32, laid);
                }
                (weight / laid - 1.0).abs() > TOLERANCE
            };
            self.weights[at] = weight;
            // What is changed itself always gets its new share.
            if is_changed || at == block {
                part = self.parents[at] as usize;
            }
            if at == 0 {
                break;
            }
            at = self.parents[at] as usize;
        }
        let blocks = part..self.blocks[part].subtree_end as usize;
        // What stands below the part's own block is laid out with the weights of now.
        self.laid
            .retain(|&at, _| !(blocks.start + 1..blocks.end).contains(&(at as usize)));
        self.place(plan, blocks.clone());
        blocks
    }

    /// The weight of a block by the areas of now; those of its children are right already.
    fn weight_again(&self, plan: &Plan<'_>, at: usize) -> f64 {
        let Block {
            module,
            kind,
            subtree_end,
            ..
        } = self.blocks[at];
        let area = positive(plan.areas, module);
        let sum = if kind == BlockKind::Collapsed {
            collapsed_weight(plan, plan.areas, module, self.least)
        } else {
            let mut sum = 0.0;
            let mut child = at + 1;
            while child < subtree_end as usize {
                sum += self.weights[child];
                child = self.blocks[child].subtree_end as usize;
            }
            sum
        };
        sum.max(area).max(self.least)
    }

    /// Makes a block without extent for each displayed module.
    fn display(&mut self, plan: &Plan<'_>) -> Leaves {
        let Plan { hierarchy, cut, .. } = plan;
        let mut leaves = Leaves::default();
        let (blocks, parents) = (&mut self.blocks, &mut self.parents);
        blocks.clear();
        parents.clear();
        blocks.reserve(hierarchy.len());
        parents.reserve(hierarchy.len());
        // The blocks whose subtrees are being filled, and the ids at which these end.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut collapsed = cut.collapsed().peekable();
        let mut hidden = cut.hidden().peekable();
        let mut next = 0;
        while next < hierarchy.len() as u32 {
            let module = ModuleId(next);
            while let Some(&(block, end)) = open.last()
                && end <= next
            {
                blocks[block as usize].subtree_end = blocks.len() as u32;
                open.pop();
            }
            let subtree = hierarchy.subtree(module);
            while hidden.next_if(|&id| id < module).is_some() {}
            if hidden.peek() == Some(&module) && module != ModuleId::ROOT {
                next = subtree.end;
                continue;
            }
            while collapsed.next_if(|&id| id < module).is_some() {}
            let kind = if subtree.end == next + 1 {
                leaves.count(positive(plan.areas, module));
                BlockKind::Leaf
            } else if collapsed.peek() == Some(&module) {
                for id in subtree.clone().map(ModuleId) {
                    if hierarchy.is_leaf(id) {
                        leaves.count(positive(plan.areas, id));
                    }
                }
                BlockKind::Collapsed
            } else {
                BlockKind::Terrace
            };
            let index = blocks.len() as u32;
            parents.push(open.last().map_or(0, |&(block, _)| block));
            blocks.push(Block {
                module,
                kind,
                level: hierarchy.depth(module),
                min: Vec3::ZERO,
                max: Vec3::ZERO,
                subtree_end: index + 1,
            });
            if kind == BlockKind::Terrace {
                open.push((index, subtree.end));
                next += 1;
            } else {
                next = subtree.end;
            }
        }
        for (block, _) in open {
            blocks[block as usize].subtree_end = blocks.len() as u32;
        }
        for (index, block) in blocks.iter_mut().enumerate() {
            // All that stood on it is hidden.
            if block.kind == BlockKind::Terrace && block.subtree_end as usize == index + 1 {
                block.kind = BlockKind::Leaf;
            }
        }
        leaves.mean()
    }

    /// The weights of all blocks by `areas`.
    fn weigh(&self, plan: &Plan<'_>, areas: &[f64], weights: &mut Vec<f64>) {
        weights.clear();
        weights.resize(self.blocks.len(), 0.0);
        for (index, block) in self.blocks.iter().enumerate().rev() {
            // By now the children have added their weights up here.
            let mut weight = weights[index];
            if block.kind == BlockKind::Collapsed {
                weight = collapsed_weight(plan, areas, block.module, self.least);
            }
            weight = weight.max(positive(areas, block.module)).max(self.least);
            if index == 0 {
                weights[0] = weight;
            } else {
                weights[index] = weight;
                weights[self.parents[index] as usize] += weight;
            }
        }
    }

    /// Gives the blocks on top of those of `part`, which is a subtree, their places; its first has its own.
    fn place(&mut self, plan: &Plan<'_>, part: Range<usize>) {
        let Scratch {
            order,
            sorted,
            references,
        } = &mut self.scratch;
        let (blocks, weights) = (&mut self.blocks[..], &self.weights[..]);
        let scale = &self.scale;
        // Parents stand before their children, so one pass from front to back places everything.
        for parent in part {
            let Block {
                level,
                subtree_end,
                max,
                ..
            } = blocks[parent];
            if subtree_end as usize == parent + 1 {
                continue;
            }
            order.clear();
            let mut child = parent + 1;
            while child < subtree_end as usize {
                order.push(sort_key(weights[child] as f32, child as u32));
                child = blocks[child].subtree_end as usize;
            }
            if plan.tiling == Tiling::Squarified {
                order.sort_unstable();
            }
            sorted.clear();
            sorted.extend(order.iter().map(|&key| key_weight(key)));

            let rect = margins::inner(Rect::of_block(&blocks[parent]), level, order.len());
            let street = margins::street(level.saturating_add(1));
            let place = |at: usize, rect: Rect| {
                let block = &mut blocks[order[at] as u32 as usize];
                let rect = margins::separated(rect, street);
                // Rounding to f32 is monotone: what lies inside or beside stays inside or beside.
                block.min = Vec3::new(rect.west as f32, rect.south as f32, max.z);
                block.max = Vec3::new(rect.east as f32, rect.north as f32, max.z);
                block.max.z += scale.top(plan.heights, block);
            };
            match plan.tiling {
                Tiling::Squarified => squarify::squarify(sorted, rect, place),
                Tiling::Ordered => strip::strip(sorted, rect, place),
                Tiling::SliceAndDice => slice::slice(sorted, rect, place),
                Tiling::Stable if self.references.is_empty() => {
                    stable::stable(sorted, sorted, rect, place);
                }
                Tiling::Stable => {
                    references.clear();
                    let of = |&key: &u64| self.references[key as u32 as usize] as f32;
                    references.extend(order.iter().map(of));
                    stable::stable(sorted, references, rect, place);
                }
            }
        }
    }
}

/// The leaves of a hierarchy and the sum of their areas, then the mean.
#[derive(Clone, Copy, Debug, Default)]
struct Leaves {
    count: u32,
    sum: f64,
    mean: f64,
}

impl Leaves {
    fn count(&mut self, area: f64) {
        self.count += 1;
        self.sum += area;
    }

    fn mean(self) -> Leaves {
        Leaves {
            mean: self.sum / f64::from(self.count.max(1)),
            ..self
        }
    }
}

/// A module's area; zero where that is no positive finite number.
fn positive(areas: &[f64], module: ModuleId) -> f64 {
    let area = areas.get(module.index()).copied().unwrap_or(0.0);
    // A bound far above any metric keeps the sums finite.
    if area > 0.0 { area.min(1e30) } else { 0.0 }
}

/// The weight of a collapsed module: what it would be expanded. Linear in its subtree.
fn collapsed_weight(plan: &Plan<'_>, areas: &[f64], module: ModuleId, least: f64) -> f64 {
    let subtree = plan.hierarchy.subtree(module);
    let mut weights = vec![0.0f64; subtree.len()];
    for id in subtree.clone().rev().map(ModuleId) {
        let at = (id.0 - subtree.start) as usize;
        let weight = weights[at].max(positive(areas, id)).max(least);
        weights[at] = weight;
        if id != module
            && let Some(parent) = plan.hierarchy.parent(id)
        {
            weights[(parent.0 - subtree.start) as usize] += weight;
        }
    }
    weights.first().copied().unwrap_or(least)
}

/// Sorts by falling weight, then by block. Positive floats order as their bits do.
fn sort_key(weight: f32, block: u32) -> u64 {
    u64::from(!weight.to_bits()) << 32 | u64::from(block)
}

fn key_weight(key: u64) -> f32 {
    f32::from_bits(!((key >> 32) as u32))
}

/// For each block the one that it stands on; the root stands for its own.
pub fn parents(blocks: &[Block]) -> Vec<u32> {
    let mut parents = vec![0; blocks.len()];
    let mut open: Vec<u32> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        while let Some(&last) = open.last()
            && blocks[last as usize].subtree_end as usize <= index
        {
            open.pop();
        }
        parents[index] = open.last().copied().unwrap_or(0);
        if block.subtree_end as usize > index + 1 {
            open.push(index as u32);
        }
    }
    parents
}

#[cfg(test)]
mod tests;
