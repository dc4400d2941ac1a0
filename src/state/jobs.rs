//! Work on other threads that changes what is open.

use std::sync::Arc;

use super::city::City;
use super::document::Revised;
use super::job::Job;
use super::runs::Runs;
use crate::analysis::session::Session;
use crate::model::imports::Imports;
use crate::progress::Progress;
use crate::source::history::{History, HistoryError};

/// Which file imports which, and of what that was found.
pub type FoundImports = (Arc<Session>, Imports);

/// Work under way beside the open document.
#[derive(Default)]
pub struct Jobs {
    /// Whether it scans the source tree again.
    pub revising: Option<(bool, Job<anyhow::Result<Option<Revised>>>)>,
    pub laying_out: Option<Job<City>>,
    pub linking: Option<Job<(Arc<Runs>, Runs)>>,
    pub reading_history: Option<Job<Result<History, HistoryError>>>,
    /// It was tried, and is not tried again.
    pub has_asked_history: bool,
    /// Which file imports which, of this session; none where the tree cannot be read.
    pub finding_imports: Option<Job<Option<FoundImports>>>,
    /// For which it was tried.
    pub imports_of: Option<Arc<Session>>,
}

impl Jobs {
    pub fn is_any(&self) -> bool {
        self.under_way().next().is_some()
    }

    /// Names of all of it.
    pub fn under_way(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.revising.is_some(), "another structure"),
            (self.laying_out.is_some(), "the landscape"),
            (self.reading_history.is_some(), "the history"),
            (self.linking.is_some(), "the comparison"),
            (self.finding_imports.is_some(), "the imports"),
        ];
        all.into_iter().filter_map(|(is, name)| is.then_some(name))
    }

    /// Whether the document is being made anew.
    pub fn is_revising(&self) -> bool {
        self.revising.is_some()
    }

    /// The work that takes long enough to be shown.
    pub fn slow(&self) -> impl Iterator<Item = &Progress> {
        let revising = self.revising.as_ref().and_then(|(_, job)| job.slow());
        let laying_out = self.laying_out.as_ref().and_then(Job::slow);
        let reading = self.reading_history.as_ref().and_then(Job::slow);
        let linking = self.linking.as_ref().and_then(Job::slow);
        let imports = self.finding_imports.as_ref().and_then(Job::slow);
        let all = revising.into_iter().chain(laying_out);
        all.chain(reading).chain(linking).chain(imports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Cancelled;

    #[test]
    fn any_kind_of_work_is_work() {
        assert!(!Jobs::default().is_any());
        let mut jobs = Jobs {
            laying_out: Some(Job::start(|| (), |_| Err(Cancelled))),
            ..Jobs::default()
        };
        assert!(jobs.is_any() && !jobs.is_revising());
        jobs.laying_out = None;
        jobs.revising = Some((false, Job::start(|| (), |_| Err(Cancelled))));
        assert!(jobs.is_any() && jobs.is_revising());
        jobs.revising = None;
        jobs.linking = Some(Job::start(|| (), |_| Err(Cancelled)));
        assert!(jobs.is_any());
        jobs.linking = None;
        jobs.reading_history = Some(Job::start(|| (), |_| Err(Cancelled)));
        assert!(jobs.is_any());
    }
}
