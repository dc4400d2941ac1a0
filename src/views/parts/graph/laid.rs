//! A graph with its layout, in points at its natural size.

use glam::Vec2;

use super::labels::{self, Placed};
use super::model::{Arrangement, Graph, GraphBox, Line};
use callscape_layout::energy;
use callscape_layout::labels::text::width;
use callscape_layout::layered::{self, Cluster, Edge, Layout, Memory, Node, Spacing};
use callscape_layout::sheet::Rect;

pub(crate) use super::labels::LABEL;

/// Letters of boxes, of their second lines, of what stands in the middle and of frames, in points.
pub(crate) const TITLE: f32 = 13.5;
pub(crate) const DETAIL: f32 = 11.5;
pub(crate) const MIDDLE: f32 = 14.5;
pub(crate) const FRAME: f32 = 12.5;

/// Left and right of letters in a box, and the room for its sign.
pub(crate) const SIDE: f32 = 8.0;
pub(crate) const SIGN: f32 = 15.0;

/// Boxes are no wider than this; longer names lose their middle.
const WIDEST: f32 = 420.0;
const NARROWEST: f32 = 44.0;

/// Boxes grow with their lines up to this height.
const HIGHEST: f32 = 110.0;

/// A graph that is shown whole in so much room has letters of at least this height, in points: for that they are drawn
/// larger, but not more than so much.
const ROOM: Vec2 = Vec2::new(1256.0, 660.0);
const READ: f32 = 11.0;
const MOST_GROWN: f32 = 3.0;
const ROUNDS: u32 = 3;
/// A graph of more boxes is laid out once more at most.
const MANY: usize = 60;

/// Between lines.
const APART: f32 = 3.0;

/// The widest line.
pub(crate) const THICKEST: f32 = 8.0;
const THINNEST: f32 = 1.0;

/// A graph, and where everything of it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Laid {
    pub graph: Graph,
    pub layout: Layout,
    /// By line its width in points.
    pub widths: Vec<f32>,
    /// Labels of lines that found a place.
    pub labels: Vec<Placed>,
    /// How much larger letters are than usual, so that they can be read where the graph is shown whole.
    pub grow: f32,
}

/// The width of a line that has so much of the most: equal factors of it differ alike, and the smallest are seen.
pub(crate) fn line_width(value: f64, most: f64) -> f32 {
    let share = if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    };
    THINNEST + (THICKEST - THINNEST) * (share as f32).sqrt()
}

impl Laid {
    /// Lays a graph out; what `before` knows stays where it is as far as possible. For a worker thread.
    pub(crate) fn new(graph: Graph, before: &Memory) -> Laid {
        let mut laid = Laid::grown(graph, before, 1.0);
        // With its letters the graph grows, too, but not as much: gaps stay.
        let rounds = if laid.graph.boxes.len() > MANY {
            1
        } else {
            ROUNDS
        };
        for _ in 0..rounds {
            let grow = (READ / laid.seen()).min(MOST_GROWN / laid.grow);
            if grow <= 1.0 {
                break;
            }
            let grow = (laid.grow * grow).min(MOST_GROWN);
            laid = Laid::grown(laid.graph, before, grow);
        }
        laid
    }

    /// How high the letters of boxes are where it is shown whole, in points.
    fn seen(&self) -> f32 {
        let zoom = (ROOM / self.layout.size.max(Vec2::ONE)).min_element();
        zoom * TITLE * self.grow
    }

    /// Whether its letters can be read where it is shown whole.
    pub(crate) fn is_readable(&self) -> bool {
        self.seen() >= 0.95 * READ
    }

    /// What holds all of it: what the layout has, and boxes that were put elsewhere.
    pub(crate) fn bounds(&self) -> Rect {
        let all = self.layout.nodes.iter().chain(&self.layout.clusters);
        all.fold(Rect::new(Vec2::ZERO, self.layout.size), |all, it| {
            Rect::new(all.min.min(it.min), all.max.max(it.max))
        })
    }

    fn grown(graph: Graph, before: &Memory, grow: f32) -> Laid {
        let most = graph.most();
        let widths: Vec<f32> = graph
            .lines
            .iter()
            .map(|it| line_width(it.sum.by(graph.by), most))
            .collect();
        // By box how much room its lines need, those that come in and those that go out.
        let mut ends = vec![[0.0_f32; 2]; graph.boxes.len()];
        for (line, width) in graph.lines.iter().zip(&widths) {
            for (end, side) in [(line.to, 0), (line.from, 1)] {
                if let Some(ends) = ends.get_mut(end as usize) {
                    ends[side] += width + APART;
                }
            }
        }
        let nodes = graph.boxes.iter().zip(&ends).map(|(of, ends)| Node {
            size: size(of, ends[0].max(ends[1]), grow),
            cluster: of.frame,
            key: of.key,
        });
        let nodes: Vec<Node> = nodes.collect();
        let clusters = graph.frames.iter().map(|of| Cluster {
            parent: of.parent,
            title: Vec2::new((width(&of.title) * FRAME + SIGN).min(WIDEST), FRAME + 5.0) * grow,
            key: of.key,
        });
        let clusters: Vec<Cluster> = clusters.collect();
        let lines = graph.lines.iter().zip(&widths).map(|(line, &width)| Edge {
            from: line.from,
            to: line.to,
            width,
            weight: line.sum.calls.max(1.0) as f32,
            is_drawn: true,
        });
        let order = graph.order.iter().map(|&(from, to)| Edge {
            from,
            to,
            width: 0.0,
            weight: 0.0,
            is_drawn: false,
        });
        let edges: Vec<Edge> = lines.chain(order).collect();
        let of = layered::Graph {
            nodes: &nodes,
            clusters: &clusters,
            edges: &edges,
        };
        let spacing = spacing(&graph.lines, grow);
        let mut layout = match graph.arrangement {
            Arrangement::Layered => layered::lay_out(&of, &spacing, before),
            Arrangement::Distance => energy::lay_out(&of, &spacing),
        };
        layout.routes.truncate(graph.lines.len());
        let labels = labels::place(&graph, &layout, &widths, grow);
        Laid {
            graph,
            layout,
            widths,
            labels,
            grow,
        }
    }
}

/// The size of a box whose lines need so much room at one side.
fn size(of: &GraphBox, lines: f32, grow: f32) -> Vec2 {
    let em = if of.is_middle { MIDDLE } else { TITLE };
    let title = width(&of.title) * em;
    let detail = width(&of.detail) * DETAIL;
    let sign = if of.sign.is_some() { SIGN } else { 0.0 };
    let wide = (title.max(detail) + 2.0 * SIDE + sign).clamp(NARROWEST, WIDEST);
    let high = match (of.is_middle, of.detail.is_empty()) {
        (true, _) => 46.0,
        (false, true) => 26.0,
        (false, false) => 37.0,
    };
    let natural = Vec2::new(wide, high) * grow;
    natural.max(Vec2::new(0.0, (lines * 1.35).min(HIGHEST)))
}

/// Labels stand where lines are still level.
fn spacing(lines: &[Line], grow: f32) -> Spacing {
    let labels = lines.iter().map(|it| width(&it.label) * LABEL * grow);
    let widest = labels.fold(0.0, f32::max);
    Spacing {
        node: 9.0,
        edge: APART,
        column: 34.0,
        inside: 11.0,
        lead: if widest > 0.0 {
            (widest + 20.0).clamp(14.0, 110.0)
        } else {
            9.0
        },
    }
}
