//! Thresholds that nobody gave, and floors from which they are found.

use std::sync::Arc;

use rayon::prelude::*;

use super::calls::Calls;
use super::phase::{Parameters, Wish};
use super::prune;
use super::pruning::Pruning;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ThreadId};
use callscape_facts::trace::{Floor, Skeleton};

/// A start value leaves at least this many phases and gathered rows.
const ROWS: usize = 20;
/// The skeletons that thresholds are moved over have a floor that leaves about so many nodes, each with a few hundred
/// bytes.
const NODES: u64 = 20_000;
/// How many steps of 1, 2, 5, 10 … there are.
const MOST_STEPS: u32 = 57;

/// 1, 2, 5, 10, 20, 50 …
pub(super) fn step(number: u32) -> u64 {
    let digit = [1, 2, 5][number as usize % 3];
    10u64.saturating_pow(number / 3).saturating_mul(digit)
}

/// The cost that is as heavy as so many calls; at least a nanosecond, which a clock too coarse for calls would hide.
fn cost_of(calls: u64, short: Option<Cost>) -> Cost {
    let short = short.unwrap_or_default().ns().max(1);
    Cost::from_ns(short.saturating_mul(calls))
}

/// The floor of a skeleton that thresholds from `calls` on are found from.
fn floor(wish: &Wish, calls: u64, short: Option<Cost>) -> Floor {
    Floor {
        triggered: calls,
        cost: wish.cost.unwrap_or_else(|| cost_of(calls, short)),
    }
}

/// As [`Pruning::new`]. Where nothing but threads is wished for it is kept, and what is known is not looked for.
pub(super) fn pruning(
    trace: &impl Calls,
    wish: &Wish,
    progress: &Progress,
) -> Result<Pruning, Cancelled> {
    let Wish {
        calls,
        cost,
        short,
        within,
        ..
    } = wish;
    let known = trace.known();
    let is_of_all = |known: &Pruning| {
        let threads = known.skeletons.iter().map(|it| it.thread);
        threads.eq(wish.threads.iter().copied())
    };
    if (calls, cost, short, &within.range) != (&None, &None, &None, &None) {
        return find(trace, wish, known.as_ref(), progress);
    }
    if let Some(known) = known.as_ref().filter(|it| is_of_all(it)) {
        return Ok(known.clone());
    }
    let found = find(trace, wish, known.as_ref(), progress)?;
    trace.keep(&found);
    Ok(found)
}

fn find(
    trace: &impl Calls,
    wish: &Wish,
    known: Option<&Pruning>,
    progress: &Progress,
) -> Result<Pruning, Cancelled> {
    let short = match (wish.short, wish.cost, known) {
        (Some(short), ..) => Some(short),
        (None, Some(_), _) => None,
        (None, None, known) => match known.and_then(|it| it.short_of(&wish.threads)) {
            Some(known) => known,
            None => trace.typical_short_call(&wish.threads, progress)?,
        },
    };
    let known = known.and_then(|it| it.of_threads(&wish.threads));
    let build = |calls: u64| -> Result<Pruning, Cancelled> {
        let floor = floor(wish, calls, short);
        let known = known.as_ref().filter(|it| it.reaches(&floor));
        let known = known.and_then(|it| out_of(trace, it, wish, progress));
        let skeletons = match known {
            Some(known) => known?,
            None => skeletons(trace, wish, floor, progress)?,
        };
        Ok(Pruning {
            skeletons,
            short,
            short_by_thread: Vec::new(),
        })
    };
    if let Some(calls) = wish.calls {
        return build(calls);
    }
    let of_thread = |&thread: &ThreadId| trace.calls(thread);
    let all: u64 = wish.threads.iter().map(of_thread).sum();
    let mut number = 0;
    while all / step(number) > NODES {
        number += 1;
    }
    let mut calls = step(number);
    loop {
        let pruning = build(calls)?;
        if calls == 1 || prune::rows(&pruning.skeletons, &floor(wish, calls, short)) >= ROWS {
            return Ok(pruning);
        }
        calls = (calls / 100).max(1);
    }
}

/// The skeletons that are wished for out of those of all calls of the threads; none where that is not possible.
fn out_of(
    trace: &impl Calls,
    known: &Pruning,
    wish: &Wish,
    progress: &Progress,
) -> Option<Result<Arc<[Skeleton]>, Cancelled>> {
    if wish.within.range.is_none() {
        return Some(Ok(known.skeletons.clone()));
    }
    let of_thread = |whole: &Skeleton| trace.skeleton_out_of(whole, wish.within, progress);
    let found: Option<Result<Vec<_>, _>> = known.skeletons.par_iter().map(of_thread).collect();
    Some(found?.map(Arc::from))
}

/// The skeletons of the threads that are wished for, read side by side.
fn skeletons(
    trace: &impl Calls,
    wish: &Wish,
    floor: Floor,
    progress: &Progress,
) -> Result<Arc<[Skeleton]>, Cancelled> {
    let calls = wish.threads.iter().map(|&thread| trace.calls(thread));
    progress.start("searching for heavy calls", calls.sum());
    let of_thread = |&thread: &ThreadId| trace.skeleton(thread, floor, wish.within, progress);
    let found: Result<Vec<_>, _> = wish.threads.par_iter().map(of_thread).collect();
    Ok(found?.into())
}

/// As [`Pruning::parameters`].
pub(super) fn parameters(pruning: &Pruning, wish: &Wish) -> Parameters {
    let short = wish.short.or(pruning.short);
    let calls = wish
        .calls
        .unwrap_or_else(|| start_value(pruning, wish, short));
    Parameters {
        heavy: floor(wish, calls, short),
        short: short.filter(|_| wish.cost.is_none()),
        chose_calls: wish.calls.is_none(),
        chose_cost: wish.cost.is_none(),
        similarity: wish.similarity,
        alike: wish.alike,
    }
}

/// The largest of 1, 2, 5, 10 … calls that leaves enough rows; that of the floor where none does.
fn start_value(pruning: &Pruning, wish: &Wish, short: Option<Cost>) -> u64 {
    let lowest = pruning.skeletons.iter().map(|it| it.floor.triggered);
    let lowest = lowest.max().unwrap_or(1);
    let all: u64 = pruning.skeletons.iter().map(Skeleton::calls).sum();
    let roots = pruning.skeletons.iter().filter_map(|it| it.nodes.first());
    let costliest = roots.map(|root| root.cost).max().unwrap_or_default();
    // Above this nothing is heavy, neither alone nor together.
    let is_possible = |calls: u64| match wish.cost {
        Some(_) => calls <= all,
        None => floor(wish, calls, short).keeps(all, costliest),
    };
    let mut number = 0;
    while number < MOST_STEPS && is_possible(step(number)) {
        number += 1;
    }
    let steps = (0..number).rev().map(step);
    let mut steps = steps.take_while(|&calls| calls >= lowest);
    let found =
        steps.find(|&calls| prune::rows(&pruning.skeletons, &floor(wish, calls, short)) >= ROWS);
    found.unwrap_or(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_rise() {
        let steps: Vec<u64> = (0..8).map(step).collect();
        assert_eq!(steps, [1, 2, 5, 10, 20, 50, 100, 200]);
        assert!((1..MOST_STEPS).all(|number| step(number) > step(number - 1)));
    }
}
