//! Start-up: what modules, libraries and classes cost that are loaded.

use super::candidate::Candidate;
use super::finding::Certainty;
use super::kind::Kind;
use super::names::Does;
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, counted};

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    let weight = 1.0;
    propose_outermost(run, found, (Kind::StartUp, weight), |it| it == Does::Loads)
}

/// Proposes the outermost contexts that do something as one candidate, with all below them.
pub(super) fn propose_outermost(
    run: &Run<'_>,
    found: &mut Vec<Candidate>,
    (kind, weight): (Kind, f64),
    is: impl Fn(Does) -> bool + Copy,
) -> Result<(), Cancelled> {
    let is_outermost = |it: &ContextId| {
        let around = run.tree.parent(*it);
        run.does(*it).is_some_and(is) && !around.is_some_and(|it| run.lies_in(it, is))
    };
    let contexts: Vec<ContextId> = run.tree.ids().filter(is_outermost).collect();
    let all: u64 = contexts.iter().map(|&it| run.total(it)).sum();
    let calls: u64 = contexts.iter().map(|&it| run.calls(it)).sum();
    let largest = contexts
        .iter()
        .max_by_key(|&&it| (run.total(it), std::cmp::Reverse(it)));
    let Some(&largest) = largest.filter(|_| !run.is_little(all)) else {
        return Ok(());
    };
    let what = match (kind, run.does(largest)) {
        (Kind::StartUp, _) => "Loading modules, libraries or classes",
        (_, Some(Does::Compiles)) => "Compiling while the program runs",
        _ => "Garbage collection",
    };
    let mut functions: Vec<_> = contexts.iter().map(|&it| run.function(it)).collect();
    functions.sort_unstable();
    functions.dedup();
    let largest_function = run.function(largest);
    functions.retain(|&it| it != largest_function);
    functions.insert(0, largest_function);
    /// So many functions are named.
    const NAMED: usize = 3;
    functions.truncate(NAMED);
    let names: Vec<&str> = functions.iter().map(|&it| run.name_of(it)).collect();
    let mut said = format!("{what} takes {} in {}", run.show(all), names.join(", "));
    if run.counts_calls {
        said.push_str(&format!(" ({})", counted(calls, "call", "calls")));
    }
    found.push(Candidate {
        weight,
        functions,
        certainty: Certainty::Inferred,
        ..Candidate::of(
            kind,
            largest,
            contexts.iter().flat_map(|&it| run.subtree(it)).collect(),
            said,
        )
    });
    Ok(())
}
