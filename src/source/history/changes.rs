//! Which lines of which files differ between two commits, or a commit and the work tree.
//!
//! The difference of two texts is the histogram one, as git's; ends of lines are no difference. Files that were moved are
//! followed as long as half of their lines are the same.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use imara_diff::{Algorithm, Diff, InternedInput};
use rayon::prelude::*;

use super::change::{Changes, FileChange, Hunk, LeftOut};
use super::contents::{Content, LARGEST, Pair};
use super::git_index::{GitIndex, Kind, Tracked};
use super::record::HistoryError;
use super::renames;
use super::repository::{EntryKind, Found};
use crate::text::SourceText;
use callscape_base::progress::Progress;

/// See [`super::changes`].
pub(super) fn changes(
    dir: &Path,
    good: &str,
    bad: Option<&str>,
    untracked: &[String],
    progress: &Progress,
) -> Result<Changes, HistoryError> {
    let found = Found::new(dir)?;
    let good = found.commit_named(good)?;
    let bad = bad.map(|bad| found.commit_named(bad)).transpose()?;
    progress.start("comparing revisions", 0);
    let mut left_out = LeftOut::default();
    let before = found.tree_of(good);
    let mut pairs = match bad {
        Some(bad) => {
            let mut changes = Vec::new();
            found.compare(
                before,
                found.tree_of(bad),
                &mut String::new(),
                0,
                &mut changes,
            );
            changes.retain(|change| left_out.keeps(change.kind));
            changes.into_iter().map(Pair::of).collect()
        }
        None => found.against_work_tree(before, untracked, &mut left_out, progress)?,
    };
    renames::pair(&found, &mut pairs);
    let mut files = found.texts(pairs, &mut left_out, progress)?;
    files.par_iter_mut().for_each(|file| {
        let [before, after] = &file.texts;
        file.hunks = hunks(before, after);
    });
    files.retain(|file| !file.hunks.is_empty() || file.is_removed);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    progress.check()?;
    let mut paths = Vec::new();
    if let Some(tree) = bad.and_then(|bad| found.tree_of(bad)) {
        found.list(tree, &mut String::new(), 0, &mut |path, _| {
            paths.push(path.to_owned())
        });
    }
    Ok(Changes {
        paths,
        good: found.commit(good),
        bad: bad.map(|bad| found.commit(bad)),
        files,
        left_out,
        is_shallow: found.repository.is_shallow().unwrap_or(false),
    })
}

impl LeftOut {
    fn keeps(&mut self, kind: EntryKind) -> bool {
        match kind {
            EntryKind::File => return true,
            EntryKind::Link => self.links += 1,
            EntryKind::Submodule => self.submodules += 1,
            EntryKind::Tree => {}
        }
        false
    }
}

/// The hunks in which two texts differ, in order. O(n log n) where they are alike, and bounded where they are not.
pub(super) fn hunks(before: &SourceText, after: &SourceText) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    let lines = |text: &'_ SourceText| 1..=text.lines();
    input.update_before(lines(before).map(|it| before.line(it).unwrap_or_default()));
    input.update_after(lines(after).map(|it| after.line(it).unwrap_or_default()));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks = diff.hunks().map(|hunk| Hunk {
        before: hunk.before.start + 1..hunk.before.end + 1,
        after: hunk.after.start + 1..hunk.after.end + 1,
    });
    hunks.collect()
}

/// What the work tree has of a file.
enum InWorkTree {
    Gone,
    /// As git knows it.
    AsTracked,
    Other(Vec<u8>),
    Unreadable,
    TooLarge,
    Link,
}

