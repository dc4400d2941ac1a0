//! The history of a source tree: which commit changed which file when, by whom, and by how many lines.
//!
//! Filled by `source::history` from a repository. A file keeps its number when it is renamed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use callscape_base::units::{FunctionId, Time};

const NANOSECONDS: u64 = 1_000_000_000;

/// A commit that some file of the tree may have changed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// In hexadecimal, all of it.
    pub id: String,
    /// When it was committed, in seconds since 1970; clocks that ran backwards are left as they are.
    pub time: i64,
    /// An index into [`Timeline::authors`].
    pub author: u32,
    /// The first line of its message.
    pub summary: String,
    /// It has several parents: what it merges is counted where it was made.
    pub is_merge: bool,
}

impl Commit {
    /// Whether it mends a fault, by the words of its summary: T. Zimmermann, A. Zeller, *When Do Changes Induce Fixes?*,
    /// 2005, section 2, knows commits by `fix`, `bug` and their forms. Others are known by
    /// [`know_fixes_by`].
    pub fn is_fix(&self) -> bool {
        let mut words = self.summary.split(|letter: char| !letter.is_alphanumeric());
        match OTHER_FIXES.get() {
            Some(others) => words.any(|word| others.contains(&word.to_lowercase())),
            None => words
                .filter(|it| it.is_ascii())
                .any(|word| FIXES.iter().any(|known| word.eq_ignore_ascii_case(known))),
        }
    }
}

/// From now on other words tell of a fault that was mended, in upper or lower case. Only the first call has an effect: what
/// was counted before stays as it is.
pub fn know_fixes_by(words: &[String]) {
    let words = words.iter().map(|word| word.to_lowercase());
    // A second call is no error of the user's.
    let _ = OTHER_FIXES.set(words.collect());
}

/// The words of the user, in lower case.
static OTHER_FIXES: OnceLock<HashSet<String>> = OnceLock::new();

/// What tells of a fault that was mended.
const FIXES: [&str; 15] = [
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "bug",
    "bugs",
    "bugfix",
    "hotfix",
    "defect",
    "defects",
    "fault",
    "faults",
    "regression",
    "crash",
    "crashes",
];

/// Someone who wrote commits, by the names that the tree's `.mailmap` gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Author {
    pub name: String,
    /// The address, in lower case.
    pub email: String,
}

/// What a commit did with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Added,
    Modified,
    Renamed,
    Removed,
    /// A merge on the main line brought the file, or this version of it, or a shallow clone begins with it. Not counted as a
    /// change.
    Taken,
    /// A merge on the main line removed the file. Not counted either.
    Dropped,
}

/// A change of one file in one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// An index into [`Timeline::commits`].
    pub commit: u32,
    /// An index into [`Timeline::files`].
    pub file: u32,
    /// The path that the file has from then on, or had until then: an index into [`Timeline::paths`].
    pub path: u32,
    pub kind: Kind,
    /// Lines, as `git log --numstat` counts them; 0 of a binary file.
    pub added: u32,
    pub removed: u32,
    /// Lines of the file on the main line after the commit; none if it does not exist there. The main line consists of the
    /// last commit and its first parents, so the changes of a branch appear when it is merged.
    pub lines: Option<u32>,
}

impl Change {
    /// Lines added and removed.
    pub fn touched(&self) -> u64 {
        u64::from(self.added) + u64::from(self.removed)
    }

    /// Whether it counts as one: what merges take over does not.
    pub fn is_counted(&self) -> bool {
        !matches!(self.kind, Kind::Taken | Kind::Dropped)
    }
}

/// A file that was there at some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileEver {
    /// The last path it had, relative to the directory, with `/`.
    pub path: String,
    /// It is there after the last commit.
    pub is_there: bool,
    /// The most lines it ever had.
    pub most_lines: u32,
}

/// A tag, and the commit that it names; of another branch the last one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    pub commit: u32,
}

/// What could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The clone is shallow: there is more history elsewhere.
    pub is_shallow: bool,
    /// There are older commits than were looked at.
    pub is_cut_off: bool,
    /// Commits whose objects are missing or damaged.
    pub commits: u32,
    /// Versions of files whose objects are missing, damaged or too large, so that their lines are not counted.
    pub versions: u32,
    /// Submodules, which have histories of their own.
    pub submodules: u32,
}

/// The history of a tree. Commits are in an order in which each follows its parents, otherwise by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    pub commits: Vec<Commit>,
    pub authors: Vec<Author>,
    pub files: Vec<FileEver>,
    /// All paths that files had, relative to the directory, with `/`.
    pub paths: Vec<String>,
    /// In order of commits.
    pub changes: Vec<Change>,
    /// In order of commits.
    pub tags: Vec<Tag>,
    pub missing: Missing,
    /// By commit the time that counts for order, see [`in_order`]; it never falls.
    pub clock: Vec<i64>,
    /// For each file its changes, as indices, in order: those of file `f` from `starts[f]` on.
    by_file: Vec<u32>,
    /// For each of these its commit.
    when: Vec<u32>,
    /// For each of these how many of the file's changes are counted up to it.
    counted: Vec<u32>,
    starts: Vec<u32>,
}

