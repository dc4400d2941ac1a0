//! Call relations as arcs over the blocks: which of them are drawn, how wide and how opaque. The paths that
//! they take are made by [`super::bundles`].

use std::ops::Range;

use super::block_relation::{ArcStyle, BlockRelation};
use super::bundles::{Bundler, Ground, Path, hop};
use super::emphasis::Emphasis;
use super::geometry::{Arc, Arcs, CITY_SIZE};
use super::ranking::Drawn;

/// Widths in world units: of a relation of one call, and what one of the most has more. Between them the
/// width grows with the logarithm of the amount.
const WIDTH: f32 = 0.7;
const WIDTH_BY_AMOUNT: f32 = 2.3;
const STEP_WIDENING: f32 = 1.5;
/// Of the innermost hop of a hyperarc, and of the outermost as a share of that: the eye finds where the
/// stack ends.
const HYPERARC_WIDTH: f32 = 3.4;
const HYPERARC_TAPER: f32 = 0.45;

/// How opaque arcs of earlier steps are, and those of the last one, where there is room for all.
const CALM: f32 = 0.42;
const STEP: f32 = 0.95;

/// Arcs share an amount of ink, as a part of the city's ground that they may cover if none lay on another: the
/// most important take it first, and what is left is spread over the others. So ten thousand arcs are bundles, and
/// no fog.
const INK_OF_CORDS: f32 = 0.34;
const INK_OF_THREADS: f32 = 0.24;
/// No arc is fainter, as a share of what it has where there is room: thousands on each other show.
const FAINTEST: f32 = 0.02;

/// What an arc covers where no other lies on it.
fn ink(path: &Path, width: f32) -> f32 {
    // A thread too narrow to be drawn so is drawn broader.
    path.span * width.max(1.0)
}

/// The ground that ink is measured against.
fn ground_area(ground: Ground<'_>) -> f32 {
    let root = ground.blocks.first().map(|root| root.max - root.min);
    root.map_or(CITY_SIZE * CITY_SIZE, |root| root.x * root.y)
        .max(1.0)
}

/// Adds arcs for the most important of the relations; which, stands in `drawn`. `changed` are those of which amounts are
/// other than when `drawn` was filled last; none where that may be any. Paths that are not known are made.
/// O(relations), in the depth of the hierarchy for each new path, and O(log) in the few that stand out.
pub fn add_relations(
    arcs: &mut Arcs,
    ground: Ground<'_>,
    bundler: &mut Bundler,
    relations: &mut [BlockRelation],
    drawn: &mut Drawn,
    (style, changed): (&ArcStyle, Option<&[u32]>),
) {
    drawn.choose(relations, (style, changed));
    let scale = 1.0 / log2(style.most as f32 + 1.0).max(std::f32::consts::LOG2_E);
    let threads = drawn.relations.len() - drawn.cords;
    let pen = arcs.inks.len() as u32;
    arcs.inks.push(style.ink);
    let mut ink_of_threads = 0.0;
    let mut ink_of_cords = 0.0;
    let first = arcs.arcs.len();
    for (place, &index) in drawn.relations.iter().enumerate() {
        let relation = &mut relations[index as usize];
        if relation.path.points == 0 {
            relation.path = bundler.bundle(ground, relation.from, relation.to, &mut arcs.points);
        }
        let amount = relation.amount(style.measure) as f32;
        let share = (log2(amount + 1.0) * scale).min(1.0);
        let in_step = relation.step_calls > 0;
        let widening = if in_step { STEP_WIDENING } else { 1.0 };
        let width = (WIDTH + WIDTH_BY_AMOUNT * share * share) * widening;
        let ink = ink(&relation.path, width);
        match place < threads {
            true => ink_of_threads += ink,
            false => ink_of_cords += ink,
        }
        arcs.arcs.push(Arc {
            first_point: relation.path.first,
            points: relation.path.points,
            ends: [relation.from, relation.to],
            span: relation.path.span,
            width,
            opacity: if in_step { STEP } else { CALM },
            ink: pen,
            is_cord: place >= threads,
            outlined: false,
            dashed: false,
            is_lit: in_step,
        });
    }
    let area = ground_area(ground);
    let dim = INK_OF_THREADS * area / f32::max(ink_of_threads, 1.0);
    let dim = in_steps(dim).clamp(FAINTEST, 1.0);
    // The least important cord is drawn first: what those after it need is what is left now.
    let room = INK_OF_CORDS * area;
    let mut before_it = ink_of_cords;
    let (of_threads, of_cords) = arcs.arcs[first..].split_at_mut(threads);
    for arc in of_threads {
        arc.opacity *= dim;
    }
    for (arc, &index) in of_cords.iter_mut().zip(&drawn.relations[threads..]) {
        before_it -= ink(&relations[index as usize].path, arc.width);
        arc.opacity *= in_steps(room / before_it.max(1.0)).clamp(dim, 1.0);
    }
}

