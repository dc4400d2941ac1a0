//! Merged stacks as bars: each node is as wide as all below it weighs, its children lie beside each other in its row's
//! neighbour, and what they leave is its own. B. Gregg, "The flame graph", Communications of the ACM 59, 2016.
//!
//! Nothing is lumped together: what is narrower than a pixel is a shade, which falls apart into its bars when there is room
//! for them, and counts what is in it. In pixels, with the left edge of the picture at 0.

use std::ops::Range;

/// Stands for no parent.
pub const NONE: u32 = u32::MAX;

/// Trees side by side, nodes in the order in which they are drawn: parents before children, one below the other.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    parents: Vec<u32>,
    /// By node, one past the last node below it.
    ends: Vec<u32>,
    /// By node where it begins, as a weight from the left edge, and what it weighs with all below it.
    lefts: Vec<u64>,
    totals: Vec<u64>,
    whole: u64,
    /// The outermost nodes, then the children of each node.
    children: Vec<u32>,
    /// By node, where its children begin; those of node n end where those of node n + 1 begin.
    firsts: Vec<u32>,
    roots: u32,
}

impl Forest {
    /// Of nodes in preorder: the parent of each, which is [`NONE`] of an outermost one, and what it weighs itself. Children
    /// begin where their parent does; what is its own is to the right of them. O(nodes).
    pub fn new(parents: Vec<u32>, own: impl Iterator<Item = u64>) -> Forest {
        let count = parents.len();
        let mut ends: Vec<u32> = (1..=count as u32).collect();
        let mut firsts = vec![0_u32; count + 1];
        let mut roots = 0;
        for node in (0..count).rev() {
            match parents[node] {
                NONE => roots += 1,
                parent => {
                    let end = ends[node];
                    let around = &mut ends[parent as usize];
                    *around = end.max(*around);
                    firsts[parent as usize + 1] += 1;
                }
            }
        }
        firsts[0] = roots;
        for node in 0..count {
            firsts[node + 1] += firsts[node];
        }
        let mut next = firsts.clone();
        let mut next_root = 0;
        let mut children = vec![0; count];
        for (node, &parent) in (0..).zip(&parents) {
            let place = match parent {
                NONE => &mut next_root,
                parent => &mut next[parent as usize],
            };
            children[*place as usize] = node;
            *place += 1;
        }
        let mut totals: Vec<u64> = own.take(count).collect();
        totals.resize(count, 0);
        for node in (0..count).rev() {
            if let Some(around) = totals.get(parents[node] as usize) {
                let sum = around.saturating_add(totals[node]);
                totals[parents[node] as usize] = sum;
            }
        }
        // Where the next child of each node begins; of a node that has none yet, itself.
        let mut lefts = vec![0_u64; count];
        let mut next = vec![0_u64; count];
        let mut whole = 0_u64;
        for node in 0..count {
            let place = match parents[node] {
                NONE => &mut whole,
                parent => &mut next[parent as usize],
            };
            lefts[node] = *place;
            *place = place.saturating_add(totals[node]);
            next[node] = lefts[node];
        }
        Forest {
            parents,
            ends,
            lefts,
            totals,
            whole,
            children,
            firsts,
            roots,
        }
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// What everything weighs.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    pub fn parent(&self, node: u32) -> Option<u32> {
        Some(self.parents[node as usize]).filter(|&it| it != NONE)
    }

    /// A node and all below it.
    pub fn subtree(&self, node: u32) -> Range<u32> {
        node..self.ends[node as usize]
    }

    /// The children of a node in their order; of none the outermost nodes.
    pub fn children(&self, node: Option<u32>) -> &[u32] {
        let range = match node {
            None => 0..self.roots,
            Some(node) => self.firsts[node as usize]..self.firsts[node as usize + 1],
        };
        &self.children[range.start as usize..range.end as usize]
    }

    /// Where a node begins and ends, as weights from the left edge of everything.
    pub fn place(&self, node: u32) -> [u64; 2] {
        let left = self.lefts[node as usize];
        [left, left.saturating_add(self.totals[node as usize])]
    }

