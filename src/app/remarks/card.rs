//! The first thing that is seen of one run: what is remarkable about it, in three sentences, until it is closed for this
//! recording.

use std::path::PathBuf;

use super::changes::Changes;
use callscape_analysis::findings::Finding;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_views as views;
use callscape_views::remarks::{Remarks, one_run};

/// Maximum number of findings in the card.
const FIRST: usize = 3;

/// The card, and the recordings for which it was closed.
#[derive(Default)]
pub struct RemarksCard {
    remarks: Remarks,
    found_in: Vec<PathBuf>,
    closed: Vec<Vec<PathBuf>>,
    /// Of the files in time.
    pub changes: Changes,
}

/// The document, if it is one run of the user's.
fn run_of_user(state: &State) -> Option<&Document> {
    one_run(state).filter(|it| it.inputs != Inputs::default())
}

impl RemarksCard {
    /// Whether there is a run for which it was not closed.
    fn is_wanted(&self, state: &State) -> bool {
        run_of_user(state).is_some_and(|it| !self.closed.contains(&it.inputs.recordings))
    }

    /// Whether it is to be seen: something was found, and the list of all findings is not open, even behind another tab.
    pub fn is_open(&self, state: &State) -> bool {
        let list = views::named("findings");
        let is_listed = list.is_some_and(|it| state.panes.is_open(it));
        !self.remarks.found.is_empty() && !is_listed && self.is_wanted(state)
    }

    /// The findings that are told, most important first.
    pub fn first(&self) -> &[Finding] {
        &self.remarks.found[..self.remarks.found.len().min(FIRST)]
    }

    pub(super) fn close(&mut self, state: &State) {
        if let Some(document) = run_of_user(state) {
            self.closed.push(document.inputs.recordings.clone());
        }
    }

    pub fn is_waiting(&self) -> bool {
        self.remarks.is_waiting() || self.changes.is_reading()
    }

    pub fn slow(&self) -> Option<&Progress> {
        self.remarks.slow().or_else(|| self.changes.slow())
    }

    /// Finds what is remarkable about what is open, beside the window.
    pub(crate) fn update(&mut self, state: &State) {
        self.changes.update(state);
        let wanted = run_of_user(state).filter(|_| self.is_wanted(state));
        let recordings = wanted.map(|it| &it.inputs.recordings);
        // Those of a recording that grows stay until there are new ones.
        if recordings != Some(&self.found_in) {
            self.remarks.forget();
            self.found_in = recordings.cloned().unwrap_or_default();
        }
        if wanted.is_some() {
            self.remarks.update(state);
        }
    }
}
