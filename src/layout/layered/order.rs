//! Orders the places of each rank so that few edges cross: by barycentres of the rank before and of the one after, in
//! turns, and then by exchanging neighbours.

use super::crossings;
use super::net::{Kind, LEFT, Net, RIGHT};

/// The most sweeps over all ranks, and the most in a row that remove no crossing.
const SWEEPS: usize = 24;
const PATIENCE: usize = 6;

/// The same of nets with more places than `MANY`, whose neighbours are not exchanged on the way.
const MANY: usize = 700;
const SWEEPS_OF_MANY: usize = 10;
const PATIENCE_OF_MANY: usize = 2;

/// Orders all ranks. `held` says by item how far down it stood before: such items keep their order among each other.
pub(super) fn order(net: &mut Net, held: &[Option<f32>]) {
    let held = net.kinds.iter().map(|kind| match kind {
        Kind::Item(item) => held.get(*item as usize).copied().flatten(),
        _ => None,
    });
    let mut work = Work {
        held: held.collect(),
        ..Work::default()
    };
    let is_large = net.kinds.len() > MANY;
    let starts: &[usize] = if is_large { &[LEFT] } else { &[LEFT, RIGHT] };
    let first = net.ranks.clone();
    let mut best: Option<(u64, Vec<Vec<u32>>)> = None;
    for &side in starts {
        net.ranks.clone_from(&first);
        net.note_places();
        work.improve(net, side, is_large, &mut best);
    }
    if let Some((_, ranks)) = best {
        net.ranks = ranks;
        net.note_places();
    }
}

/// What ordering needs at hand.
#[derive(Default)]
struct Work {
    /// By place how far down it stood before.
    held: Vec<Option<f32>>,
    sorter: Sorter,
    counter: crossings::Counter,
    exchanger: Exchanger,
}

impl Work {
    /// Goes through all ranks, first from one side, as long as that helps; keeps the best in `best`.
    fn improve(
        &mut self,
        net: &mut Net,
        first: usize,
        is_large: bool,
        best: &mut Option<(u64, Vec<Vec<u32>>)>,
    ) {
        let (sweeps, patience) = match is_large {
            true => (SWEEPS_OF_MANY, PATIENCE_OF_MANY),
            false => (SWEEPS, PATIENCE),
        };
        let (mut least, mut idle) = (u64::MAX, 0);
        for sweep in 0..sweeps {
            let side = if sweep % 2 == 0 {
                first
            } else {
                LEFT + RIGHT - first
            };
            self.sweep(net, side);
            if !is_large {
                // What makes no difference is exchanged in every other sweep, which leads out of dead ends.
                self.exchanger.exchange(net, &self.held, sweep % 4 < 2);
            }
            let now = self.counter.all(net);
            if best.as_ref().is_none_or(|best| now < best.0) {
                *best = Some((now, net.ranks.clone()));
            }
            idle = if now < least { 0 } else { idle + 1 };
            least = least.min(now);
            if least == 0 || idle >= patience {
                break;
            }
        }
    }

    /// Sorts all ranks by what stands on one side of each.
    fn sweep(&mut self, net: &mut Net, side: usize) {
        let count = net.ranks.len();
        for step in 0..count {
            let rank = if side == LEFT { step } else { count - 1 - step };
            self.sorter.sort(net, rank, side, &self.held);
        }
    }
}

/// Sorts ranks, and keeps its memory.
#[derive(Default)]
struct Sorter {
    /// By place of a rank where it is drawn to.
    wishes: Vec<(f32, u32)>,
    chain: Vec<(f32, u32)>,
}

