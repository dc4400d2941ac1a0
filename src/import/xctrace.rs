//! Samples of Instruments' Time Profiler, as `xctrace export` writes the table `time-profile` in XML. Specification:
//! xctrace(1), <https://keith.github.io/xcode-man-pages/xctrace.1.html>, and the schema at the start of each table.
//!
//! Read are, of every row, the time of the sample, its thread, its weight and its backtrace, with the library of each
//! frame and where it is known its file and the line that ran. Values and frames are written once and referred to by a number
//! from then on. Counted are rows of other tables (`table-not-shown`), references to what is not there
//! (`unknown-reference`), and rows without a time (`missing-time`) or without a backtrace (`empty-stack`). The document is
//! read tag by tag; nothing it refers to is opened.

mod tags;

use std::collections::HashMap;

use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::samples::{Sample, Samples, StackId, Stacks, TrackId};
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;
use tags::{Tag, Tags, attribute};

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "xctrace";

/// The table that is read.
const TABLE: &str = "time-profile";

/// Whether a file that begins with `head` is an export of that table.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    let head = head.trim_ascii_start();
    let is_xml = head.starts_with(b"<?xml") || head.starts_with(b"<trace-query-result");
    is_xml && has(b"<trace-query-result") && has(b"<schema name=\"time-profile\"")
}

/// An element that is open and has a number.
struct Open {
    name: String,
    id: Option<u64>,
}

/// A frame while it is read.
#[derive(Default)]
struct Frame {
    name: String,
    library: String,
    file: String,
    line: u32,
}

/// What is known of the row at hand.
#[derive(Default)]
struct Row {
    time: Option<i64>,
    weight: Option<i64>,
    thread: Option<usize>,
    stack: Option<StackId>,
}

/// What was written with a number.
#[derive(Default)]
struct Known {
    numbers: HashMap<u64, i64, BuildFast>,
    texts: HashMap<u64, String, BuildFast>,
    frames: HashMap<u64, (FunctionId, u32), BuildFast>,
    stacks: HashMap<u64, StackId, BuildFast>,
    threads: HashMap<u64, usize, BuildFast>,
}

struct Reader<'r> {
    reporter: &'r Reporter,
    builder: TraceBuilder<'r>,
    samples: Samples<'r>,
    stacks: Stacks,
    tracks: Vec<TrackId>,
    /// By the text of a thread.
    by_text: HashMap<String, usize>,
    known: Known,
    open: Vec<Open>,
    is_table: bool,
    row: Row,
    frame: Frame,
    /// The frames of the backtrace at hand, innermost first.
    frames: Vec<(FunctionId, u32)>,
    place: Place,
}

