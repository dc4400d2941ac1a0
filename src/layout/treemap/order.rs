//! The children of one module with their weights, and sorting them by falling weight.
//!
//! Most families are small: a file has some ten functions. Up to [`RANKED`] of them are sorted without a branch, by
//! counting for each how many are heavier; very many by their digits.

use super::memory;

/// The children of one module, in the order in which they are placed.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    pub children: Vec<u32>,
    pub weights: Vec<f32>,
    keys: Vec<u64>,
    spare: Vec<u64>,
}

/// Families of up to so many are sorted by counting, of at least so many by digits.
const RANKED: usize = 32;
const BY_DIGITS: usize = 4096;

/// The digits of a weight: bits 0 to 30 of a positive `f32`, which order as the weight does.
const DIGIT_BITS: u32 = 11;
const DIGITS: [u32; 3] = [0, 11, 22];

impl Family {
    /// Takes the children of `parent` in their order; `ends` says of each where its subtree ends.
    pub(super) fn gather(&mut self, parent: usize, ends: &[u32], weights: &[f32]) {
        self.children.clear();
        self.weights.clear();
        let end = ends[parent] as usize;
        if end - parent > BY_DIGITS {
            memory::reserve(&mut self.children, end - parent - 1);
            memory::reserve(&mut self.weights, end - parent - 1);
        }
        // Side by side where they are leaves, as functions in files are.
        let inside = ends[parent + 1..end].iter().zip(parent as u32 + 2..);
        let leaves = inside.take_while(|&(&end, next)| end == next).count();
        let mut child = parent + 1 + leaves;
        self.children.extend(parent as u32 + 1..child as u32);
        self.weights.extend_from_slice(&weights[parent + 1..child]);
        while child < end {
            self.children.push(child as u32);
            self.weights.push(weights[child]);
            child = ends[child] as usize;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// Puts the children that have a rank in order of it, into the places that these have now; the others stay. O(n log n).
    pub(super) fn arrange(&mut self, rank: impl Fn(u32) -> Option<usize>) {
        let ranked = self.children.iter().zip(&self.weights).enumerate();
        let ranked = ranked.filter_map(|(place, (&child, &weight))| {
            rank(child).map(|rank| (place, (rank, child, weight)))
        });
        let (places, mut ranked): (Vec<usize>, Vec<_>) = ranked.unzip();
        ranked.sort_by_key(|it| it.0);
        for (place, (_, child, weight)) in places.into_iter().zip(ranked) {
            (self.children[place], self.weights[place]) = (child, weight);
        }
    }

    /// Sorts by falling weight, then by rising number. Weights are positive, and the children rise. O(n log n),
    /// O(n) for large families.
    pub(super) fn sort(&mut self) {
        match self.len() {
            0 | 1 => {}
            2..=8 => self.rank::<8>(),
            9..=16 => self.rank::<16>(),
            17..=24 => self.rank::<24>(),
            25..=RANKED => self.rank::<RANKED>(),
            len => {
                memory::reserve(&mut self.keys, len);
                self.keys.clear();
                let keys = self.weights.iter().zip(&self.children);
                self.keys
                    .extend(keys.map(|(&weight, &child)| key(weight, child)));
                if len < BY_DIGITS {
                    self.keys.sort_unstable();
                } else {
                    self.sort_by_digits();
                }
                let slots = self.children.iter_mut().zip(&mut self.weights);
                for (&key, (child, weight)) in self.keys.iter().zip(slots) {
                    *child = key as u32;
                    *weight = f32::from_bits(!((key >> 32) as u32));
                }
            }
        }
    }

    /// Gives each its place by counting those before it: those that are heavier, and those of the same weight that
    /// stand before it already.
    fn rank<const N: usize>(&mut self) {
        let mut keys = [0i32; N];
        let mut children = [0u32; N];
        let len = self.len().min(N);
        for (key, &weight) in keys.iter_mut().zip(&self.weights) {
            // Positive floats order as their bits do.
            *key = weight.to_bits() as i32;
        }
        children[..len].copy_from_slice(&self.children[..len]);
        let mut ranks = [0i32; N];
        for (at, &other) in keys.iter().enumerate().take(len) {
            for ((rank, &key), place) in ranks.iter_mut().zip(&keys).zip(0i32..) {
                // Whole numbers: heavier, or as heavy and standing before.
                let least = key - i32::from((at as i32) < place);
                *rank += i32::from(other > least);
            }
        }
        for at in 0..len {
            let place = ranks[at] as usize;
            self.children[place] = children[at];
            self.weights[place] = f32::from_bits(keys[at] as u32);
        }
    }

    fn sort_by_digits(&mut self) {
        let mut counts = [[0u32; 1 << DIGIT_BITS]; DIGITS.len()];
        for &key in &self.keys {
            for (counts, shift) in counts.iter_mut().zip(DIGITS) {
                counts[digit(key, shift)] += 1;
            }
        }
        memory::reserve(&mut self.spare, self.keys.len());
        self.spare.clear();
        self.spare.resize(self.keys.len(), 0);
        for (counts, shift) in counts.iter_mut().zip(DIGITS) {
            if counts[digit(self.keys[0], shift)] as usize == self.keys.len() {
                continue;
            }
            let mut sum = 0;
            for count in counts.iter_mut() {
                sum += std::mem::replace(count, sum);
            }
            for &key in &self.keys {
                let place = &mut counts[digit(key, shift)];
                self.spare[*place as usize] = key;
                *place += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.spare);
        }
    }
}

/// Orders by falling weight, then by child.
fn key(weight: f32, child: u32) -> u64 {
    u64::from(!weight.to_bits()) << 32 | u64::from(child)
}

fn digit(key: u64, shift: u32) -> usize {
    (key >> (32 + shift)) as usize & ((1 << DIGIT_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_of_any_size_stand_by_falling_weight_then_by_number() {
        let mut state = 1u64;
        for len in (0..70).chain([1000, BY_DIGITS - 1, BY_DIGITS, 20_000]) {
            for values in [1, 3, 1000, 1 << 40] {
                let mut family = Family::default();
                for child in 0..len as u32 {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    let weight = ((state >> 20) % values + 1) as f32 * 1e-3;
                    family.children.push(child * 3 + 7);
                    family.weights.push(weight);
                }
                let children = family.children.iter().copied();
                let mut expected: Vec<_> = children.zip(family.weights.iter().copied()).collect();
                expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                family.sort();
                let children = family.children.iter().copied();
                let sorted: Vec<_> = children.zip(family.weights.iter().copied()).collect();
                assert_eq!(sorted, expected, "{len} of {values} values");
            }
        }
    }
}
