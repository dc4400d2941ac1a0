//! Reports of GNU gprof. Specification: <https://sourceware.org/binutils/docs/gprof/Flat-Profile.html> and
//! <https://sourceware.org/binutils/docs/gprof/Call-Graph.html>.
//!
//! Read from the call graph: each function with its own time, the time with that of what it calls, and its calls with those
//! by recursion; each caller with what gprof gives it of both. The members of a cycle have the times that gprof gives them;
//! the cycle as a whole is left out. The flat profile has what the call graph lacks: all of it where a report has no call
//! graph, with totals that follow from calls and the time of each (`total-cost-inferred`). Times have two decimals, as in
//! the report. Not read: lines (`-l` writes them into names), and annotated source.

use std::collections::{HashMap, HashSet};

use super::decimal::{self, Unit};
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::{samplers, text};
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::profile::{OfValue, Profile, Sums, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{FunctionMetrics, Relation};

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "gprof";

/// Whether it begins with one of gprof's tables, and says what a sample counts.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let title = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let has = |text: &[u8]| lines.clone().take(8).any(|line| line.starts_with(text));
    match title {
        b"Flat profile:" => has(b"Each sample counts as ") || has(b"%"),
        title => title.starts_with(b"Call graph") && has(b"granularity: "),
    }
}

/// What a line of a table says.
#[derive(Default)]
struct Row {
    own: i64,
    below: i64,
    /// In the numerator, and those by recursion.
    calls: u64,
    /// The number of the entry; none of what is no function.
    number: Option<u32>,
    name: String,
}

/// Where in the report a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    None,
    Flat,
    /// Before or behind the line of an entry that is its own.
    Callers,
    Callees,
}

/// Reads the report. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        section: Section::None,
        functions: Functions::default(),
        numbers: HashMap::default(),
        told: Vec::new(),
        relations: Vec::new(),
        known: HashMap::default(),
        callers: Vec::new(),
        own: None,
        flat: Vec::new(),
        scale: 1,
        period: 0,
        wrong: Vec::new(),
    };
    while let Some(line) = lines.next()? {
        let (line, is_sound) = text::checked(line.strip_prefix(b"\x0c").unwrap_or(line));
        let line = line.into_owned();
        reader.line(&line);
        if !is_sound {
            reader.wrong.push("invalid-text");
        }
        for kind in reader.wrong.drain(..) {
            lines.warn(kind);
        }
    }
    // An empty line or a page feed ends the call graph.
    if matches!(reader.section, Section::Callers | Section::Callees) {
        lines.warn("truncated-file");
    }
    reader.take_flat(|| lines.warn("total-cost-inferred"));
    if reader.told.is_empty() {
        return Err(ImportError::malformed(lines.place(), "functions", "none"));
    }
    Ok(reader.finish(input, &reporter))
}

/// A line of the flat profile: own time, calls, the time of each, and its name.
type Flat = (String, i64, Option<(u64, i64)>);

