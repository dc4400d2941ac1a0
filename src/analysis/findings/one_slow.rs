//! One of many is slow: a call that takes far longer than the other calls of its context, and what it does then.

use std::collections::HashMap;

use super::candidate::Candidate;
use super::kind::Kind;
use super::limits::{LEAST_SHARE, SLOW, SLOW_PART};
use super::run::Run;
use super::series::{One, Series};
use callscape_base::progress::Cancelled;
use callscape_base::units::{FunctionId, TimeRange, grouped};

/// The calls of a slow one are read if they are fewer.
const MOST_READ: u32 = 1 << 20;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    found.extend(run.series.iter().filter_map(|it| slow(run, it)));
    Ok(())
}

fn slow(run: &Run<'_>, series: &Series) -> Option<Candidate> {
    let (place, slowest) = series
        .calls
        .iter()
        .enumerate()
        .max_by_key(|it| (it.1.cost, std::cmp::Reverse(it.0)))?;
    let mut costs: Vec<u64> = series.calls.iter().map(|it| it.cost).collect();
    costs.sort_unstable();
    let median = costs[costs.len() / 2];
    let all = run.total(series.context);
    let is_slow = slowest.cost as f64 >= SLOW.value * median.max(1) as f64
        && run.share(slowest.cost - median) >= LEAST_SHARE.value
        && slowest.cost as f64 >= SLOW_PART.value * all as f64;
    if !is_slow {
        return None;
    }
    let name = run.name(series.context);
    let many = grouped(series.calls.len() as u64);
    let (kind, which) = match place {
        0 => (Kind::StartUp, "the first of".to_owned()),
        place => (
            Kind::OneSlow,
            format!("call {} of", grouped(place as u64 + 1)),
        ),
    };
    let mut said = format!(
        "{which} {many} calls of {name} takes {}, and half of the others at most {}",
        run.show(slowest.cost),
        run.show(median)
    );
    let mut functions = vec![run.function(series.context)];
    if let Some((callee, cost)) = what_it_does(run, slowest) {
        said.push_str(&format!(
            ", {} of it in {}",
            run.show(cost),
            run.name_of(callee)
        ));
        functions.push(callee);
    }
    Some(Candidate {
        at_most: Some(slowest.cost),
        functions,
        when: Some((
            slowest.thread,
            TimeRange::new(slowest.call.start, slowest.call.end),
        )),
        ..Candidate::of(kind, series.context, run.subtree(series.context), said)
    })
}

/// What a slow call calls itself that takes most, if that is more than half of its cost.
fn what_it_does(run: &Run<'_>, slow: &One) -> Option<(FunctionId, u64)> {
    let call = slow.call;
    if call.triggered > MOST_READ {
        return None;
    }
    let mut costs: HashMap<FunctionId, u64> = HashMap::new();
    let numbers = slow.id.0..=slow.id.0.saturating_add(call.triggered);
    let range = TimeRange::new(call.start, call.end);
    let depth = call.depth.saturating_add(2);
    run.recording
        .trace
        .calls_in(slow.thread, range, depth, |id, callee| {
            if numbers.contains(&id.0) && callee.depth == call.depth + 1 {
                *costs.entry(callee.function).or_default() += run.cost(slow.thread, &callee);
            }
        });
    let most = costs
        .into_iter()
        .max_by_key(|&(function, cost)| (cost, std::cmp::Reverse(function)))?;
    (most.1 > slow.cost / 2).then_some(most)
}