/// Reads the samples. O(size), in memory for what is written with a number, and for calls.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let window = Window::open(input, progress, &reporter)?;
    let mut tags = Tags::over(window);
    let mut reader = Reader {
        reporter: &reporter,
        builder: TraceBuilder::new(&reporter),
        samples: Samples::of(&reporter, samplers::only(FORMAT)),
        stacks: Stacks::default(),
        tracks: Vec::new(),
        by_text: HashMap::new(),
        known: Known::default(),
        open: Vec::new(),
        is_table: false,
        row: Row::default(),
        frame: Frame::default(),
        frames: Vec::new(),
        place: Place::file(input.display().to_string()),
    };
    if let Ok(bytes) = input.size() {
        reader.samples.allow(bytes);
    }
    while let Some(tag) = tags.next()? {
        reader.place = tags.place();
        reader.take(&tag);
    }
    if reader
        .open
        .iter()
        .any(|open| open.name == "trace-query-result")
    {
        reporter.warn("truncated-file", || tags.place());
    }
    let place = || tags.place();
    let (stacks, mut builder) = (reader.stacks, reader.builder);
    let sampled = reader.samples.finish(&stacks, &mut builder, place);
    if sampled.samples == 0 {
        let expected = "samples of the Time Profiler";
        return Err(ImportError::malformed(tags.place(), expected, "none"));
    }
    let lines = sampled.lines(&stacks);
    let calls = builder.finish(place);
    let weighed = sampled.weighed(&stacks, (&calls.0, &calls.1));
    let samples = Some(sampled.samples);
    let recording = Recording::of_calls(input, FORMAT, samples, calls, reporter.warnings());
    Ok(recording.with_lines(lines).with_weights(weighed))
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter.warn(kind, || self.place.clone());
    }

    fn take(&mut self, tag: &Tag) {
        if tag.is_end {
            // Elements that were left open end with the one around them.
            let Some(depth) = self.open.iter().rposition(|open| open.name == tag.name) else {
                return self.warn("end-without-begin");
            };
            while self.open.len() > depth {
                if let Some(open) = self.open.pop() {
                    self.end(&open, &tag.text);
                }
            }
            return;
        }
        let number = |key| attribute(&tag.attributes, key).and_then(|it| it.parse().ok());
        if let Some(id) = number("ref") {
            self.refer(&tag.name, id);
        } else {
            self.begin(tag);
        }
        let open = Open {
            name: tag.name.clone(),
            id: number("id"),
        };
        match tag.is_empty {
            true if number("ref").is_some() => {}
            true => self.end(&open, ""),
            false => self.open.push(open),
        }
    }

    fn begin(&mut self, tag: &Tag) {
        let text = |key| attribute(&tag.attributes, key).unwrap_or_default();
        match tag.name.as_str() {
            "schema" => self.is_table = text("name") == TABLE,
            "row" => self.row = Row::default(),
            "backtrace" => self.frames.clear(),
            "frame" => {
                self.frame = Frame {
                    name: text("name"),
                    ..Frame::default()
                }
            }
            "binary" => self.frame.library = text("name"),
            "source" => self.frame.line = text("line").parse().unwrap_or(0),
            "thread" => {
                let thread = self.thread(&text("fmt"));
                self.row.thread = Some(thread);
            }
            _ => {}
        }
    }

    /// An element that stands for one that was written before.
    fn refer(&mut self, name: &str, id: u64) {
        let (row, known) = (&mut self.row, &self.known);
        let is_known = match name {
            "sample-time" => set(&mut row.time, known.numbers.get(&id)),
            "weight" => set(&mut row.weight, known.numbers.get(&id)),
            "thread" => set(&mut row.thread, known.threads.get(&id)),
            "backtrace" | "tagged-backtrace" => set(&mut row.stack, known.stacks.get(&id)),
            "frame" => {
                self.frames.extend(known.frames.get(&id));
                known.frames.contains_key(&id)
            }
            "binary" | "path" => {
                let text = known.texts.get(&id);
                let to = match name {
                    "binary" => &mut self.frame.library,
                    _ => &mut self.frame.file,
                };
                to.clone_from(text.unwrap_or(&String::new()));
                text.is_some()
            }
            _ => true,
        };
        if !is_known {
            self.warn("unknown-reference");
        }
    }

    /// An element ends, with the text in it.
    fn end(&mut self, open: &Open, text: &str) {
        let (known, id) = (&mut self.known, open.id);
        match open.name.as_str() {
            "sample-time" | "weight" => {
                let Ok(number) = text.trim().parse() else {
                    return self.warn("malformed-number");
                };
                id.map(|id| known.numbers.insert(id, number));
                match open.name.as_str() {
                    "weight" => self.row.weight = Some(number),
                    _ => self.row.time = Some(number),
                }
            }
            "thread" => {
                id.zip(self.row.thread)
                    .map(|(id, it)| known.threads.insert(id, it));
            }
            "binary" => {
                id.map(|id| known.texts.insert(id, self.frame.library.clone()));
            }
            "path" => {
                text.trim().clone_into(&mut self.frame.file);
                id.map(|id| known.texts.insert(id, self.frame.file.clone()));
            }
            "frame" => {
                let frame = &self.frame;
                let function = self.builder.function(Function {
                    name: if frame.name.is_empty() {
                        "[unknown]"
                    } else {
                        &frame.name
                    },
                    file: &frame.file,
                    line: 0,
                    library: &frame.library,
                });
                self.frames.push((function, frame.line));
                id.map(|id| known.frames.insert(id, (function, frame.line)));
            }
            "backtrace" => {
                let mut stack = StackId::EMPTY;
                for &(function, line) in self.frames.iter().rev() {
                    stack = self.stacks.push_at(stack, function, line);
                }
                self.row.stack = Some(stack);
                id.map(|id| known.stacks.insert(id, stack));
            }
            "tagged-backtrace" => {
                id.zip(self.row.stack)
                    .map(|(id, it)| known.stacks.insert(id, it));
            }
            "row" => self.row(),
            _ => {}
        }
    }

    /// The thread of `Main Thread 0x1a2b (app, pid: 12)`.
    fn thread(&mut self, text: &str) -> usize {
        if let Some(&known) = self.by_text.get(text) {
            return known;
        }
        let (of_thread, process) = text.rsplit_once(" (").unwrap_or((text, ""));
        let (command, process) = process.split_once(", pid: ").unwrap_or((process, ""));
        let process = process.trim_end_matches(')');
        let (name, id) = match of_thread.rsplit_once("0x") {
            Some((name, id)) => (name.trim(), format!("0x{id}")),
            None => (of_thread, of_thread.to_owned()),
        };
        let id = if id.is_empty() { "all".to_owned() } else { id };
        let thread = self.builder.thread(process, &id);
        let name = if name.is_empty() { command } else { name };
        self.builder.name_thread(thread, name);
        self.tracks.push(self.samples.track(thread));
        self.by_text.insert(text.to_owned(), self.tracks.len() - 1);
        self.tracks.len() - 1
    }

    fn row(&mut self) {
        let row = std::mem::take(&mut self.row);
        if !self.is_table {
            return self.warn("table-not-shown");
        }
        let Some(time) = row.time else {
            return self.warn("missing-time");
        };
        if row.stack.is_none() {
            self.warn("empty-stack");
        }
        let thread = match row.thread {
            Some(thread) => thread,
            None => self.thread(""),
        };
        let sample = Sample {
            amount: row.weight.and_then(|it| u64::try_from(it).ok()),
            ..Sample::at(time, row.stack.unwrap_or(StackId::EMPTY))
        };
        let (track, place) = (self.tracks[thread], || self.place.clone());
        let builder = &mut self.builder;
        self.samples
            .stack(track, sample, &self.stacks, builder, place);
    }
}

/// Sets what is known; whether it is.
fn set<T: Copy>(to: &mut Option<T>, known: Option<&T>) -> bool {
    *to = known.copied();
    known.is_some()
}

#[cfg(test)]
mod tests;
