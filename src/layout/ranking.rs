//! Which call relations are drawn as arcs where there are too many.

use std::ops::Range;

use super::block_relation::{ArcStyle, BlockRelation};
use callscape_model::arcs::ArcMeasure;

/// So many of the most important arcs are drawn to be looked at one by one, the others as the grain of their
/// bundles.
const MOST_CORDS: usize = 320;

/// Which relations are drawn: indices, kept to be filled again without allocating.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// In the order of their arcs, the important ones last.
    pub relations: Vec<u32>,
    /// How many there are that are not drawn.
    pub left_out: usize,
    /// How many of the last of them are looked at one by one.
    pub cords: usize,
    /// By relation its rank, [`NEVER`] for those that are not to be drawn whatever the room.
    ranks: Vec<u64>,
    /// How many are not that.
    called: usize,
    /// What the ranks are by.
    by: Option<By>,
    first: Extreme,
    last: Extreme,
}

/// What besides amounts decides ranks.
#[derive(Clone, Debug, PartialEq)]
struct By {
    measure: ArcMeasure,
    wanted: [Range<u32>; 2],
    only: Option<Range<u32>>,
}

/// The rank of what has not been called.
const NEVER: u64 = u64::MAX;

/// How important a relation is: what is wanted before all, then by calls in the step, then by amount. The greater,
/// the less important, so that what is equal can go on by index. The bits of numbers that are not negative are in the
/// order of the numbers.
fn rank(relation: &BlockRelation, style: &ArcStyle) -> u64 {
    let BlockRelation { from, to, .. } = relation;
    let touches = |of: &Range<u32>| of.contains(from) || of.contains(to);
    if relation.calls == 0 || !style.only.as_ref().is_none_or(touches) {
        return NEVER;
    }
    let is_wanted = style.wanted.iter().any(touches);
    let in_step = match style.measure {
        ArcMeasure::Calls => relation.step_calls,
        ArcMeasure::Cost => u64::from(relation.step_calls > 0),
    };
    let bits = |amount: u64| u64::from((amount as f32).to_bits());
    // Signs are never set, so that there are bits to spare: one for what is wanted, one that tells it from never.
    !(u64::from(is_wanted) << 63
        | bits(in_step) << 32
        | 1 << 31
        | bits(relation.amount(style.measure)))
}

/// The smallest of many numbers, which are mostly those of the last time: what is sure to be greater is left aside.
#[derive(Clone, Debug, Default)]
struct Extreme {
    /// The smallest are likely to be no greater.
    bound: (u64, u32),
    /// The numbers that are not greater, with their places.
    near: Vec<(u64, u32)>,
}

/// Numbers that are compared with a bound together.
const TOGETHER: usize = 32;

impl Extreme {
    /// The `count` smallest of `numbers` that are less than [`NEVER`], by number and place, of which there are as many;
    /// the last of them stands last. `key` must keep places apart as numbers are. O(numbers), nearly all of it a
    /// comparison each.
    fn least(
        &mut self,
        numbers: &[u64],
        count: usize,
        key: impl Fn(u64, u32) -> (u64, u32),
    ) -> &mut [(u64, u32)] {
        self.gather(numbers, &key);
        if self.near.len() < count || self.near.len() > 4 * count + 1_000 {
            self.bound = (NEVER - 1, u32::MAX);
            self.gather(numbers, &key);
            // Room for as many more to come and go before that.
            let room = 2 * count + 100;
            if room < self.near.len() {
                self.bound = *self.near.select_nth_unstable(room).1;
                self.near.truncate(room);
            }
        }
        if count < self.near.len() && count > 0 {
            self.near.select_nth_unstable(count - 1);
        }
        &mut self.near[..count]
    }

    fn gather(&mut self, numbers: &[u64], key: &impl Fn(u64, u32) -> (u64, u32)) {
        self.near.clear();
        for (chunk, first) in numbers.chunks(TOGETHER).zip((0u32..).step_by(TOGETHER)) {
            let may_be = |&number: &u64| key(number, 0).0 <= self.bound.0;
            if !chunk.iter().fold(false, |any, number| any | may_be(number)) {
                continue;
            }
            for (number, place) in chunk.iter().zip(first..) {
                let it = key(*number, place);
                if it <= self.bound {
                    self.near.push(it);
                }
            }
        }
    }
}

impl Drawn {
    pub fn clear(&mut self) {
        self.relations.clear();
        self.left_out = 0;
        self.cords = 0;
    }

