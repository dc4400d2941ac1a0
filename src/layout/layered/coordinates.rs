//! How far down each place stands: U. Brandes, B. Köpf, *Fast and simple horizontal coordinate assignment*, 2001, turned
//! by a quarter, with heights, and with lines that begin and end at ports (U. Rüegg et al., *Size- and port-aware
//! horizontal node coordinate assignment*, 2015).
//!
//! Places are lined up in blocks with the middle one of their neighbours, from the left or from the right, and the blocks
//! pushed together, upwards or downwards: four ways, of which each place has the mean of the middle two.

use super::net::{LEFT, Lists, Net, RIGHT};

/// A piece of an edge between two neighbouring ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    pub left: u32,
    pub right: u32,
    /// Where it begins and ends, from the tops of both.
    pub out: f32,
    pub into: f32,
}

/// What is to be placed.
pub(super) struct Places<'a> {
    pub net: &'a Net,
    pub segments: &'a [Segment],
    pub heights: &'a [f32],
    /// How far apart two neighbours of a rank are at least.
    pub gap: &'a dyn Fn(u32, u32) -> f32,
}

/// Whose neighbours a place is lined up with, and where blocks are pushed to.
#[derive(Clone, Copy)]
struct Way {
    from_left: bool,
    downwards: bool,
}

