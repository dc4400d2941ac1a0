//! Errors: exceptions that are thrown often.

use super::candidate::Candidate;
use super::finding::Certainty;
use super::kind::Kind;
use super::limits::THROWN;
use super::names::Does;
use super::run::{Run, largest};
use callscape_base::progress::Cancelled;
use callscape_base::units::grouped;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
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
