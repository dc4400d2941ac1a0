//! The recordings that this process has open: whoever opens one of them again shares it, and nothing is read twice.
//!
//! A recording is known by its path and its fingerprint, so that one which has changed since is read. None stays here once
//! nobody has it, but for those that were read ahead of whoever opens them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use callscape_facts::recording::Recording;

struct Known {
    path: PathBuf,
    fingerprint: u64,
    recording: Weak<Recording>,
    /// The same, until it is opened.
    ahead: Option<Arc<Recording>>,
    /// What reading it took, where nobody has thought of an index yet.
    took: Option<Duration>,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The paths of what was read, and not opened from an index.
static READ: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// As many paths are kept.
const MOST_READ: usize = 4096;

/// Nothing is left half done by a thread that panics.
fn locked<T>(of: &'static Mutex<T>) -> MutexGuard<'static, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The recording that is open from this path, and what reading it took where nobody has thought of an index yet.
pub(crate) fn find(path: &Path, fingerprint: u64) -> Option<(Arc<Recording>, Option<Duration>)> {
    let mut known = locked(&KNOWN);
    known.retain(|it| it.recording.strong_count() > 0);
    let mut found = known.iter_mut();
    let found = found.find(|it| it.fingerprint == fingerprint && it.path == path)?;
    let recording = found.recording.upgrade()?;
    found.ahead = None;
    // What is damaged is opened anew, for its index may be sound by now.
    let is_whole = recording.damage().is_none();
    is_whole.then(|| (recording, found.took.take()))
}

/// Shares a recording with whoever opens it from now on.
pub(crate) fn share(
    recording: Recording,
    path: &Path,
    fingerprint: u64,
    took: Option<Duration>,
) -> Arc<Recording> {
    let recording = Arc::new(recording);
    let mut known = locked(&KNOWN);
    known.retain(|it| it.path != path && it.recording.strong_count() > 0);
    known.push(Known {
        path: path.to_owned(),
        fingerprint,
        recording: Arc::downgrade(&recording),
        ahead: None,
        took,
    });
    recording
}

/// Keeps a recording until it is opened again, although nobody has it in between.
pub fn hold(recording: &Arc<Recording>) {
    let mut known = locked(&KNOWN);
    let mut known = known.iter_mut();
    if let Some(known) = known.find(|it| it.recording.as_ptr() == Arc::as_ptr(recording)) {
        known.ahead = Some(Arc::clone(recording));
    }
}

/// Notes that a recording is read.
pub(crate) fn note_read(path: &Path) {
    let mut read = locked(&READ);
    if read.len() == MOST_READ {
        read.remove(0);
    }
    read.push(path.to_owned());
}

/// How often this process has read the recording at `path`: not opened it from an index, nor shared it. For tests.
pub fn reads(path: &Path) -> usize {
    locked(&READ).iter().filter(|it| *it == path).count()
}
