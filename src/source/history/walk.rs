//! Fills the log with the commits that it lacks.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::ObjectId;
use rayon::prelude::*;

use super::contents::Content;
use super::log::{Entry, EntryKind, Log, Logged};
use super::numstat::{self, Counted};
use super::record::{HistoryError, MOST_COMMITS};
use super::renames::{self, Side};
use super::repository::{Change, EntryKind as Stored, Found, OBJECT_CACHE};
use callscape_base::progress::Progress;

/// The lines of larger files are not counted, in bytes.
const LARGEST: u64 = 128 << 20;

/// Commits that are compared before what they changed is put into the log.
const AT_ONCE: usize = 4096;

/// What a walk met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Walked {
    pub added: u32,
    /// Commits whose objects are missing or damaged.
    pub unreadable: u32,
    pub is_cut_off: bool,
}

/// A change of a path, before paths have numbers.
struct Raw {
    path: String,
    was: Option<String>,
    kind: EntryKind,
    after: Option<ObjectId>,
    counted: Counted,
}

impl Found {
    /// Adds what commit `tip` and those before it changed, but for commits that `log` has. Linear in the commits and in the
    /// bytes of the files they change.
    pub(super) fn add_to(
        &self,
        log: &mut Log,
        tip: ObjectId,
        progress: &Progress,
    ) -> Result<Walked, HistoryError> {
        let mut walked = Walked::default();
        let commits = self.unknown_commits(log, tip, &mut walked, progress)?;
        walked.added = commits.len() as u32;
        progress.start("reading the history", commits.len() as u64);
        for part in commits.chunks(AT_ONCE) {
            let changes = part
                .par_iter()
                .map_init(self.on_threads(), |found, (commit, _)| {
                    progress.add(1)?;
                    Ok(found.changes_of(commit))
                });
            let changes: Result<Vec<Vec<Raw>>, HistoryError> = changes.collect();
            for ((commit, signature), raw) in part.iter().zip(changes?) {
                let mut commit = commit.clone();
                commit.signature = log.signature(signature.clone());
                let entries: Vec<Entry> = raw.into_iter().map(|raw| entry(log, raw)).collect();
                log.push(commit, entries);
            }
        }
        Ok(walked)
    }

    /// Makes the same for each thread.
    fn on_threads(&self) -> impl Fn() -> Found + Sync {
        let shared = self.repository.clone().into_sync();
        let (dir, head, prefix) = (self.dir.clone(), self.head, self.prefix.clone());
        move || {
            let mut repository = shared.to_thread_local();
            repository.object_cache_size(OBJECT_CACHE);
            Found {
                dir: dir.clone(),
                repository,
                head,
                prefix: prefix.clone(),
            }
        }
    }

    /// The commits that are not in the log, the newest first, with the name and address of their authors.
    #[expect(clippy::type_complexity, reason = "a pair that lives for one call")]
    fn unknown_commits(
        &self,
        log: &Log,
        tip: ObjectId,
        walked: &mut Walked,
        progress: &Progress,
    ) -> Result<Vec<(Logged, (String, String))>, HistoryError> {
        progress.start("reading commits", 0);
        let shallow: HashSet<ObjectId> = match self.repository.shallow_commits() {
            Ok(Some(commits)) => commits.iter().copied().collect(),
            _ => HashSet::new(),
        };
        let mut met: HashSet<ObjectId> = HashSet::from([tip]);
        // By time, and by the order in which they are met.
        let mut next: BinaryHeap<(i64, Reverse<u32>, ObjectId)> =
            BinaryHeap::from([(i64::MAX, Reverse(0), tip)]);
        let mut commits = Vec::new();
        let mut count = 0;
        while let Some((_, _, id)) = next.pop() {
            progress.add(1)?;
            if count == MOST_COMMITS {
                walked.is_cut_off = true;
                break;
            }
            count += 1;
            let known = log.commit(&id).map(|at| &log.commits[at as usize]);
            let read = known.is_none().then(|| self.logged(id)).flatten();
            let Some(commit) = known.or(read.as_ref().map(|it| &it.0)) else {
                walked.unreadable += 1;
                continue;
            };
            let is_boundary = shallow.contains(&id);
            for &parent in commit.parents.iter().filter(|_| !is_boundary) {
                if met.insert(parent) {
                    let known = log.commit(&parent).map(|at| log.commits[at as usize].time);
                    let read = || {
                        Some(
                            self.repository
                                .find_commit(parent)
                                .ok()?
                                .time()
                                .ok()?
                                .seconds,
                        )
                    };
                    let time = known.or_else(read).unwrap_or(0);
                    next.push((time, Reverse(met.len() as u32), parent));
                }
            }
            if let Some((mut commit, signature)) = read {
                commit.is_boundary = is_boundary;
                commits.push((commit, signature));
            }
        }
        Ok(commits)
    }

