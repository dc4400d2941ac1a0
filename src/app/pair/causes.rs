//! The first thing that is seen of two runs: why they differ, in three sentences, until it is closed for this pair.

use std::path::PathBuf;

use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::made::Generation;
use callscape_views as views;
use callscape_views::causes::{Causes, Line};

/// More are in the list of differences.
const FIRST: usize = 3;

/// The card, and the pairs for which it was closed.
#[derive(Default)]
pub struct CausesCard {
    causes: Causes,
    /// The document that they are of.
    of: Option<Generation>,
    /// The list of causes was opened from the card, which is not needed beside it.
    pub(super) is_listed: bool,
    closed: Vec<Vec<PathBuf>>,
}

/// All recordings that are compared, whichever is A.
fn pair(state: &State) -> Option<Vec<PathBuf>> {
    let document = state.document.as_ref().filter(|it| it.runs.is_some())?;
    let mut all = document.inputs.recordings.clone();
    all.sort_unstable();
    Some(all)
}

impl CausesCard {
    /// Whether it is to be seen: two runs are open, it was not closed for them, and the list that it opens is not seen.
    pub fn is_open(&self, state: &State) -> bool {
        let list = views::named("differences");
        let is_seen = list.is_some_and(|it| self.is_listed && state.panes.is_visible(it));
        !is_seen && pair(state).is_some_and(|it| !self.closed.contains(&it))
    }

    pub fn is_waiting(&self) -> bool {
        self.causes.is_waiting()
    }

    /// All causes.
    pub fn causes(&self) -> &Causes {
        &self.causes
    }

    /// The causes that are told, largest first.
    pub fn first(&self) -> &[Line] {
        let all = &self.causes.lines.lines;
        &all[..all.len().min(FIRST)]
    }

    pub(super) fn close(&mut self, state: &State) {
        if let Some(pair) = pair(state).filter(|_| self.is_open(state)) {
            self.closed.push(pair);
        }
    }

    /// Finds the causes of what is open, beside the window.
    pub(crate) fn update(&mut self, state: &State) {
        let shown = state.document.as_ref().map(Document::generation);
        if std::mem::replace(&mut self.of, shown) != shown {
            self.causes = Causes::default();
            self.is_listed = false;
        }
        if self.is_open(state) {
            self.causes.update(state);
        }
    }
}
