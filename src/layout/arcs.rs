//! Call relations as arcs over the blocks, bundled along the hierarchy: Holten, "Hierarchical Edge
//! Bundles: Visualization of Adjacency Relations in Hierarchical Data", InfoVis 2006.

use glam::{Vec2, Vec3};

use super::geometry::{Arc, Arcs, Block, BlockLook};

/// Holten's β: 1 follows the hierarchy strictly, 0 is a straight line.
const BUNDLING: f32 = 0.75;

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

/// Widths in world units: of a relation of one call, and what the most frequent one has more. Between
/// them the width grows with the logarithm of the count.
const WIDTH: f32 = 0.7;
const WIDTH_BY_COUNT: f32 = 2.3;
const STEP_WIDENING: f32 = 1.5;
/// Of the innermost hop of a hyperarc, and of the outermost as a share of that: the eye finds where the
/// stack ends.
const HYPERARC_WIDTH: f32 = 3.4;
const HYPERARC_TAPER: f32 = 0.45;

/// How opaque arcs of earlier steps are, and those of the last one.
const CALM: f32 = 0.38;
const STEP: f32 = 0.95;

/// Calls between two displayed blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRelation {
    /// Indices of the caller's and the callee's block.
    pub from: u32,
    pub to: u32,
    pub calls: u64,
    /// Those of the calls that happened in the last step.
    pub step_calls: u64,
}

/// Linear colours of relations at the caller and at the callee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcColors {
    pub caller: [f32; 3],
    pub callee: [f32; 3],
}

/// The blocks that arcs stand on. `looks` may be empty: nothing risen.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    pub blocks: &'a [Block],
    /// As by [`super::treemap::parents`].
    pub parents: &'a [u32],
    pub looks: &'a [BlockLook],
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
        let rise = self.looks.get(block as usize).map_or(0.0, |look| look.rise);
        self.blocks[block as usize].max.z + rise
    }
}

/// Lights of different arcs run out of step by this, so that they do not blink together.
const PULSE_APART: f32 = 0.381_966;

/// Adds arcs for the most frequent `limit` of the relations, those of the last step before others, and
/// gives back how many relations are left out. The order of `relations` does not matter; it is lost.
/// `phase` (0 to 1) is how far the lights on the arcs of the last step have run.
/// O(r log r) in the relations, and in the depth of the hierarchy for each arc.
pub fn add_relations(
    arcs: &mut Arcs,
    ground: Ground<'_>,
    relations: &mut Vec<BlockRelation>,
    colors: ArcColors,
    limit: usize,
    phase: f32,
) -> usize {
    let rank = |relation: &BlockRelation| {
        let BlockRelation {
            from,
            to,
            calls,
            step_calls,
        } = *relation;
        (std::cmp::Reverse((step_calls, calls)), from, to)
    };
    let left_out = relations.len().saturating_sub(limit);
    if left_out > 0 && limit > 0 {
        relations.select_nth_unstable_by_key(limit - 1, rank);
    }
    relations.truncate(limit);
    // The important ones last: they are drawn over the others.
    relations.sort_unstable_by_key(|relation| std::cmp::Reverse(rank(relation)));
    let most = relations.iter().map(|relation| relation.calls).max();
    let scale = (most.unwrap_or(0) as f32).ln_1p().max(1.0);
    for relation in relations.iter() {
        let in_step = relation.step_calls > 0;
        let share = (relation.calls as f32).ln_1p() / scale;
        let (opacity, widening) = if in_step {
            (STEP, STEP_WIDENING)
        } else {
            (CALM, 1.0)
        };
        let [from, to] = [colors.caller, colors.callee].map(|[r, g, b]| [r, g, b, opacity]);
        // By its ends, so that a light does not jump when the ranking changes.
        let apart = (relation.from ^ relation.to.rotate_left(7)) as f32 * PULSE_APART;
        let arc = Arc {
            first_point: arcs.points.len() as u32,
            points: 0,
            width: (WIDTH + WIDTH_BY_COUNT * share * share) * widening,
            from,
            to,
            outlined: false,
            pulse: if in_step {
                (phase + apart).fract()
            } else {
                -1.0
            },
        };
        bundle(ground, relation.from, relation.to, &mut arcs.points);
        add(arcs, arc);
    }
    left_out
}

/// Adds the hyperarc of a thread: one arch for each hop from a block to another, outermost first.
pub fn add_hyperarc(arcs: &mut Arcs, ground: Ground<'_>, hops: &[[u32; 2]], [r, g, b]: [f32; 3]) {
    for (index, &[from, to]) in hops.iter().enumerate() {
        let inward = (index + 1) as f32 / hops.len() as f32;
        let arc = Arc {
            first_point: arcs.points.len() as u32,
            points: 0,
            width: HYPERARC_WIDTH * (HYPERARC_TAPER + (1.0 - HYPERARC_TAPER) * inward),
            from: [r, g, b, 1.0],
            to: [r, g, b, 1.0],
            outlined: true,
            pulse: -1.0,
        };
        // Hops of a path meet in the centres of their blocks; a hop and its way back bulge to the right.
        let start = ground.center(from).extend(ground.top(from));
        let end = ground.center(to).extend(ground.top(to));
        let across = (end - start).truncate();
        let bulge = Vec2::new(across.y, -across.x) * HYPERARC_BULGE;
        let first = arcs.points.len();
        arcs.points.extend((0..=FEWEST_SEGMENTS).map(|i| {
            let along = i as f32 / FEWEST_SEGMENTS as f32;
            let aside = bulge * (4.0 * along * (1.0 - along));
            start.lerp(end, along) + aside.extend(0.0)
        }));
        lift(&mut arcs.points[first..], HYPERARC_LIFT);
        add(arcs, arc);
    }
}