    /// The same of all in a shade: siblings, with what is below them.
    pub fn place_of(&self, shade: &Shade) -> [u64; 2] {
        let parent = |&it: &u32| self.parent(it).filter(|&it| it >= shade.node);
        let around = std::iter::successors(Some(shade.end - 1), parent);
        let last = around.last().unwrap_or(shade.node);
        [self.place(shade.node)[0], self.place(last)[1]]
    }

    /// What a node weighs with all below it.
    pub fn total(&self, node: u32) -> u64 {
        self.totals[node as usize]
    }
}

/// What is seen of a forest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The weights at the left and at the right edge.
    pub range: [f64; 2],
    /// In pixels.
    pub width: f32,
    /// What is narrower is a shade.
    pub least: f32,
}

impl Seen {
    /// Where a weight from the left edge of everything is, in pixels.
    pub fn x(&self, weight: u64) -> f64 {
        let [from, to] = self.range;
        (weight as f64 - from) / (to - from) * f64::from(self.width)
    }
}

/// A node that is seen. Where it goes on beyond an edge it is cut there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    pub node: u32,
    /// 0 of the outermost.
    pub row: u32,
    pub from: f32,
    pub to: f32,
}

/// Neighbours of which each is too narrow to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shade {
    /// The first of them, and one past the last one below them.
    pub node: u32,
    pub end: u32,
    pub row: u32,
    pub from: f32,
    pub to: f32,
}

/// A picture. Memory and work grow with what is seen, not with the forest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// By row, in each from left to right.
    pub bars: Vec<Bar>,
    /// The same.
    pub shades: Vec<Shade>,
    /// By row where its bars and its shades begin.
    rows: Vec<[usize; 2]>,
    /// Nodes in shades.
    pub too_small: u64,
    /// How many nodes were looked at.
    pub visited: u64,
}

impl Bars {
    /// Lays out what is seen, in the memory of what was before. O(bars × log nodes): in each row at most two bars and
    /// shades in a pixel.
    pub fn lay_out(&mut self, forest: &Forest, seen: &Seen) {
        self.bars.clear();
        self.shades.clear();
        self.rows.clear();
        (self.too_small, self.visited) = (0, 0);
        let is_number = seen.range[1] > seen.range[0] && seen.width > 0.0 && seen.least > 0.0;
        if !is_number || forest.is_empty() {
            return;
        }
        self.rows.push([0; 2]);
        self.add(forest, forest.children(None), 0, seen);
        let mut at = 0;
        while let Some(&bar) = self.bars.get(at) {
            if bar.row as usize + 1 == self.rows.len() {
                self.rows.push([self.bars.len(), self.shades.len()]);
            }
            self.add(forest, forest.children(Some(bar.node)), bar.row + 1, seen);
            at += 1;
        }
        // Below the last bars may be shades, or nothing.
        while let Some(last) = self.rows.len().checked_sub(1)
            && self.row_of(last).is_none()
        {
            self.rows.pop();
        }
    }

    fn row_of(&self, row: usize) -> Option<(&[Bar], &[Shade])> {
        let &[bar, shade] = self.rows.get(row)?;
        let next = self.rows.get(row + 1).copied();
        let [bar_end, shade_end] = next.unwrap_or([self.bars.len(), self.shades.len()]);
        let found = (&self.bars[bar..bar_end], &self.shades[shade..shade_end]);
        (!found.0.is_empty() || !found.1.is_empty()).then_some(found)
    }

    /// The bars and shades of a row.
    pub fn row(&self, row: usize) -> (&[Bar], &[Shade]) {
        self.row_of(row).unwrap_or_default()
    }

