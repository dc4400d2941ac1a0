//! Text of the Java HPROF agent, `-agentlib:hprof=cpu=samples` or `cpu=times`, of JDK 8 and before.
//! Specification: <https://docs.oracle.com/javase/8/docs/technotes/samples/hprof.html> and the header of each
//! file; figure 1 of S. Lin and others, "Towards Anomaly Comprehension", SoftVis 2010, is a whole input.
//!
//! Read: `TRACE` records with class, method and file; the last table `CPU SAMPLES` or `CPU TIME`, each row for
//! its trace (the tables of a file are of everything so far: earlier ones are left out and counted); names of
//! threads. Of `CPU TIME` the count is that of calls, and the time the share that the row prints of the total,
//! to a hundredth of a per cent. What the agent leaves out below its cutoff is counted.
//!
//! The agent cuts stacks at a depth, 4 where not chosen: the outermost contexts are where it cut.
//!
//! Of the lines, which are those that were running, is told what they weigh. Heap, sites and monitors are counted.

use std::collections::HashMap;

use super::decimal;
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Time, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{FileId, Knows, LineStackId, LineStacks, LinesBuilder};
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Thread;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "hprof";

/// Whether the text is the agent's: its first line, a trace, a thread or a table.
pub(crate) fn sniff(head: &[u8]) -> bool {
    if head.starts_with(b"JAVA PROFILE 1.0") {
        // The agent's binary form has a zero behind the same words.
        return memchr::memchr(0, &head[..head.len().min(64)]).is_none();
    }
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty()).is_some_and(|line| {
        trace_id(line).is_some() || line.starts_with(b"THREAD START (") || table(line).is_some()
    })
}

/// The id in `TRACE 301138:` or `TRACE 301138: (thread=200001)`.
fn trace_id(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"TRACE ")?;
    let colon = memchr::memchr(b':', rest)?;
    std::str::from_utf8(&rest[..colon]).ok()?.parse().ok()
}

/// What a table weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Samples,
    Times,
}

/// `CPU SAMPLES BEGIN (total = 6) …` or `CPU TIME (ms) BEGIN (total = 13851) …`.
fn table(line: &[u8]) -> Option<(Table, u64)> {
    let (table, rest) = if let Some(rest) = line.strip_prefix(b"CPU SAMPLES BEGIN (total = ") {
        (Table::Samples, rest)
    } else {
        let rest = line.strip_prefix(b"CPU TIME (ms) BEGIN (total = ")?;
        (Table::Times, rest)
    };
    let close = memchr::memchr(b')', rest)?;
    let total = text::decode(&rest[..close]).0;
    let total = decimal::plain(total.trim(), true)?.parse().ok()?;
    Some((table, total))
}

/// A table's beginning and where it stands: behind a line that was cut it is still one.
fn table_in(line: &[u8]) -> Option<(usize, (Table, u64))> {
    let at = memchr::memmem::find(line, b"CPU ")?;
    Some((at, table(&line[at..])?))
}

/// Reads the profile. O(size); memory for its traces.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        file: input.display().to_string(),
        line: 0,
        functions: Functions::default(),
        threads: Vec::new(),
        frames: Vec::new(),
        traces: HashMap::default(),
        part: Part::Other,
        rows: None,
    };
    while let Some(line) = lines.next()? {
        reader.line += 1;
        reader.read(line);
    }
    if let Part::Table = reader.part {
        reader.warn("truncated-file");
    }
    reader.end_trace();
    let Some(rows) = reader.rows.take() else {
        let expected = "a table 'CPU SAMPLES' or 'CPU TIME'";
        return Err(ImportError::malformed(lines.place(), expected, "none"));
    };
    Ok(reader.finish(rows, input))
}

/// What the lines at hand belong to.
#[derive(Clone, Copy)]
enum Part {
    /// Frames of the trace with this id, the first of which stands here among all.
    Trace(u64, usize),
    Table,
    Other,
}

/// A table's row: what a trace weighs.
struct Row {
    trace: u64,
    /// The method that the row names.
    method: FunctionId,
    count: i64,
    /// Hundredths of a per cent of the total.
    share: i64,
    line: u64,
}

/// A table.
struct Rows {
    table: Table,
    total: u64,
    line: u64,
    rows: Vec<Row>,
}

