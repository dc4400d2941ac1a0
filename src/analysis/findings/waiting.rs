//! Waiting: for locks, disks and networks, or asleep. Recorded, or concluded from the names of functions that wait.

use super::candidate::Candidate;
use super::claims::Part;
use super::finding::Certainty;
use super::hot::{by_function, claims};
use super::kind::Kind;
use super::limits::{IDLE, WAITS};
use super::names::Does;
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, Unit, counted};

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    if *run.recording.unit() == Unit::Bytes {
        return Ok(());
    }
    for (contexts, does) in by_function(run).iter().zip(&run.does) {
        let does = does.filter(|it| it.waits());
        let part = match does {
            Some(_) => Part::Both,
            None => Part::Waiting,
        };
        let cost = |it: ContextId| {
            let [running, waiting] = run.own[it.index()];
            waiting + if does.is_some() { running } else { 0 }
        };
        let all = sum(contexts.iter().map(|&it| cost(it)));
        let recorded = sum(contexts.iter().map(|it| run.own[it.index()][1]));
        let longest = largest(contexts, cost).filter(|_| !run.is_little(all));
        let Some(longest) = longest else { continue };
        let joins = run.lies_in(longest, |it| it == Does::Joins);
        let does = if joins { Some(Does::Joins) } else { does };
        let calls = run.calls_of(contexts);
        // Another program may have had the processor.
        let is_known = run.knows_why || does.is_some();
        let verb = match does {
            Some(Does::Sleeps) => "sleeps",
            _ if is_known => "waits",
            _ => "is off the processor for",
        };
        let mut said = format!(
            "{} {} {}{}",
            run.name(longest),
            verb,
            run.show(all),
            does.map_or("", Does::waits_for)
        );
        if run.counts_calls {
            said.push_str(&format!(" in {}", counted(calls, "call", "calls")));
        }
        let is_idle = does.is_some_and(Does::is_idle);
        found.push(Candidate {
            weight: match is_idle {
                true => IDLE.value,
                false if !is_known => 1.0,
                false if run.counts_calls => WAITS.value.max((1.0 + calls as f64).log2()),
                false => WAITS.value,
            },
            functions: vec![run.function(longest)],
            certainty: match 2 * recorded >= all {
                true => Certainty::Measured,
                false => Certainty::Inferred,
            },
            ..Candidate::of(Kind::Waiting, longest, claims(contexts, part), said)
        });
    }
    Ok(())
}
