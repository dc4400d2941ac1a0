//! The text of `perf trace`. Specification: perf-trace(1), <https://man7.org/linux/man-pages/man1/perf-trace.1.html>, and
//! what `tools/perf/builtin-trace.c` of Linux prints.
//!
//! Read are system calls by thread, with their times, durations, arguments and what they return. A call that was
//! printed in two parts (`...`, then `... [continued]:`) is one. Calls that return an error are counted by function. Times
//! are rounded to microseconds: a call that would begin before the one before it has ended begins then.
//! Calls of which the begin is not known (`?`) are left out and counted (`missing-time`). Counted are other events and page
//! faults (`event-not-shown`), frames of stacks (`stack-not-shown`), the summary of `-s` and `-S`
//! (`summary-not-shown`) and other lines, such as those of the program itself (`line-not-shown`).

use std::collections::{BTreeMap, HashMap};

use super::decimal::{self, Unit};
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;
use callscape_facts::trace::Value;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "perf-trace";

/// How many lines tell whether a file is one.
const LINES_SNIFFED: usize = 256;

/// To what times and durations are exact together, in nanoseconds.
const EXACT_TO: i64 = 2000;

/// The library of system calls.
const KERNEL: &str = "[kernel]";

/// Whether a file that begins with `head` is such a text.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').take(LINES_SNIFFED);
    lines.any(|line| {
        let line = std::str::from_utf8(line).unwrap_or_default();
        matches!(Line::parse(line.trim_end()), Some(Line::Call(_)))
    })
}

/// A system call, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call<'a> {
    /// In nanoseconds; none where its begin is not known.
    start: Option<i64>,
    /// None where it did not end.
    cost: Option<i64>,
    command: &'a str,
    thread: &'a str,
    name: &'a str,
    arguments: &'a str,
    part: Part<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    /// Others are printed before it ends.
    Begin,
    /// Its end, with what it returns.
    End(&'a str),
    Whole(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Call(Call<'a>),
    /// Another event, or a page fault.
    Event,
    Frame,
    Lost(u64),
    /// What follows is the summary.
    Summary,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Line<'a>> {
        let text = line.trim_start();
        if text.starts_with("Summary of events") {
            return Some(Line::Summary);
        }
        if let Some(count) = text.strip_prefix("LOST ") {
            let count = count.strip_suffix(" events!")?;
            return count.parse().ok().map(Line::Lost);
        }
        if line.len() - text.len() > 24 && !text.contains("): ") {
            return Some(Line::Frame);
        }
        let (time, rest) = text.split_once(' ')?;
        let start = match time {
            "?" => None,
            time => Some(milliseconds(time)?),
        };
        let Some(rest) = rest.trim_start().strip_prefix('(') else {
            // `0.423 ls/12 sched:sched_waking(comm: "ls")`.
            let name = rest.split_once('(')?.0;
            return name.contains(':').then_some(Line::Event);
        };
        let (cost, rest) = rest.split_once("): ")?;
        let cost = match cost.trim() {
            "" => None,
            cost => Some(milliseconds(cost.strip_suffix(" ms")?)?),
        };
        let (command, thread, says) = whose(rest);
        let says = says.trim_start();
        if says.starts_with("minfault") || says.starts_with("majfault") {
            return Some(Line::Event);
        }
        let (call, part) = if let Some(call) = says.strip_suffix("...") {
            (call, Part::Begin)
        } else {
            let (call, returned) = says.rsplit_once(" = ").or_else(|| {
                // Of `clone` in the new process nothing is known.
                says.strip_suffix(" =").map(|call| (call, ""))
            })?;
            match call
                .trim_start_matches('.')
                .trim_start()
                .strip_prefix("[continued]: ")
            {
                Some(call) => (call, Part::End(returned)),
                None => (call, Part::Whole(returned)),
            }
        };
        let (name, arguments) = call.trim_end().strip_suffix(')')?.split_once('(')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte);
        (!name.is_empty() && name.bytes().all(is_name)).then_some(Line::Call(Call {
            start,
            cost,
            command,
            thread,
            name,
            // The second part has none.
            arguments: if matches!(part, Part::End(_)) {
                ""
            } else {
                arguments
            },
            part,
        }))
    }
}

