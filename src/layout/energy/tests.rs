use std::collections::BTreeMap;

use glam::{DVec2, Vec2};

use super::distances::{Distances, Edge};
use super::overlaps::separate;
use super::packing::pack;
use super::parts::{Link, place};
use super::start::start;
use super::stress::Stress;
use super::*;
use crate::layered::{self, Cluster, Node};
use crate::sheet::Rect;
use callscape_facts::trace::random::random_numbers;

const SPACING: Spacing = Spacing {
    node: 10.0,
    edge: 4.0,
    column: 40.0,
    inside: 12.0,
    lead: 8.0,
};

/// A random connected graph.
fn edges(seed: u64, count: u32) -> Vec<Edge> {
    let mut below = random_numbers(seed);
    let mut edges: Vec<Edge> = Vec::new();
    let mut add = |a: u32, b: u32, length: u64| {
        edges.push(Edge {
            ends: [a, b],
            length: 10.0 + length as f32,
        });
    };
    for number in 1..count {
        add(number, below(u64::from(number)) as u32, below(90));
    }
    for _ in 0..below(u64::from(2 * count)) {
        let [a, b] = [below(u64::from(count)), below(u64::from(count))];
        if a != b {
            add(a as u32, b as u32, below(90));
        }
    }
    edges
}

/// Floyd and Warshall.
fn all_ways(count: usize, edges: &[Edge]) -> Vec<Vec<f32>> {
    let mut far = vec![vec![f32::MAX; count]; count];
    for (at, row) in far.iter_mut().enumerate() {
        row[at] = 0.0;
    }
    for edge in edges {
        let [a, b] = edge.ends.map(|it| it as usize);
        far[a][b] = far[a][b].min(edge.length);
        far[b][a] = far[b][a].min(edge.length);
    }
    for over in 0..count {
        for from in 0..count {
            for to in 0..count {
                far[from][to] = far[from][to].min(far[from][over] + far[over][to]);
            }
        }
    }
    far
}

/// The definition.
fn stress_of(far: &[Vec<f32>], places: &[DVec2]) -> f64 {
    let mut sum = 0.0;
    for (a, row) in far.iter().enumerate() {
        for (b, &wanted) in row.iter().enumerate().skip(a + 1) {
            let off = places[a].distance(places[b]) - f64::from(wanted);
            sum += (off / f64::from(wanted)).powi(2);
        }
    }
    sum
}

#[test]
fn distances_are_the_shortest_ways() {
    for seed in 0..60 {
        let count = 1 + seed as u32 % 30;
        let edges = edges(seed, count);
        let distances = Distances::new(count as usize, &edges);
        for (from, row) in all_ways(count as usize, &edges).iter().enumerate() {
            for (a, b) in distances.from(from).iter().zip(row) {
                assert!((a - b).abs() < 1e-2, "seed {seed}: {a} and {b}");
            }
        }
    }
}

#[test]
fn stress_never_grows_and_is_what_its_definition_says() {
    for seed in 0..60 {
        let count = 2 + seed as u32 % 40;
        let edges = edges(seed, count);
        let distances = Distances::new(count as usize, &edges);
        let far = all_ways(count as usize, &edges);
        let mut below = random_numbers(seed + 500);
        // Also from where nothing is as it should be, and from one place for all.
        let starts = [
            start(&distances, seed),
            (0..count)
                .map(|_| DVec2::new(below(900) as f64, below(900) as f64))
                .collect(),
            vec![DVec2::ONE; count as usize],
        ];
        for places in starts {
            let mut stress = Stress::new(&distances, places);
            let mut before = stress.value();
            for round in 0..40 {
                let direct = stress_of(&far, stress.places());
                let off = (stress.value() - direct).abs();
                assert!(
                    off <= 1e-5 * (1.0 + direct),
                    "seed {seed}, round {round}: {} and {direct}",
                    stress.value()
                );
                stress.step();
                let value = stress.value();
                assert!(
                    value <= before * (1.0 + 1e-9) + 1e-12,
                    "seed {seed}, round {round}: {value} after {before}"
                );
                before = value;
            }
        }
    }
}