/// The logarithm to base 2 of a normal number, to some 2e-5: for each of ten thousand arcs in every frame, and no call
/// of a function that the loop has to save all its numbers for.
fn log2(of: f32) -> f32 {
    let bits = of.to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let mantissa = f32::from_bits(bits & 0x007F_FFFF | 0x3F80_0000);
    // Twice the area tangent of (m - 1) / (m + 1) is the logarithm of m; up to a third four terms are enough.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square / 7.0));
    exponent + 2.0 * std::f32::consts::LOG2_E * t * series
}

/// The next lower of numbers that lie 3 % apart: what changes less than can be seen from frame to frame stays the
/// same, and need not be sent anew.
fn in_steps(share: f32) -> f32 {
    const STEPS: f32 = 24.0;
    ((share.log2() * STEPS).floor() / STEPS).exp2()
}

/// How opaque the arcs of the blocks `of` are when they are shown alone: full where they are few. O(drawn).
pub fn emphasize(
    ground: Ground<'_>,
    relations: &[BlockRelation],
    drawn: &Drawn,
    of: Range<u32>,
) -> Emphasis {
    let drawn = drawn
        .relations
        .iter()
        .map(|&index| &relations[index as usize]);
    let meant = drawn.filter(|it| of.contains(&it.from) || of.contains(&it.to));
    let needed: f32 = meant
        .map(|it| ink(&it.path, WIDTH + 0.5 * WIDTH_BY_AMOUNT))
        .sum();
    let room = INK_OF_CORDS * ground_area(ground);
    Emphasis {
        blocks: of,
        opacity: STEP * (room / needed.max(1.0)).clamp(FAINTEST, 1.0),
    }
}

