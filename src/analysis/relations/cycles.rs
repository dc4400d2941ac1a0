//! Strongly connected components.
//!
//! R. E. Tarjan, Depth-first search and linear graph algorithms, SIAM Journal on Computing 1(2), 1972; with a stack of its
//! own, since a chain of imports may be longer than the program's stack would bear.

/// The components of two and more among `count` nodes, each in rising order, the largest first and then by their first.
/// O(nodes + edges log edges).
pub fn components(count: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut edges: Vec<(u32, u32)> = edges.filter(|(from, to)| from != to).collect();
    edges.sort_unstable();
    edges.dedup();
    // Where the edges of each node begin.
    let mut starts = vec![0usize; count + 1];
    for &(from, _) in &edges {
        starts[from as usize + 1] += 1;
    }
    for node in 0..count {
        starts[node + 1] += starts[node];
    }
    let mut search = Search {
        edges: &edges,
        starts: &starts,
        next: 0,
        numbers: vec![NONE; count],
        lowest: vec![NONE; count],
        is_open: vec![false; count],
        open: Vec::new(),
        found: Vec::new(),
    };
    for node in 0..count as u32 {
        search.from(node);
    }
    let mut found = search.found;
    found.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    found
}

const NONE: u32 = u32::MAX;

struct Search<'a> {
    edges: &'a [(u32, u32)],
    starts: &'a [usize],
    next: u32,
    /// In the order in which nodes were met.
    numbers: Vec<u32>,
    /// The earliest node that is reached and still open.
    lowest: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<u32>,
    found: Vec<Vec<u32>>,
}

impl Search<'_> {
    fn meet(&mut self, node: u32) -> (u32, usize) {
        let at = node as usize;
        self.numbers[at] = self.next;
        self.lowest[at] = self.next;
        self.next += 1;
        self.is_open[at] = true;
        self.open.push(node);
        (node, self.starts[at])
    }

    fn from(&mut self, first: u32) {
        if self.numbers[first as usize] != NONE {
            return;
        }
        let mut path = vec![self.meet(first)];
        while let Some((node, edge)) = path.last_mut() {
            let at = *node as usize;
            if *edge < self.starts[at + 1] {
                let to = self.edges[*edge].1;
                *edge += 1;
                let to_at = to as usize;
                if self.numbers[to_at] == NONE {
                    let next = self.meet(to);
                    path.push(next);
                } else if self.is_open[to_at] {
                    self.lowest[at] = self.lowest[at].min(self.numbers[to_at]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                let before = before as usize;
                self.lowest[before] = self.lowest[before].min(self.lowest[at]);
            }
            if self.lowest[at] == self.numbers[at] {
                self.close(at as u32);
            }
        }
    }

    /// All that was opened since `root` is one component.
    fn close(&mut self, root: u32) {
        let start = self.open.iter().rposition(|&node| node == root);
        let mut component = self.open.split_off(start.unwrap_or(0));
        for &node in &component {
            self.is_open[node as usize] = false;
        }
        if component.len() > 1 {
            component.sort_unstable();
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition: two nodes are in one component when each reaches the other.
    fn direct(count: usize, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut reaches = vec![vec![false; count]; count];
        for (node, row) in reaches.iter_mut().enumerate() {
            row[node] = true;
        }
        for &(from, to) in edges {
            reaches[from as usize][to as usize] = true;
        }
        for middle in 0..count {
            let through = reaches[middle].clone();
            for row in &mut reaches {
                if row[middle] {
                    row.iter_mut().zip(&through).for_each(|(a, b)| *a |= b);
                }
            }
        }
        let mut found: Vec<Vec<u32>> = Vec::new();
        for (node, row) in reaches.iter().enumerate() {
            let mutual = (0..count).filter(|&other| row[other] && reaches[other][node]);
            let component: Vec<u32> = mutual.map(|other| other as u32).collect();
            if component.len() > 1 && component[0] == node as u32 {
                found.push(component);
            }
        }
        found.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        found
    }

    #[test]
    fn components_are_those_of_the_definition() {
        let mut random = 7u64;
        let mut below = |limit: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % limit
        };
        let mut cycles = 0;
        for seed in 0..300 {
            let count = 1 + below(30) as usize;
            let edges = below(50);
            let mut node = |_| below(count as u64) as u32;
            let edges: Vec<(u32, u32)> = (0..edges).map(|it| (node(it), node(it))).collect();
            let found = components(count, edges.iter().copied());
            cycles += found.len();
            assert_eq!(found, direct(count, &edges), "seed {seed}: {edges:?}");
        }
        assert!(cycles > 100, "{cycles}");
    }

    #[test]
    fn a_cycle_of_a_million_is_one() {
        let count = 1_000_000u32;
        let edges = (0..count).map(|node| (node, (node + 1) % count));
        let found = components(count as usize, edges);
        assert_eq!((found.len(), found[0].len()), (1, count as usize));
    }
}