/// What a recording that was made of a history knows besides the calls in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Played {
    pub timeline: Arc<Timeline>,
    /// When it begins, in seconds since 1970.
    pub began: i64,
    /// By file of the timeline, what stands for it in the recording.
    pub files: Vec<FunctionId>,
}

impl Played {
    /// How many commits have happened by a time of the recording. O(log commits).
    pub fn commits_at(&self, time: Time) -> u32 {
        self.timeline
            .before(self.seconds_at(time).saturating_add(1))
    }

    /// The date of a time of the recording, in seconds since 1970.
    pub fn seconds_at(&self, time: Time) -> i64 {
        let seconds = i64::try_from(time.ns() / NANOSECONDS).unwrap_or(i64::MAX);
        self.began.saturating_add(seconds)
    }

    /// The tags with their times, in order of commits.
    pub fn tags(&self) -> impl Iterator<Item = (Time, &str)> {
        (0..self.timeline.tags.len()).filter_map(|at| self.tag(at))
    }

    /// The tag at a place of [`Timeline::tags`], with its time.
    pub fn tag(&self, at: usize) -> Option<(Time, &str)> {
        let tag = self.timeline.tags.get(at)?;
        let seconds = *self.timeline.clock.get(tag.commit as usize)?;
        Some((self.time_at(seconds), tag.name.as_str()))
    }

    /// The time of the recording at a date, its start for earlier ones.
    pub fn time_at(&self, seconds: i64) -> Time {
        let since = u64::try_from(seconds.saturating_sub(self.began)).unwrap_or(0);
        Time::from_ns(since.saturating_mul(NANOSECONDS))
    }
}

/// A file at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// None while it is not there.
    pub lines: Option<u32>,
    /// Number of changes so far.
    pub changes: u32,
}

impl Timeline {
    /// Puts the changes, which are in order of commits, in order of files too. O(n log n) in commits, otherwise linear.
    pub fn indexed(mut self) -> Timeline {
        let times: Vec<i64> = self.commits.iter().map(|it| it.time).collect();
        self.clock = in_order(&times);
        let mut starts = vec![0u32; self.files.len() + 1];
        for change in &self.changes {
            starts[change.file as usize + 1] += 1;
        }
        for file in 1..starts.len() {
            starts[file] += starts[file - 1];
        }
        let mut next = starts.clone();
        self.by_file = vec![0; self.changes.len()];
        self.counted = vec![0; self.changes.len()];
        self.when = vec![0; self.changes.len()];
        for (at, change) in (0..).zip(&self.changes) {
            let file = change.file as usize;
            let place = next[file] as usize;
            let so_far = match next[file] == starts[file] {
                true => 0,
                false => self.counted[place - 1],
            };
            self.by_file[place] = at;
            self.when[place] = change.commit;
            self.counted[place] = so_far + u32::from(change.is_counted());
            next[file] += 1;
        }
        self.starts = starts;
        self
    }

    /// The changes of a file, in order.
    pub fn changes_of(
        &self,
        file: u32,
    ) -> impl DoubleEndedIterator<Item = &Change> + ExactSizeIterator + Clone {
        let range = self.starts[file as usize] as usize..self.starts[file as usize + 1] as usize;
        let changes = self.by_file[range].iter();
        changes.map(|&at| &self.changes[at as usize])
    }

    /// The changes of some commits. O(log changes).
    pub fn changes_in(&self, commits: Range<u32>) -> &[Change] {
        let at = |commit: u32| self.changes.partition_point(|it| it.commit < commit);
        &self.changes[at(commits.start)..at(commits.end.max(commits.start))]
    }

    /// A file after the first `commits` commits. O(log of its changes).
    pub fn state(&self, file: u32, commits: u32) -> State {
        let range = self.starts[file as usize] as usize..self.starts[file as usize + 1] as usize;
        let before = self.when[range.clone()].partition_point(|&commit| commit < commits);
        let Some(last) = before.checked_sub(1).map(|last| range.start + last) else {
            return State::default();
        };
        let change = &self.changes[self.by_file[last] as usize];
        State {
            lines: change.lines,
            changes: self.counted[last],
        }
    }

    /// The path of a file after the first `commits` commits; its last one where it is not there yet. O(log of its changes).
    pub fn path(&self, file: u32, commits: u32) -> &str {
        let range = self.starts[file as usize] as usize..self.starts[file as usize + 1] as usize;
        let before = self.when[range.clone()].partition_point(|&commit| commit < commits);
        match before.checked_sub(1) {
            None => &self.files[file as usize].path,
            Some(last) => {
                let change = &self.changes[self.by_file[range.start + last] as usize];
                &self.paths[change.path as usize]
            }
        }
    }

