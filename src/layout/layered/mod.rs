//! Layered layout of clustered graphs: who calls stands at the left of what it calls, and modules are boxes around what
//! is in them.
//!
//! The classical steps (K. Sugiyama, S. Tagawa, M. Toda, *Methods for visual understanding of hierarchical system
//! structures*, 1981), done for each cluster by itself with the clusters in it as nodes: cycles are broken, ranks given
//! and evened out, ranks ordered by barycentres, and places along the ranks found as U. Brandes and B. Köpf do (*Fast and
//! simple horizontal coordinate assignment*, 2001), with sizes and ports. Edges that leave a cluster go to its border,
//! past what stands in their way, and on from there.
//!
//! So clusters never overlap, whatever is unfolded: a node that becomes a cluster stands where it stood, and only grows.
//! What stays also keeps its rank and its place in the order of the layout before, where one is given.
//!
//! In any unit, x to the right and y down; callers left, callees right.

mod coordinates;
mod crossings;
mod cycles;
mod graph;
pub(crate) mod levels;
mod net;
mod order;
mod ranks;
mod routes;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use graph::{Cluster, Edge, Graph, Key, Layout, Memory, Node, Spacing};

/// Lays a graph out; what `before` knows keeps its rank and order as far as possible. With `b` bends, the places where
/// edges pass ranks, O(sweeps × (nodes + edges + b) log b).
pub fn lay_out(graph: &Graph<'_>, spacing: &Spacing, before: &Memory) -> Layout {
    let levels = levels::levels(graph);
    let mut turned = vec![false; graph.edges.len()];
    // Where each edge stands at the left and the right border of each cluster, as seen from around that.
    let mut borders = vec![[HashMap::new(), HashMap::new()]; graph.clusters.len()];
    let mut nets: Vec<net::Net> = Vec::with_capacity(levels.len());
    // From the outside in: the order around a cluster says in which order edges come to it.
    for (number, level) in levels.iter().enumerate() {
        let line = cycles::turn(graph, level, before, &mut turned);
        let ranks = ranks::ranks(graph, level, &turned, &line, before);
        let border = number.checked_sub(1).map(|cluster| &borders[cluster]);
        let mut net = net::Net::new(graph, level, &turned, &ranks, border);
        order::order(&mut net, &held(graph, level, before));
        net.tell_borders(level, &mut borders);
        nets.push(net);
    }
    for (number, level) in levels.iter().enumerate().rev() {
        let mut net = std::mem::take(&mut nets[number]);
        net.follow_borders(level, &nets);
        nets[number] = net;
    }
    // From the inside out: what is around a cluster has to know its size.
    let mut placed: Vec<Option<routes::Placed>> = levels.iter().map(|_| None).collect();
    for number in (0..levels.len()).rev() {
        let inner = routes::Inner {
            graph,
            spacing,
            level: &levels[number],
            net: &nets[number],
            of_clusters: &placed,
        };
        placed[number] = Some(inner.place(number));
    }
    routes::join(graph, &levels, &nets, &placed, &turned)
}

/// By item of a level how far down it stood before.
fn held(graph: &Graph<'_>, level: &levels::Level, before: &Memory) -> Vec<Option<f32>> {
    let items = level.items.iter();
    let place = |item: &levels::Item| before.of(item.key(graph)).map(|it| it.middle);
    items.map(place).collect()
}
