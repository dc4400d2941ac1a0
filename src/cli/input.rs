//! Which of the paths on the command line are source trees and which recordings.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::analysis::session::Inputs;
use crate::app::sharing;
use crate::facts::pack;
use crate::import;
use crate::import::input::STANDARD_INPUT;
use crate::source;

/// What a pack opens. A progress bar stands on standard error meanwhile, where that is a terminal.
pub fn unpacked(path: &Path) -> anyhow::Result<Inputs> {
    let opened = super::output::with_progress(|progress| sharing::open(path, progress))??;
    Ok(opened.inputs)
}

/// Sorts paths by what they are: a directory that holds no recording is the source tree, everything else,
/// pipes and `-` included, a recording; a pack is what is in it.
pub fn sort(paths: &[PathBuf]) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs::default();
    for path in paths {
        let is_pipe = path.as_os_str() == STANDARD_INPUT;
        if !is_pipe && pack::is_pack(path) {
            let opened = unpacked(path)?;
            ensure!(
                inputs.source_dir.is_none() || opened.source_dir.is_none(),
                "{}: expected a recording, found a pack with a second source tree",
                path.display()
            );
            inputs.source_dir = inputs.source_dir.take().or(opened.source_dir);
            inputs.recordings.extend(opened.recordings);
            continue;
        }
        if !is_pipe {
            std::fs::metadata(path).with_context(|| path.display().to_string())?;
        }
        if !is_pipe && source::is_source(path, import::is_recording) {
            ensure!(
                inputs.source_dir.is_none(),
                "{}: expected a recording, found a second source tree",
                path.display()
            );
            inputs.source_dir = Some(path.clone());
        } else {
            inputs.recordings.push(path.clone());
        }
    }
    Ok(inputs)
}
