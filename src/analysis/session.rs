//! A session: one structure and any number of recordings of it.

use std::path::PathBuf;

use super::resolve::{Resolution, resolve};
use crate::facts::hierarchy::{Hierarchy, HierarchyBuilder};
use crate::facts::recording::Recording;
use crate::import::{self, ImportError};
use crate::progress::Progress;
use crate::source::{self, SourceError};
use crate::warnings::{Reporter, Warning};

/// A recording and the module of each of its functions.
#[derive(Debug)]
pub struct Resolved {
    pub recording: Recording,
    pub resolution: Resolution,
}

/// One structure, and the recordings of it.
#[derive(Debug)]
pub struct Session {
    pub source_dir: Option<PathBuf>,
    pub hierarchy: Hierarchy,
    pub recordings: Vec<Resolved>,
    /// What was repaired or left out while scanning the source tree.
    pub source_warnings: Vec<Warning>,
}

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// What to open: at most one source tree, any number of recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub source_dir: Option<PathBuf>,
    pub recordings: Vec<PathBuf>,
}

impl Session {
    /// Scans and imports `inputs`, then resolves the recordings against the structure.
    pub fn open(inputs: &Inputs, progress: &Progress) -> Result<Session, OpenError> {
        let reporter = Reporter::new();
        let source = match &inputs.source_dir {
            Some(dir) => source::scan(dir, progress, &reporter)?,
            None => {
                let name = inputs.recordings.first().and_then(|path| path.file_stem());
                let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
                HierarchyBuilder::new(&name).build().0
            }
        };
        let recordings: Result<Vec<Recording>, ImportError> = inputs
            .recordings
            .iter()
            .map(|path| import::open(path, progress))
            .collect();
        let recordings = recordings?;
        let functions: Vec<_> = recordings
            .iter()
            .map(|recording| &recording.functions)
            .collect();
        let (hierarchy, resolutions) = resolve(&source, &functions);
        let recordings = recordings.into_iter().zip(resolutions);
        Ok(Session {
            source_dir: inputs.source_dir.clone(),
            hierarchy,
            recordings: recordings
                .map(|(recording, resolution)| Resolved {
                    recording,
                    resolution,
                })
                .collect(),
            source_warnings: reporter.warnings(),
        })
    }
}
