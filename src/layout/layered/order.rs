//! Orders the places of each rank so that few edges cross: by barycentres of the rank before and of the one after, in
//! turns, and then by exchanging neighbours.

use super::crossings;
use super::net::{Kind, LEFT, Net, RIGHT};

/// How often all ranks are gone through at most, and how often without fewer crossings.
const SWEEPS: usize = 14;
const PATIENCE: usize = 3;

/// Beyond so many bends and edges neighbours are no longer exchanged.
const MANY: usize = 4_000;

/// Orders all ranks. `held` says by item how far down it stood before: such items keep their order among each other.
pub fn order(net: &mut Net, held: &[Option<f32>]) {
    let held: Vec<Option<f32>> = net
        .kinds
        .iter()
        .map(|kind| match kind {
            Kind::Item(item) => held.get(*item as usize).copied().flatten(),
            _ => None,
        })
        .collect();
    let mut sorter = Sorter::default();
    for rank in 0..net.ranks.len() {
        sorter.sort(net, rank, LEFT, &held);
    }
    let mut crossed = crossings::Counter::default();
    let mut best = (crossed.all(net), net.ranks.clone());
    let mut idle = 0;
    for sweep in 0..SWEEPS {
        if best.0 == 0 || idle >= PATIENCE {
            break;
        }
        let count = net.ranks.len();
        match sweep % 2 {
            0 => (0..count)
                .rev()
                .for_each(|rank| sorter.sort(net, rank, RIGHT, &held)),
            _ => (0..count).for_each(|rank| sorter.sort(net, rank, LEFT, &held)),
        }
        let now = crossed.all(net);
        if now < best.0 {
            best = (now, net.ranks.clone());
            idle = 0;
        } else {
            idle += 1;
        }
    }
    net.ranks = best.1;
    net.note_places();
    if best.0 > 0 && net.kinds.len() < MANY {
        exchange(net, &held);
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
            let around = &net.sides[side][place as usize];
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

/// Exchanges neighbours in a rank as long as that takes crossings away.
fn exchange(net: &mut Net, held: &[Option<f32>]) {
    const PASSES: usize = 8;
    let mut around: [Vec<u32>; 2] = Default::default();
    for _ in 0..PASSES {
        let mut has_changed = false;
        for rank in 0..net.ranks.len() {
            for at in 1..net.ranks[rank].len() {
                let [a, b] = [net.ranks[rank][at - 1], net.ranks[rank][at]];
                let are_held = held[a as usize].is_some() && held[b as usize].is_some();
                if are_held || net.classes[a as usize] != net.classes[b as usize] {
                    continue;
                }
                let mut gain = 0_i64;
                for side in [LEFT, RIGHT] {
                    for (sorted, place) in around.iter_mut().zip([a, b]) {
                        sorted.clear();
                        sorted.extend(
                            net.sides[side][place as usize]
                                .iter()
                                .map(|&it| net.at[it as usize]),
                        );
                        sorted.sort_unstable();
                    }
                    let [of_a, of_b] = &around;
                    gain += crossed(of_a, of_b) - crossed(of_b, of_a);
                }
                if gain > 0 {
                    net.ranks[rank].swap(at - 1, at);
                    net.at.swap(a as usize, b as usize);
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            break;
        }
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
