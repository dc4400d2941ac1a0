//! The text of the kernel's tracer function_graph, and that of its events as `trace-cmd report` prints it. Specification:
//! <https://docs.kernel.org/trace/ftrace.html#function-graph-tracer>, and what prints it,
//! <https://github.com/torvalds/linux/blob/master/kernel/trace/trace_functions_graph.c>.
//!
//! Read are calls, by task where a line names it (`funcgraph-proc`, `trace-cmd`) or the lines of switches do, else by
//! processor. Durations are those that are written. A call starts at the time of its line (`funcgraph-abstime`), which is
//! cut to microseconds: it is moved within that, so that calls nest with their durations. Lines without times follow
//! each other on their processor without gaps, and are counted (`missing-time`), as are calls without a duration
//! (`missing-duration`) and those that are shorter than what they call (`duration-too-short`).
//! Counted are interrupts, whose calls stand in what they interrupt, overruns, lost events and comments
//! (other events). Arguments and return values are not read.

mod line;
mod tree;

use std::collections::HashMap;

use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;
use line::{Body, Kind, Line, Task};
use tree::Tree;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "function-graph";

/// How many lines tell whether a file is one.
const LINES_SNIFFED: usize = 64;

/// How many of them there must be without a header.
const LEAST: usize = 2;

/// The library of functions that are in no module.
const KERNEL: &str = "[kernel]";

/// Whether a file that begins with `head` is such a text.
pub(crate) fn sniff(head: &[u8]) -> bool {
    if head.starts_with(b"# tracer: function_graph") {
        return true;
    }
    let lines = head.split(|&byte| byte == b'\n').take(LINES_SNIFFED);
    let lines = lines.map(|line| std::str::from_utf8(line).unwrap_or_default());
    let mut found = 0;
    for line in lines {
        if line.starts_with("# tracer: ") {
            return false;
        }
        match Line::parse(line.trim_end()) {
            // Only trace-cmd names the events so.
            Some(Line::Body(body)) if body.is_event => return true,
            Some(Line::Body(body)) if body.is_sure() => found += 1,
            _ => {}
        }
    }
    found >= LEAST
}

/// Reads the calls. O(size), in memory for the calls inside one outermost call of each task.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        builder: TraceBuilder::new(&reporter),
        tasks: HashMap::new(),
        trees: Vec::new(),
        processors: HashMap::new(),
    };
    while let Some(line) = lines.next()? {
        let (line, is_other) = text::decode(line);
        let line = line.into_owned();
        if is_other {
            lines.warn("invalid-text");
        }
        match Line::parse(line.trim_end()) {
            Some(line) => reader.take(&line, &lines),
            None if is_about_file(line.trim_start()) => {}
            None => lines.warn("malformed-line"),
        }
    }
    let place = || lines.place();
    let mut builder = reader.builder;
    for mut tree in reader.trees {
        tree.finish(&mut builder, &reporter, &place);
    }
    let calls = builder.finish(place);
    let warnings = reporter.warnings();
    Ok(Recording::of_calls(input, FORMAT, None, calls, warnings))
}

/// Whether a line is part of the header, a rule, or what trace-cmd says of its file.
fn is_about_file(line: &str) -> bool {
    let others = ["#", "---", "cpus=", "version =", "CPU "];
    line.is_empty() || others.iter().any(|begin| line.starts_with(begin))
}

/// A processor, as far as lines have come.
#[derive(Default)]
struct Processor {
    /// The time on it where lines have none: all durations so far.
    now: i64,
    /// The number of the tree of the task that runs.
    running: Option<usize>,
    /// Whether it is known which task that is.
    is_known: bool,
}

struct Reader<'r> {
    reporter: &'r Reporter,
    builder: TraceBuilder<'r>,
    /// By id of a task, with its processor where it is the one that idles: the number of its tree.
    tasks: HashMap<(String, Option<u32>), usize>,
    trees: Vec<Tree>,
    /// By number; none where lines do not name it.
    processors: HashMap<Option<u32>, Processor>,
}

/// By what a task is known: there is an idle one on each processor.
fn key(task: Task<'_>, processor: Option<u32>) -> (String, Option<u32>) {
    let processor = processor.filter(|_| task.id == "0");
    (task.id.to_owned(), processor)
}