fn add(arcs: &mut Arcs, arc: Arc) {
    let points = arcs.points.len() as u32 - arc.first_point;
    arcs.arcs.push(Arc { points, ..arc });
}

/// The control points from one block's top to another's, through the modules between them.
fn bundle(ground: Ground<'_>, from: u32, to: u32, points: &mut Vec<Vec3>) {
    let first = points.len();
    let direction = (ground.center(to) - ground.center(from)).normalize_or_zero();
    let right = Vec2::new(direction.y, -direction.x);
    let sidestep = right * SIDESTEP * ground.side(from).min(ground.side(to));
    let start = ground.center(from) + sidestep;
    let end = ground.center(to) + sidestep;

    // Up from the caller and up from the callee until they meet. What they meet in is left out, as
    // Holten does, or every path through it would run over its centre.
    let (mut up, mut down): (Vec<u32>, Vec<u32>) = Default::default();
    let (mut a, mut b) = (from, to);
    while a != b {
        // In preorder the later one of two blocks cannot enclose the other.
        let (side, chain) = if a > b {
            (&mut a, &mut up)
        } else {
            (&mut b, &mut down)
        };
        *side = ground.parents[*side as usize];
        chain.push(*side);
    }
    // The caller and the callee themselves are among these where one encloses the other.
    let between = up.iter().chain(down.iter().rev());
    let between = between.filter(|&&block| block != a && block != from && block != to);
    points.push(start.extend(0.0));
    points.extend(between.map(|&block| ground.center(block).extend(0.0)));
    points.push(end.extend(0.0));

    let found = points.len() - first - 1;
    let segments = found.clamp(FEWEST_SEGMENTS, MOST_SEGMENTS);
    if segments != found {
        let path: Vec<Vec3> = points.drain(first..).collect();
        points.extend((0..=segments).map(|i| {
            let at = i as f32 * found as f32 / segments as f32;
            let before = (at as usize).min(found.saturating_sub(1));
            path[before].lerp(path[before + 1], at - before as f32)
        }));
    }
    for (i, point) in points[first..].iter_mut().enumerate() {
        let along = i as f32 / segments as f32;
        let straight = start.lerp(end, along).extend(0.0);
        *point = straight.lerp(*point, BUNDLING);
    }
    let last = points.len() - 1;
    points[first].z = ground.top(from);
    points[last].z = ground.top(to);
    lift(&mut points[first..], 1.0);
}

