//! A graph with its layout, in points at its natural size.

use glam::Vec2;

use super::model::{Graph, Line};
use crate::layout::labels::text::width;
use crate::layout::layered::{self, Cluster, Edge, Layout, Memory, Node, Spacing};

/// Letters of boxes, of their second lines, of what stands in the middle, of frames and of labels, in points.
pub const TITLE: f32 = 12.0;
pub const DETAIL: f32 = 10.0;
pub const MIDDLE: f32 = 13.5;
pub const FRAME: f32 = 11.5;
pub const LABEL: f32 = 10.0;

/// Left and right of letters in a box, and the room for its sign.
pub const SIDE: f32 = 9.0;
pub const SIGN: f32 = 15.0;

/// Boxes are no wider than this; longer names lose their middle.
const WIDEST: f32 = 190.0;
const NARROWEST: f32 = 44.0;

/// The widest line.
pub const THICKEST: f32 = 8.0;
const THINNEST: f32 = 1.0;

/// A graph, and where everything of it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laid {
    pub graph: Graph,
    pub layout: Layout,
    /// By line its width in points.
    pub widths: Vec<f32>,
}

/// The width of a line that has so much of the most: equal factors of it differ alike, and the smallest are seen.
pub fn line_width(value: f64, most: f64) -> f32 {
    let share = if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    };
    THINNEST + (THICKEST - THINNEST) * (share as f32).sqrt()
}

impl Laid {
    /// Lays a graph out; what `before` knows stays where it is as far as possible. For a worker thread.
    pub fn new(graph: Graph, before: &Memory) -> Laid {
        let most = graph.most();
        let widths: Vec<f32> = graph
            .lines
            .iter()
            .map(|it| line_width(it.sum.by(graph.by), most))
            .collect();
        let nodes: Vec<Node> = graph
            .boxes
            .iter()
            .map(|of| {
                let em = if of.is_middle { MIDDLE } else { TITLE };
                let title = width(&of.title) * em;
                let detail = width(&of.detail) * DETAIL;
                let sign = if of.sign.is_some() { SIGN } else { 0.0 };
                let wide = (title.max(detail) + 2.0 * SIDE + sign).clamp(NARROWEST, WIDEST);
                let high = match (of.is_middle, of.detail.is_empty()) {
                    (true, _) => 46.0,
                    (false, true) => 25.0,
                    (false, false) => 36.0,
                };
                Node {
                    size: Vec2::new(wide, high),
                    cluster: of.frame,
                    key: of.key,
                }
            })
            .collect();
        let clusters = graph.frames.iter().map(|of| Cluster {
            parent: of.parent,
            title: Vec2::new((width(&of.title) * FRAME + SIGN).min(WIDEST), FRAME + 5.0),
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
        let mut layout = layered::lay_out(&of, &spacing(&graph.lines), before);
        layout.routes.truncate(graph.lines.len());
        Laid {
            graph,
            layout,
            widths,
        }
    }
}

/// Labels stand where lines are still level.
fn spacing(lines: &[Line]) -> Spacing {
    let labels = lines.iter().map(|it| width(&it.label) * LABEL);
    let widest = labels.fold(0.0, f32::max);
    Spacing {
        node: 10.0,
        edge: 3.0,
        column: 46.0,
        inside: 11.0,
        lead: if widest > 0.0 {
            (widest + 8.0).clamp(14.0, 96.0)
        } else {
            12.0
        },
    }
}
