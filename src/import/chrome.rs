//! Chrome Trace Event JSON. Specification: "Trace Event Format",
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>, and
//! <https://perfetto.dev/docs/getting-started/other-formats>.
//!
//! Events are read as they stream by. Begin and end events go straight to the builder; complete (X) events,
//! which their writers put in order of their end, wait until their thread is known. Only a thread that has
//! both, or whose begins and ends are not in order of time, makes the file be read a second time with all
//! events waiting.

use std::ops::ControlFlow;

use super::ImportError;
use super::decimal::{self, NoTime, Unit};
use super::document::Document;
use super::input::Input;
use crate::facts::builder::{Timestamp, TraceBuilder};
use crate::facts::functions::Functions;
use crate::facts::names::NameId;
use crate::facts::recording::{Recording, RecordingKind};
use crate::facts::trace::Trace;
use crate::progress::Progress;
use crate::warnings::{Place, Reporter};
pub use dialects::split_name;

use dialects::Dialects;
use events::Event;
use nesting::{Complete, Mark, What};
use threads::Threads;

mod dialects;
mod events;
pub(super) mod nesting;
mod threads;
mod walk;

/// The identifier of the format in `info`.
pub const FORMAT: &str = "chrome-json";

/// Whether a file that begins with `head` may be a Chrome trace: a JSON object, or an array of objects.
pub fn sniff(head: &[u8]) -> bool {
    let mut rest = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    match rest.next() {
        Some(b'{') => matches!(rest.next(), Some(b'"' | b'}') | None),
        Some(b'[') => matches!(rest.next(), Some(b'{' | b']') | None),
        _ => false,
    }
}

/// Phases that are no calls: instants, counters, flows, asynchronous events, samples, objects, memory dumps,
/// clocks, contexts.
const NOT_SHOWN: &[u8] = b"iIRCstfbneSTpFPNODvVc()=";

/// Reads a Chrome trace. One pass, two when events have to be put in order of time first.
pub fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    match read(input, progress, Order::AsWritten)? {
        Some(recording) => Ok(recording),
        None => read(input, progress, Order::ByTime)?.ok_or_else(|| {
            let place = Place::file(input.display().to_string());
            ImportError::malformed(place, "a file that stays as it is", "one that changes")
        }),
    }
}

/// What is done with begin and end events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Handed to the builder at once.
    AsWritten,
    /// Kept and sorted by time first.
    ByTime,
}

/// None when the events need [`Order::ByTime`].
fn read(
    input: &Input,
    progress: &Progress,
    order: Order,
) -> Result<Option<Recording>, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        reporter: &reporter,
        file: input.display().to_string(),
        order,
        dialects: Dialects::default(),
        threads: Threads::default(),
    };
    let walked = walk::walk(&mut document, &reporter, |event, offset| {
        reader.take(event, offset)
    })?;
    if walked.is_break() {
        return Ok(None);
    }
    let end = document.offset();
    let (functions, trace) = reader.finish(end, progress)?;
    Ok(Some(Recording {
        path: input.to_path_buf(),
        format: FORMAT,
        kind: RecordingKind::Trace,
        functions,
        trace,
        profile: None,
        samples: 0,
        warnings: reporter.warnings(),
    }))
}

struct Reader<'a> {
    builder: TraceBuilder<'a>,
    reporter: &'a Reporter,
    file: String,
    order: Order,
    dialects: Dialects,
    threads: Threads,
}

impl<'a> Reader<'a> {
    fn warn(&self, kind: &'static str, offset: u64) {
        self.reporter
            .warn(kind, || Place::offset(&self.file, offset));
    }

    /// Takes one event; breaks off when the events need [`Order::ByTime`].
    #[inline]
    fn take(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let Some(phase) = event.phase else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        match phase {
            [b'B'] => return self.begin(event, offset),
            [b'E'] => return self.end(event, offset),
            [b'X'] => return self.complete(event, offset),
            [b'M'] => self.metadata(event),
            [phase] if NOT_SHOWN.contains(phase) => self.warn("event-not-shown", offset),
            _ => self.warn("unknown-phase", offset),
        }
        ControlFlow::Continue(())
    }

    /// The time of a begin or end event; that of the event before it where its own is none.
    #[inline]
    fn time(&mut self, ts: &[u8], thread: usize, offset: u64) -> i64 {
        nanoseconds(ts).unwrap_or_else(|why| {
            self.warn(why.kind(), offset);
            self.threads.get(thread).last.unwrap_or(0)
        })
    }

    fn begin(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let thread = self.threads.find(event, &mut self.builder);
        let time = self.time(ts, thread, offset);
        let name = self.name(name, offset);
        let function = self
            .dialects
            .function(name, &event.location, &mut self.builder);
        self.mark(thread, time, offset, What::Begin(name, function))
    }

