//! Exports as files: compressed as their names say, written beside and renamed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{ExportError, Format, Part, write};
use crate::progress::Progress;

/// Writes a part of a recording to the file at `path`, compressed where its name ends in `.gz` or `.zst`. The
/// file appears under its name when it is whole; until then, and when that fails, what had the name stays.
pub fn to_file(
    part: &Part<'_>,
    format: Format,
    path: &Path,
    progress: &Progress,
) -> Result<(), ExportError> {
    let mut beside = Beside::create(path)?;
    let end = path.extension().unwrap_or_default().to_ascii_lowercase();
    match end.to_str() {
        Some("gz") => {
            let mut packed = GzEncoder::new(&mut beside.file, Compression::default());
            write(part, format, &mut packed, progress)?;
            packed.finish()?;
        }
        Some("zst") => {
            let mut packed = zstd::stream::write::Encoder::new(&mut beside.file, 0)?;
            write(part, format, &mut packed, progress)?;
            packed.finish()?;
        }
        _ => write(part, format, &mut beside.file, progress)?,
    }
    beside.file.flush()?;
    Ok(beside.keep_as(path)?)
}

/// A file under construction, gone unless it is kept.
pub(super) struct Beside {
    pub file: File,
    path: PathBuf,
    kept: bool,
}

impl Beside {
    pub fn create(path: &Path) -> io::Result<Beside> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}.callscape-tmp", std::process::id()));
        let beside = path.with_file_name(beside);
        Ok(Beside {
            file: File::create(&beside)?,
            path: beside,
            kept: false,
        })
    }

    pub fn keep_as(mut self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, path)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.kept {
            // What stays behind says in its name that it is not whole.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