fn milliseconds(text: &str) -> Option<i64> {
    // Nothing else has exactly three decimals.
    let is_one = text
        .split_once('.')
        .is_some_and(|(_, decimals)| decimals.len() == 3);
    let time = decimal::nanoseconds(text.as_bytes(), Unit::Milliseconds).ok()?;
    (is_one && time >= 0).then_some(time)
}

/// The command and the thread of `command/12 what it does`; empty where there is but one.
fn whose(text: &str) -> (&str, &str, &str) {
    let before = &text[..text.find('(').unwrap_or(text.len())];
    for (at, _) in before.match_indices('/') {
        let rest = &text[at + 1..];
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        if end > 0 && rest[end..].starts_with(' ') {
            return (&text[..at], &rest[..end], &rest[end..]);
        }
    }
    ("", "", text)
}

/// The arguments of `name: value, name: value`; a value may have commas in quotes and brackets.
fn arguments(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let (mut depth, mut is_quoted, mut is_escaped, mut begin) = (0_i32, false, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth <= 0 => {
                found.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[begin..]);
    let pairs = found.into_iter().map(str::trim).filter(|it| !it.is_empty());
    pairs
        .map(|pair| pair.split_once(": ").unwrap_or(("", pair)))
        .collect()
}

/// A value as it is written.
fn value(text: &str) -> Value<'_> {
    if let Some(digits) = text.strip_prefix("0x")
        && let Ok(address) = u64::from_str_radix(digits, 16)
    {
        return Value::Address(address);
    }
    if let Ok(number) = text.parse() {
        return Value::Integer(number);
    }
    let inside = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    Value::Text(inside.unwrap_or(text).into())
}

/// A call of which the end is not known yet.
struct Open {
    start: i64,
    name: String,
    arguments: String,
    offset: u64,
}

struct Thread {
    id: ThreadId,
    command: String,
    open: Option<Open>,
    /// When its last call ended.
    ended: i64,
}

struct Reader<'r> {
    builder: TraceBuilder<'r>,
    /// By id.
    threads: HashMap<String, Thread>,
    /// How many calls of a function failed.
    failed: BTreeMap<FunctionId, u64>,
    /// When the last line was.
    seen: i64,
    /// Where the line at hand begins.
    offset: u64,
}

/// Reads the calls. O(size), in memory for the calls.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        threads: HashMap::new(),
        failed: BTreeMap::new(),
        seen: 0,
        offset: 0,
    };
    let mut is_summary = false;
    while let Some(line) = lines.next()? {
        let length = line.len() as u64 + 1;
        let (line, is_other) = text::decode(line);
        let line = line.into_owned();
        if is_other {
            lines.warn("invalid-text");
        }
        let line = line.trim_end();
        let kind = match Line::parse(line) {
            // Threads that ended before may come behind their summary.
            Some(Line::Call(call)) => {
                reader.call(&call, &lines);
                None
            }
            _ if line.is_empty() => None,
            Some(Line::Summary) => {
                is_summary = true;
                None
            }
            _ if is_summary => Some(("summary-not-shown", 1)),
            Some(Line::Event) => Some(("event-not-shown", 1)),
            Some(Line::Frame) => Some(("stack-not-shown", 1)),
            Some(Line::Lost(lost)) => Some(("events-lost", lost)),
            None => Some(("line-not-shown", 1)),
        };
        if let Some((kind, count)) = kind {
            reporter.warn_many(kind, count, || lines.place());
        }
        reader.offset += length;
    }
    reader.finish(input, &reporter, &lines)
}

