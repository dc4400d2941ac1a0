//! Chrome Trace Event JSON. Specification: "Trace Event Format",
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>, and
//! <https://perfetto.dev/docs/getting-started/other-formats>.
//!
//! Events are read as they stream by. Begin and end events go straight to the builder. Complete (X) events
//! wait until all of a recording of moderate size are known, since many writers put them in order of their
//! end; of a larger one they go straight to the builder if they came in order of start so far. Only where
//! a thread has both, or events that went straight to the builder turn out not to be in order of time,
//! is the file read a second time, with all events waiting and sorted.
//!
//! Where events tell the clock of their thread (`tts`, `tdur`), what passes while it stands is waiting.
//!
//! Asynchronous events are calls on lanes of their own. Samples are calls too, beside those of their thread where it has
//! any: those of V8's profiler among the events of DevTools, and those behind them that refer to `stackFrames`. Objects and
//! counters of bytes are what is known of memory. Flows, and what began asynchronous events, are links. Instants and other
//! counters are counted.

use std::ops::ControlFlow;
use std::path::Path;

use super::decimal::NoTime;
use super::error::ImportError;
use batch::{Batch, Plain};
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Functions;
use callscape_facts::trace::{LinkKind, Trace};
use clocks::Clocks;
use complete::Complete;
use completes::Completes;
use dialects::Dialects;
pub(crate) use dialects::split_name;
use events::{Event, Phase};
use lanes::Lanes;
use linked::Linked;
use memory::Gathered;
use nesting::{Mark, Marks, What};
pub(crate) use passes::import;
use spellings::Name;
use threads::Threads;

mod arguments;
mod batch;
pub(super) mod building;
mod clocks;
pub(crate) mod complete;
pub(super) mod completes;
mod devtools;
mod dialects;
mod ends;
mod events;
mod lanes;
mod linked;
mod measured;
mod memory;
#[cfg(test)]
mod memory_tests;
pub(super) mod nesting;
mod overlaps;
mod passes;
mod sampled;
mod shape;
pub(super) mod spellings;
#[cfg(test)]
mod tests;
mod threads;
mod walk;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "chrome-json";

/// Whether a file that begins with `head` may be a Chrome trace: a JSON object, in which events may come late, or an array
/// of objects that have a phase, as far as one is there as a whole.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut rest = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    match rest.next() {
        Some(b'{') => matches!(rest.next(), Some(b'"' | b'}') | None),
        Some(b'[') => match rest.next() {
            Some(b'{') => {
                let may_come = memchr::memchr(b'}', head).is_none();
                may_come || memchr::memmem::find(head, b"\"ph\"").is_some()
            }
            next => matches!(next, Some(b']') | None),
        },
        _ => false,
    }
}

/// How many complete events wait until those behind them show whether they come in order of start. A thousand
/// kilobytes of them: what nests its calls and writes them as they end shows it long before.
const WAITING: usize = if cfg!(test) { 32 } else { 32 << 10 };

/// Samples are counted as this where they are not shown.
const SAMPLE_NOT_SHOWN: &str = "sample-not-shown";

/// Events that are no calls, by phase: what they are counted as.
fn not_shown(phase: u8) -> &'static str {
    match phase {
        b'i' | b'I' | b'R' => "instant-not-shown",
        b'C' => "counter-not-shown",
        // Those of nestable ones that neither begin nor end, and those of before them.
        b'n' | b'T' | b'p' => "async-event-not-shown",
        b'P' => SAMPLE_NOT_SHOWN,
        // Memory dumps, clocks, contexts, links.
        b'V' | b'v' | b'c' | b'(' | b')' | b'=' => "event-not-shown",
        _ => "unknown-phase",
    }
}

/// What is done with events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Handed to the builder at once where they may be.
    AsWritten,
    /// Kept and sorted by time first.
    ByTime,
}

/// Makes calls of events.
struct Reader<'a> {
    builder: TraceBuilder<'a>,
    reporter: &'a Reporter,
    file: String,
    order: Order,
    dialects: Dialects,
    threads: Threads,
    /// Those of asynchronous events.
    lanes: Lanes,
    /// Complete events that wait.
    completes: Completes,
    /// On each thread those so far are in order.
    completes_ordered: bool,
    /// They go to the builder at once.
    completes_stream: bool,
    /// Begin and end events that wait.
    marks: Marks,
    clocks: Clocks,
    linked: Linked,
    memory: Gathered,
    /// Scripts tell where they come from.
    has_source_maps: bool,
}

