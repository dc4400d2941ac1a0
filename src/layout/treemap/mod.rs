//! The 2½D treemap: the frame around the tilings. Weights, margins, label strips, heights and rounding
//! live here once; a tiling is a bare function over the weights of one parent's children and a rectangle.

mod heights;
mod margins;
mod memory;
mod order;
mod rect;
mod shown;
mod slice;
mod squarify;
mod stable;
mod strip;
mod weights;

use std::collections::HashMap;
use std::ops::Range;

use glam::{Vec2, Vec3};

use self::margins::Margins;
use self::order::Family;
use self::rect::smaller;
use self::shown::{Columns, Displayed};
use self::weights::{Open, Scales};
use super::geometry::{Block, BlockKind, CITY_SIZE};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;
use callscape_model::tiling::Tiling;

pub use heights::Heights;
pub use margins::label_strip;
pub use rect::Rect;

/// Width by depth of the city.
const CITY_ASPECT: f64 = 1.4;

/// A footprint whose share has changed by no more than this part of itself stays where it is when only a
/// part of the city is laid out again.
const TOLERANCE: f64 = 0.01;

/// So many leaves on one terrace do not fit into the caches.
const SCATTERED: usize = 10_000;

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
    shown: Displayed,
    scales: Scales,
    /// By block; positive and finite.
    weights: Vec<f32>,
    /// By block, of the layout of reference; empty where that is this one.
    references: Vec<f32>,
    heights: heights::Scale,
    /// The weights with which blocks were laid out that have others now, too little to move them.
    laid: HashMap<u32, f32>,
    scratch: Scratch,
}

/// What is the same for all blocks of a level: how much is left free around and between them, and how high the step
/// onto a terrace is at most.
#[derive(Clone, Copy, Debug)]
struct Level {
    margins: Margins,
    step: f32,
}

impl Level {
    fn new(level: u16) -> Level {
        Level {
            margins: Margins::at(level),
            step: heights::step(level),
        }
    }
}

/// What the children of one module stand on, and all else that makes blocks of their rectangles.
struct Ground<'a> {
    columns: Columns<'a>,
    children: &'a [u32],
    level: u16,
    margins: Margins,
    step: f32,
    /// The top of the terrace.
    floor: f32,
    heights: &'a Heights,
    scale: heights::Scale,
}

