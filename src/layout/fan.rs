//! A tree as a fan: nodes get sectors of a half circle, one within the other, and lie on rings as far out as they are deep.
//! S. Lin, F. Taïani, T. C. Ormerod, L. J. Ball, "Towards anomaly comprehension: using structural compression to navigate
//! profiling call-trees", SOFTVIS 2010, section 3.3.2.
//!
//! The area of a disc is proportional to the weight of its node, with one factor for all. A disc lies within the sector of
//! its node and touches no other: a sector is at least as wide as its disc and as the sectors inside it, and rings are as
//! far apart as their largest discs, and far enough out that everything fits into the half circle. An angle needed for a
//! disc is 2 asin(r / ρ), and asin(x / s) ≤ asin(x) / s for s ≥ 1, so that rings that are s times as far out need at
//! most one s-th of the angle.
//!
//! Lengths are in units of the largest disc's radius; x to the right, y down, the middle of the circle at 0. The fan opens
//! upwards.

use std::f64::consts::PI;

use glam::Vec2;

/// Where a node lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    pub at: Vec2,
    /// 0 of what weighs nothing.
    pub radius: f32,
    /// Its sector, in half turns from the left: 0 to 1.
    pub from: f64,
    pub to: f64,
    /// The outermost nodes have 0.
    pub depth: u32,
}

/// Times its radius, the room that a disc is given.
const ROOM: f64 = 1.25;

/// Rings are at least so far apart, however small their discs.
const APART: f64 = 0.6;

/// Lays out nodes that stand behind their parents; siblings get sectors in their order. O(nodes).
///
/// A single outermost node lies in the middle. What weighs nothing has a disc without extent, and a sector without width.
pub fn lay_out(parents: &[Option<u32>], weights: &[u64], places: &mut Vec<Place>) {
    let count = parents.len().min(weights.len());
    let parents = &parents[..count];
    places.clear();
    places.resize(count, Place::default());
    let most = weights[..count].iter().copied().max().unwrap_or_default();
    let radius = |node: usize| (weights[node] as f64 / most.max(1) as f64).sqrt();
    let is_one = parents.iter().filter(|it| it.is_none()).count() == 1;
    let ring = |depth: u32| depth as usize + usize::from(!is_one);
    let mut largest: Vec<f64> = Vec::new();
    for node in 0..count {
        let depth = parents[node].map_or(0, |it| places[it as usize].depth + 1);
        places[node].depth = depth;
        if largest.len() <= ring(depth) {
            largest.resize(ring(depth) + 1, 0.0);
        }
        let of_ring = &mut largest[ring(depth)];
        *of_ring = of_ring.max(radius(node) * ROOM);
    }
    let mut rings = vec![0.0_f64; largest.len()];
    for at in 1..rings.len() {
        rings[at] = rings[at - 1] + (largest[at - 1] + largest[at]).max(APART);
    }
    let mut needs = Needs {
        of: vec![0.0; count],
        inside: vec![0.0; count],
        all: 0.0,
    };
    let own = |node: usize, rings: &[f64], depth: u32| match rings[ring(depth)] {
        0.0 => 0.0,
        far => 2.0 * (radius(node) * ROOM / far).min(1.0).asin(),
    };
    needs.find(parents, |node| own(node, &rings, places[node].depth));
    if needs.all > PI {
        let farther = needs.all / PI;
        rings.iter_mut().for_each(|it| *it *= farther);
        needs.find(parents, |node| own(node, &rings, places[node].depth));
    }
    // Where the sector of a node's next child begins, in radians.
    let mut next = vec![0.0_f64; count];
    let mut next_outermost = 0.0;
    for node in 0..count {
        let (from, room, inside) = match parents[node] {
            Some(parent) => {
                let around = places[parent as usize];
                let room = (around.to - around.from) * PI;
                (next[parent as usize], room, needs.inside[parent as usize])
            }
            None => (next_outermost, PI, needs.all),
        };
        let wide = match inside {
            0.0 if is_one && parents[node].is_none() => PI,
            0.0 => 0.0,
            _ => room * needs.of[node] / inside,
        };
        let to = (from + wide).min(PI);
        match parents[node] {
            Some(parent) => next[parent as usize] = to,
            None => next_outermost = to,
        }
        next[node] = from;
        let place = &mut places[node];
        (place.from, place.to) = (from / PI, to / PI);
        place.radius = radius(node) as f32;
        let angle = PI - (from + to) * 0.5;
        let far = rings[ring(place.depth)];
        place.at = Vec2::new((angle.cos() * far) as f32, (-angle.sin() * far) as f32);
    }
}

/// The angles that nodes need, in radians.
struct Needs {
    of: Vec<f64>,
    /// What the children of a node need together.
    inside: Vec<f64>,
    /// What the outermost nodes need together.
    all: f64,
}

impl Needs {
    fn find(&mut self, parents: &[Option<u32>], own: impl Fn(usize) -> f64) {
        self.inside.fill(0.0);
        self.all = 0.0;
        for node in (0..parents.len()).rev() {
            let need = own(node).max(self.inside[node]);
            self.of[node] = need;
            match parents[node] {
                Some(parent) => self.inside[parent as usize] += need,
                None => self.all += need,
            }
        }
    }
}

