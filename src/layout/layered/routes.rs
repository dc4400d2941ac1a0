//! Places what is in a level beside and below each other, leads edges through it, and puts the levels together.

use std::collections::HashMap;

use glam::Vec2;

use super::coordinates::{Places, Segment};
use super::graph::{Graph, Layout, Memory, Place, Spacing};
use super::levels::{Item, Level};
use super::net::{Kind, LEFT, Net, RIGHT};
use crate::sheet::Rect;

/// A step aside asks for a gap between columns of at least this share of it, up to so many times the usual gap.
const SLOPE: f32 = 0.2;
const WIDEST: f32 = 2.4;

/// The share of a box's side that edges end on.
const SIDE: f32 = 0.72;

/// A level with everything in its place; the top left corner of the level is at zero.
pub(super) struct Placed {
    pub size: Vec2,
    /// By item its top left corner.
    corners: Vec<Vec2>,
    /// By chain the points it goes through, from left to right.
    lines: Vec<Vec<Vec2>>,
    /// By side and edge how far down it goes through the border.
    ports: [HashMap<u32, f32>; 2],
}

/// A level whose clusters are placed already.
pub(super) struct Inner<'a> {
    pub graph: &'a Graph<'a>,
    pub spacing: &'a Spacing,
    pub level: &'a Level,
    pub net: &'a Net,
    /// By level.
    pub of_clusters: &'a [Option<Placed>],
}

