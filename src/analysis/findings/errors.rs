//! Errors: exceptions that are thrown often.

use super::candidate::{Candidate, Explained};
use super::finding::Certainty;
use super::kind::Kind;
use super::limits::THROWN;
use super::names::Does;
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, grouped};

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    if !run.counts_calls {
        return Ok(());
    }
    let throws = |it: &ContextId| {
        let around = run.tree.parent(*it);
        let is = |does| does == Does::Throws;
        run.does(*it).is_some_and(is) && !around.is_some_and(|it| run.lies_in(it, is))
    };
    let contexts: Vec<ContextId> = run.tree.ids().filter(throws).collect();
    let calls: u64 = contexts.iter().map(|&it| run.calls(it)).sum();
    let most = contexts
        .iter()
        .max_by_key(|&&it| (run.calls(it), std::cmp::Reverse(it)));
    let Some(&most) = most.filter(|_| calls as f64 >= THROWN.value) else {
        return Ok(());
    };
    let caller = run.tree.parent(most);
    let by = caller.map_or(String::new(), |it| {
        let times = grouped(run.calls(most));
        format!(", {times} times by {}", run.name(it))
    });
    let said = format!(
        "{} throws {} exceptions{by}",
        run.name(most),
        grouped(calls)
    );
    let claims = contexts.iter().flat_map(|&it| run.subtree(it)).collect();
    found.push(Candidate {
        functions: [Some(most), caller]
            .into_iter()
            .flatten()
            .map(|it| run.function(it))
            .collect(),
        certainty: Certainty::Inferred,
        weight: (1.0 + calls as f64).log2(),
        of: Explained::Contexts(claims),
        ..Candidate::of(Kind::Errors, most, Vec::new(), said)
    });
    Ok(())
}