impl Found {
    /// What differs between a tree and the work tree, with those of the files `untracked` that git does not track.
    fn against_work_tree(
        &self,
        before: Option<ObjectId>,
        untracked: &[String],
        left_out: &mut LeftOut,
        progress: &Progress,
    ) -> Result<Vec<Pair>, HistoryError> {
        let mut old: HashMap<String, ObjectId> = HashMap::new();
        if let Some(before) = before {
            self.list(before, &mut String::new(), 0, &mut |path, id| {
                old.insert(path.to_owned(), id);
            });
        }
        let index = GitIndex::read(&self.repository.git_dir().join("index"));
        let index = index.unwrap_or_default();
        let tracked = self.tracked(&index);
        let top = fs::canonicalize(&self.dir).unwrap_or_else(|_| self.dir.clone());
        let mut pairs = Vec::new();
        let mut skipped: Vec<String> = Vec::new();
        for (path, tracked) in &tracked {
            progress.check()?;
            match tracked.map(|it| it.kind) {
                Some(Kind::Submodule | Kind::Folder) => {
                    skipped.push(format!("{}/", path.trim_end_matches('/')));
                    continue;
                }
                Some(Kind::Link) => continue,
                Some(Kind::File) | None => {}
            }
            let was = old.get(path).copied();
            let is_skipped = tracked.is_some_and(|it| it.is_skipped);
            let now = match is_skipped {
                true => InWorkTree::AsTracked,
                false => in_work_tree(&top.join(path), tracked.map(|it| (&index, it))),
            };
            let now = match now {
                InWorkTree::Gone => None,
                InWorkTree::AsTracked => tracked.map(|it| Content::Object(it.id)),
                InWorkTree::Other(bytes) => Some(as_object(was, bytes)),
                InWorkTree::Unreadable => {
                    left_out.unreadable += 1;
                    continue;
                }
                InWorkTree::TooLarge => {
                    left_out.too_large += 1;
                    continue;
                }
                InWorkTree::Link => {
                    left_out.links += 1;
                    continue;
                }
            };
            let is_same = matches!(&now, Some(Content::Object(id)) if Some(*id) == was);
            if !is_same && (was.is_some() || now.is_some()) {
                pairs.push(Pair {
                    path: path.clone(),
                    was: None,
                    contents: [was.map(Content::Object), now],
                });
            }
        }
        let known: HashSet<&str> = tracked.iter().map(|(path, _)| path.as_str()).collect();
        let is_inside = |path: &str| skipped.iter().any(|folder| path.starts_with(folder));
        let others = untracked.iter().map(String::as_str);
        let removed = old.keys().map(String::as_str);
        let mut more: Vec<&str> = others.chain(removed).collect();
        more.retain(|path| !known.contains(path) && !is_inside(path));
        more.sort_unstable();
        more.dedup();
        for path in more {
            if is_in_other_repository(&top, path) {
                continue;
            }
            let was = old.get(path).copied();
            let now = match in_work_tree(&top.join(path), None) {
                InWorkTree::Other(bytes) => Some(as_object(was, bytes)),
                _ => None,
            };
            let is_same = matches!(&now, Some(Content::Object(_)));
            if !is_same && (was.is_some() || now.is_some()) {
                pairs.push(Pair {
                    path: path.to_owned(),
                    was: None,
                    contents: [was.map(Content::Object), now],
                });
            }
        }
        left_out.submodules += self.changed_submodules(before);
        Ok(pairs)
    }

