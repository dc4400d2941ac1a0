//! Places boxes by the distances between them in the graph, and packs what nothing connects.

use std::collections::BTreeMap;

use glam::{DMat2, DVec2, Vec2};

use super::distances::{Distances, Edge};
use super::overlaps::{grow, separate};
use super::packing::pack;
use super::start::start;
use super::stress::Stress;

/// How much longer the lightest links are than the heaviest.
const LIGHTEST: f32 = 2.0;

/// Two boxes that belong together, the more the larger the weight, which is not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub from: u32,
    pub to: u32,
    pub weight: f32,
}

/// Where boxes are. The top left corner of all is at zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts {
    pub size: Vec2,
    /// By box its top left corner.
    pub corners: Vec<Vec2>,
}

/// Places boxes of these sizes. The heaviest links are `length` long from box to box, and boxes at least `gap` apart.
/// Links of a box to itself, and those that name no box, mean nothing. See [`super::lay_out`] for the complexity.
pub(super) fn place(sizes: &[Vec2], links: &[Link], [length, gap]: [f32; 2], seed: u64) -> Parts {
    let count = sizes.len();
    let links = joined(count, links);
    let parts = connected(count, &links);
    let mut within = vec![0_u32; count];
    let mut part_of = vec![0; count];
    for (number, part) in parts.iter().enumerate() {
        for (&member, at) in part.iter().zip(0..) {
            (part_of[member as usize], within[member as usize]) = (number, at);
        }
    }
    let heaviest = links.iter().map(|it| it.weight).fold(0.0, f32::max);
    let mut links_of: Vec<Vec<Link>> = vec![Vec::new(); parts.len()];
    for link in &links {
        links_of[part_of[link.from as usize]].push(Link {
            from: within[link.from as usize],
            to: within[link.to as usize],
            weight: if heaviest > 0.0 {
                link.weight / heaviest
            } else {
                1.0
            },
        });
    }
    let placed = parts.iter().zip(&links_of).map(|(part, links)| {
        let sizes = part.iter().map(|&it| sizes[it as usize]);
        of_part(&sizes.collect::<Vec<_>>(), links, [length, gap], seed)
    });
    let placed: Vec<Parts> = placed.collect();
    let outer: Vec<Vec2> = placed.iter().map(|it| it.size).collect();
    let (origins, size) = pack(&outer, 2.0 * gap);
    let mut corners = vec![Vec2::ZERO; count];
    for ((part, placed), origin) in parts.iter().zip(placed).zip(origins) {
        for (&member, corner) in part.iter().zip(placed.corners) {
            corners[member as usize] = origin + corner;
        }
    }
    Parts { size, corners }
}

/// One link between any two boxes, with all their weight, in the direction of most of it. O(m log m).
fn joined(count: usize, links: &[Link]) -> Vec<Link> {
    // By the two boxes all weight, and how much more of it leads to the second than back.
    let mut sums: BTreeMap<(u32, u32), [f32; 2]> = BTreeMap::new();
    let is_meant = |it: &&Link| it.from != it.to && (it.from.max(it.to) as usize) < count;
    for link in links.iter().filter(is_meant) {
        let ends = (link.from.min(link.to), link.from.max(link.to));
        let [all, more] = sums.entry(ends).or_default();
        *all += link.weight;
        *more += if link.from < link.to {
            link.weight
        } else {
            -link.weight
        };
    }
    let links = sums.into_iter().map(|((first, second), [weight, more])| {
        let (from, to) = if more < 0.0 {
            (second, first)
        } else {
            (first, second)
        };
        Link { from, to, weight }
    });
    links.collect()
}

/// The connected parts, each with its boxes in their order. O(n + m) but for the inverse of Ackermann's function.
fn connected(count: usize, links: &[Link]) -> Vec<Vec<u32>> {
    let mut heads: Vec<u32> = (0..count as u32).collect();
    fn head(heads: &mut [u32], mut of: u32) -> u32 {
        while heads[of as usize] != of {
            let next = heads[heads[of as usize] as usize];
            heads[of as usize] = next;
            of = next;
        }
        of
    }
    for link in links {
        let [from, to] = [link.from, link.to].map(|it| head(&mut heads, it));
        heads[from.max(to) as usize] = from.min(to);
    }
    let mut parts: Vec<Vec<u32>> = Vec::new();
    let mut part_of_head = vec![0; count];
    for of in 0..count as u32 {
        // The head is the first of its part.
        let head = head(&mut heads, of);
        if head == of {
            part_of_head[of as usize] = parts.len();
            parts.push(Vec::new());
        }
        parts[part_of_head[head as usize]].push(of);
    }
    parts
}

/// How far the middle of a box is from its edge, in the mean of all directions.
fn radius(size: Vec2) -> f32 {
    (size.x + size.y) * 0.25
}

/// Places boxes that are connected; weights are shares of the heaviest.
fn of_part(sizes: &[Vec2], links: &[Link], [length, gap]: [f32; 2], seed: u64) -> Parts {
    let edges = links.iter().map(|link| {
        let ends = [link.from, link.to];
        let [from, to] = ends.map(|it| radius(sizes[it as usize]));
        let light = 1.0 - link.weight.clamp(0.0, 1.0).sqrt();
        let long = length * (1.0 + (LIGHTEST - 1.0) * light);
        Edge {
            ends,
            length: (from + to + long).max(1.0),
        }
    });
    let edges: Vec<Edge> = edges.collect();
    let distances = Distances::new(sizes.len(), &edges);
    let start = start(&distances, seed);
    let mut middles = Stress::new(&distances, start).settle();
    turn(&mut middles, links);
    let sizes: Vec<DVec2> = sizes.iter().map(|it| it.as_dvec2()).collect();
    grow(&mut middles, &sizes, f64::from(gap));
    separate(&mut middles, &sizes, f64::from(gap));
    let corners = middles
        .iter()
        .zip(&sizes)
        .map(|(at, size)| *at - *size * 0.5);
    let corners: Vec<DVec2> = corners.collect();
    let least = corners.iter().copied().reduce(DVec2::min);
    let least = least.unwrap_or_default();
    let ends = corners
        .iter()
        .zip(&sizes)
        .map(|(at, size)| *at + *size - least);
    Parts {
        size: ends.fold(DVec2::ZERO, DVec2::max).as_vec2(),
        corners: corners.iter().map(|it| (*it - least).as_vec2()).collect(),
    }
}

/// Turns and mirrors places, which changes no distance: they reach farthest to the sides, and callers are rather left of
/// callees and above them.
fn turn(middles: &mut [DVec2], links: &[Link]) {
    let count = middles.len().max(1) as f64;
    let mean = middles.iter().sum::<DVec2>() / count;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for place in middles.iter_mut() {
        *place -= mean;
        xx += place.x * place.x;
        xy += place.x * place.y;
        yy += place.y * place.y;
    }
    let turned = DMat2::from_angle(-0.5 * (2.0 * xy).atan2(xx - yy));
    middles.iter_mut().for_each(|it| *it = turned * *it);
    let ways = links.iter().map(|link| {
        let [from, to] = [link.from, link.to].map(|it| middles[it as usize]);
        (to - from) * f64::from(link.weight)
    });
    let way: DVec2 = ways.sum();
    let mirrored = DVec2::new(1.0_f64.copysign(way.x), 1.0_f64.copysign(way.y));
    middles.iter_mut().for_each(|it| *it *= mirrored);
}
