//! Several files: which of them are one recording, and which are runs of their own.
//!
//! Files are one recording when they say so, see `parts.rs`; files of processes are by their names and times, see
//! `processes.rs`. All other files are runs of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::ImportError;
use super::formats::{is_recording_directory, is_recording_head};
use super::input::{Input, STANDARD_INPUT};
use super::parts::{groups, join};
use super::{empty, index, processes, stream};
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;

/// Whether a directory holds recordings and nothing else: files right in it, hidden ones and indexes left out. A
/// source tree has other files, and folders.
pub(crate) fn is_folder(dir: &Path) -> bool {
    files(&Input::on_disk(dir.to_owned())).is_some()
}

/// The recordings in a directory that holds nothing else, in order of name; none for another.
fn files(dir: &Input) -> Option<Vec<Input>> {
    /// In more files than these nobody keeps recordings.
    const MOST: usize = 10_000;
    let mut files = dir.entries().ok()?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Callgrind leaves an empty file where each thread has one of its own.
        let is_empty = file.is_file() && file.size().is_ok_and(|size| size == 0);
        !name.starts_with('.') && !name.ends_with(index::SUFFIX) && !is_empty
    });
    let all = !files.is_empty()
        && files.len() <= MOST
        && files.iter().all(|file| {
            let head = || stream::head(file, &Progress::new()).ok();
            file.is_file() && head().is_some_and(|head| is_recording_head(&head))
        });
    all.then_some(files)
}

/// Whether two files are parts of one recording by what they say: services of one distributed trace, or parts of one run.
pub fn are_parts(paths: [&Path; 2], progress: &Progress) -> Result<bool, ImportError> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(false);
        }
        inputs.push(Input::new(path).map_err(|error| ImportError::io(path, error))?);
    }
    Ok(groups(&inputs, progress)?.len() == 1)
}

/// Whether two recordings, opened each alone, are processes of one run.
pub fn are_processes(recordings: [(&Path, &Arc<Recording>); 2]) -> bool {
    let input = |path: &Path| Input::on_disk(path.to_owned());
    let opened = recordings.map(|(path, it)| (input(path), Arc::clone(it)));
    processes::are_one(&opened)
}

/// The processes of one run as one recording. Those that are open are not read for it.
fn merge(parts: &[Input], progress: &Progress) -> Result<Recording, ImportError> {
    let opened = parts.iter().map(|it| index::open(it, progress));
    let opened: Result<Vec<_>, ImportError> = opened.collect();
    processes::merge(&opened?, progress)
}

/// Opens the recordings at `paths`, in their order: files, directories that hold one, directories of files.
pub fn open(paths: &[PathBuf], progress: &Progress) -> Result<Vec<Arc<Recording>>, ImportError> {
    let mut inputs: Vec<Input> = Vec::new();
    for path in paths {
        let input = Input::new(path).map_err(|error| ImportError::io(path, error))?;
        let inside = match input.is_dir() && !is_recording_directory(&input) {
            true => files(&input),
            false => None,
        };
        match inside {
            Some(files) => inputs.extend(files),
            None => inputs.push(input),
        }
    }
    let mut recordings = Vec::new();
    let mut alone = Vec::new();
    for group in groups(&inputs, progress)? {
        match group.as_slice() {
            [input] => alone.push((input.clone(), index::open(input, progress)?)),
            parts => recordings.push((parts.to_vec(), index::open_parts(parts, join, progress)?)),
        }
    }
    let merged = |parts: &[Input], recordings: &[Arc<Recording>]| match parts
        .iter()
        .all(index::is_lasting)
    {
        true => index::open_parts(parts, merge, progress),
        false => processes::merge(recordings, progress).map(Arc::new),
    };
    recordings.extend(processes::join(alone, merged)?);
    let place = |input: &Input| inputs.iter().position(|other| **other == **input);
    recordings.sort_by_key(|(parts, _)| parts.first().and_then(place));
    for (parts, recording) in &mut recordings {
        let folder = parts.first().and_then(|first| first.parent());
        if let [path] = paths
            && parts.len() == inputs.len()
            && folder == Some(path)
        {
            Arc::make_mut(recording).path.clone_from(path);
        }
    }
    let recordings = recordings.into_iter();
    recordings
        .map(|(_, recording)| empty::refused(recording, progress))
        .collect()
}