#[test]
fn where_iterations_start_is_better_than_chance() {
    let (mut better, mut all) = (0, 0);
    for seed in 0..60 {
        let count = 20 + seed as u32;
        let edges = edges(seed, count);
        let distances = Distances::new(count as usize, &edges);
        let mut below = random_numbers(seed);
        let far = distances.from(0).iter().copied().fold(0.0, f32::max);
        let mut side = || f64::from(far) * below(1000) as f64 / 1000.0;
        let chance = (0..count).map(|_| DVec2::new(side(), side())).collect();
        let [good, bad] =
            [start(&distances, seed), chance].map(|places| Stress::new(&distances, places).value());
        better += u32::from(good < 0.7 * bad);
        all += 1;
    }
    assert!(better * 10 >= all * 9, "{better} of {all}");
}

fn settled(count: usize, edges: &[Edge]) -> Vec<DVec2> {
    let distances = Distances::new(count, edges);
    Stress::new(&distances, start(&distances, SEED)).settle()
}

fn chain(count: u32) -> Vec<Edge> {
    let edge = |at| Edge {
        ends: [at, at + 1],
        length: 30.0,
    };
    (0..count - 1).map(edge).collect()
}

#[test]
fn a_path_is_straight_and_a_circle_round() {
    for count in [2, 3, 9, 40] {
        let places = settled(count, &chain(count as u32));
        for a in 0..count {
            for b in 0..a {
                let wanted = 30.0 * (a - b) as f64;
                let got = places[a].distance(places[b]);
                assert!(
                    (got / wanted - 1.0).abs() < 0.02,
                    "{count}: {got} for {wanted}"
                );
            }
        }
    }
    for count in [3, 8, 25] {
        let mut edges = chain(count as u32);
        edges.push(Edge {
            ends: [0, count as u32 - 1],
            length: 30.0,
        });
        let places = settled(count, &edges);
        let middle = places.iter().sum::<DVec2>() / count as f64;
        let is_even = |all: Vec<f64>| {
            let [low, high] = [f64::min, f64::max].map(|of| all.iter().copied().reduce(of));
            assert!(high <= low.map(|it| it * 1.04), "{count}: {all:?}");
        };
        is_even(places.iter().map(|it| it.distance(middle)).collect());
        let sides = (0..count).map(|at| places[at].distance(places[(at + 1) % count]));
        is_even(sides.collect());
    }
}

fn overlap(a: Rect, b: Rect, gap: f32) -> bool {
    let gap = Vec2::splat(gap);
    (a.min - gap).cmplt(b.max).all() && b.min.cmplt(a.max + gap).all()
}

#[test]
fn boxes_moved_apart_keep_their_gap_and_others_stay() {
    let mut below = random_numbers(3);
    for round in 0..120 {
        let count = below(60) as usize;
        let side = 50 + below(2000);
        let mut at = || DVec2::new(below(side) as f64, below(side) as f64);
        let before: Vec<DVec2> = (0..count).map(|_| at()).collect();
        let mut middles = before.clone();
        let sizes =
            |it: usize| DVec2::new(10.0 + (it * 37 % 160) as f64, 12.0 + (it % 5) as f64 * 9.0);
        let sizes: Vec<DVec2> = (0..count).map(sizes).collect();
        separate(&mut middles, &sizes, 5.0);
        let rect = |places: &[DVec2], it: usize| {
            let half = sizes[it] * 0.5;
            Rect::new((places[it] - half).as_vec2(), (places[it] + half).as_vec2())
        };
        let hits = |places: &[DVec2], gap: f32| {
            let others = |a: usize| (0..a).map(move |b| (a, b));
            let mut pairs = (0..count).flat_map(others);
            pairs.any(|(a, b)| overlap(rect(places, a), rect(places, b), gap))
        };
        assert!(!hits(&middles, 4.99), "round {round}");
        if !hits(&before, 5.01) {
            assert_eq!(middles, before, "round {round}: nothing had to move");
        }
    }
}

