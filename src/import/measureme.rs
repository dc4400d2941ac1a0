//! Profiles that rustc writes of itself (`-Zself-profile`), `.mm_profdata`, format versions 8 and 9. Specification: the
//! modules `serialization`, `raw_event`, `stringtable` and `event_id` of <https://docs.rs/measureme>.
//!
//! Read are the intervals, which are calls by thread: the label of an event is the function, the kind of the event its
//! library, and the arguments (`-Zself-profile-events=default,args`) are `arg0` and so on. Instants and numbers are counted
//! (`event-not-shown`). The number of the process is read of the metadata, and nothing else.
//!
//! An event is written when it ends, so all are held until the file has ended.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::error::ImportError;
use super::input::Input;
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;
use callscape_facts::trace::{PutAside, Value};
use strings::{METADATA, Strings, number};

mod strings;
#[cfg(test)]
mod tests;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "measureme";

const BEGINNING: &[u8] = b"MMPD";

/// The file and each of its streams begin with four letters and the version.
const HEADER: usize = 8;

/// What an interval has in the place of its end if it is none.
const INSTANT: u64 = 0xffff_ffff_ffff;
const NUMBER: u64 = INSTANT - 1;

/// What is between the label of an event and its arguments.
const SEPARATOR: char = '\u{1e}';

/// How many bytes all texts may have together, beyond so many for each byte of the file's.
const FREE_TEXT: usize = 16 << 20;
const TEXT_A_BYTE: usize = 64;

/// Whether a file that begins with `head` is one.
pub(crate) fn sniff(head: &[u8]) -> bool {
    head.starts_with(BEGINNING) && head.get(5..8) == Some(&[0; 3])
}

/// Reads the intervals. O(n log n), all of them in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open_binary(input, progress, &reporter)?;
    window.have(HEADER)?;
    let version = window.data().get(4..8).and_then(|it| number(it, 4));
    let width = match version {
        Some(8) => 4,
        Some(9) => 8,
        found => {
            let found = found.map_or("none".to_owned(), |it| format!("version {it}"));
            let expected = "a profile of rustc in format version 8 or 9";
            return Err(ImportError::malformed(window.place(0), expected, found));
        }
    };
    window.consume(HEADER);
    let mut reader = Reader {
        strings: Strings {
            width,
            ..Strings::default()
        },
        events: Stream::default(),
        index: Stream::default(),
        rows: Vec::new(),
        pairs: Vec::new(),
        by_pair: HashMap::default(),
    };
    reader.pages(&mut window, &reporter)?;
    window.finish()?;
    let place = || window.place(window.offset());
    let mut builder = TraceBuilder::new(&reporter);
    reader.build(&mut builder, &window, &reporter);
    let calls = builder.finish(place);
    let warnings = reporter.warnings();
    Ok(Recording::of_calls(input, FORMAT, None, calls, warnings))
}

/// An interval.
#[derive(Clone, Copy)]
struct Row {
    thread: u32,
    /// Its kind and its event, in the list of pairs.
    pair: u32,
    /// In nanoseconds.
    start: u64,
    end: u64,
}

/// Rows that pages may cut.
#[derive(Default)]
struct Stream {
    has_begun: bool,
    /// The beginning of what the last page has cut.
    rest: Vec<u8>,
}

impl Stream {
    /// Takes the next page, and hands on rows of `width` bytes.
    fn take(&mut self, page: &[u8], width: usize, mut take: impl FnMut(&[u8])) {
        self.rest.extend(page);
        let mut rest = self.rest.as_slice();
        if !self.has_begun {
            let Some(behind) = rest.get(HEADER..) else {
                return;
            };
            self.has_begun = true;
            rest = behind;
        }
        let mut rows = rest.chunks_exact(width);
        for row in &mut rows {
            take(row);
        }
        self.rest = rows.remainder().to_vec();
    }
}

struct Reader {
    strings: Strings,
    events: Stream,
    index: Stream,
    rows: Vec<Row>,
    /// Kinds and events by their texts.
    pairs: Vec<(u64, u64)>,
    by_pair: HashMap<(u64, u64), u32, BuildFast>,
}

/// A function that ran, and with which arguments.
#[derive(Clone, Copy)]
struct Ran {
    function: FunctionId,
    arguments: Option<PutAside>,
}

impl Reader {
    /// Reads page after page.
    fn pages(&mut self, window: &mut Window<'_>, reporter: &Reporter) -> Result<(), ImportError> {
        /// The kind of a page, and its size.
        const BEFORE: usize = 5;
        let width = self.strings.width;
        loop {
            let offset = window.offset();
            let has_more = window.have(BEFORE)?;
            let Some(&tag) = window.data().first() else {
                return Ok(());
            };
            let size = window.data().get(1..BEFORE).and_then(|it| number(it, 4));
            let Some(size) = size.filter(|_| has_more && tag <= 2) else {
                let kind = match has_more {
                    true => "damaged-page",
                    false => "truncated-file",
                };
                reporter.warn(kind, || window.place(offset));
                return Ok(());
            };
            window.consume(BEFORE);
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let is_whole = window.have(size)?;
            let page = &window.data()[..size.min(window.data().len())];
            let mut others = 0;
            match tag {
                0 => {
                    let mut events = std::mem::take(&mut self.events);
                    events.take(page, 2 * width + 16, |row| {
                        others += u64::from(self.event(row).is_none());
                    });
                    self.events = events;
                }
                1 => self.strings.data.extend(page),
                _ => {
                    let index = &mut self.strings.index;
                    self.index.take(page, 2 * width, |row| {
                        let entry = number(row, width).zip(number(&row[width..], width));
                        index.extend(entry);
                    });
                }
            }
            reporter.warn_many("event-not-shown", others, || window.place(offset));
            let length = page.len();
            window.consume(length);
            if !is_whole {
                reporter.warn("truncated-file", || window.place(offset));
                return Ok(());
            }
        }
    }

