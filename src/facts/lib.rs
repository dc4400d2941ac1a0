//! The fact base: names, module hierarchy, functions and calls of a recording, and their queries.
//!
//! Facts are filled by `source` and `import` through the builders here and are never changed afterwards.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod all_events;
pub mod aside;
pub mod builder;
pub mod contexts;
pub mod fnv;
pub mod frequency;
pub mod functions;
pub mod gaps;
pub mod hashing;
pub mod hierarchy;
pub mod history;
pub mod index;
pub mod kinds;
pub mod lines;
pub mod lookup;
pub mod memory;
pub mod names;
pub mod profile;
pub mod recording;
pub mod relinked;
pub mod revised;
pub mod sampling;
pub mod sorting;
pub mod tables;
mod telling;
mod timestamp;
pub mod trace;
pub mod weighed;
