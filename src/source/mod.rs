//! Facts from source trees: directories, files, lines of code, functions, classes and namespaces.

pub mod saved;

use std::path::{Path, PathBuf};

use crate::facts::hierarchy::{Hierarchy, HierarchyBuilder};
use crate::progress::{Cancelled, Progress};
use crate::warnings::Reporter;

/// Why a source tree could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}: expected source files, found none")]
    Empty { path: PathBuf },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The module hierarchy of the source tree below `dir`.
pub fn scan(
    dir: &Path,
    progress: &Progress,
    _reporter: &Reporter,
) -> Result<Hierarchy, SourceError> {
    progress.check()?;
    Ok(HierarchyBuilder::new(&dir.to_string_lossy()).build().0)
}
