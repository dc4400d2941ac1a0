//! Long recordings made small: only some events are kept, in ways that are exact to say.
//!
//! The ways are those of "Visualizing and animating sampled dynamic information" (AVID), section 2.2. Control flow: C-1,
//! every x-th enter or exit; C-2, the stacks at every x-th of them, from which enters and exits are derived; C-3, the same
//! each time that x has passed. Memory: M-1, every x-th event; M-2, the first event at or after each time that x has passed;
//! M-3, either with the stack before it. Each range of a [`Plan`] counts events and time from its own start. What the paper
//! misses is here too: calls that are kept whatever else is ([`Keep`]).
//!
//! How it is put:
//! - Events of all threads count together, in order of time; those of the same time in order of thread.
//! - A stack at an event is that after it, of every thread; at a time t it holds the calls open at t. From one to the next,
//!   frames of equal functions from the outermost on stay open. The others end and begin at the time of the later one.
//! - Of C-1, an enter and an exit of one call that are both kept in a range make that call; either alone makes a call
//!   without duration at its time.
//! - Where everything is kept, a range starts with the stacks right before it. Where C-1 or nothing is, nothing is known of
//!   the stack, and what was open ends at the start of the range.
//! - What stacks leave open at the end ends with its thread.
//! - A call that is always kept has its own start and end, and the stack around it; in ranges without stacks only its
//!   caller, for as long as itself.

mod control;
mod error;
mod flow;
mod keep;
mod lane;
mod names;
mod objects;
#[cfg(test)]
mod oracle;
mod predict;
#[cfg(test)]
mod tests;
mod xml;

pub use control::read as read_control;
pub use error::ControlError;
use flow::Sampler;
pub use keep::{Keep, KeepRule};
use names::Renamed;
use objects::Choice;
pub use predict::{Size, predict};

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ThreadId, Time};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::memory::{Events, Known, Memory};
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::relinked::Relinked;
use callscape_facts::sampling::{AlwaysKept, Flow, Objects, Plan, Sampling, Stretch};

/// Why a recording could not be sampled.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// It does not hold what was to be sampled.
    #[error("{0}")]
    Unfit(String),
}

/// Fails where a recording has nothing that a plan samples.
fn ensure_fits(recording: &Recording, plan: &Plan, keep: &Keep) -> Result<(), SampleError> {
    let name = recording.name();
    let events = recording.memory.as_ref().and_then(Memory::events);
    let has_calls = recording.trace.calls() > 0;
    let rules = || plan.ranges.iter().map(|it| it.rule).chain([plan.default]);
    let of_calls = keep.rules().next().is_some() || rules().any(|it| it.flow != Flow::All);
    let of_memory = rules().any(|it| !matches!(it.objects, Objects::All | Objects::Off));
    let only_calls = of_calls && !of_memory;
    let unfit = |reason: &str| Err(SampleError::Unfit(format!("{name}: {reason}")));
    if !has_calls && recording.memory.is_none() {
        return unfit(match recording.profile {
            Some(_) => "a profile contains weights without times, so it has no events to keep",
            None => "it contains no calls",
        });
    }
    if only_calls && !has_calls {
        return unfit("it contains no calls to sample, only memory data");
    }
    if of_memory && events.is_none() {
        let is_needed = !of_calls;
        match recording.memory.as_ref().map(|it| &it.known) {
            Some(Known::Sums(_)) => {
                return unfit("it contains memory snapshots but no events to sample");
            }
            Some(_) if is_needed => {
                return unfit(
                    "it contains allocations without releases, which cannot be sampled again",
                );
            }
            None if is_needed => return unfit("it contains no memory events to sample"),
            _ => {}
        }
    }
    Ok(())
}

/// Makes the recording that is left of another. O(events × log threads + what is kept × depth); memory as what is made
/// takes, and what is open and lives.
pub fn sample(
    recording: &Recording,
    plan: &Plan,
    keep: &Keep,
    progress: &Progress,
) -> Result<Recording, SampleError> {
    ensure_fits(recording, plan, keep)?;
    let whole = Size::of(recording);
    let step = format!("sampling {}", recording.name());
    progress.start(step, whole.calls + whole.memory_events);
    let stretches = plan.stretches();
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let mut names = Renamed::new(&recording.functions);
    let events = recording.memory.as_ref().and_then(Memory::events);
    if recording.memory.is_some() && events.is_none() {
        // Sums and allocations without releases stay as they are, and name functions by their old ids.
        for id in recording.functions.ids() {
            names.get(id, &mut builder);
        }
    }
    let mut links = Relinked::of(&recording.trace);
    let always = Sampler {
        trace: &recording.trace,
        stretches: &stretches,
        keep,
        builder: &mut builder,
        names: &mut names,
        reporter: &reporter,
        links: &mut links,
    }
    .run(stacks_before(events, &stretches), progress)?;
    let memory = match (&recording.memory, events) {
        (Some(memory), Some(events)) => Some(objects::sample(
            memory,
            events,
            &stretches,
            (&mut builder, &mut names),
            &reporter,
            progress,
        )?),
        (Some(memory), None) => Some(memory.clone()),
        (None, _) => None,
    };
    let place = || Place::file(recording.name());
    links.build(&recording.trace, &mut builder, &reporter, place);
    let (functions, trace) = builder.finish(place);
    let sampling = Sampling {
        plan: plan.clone(),
        always: keep
            .rules()
            .zip(always.counts)
            .map(|(rule, calls)| AlwaysKept {
                rule: rule.to_owned(),
                calls,
            })
            .collect(),
        always_kept: always.calls,
        events: recording.trace.events(),
        memory_events: whole.memory_events,
        before: recording.sampling.clone().map(Box::new),
    };
    let mut warnings = recording.warnings.clone();
    warnings.extend(reporter.warnings());
    let (path, format) = (&recording.path, recording.format);
    let mut sampled = match (recording.kind, memory) {
        (RecordingKind::Profile, Some(memory)) => {
            Recording::of_memory(path, format, functions, memory, warnings)
        }
        (kind, memory) => Recording {
            memory,
            kind,
            samples: recording.samples,
            ..Recording::of_calls(path, format, None, (functions, trace), warnings)
        },
    };
    sampled.sampling = Some(sampling);
    sampled.gaps = recording.gaps.clone();
    Ok(sampled)
}

/// The threads and times of the stacks that M-3 wants, in order of time.
fn stacks_before<'a>(
    events: Option<&'a Events>,
    stretches: &'a [Stretch],
) -> impl Iterator<Item = (Time, ThreadId)> + 'a {
    let wants = stretches.iter().any(|it| it.rule.with_stack);
    let events = events.filter(|_| wants);
    events.into_iter().flat_map(move |events| {
        Choice::new(events, stretches)
            .filter(|it| it.with_stack && it.is_sampled)
            .map(|it| (events.time(it.event), events.thread(it.event)))
    })
}