    /// All files after the first `commits` commits. O(files log changes of one).
    pub fn states(&self, commits: u32) -> Vec<State> {
        let files = 0..self.files.len() as u32;
        files.map(|file| self.state(file, commits)).collect()
    }

    /// Authors as indices, those with most counted changes of files first. Linear.
    pub fn people(&self) -> Vec<u32> {
        let mut changes = vec![0_u32; self.authors.len()];
        for change in self.changes.iter().filter(|it| it.is_counted()) {
            changes[self.commits[change.commit as usize].author as usize] += 1;
        }
        let mut people: Vec<u32> = (0..self.authors.len() as u32).collect();
        people.sort_by_key(|&author| (std::cmp::Reverse(changes[author as usize]), author));
        people
    }

    /// How many commits are before `time`, in seconds since 1970, by their clock. O(log commits).
    pub fn before(&self, time: i64) -> u32 {
        self.clock.partition_point(|&it| it < time) as u32
    }
}

/// Who made most of some changes; of several the one with the most lines, then the first of the history.
#[derive(Clone, Debug, Default)]
pub struct Main {
    by_author: HashMap<u32, (u32, u64)>,
    most: Option<u32>,
}

impl Main {
    /// Counts a change of so many lines.
    pub fn add(&mut self, author: u32, lines: u64) {
        let (changes, sum) = self.by_author.entry(author).or_default();
        *changes += 1;
        *sum += lines;
        let rank = |author: u32| {
            let of = self.by_author.get(&author).copied().unwrap_or_default();
            (of, std::cmp::Reverse(author))
        };
        if self.most.is_none_or(|most| rank(author) > rank(most)) {
            self.most = Some(author);
        }
    }

    /// None without changes.
    pub fn author(&self) -> Option<u32> {
        self.most
    }

    /// How many changes are by the main author.
    pub fn changes(&self) -> u32 {
        let of = self.most.and_then(|most| self.by_author.get(&most));
        of.map_or(0, |it| it.0)
    }

    /// How many made changes.
    pub fn authors(&self) -> u32 {
        self.by_author.len() as u32
    }
}

/// Times that never fall: those that fit into the longest row of times that does not fall are kept, others take the time
/// before them. So a clock that was wrong once moves no other commit. O(n log n).
pub fn in_order(times: &[i64]) -> Vec<i64> {
    // The last of the rows of each length, which end as early as they can, and before each the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; times.len()];
    for (at, &time) in times.iter().enumerate() {
        let length = ends.partition_point(|&end| times[end] <= time);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut is_kept = vec![false; times.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        is_kept[at] = true;
        next = before[at];
    }
    let mut clock = Vec::with_capacity(times.len());
    let first = is_kept.iter().position(|&it| it).map_or(0, |at| times[at]);
    for (&time, is_kept) in times.iter().zip(is_kept) {
        let last = clock.last().copied().unwrap_or(first);
        clock.push(if is_kept { time } else { last });
    }
    clock
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_clock_moves_no_other_commit() {
        assert!(in_order(&[]).is_empty());
        assert_eq!(in_order(&[5, 9, 7, 8, 10]), [5, 5, 7, 8, 10]);
        assert_eq!(in_order(&[99, 5, 6, 0, 7]), [5, 5, 6, 6, 7]);
        assert_eq!(in_order(&[3, 3, 3]), [3, 3, 3]);
    }

    fn change(commit: u32, file: u32, kind: Kind, lines: Option<u32>) -> Change {
        Change {
            commit,
            file,
            path: file,
            kind,
            added: 0,
            removed: 0,
            lines,
        }
    }

    #[test]
    fn states_are_those_after_the_last_change() {
        let commits = vec![Commit::default(); 5];
        let timeline = Timeline {
            commits,
            files: vec![FileEver::default(); 3],
            paths: ["a", "b"].map(str::to_owned).to_vec(),
            changes: vec![
                change(0, 0, Kind::Added, Some(4)),
                change(1, 1, Kind::Added, Some(7)),
                change(2, 0, Kind::Removed, None),
                change(3, 1, Kind::Taken, Some(9)),
                change(4, 0, Kind::Added, Some(2)),
            ],
            ..Timeline::default()
        };
        let timeline = timeline.indexed();
        let told = |commits: u32| -> Vec<(Option<u32>, u32)> {
            let states = timeline.states(commits).into_iter();
            states.map(|it| (it.lines, it.changes)).collect()
        };
        assert_eq!(told(0), [(None, 0), (None, 0), (None, 0)]);
        assert_eq!(told(2), [(Some(4), 1), (Some(7), 1), (None, 0)]);
        assert_eq!(told(4), [(None, 2), (Some(9), 1), (None, 0)]);
        assert_eq!(told(9), [(Some(2), 3), (Some(9), 1), (None, 0)]);
        assert_eq!((timeline.path(1, 2), timeline.path(1, 1)), ("b", ""));
        assert_eq!(timeline.changes_in(1..3).len(), 2);
        assert_eq!(timeline.changes_of(0).count(), 3);
    }
}
