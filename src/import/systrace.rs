//! The text of the kernel's ftrace with the marks of programs, as Android's systrace, atrace and `trace-cmd report` print
//! it, also in the page that systrace makes of it. Specification: <https://docs.kernel.org/trace/ftrace.html>, the section
//! Output format.
//!
//! Read are `tracing_mark_write` and `print` events: calls of threads, and those of no thread on lanes of their own.
//! Wake-ups and transactions of binder are links, and threads wait between switches. Counted are other marks and the other events of the kernel (`event-not-shown`).

use std::collections::HashMap;
use std::path::Path;

use super::atrace::{self, Lanes, Mark};
use super::decimal::{self, Unit};
use super::error::ImportError;
use super::input::Input;
use super::kernel::{Binder, Kernel};
use super::lines::Lines;
use super::text;
use super::wakeups::{self, Stage};
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "systrace";

/// How many lines tell whether a file is one.
const LINES_SNIFFED: usize = 64;

/// Whether a file that begins with `head` is a trace of the kernel, or the page with one.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let head_of_page = &head[..head.len().min(4096)];
    let is_page = is_page_begin(head_of_page)
        && memchr::memmem::find(head_of_page, b"<title>Android System Trace").is_some();
    let mut lines = head.split(|&byte| byte == b'\n').take(LINES_SNIFFED);
    is_page
        || head.starts_with(b"# tracer: ")
        || lines.any(|line| {
            let event = Event::parse(std::str::from_utf8(line).unwrap_or_default());
            event.is_some_and(|event| event.mark().is_some())
        })
}

fn is_page_begin(text: &[u8]) -> bool {
    const BEGIN: &[u8] = b"<!DOCTYPE html";
    let begin = text.get(..BEGIN.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(BEGIN))
}

/// An event, one a line: `task-pid (tgid) [processor] flags time: name: what it says`.
struct Event<'a> {
    task: &'a str,
    thread: &'a str,
    /// None where the kernel did not say.
    process: Option<&'a str>,
    time: &'a str,
    name: &'a str,
    says: &'a str,
}

impl<'a> Event<'a> {
    fn parse(line: &'a str) -> Option<Event<'a>> {
        let at = line.find(" [")?;
        let (who, rest) = (line[..at].trim(), &line[at + 2..]);
        let (processor, rest) = rest.split_once(']')?;
        if processor.is_empty() || !processor.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (who, process) = match who.strip_suffix(')').and_then(|who| who.rsplit_once('(')) {
            Some((who, process)) => (who.trim_end(), Some(process.trim())),
            None => (who, None),
        };
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (task, thread) = who.rsplit_once('-').filter(|(_, id)| is_number(id))?;
        let (before, rest) = rest.split_once(": ")?;
        let time = before.split_ascii_whitespace().next_back()?;
        let (name, says) = rest.split_once(':')?;
        Some(Event {
            task: task.trim(),
            thread,
            process: process.filter(is_number).filter(|it| !it.is_empty()),
            time,
            name: name.trim(),
            says: says.trim(),
        })
    }

    /// The mark that a program has written; behind its address where `trace-cmd` prints it.
    fn mark(&self) -> Option<Mark<'a>> {
        // Kernels of old do not name it.
        if !matches!(self.name, "tracing_mark_write" | "print" | "0") {
            return None;
        }
        let behind = self.says.split_once(": ").map(|(_, behind)| behind);
        atrace::mark(self.says).or_else(|| atrace::mark(behind?))
    }
}

/// What an event of the kernel tells of threads.
enum Told {
    /// The thread that is taken from a processor, whether it could go on, and the one that has it then.
    Switch((u64, bool), u64),
    WakeUp(Stage, u64),
    /// A transaction of this number.
    Binder(Binder, u64),
}

impl Told {
    fn of(event: &Event<'_>) -> Option<Told> {
        let number = |name: &str| {
            let (_, behind) = event.says.rsplit_once(name)?;
            behind.split([' ', '\t']).next()?.parse().ok()
        };
        if event.name == "sched_switch" {
            // Commands may hold anything: what is behind them counts.
            let (from, _) = event.says.rsplit_once(" ==> ")?;
            let (_, state) = from.rsplit_once("prev_state=")?;
            let (_, from) = from.rsplit_once("prev_pid=")?;
            let from = from.split(' ').next()?.parse().ok()?;
            return Some(Told::Switch(
                (from, state.starts_with('R')),
                number("next_pid=")?,
            ));
        }
        if let Some(end) = Binder::of_event(event.name) {
            return Some(Told::Binder(end, number("transaction=")?));
        }
        let woken = wakeups::woken(event.says)?;
        Some(Told::WakeUp(
            Stage::of_event(event.name)?,
            u64::try_from(woken).ok()?,
        ))
    }
}

