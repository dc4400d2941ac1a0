//! The history of files from the git repository around them. Only objects are read: no configuration, no hook and
//! no program has a say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::record::{FileHistory, History, HistoryError, MOST_COMMITS, RECENT};
use super::repository::{Change, EntryKind, Found};
use callscape_base::files;
use callscape_base::progress::Progress;
use callscape_facts::index::cache_dir;

/// Of the format that histories are kept in.
const VERSION: u32 = 3;

/// Submodules of submodules, and so on, are looked into so deep.
const DEEPEST_SUBMODULE: usize = 8;

/// See [`super::history`].
pub(super) fn history(dir: &Path, progress: &Progress) -> Result<History, HistoryError> {
    with_submodules(dir, 0, progress)
}

/// The history of a directory, with that of the submodules in it that are checked out.
fn with_submodules(dir: &Path, depth: usize, progress: &Progress) -> Result<History, HistoryError> {
    let found = Found::new(dir)?;
    let mut history = own_history(&found, progress)?;
    let mut submodules = Vec::new();
    if let Some(tree) = found.tree_of(found.head) {
        found.submodules(tree, &mut String::new(), 0, &mut submodules);
    }
    for path in submodules {
        let inside = dir.join(&path);
        // What is not checked out has no files here either.
        if depth == DEEPEST_SUBMODULE || !inside.join(".git").exists() {
            continue;
        }
        match with_submodules(&inside, depth + 1, progress) {
            Ok(submodule) => history.add_submodule(&path, submodule),
            Err(HistoryError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => history.unread.push(error.to_string()),
        }
    }
    Ok(history)
}

/// The history of the repository itself.
fn own_history(found: &Found, progress: &Progress) -> Result<History, HistoryError> {
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

impl Found {
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
            self.list(tree, &mut String::new(), 0, &mut |path, _| files.add(path));
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
            changes.retain(|change| change.kind != EntryKind::Submodule);
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