struct Reader {
    section: Section,
    functions: Functions,
    /// By the number of their entry.
    numbers: HashMap<u32, FunctionId, BuildFast>,
    told: Vec<(FunctionId, FunctionMetrics)>,
    relations: Vec<Relation>,
    /// Calls are told at both ends: by caller and callee, where they are kept.
    known: HashMap<(FunctionId, FunctionId), usize, BuildFast>,
    /// Of the entry at hand.
    callers: Vec<Row>,
    own: Option<FunctionId>,
    flat: Vec<Flat>,
    /// What the times of each call in it are to be divided by.
    scale: i64,
    /// What a sample counts, in nanoseconds.
    period: i64,
    /// What is wrong with the line at hand.
    wrong: Vec<&'static str>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        let is_dashes = text.len() > 4 && text.bytes().all(|byte| byte == b'-');
        match self.section {
            Section::None => self.title(text),
            _ if text.is_empty() => {
                self.callers.clear();
                self.section = Section::None;
            }
            Section::Flat => match flat(text) {
                Some(row) => self.flat.push(row),
                None => self.wrong.push("malformed-line"),
            },
            Section::Callers | Section::Callees if is_dashes => {
                self.callers.clear();
                self.own = None;
                self.section = Section::Callers;
            }
            Section::Callers if text.starts_with('[') => self.entry(text),
            Section::Callers => match row(text) {
                Some(row) => self.callers.push(row),
                None => self.wrong.push("malformed-line"),
            },
            Section::Callees => match row(text) {
                Some(row) => {
                    if let (Some(caller), Some(callee)) = (self.own, self.function(&row)) {
                        self.relation(caller, callee, &row);
                    }
                }
                None => self.wrong.push("malformed-line"),
            },
        }
    }

    /// Titles of tables, and of their columns.
    fn title(&mut self, text: &str) {
        if let Some(period) = text.strip_prefix("Each sample counts as ") {
            let number = period.split(' ').next().unwrap_or_default();
            self.period = time(number).unwrap_or(0);
        }
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        match words[..] {
            ["time", .., each, "name"] => {
                // `ms/call`, and so on.
                self.scale = match each.strip_suffix("s/call") {
                    Some("m") => 1_000,
                    Some("u") => 1_000_000,
                    Some("n") => 1_000_000_000,
                    _ => 1,
                };
                self.section = Section::Flat;
            }
            ["index", "%", "time", "self", "children", "called", "name"] => {
                self.section = Section::Callers;
            }
            _ => {}
        }
    }

    /// The line of an entry that is its own, behind those of its callers.
    fn entry(&mut self, text: &str) {
        let callers = std::mem::take(&mut self.callers);
        self.section = Section::Callees;
        let mut words = text.splitn(2, ']');
        let rest = words.nth(1).unwrap_or_default().trim_start();
        // The share of all time comes first.
        let rest = rest
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest);
        let Some(row) = row(rest.trim_start()) else {
            self.wrong.push("malformed-line");
            return;
        };
        self.own = self.function(&row);
        let Some(own) = self.own else {
            return;
        };
        self.told.push((
            own,
            FunctionMetrics {
                calls: row.calls,
                self_cost: Cost::signed(row.own),
                total: Cost::signed(row.own.saturating_add(row.below)),
                ..FunctionMetrics::default()
            },
        ));
        for row in &callers {
            if let Some(caller) = self.function(row) {
                self.relation(caller, own, row);
            }
        }
    }

    fn relation(&mut self, caller: FunctionId, callee: FunctionId, row: &Row) {
        let next = self.relations.len();
        if *self.known.entry((caller, callee)).or_insert(next) < next {
            return;
        }
        self.relations.push(Relation {
            caller,
            callee,
            calls: row.calls,
            cost: Cost::signed(row.own.saturating_add(row.below)),
            self_cost: Cost::signed(row.own),
            ..Relation::NOTHING
        });
    }

    /// The function of a line; none of a cycle as a whole, nor of what has no caller.
    fn function(&mut self, row: &Row) -> Option<FunctionId> {
        let number = row.number?;
        let functions = &mut self.functions;
        let function = self.numbers.entry(number).or_insert_with(|| {
            functions.intern(Function {
                name: &row.name,
                ..Function::default()
            })
        });
        Some(*function)
    }

    /// Takes the functions that only the flat profile has.
    fn take_flat(&mut self, infer: impl Fn()) {
        let in_graph: HashSet<FunctionId> = self.told.iter().map(|it| it.0).collect();
        for (name, own, calls) in std::mem::take(&mut self.flat) {
            let function = self.functions.intern(Function {
                name: &name,
                ..Function::default()
            });
            if in_graph.contains(&function) {
                continue;
            }
            let total = calls.map_or(own, |(calls, each)| {
                infer();
                let calls = i64::try_from(calls).unwrap_or(i64::MAX);
                each.saturating_mul(calls)
                    .checked_div(self.scale)
                    .unwrap_or(0)
                    .max(own)
            });
            self.told.push((
                function,
                FunctionMetrics {
                    calls: calls.map_or(0, |(calls, _)| calls),
                    self_cost: Cost::signed(own),
                    total: Cost::signed(total),
                    ..FunctionMetrics::default()
                },
            ));
        }
    }

    fn finish(self, input: &Input, reporter: &Reporter) -> Recording {
        let mut of = OfValue {
            functions: vec![FunctionMetrics::default(); self.functions.len()],
            relations: self.relations,
        };
        let mut all = 0_i64;
        for (function, told) in &self.told {
            let sum = &mut of.functions[function.index()];
            sum.calls = sum.calls.saturating_add(told.calls);
            sum.self_cost += told.self_cost;
            sum.total += told.total;
            all = all.saturating_add(told.self_cost.weight());
        }
        let samples = all.checked_div(self.period).unwrap_or(0);
        let functions = self.functions.len();
        let place = || Place::file(input.display().to_string());
        let sums = Weights::Sums(Sums::new(vec![of], true, reporter, place));
        let values = vec![samplers::in_format(FORMAT, "").time()];
        let profile = (self.functions, Profile::new(values, 0, sums, functions));
        let samples = u64::try_from(samples).unwrap_or(0);
        Recording::of_profile(input, FORMAT, samples, profile, reporter.warnings())
    }
}

