//! Errors: exceptions that are thrown often, and calls that end with an error.

use super::candidate::Candidate;
use super::finding::{Certainty, Whole};
use super::kind::Kind;
use super::limits::{FAILED, THROWN};
use super::names::Does;
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, grouped};
use callscape_facts::frequency::percent;

/// Maximum number of functions named.
const NAMED: usize = 3;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    found.extend(failed(run));
    let contexts = run.outermost(|it| it == Does::Throws);
    let thrown = run.calls_of(&contexts);
    let most = largest(&contexts, |it| run.calls(it));
    let Some(most) = most.filter(|_| run.counts_calls && thrown as f64 >= THROWN.value) else {
        return Ok(());
    };
    let mut functions = vec![run.function(most)];
    let mut said = format!("{} throws {} exceptions", run.name(most), grouped(thrown));
    if let Some(caller) = run.tree.parent(most) {
        let times = grouped(run.calls(most));
        said.push_str(&format!(", {times} times by {}", run.name(caller)));
        functions.push(run.function(caller));
    }
    let claims = contexts.iter().flat_map(|&it| run.subtree(it)).collect();
    found.push(Candidate {
        functions,
        certainty: Certainty::Inferred,
        weight: (1.0 + thrown as f64).log2(),
        ..Candidate::of(Kind::Errors, most, claims, said)
    });
    Ok(())
}

/// Calls that end with an error, as spans do: how many, where most of them begin, and what fails around these.
fn failed(run: &Run<'_>) -> Option<Candidate> {
    let recording = run.recording;
    let fails = |it: ContextId| recording.failed(run.function(it)) > 0;
    let contexts: Vec<ContextId> = run.tree.ids().filter(|it| fails(*it)).collect();
    // An error ends the calls around it too.
    let begins = |it: &ContextId| {
        let mut below = run.tree.subtree(*it).skip(1).map(ContextId);
        !below.any(fails)
    };
    let first: Vec<ContextId> = contexts.iter().copied().filter(begins).collect();
    let count = |it: ContextId| recording.failed(run.function(it));
    let most = largest(&first, count)?;
    let function = run.function(most);
    let same = |it: &ContextId| run.function(*it) == function;
    let calls = sum(run.tree.ids().filter(same).map(|it| run.calls(it)));
    let share = count(most) as f64 / calls.max(1) as f64;
    if share < FAILED.value {
        return None;
    }
    let mut said = format!(
        "{} of {} calls of {} end with an error ({})",
        grouped(count(most)),
        grouped(calls),
        run.name(most),
        percent(share)
    );
    let mut functions = vec![function];
    let others = run.outwards(most).skip(1).filter(|it| fails(*it));
    for other in others.chain(first.iter().copied()) {
        let other = run.function(other);
        if !functions.contains(&other) && functions.len() < NAMED {
            functions.push(other);
        }
    }
    if let [_, others @ ..] = &functions[..]
        && !others.is_empty()
    {
        let names: Vec<&str> = others.iter().map(|&it| run.name_of(it)).collect();
        said.push_str(&format!(", as do calls of {}", names.join(", ")));
    }
    Some(Candidate {
        context: Some(most),
        functions,
        weight: (1.0 + count(most) as f64).log2(),
        ..Candidate::apart(Kind::Errors, share, Whole::Nothing, said)
    })
}
