//! Lays clusters out from the inside out, and puts them together.

use glam::Vec2;

use super::lines::routes;
use super::parts::{Link, Parts, place};
use crate::layered::levels::{Item, Level, levels};
use crate::layered::{Graph, Layout, Spacing};
use crate::sheet::Rect;

/// Boxes are so much farther apart than in columns: lines go through between them.
const APART: f32 = 1.5;

/// The shortest lines, in gaps between columns.
const LENGTH: f32 = 1.2;

pub(super) fn lay_out(graph: &Graph<'_>, spacing: &Spacing, seed: u64) -> Layout {
    let levels = levels(graph);
    let mut placed: Vec<Parts> = levels.iter().map(|_| Parts::default()).collect();
    for (number, level) in levels.iter().enumerate().rev() {
        let sizes: Vec<Vec2> = level
            .items
            .iter()
            .map(|&it| size(graph, &placed, it))
            .collect();
        let apart = [spacing.column * LENGTH, spacing.node * APART];
        let mut parts = place(&sizes, &links(graph, level), apart, seed);
        if let Some(cluster) = number.checked_sub(1) {
            let title = graph.clusters[cluster].title.max(Vec2::ZERO);
            let by = Vec2::new(spacing.inside, spacing.inside + title.y);
            parts.corners.iter_mut().for_each(|it| *it += by);
            let least = title.x + 2.0 * spacing.inside;
            parts.size = (parts.size + by + spacing.inside).max(Vec2::new(least, 0.0));
        }
        placed[number] = parts;
    }
    let nothing = Rect::new(Vec2::ZERO, Vec2::ZERO);
    let mut layout = Layout {
        size: placed.first().map_or(Vec2::ZERO, |it| it.size),
        nodes: vec![nothing; graph.nodes.len()],
        clusters: vec![nothing; graph.clusters.len()],
        ..Layout::default()
    };
    let mut origins = vec![Vec2::ZERO; levels.len()];
    for (number, level) in levels.iter().enumerate() {
        for (&item, &corner) in level.items.iter().zip(&placed[number].corners) {
            let corner = origins[number] + corner;
            let rect = Rect::new(corner, corner + size(graph, &placed, item));
            match item {
                Item::Node(node) => layout.nodes[node as usize] = rect,
                Item::Cluster(cluster) => {
                    origins[cluster as usize + 1] = corner;
                    layout.clusters[cluster as usize] = rect;
                }
            }
        }
    }
    layout.routes = routes(graph.edges, &layout.nodes, spacing);
    layout
}

fn size(graph: &Graph<'_>, placed: &[Parts], of: Item) -> Vec2 {
    match of {
        Item::Node(node) => graph.nodes[node as usize].size.max(Vec2::ZERO),
        Item::Cluster(cluster) => placed[cluster as usize + 1].size,
    }
}

/// The links of a level: the wider a line, the more its ends belong together.
fn links(graph: &Graph<'_>, level: &Level) -> Vec<Link> {
    let links = level.links.iter().filter_map(|link| {
        let edge = graph.edges.get(link.edge as usize)?;
        edge.is_drawn.then_some(Link {
            from: link.from,
            to: link.to,
            weight: edge.width.max(0.0),
        })
    });
    links.collect()
}