struct Reader<'r> {
    reporter: &'r Reporter,
    file: String,
    /// The number of the line at hand, from 1.
    line: u64,
    functions: Functions,
    threads: Vec<Thread>,
    /// The frames of all traces, innermost first, and the lines that ran in them; 0 where not known.
    frames: Vec<(FunctionId, u32)>,
    /// By id, where a trace's frames lie.
    traces: HashMap<u64, (usize, usize), BuildFast>,
    part: Part,
    /// The last table.
    rows: Option<Rows>,
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter
            .warn(kind, || Place::line(&self.file, self.line));
    }

    fn read(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        if let Some(id) = trace_id(text) {
            self.end_trace();
            self.part = Part::Trace(id, self.frames.len());
        } else if let Some((at, (table, total))) = table_in(text) {
            if at > 0 {
                self.warn("malformed-line");
            }
            self.end_trace();
            if self.rows.is_some() {
                self.warn("earlier-table");
            }
            self.rows = Some(Rows {
                table,
                total,
                line: self.line,
                rows: Vec::new(),
            });
            self.part = Part::Table;
        } else if text.starts_with(b"THREAD START (") {
            self.end_trace();
            self.thread(text);
        } else if memchr::memmem::find(text, b" BEGIN").is_some() {
            // Sites, monitors, and what lives.
            self.end_trace();
            self.warn("table-not-shown");
        } else {
            match self.part {
                Part::Trace(..) => self.frame(text),
                Part::Table if text.starts_with(b"CPU ") => self.part = Part::Other,
                Part::Table => self.row(text),
                Part::Other => {}
            }
        }
    }

    /// A trace's frames end with the first line that is none.
    fn end_trace(&mut self) {
        if let Part::Trace(id, first) = self.part {
            if self.traces.contains_key(&id) {
                self.warn("duplicate-id");
                self.frames.truncate(first);
            } else {
                self.traces.insert(id, (first, self.frames.len()));
            }
        }
        self.part = Part::Other;
    }

    /// `class.method(File.java:line)`.
    fn frame(&mut self, text: &[u8]) {
        if text == b"<empty>" {
            return;
        }
        let text = self.text(text);
        let parts = text
            .strip_suffix(')')
            .and_then(|text| text.rsplit_once('('));
        let Some((name, place)) = parts.filter(|(name, _)| !name.is_empty()) else {
            return self.end_trace();
        };
        let (file, line) = match place.rsplit_once(':') {
            Some((file, line)) => (file, line.parse().unwrap_or(0)),
            None if place.contains('.') => (place, 0),
            // "Unknown Source", "Native Method", "Compiled Code".
            None => ("", 0),
        };
        let function = self.functions.intern(Function {
            name,
            file,
            ..Function::default()
        });
        self.frames.push((function, line));
    }

    /// `rank self accum count trace method`.
    fn row(&mut self, text: &[u8]) {
        let text = self.text(text);
        let mut words = text.split_ascii_whitespace();
        let Some(first) = words.next() else {
            return;
        };
        if first == "rank" {
            return;
        }
        let row = (|| {
            first.parse::<u64>().ok()?;
            let share = hundredths(words.next()?.strip_suffix('%')?)?;
            words.next()?.strip_suffix('%')?;
            let count = words.next()?;
            let count = decimal::plain(count, true).unwrap_or_else(|| count.to_owned());
            let trace = words.next()?.parse::<u64>().ok()?;
            let method = words.next()?;
            Some((share, count, trace, method))
        })();
        let Some((share, count, trace, method)) = row else {
            return self.warn("malformed-row");
        };
        let Ok(count) = count.parse::<i64>() else {
            return self.warn("count-out-of-range");
        };
        if count < 0 || share < 0 {
            self.warn("negative-count");
        }
        let method = self.functions_by_method(trace, method);
        let line = self.line;
        if let Some(rows) = &mut self.rows {
            rows.rows.push(Row {
                trace,
                method,
                count,
                share,
                line,
            });
        }
    }

    /// The innermost function of the trace where there is one, else what the row names.
    fn functions_by_method(&mut self, trace: u64, method: &str) -> FunctionId {
        match self.traces.get(&trace) {
            Some(&(first, end)) if first < end => self.frames[first].0,
            _ => self.functions.intern(Function {
                name: method,
                ..Function::default()
            }),
        }
    }

    /// `THREAD START (obj=50000162, id = 200001, name="main", group="system")`.
    fn thread(&mut self, text: &[u8]) {
        let text = self.text(text);
        let between = |start: &str, end: char| {
            let (_, rest) = text.split_once(start)?;
            Some(rest.split_once(end)?.0.trim().to_owned())
        };
        let Some(id) = between("id =", ',').or_else(|| between("id=", ',')) else {
            return self.warn("malformed-thread");
        };
        self.threads.push(Thread {
            id,
            process: String::new(),
            name: between("name=\"", '"').unwrap_or_default(),
            lane: 0,
            calls: 0,
            max_depth: 0,
            start: Time::ZERO,
            end: Time::ZERO,
        });
    }

    fn text(&self, bytes: &[u8]) -> String {
        let (text, is_sound) = text::checked(bytes);
        if !is_sound {
            self.warn("invalid-text");
        }
        text.into_owned()
    }

    fn finish(self, rows: Rows, input: &Input) -> Recording {
        let mut builder = ContextsBuilder::new(1, self.reporter);
        let mut lines = LinesBuilder::new(
            1,
            Knows {
                sites: true,
                calls: rows.table == Table::Times,
                totals: true,
                samples: false,
            },
        );
        let mut line_stacks = LineStacks::new(1);
        // By trace, its innermost context, and the same with the lines that ran.
        let mut contexts: HashMap<u64, (NodeId, LineStackId), BuildFast> = HashMap::default();
        let mut counted = 0_u64;
        for row in &rows.rows {
            let place = || Place::line(&self.file, row.line);
            let (context, line_stack) = *contexts.entry(row.trace).or_insert_with(|| {
                let frames = match self.traces.get(&row.trace) {
                    Some(&(first, end)) => &self.frames[first..end],
                    None => {
                        self.reporter.warn("unknown-trace", place);
                        &[]
                    }
                };
                let alone = [(row.method, 0)];
                let frames = match frames {
                    [] => &alone[..],
                    frames => frames,
                };
                let around = (NodeId::ROOT, LineStackId::EMPTY);
                let frames = frames.iter().rev();
                frames.fold(around, |(context, stack), &(function, line)| {
                    let line = lines.place(function, FileId::OWN, line);
                    (
                        builder.child(context, function, place),
                        line_stacks.push(stack, line),
                    )
                })
            });
            counted = counted.saturating_add(row.count.unsigned_abs());
            let weight = match rows.table {
                Table::Samples => Some(row.count),
                Table::Times => {
                    // Calls fewer than none are none.
                    let calls = u64::try_from(row.count).unwrap_or(0);
                    builder.add_calls(context, calls, place);
                    line_stacks.add_calls(line_stack, calls);
                    // Of milliseconds, hundredths of a per cent.
                    let ns = i128::from(rows.total) * i128::from(row.share) * 100;
                    i64::try_from(ns).ok()
                }
            };
            match weight {
                Some(weight) => {
                    builder.add(context, 0, weight, place);
                    line_stacks.add(line_stack, 0, weight);
                }
                None => self.reporter.warn("weight-out-of-range", place),
            }
        }
        let (name, unit) = match rows.table {
            Table::Samples => ("samples", Unit::Things("samples".to_owned())),
            Table::Times => ("time", Unit::Nanoseconds),
        };
        let samples = match rows.table {
            Table::Samples => {
                let cut = rows.total.saturating_sub(counted);
                let place = || Place::line(&self.file, rows.line);
                self.reporter.warn_many("samples-below-cutoff", cut, place);
                counted
            }
            Table::Times => 0,
        };
        let value = Value {
            name: name.to_owned(),
            unit,
        };
        let weights = Weights::Contexts(builder.finish());
        line_stacks.finish(&mut lines);
        let profile = Profile::new(vec![value], 0, weights, self.functions.len());
        let profile = (self.functions, profile.with_threads(self.threads));
        let warnings = self.reporter.warnings();
        Recording::of_profile(input, FORMAT, samples, profile, warnings).with_lines(lines.finish())
    }
}

