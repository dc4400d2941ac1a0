//! Counts crossings between ranks: W. Barth, M. Jünger, P. Mutzel, *Simple and efficient bilayer cross counting*, 2002.

use super::net::{Net, RIGHT};

/// Counts, and keeps its memory.
#[derive(Default)]
pub(super) struct Counter {
    tree: Vec<u32>,
    ends: Vec<u32>,
}

impl Counter {
    /// How many pairs of edges cross between neighbouring ranks. O(edges log places).
    pub(super) fn all(&mut self, net: &Net) -> u64 {
        let mut count = 0;
        for pair in net.ranks.windows(2) {
            self.tree.clear();
            self.tree.resize(pair[1].len() + 1, 0);
            let mut seen = 0_u64;
            for &place in &pair[0] {
                self.ends.clear();
                let right = net.sides[RIGHT].of(place).iter();
                self.ends.extend(right.map(|&it| net.at[it as usize]));
                self.ends.sort_unstable();
                // Edges of one place do not cross each other.
                for &end in &self.ends {
                    count += seen - u64::from(self.up_to(end));
                }
                for at in 0..self.ends.len() {
                    self.add(self.ends[at]);
                }
                seen += self.ends.len() as u64;
            }
        }
        count
    }

    /// How many ends stand at a place or above it.
    fn up_to(&self, place: u32) -> u32 {
        let (mut at, mut sum) = (place as usize + 1, 0);
        while at > 0 {
            sum += self.tree.get(at).copied().unwrap_or(0);
            at &= at - 1;
        }
        sum
    }

    fn add(&mut self, place: u32) {
        let mut at = place as usize + 1;
        while let Some(node) = self.tree.get_mut(at) {
            *node += 1;
            at += at & at.wrapping_neg();
        }
    }
}
