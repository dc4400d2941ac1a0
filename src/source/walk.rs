//! The files of a source tree, as git and tokei see them: ignored and hidden files are left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::WalkState;

use super::Problem;
use super::ignoring::Off;
use callscape_base::progress::{Cancelled, Progress};

/// The regular files below `dir`, relative to it and in order of their path's components.
///
/// Ignore files are those that tokei honours: `.gitignore`, `.git/info/exclude`, git's global one, `.ignore`
/// and `.tokeignore`, also in the directories above. Symbolic links are not followed, so that no file
/// counts twice and no loop harms. Gives also what was left out, in order: links, what is neither file nor directory,
/// and what could not be read, in words. Where an ignore file is no plain file (`ignore-file-not-plain`), those of its kind
/// are not read in that folder and below it.
pub(crate) fn files(
    dir: &Path,
    progress: &Progress,
) -> Result<(Vec<PathBuf>, Vec<Problem>), Cancelled> {
    let found: Mutex<Vec<PathBuf>> = Mutex::default();
    let left_out: Mutex<Vec<Problem>> = Mutex::default();
    let leave_out = |kind, what| lock(&left_out).push(Problem { kind, what });
    let refused = Arc::new(Mutex::new(BTreeSet::new()));
    let off = Off::around(dir, |path| {
        lock(&refused).insert(path);
    });
    // Folders that are walked by themselves, without what cannot be read there.
    let apart = Arc::new(Mutex::new(vec![(dir.to_path_buf(), off)]));
    let next = || lock(&apart).pop();
    while let Some((below, off)) = next() {
        let (more, refused) = (apart.clone(), refused.clone());
        let mut walk = off.walk(&below);
        walk.filter_entry(move |entry| {
            let is_dir = entry.file_type().is_some_and(|it| it.is_dir());
            if !is_dir || entry.depth() == 0 {
                return true;
            }
            let refuse = |path| {
                lock(&refused).insert(path);
            };
            let here = Off::in_folder(entry.path(), refuse);
            let is_apart = off.is_new(here);
            if is_apart {
                lock(&more).push((entry.path().to_path_buf(), off.and(here)));
            }
            !is_apart
        });
        walk.build_parallel().run(|| {
            Box::new(|entry| {
                match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                        if let Ok(path) = entry.path().strip_prefix(dir) {
                            lock(&found).push(path.to_path_buf());
                        }
                    }
                    Ok(entry) => {
                        let path = || entry.path().to_string_lossy().into_owned();
                        match entry.file_type() {
                            Some(kind) if kind.is_symlink() => {
                                leave_out("link-not-followed", path());
                            }
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
    }
    for path in &*lock(&refused) {
        leave_out("ignore-file-not-plain", path.to_string_lossy().into_owned());
    }
    let mut left_out = std::mem::take(&mut *lock(&left_out));
    left_out.sort();
    let mut found = std::mem::take(&mut *lock(&found));
    found.sort();
    Ok((found, left_out))
}

/// A poisoned lock still holds whole entries.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
