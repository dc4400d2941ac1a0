//! The paths of call relations over the blocks, bundled along the hierarchy: Holten, "Hierarchical Edge
//! Bundles: Visualization of Adjacency Relations in Hierarchical Data", InfoVis 2006.

use glam::{Vec2, Vec3};

use super::geometry::Block;

/// Control points of an arc between its ends: enough for a smooth arch, and a bound for deep trees.
const FEWEST_SEGMENTS: usize = 4;
const MOST_SEGMENTS: usize = 16;

/// The height of an arc over its ends grows with its span to this power: short ones stay low, long ones
/// do not leave the picture. At a span of one unit it is `LIFT`.
const LIFT: f32 = 0.55;
const LIFT_POWER: f32 = 0.74;
/// A hyperarc stands out over the relations by its height too.
const HYPERARC_LIFT: f32 = 1.15;

/// How far a hop bulges to the right of the straight line, as a share of its span.
const HYPERARC_BULGE: f32 = 0.05;

/// An arc leaves and arrives to the right of the line between the centres, by this share of the smaller
/// block's side, so that the two directions of a pair do not coincide.
const SIDESTEP: f32 = 0.12;

/// The blocks that arcs stand on.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    pub blocks: &'a [Block],
    /// As by [`super::treemap::parents`].
    pub parents: &'a [u32],
}

impl Ground<'_> {
    fn center(&self, block: u32) -> Vec2 {
        let block = &self.blocks[block as usize];
        (block.min.truncate() + block.max.truncate()) * 0.5
    }

    fn side(&self, block: u32) -> f32 {
        let block = &self.blocks[block as usize];
        (block.max.x - block.min.x).min(block.max.y - block.min.y)
    }

    fn top(&self, block: u32) -> f32 {
        self.blocks[block as usize].max.z
    }
}

/// Where the control points of an arc lie among all of them; none yet by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Path {
    pub first: u32,
    pub points: u32,
    /// How far it goes over the ground, in world units.
    pub span: f32,
}

/// Makes paths; keeps what it works with, so that it does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Bundler {
    /// Holten's β: 1 follows the hierarchy strictly, 0 is a straight line.
    pub strength: f32,
    up: Vec<u32>,
    down: Vec<u32>,
    corners: Vec<Vec2>,
}

impl Bundler {
    pub fn new(strength: f32) -> Bundler {
        Bundler {
            strength: strength.clamp(0.0, 1.0),
            ..Bundler::default()
        }
    }

    /// Adds the control points from one block's top at rest to another's, through the modules between them.
    /// O(depth of the hierarchy).
    pub fn bundle(
        &mut self,
        ground: Ground<'_>,
        from: u32,
        to: u32,
        points: &mut Vec<Vec3>,
    ) -> Path {
        let direction = (ground.center(to) - ground.center(from)).normalize_or_zero();
        let right = Vec2::new(direction.y, -direction.x);
        let sidestep = right * SIDESTEP * ground.side(from).min(ground.side(to));
        let start = ground.center(from) + sidestep;
        let end = ground.center(to) + sidestep;

        // Up from the caller and up from the callee until they meet. What they meet in is left out, as
        // Holten does, or every path through it would run over its centre.
        self.up.clear();
        self.down.clear();
        let (mut a, mut b) = (from, to);
        while a != b {
            // In preorder the later one of two blocks cannot enclose the other.
            let (side, chain) = if a > b {
                (&mut a, &mut self.up)
            } else {
                (&mut b, &mut self.down)
            };
            *side = ground.parents[*side as usize];
            chain.push(*side);
        }
        // The caller and the callee themselves are among these where one encloses the other.
        let between = self.up.iter().chain(self.down.iter().rev());
        let between = between.filter(|&&block| block != a && block != from && block != to);
        self.corners.clear();
        self.corners.push(start);
        self.corners
            .extend(between.map(|&block| ground.center(block)));
        self.corners.push(end);

        let found = self.corners.len() - 1;
        let segments = found.clamp(FEWEST_SEGMENTS, MOST_SEGMENTS);
        let first = points.len();
        for i in 0..=segments {
            let along = i as f32 / segments as f32;
            let at = along * found as f32;
            let before = (at as usize).min(found - 1);
            let [corner, next] = [self.corners[before], self.corners[before + 1]];
            let by_hierarchy = corner.lerp(next, at - before as f32);
            let straight = start.lerp(end, along);
            points.push(straight.lerp(by_hierarchy, self.strength).extend(0.0));
        }
        let last = points.len() - 1;
        points[first].z = ground.top(from);
        points[last].z = ground.top(to);
        let span = lift(&mut points[first..], 1.0);
        Path {
            first: first as u32,
            points: (points.len() - first) as u32,
            span,
        }
    }
}

/// Adds the control points of a hop of a hyperarc.
pub fn hop(ground: Ground<'_>, [from, to]: [u32; 2], points: &mut Vec<Vec3>) -> Path {
    // Hops of a path meet in the centres of their blocks; a hop and its way back bulge to the right.
    let start = ground.center(from).extend(ground.top(from));
    let end = ground.center(to).extend(ground.top(to));
    let across = (end - start).truncate();
    let bulge = Vec2::new(across.y, -across.x) * HYPERARC_BULGE;
    let first = points.len();
    points.extend((0..=FEWEST_SEGMENTS).map(|i| {
        let along = i as f32 / FEWEST_SEGMENTS as f32;
        let aside = bulge * (4.0 * along * (1.0 - along));
        start.lerp(end, along) + aside.extend(0.0)
    }));
    let span = lift(&mut points[first..], HYPERARC_LIFT);
    Path {
        first: first as u32,
        points: (points.len() - first) as u32,
        span,
    }
}

/// Raises control points over the line between the first and the last to an arch; how far they go over the
/// ground.
fn lift(points: &mut [Vec3], factor: f32) -> f32 {
    let (Some(&start), Some(&end)) = (points.first(), points.last()) else {
        return 0.0;
    };
    let step = |pair: &[Vec3]| pair[0].truncate().distance(pair[1].truncate());
    let length: f32 = points.windows(2).map(step).sum();
    let span = start.truncate().distance(end.truncate());
    let height = LIFT * span.powf(LIFT_POWER) * factor;
    let mut along = 0.0;
    let mut before = start.truncate();
    for point in points {
        along += before.distance(point.truncate());
        before = point.truncate();
        let share = along / length.max(f32::MIN_POSITIVE);
        let rising = 4.0 * share * (1.0 - share);
        point.z = start.z + (end.z - start.z) * share + height * rising.max(0.0).sqrt();
    }
    length
}
