//! What is ordered and placed of a level: its items, the bends of edges that pass ranks, and the ports at its border.

use std::collections::HashMap;
use std::ops::Range;

use super::graph::Graph;
use super::levels::{Item, Level};

/// A place in a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Item(u32),
    /// An edge goes past.
    Bend(u32),
    /// An edge goes through the border.
    Port(u32),
}

impl Kind {
    pub(super) fn is_item(self) -> bool {
        matches!(self, Kind::Item(_))
    }
}

/// The way of one edge through a level: places from left to right, one rank after the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    pub edge: u32,
    pub places: Vec<u32>,
}

/// Sides of a cluster.
pub(super) const LEFT: usize = 0;
pub(super) const RIGHT: usize = 1;

/// By edge where it comes to a side of a cluster: lower numbers higher up, equal ones in any order.
pub(super) type Border = HashMap<u32, u32>;

/// By place a few numbers, one place after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// By place where its numbers begin, one entry more than places.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    /// Groups the numbers of `pairs` by their place, below `places`; those of one place keep their order. O(places + pairs).
    pub(super) fn new(places: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0; places + 1];
        for (place, _) in pairs.clone() {
            starts[place as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; starts.last().copied().unwrap_or(0) as usize];
        for (place, number) in pairs {
            let next = &mut next[place as usize];
            numbers[*next as usize] = number;
            *next += 1;
        }
        Lists { starts, numbers }
    }

    pub(super) fn of(&self, place: u32) -> &[u32] {
        &self.numbers[self.range(place)]
    }

    pub(super) fn of_mut(&mut self, place: u32) -> &mut [u32] {
        let range = self.range(place);
        &mut self.numbers[range]
    }

    fn range(&self, place: u32) -> Range<usize> {
        let place = place as usize;
        self.starts[place] as usize..self.starts[place + 1] as usize
    }
}

/// A level with its ranks.
#[derive(Clone, Debug, Default)]
pub(super) struct Net {
    pub kinds: Vec<Kind>,
    /// By rank its places from the top.
    pub ranks: Vec<Vec<u32>>,
    pub chains: Vec<Chain>,
    /// By place its neighbours in the rank before it and the one after.
    pub sides: [Lists; 2],
    /// By place how it is ordered before all else: ports as edges come to the cluster.
    pub classes: Vec<u32>,
    /// By place its rank, and where it stands in that.
    pub rank_of: Vec<u32>,
    pub at: Vec<u32>,
    /// The rank of the first items: 1 where there are ports at the left.
    pub first: u32,
}

impl Net {
    /// Of items with these ranks; `border` says for a cluster where edges come to it.
    pub(super) fn new(
        graph: &Graph<'_>,
        level: &Level,
        turned: &[bool],
        ranks: &[u32],
        border: Option<&[Border; 2]>,
    ) -> Net {
        let first = u32::from(border.is_some());
        let columns = ranks.iter().map(|it| it + 1).max().unwrap_or(0);
        let mut net = Net {
            ranks: vec![Vec::new(); (columns + 2 * first) as usize],
            first,
            ..Net::default()
        };
        for (item, &rank) in (0..).zip(ranks) {
            net.add(Kind::Item(item), rank + first, 0);
        }
        for link in &level.links {
            if !graph.edges[link.edge as usize].is_drawn {
                continue;
            }
            let (left, right) = match turned[link.edge as usize] {
                true => (link.to, link.from),
                false => (link.from, link.to),
            };
            net.chain(link.edge, left, right);
        }
        for way in &level.ways_out {
            let edge = way.edge;
            if !graph.edges[edge as usize].is_drawn {
                continue;
            }
            let side = match way.is_of_caller != turned[edge as usize] {
                true => RIGHT,
                false => LEFT,
            };
            let class = border.and_then(|border| border[side].get(&edge));
            let class = class.copied().unwrap_or(0);
            match side {
                LEFT => {
                    let port = net.add(Kind::Port(edge), 0, class);
                    net.chain(edge, port, way.item);
                }
                _ => {
                    let port = net.add(Kind::Port(edge), columns + 1, class);
                    net.chain(edge, way.item, port);
                }
            }
        }
        net.mix();
        let pieces = net.chains.iter().flat_map(|it| it.places.windows(2));
        let pieces = pieces.map(|pair| (pair[0], pair[1]));
        let count = net.kinds.len();
        let left = Lists::new(count, pieces.clone().map(|(left, right)| (right, left)));
        net.sides = [left, Lists::new(count, pieces)];
        net.note_places();
        net
    }