impl<'r> Reader<'r> {
    fn call(&mut self, call: &Call<'_>, lines: &Lines<'_>) {
        self.seen = self.seen.max(call.start.unwrap_or(0));
        let Some(start) = call.start else {
            return lines.warn("missing-time");
        };
        let builder = &mut self.builder;
        let thread = self.threads.entry(call.thread.to_owned());
        let thread = thread.or_insert_with(|| Thread {
            id: builder.thread(
                "",
                if call.thread.is_empty() {
                    "all"
                } else {
                    call.thread
                },
            ),
            command: String::new(),
            open: None,
            ended: i64::MIN,
        });
        if thread.command != call.command {
            call.command.clone_into(&mut thread.command);
            builder.name_thread(thread.id, call.command);
        }
        let mut before = thread.open.take();
        // The end says when the call began, too.
        let ends = matches!(call.part, Part::End(_));
        let same = before.take_if(|it| ends && it.name == call.name);
        let open = same.unwrap_or_else(|| Open {
            start,
            name: call.name.to_owned(),
            arguments: call.arguments.to_owned(),
            offset: self.offset,
        });
        if let Some(before) = before {
            // Some never say that they end, as `rt_sigreturn`.
            lines.warn("missing-end");
            self.take(call.thread, &before, Some((0, "")), lines);
        }
        let returned = match call.part {
            Part::Begin => {
                if let Some(thread) = self.threads.get_mut(call.thread) {
                    thread.open = Some(open);
                }
                return;
            }
            Part::Whole(returned) | Part::End(returned) => returned,
        };
        if call.cost.is_none() {
            lines.warn("missing-duration");
        }
        let cost = call.cost.unwrap_or(0);
        self.take(call.thread, &open, Some((cost, returned)), lines);
    }

    /// Takes a call with its duration and what it returned; without them where it did not end.
    fn take(&mut self, thread: &str, open: &Open, ended: Option<(i64, &str)>, lines: &Lines<'_>) {
        let Some(thread) = self.threads.get_mut(thread) else {
            return;
        };
        let builder = &mut self.builder;
        let function = builder.function(Function {
            name: &open.name,
            library: KERNEL,
            ..Function::default()
        });
        let start = open.start.max(thread.ended);
        // The builder counts what is more than rounding, and lets the call begin then, too.
        let is_near = start.saturating_sub(open.start) <= EXACT_TO;
        let told = if is_near { start } else { open.start };
        let place = || lines.place();
        builder.enter(thread.id, Timestamp::from_ns(told), function, place);
        let told = builder.arguments();
        for (number, (name, text)) in arguments(&open.arguments).into_iter().enumerate() {
            match name {
                "" => told.add(&format!("arg{}", number + 1), &value(text)),
                name => told.add(name, &value(text)),
            }
        }
        let mut end = None;
        if let Some((cost, returned)) = ended {
            if !matches!(returned, "" | "?") {
                told.add("return", &value(returned));
            }
            if returned.starts_with("-1 ") {
                *self.failed.entry(function).or_default() += 1;
            }
            thread.ended = start.saturating_add(cost);
            end = Some(Timestamp::from_ns(thread.ended));
        }
        let of = (thread.id, function);
        told.of_begun(of, Timestamp::from_ns(start), end, open.offset);
        if let Some(end) = end {
            builder.exit(thread.id, end, None, place);
            self.seen = self.seen.max(end.ns());
        }
    }

    fn finish(
        mut self,
        input: &Input,
        reporter: &Reporter,
        lines: &Lines<'_>,
    ) -> Result<Recording, ImportError> {
        let open = self.threads.iter_mut();
        let open = open.filter_map(|(id, thread)| Some((id.clone(), thread.open.take()?)));
        let mut open: Vec<(String, Open)> = open.collect();
        open.sort_by(|a, b| a.0.cmp(&b.0));
        for (thread, open) in open {
            self.take(&thread, &open, None, lines);
            let seen = Timestamp::from_ns(self.seen.max(open.start));
            self.builder.seen(self.threads[&thread].id, seen);
        }
        let calls = self.builder.finish(|| lines.place());
        let warnings = reporter.warnings();
        Ok(Recording {
            failed: self.failed.into_iter().collect(),
            ..Recording::of_calls(input, FORMAT, None, calls, warnings)
        })
    }
}

#[cfg(test)]
mod tests;
