//! Layered layout of clustered graphs, as the collaboration view and the call neighbourhood ask for it: 50 boxes with 200
//! lines and 500 with 3,000, without clusters and in clusters, beside `dot` of Graphviz on the same graph where that is
//! installed.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callscape::layout::layered::{Cluster, Edge, Graph, Memory, Node, Spacing, lay_out};
use glam::Vec2;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;

const SPACING: Spacing = Spacing {
    node: 9.0,
    edge: 3.0,
    column: 34.0,
    inside: 11.0,
    lead: 8.0,
};

/// A graph of boxes and lines, the boxes in clusters that are not nested.
struct Made {
    nodes: Vec<Node>,
    clusters: Vec<Cluster>,
    edges: Vec<Edge>,
}

impl Made {
    /// Most calls lead to what stands later and near, as in layers of a program; some lead back.
    fn new(nodes: u64, edges: u64, clusters: u64) -> Made {
        let mut random = Random(7);
        let cluster = |key| Cluster {
            parent: None,
            title: Vec2::new(70.0, 18.0),
            key,
        };
        let node = |number: u64, random: &mut Random| Node {
            size: Vec2::new(50.0 + random.below(90) as f32, 26.0),
            cluster: (clusters > 0).then(|| (number * clusters / nodes) as u32),
            key: clusters + number,
        };
        let edge = |random: &mut Random| {
            let from = random.below(nodes);
            let far = match random.below(4) {
                0 => random.below(nodes),
                _ => 1 + random.below(nodes / 8),
            };
            Edge {
                from: from as u32,
                to: ((from + far) % nodes) as u32,
                width: 1.0 + random.below(6) as f32,
                weight: random.below(100) as f32,
                is_drawn: true,
            }
        };
        Made {
            clusters: (0..clusters).map(cluster).collect(),
            nodes: (0..nodes).map(|it| node(it, &mut random)).collect(),
            edges: (0..edges).map(|_| edge(&mut random)).collect(),
        }
    }

    /// The same for Graphviz, in inches.
    fn dot(&self) -> String {
        let mut text =
            "digraph { rankdir=LR; node [shape=box fixedsize=true label=\"\"];\n".to_owned();
        let node = |text: &mut String, number: usize| {
            let size = self.nodes[number].size / 72.0;
            // Writing to a string does not fail.
            let _ = writeln!(text, "n{number} [width={} height={}];", size.x, size.y);
        };
        for cluster in 0..self.clusters.len() {
            let _ = writeln!(text, "subgraph cluster_{cluster} {{ label=\"module\";");
            for number in 0..self.nodes.len() {
                if self.nodes[number].cluster == Some(cluster as u32) {
                    node(&mut text, number);
                }
            }
            text.push_str("}\n");
        }
        for number in 0..self.nodes.len() {
            if self.nodes[number].cluster.is_none() {
                node(&mut text, number);
            }
        }
        for edge in &self.edges {
            let _ = writeln!(text, "n{} -> n{};", edge.from, edge.to);
        }
        text.push_str("}\n");
        text
    }
}

/// The time in the middle of five.
fn median(mut work: impl FnMut()) -> Duration {
    let mut times = [Duration::ZERO; 5];
    for time in &mut times {
        let begin = Instant::now();
        work();
        *time = begin.elapsed();
    }
    times.sort_unstable();
    times[2]
}

/// Graphviz is stopped then.
const LONGEST: Duration = Duration::from_secs(60);

/// `dot` on a text, its layout written and thrown away: how long that takes, once, or `LONGEST`, when it is stopped; none
/// where it is not installed.
fn dot(text: &str) -> Option<Duration> {
    let begin = Instant::now();
    let mut child = Command::new("dot")
        .args(["-Tplain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    while begin.elapsed() < LONGEST {
        match child.try_wait().ok()? {
            Some(status) => return status.success().then(|| begin.elapsed()),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    child.kill().ok()?;
    child.wait().ok()?;
    Some(LONGEST)
}

fn main() {
    let started = (0..3).filter_map(|_| dot("digraph { a }")).min();
    let started = started.unwrap_or_default();
    for (nodes, edges, clusters, aim) in [
        (50, 200, 0, "≤ 5 ms"),
        (50, 200, 10, "≤ 5 ms"),
        (500, 3000, 0, "≤ 50 ms"),
        (500, 3000, 60, "≤ 50 ms"),
    ] {
        let made = Made::new(nodes, edges, clusters);
        let graph = Graph {
            nodes: &made.nodes,
            clusters: &made.clusters,
            edges: &made.edges,
        };
        let ours = median(|| {
            black_box(lay_out(&graph, &SPACING, &Memory::default()));
        });
        let peer = dot(&made.dot());
        let said = match peer {
            Some(LONGEST) => "dot of Graphviz, stopped then",
            _ => "dot of Graphviz, without its start",
        };
        let peer = peer.map(|it| it.saturating_sub(started));
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let inside = match clusters {
            0 => String::new(),
            count => format!(" in {count} clusters"),
        };
        Measured {
            target: &format!(
                "graphs: {} boxes and {} lines{inside} laid out",
                amount(nodes),
                amount(edges)
            ),
            value: ms(ours),
            unit: "ms",
            peer: peer.map(|it| (said, ms(it))),
            aim,
            ..Measured::default()
        }
        .print();
    }
}
