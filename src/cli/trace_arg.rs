//! The recording of a sub-command that reads one.

use std::path::PathBuf;

/// The recording of a sub-command that reads one.
#[derive(Debug, clap::Args)]
pub struct TraceArg {
    /// The recording: a file or a directory, in any format that Callscape knows
    pub trace: PathBuf,
    /// The source tree that the recording's functions are looked up in
    #[arg(long, value_name = "SOURCE_DIR")]
    pub source: Option<PathBuf>,
    /// Value to count by, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time'; `info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    #[command(flatten)]
    pub left_out: super::frequency::FrequencyArg,
}
