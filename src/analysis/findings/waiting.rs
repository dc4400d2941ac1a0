//! Waiting: for locks, disks and networks, or asleep. Recorded, or concluded from the names of functions that wait.

use std::collections::HashMap;

use super::candidate::Candidate;
use super::claims::Part;
use super::finding::Certainty;
use super::hot::{by_function, claims};
use super::instants::at_instants;
use super::kind::Kind;
use super::limits::{IDLE, WAITS};
use super::names::Does;
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, FunctionId, Unit, counted, grouped};
use callscape_facts::trace::LinkKind;

/// Maximum number of links that are read.
const MOST_LINKS: usize = 1 << 16;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    if *run.recording.unit() == Unit::Bytes {
        return Ok(());
    }
    let wakers = wakers(run);
    let ends_others_work = joins_others_work(run)?;
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
        // The work of the other threads is what takes the time.
        if joins && ends_others_work {
            continue;
        }
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
        let function = run.function(longest);
        let mut functions = vec![function];
        let waker = wakers.get(&function).and_then(Wakers::most);
        if let Some((waker, times, all)) = waker.filter(|_| is_known) {
            let [times, all] = [times, all].map(grouped);
            let name = run.name_of(waker);
            said.push_str(&format!(", until {name} wakes it ({times} of {all} times)"));
            functions.push(waker);
        }
        let is_idle = does.is_some_and(Does::is_idle);
        found.push(Candidate {
            weight: match is_idle {
                true => IDLE.value,
                false if !is_known => 1.0,
                false if run.counts_calls => WAITS.value.max((1.0 + calls as f64).log2()),
                false => WAITS.value,
            },
            functions,
            certainty: match 2 * recorded >= all {
                true => Certainty::Measured,
                false => Certainty::Inferred,
            },
            ..Candidate::of(Kind::Waiting, longest, claims(contexts, part), said)
        });
    }
    Ok(())
}

/// Whether threads wait for the end of others while those run, at most instants.
fn joins_others_work(run: &Run<'_>) -> Result<bool, Cancelled> {
    let (mut joins, mut works) = (0_u64, 0_u64);
    let can_join = run.does.contains(&Some(Does::Joins));
    if run.recording.profile.is_some() || !can_join {
        return Ok(false);
    }
    at_instants(run, |seen| {
        let mut inside = seen.iter().flat_map(|it| &it.inside);
        if inside.any(|it| run.does[it.index()] == Some(Does::Joins)) {
            joins += 1;
            works += u64::from(seen.iter().any(|it| !it.waits));
        }
    })?;
    Ok(2 * works > joins)
}

/// Who lets a function go on that waits: functions of other threads, and how often.
#[derive(Default)]
struct Wakers(HashMap<FunctionId, u64>);

impl Wakers {
    /// The function that does so more often than all others together, how often, and of how many times.
    fn most(&self) -> Option<(FunctionId, u64, u64)> {
        let all = sum(self.0.values().copied());
        let found = self.0.iter().find(|it| 2 * it.1 > all);
        found.map(|(&waker, &times)| (waker, times, all))
    }
}

/// By function that waits, who wakes it, as far as links between threads tell.
fn wakers(run: &Run<'_>) -> HashMap<FunctionId, Wakers> {
    let trace = &run.recording.trace;
    let mut found: HashMap<FunctionId, Wakers> = HashMap::new();
    if !trace.has_links() || run.recording.profile.is_some() {
        return found;
    }
    let threads = trace.thread_ids();
    let links = threads.flat_map(|thread| trace.linked(thread).map(move |it| (thread, it)));
    let wakes = links.filter(|it| it.1.1.kind == LinkKind::WakeUp);
    for (thread, (call, link)) in wakes.take(MOST_LINKS) {
        let woken = trace.call(thread, call).function;
        let waker = trace.call(link.from.0, link.from.1).function;
        *found.entry(woken).or_default().0.entry(waker).or_default() += 1;
    }
    found
}
