//! A clustered graph taken apart: for each cluster what stands in it, which edges go from one of that to another, and
//! which leave.

use super::graph::{Graph, Key};

/// What stands in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Node(u32),
    Cluster(u32),
}

impl Item {
    pub(super) fn key(self, graph: &Graph<'_>) -> Key {
        match self {
            Item::Node(node) => graph.nodes[node as usize].key,
            Item::Cluster(cluster) => graph.clusters[cluster as usize].key,
        }
    }
}

/// An edge between two items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub edge: u32,
    pub from: u32,
    pub to: u32,
}

/// The part of an edge that leads from an item to the border of the cluster, or from there to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WayOut {
    pub edge: u32,
    pub item: u32,
    /// The item has the caller in it.
    pub is_of_caller: bool,
}

/// What is in one cluster, or around all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Level {
    pub items: Vec<Item>,
    pub links: Vec<Link>,
    pub ways_out: Vec<WayOut>,
}

/// The whole first, then each cluster, parents before children. O(nodes + clusters + edges × depth).
pub(crate) fn levels(graph: &Graph<'_>) -> Vec<Level> {
    let count = graph.clusters.len();
    let mut levels = vec![Level::default(); count + 1];
    // A parent stands before its children; one that does not is none.
    let parent = |cluster: u32| {
        let parent = graph.clusters.get(cluster as usize)?.parent;
        parent.filter(|&parent| parent < cluster)
    };
    let level_of = |cluster: Option<u32>| {
        let cluster = cluster.filter(|&it| (it as usize) < count);
        cluster.map_or(0, |it| it as usize + 1)
    };
    // By node and by cluster its place among the items of its level.
    let mut item_of_node = Vec::with_capacity(graph.nodes.len());
    let mut item_of_cluster = Vec::with_capacity(count);
    for number in 0..count as u32 {
        let level = &mut levels[level_of(parent(number))];
        item_of_cluster.push(level.items.len() as u32);
        level.items.push(Item::Cluster(number));
    }
    for (node, number) in graph.nodes.iter().zip(0..) {
        let level = &mut levels[level_of(node.cluster)];
        item_of_node.push(level.items.len() as u32);
        level.items.push(Item::Node(number));
    }
    let depths = depths(count, parent);
    let mut ways = [Vec::new(), Vec::new()];
    for (edge, number) in graph.edges.iter().zip(0..) {
        let ends = [edge.from, edge.to].map(|end| graph.nodes.get(end as usize));
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        if edge.from == edge.to {
            continue;
        }
        // Both ends go outwards until they stand in one cluster.
        let mut at = [from, to].map(|node| level_of(node.cluster));
        let mut item = [edge.from, edge.to].map(|end| item_of_node[end as usize]);
        ways.iter_mut().for_each(Vec::clear);
        while at[0] != at[1] {
            let end = usize::from(depths[at[1]] > depths[at[0]]);
            ways[end].push((at[end], item[end]));
            let cluster = (at[end] - 1) as u32;
            item[end] = item_of_cluster[cluster as usize];
            at[end] = level_of(parent(cluster));
        }
        levels[at[0]].links.push(Link {
            edge: number,
            from: item[0],
            to: item[1],
        });
        for (end, ways) in ways.iter().enumerate() {
            for &(level, item) in ways {
                levels[level].ways_out.push(WayOut {
                    edge: number,
                    item,
                    is_of_caller: end == 0,
                });
            }
        }
    }
    levels
}

/// By level how many clusters are around what is in it.
fn depths(count: usize, parent: impl Fn(u32) -> Option<u32>) -> Vec<u32> {
    let mut depths = vec![0; count + 1];
    for cluster in 0..count as u32 {
        let around = parent(cluster).map_or(0, |it| it as usize + 1);
        depths[cluster as usize + 1] = depths[around] + 1;
    }
    depths
}
