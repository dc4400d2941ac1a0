//! The changes of a file or of a directory, added up one after the other.

use callscape_facts::history::Main;

/// Nobody, among people and authors.
pub(super) const NOBODY: u32 = u32::MAX;

/// What a series of changes came to after one of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub commit: u32,
    pub is_there: bool,
    /// Those that are there.
    pub lines: u32,
    /// Sums over all changes so far.
    pub changes: u32,
    pub fixes: u32,
    pub touched: u32,
    pub authors: u32,
    pub main: u32,
}

/// A series while its changes are added up.
#[derive(Default)]
pub(super) struct Running {
    pub entry: Entry,
    /// How many files are there.
    pub files: u32,
    pub lines: u64,
    pub main: Main,
    /// Where its last entry is.
    pub last: Option<usize>,
}

impl Running {
    /// Counts a file that came or went; whether it is the first, or was the last.
    pub(super) fn turn(&mut self, was: bool, is: bool) -> bool {
        self.files = (self.files + u32::from(is)).saturating_sub(u32::from(was));
        let has_turned = self.entry.is_there != (self.files > 0);
        if has_turned {
            self.entry.is_there = self.files > 0;
        }
        has_turned
    }

    /// Adds what it came to; a commit has one entry.
    pub(super) fn tell(&mut self, series: u32, commit: u32, made: &mut Vec<(u32, Entry)>) {
        self.entry.commit = commit;
        match self.last.and_then(|last| made.get_mut(last)) {
            Some((_, last)) if last.commit == commit => *last = self.entry,
            _ => {
                self.last = Some(made.len());
                made.push((series, self.entry));
            }
        }
    }
}