    /// Takes an event; none of what is no interval.
    fn event(&mut self, row: &[u8]) -> Option<()> {
        let width = self.strings.width;
        let pair = (number(row, width)?, number(row.get(width..)?, width)?);
        let behind = row.get(2 * width..)?;
        let [thread, low_start, low_end, high] =
            [0, 4, 8, 12].map(|at| behind.get(at..).and_then(|it| number(it, 4)).unwrap_or(0));
        let start = low_start | (high >> 16) << 32;
        let end = low_end | (high & 0xffff) << 32;
        if matches!(end, INSTANT | NUMBER) {
            return None;
        }
        let next = self.pairs.len() as u32;
        let pair = *self.by_pair.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            next
        });
        self.rows.push(Row {
            thread: thread as u32,
            pair,
            start,
            end,
        });
        Some(())
    }

    /// The number of the process; empty if it is not told.
    fn process(&self) -> String {
        let (metadata, _) = self.strings.text(METADATA);
        let metadata: Option<serde_json::Value> = serde_json::from_str(&metadata).ok();
        let process = metadata.and_then(|it| it.get("process_id")?.as_u64());
        process.map_or(String::new(), |it| it.to_string())
    }

    /// By pair, what ran.
    fn ran(
        &self,
        builder: &mut TraceBuilder<'_>,
        window: &Window<'_>,
        reporter: &Reporter,
    ) -> Vec<Ran> {
        let mut kinds: HashMap<u64, String, BuildFast> = HashMap::default();
        let offset = window.offset();
        // References make texts longer than their file.
        let mut left = FREE_TEXT.saturating_add(TEXT_A_BYTE * self.strings.data.len());
        let mut text = |id: u64| {
            let (text, is_whole) = match left {
                0 => (String::new(), false),
                _ => self.strings.text(id),
            };
            left = left.saturating_sub(text.len());
            if !is_whole {
                reporter.warn("incomplete-text", || window.place(offset));
            }
            text
        };
        let ran = self.pairs.iter().map(|&(kind, event)| {
            let kind = kinds.entry(kind).or_insert_with(|| text(kind));
            let event = text(event);
            let mut parts = event.split(SEPARATOR);
            let label = parts.next().filter(|label| !label.is_empty());
            let function = builder.function(Function {
                name: label.unwrap_or("(unnamed)"),
                library: kind,
                ..Function::default()
            });
            let arguments = builder.arguments();
            for (number, argument) in parts.enumerate() {
                let value = Value::Text(argument.into());
                arguments.add(&format!("arg{number}"), &value);
            }
            Ran {
                function,
                arguments: arguments.put_aside(offset),
            }
        });
        ran.collect()
    }

    fn build(&mut self, builder: &mut TraceBuilder<'_>, window: &Window<'_>, reporter: &Reporter) {
        let process = self.process();
        let ran = self.ran(builder, window, reporter);
        // Of intervals that start and end together, the one that was written last is around the others.
        self.rows.reverse();
        self.rows
            .sort_by_key(|row| (row.thread, row.start, Reverse(row.end)));
        for of_thread in self.rows.chunk_by(|a, b| a.thread == b.thread) {
            let Some(first) = of_thread.first() else {
                continue;
            };
            let thread = builder.thread(&process, &first.thread.to_string());
            let mut lanes = Lanes::new(thread);
            for row in of_thread {
                let place = || window.place(window.offset());
                if row.end < row.start {
                    reporter.warn("end-before-start", place);
                }
                let end = row.end.max(row.start);
                let lane = lanes.of(row.start, end, builder, window);
                let ran = ran[row.pair as usize];
                let start = Timestamp::from_ns(row.start as i64);
                builder.enter(lane, start, ran.function, place);
                if let Some(aside) = ran.arguments {
                    let end = Some(Timestamp::from_ns(end as i64));
                    let arguments = builder.arguments();
                    arguments.aside_of_begun(aside, (thread, ran.function), start, end);
                }
            }
            lanes.end(u64::MAX, builder, window);
        }
    }
}

/// The lanes of a thread, with the ends of the intervals that are open on each.
struct Lanes(Vec<(ThreadId, Vec<u64>)>);

impl Lanes {
    fn new(thread: ThreadId) -> Lanes {
        Lanes(vec![(thread, Vec::new())])
    }

    /// Ends what ends until `time`.
    fn end(&mut self, time: u64, builder: &mut TraceBuilder<'_>, window: &Window<'_>) {
        let place = || window.place(window.offset());
        for (thread, open) in &mut self.0 {
            while let Some(&end) = open.last().filter(|&&end| end <= time) {
                builder.exit(*thread, Timestamp::from_ns(end as i64), None, place);
                open.pop();
            }
        }
    }

    /// The first lane on which an interval is inside of all that is open.
    fn of(
        &mut self,
        start: u64,
        end: u64,
        builder: &mut TraceBuilder<'_>,
        window: &Window<'_>,
    ) -> ThreadId {
        self.end(start, builder, window);
        let fits = |(_, open): &(_, Vec<u64>)| open.last().is_none_or(|&outer| end <= outer);
        let number = self.0.iter().position(fits).unwrap_or_else(|| {
            let lane = builder.lane(self.0[0].0, self.0.len() as u32 + 1);
            self.0.push((lane, Vec::new()));
            self.0.len() - 1
        });
        let (lane, open) = &mut self.0[number];
        open.push(end);
        *lane
    }
}
