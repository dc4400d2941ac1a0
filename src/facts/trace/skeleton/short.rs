//! What a typical short call costs.

use rayon::prelude::*;

use super::super::block::Block;
use super::super::call_columns::OPEN;
use super::super::raw_call::BLOCK;
use super::super::store::Store;
use super::super::waiting::preempted::Preempted;
use super::nodes::CostOf;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ThreadId};

/// Costs below this many nanoseconds are counted one by one, those above in buckets of a thousandth.
const EXACT_BITS: u32 = 16;
const PART_BITS: u32 = 10;
const BUCKETS: usize = (1 << EXACT_BITS) + (((u64::BITS - EXACT_BITS) as usize) << PART_BITS);
/// Blocks that one worker takes at a time.
const TOGETHER: usize = 1024;

fn bucket(cost: u64) -> usize {
    if cost < 1 << EXACT_BITS {
        return cost as usize;
    }
    let log = cost.ilog2();
    let part = (cost >> (log - PART_BITS)) as usize & ((1 << PART_BITS) - 1);
    (1 << EXACT_BITS) + (((log - EXACT_BITS) as usize) << PART_BITS) + part
}

/// A run of blocks of a thread.
#[derive(Clone, Copy)]
struct Part {
    thread: ThreadId,
    costs: CostOf,
    from: usize,
    to: usize,
}

fn parts(store: &Store, threads: &[ThreadId], costs: CostOf) -> Vec<Part> {
    let of_thread = |&thread: &ThreadId| {
        let blocks = store.thread(thread).tables.blocks.len();
        (0..blocks).step_by(TOGETHER).map(move |from| Part {
            thread,
            costs,
            from,
            to: (from + TOGETHER).min(blocks),
        })
    };
    threads.iter().flat_map(of_thread).collect()
}

/// Hands the costs of the calls without subcalls of a part to `each`.
fn for_each_cost(
    store: &Store,
    part: Part,
    progress: &Progress,
    mut each: impl FnMut(u64),
) -> Result<(), Cancelled> {
    let calls = store.thread(part.thread);
    let mut preempted = store.not_counted(part.thread, part.costs);
    let [mut triggered, mut costs, mut starts] = [const { Vec::new() }; 3];
    for index in part.from..part.to {
        let block: Block<'_> = calls.block(index);
        let range = 0..block.len;
        block.unpack_triggered(range.clone(), &mut triggered);
        block.unpack_costs(range.clone(), &mut costs);
        if preempted.is_empty() {
            let pairs = triggered.iter().zip(&costs);
            pairs
                .filter(|(triggered, _)| **triggered == 0)
                .for_each(|(_, &cost)| each(cost));
        } else {
            block.unpack_starts(range, &mut starts);
            less_preempted(&triggered, &costs, &starts, &mut preempted, &mut each);
        }
        // The last call of a block may be open at its end without a subcall.
        for open in calls.open_in_block(index) {
            if open.triggered == 0 {
                each(preempted.less(open.start, open.end));
            }
        }
        progress.add(block.len as u64)?;
    }
    Ok(())
}

fn less_preempted(
    triggered: &[u64],
    costs: &[u64],
    starts: &[u64],
    preempted: &mut Preempted,
    each: &mut impl FnMut(u64),
) {
    for ((&triggered, &cost), &start) in triggered.iter().zip(costs).zip(starts) {
        debug_assert!(triggered <= OPEN);
        if triggered == 0 {
            each(preempted.less(start, start.saturating_add(cost)));
        }
    }
}

/// As [`Trace::typical_short_call`](super::Trace::typical_short_call). One pass where it is below 65 µs, else two.
pub(super) fn median(
    store: &Store,
    threads: &[ThreadId],
    costs: CostOf,
    progress: &Progress,
) -> Result<Option<Cost>, Cancelled> {
    let calls = threads
        .iter()
        .map(|&thread| u64::from(store.thread(thread).len()));
    progress.start("searching for a typical short call", calls.sum());
    debug_assert!(TOGETHER * BLOCK < u32::MAX as usize);
    let parts = parts(store, threads, costs);
    let counts = counted(store, &parts, progress)?;
    middle(store, &parts, &counts, progress)
}

/// The median of each thread alone. As many passes as for all of them together.
pub(super) fn medians(store: &Store, progress: &Progress) -> Result<Vec<Option<Cost>>, Cancelled> {
    let of_thread = |thread: u32| {
        let parts = parts(store, &[ThreadId(thread)], CostOf::Running);
        let counts = counted(store, &parts, progress)?;
        middle(store, &parts, &counts, progress)
    };
    (0..store.infos.len() as u32).map(of_thread).collect()
}

/// By bucket of cost, how many calls without subcalls are in it.
fn counted(store: &Store, parts: &[Part], progress: &Progress) -> Result<Vec<u64>, Cancelled> {
    let counted = parts.par_iter().try_fold(
        || vec![0u64; BUCKETS],
        |mut counts, &part| {
            for_each_cost(store, part, progress, |cost| counts[bucket(cost)] += 1)?;
            Ok::<_, Cancelled>(counts)
        },
    );
    counted.try_reduce(
        || vec![0u64; BUCKETS],
        |mut a, b| {
            a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
            Ok(a)
        },
    )
}

/// The median of what is counted in parts.
fn middle(
    store: &Store,
    parts: &[Part],
    counts: &[u64],
    progress: &Progress,
) -> Result<Option<Cost>, Cancelled> {
    let total: u64 = counts.iter().sum();
    let Some(last) = total.checked_sub(1) else {
        return Ok(None);
    };
    let low = nth(store, parts, counts, last / 2, progress)?;
    let high = nth(store, parts, counts, total / 2, progress)?;
    Ok(Some(Cost::from_ns(low + (high.max(low) - low) / 2)))
}

/// The cost with `rank` among all, from 0.
fn nth(
    store: &Store,
    parts: &[Part],
    counts: &[u64],
    rank: u64,
    progress: &Progress,
) -> Result<u64, Cancelled> {
    let mut before = 0;
    let holds = |&(_, &count): &(usize, &u64)| {
        let found = rank < before + count;
        if !found {
            before += count;
        }
        found
    };
    let Some((found, _)) = counts.iter().enumerate().find(holds) else {
        return Ok(0);
    };
    if found < 1 << EXACT_BITS {
        return Ok(found as u64);
    }
    let gathered = parts.par_iter().map(|&part| {
        let mut costs = Vec::new();
        for_each_cost(store, part, progress, |cost| {
            if bucket(cost) == found {
                costs.push(cost);
            }
        })?;
        Ok(costs)
    });
    let gathered: Result<Vec<Vec<u64>>, Cancelled> = gathered.collect();
    let mut costs = gathered?.concat();
    let at = (rank - before) as usize;
    if at >= costs.len() {
        return Ok(0);
    }
    Ok(*costs.select_nth_unstable(at).1)
}
