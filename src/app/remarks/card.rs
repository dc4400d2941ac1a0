//! The first thing that is seen of one run: what is remarkable about it, in three sentences, until it is closed for this
//! recording.

use std::path::PathBuf;

use callscape_analysis::findings::{Finding, findings};
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::{Job, take};
use callscape_state::made::Generation;

/// Maximum number of findings in the card.
const FIRST: usize = 3;

/// The card, and the recordings for which it was closed.
#[derive(Default)]
pub struct RemarksCard {
    found: Vec<Finding>,
    found_in: Vec<PathBuf>,
    job: Option<Job<Vec<Finding>>>,
    /// The document that they are of.
    of: Option<Generation>,
    closed: Vec<Vec<PathBuf>>,
}

/// The document, if it is one run of the user's.
fn one_run(state: &State) -> Option<&Document> {
    let document = state.document.as_ref()?;
    let is_one = document.runs.is_none() && document.resolved().is_some();
    (is_one && document.inputs != Inputs::default()).then_some(document)
}

impl RemarksCard {
    fn is_wanted(&self, state: &State) -> bool {
        one_run(state).is_some_and(|it| !self.closed.contains(&it.inputs.recordings))
    }

    /// Whether it is to be seen.
    pub fn is_open(&self, state: &State) -> bool {
        !self.found.is_empty() && self.is_wanted(state)
    }

    /// The findings that are told, most important first.
    pub fn first(&self) -> &[Finding] {
        &self.found[..self.found.len().min(FIRST)]
    }

    pub(super) fn close(&mut self, state: &State) {
        if let Some(document) = one_run(state) {
            self.closed.push(document.inputs.recordings.clone());
        }
    }

    pub fn is_waiting(&self) -> bool {
        self.job.is_some()
    }

    pub fn slow(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    /// Finds what is remarkable about what is open, beside the window.
    pub(crate) fn update(&mut self, state: &State) {
        if let Some(found) = take(&mut self.job) {
            self.found = found;
        }
        let shown = state.document.as_ref().map(Document::generation);
        if std::mem::replace(&mut self.of, shown) == shown {
            return;
        }
        self.job = None;
        let wanted = one_run(state).filter(|_| self.is_wanted(state));
        let recordings = wanted.map(|it| &it.inputs.recordings);
        // Those of a recording that grows stay until there are new ones.
        if recordings != Some(&self.found_in) {
            self.found.clear();
            self.found_in = recordings.cloned().unwrap_or_default();
        }
        if let Some(resolved) = wanted.and_then(Document::resolved) {
            let recording = resolved.recording.clone();
            let work = move |progress: &Progress| findings(&recording, progress);
            self.job = Some(Job::named("what is remarkable", state.waker(), work));
        }
    }
}
