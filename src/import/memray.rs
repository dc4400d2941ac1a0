//! What `memray stats --json` prints. Source:
//! <https://github.com/bloomberg/memray/blob/main/src/memray/reporters/stats.py>.
//!
//! Read are the locations that allocated most, by bytes and by allocations, each a function with its file. They are the
//! first of two lists (`-n` says how many): what the others allocated together is one more function, `[other locations]`, so
//! that sums are those of all. Nothing is told of callers. Not read: modules, sizes, kinds of allocators, and the peak.

use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::FunctionMetrics;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "memray-stats";

/// What all locations allocated that are not in a list.
const OTHERS: &str = "[other locations]";

/// Whether it has sums and a list of locations, as memray names them.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    has("total_num_allocations") && has("total_bytes_allocated")
}

/// One of the lists, and what all allocations are of its value.
#[derive(Default)]
struct List {
    all: u64,
    is_there: bool,
    locations: Vec<(FunctionId, u64)>,
}

/// Reads the lists. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut functions = Functions::default();
    let mut lists: [List; 2] = Default::default();
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"total_bytes_allocated" => lists[0].all = document.size()?,
                b"total_num_allocations" => lists[1].all = document.size()?,
                b"top_allocations_by_size" => list(&mut document, &mut functions, &mut lists[0])?,
                b"top_allocations_by_count" => list(&mut document, &mut functions, &mut lists[1])?,
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if lists.iter().any(|list| !list.is_there) {
        return Err(document.error("lists of locations by size and by count", "none"));
    }
    let others = functions.intern(Function {
        name: OTHERS,
        ..Function::default()
    });
    let of_values = lists.map(|list| {
        let mut told = vec![FunctionMetrics::default(); functions.len()];
        let mut listed = 0_u64;
        for (function, weight) in list.locations {
            listed = listed.saturating_add(weight);
            let cost = Cost::from_ns(weight);
            told[function.index()].self_cost += cost;
            told[function.index()].total += cost;
        }
        if listed > list.all {
            document.warn("total-below-self");
        }
        let rest = Cost::from_ns(list.all.saturating_sub(listed));
        let of = &mut told[others.index()];
        (of.self_cost, of.total) = (rest, rest);
        OfValue {
            functions: told,
            relations: Vec::new(),
        }
    });
    let values = [
        ("allocated", Unit::Bytes),
        ("allocations", Unit::Things("allocations".to_owned())),
    ];
    let values = values.map(|(name, unit)| Value {
        name: name.to_owned(),
        unit,
    });
    let sums = Sums::new(of_values.into(), false, &reporter, || document.place());
    let profile = Profile::new(values.into(), 0, Weights::Sums(sums), functions.len());
    let profile = (functions, profile);
    Ok(Recording::of_profile(
        input,
        FORMAT,
        0,
        profile,
        reporter.warnings(),
    ))
}

/// The locations of the list that stands next: `function:file:line`, where the line is that of the allocation.
fn list(
    document: &mut Document<'_>,
    functions: &mut Functions,
    list: &mut List,
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    list.is_there = true;
    while document.element()? {
        let (mut location, mut weight) = (String::new(), 0);
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"location" => document.text_into(&mut location)?,
                    b"size" | b"count" => weight = document.size()?,
                    _ => document.skip()?,
                }
            }
        }
        let place = location
            .rsplit_once(':')
            .map_or(location.as_str(), |(place, _)| place);
        let (name, file) = place.split_once(':').unwrap_or((place, ""));
        let function = functions.intern(Function {
            name,
            file,
            ..Function::default()
        });
        list.locations.push((function, weight));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
