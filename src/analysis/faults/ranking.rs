//! Which of the changed functions is most suspect: a sum of parts, each shown with what it says.
//!
//! The weights are set by hand, so that what is observed counts more than what is only written: where another run is known, the
//! difference between the two has most of the say.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::against::Against;
use super::fault::{Failing, Fault, Faults, Part, PartOf, Question, Reason};
use super::first_difference::Near;
use crate::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ThreadId, Time, grouped};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;

/// Scores the faults and puts the most suspect first.
pub(super) fn rank(
    faults: &mut Faults,
    question: &Question<'_>,
    progress: &Progress,
) -> Result<(), Cancelled> {
    let session = question.session;
    let Some(recording) = session.recordings.first().map(|it| &it.recording) else {
        return Ok(());
    };
    let against = match question.against {
        Some(comparison) => Some(Against::new(comparison, &faults.faults, progress)?),
        None => None,
    };
    faults.first_difference = against.as_ref().and_then(|it| it.first.clone());
    let all: f64 = recording
        .function_metrics(None)
        .iter()
        .map(|it| it.self_cost.ns() as f64)
        .sum();
    let neighbours = neighbours(&faults.faults, recording);
    let failing = failing(&faults.faults, recording, &question.failing, progress)?;
    let mut parts_of = vec![
        PartOf::Reason,
        PartOf::Extent,
        PartOf::Edit,
        PartOf::Cost,
        PartOf::Neighbours,
        PartOf::First,
    ];
    parts_of.extend(failing.is_some().then_some(PartOf::Failing));
    if against.is_some() {
        parts_of.extend([PartOf::Difference, PartOf::Behaviour]);
        let is_compared = against.as_ref().is_some_and(|it| it.is_compared);
        parts_of.extend(is_compared.then_some(PartOf::FirstDifference));
    }
    let most: f64 = parts_of.iter().map(|it| it.weight()).sum();
    for (at, fault) in faults.faults.iter_mut().enumerate() {
        let mut rating = Rating {
            most,
            parts: Vec::new(),
        };
        rating.of_text(fault, session);
        rating.of_run(fault, recording, all);
        rating.add(PartOf::Neighbours, neighbours[at].0, || {
            neighbours[at].1.clone()
        });
        if let Some((share, text)) = failing.as_ref().and_then(|it| it.get(at)) {
            rating.add(PartOf::Failing, *share, || text.clone());
        }
        if let Some(against) = &against {
            rating.of_other_run(against, at, fault, recording);
        }
        fault.score = rating.parts.iter().map(|it| it.score).sum();
        fault.why = rating.parts;
        fault.why.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    faults.faults.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.file, &a.lines).cmp(&(&b.file, &b.lines)))
    });
    Ok(())
}

/// The parts of one score.
struct Rating {
    /// What all parts are worth.
    most: f64,
    parts: Vec<Part>,
}

impl Rating {
    /// A part of `share`, from 0 to 1, of what it is worth; nothing is said where that is none.
    fn add(&mut self, of: PartOf, share: f64, text: impl FnOnce() -> String) {
        let share = if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let text = text();
        if share > 0.0 || !text.is_empty() {
            self.parts.push(Part {
                of,
                score: share * of.weight() / self.most,
                text,
            });
        }
    }

    fn of_text(&mut self, fault: &Fault, session: &Session) {
        let (share, text) = match fault.reason {
            Reason::Body => (1.0, "lines of it were added or changed".to_owned()),
            Reason::BeforeDeletion => (0.8, "lines of it were deleted".to_owned()),
            Reason::Declaration => {
                let names: Vec<&str> = fault
                    .uses
                    .iter()
                    .map(|it| it.name.as_str())
                    .take(5)
                    .collect();
                (
                    0.3,
                    format!("it uses {}, which was changed", names.join(", ")),
                )
            }
        };
        self.add(PartOf::Reason, share, || text);
        if fault.replaces {
            self.add(PartOf::Edit, 1.0, || {
                "words in it were replaced or removed".to_owned()
            });
        }
        let module = session.hierarchy.module(fault.module);
        let lines = (module.end_line + 1).saturating_sub(module.line);
        let changed = fault.lines.len() as u32;
        if fault.reason == Reason::Body && lines > 0 && module.line > 0 {
            let changed = changed.min(lines);
            let share = f64::from(changed) / f64::from(lines);
            self.add(PartOf::Extent, share.sqrt(), || {
                format!("{changed} of its {lines} lines")
            });
        }
    }