    fn end(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let Some(ts) = event.ts else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let thread = self.threads.find(event, &mut self.builder);
        let time = self.time(ts, thread, offset);
        let name = match event.name {
            None | Some(b"") => None,
            Some(name) => Some(self.name(name, offset)),
        };
        self.mark(thread, time, offset, What::End(name))
    }

    #[inline]
    fn name(&mut self, content: &[u8], offset: u64) -> NameId {
        let (name, repaired) = self.dialects.name(content);
        if repaired {
            self.warn("invalid-text", offset);
        }
        name
    }

    /// A begin or end, handed on or kept.
    #[inline]
    fn mark(&mut self, thread: usize, time: i64, offset: u64, what: What) -> ControlFlow<()> {
        let file = &self.file;
        let place = || Place::offset(file, offset);
        let thread = self.threads.get_mut(thread);
        if thread.last.is_some_and(|last| time < last) {
            if self.order == Order::AsWritten {
                return ControlFlow::Break(());
            }
            self.reporter.warn("out-of-order", place);
        }
        thread.last = Some(time);
        if self.order == Order::ByTime {
            thread.marks.push(Mark { time, offset, what });
            return ControlFlow::Continue(());
        }
        if !thread.completes.is_empty() {
            return ControlFlow::Break(());
        }
        let at = Timestamp::from_ns(time);
        match what {
            What::Begin(name, function) => {
                thread.open.begin(name, function, 0);
                self.builder.enter(thread.id, at, function, place);
            }
            What::End(name) => match thread.open.end(name, |_| {}) {
                Some((function, _)) => {
                    self.builder.exit(thread.id, at, Some(function), place);
                }
                None => self.reporter.warn("end-without-begin", place),
            },
        }
        ControlFlow::Continue(())
    }

    fn complete(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let start = match nanoseconds(ts) {
            Ok(start) => start,
            Err(why) => {
                self.warn(why.kind(), offset);
                return ControlFlow::Continue(());
            }
        };
        let cost = match event.dur.map(nanoseconds) {
            Some(Ok(cost)) if cost >= 0 => cost,
            Some(Ok(_)) => {
                self.warn("negative-duration", offset);
                0
            }
            Some(Err(why)) => {
                self.warn(why.kind(), offset);
                0
            }
            None => {
                self.warn("missing-duration", offset);
                0
            }
        };
        let thread = self.threads.find(event, &mut self.builder);
        let name = self.name(name, offset);
        let function = self
            .dialects
            .function(name, &event.location, &mut self.builder);
        let thread = self.threads.get_mut(thread);
        if self.order == Order::AsWritten && thread.last.is_some() {
            return ControlFlow::Break(());
        }
        thread.completes.push(Complete {
            start,
            end: start.saturating_add(cost),
            offset,
            function,
        });
        ControlFlow::Continue(())
    }

    /// Names of processes and threads; other metadata says nothing about calls.
    fn metadata(&mut self, event: &Event<'_>) {
        let Some(name) = event.args_name else { return };
        let (name, _) = self.dialects.name(name);
        match event.name {
            Some(b"thread_name") => {
                self.threads.thread_names.insert(Threads::key(event), name);
            }
            Some(b"process_name") => {
                let process = event.pid.unwrap_or_default();
                self.threads.process_names.insert(process.into(), name);
            }
            _ => {}
        }
    }

    /// Nests what waited, names the threads, and makes the call store.
    fn finish(mut self, end: u64, progress: &Progress) -> Result<(Functions, Trace), ImportError> {
        let file = &self.file;
        let place = |offset| Place::offset(file, offset);
        for mut thread in std::mem::take(&mut self.threads.threads) {
            progress.check()?;
            let name = self.threads.thread_names.get(&thread.key);
            let name = name.or_else(|| self.threads.process_names.get(&thread.process));
            if let Some(&name) = name {
                self.builder
                    .name_thread(thread.id, self.dialects.text(name));
            }
            thread.marks.sort_by_key(|mark| mark.time);
            if !thread.completes.is_empty() || !thread.marks.is_empty() {
                nesting::build(
                    thread.id,
                    &mut thread.completes,
                    &thread.marks,
                    &mut self.builder,
                    self.reporter,
                    &place,
                );
            }
        }
        Ok(self.builder.finish(|| place(end)))
    }
}

/// The time of an event, whose unit is the microsecond.
#[inline]
fn nanoseconds(number: &[u8]) -> Result<i64, NoTime> {
    decimal::nanoseconds(number, Unit::Microseconds)
}
