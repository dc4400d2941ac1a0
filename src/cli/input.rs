//! Which of the paths on the command line are source trees and which recordings.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::analysis::session::Inputs;
use crate::import;

/// Sorts paths by what they are: a directory that holds no recording is the source tree.
pub fn sort(paths: &[PathBuf]) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs::default();
    for path in paths {
        let metadata = std::fs::metadata(path).with_context(|| path.display().to_string())?;
        if metadata.is_file() || import::is_recording(path) {
            inputs.recordings.push(path.clone());
        } else {
            ensure!(
                inputs.source_dir.is_none(),
                "{}: expected a recording, found a second source tree",
                path.display()
            );
            inputs.source_dir = Some(path.clone());
        }
    }
    Ok(inputs)
}
