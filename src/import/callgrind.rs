//! Callgrind profiles, of valgrind, Xdebug and others. Specification:
//! <https://valgrind.org/docs/manual/cl-format.html>.
//!
//! Read: every event as a value, the first shown; what each function itself costs, by name, file and object;
//! calls between functions with their inclusive costs. Names and positions may be compressed, a file may
//! have several parts, which are added up. It is a call graph: which callers stood around a caller is
//! not told, so there are no calling contexts. What valgrind calls `f'2` is what `f` does while it is already
//! running: it is counted with `f`, whose total is then exact. In a file without such names, the totals of
//! functions that call each other in a cycle are upper bounds (counted as `total-in-cycle-not-exact`).
//!
//! Costs stand for lines, and calls for the line that makes them; lines of inlined code lie in the file of that. Writers
//! that know only where functions begin give the same line for all of a function: where no function has two, none are kept.
//!
//! Jumps are counted. Not read: costs by address, and long names of events.

mod positions;
mod words;

use std::collections::HashMap;
use std::path::PathBuf;

use super::demangle::demangle;
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{FileId, Knows, LinesBuilder, PlaceId};
use callscape_facts::profile::{GraphBuilder, GraphNode, Profile, Value, Weights};
use callscape_facts::recording::Recording;
use positions::Positions;
use words::{NONE, Names, rounded, signed, words};

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "callgrind";

/// Costs and counts with decimals, which no specification has, are rounded and counted as this.
const DECIMALS_LEFT_OUT: &str = "decimals-left-out";

/// More events than any profiler counts; each costs memory for every function and call relation.
const MOST_VALUES: usize = 32;

/// Whether a line names a function and another is one of the header's, or names a file.
pub(crate) fn sniff(head: &[u8]) -> bool {
    if head.starts_with(b"# callgrind format") {
        return true;
    }
    let (mut has_function, mut has_header) = (false, false);
    for line in head.split(|&byte| byte == b'\n') {
        has_function |= line.starts_with(b"fn=");
        has_header |= ["version:", "creator:", "events:", "positions:", "fl="]
            .iter()
            .any(|key| line.starts_with(key.as_bytes()));
        if has_function && has_header {
            return true;
        }
    }
    false
}

/// What a file that begins with `head` says of itself where valgrind has written several for one run: which process
/// that was with which command, and which part and thread of it the file holds.
pub(crate) fn part_of(head: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut run, mut part) = (Vec::new(), Vec::new());
    let mut by_callgrind = false;
    for line in head.split(|&byte| byte == b'\n') {
        let at = memchr::memchr(b':', line);
        let key = at.map_or(line, |at| &line[..at]);
        match key {
            b"creator" => by_callgrind = line[at?..].trim_ascii().starts_with(b": callgrind"),
            b"pid" | b"cmd" => run.extend_from_slice(line),
            b"part" | b"thread" => part.extend_from_slice(line),
            b"events" => break,
            _ => {}
        }
    }
    (by_callgrind && !run.is_empty() && !part.is_empty()).then_some((run, part))
}

/// Reads the profile. O(size); memory for functions and call relations.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    join(std::slice::from_ref(input), progress)
}

/// Reads several files of one run, whose costs are added up.
pub(crate) fn join(inputs: &[Input], progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut reader = Reader {
        reporter: &reporter,
        file: String::new(),
        line: 0,
        graph: GraphBuilder::new(&reporter),
        functions: Functions::default(),
        values: Vec::new(),
        factors: Vec::new(),
        columns: Vec::new(),
        positions: Positions::default(),
        lines: LinesBuilder::new(0, KNOWS),
        objects: Names::default(),
        files: Names::default(),
        names: Names::default(),
        object: NONE,
        source: NONE,
        function: None,
        named: None,
        callee: Callee::default(),
        calls: None,
        last: Vec::new(),
        is_relative: false,
        known: HashMap::default(),
        line_files: HashMap::default(),
        totals: None,
        by_callgrind: false,
    };
    for input in inputs {
        let mut lines = Lines::open(input, progress, &reporter)?;
        reader.start(input);
        while let Some(line) = lines.next()? {
            reader.line += 1;
            reader.read(line)?;
        }
        reader.end_calls();
        if reader.values.is_empty() {
            let expected = "a line that begins with 'events:'";
            return Err(ImportError::malformed(lines.place(), expected, "none"));
        }
    }
    let first = inputs.first().map(|input| input.to_path_buf());
    Ok(reader.finish(first.unwrap_or_default()))
}

