//! Which of the paths on the command line are source trees and which recordings.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::analysis::session::Inputs;
use crate::import;
use crate::import::input::STANDARD_INPUT;

/// Sorts paths by what they are: a directory that holds no recording is the source tree, everything else,
/// pipes and `-` included, a recording.
pub fn sort(paths: &[PathBuf]) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs::default();
    for path in paths {
        let is_source = path.as_os_str() != STANDARD_INPUT
            && std::fs::metadata(path)
                .with_context(|| path.display().to_string())?
                .is_dir()
            && !import::is_recording(path);
        if is_source {
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