#[test]
fn packed_parts_do_not_overlap() {
    let mut below = random_numbers(8);
    for round in 0..200 {
        let sizes =
            (0..below(30)).map(|_| Vec2::new(1.0 + below(300) as f32, 1.0 + below(90) as f32));
        let sizes: Vec<Vec2> = sizes.collect();
        let (corners, size) = pack(&sizes, 4.0);
        let rects: Vec<Rect> = (corners.iter().zip(&sizes))
            .map(|(&at, &size)| Rect::new(at, at + size))
            .collect();
        for (number, &rect) in rects.iter().enumerate() {
            assert!(rect.max.cmple(size + 1e-3).all() && rect.min.cmpge(Vec2::ZERO).all());
            let hit = rects[..number].iter().find(|it| overlap(rect, **it, 3.99));
            assert_eq!(hit, None, "round {round}");
        }
    }
}

/// Links of a graph of several parts, some to boxes that there are not.
fn links(seed: u64, count: u64) -> Vec<Link> {
    let mut below = random_numbers(seed);
    let links = (0..below(2 * count + 1)).map(|_| Link {
        from: below(count + 2) as u32,
        to: below(count + 2) as u32,
        weight: below(9) as f32,
    });
    links.collect()
}

#[test]
fn no_two_boxes_overlap_and_the_same_seed_gives_the_same() {
    for seed in 0..80 {
        let mut below = random_numbers(seed + 70);
        let count = below(60);
        let sizes =
            (0..count).map(|_| Vec2::new(20.0 + below(200) as f32, 12.0 + below(40) as f32));
        let sizes: Vec<Vec2> = sizes.collect();
        let links = links(seed, count.max(1));
        let placed = place(&sizes, &links, [40.0, 9.0], seed);
        assert_eq!(placed, place(&sizes, &links, [40.0, 9.0], seed));
        let rects: Vec<Rect> = (placed.corners.iter().zip(&sizes))
            .map(|(&at, &size)| Rect::new(at, at + size))
            .collect();
        for (number, &rect) in rects.iter().enumerate() {
            let is_in = rect.min.cmpge(Vec2::splat(-0.01)).all();
            assert!(is_in && rect.max.cmple(placed.size + 0.01).all());
            let hit = rects[..number].iter().find(|it| overlap(rect, **it, 8.9));
            assert_eq!(hit, None, "seed {seed}");
        }
    }
}

#[test]
fn heavier_links_are_shorter() {
    let sizes = [Vec2::new(40.0, 20.0); 3];
    let link = |from, to, weight| Link { from, to, weight };
    let placed = place(
        &sizes,
        &[link(0, 1, 9.0), link(1, 2, 1.0)],
        [60.0, 9.0],
        SEED,
    );
    let far = |a: usize, b: usize| placed.corners[a].distance(placed.corners[b]);
    // Half of the lengths of both boxes, and the line.
    let wanted = [30.0 + 60.0, 30.0 + 60.0 * (2.0 - (1.0_f32 / 9.0).sqrt())];
    for (got, wanted) in [far(0, 1), far(1, 2)].into_iter().zip(wanted) {
        assert!((got / wanted - 1.0).abs() < 0.02, "{got} for {wanted}");
    }
    assert!(
        placed.corners[0].x < placed.corners[1].x,
        "callers are left"
    );
    // Calls back and forth count together.
    let both = [link(0, 1, 2.0), link(1, 0, 2.0), link(1, 2, 4.0)];
    let placed = place(&sizes, &both, [60.0, 9.0], SEED);
    let far = |a: usize, b: usize| placed.corners[a].distance(placed.corners[b]);
    assert!((far(0, 1) - far(1, 2)).abs() < 1.0);
}

