use super::*;
use crate::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

/// splitmix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// A random tree of `size` modules and a random area for each, some of them no proper numbers.
fn random_city(seed: u64, size: usize) -> (Hierarchy, Vec<f64>) {
    let mut random = Random(seed);
    let mut builder = HierarchyBuilder::new("root");
    let mut nodes = vec![NodeId::ROOT];
    for _ in 1..size {
        // Now and then a deep chain.
        let parent = if random.below(3) == 0 {
            nodes[nodes.len() - 1]
        } else {
            nodes[random.below(nodes.len() as u64) as usize]
        };
        nodes.push(builder.add(parent, Module::named(ModuleKind::Directory, "m")));
    }
    let (hierarchy, _) = builder.build();
    let areas = (0..size).map(|_| match random.below(20) {
        0 => 0.0,
        1 => -3.0,
        2 => f64::NAN,
        3 => f64::INFINITY,
        _ => (random.below(1000) * random.below(1000)) as f64,
    });
    let areas = areas.collect();
    (hierarchy, areas)
}

fn layouts(hierarchy: &Hierarchy, areas: &[f64]) -> Vec<Vec<Block>> {
    let cuts = [Cut::all(), Cut::at_level(hierarchy, 2)];
    let mut all = Vec::new();
    for cut in &cuts {
        for tiling in [Tiling::Squarified, Tiling::SliceAndDice] {
            all.push(layout(hierarchy, cut, areas, &Heights::Even, tiling));
        }
    }
    all
}

