//! Repeated work: a context is called many times for each call of its caller.
//!
//! If the inner of two nested repetitions has nearly all of the cost, both are one finding, and the factors multiply.

use std::collections::HashMap;

use super::candidate::Candidate;
use super::kind::Kind;
use super::limits::{REPEATED, SAME_CHAIN};
use super::names::Does;
use super::run::Run;
use super::same_arguments;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, FunctionId, grouped};

/// A chain of repetitions, outermost first.
struct Chain {
    links: Vec<ContextId>,
    caller: ContextId,
    is_own: bool,
}

/// How often a context is called for each call of another one.
fn factor(run: &Run<'_>, context: ContextId, caller: ContextId) -> f64 {
    run.calls(context) as f64 / run.calls(caller).max(1) as f64
}

/// Whether the caller makes the calls, and not the context itself by recursion.
fn is_by_caller(run: &Run<'_>, context: ContextId, caller: ContextId) -> bool {
    let entries = run.paths.entries[context.index()] as f64;
    entries >= REPEATED.value * run.calls(caller).max(1) as f64
}

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    if !run.counts_calls {
        return Ok(());
    }
    let is_of_runtime = |does| matches!(does, Does::Collects | Does::Compiles | Does::Loads);
    let mut chains: Vec<Chain> = Vec::new();
    let mut chain_of: HashMap<ContextId, usize> = HashMap::new();
    for context in run.tree.ids() {
        let Some(caller) = run.tree.parent(context) else {
            continue;
        };
        if run.is_little(run.total(context)) || factor(run, context, caller) < REPEATED.value {
            continue;
        }
        if run.lies_in(context, is_of_runtime) {
            continue;
        }
        let around = run
            .outwards(caller)
            .find_map(|it| chain_of.get(&it).copied());
        let mut chain = Chain {
            links: vec![context],
            caller,
            is_own: is_by_caller(run, context, caller),
        };
        if let Some(outer) = around.map(|it| &mut chains[it])
            && let Some(&inner) = outer.links.last()
            && run.total(context) as f64 >= SAME_CHAIN.value * run.total(inner) as f64
        {
            outer.is_own = false;
            chain.links = [&outer.links[..], &[context]].concat();
            chain.caller = outer.caller;
            chain.is_own = true;
        }
        chain_of.insert(context, chains.len());
        chains.push(chain);
    }
    let own = chains.iter().filter(|it| it.is_own);
    for chain in own {
        found.push(chain.candidate(run)?);
    }
    Ok(())
}

impl Chain {
    fn candidate(&self, run: &Run<'_>) -> Result<Candidate, Cancelled> {
        let (Some(&context), [outer @ .., _]) = (self.links.last(), &self.links[..]) else {
            // A chain has a link.
            let nothing = Candidate::of(Kind::Repeated, self.caller, Vec::new(), String::new());
            return Ok(nothing);
        };
        let times = factor(run, context, self.caller);
        let mut said = format!(
            "{} is called {}",
            run.name(context),
            for_each(run, times, self.caller)
        );
        for (place, &link) in outer.iter().enumerate() {
            let around = run.tree.parent(link).unwrap_or(self.caller);
            let times = for_each(run, factor(run, link, around), around);
            let joined = if place == 0 { ", through" } else { " and" };
            said.push_str(&format!("{joined} {} ({times})", run.name(link)));
        }
        let all = run.calls(context);
        if run.calls(self.caller) > 1 {
            said.push_str(&format!(", {} times in all", grouped(all)));
        }
        let around = run.tree.parent(context).unwrap_or(self.caller);
        let same = same_arguments::find(run, run.function(context), run.function(around))?;
        said.push_str(&same.map_or_else(String::new, |same| same.said(all)));
        let mut functions: Vec<FunctionId> = self
            .links
            .iter()
            .rev()
            .map(|&it| run.function(it))
            .collect();
        if let Some(mostly) = run.mostly(context) {
            said.push_str(&format!(
                ", with most of the cost in {}",
                run.name_of(mostly)
            ));
            functions.push(mostly);
        }
        Ok(Candidate {
            weight: (1.0 + times).log2(),
            functions,
            ..Candidate::of(Kind::Repeated, context, run.subtree(context), said)
        })
    }
}

/// `400 times for each call of totals`.
fn for_each(run: &Run<'_>, times: f64, caller: ContextId) -> String {
    let times = match times < 100.0 && times.fract() != 0.0 {
        true => format!("{times:.1}"),
        false => grouped(times.round() as u64),
    };
    let each = match run.calls(caller) {
        0 | 1 => "the one call",
        _ => "each call",
    };
    format!("{times} times for {each} of {}", run.name(caller))
}
