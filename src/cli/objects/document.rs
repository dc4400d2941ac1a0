//! The answer as a document and as text.

use std::io::{self, Write};

use serde::Serialize;

use super::amounts::bytes;
use super::moves::Moves;
use crate::output::{Align, Table};
use callscape_base::units::{Time, Unit, counted};
use callscape_facts::memory::{Detail, Known, Memory};

/// The answer, as JSON has it.
#[derive(Serialize)]
pub(super) struct Document {
    pub at_ns: Time,
    /// What allocations are: every one, samples, or sums at a few instants.
    pub detail: Detail,
    /// Unit of times, if it is not nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<String>,
    pub allocations: Option<u64>,
    pub bytes_allocated: Option<u64>,
    pub temporary: Option<u64>,
    pub peak_bytes: Option<u64>,
    /// Peak number of live objects, if sizes are not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_live: Option<u64>,
    pub peak_ns: Option<Time>,
    pub live: Option<u64>,
    pub live_bytes: Option<u64>,
    /// Whether the recording has the allocators of live objects at this instant; otherwise there are no entries.
    pub entries_known: bool,
    pub entries: Vec<Entry>,
    /// Objects by the modules that created and released them, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<Moves>,
}

/// Objects that are counted together.
#[derive(Serialize)]
pub(super) struct Entry {
    pub name: String,
    pub module: String,
    /// Functions of a context, outermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<Vec<String>>,
    pub allocations: Option<u64>,
    pub bytes_allocated: Option<u64>,
    pub live: Option<u64>,
    pub live_bytes: Option<u64>,
}

/// Writes the sums of all.
pub(super) fn head(document: &Document, memory: &Memory, out: &mut dyn Write) -> io::Result<()> {
    let instant = match &memory.clock {
        Unit::Nanoseconds => document.at_ns.to_string(),
        unit => unit.show(document.at_ns.since(Time::ZERO)),
    };
    writeln!(out, "at         {instant}")?;
    let live_bytes = bytes(document.live_bytes);
    let allocated = bytes(document.bytes_allocated);
    if matches!(memory.known, Known::Allocations(_)) {
        // Samples, of which only some were looked for again.
        let live = number(document.live, "sampled object", "sampled objects");
        let samples = number(document.allocations, "sample", "samples");
        writeln!(out, "live       {live_bytes} in {live}")?;
        return writeln!(out, "allocated  {allocated} by {samples}\n");
    }
    let temporary = count(document.temporary);
    let live = number(document.live, "object", "objects");
    let allocations = number(document.allocations, "allocation", "allocations");
    writeln!(out, "live       {live_bytes} in {live}")?;
    writeln!(
        out,
        "allocated  {allocated} by {allocations}, {temporary} of them temporary"
    )?;
    match document.peak_live {
        Some(live) => writeln!(out, "peak       {}\n", counted(live, "object", "objects")),
        None => writeln!(out, "peak       {}\n", bytes(document.peak_bytes)),
    }
}

fn count(count: Option<u64>) -> String {
    count.map_or("-".into(), |it| it.to_string())
}

/// A number of these.
fn number(of: Option<u64>, one: &str, many: &str) -> String {
    of.map_or_else(|| format!("- {many}"), |it| counted(it, one, many))
}

/// The first entries as a table.
pub(super) fn table(document: &Document, top: usize) -> Table {
    let mut table = Table::new(&[
        ("live bytes", Align::Right),
        ("live", Align::Right),
        ("allocated", Align::Right),
        ("allocations", Align::Right),
        ("name", Align::Left),
        ("module", Align::Left),
    ]);
    for entry in document.entries.iter().take(top) {
        let name = entry.stack.as_ref().map(|stack| stack.join(";"));
        table.row([
            bytes(entry.live_bytes),
            count(entry.live),
            bytes(entry.bytes_allocated),
            count(entry.allocations),
            name.unwrap_or_else(|| entry.name.clone()),
            entry.module.clone(),
        ]);
    }
    table
}
