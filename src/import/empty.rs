//! Recordings in which nothing is, and the reason.

use std::borrow::Borrow;

use super::error::ImportError;
use super::otlp::{self, kept};
use super::stream;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Warning};
use callscape_facts::memory::{Known, Memory};
use callscape_facts::recording::Recording;

/// How many reasons an error message names.
const NAMED: usize = 4;

/// The recording, unless it has no calls, no samples and no memory: an error then, which says what was there instead.
pub(crate) fn refused<R: Borrow<Recording>>(of: R, progress: &Progress) -> Result<R, ImportError> {
    let recording = of.borrow();
    if !is_empty(recording) || is_listening(recording, progress) {
        return Ok(of);
    }
    let mut reasons: Vec<&Warning> = recording.warnings.iter().collect();
    reasons.sort_by_key(|warning| std::cmp::Reverse(warning.count));
    let reasons = reasons.into_iter().take(NAMED).map(|it| format!("; {it}"));
    let found = format!("none{}", reasons.collect::<String>());
    let place = Place::file(recording.path.display().to_string());
    let expected = format!("calls or samples in a recording of {}", recording.format);
    Err(ImportError::malformed(place, expected, found))
}

fn is_empty(recording: &Recording) -> bool {
    let weighs_nothing = recording.profile.as_ref().is_none_or(|profile| {
        // What a difference weighs may add up to nothing.
        let is_nothing = |value| profile.weight_of(value).ns() == 0 && profile.negative(value) == 0;
        (0..profile.values().len()).all(is_nothing) && profile.calls() == 0
    });
    recording.trace.calls() == 0
        && recording.samples == 0
        && recording.memory.as_ref().is_none_or(knows_nothing)
        && weighs_nothing
}

fn knows_nothing(memory: &Memory) -> bool {
    let has_events = match &memory.known {
        Known::Events(events) => events.end() > 0,
        Known::Allocations(of) => of.events.end() > 0 || !of.survivors.is_empty(),
        Known::Sums(_) => true,
    };
    !has_events && memory.counters.is_empty()
}

/// Whether it is the file that `callscape --listen` keeps: spans may come yet.
fn is_listening(recording: &Recording, progress: &Progress) -> bool {
    let head = || stream::head(&Input::on_disk(recording.path.clone()), progress);
    recording.format == otlp::FORMAT && head().is_ok_and(|head| kept::sniff(&head))
}
