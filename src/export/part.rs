//! What is to be written of a recording, and why it cannot be.

use std::io;

use callscape_analysis::resolve::Resolution;
use callscape_base::progress::Cancelled;
use callscape_base::units::{ThreadId, TimeRange};
use callscape_facts::contexts::Contexts;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::profile::Profile;
use callscape_facts::recording::Recording;

/// Why a recording could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A format that cannot say what the recording holds.
    #[error("{0}")]
    Unfit(String),
    /// The recording's index is damaged, and what was written is not whole.
    #[error("{0}")]
    Damaged(String),
}

/// What is to be written of a recording.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    pub recording: &'a Recording,
    /// The modules of the recording's functions, and the hierarchy that they are in.
    pub resolution: &'a Resolution,
    pub hierarchy: &'a Hierarchy,
    /// None for all of the recording's time.
    pub range: Option<TimeRange>,
    /// None for all threads.
    pub threads: Option<&'a [ThreadId]>,
}

impl Part<'_> {
    /// Whether it is all of the recording.
    pub(super) fn is_whole(&self) -> bool {
        self.range.is_none() && self.threads.is_none()
    }

    /// The threads to write, in the order of the recording.
    pub(super) fn threads(&self) -> Vec<ThreadId> {
        let all = self.recording.trace.thread_ids();
        all.filter(|id| self.threads.is_none_or(|threads| threads.contains(id)))
            .collect()
    }
}

/// The contexts of a profile, for formats of call paths.
pub(super) fn contexts_of<'a>(
    part: &Part<'a>,
    profile: &'a Profile,
) -> Result<&'a Contexts, ExportError> {
    profile.contexts().ok_or_else(|| {
        let name = part.recording.name();
        let reason = "its format contains functions and call relations, but no call paths";
        ExportError::Unfit(format!("{name}: {reason}"))
    })
}
