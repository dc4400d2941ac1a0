//! Facts from recorded executions: one file per format, registered in one table.

use std::path::{Path, PathBuf};

use crate::facts::recording::Recording;
use crate::progress::{Cancelled, Progress};

/// Why a recording could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    /// What was expected, and what was found, where.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        place: crate::warnings::Place,
        expected: String,
        found: String,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Reads the recording at `path`, a file or a directory, whatever its format and compression.
pub fn open(path: &Path, progress: &Progress) -> Result<Recording, ImportError> {
    progress.check()?;
    Err(ImportError::Malformed {
        place: crate::warnings::Place::file(path.display().to_string()),
        expected: "a recording in a known format".into(),
        found: "none".into(),
    })
}

/// Whether `path` is a directory that holds a recording.
pub fn is_recording(_path: &Path) -> bool {
    false
}
