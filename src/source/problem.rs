//! What keeps a source tree, or something below it, from being read.

use std::path::PathBuf;

use callscape_base::progress::Cancelled;
use callscape_base::warnings::Place;

/// Something below the source tree that was left out, wholly or in part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// A kind of warning: `unreadable`, `unknown-language` and so on.
    pub kind: &'static str,
    /// What it is about: a path, for what the system refused with the reason.
    pub what: String,
}

/// Why a source tree could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{place}: expected {expected}, found {found}")]
    Structure {
        place: Place,
        expected: &'static str,
        found: String,
    },
    #[error("{path}: expected a directory of source files, found a file")]
    NotADirectory { path: PathBuf },
    #[error("{path}: expected source files, found none in a supported language")]
    Empty { path: PathBuf },
    #[error("could not start a thread: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
