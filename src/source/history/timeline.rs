//! Puts what is known of commits together to the history of a tree: files keep their number when they are renamed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use callscape_facts::history::{Author, Change, Commit, FileEver, Kind, Missing, Tag, Timeline};

use super::log::{Entry, EntryKind, Log};
use super::walk::version;

/// The files of the last commit, by path, with the names that mailmap gives to authors.
pub(super) struct Given<'a> {
    pub head: &'a [(String, gix::ObjectId)],
    /// The lines of a version of a file.
    pub lines: &'a dyn Fn(gix::ObjectId) -> u32,
    /// Names and addresses by those that stand in commits.
    pub authors: &'a dyn Fn(&(String, String)) -> Author,
    /// Names of tags, the commits they name, and when these were made.
    pub tags: &'a [(String, gix::ObjectId, Option<i64>)],
}

/// The history that ends with commit `tip` of the log. O(n log n) in commits, linear in changes.
pub(super) fn timeline(
    log: &Log,
    tip: &gix::ObjectId,
    given: &Given,
    missing: Missing,
) -> Timeline {
    let order = in_order(log, tip);
    let main_line: HashSet<u32> = log.main_line(tip).into_iter().collect();
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
        let is_main = main_line.contains(&at);
        let merged = log.merged.get(&at).filter(|_| is_main);
        for entry in merged.map_or(log.entries_of(at), Vec::as_slice) {
            timeline.missing.versions += u32::from(entry.is_unread);
            let change = files.apply(entry, commit, is_main);
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
    let last = (order.len() as u32).saturating_sub(1);
    timeline.changes.extend(files.end(log, given, last));
    timeline.files = files.files;
    timeline.paths.clone_from(&log.paths);
    let mut timeline = timeline.indexed();
    let tags = given.tags.iter().filter_map(|(name, id, time)| {
        // One of another branch is marked where its commit would be.
        let by_time = || {
            timeline
                .before(time.as_ref()?.saturating_add(1))
                .checked_sub(1)
        };
        Some(Tag {
            name: name.clone(),
            commit: places.get(id).copied().or_else(by_time)?,
        })
    });
    let mut tags: Vec<Tag> = tags.collect();
    tags.sort_by(|a, b| (a.commit, &a.name).cmp(&(b.commit, &b.name)));
    timeline.tags = tags;
    timeline
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
    /// By file its lines on the main line; none if it does not exist there.
    lines: Vec<Option<u32>>,
    /// By file its version there, see [`Entry::version`], and its path there.
    versions: Vec<u32>,
    main_paths: Vec<u32>,
}

impl Files {
    fn new(log: &Log) -> Files {
        Files {
            files: Vec::new(),
            at: vec![None; log.paths.len()],
            paths: Vec::new(),
            lines: Vec::new(),
            versions: Vec::new(),
            main_paths: Vec::new(),
        }
    }

    fn add(&mut self, path: u32) -> u32 {
        let file = self.files.len() as u32;
        self.files.push(FileEver::default());
        self.paths.push(path);
        self.lines.push(None);
        self.versions.push(0);
        self.main_paths.push(path);
        self.at[path as usize] = Some(file);
        file
    }

    fn apply(&mut self, entry: &Entry, commit: u32, is_main: bool) -> Change {
        let known = self.at[entry.was.unwrap_or(entry.path) as usize];
        // A merge may bring what a branch renamed, and keep the file that it was.
        let is_beside = |file: u32| {
            let file = file as usize;
            self.lines[file].is_some() && self.main_paths[file] != entry.path
        };
        let known = known.filter(|&file| entry.kind != EntryKind::Taken || !is_beside(file));
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
        if is_main {
            known.is_there = !matches!(entry.kind, EntryKind::Removed | EntryKind::Dropped);
            self.lines[file as usize] = known.is_there.then_some(entry.lines);
            self.versions[file as usize] = entry.version;
            self.main_paths[file as usize] = entry.path;
        }
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
                EntryKind::Dropped => Kind::Dropped,
            },
            added: entry.added,
            removed: entry.removed,
            lines: self.lines[file as usize],
        }
    }

    /// Makes the final state equal to the tree of the last commit, even if commits of the main line are missing. Returns the
    /// changes needed for that, in commit `last`.
    fn end(&mut self, log: &Log, given: &Given, last: u32) -> Vec<Change> {
        let was_there: Vec<bool> = self.files.iter().map(|it| it.is_there).collect();
        let mut is_other = vec![false; was_there.len()];
        for (file, &path) in self.files.iter_mut().zip(&self.paths) {
            file.path.clone_from(&log.paths[path as usize]);
            file.is_there = false;
        }
        let by_path: HashMap<&str, u32> = log.paths.iter().map(String::as_str).zip(0..).collect();
        for (path, id) in given.head {
            let path_id = by_path.get(path.as_str()).copied();
            let file = path_id.and_then(|at| self.at[at as usize].map(|file| (at, file as usize)));
            match file.filter(|(_, file)| !self.files[*file].is_there) {
                Some((at, file)) => {
                    let known = &mut self.files[file];
                    (known.is_there, self.paths[file]) = (true, at);
                    known.path.clone_from(path);
                    if self.versions[file] != version(*id) {
                        let lines = (given.lines)(*id);
                        is_other[file] = Some(lines) != self.lines[file];
                        known.most_lines = known.most_lines.max(lines);
                        self.lines[file] = Some(lines);
                    }
                }
                // Nothing is known of it: the commits with its changes are missing.
                None => {
                    let lines = (given.lines)(*id);
                    self.files.push(FileEver {
                        path: path.clone(),
                        is_there: true,
                        most_lines: lines,
                    });
                    self.lines.push(Some(lines));
                    self.paths.push(path_id.unwrap_or(u32::MAX));
                    is_other.push(true);
                }
            }
        }
        let mut changes = Vec::new();
        for (file, is_other) in is_other.into_iter().enumerate() {
            let is_there = self.files[file].is_there;
            let was_there = was_there.get(file).copied().unwrap_or(false);
            let has_path = self.paths[file] != u32::MAX;
            if has_path && (is_there != was_there || is_other) {
                changes.push(Change {
                    commit: last,
                    file: file as u32,
                    path: self.paths[file],
                    kind: if is_there { Kind::Taken } else { Kind::Dropped },
                    added: 0,
                    removed: 0,
                    lines: self.lines[file].filter(|_| is_there),
                });
            }
        }
        changes
    }
}