    /// The files below the directory that git tracks, in order of path; those of the commit at hand where the index cannot
    /// be read, of which nothing else is known.
    fn tracked<'i>(&self, index: &'i GitIndex) -> Vec<(String, Option<&'i Tracked>)> {
        let mut prefix = self.prefix.join(&b'/');
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let inside = index.files.iter().filter_map(|(path, tracked)| {
            let path = path.strip_prefix(prefix.as_slice())?;
            Some((String::from_utf8_lossy(path).into_owned(), Some(tracked)))
        });
        let mut files: Vec<(String, Option<&Tracked>)> = inside.collect();
        if index.files.is_empty()
            && let Some(tree) = self.tree_of(self.head)
        {
            self.list(tree, &mut String::new(), 0, &mut |path, _| {
                files.push((path.to_owned(), None));
            });
        }
        files.sort_by(|a, b| a.0.cmp(&b.0));
        files
    }

    /// How many submodules differ between a tree and that of the commit at hand.
    fn changed_submodules(&self, before: Option<ObjectId>) -> u32 {
        let mut changes = Vec::new();
        let after = self.tree_of(self.head);
        self.compare(before, after, &mut String::new(), 0, &mut changes);
        let submodules = changes.iter();
        let submodules = submodules.filter(|it| it.kind == EntryKind::Submodule);
        submodules.count() as u32
    }

    /// The texts of files that differ.
    fn texts(
        &self,
        pairs: Vec<Pair>,
        left_out: &mut LeftOut,
        progress: &Progress,
    ) -> Result<Vec<FileChange>, HistoryError> {
        let mut files = Vec::with_capacity(pairs.len());
        for pair in pairs {
            progress.check()?;
            let [before, after] = &pair.contents;
            let mut file = FileChange {
                is_added: before.is_none(),
                is_removed: after.is_none(),
                path: pair.path,
                was: pair.was,
                ..FileChange::default()
            };
            let texts = (self.text(before.as_ref()), self.text(after.as_ref()));
            match texts {
                (Ok(before), Ok(after)) => {
                    file.texts = [before, after];
                    files.push(file);
                }
                (Err(why), _) | (_, Err(why)) => match why {
                    NoText::Binary => left_out.binary += 1,
                    NoText::TooLarge => left_out.too_large += 1,
                    NoText::Missing => left_out.unreadable += 1,
                },
            }
        }
        Ok(files)
    }

    fn text(&self, content: Option<&Content>) -> Result<SourceText, NoText> {
        let bytes = match content {
            None => Vec::new(),
            Some(Content::Bytes(bytes)) => bytes.clone(),
            Some(Content::Object(id)) => self.blob(*id, LARGEST).ok_or_else(|| {
                let header = self.repository.find_header(*id);
                let is_large = header.is_ok_and(|it| it.size() > LARGEST);
                if is_large {
                    NoText::TooLarge
                } else {
                    NoText::Missing
                }
            })?,
        };
        SourceText::of(bytes).ok_or(NoText::Binary)
    }
}

enum NoText {
    Binary,
    TooLarge,
    Missing,
}

/// The bytes, or the object that they were before.
fn as_object(was: Option<ObjectId>, bytes: Vec<u8>) -> Content {
    let hash = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &bytes);
    match (was, hash) {
        (Some(was), Ok(hash)) if was == hash => Content::Object(was),
        _ => Content::Bytes(bytes),
    }
}

/// What the work tree has at `path`. Links are not followed, neither at the end of the path nor in it.
fn in_work_tree(path: &Path, tracked: Option<(&GitIndex, &Tracked)>) -> InWorkTree {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return InWorkTree::Gone;
    };
    if metadata.is_symlink() {
        return InWorkTree::Link;
    }
    if !metadata.is_file() {
        return InWorkTree::Gone;
    }
    if let Some((index, tracked)) = tracked
        && index.is_as_tracked(tracked, &metadata)
    {
        return InWorkTree::AsTracked;
    }
    if metadata.len() > LARGEST {
        return InWorkTree::TooLarge;
    }
    let folder = path.parent().unwrap_or(path);
    let is_plain = folder.canonicalize().is_ok_and(|whole| whole == folder);
    if !is_plain {
        return InWorkTree::Gone;
    }
    let Ok(bytes) = fs::read(path) else {
        return InWorkTree::Unreadable;
    };
    match as_object(tracked.map(|(_, it)| it.id), bytes) {
        Content::Object(_) => InWorkTree::AsTracked,
        Content::Bytes(bytes) => InWorkTree::Other(bytes),
    }
}

/// Whether a file lies in a repository inside of this one.
fn is_in_other_repository(top: &Path, path: &str) -> bool {
    let mut folder = PathBuf::from(path);
    while folder.pop() && !folder.as_os_str().is_empty() {
        if top.join(&folder).join(".git").exists() {
            return true;
        }
    }
    false
}
