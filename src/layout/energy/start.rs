//! Where iterations start: pivot MDS, close to the places of least stress, so that nothing is folded over.

use glam::DVec2;

use super::distances::Distances;

/// More pivots than these improve little.
const PIVOTS: usize = 50;

/// Rounds of the power iteration.
const ROUNDS: usize = 60;

/// Boxes alike in everything are moved by this share of the distance in the graph, so that they can part.
const ASIDE: f64 = 0.02;

/// Numbers from -1 to 1 (splitmix64).
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (mixed ^ (mixed >> 31)) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Places of the boxes. With `k` pivots, O(k² × n).
pub(super) fn start(distances: &Distances, seed: u64) -> Vec<DVec2> {
    let mut random = random(seed);
    let pivots = pivots(distances);
    let rows = centred(distances, &pivots);
    let products = products(&rows, pivots.len());
    let (first, much) = largest(&products, None, &mut random);
    let (second, less) = largest(&products, Some(&first), &mut random);
    // Coordinates are as long as the roots of the eigenvalues of all distances: here those are roots already.
    let scale = |value: f64| if value > 0.0 { value.powf(-0.25) } else { 0.0 };
    let [much, less] = [much, less].map(scale);
    let along = |row: &[f64], axis: &[f64]| row.iter().zip(axis).map(|(a, b)| a * b).sum::<f64>();
    let places = rows.chunks_exact(pivots.len().max(1));
    let places =
        places.map(|row| DVec2::new(along(row, &first) * much, along(row, &second) * less));
    let mut places: Vec<DVec2> = places.collect();
    let (mut sum, mut count) = (0.0, 0.0);
    for &far in distances.from(0) {
        sum += f64::from(far);
        count += 1.0;
    }
    let aside = ASIDE * sum / f64::max(count, 1.0);
    for place in &mut places {
        *place += aside * DVec2::new(random(), random());
    }
    scaled(distances, &pivots, places)
}

/// Boxes far from each other: each the farthest from those before it. O(k × n).
fn pivots(distances: &Distances) -> Vec<usize> {
    let count = distances.count();
    let mut nearest = vec![f32::MAX; count];
    let mut pivots = vec![0];
    while pivots.len() < PIVOTS.min(count) {
        let last = pivots[pivots.len() - 1];
        for (near, &far) in nearest.iter_mut().zip(distances.from(last)) {
            *near = near.min(far);
        }
        let all = nearest.iter().enumerate();
        let next = all.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        match next {
            Some((next, &far)) if far > 0.0 => pivots.push(next),
            _ => break,
        }
    }
    pivots
}

/// The squared distances of each box to the pivots, so that rows and columns have the mean zero. O(k × n).
fn centred(distances: &Distances, pivots: &[usize]) -> Vec<f64> {
    let (count, width) = (distances.count(), pivots.len());
    let squared = |at: usize, pivot: usize| f64::from(distances.from(pivot)[at]).powi(2);
    let mut rows = vec![0.0; count * width];
    let mut columns = vec![0.0; width];
    for (at, row) in rows.chunks_exact_mut(width).enumerate() {
        for ((cell, &pivot), column) in row.iter_mut().zip(pivots).zip(&mut columns) {
            *cell = squared(at, pivot);
            *column += *cell / count as f64;
        }
    }
    let all = columns.iter().sum::<f64>() / width as f64;
    for row in rows.chunks_exact_mut(width) {
        let mean = row.iter().sum::<f64>() / width as f64;
        for (cell, column) in row.iter_mut().zip(&columns) {
            *cell = -0.5 * (*cell - mean - column + all);
        }
    }
    rows
}

/// By pair of columns the sum of their products. O(k² × n).
fn products(rows: &[f64], width: usize) -> Vec<f64> {
    let mut products = vec![0.0; width * width];
    for row in rows.chunks_exact(width) {
        for (sums, &a) in products.chunks_exact_mut(width).zip(row) {
            for (sum, &b) in sums.iter_mut().zip(row) {
                *sum += a * b;
            }
        }
    }
    products
}

/// The eigenvector with the largest eigenvalue of those at right angles to `other`, and that value.
fn largest(
    products: &[f64],
    other: Option<&[f64]>,
    random: &mut impl FnMut() -> f64,
) -> (Vec<f64>, f64) {
    let width = products.len().isqrt();
    let mut axis: Vec<f64> = (0..width).map(|_| random()).collect();
    let mut value = 0.0;
    for _ in 0..ROUNDS {
        if let Some(other) = other {
            let along: f64 = axis.iter().zip(other).map(|(a, b)| a * b).sum();
            for (it, other) in axis.iter_mut().zip(other) {
                *it -= along * other;
            }
        }
        let length = axis.iter().map(|it| it * it).sum::<f64>().sqrt();
        if length <= f64::MIN_POSITIVE {
            return (vec![0.0; width], 0.0);
        }
        axis.iter_mut().for_each(|it| *it /= length);
        let rows = products.chunks_exact(width.max(1));
        let next = rows.map(|row| row.iter().zip(&axis).map(|(a, b)| a * b).sum());
        let next: Vec<f64> = next.collect();
        value = next.iter().zip(&axis).map(|(a, b)| a * b).sum();
        axis = next;
    }
    let length = axis.iter().map(|it| it * it).sum::<f64>().sqrt();
    if length > f64::MIN_POSITIVE {
        axis.iter_mut().for_each(|it| *it /= length);
    }
    (axis, value)
}

/// As large as is best for the distances to the pivots. O(k × n).
fn scaled(distances: &Distances, pivots: &[usize], mut places: Vec<DVec2>) -> Vec<DVec2> {
    let (mut along, mut square) = (0.0, 0.0);
    for &pivot in pivots {
        for (&far, place) in distances.from(pivot).iter().zip(&places) {
            if far > 0.0 {
                let share = place.distance(places[pivot]) / f64::from(far);
                along += share;
                square += share * share;
            }
        }
    }
    if square > 0.0 {
        places.iter_mut().for_each(|it| *it *= along / square);
    }
    places
}
