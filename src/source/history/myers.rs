//! How many lines two texts differ in, where the exact number is git's.
//!
//! E. W. Myers, *An O(ND) Difference Algorithm and Its Variations*, 1986, section 4b, with what git does to stay fast: lines
//! that one text lacks are left out beforehand, and frequent lines among such; a search that costs too much ends where it
//! has come furthest. A shortest difference may therefore be missed, in the same places as git misses it.

/// A line is frequent from the square root of the other text's lines on, or this.
const MOST_RARE: u32 = 1024;
/// So many lines around a frequent one are looked at.
const WINDOW: usize = 100;
/// A run of so many equal lines is a good one.
const GOOD_RUN: i64 = 20;
/// From this cost on, a good run that lies well ahead ends the search.
const IMPATIENT: i64 = 256;
/// How much more than its cost a place has to be ahead.
const AHEAD: i64 = 4;

/// The lines that were removed and added between `before` and `after`, given as numbers of equal lines, where `occurs` has by
/// number how often a line occurs in each text; `lines` is how many each text has. Both may be parts of the texts: what is
/// left of them without equal beginnings and ends. O(n d) for d differences, and bounded where d is large.
pub(super) fn removed_and_added(
    before: &[u32],
    after: &[u32],
    occurs: &[Vec<u32>; 2],
    lines: [usize; 2],
) -> [u32; 2] {
    let old = kept(before, &occurs[1], lines[0]);
    let new = kept(after, &occurs[0], lines[1]);
    let diagonals = old.len() + new.len() + 3;
    let mut search = Search {
        lines: [&old, &new],
        forward: vec![0; diagonals + 1],
        backward: vec![0; diagonals + 1],
        zero: new.len() as i64 + 1,
        dearest: i64::from(root(diagonals)).max(IMPATIENT),
        differ: [
            (before.len() - old.len()) as u32,
            (after.len() - new.len()) as u32,
        ],
    };
    search.run(
        Region {
            start: [0, 0],
            end: [old.len() as i64, new.len() as i64],
        },
        false,
    );
    search.differ
}

