//! A tree as a half circle: nodes and what they lead to get sectors of the plane, one within the other, and lie on rings
//! as far out as they are deep. S. Lin, F. Taïani, T. C. Ormerod, L. J. Ball, "Towards anomaly comprehension: using
//! structural compression to navigate profiling call-trees", 2010, section 3.3.2.
//!
//! Lengths are in units of the largest disc's radius; x to the right, y down, the middle of the circle at 0. The fan opens
//! upwards: angle 0 is to the left, 1 to the right.

use std::f32::consts::PI;

use glam::Vec2;

/// Where a node lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    pub at: Vec2,
    /// Of its disc, whose area is as large as its weight, unless that is too small to be seen.
    pub radius: f32,
    /// Its sector, in half turns.
    pub from: f32,
    pub to: f32,
    /// The outermost nodes have 0.
    pub depth: u32,
}

/// The smallest disc, and the room between two discs.
const SMALLEST: f32 = 0.05;
const GAP: f32 = 0.35;

/// Rings are so far apart at least, and at most: of very many nodes discs may touch.
const NEAREST: f32 = 2.6;
const FARTHEST: f32 = 14.0;

/// Lays out nodes that stand behind their parents. O(nodes).
///
/// A sector is as wide as what it has to hold: its own disc, or the sectors of its children, whichever is wider. Rings are
/// so far apart that discs beside each other have room, within bounds.
pub fn lay_out(parents: &[Option<u32>], weights: &[u64], places: &mut Vec<Place>) {
    let count = parents.len().min(weights.len());
    places.clear();
    places.resize(count, Place::default());
    let most = weights.iter().copied().max().unwrap_or_default().max(1);
    let disc = |node: usize| ((weights[node] as f64 / most as f64).sqrt() as f32).max(SMALLEST);
    // What the children of a node need, then what it needs itself.
    let mut below = vec![0.0_f32; count];
    let mut all = 0.0;
    let need = |node: usize, below: &[f32]| (2.0 * disc(node) + GAP).max(below[node]);
    for node in (0..count).rev() {
        let own = need(node, &below);
        match parents[node] {
            Some(parent) => below[parent as usize] += own,
            None => all += own,
        }
    }
    // Where the sector of a node's next child begins.
    let mut next = vec![0.0_f32; count];
    let mut next_root = 0.0;
    let is_one = parents[..count].iter().filter(|it| it.is_none()).count() == 1;
    let mut step = NEAREST;
    for node in 0..count {
        let own = need(node, &below);
        let (from, room, needed, depth) = match parents[node] {
            Some(parent) => {
                let parent = parent as usize;
                let around = places[parent];
                let from = next[parent];
                let room = around.to - around.from;
                (from, room, below[parent], around.depth + 1)
            }
            None => (next_root, 1.0, all, 0),
        };
        let to = (from + room * own / needed.max(f32::MIN_POSITIVE)).min(1.0);
        match parents[node] {
            Some(parent) => next[parent as usize] = to,
            None => next_root = to,
        }
        next[node] = from;
        let radius = disc(node);
        places[node] = Place {
            at: Vec2::ZERO,
            radius,
            from,
            to,
            depth,
        };
        // A single outermost node lies in the middle, and needs no ring.
        let ring = depth as f32 + f32::from(u8::from(!is_one));
        if ring > 0.0 && to > from {
            step = step.max((2.0 * radius + GAP) / (PI * (to - from) * ring));
        }
    }
    let step = step.min(FARTHEST);
    for place in places.iter_mut() {
        let ring = place.depth as f32 + f32::from(u8::from(!is_one));
        let angle = PI * (1.0 - (place.from + place.to) * 0.5);
        place.at = Vec2::new(angle.cos(), -angle.sin()) * (ring * step);
    }
}

/// The corners of a box around all discs.
pub fn bounds(places: &[Place]) -> Option<(Vec2, Vec2)> {
    let corners = places.iter().map(|it| {
        let around = Vec2::splat(it.radius);
        (it.at - around, it.at + around)
    });
    corners.reduce(|all, it| (all.0.min(it.0), all.1.max(it.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u64) -> (Vec<Option<u32>>, Vec<u64>) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = move |limit: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % limit
        };
        let count = 1 + random(60);
        let parents =
            (0..count).map(|node| (node > 0 && random(9) > 0).then(|| random(node) as u32));
        let parents = parents.collect();
        let weights = (0..count).map(|_| random(3) * random(1000)).collect();
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
                assert!(0.0 <= place.from && place.from < place.to && place.to <= 1.0 + 1e-5);
                if let Some(parent) = parents[node] {
                    let around = places[parent as usize];
                    assert!(around.from <= place.from + 1e-5 && place.to <= around.to + 1e-4);
                    assert_eq!(place.depth, around.depth + 1);
                }
                for (other, beside) in places.iter().enumerate().skip(node + 1) {
                    if parents[other] == parents[node] {
                        let is_apart =
                            place.to <= beside.from + 1e-5 || beside.to <= place.from + 1e-5;
                        assert!(is_apart, "seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn areas_are_as_large_as_weights_and_the_fan_opens_upwards() {
        for seed in 0..300 {
            let (parents, weights) = random(seed);
            let places = laid_out(&parents, &weights);
            let most = *weights.iter().max().expect("weights") as f32;
            for (place, &weight) in places.iter().zip(&weights) {
                let share = place.radius * place.radius;
                let expected = (weight as f32 / most.max(1.0)).max(SMALLEST * SMALLEST);
                assert!((share - expected).abs() < 1e-4, "seed {seed}");
                assert!(place.at.is_finite() && place.at.y <= 1e-3);
            }
        }
    }

    #[test]
    fn discs_of_few_nodes_have_room() {
        for seed in 0..300 {
            let (parents, weights) = random(seed);
            let places = laid_out(&parents, &weights);
            let far = places
                .iter()
                .map(|it| it.at.length() / (it.depth + 1) as f32);
            if far.fold(0.0, f32::max) > FARTHEST * 0.45 {
                continue;
            }
            for (node, place) in places.iter().enumerate() {
                for beside in places
                    .iter()
                    .skip(node + 1)
                    .filter(|it| it.depth == place.depth)
                {
                    let apart = place.at.distance(beside.at);
                    // Straight across it is less than along the ring.
                    assert!(
                        apart * 1.1 + 0.2 > place.radius.min(beside.radius) * 2.0,
                        "seed {seed}"
                    );
                }
            }
        }
    }

    #[test]
    fn degenerate_trees_have_places() {
        assert!(laid_out(&[], &[]).is_empty());
        assert_eq!(bounds(&[]), None);
        let one = laid_out(&[None], &[0]);
        assert_eq!(one[0].at, Vec2::ZERO);
        let deep: Vec<Option<u32>> = (0..200_000_u32).map(|it| it.checked_sub(1)).collect();
        let places = laid_out(&deep, &vec![1; 200_000]);
        assert!(places.iter().all(|it| it.at.is_finite()));
    }
}
