//! Calling context ring charts: P. Moret, W. Binder, A. Villazón, D. Ansaloni, A. Heydarnoori, "Visualizing and exploring
//! profiles with calling context ring charts", Software: Practice and Experience 40, 2010, section 3.
//!
//! The root is a circle in the middle, what it calls is a ring of segments around it, and so on outwards. In pixels, with
//! the middle at 0; angles in turns, from 0 to 1, clockwise from the top.

use std::f32::consts::{PI, TAU};

/// How segments are sized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sizing {
    /// Equation 1: all callees of one caller alike, around all of it.
    Alike,
    /// Equation 2: by their share of their caller's total; the rest is the caller's own.
    #[default]
    Angle,
    /// The same with rings of one area, equation 4: equal totals have equal areas, however deep.
    Area,
}

impl Sizing {
    pub const ALL: [Sizing; 3] = [Sizing::Alike, Sizing::Angle, Sizing::Area];
}

/// A tree as the layout reads it: nodes in preorder.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// By node, one past the last node below it.
    pub ends: &'a [u32],
    /// By node what all nodes before it weigh themselves, one entry more than nodes: the total of a node is the
    /// difference of two.
    pub before: &'a [u64],
    /// By node how many nodes before it weigh less than nothing with all below them, one entry more than nodes; empty if
    /// none does.
    pub negative: &'a [u32],
}

impl Tree<'_> {
    /// How many of the nodes from one to before another weigh less than nothing.
    fn negative(&self, from: u32, to: u32) -> u64 {
        let before = |node: u32| self.negative.get(node as usize).copied().unwrap_or(0);
        u64::from(before(to) - before(from))
    }

    fn total(&self, node: u32) -> u64 {
        let end = self.ends[node as usize] as usize;
        self.before[end].saturating_sub(self.before[node as usize])
    }
}

/// What is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Of {
    /// The node in the middle, with all below it; none for all outermost nodes around an empty middle.
    pub root: Option<u32>,
    pub sizing: Sizing,
    /// So many rings around the middle.
    pub rings: u32,
    /// The radius of the chart.
    pub radius: f32,
    /// Segments with a shorter outer edge than this are lines; what would be as short on the last ring is culled, with all
    /// below it.
    pub least: f32,
}

/// A node as a segment of a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub node: u32,
    /// 1 for the innermost ring.
    pub ring: u32,
    /// In turns.
    pub from: f32,
    pub to: f32,
}

/// Neighbours too small to be seen, as one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sliver {
    pub ring: u32,
    pub from: f32,
    pub to: f32,
    /// How many nodes these are, without those below them.
    pub nodes: u32,
}

/// A chart. Memory grows with what can be seen, not with the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rings {
    /// From the inside out within each branch, in order of the tree.
    pub segments: Vec<Segment>,
    pub slivers: Vec<Sliver>,
    /// Nodes in slivers with all below them that are in no segment, those of them that weigh less than nothing, and nodes
    /// beyond the last ring.
    pub too_small: u64,
    pub negative: u64,
    pub too_deep: u64,
    /// The outer radius of each ring, that of the middle first.
    pub radii: Vec<f32>,
    /// By ring its last sliver.
    last_slivers: Vec<u32>,
}

/// The radius of the middle as a share of the whole, where rings are of one width.
const MIDDLE: f32 = 1.0;

impl Rings {
    /// Lays a chart out anew, in the memory of the old one. O(nodes of the tree that can be seen, and their children):
    /// what is too small on all rings is skipped with all below it.
    pub fn lay_out(&mut self, tree: Tree<'_>, of: &Of) {
        self.segments.clear();
        self.slivers.clear();
        self.last_slivers.clear();
        (self.too_small, self.negative, self.too_deep) = (0, 0, 0);
        self.set_radii(of);
        let count = tree.ends.len() as u32;
        let range = match of.root {
            Some(root) if root < count => root + 1..tree.ends[root as usize],
            Some(_) => 0..0,
            None => 0..count,
        };
        let total = match of.root {
            Some(root) if root < count => tree.total(root),
            _ => tree.before.last().copied().unwrap_or_default(),
        };
        if range.is_empty() || of.radius <= 0.0 {
            return;
        }
        let mut open = vec![Open::new(&tree, of.sizing, range, total, [0.0, 1.0], 1)];
        while let Some(around) = open.last_mut() {
            let Some(node) = around.next(&tree) else {
                open.pop();
                continue;
            };
            let [from, to] = around.place(&tree, node);
            let ring = around.ring;
            let end = tree.ends[node as usize];
            let edge = self.radii[ring as usize] * TAU * (to - from);
            if edge >= of.least {
                self.segments.push(Segment {
                    node,
                    ring,
                    from,
                    to,
                });
            } else {
                self.sliver(ring, from, to);
                // Further out there may be room for what is below it. Also what is no number is culled.
                let is_lost = of.radius * TAU * (to - from) < of.least || of.least.is_nan();
                if is_lost {
                    let negative = tree.negative(node, end);
                    self.negative += negative;
                    self.too_small += u64::from(end - node) - negative;
                    continue;
                }
                self.too_small += 1;
            }
            if end == node + 1 {
                continue;
            }
            if ring >= of.rings {
                self.too_deep += u64::from(end - node - 1);
                continue;
            }
            let (range, total) = (node + 1..end, tree.total(node));
            open.push(Open::new(
                &tree,
                of.sizing,
                range,
                total,
                [from, to],
                ring + 1,
            ));
        }
    }

