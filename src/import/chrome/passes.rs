//! How often a Chrome trace is read, and what for: its calls first, then its samples.

use super::clocks::Clocks;
use super::completes::Completes;
use super::dialects::Dialects;
use super::lanes::Lanes;
use super::linked::Linked;
use super::memory::Gathered;
use super::nesting::{Mark, Marks};
use super::sampled::{self, Sampled};
use super::threads::Threads;
use super::walk::walk;
use super::{FORMAT, Order, Reader, SAMPLE_NOT_SHOWN};
use crate::document::Document;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter, Warning};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::recording::Recording;

/// Reads a Chrome trace. One pass, two when events have to be put in order of time first; one more for samples.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let read = match pass(input, progress, Order::AsWritten)? {
        Some(read) => Some(read),
        None => pass(input, progress, Order::ByTime)?,
    };
    let (recording, memory) = read.ok_or_else(|| {
        let place = Place::file(input.display().to_string());
        ImportError::malformed(place, "a file that stays as it is", "one that changes")
    })?;
    Ok(memory.add_to(recording))
}

/// The calls of a recording, and what it tells of memory.
type Read = (Recording, Gathered);

/// None when the events need [`Order::ByTime`].
fn pass(input: &Input, progress: &Progress, order: Order) -> Result<Option<Read>, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        reporter: &reporter,
        file: input.display().to_string(),
        order,
        dialects: Dialects::default(),
        threads: Threads::default(),
        lanes: Lanes::default(),
        completes: Completes::default(),
        completes_ordered: true,
        completes_stream: false,
        marks: Marks::new(Mark::key),
        clocks: Clocks::default(),
        linked: Linked::default(),
        has_source_maps: false,
        memory: Gathered::default(),
    };
    if walk(&mut document, &reporter, &mut reader)?.is_break() {
        return Ok(None);
    }
    let end = document.offset();
    document.close()?;
    let memory = std::mem::take(&mut reader.memory);
    if let Some(began) = memory.began() {
        reader.builder.began(Timestamp::from_ns(began));
    }
    let sampled = match reporter.warnings().iter().any(is_sample) {
        true => sampled::add(input, progress, &mut reader)?,
        false => Sampled::default(),
    };
    let calls = reader.finish(end, progress)?;
    let weighed = sampled.weighed((&calls.0, &calls.1));
    let mut warnings = reporter.warnings();
    if sampled.samples > 0 {
        warnings.retain(|warning| !is_sample(warning));
    }
    let is_known = |kind: &str| warnings.iter().any(|warning| warning.kind == kind);
    let new = sampled.warnings.into_iter();
    let new: Vec<Warning> = new.filter(|it| !is_known(&it.kind)).collect();
    warnings.extend(new);
    let samples = (sampled.samples > 0).then_some(sampled.samples);
    let recording = Recording::of_calls(input, FORMAT, samples, calls, warnings);
    let recording = recording.with_lines(sampled.lines).with_weights(weighed);
    Ok(Some((recording, memory)))
}

/// Whether a warning counts samples that are not shown.
fn is_sample(warning: &Warning) -> bool {
    warning.kind == SAMPLE_NOT_SHOWN
}
