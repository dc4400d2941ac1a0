//! scalene's profiles, `scalene run` or `--json`. Source:
//! <https://github.com/plasma-umass/scalene/blob/master/scalene/scalene_json.py>.
//!
//! Read of each line are the shares of processor samples in Python, in native code and in the system, as times of the
//! elapsed time, which is how scalene shows them, and the memory that it allocated. Lines lie in the functions that the
//! file tells, or in the module. Lines and functions have no callers. Not read: copied memory, the graphics processor,
//! imports, leaks, and stacks, whose shares are others.

use std::collections::HashMap;

use super::decimal::Unit as Decimal;
use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::lines::{FileId, Knows, LinesBuilder};
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::FunctionMetrics;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "scalene";

/// What is known of lines.
const KNOWS: Knows = Knows {
    sites: false,
    calls: false,
    totals: false,
    samples: false,
};

/// The values by their number; the first is the sum of the three behind it.
const NAMES: [&str; 5] = [
    "time",
    "Python time",
    "native time",
    "system time",
    "allocated",
];
const MEMORY: usize = 4;

/// Whether it says what scalene says at its start.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    has("alloc_samples") && (has("args") || has("elapsed_time_sec"))
}

/// A line that weighs something: its number, that of its function, and shares and megabytes by value.
#[derive(Default)]
struct Line {
    number: u32,
    function: u32,
    amounts: [f64; NAMES.len()],
}

#[derive(Default)]
struct File {
    path: String,
    /// Names and lines.
    functions: Vec<(String, u32)>,
    lines: Vec<Line>,
}

/// Reads the lines. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let (mut elapsed, mut files) = (None, Vec::new());
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"elapsed_time_sec" => elapsed = document.time(Decimal::Seconds)?,
                b"files" => {
                    if document.object()? {
                        while let Some(path) = document.member()? {
                            let (path, is_changed) = super::json::unescape(path);
                            if is_changed {
                                document.warn("invalid-text");
                            }
                            files.push(file(&mut document, path)?);
                        }
                    }
                }
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    let Some(elapsed) = elapsed else {
        return Err(document.error("a member elapsed_time_sec", "none"));
    };
    Ok(finish(input, &files, elapsed, &document, &reporter))
}

fn file(document: &mut Document<'_>, path: String) -> Result<File, ImportError> {
    let mut file = File {
        path,
        ..File::default()
    };
    if !document.object()? {
        return Ok(file);
    }
    while let Some(key) = document.member()? {
        match key {
            b"functions" => {
                if document.array()? {
                    while document.element()? {
                        let (mut name, mut line) = (String::new(), 0);
                        if document.object()? {
                            while let Some(key) = document.member()? {
                                match key {
                                    b"line" => document.text_into(&mut name)?,
                                    b"lineno" => line = document.index()?.unwrap_or(0),
                                    _ => document.skip()?,
                                }
                            }
                        }
                        file.functions.push((name, line));
                    }
                }
            }
            b"lines" => {
                if document.array()? {
                    while document.element()? {
                        let line = line(document)?;
                        if line.amounts.iter().any(|&it| it != 0.0) {
                            file.lines.push(line);
                        }
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(file)
}

fn line(document: &mut Document<'_>) -> Result<Line, ImportError> {
    let mut line = Line::default();
    if !document.object()? {
        return Ok(line);
    }
    while let Some(key) = document.member()? {
        let value = match key {
            b"n_cpu_percent_python" => 1,
            b"n_cpu_percent_c" => 2,
            b"n_sys_percent" => 3,
            b"n_malloc_mb" => MEMORY,
            b"lineno" => {
                line.number = document.index()?.unwrap_or(0);
                continue;
            }
            b"start_function_line" => {
                line.function = document.index()?.unwrap_or(0);
                continue;
            }
            _ => {
                document.skip()?;
                continue;
            }
        };
        let Some(word) = document.scalar()? else {
            continue;
        };
        let number = std::str::from_utf8(word)
            .ok()
            .and_then(|it| it.parse().ok());
        match number.filter(|it: &f64| it.is_finite() && *it >= 0.0) {
            Some(number) => line.amounts[value] = number,
            None => document.warn("not-a-number"),
        }
    }
    Ok(line)
}

fn finish(
    input: &Input,
    files: &[File],
    elapsed: i64,
    document: &Document<'_>,
    reporter: &Reporter,
) -> Recording {
    const BYTES_A_MEGABYTE: f64 = 1_048_576.0;
    let mut functions = Functions::default();
    let mut lines = LinesBuilder::new(NAMES.len(), KNOWS);
    let mut own: Vec<(FunctionId, [i64; NAMES.len()])> = Vec::new();
    for file in files {
        let named = file
            .functions
            .iter()
            .map(|(name, line)| (*line, name.as_str()));
        let named: HashMap<u32, &str> = named.collect();
        for line in &file.lines {
            let name = match named.get(&line.function) {
                Some(name) => name,
                None if line.function == 0 => "<module>",
                None => {
                    document.warn("unknown-function");
                    "<unknown>"
                }
            };
            let function = functions.intern(Function {
                name,
                file: &file.path,
                line: line.function,
                library: "",
            });
            // What does not fit stays at the largest number.
            let mut weights = line
                .amounts
                .map(|share| (share / 100.0 * elapsed as f64).round() as i64);
            weights[MEMORY] = (line.amounts[MEMORY] * BYTES_A_MEGABYTE).round() as i64;
            weights[0] = weights[1..MEMORY]
                .iter()
                .fold(0, |sum, it| sum.saturating_add(*it));
            let place = lines.place(function, FileId::OWN, line.number);
            for (value, &weight) in weights.iter().enumerate() {
                lines.add(place, value, weight);
            }
            own.push((function, weights));
        }
    }
    let count = functions.len();
    let of_value = |value: usize| {
        let mut told = vec![FunctionMetrics::default(); count];
        for (function, weights) in &own {
            let told = &mut told[function.index()];
            told.self_cost += Cost::signed(weights[value]);
            told.total = told.self_cost;
        }
        OfValue {
            functions: told,
            relations: Vec::new(),
        }
    };
    let of_values = (0..NAMES.len()).map(of_value).collect();
    let unit = |value| match value {
        MEMORY => Unit::Bytes,
        _ => Unit::Nanoseconds,
    };
    let values = NAMES.iter().enumerate().map(|(value, &name)| Value {
        name: name.to_owned(),
        unit: unit(value),
    });
    let sums = Sums::new(of_values, false, reporter, || document.place());
    let profile = Profile::new(values.collect(), 0, Weights::Sums(sums), count);
    let profile = (functions, profile);
    Recording::of_profile(input, FORMAT, 0, profile, reporter.warnings()).with_lines(lines.finish())
}

#[cfg(test)]
mod tests;
