//! Layouts of clustered graphs beside those of Graphviz `dot`, which the thesis used: how often lines cross.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use callscape::layout::curves::flatten;
use callscape::layout::layered::{Cluster, Edge, Graph, Memory, Node, Spacing, lay_out};
use glam::Vec2;

use crate::random::Random;

const SPACING: Spacing = Spacing {
    node: 14.0,
    edge: 5.0,
    column: 44.0,
    inside: 14.0,
    lead: 8.0,
};

/// A graph like those of calls: most go from what stands earlier to what stands later, some within a cluster.
fn graph(seed: u64, nodes: u64, clusters: u64, edges: u64) -> (Vec<Node>, Vec<Cluster>, Vec<Edge>) {
    let mut random = Random(seed);
    let clusters = (0..clusters).map(|key| Cluster {
        parent: (key > 2 && random.below(2) == 0).then(|| random.below(key) as u32),
        title: Vec2::new(50.0, 16.0),
        key,
    });
    let clusters: Vec<Cluster> = clusters.collect();
    let nodes = (0..nodes).map(|key| Node {
        size: Vec2::new(50.0 + random.below(60) as f32, 24.0),
        cluster: (!clusters.is_empty()).then(|| random.below(clusters.len() as u64) as u32),
        key: 1000 + key,
    });
    let nodes: Vec<Node> = nodes.collect();
    let count = nodes.len() as u64;
    let mut made: Vec<Edge> = Vec::new();
    while (made.len() as u64) < edges {
        let from = random.below(count);
        let ahead = 1 + random.below(count / 3 + 1);
        let to = match random.below(12) {
            0 => random.below(count),
            _ => (from + ahead).min(count - 1),
        };
        let (from, to) = (from as u32, to as u32);
        let is_new = made.iter().all(|it| (it.from, it.to) != (from, to));
        if from != to && is_new {
            made.push(Edge {
                from,
                to,
                width: 1.5,
                weight: 1.0,
                is_drawn: true,
            });
        }
    }
    (nodes, clusters, made)
}

/// The same in dot's language.
fn in_dot(nodes: &[Node], clusters: &[Cluster], edges: &[Edge]) -> String {
    fn cluster(number: Option<u32>, nodes: &[Node], clusters: &[Cluster], text: &mut String) {
        for (node, name) in nodes.iter().zip(0..).filter(|(it, _)| it.cluster == number) {
            let size = node.size / 72.0;
            let _ = writeln!(text, "n{name} [width={}, height={}];", size.x, size.y);
        }
        for (inner, name) in clusters
            .iter()
            .zip(0..)
            .filter(|(it, _)| it.parent == number)
        {
            let _ = inner;
            let _ = writeln!(text, "subgraph cluster_{name} {{");
            cluster(Some(name), nodes, clusters, text);
            text.push_str("}\n");
        }
    }
    let mut text =
        String::from("digraph { rankdir=LR; node [shape=box, fixedsize=true, label=\"\"];\n");
    cluster(None, nodes, clusters, &mut text);
    for edge in edges {
        let _ = writeln!(text, "n{} -> n{};", edge.from, edge.to);
    }
    text.push('}');
    text
}

/// The lines that `dot` draws; none where it is not installed.
fn lines_of_dot(text: &str) -> Option<Vec<Vec<Vec2>>> {
    let dot = Command::new("dot")
        .arg("-Tplain")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut dot = dot.ok()?;
    let mut input = dot.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("dot reads");
    drop(input);
    let output = dot.wait_with_output().expect("dot ends");
    let text = String::from_utf8(output.stdout).expect("dot writes text");
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        (words.next() == Some("edge")).then_some(())?;
        let count: usize = words.nth(2)?.parse().ok()?;
        let numbers: Vec<f32> = words
            .take(2 * count)
            .filter_map(|it| it.parse().ok())
            .collect();
        let points: Vec<Vec2> = numbers
            .chunks_exact(2)
            .map(|it| Vec2::new(it[0], it[1]) * 72.0)
            .collect();
        let mut line = vec![*points.first()?];
        for piece in points[1..].chunks_exact(3) {
            let from = line[line.len() - 1];
            line.extend((1..=12).map(|step| {
                let t = step as f32 / 12.0;
                let s = 1.0 - t;
                from * s * s * s
                    + piece[0] * 3.0 * s * s * t
                    + piece[1] * 3.0 * s * t * t
                    + piece[2] * t * t * t
            }));
        }
        Some(line)
    });
    Some(lines.collect())
}

/// How often lines cross each other.
fn crossings(lines: &[Vec<Vec2>]) -> usize {
    let crosses = |a: &[Vec2], b: &[Vec2]| {
        let side = |a: Vec2, b: Vec2, at: Vec2| (b - a).perp_dot(at - a);
        let one = side(a[0], a[1], b[0]) * side(a[0], a[1], b[1]) < 0.0;
        one && side(b[0], b[1], a[0]) * side(b[0], b[1], a[1]) < 0.0
    };
    let mut count = 0;
    for (number, a) in lines.iter().enumerate() {
        for b in &lines[..number] {
            for piece in a.windows(2) {
                count += b.windows(2).filter(|other| crosses(piece, other)).count();
            }
        }
    }
    count
}

#[test]
fn lines_cross_hardly_more_often_than_in_layouts_of_dot() {
    for (nodes, clusters, edges) in [(12, 0, 18), (30, 0, 50), (20, 4, 30), (40, 8, 70)] {
        let (mut own, mut of_dot) = (0, 0);
        for seed in 0..12 {
            let (nodes, clusters, edges) = graph(seed, nodes, clusters, edges);
            let Some(lines) = lines_of_dot(&in_dot(&nodes, &clusters, &edges)) else {
                println!("left out: dot is not installed");
                return;
            };
            assert_eq!(lines.len(), edges.len(), "dot draws all");
            of_dot += crossings(&lines);
            let graph = Graph {
                nodes: &nodes,
                clusters: &clusters,
                edges: &edges,
            };
            let layout = lay_out(&graph, &SPACING, &Memory::default());
            let lines = layout.routes.iter().map(|route| {
                let mut points = Vec::new();
                flatten(route, 4.0, &mut points);
                points
            });
            own += crossings(&lines.collect::<Vec<_>>());
        }
        println!(
            "{nodes} nodes, {clusters} clusters, {edges} edges: {own} crossings, dot {of_dot}"
        );
        assert!(
            own as f32 <= 1.25 * of_dot as f32 + 12.0,
            "{own}, dot {of_dot}"
        );
    }
}