/// Reads the calls. O(n log n).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut builder = TraceBuilder::new(&reporter);
    let mut reader = Reader::default();
    // A page has other text around the trace.
    let (mut is_page, mut is_inside) = (false, true);
    while let Some(line) = lines.next()? {
        let (line, _) = text::decode(line);
        let line = line.into_owned();
        if is_page_begin(line.as_bytes()) {
            (is_page, is_inside) = (true, false);
        }
        // Pages of old have it as a text of a script.
        let line = line.strip_suffix("\\n\\").unwrap_or(&line);
        is_inside |= line.contains("# tracer: ");
        is_inside &= !(is_page && line.contains("</script>"));
        if !is_inside || line.trim().is_empty() || line.contains("# tracer: ") {
            continue;
        }
        match Event::parse(line) {
            Some(event) => reader.take(&event, &mut builder, &lines),
            // Of the header some writers lose the sign.
            None if line.starts_with('#') || line.contains("TASK-PID") => {}
            None => lines.warn("malformed-line"),
        }
    }
    let file = lines.place().file;
    let threads = &reader.threads;
    let thread = |id: u64| threads.get(&id.to_string()).copied();
    let at = |line| Place::line(file.clone(), line);
    let io = |error| ImportError::io(Path::new(&file), error);
    let built = reader
        .kernel
        .build(thread, (&mut builder, progress), &reporter, &at);
    progress.check()?;
    built.map_err(io)?;
    let calls = builder.finish(|| lines.place());
    let warnings = reporter.warnings();
    Ok(Recording::of_calls(input, FORMAT, None, calls, warnings))
}

#[derive(Default)]
struct Reader {
    /// By the thread's id, itself.
    threads: HashMap<String, ThreadId>,
    lanes: Lanes,
    kernel: Kernel,
}

impl Reader {
    fn take(&mut self, event: &Event<'_>, builder: &mut TraceBuilder<'_>, lines: &Lines<'_>) {
        let told = Told::of(event);
        if event.mark().is_none() && told.is_none() {
            return lines.warn("event-not-shown");
        }
        // Some locales have a comma before the decimals.
        let time = event.time.replace(',', ".");
        let ns = match decimal::nanoseconds(time.as_bytes(), Unit::Seconds) {
            Ok(ns) => ns,
            Err(why) => return lines.warn(why.kind()),
        };
        let time = Timestamp::from_ns(ns);
        let (by, line) = (event.thread.parse().unwrap_or(0), lines.number());
        match told {
            Some(Told::Switch(from, to)) => self.kernel.switch(ns, from, to),
            Some(Told::WakeUp(stage, woken)) => self.kernel.wakeup(stage, [by, woken], ns, line),
            Some(Told::Binder(end, number)) => self.kernel.binder((end, number), by, ns, line),
            None => {}
        }
        let Some(mark) = event.mark() else { return };
        let place = || lines.place();
        let function = |name: &str, builder: &mut TraceBuilder<'_>| {
            builder.function(Function {
                name: if name.is_empty() { "(unnamed)" } else { name },
                ..Function::default()
            })
        };
        match mark {
            Mark::Begin { process, name } => {
                let thread = self.thread(event, process, builder);
                let function = function(name, builder);
                builder.enter(thread, time, function, place);
            }
            Mark::End => {
                let thread = self.thread(event, "", builder);
                builder.exit(thread, time, None, place);
            }
            Mark::Async {
                begins,
                process,
                name,
                key,
            } => {
                let Some(lane) = self.lanes.lane(begins, process, key) else {
                    return lines.warn(match begins {
                        true => "duplicate-id",
                        false => "end-without-begin",
                    });
                };
                let thread = builder.thread(process, &format!("async {lane}"));
                if begins {
                    let function = function(name, builder);
                    builder.enter(thread, time, function, place);
                } else {
                    builder.exit(thread, time, None, place);
                }
            }
            Mark::Other => lines.warn("event-not-shown"),
        }
    }

    /// The thread that has written an event, of the process that it names unless the kernel does.
    fn thread(
        &mut self,
        event: &Event<'_>,
        process: &str,
        builder: &mut TraceBuilder<'_>,
    ) -> ThreadId {
        if let Some(&known) = self.threads.get(event.thread) {
            return known;
        }
        let process = event.process.unwrap_or(process);
        let thread = builder.thread(process, event.thread);
        builder.name_thread(thread, event.task);
        self.threads.insert(event.thread.to_owned(), thread);
        thread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_writers_are_taken_apart() {
        for line in [
            "   my-app-12  ( 10) [000] ...1   100.000100: tracing_mark_write: B|10|f",
            " my-app-12 [000] 100.000100: tracing_mark_write: B|10|f",
            "my-app-12 [000] d.h.1 100.000100: print: 0xffffffff: B|10|f",
            "my-app-12 (-----) [000] .... 100.000100: print: tracing_mark_write: B|10|f",
        ] {
            let event = Event::parse(line).expect(line);
            assert_eq!((event.task, event.thread), ("my-app", "12"), "{line}");
            assert_eq!(event.time, "100.000100", "{line}");
            let begin = Mark::Begin {
                process: "10",
                name: "f",
            };
            assert_eq!(event.mark(), Some(begin), "{line}");
            assert!(sniff(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "[0]",
            "a-b [000] 1: x: y",
            "main;f [k] 12",
            "a-1 [x] 2: f: 3",
        ] {
            assert!(!sniff(line.as_bytes()), "{line}");
        }
    }
}
