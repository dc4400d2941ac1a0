//! What is known of the history of a source tree: how often each file was changed, when last, and by whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::problem::SourceError;
use callscape_base::progress::Cancelled;
use callscape_facts::history::{Author, Main, Timeline};

/// What is known of one file that is in the commit at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHistory {
    /// Commits that changed it, merges left out, also under earlier names.
    pub changes: u32,
    /// Those of them in the year before the commit at hand.
    pub recent_changes: u32,
    /// When the newest of them was committed, in seconds since 1970.
    pub last_change: i64,
    /// Those of them whose summaries speak of a fault, see [`callscape_facts::history::Commit::is_fix`].
    pub fixes: u32,
    /// Lines added and removed in the recent ones.
    pub recent_lines: u64,
    /// Who wrote them, as indices into [`History::authors`], in rising order.
    pub authors: Vec<u32>,
    /// Who wrote most of them, see [`Main`].
    pub main_author: Option<u32>,
    /// Lines of the file after the commit at hand; of submodules 0.
    pub lines: u32,
}

/// The history of the files below a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// When the commit at hand was committed, in seconds since 1970.
    pub head_time: i64,
    /// By path relative to the directory, with `/`.
    pub files: BTreeMap<String, FileHistory>,
    /// In order of first appearance from the oldest commit on.
    pub authors: Vec<Author>,
    /// The same as indices, those with most changes of files first; of submodules none.
    pub people: Vec<u32>,
    /// What it was found in, without submodules.
    pub timeline: Arc<Timeline>,
    /// How many commits were looked at.
    pub commits: u64,
    /// The clone is shallow: there is more history elsewhere.
    pub is_shallow: bool,
    /// There are older commits than the [`MOST_COMMITS`] looked at.
    pub is_cut_off: bool,
    /// Why the histories of submodules are missing.
    pub unread: Vec<String>,
}

impl History {
    /// What is known of each file that is there after the last commit. Linear in the changes.
    pub fn of(timeline: &Arc<Timeline>) -> History {
        let head_time = timeline.commits.last().map_or(0, |head| head.time);
        History::at(timeline, timeline.commits.len() as u32, head_time)
    }

    /// The numbers of each file that exists after the first `commits` commits, by its last path; files with the same last path
    /// are added up. `now` ends the year in which changes are recent, in seconds since 1970. Linear in
    /// the changes.
    pub fn at(timeline: &Arc<Timeline>, commits: u32, now: i64) -> History {
        let since = now.saturating_sub(RECENT);
        let mut found: BTreeMap<&str, (FileHistory, BTreeSet<u32>, Main)> = BTreeMap::new();
        for (at, file) in (0..).zip(&timeline.files) {
            let Some(lines) = timeline.state(at, commits).lines else {
                continue;
            };
            let (of, authors, main) = found.entry(&file.path).or_default();
            of.lines = of.lines.saturating_add(lines);
            let changes = timeline.changes_of(at);
            let changes = changes.take_while(|it| it.commit < commits);
            for change in changes.filter(|it| it.is_counted()) {
                let commit = &timeline.commits[change.commit as usize];
                let is_recent = commit.time > since;
                of.changes += 1;
                of.recent_changes += u32::from(is_recent);
                of.fixes += u32::from(commit.is_fix());
                of.recent_lines += if is_recent { change.touched() } else { 0 };
                of.last_change = of.last_change.max(commit.time);
                authors.insert(commit.author);
                main.add(commit.author, change.touched());
            }
        }
        let files = found.into_iter().map(|(path, (mut of, authors, main))| {
            of.authors = authors.into_iter().collect();
            of.main_author = main.author();
            (path.to_owned(), of)
        });
        History {
            head_time: now,
            files: files.collect(),
            authors: timeline.authors.clone(),
            people: timeline.people(),
            timeline: Arc::clone(timeline),
            commits: commits.into(),
            is_shallow: timeline.missing.is_shallow || timeline.missing.commits > 0,
            is_cut_off: timeline.missing.is_cut_off,
            unread: Vec::new(),
        }
    }

