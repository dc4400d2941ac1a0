//! Recordings as tables that existing engines ask with SQL: a folder a table, a partition a recording, Parquet files.
//!
//! `DIR/calls/recording=ID/part-0.parquet` and so on, as Hive partitions. Files are written beside and renamed, that of
//! `recordings` last: a recording that stands there is whole. No file of another recording is touched.

mod calls;
mod columns;
mod writer;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub use columns::{Column, Kind, Table};
pub use writer::{GROUP, VERSION};

use self::writer::TableWriter;
use super::part::{ExportError, Part};
use crate::analysis::contexts;
use crate::facts::contexts::Contexts;
use crate::files::Temporary;
use crate::progress::Progress;
use crate::units::ContextId;

/// The name of the file in the partition of a recording.
const FILE: &str = "part-0.parquet";

/// What becomes of a recording that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfThere {
    Refuse,
    Replace,
}

/// The ID of a recording made of any text: letters, digits, `.`, `-` and `_` of it, others as `_`; never empty, and never
/// one that a path takes for something else.
pub fn id_of(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let letters = text.chars().map(|it| if is_plain(it) { it } else { '_' });
    let id: String = letters.take(120).collect();
    match id.trim_start_matches('.') {
        "" => "recording".to_owned(),
        id => id.to_owned(),
    }
}

/// Where the file of a table is in `dir`.
fn place(dir: &Path, table: Table, id: &str) -> PathBuf {
    let partition = format!("recording={id}");
    dir.join(table.name()).join(partition).join(FILE)
}

/// Writes `tables` of a whole recording into the folder `dir` under `id`, which [`id_of`] has given. Tables that the
/// recording has nothing for are left out: calls of a profile, contexts of one that tells none. Takes as much memory as a
/// group of a million rows, and the contexts where they are asked for. O(calls).
pub fn write(
    part: &Part<'_>,
    dir: &Path,
    (id, if_there): (&str, IfThere),
    tables: &[Table],
    progress: &Progress,
) -> Result<(), ExportError> {
    let is_there = Table::ALL.iter().any(|&it| place(dir, it, id).exists());
    if is_there && if_there == IfThere::Refuse {
        return Err(ExportError::Unfit(format!(
            "{}: expected no recording {id} in it, found one; --replace writes over it, --id gives another name",
            dir.display()
        )));
    }
    let mut written = Vec::new();
    for table in Table::ALL.into_iter().rev() {
        if !tables.contains(&table) && table != Table::Recordings {
            continue;
        }
        let path = place(dir, table, id);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut beside = Temporary::beside(&path)?;
        let is_whole = write_table(part, table, &mut beside.file, progress)?;
        written.push((path, is_whole.then_some(beside)));
    }
    // The table of recordings comes last.
    for (path, beside) in written {
        match beside {
            Some(beside) => beside.keep_as(&path)?,
            None => remove(&path)?,
        }
    }
    if let Some(damage) = part.recording.damage() {
        return Err(ExportError::Damaged(damage));
    }
    Ok(())
}

/// A table that a recording has not: its partition is left out, and what stood there before too.
fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if let Some(folder) = path.parent() {
        // Only where nothing else is in them.
        let _ = std::fs::remove_dir(folder);
        let _ = folder.parent().map(std::fs::remove_dir);
    }
    Ok(())
}

/// Whether there is something to write.
fn write_table(
    part: &Part<'_>,
    table: Table,
    out: &mut (impl Write + Send),
    progress: &Progress,
) -> Result<bool, ExportError> {
    let recording = part.recording;
    let has_calls = recording.profile.is_none();
    let contexts = match table {
        Table::Contexts => match contexts::contexts(recording, progress)? {
            Some(contexts) => Some(contexts),
            None => return Ok(false),
        },
        _ => None,
    };
    if table == Table::Calls && !has_calls {
        return Ok(false);
    }
    let mut rows = TableWriter::new(table, BufWriter::new(out))?;
    match table {
        Table::Recordings => recordings(part, &mut rows),
        Table::Threads => threads(part, &mut rows),
        Table::Functions => functions(part, &mut rows)?,
        Table::Calls => calls::write(part, &mut rows, progress)?,
        Table::Relations => relations(part, &mut rows)?,
        Table::Contexts => {
            if let Some(contexts) = &contexts {
                write_contexts(part, contexts, &mut rows, progress)?;
            }
        }
    }
    rows.finish()?.flush()?;
    Ok(true)
}

