//! What the commits of a repository changed, as it is kept: by commit, with the paths of that time.

use std::collections::HashMap;

use gix::ObjectId;

/// What a commit did with a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// An index into [`Log::paths`].
    pub path: u32,
    /// The path that the file had before, where it was renamed.
    pub was: Option<u32>,
    pub kind: EntryKind,
    pub added: u32,
    pub removed: u32,
    /// Lines after the commit.
    pub lines: u32,
    /// The first bytes of the id of the version after the commit, 0 where there is none.
    pub version: u32,
    /// One of its versions could not be read.
    pub is_unread: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EntryKind {
    Added,
    #[default]
    Modified,
    Removed,
    /// Of a merge that has another version than its first parent, or of a commit whose parents a shallow clone lacks.
    Taken,
    /// Of a merge that lacks what its first parent has.
    Dropped,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Logged {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub time: i64,
    /// Name and address as they stand in the commit, an index into [`Log::signatures`].
    pub signature: u32,
    pub summary: String,
    /// Its entries, in [`Log::entries`].
    pub entries: std::ops::Range<u32>,
    /// Its parents are not there: nothing is known of what it changed.
    pub is_boundary: bool,
}

/// The commits that are known, in the order in which they became known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    pub paths: Vec<String>,
    pub signatures: Vec<(String, String)>,
    pub commits: Vec<Logged>,
    pub entries: Vec<Entry>,
    /// By merge, an index into `commits`, how it differs from its first parent, of those for which this was asked.
    pub merged: HashMap<u32, Vec<Entry>>,
    by_id: HashMap<ObjectId, u32>,
    by_path: HashMap<String, u32>,
    by_signature: HashMap<(String, String), u32>,
}

impl Log {
    pub(super) fn commit(&self, id: &ObjectId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// The commit `tip` and its first parents, the newest first.
    pub(super) fn main_line(&self, tip: &ObjectId) -> Vec<u32> {
        let mut line = Vec::new();
        let mut next = self.commit(tip);
        while let Some(at) = next {
            line.push(at);
            let commit = &self.commits[at as usize];
            let parent = commit.parents.first().filter(|_| !commit.is_boundary);
            next = parent.and_then(|id| self.commit(id));
        }
        line
    }

    pub(super) fn known_path(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    pub(super) fn entries_of(&self, commit: u32) -> &[Entry] {
        let range = &self.commits[commit as usize].entries;
        &self.entries[range.start as usize..range.end as usize]
    }

    pub(super) fn path(&mut self, path: &str) -> u32 {
        if let Some(known) = self.known_path(path) {
            return known;
        }
        let at = self.paths.len() as u32;
        self.by_path.insert(path.to_owned(), at);
        self.paths.push(path.to_owned());
        at
    }

    pub(super) fn signature(&mut self, signature: (String, String)) -> u32 {
        if let Some(&known) = self.by_signature.get(&signature) {
            return known;
        }
        let at = self.signatures.len() as u32;
        self.by_signature.insert(signature.clone(), at);
        self.signatures.push(signature);
        at
    }

    /// Adds a commit with its entries.
    pub(super) fn push(&mut self, mut commit: Logged, entries: impl IntoIterator<Item = Entry>) {
        let start = self.entries.len() as u32;
        self.entries.extend(entries);
        commit.entries = start..self.entries.len() as u32;
        self.by_id.insert(commit.id, self.commits.len() as u32);
        self.commits.push(commit);
    }
}
