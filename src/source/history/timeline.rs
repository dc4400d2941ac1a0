//! Puts what is known of commits together to the history of a tree: files keep their number when they are renamed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use callscape_facts::history::{Author, Change, Commit, FileEver, Kind, Missing, Tag, Timeline};

use super::log::{Entry, EntryKind, Log};

/// The files of the last commit, by path, with the names that mailmap gives to authors.
pub(super) struct Given<'a> {
    pub head: &'a [String],
    /// Names and addresses by those that stand in commits.
    pub authors: &'a dyn Fn(&(String, String)) -> Author,
    /// Names of tags, and the commits they name.
    pub tags: &'a [(String, gix::ObjectId)],
}

/// The history that ends with commit `tip` of the log. O(n log n) in commits, linear in changes.
pub(super) fn timeline(
    log: &Log,
    tip: &gix::ObjectId,
    given: &Given,
    missing: Missing,
) -> Timeline {
    let order = in_order(log, tip);
    let mut files = Files::new(log);
    let mut timeline = Timeline::default();
    timeline.missing = missing;
    let mut authors: HashMap<Author, u32> = HashMap::new();
    let mut by_signature: Vec<Option<u32>> = vec![None; log.signatures.len()];
    for (commit, &at) in (0..).zip(&order) {
        let logged = &log.commits[at as usize];
        let author = *by_signature[logged.signature as usize].get_or_insert_with(|| {
            let author = (given.authors)(&log.signatures[logged.signature as usize]);
            let next = authors.len() as u32;
            *authors.entry(author.clone()).or_insert_with(|| {
                timeline.authors.push(author);
                next
            })
        });
        timeline.commits.push(Commit {
            id: logged.id.to_string(),
            time: logged.time,
            author,
            summary: logged.summary.clone(),
            is_merge: logged.parents.len() > 1,
        });
        for entry in log.entries_of(at) {
            timeline.missing.versions += u32::from(entry.is_unread);
            let change = files.apply(entry, commit);
            timeline.changes.push(change);
        }
    }
    let places: HashMap<gix::ObjectId, u32> = match given.tags.is_empty() {
        true => HashMap::new(),
        false => {
            let ids = order.iter().map(|&at| log.commits[at as usize].id);
            ids.zip(0..).collect()
        }
    };
    let tags = given.tags.iter().filter_map(|(name, id)| {
        Some(Tag {
            name: name.clone(),
            commit: *places.get(id)?,
        })
    });
    timeline.tags = tags.collect();
    timeline
        .tags
        .sort_by(|a, b| (a.commit, &a.name).cmp(&(b.commit, &b.name)));
    files.end(log, given.head);
    timeline.files = files.files;
    timeline.paths.clone_from(&log.paths);
    timeline.indexed()
}

/// The commits from which `tip` descends, each behind its parents, otherwise by time.
fn in_order(log: &Log, tip: &gix::ObjectId) -> Vec<u32> {
    let parents = |at: u32| {
        let commit = &log.commits[at as usize];
        let parents = commit.parents.iter().filter(|_| !commit.is_boundary);
        parents.filter_map(|id| log.commit(id))
    };
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); log.commits.len()];
    let mut left: Vec<u32> = vec![0; log.commits.len()];
    let mut is_met = vec![false; log.commits.len()];
    let mut stack: Vec<u32> = log.commit(tip).into_iter().collect();
    let mut ready: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    let mut count = 0;
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut is_met[at as usize], true) {
            continue;
        }
        count += 1;
        let of: HashSet<u32> = parents(at).collect();
        left[at as usize] = of.len() as u32;
        if of.is_empty() {
            ready.push(Reverse((log.commits[at as usize].time, at)));
        }
        for parent in of {
            children[parent as usize].push(at);
            stack.push(parent);
        }
    }
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((_, at))) = ready.pop() {
        order.push(at);
        for &child in &children[at as usize] {
            left[child as usize] -= 1;
            if left[child as usize] == 0 {
                ready.push(Reverse((log.commits[child as usize].time, child)));
            }
        }
    }
    order
}

/// The files that were met so far.
struct Files {
    files: Vec<FileEver>,
    /// By path of the log the file that has or had it last.
    at: Vec<Option<u32>>,
    /// By file the path that it has now.
    paths: Vec<u32>,
}

impl Files {
    fn new(log: &Log) -> Files {
        Files {
            files: Vec::new(),
            at: vec![None; log.paths.len()],
            paths: Vec::new(),
        }
    }

    fn add(&mut self, path: u32) -> u32 {
        let file = self.files.len() as u32;
        self.files.push(FileEver::default());
        self.paths.push(path);
        self.at[path as usize] = Some(file);
        file
    }

    fn apply(&mut self, entry: &Entry, commit: u32) -> Change {
        let known = self.at[entry.was.unwrap_or(entry.path) as usize];
        let file = match known {
            // Beside the commit that renamed the file, others still go on with its earlier path.
            Some(file)
                if entry.kind != EntryKind::Added || self.paths[file as usize] == entry.path =>
            {
                file
            }
            _ => self.add(entry.path),
        };
        if entry.was.is_some() {
            self.paths[file as usize] = entry.path;
            self.at[entry.path as usize] = Some(file);
        }
        let known = &mut self.files[file as usize];
        known.most_lines = known.most_lines.max(entry.lines);
        known.is_there = entry.kind != EntryKind::Removed;
        Change {
            commit,
            file,
            path: entry.path,
            kind: match entry.kind {
                EntryKind::Added => Kind::Added,
                EntryKind::Modified if entry.was.is_some() => Kind::Renamed,
                EntryKind::Modified => Kind::Modified,
                EntryKind::Removed => Kind::Removed,
                EntryKind::Taken => Kind::Taken,
            },
            added: entry.added,
            removed: entry.removed,
            lines: entry.lines,
        }
    }

    /// What is there in the end is what the last commit has: branches that were merged may have gone other ways.
    fn end(&mut self, log: &Log, head: &[String]) {
        for (file, &path) in self.files.iter_mut().zip(&self.paths) {
            file.path.clone_from(&log.paths[path as usize]);
            file.is_there = false;
        }
        let by_path: HashMap<&str, u32> = log.paths.iter().map(String::as_str).zip(0..).collect();
        for path in head {
            let file = by_path
                .get(path.as_str())
                .and_then(|&at| self.at[at as usize]);
            match file {
                Some(file) => {
                    let file = &mut self.files[file as usize];
                    (file.is_there, file.path) = (true, path.clone());
                }
                // Nothing is known of it: the commits with its changes are missing.
                None => self.files.push(FileEver {
                    path: path.clone(),
                    is_there: true,
                    most_lines: 0,
                }),
            }
        }
    }
}
