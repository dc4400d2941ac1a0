//! The history of files from the git repository around them. Only objects are read: no configuration, no hook and
//! no program has a say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::record::{FileHistory, History, HistoryError, MOST_COMMITS, RECENT};
use crate::facts::index::cache_dir;
use crate::files;
use crate::progress::Progress;

/// Trees nested deeper are not looked into.
const DEEPEST: usize = 500;

/// Memory for trees and commits that are met again and again, in bytes.
const OBJECT_CACHE: usize = 64 << 20;

/// Of the format that histories are kept in.
const VERSION: u32 = 3;

/// See [`super::history`].
pub fn history(dir: &Path, progress: &Progress) -> Result<History, HistoryError> {
    let found = Found::new(dir)?;
    let kept = found.kept_at();
    if let Some(history) = kept.as_deref().and_then(|path| found.kept(path)) {
        return Ok(history);
    }
    let history = found.walk(progress)?;
    if let Some(path) = kept {
        // Without a cache it takes as long again the next time.
        let _ = keep(&path, &history);
    }
    Ok(history)
}

/// A repository and the directory in it.
struct Found {
    dir: PathBuf,
    repository: gix::Repository,
    head: ObjectId,
    /// From the top of the work tree to the directory.
    prefix: Vec<Vec<u8>>,
}

impl Found {
    fn new(dir: &Path) -> Result<Found, HistoryError> {
        let none = || HistoryError::NoRepository(dir.to_path_buf());
        let whole = std::fs::canonicalize(dir).map_err(|_| none())?;
        // Neither the user's configuration nor the environment has a say: only objects are read.
        let options = gix::open::Options::isolated();
        let trust = gix::sec::trust::Mapping {
            full: options.clone(),
            reduced: options,
        };
        let repository =
            gix::ThreadSafeRepository::discover_opts(&whole, Default::default(), trust)
                .map_err(|_| none())?;
        let mut repository = repository.to_thread_local();
        repository.object_cache_size(OBJECT_CACHE);
        let top = repository.workdir().ok_or_else(none)?;
        let top = std::fs::canonicalize(top).map_err(|_| none())?;
        let inside = whole.strip_prefix(&top).map_err(|_| none())?;
        let prefix = inside
            .iter()
            .map(|name| name.as_encoded_bytes().to_vec())
            .collect();
        let head = repository.head_id().map(|id| id.detach());
        Ok(Found {
            dir: dir.to_path_buf(),
            head: head.map_err(|_| HistoryError::NoCommit(dir.to_path_buf()))?,
            prefix,
            repository,
        })
    }

    fn unreadable(&self, error: impl std::fmt::Display) -> HistoryError {
        HistoryError::Unreadable {
            path: self.dir.clone(),
            reason: error.to_string(),
        }
    }

    /// Where this history is kept: by commit and by directory within the work tree.
    fn kept_at(&self) -> Option<PathBuf> {
        let prefix = self.prefix.join(&b'/');
        let name = format!("{}-{:08x}.json", self.head, crc32fast::hash(&prefix));
        let folder = cache_dir()?.join("history");
        Some(folder.join(name))
    }

    fn kept(&self, path: &Path) -> Option<History> {
        let bytes = std::fs::read(path).ok()?;
        let history: History = serde_json::from_slice(&bytes).ok()?;
        let authors = history.authors.len() as u64;
        let is_sound = history.version == VERSION
            && self.head == *history.head
            && history.is_shallow == self.repository.is_shallow().unwrap_or(false)
            && history.files.values().all(|file| {
                file.authors
                    .iter()
                    .all(|&author| u64::from(author) < authors)
            });
        is_sound.then_some(history)
    }