/// Raises control points over the line between the first and the last to an arch.
fn lift(points: &mut [Vec3], factor: f32) {
    let (Some(&start), Some(&end)) = (points.first(), points.last()) else {
        return;
    };
    let steps = |points: &[Vec3]| -> f32 {
        let pairs = points.windows(2);
        pairs
            .map(|pair| pair[0].truncate().distance(pair[1].truncate()))
            .sum()
    };
    let length = steps(points).max(f32::MIN_POSITIVE);
    let span = start.truncate().distance(end.truncate());
    let height = LIFT * span.powf(LIFT_POWER) * factor;
    let mut along = 0.0;
    let mut before = start.truncate();
    for point in points {
        along += before.distance(point.truncate());
        before = point.truncate();
        let share = along / length;
        let rising = 4.0 * share * (1.0 - share);
        point.z = start.z + (end.z - start.z) * share + height * rising.max(0.0).sqrt();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::geometry::BlockKind;
    use crate::layout::treemap::parents;
    use crate::units::ModuleId;

    /// A root with two terraces of two leaves each: blocks 0, 1 (2, 3), 4 (5, 6).
    fn blocks() -> Vec<Block> {
        let block = |index: u32, level, west: f32, east: f32, end| Block {
            module: ModuleId(index),
            kind: BlockKind::Leaf,
            level,
            min: Vec3::new(west, 0.0, f32::from(level)),
            max: Vec3::new(east, 40.0, f32::from(level) + 1.0),
            subtree_end: end,
        };
        vec![
            block(0, 0, 0.0, 100.0, 7),
            block(1, 1, 0.0, 50.0, 4),
            block(2, 2, 0.0, 20.0, 3),
            block(3, 2, 20.0, 50.0, 4),
            block(4, 1, 50.0, 100.0, 7),
            block(5, 2, 50.0, 70.0, 6),
            block(6, 2, 70.0, 100.0, 7),
        ]
    }

    const COLORS: ArcColors = ArcColors {
        caller: [0.0; 3],
        callee: [1.0; 3],
    };

    fn relation(from: u32, to: u32, calls: u64, step_calls: u64) -> BlockRelation {
        BlockRelation {
            from,
            to,
            calls,
            step_calls,
        }
    }

    #[test]
    fn arcs_run_from_the_top_of_the_caller_to_the_top_of_the_callee() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
            looks: &[],
        };
        for from in 0..7 {
            for to in (0..7).filter(|&to| to != from) {
                let mut arcs = Arcs::default();
                let mut relations = vec![relation(from, to, 1, 0)];
                assert_eq!(
                    add_relations(&mut arcs, ground, &mut relations, COLORS, 9, 0.0),
                    0
                );
                let [arc] = arcs.arcs[..] else {
                    panic!("one arc")
                };
                assert_eq!(arc.points as usize, arcs.points.len());
                let (first, last) = (arcs.points[0], arcs.points[arc.points as usize - 1]);
                for (end, block) in [(first, from), (last, to)] {
                    let block = &blocks[block as usize];
                    assert!(block.min.x <= end.x && end.x <= block.max.x, "{from} {to}");
                    assert!(block.min.y <= end.y && end.y <= block.max.y, "{from} {to}");
                    assert!((end.z - block.max.z).abs() < 1e-3, "{from} {to}");
                }
                let low = first.z.min(last.z) - 1e-3;
                assert!(
                    arcs.points
                        .iter()
                        .all(|point| point.is_finite() && point.z >= low)
                );
            }
        }
    }

    #[test]
    fn arcs_do_not_run_over_what_their_ends_have_in_common() {
        // A root with a leaf and a chain of terraces to another leaf; the root's centre lies far from both.
        let block = |index: u32, level, west: f32, east: f32, end| Block {
            module: ModuleId(index),
            kind: BlockKind::Leaf,
            level,
            min: Vec3::new(west, 0.0, 0.0),
            max: Vec3::new(east, 10.0, 1.0),
            subtree_end: end,
        };
        let blocks = [
            block(0, 0, 0.0, 1000.0, 5),
            block(1, 1, 0.0, 10.0, 2),
            block(2, 1, 10.0, 60.0, 5),
            block(3, 2, 20.0, 50.0, 5),
            block(4, 3, 30.0, 40.0, 5),
        ];
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
            looks: &[],
        };
        for (from, to) in [(1, 4), (4, 1)] {
            let mut arcs = Arcs::default();
            add_relations(
                &mut arcs,
                ground,
                &mut vec![relation(from, to, 1, 0)],
                COLORS,
                9,
                0.0,
            );
            assert!(
                arcs.points.iter().all(|point| point.x < 60.0),
                "{:?}",
                arcs.points
            );
        }
    }

    #[test]
    fn the_two_directions_of_a_pair_lie_apart() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
            looks: &[],
        };
        let mut arcs = Arcs::default();
        let mut relations = vec![relation(2, 6, 5, 0), relation(6, 2, 5, 0)];
        add_relations(&mut arcs, ground, &mut relations, COLORS, 9, 0.0);
        let there = arcs.points[0];
        let back = arcs.points[arcs.points.len() - 1];
        assert!(there.distance(back) > 1.0);
    }

    #[test]
    fn what_is_frequent_or_recent_is_kept_and_the_rest_counted() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
            looks: &[],
        };
        let mut arcs = Arcs::default();
        let mut relations = vec![
            relation(2, 3, 1000, 0),
            relation(2, 5, 10, 0),
            relation(3, 6, 1, 1),
            relation(5, 2, 20, 0),
        ];
        assert_eq!(
            add_relations(&mut arcs, ground, &mut relations, COLORS, 2, 0.0),
            2
        );
        let kept: Vec<(u32, u32)> = relations.iter().map(|kept| (kept.from, kept.to)).collect();
        assert_eq!(
            kept,
            [(2, 3), (3, 6)],
            "the most important one is drawn last"
        );
        assert!(arcs.arcs[1].from[3] > arcs.arcs[0].from[3]);
        assert_eq!(
            add_relations(&mut arcs, ground, &mut relations, COLORS, 0, 0.0),
            2
        );
    }

    #[test]
    fn a_hyperarc_has_an_arch_for_each_hop_and_widens_inward() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
            looks: &[],
        };
        let mut arcs = Arcs::default();
        add_hyperarc(&mut arcs, ground, &[[2, 5], [5, 2], [2, 6]], [0.5; 3]);
        assert_eq!(arcs.arcs.len(), 3);
        assert!(arcs.arcs.iter().all(|arc| arc.outlined));
        assert!(
            arcs.arcs
                .is_sorted_by(|outer, inner| outer.width < inner.width)
        );
        let middle = |arc: &Arc| arcs.points[(arc.first_point + arc.points / 2) as usize];
        let apart = middle(&arcs.arcs[0]).distance(middle(&arcs.arcs[1]));
        assert!(apart > 1.0, "there and back again: {apart}");
    }
}
