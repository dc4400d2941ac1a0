//! Tables in Parquet, as `callscape export --format parquet` writes them and other engines do, and what they answer.
//! Specification: `src/export/tables/`, and <https://parquet.apache.org/docs/file-format/>.
//!
//! A folder of tables is a recording: with calls it plays, without it is a profile of what the calls add up to. Several
//! recordings in it are opened as one set of runs; `DIR/recordings/recording=ID` is one of them.

mod answer;
mod calls;
mod columns;
mod contexts;
mod csv;
mod file;
mod folder;
mod functions;
mod many;
mod means;
mod memory;
mod reading;
mod recording;
mod related;
mod rows;
mod source;
mod thrift;
mod values;
mod vendors;

use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;
use folder::Folder;
pub(crate) use folder::sniff;

/// What `info` calls the format of one table.
pub(crate) const FORMAT: &str = "parquet";

/// What it calls that of a folder of tables.
pub(crate) const FOLDER: &str = "tables";

/// What it calls that of an answer in CSV.
pub(crate) const CSV: &str = "csv";

pub(crate) use answer::{sniff as sniff_file, sniff_csv};

/// Reads one table in Parquet: what a query has answered.
pub(crate) fn import_file(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    answer::import(input, (FORMAT, progress))
}

/// Reads the same as CSV.
pub(crate) fn import_csv(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    answer::import_csv(input, (CSV, progress))
}

/// Reads a folder of tables.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let folder = Folder::open(input)?;
    match folder.ids.as_slice() {
        [id] => recording::open(&folder, id, input, (FOLDER, progress)),
        _ => many::open(&folder, input, (FOLDER, progress)),
    }
}