    fn walk(&self, progress: &Progress) -> Result<History, HistoryError> {
        progress.start("reading the history", 0);
        let mut files = Files::default();
        if let Some(tree) = self.tree_of(self.head) {
            self.list(tree, &mut String::new(), 0, &mut files);
        }
        if files.histories.is_empty() {
            return Err(HistoryError::NoFiles {
                path: self.dir.clone(),
            });
        }
        let shallow: HashSet<ObjectId> = match self.repository.shallow_commits() {
            Ok(Some(commits)) => commits.iter().copied().collect(),
            _ => HashSet::new(),
        };
        let mut history = History {
            version: VERSION,
            head: self.head.to_string(),
            is_shallow: !shallow.is_empty(),
            ..History::default()
        };
        let mut authors: HashMap<String, u32> = HashMap::new();
        let newest_first = gix::revision::walk::Sorting::ByCommitTime(
            gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
        );
        let walk = self.repository.rev_walk([self.head]).sorting(newest_first);
        let walk = walk.all().map_err(|error| self.unreadable(error))?;
        let mut changes = Vec::new();
        for commit in walk {
            progress.add(1)?;
            // Objects are missing: what is known so far is what can be known.
            let Ok(commit) = commit else {
                history.is_shallow = true;
                continue;
            };
            if history.commits == MOST_COMMITS {
                history.is_cut_off = true;
                break;
            }
            history.commits += 1;
            let Ok(object) = commit.object() else {
                continue;
            };
            let time = object.time().map_or(0, |time| time.seconds);
            if commit.id == self.head {
                history.head_time = time;
            }
            // What a merge changes, the commits that it merges have changed. Before the first commits of a shallow
            // clone nothing is known.
            if commit.parent_ids.len() > 1 || shallow.contains(&commit.id) {
                continue;
            }
            let after = self.tree_of(commit.id);
            let before = commit.parent_ids.first().and_then(|&id| self.tree_of(id));
            changes.clear();
            self.compare(before, after, &mut String::new(), 0, &mut changes);
            if changes.is_empty() {
                continue;
            }
            let author = match object.author() {
                Ok(author) if !author.email.is_empty() => author.email.to_string().to_lowercase(),
                Ok(author) => author.name.to_string(),
                Err(_) => String::new(),
            };
            let next = authors.len() as u32;
            let author = *authors.entry(author.clone()).or_insert_with(|| {
                history.authors.push(author);
                next
            });
            // The commit at hand is the first that is looked at.
            let is_recent = time > history.head_time.saturating_sub(RECENT);
            files.count(&changes, time, is_recent, author);
        }
        history.files = files.into_histories();
        Ok(history)
    }

    /// The tree of the directory in a commit; none where it was not there yet.
    fn tree_of(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repository.find_commit(commit).ok()?;
        let mut tree = commit.tree_id().ok()?.detach();
        for name in &self.prefix {
            let entries = self.entries(Some(tree));
            let found = entries
                .iter()
                .find(|entry| entry.is_tree && entry.name == *name);
            tree = found?.id;
        }
        Some(tree)
    }

    /// What stands in a tree, in its order; nothing where it cannot be read.
    fn entries(&self, tree: Option<ObjectId>) -> Vec<Entry> {
        let tree = tree.and_then(|tree| self.repository.find_tree(tree).ok());
        let Some(tree) = tree else {
            return Vec::new();
        };
        let entries = tree.iter().filter_map(Result::ok);
        let entries = entries.filter(|entry| !entry.mode().is_commit());
        entries
            .map(|entry| Entry {
                name: entry.filename().to_vec(),
                id: entry.oid().to_owned(),
                is_tree: entry.mode().is_tree(),
            })
            .collect()
    }

    /// Lists the files of a tree.
    fn list(&self, tree: ObjectId, path: &mut String, depth: usize, files: &mut Files) {
        if depth > DEEPEST {
            return;
        }
        let length = path.len();
        for entry in self.entries(Some(tree)) {
            push_name(path, &entry.name);
            if entry.is_tree {
                self.list(entry.id, path, depth + 1, files);
            } else {
                files.add(path);
            }
            path.truncate(length);
        }
    }