    fn add(&mut self, kind: Kind, rank: u32, class: u32) -> u32 {
        let place = self.kinds.len() as u32;
        self.kinds.push(kind);
        self.classes.push(class);
        self.rank_of.push(rank);
        self.at.push(0);
        self.ranks[rank as usize].push(place);
        place
    }

    /// Has bends stand among items as what their edges lead to does: where nothing else says how, a column is passed
    /// between its items and not below all of them.
    fn mix(&mut self) {
        let mut keys: Vec<u32> = (0..self.kinds.len() as u32).collect();
        for chain in &self.chains {
            let [first, .., last] = chain.places[..] else {
                continue;
            };
            let is_item = |place: u32| self.kinds[place as usize].is_item();
            let key = if is_item(last) { last } else { first };
            for &place in chain.places.iter().filter(|it| !is_item(**it)) {
                keys[place as usize] = key;
            }
        }
        for rank in &mut self.ranks {
            rank.sort_by_key(|&it| (keys[it as usize], it));
        }
    }

    /// Leads an edge from one place to another further right, with a bend in each rank between.
    fn chain(&mut self, edge: u32, left: u32, right: u32) {
        let between = self.rank_of[left as usize] + 1..self.rank_of[right as usize];
        let mut places = vec![left];
        for rank in between {
            places.push(self.add(Kind::Bend(edge), rank, 0));
        }
        places.push(right);
        self.chains.push(Chain { edge, places });
    }

    /// Notes where in its rank each place stands.
    pub(super) fn note_places(&mut self) {
        for rank in &self.ranks {
            for (&place, at) in rank.iter().zip(0..) {
                self.at[place as usize] = at;
            }
        }
    }

