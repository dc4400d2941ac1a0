//! What was found, and what it was found in.

use super::args::FaultsArgs;
use callscape_analysis::faults::Faults;
use callscape_analysis::faults::opening::Opened;
use callscape_facts::recording::Recording;
use callscape_source::history::change::Changes;

/// The findings and the session that they refer to.
pub(super) struct Report<'a> {
    pub opened: &'a Opened,
    pub changes: &'a Changes,
    pub faults: &'a Faults,
    pub args: &'a FaultsArgs,
}

impl Report<'_> {
    /// The run that fails.
    pub(super) fn recording(&self) -> Option<&Recording> {
        let first = self.opened.session.recordings.first();
        first.map(|it| &*it.recording)
    }
}
