//! How far a recording is.

use std::time::Duration;

/// How far a recording is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub elapsed: Duration,
    /// Of the recording so far.
    pub bytes: u64,
    /// About how many calls that are; none where bytes do not tell.
    pub calls: Option<u64>,
    /// The process of the program, from when it runs under its recorder.
    pub program: Option<u32>,
}