impl Inner<'_> {
    fn cluster(&self, place: u32) -> Option<&Placed> {
        let Kind::Item(item) = self.net.kinds[place as usize] else {
            return None;
        };
        match self.level.items[item as usize] {
            Item::Cluster(cluster) => self.of_clusters[cluster as usize + 1].as_ref(),
            Item::Node(_) => None,
        }
    }

    /// The size of what stands at a place.
    fn size(&self, place: u32) -> Vec2 {
        match self.net.kinds[place as usize] {
            Kind::Item(item) => match self.level.items[item as usize] {
                Item::Node(node) => self.graph.nodes[node as usize].size.max(Vec2::ZERO),
                Item::Cluster(_) => self.cluster(place).map_or(Vec2::ZERO, |it| it.size),
            },
            Kind::Bend(edge) | Kind::Port(edge) => {
                let width = self.graph.edges[edge as usize].width.max(0.0);
                Vec2::new(0.0, width + self.spacing.edge)
            }
        }
    }

    /// Places level `number`.
    pub(super) fn place(&self, number: usize) -> Placed {
        let net = self.net;
        let sizes: Vec<Vec2> = (0..net.kinds.len() as u32)
            .map(|it| self.size(it))
            .collect();
        let heights: Vec<f32> = sizes.iter().map(|it| it.y).collect();
        let segments = self.segments(&heights);
        let is_item = |place: u32| net.kinds[place as usize].is_item();
        let gap = |above: u32, below: u32| match (is_item(above), is_item(below)) {
            (true, true) => self.spacing.node,
            (false, false) => 0.0,
            _ => self.spacing.node * 0.5,
        };
        let places = Places {
            net,
            segments: &segments,
            heights: &heights,
            gap: &gap,
        };
        let mut tops = places.tops();
        let margin = match number {
            0 => Vec2::ZERO,
            _ => Vec2::splat(self.spacing.inside),
        };
        let title = match number.checked_sub(1) {
            Some(cluster) => self.graph.clusters[cluster].title.max(Vec2::ZERO),
            None => Vec2::ZERO,
        };
        let least = tops.iter().copied().fold(f32::MAX, f32::min);
        let down = margin.y + title.y - if least == f32::MAX { 0.0 } else { least };
        tops.iter_mut().for_each(|top| *top += down);
        let ends = tops.iter().zip(&heights).map(|(top, height)| top + height);
        let bottom = ends.fold(margin.y + title.y, f32::max);
        let columns = self.columns(&segments, &tops, &sizes);
        let width = columns
            .last()
            .map_or(0.0, |it| it.right)
            .max(title.x + 2.0 * margin.x);
        let size = Vec2::new(width, bottom + margin.y);
        self.placed(size, &tops, &sizes, &segments, &columns)
    }

    fn placed(
        &self,
        size: Vec2,
        tops: &[f32],
        sizes: &[Vec2],
        segments: &[Segment],
        columns: &[Column],
    ) -> Placed {
        let net = self.net;
        let corner = |place: u32| {
            let column = &columns[net.rank_of[place as usize] as usize];
            let middle = (column.left + column.right) * 0.5;
            let of = sizes[place as usize];
            Vec2::new(middle - of.x * 0.5, tops[place as usize])
        };
        let mut placed = Placed {
            size,
            corners: vec![Vec2::ZERO; self.level.items.len()],
            lines: Vec::with_capacity(net.chains.len()),
            ports: Default::default(),
        };
        for (kind, place) in net.kinds.iter().zip(0..) {
            if let Kind::Item(item) = *kind {
                placed.corners[item as usize] = corner(place);
            }
        }
        let mut next = 0;
        for chain in &net.chains {
            let pieces = &segments[next..next + chain.places.len() - 1];
            next += pieces.len();
            let mut line: Vec<Vec2> = Vec::with_capacity(2 * pieces.len() + 2);
            for piece in pieces {
                let [left, right] = [piece.left, piece.right];
                let [from, to] = [left, right].map(|it| net.rank_of[it as usize] as usize);
                let out = tops[left as usize] + piece.out;
                let into = tops[right as usize] + piece.into;
                let border = corner(left).x + sizes[left as usize].x;
                line.push(Vec2::new(border, out));
                line.push(Vec2::new(columns[from].begins, out));
                line.push(Vec2::new(columns[to].ends, into));
                line.push(Vec2::new(corner(right).x, into));
            }
            // At the border of a cluster it goes on around that.
            for (place, end) in [(chain.places.first(), LEFT), (chain.places.last(), RIGHT)] {
                let Some(&place) = place else { continue };
                if !matches!(net.kinds[place as usize], Kind::Port(_)) {
                    continue;
                }
                let at = match end {
                    LEFT => line.first_mut(),
                    _ => line.last_mut(),
                };
                if let Some(at) = at {
                    at.x = if end == LEFT { 0.0 } else { size.x };
                    placed.ports[end].insert(chain.edge, at.y);
                }
            }
            line.dedup_by(|a, b| a.distance(*b) < 0.01);
            placed.lines.push(line);
        }
        placed
    }

    /// The pieces of all chains, one after the other, with their ends.
    fn segments(&self, heights: &[f32]) -> Vec<Segment> {
        let net = self.net;
        let mut segments = Vec::new();
        // By side and place the pieces there, with their edges.
        let count = heights.len();
        let mut sides = [vec![Vec::new(); count], vec![Vec::new(); count]];
        for chain in &net.chains {
            for pair in chain.places.windows(2) {
                let number = segments.len();
                sides[RIGHT][pair[0] as usize].push((number, chain.edge));
                sides[LEFT][pair[1] as usize].push((number, chain.edge));
                segments.push(Segment {
                    left: pair[0],
                    right: pair[1],
                    out: heights[pair[0] as usize] * 0.5,
                    into: heights[pair[1] as usize] * 0.5,
                });
            }
        }
        // Where edges come out of clusters is known; elsewhere they are spread in the order in which they go on.
        for (side, all) in sides.iter().enumerate() {
            for (place, pieces) in all.iter().enumerate() {
                if let Some(cluster) = self.cluster(place as u32) {
                    for &(number, edge) in pieces {
                        let at = cluster.ports[side].get(&edge).copied();
                        let at = at.unwrap_or(cluster.size.y * 0.5);
                        set_end(&mut segments[number], side, at);
                    }
                }
            }
        }
        for (side, all) in sides.iter_mut().enumerate() {
            for (place, pieces) in all.iter_mut().enumerate() {
                let place = place as u32;
                let is_node = net.kinds[place as usize].is_item() && self.cluster(place).is_none();
                if !is_node {
                    continue;
                }
                pieces.sort_by(|a, b| {
                    let key = |&(number, _): &(usize, u32)| {
                        let segment = &segments[number];
                        let (other, end) = match side {
                            LEFT => (segment.left, segment.out),
                            _ => (segment.right, segment.into),
                        };
                        (net.at[other as usize], end)
                    };
                    let ([a_at, b_at], [a_end, b_end]) =
                        ([key(a).0, key(b).0], [key(a).1, key(b).1]);
                    a_at.cmp(&b_at)
                        .then(a_end.total_cmp(&b_end))
                        .then(a.1.cmp(&b.1))
                });
                self.spread(side, heights[place as usize], pieces, &mut segments);
            }
        }
        segments
    }

    /// Spreads the ends of edges along a side of a node.
    fn spread(&self, side: usize, height: f32, pieces: &[(usize, u32)], segments: &mut [Segment]) {
        let width = |edge: u32| self.graph.edges[edge as usize].width.max(0.0) + self.spacing.edge;
        let all: f32 = pieces.iter().map(|it| width(it.1)).sum();
        let room = height * SIDE;
        let scale = if all > room {
            room / all.max(1e-6)
        } else {
            1.0
        };
        let mut at = (height - all * scale) * 0.5;
        for &(number, edge) in pieces {
            let own = width(edge) * scale;
            set_end(&mut segments[number], side, at + own * 0.5);
            at += own;
        }
    }

    /// Where columns stand: wide enough for what is in them, and apart as far as edges between them step aside.
    fn columns(&self, segments: &[Segment], tops: &[f32], sizes: &[Vec2]) -> Vec<Column> {
        let net = self.net;
        let count = net.ranks.len();
        let mut steps = vec![None; count];
        for piece in segments {
            let rank = net.rank_of[piece.left as usize] as usize;
            let out = tops[piece.left as usize] + piece.out;
            let into = tops[piece.right as usize] + piece.into;
            let step: f32 = (out - into).abs();
            steps[rank] = Some(steps[rank].unwrap_or(0.0_f32).max(step));
        }
        let is_border = |rank: usize| net.first > 0 && (rank == 0 || rank + 1 == count);
        let mut columns: Vec<Column> = Vec::with_capacity(count);
        let mut right = 0.0;
        for rank in 0..count {
            let widths = net.ranks[rank].iter().map(|&it| sizes[it as usize].x);
            let width = widths.fold(0.0, f32::max);
            let mut column = Column {
                left: right,
                right: right + width,
                ends: right,
                begins: right + width,
            };
            if let Some(before) = columns.last_mut() {
                let step = steps[rank - 1];
                let inner = !is_border(rank) && !is_border(rank - 1);
                let lead = |of: usize| {
                    if is_border(of) {
                        0.0
                    } else {
                        self.spacing.lead
                    }
                };
                let (before_lead, own_lead) = match step {
                    Some(_) => (lead(rank - 1), lead(rank)),
                    None => (0.0, 0.0),
                };
                let aside = step.unwrap_or(0.0) * SLOPE;
                let gap = match (inner, step) {
                    (true, _) => {
                        let most = self.spacing.column * WIDEST;
                        self.spacing.column.max(aside.min(most)) + before_lead + own_lead
                    }
                    (false, Some(step)) if step > 0.5 => {
                        let least = self.spacing.inside;
                        least.max(aside.min(self.spacing.column)) + before_lead + own_lead
                    }
                    (false, _) => self.spacing.inside.max(before_lead + own_lead),
                };
                before.begins = before.right + before_lead;
                column.left = before.right + gap;
                column.right = column.left + width;
                column.ends = column.left - own_lead;
                column.begins = column.right;
            }
            right = column.right;
            columns.push(column);
        }
        columns
    }
}