    /// The outermost ring with a segment whose outer edge has at least this length; 1 without any. O(segments).
    pub fn outermost(&self, least: f32) -> u32 {
        let length = |it: &&Segment| self.radii[it.ring as usize] * TAU * (it.to - it.from);
        let seen = self.segments.iter().filter(|it| length(it) >= least);
        seen.map(|it| it.ring).max().unwrap_or(1)
    }

    fn set_radii(&mut self, of: &Of) {
        self.radii.clear();
        let rings = of.rings.max(1) as f32;
        match of.sizing {
            Sizing::Alike | Sizing::Angle => {
                // r(i) = r(i − 1) + c
                let width = of.radius / (rings + MIDDLE);
                let radius = |ring: u32| width * (ring as f32 + MIDDLE);
                self.radii.extend((0..=of.rings.max(1)).map(radius));
            }
            Sizing::Area => {
                // r(i) = √(r(i − 1)² + K / π); the middle has the area of a ring.
                let area = PI * of.radius * of.radius / (rings + 1.0);
                let mut radius = 0.0_f32;
                for _ in 0..=of.rings.max(1) {
                    radius = (radius * radius + area / PI).sqrt();
                    self.radii.push(radius);
                }
            }
        }
    }

    /// Adds a node that cannot be seen to the one beside it, where there is one.
    fn sliver(&mut self, ring: u32, from: f32, to: f32) {
        let at = ring as usize;
        if self.last_slivers.len() <= at {
            self.last_slivers.resize(at + 1, u32::MAX);
        }
        match self.slivers.get_mut(self.last_slivers[at] as usize) {
            Some(last) if last.to == from => {
                last.to = to;
                last.nodes = last.nodes.saturating_add(1);
            }
            _ => {
                self.last_slivers[at] = self.slivers.len() as u32;
                self.slivers.push(Sliver {
                    ring,
                    from,
                    to,
                    nodes: 1,
                });
            }
        }
    }

    /// The segment at a place, as its index. O(segments).
    pub fn at(&self, x: f32, y: f32) -> Option<usize> {
        let radius = x.hypot(y);
        let ring = self.radii.iter().position(|&outer| radius < outer)? as u32;
        let turn = (x.atan2(-y) / TAU).rem_euclid(1.0);
        let is_it = |it: &Segment| it.ring == ring && it.from <= turn && turn < it.to;
        self.segments.iter().position(is_it)
    }

    /// The inner and outer radius of a ring.
    pub fn ring(&self, ring: u32) -> [f32; 2] {
        let at = |ring: usize| self.radii.get(ring).copied().unwrap_or_default();
        [at((ring as usize).saturating_sub(1)), at(ring as usize)]
    }
}

/// A node whose children are being laid out.
struct Open {
    ring: u32,
    next: u32,
    end: u32,
    sizing: Sizing,
    /// Turns of a unit of weight, or of a child.
    scale: f64,
    at: f64,
    to: f32,
}

impl Open {
    fn new(
        tree: &Tree<'_>,
        sizing: Sizing,
        range: std::ops::Range<u32>,
        total: u64,
        [from, to]: [f32; 2],
        ring: u32,
    ) -> Open {
        let parts = match sizing {
            Sizing::Alike => {
                let mut children = 0_u64;
                let mut child = range.start;
                while child < range.end {
                    children += 1;
                    child = tree.ends[child as usize];
                }
                children
            }
            Sizing::Angle | Sizing::Area => total,
        };
        Open {
            ring,
            next: range.start,
            end: range.end,
            sizing,
            scale: f64::from(to - from) / parts.max(1) as f64,
            at: f64::from(from),
            to,
        }
    }

    fn next(&mut self, tree: &Tree<'_>) -> Option<u32> {
        let node = self.next;
        (node < self.end).then(|| {
            self.next = tree.ends[node as usize].max(node + 1);
            node
        })
    }

