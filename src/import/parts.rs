//! Which files are parts of one recording, and those read together.
//!
//! Files are one recording when they say so. Files of OpenTelemetry spans do where they share a trace: services,
//! or parts of one exporter's output, write a file each; files of callgrind do that hold threads or parts of one run
//! of a process.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use super::error::ImportError;
use super::input::Input;
use super::{callgrind, opened, otlp, stream};
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;

/// Reads the parts of one recording.
pub(crate) fn join(parts: &[Input], progress: &Progress) -> Result<Recording, ImportError> {
    parts.iter().for_each(|it| opened::note_read(it));
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
pub(crate) fn groups(
    inputs: &[Input],
    progress: &Progress,
) -> Result<Vec<Vec<Input>>, ImportError> {
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
