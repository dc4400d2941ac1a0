//! The interval of a sampler that its file does not tell: the commonest distance between neighbours.

/// Distances within this ratio of each other, in eighths, are one: timers and other work make them vary.
const ALIKE: i64 = 10;

/// The middle of the commonest distances, the shorter ones if several are as common; `None` without any above 0.
/// O(n log n).
pub(crate) fn commonest(distances: &mut Vec<i64>) -> Option<i64> {
    distances.retain(|&distance| distance > 0);
    distances.sort_unstable();
    let mut best = 0..0;
    let mut end = 0;
    for (start, &least) in distances.iter().enumerate() {
        let most = i128::from(least) * i128::from(ALIKE) / 8;
        while distances.get(end).is_some_and(|&it| i128::from(it) <= most) {
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
    }
    distances.get(best.start + best.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_distance_is_neither_a_sleep_nor_a_burst() {
        for (mut distances, expected) in [
            (vec![], None),
            (vec![0, 0], None),
            (vec![1_000_000, 10_000_000_000, 1_000_000], Some(1_000_000)),
            (vec![10, 500], Some(10)),
            (vec![2, 3, 5, 990, 1000, 1010, 30_000], Some(1000)),
            (vec![i64::MAX, i64::MAX, 1], Some(i64::MAX)),
        ] {
            assert_eq!(commonest(&mut distances), expected);
        }
    }
}
