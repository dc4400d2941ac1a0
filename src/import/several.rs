//! Several files: which of them are one recording, and which are runs of their own.
//!
//! Files are one recording when they say so. Files of OpenTelemetry spans do where they share a trace: services,
//! or parts of one exporter's output, write a file each; files of callgrind do that hold threads or parts of one run of a process. Files of processes do by their names and times, see
//! `processes.rs`. All other files are runs of their own.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::input::Input;
use super::{
    ImportError, callgrind, index, is_recording_directory, is_recording_head, otlp, processes,
    stream,
};
use crate::facts::recording::Recording;
use crate::progress::Progress;

/// Whether a directory holds recordings and nothing else: files right in it, hidden ones and indexes left out. A
/// source tree has other files, and folders.
pub fn is_folder(dir: &Path) -> bool {
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

/// Whether two files, opened each alone, are parts of one recording: services of one distributed trace, parts of one
/// run, or processes of it.
pub fn are_one(
    paths: [&Path; 2],
    recordings: [&Recording; 2],
    progress: &Progress,
) -> Result<bool, ImportError> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == super::input::STANDARD_INPUT {
            return Ok(false);
        }
        inputs.push(Input::new(path).map_err(|error| ImportError::io(path, error))?);
    }
    if groups(&inputs, progress)?.len() == 1 {
        return Ok(true);
    }
    let opened = inputs.into_iter().zip(recordings.map(Recording::clone));
    Ok(processes::are_one(&opened.collect::<Vec<_>>()))
}

/// Opens the recordings at `paths`, in their order: files, directories that hold one, directories of files.
pub fn open(paths: &[PathBuf], progress: &Progress) -> Result<Vec<Recording>, ImportError> {
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
            parts => recordings.push((parts.to_vec(), join(parts, progress)?)),
        }
    }
    recordings.extend(processes::join(alone, progress)?);
    let place = |input: &Input| inputs.iter().position(|other| **other == **input);
    recordings.sort_by_key(|(parts, _)| parts.first().and_then(place));
    for (parts, recording) in &mut recordings {
        let folder = parts.first().and_then(|first| first.parent());
        if let [path] = paths
            && parts.len() == inputs.len()
            && folder == Some(path)
        {
            recording.path.clone_from(path);
        }
    }
    Ok(recordings
        .into_iter()
        .map(|(_, recording)| recording)
        .collect())
}

/// Reads the parts of one recording.
pub fn join(parts: &[Input], progress: &Progress) -> Result<Recording, ImportError> {
    let head = match parts.first() {
        Some(first) => stream::head(first, progress)?,
        None => Vec::new(),
    };
    match callgrind::part_of(&head) {
        Some(_) => callgrind::join(parts, progress),
        None => otlp::join(parts, progress),
    }
}

/// The inputs of each recording; recordings in the order of their first inputs.
pub fn groups(inputs: &[Input], progress: &Progress) -> Result<Vec<Vec<Input>>, ImportError> {
    // By input, the first one that it is of one recording with.
    let mut first: Vec<usize> = (0..inputs.len()).collect();
    // By directory and run, which parts of it which inputs hold.
    let mut runs: BTreeMap<_, Vec<(Vec<u8>, usize)>> = BTreeMap::new();
    let mut by_trace: HashMap<Vec<u8>, usize> = HashMap::new();
    for (number, input) in inputs.iter().enumerate() {
        if inputs.len() == 1 || input.is_dir() {
            continue;
        }
        let head = stream::head(input, progress)?;
        if let Some((run, part)) = callgrind::part_of(&head) {
            let folder = input.parent().map(PathBuf::from);
            runs.entry((folder, run)).or_default().push((part, number));
        }
        if !otlp::sniff(&head) {
            continue;
        }
        let traces = otlp::traces(input, progress)?;
        let known: HashSet<usize> = traces
            .iter()
            .filter_map(|trace| by_trace.get(trace))
            .map(|&other| first[other])
            .collect();
        let group = known.iter().copied().min().unwrap_or(number);
        for place in &mut first {
            if known.contains(place) {
                *place = group;
            }
        }
        first[number] = group;
        for trace in traces {
            by_trace.entry(trace).or_insert(number);
        }
    }
    for mut parts in runs.into_values() {
        parts.sort();
        // What is there twice is of two runs, and nothing tells which part is of which.
        if parts.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            let least = parts.iter().map(|part| part.1).min();
            for (_, number) in parts {
                first[number] = least.unwrap_or(number);
            }
        }
    }
    let mut groups: Vec<Vec<Input>> = vec![Vec::new(); inputs.len()];
    for (input, group) in inputs.iter().zip(first) {
        groups[group].push(input.clone());
    }
    groups.retain(|group| !group.is_empty());
    Ok(groups)
}
