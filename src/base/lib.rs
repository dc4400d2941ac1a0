//! The ground floor of Callscape: names as people may see them, units and ids as types, the reporter of repairs,
//! progress and cancellation, and safe files. It knows nothing of recordings.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod clock;
pub mod encoding;
pub mod escape;
pub mod files;
pub mod progress;
pub mod units;
pub mod warnings;
