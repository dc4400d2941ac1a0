//! How often a Chrome trace is read, and what for: its calls, or where there are none samples or asynchronous events.

use super::clocks::Clocks;
use super::completes::Completes;
use super::dialects::Dialects;
use super::lanes::Lanes;
use super::memory::{self, Gathered};
use super::nesting::{Mark, Marks};
use super::threads::Threads;
use super::walk::walk;
use super::{ASYNC_NOT_SHOWN, FORMAT, Order, Reader, SAMPLE_NOT_SHOWN, sampled};
use crate::document::Document;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter, Warning};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::recording::Recording;

/// Reads a Chrome trace. One pass, two when events have to be put in order of time first; as many again when
/// there are asynchronous events alone.
pub fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let (recording, memory) = choose(input, progress)?;
    Ok(memory.add_to(recording))
}

/// The calls of a recording, and what it tells of memory.
type Read = (Recording, Gathered);

/// Reads calls, or where there are none samples or asynchronous events.
fn choose(input: &Input, progress: &Progress) -> Result<Read, ImportError> {
    let (recording, memory) = read(input, progress, false)?;
    let is_sample = |warning: &Warning| warning.kind == SAMPLE_NOT_SHOWN;
    if recording.trace.calls() == 0 && recording.warnings.iter().any(is_sample) {
        let mut sampled = sampled::import(input, progress, memory.began())?;
        if sampled.samples > 0 {
            let of_memory = |warning: &&Warning| memory::GATHERED.contains(&&*warning.kind);
            let of_memory = recording.warnings.iter().filter(of_memory);
            sampled.warnings.extend(of_memory.cloned());
            return Ok((sampled, memory));
        }
    }
    let is_async = |warning: &Warning| warning.kind == ASYNC_NOT_SHOWN;
    if recording.trace.calls() > 0 || !recording.warnings.iter().any(is_async) {
        return Ok((recording, memory));
    }
    let with_lanes = read(input, progress, true)?;
    Ok(match with_lanes.0.trace.calls() {
        0 => (recording, memory),
        _ => with_lanes,
    })
}

/// Reads a Chrome trace, in as many passes as its order takes.
fn read(input: &Input, progress: &Progress, asynchronous: bool) -> Result<Read, ImportError> {
    let lanes = || asynchronous.then(Lanes::default);
    match pass(input, progress, Order::AsWritten, lanes())? {
        Some(read) => Ok(read),
        None => pass(input, progress, Order::ByTime, lanes())?.ok_or_else(|| {
            let place = Place::file(input.display().to_string());
            ImportError::malformed(place, "a file that stays as it is", "one that changes")
        }),
    }
}

/// None when the events need [`Order::ByTime`].
fn pass(
    input: &Input,
    progress: &Progress,
    order: Order,
    lanes: Option<Lanes>,
) -> Result<Option<Read>, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        reporter: &reporter,
        file: input.display().to_string(),
        order,
        dialects: Dialects::default(),
        threads: Threads::default(),
        lanes,
        completes: Completes::default(),
        completes_ordered: true,
        completes_stream: false,
        marks: Marks::new(Mark::key),
        clocks: Clocks::default(),
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
    let calls = reader.finish(end, progress)?;
    let warnings = reporter.warnings();
    let recording = Recording::of_calls(input, FORMAT, None, calls, warnings);
    Ok(Some((recording, memory)))
}
