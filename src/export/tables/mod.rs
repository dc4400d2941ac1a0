//! Recordings as tables that existing engines ask with SQL: a folder a table, a partition a recording, Parquet files.
//!
//! `DIR/calls/recording=ID/part-0.parquet` and so on, as Hive partitions. Files are written beside and renamed together: a
//! recording that stands in `recordings` is whole. No file of another recording is touched.

mod calls;
mod chunk;
mod columns;
pub mod kept;
mod memory;
mod modules;
mod sums;
mod writer;

use std::io::{self, BufWriter, Write};
use std::path::Path;

pub use columns::{Column, Kind, columns_of};
pub use writer::GROUP;

pub use callscape_facts::tables::{Table, VERSION};

use self::writer::TableWriter;
use super::part::{ExportError, Part};
use callscape_analysis::contexts;
use callscape_base::files::Temporary;
use callscape_base::progress::Progress;
use callscape_facts::tables::replacing::{self, Replacing, at};

/// What becomes of a recording that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfThere {
    Refuse,
    Replace,
}

/// The longest ID, in letters: with what stands before it, a name that every file system takes.
const LONGEST: usize = 120;

/// The ID of a recording made of any text: letters, digits, `.`, `-` and `_` of it, others as `_`; never empty, and never
/// one that a path takes for something else.
pub fn id_of(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let letters = text.trim_start_matches('.').chars();
    let letters = letters.map(|it| if is_plain(it) { it } else { '_' });
    let id: String = letters.take(LONGEST).collect();
    match id.is_empty() {
        true => "recording".to_owned(),
        false => id,
    }
}

/// Writes `tables` of a whole recording into the folder `dir` under `id`, which [`id_of`] has given. The table of
/// recordings is written even where it is not among them. Tables that the recording has nothing for are left out: calls of
/// a profile, contexts of one that tells none, modules without a source tree. Replacing removes all tables of what was
/// there, also those that are not written again. Memory: a packed group of a million rows, some bytes each, and the
/// contexts where they are asked for. O(calls).
pub fn write(
    part: &Part<'_>,
    dir: &Path,
    (id, if_there): (&str, IfThere),
    tables: &[Table],
    progress: &Progress,
) -> Result<(), ExportError> {
    let begin = || -> Result<Replacing<'_>, ExportError> {
        let replacing = Replacing::begin(dir)?;
        match if_there == IfThere::Refuse && replacing::is_there(dir, id) {
            true => Err(ExportError::Unfit(format!(
                "{}: expected no recording {id} in it, found one; --replace overwrites it, --id sets another name",
                dir.display()
            ))),
            false => Ok(replacing),
        }
    };
    // Said before the long work, and asked again after it.
    drop(begin()?);
    let written = write_all(part, dir, id, tables, progress);
    let written = written.and_then(|files| match part.recording.damage() {
        Some(damage) => Err(ExportError::Damaged(damage)),
        None => Ok(files),
    });
    let result = written.and_then(|files| Ok(begin()?.replace(id, files)?));
    for partition in Table::ALL.map(|it| replacing::partition(dir, it, id)) {
        // Where nothing is in them: of a table that the recording has not, or after a failure.
        let _ = std::fs::remove_dir(&partition);
        let _ = partition.parent().map(std::fs::remove_dir);
    }
    result
}

/// Writes the tables beside where they are to stand.
fn write_all(
    part: &Part<'_>,
    dir: &Path,
    id: &str,
    tables: &[Table],
    progress: &Progress,
) -> Result<Vec<(Table, Temporary)>, ExportError> {
    let mut written = Vec::new();
    for table in Table::ALL {
        let is_wanted = tables.contains(&table) || table == Table::Recordings;
        if !is_wanted || !has(part, table) {
            continue;
        }
        let folder = dir.join(table.name());
        let mut beside = beside(&folder).map_err(|error| at(&folder, error))?;
        let result = write_table(part, (table, id), &mut beside.file, progress);
        match result {
            Ok(true) => written.push((table, beside)),
            Ok(false) => {}
            Err(ExportError::Io(error)) => return Err(at(&folder, error).into()),
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}

/// Begins a file in the folder of a table, which another export may remove while it is empty.
fn beside(folder: &Path) -> io::Result<Temporary> {
    const TRIES: usize = 1000;
    for _ in 1..TRIES {
        replacing::make(folder)?;
        match Temporary::create(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            made => return made,
        }
    }
    Temporary::create(folder)
}

/// Whether a recording may have something for a table.
fn has(part: &Part<'_>, table: Table) -> bool {
    let recording = part.recording;
    match table {
        Table::Recordings | Table::Threads | Table::Functions | Table::Relations => true,
        Table::Contexts => true,
        Table::Calls => recording.profile.is_none(),
        Table::Links => recording.trace.has_links(),
        Table::Samples => {
            let profile = recording.profile.as_ref();
            profile.is_some_and(|it| it.contexts().is_some())
        }
        Table::Objects | Table::Stacks => memory::events(recording).is_some(),
        Table::Modules => modules::are_of_source(part.hierarchy),
    }
}

/// Whether there was something to write.
fn write_table(
    part: &Part<'_>,
    (table, id): (Table, &str),
    out: &mut (impl Write + Send),
    progress: &Progress,
) -> Result<bool, ExportError> {
    let recording = part.recording;
    let mut rows = TableWriter::new(table, id, BufWriter::new(out))?;
    match table {
        Table::Recordings => sums::recordings(recording, &mut rows),
        Table::Threads => sums::threads(recording, &mut rows)?,
        Table::Functions => sums::functions(part, &mut rows)?,
        Table::Calls => calls::write(recording, &mut rows, progress)?,
        Table::Links => calls::links(recording, &mut rows)?,
        Table::Relations => sums::relations(recording, &mut rows)?,
        Table::Contexts => match contexts::contexts(recording, progress)? {
            Some(contexts) => sums::contexts(part, &contexts, &mut rows, progress)?,
            None => return Ok(false),
        },
        Table::Samples => sums::samples(recording, &mut rows, progress)?,
        Table::Objects => memory::objects(recording, &mut rows, progress)?,
        Table::Stacks => memory::stacks(recording, &mut rows, progress)?,
        Table::Modules => modules::modules(part, &mut rows)?,
    }
    rows.finish()?.flush()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_name_of_a_folder_whatever_it_is_made_of() {
        for (text, id) in [
            ("run 1.json", "run_1.json"),
            ("..", "recording"),
            ("", "recording"),
            (".hidden", "hidden"),
            ("a/b\\c\u{7}=é", "a_b_c___"),
            ("2026-11-25", "2026-11-25"),
        ] {
            assert_eq!(id_of(text), id);
            assert_eq!(id_of(id), id, "an ID stays as it is");
        }
        assert_eq!(id_of(&"x".repeat(1000)).len(), LONGEST);
    }
}