    fn of_run(&mut self, fault: &Fault, recording: &Recording, all: f64) {
        if all > 0.0 {
            let (own, total) = (
                fault.self_cost.ns() as f64 / all,
                fault.total.ns() as f64 / all,
            );
            let share = 0.7 * own + 0.3 * total.min(1.0);
            self.add(PartOf::Cost, share, || {
                format!(
                    "{:.1} % of the cost is its self cost, {:.1} % includes its callees",
                    own * 100.0,
                    total.min(1.0) * 100.0
                )
            });
        }
        if let Some((first, _)) = fault.first {
            let duration = recording.trace.duration().ns().max(1) as f64;
            let share = first.ns() as f64 / duration;
            self.add(PartOf::First, 1.0 - share, || {
                format!(
                    "first runs at {first}, after {:.1} % of the run",
                    share * 100.0
                )
            });
        }
    }

    fn of_other_run(
        &mut self,
        against: &Against<'_>,
        at: usize,
        of: &Fault,
        recording: &Recording,
    ) {
        // What had not run by the first difference can have made none, however it differs later.
        let is_late = against.first.is_some() && against.before(at).is_none();
        let may_be = if is_late { 0.2 } else { 1.0 };
        if let Some(explains) = against.explains(at) {
            self.add(PartOf::Difference, explains.share * may_be, || {
                format!(
                    "{:.0} % of the difference from the good run is below it: {} {}",
                    explains.share * 100.0,
                    explains.kind.name(),
                    explains.of
                )
            });
        }
        if let Some(behaviour) = against.behaviour(at) {
            let [a, b] = behaviour.per_call;
            self.add(
                PartOf::Behaviour,
                behaviour.difference.sqrt() * may_be,
                || {
                    format!(
                        "a call of it calls {} {b:.2} times instead of {a:.2}",
                        behaviour.callee
                    )
                },
            );
        }
        let Some(first) = &against.first else {
            if let Some((first, _)) = of.first.filter(|_| against.is_compared) {
                self.of_equal_runs(first, of.calls, recording);
            }
            return;
        };
        let parted = first.at;
        match against.before(at) {
            Some(before) => self.add(PartOf::FirstDifference, before.weight(), || {
                let near = match before.near {
                    Near::Decides => format!("the runs diverge in it, at {parted}"),
                    Near::Open(_) => format!("it is open when the runs diverge, at {parted}"),
                    Near::Before(0) => format!("it ran right before the runs diverge, at {parted}"),
                    Near::Before(after) => format!(
                        "it ran before the runs diverge, at {parted}, and {after} other \
                                                    changed functions ran after it"
                    ),
                };
                let calls = match before.calls {
                    1 => "once".to_owned(),
                    calls => format!("{} times", grouped(calls)),
                };
                format!("{near}; it was called {calls} by then")
            }),
            None => self.add(PartOf::FirstDifference, 0.0, || {
                format!("it did not run before the runs diverge, at {parted}")
            }),
        }
    }

    /// Where both runs call the same, what is wrong has changed nothing but values: as a rule they were made late, as what is
    /// made early is decided upon later, and by what was not called often.
    fn of_equal_runs(&mut self, first: Time, calls: u64, recording: &Recording) {
        let duration = recording.trace.duration().ns().max(1) as f64;
        let late = first.ns() as f64 / duration;
        let seldom = 1.0 / (1.0 + (calls.max(1) as f64).ln());
        self.add(PartOf::FirstDifference, 0.7 * late + 0.3 * seldom, || {
            let calls = grouped(calls);
            format!("both runs make the same calls; it first runs after {:.1} % of this one, and {calls} times", late * 100.0)
        });
    }
}

