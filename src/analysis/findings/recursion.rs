//! Deep or wide recursion: a function is open many times at once, or calls itself very often for each call from outside.

use super::candidate::Candidate;
use super::kind::Kind;
use super::limits::{DEEP, RECURSION, REPEATED, WIDE};
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, grouped};

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    if !run.counts_calls {
        return Ok(());
    }
    let is_told = |&it: &ContextId| {
        let (calls, entries) = (run.calls(it) as f64, run.paths.entries[it.index()] as f64);
        let is_wide = calls >= WIDE.value * entries && entries < REPEATED.value;
        let is_deep = f64::from(run.paths.levels[it.index()]) >= DEEP.value;
        !run.is_little(run.total(it)) && entries > 0.0 && (is_wide || is_deep)
    };
    for context in run.tree.ids().filter(is_told) {
        let (calls, entries) = (run.calls(context), run.paths.entries[context.index()]);
        let mut functions = vec![run.function(context)];
        let mut said = format!(
            "{} calls itself: {} calls for {} from outside, up to {} open at once",
            run.name(context),
            grouped(calls),
            grouped(entries),
            grouped(run.paths.levels[context.index()].into())
        );
        if let Some(mostly) = run.mostly(context) {
            said.push_str(&format!(
                ", with most of the cost in {}",
                run.name_of(mostly)
            ));
            functions.push(mostly);
        }
        found.push(Candidate {
            weight: RECURSION.value * (1.0 + calls as f64 / entries as f64).log2(),
            functions,
            ..Candidate::of(Kind::Recursion, context, run.subtree(context), said)
        });
    }
    Ok(())
}