impl Places<'_> {
    /// By place how far down its top is: no two of a rank overlap. O(places + segments log).
    pub(super) fn tops(&self) -> Vec<f32> {
        let count = self.heights.len();
        let sides = self.by_side();
        let crossed = self.crossed(&sides);
        let mut found: Vec<Vec<f32>> = Vec::with_capacity(4);
        for from_left in [true, false] {
            for downwards in [false, true] {
                let way = Way {
                    from_left,
                    downwards,
                };
                let (roots, shifts) = self.line_up(way, &sides, &crossed);
                found.push(self.push(way, &roots, &shifts));
            }
        }
        let extents = |tops: &[f32]| {
            let least = tops.iter().copied().fold(f32::MAX, f32::min);
            let ends = tops
                .iter()
                .zip(self.heights)
                .map(|(top, height)| top + height);
            (least, ends.fold(f32::MIN, f32::max))
        };
        let all: Vec<(f32, f32)> = found.iter().map(|it| extents(it)).collect();
        let narrow = all.iter().copied().reduce(|best, it| {
            if it.1 - it.0 < best.1 - best.0 {
                it
            } else {
                best
            }
        });
        let (least, most) = narrow.unwrap_or_default();
        for (number, (tops, of)) in found.iter_mut().zip(&all).enumerate() {
            let by = match number % 2 {
                0 => least - of.0,
                _ => most - of.1,
            };
            tops.iter_mut().for_each(|top| *top += by);
        }
        let mean = |place: usize| {
            let mut four: [f32; 4] = std::array::from_fn(|way| found[way][place]);
            four.sort_by(f32::total_cmp);
            (four[1] + four[2]) * 0.5
        };
        (0..count).map(mean).collect()
    }

    /// By side and place the segments there, from the top.
    fn by_side(&self) -> [Lists; 2] {
        let count = self.heights.len();
        let numbers = self.segments.iter().zip(0..);
        let mut sides = [
            Lists::new(
                count,
                numbers.clone().map(|(it, number)| (it.right, number)),
            ),
            Lists::new(count, numbers.map(|(it, number)| (it.left, number))),
        ];
        let at = |place: u32| self.net.at[place as usize];
        for (side, all) in sides.iter_mut().enumerate() {
            for place in 0..count as u32 {
                let segments = all.of_mut(place);
                if segments.len() < 2 {
                    continue;
                }
                segments.sort_by(|&a, &b| {
                    let [a, b] = [a, b].map(|it| &self.segments[it as usize]);
                    match side {
                        LEFT => at(a.left).cmp(&at(b.left)).then(a.into.total_cmp(&b.into)),
                        _ => at(a.right).cmp(&at(b.right)).then(a.out.total_cmp(&b.out)),
                    }
                });
            }
        }
        sides
    }

    /// By segment whether it crosses one between two bends: these are to be straight.
    fn crossed(&self, sides: &[Lists; 2]) -> Vec<bool> {
        let mut crossed = vec![false; self.segments.len()];
        let is_bend = |place: u32| !self.net.kinds[place as usize].is_item();
        let at = |place: u32| self.net.at[place as usize];
        for pair in self.net.ranks.windows(2) {
            let (mut from, mut next) = (0, 0);
            for (number, &place) in pair[1].iter().enumerate() {
                let of_place = sides[LEFT].of(place);
                let inner = of_place.first().map(|&it| self.segments[it as usize].left);
                let inner = inner.filter(|&left| is_bend(place) && is_bend(left));
                if inner.is_none() && number + 1 < pair[1].len() {
                    continue;
                }
                let to = inner.map_or(pair[0].len() as u32, at);
                while next <= number {
                    for &segment in sides[LEFT].of(pair[1][next]) {
                        let left = at(self.segments[segment as usize].left);
                        crossed[segment as usize] = left < from || left > to;
                    }
                    next += 1;
                }
                from = to;
            }
        }
        crossed
    }

    /// By place the one at the beginning of its block, and how far down it stands from that.
    fn line_up(&self, way: Way, sides: &[Lists; 2], crossed: &[bool]) -> (Vec<u32>, Vec<f32>) {
        let count = self.heights.len();
        let mut roots: Vec<u32> = (0..count as u32).collect();
        let mut shifts = vec![0.0_f32; count];
        let ranks = self.net.ranks.len();
        let side = if way.from_left { LEFT } else { RIGHT };
        for number in 0..ranks {
            let rank = match way.from_left {
                true => &self.net.ranks[number],
                false => &self.net.ranks[ranks - 1 - number],
            };
            // The last one that was lined up with: blocks do not cross.
            let mut last: Option<u32> = None;
            for step in 0..rank.len() {
                let place = match way.downwards {
                    false => rank[step],
                    true => rank[rank.len() - 1 - step],
                };
                let around = sides[side].of(place);
                if around.is_empty() {
                    continue;
                }
                let mut middles = [(around.len() - 1) / 2, around.len() / 2];
                if way.downwards {
                    middles.reverse();
                }
                for middle in middles {
                    let number = around[middle];
                    let segment = &self.segments[number as usize];
                    let (other, shift) = match way.from_left {
                        true => (segment.left, segment.out - segment.into),
                        false => (segment.right, segment.into - segment.out),
                    };
                    let at = self.net.at[other as usize];
                    let is_free =
                        last.is_none_or(|last| if way.downwards { at < last } else { at > last });
                    if crossed[number as usize] || !is_free {
                        continue;
                    }
                    last = Some(at);
                    roots[place as usize] = roots[other as usize];
                    shifts[place as usize] = shifts[other as usize] + shift;
                    break;
                }
            }
        }
        (roots, shifts)
    }

    /// Pushes blocks together; the tops of all places.
    fn push(&self, way: Way, roots: &[u32], shifts: &[f32]) -> Vec<f32> {
        let count = self.heights.len();
        // Which block keeps which away, and how far. Pushed downwards all is seen upside down.
        let mut pushes: Vec<(u32, u32, f32)> = Vec::with_capacity(count);
        let mut before = vec![0_u32; count];
        for rank in &self.net.ranks {
            for pair in rank.windows(2) {
                let [above, below] = [pair[0], pair[1]];
                let [a, b] = [above, below].map(|it| it as usize);
                let apart = shifts[a] + self.heights[a] + (self.gap)(above, below) - shifts[b];
                let (from, to) = match way.downwards {
                    false => (roots[a], roots[b]),
                    true => (roots[b], roots[a]),
                };
                pushes.push((from, to, apart));
                before[to as usize] += 1;
            }
        }
        let after = Lists::new(
            count,
            pushes.iter().zip(0..).map(|(it, number)| (it.0, number)),
        );
        let push = |number: &u32| {
            let (_, to, apart) = pushes[*number as usize];
            (to as usize, apart)
        };
        let mut order: Vec<u32> = (0..count as u32)
            .filter(|&it| roots[it as usize] == it && before[it as usize] == 0)
            .collect();
        let mut far = vec![0.0_f32; count];
        let mut next = 0;
        while let Some(&block) = order.get(next) {
            next += 1;
            for (to, apart) in after.of(block).iter().map(push) {
                far[to] = far[to].max(far[block as usize] + apart);
                before[to] -= 1;
                if before[to] == 0 {
                    order.push(to as u32);
                }
            }
        }
        // What has room goes to what it stands beside.
        for &block in order.iter().rev() {
            let after = after.of(block).iter().map(push);
            let most = after.map(|(to, apart)| far[to] - apart);
            if let Some(most) = most.reduce(f32::min) {
                far[block as usize] = far[block as usize].max(most);
            }
        }
        let top = |place: usize| {
            let far = far[roots[place] as usize];
            match way.downwards {
                false => far + shifts[place],
                true => shifts[place] - far,
            }
        };
        (0..count).map(top).collect()
    }
}