/// Seconds, in nanoseconds; never less than none.
fn time(word: &str) -> Option<i64> {
    let word = word.replace(',', ".");
    let is_number = word.contains('.') && word.starts_with(|it: char| it.is_ascii_digit());
    let time = decimal::nanoseconds(word.as_bytes(), Unit::Seconds);
    time.ok().filter(|&time| is_number && time >= 0)
}

/// The first word of a text, and what is behind it.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

/// Calls as `7`, `3/7`, of which three are told of, or `1+6`, with those by recursion.
fn calls(word: &str) -> Option<u64> {
    let told = word.split('/').next().unwrap_or_default();
    let mut parts = told.split('+').map(|it| it.parse::<u64>().ok());
    parts.try_fold(0_u64, |sum, it| sum.checked_add(it?))
}

/// A line of the call graph: two times and calls, any of which may be missing, and a name.
fn row(text: &str) -> Option<Row> {
    let mut row = Row::default();
    let mut rest = text;
    let (first, behind) = word(rest);
    let (second, further) = word(behind);
    if let (Some(own), Some(below)) = (time(first), time(second)) {
        (row.own, row.below) = (own, below);
        rest = further;
    }
    let (first, behind) = word(rest);
    if let Some(told) = calls(first) {
        row.calls = told;
        rest = behind;
    }
    if rest.starts_with("<spontaneous>") || rest.starts_with("<cycle ") {
        return Some(row);
    }
    let (name, number) = rest.strip_suffix(']')?.rsplit_once('[')?;
    let name = name.trim_end();
    let name = match name.rsplit_once(" <cycle ") {
        Some((name, cycle)) if cycle.ends_with('>') => name,
        _ => name,
    };
    row.number = Some(number.parse().ok()?);
    row.name = name.to_owned();
    (!row.name.is_empty()).then_some(row)
}

/// A line of the flat profile.
fn flat(text: &str) -> Option<Flat> {
    let mut rest = text;
    let mut next = || {
        let (first, behind) = word(rest);
        let time = time(first)?;
        rest = behind;
        Some(time)
    };
    let (_, _, own) = (next()?, next()?, next()?);
    let (calls, behind) = word(rest);
    let (each_own, behind) = word(behind);
    let (each, name) = word(behind);
    let each = time(each_own).and(time(each));
    match (calls.parse(), each) {
        (Ok(calls), Some(each)) => Some((name.to_owned(), own, Some((calls, each)))),
        _ if rest.is_empty() => None,
        _ => Some((rest.to_owned(), own, None)),
    }
}

#[cfg(test)]
mod tests;