impl Sorter {
    /// Orders a rank by the barycentres of its neighbours on one side.
    fn sort(&mut self, net: &mut Net, rank: usize, side: usize, held: &[Option<f32>]) {
        self.wishes.clear();
        self.chain.clear();
        for (&place, at) in net.ranks[rank].iter().zip(0_u32..) {
            let around = net.sides[side].of(place);
            let sum: f32 = around
                .iter()
                .map(|&it| net.at[it as usize] as f32 + 0.5)
                .sum();
            let wish = match around.len() {
                0 => at as f32 + 0.5,
                count => sum / count as f32,
            };
            match held[place as usize] {
                Some(_) => self.chain.push((wish, place)),
                None => self.wishes.push((wish, place)),
            }
        }
        if !self.chain.is_empty() {
            let before = |place: u32| held[place as usize].unwrap_or(0.0);
            self.chain
                .sort_by(|a, b| before(a.1).total_cmp(&before(b.1)).then(a.1.cmp(&b.1)));
            make_rising(&mut self.chain);
            // Of equal wishes what is held stands first, in its order.
            self.chain.append(&mut self.wishes);
            std::mem::swap(&mut self.chain, &mut self.wishes);
        }
        let class = |place: u32| net.classes[place as usize];
        self.wishes
            .sort_by(|a, b| class(a.1).cmp(&class(b.1)).then(a.0.total_cmp(&b.0)));
        for (at, &(_, place)) in self.wishes.iter().enumerate() {
            net.ranks[rank][at] = place;
            net.at[place as usize] = at as u32;
        }
    }
}

/// The nearest numbers that do not fall: neighbours that fall are replaced by their mean.
fn make_rising(numbers: &mut [(f32, u32)]) {
    let mut pools: Vec<(f32, usize)> = Vec::with_capacity(numbers.len());
    for &(number, _) in numbers.iter() {
        let mut pool = (number, 1_usize);
        while let Some(&(mean, count)) = pools.last()
            && mean > pool.0
        {
            pools.pop();
            let all = count + pool.1;
            pool = (
                (mean * count as f32 + pool.0 * pool.1 as f32) / all as f32,
                all,
            );
        }
        pools.push(pool);
    }
    let mut next = 0;
    for (mean, count) in pools {
        for number in &mut numbers[next..next + count] {
            number.0 = mean;
        }
        next += count;
    }
}

/// Exchanges neighbours, and keeps its memory.
#[derive(Default)]
struct Exchanger {
    /// By place of a rank where its neighbours stand, on one side and on the other.
    around: Vec<[Vec<u32>; 2]>,
}

impl Exchanger {
    /// Exchanges neighbours in all ranks as long as that takes crossings away; once also where it makes no difference.
    fn exchange(&mut self, net: &mut Net, held: &[Option<f32>], also_equal: bool) {
        const PASSES: usize = 4;
        for pass in 0..PASSES {
            let mut has_changed = false;
            for rank in 0..net.ranks.len() {
                has_changed |= self.exchange_in(net, rank, held, also_equal && pass == 0);
            }
            if !has_changed {
                break;
            }
        }
    }

    fn exchange_in(
        &mut self,
        net: &mut Net,
        rank: usize,
        held: &[Option<f32>],
        also_equal: bool,
    ) -> bool {
        let count = net.ranks[rank].len();
        if self.around.len() < count {
            self.around.resize_with(count, Default::default);
        }
        for (&place, around) in net.ranks[rank].iter().zip(&mut self.around) {
            for (side, around) in around.iter_mut().enumerate() {
                around.clear();
                around.extend(
                    net.sides[side]
                        .of(place)
                        .iter()
                        .map(|&it| net.at[it as usize]),
                );
                around.sort_unstable();
            }
        }
        let mut has_gained = false;
        for at in 1..count {
            let [a, b] = [net.ranks[rank][at - 1], net.ranks[rank][at]].map(|it| it as usize);
            let are_held = held[a].is_some() && held[b].is_some();
            if are_held || net.classes[a] != net.classes[b] {
                continue;
            }
            let sides = self.around[at - 1].iter().zip(&self.around[at]);
            let gain: i64 = sides.map(|(a, b)| crossed(a, b) - crossed(b, a)).sum();
            if gain > 0 || (also_equal && gain == 0) {
                net.ranks[rank].swap(at - 1, at);
                net.at.swap(a, b);
                self.around.swap(at - 1, at);
                has_gained |= gain > 0;
            }
        }
        has_gained
    }
}

/// How many edges cross where one place stands above another, whose neighbours are sorted.
fn crossed(above: &[u32], below: &[u32]) -> i64 {
    let (mut count, mut less) = (0, 0);
    for &it in above {
        while less < below.len() && below[less] < it {
            less += 1;
        }
        count += less as i64;
    }
    count
}
