//! The recording of a sub-command that reads one.

use std::path::PathBuf;

/// The recording of a sub-command that reads one.
#[derive(Debug, clap::Args)]
pub(crate) struct TraceArg {
    /// The recording: a file or a directory in any supported format
    pub trace: PathBuf,
    /// Source tree in which to look up the recording's functions
    #[arg(long, value_name = "SOURCE_DIR")]
    pub source: Option<PathBuf>,
    /// Value to count, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time'; `info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    #[command(flatten)]
    pub left_out: super::frequency::FrequencyArg,
}