    /// A commit, and the name and address of its author; none where it cannot be read.
    fn logged(&self, id: ObjectId) -> Option<(Logged, (String, String))> {
        let object = self.repository.find_commit(id).ok()?;
        let Ok(decoded) = object.decode() else {
            return loosely(id, &object.data);
        };
        let author = decoded.author().ok();
        let signature = author.map(|it| (it.name.to_string(), it.email.to_string()));
        let summary = decoded.message().summary().to_string();
        let commit = Logged {
            id,
            parents: decoded.parents().collect(),
            time: object.time().map_or(0, |it| it.seconds),
            signature: 0,
            summary,
            entries: 0..0,
            is_boundary: false,
        };
        Some((commit, signature.unwrap_or_default()))
    }

    /// What a commit changed, in order of path; nothing of a merge.
    fn changes_of(&self, commit: &Logged) -> Vec<Raw> {
        let after = self.tree_of(commit.id);
        if commit.is_boundary {
            return self.taken(None, after, |_| None);
        }
        match commit.parents[..] {
            [] => self.compared(None, after),
            [parent] => self.compared(self.tree_of(parent), after),
            // See `add_merged`.
            [_, _, ..] => Vec::new(),
        }
    }

    /// What a tree brings, and what it lacks, beside another. Lines are those that `known` tells, otherwise counted.
    fn taken(
        &self,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
        known: impl Fn(&Change) -> Option<u32>,
    ) -> Vec<Raw> {
        let mut changes = self.differences(before, after);
        // A file that was renamed goes before it comes.
        changes.sort_by(|a, b| (a.after.is_some(), &a.path).cmp(&(b.after.is_some(), &b.path)));
        let taken = changes.into_iter().map(|change| Raw {
            kind: match change.after {
                Some(_) => EntryKind::Taken,
                None => EntryKind::Dropped,
            },
            after: change.after,
            counted: match known(&change) {
                Some(lines) => Counted {
                    lines,
                    ..Counted::default()
                },
                None => self.counted(change.after, change.after),
            },
            path: change.path,
            was: None,
        });
        taken.collect()
    }

    /// Adds how merges on the main line, which are `tip` and its first parents, differ from their first parents, but for those
    /// that `log` knows; whether there were any. Linear in the files that differ.
    pub(super) fn add_merged(
        &self,
        log: &mut Log,
        tip: ObjectId,
        progress: &Progress,
    ) -> Result<bool, HistoryError> {
        let is_asked = |at: &u32| {
            let commit = &log.commits[*at as usize];
            let is_merge = commit.parents.len() > 1 && !commit.is_boundary;
            is_merge && !log.merged.contains_key(at)
        };
        let merges: Vec<u32> = log.main_line(&tip).into_iter().filter(is_asked).collect();
        if merges.is_empty() {
            return Ok(false);
        }
        progress.start("reading merges", merges.len() as u64);
        // Most versions that a merge brings were met in the commits that it merges.
        let met = log.entries.iter().filter(|it| !it.is_unread);
        let lines: HashMap<(u32, u32), u32> =
            met.map(|it| ((it.path, it.version), it.lines)).collect();
        let known = |change: &Change| {
            let path = log.known_path(&change.path)?;
            lines.get(&(path, version(change.after?))).copied()
        };
        let brought = merges.par_iter().map_init(self.on_threads(), |found, &at| {
            progress.add(1)?;
            let commit = &log.commits[at as usize];
            let before = found.tree_of(commit.parents[0]);
            Ok(found.taken(before, found.tree_of(commit.id), known))
        });
        let brought: Result<Vec<Vec<Raw>>, HistoryError> = brought.collect();
        for (at, raw) in merges.into_iter().zip(brought?) {
            let entries = raw.into_iter().map(|raw| entry(log, raw)).collect();
            log.merged.insert(at, entries);
        }
        Ok(true)
    }

    fn differences(&self, before: Option<ObjectId>, after: Option<ObjectId>) -> Vec<Change> {
        let mut changes = Vec::new();
        self.compare(before, after, &mut String::new(), 0, &mut changes);
        changes.retain(|change| change.kind != Stored::Submodule);
        changes
    }

    /// What differs between two trees, with renames and lines.
    fn compared(&self, before: Option<ObjectId>, after: Option<ObjectId>) -> Vec<Raw> {
        let mut changes = self.differences(before, after);
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        let was = self.renamed(&changes);
        let moved: HashSet<usize> = was.values().copied().collect();
        let mut raw = Vec::with_capacity(changes.len() - moved.len());
        for (at, change) in changes.iter().enumerate() {
            if moved.contains(&at) {
                continue;
            }
            let earlier = was.get(&at).map(|&it| &changes[it]);
            let before = earlier.map_or(change.before, |it| it.before);
            raw.push(Raw {
                path: change.path.clone(),
                was: earlier.map(|it| it.path.clone()),
                kind: match (before, change.after) {
                    (None, _) => EntryKind::Added,
                    (_, None) => EntryKind::Removed,
                    _ => EntryKind::Modified,
                },
                after: change.after,
                counted: self.counted(before, change.after),
            });
        }
        raw
    }

