//! The calling contexts of what counts of a recording: of a range, of some threads, or of all of it.

use std::borrow::Cow;

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ThreadId, Time, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Within;

use super::contexts::{self, WAITING};

/// The contexts of what counts of a recording, on some threads or on all if `None`, and which of their values is shown. `None`
/// if the recording has no call paths.
///
/// # Errors
/// When it is cancelled.
pub fn contexts_in<'a>(
    recording: &'a Recording,
    within: Within,
    threads: Option<&[ThreadId]>,
    progress: &Progress,
) -> Result<Option<(Cow<'a, Contexts>, usize)>, Cancelled> {
    let is_whole = threads.is_none() && within.range.is_none();
    if is_whole || !recording.has_ranges() {
        let whole = contexts::contexts(recording, progress)?;
        return Ok(whole.map(|it| (it, recording.value())));
    }
    if let Some(profile) = recording.profile_in(within) {
        let found = profile.contexts().cloned();
        return Ok(found.map(|it| (Cow::Owned(it), profile.shown())));
    }
    let all: Vec<ThreadId> = recording.timed().thread_ids().collect();
    let threads = threads.unwrap_or(&all);
    let (found, value) = match of_samples(recording, within, threads, progress)? {
        // Beside waiting there is only the value shown.
        Some(found) if recording.trace.knows_waiting() => (found, 0),
        Some(found) => (found, recording.value()),
        None => {
            let threads = threads.iter().copied();
            (
                contexts::of_threads(&recording.trace, threads, within, progress)?,
                0,
            )
        }
    };
    Ok(Some((Cow::Owned(found), value)))
}

/// What samples weigh by calling context, in all values, or in the value shown where waiting is known; calls and waiting are
/// those of the calls that samples show. `None` if calls count instead of samples.
fn of_samples(
    recording: &Recording,
    within: Within,
    threads: &[ThreadId],
    progress: &Progress,
) -> Result<Option<Contexts>, Cancelled> {
    let whole = TimeRange::new(Time::ZERO, Time::MAX);
    let all = Within {
        range: Some(within.range.unwrap_or(whole)),
        ..within
    };
    let Some((weighed, range)) = recording.samples_in(all) else {
        return Ok(None);
    };
    let of_samples = weighed.within(range, Some(threads));
    let trace = recording.timed();
    let of_calls = contexts::of_threads(trace, threads.iter().copied(), within, progress)?;
    let knows_waiting = recording.trace.knows_waiting();
    let reporter = Reporter::new();
    let values = match knows_waiting {
        true => recording.value()..recording.value() + 1,
        false => 0..of_samples.values(),
    };
    let mut builder = ContextsBuilder::new(values.len() + usize::from(knows_waiting), &reporter);
    let place = || Place::file("samples");
    let mut nodes: Vec<NodeId> = Vec::new();
    for (of, is_weights) in [(&of_calls, false), (&of_samples, true)] {
        nodes.clear();
        for context in of.ids() {
            let around = of.parent(context);
            let around = around.map_or(NodeId::ROOT, |it| nodes[it.index()]);
            let node = builder.child(around, of.function(context), place);
            nodes.push(node);
            match is_weights {
                true => {
                    for (place_of, value) in values.clone().enumerate() {
                        builder.add(node, place_of, of.self_weight(value, context), place);
                    }
                }
                false => {
                    builder.add_calls(node, of.calls(context).unwrap_or(0), place);
                    let waited = match knows_waiting {
                        true => of.self_weight(WAITING, context),
                        false => Cost::ZERO,
                    };
                    if waited > Cost::ZERO {
                        builder.add(node, WAITING, waited, place);
                    }
                }
            }
        }
    }
    Ok(Some(builder.finish()))
}