/// The next power of two from about the square root on.
fn root(mut number: usize) -> u32 {
    let mut root = 1;
    while number > 0 {
        root <<= 1;
        number >>= 2;
    }
    root
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InOther {
    None,
    Some,
    Many,
}

/// The lines that may be equal to one of the other text, which has them as often as `occurs` says.
fn kept(lines: &[u32], occurs: &[u32], total: usize) -> Vec<u32> {
    let many = root(total).min(MOST_RARE);
    let of = |&line: &u32| match occurs[line as usize] {
        0 => InOther::None,
        count if count >= many => InOther::Many,
        _ => InOther::Some,
    };
    let other: Vec<InOther> = lines.iter().map(of).collect();
    let kept = lines.iter().enumerate().filter(|&(at, _)| match other[at] {
        InOther::None => false,
        InOther::Some => true,
        InOther::Many => !is_among_missing(&other, at),
    });
    kept.map(|(_, &line)| line).collect()
}

/// Whether the frequent line at `at` stands in a run of lines of which most are missing in the other text.
fn is_among_missing(other: &[InOther], at: usize) -> bool {
    let count = |run: &mut dyn Iterator<Item = &InOther>| {
        let (mut missing, mut many) = (0, 1);
        for it in run {
            match it {
                InOther::None => missing += 1,
                InOther::Many => many += 1,
                InOther::Some => break,
            }
        }
        (missing, many)
    };
    let before = count(&mut other[at.saturating_sub(WINDOW)..at].iter().rev());
    if before.0 == 0 {
        return false;
    }
    let end = other.len().min(at + WINDOW + 1);
    let after = count(&mut other[at + 1..end].iter());
    after.0 > 0 && (before.1 + after.1) * 3 < before.0 + after.0
}

/// Lines of both texts that are compared with each other.
#[derive(Clone, Copy)]
struct Region {
    start: [i64; 2],
    end: [i64; 2],
}

/// Where a region is parted, and whether a shortest difference is wanted of each half.
struct Split {
    at: [i64; 2],
    is_exact: [bool; 2],
}

struct Search<'a> {
    lines: [&'a [u32]; 2],
    /// By diagonal how far into the old text one comes from the start, and from the end.
    forward: Vec<i64>,
    backward: Vec<i64>,
    /// Where diagonal 0 stands in these.
    zero: i64,
    /// From this cost on a search ends where it is.
    dearest: i64,
    differ: [u32; 2],
}

impl Search<'_> {
    fn run(&mut self, mut region: Region, mut is_exact: bool) {
        loop {
            let [old, new] = self.lines;
            let Region { start, end } = &mut region;
            while start[0] < end[0]
                && start[1] < end[1]
                && old[start[0] as usize] == new[start[1] as usize]
            {
                *start = start.map(|it| it + 1);
            }
            while start[0] < end[0]
                && start[1] < end[1]
                && old[end[0] as usize - 1] == new[end[1] as usize - 1]
            {
                *end = end.map(|it| it - 1);
            }
            let sizes = [end[0] - start[0], end[1] - start[1]];
            if sizes.contains(&0) {
                self.differ[0] += sizes[0] as u32;
                self.differ[1] += sizes[1] as u32;
                return;
            }
            let split = self.split(region, is_exact);
            let first = Region {
                end: split.at,
                ..region
            };
            self.run(first, split.is_exact[0]);
            region.start = split.at;
            is_exact = split.is_exact[1];
        }
    }

    /// Walks from both ends until the walks meet.
    fn split(&mut self, region: Region, is_exact: bool) -> Split {
        let Region { start, end } = region;
        let from_start = start[0] - start[1];
        let from_end = end[0] - end[1];
        let is_odd = (from_start - from_end) & 1 != 0;
        let least = start[0] - end[1];
        let most = end[0] - start[1];
        let mut ahead = Walk::new(from_start, least, most);
        let mut back = Walk::new(from_end, least, most);
        let zero = self.zero;
        let at = |diagonal: i64| (zero + diagonal) as usize;
        self.forward[at(from_start)] = start[0];
        self.backward[at(from_end)] = end[0];
        for cost in 1.. {
            let mut is_good = false;
            ahead.widen(&mut self.forward, zero, -1);
            for diagonal in ahead.diagonals() {
                let (low, high) = (
                    self.forward[at(diagonal - 1)],
                    self.forward[at(diagonal + 1)],
                );
                let from = if low >= high { low + 1 } else { high };
                let run = self.equal_after([from, from - diagonal], end);
                is_good |= run > GOOD_RUN;
                self.forward[at(diagonal)] = from + run;
                if is_odd && back.has(diagonal) && self.backward[at(diagonal)] <= from + run {
                    return Split::exact([from + run, from + run - diagonal]);
                }
            }
            back.widen(&mut self.backward, zero, i64::MAX);
            for diagonal in back.diagonals() {
                let (low, high) = (
                    self.backward[at(diagonal - 1)],
                    self.backward[at(diagonal + 1)],
                );
                let from = if low < high { low } else { high - 1 };
                let run = self.equal_before([from, from - diagonal], start);
                is_good |= run > GOOD_RUN;
                self.backward[at(diagonal)] = from - run;
                if !is_odd && ahead.has(diagonal) && from - run <= self.forward[at(diagonal)] {
                    return Split::exact([from - run, from - run - diagonal]);
                }
            }
            if is_exact {
                continue;
            }
            if is_good && cost > IMPATIENT {
                let far = self.far_ahead(&ahead, region, cost);
                if let Some(split) = far.or_else(|| self.far_back(&back, region, cost)) {
                    return split;
                }
            }
            if cost >= self.dearest {
                return self.furthest(&ahead, &back, region);
            }
        }
        unreachable!("the walks meet before their costs overflow")
    }

    fn equal_after(&self, at: [i64; 2], end: [i64; 2]) -> i64 {
        let mut run = 0;
        while at[0] + run < end[0]
            && at[1] + run < end[1]
            && self.lines[0][(at[0] + run) as usize] == self.lines[1][(at[1] + run) as usize]
        {
            run += 1;
        }
        run
    }

    fn equal_before(&self, at: [i64; 2], start: [i64; 2]) -> i64 {
        let mut run = 0;
        while at[0] - run > start[0]
            && at[1] - run > start[1]
            && self.lines[0][(at[0] - run - 1) as usize]
                == self.lines[1][(at[1] - run - 1) as usize]
        {
            run += 1;
        }
        run
    }

    /// The place behind a good run that the walk from the start has come to, far ahead of what it cost.
    fn far_ahead(&self, walk: &Walk, Region { start, end }: Region, cost: i64) -> Option<Split> {
        let mut best = (0, None);
        for diagonal in walk.diagonals() {
            let old = self.forward[(self.zero + diagonal) as usize];
            let at = [old, old - diagonal];
            let gain = (at[0] - start[0]) + (at[1] - start[1]) - (diagonal - walk.middle).abs();
            let is_inside = (0..2).all(|it| start[it] + GOOD_RUN <= at[it] && at[it] < end[it]);
            if gain > AHEAD * cost
                && gain > best.0
                && is_inside
                && self.equal_before(at, start) >= GOOD_RUN
            {
                best = (gain, Some(at));
            }
        }
        let at = best.1?;
        Some(Split {
            at,
            is_exact: [true, false],
        })
    }

    /// The same for the walk from the end.
    fn far_back(&self, walk: &Walk, Region { start, end }: Region, cost: i64) -> Option<Split> {
        let mut best = (0, None);
        for diagonal in walk.diagonals() {
            let old = self.backward[(self.zero + diagonal) as usize];
            let at = [old, old - diagonal];
            let gain = (end[0] - at[0]) + (end[1] - at[1]) - (diagonal - walk.middle).abs();
            let is_inside = (0..2).all(|it| start[it] < at[it] && at[it] <= end[it] - GOOD_RUN);
            if gain > AHEAD * cost
                && gain > best.0
                && is_inside
                && self.equal_after(at, end) >= GOOD_RUN
            {
                best = (gain, Some(at));
            }
        }
        let at = best.1?;
        Some(Split {
            at,
            is_exact: [false, true],
        })
    }

    /// The place that one of the walks has come furthest to.
    fn furthest(&self, ahead: &Walk, back: &Walk, Region { start, end }: Region) -> Split {
        let mut far = (-1, -1);
        for diagonal in ahead.diagonals() {
            let old = self.forward[(self.zero + diagonal) as usize].min(end[0]);
            let old = if old - diagonal > end[1] {
                end[1] + diagonal
            } else {
                old
            };
            let sum = old + old - diagonal;
            if far.0 < sum {
                far = (sum, old);
            }
        }
        let mut near = (i64::MAX, i64::MAX);
        for diagonal in back.diagonals() {
            let old = self.backward[(self.zero + diagonal) as usize].max(start[0]);
            let old = if old - diagonal < start[1] {
                start[1] + diagonal
            } else {
                old
            };
            let sum = old + old - diagonal;
            if sum < near.0 {
                near = (sum, old);
            }
        }
        let is_ahead = end[0] + end[1] - near.0 < far.0 - (start[0] + start[1]);
        let (sum, old) = if is_ahead { far } else { near };
        Split {
            at: [old, sum - old],
            is_exact: [is_ahead, !is_ahead],
        }
    }
}

impl Split {
    fn exact(at: [i64; 2]) -> Split {
        Split {
            at,
            is_exact: [true, true],
        }
    }
}

/// The diagonals that a walk has come to, every other one.
struct Walk {
    middle: i64,
    least: i64,
    most: i64,
    first: i64,
    last: i64,
}

impl Walk {
    fn new(middle: i64, least: i64, most: i64) -> Walk {
        Walk {
            middle,
            least,
            most,
            first: middle,
            last: middle,
        }
    }

    /// One diagonal more on each side, as far as there are some; beyond them stands `none`.
    fn widen(&mut self, reached: &mut [i64], zero: i64, none: i64) {
        if self.first > self.least {
            self.first -= 1;
            reached[(zero + self.first - 1) as usize] = none;
        } else {
            self.first += 1;
        }
        if self.last < self.most {
            self.last += 1;
            reached[(zero + self.last + 1) as usize] = none;
        } else {
            self.last -= 1;
        }
    }

    fn has(&self, diagonal: i64) -> bool {
        (self.first..=self.last).contains(&diagonal)
    }

    /// From the last to the first.
    fn diagonals(&self) -> impl Iterator<Item = i64> + use<> {
        (self.first..=self.last).rev().step_by(2)
    }
}