/// A random graph in clusters.
fn clustered(seed: u64) -> (Vec<Node>, Vec<Cluster>, Vec<layered::Edge>) {
    let mut below = random_numbers(seed);
    let clusters = (0..below(9)).map(|number| Cluster {
        parent: (number > 0 && below(3) > 0).then(|| below(number) as u32),
        title: Vec2::new(50.0, 16.0),
        key: number,
    });
    let clusters: Vec<Cluster> = clusters.collect();
    let nodes = (0..1 + below(40)).map(|number| Node {
        size: Vec2::new(20.0 + below(90) as f32, 12.0 + below(40) as f32),
        cluster: (!clusters.is_empty() && below(4) > 0)
            .then(|| below(clusters.len() as u64) as u32),
        key: 100 + number,
    });
    let nodes: Vec<Node> = nodes.collect();
    let edges = (0..below(90)).map(|_| layered::Edge {
        from: below(nodes.len() as u64 + 1) as u32,
        to: below(nodes.len() as u64 + 1) as u32,
        width: 1.0 + below(6) as f32,
        weight: 1.0,
        is_drawn: below(9) > 0,
    });
    let edges = edges.collect();
    (nodes, clusters, edges)
}

#[test]
fn boxes_lie_in_their_clusters_and_lines_lead_from_edge_to_edge() {
    for seed in 0..150 {
        let (nodes, clusters, edges) = clustered(seed);
        let graph = Graph {
            nodes: &nodes,
            clusters: &clusters,
            edges: &edges,
        };
        let layout = lay_out(&graph, &SPACING);
        assert_eq!(layout, lay_out(&graph, &SPACING), "the same again");
        let whole = Rect::new(Vec2::ZERO, layout.size);
        let boxes: Vec<(Rect, Option<u32>)> = (layout.nodes.iter().copied())
            .zip(nodes.iter().map(|it| it.cluster))
            .chain((layout.clusters.iter().copied()).zip(clusters.iter().map(|it| it.parent)))
            .collect();
        for (number, &(rect, parent)) in boxes.iter().enumerate() {
            let around = parent.map_or(whole, |it| layout.clusters[it as usize]);
            let title = parent.map_or(0.0, |it| clusters[it as usize].title.y);
            let inner = around.min + Vec2::new(0.0, title) - 0.01;
            assert!(
                rect.min.cmpge(inner).all() && rect.max.cmple(around.max + 0.01).all(),
                "seed {seed}: {rect:?} in {around:?}"
            );
            let siblings = boxes[..number].iter().filter(|it| it.1 == parent);
            let hit = siblings.map(|it| it.0).find(|it| overlap(rect, *it, 1.0));
            assert_eq!(hit, None, "seed {seed}");
        }
        check_lines(&layout, &edges, seed);
    }
}

fn check_lines(layout: &Layout, edges: &[layered::Edge], seed: u64) {
    let mut known: BTreeMap<(u32, u32), &[Vec2]> = BTreeMap::new();
    for (edge, route) in edges.iter().zip(&layout.routes) {
        let ends = [edge.from, edge.to].map(|it| layout.nodes.get(it as usize));
        let ([Some(from), Some(to)], true) = (ends, edge.is_drawn && edge.from != edge.to) else {
            assert!(route.is_empty());
            continue;
        };
        for (at, rect) in route.iter().zip([from, to]) {
            let inside = (*at - rect.min).min(rect.max - *at);
            assert!(
                inside.min_element().abs() < 0.05,
                "seed {seed}: {at} at {rect:?}"
            );
        }
        if let Some(back) = known.get(&(edge.to, edge.from)) {
            let apart = (route[0] + route[1] - back[0] - back[1]).length() * 0.5;
            assert!(apart > 1.0, "seed {seed}: lines back and forth are one");
        }
        known.insert((edge.from, edge.to), route);
    }
}
