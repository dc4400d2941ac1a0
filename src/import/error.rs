//! What keeps a recording from being read.

use std::path::{Path, PathBuf};

use callscape_base::progress::Cancelled;
use callscape_base::warnings::Place;

/// Why a recording could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{path}: {error}")]
    Io {
        path: PathBuf,
        // Not named source: the message holds it already, and a chain of causes would show it again.
        error: std::io::Error,
    },
    /// What was expected, and what was found, where.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        place: Place,
        expected: String,
        found: String,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl ImportError {
    pub(super) fn malformed(
        place: Place,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ImportError {
        ImportError::Malformed {
            place,
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(super) fn io(path: &Path, error: std::io::Error) -> ImportError {
        ImportError::Io {
            path: path.to_owned(),
            error,
        }
    }
}
