//! Whether what a recorder has left is whole: only what opens is said to be recorded.

use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::place::{self, Place};
use super::room;
use super::run::Done;
use callscape_base::progress::Progress;
use callscape_import as import;

/// Up to so many bytes a recording is read whole, which takes no second: larger ones only where the disk is full, since
/// that is what cuts them.
const SMALL: u64 = 32 << 20;

/// What is said of the disk of a recording that is nearly full; none of one that is not.
fn disk(place: &Place) -> Option<String> {
    let left = room::nearly_none(&place.folder)?;
    let folder = place.folder.parent().unwrap_or(Path::new("/")).display();
    Some(format!("the disk of {folder} has {left} bytes left"))
}

/// The error of a recorder, with the disk where that is why.
pub(crate) fn explained(error: RecordError, place: &Place) -> RecordError {
    match (error, disk(place)) {
        (
            RecordError::Failed {
                recorder,
                said,
                ended,
            },
            Some(disk),
        ) => {
            let output = place.output().display();
            let said = format!("{said}; the disk may be too full for {output}: {disk}");
            RecordError::Failed {
                recorder,
                said,
                ended,
            }
        }
        (error, _) => error,
    }
}

/// Gives what was recorded its name, and checks that it opens. What is missing in it because the disk is full is noted.
pub(crate) fn put(done: &mut Done, place: &Place) -> Result<Vec<PathBuf>, RecordError> {
    let left = disk(place);
    let failed = |said: String| RecordError::Failed {
        recorder: done.by.name(),
        said,
        ended: done.ended,
    };
    let mut paths = Vec::new();
    for from in &done.paths {
        let path = place.put(from, done.by);
        let path = path.map_err(|error| failed(error.to_string()))?;
        if left.is_some() || place::bytes(&path) <= SMALL {
            let is_cut = is_cut(&path).map_err(|reason| {
                let why = left.iter().map(|it| format!("; {it}"));
                let why: String = why.collect();
                failed(format!(
                    "its output is kept in {}, but cannot be opened: {reason}{why}",
                    path.display()
                ))
            })?;
            if let Some(left) = left.as_ref().filter(|_| is_cut) {
                let note = format!(
                    "{} is incomplete, because the disk is full: {left}",
                    path.display()
                );
                done.notes.push(note);
            }
        }
        paths.push(path);
    }
    Ok(paths)
}

/// Whether a recording ends in the middle; an error says why it does not open.
fn is_cut(path: &Path) -> Result<bool, String> {
    let read = import::read_ahead(path, &Progress::new());
    let read = read.map_err(|error| error.to_string())?;
    Ok(read.warnings.iter().any(|it| it.kind == "truncated-file"))
}