    /// Lists what differs between two trees, without looking into what is the same.
    fn compare(
        &self,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
        path: &mut String,
        depth: usize,
        changes: &mut Vec<Change>,
    ) {
        if before == after || depth > DEEPEST {
            return;
        }
        let mut old: HashMap<Vec<u8>, Entry> = HashMap::new();
        for entry in self.entries(before) {
            old.insert(entry.name.clone(), entry);
        }
        let length = path.len();
        let mut differ = |path: &mut String, old: Option<&Entry>, new: Option<&Entry>| {
            let tree = |entry: Option<&Entry>| entry.filter(|it| it.is_tree).map(|it| it.id);
            let file = |entry: Option<&Entry>| entry.filter(|it| !it.is_tree).map(|it| it.id);
            self.compare(tree(old), tree(new), path, depth + 1, changes);
            if file(old) != file(new) {
                changes.push(Change {
                    path: path.clone(),
                    before: file(old),
                    after: file(new),
                });
            }
        };
        for new in self.entries(after) {
            let old = old.remove(&new.name);
            if old.as_ref() == Some(&new) {
                continue;
            }
            push_name(path, &new.name);
            differ(path, old.as_ref(), Some(&new));
            path.truncate(length);
        }
        let mut gone: Vec<Entry> = old.into_values().collect();
        gone.sort_by(|a, b| a.name.cmp(&b.name));
        for old in gone {
            push_name(path, &old.name);
            differ(path, Some(&old), None);
            path.truncate(length);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: Vec<u8>,
    id: ObjectId,
    is_tree: bool,
}

/// A file that a commit has changed: its contents before and after.
struct Change {
    path: String,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
}

fn push_name(path: &mut String, name: &[u8]) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(&String::from_utf8_lossy(name));
}

/// The files of the commit at hand, while the history is gone through from new to old.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    histories: Vec<FileHistory>,
    authors: Vec<BTreeSet<u32>>,
    /// By the path that a file has at the point reached.
    at: HashMap<String, usize>,
}

impl Files {
    fn add(&mut self, path: &str) {
        self.at.insert(path.to_owned(), self.names.len());
        self.names.push(path.to_owned());
        self.histories.push(FileHistory::default());
        self.authors.push(BTreeSet::new());
    }

    fn count(&mut self, changes: &[Change], time: i64, is_recent: bool, author: u32) {
        let gone = changes.iter().filter(|change| change.after.is_none());
        let mut gone: HashMap<ObjectId, &str> = gone
            .filter_map(|change| Some((change.before?, change.path.as_str())))
            .collect();
        let mut moved: Vec<(&str, &str, usize)> = Vec::new();
        for change in changes {
            let Some(&file) = self.at.get(&change.path) else {
                continue;
            };
            let history = &mut self.histories[file];
            history.changes = history.changes.saturating_add(1);
            let recent = history.recent_changes;
            history.recent_changes = recent.saturating_add(u32::from(is_recent));
            history.last_change = history.last_change.max(time);
            self.authors[file].insert(author);
            // What has come and has the contents of what has gone was moved: before, it had another name.
            if change.before.is_none()
                && let Some(earlier) = change.after.and_then(|id| gone.remove(&id))
            {
                moved.push((&change.path, earlier, file));
            }
        }
        // Only now: that the old name has gone is no change of its own.
        for (path, _, _) in &moved {
            self.at.remove(*path);
        }
        for (_, earlier, file) in moved {
            self.at.entry(earlier.to_owned()).or_insert(file);
        }
    }

    fn into_histories(self) -> BTreeMap<String, FileHistory> {
        let files = self.names.into_iter().zip(self.histories).zip(self.authors);
        files
            .map(|((name, history), authors)| {
                let authors = authors.into_iter().collect();
                (name, FileHistory { authors, ..history })
            })
            .collect()
    }
}

fn keep(path: &Path, history: &History) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    files::write(path, &serde_json::to_vec(history)?)
}
