//! Which of the functions that one caller calls in A alone is which of those that it calls in B alone: names that are
//! alike, and a callee in common or none at all.

use std::collections::HashMap;

/// Names have at least this much in common.
const ALIKE: f64 = 0.6;

/// Below one caller no more than so many pairs are held against each other: those of the most costly on both sides.
const MOST_PAIRS: usize = 10_000;

/// So many letters of a name are looked at.
const MOST_LETTERS: usize = 200;

/// Knows how alike names are.
pub(super) struct Names<'n, N> {
    name: &'n N,
    known: HashMap<(u32, u32), f64>,
}

impl<'n, 'a, N: Fn(u32) -> &'a str> Names<'n, N> {
    /// `name` gives that of a row.
    pub(super) fn new(name: &'n N) -> Names<'n, N> {
        Names {
            name,
            known: HashMap::new(),
        }
    }

    /// Pairs contexts of A and of B, the most alike first; of equals the most costly. `row` gives the function of a
    /// context, `callees` the sorted rows of what it calls on a side, `size` what it costs.
    pub(super) fn pair(
        &mut self,
        of_a: &[u32],
        of_b: &[u32],
        row: impl Fn(u32) -> u32,
        callees: impl Fn(usize, u32) -> Vec<u32>,
        size: impl Fn(u32) -> f64,
    ) -> Vec<(u32, u32)> {
        let most = (MOST_PAIRS as f64).sqrt() as usize;
        let costly = |of: &[u32]| {
            let mut of = of.to_vec();
            of.sort_by(|&x, &y| size(y).total_cmp(&size(x)).then(x.cmp(&y)));
            of.truncate(most);
            of
        };
        let (of_a, of_b) = match of_a.len() * of_b.len() > MOST_PAIRS {
            true => (costly(of_a), costly(of_b)),
            false => (of_a.to_vec(), of_b.to_vec()),
        };
        let mut found: Vec<(f64, u32, u32)> = Vec::new();
        let callees_of_b: Vec<Vec<u32>> = of_b.iter().map(|&it| callees(1, it)).collect();
        for &a in &of_a {
            let callees_of_a = callees(0, a);
            for (&b, callees_of_b) in of_b.iter().zip(&callees_of_b) {
                let fits = match callees_of_a.is_empty() || callees_of_b.is_empty() {
                    true => callees_of_a.len() == callees_of_b.len(),
                    false => shares(&callees_of_a, callees_of_b),
                };
                if !fits {
                    continue;
                }
                let alike = self.alike(row(a), row(b));
                if alike >= ALIKE {
                    found.push((alike, a, b));
                }
            }
        }
        let weight = |&(_, a, b): &(f64, u32, u32)| size(a) + size(b);
        found.sort_by(|x, y| {
            let by_size = || weight(y).total_cmp(&weight(x));
            let by_place = || (x.1, x.2).cmp(&(y.1, y.2));
            y.0.total_cmp(&x.0).then_with(by_size).then_with(by_place)
        });
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (_, a, b) in found {
            if !pairs.iter().any(|pair| pair.0 == a || pair.1 == b) {
                pairs.push((a, b));
            }
        }
        pairs
    }

    fn alike(&mut self, a: u32, b: u32) -> f64 {
        let name = self.name;
        *self
            .known
            .entry((a, b))
            .or_insert_with(|| alike(name(a), name(b)))
    }
}

/// Whether two sorted lists have something in common.
fn shares(a: &[u32], b: &[u32]) -> bool {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a.next(),
            std::cmp::Ordering::Greater => b.next(),
            std::cmp::Ordering::Equal => return true,
        };
    }
    false
}

/// Twice the letters of the longest common subsequence as a share of all letters of both names.
/// O(product of the lengths).
pub(super) fn alike(a: &str, b: &str) -> f64 {
    let letters = |name: &str| name.chars().take(MOST_LETTERS).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let all = a.len() + b.len();
    if all == 0 {
        return 1.0;
    }
    // What cannot be alike needs no look at the letters.
    if 2.0 * (a.len().min(b.len()) as f64) < ALIKE * all as f64 {
        return 0.0;
    }
    let mut lengths = vec![0_u32; b.len() + 1];
    for x in &a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = lengths[at + 1];
            lengths[at + 1] = match x == y {
                true => diagonal + 1,
                false => above.max(lengths[at]),
            };
            diagonal = above;
        }
    }
    2.0 * f64::from(lengths[b.len()]) / all as f64
}