impl Ground<'_> {
    /// Makes the blocks of many leaves on top of that at `parent`, with memory to work in.
    fn scatter(
        &self,
        blocks: &mut [Block],
        parent: usize,
        (sizes, rect): (&[f32], Rect),
        (footprints, ranks): (&mut Vec<[Vec2; 2]>, &mut Vec<u32>),
    ) {
        // Heaviest first is everywhere in memory: small footprints are fetched faster than blocks are
        // thrown about.
        memory::reserve(footprints, self.children.len());
        footprints.clear();
        squarify::squarify(sizes, rect, |_, rect| {
            footprints.push(self.footprint(rect));
        });
        memory::reserve(ranks, self.children.len());
        ranks.resize(self.children.len(), 0);
        for (rank, &child) in (0..).zip(self.children) {
            ranks[child as usize - parent - 1] = rank;
        }
        let mut child = parent + 1;
        // So many fetches at once hide how long each takes.
        let mut fetched = [[Vec2::ZERO; 2]; 64];
        for ranks in ranks.chunks(fetched.len()) {
            for (to, &rank) in fetched.iter_mut().zip(ranks) {
                *to = footprints[rank as usize];
            }
            let blocks = &mut blocks[child..child + ranks.len()];
            for (block, &footprint) in blocks.iter_mut().zip(&fetched) {
                *block = self.block(child, footprint);
                child += 1;
            }
        }
    }

    /// Makes the block of one of the children.
    #[inline(always)]
    fn put(&self, blocks: &mut [Block], at: usize, rect: Rect) {
        let child = self.children[at] as usize;
        blocks[child] = self.block(child, self.footprint(rect));
    }

    #[inline(always)]
    fn footprint(&self, rect: Rect) -> [Vec2; 2] {
        let rect = self.margins.separated(rect);
        // Rounding to f32 is monotone: what lies inside or beside stays inside or beside.
        let south_west = Vec2::new(rect.west as f32, rect.south as f32);
        [south_west, Vec2::new(rect.east as f32, rect.north as f32)]
    }

    #[inline(always)]
    fn block(&self, child: usize, [min, max]: [Vec2; 2]) -> Block {
        let (module, kind) = (self.columns.module(child), self.columns.kind(child));
        let side = smaller(max.x - min.x, max.y - min.y);
        let top = self.scale.top(self.heights, module, kind, side, self.step);
        Block {
            module,
            kind,
            level: self.level,
            min: min.extend(self.floor),
            max: max.extend(self.floor + top),
            subtree_end: self.columns.ends[child],
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    open: Vec<Open>,
    levels: Vec<Level>,
    family: Family,
    references: Vec<f32>,
    cuts: stable::Cuts,
    footprints: Vec<[Vec2; 2]>,
    ranks: Vec<u32>,
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

    /// Made in the memory of an earlier one's blocks: touching new memory takes as long as the layout itself.
    pub fn in_place_of(blocks: Vec<Block>, parents: Vec<u32>) -> Treemap {
        Treemap {
            blocks,
            parents,
            ..Treemap::default()
        }
    }

    pub fn into_blocks(self) -> (Vec<Block>, Vec<u32>) {
        (self.blocks, self.parents)
    }

    /// Lays out the displayed modules. Collapsing changes nothing outside of what is collapsed; what is hidden
    /// has no place. O(n log n) for n modules.
    pub fn lay_out(&mut self, plan: &Plan<'_>) {
        let Plan { hierarchy, cut, .. } = plan;
        memory::reserve(&mut self.parents, hierarchy.len());
        memory::reserve(&mut self.weights, hierarchy.len());
        self.shown.find(hierarchy, cut, &mut self.parents);
        let columns = self.shown.columns(hierarchy);
        let open = &mut self.scratch.open;
        self.scales = Scales::new(hierarchy, cut, plan.areas);
        self.scales
            .weigh(hierarchy, cut, columns, plan.areas, open, &mut self.weights);
        self.references.clear();
        if plan.tiling == Tiling::Stable && !plan.references.is_empty() {
            let references = &mut self.references;
            Scales::new(hierarchy, cut, plan.references).weigh(
                hierarchy,
                cut,
                columns,
                plan.references,
                open,
                references,
            );
            // What the layout of reference does not know decides nothing.
            for (at, reference) in references.iter_mut().enumerate() {
                let known = plan.references.get(columns.module(at).index());
                if !known.is_some_and(|&area| area > 0.0) {
                    *reference = 0.0;
                }
            }
        }
        self.laid.clear();
        self.heights = plan.heights.scale(columns);
        let count = columns.ends.len();
        let mut root = Block {
            module: ModuleId::ROOT,
            kind: columns.kind(0),
            level: 0,
            min: Vec3::ZERO,
            max: Vec3::new(CITY_SIZE, (f64::from(CITY_SIZE) / CITY_ASPECT) as f32, 0.0),
            subtree_end: count as u32,
        };
        let Block {
            module, kind, max, ..
        } = root;
        root.max.z = self
            .heights
            .top(plan.heights, module, kind, max.y, Level::new(0).step);
        // All others are overwritten.
        memory::reserve(&mut self.blocks, count);
        self.blocks.resize(count, root);
        self.blocks[0] = root;
        self.place(plan, 0..count);
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
                (f64::from(weight) / f64::from(laid) - 1.0).abs() > TOLERANCE
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
    fn weight_again(&self, plan: &Plan<'_>, at: usize) -> f32 {
        let Block {
            module,
            kind,
            subtree_end,
            ..
        } = self.blocks[at];
        let Plan {
            hierarchy,
            cut,
            areas,
            ..
        } = *plan;
        let mut sum = 0.0;
        if kind == BlockKind::Collapsed {
            sum = self.scales.collapsed(hierarchy, cut, areas, module);
        }
        let mut child = at + 1;
        while child < subtree_end as usize {
            sum += f64::from(self.weights[child]);
            child = self.blocks[child].subtree_end as usize;
        }
        self.scales
            .weight(areas.get(module.index()).copied().unwrap_or(0.0), sum)
    }

    /// Gives the blocks on top of those of `part`, which is a subtree, their places; its first has its own.
    fn place(&mut self, plan: &Plan<'_>, part: Range<usize>) {
        let Scratch {
            levels,
            family,
            references,
            cuts,
            footprints,
            ranks,
            ..
        } = &mut self.scratch;
        let columns = self.shown.columns(plan.hierarchy);
        let ends = columns.ends;
        let (blocks, weights) = (&mut self.blocks[..], &self.weights[..]);
        // Parents stand before their children, so one pass from front to back places everything.
        let mut parent = part.start;
        while parent < part.end {
            let end = ends[parent] as usize;
            if end == parent + 1 {
                parent = end;
                continue;
            }
            let Block { level, max, .. } = blocks[parent];
            let below = level.saturating_add(1);
            while levels.len() <= usize::from(below) {
                levels.push(Level::new(levels.len() as u16));
            }
            let rect = Rect::of_block(&blocks[parent]);
            family.gather(parent, ends, weights);
            // Where all are leaves there is nothing below them to place.
            let is_leaves = family.len() == end - parent - 1;
            if plan.tiling == Tiling::Squarified {
                family.sort();
            }
            let is_arranged = is_around(plan, blocks[parent].module);
            if is_arranged {
                let order = plan.cut.order();
                let module = |child: u32| columns.module(child as usize);
                family.arrange(|child| order.iter().position(|&it| it == module(child)));
            }
            // A chain of terraces, each all that stands on the one below, has one strip for all their names.
            let only = family.len() == 1 && columns.kind(parent + 1) != BlockKind::Leaf;
            let rect = match only {
                true => rect,
                false => {
                    let named = usize::from(level).saturating_sub(joined(blocks, parent));
                    let named = &levels[named].margins;
                    let margins = levels[usize::from(level)].margins;
                    margins.inner(rect, family.len(), named)
                }
            };
            let children = &family.children[..];
            let sizes = &family.weights[..];
            let ground = Ground {
                columns,
                children,
                level: below,
                margins: levels[usize::from(below)].margins,
                step: levels[usize::from(below)].step,
                floor: max.z,
                heights: plan.heights,
                scale: self.heights,
            };
            // A closure for each, so that each is compiled into its tiling.
            match plan.tiling {
                // The others give each child a place by its weight.
                Tiling::Squarified | Tiling::Stable if is_arranged => {
                    strip::strip(sizes, rect, |at, rect| ground.put(blocks, at, rect));
                }
                Tiling::Squarified if is_leaves && children.len() >= SCATTERED => {
                    ground.scatter(
                        blocks,
                        parent,
                        (sizes, rect),
                        (&mut *footprints, &mut *ranks),
                    );
                }
                Tiling::Squarified => {
                    squarify::squarify(sizes, rect, |at, rect| ground.put(blocks, at, rect));
                }
                Tiling::Ordered => {
                    strip::strip(sizes, rect, |at, rect| ground.put(blocks, at, rect));
                }
                Tiling::SliceAndDice => {
                    slice::slice(sizes, rect, |at, rect| ground.put(blocks, at, rect));
                }
                Tiling::Stable => {
                    let mut of = sizes;
                    if !self.references.is_empty() {
                        references.clear();
                        references.extend(children.iter().map(|&at| self.references[at as usize]));
                        of = references;
                    }
                    stable::stable(sizes, of, rect, cuts, |at, rect| {
                        ground.put(blocks, at, rect);
                    });
                }
            }
            parent = if is_leaves { end } else { parent + 1 };
        }
    }
}

/// Whether the user put the children of this module in order.
fn is_around(plan: &Plan<'_>, module: ModuleId) -> bool {
    let first = plan.cut.order().first();
    let first = first.filter(|it| it.index() < plan.hierarchy.len());
    first.is_some_and(|&it| plan.hierarchy.parent(it) == Some(module))
}

/// How many terraces below a block are a chain with it: each has the next, and nothing else, standing on it.
/// Linear in their number.
pub fn joined(blocks: &[Block], at: usize) -> usize {
    let Some(block) = blocks.get(at) else {
        return 0;
    };
    if block.kind == BlockKind::Leaf {
        return 0;
    }
    let below = blocks[..at].iter().rev();
    // In preorder the one that stands below it alone is the one before it, and ends where it ends.
    below
        .take_while(|below| below.subtree_end == block.subtree_end)
        .count()
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
