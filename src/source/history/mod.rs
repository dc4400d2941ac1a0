//! What the history of a source tree says about its files: how often each was changed, when last, and by whom.

#[cfg(feature = "git")]
mod git;
mod record;

use std::path::Path;

use crate::progress::Progress;
pub use record::{FileHistory, History, HistoryError, MOST_COMMITS, RECENT};

/// The history of the files below `dir`, from the git repository around it; kept in the user's cache directory by
/// the commit at hand, and taken from there the next time.
///
/// The history of the checked-out commit is followed through all parents. Submodules are repositories of their
/// own and left out. Linear in commits and in what they change.
#[cfg(feature = "git")]
pub fn history(dir: &Path, progress: &Progress) -> Result<History, HistoryError> {
    git::history(dir, progress)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn history(_: &Path, _: &Progress) -> Result<History, HistoryError> {
    Err(HistoryError::NotBuilt)
}
