//! Exports as files: compressed as their names say, written beside and renamed.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::part::{ExportError, Part};
use super::{Format, write};
use callscape_base::files::Temporary;
use callscape_base::progress::Progress;

/// Writes a part of a recording to the file at `path`, compressed where its name ends in `.gz` or `.zst`. The
/// file appears under its name when it is whole; until then, and when that fails, what had the name stays.
pub fn to_file(
    part: &Part<'_>,
    format: Format,
    path: &Path,
    progress: &Progress,
) -> Result<(), ExportError> {
    let mut beside = Temporary::beside(path)?;
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
