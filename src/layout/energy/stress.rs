//! The energy that is made small: the stress, sum over all pairs of ((distance on the sheet - distance in the graph) /
//! distance in the graph)².

use glam::DVec2;

use super::distances::Distances;

/// Sums that are made at once.
const LANES: usize = 4;

/// Iterations end at a change of stress below this share.
const STEADY: f64 = 1e-4;

const MOST_ITERATIONS: usize = 200;

/// So many pairs are looked at in all iterations, about half a second.
const MOST_PAIRS: usize = 60_000_000;

/// Places of boxes with their stress.
pub(super) struct Stress {
    /// By pair of boxes one divided by their distance in the graph, and zero for a box and itself; row after row.
    nearness: Vec<f32>,
    places: Vec<DVec2>,
    /// Kept up to date with every move.
    value: f64,
}

/// What a pair adds.
fn term(on_sheet: f64, near: f64) -> f64 {
    let off = on_sheet * near - 1.0;
    off * off
}

impl Stress {
    /// Of these places, one by box. O(n²).
    pub(super) fn new(distances: &Distances, places: Vec<DVec2>) -> Stress {
        let boxes = 0..distances.count();
        let rows = boxes.clone().flat_map(|it| distances.from(it));
        let nearness = rows.map(|&far| if far > 0.0 { 1.0 / far } else { 0.0 });
        let nearness = nearness.collect();
        let mut stress = Stress {
            nearness,
            places,
            value: 0.0,
        };
        // A box and itself are not a pair.
        let double = boxes.map(|it| stress.of(it, stress.places[it]) - 1.0);
        stress.value = double.sum::<f64>() * 0.5;
        stress
    }

    fn row(&self, number: usize) -> &[f32] {
        let count = self.places.len();
        &self.nearness[number * count..(number + 1) * count]
    }

    /// What box `number` adds at a place, and one. O(n).
    fn of(&self, number: usize, at: DVec2) -> f64 {
        // Several sums, as processors add several numbers at once.
        let mut sums = [0.0; LANES];
        let (rows, rest) = self.row(number).as_chunks::<LANES>();
        let (places, others) = self.places.as_chunks::<LANES>();
        for (row, places) in rows.iter().zip(places) {
            for lane in 0..LANES {
                let on_sheet = at.distance(places[lane]);
                sums[lane] += term(on_sheet, f64::from(row[lane]));
            }
        }
        let rest = rest.iter().zip(others);
        let rest = rest.map(|(&near, &other)| term(at.distance(other), f64::from(near)));
        sums.iter().sum::<f64>() + rest.sum::<f64>()
    }

    /// Where a function is smallest that is nowhere below the stress, and equal to it at the places now, if only box
    /// `number` moves. O(n).
    fn better(&self, number: usize) -> DVec2 {
        let from = self.places[number];
        let pull = |near: f32, other: DVec2| {
            let near = f64::from(near);
            let away = from - other;
            // Boxes at one place do not push each other: they have no direction.
            let way = 1.0 / (near * away.length()).max(f64::MIN_POSITIVE.sqrt());
            (near * near, other + away * way)
        };
        let mut sums = [DVec2::ZERO; LANES];
        let mut weights = [0.0; LANES];
        let (rows, rest) = self.row(number).as_chunks::<LANES>();
        let (places, others) = self.places.as_chunks::<LANES>();
        for (row, places) in rows.iter().zip(places) {
            for lane in 0..LANES {
                let (weight, to) = pull(row[lane], places[lane]);
                sums[lane] += weight * to;
                weights[lane] += weight;
            }
        }
        let (mut sum, mut all) = (sums.iter().sum::<DVec2>(), weights.iter().sum::<f64>());
        for (&near, &other) in rest.iter().zip(others) {
            let (weight, to) = pull(near, other);
            sum += weight * to;
            all += weight;
        }
        if all > 0.0 { sum / all } else { from }
    }

    /// Moves every box once to where it is better. So the stress never grows. O(n²).
    pub(super) fn step(&mut self) {
        for number in 0..self.places.len() {
            let to = self.better(number);
            let before = self.of(number, self.places[number]);
            // Its distance from itself is zero wherever it is.
            self.places[number] = to;
            self.value += self.of(number, to) - before;
        }
    }

    /// Iterates until the stress changes little. O(iterations × n²).
    pub(super) fn settle(mut self) -> Vec<DVec2> {
        let pairs = self.places.len().pow(2).max(1);
        let most = (MOST_PAIRS / pairs).clamp(1, MOST_ITERATIONS);
        for _ in 0..most {
            let before = self.value;
            self.step();
            if before - self.value <= STEADY * before {
                break;
            }
        }
        self.places
    }

    #[cfg(test)]
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    #[cfg(test)]
    pub(super) fn places(&self) -> &[DVec2] {
        &self.places
    }
}