    /// Adds the history of a submodule at `path`.
    #[cfg(feature = "git")]
    pub(super) fn add_submodule(&mut self, path: &str, of: History) {
        let authors = of.authors.into_iter().map(|author| {
            let known = self.authors.iter().position(|it| *it == author);
            let at = known.unwrap_or(self.authors.len());
            if at == self.authors.len() {
                self.authors.push(author);
            }
            at as u32
        });
        let authors: Vec<u32> = authors.collect();
        for (file, mut history) in of.files {
            let numbers = history.authors.iter();
            let numbers = numbers.filter_map(|&author| authors.get(author as usize).copied());
            history.authors = numbers.collect();
            history.authors.sort_unstable();
            let main = history.main_author;
            history.main_author = main.and_then(|it| authors.get(it as usize).copied());
            self.files.insert(format!("{path}/{file}"), history);
        }
        self.commits += of.commits;
        self.is_shallow |= of.is_shallow;
        self.is_cut_off |= of.is_cut_off;
        self.unread.extend(of.unread);
    }

    /// What is not known, each a sentence.
    pub fn limits(&self) -> Vec<String> {
        let mut limits = Vec::new();
        if self.is_shallow {
            let remedy = "`git fetch --unshallow` brings them";
            limits.push(format!(
                "the clone is shallow: older changes are not known; {remedy}"
            ));
        }
        if self.is_cut_off {
            limits.push(format!(
                "only the {MOST_COMMITS} newest commits are looked at"
            ));
        }
        limits.extend(self.unread.iter().cloned());
        limits
    }
}

/// Two revisions of a source tree, the earlier first, in the user's cache directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The files of each.
    pub source_dirs: [PathBuf; 2],
    /// A recording of each: what its functions count in lines and in complexity.
    pub recordings: [PathBuf; 2],
}

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{0} is not in a git repository")]
    NoRepository(PathBuf),
    #[error("the git repository of {0} has no commit yet")]
    NoCommit(PathBuf),
    #[error("{path}: the git repository has no files to read")]
    NoFiles { path: PathBuf },
    #[error("{path}: the git repository could not be read: {reason}")]
    Unreadable { path: PathBuf, reason: String },
    #[error("{path}: no commit is named '{revision}': expected a branch, a tag or a commit ID")]
    Unknown { path: PathBuf, revision: String },
    #[error(
        "{path}: no commit is named '{revision}'; the clone is shallow, and `git fetch --unshallow` fetches the rest \
         of the history"
    )]
    UnknownInShallow { path: PathBuf, revision: String },
    #[error("the revision '{revision}' is ambiguous: give one of {candidates} in full")]
    Ambiguous {
        revision: String,
        candidates: String,
    },
    #[error(
        "the revision '{0}' has an unsupported form: expected a branch, a tag or a commit ID, followed by ~2 or ^ for \
         its ancestors"
    )]
    RevisionForm(String),
    #[error("{path}: expected two different revisions, found {} and {}, which are both the commit {commit}", revisions[0], revisions[1])]
    SameCommit {
        path: PathBuf,
        revisions: [String; 2],
        commit: String,
    },
    #[error("{path}: expected two revisions of one history, found {} and {}, which have no commit in common", revisions[0], revisions[1])]
    Unrelated {
        path: PathBuf,
        revisions: [String; 2],
    },
    #[error("{path}: expected a folder of the revision '{revision}', found none at this path")]
    NotThere { path: PathBuf, revision: String },
    #[error("{path}: the files of a revision could not be written: {reason}")]
    Unwritten { path: PathBuf, reason: String },
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("this build of Callscape cannot read git repositories: the feature `git` is off")]
    NotBuilt,
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How long before the commit at hand a change is recent, in seconds.
pub const RECENT: i64 = 365 * 86_400;

/// Older commits of a longer history are not looked at.
pub const MOST_COMMITS: u64 = 500_000;
