//! When nothing was recorded, because recording was switched off meanwhile.

use serde::{Deserialize, Serialize};

use callscape_base::units::{Cost, Time, TimeRange};

/// The times of a recording in which nothing was recorded: each from its start to before its end, in order, none empty and
/// none touching another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<TimeRange>")]
pub struct Gaps(Vec<TimeRange>);

impl TryFrom<Vec<TimeRange>> for Gaps {
    type Error = &'static str;

    /// Takes a list that is as it has to be, and no other.
    fn try_from(ranges: Vec<TimeRange>) -> Result<Gaps, Self::Error> {
        let are_apart = ranges.windows(2).all(|pair| pair[0].end < pair[1].start);
        if are_apart && ranges.iter().all(|it| it.start < it.end) {
            Ok(Gaps(ranges))
        } else {
            Err("gaps in order and apart from each other")
        }
    }
}

impl Gaps {
    /// The gaps that together cover these ranges, in whatever order and however they overlap. O(n log n).
    pub fn of(mut ranges: Vec<TimeRange>) -> Gaps {
        ranges.retain(|it| it.start < it.end);
        ranges.sort_unstable_by_key(|it| (it.start, it.end));
        ranges.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
        Gaps(ranges)
    }

    /// What is left without the times in `others`. O(n).
    pub fn without(&self, others: &Gaps) -> Gaps {
        let mut left = Vec::new();
        let mut next = 0;
        for gap in &self.0 {
            let mut at = gap.start;
            while let Some(other) = others.0.get(next).filter(|it| it.start < gap.end) {
                left.push(TimeRange {
                    start: at,
                    end: other.start.max(at),
                });
                at = at.max(other.end);
                if other.end > gap.end {
                    break;
                }
                next += 1;
            }
            left.push(TimeRange {
                start: at.min(gap.end),
                end: gap.end,
            });
        }
        Gaps::of(left)
    }

    /// What of them lies before `end`.
    pub fn before(&self, end: Time) -> Gaps {
        let cut = self.0.iter().map(|it| TimeRange {
            start: it.start,
            end: it.end.min(end),
        });
        Gaps::of(cut.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn all(&self) -> &[TimeRange] {
        &self.0
    }

    /// How long they are together.
    pub fn total(&self) -> Cost {
        let lengths = self.0.iter().map(|it| it.length().ns());
        Cost::from_ns(lengths.sum())
    }

    /// The first that ends after `t`. O(log n).
    pub fn first_after(&self, t: Time) -> Option<TimeRange> {
        self.0
            .get(self.0.partition_point(|it| it.end <= t))
            .copied()
    }

    /// Those of a range, to be drawn where `step` is a pixel: what begins and ends less than that behind the start of the
    /// one before is left out. O(length / step × log n).
    pub fn seen(&self, range: TimeRange, step: Cost) -> impl Iterator<Item = TimeRange> {
        let step = step.max(Cost::from_ns(1));
        let mut at = range.start;
        std::iter::from_fn(move || {
            let gap = self.first_after(at).filter(|it| it.start < range.end)?;
            at = gap.end.max(gap.start.max(at) + step);
            Some(gap)
        })
    }

    /// The one that `t` lies in. O(log n).
    pub fn at(&self, t: Time) -> Option<TimeRange> {
        self.first_after(t).filter(|it| it.start <= t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::random::Random;

    fn range(start: u64, end: u64) -> TimeRange {
        TimeRange {
            start: Time::from_ns(start),
            end: Time::from_ns(end),
        }
    }

    fn holds(ranges: &[TimeRange], t: Time) -> bool {
        ranges.iter().any(|it| it.start <= t && t < it.end)
    }

    #[test]
    fn what_lies_in_gaps_is_what_lies_in_the_ranges_that_they_are_made_of() {
        for seed in 0..300_u64 {
            let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
            let mut some = || {
                let count = random.below(8);
                let ends = (0..count).map(|_| (random.below(40), random.below(40)));
                let ranges: Vec<_> = ends.map(|(a, b)| range(a.min(b), a.max(b))).collect();
                ranges
            };
            let (first, second) = (some(), some());
            let gaps = Gaps::of(first.clone());
            let left = gaps.without(&Gaps::of(second.clone()));
            let early = gaps.before(Time::from_ns(20));
            for t in (0..42).map(Time::from_ns) {
                let is_in = holds(&first, t);
                assert_eq!(gaps.at(t).is_some(), is_in, "seed {seed}, {t}");
                assert_eq!(early.at(t).is_some(), is_in && t.ns() < 20, "seed {seed}");
                let is_left = is_in && !holds(&second, t);
                assert_eq!(left.at(t).is_some(), is_left, "seed {seed}, {t}");
                let after = gaps.all().iter().find(|it| it.end > t).copied();
                assert_eq!(gaps.first_after(t), after);
            }
            let step = 1 + random.below(10);
            let seen: Vec<_> = gaps.seen(range(5, 30), Cost::from_ns(step)).collect();
            for gap in gaps.all() {
                let is_in = gap.end.ns() > 5 && gap.start.ns() < 30;
                // What is left out lies within a step behind the start of one that is not.
                let start = gap.start.max(Time::from_ns(5));
                let is_hidden = |it: &TimeRange| {
                    let from = it.start.ns().max(5);
                    from < start.ns() && gap.end.ns() <= from + step
                };
                let is_seen = seen.contains(gap);
                assert_eq!(is_seen, is_in && !seen.iter().any(is_hidden), "seed {seed}");
            }
            let in_gaps = (0..42).filter(|&t| holds(&first, Time::from_ns(t)));
            assert_eq!(gaps.total().ns(), in_gaps.count() as u64);
            for gaps in [gaps, left, early] {
                let text = serde_json::to_string(&gaps).expect("it is written");
                assert_eq!(serde_json::from_str::<Gaps>(&text).ok(), Some(gaps));
            }
        }
    }

    #[test]
    fn lists_that_lie_are_refused() {
        let of = |ranges: &[(u64, u64)]| {
            let ranges = ranges.iter().map(|&(start, end)| range(start, end));
            Gaps::try_from(ranges.collect::<Vec<_>>())
        };
        assert!(of(&[(1, 2), (3, 4)]).is_ok());
        for wrong in [
            &[(2, 1)][..],
            &[(1, 1)],
            &[(1, 2), (2, 3)],
            &[(1, 3), (2, 4)],
            &[(3, 4), (1, 2)],
        ] {
            assert!(of(wrong).is_err(), "{wrong:?}");
        }
    }
}
