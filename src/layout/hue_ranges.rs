//! Hues by which packages are recognised: each has one, those inside of it have hues near it, and those beside it others.
//!
//! A tree's root has all hues; the children of a node share its hues, each a range of its own with a gap to the next, and
//! have the hue in the middle of theirs: M. Tennekes, E. de Jonge, "Tree colors: color schemes for tree-structured data",
//! IEEE Transactions on Visualization and Computer Graphics 20(12), 2014. What is an only child has its parent's range, so
//! that packages in which all others are do not use the hues up.

/// What a child keeps of its share; the rest is the gap to its neighbours.
const KEPT: f32 = 0.5;

/// Where the circle begins, in degrees: what is alone gets the first hue of districts.
const BEGIN: f32 = 68.0;

/// The hue of each node in degrees, by the parents of nodes in preorder, of which the first is the root. Shares grow with the
/// root of how many leaves there are. O(nodes).
pub fn of_tree(parents: &[u32]) -> Vec<f32> {
    let mut leaves = vec![0_u32; parents.len()];
    let mut children = vec![0_u32; parents.len()];
    for (node, &parent) in parents.iter().enumerate().skip(1).rev() {
        leaves[node] = leaves[node].max(1);
        leaves[parent as usize] += leaves[node];
        children[parent as usize] += 1;
    }
    let weight = |node: usize| (leaves[node] as f32).sqrt();
    let mut whole = vec![0.0_f32; parents.len()];
    for (node, &parent) in parents.iter().enumerate().skip(1) {
        whole[parent as usize] += weight(node);
    }
    let mut ranges = vec![(BEGIN, BEGIN + 360.0); parents.len()];
    // Where the next child of each begins.
    let mut next = vec![BEGIN; parents.len()];
    for (node, &parent) in parents.iter().enumerate().skip(1) {
        let around = parent as usize;
        let (from, to) = ranges[around];
        let width = (to - from) * weight(node) / whole[around];
        let begin = next[around];
        next[around] += width;
        let gap = match children[around] {
            1 => 0.0,
            _ => width * (1.0 - KEPT) * 0.5,
        };
        ranges[node] = (begin + gap, begin + width - gap);
        next[node] = ranges[node].0;
    }
    ranges
        .into_iter()
        .map(|(from, to)| (from + to) * 0.5 % 360.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: f32, b: f32) -> f32 {
        let by = (a - b).abs() % 360.0;
        by.min(360.0 - by)
    }

    /// Seeded trees: what is inside of a package is nearer to it than what is beside it.
    #[test]
    fn what_is_inside_is_nearer_than_what_is_beside() {
        let mut seed = 7_u64;
        let mut random = |limit: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % limit
        };
        for _ in 0..200 {
            // In preorder: a node's parent is the one before, or one around that.
            let mut parents = vec![0_u32];
            for node in 1..2 + random(40) as u32 {
                let mut parent = node - 1;
                for _ in 0..random(4) {
                    parent = parents[parent as usize];
                }
                parents.push(parent);
            }
            let hues = of_tree(&parents);
            let inside = |outer: usize, mut node: usize| {
                while node > outer {
                    node = parents[node] as usize;
                }
                node == outer
            };
            for (a, &around) in parents.iter().enumerate().skip(1) {
                let beside = |b: &usize| *b != a && parents[*b] == around;
                for b in (1..parents.len()).filter(beside) {
                    for node in (1..parents.len()).filter(|it| inside(a, *it)) {
                        let [own, other] = [a, b].map(|it| apart(hues[node], hues[it]));
                        assert!(
                            own < other,
                            "{node} in {a} beside {b}: {own} {other}, {parents:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_alone_leaves_all_hues_to_what_is_in_it() {
        let hues = of_tree(&[0, 0, 1, 1, 1]);
        assert_eq!((hues[0], hues[1]), (248.0, 248.0));
        assert!(apart(hues[2], hues[3]) > 100.0 && apart(hues[3], hues[4]) > 100.0);
        assert!(of_tree(&[]).is_empty());
    }
}