/// The corners of a box around all discs; none of none.
pub fn bounds(places: impl IntoIterator<Item = Place>) -> Option<(Vec2, Vec2)> {
    let corners = places.into_iter().map(|it| {
        let around = Vec2::splat(it.radius);
        (it.at - around, it.at + around)
    });
    corners.reduce(|all, it| (all.0.min(it.0), all.1.max(it.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What coordinates are rounded by, as a share of their size.
    const ROUNDED: f32 = 1e-5;

    /// A random tree in which nothing weighs more than its parent, as totals do.
    fn random(seed: u64) -> (Vec<Option<u32>>, Vec<u64>) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = move |limit: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % limit
        };
        let count = 1 + random([10, 80, 400][seed as usize % 3]) as usize;
        let outermost = random(3);
        let parents: Vec<Option<u32>> = (0..count as u64)
            .map(|node| {
                let is_inside = node > 0 && (outermost == 0 || random(9) > 0);
                is_inside.then(|| match random(2) {
                    0 => (node - 1) as u32,
                    _ => random(node) as u32,
                })
            })
            .collect();
        let mut weights: Vec<u64> = (0..count).map(|_| random(3) * random(1000)).collect();
        for node in (0..count).rev() {
            if let Some(parent) = parents[node] {
                weights[parent as usize] += weights[node];
            }
        }
        (parents, weights)
    }

    fn laid_out(parents: &[Option<u32>], weights: &[u64]) -> Vec<Place> {
        let mut places = Vec::new();
        lay_out(parents, weights, &mut places);
        places
    }

    #[test]
    fn sectors_lie_within_those_of_parents_and_beside_each_other() {
        for seed in 0..300 {
            let (parents, weights) = random(seed);
            let places = laid_out(&parents, &weights);
            for (node, place) in places.iter().enumerate() {
                assert!(0.0 <= place.from && place.from <= place.to && place.to <= 1.0 + 1e-9);
                if let Some(parent) = parents[node] {
                    let around = places[parent as usize];
                    assert!(around.from <= place.from + 1e-9, "seed {seed}");
                    assert!(place.to <= around.to + 1e-9, "seed {seed}");
                    assert_eq!(place.depth, around.depth + 1);
                }
                for (other, beside) in places.iter().enumerate().skip(node + 1) {
                    if parents[other] == parents[node] {
                        assert!(place.to <= beside.from + 1e-9, "seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn discs_lie_within_their_sectors() {
        for seed in 0..300 {
            let (parents, weights) = random(seed);
            for place in laid_out(&parents, &weights) {
                let far = f64::from(place.at.length());
                if far > 0.0 {
                    let half = (place.to - place.from) * PI * 0.5;
                    let room = far * half.min(PI * 0.5).sin();
                    let rounded = f64::from(ROUNDED) * (far + 1.0);
                    assert!(f64::from(place.radius) <= room + rounded, "seed {seed}");
                }
                assert!(
                    place.at.y <= ROUNDED * (far as f32 + 1.0),
                    "it opens upwards"
                );
            }
        }
    }

    #[test]
    fn no_disc_touches_another() {
        for seed in 0..300 {
            let (parents, weights) = random(seed);
            let places = laid_out(&parents, &weights);
            for (node, place) in places.iter().enumerate() {
                for beside in &places[node + 1..] {
                    let apart = place.at.distance(beside.at);
                    let rounded = ROUNDED * (place.at.length() + 1.0);
                    let both = place.radius + beside.radius;
                    // What weighs nothing has no extent.
                    if place.radius.min(beside.radius) > 0.0 {
                        assert!(apart + rounded > both, "seed {seed}: {place:?} {beside:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn areas_are_proportional_to_weights() {
        for seed in 0..300 {
            let (parents, weights) = random(seed);
            let places = laid_out(&parents, &weights);
            let most = *weights.iter().max().expect("weights") as f32;
            for (place, &weight) in places.iter().zip(&weights) {
                let share = place.radius * place.radius;
                let expected = weight as f32 / most.max(1.0);
                assert!((share - expected).abs() <= 1e-5, "seed {seed}");
            }
            assert_eq!(laid_out(&parents, &weights), places, "the same each time");
        }
    }

    #[test]
    fn one_outermost_node_lies_in_the_middle_and_several_around_it() {
        let places = laid_out(&[None, Some(0), Some(0)], &[4, 2, 2]);
        assert_eq!(places[0].at, Vec2::ZERO);
        assert_eq!((places[0].from, places[0].to), (0.0, 1.0));
        assert!((places[1].at.x + places[2].at.x).abs() < 1e-5);
        assert!(places[1].at.x < 0.0, "the first one is to the left");
        let places = laid_out(&[None, None], &[1, 1]);
        assert!(places.iter().all(|it| it.at.length() > 1.0));
        let chain = laid_out(&[None, Some(0), Some(1)], &[3, 2, 1]);
        assert!(chain.iter().all(|it| it.at.x.abs() < 1e-5), "straight up");
        assert!(chain[2].at.y < chain[1].at.y && chain[1].at.y < 0.0);
    }

    #[test]
    fn degenerate_trees_have_places() {
        assert!(laid_out(&[], &[]).is_empty());
        assert_eq!(bounds([]), None);
        let one = laid_out(&[None], &[0]);
        assert_eq!((one[0].at, one[0].radius), (Vec2::ZERO, 0.0));
        let huge = laid_out(&[None, Some(0)], &[u64::MAX, u64::MAX]);
        assert_eq!((huge[0].radius, huge[1].radius), (1.0, 1.0));
        let nothing = laid_out(&[None, Some(0), None], &[0, 0, 0]);
        assert!(
            nothing
                .iter()
                .all(|it| it.at.is_finite() && it.radius == 0.0)
        );
        let deep: Vec<Option<u32>> = (0..100_000_u32).map(|it| it.checked_sub(1)).collect();
        let places = laid_out(&deep, &vec![1; 100_000]);
        assert!(places.iter().all(|it| it.at.is_finite()));
        let wide: Vec<Option<u32>> = (0..20_000_u32).map(|it| (it > 0).then_some(0)).collect();
        let places = laid_out(&wide, &vec![1; 20_000]);
        let beside = places[1].at.distance(places[2].at);
        assert!(beside > 2.0, "{beside}");
    }
}
