//! Which of the paths on the command line are source trees and which recordings.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::progress::with_progress;
use callscape_analysis::session::{Inputs, Sides};
use callscape_app::sharing;
use callscape_export::pack;
use callscape_import as import;
use callscape_import::input::STANDARD_INPUT;
use callscape_source as source;

/// Unpacks a pack and returns its inputs. Shows a progress bar on standard error if that is a terminal.
pub(crate) fn unpacked(path: &Path) -> anyhow::Result<Inputs> {
    let opened = with_progress(|progress| sharing::open(path, progress))??;
    Ok(opened.inputs)
}

/// Sorts paths by kind: a directory without a recording is the source tree, a pack is replaced by its contents, and
/// everything else, including pipes and `-`, is a recording.
pub(crate) fn sort(paths: &[PathBuf]) -> anyhow::Result<Inputs> {
    let (mut sources, recordings) = sorted(paths, 1)?;
    Ok(Inputs {
        source_dir: sources.pop(),
        recordings,
        ..Inputs::default()
    })
}

/// Does the same for a comparison: two recordings may have a source tree each, and if `--a` and `--b` give several
/// runs, `paths` may contain only source trees.
pub(crate) fn sort_sides(paths: &[PathBuf], [a, b]: [&[PathBuf]; 2]) -> anyhow::Result<Inputs> {
    let (after, [a, b]) = apart([a, b]);
    let (mut sources, mut recordings) = sorted(&[paths, &after].concat(), 2)?;
    ensure!(
        a.is_empty() == b.is_empty(),
        "expected recordings after both --a and --b, found only source trees"
    );
    let mut sides = Sides::default();
    if !a.is_empty() {
        if let Some(recording) = recordings.first() {
            bail!(
                "{}: expected a source tree in addition to --a and --b, found a recording",
                recording.display()
            );
        }
        for path in a.iter().chain(&b) {
            std::fs::metadata(path).with_context(|| path.display().to_string())?;
        }
        sides.runs_of_a = a.len();
        recordings = [&*a, &*b].concat();
    }
    let source_dir = sources.pop();
    if let Some(of_a) = sources.pop() {
        ensure!(
            !a.is_empty() || recordings.len() == 2,
            "{}: expected one source tree, or two recordings A and B with one source tree each, found {} recordings",
            of_a.display(),
            recordings.len()
        );
        sides.runs_of_a = sides.runs_of_a.max(1);
        sides.source_of_a = Some(of_a);
    }
    Ok(Inputs {
        source_dir,
        recordings,
        sides,
        ..Inputs::default()
    })
}

/// Source trees among the paths after --a and --b, and the remaining paths of both.
pub(crate) fn apart(sides: [&[PathBuf]; 2]) -> (Vec<PathBuf>, [Vec<PathBuf>; 2]) {
    let mut sources = Vec::new();
    let recordings = sides.map(|side| {
        let is_source = |path: &&PathBuf| source::is_source(path, import::is_recording);
        let (trees, rest): (Vec<&PathBuf>, Vec<&PathBuf>) = side.iter().partition(is_source);
        sources.extend(trees.into_iter().cloned());
        rest.into_iter().cloned().collect()
    });
    (sources, recordings)
}

/// Source trees, no more than `most`, and recordings.
fn sorted(paths: &[PathBuf], most: usize) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut sources, mut recordings) = (Vec::new(), Vec::new());
    for path in paths {
        let is_pipe = path.as_os_str() == STANDARD_INPUT;
        if !is_pipe && pack::is_pack(path) {
            let opened = unpacked(path)?;
            sources.extend(opened.source_dir);
            recordings.extend(opened.recordings);
        } else {
            if !is_pipe {
                std::fs::metadata(path).with_context(|| path.display().to_string())?;
            }
            match !is_pipe && source::is_source(path, import::is_recording) {
                true => sources.push(path.clone()),
                false => recordings.push(path.clone()),
            }
        }
        ensure!(
            sources.len() <= most,
            "{}: expected a recording, found a {} source tree",
            path.display(),
            if most == 1 { "second" } else { "third" }
        );
    }
    Ok((sources, recordings))
}