impl Reader<'_> {
    #[cold]
    fn warn(&self, kind: &'static str, offset: u64) {
        self.reporter
            .warn(kind, || Place::offset(&self.file, offset));
    }

    /// Takes one event, `raw` being all of it; breaks off when the events need [`Order::ByTime`].
    #[inline]
    fn take(&mut self, event: &Event<'_>, raw: &[u8], offset: u64) -> ControlFlow<()> {
        match event.phase {
            Phase::Is(b'B') => return self.begin(event, offset),
            Phase::Is(b'E') => return self.end(event, offset),
            Phase::Is(b'X') => return self.complete(event, raw, offset),
            Phase::Is(b'M') => self.metadata(event),
            // Nestable ones, and those of before them.
            Phase::Is(b'b' | b'S') => return self.async_begin(event, offset),
            Phase::Is(b'e' | b'F') => return self.async_end(event, offset),
            Phase::Is(phase @ (b's' | b't' | b'f')) => {
                let own = self.own_link(event, offset);
                if !self.linked.flow(phase, event, own, offset) {
                    self.warn("missing-field", offset);
                }
            }
            Phase::Is(phase) => self.other(phase, event, raw, offset),
            Phase::Missing => self.warn("missing-field", offset),
            Phase::Unknown => self.warn("unknown-phase", offset),
        }
        ControlFlow::Continue(())
    }

    /// What Callscape itself has written of a link: its kind, and the function of the call.
    #[cold]
    fn own_link(&mut self, event: &Event<'_>, offset: u64) -> Option<(LinkKind, FunctionId)> {
        let kind = event.category?.strip_prefix(b"callscape:")?;
        let kind = LinkKind::named(std::str::from_utf8(kind).ok()?)?;
        let name = self.name(event.args_name?, offset);
        let location = &event.location;
        Some((
            kind,
            self.dialects.function(name, location, &mut self.builder),
        ))
    }

    /// Takes an event that is no call: it tells of memory, or is counted.
    #[cold]
    fn other(&mut self, phase: u8, event: &Event<'_>, raw: &[u8], offset: u64) {
        let (reporter, file) = (self.reporter, &self.file);
        self.has_source_maps |= devtools::is_script(event.name);
        let mut warn = |kind| reporter.warn(kind, || Place::offset(file, offset));
        let is_profile = matches!(
            event.name,
            Some(b"Profile" | b"ProfileChunk" | b"CpuProfile")
        );
        if is_profile {
            // Older writers have them as instants.
            warn(SAMPLE_NOT_SHOWN);
        } else if devtools::is_screenshot(event) {
            warn("screenshot-not-shown");
        } else if !self.memory.take((phase, offset), event, raw, &mut warn) {
            warn(not_shown(phase));
        }
    }

    /// Takes one event like [`Reader::take`], and gives the place of its thread where it was made a call of.
    fn take_any(
        &mut self,
        event: &Event<'_>,
        raw: &[u8],
        offset: u64,
    ) -> ControlFlow<(), Option<usize>> {
        self.threads.found = None;
        self.take(event, raw, offset)?;
        ControlFlow::Continue(self.threads.found)
    }

    /// The event as one of a batch; none where it has to be looked at more closely.
    #[inline]
    fn plain<'a>(&mut self, event: &Event<'a>, offset: u64) -> Option<Plain<'a>> {
        let Phase::Is(phase @ (b'B' | b'E' | b'X')) = event.phase else {
            return None;
        };
        let start = event.ts?.ok()?;
        let cost = match phase {
            b'X' => event.dur?.ok().filter(|&cost| cost >= 0)?,
            _ => 0,
        };
        if !event.location.is_empty()
            || event.flow.is_some()
            || devtools::may_be_long(event, cost)
            || (phase != b'E' && event.name.is_none())
        {
            return None;
        }
        let hash = match event.name {
            Some(name) if phase != b'E' => self.dialects.names.expect(name),
            _ => 0,
        };
        let thread = self.threads.find(event, &mut self.builder);
        self.clocks.take(event, thread);
        Some(Plain {
            offset,
            name: event.name.filter(|name| phase != b'E' || !name.is_empty()),
            hash,
            start,
            cost,
            args: event.args,
            thread: thread as u32,
            phase,
        })
    }

    /// Takes the events of a batch, as [`Reader::take`] would.
    fn take_all(&mut self, batch: &mut Batch<'_>) -> ControlFlow<()> {
        let events = batch.take();
        let mut contents: [(u64, &[u8]); batch::MOST] = [(0, &[]); batch::MOST];
        let mut count = 0;
        // Most ends have the name of their begin, and need no search.
        for event in events.iter().filter(|event| event.phase != b'E') {
            contents[count] = (event.hash, event.name.unwrap_or_default());
            count += 1;
        }
        let mut names = [None; batch::MOST];
        self.dialects.names.known(&contents[..count], &mut names);
        let mut names = contents.iter().zip(names);
        for event in events {
            let thread = event.thread as usize;
            if event.phase == b'E' {
                self.count_end_arguments(event.args, event.offset);
                let name = self.end_name(event.name, thread, event.offset);
                self.mark(thread, event.start, event.offset, What::End(name))?;
                continue;
            }
            let Some((&(_, content), name)) = names.next() else {
                continue;
            };
            let name = name.unwrap_or_else(|| self.name(content, event.offset));
            let function = self.dialects.named(name, &mut self.builder);
            let is_begin = event.phase == b'B';
            let end = (!is_begin).then(|| event.start.saturating_add(event.cost));
            if let Some(args) = event.args {
                let of = (thread, function);
                self.arguments(args, of, (event.start, end), event.offset);
            }
            if is_begin {
                let begin = What::Begin(name, function);
                self.mark(thread, event.start, event.offset, begin)?;
            } else {
                let (start, offset) = (event.start, event.offset);
                self.completed(Complete {
                    start,
                    end: end.unwrap_or(start),
                    offset,
                    thread: event.thread,
                    function: function.0,
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    fn begin(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let thread = self.threads.find(event, &mut self.builder);
        self.clocks.take(event, thread);
        let name = self.name(name, offset);
        let function = self
            .dialects
            .function(name, &event.location, &mut self.builder);
        let time = self.time(ts, thread, offset);
        self.linked.call(event, time, function, offset);
        if let Some(args) = event.args {
            self.arguments(args, (thread, function), (time, None), offset);
        }
        self.mark(thread, time, offset, What::Begin(name, function))
    }

    fn end(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let Some(ts) = event.ts else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let thread = self.threads.find(event, &mut self.builder);
        self.clocks.take(event, thread);
        self.count_end_arguments(event.args, offset);
        let time = self.time(ts, thread, offset);
        let name = self.end_name(event.name, thread, offset);
        self.mark(thread, time, offset, What::End(name))
    }

    fn async_begin(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let event = &devtools::interaction(event).unwrap_or(*event);
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let (thread, is_outermost) = self
            .lanes
            .begin(event, &mut self.threads, &mut self.builder);
        let name = self.name(name, offset);
        let function = self
            .dialects
            .function(name, &event.location, &mut self.builder);
        let time = self.time(ts, thread, offset);
        if is_outermost {
            let lane = self.threads.get_mut(thread).id;
            self.linked.began(event, lane, (time, function), offset);
        }
        if let Some(args) = event.args {
            self.arguments(args, (thread, function), (time, None), offset);
        }
        self.mark(thread, time, offset, What::Begin(name, function))
    }

    fn async_end(&mut self, event: &Event<'_>, offset: u64) -> ControlFlow<()> {
        let Some(ts) = event.ts else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        // Only the begin says what the user did.
        let timed = devtools::is_timing(event)
            .then(|| self.lanes.end(&devtools::timed(event)))
            .flatten();
        let Some(thread) = timed.or_else(|| self.lanes.end(event)) else {
            self.warn("end-without-begin", offset);
            return ControlFlow::Continue(());
        };
        self.count_end_arguments(event.args, offset);
        let time = self.time(ts, thread, offset);
        let name = event.name.filter(|_| timed.is_none());
        let name = self.end_name(name, thread, offset);
        self.mark(thread, time, offset, What::End(name))
    }

    /// Tells the arguments of a call on the thread at this place.
    #[inline(never)]
    fn arguments(
        &mut self,
        args: &[u8],
        (thread, function): (usize, FunctionId),
        (start, end): (i64, Option<i64>),
        offset: u64,
    ) {
        let thread = self.threads.get_mut(thread).id;
        let told = self.builder.arguments();
        arguments::tell(args, told);
        let (start, end) = (Timestamp::from_ns(start), end.map(Timestamp::from_ns));
        told.of_begun((thread, function), start, end, offset);
    }

    /// Counts what the end of a call says besides its name.
    #[inline]
    fn count_end_arguments(&self, args: Option<&[u8]>, offset: u64) {
        if args.is_some() {
            self.warn("arguments-of-end-not-shown", offset);
        }
    }

    /// The name of an end event; none where it says none.
    #[inline]
    fn end_name(&mut self, content: Option<&[u8]>, thread: usize, offset: u64) -> Option<Name> {
        let content = content.filter(|content| !content.is_empty())?;
        // Most ends are those of the innermost begin.
        match self.threads.get_mut(thread).open.innermost() {
            Some(begin) if self.dialects.names.is(content, begin.name) => Some(begin.name),
            _ => Some(self.name(content, offset)),
        }
    }

    /// The time of a begin or end; where it is none, that of the event before it.
    fn time(&mut self, ts: Result<i64, NoTime>, thread: usize, offset: u64) -> i64 {
        ts.unwrap_or_else(|why| {
            self.warn(why.kind(), offset);
            self.threads.get_mut(thread).last.unwrap_or(0)
        })
    }

    #[inline]
    fn name(&mut self, content: &[u8], offset: u64) -> Name {
        let (name, repaired) = self.dialects.names.name(content);
        if repaired {
            self.warn("invalid-text", offset);
        }
        name
    }

    /// A begin or end, handed on or kept.
    #[inline]
    fn mark(&mut self, index: usize, time: i64, offset: u64, what: What) -> ControlFlow<()> {
        let thread = self.threads.get_mut(index);
        if thread.last.is_some_and(|last| time < last) {
            if self.order == Order::AsWritten {
                return ControlFlow::Break(());
            }
            self.reporter
                .warn("out-of-order", || Place::offset(&self.file, offset));
        }
        thread.last = Some(time);
        if self.order == Order::ByTime {
            self.marks.push(Mark::new(time, offset, index, what));
            return ControlFlow::Continue(());
        }
        if thread.last_complete.is_some() {
            return ControlFlow::Break(());
        }
        let mark = Mark::new(time, offset, index, what);
        let place = |offset| Place::offset(&self.file, offset);
        let mut builder = self.builder.plain(thread.id);
        nesting::step(&mut thread.open, &mark, &mut builder, self.reporter, &place);
        ControlFlow::Continue(())
    }

    fn complete(&mut self, event: &Event<'_>, raw: &[u8], offset: u64) -> ControlFlow<()> {
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return ControlFlow::Continue(());
        };
        let start = match ts {
            Ok(start) => start,
            Err(why) => {
                self.warn(why.kind(), offset);
                return ControlFlow::Continue(());
            }
        };
        let cost = match event.dur {
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
        let index = self.threads.find(event, &mut self.builder);
        self.clocks.take(event, index);
        let name = match devtools::may_be_long(event, cost) && devtools::is_task(raw) {
            true => devtools::LONG_TASK,
            false => name,
        };
        let name = self.name(name, offset);
        let function = self
            .dialects
            .function(name, &event.location, &mut self.builder);
        self.linked.call(event, start, function, offset);
        let end = start.saturating_add(cost);
        if let Some(args) = event.args {
            self.arguments(args, (index, function), (start, Some(end)), offset);
        }
        self.completed(Complete {
            start,
            end,
            offset,
            thread: index as u32,
            function: function.0,
        })
    }

    /// A complete event, handed on or kept.
    #[inline]
    fn completed(&mut self, complete: Complete) -> ControlFlow<()> {
        let (start, end) = (complete.start, complete.end);
        let thread = self.threads.get_mut(complete.thread as usize);
        let ordered = thread.last_complete.is_none_or(|(last_start, last_end)| {
            last_start < start || (last_start == start && last_end >= end)
        });
        thread.last_complete = Some((start, end));
        if self.order == Order::AsWritten {
            if thread.last.is_some() || (self.completes_stream && !ordered) {
                return ControlFlow::Break(());
            }
            self.completes_ordered &= ordered;
            if self.completes_ordered && self.completes.len() >= WAITING {
                self.completes_stream = true;
                self.flush_completes();
            }
            if self.completes_stream {
                self.nest(&complete);
                return ControlFlow::Continue(());
            }
        }
        self.completes.push(complete);
        ControlFlow::Continue(())
    }

    /// Hands a complete event to the builder, after those of its thread that start before it.
    #[inline]
    fn nest(&mut self, complete: &Complete) {
        let thread = self.threads.get_mut(complete.thread as usize);
        let place = |offset| Place::offset(&self.file, offset);
        let mut builder = self.builder.plain(thread.id);
        thread
            .nesting
            .complete(complete, &mut builder, self.reporter, &place);
    }

    /// Hands the complete events so far, which are in order, to the builder.
    fn flush_completes(&mut self) {
        for complete in self.completes.take_all().unwrap_or_default() {
            self.nest(&complete);
        }
    }

    /// Names and order of processes and threads; other metadata says nothing about calls.
    fn metadata(&mut self, event: &Event<'_>) {
        let threads = &mut self.threads;
        let about = match event.name {
            Some(b"thread_name" | b"thread_sort_index") => threads
                .thread_metadata
                .entry(Threads::key(event))
                .or_default(),
            Some(b"process_name" | b"process_sort_index") => {
                let process = event.pid.unwrap_or_default();
                threads.process_metadata.entry(process.into()).or_default()
            }
            _ => return,
        };
        match (event.name, event.args_name, event.sort_index) {
            (Some(b"thread_name" | b"process_name"), Some(name), _) => {
                about.name = Some(self.dialects.names.name(name).0);
            }
            (Some(b"thread_sort_index" | b"process_sort_index"), _, Some(index)) => {
                let index = std::str::from_utf8(index).ok();
                about.sort_index = index.and_then(|index| index.parse().ok());
            }
            _ => {}
        }
    }

    /// Nests what waited, names the threads, and makes the call store.
    fn finish(mut self, end: u64, progress: &Progress) -> Result<(Functions, Trace), ImportError> {
        if self.order == Order::AsWritten && self.completes_ordered {
            self.flush_completes();
        }
        let io = |error| ImportError::io(Path::new(&self.file), error);
        let file = &self.file;
        let place = |offset| Place::offset(file, offset);
        progress.check()?;
        let mut threads = Vec::new();
        for thread in &mut self.threads.threads {
            let mut builder = self.builder.plain(thread.id);
            let overlapping = thread.nesting.finish(&mut builder);
            thread.open.enter_waiting(&mut builder);
            threads.push(thread.id);
            let to = (&mut self.builder, progress);
            building::further_lanes(overlapping, thread.id, to, self.reporter, &place)
                .map_err(io)?;
        }
        let (builder, reporter) = (&mut self.builder, self.reporter);
        let (completes, marks) = (self.completes, self.marks);
        let to = (builder, progress);
        let built = building::build(&threads, completes, marks, to, reporter, &place);
        progress.check()?;
        built.map_err(io)?;
        let told = self.clocks.finish(&threads, &mut self.builder, progress);
        progress.check()?;
        told.map_err(io)?;
        let ranks = self.threads.threads.iter();
        let ranks: Vec<_> = ranks.map(|thread| self.threads.rank(thread)).collect();
        // Lanes are called what their events belong to.
        let named = self.threads.threads.iter();
        for thread in named.filter(|thread| !lanes::is_one(&thread.key)) {
            let names = [
                self.threads.thread_metadata.get(&thread.key),
                self.threads.process_metadata.get(&thread.key.process),
            ];
            if let Some(name) = names.into_iter().flatten().find_map(|about| about.name) {
                let name = self.dialects.names.text(name);
                self.builder.name_thread(thread.id, name);
            }
        }
        let (builder, reporter) = (&mut self.builder, self.reporter);
        self.linked.build(&self.threads, builder, reporter, &place);
        self.builder.arrange_threads(&ranks);
        Ok(self.builder.finish(|| place(end)))
    }
}
