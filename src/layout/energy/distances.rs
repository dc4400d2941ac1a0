//! How far any two boxes of a connected part are apart in the graph: the lengths of the shortest ways between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An edge by its ends, both below the number of boxes, and its length, at least zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub ends: [u32; 2],
    pub length: f32,
}

/// By pair of boxes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Distances {
    count: usize,
    /// Row after row.
    all: Vec<f32>,
}

impl Distances {
    /// Of `count` boxes that these edges connect. O(n × (n + m) log n).
    pub(super) fn new(count: usize, edges: &[Edge]) -> Distances {
        let mut degrees = vec![0_usize; count + 1];
        for end in edges.iter().flat_map(|it| it.ends) {
            degrees[end as usize + 1] += 1;
        }
        for at in 0..count {
            degrees[at + 1] += degrees[at];
        }
        let starts = degrees.clone();
        let mut next = degrees;
        let mut neighbours = vec![(0_u32, 0.0_f32); 2 * edges.len()];
        for edge in edges {
            let [a, b] = edge.ends;
            for (from, to) in [(a, b), (b, a)] {
                let next = &mut next[from as usize];
                neighbours[*next] = (to, edge.length);
                *next += 1;
            }
        }
        let mut all = vec![f32::MAX; count * count];
        let mut open: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        for (from, row) in all.chunks_exact_mut(count.max(1)).enumerate() {
            row[from] = 0.0;
            open.push(Reverse((0, from as u32)));
            // The bits of floats that are not negative are in their order.
            while let Some(Reverse((bits, at))) = open.pop() {
                let far = f32::from_bits(bits);
                let at = at as usize;
                if far > row[at] {
                    continue;
                }
                for &(to, length) in &neighbours[starts[at]..starts[at + 1]] {
                    let far = far + length;
                    if far < row[to as usize] {
                        row[to as usize] = far;
                        open.push(Reverse((far.to_bits(), to)));
                    }
                }
            }
        }
        Distances { count, all }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// From one box to each.
    pub(super) fn from(&self, place: usize) -> &[f32] {
        &self.all[place * self.count..(place + 1) * self.count]
    }
}
