//! Moves boxes apart that overlap: all places grow until few boxes overlap, and these move, first to the sides where that
//! is the shorter way, then up and down.

use glam::DVec2;

/// Closer than this is rounding.
const LEAST: f64 = 1e-6;

/// Places grow by this factor at a time, so often at most.
const GROWTH: f64 = 1.1;
const MOST_GROWN: i32 = 60;

/// Makes places so much larger that fewer pairs of boxes overlap than a third of the boxes are. O(n²) at most for each
/// growth.
pub(super) fn grow(middles: &mut [DVec2], sizes: &[DVec2], gap: f64) {
    let few = sizes.len() / 3;
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| middles[a].x.total_cmp(&middles[b].x).then(a.cmp(&b)));
    let widest = sizes.iter().map(|it| it.x).fold(0.0, f64::max);
    let is_good = |factor: f64| {
        let mut over = 0;
        for (at, &a) in order.iter().enumerate() {
            for &b in &order[at + 1..] {
                let away = (middles[a] - middles[b]).abs() * factor;
                if away.x >= widest + gap {
                    break;
                }
                over += usize::from(away.cmplt((sizes[a] + sizes[b]) * 0.5 + gap).all());
                if over > few {
                    return false;
                }
            }
        }
        true
    };
    let mut factors = (0..MOST_GROWN).map(|it| GROWTH.powi(it));
    let factor = factors.find(|&it| is_good(it)).unwrap_or(1.0);
    middles.iter_mut().for_each(|it| *it *= factor);
}

/// Moves boxes with these middles until all are `gap` apart, to the sides or up and down, and keeps their order. What
/// has to move, moves to both sides alike. O(n²).
pub(super) fn separate(middles: &mut [DVec2], sizes: &[DVec2], gap: f64) {
    let count = middles.len();
    let needed = |a: usize, b: usize| (sizes[a] + sizes[b]) * 0.5 + gap;
    let overlap =
        |middles: &[DVec2], a: usize, b: usize| needed(a, b) - (middles[a] - middles[b]).abs();
    let mut xs: Vec<f64> = middles.iter().map(|it| it.x).collect();
    let by_x = pairs(count, &xs, |a, b| {
        let over = overlap(middles, a, b);
        (over.y > LEAST && over.x > LEAST && over.x <= over.y).then(|| needed(a, b).x)
    });
    spread(&mut xs, &by_x);
    middles.iter_mut().zip(&xs).for_each(|(it, &x)| it.x = x);
    let mut ys: Vec<f64> = middles.iter().map(|it| it.y).collect();
    let by_y = pairs(count, &ys, |a, b| {
        (overlap(middles, a, b).x > LEAST).then(|| needed(a, b).y)
    });
    spread(&mut ys, &by_y);
    middles.iter_mut().zip(&ys).for_each(|(it, &y)| it.y = y);
}

/// Two numbers of which the second has to be this much larger.
struct Pair {
    first: u32,
    second: u32,
    apart: f64,
}

/// The pairs that `apart` says, in the order of their numbers along `at`.
fn pairs(count: usize, at: &[f64], apart: impl Fn(usize, usize) -> Option<f64>) -> Vec<Pair> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| at[a].total_cmp(&at[b]).then(a.cmp(&b)));
    let mut pairs = Vec::new();
    for (before, &first) in order.iter().enumerate() {
        for &second in &order[before + 1..] {
            if let Some(apart) = apart(first, second) {
                pairs.push(Pair {
                    first: first as u32,
                    second: second as u32,
                    apart,
                });
            }
        }
    }
    pairs
}

/// The middle of two ways to have all pairs apart: with every number at least, and at most, what it was. Both ways keep
/// all pairs apart, and so does the middle.
fn spread(at: &mut [f64], pairs: &[Pair]) {
    let mut up = at.to_vec();
    // Pairs are in the order of their first.
    for pair in pairs {
        let least = up[pair.first as usize] + pair.apart;
        let second = &mut up[pair.second as usize];
        *second = second.max(least);
    }
    let mut down = at.to_vec();
    for pair in pairs.iter().rev() {
        let most = down[pair.second as usize] - pair.apart;
        let first = &mut down[pair.first as usize];
        *first = first.min(most);
    }
    for ((it, up), down) in at.iter_mut().zip(up).zip(down) {
        *it = (up + down) * 0.5;
    }
}
