//! What columns of an answer hold: amounts in a unit, and where a function stands.

use super::contexts::unit_named;
use super::values::Cell;
use callscape_base::units::Unit;
use callscape_base::warnings::{Place, Reporter};

/// A number of a row in thousandths, and whether it has a fraction.
pub(super) fn amount(
    cell: Cell<'_>,
    reporter: &Reporter,
    place: &impl Fn() -> Place,
) -> Option<(i128, bool)> {
    match cell {
        Cell::Null => None,
        Cell::Text(_) => {
            reporter.warn("not-a-number", place);
            None
        }
        Cell::Whole(whole) => {
            if whole < 0 {
                reporter.warn("negative-number", place);
            }
            Some((i128::from(whole) * 1000, false))
        }
        Cell::Real(real) if !real.is_finite() => {
            reporter.warn("not-a-number", place);
            None
        }
        Cell::Real(real) => {
            if real < 0.0 {
                reporter.warn("negative-number", place);
            }
            if real.abs() >= i64::MAX as f64 {
                reporter.warn("number-out-of-range", place);
                return None;
            }
            let thousandths = (real * 1000.0).round() as i128;
            Some((thousandths, real.fract() != 0.0))
        }
    }
}

/// A sum of thousandths in a unit with so many of them, halves rounded up.
pub(super) fn rounded(thousandths: i128, factor: i128) -> i128 {
    thousandths.saturating_add(factor / 2).div_euclid(factor)
}

/// What rows say in a column `unit` of the costs beside it.
#[derive(Default)]
pub(super) struct Units(Option<String>);

impl Units {
    /// Takes in what a row says. Of another unit than the rows before there is no sum: it is counted, and the first holds.
    pub(super) fn add(&mut self, said: &str, reporter: &Reporter, place: &impl Fn() -> Place) {
        match &self.0 {
            None => self.0 = Some(said.to_owned()),
            Some(first) if first != said => reporter.warn("unit-not-that-of-others", place),
            Some(_) => {}
        }
    }

    /// The unit of a column, and how many thousandths of what stands there one of it is: what its name says, else what rows
    /// have said of costs.
    pub(super) fn of(&self, column: &str, has_fractions: bool) -> (Unit, i128) {
        let said = self.0.as_deref().filter(|it| !it.is_empty());
        let unit = match (column, column.rsplit('_').next()) {
            (_, Some("ns")) => Unit::Nanoseconds,
            // Thousandths of them are nanoseconds.
            (_, Some("us")) => return (Unit::Nanoseconds, 1),
            (_, Some("bytes")) => Unit::Bytes,
            // Of what, the table may not say.
            ("self" | "mean_self" | "total" | "cost", _) => unit_named(said.unwrap_or("units")),
            (name, _) => Unit::Things(name.to_owned()),
        };
        match unit {
            Unit::Things(things) if has_fractions => (Unit::Thousandths(things), 1),
            unit => (unit, 1000),
        }
    }
}

/// Whether the name of a column says that its numbers are no costs that could be added: places, numbers of things, shares.
fn is_no_cost(words: &[String]) -> bool {
    const PLACES: [&str; 18] = [
        "line",
        "lineno",
        "column",
        "col",
        "id",
        "pid",
        "tid",
        "address",
        "addr",
        "offset",
        "index",
        "rank",
        "depth",
        "perc",
        "percent",
        "percentage",
        "pct",
        "ratio",
    ];
    words.iter().any(|word| PLACES.contains(&word.as_str()))
}

/// Words that say that numbers are costs: what is counted, how, or its unit.
#[rustfmt::skip]
const COSTS: &[&str] = &[
    "time", "times", "duration", "elapsed", "latency", "wall", "real", "user", "sys", "wait", "waiting", "blocked", "busy",
    "ns", "us", "µs", "ms", "s", "sec", "secs", "second", "seconds", "nanoseconds", "microseconds", "milliseconds", "nsec",
    "usec", "msec", "b", "kb", "mb", "kib", "mib", "byte", "bytes",
    "self", "own", "exclusive", "excl", "flat", "total", "tottime", "cumtime", "cum", "cumulative", "inclusive", "incl",
    "tot", "cost", "costs", "weight", "value", "amount", "sum", "mean", "median", "avg", "average", "spread", "difference",
    "count", "counts", "hits", "calls", "samples", "ticks", "runs", "recordings", "executions", "invocations", "visits",
    "events", "cycles", "instructions", "ir", "misses", "faults", "branches", "loads", "stores", "reads", "writes",
    "memory", "heap", "size", "alloc", "allocs", "allocated", "allocations", "free", "freed", "live", "peak", "objects",
    "blocks", "energy", "joules", "flops", "ops",
];

/// Whether the name of a column says that its numbers are costs.
pub(super) fn is_cost(name: &str) -> bool {
    let words = words_of(name);
    words.iter().any(|word| COSTS.contains(&word.as_str())) && !is_no_cost(&words)
}

/// Whether its numbers may be costs if something else says so.
pub(super) fn may_be_cost(name: &str) -> bool {
    const MORE: [&str; 6] = ["thread", "process", "cpu", "core", "level", "year"];
    let words = words_of(name);
    !is_no_cost(&words) && !words.iter().any(|word| MORE.contains(&word.as_str()))
}

/// The words of a name, in small letters: `selfTime` has two, and so has `CPU time`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

/// File and library of a function of which the module alone is told, so that the landscape has it there again: up to the
/// last name that looks like a file's it is a file, outside of all source a library.
pub(super) fn place_of(name: &str, module: &str) -> (String, String) {
    let own = name.rsplit(['.', ':']).next().unwrap_or(name);
    let around = match module.rsplit_once('/') {
        Some((around, last)) if last == name || last == own => around,
        None if module == name || module == own => "",
        _ => module,
    };
    if let Some(library) = around.strip_prefix("external/") {
        return (String::new(), library.to_owned());
    }
    let mut end = None;
    let mut at = 0;
    for level in around.split('/') {
        at += level.len();
        let looks_like_file = level
            .rsplit_once('.')
            .is_some_and(|(stem, kind)| !stem.is_empty() && (1..=5).contains(&kind.len()));
        if looks_like_file {
            end = Some(at);
        }
        at += 1;
    }
    match end {
        Some(end) => (around[..end].to_owned(), String::new()),
        None => (String::new(), around.to_owned()),
    }
}