/// Adds the hyperarc of a thread: one arch for each hop from a block to another, outermost first.
pub fn add_hyperarc(arcs: &mut Arcs, ground: Ground<'_>, hops: &[[u32; 2]], color: [f32; 3]) {
    let pen = arcs.inks.len() as u32;
    arcs.inks.push([color; 2]);
    for (index, &ends) in hops.iter().enumerate() {
        let inward = (index + 1) as f32 / hops.len() as f32;
        let path = hop(ground, ends, &mut arcs.points);
        arcs.arcs.push(Arc {
            first_point: path.first,
            points: path.points,
            ends,
            span: path.span,
            width: HYPERARC_WIDTH * (HYPERARC_TAPER + (1.0 - HYPERARC_TAPER) * inward),
            opacity: 1.0,
            ink: pen,
            is_cord: true,
            outlined: true,
            dashed: false,
            is_lit: false,
        });
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::geometry::{Block, BlockKind, Fineness};
    use crate::ranking::tests::relation;
    use crate::spline;
    use crate::treemap::parents;
    use callscape_base::units::ModuleId;

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

    /// The arcs of relations at a limit, in order the relations drawn, and how many are left out.
    fn add(
        ground: Ground<'_>,
        relations: &mut [BlockRelation],
        limit: usize,
    ) -> (Arcs, Vec<(u32, u32)>, usize) {
        let mut arcs = Arcs::default();
        let mut drawn = Drawn::default();
        let style = ArcStyle {
            ink: [[0.0; 3], [1.0; 3]],
            most: 1000,
            limit,
            ..ArcStyle::default()
        };
        let mut bundler = Bundler::new(0.75);
        add_relations(
            &mut arcs,
            ground,
            &mut bundler,
            relations,
            &mut drawn,
            (&style, None),
        );
        let ends = |&index: &u32| (relations[index as usize].from, relations[index as usize].to);
        let ends = drawn.relations.iter().map(ends).collect();
        (arcs, ends, drawn.left_out)
    }

    #[test]
    fn logarithms_of_amounts_are_exact_enough_and_in_order() {
        let mut before = -1.0;
        let amounts = (0..2_000u64).chain((11..64).map(|bits| 1 << bits));
        for amount in amounts.chain([u64::MAX]) {
            let of = amount as f32 + 1.0;
            let found = log2(of);
            assert!((found - of.log2()).abs() < 3e-5, "{amount}: {found}");
            assert!(found > before || of > 1e9, "{amount}");
            before = found;
        }
    }

    #[test]
    fn arcs_run_from_the_top_of_the_caller_to_the_top_of_the_callee() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
        };
        for from in 0..7 {
            for to in (0..7).filter(|&to| to != from) {
                let (arcs, _, left_out) = add(ground, &mut [relation(from, to, 1, 0)], 9);
                assert_eq!(left_out, 0);
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
    fn the_parts_that_an_arc_is_drawn_in_lie_along_its_curve() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
        };
        for (from, to) in (0..7).flat_map(|from| (0..7).map(move |to| (from, to))) {
            if from == to {
                continue;
            }
            let (mut arcs, ..) = add(ground, &mut [relation(from, to, 1, 0)], 9);
            // In pixels where one looks across the curve. Near by what is one of many is seen for itself.
            for (is_cord, pixels, allowed) in [
                (false, 0.5, 0.9),
                (false, 1.0, 0.9),
                (false, 3.0, 0.9),
                (false, 8.5, 0.4),
                (false, 14.0, 0.4),
                (true, 0.5, 0.4),
                (true, 1.0, 0.4),
                (true, 3.0, 0.4),
                (true, 8.5, 0.4),
                (true, 14.0, 0.4),
            ] {
                let arc = &mut arcs.arcs[0];
                arc.is_cord = is_cord;
                let arc = *arc;
                let segments = arc.segments(&Fineness::new(pixels));
                let on = |t| spline::point(&arcs, &arc, [0.0; 2], t) * pixels;
                for sample in 0..1000 {
                    let at = sample as f32 / 1000.0 * segments as f32;
                    let [from, to] =
                        [at.floor(), at.floor() + 1.0].map(|at| on(at / segments as f32));
                    let curve = on(at / segments as f32);
                    let along = to - from;
                    let share = (curve - from).dot(along) / along.length_squared().max(1e-9);
                    let off = curve.distance(from + along * share.clamp(0.0, 1.0));
                    assert!(off < allowed, "{from} {to}, {segments} parts: {off}");
                }
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
        };
        for (from, to) in [(1, 4), (4, 1)] {
            let (arcs, ..) = add(ground, &mut [relation(from, to, 1, 0)], 9);
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
        };
        let (arcs, ..) = add(ground, &mut [relation(2, 6, 5, 0), relation(6, 2, 5, 0)], 9);
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
        };
        let mut relations = [
            relation(2, 3, 1000, 0),
            relation(2, 5, 10, 0),
            relation(3, 6, 1, 1),
            relation(5, 2, 20, 0),
            relation(6, 2, 0, 0),
        ];
        let (arcs, kept, left_out) = add(ground, &mut relations, 2);
        assert_eq!(left_out, 2, "what was not called does not count");
        assert_eq!(
            kept,
            [(2, 3), (3, 6)],
            "the most important one is drawn last"
        );
        assert!(arcs.arcs[1].opacity > arcs.arcs[0].opacity);
        assert!(arcs.arcs[0].width > 1.9 && arcs.arcs[1].width < 1.9);
        let (_, kept, left_out) = add(ground, &mut relations, 0);
        assert_eq!((kept.len(), left_out), (0, 4));
    }

    #[test]
    fn many_arcs_share_the_ink_of_few_and_important_ones_keep_theirs() {
        // A row of leaves on one terrace.
        let count = 2000;
        let mut blocks = vec![Block {
            module: ModuleId(0),
            kind: BlockKind::Terrace,
            level: 0,
            min: Vec3::ZERO,
            max: Vec3::new(1000.0, 700.0, 1.0),
            subtree_end: count + 1,
        }];
        blocks.extend((1..=count).map(|index| Block {
            module: ModuleId(index),
            kind: BlockKind::Leaf,
            level: 1,
            min: Vec3::new(index as f32 * 0.5, 0.0, 1.0),
            max: Vec3::new(index as f32 * 0.5 + 0.5, 700.0, 2.0),
            subtree_end: index + 1,
        }));
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
        };
        let covered = |many: u32| {
            let ends = (0..many).map(|i| (1 + i * 7 % count, 1 + (i * 131 + 977) % count));
            let mut relations: Vec<_> = ends
                .filter(|(from, to)| from != to)
                .map(|(from, to)| relation(from, to, 1 + u64::from(from % 500), 0))
                .collect();
            let (arcs, ..) = add(ground, &mut relations, usize::MAX);
            let first = arcs.arcs.first().map_or(0.0, |arc| arc.opacity);
            let last = arcs.arcs.last().map_or(0.0, |arc| arc.opacity);
            let ink = arcs.arcs.iter().map(|arc| {
                let ends =
                    [0, arc.points - 1].map(|at| arcs.points[(arc.first_point + at) as usize]);
                arc.opacity * arc.width.max(1.0) * ends[0].distance(ends[1])
            });
            (ink.sum::<f32>(), first, last)
        };
        let (few, first, last) = covered(20);
        assert_eq!((first, last), (CALM, CALM));
        let (many, faint, clear) = covered(10_000);
        assert!(faint < 0.1 * CALM && clear == CALM, "{faint} {clear}");
        assert!(few < many && many < 0.5 * 700_000.0, "{few} {many}");
    }

    #[test]
    fn a_hyperarc_has_an_arch_for_each_hop_and_widens_inward() {
        let blocks = blocks();
        let parents = parents(&blocks);
        let ground = Ground {
            blocks: &blocks,
            parents: &parents,
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
