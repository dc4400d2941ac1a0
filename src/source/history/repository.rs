//! The repository around a directory, of which only objects are read: no configuration, no hook, no filter and no program
//! has a say.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::objs::TreeRefIter;
use gix::objs::tree::{EntryMode, EntryRef};

use super::folder::is_repository;
use super::plain::{not_plain, not_read};
use super::record::HistoryError;

/// Trees nested deeper are not looked into.
pub(super) const DEEPEST: usize = 500;

/// Memory of each thread for trees and commits that are met again and again, in bytes.
pub(super) const OBJECT_CACHE: usize = 64 << 20;

/// A repository and the directory in it.
pub(super) struct Found {
    pub dir: PathBuf,
    pub repository: gix::Repository,
    pub head: ObjectId,
    /// From the top of the work tree to the directory.
    pub prefix: Vec<Vec<u8>>,
}

impl Found {
    pub(super) fn new(dir: &Path) -> Result<Found, HistoryError> {
        let none = || HistoryError::NoRepository(dir.to_path_buf());
        let whole = std::fs::canonicalize(dir).map_err(|_| none())?;
        if let Some(found) = not_plain(&whole) {
            return Err(HistoryError::Unreadable {
                path: dir.to_path_buf(),
                reason: format!("{} is not a plain file", found.display()),
            });
        }
        let reason = not_read(&whole).map(|reason| HistoryError::Unreadable {
            path: dir.to_path_buf(),
            reason: reason.to_owned(),
        });
        if let Some(reason) = reason {
            return Err(reason);
        }
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
        if !is_repository(repository.common_dir()) {
            return Err(none());
        }
        // A bare repository has no work tree: its folder stands for it.
        let git = repository.git_dir();
        let top = match repository.workdir() {
            Some(top) => top,
            None if git.ends_with(".git") => git.parent().ok_or_else(none)?,
            None => git,
        };
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

    pub(super) fn unreadable(&self, error: impl std::fmt::Display) -> HistoryError {
        HistoryError::Unreadable {
            path: self.dir.clone(),
            reason: error.to_string(),
        }
    }

    /// The tree of the directory in a commit; none where it was not there yet.
    pub(super) fn tree_of(&self, commit: ObjectId) -> Option<ObjectId> {
        let commit = self.repository.find_commit(commit).ok()?;
        let mut tree = commit.tree_id().ok()?.detach();
        for name in &self.prefix {
            let entries = self.entries(Some(tree));
            let found = entries
                .iter()
                .find(|entry| entry.kind == EntryKind::Tree && entry.name == *name);
            tree = found?.id;
        }
        Some(tree)
    }

    /// What stands in a tree, in its order; nothing where it cannot be read.
    pub(super) fn entries(&self, tree: Option<ObjectId>) -> Vec<Entry> {
        let tree = tree.and_then(|tree| self.repository.find_tree(tree).ok());
        let Some(tree) = tree else {
            return Vec::new();
        };
        let entries = tree.iter().filter_map(Result::ok);
        entries
            .map(|entry| Entry {
                name: entry.filename().to_vec(),
                id: entry.oid().to_owned(),
                kind: EntryKind::of(entry.mode()),
            })
            .collect()
    }

    /// Hands each file of a tree to `visit` with its path, those of links and submodules left out.
    pub(super) fn list(
        &self,
        tree: ObjectId,
        path: &mut String,
        depth: usize,
        visit: &mut impl FnMut(&str, ObjectId),
    ) {
        if depth > DEEPEST {
            return;
        }
        let length = path.len();
        for entry in self.entries(Some(tree)) {
            push_name(path, &entry.name);
            match entry.kind {
                EntryKind::Tree => self.list(entry.id, path, depth + 1, visit),
                EntryKind::File | EntryKind::Link => visit(path, entry.id),
                EntryKind::Submodule => {}
            }
            path.truncate(length);
        }
    }

    /// The paths of the submodules below a tree.
    pub(super) fn submodules(
        &self,
        tree: ObjectId,
        path: &mut String,
        depth: usize,
        found: &mut Vec<String>,
    ) {
        if depth > DEEPEST {
            return;
        }
        let length = path.len();
        for entry in self.entries(Some(tree)) {
            push_name(path, &entry.name);
            match entry.kind {
                EntryKind::Tree => self.submodules(entry.id, path, depth + 1, found),
                EntryKind::Submodule => found.push(path.clone()),
                EntryKind::File | EntryKind::Link => {}
            }
            path.truncate(length);
        }
    }

    /// The bytes of a file; none where it is not there or larger than `most`.
    pub(super) fn blob(&self, id: ObjectId, most: u64) -> Option<Vec<u8>> {
        let header = self.repository.find_header(id).ok()?;
        let is_file = header.kind() == gix::objs::Kind::Blob && header.size() <= most;
        let mut blob = self.repository.find_blob(id).ok().filter(|_| is_file)?;
        Some(blob.take_data())
    }

    /// Lists what differs between two trees, without looking into what is the same.
    pub(super) fn compare(
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
        let trees = [before, after].map(|id| self.repository.find_tree(id?).ok());
        let entries = trees.each_ref().map(|tree| {
            let tree = tree.as_ref().map_or(&[][..], |tree| tree.data.as_slice());
            let entries = TreeRefIter::from_bytes(tree, self.repository.object_hash());
            entries.filter_map(Result::ok)
        });
        let [mut old, mut new] = entries.map(Iterator::peekable);
        let length = path.len();
        loop {
            // In git's order: a tree as if its name ended with a slash.
            let order = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.cmp(new),
            };
            let old = old.next_if(|_| order != Ordering::Greater);
            let new = new.next_if(|_| order != Ordering::Less);
            if old == new {
                continue;
            }
            let Some(named) = old.or(new) else { break };
            push_name(path, named.filename);
            let id = |entry: Option<EntryRef>| entry.map(|it| it.oid.to_owned());
            let mut change = |old: Option<EntryRef>, new: Option<EntryRef>| {
                let kind = EntryKind::of(new.or(old).unwrap_or(named).mode);
                changes.push(Change {
                    path: path.clone(),
                    before: id(old),
                    after: id(new),
                    kind,
                });
            };
            let is_module = |entry: Option<EntryRef>| entry.map(|it| it.mode.is_commit());
            match (is_module(old), is_module(new)) {
                _ if named.mode.is_tree() => {
                    self.compare(id(old), id(new), path, depth + 1, changes);
                }
                // A submodule replaces a file, or the reverse: the old entry is removed, and the new one added.
                (Some(was), Some(is)) if was != is => {
                    change(old, None);
                    change(None, new);
                }
                _ => change(old, new),
            }
            path.truncate(length);
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: Vec<u8>,
    pub id: ObjectId,
    pub kind: EntryKind,
}

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Tree,
    File,
    /// A symbolic link: its contents are the path that it leads to.
    Link,
    /// A commit of another repository.
    Submodule,
}

impl EntryKind {
    fn of(mode: EntryMode) -> EntryKind {
        match mode {
            mode if mode.is_tree() => EntryKind::Tree,
            mode if mode.is_commit() => EntryKind::Submodule,
            mode if mode.is_link() => EntryKind::Link,
            _ => EntryKind::File,
        }
    }
}

/// A file that a commit has changed, or made executable or not: its contents before and after.
#[derive(Clone)]
pub(super) struct Change {
    pub path: String,
    pub before: Option<ObjectId>,
    pub after: Option<ObjectId>,
    pub kind: EntryKind,
}

pub(super) fn push_name(path: &mut String, name: &[u8]) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(&String::from_utf8_lossy(name));
}