/// What callgrind knows of lines.
const KNOWS: Knows = Knows {
    sites: true,
    calls: true,
    totals: false,
    samples: false,
};

/// A function as its graph has it, and where it is written.
#[derive(Clone, Copy)]
struct Known {
    node: GraphNode,
    function: FunctionId,
    source: u32,
}

/// The function that the next call goes to.
#[derive(Clone, Copy)]
struct Callee {
    object: u32,
    source: u32,
    name: u32,
}

impl Default for Callee {
    fn default() -> Callee {
        Callee {
            object: NONE,
            source: NONE,
            name: NONE,
        }
    }
}

struct Reader<'r> {
    reporter: &'r Reporter,
    file: String,
    /// The number of the line at hand, from 1.
    line: u64,
    graph: GraphBuilder<'r>,
    functions: Functions,
    values: Vec<Value>,
    /// By value, what one of the file's is in the value's unit.
    factors: Vec<u64>,
    /// By column of costs, its value.
    columns: Vec<usize>,
    /// What stands before the costs.
    positions: Positions,
    lines: LinesBuilder,
    objects: Names,
    files: Names,
    names: Names,
    /// Where the function at hand is, and which it is.
    object: u32,
    source: u32,
    function: Option<Known>,
    /// Its name, file and object, until it has costs or calls: yappi writes a list of all names first.
    named: Option<(u32, u32, u32)>,
    callee: Callee,
    /// The callee and the number of calls whose cost the next line gives.
    calls: Option<(Known, u64)>,
    /// The costs of the last line, which some writers give the next one's differences to.
    last: Vec<i64>,
    /// Some cost was relative to the last one in its column.
    is_relative: bool,
    /// By name, file and object.
    known: HashMap<(u32, u32, u32), Known, BuildFast>,
    /// By name of a file, its number among those of lines.
    line_files: HashMap<u32, FileId, BuildFast>,
    /// The sum of the first event that the file itself gives.
    totals: Option<i64>,
    /// Valgrind's own tool ends what it writes with totals.
    by_callgrind: bool,
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter
            .warn(kind, || Place::line(&self.file, self.line));
    }

    /// Starts with a file: names, and what the lines are differences to, are its own.
    fn start(&mut self, input: &Input) {
        self.file = input.display().to_string();
        self.line = 0;
        self.columns.clear();
        self.positions = Positions::default();
        (self.objects, self.files, self.names) = Default::default();
        (self.object, self.source) = (NONE, NONE);
        (self.function, self.named) = (None, None);
        self.callee = Callee::default();
        self.last.clear();
        self.known.clear();
        self.line_files.clear();
    }

    fn read(&mut self, line: &[u8]) -> Result<(), ImportError> {
        let line = line.trim_ascii();
        match line.first() {
            None | Some(b'#') => Ok(()),
            // Xdebug puts runs one behind the other.
            Some(b'=') if line.starts_with(b"====") => Ok(()),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => self.costs(line),
            Some(_) => {
                let at = memchr::memchr2(b'=', b':', line);
                let Some(at) = at else {
                    self.warn("malformed-line");
                    return Ok(());
                };
                let (key, text) = (&line[..at], line[at + 1..].trim_ascii());
                if line[at] == b'=' {
                    self.body(key, text);
                } else {
                    self.header(key, text);
                }
                Ok(())
            }
        }
    }

    fn header(&mut self, key: &[u8], text: &[u8]) {
        match key {
            b"events" => {
                self.columns.clear();
                self.last.clear();
                let mut is_repeated = false;
                for event in words(text) {
                    let name = self.text(event);
                    let known = self.values.iter().position(|value| value.name == name);
                    let value = known.unwrap_or(self.values.len());
                    if value == MOST_VALUES {
                        self.warn("too-many-values");
                        break;
                    }
                    if known.is_none() {
                        let (unit, factor) = unit_of(&name);
                        self.values.push(Value { name, unit });
                        self.factors.push(factor);
                        self.graph.add_value();
                        self.lines.add_value();
                    }
                    if !is_repeated && self.columns.contains(&value) {
                        is_repeated = true;
                        self.warn("duplicate-event");
                    }
                    self.columns.push(value);
                }
            }
            b"positions" => self.positions = Positions::of(text),
            b"totals" => match words(text).next().and_then(signed) {
                Some(total) => self.totals = Some(self.totals.unwrap_or(0).saturating_add(total)),
                None => self.warn("malformed-line"),
            },
            b"creator" => self.by_callgrind |= text.starts_with(b"callgrind"),
            b"version" | b"pid" | b"thread" | b"part" | b"desc" | b"cmd" | b"target" | b"event"
            | b"summary" => {}
            _ => self.warn("unknown-line"),
        }
    }

    fn body(&mut self, key: &[u8], text: &[u8]) {
        let names = match key {
            b"ob" | b"cob" => &mut self.objects,
            b"fl" | b"fi" | b"fe" | b"cfl" | b"cfi" | b"jfi" | b"jfl" => &mut self.files,
            b"fn" | b"cfn" | b"jfn" => &mut self.names,
            b"calls" => return self.called(text),
            b"jump" | b"jcnd" => return self.warn("jump-not-shown"),
            _ => return self.warn("unknown-line"),
        };
        let (name, is_unknown) = names.read(text);
        if is_unknown {
            self.warn("unknown-id");
        }
        match key {
            b"ob" => self.object = name,
            b"cob" => self.callee.object = name,
            b"cfn" => self.callee.name = name,
            b"cfl" | b"cfi" => self.callee.source = name,
            b"fn" => {
                self.end_calls();
                self.function = None;
                self.named = Some((name, self.source, self.object));
            }
            b"fl" | b"fi" | b"fe" => self.source = name,
            _ => {}
        }
    }

    /// `calls=count target`; the cost follows in the next line.
    fn called(&mut self, text: &[u8]) {
        self.end_calls();
        self.at_hand();
        let callee = std::mem::take(&mut self.callee);
        let Some((calls, left_out)) = words(text).next().and_then(rounded) else {
            return self.warn("malformed-line");
        };
        if left_out {
            self.warn(DECIMALS_LEFT_OUT);
        }
        if callee.name == NONE {
            return self.warn("call-without-callee");
        }
        // What is not said is as in the caller.
        let or = |name: u32, other: u32| if name == NONE { other } else { name };
        let source = or(callee.source, self.source);
        let object = or(callee.object, self.object);
        let function = self.function_of(callee.name, source, object);
        self.calls = Some((function, calls));
    }

    /// The function at hand.
    fn at_hand(&mut self) -> Option<Known> {
        if let Some((name, source, object)) = self.named.take() {
            self.function = Some(self.function_of(name, source, object));
        }
        self.function
    }

    /// Calls whose cost is not told.
    fn end_calls(&mut self) {
        if let Some((callee, calls)) = self.calls.take() {
            self.warn("missing-call-cost");
            if let Some(caller) = self.at_hand() {
                let place = || Place::line(&self.file, self.line);
                self.graph
                    .add_calls(caller.node, callee.node, calls, [], place);
            }
        }
    }

    /// Positions, then costs: of the function at hand, or of a call.
    fn costs(&mut self, line: &[u8]) -> Result<(), ImportError> {
        if self.values.is_empty() {
            return Err(ImportError::malformed(
                Place::line(&self.file, self.line),
                "a line that begins with 'events:' before the first costs",
                "costs",
            ));
        }
        let mut costs = words(line);
        let line = self.positions.read(&mut costs);
        let mut weights = [(0, 0); MOST_VALUES];
        let mut taken = 0;
        for (column, &value) in self.columns.iter().enumerate() {
            let Some(word) = costs.next() else {
                break;
            };
            self.is_relative |= matches!(word.first(), Some(b'+' | b'*'));
            let Some(cost) = self.cost(column, word) else {
                continue;
            };
            if self.last.len() <= column {
                self.last.resize(column + 1, 0);
            }
            self.last[column] = cost;
            let Some(weight) = cost.checked_mul(self.factors[value] as i64) else {
                self.warn("weight-out-of-range");
                continue;
            };
            // Columns of one event add up, so that there are never more than events.
            match weights[..taken].iter_mut().find(|(of, _)| *of == value) {
                Some((_, sum)) => *sum = weight.saturating_add(*sum),
                None => {
                    weights[taken] = (value, weight);
                    taken += 1;
                }
            }
        }
        if costs.next().is_some() {
            self.warn("more-costs-than-events");
        }
        let Some(function) = self.at_hand() else {
            self.warn("cost-without-function");
            self.calls = None;
            return Ok(());
        };
        let weights = &weights[..taken];
        let calls = self.calls.take();
        let of_line = (taken > 0 || calls.is_some()).then(|| self.place(function, line));
        match calls {
            Some((callee, calls)) => {
                let weights = weights.iter().copied();
                let of_graph = weights.clone();
                let place = || Place::line(&self.file, self.line);
                self.graph
                    .add_calls(function.node, callee.node, calls, of_graph, place);
                if let Some(of_line) = of_line {
                    self.lines
                        .add_calls(of_line, callee.function, calls, weights);
                }
            }
            None => {
                for &(value, weight) in weights {
                    let place = || Place::line(&self.file, self.line);
                    self.graph.add(function.node, value, weight, place);
                    if let Some(of_line) = of_line {
                        self.lines.add(of_line, value, weight);
                    }
                }
            }
        }
        Ok(())
    }

    /// A line of a function, in the file at hand.
    fn place(&mut self, function: Known, line: Option<u32>) -> PlaceId {
        let file = match self.source == function.source {
            true => FileId::OWN,
            false => {
                let name = self.text(self.files.text(self.source));
                let lines = &mut self.lines;
                *self
                    .line_files
                    .entry(self.source)
                    .or_insert_with(|| match name.as_str() {
                        // Where the file is not known, neither is the line.
                        "???" | "" => FileId::OWN,
                        name => lines.file(name),
                    })
            }
        };
        let is_known = self.source == function.source || file != FileId::OWN;
        let line = line.filter(|_| is_known).unwrap_or(0);
        self.lines.place(function.function, file, line)
    }

    /// One cost, which may be relative to the last in its column. Relative costs come compressed, from Valgrind alone, and
    /// cost nothing or more; elsewhere a minus is that of a negative cost: Xdebug writes memory that was given back so,
    /// `cg_diff` what a run costs less.
    fn cost(&self, column: usize, word: &[u8]) -> Option<i64> {
        let last = self.last.get(column).copied().unwrap_or(0);
        let mut decimals = false;
        let mut number = |text| {
            let (number, left_out) = rounded(text)?;
            decimals = left_out;
            i64::try_from(number).ok()
        };
        let cost = match word.split_first() {
            Some((b'*', b"")) => Some(last),
            Some((b'+', rest)) => number(rest).and_then(|more| last.checked_add(more)),
            Some((b'-', rest)) => {
                let less = number(rest);
                let from = if self.is_relative { last } else { 0 };
                less.map(|less| from - less)
            }
            _ => number(word),
        };
        if cost.is_none() {
            self.warn("malformed-cost");
        } else if decimals {
            self.warn(DECIMALS_LEFT_OUT);
        }
        if cost.is_some_and(|cost| cost < 0) {
            self.warn("negative-cost");
        }
        cost
    }

    fn function_of(&mut self, name: u32, source: u32, object: u32) -> Known {
        if let Some(&known) = self.known.get(&(name, source, object)) {
            return known;
        }
        let mut text = self.text(self.names.text(name));
        let level = text.rsplit_once('\'').filter(|(name, level)| {
            self.by_callgrind && !name.is_empty() && level.parse::<u32>().is_ok()
        });
        let is_inner = level.is_some();
        if let Some((name, _)) = level {
            text.truncate(name.len());
        }
        if text.starts_with("_Z") || text.starts_with("_R") {
            text = demangle(&text);
        }
        let or_unknown = |text: String| match text.as_str() {
            "???" => String::new(),
            _ => text,
        };
        let file = or_unknown(self.text(self.files.text(source)));
        let library = or_unknown(self.text(self.objects.text(object)));
        let function = self.functions.intern(Function {
            name: &text,
            file: &file,
            line: 0,
            library: &library,
        });
        let known = Known {
            node: self.graph.node(function, is_inner),
            function,
            source,
        };
        self.known.insert((name, source, object), known);
        known
    }

    fn text(&self, bytes: &[u8]) -> String {
        let (text, is_sound) = text::checked(bytes);
        if !is_sound {
            self.warn("invalid-text");
        }
        text.into_owned()
    }

    fn finish(self, path: PathBuf) -> Recording {
        let sum = self.graph.weight(0).weight() / self.factors[0] as i64;
        match self.totals {
            Some(totals) if totals != sum => self.warn("totals-differ"),
            None if self.by_callgrind => self.warn("truncated-file"),
            _ => {}
        }
        let graph = self.graph.finish();
        let functions = self.functions.len();
        self.reporter
            .warn_many("total-in-cycle-not-exact", graph.in_cycles(), || {
                Place::file(&self.file)
            });
        let raised = (0..graph.values()).map(|value| graph.raised(value, functions));
        self.reporter
            .warn_many("total-below-self", raised.max().unwrap_or(0), || {
                Place::file(&self.file)
            });
        let profile = Profile::new(self.values, 0, Weights::Graph(graph), functions);
        let lines = self.lines.finish();
        let lines = lines.filter(|it| self.by_callgrind || it.some_function_has_two());
        let (profile, warnings) = ((self.functions, profile), self.reporter.warnings());
        Recording::of_profile(&path, FORMAT, 0, profile, warnings).with_lines(lines)
    }
}

/// The unit of an event by its name, and what one of the file's is in it.
fn unit_of(event: &str) -> (Unit, u64) {
    // Xdebug: `Time_(10ns)`, `Memory_(bytes)`.
    let unit = event
        .split_once("_(")
        .and_then(|(_, unit)| unit.strip_suffix(')'));
    match unit.unwrap_or(event) {
        "ns" | "Nanoseconds" => (Unit::Nanoseconds, 1),
        "10ns" => (Unit::Nanoseconds, 10),
        "us" | "µs" | "Microseconds" => (Unit::Nanoseconds, 1_000),
        "ms" | "Milliseconds" => (Unit::Nanoseconds, 1_000_000),
        "bytes" | "Bytes" => (Unit::Bytes, 1),
        "Ir" | "Instructions" => (Unit::Things("instructions".to_owned()), 1),
        _ => (Unit::Things(event.to_owned()), 1),
    }
}

#[cfg(test)]
mod tests;