fn recordings<W: Write + Send>(part: &Part<'_>, rows: &mut TableWriter<W>) {
    let recording = part.recording;
    rows.text(&recording.name());
    rows.text(recording.format);
    rows.text(&recording.unit().name());
    let has_times = recording.has_times();
    let duration = recording.trace.duration().ns();
    rows.number_or_null(has_times.then_some(duration));
    rows.number_or_null(recording.counts_calls().then(|| recording.calls()));
    rows.number(recording.functions.len() as u64);
    rows.number(recording.threads().len() as u64);
    rows.number(recording.samples);
    rows.number(recording.warnings.iter().map(|it| it.count).sum());
    rows.end_row();
}

fn threads<W: Write + Send>(part: &Part<'_>, rows: &mut TableWriter<W>) {
    for (number, thread) in (0..).zip(part.recording.threads()) {
        rows.number(number);
        rows.text(&thread.id);
        rows.text(&thread.process);
        rows.text(&thread.name);
        rows.number(thread.calls);
        rows.number(thread.max_depth.into());
        rows.number(thread.start.ns());
        rows.number(thread.end.ns());
        rows.end_row();
    }
}

fn functions<W: Write + Send>(part: &Part<'_>, rows: &mut TableWriter<W>) -> io::Result<()> {
    let recording = part.recording;
    let metrics = recording.function_metrics(None);
    let counts = recording.counts_calls();
    for (id, metrics) in recording.functions.ids().zip(metrics) {
        let function = recording.functions.get(id);
        let module = part.resolution.modules.get(id.index());
        let module = module.map(|&module| part.hierarchy.path(module));
        rows.number(id.0.into());
        rows.text(function.name);
        rows.text(&module.unwrap_or_default());
        rows.text(function.file);
        rows.number(function.line.into());
        rows.text(function.library);
        rows.number_or_null(counts.then_some(metrics.calls));
        rows.number(metrics.total.ns());
        rows.number(metrics.self_cost.ns());
        rows.end_row();
        if rows.rows() == GROUP {
            rows.end_group()?;
        }
    }
    Ok(())
}

fn relations<W: Write + Send>(part: &Part<'_>, rows: &mut TableWriter<W>) -> io::Result<()> {
    let counts = part.recording.counts_calls();
    for relation in part.recording.relations(None) {
        rows.number(relation.caller.0.into());
        rows.number(relation.callee.0.into());
        rows.number_or_null(counts.then_some(relation.calls));
        rows.number(relation.cost.ns());
        rows.end_row();
        if rows.rows() == GROUP {
            rows.end_group()?;
        }
    }
    Ok(())
}

fn write_contexts<W: Write + Send>(
    part: &Part<'_>,
    contexts: &Contexts,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let value = part.recording.value();
    // The contexts around the one at hand.
    let mut around: Vec<ContextId> = Vec::new();
    for id in contexts.ids() {
        let parent = contexts.parent(id);
        while around.last().is_some_and(|last| Some(*last) != parent) {
            around.pop();
        }
        rows.number(id.0.into());
        rows.number_or_null(parent.map(|it| it.0.into()));
        rows.number(contexts.function(id).0.into());
        rows.number(around.len() as u64);
        rows.number_or_null(contexts.calls(id));
        rows.number(contexts.total(value, id).ns());
        rows.number(contexts.self_weight(value, id).ns());
        rows.end_row();
        around.push(id);
        if rows.rows() == GROUP {
            progress.check()?;
            rows.end_group()?;
        }
    }
    Ok(())
}
