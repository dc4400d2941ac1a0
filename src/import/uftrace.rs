//! uftrace data directories. Specification: `uftrace.h`, `utils/data-file.c` and `utils/symbol.c` of
//! <https://github.com/namhyung/uftrace>, version 0.13 to 0.18.

use std::path::Path;

use super::ImportError;
use crate::facts::recording::Recording;
use crate::progress::Progress;
use crate::warnings::Place;

/// The identifier of the format in `info`.
pub const FORMAT: &str = "uftrace";

/// Whether the directory holds a uftrace recording.
pub fn sniff(dir: &Path) -> bool {
    dir.join("info").is_file()
}

pub fn import(path: &Path, progress: &Progress) -> Result<Recording, ImportError> {
    progress.check()?;
    Err(ImportError::malformed(
        Place::file(path.display().to_string()),
        "x",
        "y",
    ))
}
