//! The 2½D treemap: the frame around the tilings. Weights, margins, label strips, heights and rounding
//! live here once; a tiling is a bare function over the weights of one parent's children and a rectangle.

mod heights;
mod margins;
mod slice;
mod squarify;

use glam::Vec3;

use super::geometry::{Block, BlockKind, CITY_SIZE};
use crate::facts::hierarchy::Hierarchy;
use crate::filter::cut::Cut;
use crate::units::ModuleId;

pub use heights::Heights;
pub use margins::label_strip;

/// Width by depth of the city.
const CITY_ASPECT: f64 = 1.4;

/// The smallest weight of a leaf as a share of the mean: what has no lines or was never called still has
/// its place, and all of these together no more than this share of the city.
const LEAST_WEIGHT: f64 = 0.05;

/// How the children of one module share its footprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    #[default]
    Squarified,
    SliceAndDice,
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

/// The blocks of the displayed modules, in preorder.
///
/// `areas` gives each module's footprint metric, inclusive of what lies below it; a module is never
/// smaller than the sum of its children. What is not a positive finite number counts as zero.
/// Collapsing changes nothing outside of what is collapsed. O(n log n) for n modules.
pub fn layout(
    hierarchy: &Hierarchy,
    cut: &Cut,
    areas: &[f64],
    heights: &Heights,
    tiling: Tiling,
) -> Vec<Block> {
    let weights = subtree_weights(hierarchy, areas);
    let mut blocks = displayed_blocks(hierarchy, cut);
    let heights = heights.scaled(&blocks);

    let depth = f64::from(CITY_SIZE) / CITY_ASPECT;
    if let Some(root) = blocks.first_mut() {
        root.max.x = CITY_SIZE;
        root.max.y = depth as f32;
        root.max.z = heights.top(root);
    }

    // Parents stand before their children, so one pass from front to back places everything.
    let mut order: Vec<u64> = Vec::new();
    let mut sorted: Vec<f32> = Vec::new();
    for parent in 0..blocks.len() {
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
            let weight = weights[blocks[child].module.index()] as f32;
            order.push(sort_key(weight, child as u32));
            child = blocks[child].subtree_end as usize;
        }
        if tiling == Tiling::Squarified {
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
            block.max.z += heights.top(block);
        };
        match tiling {
            Tiling::Squarified => squarify::squarify(&sorted, rect, place),
            Tiling::SliceAndDice => slice::slice(&sorted, rect, place),
        }
    }
    blocks
}

/// Sorts by falling weight, then by block. Positive floats order as their bits do.
fn sort_key(weight: f32, block: u32) -> u64 {
    u64::from(!weight.to_bits()) << 32 | u64::from(block)
}

fn key_weight(key: u64) -> f32 {
    f32::from_bits(!((key >> 32) as u32))
}

/// For each module its footprint metric or the sum of its children's weights, whichever is larger;
/// positive and finite.
fn subtree_weights(hierarchy: &Hierarchy, areas: &[f64]) -> Vec<f64> {
    let area = |id: ModuleId| {
        let area = areas.get(id.index()).copied().unwrap_or(0.0);
        // A bound far above any metric keeps the sums finite.
        if area > 0.0 { area.min(1e30) } else { 0.0 }
    };
    let mut leaves = 0u32;
    let mut total = 0.0;
    for id in hierarchy.modules().filter(|&id| hierarchy.is_leaf(id)) {
        leaves += 1;
        total += area(id);
    }
    let mean = total / f64::from(leaves.max(1));
    let least = if mean > 0.0 { mean * LEAST_WEIGHT } else { 1.0 };
    let mut weights = vec![0.0f64; hierarchy.len()];
    for id in (0..hierarchy.len() as u32).rev().map(ModuleId) {
        // By now the children have added their weights up here.
        let weight = weights[id.index()].max(area(id)).max(least);
        weights[id.index()] = weight;
        if let Some(parent) = hierarchy.parent(id) {
            weights[parent.index()] += weight;
        }
    }
    weights
}

/// A block without extent for each displayed module.
fn displayed_blocks(hierarchy: &Hierarchy, cut: &Cut) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(hierarchy.len());
    // The blocks whose subtrees are being filled, and the ids at which these end.
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut collapsed = cut.collapsed().peekable();
    let mut next = 0;
    while next < hierarchy.len() as u32 {
        let module = ModuleId(next);
        while let Some(&(block, end)) = open.last()
            && end <= next
        {
            blocks[block as usize].subtree_end = blocks.len() as u32;
            open.pop();
        }
        while collapsed.next_if(|&id| id < module).is_some() {}
        let subtree = hierarchy.subtree(module);
        let kind = if hierarchy.is_leaf(module) {
            BlockKind::Leaf
        } else if collapsed.peek() == Some(&module) {
            BlockKind::Collapsed
        } else {
            BlockKind::Terrace
        };
        let index = blocks.len() as u32;
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
    blocks
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
