//! One hot function: much of the cost is its own. And where a path of calls ends below which no function is hot.

use super::candidate::Candidate;
use super::claims::{Claim, Part};
use super::kind::Kind;
use super::limits::MOSTLY;
use super::run::Run;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, Cost, FunctionId, Unit, grouped};

/// The weight of a context that is hot with what it calls: it says less than a function.
const BELOW: f64 = 0.9;

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
        let own = |it: &ContextId| run.own[it.index()][0];
        let all: u64 = contexts.iter().map(own).sum();
        let Some(&hottest) = contexts
            .iter()
            .max_by_key(|it| (own(it), std::cmp::Reverse(**it)))
        else {
            continue;
        };
        if run.is_little(all) || does.is_some() {
            continue;
        }
        let function = run.function(hottest);
        let verb = match run.recording.unit() {
            Unit::Nanoseconds => "itself takes",
            Unit::Bytes => "itself allocates",
            _ => "itself costs",
        };
        let mut said = format!("{} {verb} {}", run.name(hottest), run.show(all));
        let calls: u64 = contexts.iter().map(|&it| run.calls(it)).sum();
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
        found.push(Candidate {
            functions: vec![function],
            ..Candidate::of(Kind::Hot, hottest, claims(contexts, Part::Running), said)
        });
    }
    below(run, found);
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
    Some(lines.place(hottest).line()).filter(|&line| is_most && line > 0)
}

/// The innermost context with half of the run whose cost is spread below it: nothing that it calls is hot.
fn below(run: &Run<'_>, found: &mut Vec<Candidate>) {
    let is_half = |it: &ContextId| 2 * run.total(*it) > run.whole();
    let Some(context) = run.tree.ids().filter(is_half).last() else {
        return;
    };
    if run.tree.parent(context).is_none() || run.mostly(context).is_some() {
        return;
    }
    let own: u64 = run.own[context.index()].iter().sum();
    if own as f64 >= MOSTLY.value * run.total(context) as f64 {
        return;
    }
    let below = run.tree.subtree(context).len().saturating_sub(1);
    let said = format!(
        "{} takes {} with the {} calling contexts below it, of which no function takes a quarter",
        run.name(context),
        run.show(run.total(context)),
        grouped(below as u64)
    );
    found.push(Candidate {
        weight: BELOW,
        functions: vec![run.function(context)],
        ..Candidate::of(Kind::Hot, context, run.subtree(context), said)
    });
}
