//! The file of the log.

use callscape_base::clock::Instant;
use std::fs::File;
use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value};

/// What an action was done with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    #[default]
    Mouse,
    Key,
    Palette,
}

#[derive(Debug)]
pub struct ActionLog {
    pub(super) file: File,
    pub(super) begun: Instant,
    /// The settings of the views when they were last looked at.
    pub(super) views: Map<String, Value>,
}

impl ActionLog {
    /// Begins a log in a new file, or in place of an old one.
    pub(crate) fn create(path: &Path) -> anyhow::Result<ActionLog> {
        let file = File::create(path);
        let file = file.with_context(|| format!("cannot write the log {}", path.display()))?;
        Ok(ActionLog {
            file,
            begun: Instant::now(),
            views: Map::new(),
        })
    }
}