    /// Chooses among the relations that have been called: those of the last step before others, then those of
    /// the largest amounts. `changed` are those of which something is other than the last time; none where that may be
    /// any. O(relations), little more than a comparison for those that have not changed.
    pub(super) fn choose(
        &mut self,
        relations: &[BlockRelation],
        (style, changed): (&ArcStyle, Option<&[u32]>),
    ) {
        self.clear();
        let by = By {
            measure: style.measure,
            wanted: style.wanted.clone(),
            only: style.only.clone(),
        };
        let is_by = self.by.as_ref() == Some(&by);
        match changed {
            Some(changed) if is_by && self.ranks.len() == relations.len() => {
                for &index in changed {
                    let old = &mut self.ranks[index as usize];
                    let new = rank(&relations[index as usize], style);
                    self.called -= usize::from(*old != NEVER);
                    self.called += usize::from(new != NEVER);
                    *old = new;
                }
            }
            _ => {
                self.by = Some(by);
                self.ranks.clear();
                let ranks = relations.iter().map(|relation| rank(relation, style));
                self.ranks.extend(ranks);
                self.called = self.ranks.iter().filter(|rank| **rank != NEVER).count();
            }
        }
        let most = style.limit.min(self.called);
        self.left_out = self.called - most;
        if most == 0 {
            return;
        }
        // The last that is drawn, or the first that is not, whichever are fewer to be looked at.
        let mut end = (NEVER, 0);
        if self.left_out > 0 && most <= self.left_out {
            let drawn = self
                .last
                .least(&self.ranks, most, |rank, place| (rank, place));
            let last = drawn.last().copied().unwrap_or_default();
            end = (last.0, last.1 + 1);
        } else if self.left_out > 0 {
            let turned = |rank: u64, place: u32| match rank {
                NEVER => (NEVER, !place),
                _ => (!rank, !place),
            };
            let left_out = self.last.least(&self.ranks, self.left_out, turned);
            let first = left_out.last().copied().unwrap_or_default();
            end = (!first.0, !first.1);
        }
        self.cords = most.min(MOST_CORDS);
        let cords = self
            .first
            .least(&self.ranks, self.cords, |rank, place| (rank, place));
        cords.sort_unstable_by(|a, b| b.cmp(a));
        // The others in their own order, which stays the same from frame to frame.
        let last_cord = cords[0];
        let ranks = self.ranks.iter().copied().zip(0u32..);
        let threads = ranks.filter(|&it| last_cord < it && it < end);
        self.relations.extend(threads.map(|(_, index)| index));
        self.relations.extend(cords.iter().map(|&(_, index)| index));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn relation(from: u32, to: u32, calls: u64, step_calls: u64) -> BlockRelation {
        BlockRelation {
            from,
            to,
            calls,
            step_calls,
            ..BlockRelation::default()
        }
    }

    #[test]
    fn what_is_looked_for_is_kept_before_all_others() {
        let mut relations = [
            relation(2, 3, 1000, 9),
            relation(3, 5, 1, 0),
            relation(5, 6, 2, 0),
        ];
        let mut drawn = Drawn::default();
        let mut style = ArcStyle {
            limit: 1,
            ..ArcStyle::default()
        };
        for (wanted, kept) in [(0..0, 0), (5..7, 2), (5..6, 2), (3..4, 0)] {
            style.wanted = [wanted, 0..0];
            drawn.choose(&relations, (&style, None));
            assert_eq!((&drawn.relations[..], drawn.left_out), (&[kept][..], 2));
        }
        // By cost.
        relations[1].cost = 7;
        style.wanted = Default::default();
        style.measure = ArcMeasure::Cost;
        relations[0].step_calls = 0;
        drawn.choose(&relations, (&style, None));
        assert_eq!(drawn.relations, [1]);
    }

    #[test]
    fn what_is_chosen_from_frame_to_frame_is_what_would_be_chosen_at_once() {
        let mut state = 3u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % limit
        };
        let mut drawn = Drawn::default();
        let mut style = ArcStyle::default();
        let mut relations: Vec<BlockRelation> = (0..1_500)
            .map(|_| relation(below(900) as u32, below(900) as u32, below(5), 0))
            .collect();
        for frame in 0..300 {
            let mut changed = Vec::new();
            for _ in 0..below(60) {
                let index = below(relations.len() as u64) as usize;
                let of = &mut relations[index];
                (of.calls, of.step_calls) = (below(6) * below(9), below(3));
                changed.push(index as u32);
            }
            if frame % 20 == 0 {
                style.limit = [0, 9, 300, 500, 1_000, 1_400, 9_999][below(7) as usize];
                style.wanted = [below(900) as u32, below(900) as u32].map(|at| at..at + 40);
                style.only = (below(3) == 0).then(|| below(500) as u32..800);
            }
            let changed = (frame % 50 != 0).then_some(changed.as_slice());
            drawn.choose(&relations, (&style, changed));

            let touches =
                |of: &Range<u32>, it: &BlockRelation| of.contains(&it.from) || of.contains(&it.to);
            let is_shown = |it: &BlockRelation| {
                it.calls > 0 && style.only.as_ref().is_none_or(|only| touches(only, it))
            };
            let mut order: Vec<u32> = (0..relations.len() as u32)
                .filter(|&index| is_shown(&relations[index as usize]))
                .collect();
            order.sort_by_key(|&index| {
                let it = &relations[index as usize];
                let is_wanted = style.wanted.iter().any(|of| touches(of, it));
                std::cmp::Reverse((is_wanted, it.step_calls, it.calls))
            });
            let most = style.limit.min(order.len());
            assert_eq!(drawn.left_out, order.len() - most, "frame {frame}");
            order.truncate(most);
            let mut expected = order.split_off(most.min(MOST_CORDS));
            expected.sort_unstable();
            expected.extend(order.iter().rev());
            assert_eq!(drawn.relations, expected, "frame {frame}");
        }
    }
}
