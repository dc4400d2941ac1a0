//! The repository around a directory, of which only objects are read: no configuration, no hook, no filter and no program
//! has a say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::plain::{not_plain, not_read};
use super::record::HistoryError;

/// Trees nested deeper are not looked into.
pub(super) const DEEPEST: usize = 500;

/// Memory for trees and commits that are met again and again, in bytes.
const OBJECT_CACHE: usize = 64 << 20;

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
                kind: match entry.mode() {
                    mode if mode.is_tree() => EntryKind::Tree,
                    mode if mode.is_commit() => EntryKind::Submodule,
                    mode if mode.is_link() => EntryKind::Link,
                    _ => EntryKind::File,
                },
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
        let mut old: HashMap<Vec<u8>, Entry> = HashMap::new();
        for entry in self.entries(before) {
            old.insert(entry.name.clone(), entry);
        }
        let length = path.len();
        let mut differ = |path: &mut String, old: Option<&Entry>, new: Option<&Entry>| {
            let is_tree = |entry: &&Entry| entry.kind == EntryKind::Tree;
            let tree = |entry: Option<&Entry>| entry.filter(is_tree).map(|it| it.id);
            let file = |entry: Option<&Entry>| entry.filter(|it| !is_tree(it)).map(|it| it.id);
            let kind = |entry: Option<&Entry>| entry.filter(|it| !is_tree(it)).map(|it| it.kind);
            self.compare(tree(old), tree(new), path, depth + 1, changes);
            if file(old) != file(new) {
                changes.push(Change {
                    path: path.clone(),
                    before: file(old),
                    after: file(new),
                    kind: kind(new).or(kind(old)).unwrap_or(EntryKind::File),
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

/// A file that a commit has changed: its contents before and after.
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