impl Reader<'_> {
    fn take(&mut self, line: &Line<'_>, lines: &Lines<'_>) {
        let count = |kind, count| self.reporter.warn_many(kind, count, || lines.place());
        match *line {
            Line::Lost(lost) => count("events-lost", lost),
            Line::Overruns(overruns) => count("overruns", overruns),
            Line::Switch {
                processor,
                from,
                to,
            } => self.switch(processor, from, to),
            Line::Body(ref body) => self.body(body, lines),
        }
    }

    /// The tree of a task.
    fn tree(&mut self, task: Task<'_>, processor: Option<u32>) -> usize {
        let (builder, trees) = (&mut self.builder, &mut self.trees);
        *self.tasks.entry(key(task, processor)).or_insert_with(|| {
            let thread = match processor.filter(|_| task.id == "0") {
                Some(processor) => builder.thread("", &format!("0 on processor {processor}")),
                None => builder.thread("", task.id),
            };
            builder.name_thread(thread, task.name);
            trees.push(Tree::of(thread));
            trees.len() - 1
        })
    }

    /// A processor goes on with another task.
    fn switch(&mut self, number: Option<u32>, from: Task<'_>, to: Task<'_>) {
        let next = self.tree(to, number);
        let processor = self.processors.entry(number).or_default();
        if let Some(running) = processor.running
            && !processor.is_known
        {
            // The lines so far were of the task that is named only now.
            self.tasks.entry(key(from, number)).or_insert(running);
            self.builder
                .name_thread(self.trees[running].thread(), from.name);
        }
        (processor.running, processor.is_known) = (Some(next), true);
    }

    /// The tree of what a line is of.
    fn tree_of(&mut self, body: &Body<'_>) -> usize {
        if let Some(task) = body.task {
            return self.tree(task, body.processor);
        }
        let processor = self.processors.entry(body.processor).or_default();
        *processor.running.get_or_insert_with(|| {
            let id = match body.processor {
                Some(number) => format!("processor {number}"),
                None => "all".to_owned(),
            };
            self.trees.push(Tree::of(self.builder.thread("", &id)));
            self.trees.len() - 1
        })
    }

    fn body(&mut self, body: &Body<'_>, lines: &Lines<'_>) {
        let (begins, name) = match body.kind {
            Kind::Interrupt => return lines.warn("interrupt-not-shown"),
            Kind::Other => return lines.warn("event-not-shown"),
            Kind::Begin(name) | Kind::Leaf(name) => (true, Some(name)),
            Kind::End(name) => (false, name),
        };
        let function = name.map(|name| {
            let (name, library) = match name.split_once(' ') {
                Some((name, module)) => (name, module.trim()),
                None => (name, KERNEL),
            };
            self.builder.function(Function {
                name,
                library,
                ..Function::default()
            })
        });
        let number = self.tree_of(body);
        let processor = self.processors.entry(body.processor).or_default();
        if begins && body.time.is_none() {
            lines.warn("missing-time");
        }
        if !matches!(body.kind, Kind::Begin(_)) && body.duration.is_none() {
            lines.warn("missing-duration");
        }
        let time = body.time.unwrap_or(processor.now);
        let tree = &mut self.trees[number];
        let line = tree::At {
            time,
            is_told: body.time.is_some(),
            indent: body.indent,
        };
        let cost = body.duration.unwrap_or(0);
        let place = || lines.place();
        let missed = match (body.kind, function) {
            (Kind::Leaf(_), Some(function)) => {
                processor.now = processor.now.saturating_add(cost);
                tree.leaf(line, function, cost)
            }
            (Kind::End(_), function) => match tree.end(line, function, body.duration) {
                Some((start, missed)) => {
                    let end = start.saturating_add(cost);
                    processor.now = processor.now.max(end);
                    missed
                }
                None => return lines.warn("end-without-begin"),
            },
            (_, Some(function)) => tree.begin(line, function),
            // Only ends have no name.
            (_, None) => 0,
        };
        self.reporter.warn_many("missing-end", missed, place);
        tree.emit_whole(&mut self.builder, self.reporter, &place);
    }
}

#[cfg(test)]
mod tests;
