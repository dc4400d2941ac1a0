//! What the history of a source tree says about its files: how often each was changed, when last, and by whom.

pub mod change;
#[cfg(feature = "git")]
mod changes;
#[cfg(feature = "git")]
mod contents;
mod folder;
#[cfg(feature = "git")]
mod git;
#[cfg(feature = "git")]
mod git_index;
#[cfg(feature = "git")]
mod kept;
#[cfg(feature = "git")]
mod log;
#[cfg(feature = "git")]
mod myers;
#[cfg(feature = "git")]
mod numstat;
#[cfg(feature = "git")]
mod plain;
mod record;
#[cfg(feature = "git")]
mod references;
#[cfg(feature = "git")]
mod renames;
#[cfg(feature = "git")]
mod repository;
#[cfg(feature = "git")]
mod revision;
#[cfg(feature = "git")]
mod timeline;
#[cfg(feature = "git")]
mod touched;
#[cfg(feature = "git")]
mod walk;
#[cfg(feature = "git")]
mod written;

use std::path::{Path, PathBuf};

use change::{Changes, Named, Region, Touched};

use callscape_base::progress::Progress;
use callscape_facts::history::Timeline;
pub use folder::is_repository;
pub use record::{FileHistory, History, HistoryError, MOST_COMMITS, RECENT, Written};

/// What changed when below `dir` up to the revision `tip`, the checked-out commit for none, from the git repository around
/// it. What commits changed is kept in the user's cache directory.
///
/// All parents are followed, and files under earlier names. Lines and renames are those of `git log --numstat -M`, without
/// the attributes of files, which may tell git to take some for binary. Submodules are repositories of their own and left
/// out. Linear in commits and in the bytes of what they change.
#[cfg(feature = "git")]
pub fn timeline(
    dir: &Path,
    tip: Option<&str>,
    progress: &Progress,
) -> Result<Timeline, HistoryError> {
    git::timeline(dir, tip, progress)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn timeline(_: &Path, _: Option<&str>, _: &Progress) -> Result<Timeline, HistoryError> {
    Err(HistoryError::NotBuilt)
}

/// The folder `.git` of the repository around a directory; in a linked work tree and in a submodule, the file that is
/// there instead.
///
/// # Errors
/// If there is none.
pub fn repository_around(dir: &Path) -> Result<PathBuf, NoRepository> {
    // A path such as `.` has no folders around it.
    let whole = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    let mut folders = whole.ancestors().map(|folder| folder.join(".git"));
    let found = folders.find(|git| git.exists());
    let bare = || whole.ancestors().find(|folder| is_repository(folder));
    let found = found.or_else(|| bare().map(Path::to_owned));
    found.ok_or_else(|| NoRepository(dir.to_owned()))
}

/// There is no repository around a directory.
#[derive(Debug, thiserror::Error)]
#[error("neither {} nor a folder around it contains .git or is a bare repository", .0.display())]
pub struct NoRepository(PathBuf);

/// The history of the files below `dir` at the checked-out commit, from its [`timeline`], with that of the submodules in it.
#[cfg(feature = "git")]
pub fn history(dir: &Path, progress: &Progress) -> Result<History, HistoryError> {
    git::history(dir, progress)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn history(_: &Path, _: &Progress) -> Result<History, HistoryError> {
    Err(HistoryError::NotBuilt)
}

/// Revisions that one may mean: the tags of the repository around `dir`, the newest first, then its branches, then the last
/// commits of what is checked out along first parents, `most` of each. O(tags + most).
#[cfg(feature = "git")]
pub fn revisions(dir: &Path, most: usize) -> Result<Vec<Named>, HistoryError> {
    references::revisions(dir, most)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn revisions(_: &Path, _: usize) -> Result<Vec<Named>, HistoryError> {
    Err(HistoryError::NotBuilt)
}

/// What differs of the files below `dir` between the revisions `good` and `bad`, the working tree for none: a branch, a tag,
/// or the id of a commit, with `~2` and `^` behind it. Of the working tree what git does not track counts too where it is
/// among `untracked`, paths below `dir`.
///
/// Only objects and the index of the work tree are read. O(files) where the work tree is compared, and linear in what differs.
#[cfg(feature = "git")]
pub fn changes(
    dir: &Path,
    good: &str,
    bad: Option<&str>,
    untracked: &[String],
    progress: &Progress,
) -> Result<Changes, HistoryError> {
    changes::changes(dir, good, bad, untracked, progress)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn changes(
    _: &Path,
    _: &str,
    _: Option<&str>,
    _: &[String],
    _: &Progress,
) -> Result<Changes, HistoryError> {
    Err(HistoryError::NotBuilt)
}

/// Which commits between the two revisions of `changes` touched the lines of `regions`. Linear in the commits between them
/// and in what these change.
#[cfg(feature = "git")]
pub fn touched(
    dir: &Path,
    changes: &Changes,
    regions: &[Region],
    progress: &Progress,
) -> Result<Touched, HistoryError> {
    touched::touched(dir, changes, regions, progress)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn touched(_: &Path, _: &Changes, _: &[Region], _: &Progress) -> Result<Touched, HistoryError> {
    Err(HistoryError::NotBuilt)
}

/// The tree below `dir` as it was in two revisions, the checked-out commit for an empty name, to be compared like two runs.
///
/// Files are written to the user's cache directory, where those of the last comparisons are kept; nothing is checked out or
/// run. Linear in the files of both, and in the commits back to the first that both have.
#[cfg(feature = "git")]
pub fn written(
    dir: &Path,
    revisions: [&str; 2],
    progress: &Progress,
) -> Result<Written, HistoryError> {
    written::written(dir, revisions, progress)
}

/// The tree below `dir` as it was in one revision; as [`written`], linear in its files.
#[cfg(feature = "git")]
pub fn written_at(
    dir: &Path,
    revision: &str,
    progress: &Progress,
) -> Result<PathBuf, HistoryError> {
    written::written_at(dir, revision, progress)
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn written_at(_: &Path, _: &str, _: &Progress) -> Result<PathBuf, HistoryError> {
    Err(HistoryError::NotBuilt)
}

/// The source tree that one of the trees of [`written`] or [`written_at`] is of.
#[cfg(feature = "git")]
pub fn written_of(dir: &Path) -> Option<PathBuf> {
    written::written_of(dir)
}

/// The commit that a tree of [`written_at`] is of.
#[cfg(feature = "git")]
pub fn written_commit(dir: &Path) -> Option<change::Commit> {
    written::written_commit(dir)
}

/// Always none.
#[cfg(not(feature = "git"))]
pub fn written_commit(_: &Path) -> Option<change::Commit> {
    None
}

/// Always none.
#[cfg(not(feature = "git"))]
pub fn written_of(_: &Path) -> Option<PathBuf> {
    None
}

/// Always [`HistoryError::NotBuilt`].
#[cfg(not(feature = "git"))]
pub fn written(_: &Path, _: [&str; 2], _: &Progress) -> Result<Written, HistoryError> {
    Err(HistoryError::NotBuilt)
}