    fn place(&mut self, tree: &Tree<'_>, node: u32) -> [f32; 2] {
        let from = self.at;
        self.at += match self.sizing {
            Sizing::Alike => self.scale,
            Sizing::Angle | Sizing::Area => self.scale * tree.total(node) as f64,
        };
        // Rounding never leads out of the caller's segment.
        [from, self.at].map(|turn| (turn as f32).min(self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::trace::random::random_numbers;

    struct Made {
        ends: Vec<u32>,
        before: Vec<u64>,
        negative: Vec<u32>,
        parents: Vec<Option<u32>>,
    }

    impl Made {
        fn new(parents: Vec<Option<u32>>, weights: &[u64]) -> Made {
            let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
            for node in (0..parents.len()).rev() {
                if let Some(parent) = parents[node] {
                    ends[parent as usize] = ends[parent as usize].max(ends[node]);
                }
            }
            let sums = weights.iter().scan(0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            });
            let before = std::iter::once(0).chain(sums).collect();
            Made {
                negative: Vec::new(),
                ends,
                before,
                parents,
            }
        }

        fn tree(&self) -> Tree<'_> {
            Tree {
                ends: &self.ends,
                before: &self.before,
                negative: &self.negative,
            }
        }
    }

    /// Nodes in preorder, each below one on the path to the node before it.
    fn random(seed: u64) -> Made {
        let mut random = random_numbers(seed);
        let (mut parents, mut path): (Vec<Option<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
        for node in 0..random(300) as u32 {
            path.truncate(random(path.len() as u64 + 1) as usize);
            parents.push(path.last().copied());
            path.push(node);
        }
        let weights: Vec<u64> = parents.iter().map(|_| random(4) * random(1000)).collect();
        Made::new(parents, &weights)
    }

    fn chart(made: &Made, of: &Of) -> Rings {
        let mut rings = Rings::default();
        rings.lay_out(made.tree(), of);
        rings
    }

    const OF: Of = Of {
        root: None,
        sizing: Sizing::Angle,
        rings: 400,
        radius: 500.0,
        least: 0.0,
    };

    #[test]
    fn segments_have_the_angles_of_the_equations() {
        for seed in 0..200 {
            let made = random(seed);
            for sizing in Sizing::ALL {
                let rings = chart(&made, &Of { sizing, ..OF });
                assert_eq!(rings.segments.len(), made.ends.len(), "seed {seed}");
                let of = |node: u32| rings.segments.iter().find(|it| it.node == node);
                for segment in &rings.segments {
                    let parent = made.parents[segment.node as usize];
                    let (angle, ring, total) = match parent.map(|it| of(it).expect("a segment")) {
                        Some(it) => (it.to - it.from, it.ring, made.tree().total(it.node)),
                        None => (1.0, 0, *made.before.last().expect("a sum")),
                    };
                    assert_eq!(segment.ring, ring + 1);
                    let siblings = made.parents.iter().filter(|it| **it == parent).count();
                    let share = match sizing {
                        Sizing::Alike => 1.0 / siblings as f32,
                        _ => made.tree().total(segment.node) as f32 / total.max(1) as f32,
                    };
                    let found = segment.to - segment.from;
                    assert!(
                        (found - angle * share).abs() < 1e-5,
                        "seed {seed} {segment:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn segments_lie_within_their_callers_and_overlap_nowhere() {
        for seed in 0..200 {
            let made = random(seed);
            for sizing in Sizing::ALL {
                let rings = chart(&made, &Of { sizing, ..OF });
                for pair in rings
                    .segments
                    .windows(2)
                    .filter(|it| it[0].ring == it[1].ring)
                {
                    assert!(pair[0].to <= pair[1].from);
                }
                for segment in &rings.segments {
                    assert!(0.0 <= segment.from && segment.from <= segment.to && segment.to <= 1.0);
                    if let Some(parent) = made.parents[segment.node as usize] {
                        let around = rings.segments.iter().find(|it| it.node == parent);
                        let around = around.expect("a segment");
                        assert!(around.from <= segment.from && segment.to <= around.to);
                    }
                }
            }
        }
    }

    #[test]
    fn equal_totals_have_equal_areas_in_the_third_sizing() {
        // A path of nodes in which only the last weighs something.
        let parents = (0..9_u32).map(|it| it.checked_sub(1)).collect();
        let made = Made::new(parents, &[0, 0, 0, 0, 0, 0, 0, 0, 5]);
        let of = Of {
            sizing: Sizing::Area,
            rings: 9,
            ..OF
        };
        let rings = chart(&made, &of);
        let area = |it: &Segment| {
            let [inner, outer] = rings.ring(it.ring);
            (outer * outer - inner * inner) * (it.to - it.from)
        };
        let areas: Vec<f32> = rings.segments.iter().map(area).collect();
        assert_eq!(areas.len(), 9);
        assert!(
            areas.iter().all(|it| (it / areas[0] - 1.0).abs() < 1e-3),
            "{areas:?}"
        );
        assert!((rings.radii[9] - 500.0).abs() < 1e-2);
    }

    #[test]
    fn the_outermost_ring_that_is_seen_is_that_of_a_long_segment() {
        // A path below which only a thousandth goes on.
        let parents = [None, Some(0), Some(1), Some(2)];
        let made = Made::new(parents.to_vec(), &[0, 1, 999, 1]);
        let rings = chart(&made, &Of { rings: 12, ..OF });
        assert_eq!(rings.segments.len(), 4);
        assert_eq!(rings.outermost(3.0), 3);
        assert_eq!(rings.outermost(0.01), 4);
        assert_eq!(Rings::default().outermost(3.0), 1);
    }

    #[test]
    fn what_is_too_small_negative_or_too_deep_is_counted() {
        let mut negative = 0;
        for seed in 0..200 {
            let mut made = random(seed);
            // Some of what weighs nothing here weighs less than that.
            let count = made.ends.len() as u32;
            let is_negative = |it: u32| it.is_multiple_of(2) && made.tree().total(it) == 0;
            let sums = (0..count).scan(0, |sum, it| {
                *sum += u32::from(is_negative(it));
                Some(*sum)
            });
            made.negative = std::iter::once(0).chain(sums).collect();
            for sizing in Sizing::ALL {
                let of = Of {
                    sizing,
                    rings: 4,
                    radius: 60.0,
                    least: 0.5,
                    ..OF
                };
                let rings = chart(&made, &of);
                let culled = rings.too_small + rings.negative;
                let all = rings.segments.len() as u64 + culled + rings.too_deep;
                assert_eq!(all, made.ends.len() as u64, "seed {seed}");
                negative += rings.negative;
                let edge = |ring: u32, turns: f32| rings.ring(ring)[1] * TAU * turns;
                for segment in &rings.segments {
                    assert!(edge(segment.ring, segment.to - segment.from) >= 0.5);
                }
                let slivers: u64 = rings.slivers.iter().map(|it| u64::from(it.nodes)).sum();
                assert!(slivers <= culled);
            }
        }
        assert!(negative > 100, "{negative}");
    }

    #[test]
    fn a_place_is_that_of_the_segment_drawn_there() {
        for seed in 0..50 {
            let made = random(seed);
            let rings = chart(&made, &Of { rings: 8, ..OF });
            for (index, segment) in rings.segments.iter().enumerate() {
                if segment.to - segment.from < 1e-4 {
                    continue;
                }
                let [inner, outer] = rings.ring(segment.ring);
                let (radius, turn) = ((inner + outer) / 2.0, (segment.from + segment.to) / 2.0);
                let (sin, cos) = (turn * TAU).sin_cos();
                assert_eq!(
                    rings.at(radius * sin, -radius * cos),
                    Some(index),
                    "seed {seed}"
                );
            }
            assert_eq!(rings.at(0.0, 0.0), None);
            assert_eq!(rings.at(501.0, 0.0), None);
        }
    }

    #[test]
    fn degenerate_trees_have_charts() {
        let none = Made::new(Vec::new(), &[]);
        assert!(chart(&none, &OF).segments.is_empty());
        let weightless = Made::new(vec![None, Some(0), None], &[0, 0, 0]);
        assert_eq!(chart(&weightless, &Of { least: 0.5, ..OF }).too_small, 3);
        let alike = Of {
            sizing: Sizing::Alike,
            least: 0.5,
            rings: 0,
            root: Some(0),
            ..OF
        };
        assert_eq!(chart(&weightless, &alike).segments.len(), 1);
        assert!(
            chart(
                &weightless,
                &Of {
                    root: Some(7),
                    ..OF
                }
            )
            .segments
            .is_empty()
        );
        assert!(
            chart(&weightless, &Of { radius: 0.0, ..OF })
                .segments
                .is_empty()
        );
        // A path of a million calls needs no stack.
        let deep = (0..1_000_000_u32).map(|it| it.checked_sub(1)).collect();
        let deep = Made::new(deep, &vec![1; 1_000_000]);
        let rings = chart(&deep, &Of { rings: 30, ..OF });
        assert_eq!((rings.segments.len(), rings.too_deep), (30, 999_970));
    }
}
