//! What differs of the files of a source tree between two revisions of it, and which commits have to do with it.

use std::ops::Range;

use crate::text::SourceText;

/// A commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// In hexadecimal, all of it.
    pub id: String,
    pub author: String,
    /// Their address, for those who want to ask.
    pub email: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The first line of what its author says of it.
    pub summary: String,
}

/// A revision that has a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Of a tag or a branch; of a commit the beginning of its id.
    pub name: String,
    pub is_tag: bool,
    pub commit: Commit,
}

/// A stretch of lines that differs, from 1, ends left out; one of the two may be empty, and then lies before the line that
/// it begins with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hunk {
    pub before: Range<u32>,
    pub after: Range<u32>,
}

/// A file that differs. A file that was removed has no text after, and one that was added none before.
#[derive(Clone, Debug, Default)]
pub struct FileChange {
    /// Relative to the tree, with `/`: of the later revision, or the earlier where it was removed.
    pub path: String,
    /// The path in the earlier revision, where it is another one.
    pub was: Option<String>,
    pub is_added: bool,
    pub is_removed: bool,
    /// Before and after.
    pub texts: [SourceText; 2],
    /// In order.
    pub hunks: Vec<Hunk>,
}

/// Files that differ and are not looked into, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// No texts.
    pub binary: u32,
    pub too_large: u32,
    /// Repositories of their own.
    pub submodules: u32,
    pub links: u32,
    /// Objects are missing, or the file cannot be read.
    pub unreadable: u32,
}

impl LeftOut {
    /// Each reason with how many, those of none left out.
    pub fn reasons(&self) -> impl Iterator<Item = (u32, &'static str)> + use<> {
        let all = [
            (self.binary, "binary"),
            (self.too_large, "too large"),
            (self.submodules, "submodules"),
            (self.links, "symbolic links"),
            (self.unreadable, "unreadable"),
        ];
        all.into_iter().filter(|(count, _)| *count > 0)
    }
}

/// What differs between two revisions.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub good: Commit,
    /// None for the working tree.
    pub bad: Option<Commit>,
    /// In order of path.
    pub files: Vec<FileChange>,
    /// All files of the later revision; none for the working tree.
    pub paths: Vec<String>,
    pub left_out: LeftOut,
    /// The history was cut off when it was cloned.
    pub is_shallow: bool,
}

/// Lines of the later text of a file, from 1; an empty range is the place before a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Index in [`Changes::files`].
    pub file: u32,
    pub lines: Range<u32>,
}

/// The commits between two revisions that touched some lines.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// The newest first.
    pub commits: Vec<Commit>,
    /// By region, indices into `commits`, in rising order.
    pub by_region: Vec<Vec<u32>>,
    /// By region, whether what is not committed yet touches it.
    pub uncommitted: Vec<bool>,
    /// How many commits lie between the two revisions.
    pub between: u64,
    /// There are more commits than are looked at, or some of them are missing here.
    pub is_cut_off: bool,
}
