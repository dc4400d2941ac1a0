//! What columns of an answer hold: amounts in a unit, and where a function stands.

use super::values::Cell;
use crate::units::Unit;
use crate::warnings::{Place, Reporter};

/// A number of a row in thousandths, and whether it has a fraction.
pub fn amount(
    cell: Cell<'_>,
    reporter: &Reporter,
    place: &impl Fn() -> Place,
) -> Option<(u128, bool)> {
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
            Some((u128::from(whole.max(0) as u64) * 1000, false))
        }
        Cell::Real(real) if !real.is_finite() => {
            reporter.warn("not-a-number", place);
            None
        }
        Cell::Real(real) => {
            if real < 0.0 {
                reporter.warn("negative-number", place);
            }
            // Saturates where it is too large.
            let thousandths = (real.max(0.0) * 1000.0).round() as u128;
            let most = u128::from(u64::MAX) * 1000;
            Some((thousandths.min(most), real.fract() != 0.0))
        }
    }
}

/// The unit that the name of a column says, and how many thousandths of what stands there one of it is.
pub fn unit_named(name: &str, has_fractions: bool) -> (Unit, u128) {
    let things = match name {
        // Of what, the table does not say.
        "self" | "mean_self" | "total" | "cost" => "units",
        name => name,
    };
    match name.rsplit('_').next() {
        Some("ns") => (Unit::Nanoseconds, 1000),
        Some("bytes") => (Unit::Bytes, 1000),
        _ if has_fractions => (Unit::Thousandths(things.to_owned()), 1),
        _ => (Unit::Things(things.to_owned()), 1000),
    }
}

/// File and library of a function of which the module alone is told, so that the landscape has it there again: up to the
/// last name that looks like a file's it is a file, outside of all source a library.
pub fn place_of(name: &str, module: &str) -> (String, String) {
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
