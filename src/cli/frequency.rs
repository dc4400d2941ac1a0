//! `--max-frequency`: what is called too often is left out, in every sub-command that reads recordings.

use super::progress::with_progress;
use callscape_analysis::session::Session;
use callscape_facts::frequency::Frequency;
use callscape_facts::recording::Recording;

#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct FrequencyArg {
    /// Exclude functions that exceed this number of calls in any window of this length, such as 80/100ms; their callees
    /// are attributed to their callers
    #[arg(long, value_name = "CALLS/TIME")]
    pub max_frequency: Option<Frequency>,
}

impl FrequencyArg {
    /// Excludes functions called more often, and reports that on standard error.
    pub(crate) fn apply(self, session: &mut Session) -> anyhow::Result<()> {
        if let Some(limit) = self.max_frequency {
            with_progress(|progress| session.leave_out_frequent(limit, progress))??;
        }
        for resolved in &session.recordings {
            say_left_out(&resolved.recording);
        }
        Ok(())
    }
}

/// Says what a recording does not hold because it is called too often.
pub(crate) fn say_left_out(recording: &Recording) {
    if let Some(left_out) = &recording.left_out {
        let name = recording.name();
        say!("callscape: {name}: {left_out} ({})", left_out.max_frequency);
    }
}
