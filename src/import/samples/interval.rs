//! The interval of a sampler that its file does not tell: the commonest distance between neighbours.

/// Distances within this ratio of each other, in eighths, are one: timers and other work make them vary.
const ALIKE: i64 = 10;

/// The middle of the commonest distances, the shorter ones if several are as common, and the mean of their amounts; each
/// distance is as common as its amount says. `None` without any above 0. O(n log n).
pub(super) fn commonest(distances: &mut Vec<(i64, u64)>) -> Option<(i64, u64)> {
    distances.retain(|&(distance, _)| distance > 0);
    distances.sort_unstable();
    let (mut best, mut most, mut sum) = (0..0, 0, 0_u128);
    let mut end = 0;
    for (start, &(least, amount)) in distances.iter().enumerate() {
        let last = i128::from(least) * i128::from(ALIKE) / 8;
        while let Some(&(_, amount)) = distances.get(end).filter(|it| i128::from(it.0) <= last) {
            sum += u128::from(amount);
            end += 1;
        }
        if sum > most {
            (best, most) = (start..end, sum);
        }
        sum -= u128::from(amount);
    }
    let usual = most.checked_div(best.len() as u128)? as u64;
    let &(interval, _) = distances.get(best.start + best.len() / 2)?;
    Some((interval, usual))
}

/// The same of distances alone.
pub(crate) fn usual_interval(distances: &[i64]) -> Option<i64> {
    let mut distances: Vec<(i64, u64)> = distances.iter().map(|&it| (it, 1)).collect();
    Some(commonest(&mut distances)?.0)
}

/// The median of `values`, the lower one of two; none of none.
pub(crate) fn median(values: &mut [i64]) -> Option<i64> {
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable(middle).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_distance_is_neither_a_sleep_nor_a_burst() {
        for (distances, expected) in [
            (vec![], None),
            (vec![0, 0], None),
            (vec![1_000_000, 10_000_000_000, 1_000_000], Some(1_000_000)),
            (vec![10, 500], Some(10)),
            (vec![2, 3, 5, 990, 1000, 1010, 30_000], Some(1000)),
            (vec![i64::MAX, i64::MAX, 1], Some(i64::MAX)),
        ] {
            assert_eq!(usual_interval(&distances), expected);
        }
    }
}