/// `12.34` or `12,34` as 1234; none of what has no such form or does not fit.
fn hundredths(text: &str) -> Option<i64> {
    let number = decimal::plain(text, false)?;
    let sign = if number.starts_with('-') { -1 } else { 1 };
    let number = number.trim_start_matches('-');
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if decimals.len() > 2 {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let padded = format!("{decimals:0<2}");
    let size = whole.checked_mul(100)?.checked_add(padded.parse().ok()?);
    Some(sign * size?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_recognised() {
        assert_eq!(trace_id(b"TRACE 301138: (thread=200001)"), Some(301_138));
        assert_eq!(trace_id(b"TRACE            represents a Java stack"), None);
        let samples = b"CPU SAMPLES BEGIN (total = 6) Tue Apr 6 17:20:40 2010";
        assert_eq!(table(samples), Some((Table::Samples, 6)));
        let times = b"CPU TIME (ms) BEGIN (total = 13851) Sat Mar 15 14:28:03 2014";
        assert_eq!(table(times), Some((Table::Times, 13_851)));
        for total in ["13.851", "13,851", "13'851", "13\u{a0}851"] {
            let line = format!("CPU TIME (ms) BEGIN (total = {total}) Sat Mar 15");
            let found = table(line.as_bytes());
            assert_eq!(found, Some((Table::Times, 13_851)), "{total}");
        }
        assert_eq!(table(b"CPU TIME        is a profile"), None);
        for (text, expected) in [
            ("50.00", Some(5000)),
            ("7.72", Some(772)),
            ("3", Some(300)),
            ("0.1", Some(10)),
            ("1.234", None),
            (".5", None),
            ("-1.00", Some(-100)),
        ] {
            assert_eq!(hundredths(text), expected, "{text}");
        }
    }

    #[test]
    fn the_text_is_told_from_the_binary_form() {
        assert!(sniff(
            b"JAVA PROFILE 1.0.1, created Thu Sep  7 22:16:49 2017\n"
        ));
        assert!(!sniff(b"JAVA PROFILE 1.0.2\0\0\0\0\x08"));
        assert!(sniff(
            b"\nTRACE 1:\nlib3.Signal.travel(ToyProgram.java:60)\n"
        ));
        assert!(!sniff(b"TRACE is a word\n"));
    }
}
