//! One hot function: much of the cost is its own. And contexts whose cost is spread over what they call.

use super::candidate::Candidate;
use super::claims::{Claim, Part};
use super::kind::Kind;
use super::limits::{NAMELESS, SPREAD, WHOLE};
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, Cost, FunctionId, Unit, grouped};

/// Names that can mean any function.
const NAMELESS_NAMES: [&str; 7] = [
    "(program)",
    "(root)",
    "[unknown]",
    "unknown",
    "??",
    "???",
    "",
];

/// By function, its contexts.
pub(super) fn by_function(run: &Run<'_>) -> Vec<Vec<ContextId>> {
    let mut contexts = vec![Vec::new(); run.recording.functions.len()];
    for context in run.tree.ids() {
        if run.own[context.index()] != [0, 0] {
            contexts[run.function(context).index()].push(context);
        }
    }
    contexts
}

/// The own costs of contexts.
pub(super) fn claims(contexts: &[ContextId], part: Part) -> Vec<Claim> {
    let of = |it: &ContextId| Claim {
        contexts: it.0..it.0 + 1,
        part,
    };
    contexts.iter().map(of).collect()
}

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    for (contexts, does) in by_function(run).iter().zip(&run.does) {
        let own = |it: ContextId| run.own[it.index()][0];
        let all = sum(contexts.iter().map(|&it| own(it)));
        let hottest = largest(contexts, own).filter(|_| !run.is_little(all) && does.is_none());
        let Some(hottest) = hottest else { continue };
        let function = run.function(hottest);
        let verb = match run.recording.unit() {
            Unit::Nanoseconds => "itself takes",
            Unit::Bytes => "itself allocates",
            _ => "itself costs",
        };
        let mut said = format!("{} {verb} {}", run.name(hottest), run.show(all));
        let calls = run.calls_of(contexts);
        if run.counts_calls && calls > 1 {
            said.push_str(&format!(" in {} calls", grouped(calls)));
        }
        if let Some(line) = hottest_line(run, function) {
            said.push_str(&format!(", most of it in line {line}"));
        }
        if contexts.len() > 1 {
            let times = grouped(contexts.len() as u64);
            said.push_str(&format!(", in {times} calling contexts"));
        }
        let is_nameless = NAMELESS_NAMES.contains(&run.name(hottest));
        found.push(Candidate {
            weight: if is_nameless { NAMELESS.value } else { 1.0 },
            functions: vec![function],
            ..Candidate::of(Kind::Hot, hottest, claims(contexts, Part::Running), said)
        });
    }
    spread(run, found);
    Ok(())
}

/// The line of a function that costs most, if that is more than half of what its lines cost.
fn hottest_line(run: &Run<'_>, function: FunctionId) -> Option<u32> {
    let lines = run.recording.lines.as_ref()?;
    let value = run.recording.value();
    let of = lines.of_function(function);
    let all: Cost = of.clone().map(|it| lines.own(value, it)).sum();
    let hottest = of.clone().max_by_key(|&it| lines.own(value, it))?;
    let is_most = of.len() > 1 && lines.own(value, hottest).ns() > all.ns() / 2;
    let place = lines.place(hottest);
    let is_own = lines.other_file(place).is_none();
    Some(place.line()).filter(|&line| is_most && is_own && line > 0)
}

/// Contexts whose cost is spread: nothing that they call has much of the run.
fn spread(run: &Run<'_>, found: &mut Vec<Candidate>) {
    let is_much = |it: &ContextId| !run.is_little(run.total(*it));
    for context in run.tree.ids().filter(is_much) {
        let own = sum(run.own[context.index()]);
        let total = run.total(context);
        let is_whole = run.tree.parent(context).is_none() || run.share(total) > WHOLE.value;
        let has_it = 2 * own >= total;
        let calls_much = run.tree.children(Some(context)).any(|it| is_much(&it));
        if is_whole
            || has_it
            || calls_much
            || run.outwards(context).any(|it| run.does(it).is_some())
        {
            continue;
        }
        let said = format!(
            "{} takes {} with its callees, spread over {} calling contexts",
            run.name(context),
            run.show(total),
            grouped(run.tree.subtree(context).len() as u64),
        );
        found.push(Candidate {
            weight: SPREAD.value,
            functions: vec![run.function(context)],
            ..Candidate::of(Kind::Hot, context, run.subtree(context), said)
        });
    }
}
