//! One at a time: threads that run the same function take turns.

use std::collections::HashMap;

use super::candidate::Candidate;
use super::claims::{Claim, Part};
use super::finding::Certainty;
use super::instants::{Seen, at_instants};
use super::kind::Kind;
use super::limits::{IDLE, INSTANTS, TURNS, TURNS_WEIGHT};
use super::names::Does;
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, FunctionId};

/// What the threads in one function did at the instants at which there were several.
#[derive(Clone, Copy, Default)]
struct Turns {
    instants: u64,
    /// Exactly one was in a callee, and the others in the function itself.
    one_below: u64,
    /// Exactly one did not wait.
    one_runs: u64,
    /// The others waited for work.
    idle: u64,
    /// The most threads.
    threads: usize,
}

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    let trace = &run.recording.trace;
    let threads = trace
        .threads()
        .iter()
        .filter(|it| it.lane == 0 && it.calls > 0);
    if run.recording.profile.is_some() || !run.counts_calls || threads.count() < 2 {
        return Ok(());
    }
    let turns = look(run)?;
    let mut turns: Vec<(FunctionId, Turns)> = turns.into_iter().collect();
    turns.sort_by_key(|it| it.0);
    for (function, turns) in turns {
        let least = (TURNS.value * turns.instants as f64).max(INSTANTS.value / 16.0);
        let [calls, runs] = [turns.one_below, turns.one_runs].map(|it| it as f64 >= least);
        if !calls && !runs {
            continue;
        }
        let of = |it: &ContextId| run.function(*it) == function;
        let contexts: Vec<ContextId> = run.tree.ids().filter(of).collect();
        let (claims, said) = match calls {
            true => (
                super::hot::claims(&contexts, Part::Running),
                "calls anything",
            ),
            false => (waits_below(run, &contexts), "runs, while the others wait"),
        };
        let cost = |it: &Claim| {
            let own = it.contexts.clone().map(|it| run.own[it as usize]);
            sum(own.map(|own| {
                if it.part == Part::Waiting {
                    own[1]
                } else {
                    sum(own)
                }
            }))
        };
        let all = sum(claims.iter().map(cost));
        let longest = largest(&contexts, |it| run.total(it)).filter(|_| !run.is_little(all));
        let Some(longest) = longest else { continue };
        found.push(Candidate {
            weight: match !calls && 2 * turns.idle > turns.instants {
                true => IDLE.value,
                false => TURNS_WEIGHT.value,
            },
            functions: vec![function],
            certainty: Certainty::Inferred,
            ..Candidate::of(
                Kind::OneAtATime,
                longest,
                claims,
                format!(
                    "up to {} threads are in {} at once, but only one at a time {said}",
                    turns.threads,
                    run.name_of(function)
                ),
            )
        });
    }
    Ok(())
}

/// What waits below some contexts.
fn waits_below(run: &Run<'_>, contexts: &[ContextId]) -> Vec<Claim> {
    let below = contexts
        .iter()
        .flat_map(|&it| run.tree.subtree(it))
        .map(ContextId);
    let claim = |it: ContextId| Claim {
        contexts: it.0..it.0 + 1,
        part: match run.does(it).is_some_and(Does::waits) {
            true => Part::Both,
            false => Part::Waiting,
        },
    };
    below.map(claim).collect()
}

/// By function that several threads are in at once, what they do.
fn look(run: &Run<'_>) -> Result<HashMap<FunctionId, Turns>, Cancelled> {
    let mut turns = HashMap::new();
    at_instants(run, |seen| count(seen, &mut turns))?;
    Ok(turns)
}

/// Counts an instant for each function that several threads are in.
fn count(seen: &[Seen], turns: &mut HashMap<FunctionId, Turns>) {
    let mut inside: HashMap<FunctionId, Vec<&Seen>> = HashMap::new();
    for thread in seen {
        for &function in &thread.inside {
            inside.entry(function).or_default().push(thread);
        }
    }
    for (function, threads) in inside {
        if threads.len() < 2 {
            continue;
        }
        let of = turns.entry(function).or_default();
        let below = threads.iter().filter(|it| it.leaf != function).count();
        let running = threads.iter().filter(|it| !it.waits).count();
        of.instants += 1;
        of.one_below += u64::from(below == 1);
        of.one_runs += u64::from(running == 1);
        of.idle += u64::from(
            threads
                .iter()
                .all(|it| it.does.is_some_and(Does::is_idle) == it.waits),
        );
        of.threads = of.threads.max(threads.len());
    }
}
