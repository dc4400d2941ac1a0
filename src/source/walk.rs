//! The files of a source tree, as git and tokei see them: ignored and hidden files are left out.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::{WalkBuilder, WalkState};

use super::Problem;
use crate::progress::{Cancelled, Progress};

/// The regular files below `dir`, relative to it and in order of their path's components.
///
/// Ignore files are those that tokei honours: `.gitignore`, `.git/info/exclude`, git's global one, `.ignore`
/// and `.tokeignore`, also in the directories above. Symbolic links are not followed, so that no file
/// counts twice and no loop harms. Gives also what was left out, in order: links, what is neither file nor directory,
/// and what could not be read, in words.
pub fn files(dir: &Path, progress: &Progress) -> Result<(Vec<PathBuf>, Vec<Problem>), Cancelled> {
    let found: Mutex<Vec<PathBuf>> = Mutex::default();
    let left_out: Mutex<Vec<Problem>> = Mutex::default();
    let leave_out = |kind, what| {
        if let Ok(mut left_out) = left_out.lock() {
            left_out.push(Problem { kind, what });
        }
    };
    let walker = WalkBuilder::new(dir)
        .add_custom_ignore_filename(".tokeignore")
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    if let (Ok(path), Ok(mut found)) =
                        (entry.path().strip_prefix(dir), found.lock())
                    {
                        found.push(path.to_path_buf());
                    }
                }
                Ok(entry) => {
                    let path = || entry.path().to_string_lossy().into_owned();
                    match entry.file_type() {
                        Some(kind) if kind.is_symlink() => leave_out("link-not-followed", path()),
                        Some(kind) if !kind.is_dir() => leave_out("no-regular-file", path()),
                        _ => {}
                    }
                }
                Err(error) => leave_out("unreadable", error.to_string()),
            }
            match progress.add(1) {
                Ok(()) => WalkState::Continue,
                Err(Cancelled) => WalkState::Quit,
            }
        })
    });
    progress.check()?;
    // A poisoned lock still holds whole entries.
    let mut left_out = left_out
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    left_out.sort();
    let mut found = found
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    found.sort();
    Ok((found, left_out))
}
