//! What is shown: the cut through the hierarchy, the time range, what is left out, selection and hover.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod correspond;
pub mod cut;
pub mod filters;
pub mod left_calls;
pub mod linked;
pub mod marked;
pub mod operations;
pub mod running;
pub mod selection;
pub mod summary;
mod totals;
pub mod walk;
pub mod weights;