fn set_end(segment: &mut Segment, side: usize, at: f32) {
    match side {
        LEFT => segment.into = at,
        _ => segment.out = at,
    }
}

/// A rank along x.
#[derive(Clone, Copy, Debug)]
struct Column {
    left: f32,
    right: f32,
    /// Where edges to it are at the height of their end, and those from it begin to step aside.
    ends: f32,
    begins: f32,
}

/// Puts the levels together.
pub(super) fn join(
    graph: &Graph<'_>,
    levels: &[Level],
    nets: &[Net],
    placed: &[Option<Placed>],
    turned: &[bool],
) -> Layout {
    let nothing = Rect::new(Vec2::ZERO, Vec2::ZERO);
    let mut layout = Layout {
        nodes: vec![nothing; graph.nodes.len()],
        clusters: vec![nothing; graph.clusters.len()],
        routes: vec![Vec::new(); graph.edges.len()],
        ..Layout::default()
    };
    let mut origins = vec![Vec2::ZERO; levels.len()];
    let mut pieces: Vec<Vec<(f32, Vec<Vec2>)>> = vec![Vec::new(); graph.edges.len()];
    let mut memory = Memory::default();
    for (number, level) in levels.iter().enumerate() {
        let (Some(of), net) = (&placed[number], &nets[number]) else {
            continue;
        };
        let origin = origins[number];
        if number == 0 {
            layout.size = of.size;
        }
        for ((item, &corner), place) in level.items.iter().zip(&of.corners).zip(0_usize..) {
            let size = match *item {
                Item::Node(node) => {
                    let size = graph.nodes[node as usize].size.max(Vec2::ZERO);
                    layout.nodes[node as usize] =
                        Rect::new(origin + corner, origin + corner + size);
                    size
                }
                Item::Cluster(cluster) => {
                    let cluster = cluster as usize;
                    let size = placed[cluster + 1]
                        .as_ref()
                        .map_or(Vec2::ZERO, |it| it.size);
                    origins[cluster + 1] = origin + corner;
                    layout.clusters[cluster] = Rect::new(origin + corner, origin + corner + size);
                    size
                }
            };
            // Items come first among the places of a net.
            let rank = net.rank_of[place] - net.first;
            let middle = corner.y + size.y * 0.5;
            memory
                .places
                .insert(item.key(graph), Place { rank, middle });
        }
        for (chain, line) in net.chains.iter().zip(&of.lines) {
            let line: Vec<Vec2> = line.iter().map(|&it| it + origin).collect();
            let left = line.first().map_or(0.0, |it| it.x);
            pieces[chain.edge as usize].push((left, line));
        }
    }
    for (edge, mut pieces) in pieces.into_iter().enumerate() {
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut route: Vec<Vec2> = pieces.into_iter().flat_map(|it| it.1).collect();
        route.dedup_by(|a, b| a.distance(*b) < 0.01);
        if turned[edge] {
            route.reverse();
        }
        layout.routes[edge] = route;
    }
    layout.memory = memory;
    layout
}
