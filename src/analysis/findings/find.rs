//! The findings of a run: the best candidates, each of which explains what no better one does.

use super::candidate::{Candidate, Explained};
use super::claims::Ledger;
use super::finding::{Certainty, Finding, Whole};
use super::kind::Kind;
use super::limits::{CERTAIN, LEAST_SHARE, PART};
use super::reading;
use super::run::{Run, sum};
use super::table::KINDS;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, Unit, grouped};
use callscape_facts::frequency::percent;
use callscape_facts::recording::Recording;

/// Maximum number of findings.
const MOST: usize = 10;

/// Maximum number of callers named in a sentence.
const NAMED: usize = 2;

/// A candidate is part of a finding if all findings together leave at most the first share of it unexplained, and that
/// finding explains at least the second share.
const NEARLY: (f64, f64) = (0.02, 0.9);

/// What is remarkable about a recording, most important first. For a worker thread: linear in contexts; the calls are
/// read only if an index does not have the contexts, and about a million for the kinds that need them in order.
pub fn findings(recording: &Recording, progress: &Progress) -> Result<Vec<Finding>, Cancelled> {
    let mut run = Run::new(recording, progress)?;
    run.series = reading::all(&run)?;
    let mut candidates = Vec::new();
    for row in &KINDS {
        progress.check()?;
        (row.propose)(&run, &mut candidates)?;
    }
    choose(&run, candidates, progress)
}

/// The best candidate of a round, and what it adds to the findings so far.
struct Chosen {
    at: usize,
    score: f64,
    share: f64,
    of: Whole,
    /// Whether findings before it explain some of it.
    is_rest: bool,
    part_of: Option<usize>,
}

/// Takes the best candidate again and again.
pub(super) fn choose(
    run: &Run<'_>,
    mut candidates: Vec<Candidate>,
    progress: &Progress,
) -> Result<Vec<Finding>, Cancelled> {
    let mut ledger = Ledger::new(&run.own);
    let mut findings: Vec<Finding> = Vec::new();
    while findings.len() < MOST {
        let mut best: Option<Chosen> = None;
        for (at, candidate) in candidates.iter().enumerate() {
            progress.check()?;
            let weighed = weigh(run, (at, candidate), &ledger, &findings);
            let least = best.as_ref().map_or(f64::NEG_INFINITY, |it| it.score);
            best = weighed.filter(|it| it.score > least).or(best);
        }
        let Some(best) = best else { break };
        let candidate = candidates.remove(best.at);
        if let (Explained::Contexts(claims), None) = (&candidate.of, best.part_of) {
            ledger.claim(claims, findings.len());
        }
        findings.push(finding(run, candidate, &best));
    }
    Ok(findings)
}

/// What a candidate adds to the findings so far; `None` if nothing.
fn weigh(
    run: &Run<'_>,
    (at, candidate): (usize, &Candidate),
    ledger: &Ledger<'_>,
    findings: &[Finding],
) -> Option<Chosen> {
    let (share, of, is_rest, part_of) = match &candidate.of {
        &Explained::Share(share, of) => (share, of, false, None),
        Explained::Contexts(claims) => {
            let standing = ledger.standing(claims, findings.len());
            let most = |it: u64| run.share(it.min(candidate.at_most.unwrap_or(u64::MAX)));
            let all = standing.all as f64;
            let is_part = |held: u64| held as f64 >= NEARLY.1 * all;
            let is_held = standing.free as f64 <= NEARLY.0 * all;
            match standing.holder.filter(|it| is_held && is_part(it.1)) {
                None => (
                    most(standing.free),
                    Whole::Run,
                    standing.free < standing.all,
                    None,
                ),
                Some((holder, _)) => (most(standing.all), Whole::Run, false, Some(holder)),
            }
        }
    };
    let is_few = candidate.kind == Kind::Errors || of != Whole::Run;
    let is_said = part_of.is_some_and(|it| says(&findings[it], candidate, run));
    let is_unsure = match run.certainty(share) {
        Certainty::Sampled(error) => share - error < CERTAIN.value,
        _ => false,
    };
    if is_said || (of == Whole::Run && is_unsure) || !(share >= LEAST_SHARE.value || is_few) {
        return None;
    }
    let weight = candidate.weight * if part_of.is_some() { PART.value } else { 1.0 };
    Some(Chosen {
        at,
        score: share * weight,
        share,
        of,
        is_rest,
        part_of,
    })
}

/// Whether a finding already says what a part of it would: it has the same kind, or names the hot function.
fn says(finding: &Finding, candidate: &Candidate, run: &Run<'_>) -> bool {
    let subject = candidate.context.map(|it| run.function(it));
    let is_named = subject.is_some_and(|it| finding.functions.contains(&it));
    finding.kind == candidate.kind || (candidate.kind == Kind::Hot && is_named)
}

fn finding(run: &Run<'_>, candidate: Candidate, chosen: &Chosen) -> Finding {
    let context = candidate.context;
    let mut path: Vec<FunctionId> = context.map_or(Vec::new(), |it| {
        run.outwards(it).map(|it| run.function(it)).collect()
    });
    path.reverse();
    let certainty = match candidate.certainty {
        Certainty::Measured if chosen.of == Whole::Run => run.certainty(chosen.share),
        certainty => certainty,
    };
    let view = match candidate.kind.view() {
        // A profile has no calls along time, but stacks.
        "flame" if run.recording.profile.is_some() => "flame-graph",
        view => view,
    };
    Finding {
        kind: candidate.kind,
        view,
        text: sentence(run, &candidate, &path, chosen),
        path,
        functions: candidate.functions,
        share: chosen.share,
        of: chosen.of,
        calls: context.filter(|_| run.counts_calls).map(|it| run.calls(it)),
        self_cost: Cost::from_ns(context.map_or(0, |it| sum(run.own[it.index()]))),
        total: Cost::from_ns(context.map_or(0, |it| run.total(it))),
        certainty,
        part_of: chosen.part_of,
        when: candidate.when,
    }
}

/// `below main → parse: compare is called 400 times for each call of sort: 25.3 % of the run`.
fn sentence(run: &Run<'_>, candidate: &Candidate, path: &[FunctionId], chosen: &Chosen) -> String {
    let mut text = String::new();
    let around = path.len().saturating_sub(1);
    let callers = &path[around.saturating_sub(NAMED)..around];
    if !callers.is_empty() && chosen.of == Whole::Run {
        let names: Vec<&str> = callers.iter().map(|&it| run.name_of(it)).collect();
        text.push_str(&format!("below {}: ", names.join(" → ")));
    }
    text.push_str(&candidate.said);
    if chosen.of != Whole::Run {
        return text;
    }
    text.push_str(&format!(": {}", percent(chosen.share)));
    let samples = run.recording.samples;
    match run.certainty(chosen.share) {
        Certainty::Sampled(error) => {
            text.push_str(&format!(
                " (± {:.1} %) of {} samples",
                error * 100.0,
                grouped(samples)
            ));
        }
        _ if *run.recording.unit() == Unit::Bytes => text.push_str(" of all that is allocated"),
        _ if run.is_running => text.push_str(" of the running time"),
        _ => text.push_str(" of the run"),
    }
    match chosen.part_of {
        Some(finding) => text.push_str(&format!(", part of finding {}", finding + 1)),
        None if chosen.is_rest => text.push_str(", without what the findings before it explain"),
        None => {}
    }
    text
}
