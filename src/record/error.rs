//! Why a program was not recorded.

use std::io;
use std::path::{Path, PathBuf};

use super::ended::Ended;

/// Why a program was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// What is to be run cannot be.
    #[error("{}: {reason}", program.display())]
    Program { program: PathBuf, reason: String },
    /// No recorder is driven for what it is written in.
    #[error("{}: no supported recorder for {language}; docs/formats.md lists tools that record it", program.display())]
    Language {
        program: PathBuf,
        language: &'static str,
    },
    /// No recorder suits, or none that does is there.
    #[error("{0}")]
    Recorder(String),
    /// The recorder failed, and this is what it said.
    #[error("{recorder} failed: {said}")]
    Failed {
        recorder: &'static str,
        said: String,
        /// How the program ended, where it ran.
        ended: Ended,
    },
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("the trial run: {0}")]
    Probe(String),
}

impl RecordError {
    pub fn program(program: &Path, reason: impl Into<String>) -> RecordError {
        RecordError::Program {
            program: program.to_path_buf(),
            reason: reason.into(),
        }
    }

    pub fn io(path: &Path, error: io::Error) -> RecordError {
        RecordError::Io {
            path: path.to_path_buf(),
            error,
        }
    }
}