/// By fault, how many other changed functions it calls or is called by, as a share, and which.
fn neighbours(faults: &[Fault], recording: &Recording) -> Vec<(f64, String)> {
    let mut fault_of: HashMap<FunctionId, usize> = HashMap::new();
    for (at, fault) in faults.iter().enumerate() {
        fault_of.extend(fault.functions.iter().map(|&it| (it, at)));
    }
    let mut calls: Vec<BTreeMap<usize, &'static str>> = vec![BTreeMap::new(); faults.len()];
    for relation in recording.relations(None) {
        let ends = (
            fault_of.get(&relation.caller),
            fault_of.get(&relation.callee),
        );
        if let (Some(&caller), Some(&callee)) = ends
            && caller != callee
        {
            calls[caller].entry(callee).or_insert("calls");
            calls[callee].entry(caller).or_insert("is called by");
        }
    }
    let name = |at: usize| {
        let function = faults[at].functions.first();
        function.map_or("", |&it| recording.functions.get(it).name)
    };
    let told = calls.into_iter().map(|others| {
        /// More are worth no more.
        const ENOUGH: usize = 3;
        let named = others
            .iter()
            .take(ENOUGH)
            .map(|(&at, how)| format!("{how} {}", name(at)));
        let mut text = named.collect::<Vec<_>>().join(", ");
        if others.len() > ENOUGH {
            text += &format!(" and {} more", others.len() - ENOUGH);
        }
        if !text.is_empty() {
            text += match others.len() {
                1 => ", which was changed",
                _ => ", which were changed",
            };
        }
        (others.len().min(ENOUGH) as f64 / ENOUGH as f64, text)
    });
    told.collect()
}

/// By fault, whether it runs in the part that fails, and there alone; none where no such part is known.
fn failing(
    faults: &[Fault],
    recording: &Recording,
    failing: &Failing,
    progress: &Progress,
) -> Result<Option<Vec<(f64, String)>>, Cancelled> {
    if *failing == Failing::default() || recording.profile.is_some() {
        return Ok(None);
    }
    let wanted: HashSet<FunctionId> = faults
        .iter()
        .flat_map(|it| &it.functions)
        .copied()
        .collect();
    let threads: Vec<ThreadId> = match failing.threads.is_empty() {
        true => recording.trace.thread_ids().collect(),
        false => failing.threads.clone(),
    };
    let inside = calls_inside(&recording.trace, &threads, failing, &wanted, progress)?;
    let metrics = recording.function_metrics(None);
    let told = faults.iter().map(|fault| {
        let inside: u64 = fault
            .functions
            .iter()
            .map(|it| inside.get(it).copied().unwrap_or(0))
            .sum();
        let all: u64 = fault
            .functions
            .iter()
            .filter_map(|it| metrics.get(it.index()))
            .map(|it| it.calls)
            .sum();
        match inside {
            0 => (0.0, "it does not run in the failing part".to_owned()),
            inside if inside == all => (1.0, "it runs only in the failing part".to_owned()),
            inside => {
                let share = inside as f64 / all.max(1) as f64;
                (
                    0.3 + 0.5 * share,
                    format!("{inside} of its {all} calls are in the failing part"),
                )
            }
        }
    });
    Ok(Some(told.collect()))
}

/// By function, how many of its calls are open in the part that fails.
fn calls_inside(
    trace: &Trace,
    threads: &[ThreadId],
    failing: &Failing,
    wanted: &HashSet<FunctionId>,
    progress: &Progress,
) -> Result<HashMap<FunctionId, u64>, Cancelled> {
    const BLOCK: u32 = 1 << 14;
    let mut inside: HashMap<FunctionId, u64> = HashMap::new();
    for &thread in threads {
        let calls = trace.threads().get(thread.index()).map_or(0, |it| it.calls);
        let last = match failing.range {
            Some(range) => trace.started(thread, range.end),
            None => u32::try_from(calls).unwrap_or(u32::MAX),
        };
        let mut at = 0;
        while at < last {
            progress.check()?;
            let end = last.min(at + BLOCK);
            for call in trace.calls_numbered(thread, at..end) {
                let is_inside = failing.range.is_none_or(|range| call.end >= range.start);
                if is_inside && wanted.contains(&call.function) {
                    *inside.entry(call.function).or_default() += 1;
                }
            }
            at = end;
        }
    }
    Ok(inside)
}