    /// Tells the clusters of a level where edges come to them. Edges between the same two places come in any order: a
    /// cluster may choose it.
    pub(super) fn tell_borders(&self, level: &Level, borders: &mut [[Border; 2]]) {
        for side in [LEFT, RIGHT] {
            let ends = self.chains.iter().filter_map(|chain| {
                let (own, beside, other) = self.beside(chain, side)?;
                let cluster = self.cluster(level, own)?;
                Some((cluster, other, chain.edge, self.at[beside as usize]))
            });
            let mut ends: Vec<(usize, u32, u32, u32)> = ends.collect();
            ends.sort_unstable();
            for group in ends.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let sum: u32 = group.iter().map(|it| it.3).sum();
                // Finer than places, so that groups are told apart.
                let mean = 64 * sum / group.len() as u32;
                for &(cluster, _, edge, _) in group {
                    borders[cluster][side].insert(edge, mean);
                }
            }
        }
    }

    fn cluster(&self, level: &Level, place: u32) -> Option<usize> {
        let Kind::Item(item) = self.kinds[place as usize] else {
            return None;
        };
        match level.items[item as usize] {
            Item::Cluster(cluster) => Some(cluster as usize),
            Item::Node(_) => None,
        }
    }

    /// Of a chain the place whose `side` it comes to, the one beside that, and what is at its other end.
    fn beside(&self, chain: &Chain, side: usize) -> Option<(u32, u32, u32)> {
        let count = chain.places.len();
        let [first, second] = chain.places.get(..2)?.try_into().ok()?;
        let [before, last] = chain.places.get(count - 2..)?.try_into().ok()?;
        Some(match side {
            LEFT => (last, before, self.end(first)),
            _ => (first, second, self.end(last)),
        })
    }

    /// What is at a place: ports where edges may come in any order are one.
    fn end(&self, place: u32) -> u32 {
        match self.kinds[place as usize] {
            Kind::Port(_) => 1 << 31 | self.classes[place as usize],
            _ => place,
        }
    }

    /// Has edges between the same two places take each other's bends and ports, so that they go past ranks in the order in
    /// which they come out of the clusters in this level, whose nets are in order.
    pub(super) fn follow_borders(&mut self, level: &Level, nets: &[Net]) {
        let chains = self.chains.iter().enumerate();
        let of_clusters = chains.filter_map(|(number, chain)| {
            let ends = [*chain.places.first()?, *chain.places.last()?];
            let is_of_cluster = ends.iter().any(|&it| self.cluster(level, it).is_some());
            is_of_cluster.then(|| (ends.map(|it| self.end(it)), number))
        });
        let mut of_clusters: Vec<([u32; 2], usize)> = of_clusters.collect();
        of_clusters.sort_unstable();
        // By cluster and side where edges go through it.
        let mut ports: HashMap<(usize, usize), HashMap<u32, u32>> = HashMap::new();
        let groups = of_clusters.chunk_by(|a, b| a.0 == b.0);
        for group in groups.filter(|it| it.len() > 1) {
            let chains: Vec<usize> = group.iter().map(|it| it.1).collect();
            let places = &self.chains[chains[0]].places;
            let ends = [(places[0], RIGHT), (places[places.len() - 1], LEFT)];
            let keys = ends.map(|(place, side)| Some((self.cluster(level, place)?, side)));
            for (cluster, side) in keys.into_iter().flatten() {
                let of_cluster = || nets.get(cluster + 1).map(|it| it.ports(side));
                let known = ports.entry((cluster, side));
                known.or_insert_with(|| of_cluster().unwrap_or_default());
            }
            let inner = keys.map(|key| ports.get(&key?));
            let height = |edge: u32| -> u32 {
                let known = inner.iter().flatten();
                known.filter_map(|ports| ports.get(&edge)).sum()
            };
            self.exchange(chains, height);
        }
    }

    /// Has chains of equal ends take each other's places, so that their edges go down as `height` does.
    fn exchange(&mut self, chains: Vec<usize>, height: impl Fn(u32) -> u32) {
        let mut edges: Vec<u32> = chains.iter().map(|&it| self.chains[it].edge).collect();
        edges.sort_by_key(|&it| (height(it), it));
        // The first place that is not of all of them says which is higher.
        let at = |chain: usize| {
            let places = &self.chains[chain].places;
            let is_item = self.kinds[places[0] as usize].is_item();
            places
                .get(usize::from(is_item))
                .map_or(0, |&it| self.at[it as usize])
        };
        let mut slots = chains;
        slots.sort_by_key(|&it| (at(it), it));
        for (edge, &slot) in edges.into_iter().zip(&slots) {
            for &place in &self.chains[slot].places {
                match &mut self.kinds[place as usize] {
                    Kind::Bend(of) | Kind::Port(of) => *of = edge,
                    Kind::Item(_) => {}
                }
            }
            self.chains[slot].edge = edge;
        }
    }

    /// By edge where it goes through a side of this level.
    fn ports(&self, side: usize) -> HashMap<u32, u32> {
        let rank = match side {
            LEFT => self.ranks.first(),
            _ => self.ranks.last(),
        };
        let places = rank.into_iter().flatten().zip(0..);
        let ports = places.filter_map(|(&place, at)| match self.kinds[place as usize] {
            Kind::Port(edge) => Some((edge, at)),
            _ => None,
        });
        ports.collect()
    }
}
