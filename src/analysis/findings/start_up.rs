//! Start-up: what modules, libraries and classes cost that are loaded.

use super::candidate::Candidate;
use super::finding::Certainty;
use super::kind::Kind;
use super::names::Does;
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::counted;

/// Maximum number of functions named.
const NAMED: usize = 3;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    found.extend(loads(
        run,
        Does::Loads,
        (Kind::StartUp, 1.0),
        "Loading modules, libraries or classes",
    ));
    Ok(())
}

/// The outermost contexts that do something as one candidate, with all below them.
pub(super) fn loads(
    run: &Run<'_>,
    does: Does,
    (kind, weight): (Kind, f64),
    what: &str,
) -> Option<Candidate> {
    let contexts = run.outermost(|it| it == does);
    let all = sum(contexts.iter().map(|&it| run.total(it)));
    let most = largest(&contexts, |it| run.total(it)).filter(|_| !run.is_little(all))?;
    let mut functions = vec![run.function(most)];
    for &context in &contexts {
        let function = run.function(context);
        if functions.len() < NAMED && !functions.contains(&function) {
            functions.push(function);
        }
    }
    let names: Vec<&str> = functions.iter().map(|&it| run.name_of(it)).collect();
    let mut said = format!("{what} takes {} in {}", run.show(all), names.join(", "));
    if run.counts_calls {
        said.push_str(&format!(
            " ({})",
            counted(run.calls_of(&contexts), "call", "calls")
        ));
    }
    let claims = contexts.iter().flat_map(|&it| run.subtree(it)).collect();
    Some(Candidate {
        weight,
        functions,
        certainty: Certainty::Inferred,
        ..Candidate::of(kind, most, claims, said)
    })
}
