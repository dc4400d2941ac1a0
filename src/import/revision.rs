//! A source tree as it was in a revision, as `callscape_source::history::written` leaves it: one JSON document.
//!
//! Each function weighs its lines of code, and in a second value its cyclomatic complexity. What a file has outside of
//! functions is called as Python calls the code of a module.

use std::sync::Arc;

use serde::Deserialize;

use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::revised::{self, Revision};
use callscape_facts::trace::FunctionMetrics;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = revised::FORMAT;

const HEAD: &[u8] = br#"{"format":"callscape-revision","version":1,"#;

/// Larger files are none of these, in bytes.
const LARGEST: u64 = 1 << 30;

/// By value, as it is named and counted.
const VALUES: [(&str, &str); 2] = [("lines", "lines"), ("complexity", "decisions")];

#[derive(Deserialize)]
struct Document {
    name: String,
    commit: String,
    time: i64,
    renamed: Vec<[String; 2]>,
    left_out: u64,
    /// Name, file, line, lines of code and complexity of each.
    functions: Vec<(String, String, u32, u32, u32)>,
}

pub(crate) fn sniff(head: &[u8]) -> bool {
    head.starts_with(HEAD)
}

/// Reads the functions. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let place = || Place::file(input.display().to_string());
    let mut bytes = Vec::new();
    let read = input.open(progress).and_then(|file| {
        let mut file = std::io::Read::take(file, LARGEST);
        std::io::Read::read_to_end(&mut file, &mut bytes)
    });
    read.map_err(|error| ImportError::io(input, error))?;
    progress.check()?;
    let document: Document = serde_json::from_slice(&bytes).map_err(|error| {
        ImportError::malformed(place(), "the functions of a revision", error.to_string())
    })?;
    let reporter = Reporter::new();
    reporter.warn_many("file-not-written", document.left_out, place);
    let mut functions = Functions::default();
    let mut of_values = [OfValue::default(), OfValue::default()];
    for (name, file, line, lines, complexity) in &document.functions {
        let (name, file, line) = (name.as_str(), file.as_str(), *line);
        let id = functions.intern(Function {
            name,
            file,
            line,
            ..Function::default()
        });
        for (of, weight) in of_values.iter_mut().zip([*lines, *complexity]) {
            let known = of.functions.len().max(id.index() + 1);
            of.functions.resize(known, FunctionMetrics::default());
            let metrics = &mut of.functions[id.index()];
            metrics.self_cost += Cost::from_ns(weight.into());
            metrics.total = metrics.self_cost;
        }
    }
    let values = VALUES.map(|(name, unit)| Value {
        name: name.to_owned(),
        unit: Unit::Things(unit.to_owned()),
    });
    let sums = Weights::Sums(Sums::new(of_values.into(), false, &reporter, place));
    let profile = Profile::new(values.into(), 0, sums, functions.len());
    let revision = Revision {
        name: document.name,
        commit: document.commit,
        time: document.time,
        renamed: document.renamed,
    };
    let warnings = reporter.warnings();
    Ok(Recording {
        revision: Some(Arc::new(revision)),
        ..Recording::of_profile(input, FORMAT, 0, (functions, profile), warnings)
    })
}
