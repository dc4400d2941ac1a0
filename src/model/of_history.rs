//! What the history of the tree says of modules, as metrics.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::history_columns::{HistoryColumns, Together, parts_of_files};
use crate::metrics::ModuleMetrics;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::history::{Played, State};
use callscape_source::history::History;

impl ModuleMetrics {
    /// Takes what is known of the files; `path_of` gives a file's path below the source tree.
    pub fn set_history(
        &mut self,
        hierarchy: &Hierarchy,
        history: &History,
        path_of: impl Fn(ModuleId) -> String,
    ) {
        self.history = Some(HistoryColumns::new(
            hierarchy,
            history,
            self.played.is_some(),
            path_of,
        ));
    }

    /// The same after the first commits of the history that the recording is made of. Linear in its changes.
    pub fn after(&self, hierarchy: &Hierarchy, commits: u32) -> ModuleMetrics {
        let mut metrics = self.clone();
        let Some(timeline) = self.played.as_ref().map(|it| &it.timeline) else {
            return metrics;
        };
        let last = commits.checked_sub(1).map(|last| last as usize);
        let now = last.and_then(|last| timeline.clock.get(last).copied());
        let history = History::at(timeline, commits, now.unwrap_or(i64::MIN));
        metrics.set_history(hierarchy, &history, |id| hierarchy.path(id));
        metrics
    }

    /// A file of the history that the recording is made of, after its first commits; files that have its path later are
    /// taken together. None if the module is not one of its files. O(log changes) after the first time, which is linear in files.
    pub fn file_after(&self, module: ModuleId, commits: u32) -> Option<State> {
        let timeline = &self.played.as_ref()?.timeline;
        let files = self.history.as_ref()?.files_of(module)?;
        let mut sum = State::default();
        for state in files.iter().map(|&file| timeline.state(file, commits)) {
            if let Some(lines) = state.lines {
                sum.lines = Some(sum.lines.unwrap_or(0) + lines);
                sum.changes += state.changes;
            }
        }
        Some(sum)
    }

    /// The history that the recording is made of, where it is.
    pub fn played(&self) -> Option<&Arc<Played>> {
        self.played.as_ref()
    }

    /// Who changed most of a module: its place among the [`people`](Self::people); none where that is not known, or somebody
    /// else did.
    pub fn main_person(&self, id: ModuleId) -> Option<usize> {
        let place = *self.history.as_ref()?.main_people.get(id.index())?;
        usize::from(place).checked_sub(1)
    }

    /// Those who changed most, the one with most changes first: their number in the history, and their names.
    pub fn people(&self) -> &[(u32, String)] {
        self.history.as_ref().map_or(&[], |it| &it.people)
    }

    /// The files that change together in some commits, in all for none; none where no history is known. O(1) for all after
    /// the first time, otherwise as `analysis::history::coupled`.
    pub fn together(&self, commits: Option<Range<u32>>) -> Option<Cow<'_, Together>> {
        let history = self.history.as_ref()?;
        Some(match commits {
            None => Cow::Borrowed(history.together()),
            Some(commits) => Cow::Owned(history.together_in(commits)),
        })
    }

    /// With how many other files each changes together; in a district the sum.
    pub(crate) fn coupled(&self, hierarchy: &Hierarchy) -> Vec<f64> {
        let mut values = vec![0.0; hierarchy.len()];
        let Some(together) = self.together(None) else {
            return values;
        };
        for &(a, b, _) in &together.pairs {
            for file in [a, b] {
                for around in hierarchy.ancestors(file) {
                    values[around.index()] += 1.0;
                }
            }
        }
        for (id, file) in parts_of_files(hierarchy) {
            values[id.index()] = values[file.index()];
        }
        values
    }
}
