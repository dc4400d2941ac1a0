//! Work on other threads that changes what is open.

use std::sync::Arc;

use super::city::City;
use super::document::Revised;
use super::job::Job;
use super::made::Made;
use super::runs::Runs;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_model::imports::Imports;
use callscape_source::history::{History, HistoryError};

/// The runs whose clocks were to be linked, and the same with linked clocks.
pub(crate) type Linked = (Arc<Runs>, Runs);

/// Work under way beside the open document.
#[derive(Default)]
pub struct Jobs {
    /// Whether it scans the source tree again.
    pub(crate) rescans: bool,
    pub(crate) revising: Option<Made<Job<anyhow::Result<Option<Revised>>>>>,
    pub laying_out: Option<Made<Job<City>>>,
    pub linking: Option<Made<Job<Linked>>>,
    pub(crate) reading_history: Option<Job<Result<History, HistoryError>>>,
    /// It was tried, and is not tried again.
    pub(crate) has_asked_history: bool,
    /// Which file imports which, of this session; none where the tree cannot be read.
    pub finding_imports: Option<Made<Job<Option<Imports>>>>,
    /// For which it was tried.
    pub(crate) imports_of: Option<Arc<Session>>,
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
        let revising = self.revising.as_ref().and_then(|it| it.any().slow());
        let laying_out = self.laying_out.as_ref().and_then(|it| it.any().slow());
        let reading = self.reading_history.as_ref().and_then(Job::slow);
        let linking = self.linking.as_ref().and_then(|it| it.any().slow());
        let imports = self.finding_imports.as_ref();
        let imports = imports.and_then(|it| it.any().slow());
        let all = revising.into_iter().chain(laying_out);
        all.chain(reading).chain(linking).chain(imports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::Generation;
    use callscape_base::progress::Cancelled;

    #[test]
    fn any_kind_of_work_is_work() {
        let of = Generation::next();
        assert!(!Jobs::default().is_any());
        let mut jobs = Jobs {
            laying_out: Some(Made::new(of, Job::start(|| (), |_| Err(Cancelled)))),
            ..Jobs::default()
        };
        assert!(jobs.is_any() && !jobs.is_revising());
        jobs.laying_out = None;
        jobs.revising = Some(Made::new(of, Job::start(|| (), |_| Err(Cancelled))));
        assert!(jobs.is_any() && jobs.is_revising());
        jobs.revising = None;
        jobs.linking = Some(Made::new(of, Job::start(|| (), |_| Err(Cancelled))));
        assert!(jobs.is_any());
        jobs.linking = None;
        jobs.reading_history = Some(Job::start(|| (), |_| Err(Cancelled)));
        assert!(jobs.is_any());
    }
}
