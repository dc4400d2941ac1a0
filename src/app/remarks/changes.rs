//! The changes in time of the files of the source tree, for the function that is chosen in a recording of it.

use std::collections::HashMap;
use std::path::PathBuf;

use callscape_base::progress::Progress;
use callscape_facts::history::Timeline;
use callscape_source::history;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::{Job, take};

/// What commits did to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// When, in seconds since 1970; in order, at least one.
    pub times: Vec<i64>,
    /// How many people.
    pub people: usize,
    /// The first line of what the last of them says.
    pub last: String,
}

/// The changes of all files of one source tree, once a function of one was chosen.
#[derive(Debug, Default)]
pub struct Changes {
    of: Option<PathBuf>,
    files: HashMap<String, FileChanges>,
    reading: Option<Job<HashMap<String, FileChanges>>>,
}

/// The source tree of a recording in which something is chosen.
fn wanted(document: &Document) -> Option<&PathBuf> {
    document.selection.chosen.module?;
    document.resolved()?;
    document.inputs.source_dir.as_ref()
}

impl Changes {
    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    pub(super) fn slow(&self) -> Option<&Progress> {
        self.reading.as_ref().and_then(Job::slow)
    }

    /// What is known of a file, by its path in the tree.
    pub fn file(&self, path: &str) -> Option<&FileChanges> {
        self.files.get(path)
    }

    /// Begins to read the history where it is wanted, and takes it.
    pub(super) fn update(&mut self, state: &State) {
        if let Some(files) = take(&mut self.reading) {
            self.files = files;
        }
        let Some(dir) = state.document.as_ref().and_then(wanted) else {
            return;
        };
        if self.of.as_ref() == Some(dir) {
            return;
        }
        self.of = Some(dir.clone());
        self.files.clear();
        let dir = dir.clone();
        let work = move |progress: &Progress| {
            // Two revisions that are open lie elsewhere than the tree that they are of.
            let dir = history::written_of(&dir).unwrap_or(dir);
            let timeline = history::timeline(&dir, None, progress);
            progress.check()?;
            // Without a repository nothing is known, and nothing is wrong.
            Ok(timeline.map_or_else(|_| HashMap::new(), |it| by_file(&it)))
        };
        self.reading = Some(Job::named("changes of files", state.waker(), work));
    }
}

/// By path, what is known of the files that are there.
fn by_file(timeline: &Timeline) -> HashMap<String, FileChanges> {
    let files = (0..).zip(&timeline.files).filter(|(_, file)| file.is_there);
    let known = files.filter_map(|(at, file)| {
        let counted = timeline.changes_of(at).filter(|it| it.is_counted());
        let commits: Vec<u32> = counted.map(|it| it.commit).collect();
        let commit = |at: &u32| &timeline.commits[*at as usize];
        let mut people: Vec<u32> = commits.iter().map(|it| commit(it).author).collect();
        people.sort_unstable();
        people.dedup();
        let changes = FileChanges {
            times: commits
                .iter()
                .map(|&it| timeline.clock[it as usize])
                .collect(),
            people: people.len(),
            last: commit(commits.last()?).summary.clone(),
        };
        Some((file.path.clone(), changes))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::history::{Change, Commit, FileEver, Kind};

    #[test]
    fn a_file_knows_its_commits_in_order_and_its_people() {
        let commit = |time, author, summary: &str| Commit {
            time,
            author,
            summary: summary.to_owned(),
            ..Commit::default()
        };
        let change = |commit, file| Change {
            commit,
            file,
            path: file,
            kind: Kind::Modified,
            added: 1,
            removed: 0,
            lines: Some(1),
        };
        let file = |path: &str, is_there| FileEver {
            path: path.to_owned(),
            is_there,
            ..FileEver::default()
        };
        let mut timeline = Timeline::default();
        timeline.commits = vec![
            commit(10, 0, "one"),
            commit(30, 1, "two"),
            commit(20, 0, "three"),
        ];
        timeline.files = vec![
            file("a.c", true),
            file("gone.c", false),
            file("still.c", true),
        ];
        timeline.changes = vec![change(0, 0), change(0, 1), change(1, 0), change(2, 0)];
        let known = by_file(&timeline.indexed());
        assert_eq!(known.len(), 1);
        let of_a = &known["a.c"];
        assert!(of_a.times.is_sorted() && of_a.times.len() == 3, "{of_a:?}");
        assert_eq!((of_a.people, of_a.last.as_str()), (2, "three"));
    }
}
