use super::*;
use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

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
        for tiling in Tiling::ALL {
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

/// The user's order decides where districts are; each block stays on the one that it is in, and an order that a tiling
/// has by itself changes nothing.
#[test]
fn districts_put_in_order_stand_in_it() {
    let mut swaps = 0;
    for seed in 0..30 {
        let (hierarchy, areas) = random_city(seed, 40 + seed as usize * 9);
        let children: Vec<ModuleId> = hierarchy.children(ModuleId::ROOT).collect();
        if children.len() < 2 {
            continue;
        }
        let mut random = Random(seed + 77);
        let mut order = children.clone();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
        let mut cut = Cut::all();
        cut.set_order(&hierarchy, order.iter().copied());
        for tiling in Tiling::ALL {
            let blocks = layout(&hierarchy, &cut, &areas, &Heights::Even, tiling);
            let natural = layout(&hierarchy, &Cut::all(), &areas, &Heights::Even, tiling);
            assert_eq!(blocks.len(), natural.len());
            let of = |blocks: &[Block], module: ModuleId| {
                *blocks
                    .iter()
                    .find(|it| it.module == module)
                    .expect("it is shown")
            };
            for block in blocks.iter().skip(1) {
                let parent = hierarchy.parent(block.module).expect("it has one");
                let parent = of(&blocks, parent);
                assert!(parent.min.x <= block.min.x && block.max.x <= parent.max.x);
                assert!(parent.min.y <= block.min.y && block.max.y <= parent.max.y);
            }
            // Of the two largest, both stand elsewhere once they change places.
            let side = |block: Block| (block.max - block.min).truncate().min_element();
            let mut largest = order.clone();
            largest.sort_by(|&a, &b| side(of(&natural, b)).total_cmp(&side(of(&natural, a))));
            if side(of(&natural, largest[1])) < 1.0 {
                continue;
            }
            let place = |module| order.iter().position(|&it| it == module);
            let [first, second] =
                [largest[0], largest[1]].map(|it| place(it).expect("it is there"));
            let mut swapped = order.clone();
            swapped.swap(first, second);
            let mut other = Cut::all();
            other.set_order(&hierarchy, swapped);
            let other = layout(&hierarchy, &other, &areas, &Heights::Even, tiling);
            for module in &largest[..2] {
                let (here, there) = (of(&blocks, *module), of(&other, *module));
                assert_ne!(here.min, there.min, "seed {seed}, {tiling:?}");
            }
            swaps += 1;
            // The order of a tiling that keeps it already changes nothing.
            if let Tiling::Ordered | Tiling::SliceAndDice = tiling {
                let mut same = Cut::all();
                same.set_order(&hierarchy, children.iter().copied());
                let same = layout(&hierarchy, &same, &areas, &Heights::Even, tiling);
                assert_eq!(same, natural);
            }
        }
    }
    assert!(swaps > 20, "{swaps}");
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

const TILINGS: [Tile; 5] = [
    |weights, rect, place| squarify::squarify(weights, rect, place),
    |weights, rect, place| slice::slice(weights, rect, place),
    |weights, rect, place| strip::strip(weights, rect, place),
    |weights, rect, place| stable::stable(weights, weights, rect, &mut Default::default(), place),
    |weights, rect, place| {
        stable::stable(
            weights,
            &[3.0, 0.0, 5.0, 1e9],
            rect,
            &mut Default::default(),
            place,
        )
    },
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

/// The aspect ratio of a rectangle, from 1 on.
fn aspect(rect: Rect) -> f64 {
    let (width, height) = (rect.width(), rect.height());
    (width / height).max(height / width)
}

/// Weights as functions have them: most are small, some very large.
fn random_weights(random: &mut Random, count: usize) -> Vec<f32> {
    let weight = |random: &mut Random| (3e6 / (random.below(1_000_000) + 1) as f64).min(3000.0);
    (0..count).map(|_| weight(random) as f32).collect()
}

#[test]
fn ordered_and_stable_rectangles_are_not_splinters_and_keep_their_order() {
    let mut random = Random(3);
    let tile_mean = |tiling: Tile, weights: &[f32]| {
        let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        let rects = tile(tiling, weights, PLAN);
        let weighted = rects.iter().zip(weights);
        weighted
            .map(|(&rect, &weight)| aspect(rect) * f64::from(weight) / total)
            .sum::<f64>()
    };
    for count in [3, 20, 150, 2000] {
        let weights = random_weights(&mut random, count);
        let [strip, stable] = [2, 3].map(|at| tile_mean(TILINGS[at], &weights));
        assert!(strip < 12.0, "{count}: {strip}");
        assert!(stable < 4.0, "{count}: {stable}");
        // As text is read: the strips from north to south, each from west to east.
        let rects = tile(TILINGS[2], &weights, PLAN);
        for pair in rects.windows(2) {
            let same_strip = pair[1].north > pair[0].south + 1e-9;
            assert!(!same_strip || pair[1].west >= pair[0].west);
            assert!(same_strip || pair[1].north <= pair[0].south + 1e-9);
        }
    }
    let even = vec![1.0f32; 120];
    for rect in tile(TILINGS[2], &even, PLAN) {
        assert!(aspect(rect) < 2.0, "{rect:?}");
    }
}

/// How far the middles of the rectangles move on average, in sides of the plan, when weights change.
fn mean_move(layout: impl Fn(&[f32]) -> Vec<Rect>, before: &[f32], after: &[f32]) -> f64 {
    let middle = |rect: &Rect| [rect.west + rect.east, rect.south + rect.north].map(|it| it * 0.5);
    let (a, b) = (layout(before), layout(after));
    let moves = a.iter().zip(&b).map(|(a, b)| {
        let (a, b) = (middle(a), middle(b));
        (a[0] - b[0]).hypot(a[1] - b[1])
    });
    moves.sum::<f64>() / before.len() as f64 / PLAN.width().hypot(PLAN.height())
}

#[test]
fn a_stable_layout_moves_far_less_than_a_squarified_one() {
    let (mut stable_sum, mut squarified_sum) = (0.0, 0.0);
    for seed in 0..40 {
        let mut random = Random(seed);
        let count = 10 + random.below(200) as usize;
        let before = random_weights(&mut random, count);
        let after: Vec<f32> = before
            .iter()
            .map(|&weight| weight * (0.7 + random.below(600) as f32 * 1e-3))
            .collect();
        let squarified = |weights: &[f32]| {
            let mut order: Vec<usize> = (0..weights.len()).collect();
            order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
            let sorted: Vec<f32> = order.iter().map(|&at| weights[at]).collect();
            let mut rects = vec![PLAN; weights.len()];
            squarify::squarify(&sorted, PLAN, |at, rect| rects[order[at]] = rect);
            rects
        };
        let stable = |weights: &[f32]| {
            let mut rects = vec![PLAN; weights.len()];
            stable::stable(
                weights,
                &before,
                PLAN,
                &mut Default::default(),
                |at, rect| rects[at] = rect,
            );
            rects
        };
        stable_sum += mean_move(stable, &before, &after);
        squarified_sum += mean_move(squarified, &before, &after);
    }
    println!("mean move: stable {stable_sum:.3}, squarified {squarified_sum:.3} of 40");
    assert!(
        stable_sum * 5.0 < squarified_sum,
        "{stable_sum} {squarified_sum}"
    );
}

#[test]
fn a_new_child_does_not_move_the_others_in_a_stable_layout() {
    let mut random = Random(5);
    let before = random_weights(&mut random, 60);
    let at = 25;
    let mut after = before.clone();
    after.insert(at, 0.5);
    let mut references = before.clone();
    references.insert(at, 0.0);
    let rects = |weights: &[f32], references: &[f32]| {
        let mut rects = vec![PLAN; weights.len()];
        stable::stable(
            weights,
            references,
            PLAN,
            &mut Default::default(),
            |at, rect| rects[at] = rect,
        );
        rects
    };
    let old = rects(&before, &before);
    let mut new = rects(&after, &references);
    new.remove(at);
    let far = old
        .iter()
        .zip(&new)
        .map(|(a, b)| (a.west - b.west).abs().max((a.south - b.south).abs()));
    let far = far.fold(0.0, f64::max);
    assert!(far < 0.05 * PLAN.width(), "{far}");
}

#[test]
fn a_part_laid_out_again_agrees_with_the_whole_up_to_the_tolerance() {
    for seed in 0..30 {
        let mut random = Random(seed);
        let (hierarchy, mut areas) = random_city(seed, 2 + random.below(600) as usize);
        for area in &mut areas {
            *area = if *area > 0.0 && area.is_finite() {
                *area
            } else {
                1.0
            };
        }
        let leaves: Vec<ModuleId> = hierarchy
            .modules()
            .filter(|&id| hierarchy.is_leaf(id))
            .collect();
        for id in hierarchy.modules() {
            if !hierarchy.is_leaf(id) {
                areas[id.index()] = 0.0;
            }
        }
        let cut = if seed % 3 == 0 {
            Cut::at_level(&hierarchy, 3)
        } else {
            Cut::all()
        };
        let tiling = Tiling::ALL[seed as usize % 4];
        let mut treemap = Treemap::default();
        treemap.lay_out(&plan(&hierarchy, &cut, &areas, tiling));
        for _ in 0..20 {
            let leaf = leaves[random.below(leaves.len() as u64) as usize];
            areas[leaf.index()] *= 0.2 + random.below(400) as f64 * 1e-2;
            let old = treemap.blocks().to_vec();
            let changed = treemap.change(&plan(&hierarchy, &cut, &areas, tiling), leaf);
            for (index, block) in treemap.blocks().iter().enumerate() {
                assert!(
                    changed.contains(&index) || *block == old[index],
                    "seed {seed}"
                );
            }
            stand_on_each_other(treemap.blocks(), seed);
        }
        // Heavier than all others together: everything has to move.
        areas[leaves[0].index()] = 1e12;
        treemap.change(&plan(&hierarchy, &cut, &areas, tiling), leaves[0]);
        let scales = treemap.scales;
        let mut whole = Treemap::default();
        whole.lay_out(&plan(&hierarchy, &cut, &areas, tiling));
        whole.scales = scales;
        let of = |treemap: &Treemap| {
            let leaf = treemap
                .blocks()
                .iter()
                .rfind(|block| block.module <= leaves[0]);
            let side = leaf
                .map(|leaf| (leaf.max - leaf.min).truncate())
                .unwrap_or_default();
            f64::from(side.x * side.y)
        };
        let ratio = of(&treemap) / of(&whole);
        assert!((0.9..1.1).contains(&ratio), "seed {seed}: {ratio}");
    }
}

fn plan<'a>(hierarchy: &'a Hierarchy, cut: &'a Cut, areas: &'a [f64], tiling: Tiling) -> Plan<'a> {
    Plan {
        hierarchy,
        cut,
        areas,
        references: &[],
        heights: &Heights::Even,
        tiling,
    }
}

fn stand_on_each_other(blocks: &[Block], seed: u64) {
    let parents = parents(blocks);
    for (index, block) in blocks.iter().enumerate().skip(1) {
        let parent = &blocks[parents[index] as usize];
        assert!(
            parent.min.x <= block.min.x && block.max.x <= parent.max.x,
            "seed {seed}"
        );
        assert!(
            parent.min.y <= block.min.y && block.max.y <= parent.max.y,
            "seed {seed}"
        );
        assert_eq!(parent.max.z, block.min.z, "seed {seed}");
    }
}

#[test]
fn what_is_hidden_has_no_block_and_leaves_no_hole() {
    for seed in 0..20 {
        let (hierarchy, areas) = random_city(seed, 200);
        let hidden = ModuleId(1 + seed as u32 * 7);
        let cut = Cut::all().hiding(Some(hidden));
        let blocks = layout(&hierarchy, &cut, &areas, &Heights::Even, Tiling::Squarified);
        let shown: Vec<ModuleId> = blocks.iter().map(|block| block.module).collect();
        let expected = hierarchy
            .modules()
            .filter(|&id| !hierarchy.contains(hidden, id));
        assert_eq!(shown, expected.collect::<Vec<_>>());
        stand_on_each_other(&blocks, seed);
    }
}