    /// For added files among `changes` the removed ones that they were.
    fn renamed(&self, changes: &[Change]) -> HashMap<usize, usize> {
        let contents = |wanted: fn(&Change) -> Option<ObjectId>| -> Vec<(usize, Content)> {
            let found = changes.iter().enumerate();
            let found = found.filter_map(|(at, it)| Some((at, Content::Object(wanted(it)?))));
            found.collect()
        };
        let gone = contents(|it| it.before.filter(|_| it.after.is_none()));
        let come = contents(|it| it.after.filter(|_| it.before.is_none()));
        let found = renames::find(self, &sides(changes, &gone), &sides(changes, &come));
        let found = found.into_iter();
        found.map(|(new, old)| (come[new].0, gone[old].0)).collect()
    }

    /// The lines of a version of a file; 0 where it cannot be read.
    pub(super) fn lines_of(&self, version: ObjectId) -> u32 {
        self.counted(Some(version), Some(version)).lines
    }

    fn counted(&self, before: Option<ObjectId>, after: Option<ObjectId>) -> Counted {
        let bytes = |id: Option<ObjectId>| match id {
            None => Some(Vec::new()),
            Some(id) => self.blob(id, LARGEST),
        };
        match (bytes(before), bytes(after)) {
            (Some(_), Some(text)) if before == after => Counted {
                lines: numstat::lines(&text),
                ..Counted::default()
            },
            (Some(before), Some(after)) => numstat::counted(&before, &after),
            _ => Counted {
                is_unread: true,
                ..Counted::default()
            },
        }
    }
}

/// A commit whose header is not written as it should be: names and dates that git reads are read.
fn loosely(id: ObjectId, data: &[u8]) -> Option<(Logged, (String, String))> {
    let text = String::from_utf8_lossy(data);
    let (header, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let lines = |name: &'static str| {
        let lines = header.lines();
        lines.filter_map(move |line| line.strip_prefix(name)?.strip_prefix(' '))
    };
    lines("tree").next()?;
    let parents = lines("parent").map(|id| ObjectId::from_hex(id.as_bytes()).ok());
    let signature = lines("author").next().unwrap_or_default();
    let (name, rest) = signature.split_once('<').unwrap_or((signature, ""));
    let address = rest.split('>').next().unwrap_or_default();
    // Seconds stand before the zone at the end.
    let seconds = lines("committer").next().and_then(|line| {
        let mut words = line.rsplit([' ', '>']);
        words.find_map(|word| word.parse().ok().filter(|_| !word.starts_with(['+', '-'])))
    });
    let commit = Logged {
        id,
        parents: parents.collect::<Option<_>>()?,
        time: seconds.unwrap_or(0),
        signature: 0,
        summary: message.lines().next().unwrap_or_default().to_owned(),
        entries: 0..0,
        is_boundary: false,
    };
    Some((commit, (name.trim().to_owned(), address.trim().to_owned())))
}

fn sides<'a>(changes: &'a [Change], of: &'a [(usize, Content)]) -> Vec<Side<'a>> {
    let sides = of.iter().map(|(at, content)| Side {
        path: &changes[*at].path,
        content,
        is_link: changes[*at].kind == Stored::Link,
    });
    sides.collect()
}

/// What [`Entry::version`] keeps of an id.
pub(super) fn version(id: ObjectId) -> u32 {
    let first = id.as_slice().first_chunk();
    first.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn entry(log: &mut Log, raw: Raw) -> Entry {
    Entry {
        path: log.path(&raw.path),
        was: raw.was.map(|was| log.path(&was)),
        kind: raw.kind,
        added: raw.counted.added,
        removed: raw.counted.removed,
        lines: raw.counted.lines,
        version: raw.after.map_or(0, version),
        is_unread: raw.counted.is_unread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_with_a_wrong_header_keep_their_parents() {
        let id = ObjectId::null(gix::hash::Kind::Sha1);
        let parent = "1234567890123456789012345678901234567890";
        for (author, expected) in [
            ("A <a@x 1500000000 +0000", ("A", "a@x 1500000000 +0000")),
            ("A a@x 1500000000 +0000", ("A a@x 1500000000 +0000", "")),
            ("X <X> > < 1500000000 +0000", ("X", "X")),
        ] {
            let data = format!(
                "tree {parent}\nparent {parent}\nauthor {author}\ncommitter {author}\n\nfix it\n\nmore"
            );
            let (commit, signature) = loosely(id, data.as_bytes()).expect("a commit");
            assert_eq!(commit.parents.len(), 1, "{author}");
            assert_eq!(commit.time, 1_500_000_000, "{author}");
            assert_eq!(commit.summary, "fix it");
            assert_eq!((&*signature.0, &*signature.1), expected);
        }
        assert!(loosely(id, b"parent x\n\n").is_none());
    }
}