#[test]
fn blocks_stand_inside_their_parents_on_their_tops_and_beside_each_other() {
    for seed in 0..40 {
        let (hierarchy, areas) = random_city(seed, 1 + seed as usize * 20);
        for blocks in layouts(&hierarchy, &areas) {
            let parents = parents(&blocks);
            for (index, block) in blocks.iter().enumerate() {
                assert!(
                    block.min.is_finite() && block.max.is_finite(),
                    "seed {seed}"
                );
                assert!(block.min.cmple(block.max).all(), "seed {seed}: {block:?}");
                assert!(block.subtree_end as usize > index);
                if index > 0 {
                    let parent = &blocks[parents[index] as usize];
                    assert!(parent.min.x <= block.min.x && block.max.x <= parent.max.x);
                    assert!(parent.min.y <= block.min.y && block.max.y <= parent.max.y);
                    assert_eq!(parent.max.z, block.min.z, "seed {seed}");
                    assert_eq!(
                        Some(parent.module),
                        hierarchy.parent(block.module),
                        "seed {seed}"
                    );
                }
                for (other, neighbour) in blocks.iter().enumerate().skip(index + 1) {
                    if parents[other] == parents[index] && index > 0 {
                        let apart = block.max.x <= neighbour.min.x
                            || neighbour.max.x <= block.min.x
                            || block.max.y <= neighbour.min.y
                            || neighbour.max.y <= block.min.y;
                        assert!(apart, "seed {seed}: {block:?} {neighbour:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_displayed_module_has_one_block_and_collapsing_moves_nothing_else() {
    for seed in 0..20 {
        let (hierarchy, areas) = random_city(seed, 300);
        let all = layout(
            &hierarchy,
            &Cut::all(),
            &areas,
            &Heights::Even,
            Tiling::Squarified,
        );
        assert_eq!(all.len(), hierarchy.len());
        let cut = Cut::at_level(&hierarchy, 2);
        let some = layout(&hierarchy, &cut, &areas, &Heights::Even, Tiling::Squarified);
        let displayed = cut.displayed(&hierarchy);
        let mut shown: Vec<ModuleId> = displayed.clone();
        shown.dedup();
        let modules: Vec<ModuleId> = some.iter().map(|block| block.module).collect();
        assert_eq!(modules, shown);
        for block in some {
            let same = &all[block.module.index()];
            assert_eq!((block.min.x, block.max.x), (same.min.x, same.max.x));
            assert_eq!((block.min.y, block.max.y), (same.min.y, same.max.y));
        }
    }
}

#[test]
fn the_same_input_gives_the_same_blocks() {
    let (hierarchy, areas) = random_city(7, 500);
    assert_eq!(layouts(&hierarchy, &areas), layouts(&hierarchy, &areas));
}

type Tile = fn(&[f32], Rect, &mut dyn FnMut(usize, Rect));

const TILINGS: [Tile; 2] = [
    |weights, rect, place| squarify::squarify(weights, rect, place),
    |weights, rect, place| slice::slice(weights, rect, place),
];

fn tile(tiling: Tile, weights: &[f32], rect: Rect) -> Vec<Rect> {
    let mut rects = vec![None; weights.len()];
    tiling(weights, rect, &mut |at, rect| {
        assert!(rects[at].replace(rect).is_none(), "placed once");
    });
    rects
        .into_iter()
        .map(|rect| rect.expect("placed"))
        .collect()
}

const PLAN: Rect = Rect {
    west: 10.0,
    south: -5.0,
    east: 310.0,
    north: 195.0,
};

#[test]
fn tilings_give_each_weight_its_share_of_the_area() {
    for seed in 0..50 {
        let mut random = Random(seed);
        let count = 1 + random.below(400);
        let mut weights: Vec<f32> = (0..count)
            .map(|_| 1.0 + random.below(5000) as f32)
            .collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        for tiling in TILINGS {
            for (rect, &weight) in tile(tiling, &weights, PLAN).iter().zip(&weights) {
                let area = rect.width() * rect.height();
                let share = f64::from(weight) / total * PLAN.width() * PLAN.height();
                assert!(
                    (area - share).abs() <= 1e-6 * share,
                    "seed {seed}: {area} {share}"
                );
            }
        }
    }
}

#[test]
fn squarified_rectangles_are_nearly_square() {
    let weights: Vec<f32> = (1..=200).rev().map(|weight| weight as f32).collect();
    let aspects = tile(TILINGS[0], &weights, PLAN).into_iter().map(|rect| {
        let (width, height) = (rect.width(), rect.height());
        (width / height).max(height / width)
    });
    let aspects: Vec<f64> = aspects.collect();
    let mean = aspects.iter().sum::<f64>() / aspects.len() as f64;
    assert!(mean < 1.3, "{mean}");
}

#[test]
fn the_example_of_the_paper_is_tiled_as_in_the_paper() {
    let rect = Rect {
        west: 0.0,
        south: 0.0,
        east: 6.0,
        north: 4.0,
    };
    let rects = tile(TILINGS[0], &[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], rect);
    let near = |a: Rect, b: [f64; 4]| {
        let a = [a.west, a.south, a.east, a.north];
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
    };
    assert!(near(rects[0], [0.0, 0.0, 3.0, 2.0]), "{:?}", rects[0]);
    assert!(near(rects[1], [0.0, 2.0, 3.0, 4.0]), "{:?}", rects[1]);
    // 4 and 3 lie in a row along the width that is left, 2 beside them.
    assert!(
        near(rects[2], [3.0, 0.0, 3.0 + 12.0 / 7.0, 7.0 / 3.0]),
        "{:?}",
        rects[2]
    );
    assert!(
        near(rects[3], [3.0 + 12.0 / 7.0, 0.0, 6.0, 7.0 / 3.0]),
        "{:?}",
        rects[3]
    );
}

#[test]
fn degenerate_parents_are_tiled_without_harm() {
    let flat = Rect {
        north: PLAN.south,
        ..PLAN
    };
    let nothing = Rect {
        east: PLAN.west,
        ..flat
    };
    for tiling in TILINGS {
        for rect in [PLAN, flat, nothing] {
            for weights in [
                &[][..],
                &[1.0],
                &[1e30, 1.0, 1e-30],
                &[f32::MAX; 5],
                &[1e-45; 3],
            ] {
                for tile in tile(tiling, weights, rect) {
                    assert!(rect.west <= tile.west && tile.west <= tile.east);
                    assert!(tile.east <= rect.east && rect.south <= tile.south);
                    assert!(tile.south <= tile.north && tile.north <= rect.north);
                }
            }
        }
    }
}

#[test]
fn a_deep_chain_stays_low_and_inside() {
    let mut builder = HierarchyBuilder::new("root");
    let mut node = NodeId::ROOT;
    for _ in 0..70_000 {
        node = builder.add(node, Module::named(ModuleKind::Directory, "m"));
    }
    let (hierarchy, _) = builder.build();
    let blocks = layout(
        &hierarchy,
        &Cut::all(),
        &[],
        &Heights::Even,
        Tiling::Squarified,
    );
    assert_eq!(blocks.len(), 70_001);
    let top = blocks.iter().map(|block| block.max.z).fold(0.0, f32::max);
    assert!(top.is_finite() && top < 60.0, "{top}");
}
