//! Chrome Trace Event JSON. Specification: "Trace Event Format",
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>, and
//! <https://perfetto.dev/docs/getting-started/other-formats>.
//!
//! Events are read as they stream by. Begin and end events go straight to the builder; complete (X) events,
//! which their writers put in order of their end, wait until their thread is known. Only a thread that has
//! both, or whose begins and ends are not in order of time, makes the file be read a second time with all
//! events waiting.

use std::collections::HashMap;
use std::path::Path;

use super::ImportError;
use super::hashing::BuildFast;
use super::json::{Cursor, Skip, Stop};
use super::stream::Window;
use crate::facts::builder::{Timestamp, TraceBuilder};
use crate::facts::names::NameId;
use crate::facts::recording::{Recording, RecordingKind};
use crate::progress::Progress;
use crate::units::ThreadId;
use crate::warnings::{Place, Reporter};
use dialects::Dialects;
use events::{Event, NoTime, nanoseconds};
use nesting::{Complete, Mark, OpenBegins, What};

mod dialects;
mod events;
mod nesting;

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

/// Reads a Chrome trace. One pass, two when events have to be put in order of time first.
pub fn import(path: &Path, progress: &Progress) -> Result<Recording, ImportError> {
    match read(path, progress, Order::AsWritten)? {
        Some(recording) => Ok(recording),
        None => read(path, progress, Order::ByTime)?.ok_or_else(|| {
            let place = Place::file(path.display().to_string());
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
fn read(path: &Path, progress: &Progress, order: Order) -> Result<Option<Recording>, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open(path, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        reporter: &reporter,
        file: path.display().to_string(),
        order,
        dialects: Dialects::default(),
        threads: Threads::default(),
    };
    match peek(&mut window)? {
        Some(b'[') => {
            window.consume(1);
            if reader.array(&mut window)? == Array::NeedsOrder {
                return Ok(None);
            }
        }
        Some(b'{') => {
            window.consume(1);
            if reader.object(&mut window)? == Array::NeedsOrder {
                return Ok(None);
            }
        }
        other => {
            let found = match other {
                Some(byte) => format!("the byte {byte:#04x}"),
                None => "the end of the file".into(),
            };
            let place = window.place(window.offset());
            return Err(ImportError::malformed(
                place,
                "a JSON object or array",
                found,
            ));
        }
    }
    let end = window.offset();
    let (functions, trace) = reader.finish(end, progress)?;
    Ok(Some(Recording {
        path: path.to_owned(),
        format: FORMAT,
        kind: RecordingKind::Trace,
        functions,
        trace,
        samples: 0,
        warnings: reporter.warnings(),
    }))
}

/// The next byte that is no white space; none at the end of the file.
fn peek(window: &mut Window<'_>) -> Result<Option<u8>, ImportError> {
    loop {
        let data = window.data();
        let space = data.iter().position(|byte| !byte.is_ascii_whitespace());
        let found = space.map(|at| data[at]);
        window.consume(space.unwrap_or(data.len()));
        if found.is_some() || !window.more()? {
            return Ok(found);
        }
    }
}

/// How the array of events ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Array {
    Closed,
    /// By the end of the file.
    Cut,
    /// Given up: the events must be sorted by time.
    NeedsOrder,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    NeedsOrder,
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

    /// The object form: `traceEvents` among other members.
    fn object(&mut self, window: &mut Window<'_>) -> Result<Array, ImportError> {
        let mut keys: Vec<String> = Vec::new();
        let mut array = None;
        let truncated = loop {
            match peek(window)? {
                Some(b',') => window.consume(1),
                Some(b'}') => break false,
                None => break true,
                Some(_) => {
                    let Some(key) = key(window)? else {
                        break true;
                    };
                    let events = key == "traceEvents" && peek(window)? == Some(b'[');
                    if events && array.is_none() {
                        window.consume(1);
                        match self.array(window)? {
                            Array::NeedsOrder => return Ok(Array::NeedsOrder),
                            Array::Cut => return Ok(Array::Cut),
                            Array::Closed => array = Some(Array::Closed),
                        }
                    } else if !skip_value(window)? {
                        break true;
                    }
                    if keys.len() < 8 {
                        keys.push(key);
                    }
                }
            }
        };
        if truncated {
            self.warn("truncated-file", window.offset());
        }
        array.ok_or_else(|| {
            let found = match keys.len() {
                0 => "no members".to_owned(),
                _ => format!("the members {}", keys.join(", ")),
            };
            let place = window.place(window.offset());
            ImportError::malformed(place, "a member traceEvents with an array", found)
        })
    }

    /// The events up to the `]`, or the end of the file, which the format allows to come without.
    fn array(&mut self, window: &mut Window<'_>) -> Result<Array, ImportError> {
        loop {
            let base = window.offset();
            let mut cursor = Cursor::new(window.data(), 0);
            let mut done;
            let stop = loop {
                let next = cursor.next(b']');
                // White space and commas are done with, however much of them there is.
                done = cursor.at();
                match next {
                    Ok(true) => {}
                    Ok(false) => {
                        window.consume(done);
                        return Ok(Array::Closed);
                    }
                    Err(stop) => break stop,
                }
                let offset = base + cursor.at() as u64;
                if cursor.peek() != Ok(b'{') {
                    match cursor.value() {
                        Ok(_) => self.warn("not-an-event", offset),
                        Err(stop) => break stop,
                    }
                } else {
                    match events::event(&mut cursor) {
                        Ok(event) => {
                            if self.take(&event, offset) == Taken::NeedsOrder {
                                return Ok(Array::NeedsOrder);
                            }
                        }
                        Err(stop) => break stop,
                    }
                }
            };
            window.consume(done);
            match stop {
                Stop::Incomplete => {
                    if !window.more()? {
                        let kind = match window.data() {
                            [] => "unterminated-array",
                            _ => "truncated-file",
                        };
                        self.warn(kind, window.offset());
                        return Ok(Array::Cut);
                    }
                }
                Stop::Malformed(at) => {
                    self.warn("malformed-event", base + at as u64);
                    window.consume(at.saturating_sub(done).max(1));
                    if !resynchronise(window)? {
                        return Ok(Array::Cut);
                    }
                }
            }
        }
    }

    /// Takes one event.
    #[inline]
    fn take(&mut self, event: &Event<'_>, offset: u64) -> Taken {
        match event.phase {
            Some(b"B") => self.begin(event, offset),
            Some(b"E") => self.end(event, offset),
            Some(b"X") => self.complete(event, offset),
            Some(b"M") => {
                self.metadata(event);
                Taken::Yes
            }
            Some(
                b"i" | b"I" | b"R" | b"C" | b"s" | b"t" | b"f" | b"b" | b"n" | b"e" | b"S" | b"T"
                | b"p" | b"F" | b"N" | b"O" | b"D" | b"v" | b"V" | b"P" | b"c" | b"(" | b")" | b"=",
            ) => {
                self.warn("event-not-shown", offset);
                Taken::Yes
            }
            Some(_) => {
                self.warn("unknown-phase", offset);
                Taken::Yes
            }
            None => {
                self.warn("missing-field", offset);
                Taken::Yes
            }
        }
    }

    /// The time of a begin or end event; that of the event before it where its own is none.
    #[inline]
    fn time(&mut self, ts: &[u8], thread: usize, offset: u64) -> i64 {
        nanoseconds(ts).unwrap_or_else(|why| {
            self.warn(kind_of(why), offset);
            self.threads.get(thread).last.unwrap_or(0)
        })
    }

    fn begin(&mut self, event: &Event<'_>, offset: u64) -> Taken {
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return Taken::Yes;
        };
        let thread = self.threads.find(event, &mut self.builder);
        let time = self.time(ts, thread, offset);
        let name = self.name(name, offset);
        let function = self
            .dialects
            .function(name, &event.location, &mut self.builder);
        self.mark(thread, time, offset, What::Begin(name, function))
    }

    fn end(&mut self, event: &Event<'_>, offset: u64) -> Taken {
        let Some(ts) = event.ts else {
            self.warn("missing-field", offset);
            return Taken::Yes;
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
    fn mark(&mut self, thread: usize, time: i64, offset: u64, what: What) -> Taken {
        let file = &self.file;
        let place = || Place::offset(file, offset);
        let thread = self.threads.get_mut(thread);
        if thread.last.is_some_and(|last| time < last) {
            if self.order == Order::AsWritten {
                return Taken::NeedsOrder;
            }
            self.reporter.warn("out-of-order", place);
        }
        thread.last = Some(time);
        if self.order == Order::ByTime {
            thread.marks.push(Mark { time, offset, what });
            return Taken::Yes;
        }
        if !thread.completes.is_empty() {
            return Taken::NeedsOrder;
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
        Taken::Yes
    }

    fn complete(&mut self, event: &Event<'_>, offset: u64) -> Taken {
        let (Some(name), Some(ts)) = (event.name, event.ts) else {
            self.warn("missing-field", offset);
            return Taken::Yes;
        };
        let start = match nanoseconds(ts) {
            Ok(start) => start,
            Err(why) => {
                self.warn(kind_of(why), offset);
                return Taken::Yes;
            }
        };
        let cost = match event.dur.map(nanoseconds) {
            Some(Ok(cost)) if cost >= 0 => cost,
            Some(Ok(_)) => {
                self.warn("negative-duration", offset);
                0
            }
            Some(Err(why)) => {
                self.warn(kind_of(why), offset);
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
            return Taken::NeedsOrder;
        }
        thread.completes.push(Complete {
            start,
            end: start.saturating_add(cost),
            offset,
            function,
        });
        Taken::Yes
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
    fn finish(
        mut self,
        end: u64,
        progress: &Progress,
    ) -> Result<
        (
            crate::facts::functions::Functions,
            crate::facts::trace::Trace,
        ),
        ImportError,
    > {
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

/// The kind of warning for a time that is none.
fn kind_of(why: NoTime) -> &'static str {
    match why {
        NoTime::NotANumber => "time-not-a-number",
        NoTime::OutOfRange => "time-out-of-range",
    }
}

/// A thread while its events are read.
struct Thread {
    id: ThreadId,
    key: Box<[u8]>,
    process: Box<[u8]>,
    /// The time of the last begin or end event.
    last: Option<i64>,
    open: OpenBegins,
    completes: Vec<Complete>,
    marks: Vec<Mark>,
}

/// The threads by what events call them.
#[derive(Default)]
struct Threads {
    threads: Vec<Thread>,
    by_key: HashMap<Box<[u8]>, usize, BuildFast>,
    /// The thread of the last event.
    current: usize,
    scratch: Vec<u8>,
    thread_names: HashMap<Box<[u8]>, NameId, BuildFast>,
    process_names: HashMap<Box<[u8]>, NameId, BuildFast>,
}

impl Threads {
    /// Process and thread as one key. uftrace writes no thread id for a process's first thread.
    fn key(event: &Event<'_>) -> Box<[u8]> {
        let mut key = Vec::new();
        Threads::write_key(event, &mut key);
        key.into()
    }

    fn write_key(event: &Event<'_>, key: &mut Vec<u8>) {
        let pid = event.pid.unwrap_or_default();
        key.extend_from_slice(pid);
        // No JSON text contains this byte.
        key.push(b'\n');
        key.extend_from_slice(event.tid.unwrap_or(pid));
    }

    /// The place of the event's thread, made when it is new.
    #[inline]
    fn find(&mut self, event: &Event<'_>, builder: &mut TraceBuilder<'_>) -> usize {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        Threads::write_key(event, &mut scratch);
        let same = self.threads.get(self.current);
        if same.is_none_or(|thread| *thread.key != *scratch) {
            self.current = match self.by_key.get(scratch.as_slice()) {
                Some(&known) => known,
                None => self.add(event, &scratch, builder),
            };
        }
        self.scratch = scratch;
        self.current
    }

    fn add(&mut self, event: &Event<'_>, key: &[u8], builder: &mut TraceBuilder<'_>) -> usize {
        let pid = event.pid.unwrap_or_default();
        let (process, _) = super::json::unescape(pid);
        let (tid, _) = super::json::unescape(event.tid.unwrap_or(pid));
        let index = self.threads.len();
        self.threads.push(Thread {
            id: builder.thread(&process, &tid),
            key: key.into(),
            process: pid.into(),
            last: None,
            open: OpenBegins::default(),
            completes: Vec::new(),
            marks: Vec::new(),
        });
        self.by_key.insert(key.into(), index);
        index
    }

    fn get(&self, thread: usize) -> &Thread {
        &self.threads[thread]
    }

    fn get_mut(&mut self, thread: usize) -> &mut Thread {
        &mut self.threads[thread]
    }
}

/// The key of an object's next member and the colon behind it; none when the file ends there.
fn key(window: &mut Window<'_>) -> Result<Option<String>, ImportError> {
    loop {
        let mut cursor = Cursor::new(window.data(), 0);
        let key = cursor.text().and_then(|key| {
            cursor.expect(b':')?;
            Ok(super::json::unescape(key).0)
        });
        match key {
            Ok(key) => {
                let length = cursor.at();
                window.consume(length);
                return Ok(Some(key));
            }
            Err(Stop::Incomplete) => {
                if !window.more()? {
                    return Ok(None);
                }
            }
            Err(Stop::Malformed(at)) => {
                let found = window.data().get(at).copied().unwrap_or_default();
                let place = window.place(window.offset() + at as u64);
                let found = format!("the byte {found:#04x}");
                return Err(ImportError::malformed(
                    place,
                    "a member of a JSON object",
                    found,
                ));
            }
        }
    }
}

/// Skips a value of whatever length; false when the file ends inside it.
fn skip_value(window: &mut Window<'_>) -> Result<bool, ImportError> {
    let mut skip = Skip::default();
    loop {
        let data = window.data();
        match skip.over(data) {
            Some(length) => {
                window.consume(length);
                return Ok(true);
            }
            None => {
                let length = data.len();
                window.consume(length);
                if !window.more()? {
                    return Ok(false);
                }
            }
        }
    }
}

/// Goes on to the next `{` that a comma stands before; false at the end of the file.
fn resynchronise(window: &mut Window<'_>) -> Result<bool, ImportError> {
    let mut comma = false;
    loop {
        let data = window.data();
        let found = data.iter().position(|&byte| {
            let found = comma && byte == b'{';
            comma = byte == b',' || (comma && byte.is_ascii_whitespace());
            found
        });
        let length = found.unwrap_or(data.len());
        window.consume(length);
        if found.is_some() {
            return Ok(true);
        }
        if !window.more()? {
            return Ok(false);
        }
    }
}