    /// How many rows have anything in them.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    fn add(&mut self, forest: &Forest, children: &[u32], row: u32, seen: &Seen) {
        let least = f64::from(seen.least);
        let end_of = |node: u32| seen.x(forest.place(node)[1]);
        let width = f64::from(seen.width);
        // What weighs nothing and lies on an edge of everything is counted.
        let is_first = seen.range[0] <= 0.0;
        let is_last = seen.range[1] >= forest.whole() as f64;
        let is_left = |&it: &u32| end_of(it) < 0.0 || (end_of(it) == 0.0 && !is_first);
        let mut at = children.partition_point(is_left);
        while let Some(&node) = children.get(at) {
            self.visited += 1;
            let [from, to] = forest.place(node).map(|it| seen.x(it));
            if from > width || (from == width && !is_last) {
                break;
            }
            if to - from >= least {
                self.bars.push(Bar {
                    node,
                    row,
                    from: from.max(0.0) as f32,
                    to: to.min(width) as f32,
                });
                at += 1;
                continue;
            }
            // All that end within a pixel from here.
            let rest = &children[at..];
            let count = rest.partition_point(|&it| end_of(it) < from + least).max(1);
            let last = rest[count - 1];
            let end = forest.ends[last as usize];
            self.too_small += u64::from(end - node);
            self.shade(Shade {
                node,
                end,
                row,
                from: from.max(0.0) as f32,
                to: end_of(last).min(width) as f32,
            });
            at += count;
        }
    }

    /// Adds a shade to the one beside it, where there is one.
    fn shade(&mut self, shade: Shade) {
        match self.shades.last_mut() {
            Some(last) if last.row == shade.row && last.end == shade.node => {
                (last.to, last.end) = (shade.to, shade.end);
            }
            _ if shade.to > shade.from => self.shades.push(shade),
            // Of no weight: there is nothing to draw.
            _ => {}
        }
    }

    /// The bar at a place.
    pub fn at(&self, row: usize, x: f32) -> Option<&Bar> {
        let (bars, _) = self.row(row);
        let found = bars.get(bars.partition_point(|it| it.to <= x))?;
        (found.from <= x).then_some(found)
    }

    /// The shade at a place.
    pub fn shade_at(&self, row: usize, x: f32) -> Option<&Shade> {
        let (_, shades) = self.row(row);
        let found = shades.get(shades.partition_point(|it| it.to <= x))?;
        (found.from <= x).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::memory::random::Random;

    /// Parents in preorder, and weights; each node below the last one or one around it, or `deep` and more likely below it.
    fn random_forest(seed: u64, count: u32, deep: u64, wide: u64) -> (Vec<u32>, Vec<u64>) {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (mut parents, mut weights) = (Vec::new(), Vec::new());
        let mut path: Vec<u32> = Vec::new();
        for node in 0..count {
            while !path.is_empty() && random.below(deep + 1) == 0 {
                path.truncate(path.len() - 1 - random.below(path.len() as u64) as usize);
            }
            parents.push(path.last().copied().unwrap_or(NONE));
            path.push(node);
            weights.push(random.below(3) * random.below(wide));
        }
        (parents, weights)
    }

    /// Row, left and right edge of a node in weights, from the definition alone: to the left of it is all that is before it
    /// and not around it.
    fn direct(parents: &[u32], weights: &[u64], node: u32) -> (u32, u64, u64) {
        let is_in = |outer: u32, inner: u32| {
            let mut around = Some(inner);
            while let Some(at) = around.filter(|&at| at != outer) {
                around = Some(parents[at as usize]).filter(|&up| up != NONE);
            }
            around.is_some()
        };
        let mut row = 0;
        let mut at = node;
        while parents[at as usize] != NONE {
            at = parents[at as usize];
            row += 1;
        }
        let before = (0..node).filter(|&it| !is_in(it, node));
        let from: u64 = before.map(|it| weights[it as usize]).sum();
        let below = (0..parents.len() as u32).filter(|&it| is_in(node, it));
        let total: u64 = below.map(|it| weights[it as usize]).sum();
        (row, from, from + total)
    }

    #[test]
    fn bars_are_where_direct_evaluation_has_them_and_shades_count_the_rest() {
        let (mut bars, mut all_bars, mut all_shades) = (Bars::default(), 0, 0);
        for seed in 0..120_u64 {
            let count = 1 + (seed % 60) as u32;
            let (parents, weights) = random_forest(seed, count, 1 + seed % 4, 40);
            let forest = Forest::new(parents.clone(), weights.iter().copied());
            let whole: u64 = weights.iter().sum();
            assert_eq!(forest.whole(), whole);
            if whole == 0 {
                continue;
            }
            let mut random = Random(seed + 1);
            let from = random.below(whole) as f64;
            let to = from + 1.0 + random.below(whole) as f64;
            for range in [[0.0, whole as f64], [from, to]] {
                let width = [8.0, 40.0, 500.0][(seed % 3) as usize];
                let seen = Seen {
                    range,
                    width,
                    least: 1.0,
                };
                bars.lay_out(&forest, &seen);
                let mut expected: Vec<(u32, u32, f32, f32)> = Vec::new();
                for node in 0..count {
                    let (row, start, end) = direct(&parents, &weights, node);
                    let [left, right] = [start, end].map(|it| {
                        (it as f64 - range[0]) / (range[1] - range[0]) * f64::from(width)
                    });
                    let is_out = right <= 0.0 || left >= f64::from(width);
                    if right - left >= 1.0 && !is_out {
                        let (left, right) = (left.max(0.0), right.min(f64::from(width)));
                        expected.push((row, node, left as f32, right as f32));
                    }
                    let parts: u64 = forest
                        .children(Some(node))
                        .iter()
                        .map(|&it| forest.total(it))
                        .sum();
                    assert_eq!(
                        parts + weights[node as usize],
                        forest.total(node),
                        "seed {seed}"
                    );
                }
                expected.sort_by_key(|it| (it.0, it.1));
                let found = bars.bars.iter().map(|it| (it.row, it.node, it.from, it.to));
                assert_eq!(found.collect::<Vec<_>>(), expected, "seed {seed}");
                if range == [0.0, whole as f64] {
                    let counted = expected.len() as u64 + bars.too_small;
                    assert_eq!(counted, u64::from(count), "seed {seed}");
                }
                for bar in &bars.bars {
                    let middle = (bar.from + bar.to) * 0.5;
                    assert_eq!(bars.at(bar.row as usize, middle), Some(bar));
                }
                for shade in &bars.shades {
                    let middle = (shade.from + shade.to) * 0.5;
                    assert_eq!(bars.shade_at(shade.row as usize, middle), Some(shade));
                }
                all_bars += bars.bars.len();
                all_shades += bars.shades.len();
            }
        }
        assert!(
            all_bars > 1_000 && all_shades > 200,
            "{all_bars}, {all_shades}"
        );
    }

    #[test]
    fn a_million_nodes_cost_what_is_seen_of_them() {
        const COUNT: u32 = 1_000_000;
        // Deep and narrow, bushy, and all beside each other.
        let star = (vec![NONE; COUNT as usize], vec![1; COUNT as usize]);
        let forests = [
            random_forest(1, COUNT, 40, 9),
            random_forest(2, COUNT, 2, 9),
            star,
        ];
        for (parents, weights) in forests {
            let forest = Forest::new(parents, weights.into_iter());
            let mut bars = Bars::default();
            let whole = forest.whole() as f64;
            for range in [
                [0.0, whole],
                [whole * 0.25, whole * 0.26],
                [whole * 0.5, whole * 0.5 + 40.0],
            ] {
                let seen = Seen {
                    range,
                    width: 1280.0,
                    least: 1.0,
                };
                bars.lay_out(&forest, &seen);
                let rows = bars.rows() as u64;
                // A bar, or what ends a shade, in each pixel of each row, and one beyond the right edge of each parent.
                let most = 2 * (rows * 1281 + bars.bars.len() as u64);
                assert!(bars.visited <= most, "{} of {most}", bars.visited);
                assert!(bars.visited < u64::from(COUNT) / 5, "{}", bars.visited);
                assert!(!bars.bars.is_empty() || !bars.shades.is_empty());
            }
            // Zoomed in far enough nothing is too small.
            assert!(bars.too_small < 100, "{}", bars.too_small);
        }
    }

    #[test]
    fn nothing_is_seen_of_nothing() {
        let mut bars = Bars::default();
        let seen = |range, width| Seen {
            range,
            width,
            least: 1.0,
        };
        bars.lay_out(&Forest::default(), &seen([0.0, 0.0], 100.0));
        assert_eq!((bars.rows(), bars.bars.len()), (0, 0));
        let forest = Forest::new(vec![NONE, 0, 0], [0, 0, 0].into_iter());
        for (range, width) in [
            ([0.0, 0.0], 100.0),
            ([0.0, f64::NAN], 100.0),
            ([0.0, 1.0], 0.0),
        ] {
            bars.lay_out(&forest, &seen(range, width));
            assert_eq!((bars.rows(), bars.bars.len()), (0, 0));
        }
    }
}
